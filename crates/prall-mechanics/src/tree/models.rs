//! Trees by which solvers are judged.

use glam::{DMat3, DQuat, DVec3};
use prall_math::Pose;

use super::description::{Joint, JointKind, Node, TreeDescription};

/// Inertia of a solid box with these edges.
fn box_inertia(mass: f64, edges: DVec3) -> DMat3 {
    let e = edges * edges;
    DMat3::from_diagonal(DVec3::new(e.y + e.z, e.x + e.z, e.x + e.y) * (mass / 12.0))
}

/// A rod along y with a square section of 5 cm, hung by its upper end on `at` of its parent; axes of joints along z.
pub fn rod(parent: Option<u32>, at: DVec3, length: f64, mass: f64, kind: JointKind) -> Node {
    let inertia = box_inertia(mass, DVec3::new(0.05, length, 0.05));
    let frame = DQuat::from_rotation_arc(DVec3::X, DVec3::Z);
    let (above, own) = (Pose::new(frame, at), Pose::new(frame, DVec3::Y * (0.5 * length)));
    Node { parent, mass, inertia, joint: Joint::new(kind, above, own) }
}

/// A complete binary tree of `count` rods of 0.4 m and 1 kg on ball joints, children side by side (Bender 2007).
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

/// A hanging chain of `count` rods of 0.2 m: 1 kg each, the last one `end_mass`.
pub fn chain(count: u32, end_mass: f64, kind: JointKind) -> TreeDescription {
    let node = |index: u32| {
        let at = if index == 0 { DVec3::ZERO } else { DVec3::Y * -0.1 };
        let mass = if index + 1 == count { end_mass } else { 1.0 };
        rod(index.checked_sub(1), at, 0.2, mass, kind)
    };
    TreeDescription { nodes: (0..count).map(node).collect(), loops: Vec::new() }
}
