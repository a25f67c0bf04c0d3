//! Overlap and distance of bodies at rest against all pairs of their triangles.

use glam::{DQuat, DVec3};
use prall_detection::{BuildOptions, DistanceOptions, Hierarchy, Workspace, all_overlaps, distance, overlap};
use prall_math::Pose;

use crate::bodies::{body, hierarchy, placed, pose, slow_distance, slow_overlaps};
use crate::parts;
use crate::random::Random;

/// Rounding of a body of metre size that is placed in two different ways.
const PLACEMENT_ROUNDING: f64 = 1e-14;

/// What nearly parallel edges may add to a distance (see `triangle_distance`).
const DISTANCE_ROUNDING: f64 = 1e-10;

#[test]
fn overlaps_are_those_that_all_pairs_have() {
    let mut random = Random::new(11);
    let mut workspace = Workspace::new();
    let mut both = [0; 2];
    for leaf_size in [1, 2, 4, 8].into_iter().cycle().take(400) {
        let (mesh_a, mesh_b) = (body(&mut random), body(&mut random));
        let options = BuildOptions { leaf_size };
        let a = Hierarchy::build(&mesh_a, &options).expect("a body");
        let b = Hierarchy::build(&mesh_b, &options).expect("a body");
        // B at the origin: placing A in the world and placing it in B's frame are then the same operation.
        let (at_a, at_b) = (pose(&mut random, 0.8), Pose::IDENTITY);
        let mut found = Vec::new();
        all_overlaps(&a, &at_a, &b, &at_b, &mut workspace, &mut found).expect("sound poses");
        found.sort_unstable();
        let rotation = at_a.rotation_matrix();
        let in_world: Vec<_> = mesh_a.iter().map(|t| t.map(|p| rotation * p + at_a.translation)).collect();
        assert_eq!(found, slow_overlaps(&in_world, &mesh_b));
        let first = overlap(&a, &at_a, &b, &at_b, &mut workspace).expect("sound poses");
        assert_eq!(first.is_some(), !found.is_empty());
        assert!(first.is_none_or(|pair| found.contains(&pair)));
        both[usize::from(first.is_some())] += 1;
    }
    assert!(both[0] > 50 && both[1] > 50, "both answers occur: {both:?}");
}

#[test]
fn distances_are_those_of_the_nearest_pair() {
    let mut random = Random::new(12);
    let mut workspace = Workspace::new();
    for _ in 0..300 {
        let (mesh_a, mesh_b) = (body(&mut random), body(&mut random));
        let (a, b) = (hierarchy(&mesh_a), hierarchy(&mesh_b));
        let (at_a, at_b) = (pose(&mut random, 1.5), pose(&mut random, 1.5));
        let expected = slow_distance(&placed(&mesh_a, &at_a), &placed(&mesh_b, &at_b));
        let options = DistanceOptions::default();
        let near =
            distance(&a, &at_a, &b, &at_b, &options, &mut workspace).expect("sound poses").expect("no limit");
        assert!((near.gap - expected).abs() <= DISTANCE_ROUNDING, "{} and {expected}", near.gap);
        if near.gap > 0.0 {
            let connection = near.on_a - near.on_b;
            assert!((connection.length() - near.gap).abs() <= PLACEMENT_ROUNDING);
            assert!(connection.distance(near.normal * near.gap) <= PLACEMENT_ROUNDING);
        }
        let last = near.features.on_a.triangle().zip(near.features.on_b.triangle());
        for last in [last, Some((0, 0)), Some((u32::MAX, 7))] {
            let options = DistanceOptions { last, ..DistanceOptions::default() };
            let again = distance(&a, &at_a, &b, &at_b, &options, &mut workspace)
                .expect("sound poses")
                .expect("no limit");
            assert_eq!(again.gap, near.gap, "a remembered pair changes the distance");
        }
        let beyond = DistanceOptions { within: 0.99 * near.gap, ..DistanceOptions::default() };
        if near.gap > 0.0 {
            assert!(distance(&a, &at_a, &b, &at_b, &beyond, &mut workspace).expect("sound poses").is_none());
        }
    }
}

#[test]
fn distance_stays_when_the_world_is_moved_away_or_the_bodies_change_names() {
    let mut random = Random::new(13);
    let mut workspace = Workspace::new();
    for _ in 0..60 {
        let (a, b) = (hierarchy(&body(&mut random)), hierarchy(&body(&mut random)));
        let (at_a, at_b) = (pose(&mut random, 1.5), pose(&mut random, 1.5));
        let away = Pose::new(DQuat::from_rotation_y(0.4), DVec3::new(1000.0, -300.0, 20.0));
        let options = DistanceOptions::default();
        let gap = |a: &Hierarchy, at_a: Pose, b: &Hierarchy, at_b: Pose, workspace: &mut Workspace| {
            distance(a, &at_a, b, &at_b, &options, workspace).expect("sound poses").expect("no limit").gap
        };
        let here = gap(&a, at_a, &b, at_b, &mut workspace);
        let there = gap(&a, away * at_a, &b, away * at_b, &mut workspace);
        let swapped = gap(&b, at_b, &a, at_a, &mut workspace);
        // A kilometre away coordinates have a resolution of 1e-13 m.
        assert!((here - there).abs() < 1e-11 + DISTANCE_ROUNDING, "{here} {there}");
        assert!((here - swapped).abs() < DISTANCE_ROUNDING, "{here} {swapped}");
    }
}

#[test]
fn a_distance_of_less_accuracy_is_too_large_by_no_more_than_that() {
    let mut random = Random::new(16);
    let mut workspace = Workspace::new();
    let mut apart = 0;
    for _ in 0..200 {
        let (a, b) = (hierarchy(&body(&mut random)), hierarchy(&body(&mut random)));
        let (at_a, at_b) = (pose(&mut random, 1.5), pose(&mut random, 1.5));
        let mut gap = |accuracy: f64| {
            let options = DistanceOptions { accuracy, ..DistanceOptions::default() };
            distance(&a, &at_a, &b, &at_b, &options, &mut workspace)
                .expect("sound poses")
                .expect("no limit")
                .gap
        };
        let exact = gap(0.0);
        apart += usize::from(exact > 0.0);
        for accuracy in [0.01, 0.5] {
            let rough = gap(accuracy);
            assert!(
                exact - DISTANCE_ROUNDING <= rough && rough * (1.0 - accuracy) <= exact + DISTANCE_ROUNDING
            );
            assert_eq!(rough == 0.0, exact == 0.0, "an overlap is never missed");
        }
    }
    assert!(apart > 20, "{apart}");
}

#[test]
fn splitting_triangles_in_four_or_changing_units_changes_no_distance() {
    let mut random = Random::new(14);
    let mut workspace = Workspace::new();
    for _ in 0..40 {
        let (mesh_a, mesh_b) = (body(&mut random), body(&mut random));
        let (at_a, at_b) = (pose(&mut random, 1.5), pose(&mut random, 1.5));
        let options = DistanceOptions::default();
        let mut gap = |a: &[[DVec3; 3]], at_a: Pose, b: &[[DVec3; 3]], at_b: Pose| {
            distance(&hierarchy(a), &at_a, &hierarchy(b), &at_b, &options, &mut workspace)
                .expect("sound poses")
                .expect("no limit")
                .gap
        };
        let whole = gap(&mesh_a, at_a, &mesh_b, at_b);
        let split = gap(&parts::split_in_four(&mesh_a), at_a, &parts::split_in_four(&mesh_b), at_b);
        assert!((whole - split).abs() < DISTANCE_ROUNDING, "{whole} {split}");
        let millimetres =
            |mesh: &[[DVec3; 3]]| mesh.iter().map(|t| t.map(|p| 1000.0 * p)).collect::<Vec<_>>();
        let larger = |pose: Pose| Pose::new(pose.rotation, 1000.0 * pose.translation);
        let scaled = gap(&millimetres(&mesh_a), larger(at_a), &millimetres(&mesh_b), larger(at_b));
        assert!((1000.0 * whole - scaled).abs() < 1000.0 * DISTANCE_ROUNDING, "{whole} {scaled}");
    }
}
