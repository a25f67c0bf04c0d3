//! Percussions through whitened rows, against the equations of motion in minimal velocities.

use glam::{DMat3, DQuat, DVec3};
use prall_math::{Pose, Twist, Wrench};
use prall_mechanics::tree::{Joint, JointKind, Node, RowPart, Tree, TreeDescription, Trunks, row_product};

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

/// A stem of 30 bodies that forks twice, 30 bodies between forks, bent everywhere; every fifth joint is a hinge or slides.
fn forked(root: JointKind) -> Tree {
    let inertia = DMat3::from_diagonal(DVec3::new(0.01, 0.02, 0.03));
    let mut nodes: Vec<Node> = Vec::new();
    for (stretch, parent) in [None, Some(0), Some(0), Some(1), Some(1), Some(2)].into_iter().enumerate() {
        for number in 0..30 {
            let before =
                if number > 0 { Some(nodes.len() as u32 - 1) } else { parent.map(|p: u32| 30 * p + 29) };
            let kind = match (before, number % 5) {
                (None, _) => root,
                (_, 2) => JointKind::Revolute,
                (_, 4) => JointKind::Prismatic,
                _ => JointKind::Ball,
            };
            let bend =
                DQuat::from_scaled_axis(DVec3::new(0.1, 0.02 * number as f64, 0.2 * stretch as f64 - 0.4));
            let joint = Joint::new(
                kind,
                Pose::new(bend, DVec3::new(0.1, 0.02, 0.0)),
                Pose::from_translation(DVec3::X * -0.1),
            );
            nodes.push(Node { parent: before, mass: 1.0, inertia, joint });
        }
    }
    Tree::new(&TreeDescription { nodes, loops: Vec::new() }).unwrap()
}

/// The dense matrix of all percussions: `J M^-1 J^T` with unit-velocity Jacobians.
fn dense_delassus(tree: &mut Tree, places: &[(usize, DVec3)]) -> Vec<Vec<f64>> {
    let mut equations = tree.equations_by_jacobians(DVec3::ZERO);
    let mut rows = Vec::new();
    for &(node, point) in places {
        let arm = point - tree.pose(node).translation;
        let columns = tree.jacobian(node);
        for axis in DVec3::AXES {
            rows.push(columns.iter().map(|column| column.velocity_at(arm).dot(axis)).collect::<Vec<f64>>());
        }
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut matrix = Vec::new();
    for due in &rows {
        equations.force.clone_from(due);
        let change = equations.solve_dense();
        matrix.push(rows.iter().map(|row| dot(row, &change)).collect());
    }
    matrix
}

/// Contacts on all branches of a tree that forks twice, some in the middle of a stretch and several on one body: the rows, folded where many go
/// together, give the dense matrix, and unfolded changes are what the percussions do one after the other. Entries are of order 1, and the dense
/// matrix of 396 freedoms in rows of 90 joints loses some six digits more than the recursion.
#[test]
fn percussions_on_several_long_branches_share_their_ways() {
    for root in [JointKind::Ball, JointKind::Free] {
        let mut tree = forked(root);
        let nodes = [89, 119, 119, 149, 149, 149, 179, 179, 100, 62, 62, 40, 179, 2];
        let place = |tree: &Tree, (number, &node): (usize, &usize)| {
            (node, tree.pose(node).transform_point(DVec3::new(0.05, 0.03 * number as f64, -0.02)))
        };
        let places: Vec<(usize, DVec3)> = nodes.iter().enumerate().map(|at| place(&tree, at)).collect();
        let expected = dense_delassus(&mut tree, &places);
        tree.predict(0.0, DVec3::ZERO);
        let mut trunks = Trunks::default();
        trunks.find(&tree, nodes.iter().copied());
        let units = DVec3::AXES.map(|axis| Wrench::new(axis, DVec3::ZERO));
        let rows: Vec<Vec<RowPart<3>>> = places
            .iter()
            .map(|&place| {
                let mut rows = Vec::new();
                trunks.climb(&tree, place, &units, &mut rows);
                rows
            })
            .collect();
        let mut plain = Vec::new();
        tree.climb(places[0].0, places[0].1, &units, &mut plain);
        assert!(rows[0].windows(2).all(|pair| pair[0].freedom > pair[1].freedom));
        assert!(2 * rows[0].len() < plain.len(), "{} of {}", rows[0].len(), plain.len());
        for (i, j) in (0..rows.len()).flat_map(|i| (0..rows.len()).map(move |j| (i, j))) {
            let block = row_product(&rows[i], &rows[j]);
            for (a, b) in (0..9).map(|entry| (entry / 3, entry % 3)) {
                let (found, expected) = (block[a][b], expected[3 * i + a][3 * j + b]);
                assert!((found - expected).abs() < 1e-8, "{root:?} {i} {j}: {found} {expected}");
            }
        }
        let mut whitened = vec![0.0; tree.degrees_of_freedom()];
        let mut other = tree.clone();
        for (number, (rows, &(node, point))) in rows.iter().zip(&places).enumerate() {
            let percussion = DVec3::new(0.1, -0.05 * number as f64, 0.2);
            for part in rows {
                whitened[part.freedom as usize] += DVec3::from(part.values).dot(percussion);
            }
            other.apply(node, point, Wrench::new(percussion, DVec3::ZERO));
        }
        trunks.unfold(&mut whitened);
        tree.apply_whitened(&whitened);
        for node in 0..tree.len() {
            let error = tree.twist(node) - other.twist(node);
            assert!(error.linear.length() + error.angular.length() < 1e-10, "{node}: {error:?}");
        }
    }
}
