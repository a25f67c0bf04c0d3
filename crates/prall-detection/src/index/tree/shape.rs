//! The shape of the tree: where a leaf is hung, and how the tree is kept good and low.

use prall_geometry::Aabb;

use super::{NONE, Node, Tree};

/// Heights of two siblings may differ by this much before the tree is balanced at the price of surface.
///
/// With three, a few thousand boxes in whatever order stay below three times the height of a perfect tree.
const HEIGHT_SLACK: u16 = 3;

/// Edges count as no longer than this (metres) in surfaces, so that infinite boxes have comparable ones.
const LONGEST_EDGE: f64 = 1e100;

/// Surface in square metres, finite.
fn surface(bounds: &Aabb) -> f64 {
    let edges = (bounds.max - bounds.min).min(glam::DVec3::splat(LONGEST_EDGE));
    2.0 * (edges.x * edges.y + edges.y * edges.z + edges.z * edges.x)
}

impl Tree {
    /// Hangs a leaf beside the node where it adds the least surface.
    pub(super) fn link(&mut self, leaf: u32) {
        if self.root == NONE {
            self.root = leaf;
            self.nodes[leaf as usize].parent = NONE;
            return;
        }
        let sibling = self.best_sibling(&self.nodes[leaf as usize].bounds);
        let above = self.nodes[sibling as usize].parent;
        let parent = self.new_node(Node {
            // Made to fit by the repair, which goes on because the height changes.
            bounds: self.nodes[leaf as usize].bounds,
            parent: above,
            children: [sibling, leaf],
            height: 0,
            marked: false,
        });
        self.replace_child(above, sibling, parent);
        self.nodes[sibling as usize].parent = parent;
        self.nodes[leaf as usize].parent = parent;
        self.repair(parent);
    }

    /// Takes a leaf out; its sibling takes the parent's place.
    pub(super) fn unlink(&mut self, leaf: u32) {
        let parent = self.nodes[leaf as usize].parent;
        if parent == NONE {
            self.root = NONE;
            return;
        }
        let [first, second] = self.nodes[parent as usize].children;
        let sibling = if first == leaf { second } else { first };
        let above = self.nodes[parent as usize].parent;
        self.replace_child(above, parent, sibling);
        self.nodes[sibling as usize].parent = above;
        self.vacant.push(parent);
        self.repair(above);
    }

    fn replace_child(&mut self, parent: u32, old: u32, new: u32) {
        if parent == NONE {
            self.root = new;
        } else {
            let children = &mut self.nodes[parent as usize].children;
            children[usize::from(children[1] == old)] = new;
        }
    }

    /// Greedy descent by the surface-area heuristic: a node visited costs its surface, so a new leaf costs the
    /// surface of its new parent plus what all nodes above grow by.
    fn best_sibling(&self, bounds: &Aabb) -> u32 {
        let mut index = self.root;
        loop {
            let node = &self.nodes[index as usize];
            if node.leaf().is_some() {
                return index;
            }
            let joined = surface(&node.bounds.union(bounds));
            let grown = joined - surface(&node.bounds);
            let [first, second] = node.children.map(|child| {
                let child = &self.nodes[child as usize];
                let joined = surface(&child.bounds.union(bounds));
                let cost = if child.height == 0 { joined } else { joined - surface(&child.bounds) };
                (cost + grown, child.height)
            });
            if joined < first.0 && joined < second.0 {
                return index;
            }
            // Equal costs, as of many equal boxes, go to the lower side, so that the tree stays balanced.
            let go_second = second.0 < first.0 || (second.0 == first.0 && second.1 < first.1);
            index = node.children[usize::from(go_second)];
        }
    }

    /// Restores boxes and heights from a node up to where nothing changes any more, turning the tree where that
    /// makes it better.
    pub(super) fn repair(&mut self, mut index: u32) {
        while index != NONE {
            let before = self.nodes[index as usize];
            self.rotate(index);
            self.refit(index);
            let after = &self.nodes[index as usize];
            if after.bounds == before.bounds && after.height == before.height {
                return;
            }
            index = after.parent;
        }
    }

    /// Restores boxes and heights of all marked nodes, from below, and takes the marks away.
    pub(super) fn fit_marked(&mut self, index: u32) {
        if index == NONE || !self.nodes[index as usize].marked {
            return;
        }
        self.nodes[index as usize].marked = false;
        if self.nodes[index as usize].leaf().is_some() {
            return;
        }
        for child in self.nodes[index as usize].children {
            self.fit_marked(child);
        }
        self.refit(index);
        self.rotate(index);
        self.refit(index);
    }

    fn refit(&mut self, index: u32) {
        let [first, second] = self.nodes[index as usize].children.map(|child| self.nodes[child as usize]);
        let node = &mut self.nodes[index as usize];
        node.bounds = first.bounds.union(&second.bounds);
        node.height = 1 + first.height.max(second.height);
    }

    /// Exchanges a child of the node for a child of its other child: whichever of the four exchanges gives the
    /// least surface without leaving the tree lopsided, or the flattest one if it is lopsided now.
    fn rotate(&mut self, index: u32) {
        let children = self.nodes[index as usize].children;
        let [first, second] = children.map(|child| self.nodes[child as usize].height);
        let lopsided = first.abs_diff(second) > HEIGHT_SLACK;
        let mut best: Option<(f64, u16, Exchange)> = None;
        for (child, other) in [(children[0], children[1]), (children[1], children[0])] {
            if self.nodes[other as usize].height == 0 {
                continue;
            }
            for side in 0..2 {
                let exchange = Exchange { child, other, side };
                let (gain, gap) = self.gain(&exchange);
                let good = if lopsided { true } else { gain > 0.0 && gap <= HEIGHT_SLACK };
                let better =
                    best.as_ref().is_none_or(
                        |(best_gain, best_gap, _)| {
                            if lopsided { gap < *best_gap } else { gain > *best_gain }
                        },
                    );
                if good && better {
                    best = Some((gain, gap, exchange));
                }
            }
        }
        if let Some((_, _, exchange)) = best {
            self.exchange(index, &exchange);
        }
    }

    /// Surface saved by an exchange, and the difference of the siblings' heights after it.
    fn gain(&self, exchange: &Exchange) -> (f64, u16) {
        let Exchange { child, other, side } = *exchange;
        let (child, other) = (&self.nodes[child as usize], &self.nodes[other as usize]);
        let raised = &self.nodes[other.children[side] as usize];
        let stays = &self.nodes[other.children[1 - side] as usize];
        let gain = surface(&other.bounds) - surface(&child.bounds.union(&stays.bounds));
        let height = 1 + child.height.max(stays.height);
        (gain, height.abs_diff(raised.height))
    }

    fn exchange(&mut self, index: u32, exchange: &Exchange) {
        let Exchange { child, other, side } = *exchange;
        let raised = self.nodes[other as usize].children[side];
        self.replace_child(index, child, raised);
        self.nodes[raised as usize].parent = index;
        self.nodes[other as usize].children[side] = child;
        self.nodes[child as usize].parent = other;
        self.refit(other);
    }
}

/// `child` goes down to where the grandchild `other.children[side]` is, which comes up in its place.
struct Exchange {
    child: u32,
    other: u32,
    side: usize,
}
