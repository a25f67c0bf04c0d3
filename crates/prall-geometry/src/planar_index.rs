//! [`PlanarIndex`]: which of many boxes in the plane meet a given one; boxes may be taken out.

use glam::DVec2;

/// A box by its smallest and largest corner.
pub(crate) type PlanarBox = (DVec2, DVec2);

/// Boxes at most in a leaf.
const LEAF: usize = 4;

/// A balanced tree over boxes, by halving at the median of the wider axis.
pub(crate) struct PlanarIndex {
    boxes: Vec<PlanarBox>,
    /// Numbers of the boxes in the order of the leaves.
    order: Vec<u32>,
    nodes: Vec<Node>,
    /// The leaf of each box.
    leaf: Vec<u32>,
    alive: Vec<bool>,
}

struct Node {
    bounds: PlanarBox,
    parent: Option<u32>,
    /// The node that comes next if this one's children are passed over.
    next: u32,
    /// Its boxes in `order`; empty for a node with children.
    own: std::ops::Range<usize>,
    /// How many boxes below it are still there.
    alive: u32,
}

impl PlanarIndex {
    pub(crate) fn new(boxes: Vec<PlanarBox>) -> PlanarIndex {
        let count = boxes.len();
        let mut index = PlanarIndex {
            order: (0..count as u32).collect(),
            nodes: Vec::with_capacity(count),
            leaf: vec![0; count],
            alive: vec![true; count],
            boxes,
        };
        index.build(0..count, None);
        index
    }

    /// Adds the node of a range of `order` with all below it. The depth is the logarithm of the count, since halves are equal.
    fn build(&mut self, range: std::ops::Range<usize>, parent: Option<u32>) {
        let number = self.nodes.len() as u32;
        let items = &mut self.order[range.clone()];
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for &item in items.iter() {
            let (own_low, own_high) = self.boxes[item as usize];
            (low, high) = (low.min(own_low), high.max(own_high));
        }
        let alive = items.len() as u32;
        let is_leaf = items.len() <= LEAF;
        let own = if is_leaf { range.clone() } else { 0..0 };
        self.nodes.push(Node { bounds: (low, high), parent, next: 0, own, alive });
        if is_leaf {
            items.iter().for_each(|&item| self.leaf[item as usize] = number);
        } else {
            let wide = high - low;
            let centre = |item: u32| {
                let (low, high) = self.boxes[item as usize];
                if wide.x >= wide.y { low.x + high.x } else { low.y + high.y }
            };
            let half = items.len() / 2;
            // The number decides between equals, so that the tree is always the same.
            items.select_nth_unstable_by(half, |&s, &t| centre(s).total_cmp(&centre(t)).then(s.cmp(&t)));
            let middle = range.start + half;
            self.build(range.start..middle, Some(number));
            self.build(middle..range.end, Some(number));
        }
        self.nodes[number as usize].next = self.nodes.len() as u32;
    }

    /// Takes a box out.
    pub(crate) fn remove(&mut self, item: usize) {
        if !std::mem::replace(&mut self.alive[item], false) {
            return;
        }
        let mut above = Some(self.leaf[item]);
        while let Some(node) = above {
            let node = &mut self.nodes[node as usize];
            node.alive -= 1;
            above = node.parent;
        }
    }

    /// Whether `found` holds for any box that is still there and meets this one; it is asked until it does.
    pub(crate) fn any(&self, (low, high): PlanarBox, mut found: impl FnMut(usize) -> bool) -> bool {
        let meets = |(own_low, own_high): PlanarBox| own_low.cmple(high).all() && own_high.cmpge(low).all();
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            if node.alive == 0 || !meets(node.bounds) {
                at = node.next as usize;
                continue;
            }
            for &item in &self.order[node.own.clone()] {
                let item = item as usize;
                if self.alive[item] && meets(self.boxes[item]) && found(item) {
                    return true;
                }
            }
            at += 1;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes on a sheared lattice with many equal coordinates; every third is taken out; each query against a look at all.
    #[test]
    fn exactly_the_boxes_that_meet_are_found() {
        let boxes: Vec<PlanarBox> = (0..300)
            .map(|i| {
                let low = DVec2::new(f64::from(i % 17), f64::from(i * 7 % 13));
                (low, low + DVec2::new(f64::from(i % 3), f64::from(i % 2)))
            })
            .collect();
        let mut index = PlanarIndex::new(boxes.clone());
        (0..300).step_by(3).for_each(|item| index.remove(item));
        for i in 0..200 {
            let low = DVec2::new(f64::from(i % 19) - 1.0, f64::from(i % 11));
            let query = (low, low + DVec2::splat(f64::from(i % 4)));
            let mut found = Vec::new();
            index.any(query, |item| {
                found.push(item);
                false
            });
            found.sort_unstable();
            let meets = |&item: &usize| {
                let (own_low, own_high) = boxes[item];
                !(own_low.x > query.1.x
                    || own_low.y > query.1.y
                    || own_high.x < query.0.x
                    || own_high.y < query.0.y)
            };
            let expected: Vec<usize> = (0..300).filter(|item| item % 3 != 0).filter(meets).collect();
            assert_eq!(found, expected);
        }
    }
}
