//! Distance and depth of convex pairs against brute force.

use std::sync::Arc;

use glam::DVec3;
use prall_detection::separation;
use prall_geometry::Shape;
use prall_math::Pose;

use crate::oracle::{Polyhedron, at, contacts, least_gap, random_hull, random_pose, turned};
use crate::random::Random;

fn hull_shape(hull: &prall_geometry::ConvexHull) -> Shape {
    Shape::ConvexHull(Arc::new(hull.clone()))
}

/// Shapes of every bounded convex kind, about half a metre large.
fn every_kind(random: &mut Random) -> Vec<Shape> {
    vec![
        Shape::sphere(random.between(0.1, 0.5)).unwrap(),
        Shape::cuboid(random.vector(0.2).abs() + DVec3::splat(0.1)).unwrap(),
        Shape::capsule(random.between(0.1, 0.4), random.between(0.1, 0.3)).unwrap(),
        Shape::cylinder(random.between(0.1, 0.4), random.between(0.1, 0.4)).unwrap(),
        Shape::cone(random.between(0.1, 0.4), random.between(0.1, 0.4)).unwrap(),
        hull_shape(&random_hull(random, 12, 0.4)),
    ]
}

#[test]
fn the_distance_of_hulls_is_that_of_their_nearest_triangles() {
    let mut random = Random::new(1);
    let mut apart = 0;
    for _ in 0..400 {
        let corners = 4 + random.integer(20) as usize;
        let (a, b) = (random_hull(&mut random, corners, 1.0), random_hull(&mut random, 10, 0.6));
        let (p, q) = (random_pose(&mut random, 1.5), random_pose(&mut random, 1.5));
        let truth = Polyhedron::new(&a, &p).distance(&Polyhedron::new(&b, &q));
        let found = separation(&hull_shape(&a), &p, &hull_shape(&b), &q).unwrap().unwrap();
        if truth > 0.0 {
            apart += 1;
            // The distance of triangles is good to 1e-10 of their size.
            assert!((found.gap - truth).abs() < 1e-9, "{} instead of {truth}", found.gap);
            assert!(found.lower <= truth + 1e-12 && found.gap - found.lower < 1e-12, "{found:?}");
        } else {
            assert!(found.gap <= 1e-12, "{found:?}");
        }
    }
    assert!(apart > 100, "{apart} of 400 were apart: too few to mean anything");
}

#[test]
fn the_depth_of_hulls_is_the_least_over_all_faces_and_edge_pairs() {
    let mut random = Random::new(2);
    let mut deep = 0;
    for _ in 0..400 {
        let corners = 4 + random.integer(12) as usize;
        let (a, b) = (random_hull(&mut random, corners, 1.0), random_hull(&mut random, 8, 0.6));
        let (p, q) = (random_pose(&mut random, 0.5), random_pose(&mut random, 0.5));
        let truth = Polyhedron::new(&a, &p).best_separation(&Polyhedron::new(&b, &q));
        let found = separation(&hull_shape(&a), &p, &hull_shape(&b), &q).unwrap().unwrap();
        if truth < 0.0 {
            deep += 1;
            assert!((found.gap - truth).abs() < 1e-10, "{} instead of {truth}", found.gap);
            assert!((found.lower - truth).abs() < 1e-10, "{} instead of {truth}", found.lower);
        }
    }
    assert!(deep > 200, "{deep} of 400 overlap: too few to mean anything");
}

#[test]
fn no_direction_separates_overlapping_shapes_with_less_than_their_depth() {
    let mut random = Random::new(3);
    for _ in 0..12 {
        let (all, others) = (every_kind(&mut random), every_kind(&mut random));
        for (a, b) in all.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
            let (p, q) = (random_pose(&mut random, 0.15), random_pose(&mut random, 0.15));
            let found = separation(a, &p, b, &q).unwrap().unwrap();
            let reach = |shape: &Shape, pose: &Pose, d: DVec3| {
                let local = shape.support(pose.inverse_transform_vector(d)).unwrap();
                d.dot(pose.transform_point(local))
            };
            let along = |n: DVec3| -reach(a, &p, -n) - reach(b, &q, n);
            // Proven: the shapes are this far apart along the normal. 1e-12: rounding of coordinates near 1.
            assert!(along(found.normal) >= found.lower - 1e-12, "{a:?} {b:?} {found:?}");
            for _ in 0..200 {
                let direction = random.direction();
                assert!(along(direction) <= found.gap + 1e-9, "{a:?} {b:?} {found:?}");
            }
        }
    }
}

#[test]
fn bounds_of_the_gap_agree_for_all_shapes_and_their_points_lie_on_them() {
    let mut random = Random::new(4);
    let mut worst_overlap = 0.0_f64;
    for _ in 0..20 {
        let (all, others) = (every_kind(&mut random), every_kind(&mut random));
        for (a, b) in all.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
            let (p, q) = (random_pose(&mut random, 0.7), random_pose(&mut random, 0.7));
            let found = separation(a, &p, b, &q).unwrap().unwrap();
            let curved = |s: &Shape| matches!(s, Shape::Cylinder(_) | Shape::Cone(_));
            let round = curved(a) || curved(b);
            if found.gap > 0.0 || !round {
                // The direction between two rims is known to half of the digits.
                let allowed = if round { 1e-8 } else { 1e-12 };
                assert!(found.gap - found.lower < allowed, "{a:?} {b:?} {found:?}");
            } else {
                worst_overlap = worst_overlap.max(found.gap - found.lower);
            }
            if found.gap > 0.0 {
                for (shape, pose, point) in [(a, &p, found.on_a), (b, &q, found.on_b)] {
                    let off = shape.closest_point(pose.inverse_transform_point(point)).distance;
                    assert!(off.abs() < 1e-9, "{off} off {shape:?}");
                }
            }
        }
    }
    // What the documentation of `Separation::lower` says of round shapes that overlap: 1e-5 of their size.
    assert!(worst_overlap < 1e-5, "{worst_overlap}");
}

#[test]
fn the_smallest_gap_of_a_manifold_is_the_distance_or_the_depth() {
    let mut random = Random::new(5);
    for _ in 0..20 {
        let (all, others) = (every_kind(&mut random), every_kind(&mut random));
        for (a, b) in all.iter().flat_map(|a| others.iter().map(move |b| (a, b))) {
            let (p, q) = (random_pose(&mut random, 0.6), random_pose(&mut random, 0.6));
            let truth = separation(a, &p, b, &q).unwrap().unwrap().gap;
            let points = contacts(a, &p, b, &q, 0.3);
            let least = least_gap(&points);
            if truth > 0.3 {
                assert!(points.is_empty());
            } else {
                // Faces are preferred if they are worse by up to 2 % of the depth.
                let allowed = 0.02 * (-truth).max(0.0) + 1e-5;
                assert!(
                    (least - truth).abs() <= allowed,
                    "{least} instead of {truth}: {a:?} {b:?} {p:?} {q:?}"
                );
            }
            assert!(points.len() <= 4);
            assert!(points.iter().all(|point| point.normal == points[0].normal));
        }
    }
}

#[test]
fn boxes_agree_with_the_same_boxes_as_hulls() {
    let mut random = Random::new(6);
    for _ in 0..500 {
        let halves =
            [random.vector(0.3).abs() + DVec3::splat(0.05), random.vector(0.3).abs() + DVec3::splat(0.05)];
        let boxes = halves.map(|half| Shape::cuboid(half).unwrap());
        let hulls = halves.map(|half| {
            let corners = prall_geometry::Aabb::from_center(DVec3::ZERO, half).corners();
            hull_shape(&prall_geometry::ConvexHull::from_points(&corners).unwrap())
        });
        let (p, q) = (random_pose(&mut random, 0.4), random_pose(&mut random, 0.4));
        let from_boxes = contacts(&boxes[0], &p, &boxes[1], &q, 0.2);
        let from_hulls = contacts(&hulls[0], &p, &hulls[1], &q, 0.2);
        assert_eq!(from_boxes.is_empty(), from_hulls.is_empty());
        if !from_boxes.is_empty() {
            let (s, t) = (least_gap(&from_boxes), least_gap(&from_hulls));
            assert!((s - t).abs() <= 0.02 * s.abs().max(t.abs()) + 1e-12, "{s} and {t}");
        }
    }
}

#[test]
fn touching_faces_have_the_normal_of_the_face_whatever_the_rounding() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    for gap in [0.0, 1e-16, -1e-16, 1e-14, -1e-14, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6] {
        for turn in [0.0, 0.3, std::f64::consts::FRAC_PI_4] {
            let upper = turned(DVec3::Y, turn, DVec3::new(0.1, 1.0 + gap, -0.2));
            let hull = hull_shape(
                &prall_geometry::ConvexHull::from_points(
                    &prall_geometry::Aabb::from_center(DVec3::ZERO, DVec3::splat(0.5)).corners(),
                )
                .unwrap(),
            );
            for (a, b) in [(&cube, &cube), (&hull, &cube), (&cube, &hull), (&hull, &hull)] {
                let points = contacts(a, &upper, b, &at(0.0, 0.0, 0.0), 0.01);
                assert_eq!(points.len(), 4, "gap {gap}, turn {turn}");
                assert!(
                    points.iter().all(|p| (p.normal - DVec3::Y).length() < 1e-12),
                    "gap {gap}: {points:?}"
                );
                assert!((least_gap(&points) - gap).abs() < 1e-12);
            }
        }
    }
}
