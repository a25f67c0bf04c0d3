//! What is no question gets no answer: every query names what is wrong with it, and none calls it free.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use prall_detection::volumes::{
    Expansion, IsoBoxAgainstBox, TestCounts, Volume, VolumeKind, VolumeTree, tree_overlaps, volumes_overlap,
};
use prall_detection::{
    Batch, Budget, DistanceOptions, ImpactOptions, Interpolation, Path, PathQuery, PlacedBodies, QueryError,
    Waypoint, Workspace, all_overlaps, distance, overlap, time_of_impact,
};
use prall_geometry::{Aabb, BoundingSphere};
use prall_math::{Motion, MotionLaw, Pose};

use crate::bodies::hierarchy;
use crate::meshes;
use crate::parts;

/// Poses that are no rigid placements: not numbers, out of this world, mirrored or scaled.
fn bad_poses() -> Vec<Pose> {
    let translations = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e16, 1e300];
    let rotations = [
        DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0),
        DQuat::from_xyzw(0.0, 0.0, 0.0, f64::INFINITY),
        DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0),
        DQuat::from_xyzw(0.0, 0.0, 0.0, 1.001),
        DQuat::from_xyzw(1.0, 1.0, 0.0, 0.0),
    ];
    (0..3)
        .flat_map(|axis| translations.map(|x| Pose::from_translation(DVec3::AXES[axis] * x)))
        .chain(rotations.map(Pose::from_rotation))
        .collect()
}

fn blames<T: std::fmt::Debug>(answer: &Result<T, QueryError>, culprit: &str) -> bool {
    matches!(answer, Err(QueryError::Pose { body, .. }) if *body == culprit)
}

#[test]
fn a_body_without_a_place_is_named_by_every_query_at_an_instant() {
    let body = hierarchy(&meshes::bumpy_sphere(1.0, 200));
    let (good, options) = (Pose::IDENTITY, DistanceOptions::default());
    let mut workspace = Workspace::new();
    for bad in bad_poses() {
        for (at_a, at_b, culprit) in [(&bad, &good, "A"), (&good, &bad, "B"), (&bad, &bad, "A")] {
            let first = overlap(&body, at_a, &body, at_b, &mut workspace);
            assert!(blames(&first, culprit), "{bad:?}: {first:?}");
            let all = all_overlaps(&body, at_a, &body, at_b, &mut workspace, &mut Vec::new());
            assert!(blames(&all, culprit), "{bad:?}: {all:?}");
            let near = distance(&body, at_a, &body, at_b, &options, &mut workspace);
            assert!(blames(&near, culprit), "{bad:?}: {near:?}");
        }
    }
}

#[test]
fn a_refusal_says_what_was_wrong_and_what_would_be_right() {
    let body = hierarchy(&parts::block(DVec3::ONE));
    let lost = Pose::from_translation(DVec3::X * f64::NAN);
    let refused = overlap(&body, &Pose::IDENTITY, &body, &lost, &mut Workspace::new()).unwrap_err();
    let text = refused.to_string();
    assert!(text.contains("body B") && text.contains("NaN") && text.contains("must be finite"), "{text}");
}

#[test]
fn a_batch_answers_the_good_questions_and_refuses_the_bad_ones() {
    let body = hierarchy(&parts::block(DVec3::ONE));
    let at = |x: f64| PlacedBodies {
        a: &body,
        pose_a: Pose::IDENTITY,
        b: &body,
        pose_b: Pose::from_translation(DVec3::X * x),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    let answers = Batch::new(&pool).overlap(&[at(1.0), at(f64::NAN), at(5.0)]);
    assert!(matches!(answers[0], Ok(Some(_))) && blames(&answers[1], "B") && answers[2] == Ok(None));
}

#[test]
fn limits_that_are_no_numbers_are_refused() {
    let body = hierarchy(&parts::block(DVec3::ONE));
    let here = Pose::IDENTITY;
    let options = DistanceOptions { within: f64::NAN, ..DistanceOptions::default() };
    let near = distance(&body, &here, &body, &here, &options, &mut Workspace::new());
    assert!(matches!(near, Err(QueryError::Option { .. })), "{near:?}");
    for accuracy in [f64::NAN, -0.1, 1.0] {
        let options = DistanceOptions { accuracy, ..DistanceOptions::default() };
        let near = distance(&body, &here, &body, &here, &options, &mut Workspace::new());
        assert!(matches!(near, Err(QueryError::Option { .. })), "{near:?}");
    }
    let waypoints = [0.0, 1.0].map(|time| Waypoint { time, pose: Pose::from_translation(DVec3::X * time) });
    let path = Path::new(&waypoints, Interpolation::Slerp).expect("a path");
    let query = PathQuery { part: &body, path: &path, obstacles: &[&body] };
    for (until, accuracy) in [(f64::NAN, 0.01), (1.0, f64::NAN)] {
        let answer =
            query.smallest_clearance(until, accuracy, &mut Budget::unlimited(), &mut Workspace::new());
        assert!(matches!(answer, Err(QueryError::Option { .. })), "{answer:?}");
    }
}

#[test]
fn a_nearest_pair_of_another_body_does_no_harm() {
    let body = hierarchy(&parts::block(DVec3::ONE));
    let far = Pose::from_translation(DVec3::X * 5.0);
    let options = DistanceOptions { last: Some((7, u32::MAX)), ..DistanceOptions::default() };
    let near = distance(&body, &Pose::IDENTITY, &body, &far, &options, &mut Workspace::new());
    assert_eq!(near.expect("sound poses").expect("no limit").gap, 3.0);
}

/// A law whose pose is lost on the way, while its bounds say that all is well.
struct Lost;

impl MotionLaw for Lost {
    fn pose(&self, t: f64) -> Pose {
        let x = if 0.0 < t && t < 1.0 { f64::NAN } else { t };
        Pose::from_translation(DVec3::X * x)
    }

    fn speed_bound(&self, _t0: f64, _t1: f64) -> f64 {
        1.0
    }

    fn angular_speed_bound(&self, _t0: f64, _t1: f64) -> f64 {
        0.0
    }
}

#[test]
fn a_motion_that_loses_its_body_is_not_called_free() {
    let body = hierarchy(&parts::block(DVec3::splat(0.1)));
    let lost = Motion::law(Arc::new(Lost)).expect("its ends and bounds are sound");
    // The bodies are 0.3 m apart, the law may go 1 m: it must be looked at on the way.
    let rest = Motion::still(Pose::from_translation(DVec3::X * 0.5)).expect("a pose");
    for swapped in [false, true] {
        let (first, second) = if swapped { (&rest, &lost) } else { (&lost, &rest) };
        let (options, mut workspace) = (ImpactOptions::default(), Workspace::new());
        let mut budget = Budget::of_work(100_000);
        let answer = time_of_impact(&body, first, &body, second, &options, &mut budget, &mut workspace);
        let answer = answer.expect("the law has bounds");
        assert!(answer.contact.is_some() || !answer.finished, "{answer:?}");
        assert!(answer.free_until < 0.31, "{answer:?}");
    }
}

#[test]
fn trees_for_comparison_refuse_what_the_hierarchy_refuses() {
    let mesh = meshes::bumpy_sphere(1.0, 100);
    let (variant, here) = (IsoBoxAgainstBox::FifteenAxes, Pose::IDENTITY);
    for kind in [VolumeKind::Sphere, VolumeKind::IsoBox, VolumeKind::Box] {
        let tree = VolumeTree::build(&mesh, kind, 1).expect("a tree");
        for bad in bad_poses() {
            let mut counts = TestCounts::default();
            let found = tree_overlaps(&tree, &here, &tree, &bad, Expansion::OneSided, variant, &mut counts);
            assert!(blames(&found, "B"), "{kind:?} {bad:?}: {found:?}");
        }
    }
}

#[test]
fn volumes_are_not_proven_apart_without_numbers() {
    let here = Pose::IDENTITY;
    let unit = Aabb::from_center(DVec3::ZERO, DVec3::ONE);
    let volumes = [
        Volume::Sphere(BoundingSphere { center: DVec3::ZERO, radius: 1.0 }),
        Volume::IsoBox(unit),
        Volume::Box(Volume::IsoBox(unit).oriented()),
    ];
    let nowhere = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| Pose::from_translation(axis * f64::NAN));
    for (first, second) in volumes.iter().flat_map(|first| volumes.iter().map(move |second| (first, second)))
    {
        for at in nowhere {
            for variant in [IsoBoxAgainstBox::Reboxing, IsoBoxAgainstBox::FifteenAxes] {
                assert!(volumes_overlap(first, &here, second, &at, variant), "{first:?} {second:?} {at:?}");
                assert!(volumes_overlap(first, &at, second, &here, variant), "{first:?} {second:?} {at:?}");
            }
        }
    }
}
