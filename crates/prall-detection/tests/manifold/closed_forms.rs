//! Pairs whose contacts can be written down.

use glam::{DQuat, DVec3};
use prall_detection::{Feature, ShapePart};
use prall_geometry::{HalfSpace, Shape};
use prall_math::Pose;

use crate::oracle::{at, contacts, least_gap, random_pose, turned};
use crate::random::Random;

fn ground() -> Shape {
    Shape::HalfSpace(HalfSpace)
}

#[test]
fn two_balls_touch_between_their_centres() {
    let (small, large) = (Shape::sphere(0.3).unwrap(), Shape::sphere(0.5).unwrap());
    let direction = DVec3::new(1.0, 2.0, -2.0) / 3.0;
    for distance in [0.85, 0.8, 0.7, 0.1, 1e-9] {
        let points =
            contacts(&small, &Pose::from_translation(direction * distance), &large, &Pose::IDENTITY, 0.1);
        assert_eq!(points.len(), 1);
        let point = points[0];
        assert!((point.gap - (distance - 0.8)).abs() < 1e-15);
        assert!((point.normal - direction).length() < 1e-6 / distance * 1e-9 + 1e-12);
        assert!(
            (point.on_b - direction * 0.5).length() < 1e-12
                && (point.on_a - direction * (distance - 0.3)).length() < 1e-12
        );
    }
    assert!(contacts(&small, &at(1.0, 0.0, 0.0), &large, &Pose::IDENTITY, 0.1).is_empty());
}

#[test]
fn balls_with_one_centre_have_some_normal_and_the_sum_of_radii_as_depth() {
    let ball = Shape::sphere(0.5).unwrap();
    let points = contacts(&ball, &Pose::IDENTITY, &ball, &Pose::IDENTITY, 0.0);
    assert_eq!(points.len(), 1);
    assert_eq!(points[0].gap, -1.0);
}

#[test]
fn a_ball_meets_a_tilted_plane_at_its_foot() {
    let ball = Shape::sphere(0.4).unwrap();
    let plane = turned(DVec3::new(1.0, 0.3, -2.0), 0.8, DVec3::new(3.0, -1.0, 2.0));
    let normal = plane.transform_vector(DVec3::Y);
    let along = plane.transform_vector(DVec3::X);
    for height in [0.45, 0.4, 0.1, 0.0, -0.7] {
        let centre = plane.translation + normal * height + along * 5.0;
        let points = contacts(&ball, &Pose::from_translation(centre), &ground(), &plane, 0.1);
        assert_eq!(points.len(), 1);
        assert!((points[0].gap - (height - 0.4)).abs() < 1e-14);
        assert!((points[0].normal - normal).length() < 1e-14);
        assert!((points[0].on_b - (centre - normal * height)).length() < 1e-14);
        let mirrored = contacts(&ground(), &plane, &ball, &Pose::from_translation(centre), 0.1);
        assert!(
            (mirrored[0].normal + normal).length() < 1e-14 && (mirrored[0].gap - points[0].gap).abs() < 1e-14
        );
    }
}

/// Corner, edge, face, and the centre inside: for each region the closest point of the box is plain.
#[test]
fn a_ball_meets_a_box_at_corner_edge_and_face_and_from_inside() {
    let half = DVec3::new(0.5, 0.3, 0.2);
    let (ball, cuboid) = (Shape::sphere(0.25).unwrap(), Shape::cuboid(half).unwrap());
    let mut random = Random::new(7);
    for _ in 0..500 {
        let pose = random_pose(&mut random, 10.0);
        let local =
            DVec3::new(random.between(-0.8, 0.8), random.between(-0.6, 0.6), random.between(-0.5, 0.5));
        let centre = Pose::from_translation(pose.transform_point(local));
        let points = contacts(&ball, &centre, &cuboid, &pose, 0.05);
        let outside = local.abs() - half;
        let distance = if outside.max_element() > 0.0 {
            outside.max(DVec3::ZERO).length()
        } else {
            outside.max_element()
        };
        if distance - 0.25 > 0.05 {
            assert!(points.is_empty());
            continue;
        }
        assert_eq!(points.len(), 1);
        assert!((points[0].gap - (distance - 0.25)).abs() < 1e-13, "{local}");
        let kind = outside.max(DVec3::ZERO).to_array().iter().filter(|&&x| x > 0.0).count();
        let Feature::Shape { part, .. } = points[0].features.on_b else { panic!("no part of a shape") };
        let expected = match part {
            ShapePart::Face(_) => kind <= 1,
            ShapePart::Edge(..) => kind == 2,
            ShapePart::Vertex(_) => kind == 3,
        };
        assert!(expected, "{part:?} for {kind} coordinates outside");
    }
}

#[test]
fn capsules_touch_at_one_point_crossed_and_at_two_side_by_side() {
    let capsule = Shape::capsule(0.5, 0.1).unwrap();
    let lying = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let lower = Pose::from_rotation(lying);
    let crossed = Pose::new(DQuat::from_rotation_y(1.0) * lying, DVec3::new(0.1, 0.19, 0.05));
    let points = contacts(&capsule, &crossed, &capsule, &lower, 0.01);
    assert_eq!(points.len(), 1);
    assert!((points[0].gap + 0.01).abs() < 1e-14 && (points[0].normal - DVec3::Y).length() < 1e-14);
    let beside = Pose::new(lying, DVec3::new(0.3, 0.19, 0.0));
    let points = contacts(&capsule, &beside, &capsule, &lower, 0.01);
    assert_eq!(points.len(), 2);
    let mut ends: Vec<f64> = points.iter().map(|p| p.on_a.x).collect();
    ends.sort_by(f64::total_cmp);
    assert!((ends[0] + 0.2).abs() < 1e-12 && (ends[1] - 0.5).abs() < 1e-12, "{ends:?}");
    assert!(points.iter().all(|p| (p.gap + 0.01).abs() < 1e-12));
    // Axes that meet: out is across both, by both radii.
    let meeting = Pose::from_rotation(DQuat::from_rotation_y(1.0) * lying);
    let points = contacts(&capsule, &meeting, &capsule, &lower, 0.0);
    assert!((least_gap(&points) + 0.2).abs() < 1e-12 && points[0].normal.y.abs() > 1.0 - 1e-12);
}

#[test]
fn a_box_lands_on_a_plane_with_one_corner_two_or_four() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let quarter = std::f64::consts::FRAC_PI_4;
    let flat = Pose::from_translation(DVec3::Y * 0.499);
    let edge = turned(DVec3::X, quarter, DVec3::Y * (0.5_f64.sqrt() - 0.001));
    let tip = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::Y);
    let corner = Pose::new(tip, DVec3::Y * (0.75_f64.sqrt() - 0.001));
    for (pose, expected) in [(flat, 4), (edge, 2), (corner, 1)] {
        let points = contacts(&cube, &pose, &ground(), &Pose::IDENTITY, 0.01);
        assert_eq!(points.len(), expected);
        assert!(points.iter().all(|p| (p.gap + 0.001).abs() < 1e-12 && p.normal == DVec3::Y));
        // A large box as the ground says the same.
        let slab = Shape::cuboid(DVec3::new(10.0, 1.0, 10.0)).unwrap();
        let points = contacts(&cube, &pose, &slab, &at(0.0, -1.0, 0.0), 0.01);
        assert_eq!(points.len(), expected);
        assert!(
            points.iter().all(|p| (p.gap + 0.001).abs() < 1e-12 && (p.normal - DVec3::Y).length() < 1e-12)
        );
    }
}

#[test]
fn a_box_on_a_box_has_the_corners_of_the_common_rectangle() {
    let (lower, upper) = (
        Shape::cuboid(DVec3::new(1.0, 0.5, 1.0)).unwrap(),
        Shape::cuboid(DVec3::new(1.0, 0.5, 0.3)).unwrap(),
    );
    let points = contacts(&upper, &at(0.5, 1.0, 0.1), &lower, &Pose::IDENTITY, 0.01);
    let mut found: Vec<(f64, f64)> = points.iter().map(|p| (p.on_b.x, p.on_b.z)).collect();
    found.sort_by(|p, q| p.partial_cmp(q).unwrap());
    let expected = [(-0.5, -0.2), (-0.5, 0.4), (1.0, -0.2), (1.0, 0.4)];
    assert_eq!(found.len(), 4);
    for (p, q) in found.iter().zip(expected) {
        assert!((p.0 - q.0).abs() < 1e-12 && (p.1 - q.1).abs() < 1e-12, "{found:?}");
    }
}

#[test]
fn a_turned_box_on_a_box_keeps_four_of_eight_corners_that_span_the_area() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let upper = turned(DVec3::Y, std::f64::consts::FRAC_PI_4, DVec3::Y);
    let points = contacts(&cube, &upper, &cube, &Pose::IDENTITY, 0.01);
    assert_eq!(points.len(), 4);
    let places: Vec<DVec3> = points.iter().map(|p| p.on_b).collect();
    // Of the regular octagon with the inner radius 1/2 the four kept corners hold the middle, and at least a quarter turn each way.
    for direction in [DVec3::X, DVec3::NEG_X, DVec3::Z, DVec3::NEG_Z] {
        let reach = places.iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
        assert!(reach > 0.2, "{places:?}");
    }
}

#[test]
fn crossed_edges_touch_at_one_point_across_both() {
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let quarter = std::f64::consts::FRAC_PI_4;
    let lower = turned(DVec3::X, quarter, DVec3::ZERO);
    let upper = turned(DVec3::Z, quarter, DVec3::new(0.05, 2.0 * 0.5_f64.sqrt() - 0.01, 0.07));
    let points = contacts(&cube, &upper, &cube, &lower, 0.005);
    assert_eq!(points.len(), 1, "{points:?}");
    assert!((points[0].normal - DVec3::Y).length() < 1e-12);
    assert!((points[0].gap + 0.01).abs() < 1e-12);
    assert!((points[0].on_b - DVec3::new(0.05, 0.5_f64.sqrt(), 0.0)).length() < 1e-12);
    let parts = points[0].features;
    let is_edge = |f: Feature| matches!(f, Feature::Shape { part: ShapePart::Edge(..), .. });
    assert!(is_edge(parts.on_a) && is_edge(parts.on_b));
}

#[test]
fn a_cylinder_stands_on_its_rim_and_lies_on_its_side() {
    let cylinder = Shape::cylinder(0.5, 0.2).unwrap();
    let standing = contacts(&cylinder, &at(0.0, 0.499, 0.0), &ground(), &Pose::IDENTITY, 0.01);
    assert_eq!(standing.len(), 4);
    assert!(standing.iter().all(|p| (p.gap + 0.001).abs() < 1e-12));
    let lying = turned(DVec3::X, std::f64::consts::FRAC_PI_2, DVec3::Y * 0.199);
    let points = contacts(&cylinder, &lying, &ground(), &Pose::IDENTITY, 0.01);
    assert_eq!(points.len(), 2);
    assert!(points.iter().all(|p| (p.gap + 0.001).abs() < 1e-12));
    let slab = Shape::cuboid(DVec3::new(5.0, 1.0, 5.0)).unwrap();
    for pose in [at(0.0, 0.499, 0.0), lying] {
        let points = contacts(&cylinder, &pose, &slab, &at(0.0, -1.0, 0.0), 0.01);
        assert!((least_gap(&points) + 0.001).abs() < 1e-10, "{points:?}");
        assert!(points.iter().all(|p| (p.normal - DVec3::Y).length() < 1e-10));
        assert!(points.len() >= 2);
    }
}

#[test]
fn children_of_a_compound_touch_each_for_itself() {
    let cube = Shape::cuboid(DVec3::splat(0.1)).unwrap();
    let table = Shape::Compound(std::sync::Arc::new(
        prall_geometry::Compound::new(
            [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)]
                .map(|(x, z)| (at(x, 0.0, z), cube.clone()))
                .to_vec(),
        )
        .unwrap(),
    ));
    let points = contacts(&table, &at(3.0, 0.1, 0.0), &ground(), &Pose::IDENTITY, 0.01);
    assert_eq!(points.len(), 16);
    let mut children: Vec<u32> = points
        .iter()
        .map(|p| match p.features.on_a {
            Feature::Shape { child, .. } => child,
            _ => panic!("no part of a shape"),
        })
        .collect();
    children.dedup();
    assert_eq!(children, [0, 1, 2, 3]);
}
