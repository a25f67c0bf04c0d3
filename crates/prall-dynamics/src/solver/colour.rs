//! Groups of jointed bodies, and colours of joints.
//!
//! Joints of one colour share no movable body, so they can be solved in any order, or at once, with the same bits.
//! A joint's colour is the smallest that is free on both of its bodies, in the order in which joints were added.

/// Disjoint sets of bodies, by union and path halving.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    parents: Vec<u32>,
}

impl Groups {
    /// Every body by itself.
    pub(crate) fn reset(&mut self, count: usize) {
        self.parents.clear();
        self.parents.extend(0..count as u32);
    }

    /// The smallest body of the set.
    pub(crate) fn find(&mut self, mut body: u32) -> u32 {
        while self.parents[body as usize] != body {
            let parent = self.parents[body as usize];
            self.parents[body as usize] = self.parents[parent as usize];
            body = parent;
        }
        body
    }

    /// Makes two sets one; false if they were one before.
    pub(crate) fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
        a != b
    }
}

/// Colours of edges between bodies; `movable` says which bodies make two edges neighbours. Returns the number of colours.
pub(crate) fn colour_edges(
    edges: &[[u32; 2]],
    movable: impl Fn(u32) -> bool,
    bodies: usize,
    colours: &mut Vec<u32>,
) -> u32 {
    colours.clear();
    colours.resize(edges.len(), u32::MAX);
    let mut taken = vec![u32::MAX; bodies];
    let mut left = edges.len();
    let mut colour = 0;
    while left > 0 {
        for (edge, own) in edges.iter().zip(colours.iter_mut()).filter(|(_, own)| **own == u32::MAX) {
            let free = edge.iter().all(|&body| !movable(body) || taken[body as usize] != colour);
            if free {
                edge.iter().for_each(|&body| taken[body as usize] = colour);
                *own = colour;
                left -= 1;
            }
        }
        colour += 1;
    }
    colour
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_one_colour_share_no_movable_body() {
        // A star about body 0 (fixed), a chain 1-2-3-4, and a triangle 5-6-7.
        let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3], [3, 4], [5, 6], [6, 7], [7, 5]];
        let mut colours = Vec::new();
        let count = colour_edges(&edges, |body| body != 0, 8, &mut colours);
        assert_eq!(count, colours.iter().max().unwrap() + 1);
        for (i, a) in edges.iter().enumerate() {
            for (j, b) in edges.iter().enumerate().skip(i + 1) {
                let share = a.iter().any(|body| *body != 0 && b.contains(body));
                assert!(!share || colours[i] != colours[j], "{a:?} and {b:?}");
            }
        }
        // Both joints of a chain's inner body and one to the ground: three colours, a triangle needs three too.
        assert_eq!(count, 3);
    }
}
