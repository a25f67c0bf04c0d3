//! Bodies of given motion, and bodies driven by torques.

use glam::{BVec3, DVec3};
use prall_dynamics::{BodyDefinition, Locked};
use prall_math::{Twist, Wrench};

use crate::support::{Judge, block, cube, dynamic, fixed, gear, rough, sheet, weightless, world};

/// A plate driven down on a cube stops there and says so; the cube is not thrown out.
#[test]
fn a_driven_plate_crushes_nothing_and_says_so() {
    let mut world = world(1.0 / 60.0);
    let m = rough(0.3);
    world.add_body(&fixed(&sheet(1.0), m)).unwrap();
    let cube = world.add_body(&dynamic(&cube(0.05), m).at(DVec3::Y * 0.02502)).unwrap();
    let plate = BodyDefinition::kinematic(block(DVec3::new(0.3, 0.02, 0.3))).made_of(m).at(DVec3::Y * 0.07);
    let plate = world.add_body(&plate.moving(DVec3::Y * -0.1, DVec3::ZERO)).unwrap();
    let mut judge = Judge::new(&world, 4);
    let (mut crushed, mut fastest) = (0, 0.0_f64);
    for _ in 0..40 {
        world.advance();
        judge.look(&world);
        crushed += world.solid_report().crushed;
        fastest = fastest.max(world.velocity(cube).unwrap().linear.length());
    }
    assert_eq!(judge.overlaps, 0);
    assert!(crushed > 0);
    assert!(fastest < 0.1, "{fastest} m/s");
    let place = world.pose(cube).unwrap().translation;
    assert!(libm::hypot(place.x, place.z) < 1e-3, "the cube went to {place}");
    // Lifted again, the plate is free at once.
    world.set_velocity(plate, Twist { linear: DVec3::Y * 0.1, angular: DVec3::ZERO }).unwrap();
    let before = world.pose(plate).unwrap().translation.y;
    for _ in 0..30 {
        world.advance();
    }
    let lifted = world.pose(plate).unwrap().translation.y - before;
    assert!((lifted - 0.05).abs() < 1e-4, "{lifted} of 0.05 m");
}

/// A kinematic block pushes a mesh cube along the floor at its own speed.
#[test]
fn a_kinematic_block_pushes_a_cube_along() {
    let mut world = world(1.0 / 60.0);
    let m = rough(0.3);
    world.add_body(&fixed(&sheet(2.0), m)).unwrap();
    let cube = world.add_body(&dynamic(&cube(0.05), m).at(DVec3::new(0.03, 0.02502, 0.0))).unwrap();
    let pusher = BodyDefinition::kinematic(cuboid()).made_of(m).at(DVec3::new(-0.05, 0.03, 0.0));
    let pusher = world.add_body(&pusher.moving(DVec3::X * 0.5, DVec3::ZERO)).unwrap();
    let mut judge = Judge::new(&world, 4);
    let mut lost = 0.0;
    for _ in 0..60 {
        world.advance();
        judge.look(&world);
        lost += world.report().lost_time;
    }
    assert_eq!((judge.overlaps, lost), (0, 0.0));
    let [driver, pushed] = [pusher, cube].map(|body| world.pose(body).unwrap().translation.x);
    assert!((driver - 0.45).abs() < 1e-9, "{driver}");
    assert!((pushed - driver - 0.05).abs() < 1e-4, "{pushed} before {driver}");
    assert!((world.velocity(cube).unwrap().linear.x - 0.5).abs() < 1e-3);
}

/// A long arm of given motion whose end moves by more than its thickness in a step sweeps a cube along. Before, the check of the solver of
/// primitives, for which solid bodies stand still, stopped it in front of the cube.
#[test]
fn a_fast_arm_of_given_motion_loses_no_time() {
    let mut world = world(1.0 / 60.0);
    let m = rough(0.3);
    world.add_body(&fixed(&sheet(4.0), m)).unwrap();
    let arm = BodyDefinition::kinematic(block(DVec3::new(1.0, 0.02, 0.02))).made_of(m);
    let arm = arm.at(DVec3::Y * 0.03).moving(DVec3::ZERO, DVec3::Y * -2.0);
    let arm = world.add_body(&arm).unwrap();
    let cube = world.add_body(&dynamic(&cube(0.05), m).at(DVec3::new(0.4, 0.02503, 0.06))).unwrap();
    let mut judge = Judge::new(&world, 4);
    let mut lost = 0.0;
    for _ in 0..60 {
        world.advance();
        judge.look(&world);
        lost += world.report().lost_time;
    }
    assert_eq!((judge.overlaps, lost), (0, 0.0));
    let turned = world.pose(arm).unwrap().rotation.to_scaled_axis().y;
    assert!((turned + 2.0).abs() < 1e-9, "{turned} of -2 rad");
    assert!((world.pose(cube).unwrap().translation - DVec3::new(0.4, 0.025, 0.06)).length() > 0.2);
}

fn cuboid() -> prall_geometry::Shape {
    block(DVec3::new(0.05, 0.05, 0.1))
}

/// L = M t for a torque of any direction, and about the one axis that a gear is left with.
#[test]
fn a_torque_makes_angular_momentum() {
    let torque = DVec3::new(1e-3, 2e-3, -5e-4);
    let mut free = weightless(1.0 / 60.0);
    let body = BodyDefinition { solid: true, ..dynamic(&block(DVec3::new(0.05, 0.02, 0.1)), rough(0.3)) };
    let body = free.add_body(&body).unwrap();
    free.set_load(body, Wrench::new(DVec3::ZERO, torque)).unwrap();
    let mut locked = weightless(1.0 / 60.0);
    let axis = Locked { translation: BVec3::TRUE, rotation: BVec3::new(true, false, true) };
    let wheel = dynamic(&gear(12, 0.05, 0.005, 0.02), rough(0.3)).with_locked(axis);
    let wheel = locked.add_body(&wheel).unwrap();
    locked.set_load(wheel, Wrench::new(DVec3::ZERO, torque)).unwrap();
    for _ in 0..60 {
        free.advance();
        locked.advance();
    }
    let drift = (free.angular_momentum(body).unwrap() - torque).length();
    assert!(drift < 1e-9 * torque.length(), "{drift}");
    let spin = locked.angular_momentum(wheel).unwrap().y;
    assert!((spin / torque.y - 1.0).abs() < 1e-9, "{spin}");
}
