//! No load passes through air: a contact point bears load only where its gap is closed.
//!
//! Parts with play are where this shows. What counts as closed by mistake has friction, and with a wall on either side friction has no limit.

use crate::support::*;
use glam::DVec3;
use prall_dynamics::{
    BodyDefinition, BodyHandle, BodyKind, Material, ShapeDefinition, Solver, World, WorldOptions,
};
use prall_geometry::Shape;
use prall_math::{Pose, Twist, Wrench};

const STEP: f64 = 1.0 / 60.0;

fn rough(friction: f64) -> Material {
    Material { static_friction: friction, dynamic_friction: friction, ..Material::default() }
}

fn cuboid(half: DVec3) -> Shape {
    Shape::cuboid(half).unwrap()
}

/// A fixed cuboid between two corners.
fn block(world: &mut World, low: DVec3, high: DVec3, material: Material) {
    let shape = cuboid(0.5 * (high - low));
    world.add_body(&BodyDefinition::fixed(shape).at(0.5 * (low + high)).made_of(material)).unwrap();
}

/// A floor whose top is at 0.
fn floor(world: &mut World, material: Material) {
    block(world, DVec3::new(-2.0, -0.5, -2.0), DVec3::new(2.0, 0.0, 42.0), material);
}

/// Half the size of a drawer of 8 kg.
const DRAWER: DVec3 = DVec3::new(0.2, 0.1, 0.25);
const FRICTION: f64 = 0.05;

/// A drawer with this much play on each side, in m, pulled along z by a force in N.
fn drawer(play: f64, pull: f64) -> (World, BodyHandle) {
    let (mut world, material) = (world(STEP, Solver::Auto), rough(FRICTION));
    floor(&mut world, material);
    let (inside, outside) = (DRAWER.x + play, DRAWER.x + play + 0.02);
    for (low, high) in [(-outside, -inside), (inside, outside)] {
        block(&mut world, DVec3::new(low, 0.0, -2.0), DVec3::new(high, 0.3, 42.0), material);
    }
    let density = 8.0 / (8.0 * DRAWER.element_product());
    let drawer = BodyDefinition::dynamic(cuboid(DRAWER), density).at(DVec3::Y * DRAWER.y);
    let drawer = world.add_body(&drawer.made_of(material)).unwrap();
    world.set_load(drawer, Wrench::new(DVec3::Z * pull, DVec3::ZERO)).unwrap();
    (world, drawer)
}

fn slides_as_without_walls(play: f64, pull: f64) {
    let (mut world, drawer) = drawer(play, pull);
    let start = world.pose(drawer).unwrap().translation;
    run(&mut world, 30);
    let exact = 0.5 * (pull / 8.0 - FRICTION * GRAVITY) * 0.25;
    let way = (world.pose(drawer).unwrap().translation - start).z;
    assert!((way / exact - 1.0).abs() < 1e-3, "play {play}, {pull} N: {way} m against {exact} m");
}

#[test]
fn a_drawer_with_play_slides_as_without_walls() {
    slides_as_without_walls(0.19e-3, 20.0);
    slides_as_without_walls(0.19e-3, 1000.0);
}

/// Rigid walls that fit exactly squeeze no more than the passes of the solver leave: 2 % of the weight, which friction makes 0.1 % of it.
#[test]
fn a_drawer_without_play_gains_speed_as_without_walls() {
    for play in [0.0, 5e-6, 15e-6, 25e-6, 50e-6] {
        for pull in [20.0, 1000.0] {
            let (mut world, drawer) = drawer(play, pull);
            run(&mut world, 30);
            let exact = 0.5 * (pull / 8.0 - FRICTION * GRAVITY);
            let speed = world.velocity(drawer).unwrap().linear.z;
            assert!(
                (speed / exact - 1.0).abs() < 0.01,
                "play {play}, {pull} N: {speed} m/s against {exact} m/s"
            );
        }
    }
}

/// Friction on the floor holds 3.9 N.
#[test]
fn a_drawer_that_is_pulled_by_less_than_its_friction_stays() {
    for play in [0.0, 0.19e-3] {
        let (mut world, drawer) = drawer(play, 3.0);
        let start = world.pose(drawer).unwrap();
        run(&mut world, 60);
        assert_eq!(world.pose(drawer).unwrap(), start, "play {play}");
        assert!(world.contacts().iter().all(|c| c.normal.x.abs() < 0.5 || c.impulse == DVec3::ZERO));
    }
}

/// A cuboid in a shaft of four walls, with this much air on each side, in m, and its velocity downwards, in m/s.
fn in_a_shaft(half: DVec3, air: f64, speed: f64) -> (World, BodyHandle) {
    let (mut world, material) = (world(STEP, Solver::Auto), rough(0.5));
    let thick = 0.05;
    let (x, z) = (half.x + air, half.z + air);
    for sign in [-1.0, 1.0] {
        let wall = BodyDefinition::fixed(cuboid(DVec3::new(0.5 * thick, 2.0, z + thick)));
        world.add_body(&wall.at(DVec3::X * sign * (x + 0.5 * thick)).made_of(material)).unwrap();
        let wall = BodyDefinition::fixed(cuboid(DVec3::new(x + thick, 2.0, 0.5 * thick)));
        world.add_body(&wall.at(DVec3::Z * sign * (z + 0.5 * thick)).made_of(material)).unwrap();
    }
    let body = BodyDefinition::dynamic(cuboid(half), 1000.0).moving(DVec3::NEG_Y * speed, DVec3::ZERO);
    let body = world.add_body(&body.made_of(material)).unwrap();
    (world, body)
}

fn falls_freely(half: DVec3, air: f64, speed: f64) {
    let (mut world, body) = in_a_shaft(half, air, speed);
    for step in 1..=18 {
        world.advance();
        let time = f64::from(step) * STEP;
        let exact = speed + GRAVITY * time;
        let fall = -world.velocity(body).unwrap().linear.y;
        assert!((fall / exact - 1.0).abs() < 1e-6, "step {step}: {fall} m/s against {exact} m/s");
    }
}

#[test]
fn a_peg_with_play_falls() {
    falls_freely(DVec3::new(0.05, 0.1, 0.05), 0.1e-3, 0.0);
}

#[test]
fn a_box_that_falls_in_a_shaft_does_not_stop() {
    falls_freely(DVec3::new(0.15, 0.1, 0.15), 0.19e-3, 0.45);
}

/// Rigid walls that fit exactly squeeze nothing, and what they do not squeeze they do not hold.
#[test]
fn a_peg_that_fits_exactly_falls() {
    falls_freely(DVec3::new(0.05, 0.1, 0.05), 0.0, 0.0);
    falls_freely(DVec3::new(0.05, 0.1, 0.05), 15e-6, 0.0);
}

/// How much shorter the short leg is, in m.
const SHORT: f64 = 0.15e-3;

/// A table of 82 kg with legs at the corners, the one at +x, +z too short, and a weight on top in one corner (signs of x and z).
fn table(options: WorldOptions, weight: DVec3) -> (World, BodyHandle) {
    let mut world = World::new(options).unwrap();
    floor(&mut world, rough(0.5));
    let part = |half: DVec3, at: DVec3, density: f64| ShapeDefinition {
        pose: Pose::from_translation(at),
        shape: cuboid(half),
        density,
    };
    let mut shapes = vec![
        part(DVec3::new(0.6, 0.02, 0.4), DVec3::Y * 0.72, 1000.0),
        part(DVec3::splat(0.1), DVec3::new(0.3, 0.0, 0.2) * weight + DVec3::Y * 0.84, 4000.0),
    ];
    for (x, z) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
        let half = 0.35 - if x + z > 1.0 { 0.5 * SHORT } else { 0.0 };
        shapes.push(part(DVec3::new(0.02, half, 0.02), DVec3::new(0.55 * x, 0.7 - half, 0.35 * z), 1000.0));
    }
    let table = BodyDefinition { shapes, ..BodyDefinition::default() }.made_of(rough(0.5));
    let table = world.add_body(&table).unwrap();
    (world, table)
}

/// What the short leg and what all legs bear, in N.
fn borne(world: &World) -> (f64, f64) {
    let force = |c: &prall_mechanics::ContactView| c.impulse.y.abs() / STEP;
    let short = world.contacts().iter().filter(|c| c.point.x + c.point.z > 0.7);
    (short.map(|c| force(&c)).sum(), world.contacts().iter().map(|c| force(&c)).sum())
}

#[test]
fn a_short_leg_carries_nothing() {
    for weight in [DVec3::ZERO, DVec3::new(-1.0, 0.0, -1.0)] {
        let (mut world, table) = table(WorldOptions::default(), weight);
        let start = world.pose(table).unwrap();
        let expected = world.mass(table).unwrap() * GRAVITY;
        for step in 0..120 {
            world.advance();
            let (short, all) = borne(&world);
            assert_eq!(short, 0.0, "step {step}");
            assert!((all / expected - 1.0).abs() < 1e-6, "step {step}: {all} N of {expected} N");
        }
        assert_eq!(world.pose(table).unwrap(), start);
    }
}

/// A weight above the short leg tips the table onto it: then it carries, with its gap closed.
#[test]
fn a_table_that_tips_onto_its_short_leg_stands_on_it() {
    let (mut world, table) = table(WorldOptions::default(), DVec3::new(1.6, 0.0, 1.5));
    run(&mut world, 120);
    let (short, all) = borne(&world);
    let expected = world.mass(table).unwrap() * GRAVITY;
    assert!(
        short > 0.25 * expected && (all / expected - 1.0).abs() < 1e-6,
        "{short} N, {all} N of {expected} N"
    );
    let closed = world.options().contact.shell;
    let loaded = world.contacts().iter().filter(|c| c.impulse != DVec3::ZERO);
    let gap = loaded.map(|c| c.gap).fold(0.0, f64::max);
    assert!(gap <= closed, "load over {gap} m");
    let start = world.pose(table).unwrap();
    run(&mut world, 60);
    assert_eq!(world.pose(table).unwrap(), start);
}

/// A world that is told to take 0.2 mm for closed says in its report what that is worth.
#[test]
fn a_loaded_gap_is_a_position_error() {
    let mut options = WorldOptions::default();
    let (mut world, _) = table(options, DVec3::ZERO);
    run(&mut world, 10);
    assert!(world.report().position_error <= options.contact.position_tolerance, "{:?}", world.report());
    options.contact.shell = 0.2e-3;
    let (mut world, _) = table(options, DVec3::ZERO);
    run(&mut world, 10);
    assert!(borne(&world).0 > 10.0);
    let error = world.report().position_error;
    // The points of its foot lie in the plane, so that all have the same gap.
    assert!((error - SHORT).abs() < 1e-9, "{error} m");
}

/// Cubes of 0.2 m in a row along an axis, upwards, between a floor and a press that goes too far by `over`; how deep neighbours overlap.
fn squeezed(axis: DVec3, count: usize, over: f64) -> Vec<f64> {
    let options =
        WorldOptions { time_step: 1.0 / 240.0, gravity: axis * -GRAVITY, ..WorldOptions::default() };
    let mut world = World::new(options).unwrap();
    let length = 0.2 * count as f64;
    let wall = DVec3::splat(0.5) * (DVec3::ONE - axis.abs()) + axis.abs() * 0.05;
    let wall = |at: f64| BodyDefinition::fixed(cuboid(wall)).at(axis * at).made_of(rough(0.5));
    let first = world.add_body(&wall(-0.05)).unwrap();
    let mut row = vec![(first, 0.05)];
    for number in 0..count {
        let at = axis * (0.1 + 0.2 * number as f64);
        let cube = BodyDefinition::dynamic(cuboid(DVec3::splat(0.1)), 1000.0).at(at).made_of(rough(0.5));
        row.push((world.add_body(&cube).unwrap(), 0.1));
    }
    let press = BodyDefinition { kind: BodyKind::Kinematic, ..wall(length + 0.06) };
    let press = world.add_body(&press.moving(axis * -(over + 0.01), DVec3::ZERO)).unwrap();
    row.push((press, 0.05));
    run(&mut world, 240);
    world.set_velocity(press, Twist::ZERO).unwrap();
    run(&mut world, 240);
    let place = |body: BodyHandle| world.pose(body).unwrap().translation.dot(axis);
    row.windows(2).map(|pair| pair[0].1 + pair[1].1 - (place(pair[1].0) - place(pair[0].0))).collect()
}

/// A press goes 10 mm too far: floor and press have half of it each. In a row of three, neighbours that both yield have twice as much
/// as one has against a wall.
#[test]
fn what_is_squeezed_overlaps_on_each_side() {
    for (axis, shares) in [
        (DVec3::Y, &[5e-3, 5e-3][..]),
        (DVec3::NEG_X, &[5e-3, 5e-3]),
        (DVec3::Y, &[1.67e-3, 3.33e-3, 3.33e-3, 1.67e-3]),
    ] {
        let depths = squeezed(axis, shares.len() - 1, 0.01);
        let near = |(depth, share): (&f64, &f64)| (depth - share).abs() < 0.05 * share;
        assert!(depths.iter().zip(shares).all(near), "along {axis}: {depths:?} m");
    }
}
