//! What the certified sweep costs: spinning sticks that hit a plate, and a crowd of fast bodies in a closed box.

use divan::Bencher;
use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, Material, World, WorldOptions};
use prall_geometry::Shape;
use prall_math::Pose;

fn main() {
    divan::main();
}

/// Steps of 1/60 s in a run.
const STEPS: usize = 10;

fn empty() -> World {
    let options = WorldOptions { time_step: 1.0 / 60.0, gravity: DVec3::ZERO, ..WorldOptions::default() };
    World::new(options).unwrap()
}

fn cuboid(half: DVec3) -> Shape {
    Shape::cuboid(half).unwrap()
}

fn material(friction: f64, restitution: f64) -> Material {
    Material { static_friction: friction, dynamic_friction: friction, restitution, ..Material::default() }
}

/// Twenty sticks of 1 m at 100 m/s that turn with 60 rad/s until they hit a plate of 1 cm, and with thousands after it.
fn sticks() -> World {
    let (mut world, material) = (empty(), material(0.3, 0.2));
    let plate = BodyDefinition::fixed(cuboid(DVec3::new(0.005, 3.0, 12.0)));
    world.add_body(&plate.made_of(material)).unwrap();
    for i in (0..20).map(f64::from) {
        let place = DVec3::new(-2.0 - 0.13 * i, 0.0, 1.1 * (i - 9.5));
        let stick = BodyDefinition::dynamic(cuboid(DVec3::new(0.02, 0.5, 0.02)), 1000.0)
            .in_pose(Pose::new(DQuat::from_rotation_x(0.4 * i), place))
            .made_of(material)
            .moving(DVec3::X * 100.0, DVec3::new(0.0, 18.0, 60.0));
        world.add_body(&stick).unwrap();
    }
    world
}

/// Balls and cubes at 30 m/s in a closed box with walls of 2 cm.
fn crowd(count: usize) -> World {
    let (mut world, material) = (empty(), material(0.2, 0.9));
    let side = (count as f64).cbrt().ceil() as usize;
    let half = 0.15 * side as f64 + 0.2;
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for sign in [-1.0, 1.0] {
            let size = DVec3::splat(half + 0.02) + axis * (0.01 - half - 0.02);
            let wall = BodyDefinition::fixed(cuboid(size)).at(axis * sign * (half + 0.01));
            world.add_body(&wall.made_of(material)).unwrap();
        }
    }
    for i in 0..count {
        let place = [i % side, i / side % side, i / (side * side)].map(|k| k as f64);
        let place = 0.3 * (DVec3::from_array(place) - 0.5 * (side as f64 - 1.0));
        let shape = if i % 2 == 0 { Shape::sphere(0.05).unwrap() } else { cuboid(DVec3::splat(0.04)) };
        let turn = |k: usize| ((i * k) % 97) as f64 / 48.0 - 1.0;
        let way = DVec3::new(turn(31), turn(57), turn(83)).normalize_or(DVec3::X);
        let body = BodyDefinition::dynamic(shape, 800.0).at(place).made_of(material);
        world.add_body(&body.moving(way * 30.0, way.cross(DVec3::Y) * 5.0)).unwrap();
    }
    world
}

fn run(bencher: Bencher, world: impl Fn() -> World) {
    bencher.with_inputs(world).bench_local_values(|mut world| {
        for _ in 0..STEPS {
            world.advance();
        }
        world
    });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn sticks_at_a_plate(bencher: Bencher) {
    run(bencher, sticks);
}

#[divan::bench(sample_count = 5, sample_size = 1, args = [100, 500])]
fn crowd_in_a_box(bencher: Bencher, count: usize) {
    run(bencher, || crowd(count));
}
