//! What stands, stands, and only what touches bears load.

use glam::DVec3;
use prall_dynamics::{BodyDefinition, ContactMark, ShapeDefinition, World};
use prall_geometry::{HalfSpace, Shape};
use prall_math::Pose;

use crate::support::{
    block, card, cube, cup, dynamic, dynamic_surface, fixed, guard, rough, run, sheet, turned, world,
};

/// Edge of the cubes in m.
const EDGE: f64 = 0.05;

/// How far the bodies move in some steps, at most, in m.
fn creep(world: &mut World, steps: usize) -> f64 {
    let before: Vec<_> = world.body_handles().map(|body| world.pose(body).unwrap()).collect();
    for _ in 0..steps {
        world.advance();
    }
    let after = world.body_handles().map(|body| world.pose(body).unwrap());
    before.iter().zip(after).map(|(a, b)| a.translation.distance(b.translation)).fold(0.0, f64::max)
}

/// A cube that comes down on its edge or corner turns flat and stays above the cube that it stands on.
#[test]
fn a_turned_cube_comes_to_rest_on_a_cube() {
    let shape = cube(EDGE);
    for axis in [DVec3::X, DVec3::Z, DVec3::new(1.0, 0.3, 1.0)] {
        for angle in [0.01, 0.05, 0.2] {
            for drop in [1e-5, 5.65e-4, 0.02] {
                let mut world = world(1.0 / 60.0);
                world.add_body(&fixed(&shape, rough(0.5))).unwrap();
                let turn = turned(axis, angle, DVec3::ZERO);
                let matrix = turn.rotation_matrix().transpose();
                let low =
                    0.5 * EDGE * (matrix.y_axis.x.abs() + matrix.y_axis.y.abs() + matrix.y_axis.z.abs());
                let pose = turned(axis, angle, DVec3::Y * (0.5 * EDGE + low + drop));
                let top = world.add_body(&dynamic(&shape, rough(0.5)).in_pose(pose)).unwrap();
                let judge = run(&mut world, 40, 4);
                let height = world.pose(top).unwrap().translation.y;
                assert_eq!(judge.overlaps, 0, "axis {axis}, {angle} rad, {drop} m");
                assert!(
                    height > EDGE && height < EDGE + 4e-3,
                    "axis {axis}, {angle} rad, {drop} m: {height}"
                );
            }
        }
    }
}

/// Five turned cubes on each other rest at one guard each and do not creep.
#[test]
fn a_tower_of_five_stands_one_guard_apart() {
    let mut world = world(1.0 / 60.0);
    world.add_body(&fixed(&block(DVec3::new(0.4, EDGE, 0.4)), rough(0.5))).unwrap();
    let mut tower = Vec::new();
    for k in 0..5 {
        let at = DVec3::Y * (EDGE + 2.0 * guard(EDGE)) * f64::from(k + 1);
        let pose = turned(DVec3::Y, 0.1 * f64::from(k), at);
        tower.push(world.add_body(&dynamic(&cube(EDGE), rough(0.5)).in_pose(pose)).unwrap());
    }
    assert_eq!(run(&mut world, 60, 2).overlaps, 0);
    assert!(creep(&mut world, 60) < 1e-9, "{:?}", world.solid_report());
    for (k, body) in tower.iter().enumerate() {
        let over = world.pose(*body).unwrap().translation.y - EDGE * (k + 1) as f64;
        assert!((over / guard(EDGE) - (k + 1) as f64).abs() < 0.3 * (k + 1) as f64, "cube {k}: {over} m");
    }
}

/// Cubes that are put on each other at a distance of exactly 0 are apart after the first step and stand.
#[test]
fn flush_stacks_and_pyramids_stand() {
    let shape = cube(EDGE);
    let stack: Vec<DVec3> = (0..3).map(|k| DVec3::Y * EDGE * f64::from(k + 1)).collect();
    let pyramid: Vec<DVec3> = (0..3)
        .flat_map(|row| (0..3 - row).map(move |k| (row, k)))
        .map(|(row, k)| {
            DVec3::new((f64::from(k) + 0.5 * f64::from(row)) * EDGE, EDGE * f64::from(row + 1), 0.0)
        })
        .collect();
    for places in [stack, pyramid] {
        let mut world = world(1.0 / 60.0);
        world.add_body(&fixed(&block(DVec3::new(0.4, EDGE, 0.4)), rough(0.5))).unwrap();
        for place in &places {
            world.add_body(&dynamic(&shape, rough(0.5)).at(*place)).unwrap();
        }
        assert_eq!(run(&mut world, 30, 2).overlaps, 0, "{} cubes", places.len());
        let crept = creep(&mut world, 30);
        assert!(crept < 1e-6, "{} cubes crept {crept} m", places.len());
        for (body, place) in world.body_handles().skip(1).zip(&places) {
            let moved = world.pose(body).unwrap().translation.distance(*place);
            assert!(moved < 10.0 * guard(EDGE), "{} cubes: one moved by {moved} m", places.len());
        }
    }
}

/// Two cards without thickness lean on each other.
#[test]
fn a_tent_of_two_cards_stands() {
    let mut world = world(0.01);
    world.add_body(&fixed(&sheet(1.0), rough(0.8))).unwrap();
    let angle = 0.35;
    let half = 0.05;
    for side in [-1.0, 1.0] {
        let up = DVec3::new(-side * libm::sin(angle), libm::cos(angle), 0.0);
        let middle = DVec3::new(
            side * (half * libm::sin(angle) + 0.6 * guard(0.1)),
            half * libm::cos(angle) + 1.1 * guard(0.1),
            0.0,
        );
        let shape = card(up * 2.0 * half, DVec3::Z * 0.06);
        world.add_body(&dynamic_surface(&shape, 0.002, rough(0.8)).at(middle)).unwrap();
    }
    let judge = run(&mut world, 100, 2);
    assert_eq!(judge.overlaps, 0);
    let crept = creep(&mut world, 100);
    assert!(crept < 1e-6, "crept {crept} m");
    let top = world.pose(world.body_handles().nth(1).unwrap()).unwrap().translation.y;
    assert!((top - half * libm::cos(angle)).abs() < 4.0 * guard(0.1), "{top}");
}

/// A cup bears ten thousand times its mass, one guard over the sheet below and one under the block above.
#[test]
fn a_cup_bears_ten_thousand_times_its_mass() {
    let mut world = world(1.0 / 60.0);
    world.add_body(&fixed(&sheet(1.0), rough(0.5))).unwrap();
    let cup = world
        .add_body(&dynamic(&cup(EDGE, 0.001), rough(0.5)).at(DVec3::Y * (0.5 * EDGE + 2.0 * guard(EDGE))))
        .unwrap();
    let mut top = dynamic(&cube(0.06), rough(0.5)).at(DVec3::Y * (EDGE + 0.03 + 6.0 * guard(EDGE)));
    top.shapes[0].density = 1e4 * world.mass(cup).unwrap() / 2.16e-4;
    let top = world.add_body(&top).unwrap();
    assert!((world.mass(top).unwrap() / world.mass(cup).unwrap() / 1e4 - 1.0).abs() < 1e-9);
    assert_eq!(run(&mut world, 60, 2).overlaps, 0);
    assert!(creep(&mut world, 30) < 1e-9);
    let heights = [cup, top].map(|body| world.pose(body).unwrap().translation.y);
    assert!((heights[0] - 0.5 * EDGE - guard(EDGE)).abs() < 0.3 * guard(EDGE), "cup {heights:?}");
    assert!((heights[1] - EDGE - 0.03 - 2.0 * guard(EDGE)).abs() < 0.6 * guard(EDGE), "block {heights:?}");
}

/// A table of meshes whose fourth leg is 0.15 mm short stands on three.
#[test]
fn a_short_leg_bears_nothing() {
    let mut world = world(1.0 / 60.0);
    world.add_body(&fixed(&sheet(4.0), rough(0.5))).unwrap();
    let part = |size: DVec3, at: DVec3| ShapeDefinition {
        pose: Pose::from_translation(at),
        shape: block(size),
        density: 600.0,
    };
    let mut shapes = vec![
        part(DVec3::new(0.8, 0.04, 0.8), DVec3::Y * 0.721),
        // The weight keeps the table from tilting to the short leg.
        part(DVec3::new(0.2, 0.2, 0.2), DVec3::new(-0.3, 0.842, -0.3)),
    ];
    for (x, z) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
        let foot = if x + z > 1.0 { 1.5e-4 } else { 0.0 };
        shapes.push(part(
            DVec3::new(0.05, 0.7 - foot, 0.05),
            DVec3::new(0.37 * x, 0.35 + 0.5 * foot, 0.37 * z),
        ));
    }
    let table =
        BodyDefinition { shapes, ..BodyDefinition::default() }.made_of(rough(0.5)).at(DVec3::Y * 6e-5);
    let table = world.add_body(&table).unwrap();
    run(&mut world, 60, 1);
    assert!(creep(&mut world, 30) < 1e-9);
    let force = |at_short_leg: bool| -> f64 {
        let is_there = |mark: &ContactMark| (mark.point.x > 0.3 && mark.point.z > 0.3) == at_short_leg;
        world.contact_marks().filter(is_there).map(|mark| mark.force.y.abs()).sum()
    };
    let weight = world.mass(table).unwrap() * 9.81;
    assert_eq!(force(true), 0.0);
    assert!((force(false) / weight - 1.0).abs() < 1e-3, "{} of {weight} N", force(false));
}

/// A cube on a slope holds if the friction is above the tangent.
#[test]
fn a_cube_holds_on_a_slope_below_the_angle_of_friction() {
    for (degrees, friction) in [(20.0_f64, 0.37), (26.5, 0.5), (44.0, 1.0)] {
        let tilt = degrees.to_radians();
        let mut world = world(1.0 / 60.0);
        world
            .add_body(&fixed(&sheet(4.0), rough(friction)).in_pose(turned(DVec3::Z, tilt, DVec3::ZERO)))
            .unwrap();
        let place = turned(DVec3::Z, tilt, DVec3::ZERO)
            * Pose::from_translation(DVec3::Y * (0.5 * EDGE + guard(EDGE)));
        world.add_body(&dynamic(&cube(EDGE), rough(friction)).in_pose(place)).unwrap();
        let crept = creep(&mut world, 60);
        assert!(crept < 1e-6, "{degrees} degrees, friction {friction}: {crept} m");
    }
}

/// A mesh cube that falls on a half-space, a box and a sphere's top comes to rest there: primitives are as solid as meshes to it.
#[test]
fn a_mesh_cube_rests_on_primitives() {
    let ball = Shape::sphere(0.2).unwrap();
    let slab = Shape::cuboid(DVec3::new(0.2, 0.2, 0.2)).unwrap();
    for (name, shape, top) in
        [("half-space", Shape::HalfSpace(HalfSpace), 0.0), ("box", slab, 0.2), ("ball", ball, 0.2)]
    {
        let mut world = world(1.0 / 60.0);
        world.add_body(&fixed(&shape, rough(0.5))).unwrap();
        let body = dynamic(&cube(EDGE), rough(0.5)).at(DVec3::Y * (top + 0.5 * EDGE + 0.01));
        let body = world.add_body(&body).unwrap();
        run(&mut world, 60, 1);
        let over = world.pose(body).unwrap().translation.y - top - 0.5 * EDGE;
        assert!((0.0..2.0 * guard(EDGE)).contains(&over), "{name}: {over} m above touching");
    }
}

/// Nine columns of three slightly turned cubes fall on a sheet. Impacts that velocities foretell are met before anything is solved, so that sweeps of
/// solved motions find half as many: 86 instead of 164.
#[test]
fn impacts_are_met_before_they_are_solved() {
    let mut world = world(1.0 / 60.0);
    world.add_body(&fixed(&sheet(4.0), rough(0.5))).unwrap();
    for k in 0..27 {
        let (column, row, layer) = (k % 3, k / 3 % 3, k / 9);
        let at = DVec3::new(f64::from(column), f64::from(layer) + 0.7, f64::from(row)) * 0.06;
        let axis = DVec3::new(1.0, f64::from(k % 5) - 2.0, f64::from(k % 7) - 3.0);
        world.add_body(&dynamic(&cube(EDGE), rough(0.5)).in_pose(turned(axis, 0.1, at))).unwrap();
    }
    let mut hits = 0;
    for _ in 0..40 {
        world.advance();
        hits += world.solid_report().hits;
    }
    assert!(hits < 120, "{hits} impacts were found after a solve");
    assert!(creep(&mut world, 20) < 1e-6);
}
