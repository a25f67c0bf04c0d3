//! What is linked stays linked.

use std::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3};
use prall_math::{Pose, Wrench};

use crate::support::{dynamic, fixed, ring, rough, run, turned, weightless, world};

/// Two rings of 60 mm and a tube of 1 mm, one through the other, are pulled apart by 10 N in eight directions.
#[test]
fn interlocked_rings_hold() {
    let shape = ring(0.03, 0.001, 24, 6);
    for k in 0..8 {
        let mut world = weightless(1.0 / 60.0);
        let angle = std::f64::consts::TAU * f64::from(k) / 8.0 + 0.03;
        let pull = DVec3::new(libm::cos(angle), 0.3 * f64::from(k % 3), libm::sin(angle)).normalize() * 10.0;
        let a = world.add_body(&dynamic(&shape, rough(0.3))).unwrap();
        let through = turned(DVec3::X, FRAC_PI_2, DVec3::X * 0.03);
        let b = world.add_body(&dynamic(&shape, rough(0.3)).in_pose(through)).unwrap();
        world.set_load(a, Wrench::new(-pull, DVec3::ZERO)).unwrap();
        world.set_load(b, Wrench::new(pull, DVec3::ZERO)).unwrap();
        let judge = run(&mut world, 60, 4);
        let apart = world.centre_of_mass(a).unwrap().distance(world.centre_of_mass(b).unwrap());
        assert_eq!(judge.overlaps, 0, "direction {k}");
        assert!(apart < 0.0601, "direction {k}: {apart} m");
    }
}

/// A chain of ten rings, one fixed, hangs and swings and does not break.
#[test]
fn a_chain_of_ten_hangs() {
    let (radius, tube) = (0.03, 0.004);
    let shape = ring(radius, tube, 16, 8);
    let mut world = world(1.0 / 60.0);
    let mut links = Vec::new();
    for k in 0..10_u32 {
        let turn = if k % 2 == 0 { DQuat::IDENTITY } else { DQuat::from_rotation_y(FRAC_PI_2) };
        let pose = Pose::new(
            turn * DQuat::from_rotation_x(FRAC_PI_2),
            DVec3::Y * (-2.0 * f64::from(k) * (radius - tube - 1e-4)),
        );
        let link = if k == 0 { fixed(&shape, rough(0.3)) } else { dynamic(&shape, rough(0.3)) };
        let link = link.in_pose(pose);
        links.push(world.add_body(&if k == 9 { link.moving(DVec3::X, DVec3::ZERO) } else { link }).unwrap());
    }
    let judge = run(&mut world, 120, 2);
    assert_eq!(judge.overlaps, 0);
    for pair in links.windows(2) {
        let [a, b] = [pair[0], pair[1]].map(|body| world.centre_of_mass(body).unwrap());
        assert!(a.distance(b) < 2.0 * radius, "{} m", a.distance(b));
    }
}
