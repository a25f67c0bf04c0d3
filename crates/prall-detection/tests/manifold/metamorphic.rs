//! The same scene elsewhere, turned, in millimetres, swapped, or a moment later.

use std::sync::Arc;

use glam::DVec3;
use prall_detection::{ContactPoint, FeaturePair};
use prall_geometry::{Shape, generate};
use prall_math::Pose;
use proptest::prelude::*;

use crate::oracle::{contacts, floor, least_gap, mesh_of, random_hull, turned};
use crate::random::Random;

/// One of everything, in units of `unit` metres.
fn zoo(unit: f64) -> Vec<Shape> {
    let mut random = Random::new(31);
    vec![
        Shape::sphere(0.3 * unit).unwrap(),
        Shape::cuboid(DVec3::new(0.4, 0.3, 0.2) * unit).unwrap(),
        Shape::capsule(0.3 * unit, 0.2 * unit).unwrap(),
        Shape::cylinder(0.3 * unit, 0.3 * unit).unwrap(),
        Shape::cone(0.3 * unit, 0.3 * unit).unwrap(),
        Shape::ConvexHull(Arc::new(random_hull(&mut random, 14, 0.4 * unit))),
        mesh_of(&generate::cuboid(DVec3::new(0.9, 0.5, 0.6) * unit).unwrap()),
    ]
}

fn pose_in() -> impl Strategy<Value = Pose> {
    (prop::array::uniform3(-0.5..0.5), prop::array::uniform3(-1.0..1.0), 0.0..3.0).prop_map(
        |(t, axis, angle)| {
            let axis = DVec3::from(axis).try_normalize().unwrap_or(DVec3::X);
            turned(axis, angle, DVec3::from(t))
        },
    )
}

fn settings(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(20),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(settings(200))]

    #[test]
    fn swapping_the_bodies_mirrors_the_contacts(p in pose_in(), q in pose_in(), i in 0_usize..7, j in 0_usize..7) {
        let zoo = zoo(1.0);
        let there = contacts(&zoo[i], &p, &zoo[j], &q, 0.1);
        let back = contacts(&zoo[j], &q, &zoo[i], &p, 0.1);
        prop_assert_eq!(there.is_empty(), back.is_empty());
        if !there.is_empty() {
            // 2 %: on which side a face is preferred may differ by rounding; 1e-5: overlapping round shapes.
            let (s, t) = (least_gap(&there), least_gap(&back));
            prop_assert!((s - t).abs() <= 0.02 * s.abs() + 1e-5, "{} and {}", s, t);
            if i < 6 && j < 6 && s > 1e-6 {
                prop_assert!((there[0].normal + back[0].normal).length() < 1e-5);
                // At a rim the normal is known to some 1e-7 only, and a point on the border is in or out by chance.
                if ![i, j].iter().any(|k| [3, 4].contains(k)) {
                    let mirrored: Vec<ContactPoint> = back.iter().map(ContactPoint::swapped).collect();
                    prop_assert_eq!(names(&there), names(&mirrored));
                }
            }
        }
    }

    #[test]
    fn a_kilometre_away_and_turned_the_gaps_are_the_same(
        p in pose_in(), q in pose_in(), world in pose_in(), i in 0_usize..7, j in 0_usize..7
    ) {
        let zoo = zoo(1.0);
        let far = Pose::new(world.rotation, DVec3::new(600.0, -500.0, 600.0));
        let here = contacts(&zoo[i], &p, &zoo[j], &q, 0.1);
        let there = contacts(&zoo[i], &(far * p), &zoo[j], &(far * q), 0.1);
        let (s, t) = (least_gap(&here), least_gap(&there));
        // Rounding a kilometre away is 1e-13; near a change of features it may decide which face is preferred.
        let border = (s - 0.1).abs() < 1e-9 || (t - 0.1).abs() < 1e-9;
        prop_assert!(border || here.is_empty() == there.is_empty());
        if !here.is_empty() && !there.is_empty() {
            prop_assert!((s - t).abs() <= 0.02 * s.abs() + 1e-5, "{} and {}", s, t);
            if s > 1e-6 && t > 1e-6 {
                prop_assert!((s - t).abs() < 1e-10, "{} and {}", s, t);
            }
        }
    }

    #[test]
    fn millimetres_for_metres_scale_the_gaps(p in pose_in(), q in pose_in(), i in 0_usize..6, j in 0_usize..6) {
        let small = |pose: &Pose| Pose::new(pose.rotation, pose.translation * 1e-3);
        let large = least_gap(&contacts(&zoo(1.0)[i], &p, &zoo(1.0)[j], &q, 0.1));
        let tiny = least_gap(&contacts(&zoo(1e-3)[i], &small(&p), &zoo(1e-3)[j], &small(&q), 1e-4));
        prop_assert!(large == tiny || (large - 1e3 * tiny).abs() <= 0.02 * large.abs() + 1e-5, "{} and {}", large, tiny);
    }
}

fn names(points: &[ContactPoint]) -> Vec<FeaturePair> {
    let mut names: Vec<FeaturePair> = points.iter().map(|p| p.features).collect();
    names.sort();
    names
}

#[test]
fn features_keep_their_names_while_a_box_slides() {
    let (upper, lower) = (
        Shape::cuboid(DVec3::new(0.3, 0.1, 0.2)).unwrap(),
        Shape::cuboid(DVec3::new(1.0, 0.1, 1.0)).unwrap(),
    );
    // Within the lower box, and with one side beyond its edge.
    for (shape, start) in [
        (&lower, DVec3::ZERO),
        (&lower, DVec3::new(0.8, 0.0, 0.1)),
        (&floor(2.0, 1), DVec3::new(0.9, -0.1, -0.3)),
    ] {
        let at = |step: f64| {
            turned(
                DVec3::Y,
                0.2 + 0.002 * step,
                start + DVec3::new(0.004 * step, 0.2005 - 1e-4 * step, 0.003 * step),
            )
        };
        let first = names(&contacts(&upper, &at(0.0), shape, &Pose::IDENTITY, 0.01));
        assert_eq!(first.len(), 4);
        for step in 1..10 {
            let later = names(&contacts(&upper, &at(f64::from(step)), shape, &Pose::IDENTITY, 0.01));
            assert_eq!(first, later, "step {step}");
        }
    }
}
