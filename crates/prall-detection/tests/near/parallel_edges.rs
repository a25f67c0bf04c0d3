//! A rod on a ridge, edge on edge: from parallel to crossing.

use glam::{DQuat, DVec3};
use prall_geometry::Shape;
use prall_math::Pose;

use crate::bodies::{features, smallest_gap};

const HALF_LENGTH: f64 = 0.5;
const HALF_WIDTH: f64 = 0.02;
const GAP: f64 = 10e-6;

/// A bar along x that stands on an edge.
fn bar(length: f64) -> Shape {
    Shape::cuboid(DVec3::new(length, HALF_WIDTH, HALF_WIDTH)).unwrap()
}

fn on_edge(yaw: f64, height: f64) -> Pose {
    let edge = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
    Pose::new(DQuat::from_rotation_y(yaw) * edge, DVec3::Y * height)
}

fn height() -> f64 {
    2.0 * HALF_WIDTH * 2.0_f64.sqrt() + GAP
}

#[test]
fn a_rod_on_a_ridge_has_its_distance_at_every_angle() {
    for length in [HALF_LENGTH, 0.8 * HALF_LENGTH] {
        for angle in [0.0, 1e-12, 1e-9, 1e-6, 1e-5, 1e-3, 0.01, 0.04, 0.06, 0.1, 1.0] {
            let (rod, ridge) = (on_edge(angle, height()), on_edge(0.0, 0.0));
            let (answer, found) = features(&bar(length), &rod, &bar(HALF_LENGTH), &ridge, 20e-6);
            let least = smallest_gap(&found);
            assert!((least - GAP).abs() < 1e-12, "{angle}: {least} {found:?}");
            assert!(answer.distance <= GAP + 1e-15 && answer.distance > GAP - 1e-9, "{angle}: {answer:?}");
        }
    }
}

#[test]
fn a_rod_along_a_ridge_is_held_at_both_ends() {
    for length in [HALF_LENGTH, 0.8 * HALF_LENGTH] {
        for angle in [0.0, 1e-12, 1e-9, 1e-6] {
            let (rod, ridge) = (on_edge(angle, height()), on_edge(0.0, 0.0));
            let found = features(&bar(length), &rod, &bar(HALF_LENGTH), &ridge, 20e-6).1;
            let places: Vec<DVec3> = found.iter().map(|feature| feature.at(&rod, &ridge).on_a).collect();
            for end in [-length, length] {
                let held = places.iter().any(|p| (p.x - end).abs() < 1e-6);
                assert!(held, "{angle}: {end} is not held: {places:?}");
            }
        }
    }
}

#[test]
fn names_of_parallel_edges_last_while_they_slide() {
    let names = |x: f64| {
        let pose = Pose { translation: DVec3::new(x, height(), 0.0), ..on_edge(0.0, 0.0) };
        let found = features(&bar(0.3), &pose, &bar(HALF_LENGTH), &on_edge(0.0, 0.0), 20e-6).1;
        let mut names: Vec<u64> = found.iter().map(|feature| feature.name).collect();
        names.sort_unstable();
        names
    };
    assert!(!names(0.0).is_empty());
    assert_eq!(names(0.0), names(0.01));
    assert_eq!(names(0.0), names(-0.1));
}
