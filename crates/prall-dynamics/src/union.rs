//! Which things belong together: sets that are joined pair by pair.

/// By thing: one of the same set, in the end the smallest number in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Union {
    leads: Vec<u32>,
}

impl Union {
    /// So many sets of one.
    pub(crate) fn of(count: usize) -> Union {
        let mut union = Union::default();
        union.reset(count);
        union
    }

    /// The same in the memory of before.
    pub(crate) fn reset(&mut self, count: usize) {
        self.leads.clear();
        self.leads.extend(0..count as u32);
    }

    /// The smallest number in the set of a thing.
    pub(crate) fn lead(&mut self, mut at: usize) -> usize {
        while self.leads[at] as usize != at {
            self.leads[at] = self.leads[self.leads[at] as usize];
            at = self.leads[at] as usize;
        }
        at
    }

    /// Makes one set of two; its smallest number.
    pub(crate) fn join(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.lead(a), self.lead(b));
        self.leads[a.max(b)] = a.min(b) as u32;
        a.min(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_things_have_the_smallest_number_of_their_set() {
        let mut union = Union::of(6);
        for (a, b) in [(4, 5), (1, 3), (3, 5)] {
            union.join(a, b);
        }
        assert_eq!([0, 1, 2, 3, 4, 5].map(|at| union.lead(at)), [0, 1, 2, 1, 1, 1]);
    }
}
