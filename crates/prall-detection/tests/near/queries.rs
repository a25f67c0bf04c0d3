//! The queries themselves: what they refuse, that their order is fixed, and which pairs of triangles they see.

use std::collections::BTreeSet;

use glam::{DQuat, DVec3};
use prall_detection::{
    Boundary, BuildOptions, Hierarchy, NearOptions, QueryError, Workspace, all_near, distance_bound,
    near_features, triangle_distance,
};
use prall_geometry::{Mesh, MeshOptions, Shape, generate};
use prall_math::Pose;

use crate::bodies::{any_body, features, near_poses, placed};
use crate::random::Random;

#[test]
fn all_near_leaves_out_no_pair_of_triangles_within_reach() {
    let mut random = Random::new(121);
    let mut workspace = Workspace::new();
    for case in 0..300 {
        let (a, b) = (any_body(&mut random), any_body(&mut random));
        let reach = 0.5 / f64::from(1 << random.integer(10));
        let Some((pose_a, pose_b)) = near_poses(&mut random, &a, &b, 0.5 * reach) else { continue };
        let build = |t: &[[DVec3; 3]]| Hierarchy::build(t, &BuildOptions::default()).unwrap();
        let (p, q) = (build(&a.triangles), build(&b.triangles));
        let mut found = BTreeSet::new();
        all_near(&p, &pose_a, &q, &pose_b, reach, &mut workspace, |i, j| {
            assert!(found.insert((i, j)), "no pair twice");
            true
        })
        .unwrap();
        let (world_a, world_b) = (placed(&a.triangles, &pose_a), placed(&b.triangles, &pose_b));
        for (i, s) in world_a.iter().enumerate() {
            for (j, t) in world_b.iter().enumerate() {
                let near = triangle_distance(s, t).distance() <= reach;
                assert!(!near || found.contains(&(i as u32, j as u32)), "case {case}: {i} {j}");
            }
        }
        let mut count = 0;
        all_near(&p, &pose_a, &q, &pose_b, reach, &mut workspace, |_, _| {
            count += 1;
            false
        })
        .unwrap();
        assert_eq!(count, 1, "the search ends when it is told to");
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_is_appended() {
    let cube = Boundary::new(&Shape::cuboid(DVec3::ONE).unwrap()).unwrap();
    let mut workspace = Workspace::new();
    let bad = Pose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0), translation: DVec3::ZERO };
    let mut found = Vec::new();
    let mut ask = |pose: &Pose, options: NearOptions| {
        near_features(&cube, pose, &cube, &Pose::IDENTITY, &options, &mut Workspace::new(), &mut found)
    };
    assert!(matches!(ask(&bad, NearOptions::default()), Err(QueryError::Pose { body: "A", .. })));
    for reach in [f64::NAN, -1.0, f64::INFINITY] {
        let options = NearOptions { reach, ..NearOptions::default() };
        assert!(matches!(ask(&Pose::IDENTITY, options), Err(QueryError::Option { option: "the reach", .. })));
    }
    for slack in [f64::NAN, -1e-3, 4.0] {
        let options = NearOptions { slack, ..NearOptions::default() };
        assert!(matches!(ask(&Pose::IDENTITY, options), Err(QueryError::Option { option: "the slack", .. })));
    }
    assert!(found.is_empty());
    for within in [f64::NAN, -1.0, f64::INFINITY] {
        let refused = distance_bound(&cube, &Pose::IDENTITY, &cube, &Pose::IDENTITY, within, &mut workspace);
        assert!(matches!(refused, Err(QueryError::Option { .. })));
    }
}

#[test]
fn the_same_question_has_the_same_answer_bit_by_bit() {
    let mut random = Random::new(122);
    for _ in 0..50 {
        let (a, b) = (any_body(&mut random), any_body(&mut random));
        let Some((pose_a, pose_b)) = near_poses(&mut random, &a, &b, 1e-3) else { continue };
        let ask = || features(&a.shape, &pose_a, &b.shape, &pose_b, 0.05);
        assert_eq!(ask(), ask());
    }
}

#[test]
fn overlapping_bodies_have_no_distance_and_still_a_feature() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let pose = Pose::new(DQuat::from_rotation_x(0.4), DVec3::new(0.3, 1.2, 0.1));
    let (answer, found) = features(&cube, &pose, &cube, &Pose::IDENTITY, 1e-3);
    assert_eq!(answer.distance, 0.0);
    assert!(!found.is_empty());
}

#[test]
fn near_features_allocate_nothing_after_the_first() {
    let mesh = |soup| {
        let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
        let mesh = prall_geometry::TriangleMesh::new(std::sync::Arc::new(mesh)).unwrap();
        Boundary::new(&Shape::TriangleMesh(std::sync::Arc::new(mesh))).unwrap()
    };
    let ring = mesh(generate::torus(0.02, 0.005, 24, 16).unwrap());
    let cube = Boundary::new(&Shape::cuboid(DVec3::splat(0.5)).unwrap()).unwrap();
    let cylinder = Boundary::new(&Shape::cylinder(0.5, 0.2).unwrap()).unwrap();
    let on_top = Pose::from_translation(DVec3::Y * 1.001);
    let turn = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let hanging = Pose::new(turn, DVec3::X * 0.0298);
    let (mut workspace, mut found) = (Workspace::new(), Vec::new());
    let options = NearOptions { reach: 2e-3, ..NearOptions::default() };
    let mut run = || {
        for (a, pose, b) in [(&ring, &hanging, &ring), (&cube, &on_top, &cube), (&cylinder, &on_top, &cube)] {
            found.clear();
            let b_pose = &Pose::IDENTITY;
            near_features(a, pose, b, b_pose, &options, &mut workspace, &mut found).unwrap();
            assert!(!found.is_empty());
            distance_bound(a, pose, b, b_pose, 0.1, &mut workspace).unwrap();
        }
    };
    run();
    assert_eq!(allocation_counter::measure(run).count_total, 0);
}
