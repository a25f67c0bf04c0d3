//! [`Tree`]: poses that are joined by ways that are proven free.

use prall_math::Pose;

/// Poses with ways to them from earlier ones.
pub(super) struct Tree {
    nodes: Vec<Node>,
    roots: usize,
}

struct Node {
    pose: Pose,
    parent: usize,
    /// Branches that were tried from here.
    tries: u32,
    /// From the parent to the pose, without the parent; the reference point goes straight between them.
    way: Vec<Pose>,
}

impl Tree {
    pub(super) fn new(roots: Vec<Pose>) -> Tree {
        let nodes: Vec<Node> = roots
            .into_iter()
            .map(|pose| Node { pose, parent: usize::MAX, tries: 0, way: vec![pose] })
            .collect();
        Tree { roots: nodes.len(), nodes }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn root_count(&self) -> usize {
        self.roots
    }

    pub(super) fn pose(&self, node: usize) -> Pose {
        self.nodes[node].pose
    }

    /// Adds the end of a way from a node.
    pub(super) fn add(&mut self, parent: usize, way: Vec<Pose>) -> usize {
        let pose = *way.last().expect("a way leads somewhere");
        self.nodes.push(Node { pose, parent, tries: 0, way });
        self.nodes.len() - 1
    }

    /// Of some nodes, the one from which the fewest branches were tried; it counts as tried.
    pub(super) fn least_tried(&mut self, nodes: impl Iterator<Item = usize>) -> usize {
        let node = nodes.min_by_key(|&node| self.nodes[node].tries).unwrap_or(0);
        self.nodes[node].tries += 1;
        node
    }

    /// All poses from a root to a node.
    pub(super) fn way_from_root(&self, node: usize) -> Vec<Pose> {
        let mut chain = Vec::new();
        let mut next = node;
        while next != usize::MAX {
            chain.push(next);
            next = self.nodes[next].parent;
        }
        chain.iter().rev().flat_map(|&node| self.nodes[node].way.iter().copied()).collect()
    }
}
