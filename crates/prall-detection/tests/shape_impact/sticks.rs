//! Thin things that spin past and through thin things.

use glam::DVec3;
use prall_detection::ImpactOptions;
use prall_geometry::Shape;
use prall_math::{Motion, Pose, Twist};

use crate::oracle::{at, cuboid, gap, impact, mesh_box};

fn spinning(start: Pose, way: DVec3, spin: DVec3) -> Motion {
    Motion::from_twist(start, DVec3::ZERO, Twist { linear: way, angular: spin }, 1.0).unwrap()
}

fn sticks() -> [Shape; 4] {
    [
        cuboid(0.5, 0.002, 0.002),
        Shape::capsule(0.5, 0.002).unwrap(),
        Shape::cylinder(0.5, 0.002).unwrap(),
        mesh_box(DVec3::new(0.5, 0.002, 0.002)),
    ]
}

fn walls() -> [Shape; 2] {
    [cuboid(1.0, 1.0, 5e-4), mesh_box(DVec3::new(1.0, 1.0, 5e-4))]
}

#[test]
fn no_stick_gets_through_a_thin_wall() {
    let resting = Motion::still(Pose::IDENTITY).unwrap();
    for stick in sticks() {
        for wall in walls() {
            for spin in [DVec3::ZERO, DVec3::X * 40.0, DVec3::new(20.0, -30.0, 10.0)] {
                let motion = spinning(at(0.1, 0.2, 3.0), DVec3::Z * -7.0, spin);
                let answer = impact(&stick, &motion, &wall, &resting);
                // The middle reaches the wall at 3/7, the ends at the earliest half a metre before.
                assert!(answer.free_until < 3.0 / 7.0 && answer.free_until > 2.49 / 7.0, "{answer:?}");
                assert!(answer.contact.is_some());
                for i in 0..=300 {
                    let t = answer.free_until * f64::from(i) / 300.0;
                    assert!(gap(&stick, &motion.pose(t), &wall, &Pose::IDENTITY) > 1e-5);
                }
            }
        }
    }
}

#[test]
fn a_stick_that_turns_just_past_a_wall_is_free() {
    // The ends draw a circle of 0.5 m; the wall's face is two guards farther away.
    let stick = Shape::capsule(0.498, 0.002).unwrap();
    let guard = ImpactOptions::default().guard;
    let wall = cuboid(1.0, 1.0, 5e-4);
    let motion = spinning(at(0.0, 0.0, 0.5005 + 2.0 * guard), DVec3::ZERO, DVec3::X * 7.0);
    let answer = impact(&stick, &motion, &wall, &Motion::still(Pose::IDENTITY).unwrap());
    assert_eq!(answer.free_until, 1.0);
    let nearer = spinning(at(0.0, 0.0, 0.5005 + 0.5 * guard), DVec3::ZERO, DVec3::X * 7.0);
    let answer = impact(&stick, &nearer, &wall, &Motion::still(Pose::IDENTITY).unwrap());
    assert!(answer.contact.is_some());
}

#[test]
fn two_sticks_that_both_spin_meet_where_they_cross() {
    let stick = cuboid(0.5, 0.002, 0.002);
    let one = spinning(at(0.0, 0.0, 1.0), DVec3::Z * -2.0, DVec3::Z * 9.0);
    let other = spinning(at(0.0, 0.0, -1.0), DVec3::Z * 2.0, DVec3::Z * -5.0);
    let answer = impact(&stick, &one, &stick, &other);
    // Both turn about the line along which they approach: 4 m per unit from 2 m - 4 mm - guard.
    let expected = (2.0 - 0.004 - ImpactOptions::default().guard) / 4.0;
    assert!((answer.free_until - expected).abs() < 1e-6, "{answer:?}");
}
