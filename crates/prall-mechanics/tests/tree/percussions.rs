//! Percussions through whitened rows, against the equations of motion in minimal velocities.

use glam::DVec3;
use prall_math::{Twist, Wrench};
use prall_mechanics::tree::JointKind;

use crate::scenes::*;

/// `du = M^-1 J^T p` with the dense matrix of unit-velocity Jacobians.
#[test]
fn a_percussion_changes_velocities_by_the_inverse_mass_matrix() {
    for root in [JointKind::Free, JointKind::Ball] {
        let mut tree = shaken(&menagerie(root), 0.5);
        tree.predict(1e-3, GRAVITY);
        let (node, percussion) = (8, Wrench::new(DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.1, 0.2, -0.3)));
        let point = tree.pose(node).transform_point(DVec3::new(0.1, 0.3, -0.2));
        let before = tree.minimal_velocities();
        let arm = point - tree.pose(node).translation;
        let mut equations = tree.equations_by_jacobians(DVec3::ZERO);
        let columns = tree.jacobian(node);
        equations.force = columns.iter().map(|column| column.shifted(arm).power(percussion)).collect();
        let expected = equations.solve_dense();
        // The equations used the workspace: the factors are made anew.
        tree.predict(0.0, GRAVITY);
        tree.apply(node, point, percussion);
        for ((after, before), change) in tree.minimal_velocities().iter().zip(before).zip(expected) {
            assert!((after - before - change).abs() < 1e-12, "{after} {before} {change}");
        }
    }
}

#[test]
fn the_response_is_what_a_percussion_does_and_symmetric() {
    let mut tree = shaken(&menagerie(JointKind::Free), 0.5);
    tree.predict(1e-3, GRAVITY);
    let places = [4_usize, 9].map(|node| (node, tree.pose(node).transform_point(DVec3::new(0.2, -0.1, 0.1))));
    let response = tree.response(places[0], places[1]);
    let back = tree.response(places[1], places[0]);
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        assert!((response[i][j] - back[j][i].transpose()).abs_diff_eq(glam::DMat3::ZERO, 1e-14));
    }
    let percussion = Wrench::new(DVec3::new(0.3, 1.0, -0.4), DVec3::new(0.5, -0.2, 0.1));
    let before = tree.twist_at(places[0].0, places[0].1);
    tree.apply(places[1].0, places[1].1, percussion);
    let change = tree.twist_at(places[0].0, places[0].1) - before;
    let expected = Twist::new(
        response[0][0] * percussion.force + response[0][1] * percussion.torque,
        response[1][0] * percussion.force + response[1][1] * percussion.torque,
    );
    let error = change - expected;
    assert!(error.linear.length() < 1e-13 && error.angular.length() < 1e-13);
}

/// Virtual power: the load of an axis times its rate is the power of the force when only that axis moves.
#[test]
fn joint_loads_do_the_work_of_the_force() {
    let mut tree = shaken(&menagerie(JointKind::Fixed), 0.5);
    let node = 7;
    let point = tree.pose(node).transform_point(DVec3::new(0.1, 0.3, -0.2));
    let arm = point - tree.pose(node).translation;
    let force = DVec3::new(3.0, -1.0, 2.0);
    let mut loads = Vec::new();
    tree.joint_loads([(node, point, force)], |_, _, load| loads.push(load));
    loads.retain(|load| *load != 0.0);
    let mut powers: Vec<f64> = tree
        .jacobian(node)
        .iter()
        .map(|column| column.velocity_at(arm).dot(force))
        .filter(|p| *p != 0.0)
        .collect();
    loads.sort_by(f64::total_cmp);
    powers.sort_by(f64::total_cmp);
    assert_eq!(loads.len(), powers.len());
    assert!(loads.iter().zip(&powers).all(|(a, b)| (a - b).abs() < 1e-12));
}
