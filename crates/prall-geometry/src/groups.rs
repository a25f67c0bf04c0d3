//! [`Groups`]: disjoint sets that only ever grow together.

/// A partition of `0..n` into groups (union-find with path halving; the smaller root wins, so that the
/// result does not depend on the order of the unions).
pub(crate) struct Groups {
    parent: Vec<u32>,
}

impl Groups {
    /// `count` groups of one.
    pub(crate) fn new(count: usize) -> Groups {
        Groups { parent: (0..count as u32).collect() }
    }

    /// The smallest member of the group.
    pub(crate) fn root(&mut self, mut member: u32) -> u32 {
        while self.parent[member as usize] != member {
            let above = self.parent[self.parent[member as usize] as usize];
            self.parent[member as usize] = above;
            member = above;
        }
        member
    }

    /// Makes the groups of both members one.
    pub(crate) fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}
