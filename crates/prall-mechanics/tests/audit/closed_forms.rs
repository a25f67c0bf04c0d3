//! Overlaps that a formula knows.

use std::f64::consts::FRAC_PI_4;

use glam::{DQuat, DVec3};
use prall_geometry::{Compound, ConvexHull, Heightfield, Shape, generate};
use prall_math::Pose;
use prall_mechanics::audit::DepthBound;
use std::sync::Arc;

use crate::{ROUNDING, at, audit, cuboid, depth, half_space, mesh_of};

/// What a search for round bodies may miss, in metres.
const SEARCH: f64 = 1e-8;

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

#[test]
fn balls_overlap_by_what_their_radii_exceed_the_distance() {
    let (a, b) = (Shape::sphere(0.3).unwrap(), Shape::sphere(0.5).unwrap());
    near(depth(&a, at(0.6, 0.0, 0.0), &b, Pose::IDENTITY), 0.2, ROUNDING);
    near(depth(&a, at(0.6, 0.8, 0.0), &b, Pose::IDENTITY), 0.0, 0.0);
}

#[test]
fn a_ball_in_a_box_leaves_by_the_nearest_face_edge_or_corner() {
    let (ball, cube) = (Shape::sphere(0.2).unwrap(), cuboid(0.5, 0.5, 0.5));
    near(depth(&ball, at(0.0, 0.65, 0.1), &cube, Pose::IDENTITY), 0.05, ROUNDING);
    near(depth(&ball, at(0.0, 0.4, 0.1), &cube, Pose::IDENTITY), 0.3, ROUNDING);
    let off = 0.1;
    near(
        depth(&ball, at(0.5 + off, 0.5 + off, 0.0), &cube, Pose::IDENTITY),
        0.2 - off * 2_f64.sqrt(),
        ROUNDING,
    );
    let corner = at(0.5 + off, 0.5 + off, 0.5 + off);
    near(depth(&ball, corner, &cube, Pose::IDENTITY), 0.2 - off * 3_f64.sqrt(), ROUNDING);
}

#[test]
fn crossed_capsules_overlap_by_what_their_radii_exceed_the_distance_of_their_axes() {
    let capsule = Shape::capsule(0.5, 0.1).unwrap();
    let lying = Pose::new(DQuat::from_rotation_x(1.2), DVec3::new(0.15, 0.1, 0.0));
    near(depth(&capsule, lying, &capsule, Pose::IDENTITY), 0.05, ROUNDING);
}

#[test]
fn a_capsule_in_a_box_leaves_by_its_nearest_face() {
    let (capsule, cube) = (Shape::capsule(0.5, 0.1).unwrap(), cuboid(0.5, 0.5, 0.5));
    let lying = Pose::new(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2), DVec3::Y * 0.45);
    near(depth(&capsule, lying, &cube, Pose::IDENTITY), 0.15, ROUNDING);
    let above = Pose { translation: DVec3::Y * 0.55, ..lying };
    near(depth(&capsule, above, &cube, Pose::IDENTITY), 0.05, ROUNDING);
}

#[test]
fn boxes_leave_each_other_by_faces_or_across_edges() {
    let cube = cuboid(0.5, 0.5, 0.5);
    near(depth(&cube, at(0.2, 0.99, 0.3), &cube, Pose::IDENTITY), 0.01, ROUNDING);
    // Two edges at right angles, each seen from its corner: half diagonals of 1/sqrt(2) each.
    let upright = Pose::from_rotation(DQuat::from_rotation_x(FRAC_PI_4));
    let across = Pose::new(DQuat::from_rotation_z(FRAC_PI_4), DVec3::Y * 1.4);
    near(depth(&cube, across, &cube, upright), 2_f64.sqrt() - 1.4, ROUNDING);
}

#[test]
fn anything_below_a_plane_is_as_deep_as_its_lowest_point() {
    let turned = Pose::new(DQuat::from_rotation_z(FRAC_PI_4), DVec3::Y * 0.3);
    let (sine, root) = (0.5_f64.sqrt(), 2_f64.sqrt());
    let cases = [
        (Shape::sphere(0.4).unwrap(), 0.1),
        (cuboid(0.5, 0.5, 0.5), 0.5 * root - 0.3),
        (Shape::capsule(0.5, 0.1).unwrap(), 0.5 * sine + 0.1 - 0.3),
        (Shape::cylinder(0.5, 0.2).unwrap(), 0.7 * sine - 0.3),
        (Shape::cone(0.5, 0.2).unwrap(), 0.7 * sine - 0.3),
        (mesh_of(&generate::cuboid(DVec3::ONE).unwrap()), 0.5 * root - 0.3),
    ];
    for (shape, expected) in cases {
        near(depth(&shape, turned, &half_space(), Pose::IDENTITY), expected, ROUNDING);
    }
}

#[test]
fn cylinders_and_cones_on_boxes_are_as_deep_as_they_stand_in_them() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let (cylinder, cone) = (Shape::cylinder(0.5, 0.2).unwrap(), Shape::cone(0.5, 0.2).unwrap());
    near(depth(&cylinder, at(0.1, 0.97, 0.0), &cube, Pose::IDENTITY), 0.03, SEARCH);
    near(depth(&cone, at(0.1, 0.97, 0.0), &cube, Pose::IDENTITY), 0.03, SEARCH);
    let lying = Pose::new(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), DVec3::Y * 0.69);
    near(depth(&cylinder, lying, &cube, Pose::IDENTITY), 0.01, SEARCH);
    let upside_down = Pose::new(DQuat::from_rotation_x(std::f64::consts::PI), DVec3::new(0.1, 0.98, 0.0));
    near(depth(&cone, upside_down, &cube, Pose::IDENTITY), 0.02, SEARCH);
}

#[test]
fn parallel_cylinders_overlap_as_their_circles_do() {
    let cylinder = Shape::cylinder(0.5, 0.2).unwrap();
    let pose = Pose::new(DQuat::IDENTITY, DVec3::new(0.3, 0.05, 0.1));
    let expected = 0.4 - 0.1_f64.sqrt();
    let report = audit(&cylinder, pose, &cylinder, Pose::IDENTITY);
    near(report.penetration_max, expected, SEARCH);
    assert_eq!(report.overlaps[0].bound, DepthBound::AtMost);
}

#[test]
fn a_hull_of_a_box_is_as_deep_as_the_box() {
    let cube = cuboid(0.5, 0.4, 0.3);
    let corners = prall_geometry::Aabb::from_center(DVec3::ZERO, DVec3::new(0.5, 0.4, 0.3)).corners();
    let hull = Shape::ConvexHull(Arc::new(ConvexHull::from_points(&corners).unwrap()));
    for i in 0..50 {
        let angle = f64::from(i);
        let pose =
            Pose::new(DQuat::from_euler(glam::EulerRot::XYZ, angle, 2.0 * angle, 0.3), DVec3::splat(0.4));
        let expected = depth(&cube, pose, &cube, Pose::IDENTITY);
        near(depth(&hull, pose, &hull, Pose::IDENTITY), expected, ROUNDING);
        near(depth(&hull, pose, &cube, Pose::IDENTITY), expected, ROUNDING);
    }
}

#[test]
fn what_stands_a_millimetre_deep_in_a_mesh_is_a_millimetre_deep() {
    let mesh = mesh_of(&generate::cuboid(DVec3::new(2.0, 1.0, 2.0)).unwrap());
    let flat = Heightfield::new(3, 3, 4.0, 4.0, vec![0.5; 9]).unwrap();
    let bodies = [
        (cuboid(0.3, 0.3, 0.3), 0.3),
        (Shape::sphere(0.3).unwrap(), 0.3),
        (Shape::capsule(0.2, 0.1).unwrap(), 0.3),
        (Shape::cylinder(0.3, 0.1).unwrap(), 0.3),
        (mesh_of(&generate::cuboid(DVec3::splat(0.6)).unwrap()), 0.3),
    ];
    for ground in [mesh, Shape::Heightfield(Arc::new(flat))] {
        for (body, height) in &bodies {
            let pose = at(0.31, 0.5 + height - 0.001, 0.17);
            near(depth(body, pose, &ground, Pose::IDENTITY), 0.001, SEARCH);
            near(depth(body, at(0.31, 0.5 + height + 1e-9, 0.17), &ground, Pose::IDENTITY), 0.0, 0.0);
        }
    }
}

#[test]
fn a_body_hidden_inside_of_a_solid_mesh_is_found() {
    let mesh = mesh_of(&generate::cuboid(DVec3::splat(2.0)).unwrap());
    for body in [cuboid(0.1, 0.1, 0.1), mesh_of(&generate::cuboid(DVec3::splat(0.2)).unwrap())] {
        let found = audit(&body, at(0.3, 0.2, 0.1), &mesh, Pose::IDENTITY);
        assert!(found.penetration_max > 0.5, "{found:?}");
    }
}

#[test]
fn a_compound_is_as_deep_as_its_deepest_child() {
    let children =
        vec![(at(-1.0, 0.0, 0.0), cuboid(0.5, 0.5, 0.5)), (at(1.0, 0.1, 0.0), Shape::sphere(0.5).unwrap())];
    let compound = Shape::Compound(Arc::new(Compound::new(children).unwrap()));
    near(depth(&compound, at(0.0, 0.45, 0.0), &half_space(), Pose::IDENTITY), 0.05, ROUNDING);
}

#[test]
fn a_shift_of_a_millimetre_is_a_millimetre_for_every_pair_that_rests() {
    let shapes = [
        (cuboid(0.5, 0.5, 0.5), 0.5),
        (Shape::sphere(0.5).unwrap(), 0.5),
        (Shape::capsule(0.3, 0.2).unwrap(), 0.5),
        (Shape::cylinder(0.5, 0.3).unwrap(), 0.5),
    ];
    for (upper, above) in &shapes {
        for (lower, below) in &shapes {
            let resting = above + below;
            let at_rest = depth(upper, at(0.0, resting, 0.0), lower, Pose::IDENTITY);
            let shifted = depth(upper, at(0.0, resting - 1e-3, 0.0), lower, Pose::IDENTITY);
            near(shifted - at_rest, 1e-3, SEARCH);
            assert!(at_rest < SEARCH);
        }
    }
}
