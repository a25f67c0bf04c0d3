//! Accelerations three ways that share only the kinematics of single joints.

use crate::scenes::*;
use glam::DVec3;
use prall_math::Wrench;
use prall_mechanics::tree::{ForceElement, JointKind, Spring, Tree};

fn loaded_menagerie(root: JointKind) -> Tree {
    let mut description = menagerie(root);
    description.nodes[1].joint.elements[0] =
        ForceElement { spring: Spring::Linear { stiffness: 30.0, rest: 0.4 }, damping: 2.0, motor: 0.5 };
    let mut tree = shaken(&description, 1.5);
    tree.set_load(3, Wrench::new(DVec3::new(3.0, -1.0, 2.0), DVec3::new(0.2, 0.4, -0.3)));
    tree
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Accelerations are up to some 100: 1e-11 is 1e-13 of them.
#[test]
fn recursion_composites_and_jacobians_agree() {
    for root in [JointKind::Free, JointKind::Ball, JointKind::Planar] {
        let mut tree = loaded_menagerie(root);
        let recursive = tree.minimal_accelerations(GRAVITY);
        let by_composites = tree.equations_by_composites(GRAVITY);
        let by_jacobians = tree.equations_by_jacobians(GRAVITY);
        assert!(largest_difference(&by_composites.mass, &by_jacobians.mass) < 1e-12);
        assert!(largest_difference(&by_composites.force, &by_jacobians.force) < 1e-12);
        assert!(largest_difference(&recursive, &by_composites.solve_branches()) < 1e-11);
        assert!(largest_difference(&recursive, &by_jacobians.solve_dense()) < 1e-11);
        assert!(recursive.iter().any(|a| a.abs() > 1.0));
    }
}

/// The same where a drive moves one of the hinges: its freedom is gone from both ways, and what the drive does is in the force.
#[test]
fn composites_and_jacobians_agree_behind_a_drive() {
    let mut description = menagerie(JointKind::Free);
    description.nodes[1].joint.driven = true;
    let free = Tree::new(&menagerie(JointKind::Free)).unwrap().degrees_of_freedom();
    let mut forces = Vec::new();
    for rate in [0.0, 1.7] {
        let mut tree = shaken(&description, 1.5);
        tree.set_coordinate(1, 0, 0.3, rate);
        let (one, other) = (tree.equations_by_composites(GRAVITY), tree.equations_by_jacobians(GRAVITY));
        assert_eq!((one.size, other.size), (free - 1, free - 1));
        assert!(largest_difference(&one.mass, &other.mass) < 1e-12);
        assert!(largest_difference(&one.force, &other.force) < 1e-11);
        forces.push(one.force);
    }
    assert!(largest_difference(&forces[0], &forces[1]) > 0.1);
}

/// `J u` is the velocity of every body: the definition of the Jacobian.
#[test]
fn jacobians_times_velocities_are_the_bodies_velocities() {
    let mut tree = loaded_menagerie(JointKind::Free);
    let u = tree.minimal_velocities();
    for node in 0..tree.len() {
        let columns = tree.jacobian(node);
        let sum = columns.iter().zip(&u).fold(prall_math::Twist::ZERO, |sum, (&column, &u)| sum + column * u);
        let error = sum - tree.twist(node);
        assert!(error.linear.length() < 1e-13 && error.angular.length() < 1e-13);
    }
}

/// `J u + H m` is the velocity of every body behind a driven hinge. `H` is taken from the picture of a hinge: bodies behind it turn about its
/// axis, all others stand.
#[test]
fn jacobians_leave_to_a_drive_what_it_moves() {
    let mut description = menagerie(JointKind::Free);
    description.nodes[1].joint.driven = true;
    let mut tree = shaken(&description, 1.5);
    let rate = 1.7;
    tree.set_coordinate(1, 0, 0.3, rate);
    let u = tree.minimal_velocities();
    assert_eq!(u.len(), Tree::new(&menagerie(JointKind::Free)).unwrap().degrees_of_freedom() - 1);
    let hinge = tree.pose(0) * description.nodes[1].joint.frame_in_parent;
    let axis = hinge.transform_vector(DVec3::X);
    let is_behind = |mut node: usize| loop {
        if node == 1 {
            return true;
        }
        match description.nodes[node].parent {
            Some(parent) => node = parent as usize,
            None => return false,
        }
    };
    for node in 0..tree.len() {
        let columns = tree.jacobian(node);
        let free =
            columns.iter().zip(&u).fold(prall_math::Twist::ZERO, |sum, (&column, &u)| sum + column * u);
        let turn = if is_behind(node) { axis * rate } else { DVec3::ZERO };
        let arm = tree.pose(node).translation - hinge.translation;
        let error = free + prall_math::Twist::new(turn.cross(arm), turn) - tree.twist(node);
        // Velocities of some 10 m/s: 1e-12 is rounding along the chain.
        assert!(error.linear.length() < 1e-12 && error.angular.length() < 1e-12, "node {node}: {error:?}");
    }
    assert!(is_behind(4) && !is_behind(2));
}

/// Velocities of the bodies a microsecond later, by the step that knows no accelerations, over that microsecond.
#[test]
fn accelerations_are_the_rates_of_the_velocities() {
    let mut tree = loaded_menagerie(JointKind::Free);
    let mut expected = Vec::new();
    tree.accelerations(GRAVITY, |_, acceleration| expected.push(acceleration));
    let before: Vec<_> = (0..tree.len()).map(|node| tree.twist(node)).collect();
    let h = 1e-6;
    tree.step(h, GRAVITY, &Default::default());
    for node in 0..tree.len() {
        let rate = (tree.twist(node) - before[node]) * (1.0 / h);
        let error = rate - expected[node];
        // h times jerks of some 100, and velocities to 1e-15 over 1e-6.
        assert!(error.linear.length() < 2e-3 && error.angular.length() < 2e-3, "node {node}: {error:?}");
    }
}
