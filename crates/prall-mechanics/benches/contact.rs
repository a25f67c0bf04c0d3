//! Contacts of whole scenes: one step with detection, and the solver's part of it alone.
//!
//! Exact starts stand and take the certificate's way; the heap of boxes in a pit takes that of the sweeps.

use divan::Bencher;
use glam::{DQuat, DVec3};
use prall_math::Pose;
use prall_mechanics::Budget;

#[path = "../tests/contacts/world.rs"]
mod world;

use world::{Disturbance, World};

fn main() {
    divan::main();
}

#[derive(Clone, Copy, Debug)]
enum Scene {
    Wall,
    Tower100,
    Pyramid385,
    LargePyramid,
    Heap,
}

const SCENES: [Scene; 5] =
    [Scene::Wall, Scene::Tower100, Scene::Pyramid385, Scene::LargePyramid, Scene::Heap];

/// The scene after a few steps, when nothing is allocated any more.
fn scene(scene: Scene) -> World {
    let still = &mut Disturbance::none();
    let (mut world, warm_up) = match scene {
        Scene::Wall => (world::wall(1.0 / 60.0, still), 10),
        Scene::Tower100 => (world::tower(1.0 / 60.0, 100, still), 10),
        Scene::Pyramid385 => (world::pyramid(1.0 / 60.0, 10, still), 10),
        Scene::LargePyramid => (world::flat_pyramid(1.0 / 60.0, 100, 1.0, still), 3),
        Scene::Heap => (heap(), 240),
    };
    for _ in 0..warm_up {
        world.step();
    }
    world
}

/// 1000 cubes of 0.2 m that fall into a pit 2 m wide, at 1/240 s.
fn heap() -> World {
    let mut world = World::new(1.0 / 240.0);
    world.add_ground(DQuat::IDENTITY, 0.5);
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = DVec3::new(if x == 0.0 { 1.5 } else { 0.25 }, 10.0, if z == 0.0 { 1.5 } else { 0.25 });
        let pose = Pose::from_translation(DVec3::new(1.25 * x, 10.0, 1.25 * z));
        let shape = prall_geometry::Shape::cuboid(half).expect("a box");
        world.add_fixed(shape, pose, world::law(0.5));
    }
    for i in 0..1000 {
        let (x, y, z) = (i % 7, i / 49, i / 7 % 7);
        let at = DVec3::new(f64::from(x) - 3.0, f64::from(y) + 0.5, f64::from(z) - 3.0) * 0.27;
        let turn = DQuat::from_scaled_axis(DVec3::new(0.3, 0.1, 0.2) * f64::from(i % 5));
        world.add_box(DVec3::splat(0.1), Pose::new(turn, at), 1.0, 0.5);
    }
    world
}

#[divan::bench(args = SCENES, sample_count = 30)]
fn step(bencher: Bencher, which: Scene) {
    let mut world = scene(which);
    bencher.bench_local(|| world.step());
}

/// Percussions for contacts that have been found, from the velocities at the start of the step.
#[divan::bench(args = SCENES, sample_count = 30)]
fn solve(bencher: Bencher, which: Scene) {
    let mut world = scene(which);
    world.detect();
    let start = world.bodies.velocities.clone();
    bencher.bench_local(|| {
        world.bodies.velocities.clone_from(&start);
        world.solve(&mut Budget::unlimited());
    });
}
