//! [`Workspace`]: memory that queries use again and again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::convex::Expansion;
use crate::distance::Waiting;
use crate::near::NearScratch;
use crate::shape_impact::PartQueue;
use crate::time_queue::TimeQueue;

/// Scratch memory for queries. Keep one per thread and hand it to every query: after the first few nothing is
/// allocated any more. It holds no results and has no influence on them.
#[derive(Default)]
pub struct Workspace {
    pub(crate) pairs: Vec<(u32, u32)>,
    pub(crate) nodes: Vec<u32>,
    pub(crate) waiting: BinaryHeap<Reverse<Waiting>>,
    pub(crate) queue: TimeQueue,
    pub(crate) parts: PartQueue,
    pub(crate) expansion: Expansion,
    pub(crate) near: NearScratch,
}

impl Workspace {
    /// An empty workspace.
    pub fn new() -> Workspace {
        Workspace::default()
    }
}
