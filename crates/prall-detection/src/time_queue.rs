//! Pairs that wait for their time, earliest first.
//!
//! [0, 1] is divided into equal buckets. A pair that is due in a later bucket is filed there and treated at the
//! bucket's start: earlier than necessary is always valid, and all pairs of a bucket share one pose. Within the
//! current bucket a heap with exact keys keeps things moving.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Number of buckets; fewer are slower on long motions, as measured.
const BUCKETS: usize = 256;

/// Two nodes or two triangles, to be kept apart until `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pending {
    pub(crate) a: Item,
    pub(crate) b: Item,
    pub(crate) end: f64,
}

/// A node of a hierarchy or one of its triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Item {
    Node(u32),
    Triangle(u32),
}

#[derive(Default)]
pub(crate) struct TimeQueue {
    /// Due now.
    stack: Vec<Pending>,
    buckets: Vec<Vec<Pending>>,
    heap: BinaryHeap<Reverse<Due>>,
    bucket: usize,
}

/// Ordered by time, then by items: the order must not depend on anything else.
#[derive(Clone, Copy)]
struct Due {
    /// Bits of a number that is not negative compare like the number.
    time: u64,
    pending: Pending,
}

impl Due {
    fn key(&self) -> (u64, Item, Item, u64) {
        (self.time, self.pending.a, self.pending.b, self.pending.end.to_bits())
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Due) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Due) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Due) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl TimeQueue {
    /// Empties the queue and sets it to a time in [0, 1]; memory is kept.
    pub(crate) fn restart(&mut self, time: f64) {
        self.stack.clear();
        self.heap.clear();
        self.buckets.resize_with(BUCKETS, Vec::new);
        self.buckets.iter_mut().for_each(Vec::clear);
        self.bucket = bucket(time);
    }

    /// To be treated at the present time.
    pub(crate) fn push_now(&mut self, pending: Pending) {
        self.stack.push(pending);
    }

    /// To be treated at `time` or a little earlier, but not before the present.
    pub(crate) fn push_at(&mut self, time: f64, pending: Pending) {
        let bucket = bucket(time);
        if bucket > self.bucket {
            self.buckets[bucket].push(pending);
        } else {
            self.heap.push(Reverse(Due { time: time.to_bits(), pending }));
        }
    }

    /// Something due at the present time.
    pub(crate) fn pop_now(&mut self) -> Option<Pending> {
        self.stack.pop()
    }

    /// What is due at the present time; the last is next.
    pub(crate) fn due_now(&self) -> &[Pending] {
        &self.stack
    }

    /// Goes to the next time at which something is due.
    pub(crate) fn next_time(&mut self) -> Option<f64> {
        if let Some(Reverse(due)) = self.heap.pop() {
            self.stack.push(due.pending);
            return Some(f64::from_bits(due.time));
        }
        while self.bucket + 1 < BUCKETS {
            self.bucket += 1;
            if !self.buckets[self.bucket].is_empty() {
                // Moved, not swapped: every list keeps its memory, so that the next query needs no more.
                self.stack.append(&mut self.buckets[self.bucket]);
                return Some(self.bucket as f64 / BUCKETS as f64);
            }
        }
        None
    }
}

fn bucket(time: f64) -> usize {
    ((time * BUCKETS as f64) as usize).min(BUCKETS - 1)
}
