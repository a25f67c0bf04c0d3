//! [`PairTest`]: what the step control asks the narrow phase.

use prall_math::Motion;

use crate::{Budget, ObjectId};

/// Two objects and how they move.
#[derive(Clone, Copy, Debug)]
pub struct MovingPair<'a> {
    /// Which two.
    pub objects: [ObjectId; 2],
    /// How each of them moves in the world; at rest for what does not move.
    pub motions: [&'a Motion; 2],
    /// The test is about the times from here to 1.
    pub from: f64,
}

/// What is known about a pair: an enclosure of the time at which it first meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encounter<C> {
    /// Proven: the two do not touch from the start of the test up to this time. 1 if they do not meet at all.
    pub free_until: f64,
    /// Where they touch, if they do and it has been found.
    pub contact: Option<C>,
    /// False: more work may raise `free_until`.
    pub finished: bool,
}

/// A test of two moving objects that can be interrupted after every elementary test and taken up again.
///
/// Contract: `free_until` is proven whatever the budget was; what is proven after some units of work does not
/// depend on how they were portioned; each call that is granted a unit uses one or finishes.
pub trait PairTest {
    /// How a contact is described.
    type Contact: Clone;
    /// What a test remembers between portions of work.
    type Search;

    /// Starts the test of a pair; no work yet.
    fn begin(&mut self, pair: &MovingPair<'_>) -> Self::Search;

    /// Goes on until the test is finished or the budget refuses a unit of work.
    fn advance(
        &mut self,
        pair: &MovingPair<'_>,
        search: &mut Self::Search,
        budget: &mut Budget,
    ) -> Encounter<Self::Contact>;
}
