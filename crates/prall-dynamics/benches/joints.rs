//! The table of methods and sizes of Bender 2007, section 7: trees of 31 to 255 bodies on ball joints at h = 1/30 s, by every
//! solver, and the other scenes of joints that have a goal. Ten steps each, from the same state in full swing.

use divan::Bencher;
use glam::{DMat3, DQuat, DVec3};
use prall_dynamics::{BodyDefinition, JointDefinition, Solver, World, WorldOptions};
use prall_geometry::MassProperties;
use prall_math::{Pose, Twist};

fn main() {
    divan::main();
}

/// A box without a shape: contacts are not what is measured here.
fn block(mass: f64, edges: DVec3) -> BodyDefinition {
    let e = edges * edges;
    BodyDefinition::massive(MassProperties {
        mass,
        center_of_mass: DVec3::ZERO,
        inertia: DMat3::from_diagonal(DVec3::new(e.y + e.z, e.x + e.z, e.x + e.y) * (mass / 12.0)),
    })
}

fn world(rate: f64, solver: Solver, tolerance: f64) -> World {
    World::new(WorldOptions {
        time_step: 1.0 / rate,
        solver,
        position_tolerance: tolerance,
        velocity_tolerance: tolerance,
        // The source takes every step whole.
        most_substeps: 1,
        ..WorldOptions::default()
    })
    .expect("the options are sound")
}

/// Rods of 0.4 m and 1 kg in a complete binary tree, children side by side, tilted by 60 degrees.
fn tree(world: &mut World, count: usize) {
    let turn = Pose::from_rotation(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_3));
    let mut rods = Vec::new();
    for i in 0..count {
        let (parent, top) = match i {
            0 => (world.ground(), DVec3::ZERO),
            _ => {
                let (rod, top): (_, DVec3) = rods[(i - 1) / 2];
                (rod, top + DVec3::new(if i % 2 == 1 { -0.1 } else { 0.1 }, -0.4, 0.0))
            }
        };
        let place = turn * Pose::from_translation(top - DVec3::Y * 0.2);
        let rod = world.add_body(&block(1.0, DVec3::new(0.05, 0.4, 0.05)).in_pose(place)).expect("a body");
        let joint = JointDefinition::ball(parent, rod, turn.transform_point(top));
        world.add_joint(&joint).expect("a joint");
        rods.push((rod, top));
    }
}

/// Ten links of 1 kg and a heavy end, tilted by 20 degrees.
fn heavy_chain(world: &mut World, end: f64) {
    let turn = Pose::from_rotation(DQuat::from_rotation_z(0.35));
    let mut above = world.ground();
    for i in 0..11 {
        let top = DVec3::Y * (-0.2 * f64::from(i));
        let mass = if i == 10 { end } else { 1.0 };
        let place = turn * Pose::from_translation(top - DVec3::Y * 0.1);
        let link = world.add_body(&block(mass, DVec3::new(0.04, 0.2, 0.04)).in_pose(place)).expect("a body");
        world.add_joint(&JointDefinition::ball(above, link, turn.transform_point(top))).expect("a joint");
        above = link;
    }
}

/// A hanging net of `size` by `size` balls, its upper edge fixed.
fn grid(world: &mut World, size: usize) {
    let mut bodies = Vec::new();
    for column in 0..size {
        for row in 0..size {
            let place = DVec3::new(column as f64, -(row as f64), 0.0);
            let body = if row == 0 {
                world.ground()
            } else {
                world.add_body(&block(0.27, DVec3::splat(0.7)).at(place)).expect("a body")
            };
            if row > 0 {
                let above = bodies[bodies.len() - 1];
                world
                    .add_joint(&JointDefinition::ball(above, body, place + DVec3::Y * 0.5))
                    .expect("a joint");
                if column > 0 {
                    let left = bodies[bodies.len() - size];
                    world
                        .add_joint(&JointDefinition::ball(left, body, place - DVec3::X * 0.5))
                        .expect("a joint");
                }
            }
            bodies.push(body);
        }
    }
}

/// Ten steps after five on the way, by the tree solver for all, so that every method starts from the same swing. Not later: whole
/// steps of 1/30 s by impulses do not follow a large tree for long.
fn ten_steps(bencher: Bencher, build: impl Fn(&mut World), rate: f64, solver: Solver, tolerance: f64) {
    let mut started = world(rate, Solver::Tree, 1e-6);
    build(&mut started);
    (0..5).for_each(|_| {
        started.advance();
    });
    let state = started.save();
    // Ordering the joints belongs to building a world, not to its steps: the first step is not counted.
    let make = || {
        let mut stepped = world(rate, solver, tolerance);
        build(&mut stepped);
        let options = *stepped.options();
        stepped.restore(&state).expect("a state of the same bodies");
        stepped.set_options(options).expect("the same options");
        stepped.advance();
        stepped
    };
    bencher.with_inputs(make).bench_local_refs(|stepped| {
        (0..10).for_each(|_| {
            stepped.advance();
        });
    });
}

const SIZES: [usize; 4] = [31, 63, 127, 255];

#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn trees_iterative_1e_3(bencher: Bencher, count: usize) {
    ten_steps(bencher, |world| tree(world, count), 30.0, Solver::Iterative, 1e-3);
}

#[divan::bench(args = SIZES, sample_count = 3, sample_size = 1)]
fn trees_iterative_1e_6(bencher: Bencher, count: usize) {
    ten_steps(bencher, |world| tree(world, count), 30.0, Solver::Iterative, 1e-6);
}

#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn trees_direct_1e_6(bencher: Bencher, count: usize) {
    ten_steps(bencher, |world| tree(world, count), 30.0, Solver::Direct, 1e-6);
}

#[divan::bench(args = [31, 63, 127, 255, 511, 1023, 2047, 4095], sample_count = 10, sample_size = 1)]
fn trees_tree_1e_6(bencher: Bencher, count: usize) {
    ten_steps(bencher, |world| tree(world, count), 30.0, Solver::Tree, 1e-6);
}

#[divan::bench(args = SIZES, sample_count = 10, sample_size = 1)]
fn trees_tree_1e_6_at_60_hz(bencher: Bencher, count: usize) {
    ten_steps(bencher, |world| tree(world, count), 60.0, Solver::Tree, 1e-6);
}

#[divan::bench(args = [1e3, 1e4], sample_count = 10, sample_size = 1)]
fn heavy_chain_auto(bencher: Bencher, end: f64) {
    ten_steps(bencher, |world| heavy_chain(world, end), 60.0, Solver::Auto, 1e-6);
}

#[divan::bench(args = [Solver::Iterative, Solver::Direct, Solver::Auto], sample_count = 3, sample_size = 1)]
fn grid_of_900(bencher: Bencher, solver: Solver) {
    ten_steps(bencher, |world| grid(world, 30), 60.0, solver, 1e-3);
}

/// Ten steps of a net whose lower half was pushed by 2 m/s: factored once for every part of a step.
#[divan::bench(args = [30, 100], sample_count = 3, sample_size = 1)]
fn swinging_net(bencher: Bencher, size: usize) {
    let make = || {
        let mut net = world(60.0, Solver::Auto, 1e-5);
        grid(&mut net, size);
        for (i, body) in net.body_handles().collect::<Vec<_>>().into_iter().enumerate() {
            // Column by column, the upper edge being the ground.
            if 2 * (i % (size - 1)) > size {
                let pushed = Twist { linear: DVec3::Z * 2.0, angular: DVec3::ZERO };
                net.set_velocity(body, pushed).expect("a body");
            }
        }
        net.advance();
        net
    };
    bencher.with_inputs(make).bench_local_refs(|net| {
        (0..10).for_each(|_| {
            net.advance();
        });
    });
}
