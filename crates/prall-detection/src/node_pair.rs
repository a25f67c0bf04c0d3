//! Two nodes of two hierarchies: their triangles if both are leaves, otherwise the larger opened against the other.

use std::ops::Range;

use crate::hierarchy::lanes::{Group8, Single};
use crate::hierarchy::{Content, Hierarchy, NodeBox};
use crate::placement::Placement;

/// What is to be done about two nodes.
pub(crate) enum NodePair<'a> {
    /// Slots of the triangles of A and of B.
    Leaves(Range<u32>, Range<u32>),
    Open(Opening<'a>),
}

/// Whose node is opened.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Opened {
    A,
    B,
}

/// A node opened into eight, against one of the other body.
pub(crate) struct Opening<'a> {
    pub(crate) opened: Opened,
    pub(crate) group: &'a Group8,
    single: &'a NodeBox,
    single_node: u32,
}

impl<'a> NodePair<'a> {
    /// Of two nodes the larger is opened; a leaf cannot be.
    #[inline]
    pub(crate) fn new(a: &'a Hierarchy, node_a: u32, b: &'a Hierarchy, node_b: u32) -> NodePair<'a> {
        let (box_a, box_b) = (&a.nodes[node_a as usize], &b.nodes[node_b as usize]);
        let open_a = |group: usize| {
            let group = &a.groups[group];
            NodePair::Open(Opening { opened: Opened::A, group, single: box_b, single_node: node_b })
        };
        let open_b = |group: usize| {
            let group = &b.groups[group];
            NodePair::Open(Opening { opened: Opened::B, group, single: box_a, single_node: node_a })
        };
        match (box_a.link.content(), box_b.link.content()) {
            (Content::Triangles(range_a), Content::Triangles(range_b)) => NodePair::Leaves(range_a, range_b),
            (Content::Group(group), Content::Triangles(_)) => open_a(group),
            (Content::Triangles(_), Content::Group(group)) => open_b(group),
            (Content::Group(group), Content::Group(_)) if box_a.radius >= box_b.radius => open_a(group),
            (Content::Group(_), Content::Group(group)) => open_b(group),
        }
    }
}

impl Opening<'_> {
    /// The single box in the frame of the eight.
    #[inline]
    pub(crate) fn single(&self, placement: &Placement) -> Single {
        let change = if self.opened == Opened::A { &placement.b_to_a } else { &placement.a_to_b };
        Single::new(self.single, change, change.point(self.single.centre), self.group.origin)
    }

    /// Nodes of A and B for one of the eight.
    #[inline]
    pub(crate) fn pair(&self, lane: u32) -> (u32, u32) {
        let child = self.group.first + lane;
        if self.opened == Opened::A { (child, self.single_node) } else { (self.single_node, child) }
    }
}

/// Calls `call` with the number of every bit that is set, from the lowest on.
#[inline]
pub(crate) fn for_each_bit(mut bits: u32, mut call: impl FnMut(u32)) {
    while bits != 0 {
        call(bits.trailing_zeros());
        bits &= bits - 1;
    }
}
