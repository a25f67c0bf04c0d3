//! Thin, tiny, huge, coincident: always an answer, always finite.

use std::sync::Arc;

use glam::DVec3;
use prall_detection::{
    ManifoldCache, ManifoldOptions, Manifolds, QueryError, find_manifolds, find_manifolds_cached, separation,
};
use prall_geometry::{ConvexHull, Shape};
use prall_math::Pose;

use crate::oracle::{at, contacts, least_gap, touchable, turned};
use crate::random::Random;

fn hull(points: &[DVec3]) -> Shape {
    Shape::ConvexHull(Arc::new(ConvexHull::from_points(points).unwrap()))
}

fn odd_shapes() -> Vec<Shape> {
    vec![
        Shape::sphere(1e-6).unwrap(),
        Shape::cuboid(DVec3::new(1.0, 1e-7, 1.0)).unwrap(),
        Shape::cuboid(DVec3::new(1e-6, 1.0, 1e-6)).unwrap(),
        Shape::cuboid(DVec3::splat(500.0)).unwrap(),
        Shape::capsule(0.0, 0.1).unwrap(),
        Shape::capsule(1e3, 1e-5).unwrap(),
        Shape::cylinder(1e-6, 1.0).unwrap(),
        Shape::cone(1e-5, 1.0).unwrap(),
        hull(&[DVec3::ZERO, DVec3::X, DVec3::Z, DVec3::new(0.3, 1e-8, 0.3)]),
    ]
}

#[test]
fn odd_shapes_have_finite_answers_wherever_they_are() {
    let mut random = Random::new(41);
    let shapes = odd_shapes();
    for a in &shapes {
        for b in &shapes {
            for reach in [0.0, 1e-9, 1e-4, 1.0] {
                for turned in [false, true] {
                    let mut pose = || {
                        let rotation = if turned { random.rotation() } else { glam::DQuat::IDENTITY };
                        Pose::new(rotation, random.vector(1.0) * reach)
                    };
                    let (p, q) = (pose(), pose());
                    let found = separation(a, &p, b, &q).unwrap().unwrap();
                    assert!(found.gap.is_finite() && found.lower.is_finite() && found.on_a.is_finite());
                    assert!((found.normal.length() - 1.0).abs() < 1e-9, "{found:?}");
                    contacts(a, &p, b, &q, 0.01);
                }
            }
        }
    }
}

#[test]
fn a_shape_in_the_place_of_its_twin_has_a_way_out() {
    let shapes = [
        (Shape::cuboid(DVec3::new(0.4, 0.3, 0.2)).unwrap(), 0.4),
        (Shape::sphere(0.3).unwrap(), 0.6),
        (Shape::capsule(0.4, 0.2).unwrap(), 0.4),
        (Shape::cylinder(0.5, 0.2).unwrap(), 0.4),
    ];
    // 3 %: out of a cylinder in its own place every direction is as good, and facets of the search remain.
    for (shape, depth) in shapes {
        let pose = turned(DVec3::new(1.0, 2.0, 3.0), 1.0, DVec3::new(5.0, 6.0, 7.0));
        let found = separation(&shape, &pose, &shape, &pose).unwrap().unwrap();
        assert!(
            (found.gap + depth).abs() < 0.03 * depth && (found.lower + depth).abs() < 0.03 * depth,
            "{shape:?} {found:?}"
        );
        let points = contacts(&shape, &pose, &shape, &pose, 0.01);
        assert!((least_gap(&points) + depth).abs() < 0.03 * depth, "{shape:?} {points:?}");
    }
}

#[test]
fn a_millimetre_cube_rests_on_a_kilometre_of_ground() {
    let (tiny, huge) =
        (Shape::cuboid(DVec3::splat(5e-4)).unwrap(), Shape::cuboid(DVec3::new(500.0, 1.0, 500.0)).unwrap());
    for (x, z) in [(0.0, 0.0), (123.4, -321.0), (499.9995, 0.0)] {
        let points = contacts(&tiny, &at(x, 1.0 + 5e-4 - 1e-6, z), &huge, &Pose::IDENTITY, 1e-4);
        assert_eq!(points.len(), 4, "at {x}, {z}");
        // Rounding of coordinates of 500 m is 1e-13.
        assert!(points.iter().all(|p| p.normal == DVec3::Y && (p.gap + 1e-6).abs() < 1e-11), "{points:?}");
    }
}

#[test]
fn contacts_need_no_volume_in_common() {
    let needle = Shape::cuboid(DVec3::new(1e-6, 1.0, 1e-6)).unwrap();
    let plate = Shape::cuboid(DVec3::new(1.0, 1e-6, 1.0)).unwrap();
    let points = contacts(&needle, &at(0.2, 1.0 + 1e-6, 0.1), &plate, &Pose::IDENTITY, 1e-3);
    assert!(
        points.iter().all(|p| (p.normal - DVec3::Y).length() < 1e-9 && p.gap.abs() < 1e-12),
        "{points:?}"
    );
    assert!(!points.is_empty());
}

/// The last support points of this search crowd on the rim of the cone, and rounding once put the origin inside of the
/// sliver that they make: bodies that only touch were told to be 0.2 deep in each other.
#[test]
fn a_sliver_on_a_rim_does_not_make_bodies_overlap() {
    let (capsule, cone) = (Shape::capsule(0.3, 0.2).unwrap(), Shape::cone(0.3, 0.3).unwrap());
    let mut random = Random::new(76);
    for _ in 0..20_000 {
        let pose = Pose::new(random.rotation(), random.direction() * 0.6);
        let found = separation(&capsule, &pose, &cone, &Pose::IDENTITY).unwrap().unwrap();
        let up = pose.transform_vector(DVec3::Y);
        // Walking down the axis of the capsule: a distance of a convex body is convex along it.
        let along = |s: f64| cone.closest_point(pose.translation + up * s).distance;
        let (mut low, mut high) = (-0.3, 0.3);
        for _ in 0..100 {
            let (s, t) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if along(s) < along(t) { high = t } else { low = s }
        }
        let truth = along(low) - 0.2;
        if truth > -0.2 {
            assert!((found.gap - truth).abs() < 1e-8, "{found:?} instead of {truth}: {pose:?}");
        }
    }
}

#[test]
fn shapes_without_a_place_are_named_and_leave_no_manifolds() {
    let mut shapes = odd_shapes();
    shapes.push(Shape::HalfSpace(prall_geometry::HalfSpace));
    let (here, options) = (Pose::IDENTITY, ManifoldOptions::default());
    let bad_poses = [
        at(f64::NAN, 0.0, 0.0),
        at(0.0, f64::INFINITY, 0.0),
        at(0.0, 0.0, -1e200),
        Pose::from_rotation(glam::DQuat::from_xyzw(0.0, f64::NAN, 0.0, 1.0)),
        Pose::from_rotation(glam::DQuat::from_xyzw(0.0, 0.5, 0.0, 0.5)),
    ];
    for (shape, bad) in shapes.iter().flat_map(|shape| bad_poses.iter().map(move |bad| (shape, bad))) {
        let (body, ball) = (touchable(shape), touchable(&Shape::sphere(0.2).unwrap()));
        let (mut cache, mut manifolds) = (ManifoldCache::default(), Manifolds::new());
        for (at_a, at_b, culprit) in [(bad, &here, "A"), (&here, bad, "B")] {
            let named = |error| matches!(error, Some(QueryError::Pose { body, .. }) if body == culprit);
            find_manifolds(&body, &here, &ball, &here, &options, &mut manifolds).unwrap();
            let refused = find_manifolds(&body, at_a, &ball, at_b, &options, &mut manifolds);
            assert!(named(refused.err()) && manifolds.points().is_empty(), "{shape:?} {bad:?}");
            let refused =
                find_manifolds_cached(&body, at_a, &body, at_b, &options, &mut cache, &mut manifolds);
            assert!(named(refused.err()) && manifolds.points().is_empty(), "{shape:?} {bad:?}");
            assert!(named(separation(shape, at_a, shape, at_b).err()), "{shape:?} {bad:?}");
        }
    }
}

#[test]
fn a_margin_that_is_not_finite_is_refused() {
    let ball = touchable(&Shape::sphere(0.2).unwrap());
    for margin in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let options = ManifoldOptions { margin, ..ManifoldOptions::default() };
        let refused =
            find_manifolds(&ball, &Pose::IDENTITY, &ball, &Pose::IDENTITY, &options, &mut Manifolds::new());
        assert!(matches!(refused, Err(QueryError::Option { option: "the margin", .. })), "{refused:?}");
    }
}
