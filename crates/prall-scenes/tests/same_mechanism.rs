//! The same mechanism by prall-dynamics, free bodies held by joints, and by prall-multibody, in minimal coordinates.

use glam::{DMat3, DQuat, DVec3};
use prall_dynamics::{BodyDefinition, JointDefinition, World, WorldOptions};
use prall_geometry::MassProperties;
use prall_math::Pose;
use prall_mechanics::Mover;
use prall_multibody::{JointKind, Model, Part};

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);
/// Four rods of 0.4 m, hanging on each other, turned out of the plumb line.
const ROD: f64 = 0.4;
const COUNT: usize = 4;

fn mass() -> MassProperties {
    let inertia = DMat3::from_diagonal(DVec3::new(0.0135, 0.001, 0.0135));
    MassProperties { mass: 1.0, center_of_mass: DVec3::ZERO, inertia }
}

/// Pose of a rod, and the joint above it; joints alternate between balls and hinges about z.
fn place(index: usize) -> (Pose, DVec3) {
    let turn = DQuat::from_rotation_z(0.9);
    let joint = turn * DVec3::Y * (-ROD * index as f64);
    (Pose::new(turn, joint + turn * DVec3::Y * (-0.5 * ROD)), joint)
}

fn by_dynamics(h: f64, seconds: f64) -> DVec3 {
    let options = WorldOptions { time_step: h, most_substeps: 1, ..WorldOptions::default() };
    let mut world = World::new(options).unwrap();
    let mut above = world.ground();
    for index in 0..COUNT {
        let (pose, joint) = place(index);
        let body = world.add_body(&BodyDefinition::massive(mass()).in_pose(pose)).unwrap();
        let definition = if index % 2 == 0 {
            JointDefinition::ball(above, body, joint)
        } else {
            JointDefinition::hinge(above, body, joint, DVec3::Z)
        };
        world.add_joint(&definition).unwrap();
        above = body;
    }
    for _ in 0..(seconds / h).round() as usize {
        world.advance();
    }
    world.pose(above).unwrap().translation
}

fn by_multibody(h: f64, seconds: f64) -> DVec3 {
    let mut model = Model::default();
    let name = |index: usize| format!("rod {index}");
    for index in 0..COUNT {
        let (pose, joint) = place(index);
        let kind = if index % 2 == 0 { JointKind::Ball } else { JointKind::Revolute };
        let parent = index.checked_sub(1).map(name);
        model.part(&name(index), parent.as_deref(), &Part::on(kind, joint, DVec3::Z, pose, mass()));
    }
    let mut mechanism = model.build().unwrap();
    for _ in 0..(seconds / h).round() as usize {
        mechanism.predict(h, GRAVITY);
        mechanism.commit(h, 1.0);
    }
    mechanism.tree().pose(COUNT - 1).translation
}

/// Both converge to one motion: at a quarter of the step the difference is at most a third, and it ends below half a millimetre after
/// a way of metres.
#[test]
fn free_bodies_with_joints_and_the_tree_converge_to_the_same_motion() {
    let apart = |h: f64| by_dynamics(h, 0.5).distance(by_multibody(h, 0.5));
    let (coarse, fine) = (apart(1.0 / 480.0), apart(1.0 / 1920.0));
    assert!(fine < coarse / 3.0 && fine < 5e-4, "{coarse} {fine}");
    let way = by_multibody(1.0 / 1920.0, 0.5).distance(place(COUNT - 1).0.translation);
    assert!(way > 0.5, "{way}");
}
