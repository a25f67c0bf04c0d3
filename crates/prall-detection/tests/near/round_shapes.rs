//! Balls, capsules, half-spaces, cylinders and cones against closed forms.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use prall_detection::{Boundary, NearKind, Workspace, distance_bound};
use prall_geometry::{Compound, HalfSpace, Shape};
use prall_math::Pose;

use crate::bodies::{any_body, at, features, placed, segments, slow_distance, smallest_gap};
use crate::random::Random;

fn bound(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    let (a, b) = (Boundary::new(a).unwrap(), Boundary::new(b).unwrap());
    distance_bound(&a, pose_a, &b, pose_b, 10.0, &mut Workspace::new()).unwrap()
}

fn any_pose(random: &mut Random) -> Pose {
    Pose::new(random.rotation(), random.vector(1.5))
}

#[test]
fn balls_and_capsules_have_the_distance_of_their_cores() {
    let mut random = Random::new(91);
    for case in 0..2_000 {
        let mut core = || {
            let (half, radius) = (random.between(0.0, 0.8), random.between(0.05, 0.3));
            let half = if random.chance(0.3) { 0.0 } else { half };
            (half, radius, any_pose(&mut random))
        };
        let (p, q) = (core(), core());
        let shape = |(half, radius, _): &(f64, f64, Pose)| {
            if *half == 0.0 { Shape::sphere(*radius) } else { Shape::capsule(*half, *radius) }.unwrap()
        };
        let ends = |(half, _, pose): &(f64, f64, Pose)| {
            [-1.0, 1.0].map(|s| pose.transform_point(DVec3::Y * (s * half)))
        };
        let ([a, b], [c, d]) = (ends(&p), ends(&q));
        let cores = match (p.0 == 0.0, q.0 == 0.0) {
            (true, true) => (a - c).length(),
            (true, false) => crate::bodies::point_segment(a, c, d),
            (false, true) => crate::bodies::point_segment(c, a, b),
            (false, false) => segments(a, b, c, d),
        };
        let exact = cores - p.1 - q.1;
        let (answer, found) = features(&shape(&p), &p.2, &shape(&q), &q.2, 0.5);
        let proven = bound(&shape(&p), &p.2, &shape(&q), &q.2);
        assert!(proven <= exact.max(0.0) + 1e-15 && proven >= exact - 1e-9, "case {case}: {proven} {exact}");
        assert!(answer.distance <= exact.max(0.0) + 1e-15, "case {case}");
        if exact < 0.5 {
            let least = smallest_gap(&found);
            assert!((least - exact).abs() < 1e-9, "case {case}: {least} {exact} {found:?}");
            let state = found[0].at(&p.2, &q.2);
            assert!((state.on_a - state.on_b - state.normal * state.gap).length() < 1e-12);
        } else {
            assert!(found.is_empty());
        }
    }
}

#[test]
fn round_shapes_beside_meshes_have_the_distance_of_their_cores() {
    let mut random = Random::new(92);
    let (mut near, mut frozen) = (0, 0);
    for case in 0..1_500 {
        let body = any_body(&mut random);
        let (half, radius) = (0.3, random.between(0.05, 0.3));
        let ball = random.chance(0.5);
        let shape = if ball { Shape::sphere(radius) } else { Shape::capsule(half, radius) }.unwrap();
        let (pose, other) = (any_pose(&mut random), any_pose(&mut random));
        let up = DVec3::Y * if ball { 1e-13 } else { half };
        // A needle stands for the core.
        let core = placed(&[[-up, up, DVec3::X * 1e-13]], &pose);
        let exact = slow_distance(&core, &placed(&body.triangles, &other)) - radius;
        let (answer, found) = features(&shape, &pose, &body.shape, &other, 0.6);
        assert!(answer.distance <= exact.max(0.0) + 1e-12, "case {case}");
        if exact < 0.6 - 1e-9 && exact > 0.0 {
            near += 1;
            let least = smallest_gap(&found);
            assert!((least - exact).abs() < 1e-9, "case {case}: {least} {exact} {found:?}");
            frozen += found.iter().filter(|feature| feature.kind == NearKind::Frozen).count();
        }
    }
    assert!(near > 100 && frozen < near / 20, "few but nearly parallel edges are frozen: {frozen} of {near}");
}

#[test]
fn a_ball_on_a_face_a_ridge_and_a_corner_of_a_box() {
    let (ball, cube) = (Shape::sphere(0.5).unwrap(), Shape::cuboid(DVec3::splat(1.0)).unwrap());
    let diagonal =
        |v: DVec3| Pose::from_translation(DVec3::new(1.0, 1.0, 1.0) * v.signum() + v.normalize() * 0.51);
    let on_ridge =
        Pose::from_translation(DVec3::new(1.0, 1.0, 0.0) + DVec3::new(1.0, 1.0, 0.0).normalize() * 0.51);
    for (pose, kind) in [
        (at(0.2, 1.51, 0.3), NearKind::VertexFace),
        (on_ridge, NearKind::PointEdge),
        (diagonal(DVec3::ONE), NearKind::PointPoint),
    ] {
        let (answer, found) = features(&ball, &pose, &cube, &Pose::IDENTITY, 0.02);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].kind, kind);
        assert!((found[0].gap - 0.01).abs() < 1e-12 && (answer.distance - 0.01).abs() < 1e-9);
        let swapped = features(&cube, &Pose::IDENTITY, &ball, &pose, 0.02).1;
        assert!(swapped.len() == 1 && (swapped[0].gap - 0.01).abs() < 1e-12, "{swapped:?}");
    }
}

#[test]
fn a_half_space_meets_the_lowest_vertices() {
    let mut random = Random::new(93);
    let ground = Shape::HalfSpace(HalfSpace);
    for case in 0..500 {
        let body = any_body(&mut random);
        let tilted = any_pose(&mut random);
        let normal = tilted.transform_vector(DVec3::Y);
        let turn = random.rotation();
        let lowest = |pose: &Pose| {
            let heights = placed(&body.triangles, pose).into_iter().flatten();
            heights.map(|p| normal.dot(p - tilted.translation)).fold(f64::INFINITY, f64::min)
        };
        let pose = Pose::new(turn, random.vector(1.0));
        let pose = Pose::new(turn, pose.translation + normal * (1e-3 - lowest(&pose)));
        let exact = lowest(&pose);
        for swap in [false, true] {
            let (answer, found) = if swap {
                features(&ground, &tilted, &body.shape, &pose, 2e-3)
            } else {
                features(&body.shape, &pose, &ground, &tilted, 2e-3)
            };
            assert!((smallest_gap(&found) - exact).abs() < 1e-13, "case {case}: {found:?}");
            assert!(answer.distance <= exact && answer.distance > exact - 1e-12);
            for feature in &found {
                let state = if swap { feature.at(&tilted, &pose) } else { feature.at(&pose, &tilted) };
                let up = if swap { -normal } else { normal };
                assert!((state.normal - up).length() < 1e-14 && state.on_features);
                assert!((state.gap - feature.gap).abs() < 1e-14);
            }
        }
        let proven = bound(&body.shape, &pose, &ground, &tilted);
        assert!(proven <= exact && proven > exact - 1e-12);
    }
    let ball = Shape::sphere(0.3).unwrap();
    let (answer, found) = features(&ball, &at(0.0, 0.301, 0.0), &ground, &Pose::IDENTITY, 2e-3);
    assert!(found.len() == 1 && (found[0].gap - 1e-3).abs() < 1e-15 && answer.distance > 1e-3 - 1e-12);
    let capsule = Shape::capsule(0.5, 0.3).unwrap();
    let lying = Pose::new(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), DVec3::Y * 0.301);
    assert_eq!(features(&capsule, &lying, &ground, &Pose::IDENTITY, 2e-3).1.len(), 2);
}

#[test]
fn a_cylinder_or_cone_stands_on_points_of_its_rim_and_its_bound_is_not_too_large() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    for shape in [Shape::cylinder(0.5, 0.2).unwrap(), Shape::cone(0.5, 0.2).unwrap()] {
        let (answer, found) = features(&shape, &at(0.0, 1.001, 0.0), &cube, &Pose::IDENTITY, 2e-3);
        assert!(found.len() >= 3, "{found:?}");
        let mut names: Vec<u64> = found.iter().map(|feature| feature.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), found.len());
        for feature in &found {
            assert_eq!(feature.kind, NearKind::VertexFace);
            assert!((feature.gap - 1e-3).abs() < 1e-12, "{feature:?}");
        }
        assert!(answer.distance <= 1e-3 && answer.distance > 1e-3 - 1e-7, "{answer:?}");
        let ground = Shape::HalfSpace(HalfSpace);
        let above = bound(&shape, &at(0.0, 0.501, 0.0), &ground, &Pose::IDENTITY);
        assert!(above <= 1e-3 && above > 1e-3 - 1e-12, "{above}");
        // Far away the spheres around them are enough.
        assert!(bound(&shape, &at(0.0, 5.0, 0.0), &cube, &Pose::IDENTITY) > 3.0);
    }
}

#[test]
fn children_of_a_compound_are_met_in_their_poses_with_names_of_their_own() {
    let child = Shape::cuboid(DVec3::splat(0.1)).unwrap();
    let ball = Shape::sphere(0.1).unwrap();
    let children =
        vec![(at(-0.5, 0.0, 0.0), child.clone()), (at(0.0, 0.0, 0.0), ball), (at(0.5, 0.0, 0.0), child)];
    let compound = Shape::Compound(Arc::new(Compound::new(children).unwrap()));
    let table = Shape::cuboid(DVec3::new(1.0, 0.5, 1.0)).unwrap();
    let (answer, found) = features(&compound, &at(0.0, 0.601, 0.0), &table, &Pose::IDENTITY, 2e-3);
    assert_eq!(found.len(), 9, "{found:?}");
    let mut names: Vec<u64> = found.iter().map(|feature| feature.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 9);
    assert!(found.iter().all(|feature| (feature.gap - 1e-3).abs() < 1e-12), "{found:?}");
    assert!((answer.distance - 1e-3).abs() < 1e-9);
    let boundary = Boundary::new(&compound).unwrap();
    assert!(!boundary.is_polyhedral() && !boundary.has_surface());
}
