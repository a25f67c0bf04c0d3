//! Look-ahead passes by O(n) elimination, against dense systems and their own tolerance.

use glam::{DMat3, DVec3};
use prall_math::Twist;
use prall_mechanics::tree::models::{binary_tree, chain};
use prall_mechanics::tree::{ForceElement, JointKind, LookAheadOptions, Tree, TreeDescription};

use crate::scenes::*;

/// Bender's other direct method: all joints' impulses at once from the dense matrix of 3x3 blocks
/// `M_ij = sum of s(i,k) s(j,k) K(body k)`, by plain elimination.
fn velocities_by_dense_system(description: &TreeDescription, tree: &Tree, twists: &[Twist]) -> Vec<Twist> {
    let n = tree.len();
    let (mut bodies, mut rows) = (Vec::new(), vec![vec![0.0; 3 * n + 1]; 3 * n]);
    for node in 0..n {
        let rotation = tree.pose(node).rotation_matrix();
        let inertia = rotation * description.nodes[node].inertia * rotation.transpose();
        bodies.push((description.nodes[node].mass, inertia.inverse()));
    }
    // Joint i: child i with sign +1 at its upper end, its parent with sign -1 at the place where it hangs.
    let ends = |joint: usize| {
        let node = &description.nodes[joint];
        let own = tree.pose(joint).transform_vector(node.joint.frame_in_child.translation);
        let mut ends = vec![(joint, 1.0, own)];
        if let Some(parent) = node.parent {
            let at = tree.pose(parent as usize).transform_vector(node.joint.frame_in_parent.translation);
            ends.push((parent as usize, -1.0, at));
        }
        ends
    };
    for i in 0..n {
        for (body, sign, arm) in ends(i) {
            let u = twists[body].velocity_at(arm) * sign;
            (0..3).for_each(|row| rows[3 * i + row][3 * n] -= u[row]);
            for j in 0..n {
                for (_, other_sign, other_arm) in ends(j).into_iter().filter(|end| end.0 == body) {
                    let (mass, inverse) = bodies[body];
                    let k = DMat3::from_diagonal(DVec3::splat(1.0 / mass))
                        - prall_math::skew(arm) * inverse * prall_math::skew(other_arm);
                    for (row, column) in (0..9).map(|index| (index / 3, index % 3)) {
                        rows[3 * i + row][3 * j + column] += sign * other_sign * k.col(column)[row];
                    }
                }
            }
        }
    }
    for pivot in 0..3 * n {
        for row in pivot + 1..3 * n {
            let share = rows[row][pivot] / rows[pivot][pivot];
            let (above, below) = rows.split_at_mut(row);
            below[0].iter_mut().zip(&above[pivot]).for_each(|(entry, pivot)| *entry -= share * pivot);
        }
    }
    let mut impulses = vec![0.0; 3 * n];
    for row in (0..3 * n).rev() {
        let known: f64 = (row + 1..3 * n).map(|column| rows[row][column] * impulses[column]).sum();
        impulses[row] = (rows[row][3 * n] - known) / rows[row][row];
    }
    let mut corrected = twists.to_vec();
    for joint in 0..n {
        for (body, sign, arm) in ends(joint) {
            let percussion = DVec3::from_slice(&impulses[3 * joint..]) * sign;
            let (mass, inverse) = bodies[body];
            corrected[body] =
                corrected[body] + Twist::new(percussion / mass, inverse * arm.cross(percussion));
        }
    }
    corrected
}

/// A tree of ball joints of any shape: parents, places of joints, masses and inertias by chance.
fn random_tree(count: u32, seed: u64) -> TreeDescription {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut chance = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut description = binary_tree(count);
    for (index, node) in description.nodes.iter_mut().enumerate() {
        node.parent = (index > 0).then(|| (chance() * index as f64) as u32);
        node.mass = 0.1 * libm::pow(100.0, chance());
        let size = 0.3 * chance() + 0.05;
        let sides = [chance(), chance(), chance()].map(|side| 0.5 + side);
        node.inertia = DMat3::from_diagonal(DVec3::from_array(sides)) * (node.mass * size * size);
        // The root hangs at the origin, about which the tree is turned.
        if index > 0 {
            node.joint.frame_in_parent.translation =
                DVec3::new(chance(), chance(), chance()) - DVec3::splat(0.5);
        }
        node.joint.frame_in_child.translation = DVec3::new(chance(), chance(), chance()) - DVec3::splat(0.5);
    }
    description
}

/// A binary tree, and trees by chance from a single body to forty.
#[test]
fn the_elimination_gives_the_impulses_of_the_dense_system() {
    let by_chance = (0..30).map(|seed| random_tree(1 + (seed * 13 % 40) as u32, seed));
    for description in std::iter::once(binary_tree(15)).chain(by_chance) {
        let mut tree = tilted(&description, 0.7);
        let poses: Vec<_> = (0..tree.len()).map(|node| tree.pose(node)).collect();
        let wild = |node: usize| {
            let x = node as f64;
            Twist::new(
                DVec3::new(libm::sin(x), libm::cos(2.0 * x), 0.5),
                DVec3::new(libm::cos(x), 1.0, libm::sin(3.0 * x)),
            )
        };
        tree.load(|node| (poses[node], wild(node)));
        let twists: Vec<Twist> = (0..tree.len()).map(wild).collect();
        let expected = velocities_by_dense_system(&description, &tree, &twists);
        tree.project_velocities();
        for (node, &expected) in expected.iter().enumerate() {
            let error = tree.twist(node) - expected;
            // Velocities are of the order of 1; mass ratios of 100 in series cost some digits of both answers.
            assert!(error.linear.length() < 1e-10 && error.angular.length() < 1e-10, "{node}: {error:?}");
        }
    }
}

/// Gaps below a micrometre after every step, recomputed from the poses of the bodies.
#[test]
fn joints_are_closed_to_the_tolerance_after_every_step() {
    let description = binary_tree(31);
    let mut tree = tilted(&description, std::f64::consts::FRAC_PI_3);
    let start = energy(&tree);
    for _ in 0..180 {
        let report = tree.step_look_ahead(1.0 / 60.0, GRAVITY, &LookAheadOptions::default()).unwrap();
        assert_eq!(report.given_up, 0);
        for (node, described) in description.nodes.iter().enumerate() {
            let above =
                described.parent.map_or(prall_math::Pose::IDENTITY, |parent| tree.pose(parent as usize));
            let a = above.transform_point(described.joint.frame_in_parent.translation);
            let b = tree.pose(node).transform_point(described.joint.frame_in_child.translation);
            assert!((a - b).length() <= 1.001e-6);
        }
        assert!(tree.velocity_error() < 1e-5);
    }
    assert!((energy(&tree) - start).abs() < 0.05 * start.abs());
}

#[test]
fn every_kind_of_joint_is_closed() {
    let mut tree = shaken(&menagerie(JointKind::Free), 0.3);
    for step in 0..120 {
        let report = tree.step_look_ahead(1.0 / 240.0, GRAVITY, &LookAheadOptions::default()).unwrap();
        assert!(report.position_error <= 1e-6 && report.substeps == 1, "step {step}: {report:?}");
    }
}

/// Both steps converge to the same motion; at 1/960 s they differ by their second-order errors.
#[test]
fn look_ahead_and_the_stable_step_tell_the_same_motion() {
    let mut ahead = tilted(&chain(4, 1.0, JointKind::Ball), 0.8);
    let mut stable = ahead.clone();
    for _ in 0..960 {
        ahead.step_look_ahead(1.0 / 960.0, GRAVITY, &LookAheadOptions::default()).unwrap();
        stable.step(1.0 / 960.0, GRAVITY, &Default::default());
    }
    let distance = (ahead.pose(3).translation - stable.pose(3).translation).length();
    assert!(distance < 1e-3, "{distance}");
}

#[test]
fn what_the_passes_do_not_know_is_refused() {
    let mut description = chain(3, 1.0, JointKind::Revolute);
    description.nodes[1].joint.elements[0] = ForceElement { damping: 1.0, ..ForceElement::default() };
    let mut tree = Tree::new(&description).unwrap();
    let refused = tree.step_look_ahead(0.01, GRAVITY, &LookAheadOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("dampers"));
}
