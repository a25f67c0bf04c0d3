//! Trees that tests and benchmarks share.

use glam::{DMat3, DQuat, DVec3};
use prall_math::{Pose, Twist};
use prall_mechanics::tree::{Joint, JointKind, Node, Tree, TreeDescription};

pub const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// Inertia of a solid box with these edges.
pub fn box_inertia(mass: f64, edges: DVec3) -> DMat3 {
    let e = edges * edges;
    DMat3::from_diagonal(DVec3::new(e.y + e.z, e.x + e.z, e.x + e.y) * (mass / 12.0))
}

fn joint(kind: JointKind, in_parent: DVec3, in_child: DVec3, axis: DVec3) -> Joint {
    let frame = DQuat::from_rotation_arc(DVec3::X, axis);
    Joint::new(kind, Pose::new(frame, in_parent), Pose::new(frame, in_child))
}

/// A rod of 1 kg and `length` along -y, hung by its upper end.
pub fn rod(parent: Option<u32>, at: DVec3, length: f64, mass: f64, kind: JointKind) -> Node {
    let inertia = box_inertia(mass, DVec3::new(0.05, length, 0.05));
    Node { parent, mass, inertia, joint: joint(kind, at, DVec3::Y * (0.5 * length), DVec3::Z) }
}

/// A complete binary tree of `count` rods of 0.4 m on ball joints, the children side by side under their parent.
pub fn binary_tree(count: u32) -> TreeDescription {
    let node = |index: u32| {
        if index == 0 {
            return rod(None, DVec3::ZERO, 0.4, 1.0, JointKind::Ball);
        }
        let side = if index % 2 == 1 { -0.1 } else { 0.1 };
        rod(Some((index - 1) / 2), DVec3::new(side, -0.2, 0.0), 0.4, 1.0, JointKind::Ball)
    };
    TreeDescription { nodes: (0..count).map(node).collect(), loops: Vec::new() }
}

/// Links of 1 kg and 0.2 m, and at their end a body of `end_mass`.
pub fn chain(links: u32, end_mass: f64, kind: JointKind) -> TreeDescription {
    let node = |index: u32| {
        let at = if index == 0 { DVec3::ZERO } else { DVec3::Y * -0.1 };
        let mass = if index + 1 == links { end_mass } else { 1.0 };
        rod(index.checked_sub(1), at, 0.2, mass, kind)
    };
    TreeDescription { nodes: (0..links).map(node).collect(), loops: Vec::new() }
}

/// The tree with its first body turned by `angle` about z and everything hanging on it as drawn.
pub fn tilted(description: &TreeDescription, angle: f64) -> Tree {
    let mut tree = Tree::new(description).unwrap();
    let turn = Pose::from_rotation(DQuat::from_rotation_z(angle));
    let poses: Vec<Pose> = (0..tree.len()).map(|node| turn * tree.pose(node)).collect();
    let error = tree.load(|node| (poses[node], Twist::ZERO));
    assert!(error < 1e-12);
    tree
}

pub fn energy(tree: &Tree) -> f64 {
    tree.kinetic_energy() + tree.potential_energy(GRAVITY)
}

/// A floating body with every kind of joint on it, turned and moving.
pub fn menagerie(root: JointKind) -> TreeDescription {
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
    let inertia = |index: usize| DMat3::from_diagonal(DVec3::new(0.1, 0.15, 0.2) * (1.0 + 0.1 * index as f64));
    let pose = |index: usize, side: f64| {
        let turn = DVec3::new(0.3, -0.2, 0.5) * (1.0 + index as f64) * side;
        Pose::new(DQuat::from_scaled_axis(turn), DVec3::new(0.2, -0.3 * side, 0.1))
    };
    let mut nodes = vec![Node { parent: None, mass: 2.0, inertia: inertia(0), joint: Joint::new(root, pose(0, 1.0), pose(0, -1.0)) }];
    for (index, &(parent, kind)) in kinds.iter().enumerate() {
        let joint = Joint::new(kind, pose(index, 1.0), pose(index + 1, -1.0));
        nodes.push(Node { parent: Some(parent), mass: 1.0 + 0.3 * index as f64, inertia: inertia(index + 1), joint });
    }
    TreeDescription { nodes, loops: Vec::new() }
}

/// Gives every body a velocity that no joint asked for, and lets the projection find the nearest that they allow.
pub fn shaken(description: &TreeDescription, speed: f64) -> Tree {
    let mut tree = Tree::new(description).unwrap();
    let poses: Vec<Pose> = (0..tree.len()).map(|node| tree.pose(node)).collect();
    let spin = |node: usize| DVec3::new((node * 7 % 5) as f64 - 2.0, (node * 3 % 4) as f64 - 1.5, (node * 5 % 3) as f64 - 1.0);
    let error = tree.load(|node| (poses[node], Twist::new(spin(node + 1) * speed, spin(node) * speed)));
    assert!(error < 1e-12);
    tree.project_velocities();
    tree
}
