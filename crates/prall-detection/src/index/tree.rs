//! A dynamic tree of boxes: entries come, go and move without the tree being built again.
//!
//! Leaves hold *fat* boxes, grown by a margin, so that an entry that moves a little changes nothing; one that
//! leaves its fat box is taken out and put in again, where it adds the least surface. Pairs of fat boxes are
//! kept from step to step; only entries that got a new fat box look for new ones. The pairs asked for are those
//! of the fat pairs whose boxes proper overlap.

use prall_geometry::Aabb;

use super::Rules;
use super::pairs::{PairKeys, key};

/// A fat box is larger than its box by this share of the longest edge, on every side.
///
/// A larger margin means fewer entries that are put in again and more fat pairs to look through: measured on
/// 100,000 boxes that move by 1 % of their size a step, 0.05 to 0.2 cost the same within a fifth.
const MARGIN_SHARE: f64 = 0.1;

/// A fat box may stay until it is larger than its box by so many margins: swept boxes grow and shrink.
const MARGINS_BEFORE_SHRINKING: f64 = 4.0;

/// Heights of two siblings may differ by this much before the tree is balanced at the price of surface.
///
/// Three bounds the height by about three times that of a perfect tree, and is seldom reached by boxes in space.
const HEIGHT_SLACK: u16 = 3;

/// Edges count as no longer than this (metres) in surfaces, so that infinite boxes have comparable ones.
const LONGEST_EDGE: f64 = 1e100;

/// No node.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    parent: u32,
    /// Two nodes, or for a leaf `[NONE, slot]`.
    children: [u32; 2],
    /// Leaves have height 0.
    height: u16,
    /// During a refresh: there is a stirred entry in or below this node.
    marked: bool,
}

impl Node {
    fn leaf(&self) -> Option<u32> {
        (self.children[0] == NONE).then_some(self.children[1])
    }
}

/// Surface in square metres, finite.
fn surface(bounds: &Aabb) -> f64 {
    let edges = (bounds.max - bounds.min).min(glam::DVec3::splat(LONGEST_EDGE));
    2.0 * (edges.x * edges.y + edges.y * edges.z + edges.z * edges.x)
}

fn margin(bounds: &Aabb) -> f64 {
    MARGIN_SHARE * (bounds.max - bounds.min).max_element()
}

fn contains(outer: &Aabb, inner: &Aabb) -> bool {
    outer.min.cmple(inner.min).all() && inner.max.cmple(outer.max).all()
}

/// What a traversal meets: a subtree to go into, or an entry.
pub(super) enum Visited {
    Inner(u32),
    Entry(u32),
}

/// The tree, the pairs of fat boxes, and the entries that got a new fat box.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    vacant: Vec<u32>,
    root: u32,
    /// By slot: the leaf node.
    leaves: Vec<u32>,
    fat_pairs: PairKeys,
    /// Slots whose fat box or filter is new.
    stirred: Vec<u32>,
    /// By slot: stirred, or gone since the last refresh.
    outdated: Vec<bool>,
    gone: Vec<u32>,
    moved: bool,
    stack: Vec<u32>,
    pair_stack: Vec<(u32, u32)>,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree {
            nodes: Vec::new(),
            vacant: Vec::new(),
            root: NONE,
            leaves: Vec::new(),
            fat_pairs: PairKeys::default(),
            stirred: Vec::new(),
            outdated: Vec::new(),
            gone: Vec::new(),
            moved: false,
            stack: Vec::new(),
            pair_stack: Vec::new(),
        }
    }
}

impl Tree {
    pub(super) fn insert(&mut self, slot: u32, bounds: &Aabb) {
        let slots = self.leaves.len().max(slot as usize + 1);
        self.leaves.resize(slots, NONE);
        self.outdated.resize(slots, false);
        let leaf = self.new_node(Node {
            bounds: bounds.grown(margin(bounds)),
            parent: NONE,
            children: [NONE, slot],
            height: 0,
            marked: false,
        });
        self.leaves[slot as usize] = leaf;
        self.link(leaf);
        self.stir(slot);
    }

    pub(super) fn update(&mut self, slot: u32, bounds: &Aabb) {
        self.moved = true;
        let leaf = self.leaves[slot as usize];
        let fat = self.nodes[leaf as usize].bounds;
        let margin = margin(bounds);
        let loosest = bounds.grown(MARGINS_BEFORE_SHRINKING * margin);
        if contains(&fat, bounds) && contains(&loosest, &fat) {
            return;
        }
        self.unlink(leaf);
        self.nodes[leaf as usize].bounds = bounds.grown(margin);
        self.link(leaf);
        self.stir(slot);
    }

    pub(super) fn refilter(&mut self, slot: u32) {
        self.stir(slot);
    }

    pub(super) fn remove(&mut self, slot: u32) {
        let leaf = std::mem::replace(&mut self.leaves[slot as usize], NONE);
        self.unlink(leaf);
        self.vacant.push(leaf);
        self.outdated[slot as usize] = true;
        self.gone.push(slot);
    }

    /// Sorted keys of all pairs of fat boxes, which contain the pairs of boxes.
    pub(super) fn fat_pairs(&self) -> &[u64] {
        self.fat_pairs.as_slice()
    }

    /// Brings the fat pairs up to date; false if nothing has changed, the boxes included.
    pub(super) fn refresh(&mut self, rules: &Rules) -> bool {
        if self.stirred.is_empty() && self.gone.is_empty() {
            return std::mem::take(&mut self.moved);
        }
        self.moved = false;
        self.mark_stirred(true);
        self.meet_stirred(rules);
        self.mark_stirred(false);
        let outdated = &self.outdated;
        self.fat_pairs.merge(|slot| outdated[slot as usize]);
        for slot in self.stirred.drain(..).chain(self.gone.drain(..)) {
            self.outdated[slot as usize] = false;
        }
        true
    }

    /// Marks the stirred leaves and all nodes above them, or takes the marks away.
    fn mark_stirred(&mut self, marked: bool) {
        for &slot in &self.stirred {
            let mut index = self.leaves[slot as usize];
            while index != NONE && self.nodes[index as usize].marked != marked {
                self.nodes[index as usize].marked = marked;
                index = self.nodes[index as usize].parent;
            }
        }
    }

    /// Goes through the tree against itself, where there are marks, and adds each pair of leaves with a marked one.
    ///
    /// One walk for all is several times faster than a query for each, because neighbours are visited together.
    fn meet_stirred(&mut self, rules: &Rules) {
        let Tree { nodes, pair_stack: stack, fat_pairs, .. } = self;
        stack.clear();
        if self.root != NONE {
            stack.push((self.root, self.root));
        }
        while let Some((i, j)) = stack.pop() {
            let (a, b) = (&nodes[i as usize], &nodes[j as usize]);
            if !(a.marked || b.marked) {
                continue;
            }
            if i == j {
                if a.leaf().is_none() {
                    let [first, second] = a.children;
                    stack.extend([(first, second), (first, first), (second, second)]);
                }
            } else if a.bounds.overlaps(&b.bounds) {
                match (a.leaf(), b.leaf()) {
                    (Some(a), Some(b)) if rules.allow(a, b) => fat_pairs.added.push(key(a, b)),
                    (Some(_), Some(_)) => {}
                    _ if a.height >= b.height => stack.extend(a.children.map(|child| (child, j))),
                    _ => stack.extend(b.children.map(|child| (i, child))),
                }
            }
        }
    }

    /// All entries whose fat boxes overlap the box, in no stated order.
    pub(super) fn overlapping(&mut self, bounds: &Aabb, visit: impl FnMut(u32)) {
        let mut stack = std::mem::take(&mut self.stack);
        self.descend(bounds, &mut stack, visit);
        self.stack = stack;
    }

    fn descend(&self, bounds: &Aabb, stack: &mut Vec<u32>, mut visit: impl FnMut(u32)) {
        stack.clear();
        if self.root != NONE {
            stack.push(self.root);
        }
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index as usize];
            if node.bounds.overlaps(bounds) {
                match node.leaf() {
                    Some(slot) => visit(slot),
                    None => stack.extend(node.children),
                }
            }
        }
    }

    /// The root, and what is known of it.
    pub(super) fn top(&self) -> Option<(Visited, &Aabb)> {
        (self.root != NONE).then(|| self.visited(self.root))
    }

    /// The two children of an inner node.
    pub(super) fn children(&self, inner: u32) -> [(Visited, &Aabb); 2] {
        self.nodes[inner as usize].children.map(|child| self.visited(child))
    }

    fn visited(&self, index: u32) -> (Visited, &Aabb) {
        let node = &self.nodes[index as usize];
        (node.leaf().map_or(Visited::Inner(index), Visited::Entry), &node.bounds)
    }

    fn stir(&mut self, slot: u32) {
        if !std::mem::replace(&mut self.outdated[slot as usize], true) {
            self.stirred.push(slot);
        }
    }

    fn new_node(&mut self, node: Node) -> u32 {
        match self.vacant.pop() {
            Some(index) => {
                self.nodes[index as usize] = node;
                index
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }
}

/// Shape of the tree.
impl Tree {
    /// Hangs a leaf beside the node where it adds the least surface.
    fn link(&mut self, leaf: u32) {
        if self.root == NONE {
            self.root = leaf;
            self.nodes[leaf as usize].parent = NONE;
            return;
        }
        let sibling = self.best_sibling(&self.nodes[leaf as usize].bounds);
        let above = self.nodes[sibling as usize].parent;
        let parent = self.new_node(Node {
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
    fn unlink(&mut self, leaf: u32) {
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

    /// Restores boxes and heights from a node up to the root, turning the tree where that makes it better.
    fn repair(&mut self, mut index: u32) {
        while index != NONE {
            self.refit(index);
            self.rotate(index);
            self.refit(index);
            index = self.nodes[index as usize].parent;
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn height(tree: &Tree) -> u16 {
        if tree.root == NONE { 0 } else { tree.nodes[tree.root as usize].height }
    }

    /// Every node encloses its children, knows its height, and is known by them.
    fn assert_sound(tree: &Tree, index: u32) {
        let node = &tree.nodes[index as usize];
        if node.leaf().is_some() {
            assert_eq!(node.height, 0);
            return;
        }
        for child in node.children {
            assert_eq!(tree.nodes[child as usize].parent, index);
            assert!(contains(&node.bounds, &tree.nodes[child as usize].bounds));
            assert_sound(tree, child);
        }
        let [first, second] = node.children.map(|child| tree.nodes[child as usize].height);
        assert_eq!(node.height, 1 + first.max(second));
    }

    fn tree_of(boxes: impl Iterator<Item = Aabb>) -> (Tree, u32) {
        let mut tree = Tree::default();
        let mut count = 0;
        for bounds in boxes {
            tree.insert(count, &bounds);
            count += 1;
        }
        (tree, count)
    }

    /// Greedy insertion alone would make a list of each of these: rotations must bound the height.
    #[test]
    fn the_tree_stays_low_for_boxes_that_come_in_a_row_or_nested_or_all_alike_or_infinite() {
        let at = |x: f64, half: f64| Aabb::from_center(DVec3::X * x, DVec3::splat(half));
        let rows: [Box<dyn Fn(u32) -> Aabb>; 5] = [
            Box::new(|i| at(f64::from(i) * 3.0, 1.0)),
            Box::new(|i| at(0.0, 1.0 + f64::from(i))),
            Box::new(|i| at(0.0, 1.0 / f64::from(i + 1))),
            Box::new(|_| at(0.0, 1.0)),
            Box::new(|_| Aabb::EVERYTHING),
        ];
        for row in rows {
            let (tree, count) = tree_of((0..4096).map(&row));
            assert_eq!(count, 4096);
            assert_sound(&tree, tree.root);
            // A perfect tree has height 12.
            assert!(height(&tree) <= 36, "height {}", height(&tree));
        }
    }

    #[test]
    fn an_emptied_tree_keeps_no_nodes_in_use() {
        let (mut tree, count) =
            tree_of((0..100).map(|i| Aabb::from_center(DVec3::Y * f64::from(i), DVec3::ONE)));
        (0..count).for_each(|slot| tree.remove(slot));
        assert_eq!(tree.root, NONE);
        assert_eq!(tree.vacant.len(), tree.nodes.len());
    }

    #[test]
    fn a_small_motion_leaves_the_tree_as_it_is() {
        let (mut tree, _) = tree_of((0..10).map(|i| Aabb::from_center(DVec3::Y * f64::from(i), DVec3::ONE)));
        let rules = Rules::none();
        assert!(tree.refresh(&rules));
        tree.update(3, &Aabb::from_center(DVec3::Y * 3.05, DVec3::ONE));
        assert!(tree.stirred.is_empty());
        tree.update(3, &Aabb::from_center(DVec3::Y * 3.5, DVec3::ONE));
        assert_eq!(tree.stirred, [3]);
    }
}
