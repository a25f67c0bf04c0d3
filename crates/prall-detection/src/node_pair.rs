//! Two nodes of two hierarchies: their triangles if both are leaves, otherwise the larger opened against the other.

use std::ops::Range;

use crate::hierarchy::blocks::Piece;
use crate::hierarchy::lanes::{Group8, Single};
use crate::hierarchy::{Content, Hierarchy, NodeBox};
use crate::placement::Placement;

/// A block counts as so much smaller than it is beside a node that is larger than a block.
const WHOLE: f32 = 0.25;

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
    #[inline(always)]
    pub(crate) fn new(a: &'a Hierarchy, node_a: u32, b: &'a Hierarchy, node_b: u32) -> NodePair<'a> {
        NodePair::weighed((a, node_a), (b, node_b), (1.0, 1.0))
    }

    /// The same, but a block is opened only if it is much larger than the other: it is to meet another block as a whole.
    #[inline(always)]
    pub(crate) fn of_pieces(
        (a, node_a): (&'a Hierarchy, u32),
        (b, node_b): (&'a Hierarchy, u32),
        pieces: &(Piece<'_>, Piece<'_>),
    ) -> NodePair<'a> {
        let weights = match pieces {
            (Piece::Block(_), Piece::Larger) => (WHOLE, 1.0),
            (Piece::Larger, Piece::Block(_)) => (1.0, WHOLE),
            _ => (1.0, 1.0),
        };
        NodePair::weighed((a, node_a), (b, node_b), weights)
    }

    #[inline(always)]
    fn weighed(
        (a, node_a): (&'a Hierarchy, u32),
        (b, node_b): (&'a Hierarchy, u32),
        weights: (f32, f32),
    ) -> NodePair<'a> {
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
            (Content::Group(group), Content::Group(_))
                if box_a.radius * weights.0 >= box_b.radius * weights.1 =>
            {
                open_a(group)
            }
            (Content::Group(_), Content::Group(group)) => open_b(group),
        }
    }
}

impl Opening<'_> {
    /// The single box in the frame of the eight.
    #[inline(always)]
    pub(crate) fn single(&self, placement: &Placement) -> Single {
        let change = if self.opened == Opened::A { &placement.b_to_a } else { &placement.a_to_b };
        Single::new(self.single, change, change.point(self.single.centre), self.group.origin)
    }

    /// Nodes of A and B for one of the eight.
    #[inline(always)]
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
