//! Links of machines pass through nothing, however fast they are and however long the step.

use glam::{DMat3, DQuat, DVec3};
use prall_detection::Filter;
use prall_dynamics::{BodyDefinition, Material, ShapeDefinition, World, WorldOptions};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh};
use prall_math::{Pose, Twist};
use prall_mechanics::Budget;
use prall_multibody::{Joint, JointKind, Model};
use std::sync::Arc;

/// Two triangles in the plane x = 0, 4 m high and wide: a wall without any thickness.
fn sheet() -> Shape {
    let corners =
        [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)].map(|(y, z)| DVec3::new(0.0, y, z)).to_vec();
    let soup = PolygonSoup::from_triangles(corners, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))
}

fn world(h: f64) -> World {
    World::new(WorldOptions { time_step: h, gravity: DVec3::ZERO, ..WorldOptions::default() }).unwrap()
}

fn ball(radius: f64) -> ShapeDefinition {
    ShapeDefinition { pose: Pose::IDENTITY, shape: Shape::sphere(radius).unwrap(), density: 0.0 }
}

/// A bar of 1 kg and 1 m, hinged at one end 0.5 m beside the wall, that is parallel to the wall and turns towards it.
fn bar(world: &mut World, rate: f64) -> prall_dynamics::MoverHandle {
    let turn = DQuat::from_rotation_arc(DVec3::X, DVec3::Z);
    let at = Pose::new(turn, DVec3::new(-0.5, 0.0, 0.0));
    let hinge = Joint::new(JointKind::Revolute, at, Pose::new(turn, DVec3::Y * -0.5));
    let mut model = Model::default();
    model.body("bar", None, 1.0, DMat3::from_diagonal(DVec3::new(0.08, 0.01, 0.08)), hinge);
    let mut bar = model.build().unwrap();
    bar.tree_mut().set_coordinate(0, 0, 0.0, rate);
    let shape = Shape::capsule(0.48, 0.02).unwrap();
    let part = ShapeDefinition { pose: Pose::IDENTITY, shape, density: 0.0 };
    world.add_mover(Box::new(bar), &[(0, part, Material::default())], Filter::EVERYTHING).unwrap()
}

/// The bar's tip reaches 1 m, the wall is at 0.5 m: it may turn by 30 degrees. From slow to 50 rad/s, at steps up to a thirtieth of a second
/// in which it turns by a radian and more, no end of it is ever behind the wall.
#[test]
fn a_bar_that_turns_fast_never_passes_a_sheet() {
    for h in [1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0] {
        for rate in [-3.0, -12.0, -31.0, -50.0] {
            let mut world = world(h);
            world.add_body(&BodyDefinition::fixed(sheet())).unwrap();
            let bar = bar(&mut world, rate);
            for step in 0..40 {
                world.step(&mut Budget::unlimited());
                let tip = world.mover(bar).unwrap().pose(0).transform_point(DVec3::Y * 0.48);
                // The shell in which contacts rest, and the capsule's radius.
                assert!(tip.x < -0.02 + 1e-3, "step {step} of {h} at {rate} rad/s: {tip}");
            }
        }
    }
}

/// A bar that turns about its middle, and a small ball in the way of its end. Along straight lines the bar would not come near the ball:
/// what is near it turns slowly, what turns fast goes elsewhere. In steps of up to two radians the bar still never comes out behind it.
#[test]
fn a_bar_does_not_turn_past_a_small_ball() {
    for (h, turn) in [(1.0 / 30.0, 1.57), (1.0 / 30.0, 2.0), (1.0 / 60.0, 1.0), (1.0 / 240.0, 0.7)] {
        for degrees in [30.0_f64, 55.0, 80.0] {
            let mut world = world(h);
            let (sine, cosine) = libm::sincos(degrees.to_radians());
            let place = DVec3::new(-sine, cosine, 0.0) * 0.45;
            world.add_body(&BodyDefinition::fixed(Shape::sphere(0.01).unwrap()).at(place)).unwrap();
            let axis = Pose::from_rotation(DQuat::from_rotation_arc(DVec3::X, DVec3::Z));
            let mut model = Model::default();
            let inertia = DMat3::from_diagonal(DVec3::new(0.08, 0.01, 0.08));
            model.body("bar", None, 1.0, inertia, Joint::new(JointKind::Revolute, axis, axis));
            let mut bar = model.build().unwrap();
            bar.tree_mut().set_coordinate(0, 0, 0.0, turn / h);
            let shape = Shape::capsule(0.48, 0.02).unwrap();
            let part = ShapeDefinition { pose: Pose::IDENTITY, shape, density: 0.0 };
            let bar = world
                .add_mover(Box::new(bar), &[(0, part, Material::default())], Filter::EVERYTHING)
                .unwrap();
            for step in 0..20 {
                world.step(&mut Budget::unlimited());
                let along = world.mover(bar).unwrap().pose(0).transform_vector(DVec3::Y);
                let angle = libm::atan2(-along.x, along.y).to_degrees();
                // Less than where its axis would meet the ball's centre; it may swing back, not through.
                assert!(angle < degrees, "step {step} of {h} s, {turn} rad a step: {angle} of {degrees}");
            }
        }
    }
}

/// A free machine of two balls that flies at 100 m/s, 3.3 m in a step, stays on its side of the sheet.
#[test]
fn a_machine_shot_at_a_sheet_stays_on_its_side() {
    for h in [1.0 / 30.0, 1.0 / 120.0] {
        let mut world = world(h);
        world.add_body(&BodyDefinition::fixed(sheet())).unwrap();
        let mut model = Model::default();
        let inertia = DMat3::from_diagonal(DVec3::splat(0.004));
        let free = Joint::new(JointKind::Free, Pose::IDENTITY, Pose::IDENTITY);
        model.body("first", None, 1.0, inertia, free);
        let hinge = Joint::new(
            JointKind::Ball,
            Pose::from_translation(DVec3::Y * 0.3),
            Pose::from_translation(DVec3::Y * -0.3),
        );
        model.body("second", Some("first"), 1.0, inertia, hinge);
        let mut machine = model.build().unwrap();
        let tree = machine.tree_mut();
        let poses: Vec<Pose> =
            (0..2).map(|node| Pose::from_translation(DVec3::X * -5.1) * tree.pose(node)).collect();
        tree.load(|node| (poses[node], Twist::new(DVec3::X * 100.0, DVec3::ZERO)));
        let shapes = [(0, ball(0.1), Material::default()), (1, ball(0.1), Material::default())];
        let machine = world.add_mover(Box::new(machine), &shapes, Filter::EVERYTHING).unwrap();
        for step in 0..30 {
            world.step(&mut Budget::unlimited());
            for link in 0..2 {
                let place = world.mover(machine).unwrap().pose(link).translation;
                assert!(place.x < -0.1 + 1e-3, "step {step} of {h}, link {link}: {place}");
            }
        }
    }
}

/// A bullet that is shot at a hanging plate of 2 mm does not come out behind it.
#[test]
fn a_bullet_does_not_pass_a_thin_link() {
    for h in [1.0 / 30.0, 1.0 / 120.0] {
        let mut world = world(h);
        let mut model = Model::default();
        let hinge = Joint::new(
            JointKind::Revolute,
            Pose::from_translation(DVec3::Y * 0.5),
            Pose::from_translation(DVec3::Y * 0.5),
        );
        model.body("plate", None, 5.0, DMat3::from_diagonal(DVec3::new(0.8, 0.4, 0.4)), hinge);
        let plate = Shape::cuboid(DVec3::new(0.5, 0.5, 0.001)).unwrap();
        let part = ShapeDefinition { pose: Pose::IDENTITY, shape: plate, density: 0.0 };
        let hung = model.build().unwrap();
        let plate =
            world.add_mover(Box::new(hung), &[(0, part, Material::default())], Filter::EVERYTHING).unwrap();
        let bullet = BodyDefinition {
            velocity: Twist::new(DVec3::Z * -150.0, DVec3::ZERO),
            ..BodyDefinition::dynamic(Shape::sphere(0.01).unwrap(), 8000.0).at(DVec3::new(0.0, -0.2, 7.3))
        };
        let bullet = world.add_body(&bullet).unwrap();
        for step in 0..20 {
            world.step(&mut Budget::unlimited());
            let pose = world.mover(plate).unwrap().pose(0);
            let seen = pose.inverse_transform_point(world.pose(bullet).unwrap().translation);
            assert!(seen.z > 0.0, "step {step} of {h}: {seen}");
        }
    }
}
