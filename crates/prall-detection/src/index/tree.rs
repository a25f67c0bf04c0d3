//! A dynamic tree of boxes: entries come, go and move without the tree being built again.
//!
//! Leaves hold *fat* boxes, grown by a margin and by the way that the entry is going, so that an entry that moves a little
//! changes nothing. One that leaves its fat box gets a new one; one that jumps or has left often is taken out and put in
//! again, where it adds the least surface. Pairs of fat boxes are kept from step to step; only entries that got a new
//! fat box look for new ones. The pairs asked for are those of the fat pairs whose boxes proper overlap.
//!
//! Changes wait until someone asks. Then all boxes above leaves with new ones are made to fit in one walk from below, each once
//! however many leaves below it have changed; and where half of all entries came or jumped, the tree is built anew.

mod build;
mod shape;

use glam::DVec3;
use prall_geometry::Aabb;

use build::Item;

use super::Rules;
use super::pairs::{PairKeys, key};

/// A fat box is larger than its box by this share of the longest edge, on every side.
///
/// A larger margin means fewer entries that need a new fat box and more fat pairs to look through.
const MARGIN_SHARE: f64 = 0.1;

/// A fat box may stay until it is larger than its box by so many margins: swept boxes grow and shrink.
const MARGINS_BEFORE_SHRINKING: f64 = 4.0;

/// An entry that leaves its fat box keeps its place in the tree so many times before it is put in again.
///
/// Making the boxes above fit is cheaper than putting in again, and rotations keep the tree good for a while: eight
/// times is about as long as an entry needs to travel its own size.
const REFITS_BEFORE_REINSERTION: u8 = 8;

/// A fat box is made longer by the way that its entry would go in so many more updates like the last, as far as the margins
/// before shrinking allow.
const UPDATES_AHEAD: f64 = 12.0;

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
    /// While the tree is settled: a leaf below has a new box. During a refresh: there is a stirred entry in or below.
    marked: bool,
}

impl Node {
    fn leaf(&self) -> Option<u32> {
        (self.children[0] == NONE).then_some(self.children[1])
    }
}

fn margin(bounds: &Aabb) -> f64 {
    MARGIN_SHARE * (bounds.max - bounds.min).max_element()
}

fn contains(outer: &Aabb, inner: &Aabb) -> bool {
    outer.min.cmple(inner.min).all() && inner.max.cmple(outer.max).all()
}

/// The fat box of an entry that came by `step` to where it is.
fn fat_box(bounds: &Aabb, step: DVec3) -> Aabb {
    let margin = margin(bounds);
    let most = DVec3::splat((MARGINS_BEFORE_SHRINKING - 1.0) * margin);
    // NaN, as of infinite boxes, is no step.
    let ahead = if step.is_finite() { (step * UPDATES_AHEAD).clamp(-most, most) } else { DVec3::ZERO };
    let fat = bounds.grown(margin);
    Aabb { min: fat.min + ahead.min(DVec3::ZERO), max: fat.max + ahead.max(DVec3::ZERO) }
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
    /// By slot: how often the leaf got a new box in its place.
    refits: Vec<u8>,
    /// By slot: whether and how the leaf waits for the tree to be settled.
    waiting: Vec<Waiting>,
    /// Slots that wait.
    unsettled: Vec<u32>,
    fat_pairs: PairKeys,
    /// Slots whose fat box or filter is new.
    stirred: Vec<u32>,
    /// By slot: stirred, or gone since the last refresh.
    outdated: Vec<bool>,
    gone: Vec<u32>,
    moved: bool,
    stack: Vec<u32>,
    pair_stack: Vec<(u32, u32)>,
    items: Vec<Item>,
    spare_nodes: Vec<Node>,
}

/// What has to be done with a leaf when the tree is settled.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Waiting {
    No,
    /// The boxes above it have to be made to fit.
    ToFit,
    /// It has to be taken out and put in again.
    ToMove,
    /// It is not in the tree yet.
    ToEnter,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree {
            nodes: Vec::new(),
            vacant: Vec::new(),
            root: NONE,
            leaves: Vec::new(),
            refits: Vec::new(),
            waiting: Vec::new(),
            unsettled: Vec::new(),
            fat_pairs: PairKeys::default(),
            stirred: Vec::new(),
            outdated: Vec::new(),
            gone: Vec::new(),
            moved: false,
            stack: Vec::new(),
            pair_stack: Vec::new(),
            items: Vec::new(),
            spare_nodes: Vec::new(),
        }
    }
}

impl Tree {
    pub(super) fn insert(&mut self, slot: u32, bounds: &Aabb) {
        let slots = self.leaves.len().max(slot as usize + 1);
        self.leaves.resize(slots, NONE);
        self.refits.resize(slots, 0);
        self.outdated.resize(slots, false);
        self.waiting.resize(slots, Waiting::No);
        let leaf = self.new_node(Node {
            bounds: fat_box(bounds, DVec3::ZERO),
            parent: NONE,
            children: [NONE, slot],
            height: 0,
            marked: false,
        });
        self.leaves[slot as usize] = leaf;
        self.refits[slot as usize] = 0;
        self.wait(slot, Waiting::ToEnter);
        self.stir(slot);
    }

    /// Gives an entry a new box, which came there by `step`.
    pub(super) fn update(&mut self, slot: u32, bounds: &Aabb, step: DVec3) {
        self.moved = true;
        let leaf = self.leaves[slot as usize];
        let fat = self.nodes[leaf as usize].bounds;
        let loosest = bounds.grown((MARGINS_BEFORE_SHRINKING + 1.0) * margin(bounds));
        if contains(&fat, bounds) && contains(&loosest, &fat) {
            return;
        }
        self.stir(slot);
        self.nodes[leaf as usize].bounds = fat_box(bounds, step);
        let stays = fat.overlaps(bounds) && self.refits[slot as usize] < REFITS_BEFORE_REINSERTION;
        match self.waiting[slot as usize] {
            Waiting::ToEnter | Waiting::ToMove => {}
            Waiting::No | Waiting::ToFit if stays => {
                self.refits[slot as usize] += 1;
                self.wait(slot, Waiting::ToFit);
            }
            Waiting::No | Waiting::ToFit => {
                self.refits[slot as usize] = 0;
                self.wait(slot, Waiting::ToMove);
            }
        }
    }

    pub(super) fn refilter(&mut self, slot: u32) {
        self.stir(slot);
    }

    pub(super) fn remove(&mut self, slot: u32) {
        let leaf = std::mem::replace(&mut self.leaves[slot as usize], NONE);
        if self.waiting[slot as usize] != Waiting::ToEnter {
            self.unlink(leaf);
        }
        self.vacant.push(leaf);
        self.waiting[slot as usize] = Waiting::No;
        self.outdated[slot as usize] = true;
        self.gone.push(slot);
    }

    fn wait(&mut self, slot: u32, waiting: Waiting) {
        if std::mem::replace(&mut self.waiting[slot as usize], waiting) == Waiting::No {
            self.unsettled.push(slot);
        }
    }

    /// Does all that waits, so that every box contains those below it.
    pub(super) fn settle(&mut self) {
        if self.unsettled.is_empty() {
            return;
        }
        let unsettled = std::mem::take(&mut self.unsettled);
        let is = |tree: &Tree, slot: u32, waiting| tree.waiting[slot as usize] == waiting;
        let homeless = unsettled
            .iter()
            .filter(|&&slot| is(self, slot, Waiting::ToEnter) || is(self, slot, Waiting::ToMove));
        // An inner node for every leaf but one.
        let leaves = (self.nodes.len() - self.vacant.len()) / 2 + 1;
        if homeless.count() > leaves / 2 {
            self.build();
        } else {
            for &slot in &unsettled {
                if is(self, slot, Waiting::ToMove) {
                    self.unlink(self.leaves[slot as usize]);
                }
            }
            for &slot in &unsettled {
                if is(self, slot, Waiting::ToFit) {
                    self.mark(slot, true);
                }
            }
            self.fit_marked(self.root);
            for &slot in &unsettled {
                if is(self, slot, Waiting::ToEnter) || is(self, slot, Waiting::ToMove) {
                    self.link(self.leaves[slot as usize]);
                }
            }
        }
        for &slot in &unsettled {
            self.waiting[slot as usize] = Waiting::No;
        }
        self.unsettled = unsettled;
        self.unsettled.clear();
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
        self.settle();
        self.mark_stirred(|slot| rules.may_meet(slot), true);
        self.meet_stirred(rules);
        self.mark_stirred(|_| true, false);
        let outdated = &self.outdated;
        self.fat_pairs.merge(|slot| outdated[slot as usize]);
        for slot in self.stirred.drain(..).chain(self.gone.drain(..)) {
            self.outdated[slot as usize] = false;
        }
        true
    }

    fn mark_stirred(&mut self, chosen: impl Fn(u32) -> bool, marked: bool) {
        for i in 0..self.stirred.len() {
            if chosen(self.stirred[i]) {
                self.mark(self.stirred[i], marked);
            }
        }
    }

    /// Marks a leaf and all nodes above it, or takes the marks away.
    fn mark(&mut self, slot: u32, marked: bool) {
        let mut index = self.leaves[slot as usize];
        while index != NONE && self.nodes[index as usize].marked != marked {
            self.nodes[index as usize].marked = marked;
            index = self.nodes[index as usize].parent;
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
                // Down to the few that are marked first, then as a query; among many, the larger first.
                let first_is_next = if a.marked == b.marked { a.height >= b.height } else { a.marked };
                match (a.leaf(), b.leaf()) {
                    (Some(a), Some(b)) if rules.allow(a, b) => fat_pairs.added.push(key(a, b)),
                    (Some(_), Some(_)) => {}
                    (None, leaf) if first_is_next || leaf.is_some() => {
                        stack.extend(a.children.map(|child| (child, j)));
                    }
                    _ => stack.extend(b.children.map(|child| (i, child))),
                }
            }
        }
    }

    /// All entries whose fat boxes overlap the box, in no stated order.
    pub(super) fn overlapping(&mut self, bounds: &Aabb, visit: impl FnMut(u32)) {
        self.settle();
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
            // One by one, as entries come in the course of time.
            tree.settle();
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
        tree.update(3, &Aabb::from_center(DVec3::Y * 3.05, DVec3::ONE), DVec3::Y * 0.05);
        assert!(tree.stirred.is_empty());
        tree.update(3, &Aabb::from_center(DVec3::Y * 3.5, DVec3::ONE), DVec3::Y * 0.45);
        assert_eq!(tree.stirred, [3]);
    }

    #[test]
    fn a_tree_that_is_built_at_once_is_sound_and_low() {
        let mut tree = Tree::default();
        let at = |i: u32| DVec3::new(f64::from(i * 7 % 31), f64::from(i * 11 % 37), f64::from(i % 5));
        for i in 0..1000 {
            let bounds =
                if i == 500 { Aabb::EVERYTHING } else { Aabb::from_center(at(i), DVec3::splat(0.5)) };
            tree.insert(i, &bounds);
        }
        tree.settle();
        assert_sound(&tree, tree.root);
        assert_eq!(height(&tree), 10);
        // All jump: built again, in the same memory.
        for i in 0..1000 {
            tree.update(i, &Aabb::from_center(-at(i) * 3.0, DVec3::splat(0.5)), DVec3::ZERO);
        }
        tree.settle();
        assert_sound(&tree, tree.root);
        assert_eq!((height(&tree), tree.nodes.len()), (10, 1999));
    }

    #[test]
    fn a_walking_entry_gets_a_box_for_the_way_ahead() {
        let (mut tree, _) = tree_of((0..10).map(|i| Aabb::from_center(DVec3::Y * f64::from(i), DVec3::ONE)));
        tree.refresh(&Rules::none());
        let (mut place, step) = (DVec3::Y * 3.0, DVec3::new(0.03, 0.0, -0.01));
        let mut stirred = 0;
        for _ in 0..100 {
            place += step;
            tree.update(3, &Aabb::from_center(place, DVec3::ONE), step);
            stirred += tree.stirred.len();
            tree.refresh(&Rules::none());
        }
        assert_sound(&tree, tree.root);
        // With a margin of 0.2 alone, every seventh step would need a new box.
        assert!(stirred <= 6, "{stirred} of 100");
    }
}
