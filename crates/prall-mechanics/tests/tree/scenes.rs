//! Trees that several tests share.

use glam::{DMat3, DQuat, DVec3};
use prall_math::{Pose, Twist};
use prall_mechanics::tree::{Joint, JointKind, Node, Tree, TreeDescription};

pub(crate) const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// The tree as drawn, turned by `angle` about z.
pub(crate) fn tilted(description: &TreeDescription, angle: f64) -> Tree {
    let mut tree = Tree::new(description).unwrap();
    let turn = Pose::from_rotation(DQuat::from_rotation_z(angle));
    let poses: Vec<Pose> = (0..tree.len()).map(|node| turn * tree.pose(node)).collect();
    let error = tree.load(|node| (poses[node], Twist::ZERO));
    assert!(error < 1e-12);
    tree
}

pub(crate) fn energy(tree: &Tree) -> f64 {
    tree.kinetic_energy() + tree.potential_energy(GRAVITY)
}

/// A floating body with every kind of joint on it, turned and moving.
pub(crate) fn menagerie(root: JointKind) -> TreeDescription {
    let kinds = [
        (0, JointKind::Revolute),
        (0, JointKind::Ball),
        (1, JointKind::Prismatic),
        (1, JointKind::Universal),
        (2, JointKind::Cylindrical),
        (3, JointKind::Planar),
        (4, JointKind::Fixed),
        (5, JointKind::Revolute),
        (6, JointKind::Ball),
    ];
    let inertia =
        |index: usize| DMat3::from_diagonal(DVec3::new(0.1, 0.15, 0.2) * (1.0 + 0.1 * index as f64));
    let pose = |index: usize, side: f64| {
        let turn = DVec3::new(0.3, -0.2, 0.5) * (1.0 + index as f64) * side;
        Pose::new(DQuat::from_scaled_axis(turn), DVec3::new(0.2, -0.3 * side, 0.1))
    };
    let mut nodes = vec![Node {
        parent: None,
        mass: 2.0,
        inertia: inertia(0),
        joint: Joint::new(root, pose(0, 1.0), pose(0, -1.0)),
    }];
    for (index, &(parent, kind)) in kinds.iter().enumerate() {
        let joint = Joint::new(kind, pose(index, 1.0), pose(index + 1, -1.0));
        nodes.push(Node {
            parent: Some(parent),
            mass: 1.0 + 0.3 * index as f64,
            inertia: inertia(index + 1),
            joint,
        });
    }
    TreeDescription { nodes, loops: Vec::new() }
}

/// Gives every body a velocity that no joint asked for, and lets the projection find the nearest that they allow.
pub(crate) fn shaken(description: &TreeDescription, speed: f64) -> Tree {
    let mut tree = Tree::new(description).unwrap();
    let poses: Vec<Pose> = (0..tree.len()).map(|node| tree.pose(node)).collect();
    let spin = |node: usize| {
        DVec3::new((node * 7 % 5) as f64 - 2.0, (node * 3 % 4) as f64 - 1.5, (node * 5 % 3) as f64 - 1.0)
    };
    let error = tree.load(|node| (poses[node], Twist::new(spin(node + 1) * speed, spin(node) * speed)));
    assert!(error < 1e-12);
    tree.project_velocities();
    tree
}
