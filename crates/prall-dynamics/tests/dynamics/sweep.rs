//! Nothing tunnels: fast bodies, spinning or not, stay on their side of thin walls and of each other.

use crate::support::*;
use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, BodyHandle, JointDefinition, Solver, World, WorldOptions};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh};
use prall_math::Pose;
use std::sync::Arc;

const STICK: DVec3 = DVec3::new(0.5, 0.02, 0.02);

/// Corners of a box in its pose: what the tests judge by, without asking any part of the world but for the pose.
fn corners(world: &World, body: BodyHandle, half: DVec3) -> [DVec3; 8] {
    let pose = world.pose(body).unwrap();
    std::array::from_fn(|i| {
        let sign = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
        pose.transform_point(half * DVec3::new(sign(0), sign(1), sign(2)))
    })
}

/// A square of 20 m across x in 128 triangles, as a mesh without thickness.
fn sheet() -> Shape {
    let count = 8;
    let at = |i: usize| -10.0 + 20.0 * i as f64 / count as f64;
    let points = (0..=count).flat_map(|i| (0..=count).map(move |j| DVec3::new(0.0, at(i), at(j)))).collect();
    let corner = |i: usize, j: usize| (i * (count + 1) + j) as u32;
    let mut triangles = Vec::new();
    for i in 0..count {
        for j in 0..count {
            triangles.push([corner(i, j), corner(i + 1, j), corner(i + 1, j + 1)]);
            triangles.push([corner(i, j), corner(i + 1, j + 1), corner(i, j + 1)]);
        }
    }
    let soup = PolygonSoup::from_triangles(points, &triangles).unwrap();
    let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))
}

/// Sticks of 1 m, 4 cm thick, shot at a wall at x = 0 with up to 3.3 m a step and up to 3 rad a step.
fn shoot_at(wall: &BodyDefinition, half_thickness: f64) {
    for (shot, (speed, spin)) in [
        (200.0, DVec3::ZERO),
        (50.0, DVec3::Z * 170.0),
        (120.0, DVec3::new(30.0, 90.0, 60.0)),
        (15.0, DVec3::Z * 60.0),
    ]
    .into_iter()
    .enumerate()
    {
        let mut world = weightless(1.0 / 60.0, Solver::Auto);
        world.add_body(wall).unwrap();
        let shape = Shape::cuboid(STICK).unwrap();
        let stick = BodyDefinition::dynamic(shape, 1000.0)
            .in_pose(Pose::new(DQuat::from_rotation_z(0.4), DVec3::X * -3.0))
            .moving(DVec3::X * speed, spin);
        let stick = world.add_body(&stick).unwrap();
        let energy = world.energy().total();
        let mut met = false;
        for step in 0..60 {
            world.advance();
            met |= world.report().collisions > 0;
            let right = corners(&world, stick, STICK).into_iter().map(|c| c.x).fold(f64::MIN, f64::max);
            // A quarter of the stick's half thickness: what the check lets touching bodies overlap within a step.
            assert!(right < half_thickness + 0.005, "shot {shot}, step {step}: {right} m beyond");
            assert!(world.energy().total() <= energy * (1.0 + 1e-9));
        }
        assert!(met, "shot {shot} meets the wall");
    }
}

#[test]
fn sticks_do_not_pass_a_sheet_of_two_millimetres() {
    let shape = Shape::cuboid(DVec3::new(0.001, 10.0, 10.0)).unwrap();
    shoot_at(&BodyDefinition::fixed(shape), 0.001);
}

#[test]
fn sticks_do_not_pass_a_mesh_without_thickness() {
    shoot_at(&BodyDefinition::fixed(sheet()), 0.0);
}

/// Two cubes of 10 cm that approach by 6.7 m a step: whoever was on the left stays there.
#[test]
fn cubes_that_meet_head_on_do_not_pass_each_other() {
    for offset in [0.0, 0.03, 0.09] {
        let mut world = weightless(1.0 / 60.0, Solver::Auto);
        let left =
            world.add_body(&cube(0.05).at(DVec3::X * -5.0).moving(DVec3::X * 200.0, DVec3::ZERO)).unwrap();
        let right = cube(0.05).at(DVec3::new(5.0, offset, 0.0)).moving(DVec3::X * -200.0, DVec3::ZERO);
        let right = world.add_body(&right).unwrap();
        for _ in 0..10 {
            world.advance();
            let beside =
                (world.pose(left).unwrap().translation - world.pose(right).unwrap().translation).abs();
            let passed = world.pose(left).unwrap().translation.x > world.pose(right).unwrap().translation.x;
            assert!(!passed || beside.y > 0.1 || beside.z > 0.1, "offset {offset}");
        }
    }
}

/// The time that is lost is told, and is short: a bolt shot at a wall stops at it and goes on from there.
#[test]
fn lost_time_is_reported_and_ends_with_the_impact() {
    let mut world = weightless(1.0 / 60.0, Solver::Auto);
    let wall = Shape::cuboid(DVec3::new(0.001, 10.0, 10.0)).unwrap();
    world.add_body(&BodyDefinition::fixed(wall)).unwrap();
    let stick = BodyDefinition::dynamic(Shape::cuboid(STICK).unwrap(), 1000.0);
    let stick = stick.at(DVec3::X * -3.0).moving(DVec3::X * 60.0, DVec3::Z * 100.0);
    world.add_body(&stick).unwrap();
    let lost: Vec<f64> = (0..60).map(|_| world.advance().lost_time).collect();
    assert!(lost.iter().sum::<f64>() > 0.0 && lost.iter().all(|t| *t <= 1.0 / 60.0), "{lost:?}");
    assert!(lost[40..].iter().all(|t| *t == 0.0), "{lost:?}");
}

/// 512 cubes of 10 cm at up to 40 m/s, all in one closed box of 3 m with walls of 4 mm: none leaves it.
#[test]
fn five_hundred_fast_bodies_stay_in_their_box() {
    let options = WorldOptions { time_step: 1.0 / 60.0, gravity: DVec3::ZERO, ..WorldOptions::default() };
    let mut world = World::new(options).unwrap();
    let (size, thin) = (1.5, 0.002);
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for sign in [-1.0, 1.0] {
            let half = DVec3::splat(size + 2.0 * thin) * (DVec3::ONE - axis) + axis * thin;
            let wall = BodyDefinition::fixed(Shape::cuboid(half).unwrap());
            world.add_body(&wall.at(axis * sign * (size + thin))).unwrap();
        }
    }
    let half = DVec3::splat(0.05);
    let mut bodies = Vec::new();
    for i in 0..512 {
        let at = DVec3::new((i % 8) as f64, (i / 8 % 8) as f64, (i / 64) as f64) - 3.5;
        let speed = |k: usize| ((i * 7919 + k * 104_729) % 1000) as f64 / 500.0 - 1.0;
        let linear = DVec3::new(speed(1), speed(2), speed(3)) * 23.0;
        let angular = DVec3::new(speed(4), speed(5), speed(6)) * 40.0;
        bodies.push(world.add_body(&cube(0.05).at(at * 0.35).moving(linear, angular)).unwrap());
    }
    let mut energy = world.energy().total();
    for step in 0..20 {
        world.advance();
        for &body in &bodies {
            let outside = corners(&world, body, half).into_iter().map(|c| c.abs().max_element() - size);
            let outside = outside.fold(f64::MIN, f64::max);
            // A quarter of the half thickness of the walls' neighbours: see the sticks.
            assert!(outside < 0.0125, "step {step}: {outside} m");
        }
        let now = world.energy().total();
        assert!(now <= energy * (1.0 + 1e-9), "step {step}: {energy} J to {now} J");
        energy = now;
    }
}

/// Two cubes fly one behind the other, so that they do not move against each other; the first one is stopped by a wall. The second
/// one must see that.
#[test]
fn what_follows_a_body_that_is_stopped_stops_too() {
    let mut world = weightless(1.0 / 60.0, Solver::Auto);
    let wall = Shape::cuboid(DVec3::new(0.001, 10.0, 10.0)).unwrap();
    world.add_body(&BodyDefinition::fixed(wall)).unwrap();
    let at = |x: f64| cube(0.05).at(DVec3::X * x).moving(DVec3::X * 100.0, DVec3::ZERO);
    let [first, second] = [-1.0, -1.5].map(|x| world.add_body(&at(x)).unwrap());
    for step in 0..10 {
        world.advance();
        let [x, behind] = [first, second].map(|body| world.pose(body).unwrap().translation.x);
        // The half thickness of the wall, and a quarter of it that touching bodies may overlap by.
        assert!(x < -0.05 + 0.00125, "step {step}: the first is at {x} m");
        // A quarter of the cubes' half thickness.
        assert!(behind < x - 0.1 + 0.0125, "step {step}: {behind} m behind {x} m");
    }
}

/// A head on a handle of three links, swung at a plate of 4 mm beyond which nothing may be seen of it: trees in flight, the joints' direct
/// and iterative solvers with contacts, at steps in which the head goes up to 1.7 m.
#[test]
fn a_jointed_hammer_does_not_pass_a_thin_plate() {
    let half = DVec3::new(0.05, 0.1, 0.05);
    for solver in [Solver::Auto, Solver::Direct, Solver::Iterative] {
        for (speed, step) in [(20.0, 1.0 / 60.0), (50.0, 1.0 / 30.0), (8.0, 1.0 / 30.0)] {
            let options =
                WorldOptions { gravity: DVec3::ZERO, time_step: step, solver, ..WorldOptions::default() };
            let mut world = World::new(options).unwrap();
            let plate = Shape::cuboid(DVec3::new(0.002, 5.0, 5.0)).unwrap();
            world.add_body(&BodyDefinition::fixed(plate)).unwrap();
            // The handle hangs 0.9 m before the plate and turns about its upper end; the head, at 1.2 m, reaches the plate.
            let (pivot, spin) = (DVec3::X * -0.9, speed / 1.2);
            let mut above = world.ground();
            let mut head = None;
            for i in 0..4 {
                let top = pivot - DVec3::Y * (0.3 * f64::from(i));
                let centre = top - DVec3::Y * (if i == 3 { 0.3 } else { 0.15 });
                let shape = Shape::cuboid(if i == 3 { half } else { DVec3::new(0.02, 0.1, 0.02) }).unwrap();
                let moving = (DVec3::Z * spin).cross(centre - pivot);
                let link = BodyDefinition::dynamic(shape, 1000.0).at(centre).moving(moving, DVec3::Z * spin);
                let link = world.add_body(&link).unwrap();
                world.add_joint(&JointDefinition::hinge(above, link, top, DVec3::Z)).unwrap();
                (above, head) = (link, Some(link));
            }
            let head = head.unwrap();
            let mut met = false;
            for number in 0..30 {
                world.advance();
                met |= world.report().collisions > 0;
                let right = corners(&world, head, half).into_iter().map(|c| c.x).fold(f64::MIN, f64::max);
                // The plate's half thickness and a quarter of it.
                assert!(right < 0.0025, "{solver:?}, {speed} m/s, step {number}: {right} m");
            }
            assert!(met, "{solver:?}, {speed} m/s: the head meets the plate");
        }
    }
}

/// Where numbers end, at 1e20 m/s and a spin that no pose can follow, nothing can be proven: the body stays, and the step says so.
#[test]
fn a_pair_of_which_nothing_can_be_proven_does_not_move() {
    let options = WorldOptions { gravity: DVec3::ZERO, most_substeps: 1, ..WorldOptions::default() };
    let mut world = World::new(options).unwrap();
    world.add_body(&cube(0.05).at(DVec3::Z * 0.5)).unwrap();
    // Three different moments: with two equal ones the turn has a closed form at any spin.
    let plank = Shape::cuboid(STICK * DVec3::new(1.0, 1.0, 1.5)).unwrap();
    let stick = BodyDefinition::dynamic(plank, 1000.0).at(DVec3::Y * -0.2);
    let stick = world.add_body(&stick.moving(DVec3::Y * 1e20, DVec3::ZERO)).unwrap();
    world.advance();
    assert_eq!(world.details().unproven, 1);
    assert_eq!(world.pose(stick).unwrap(), Pose::from_translation(DVec3::Y * -0.2));
    assert_eq!(world.report().lost_time, 1.0 / 60.0);
}

/// Nothing stops a kinematic body; what it runs into is told.
#[test]
fn a_kinematic_body_that_crushes_something_is_reported() {
    let mut world = weightless(1.0 / 60.0, Solver::Auto);
    let wall = Shape::cuboid(DVec3::new(0.5, 10.0, 10.0)).unwrap();
    world.add_body(&BodyDefinition::fixed(wall).at(DVec3::X * 0.55)).unwrap();
    world.add_body(&cube(0.05)).unwrap();
    let press = BodyDefinition::kinematic(Shape::cuboid(DVec3::splat(0.2)).unwrap());
    let press = world.add_body(&press.at(DVec3::X * -2.0).moving(DVec3::X * 100.0, DVec3::ZERO)).unwrap();
    let crushed: usize = (0..3)
        .map(|_| {
            world.advance();
            world.details().crushed
        })
        .sum();
    assert!(crushed > 0);
    assert!(world.pose(press).unwrap().translation.x > 2.9);
}

/// Sticks of 1 m with up to 17 m and 1,700 rad a step, against a box of 1 cm and a mesh without thickness: their corners stay in front, and
/// no energy comes from the way that they are stopped on. Speeds and spins beyond what lets anything be sampled.
#[test]
fn sticks_that_spin_a_hundred_times_a_step_pass_nothing() {
    let plate = Shape::cuboid(DVec3::new(0.005, 10.0, 10.0)).unwrap();
    for (wall, half_thickness) in [(plate, 0.005), (sheet(), 0.0)] {
        for half in [STICK, DVec3::new(0.5, 0.02, 0.035)] {
            for (speed, spin) in [(100.0, 1e3), (300.0, 1e4), (1000.0, 1e3), (1000.0, 1e5)] {
                let mut world = weightless(1.0 / 60.0, Solver::Auto);
                world.add_body(&BodyDefinition::fixed(wall.clone())).unwrap();
                let stick = BodyDefinition::dynamic(Shape::cuboid(half).unwrap(), 1000.0)
                    .in_pose(Pose::new(DQuat::from_rotation_z(0.4), DVec3::X * -3.0))
                    .moving(DVec3::X * speed, DVec3::new(0.9, 0.3, 0.3) * spin);
                let stick = world.add_body(&stick).unwrap();
                let energy = world.energy().total();
                for step in 0..12 {
                    world.advance();
                    let x = corners(&world, stick, half).into_iter().map(|c| c.x).fold(f64::MIN, f64::max);
                    // A quarter of the smaller half thickness may be overlapped by what touches.
                    assert!(x < half_thickness + 0.005, "{speed} m/s, {spin} rad/s, step {step}: {x} m");
                    let now = world.energy().total();
                    assert!(now <= energy * (1.0 + 1e-9), "{speed} m/s, {spin} rad/s: {energy} J to {now} J");
                }
            }
        }
    }
}

/// The way that is swept is the flight itself: a top beside a plate that it never reaches flies as if there were none.
#[test]
fn a_top_that_is_swept_flies_like_one_that_is_not() {
    let fly = |plate: bool| {
        let mut world = weightless(1.0 / 60.0, Solver::Auto);
        let shape = Shape::cuboid(DVec3::new(0.005, 10.0, 10.0)).unwrap();
        if plate {
            world.add_body(&BodyDefinition::fixed(shape)).unwrap();
        }
        let stick = BodyDefinition::dynamic(Shape::cuboid(STICK).unwrap(), 1000.0)
            .in_pose(Pose::new(DQuat::from_rotation_z(1.55), DVec3::X * -0.09))
            .moving(DVec3::Y, DVec3::new(500.0, 15.0, 0.0));
        let stick = world.add_body(&stick).unwrap();
        let mut swept = 0;
        for _ in 0..30 {
            world.advance();
            swept += world.details().swept_pairs;
            assert_eq!(world.details().unproven, 0);
        }
        (swept, world.pose(stick).unwrap(), world.velocity(stick).unwrap(), world.energy().total())
    };
    let ((swept, pose, velocity, energy), (_, free_pose, free_velocity, free_energy)) =
        (fly(true), fly(false));
    assert!(swept >= 30, "{swept}");
    // 250 rad round by some 1e-13, and the moments of inertia are 300 to one.
    assert!(pose.rotation.dot(free_pose.rotation).abs() > 1.0 - 1e-12);
    assert!(pose.translation.distance(free_pose.translation) < 1e-12);
    assert!(velocity.angular.distance(free_velocity.angular) < 1e-6 * free_velocity.angular.length());
    assert!((energy - free_energy).abs() < 1e-9 * free_energy);
}
