//! Cylinders and cones on meshes and height fields.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use prall_dynamics::BodyDefinition;
use prall_geometry::{Heightfield, Shape};
use prall_math::Pose;

use crate::support::{block, dynamic, fixed, guard, rough, run, sheet, turned, world};

/// Without slip a full cylinder rolls down with 2/3 g sin. Velocities are found to 1e-4 in each of some 250 parts, and errors of sticking points brake.
#[test]
fn a_barrel_rolls_down_a_mesh_with_the_exact_acceleration() {
    let tilt = 0.2_f64;
    let mut world = world(1.0 / 100.0);
    let slope = turned(DVec3::Z, -tilt, DVec3::ZERO);
    world.add_body(&fixed(&sheet(20.0), rough(0.8)).in_pose(slope)).unwrap();
    let lying = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let place = slope * Pose::new(lying, DVec3::Y * (0.1 + guard(0.3)));
    let barrel = Shape::cylinder(0.15, 0.1).unwrap();
    let body = world.add_body(&dynamic(&barrel, rough(0.8)).in_pose(place)).unwrap();
    let mut lost = 0.0;
    for _ in 0..100 {
        world.advance();
        assert!(world.is_solid(body).unwrap());
        assert!(world.solid_report().smallest_gap > 0.0);
        lost += world.report().lost_time;
    }
    let speed = world.velocity(body).unwrap().linear.length();
    let exact = 9.81 * libm::sin(tilt) * 2.0 / 3.0;
    assert_eq!(lost, 0.0);
    assert!((speed / exact - 1.0).abs() < 6e-3, "{speed}, exactly {exact}");
}

/// It stands on its rim at the guard, and does not move.
#[test]
fn a_cylinder_and_a_cone_stand_on_a_mesh() {
    for shape in [Shape::cylinder(0.1, 0.04).unwrap(), Shape::cone(0.1, 0.04).unwrap()] {
        let mut world = world(1.0 / 60.0);
        world.add_body(&fixed(&block(DVec3::new(1.0, 0.1, 1.0)), rough(0.5)).at(DVec3::Y * -0.05)).unwrap();
        let body = world.add_body(&dynamic(&shape, rough(0.5)).at(DVec3::Y * 0.101)).unwrap();
        for _ in 0..60 {
            world.advance();
        }
        let before = world.pose(body).unwrap();
        assert!((before.translation.y - 0.1 - guard(0.2)).abs() < 0.2 * guard(0.2), "{before:?}");
        for _ in 0..60 {
            world.advance();
        }
        let after = world.pose(body).unwrap();
        assert!((after.translation - before.translation).length() < 1e-12, "{before:?} {after:?}");
    }
}

/// Over bumps of a height field it goes on, loses no time, and never overlaps the ground.
#[test]
fn a_barrel_rolls_over_a_height_field() {
    let heights: Vec<f64> = (0..41 * 9)
        .map(|k| {
            let (column, row) = ((k % 41) as f64, (k / 41) as f64);
            0.008 * libm::sin(0.9 * column) * libm::cos(0.7 * row) - 0.02 * column
        })
        .collect();
    let field = Shape::Heightfield(Arc::new(Heightfield::new(41, 9, 4.0, 0.8, heights).unwrap()));
    let mut world = world(1.0 / 60.0);
    world.add_body(&fixed(&field, rough(0.6))).unwrap();
    let lying = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let start = Pose::new(lying, DVec3::new(-1.7, 0.08, 0.0));
    let barrel = Shape::cylinder(0.15, 0.1).unwrap();
    let body = world.add_body(&dynamic(&barrel, rough(0.6)).in_pose(start)).unwrap();
    let mut lost = 0.0;
    let mut judge = run(&mut world, 0, 4);
    for _ in 0..90 {
        world.advance();
        judge.look(&world);
        lost += world.report().lost_time;
        assert!(world.solid_report().smallest_gap > 0.0);
    }
    let gone = world.pose(body).unwrap().translation.x - start.translation.x;
    assert_eq!((judge.overlaps, lost), (0, 0.0));
    assert!(gone > 0.8, "{gone}");
}

/// Turns about an axis of symmetry leave the surface where it is, so they cut no step into parts: a ball and a barrel of 0.6 m roll over a mesh at 3 m/s in
/// one part a step (seven where each turn counted), and come as far as they should.
#[test]
fn what_rolls_needs_no_more_parts_than_what_slides() {
    let radius = 0.3;
    for shape in [Shape::sphere(radius), Shape::cylinder(0.4, radius)] {
        let mut world = world(1.0 / 60.0);
        world.add_body(&fixed(&sheet(20.0), rough(0.5))).unwrap();
        let pose = turned(DVec3::X, std::f64::consts::FRAC_PI_2, DVec3::Y * (radius + 5e-5));
        let rolling = dynamic(&shape.unwrap(), rough(0.5)).in_pose(pose);
        let rolling = rolling.moving(DVec3::X * 3.0, DVec3::Z * (-3.0 / radius));
        let body = world.add_body(&rolling).unwrap();
        let mut parts = 0;
        for _ in 0..60 {
            world.advance();
            parts = parts.max(world.solid_report().parts);
        }
        let place = world.pose(body).unwrap().translation;
        assert!(parts <= 2, "{parts} parts in a step");
        assert!((place.x - 3.0).abs() < 1e-3 && place.z.abs() < 1e-3, "{place}");
        // Diagonals of the sheet and rounding aside it stays at its guard.
        assert!((place.y - radius).abs() < 1e-4, "{place}");
    }
}

/// A cylinder that rolls down a fixed one without slip leaves it where the angle from the top has the cosine 4/7: m g cos = m v^2 / (R + r), and
/// 3/4 m v^2 = m g (R + r) (cos at the start - cos).
#[test]
fn a_cylinder_rolls_off_a_cylinder_where_it_should() {
    let (large, small) = (0.3, 0.1);
    let mut world = world(1.0 / 240.0);
    let lying = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let asked = |definition: BodyDefinition| BodyDefinition { solid: true, ..definition };
    let below = asked(fixed(&Shape::cylinder(0.4, large).unwrap(), rough(3.0)));
    world.add_body(&below.in_pose(Pose::new(lying, DVec3::ZERO))).unwrap();
    let reach = large + small + guard(0.4);
    let start = 0.3_f64;
    let at = DVec3::new(libm::sin(start), libm::cos(start), 0.0) * reach;
    let rolling = asked(dynamic(&Shape::cylinder(0.2, small).unwrap(), rough(3.0)));
    let body = world.add_body(&rolling.in_pose(Pose::new(lying, at))).unwrap();
    let (mut parts, mut steps, mut lost) = (0, 0, 0.0);
    let leaves = loop {
        world.advance();
        (parts, steps) = (parts + world.solid_report().parts, steps + 1);
        lost += world.report().lost_time;
        let place = world.pose(body).unwrap().translation;
        assert!(steps < 240, "it has not left by {place}");
        if steps > 5 && world.solid_report().loaded_gap == 0.0 {
            break libm::atan2(place.x, place.y);
        }
    };
    let exact = libm::acos(4.0 / 7.0 * libm::cos(start));
    assert_eq!(lost, 0.0);
    // It goes 0.015 rad in a step.
    assert!((leaves - exact).abs() < 0.03, "left at {leaves} rad, should at {exact}");
    assert!(parts < 2 * steps, "{parts} parts in {steps} steps");
}
