//! Times of the steps of trees: tree-31 to tree-255 and growing chains.

use divan::Bencher;
use glam::{DQuat, DVec3};
use prall_math::{Pose, Twist};
use prall_mechanics::tree::models::{binary_tree, chain};
use prall_mechanics::tree::{JointKind, Tree, TreeDescription, TreeOptions};

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn main() {
    divan::main();
}

/// Tilted by 60 degrees and one second on its way, so that it moves as trees do.
fn moving(description: &TreeDescription) -> Tree {
    let mut tree = Tree::new(description).expect("the model is sound");
    let turn = Pose::from_rotation(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_3));
    let poses: Vec<Pose> = (0..tree.len()).map(|node| turn * tree.pose(node)).collect();
    tree.load(|node| (poses[node], Twist::ZERO));
    for _ in 0..60 {
        tree.step(1.0 / 60.0, GRAVITY, &TreeOptions::default());
    }
    tree
}

/// Hundred steps of 1/60 s from the same state, so that all runs do the same.
fn hundred_steps(bencher: Bencher, tree: &Tree, step: impl Fn(&mut Tree) + Sync) {
    bencher.with_inputs(|| tree.clone()).bench_local_refs(|tree| {
        for _ in 0..100 {
            step(tree);
        }
    });
}

#[divan::bench(args = [31, 63, 127, 255], sample_count = 10, sample_size = 1)]
fn stable_100_steps_at_30_hz(bencher: Bencher, count: u32) {
    let options = TreeOptions::default();
    hundred_steps(bencher, &moving(&binary_tree(count)), |tree| {
        tree.step(1.0 / 30.0, GRAVITY, &options);
    });
}

#[divan::bench(args = [31, 63, 127, 255], sample_count = 10, sample_size = 1)]
fn stable_100_steps_at_60_hz(bencher: Bencher, count: u32) {
    let options = TreeOptions::default();
    hundred_steps(bencher, &moving(&binary_tree(count)), |tree| {
        tree.step(1.0 / 60.0, GRAVITY, &options);
    });
}

#[divan::bench(args = [31, 255], sample_count = 10, sample_size = 1)]
fn explicit_100_steps_at_240_hz(bencher: Bencher, count: u32) {
    hundred_steps(bencher, &moving(&binary_tree(count)), |tree| tree.step_explicit(1.0 / 240.0, GRAVITY));
}

#[divan::bench(args = [10, 100, 1000, 10_000], sample_count = 5, sample_size = 1)]
fn accelerations_of_chains(bencher: Bencher, count: u32) {
    let tree = Tree::new(&chain(count, 1.0, JointKind::Ball)).expect("the model is sound");
    bencher.with_inputs(|| tree.clone()).bench_local_refs(|tree| tree.accelerations(GRAVITY, |_, _| {}));
}

#[divan::bench(args = [1e3, 1e4], sample_count = 10, sample_size = 1)]
fn heavy_chain_100_steps_at_30_hz(bencher: Bencher, end_mass: f64) {
    let options = TreeOptions::default();
    hundred_steps(bencher, &moving(&chain(10, end_mass, JointKind::Ball)), |tree| {
        tree.step(1.0 / 30.0, GRAVITY, &options);
    });
}
