//! Pairs of parts that wait for their time, earliest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::time_queue::Item;

/// A part of a body: a node or a triangle of one of its pieces; convex pieces and half-spaces are node 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) piece: u32,
    pub(super) item: Item,
}

/// Two parts to be kept apart until `end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) a: Place,
    pub(super) b: Place,
    pub(super) end: f64,
}

/// Few pairs wait at a time, so a heap with exact keys does; the buckets of the query for meshes take longer to empty than a whole
/// query of two boxes.
#[derive(Default)]
pub(crate) struct PartQueue {
    stack: Vec<Pending>,
    heap: BinaryHeap<Reverse<Due>>,
}

/// Ordered by time, then by places: the order must not depend on anything else.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    /// Bits of a number that is not negative compare like the number.
    time: u64,
    a: Place,
    b: Place,
    end: u64,
}

impl PartQueue {
    /// Empties the queue; memory is kept.
    pub(super) fn restart(&mut self) {
        self.stack.clear();
        self.heap.clear();
    }

    /// To be treated at the present time.
    pub(super) fn push_now(&mut self, pending: Pending) {
        self.stack.push(pending);
    }

    /// To be treated at `time`, which is not before the present.
    pub(super) fn push_at(&mut self, time: f64, pending: Pending) {
        let Pending { a, b, end } = pending;
        self.heap.push(Reverse(Due { time: time.to_bits(), a, b, end: end.to_bits() }));
    }

    /// Something due at the present time.
    pub(super) fn pop_now(&mut self) -> Option<Pending> {
        self.stack.pop()
    }

    /// Goes to the next time at which something is due.
    pub(super) fn next_time(&mut self) -> Option<f64> {
        let Reverse(due) = self.heap.pop()?;
        self.stack.push(Pending { a: due.a, b: due.b, end: f64::from_bits(due.end) });
        Some(f64::from_bits(due.time))
    }
}
