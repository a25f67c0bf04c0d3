//! The tree built anew from all its leaves.
//!
//! Leaves are halved by the middle of their centres along the longest side, again and again: as low as a tree can be, and for
//! boxes of like size as good as one that was grown with care. Nodes lie in memory in the order of a walk.

use std::cmp::Ordering;

use glam::DVec3;

use super::{NONE, Node, Tree};

/// Coordinates count as no farther out than this (metres), so that infinite boxes have a centre.
const FARTHEST: f64 = 1e100;

/// A leaf to be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    centre: DVec3,
    slot: u32,
}

impl Item {
    /// By centre, then by slot: no two are equal.
    fn compare(&self, other: &Item, axis: usize) -> Ordering {
        self.centre[axis].total_cmp(&other.centre[axis]).then(self.slot.cmp(&other.slot))
    }
}

impl Tree {
    /// Builds the tree from the leaves of all slots; what waits for its place in the tree has one then.
    pub(super) fn build(&mut self) {
        let mut items = std::mem::take(&mut self.items);
        let mut nodes = std::mem::take(&mut self.spare_nodes);
        items.clear();
        nodes.clear();
        let far = DVec3::splat(FARTHEST);
        for (slot, &leaf) in (0..).zip(&self.leaves).filter(|&(_, &leaf)| leaf != NONE) {
            let bounds = &self.nodes[leaf as usize].bounds;
            items.push(Item { centre: bounds.min.clamp(-far, far) + bounds.max.clamp(-far, far), slot });
        }
        self.root = if items.is_empty() { NONE } else { self.place(&mut items, NONE, &mut nodes) };
        std::mem::swap(&mut self.nodes, &mut nodes);
        self.vacant.clear();
        (self.items, self.spare_nodes) = (items, nodes);
    }

    /// Places a node over some leaves behind the others, and everything below it behind it.
    fn place(&mut self, items: &mut [Item], parent: u32, nodes: &mut Vec<Node>) -> u32 {
        let index = nodes.len() as u32;
        if let [item] = items {
            let leaf = std::mem::replace(&mut self.leaves[item.slot as usize], index);
            nodes.push(Node { parent, ..self.nodes[leaf as usize] });
            return index;
        }
        let spread = |pick: fn(DVec3, DVec3) -> DVec3| {
            items.iter().map(|item| item.centre).reduce(pick).unwrap_or(DVec3::ZERO)
        };
        let axis = (spread(DVec3::max) - spread(DVec3::min)).max_position();
        let middle = items.len() / 2;
        items.select_nth_unstable_by(middle, |p, q| p.compare(q, axis));
        // A place for the node before its children; it is filled when they are known.
        nodes.push(self.nodes[self.leaves[items[0].slot as usize] as usize]);
        let (left, right) = items.split_at_mut(middle);
        let children = [self.place(left, index, nodes), self.place(right, index, nodes)];
        let [first, second] = children.map(|child| nodes[child as usize]);
        nodes[index as usize] = Node {
            bounds: first.bounds.union(&second.bounds),
            parent,
            children,
            height: 1 + first.height.max(second.height),
            marked: false,
        };
        index
    }
}
