//! Pairs that remember their contacts, held against what is found afresh.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use prall_detection::{
    ContactPoint, FeaturePair, ManifoldCache, ManifoldOptions, Manifolds, Touchable, find_manifolds_cached,
    separation,
};
use prall_geometry::{HalfSpace, Shape};
use prall_math::Pose;
use proptest::prelude::*;

use crate::oracle::{check, least_gap, random_hull, touchable, turned};
use crate::random::Random;

const MARGIN: f64 = 0.02;

/// A pair with its memory.
struct Remembering {
    bodies: [Touchable; 2],
    cache: ManifoldCache,
    manifolds: Manifolds,
}

impl Remembering {
    fn new(a: &Shape, b: &Shape) -> Remembering {
        Remembering {
            bodies: [touchable(a), touchable(b)],
            cache: ManifoldCache::default(),
            manifolds: Manifolds::new(),
        }
    }

    /// The contacts in two poses, and whether they were carried over.
    fn at(&mut self, pose_a: &Pose, pose_b: &Pose) -> (Vec<ContactPoint>, bool) {
        let options = ManifoldOptions { margin: MARGIN, ..ManifoldOptions::default() };
        let [a, b] = &self.bodies;
        let carried =
            find_manifolds_cached(a, pose_a, b, pose_b, &options, &mut self.cache, &mut self.manifolds)
                .unwrap();
        check(self.manifolds.points(), MARGIN);
        (self.manifolds.points().to_vec(), carried)
    }
}

/// Shapes whose contacts are remembered, with half of their least extent.
fn zoo() -> Vec<(Shape, f64)> {
    let mut random = Random::new(71);
    let hull = random_hull(&mut random, 14, 0.4);
    let thickness = hull.bounds().half_extents().min_element();
    vec![
        (Shape::cuboid(DVec3::new(0.4, 0.3, 0.2)).unwrap(), 0.2),
        (Shape::cuboid(DVec3::new(2.0, 0.1, 1.5)).unwrap(), 0.1),
        (Shape::capsule(0.3, 0.2).unwrap(), 0.2),
        (Shape::cylinder(0.3, 0.25).unwrap(), 0.25),
        (Shape::cone(0.3, 0.3).unwrap(), 0.3),
        (Shape::ConvexHull(Arc::new(hull)), thickness),
    ]
}

fn settings(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(21),
        ..ProptestConfig::default()
    }
}

fn names(points: &[ContactPoint]) -> Vec<FeaturePair> {
    let mut names: Vec<FeaturePair> = points.iter().map(|p| p.features).collect();
    names.sort();
    names
}

/// A pose whose body lies within `gap` of another at the origin, at most that deep or far: moved along the direction of their
/// distance.
fn near(a: &Shape, b: &Shape, start: Pose, gap: f64) -> Pose {
    let mut pose = start;
    for _ in 0..4 {
        let found = separation(a, &pose, b, &Pose::IDENTITY).unwrap().unwrap();
        pose.translation += found.normal * (gap - found.gap);
    }
    pose
}

proptest! {
    #![proptest_config(settings(120))]

    /// The bound of the documentation: 0.4 % of the smaller half thickness, besides what holds without memory.
    #[test]
    fn a_wandering_body_is_told_its_distance_within_the_bound(
        seed in 0_u64..1_000_000, i in 0_usize..6, j in 0_usize..6, gap in -0.005..0.03_f64, pace in 0.0..1.0_f64
    ) {
        let mut random = Random::new(seed);
        let zoo = zoo();
        let ((a, thick_a), (b, thick_b)) = (&zoo[i], &zoo[j]);
        let mut pair = Remembering::new(a, b);
        let mut pose = near(a, b, Pose::new(random.rotation(), random.direction()), gap);
        let thickness = thick_a.min(*thick_b);
        // From far below to far above what is carried over.
        let step = thickness * 1e-5 * libm::pow(1e4, pace);
        for _ in 0..40 {
            let truth = separation(a, &pose, b, &Pose::IDENTITY).unwrap().unwrap().gap;
            let (points, _) = pair.at(&pose, &Pose::IDENTITY);
            if points.is_empty() {
                // 1e-7: how well the distance of two rims is known.
                prop_assert!(truth > MARGIN - 1e-7, "{} without a manifold", truth);
            } else {
                let allowed = 0.004 * thickness + 0.02 * (-truth).max(0.0) + 1e-5;
                let least = least_gap(&points);
                prop_assert!((least - truth).abs() <= allowed, "{} instead of {}, {}", least, truth, allowed);
            }
            pose.translation += random.vector(step);
            let turn = DQuat::from_scaled_axis(random.vector(step));
            pose.rotation = (turn * pose.rotation).normalize();
        }
    }

    /// Anchors of corners are the corners, and planes are planes: no error but rounding.
    #[test]
    fn corners_that_are_carried_over_have_their_exact_heights(
        turn in prop::array::uniform3(-2e-4..2e-4_f64), shift in prop::array::uniform3(-2e-4..2e-4_f64), yaw in 0.0..0.7_f64
    ) {
        let half = DVec3::new(0.5, 0.4, 0.3);
        let cube = Shape::cuboid(half).unwrap();
        let ground = turned(DVec3::new(1.0, 2.0, 3.0), 0.4, DVec3::new(100.0, -20.0, 7.0));
        for below in [Shape::HalfSpace(HalfSpace), Shape::cuboid(DVec3::new(5.0, 5.0, 5.0)).unwrap()] {
            let top = if matches!(below, Shape::Box(_)) { 5.0 } else { 0.0 };
            let mut pair = Remembering::new(&cube, &below);
            let start = turned(DVec3::Y, yaw, DVec3::new(0.3, top + 0.4001, 0.2));
            pair.at(&(ground * start), &ground);
            let moved = Pose::new(
                DQuat::from_scaled_axis(DVec3::from(turn)) * start.rotation,
                start.translation + DVec3::from(shift),
            );
            let (points, carried) = pair.at(&(ground * moved), &ground);
            prop_assert!(carried && points.len() == 4);
            let mut gaps: Vec<f64> = points.iter().map(|p| p.gap).collect();
            let corner = |i: u32| DVec3::new(if i & 1 == 0 { half.x } else { -half.x }, -half.y, if i & 2 == 0 { half.z } else { -half.z });
            let mut truth: Vec<f64> = (0..4).map(|i| moved.transform_point(corner(i)).y - top).collect();
            gaps.sort_by(f64::total_cmp);
            truth.sort_by(f64::total_cmp);
            // Rounding of coordinates about 100.
            prop_assert!(gaps.iter().zip(&truth).all(|(g, t)| (g - t).abs() < 1e-12), "{:?} instead of {:?}", gaps, truth);
        }
    }
}

#[test]
fn what_stands_still_is_carried_over_and_what_moves_on_is_not() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let mut pair = Remembering::new(&cube, &cube);
    let at = |x: f64| turned(DVec3::Y, 0.3, DVec3::new(x, 1.001, 0.1));
    assert!(!pair.at(&at(0.0), &Pose::IDENTITY).1);
    // 0.2 % of half a metre is one millimetre.
    assert!(pair.at(&at(0.0), &Pose::IDENTITY).1);
    assert!(pair.at(&at(0.9e-3), &Pose::IDENTITY).1);
    assert!(!pair.at(&at(1.1e-3), &Pose::IDENTITY).1);
    pair.cache.clear();
    assert!(!pair.at(&at(1.1e-3), &Pose::IDENTITY).1);
}

#[test]
fn both_bodies_together_may_go_anywhere() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let mut pair = Remembering::new(&cube, &cube);
    let (upper, mut random) = (turned(DVec3::Y, 0.3, DVec3::new(0.0, 1.001, 0.1)), Random::new(72));
    let first = pair.at(&upper, &Pose::IDENTITY).0;
    for _ in 0..20 {
        let world = Pose::new(random.rotation(), random.vector(10.0));
        let (points, carried) = pair.at(&(world * upper), &world);
        assert!(carried);
        for (p, q) in points.iter().zip(&first) {
            assert!((p.gap - q.gap).abs() < 1e-13 && p.features == q.features);
            // Rounding of coordinates about 10.
            assert!((p.on_a - world.transform_point(q.on_a)).length() < 1e-13);
        }
    }
}

#[test]
fn bodies_that_are_apart_are_not_looked_at_until_they_could_meet() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let mut pair = Remembering::new(&cube, &cube);
    let at = |gap: f64| Pose::from_translation(DVec3::new(0.0, 1.0 + gap, 0.0));
    assert!(!pair.at(&at(0.5), &Pose::IDENTITY).1);
    // It was 0.5 away and has come nearer by less than 0.48, the distance beyond the margin.
    for gap in [0.4, 0.3, 0.2, 0.1, 0.021] {
        let (points, carried) = pair.at(&at(gap), &Pose::IDENTITY);
        assert!(carried && points.is_empty(), "{gap}");
    }
    assert_eq!(pair.at(&at(0.019), &Pose::IDENTITY).0.len(), 4);
}

#[test]
fn a_restored_cache_goes_on_with_the_same_bits() {
    let zoo = zoo();
    let mut random = Random::new(73);
    for (a, _) in &zoo {
        for (b, _) in &zoo {
            let mut pair = Remembering::new(a, b);
            let mut pose = near(a, b, Pose::new(random.rotation(), random.direction()), 1e-3);
            let mut walk = |pose: &mut Pose| {
                pose.translation += random.vector(1e-4);
                *pose
            };
            for _ in 0..3 {
                pair.at(&walk(&mut pose), &Pose::IDENTITY);
            }
            let mut restored = Remembering::new(a, b);
            let saved = serde_json::to_string(&pair.cache).unwrap();
            restored.cache = serde_json::from_str(&saved).unwrap();
            assert_eq!(restored.cache, pair.cache);
            for _ in 0..10 {
                let next = walk(&mut pose);
                assert_eq!(pair.at(&next, &Pose::IDENTITY), restored.at(&next, &Pose::IDENTITY));
            }
        }
    }
}

#[test]
fn names_do_not_flicker_where_faces_and_edges_are_flush() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    // Row upon row of a pyramid, a tower, and side by side.
    let places = [
        turned(DVec3::Y, 0.0, DVec3::new(0.5, 1.0, 0.0)),
        turned(DVec3::Y, 0.0, DVec3::new(0.0, 1.0, 0.0)),
        turned(DVec3::Y, 0.0, DVec3::new(1.0, 0.0, 0.0)),
    ];
    for place in places {
        let mut pair = Remembering::new(&cube, &cube);
        let mut random = Random::new(74);
        let first = names(&pair.at(&place, &Pose::IDENTITY).0);
        assert_eq!(first.len(), 4);
        let mut found = 0;
        for _ in 0..200 {
            // Every other time far enough that all is looked for again.
            let noise = if random.integer(2) == 0 { 1e-7 } else { 2e-3 };
            let mut pose = place;
            pose.translation += random.vector(noise);
            pose.rotation = DQuat::from_scaled_axis(random.vector(noise)) * pose.rotation;
            let (points, carried) = pair.at(&pose, &Pose::IDENTITY);
            found += usize::from(!carried);
            assert_eq!(names(&points), first, "{place:?}: {pose:?}");
        }
        assert!(found > 50, "{found} of 200 looked for: too few to mean anything");
    }
}

#[test]
fn ids_of_different_names_differ() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let mut random = Random::new(75);
    let mut names = std::collections::BTreeMap::new();
    for _ in 0..2000 {
        let mut pair = Remembering::new(&cube, &cube);
        let pose = near(&cube, &cube, Pose::new(random.rotation(), random.direction()), 1e-3);
        for point in pair.at(&pose, &Pose::IDENTITY).0 {
            names.insert(point.features, point.features.id());
        }
    }
    let mut ids: Vec<u64> = names.values().copied().collect();
    ids.sort_unstable();
    ids.dedup();
    assert!(names.len() > 100, "{} names: too few to mean anything", names.len());
    assert_eq!(ids.len(), names.len());
}
