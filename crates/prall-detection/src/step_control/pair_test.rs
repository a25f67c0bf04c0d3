//! [`PairTest`]: what the step control asks the narrow phase.

use glam::DVec3;
use prall_math::Motion;

use crate::{Budget, ObjectId, QueryError};

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

/// What a test that was cut short says beyond what it has proven free (Eckstein 1998, chapter 8): where contact is to be
/// expected. The time is a guess that nothing may rely on; the gap is proven.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// When the two boxes that enclose the likeliest place come together.
    pub time: f64,
    /// Proven, up to rounding: at that time the two objects are not farther apart than this, in metres.
    pub gap_at_most: f64,
    /// Where the boxes come together, in the world.
    pub place: DVec3,
    /// Unit vector from the second box to the first.
    pub normal: DVec3,
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
    fn begin(&mut self, pair: &MovingPair<'_>) -> Result<Self::Search, QueryError>;

    /// Goes on until the test is finished or the budget refuses a unit of work.
    fn advance(
        &mut self,
        pair: &MovingPair<'_>,
        search: &mut Self::Search,
        budget: &mut Budget,
    ) -> Encounter<Self::Contact>;

    /// What can be said about a test that the budget cut short; none if the test has no opinion.
    fn estimate(&mut self, pair: &MovingPair<'_>, search: &Self::Search) -> Option<Estimate> {
        let _ = (pair, search);
        None
    }

    /// Takes a search back that is not needed any more, for its memory.
    fn end(&mut self, search: Self::Search) {
        drop(search);
    }
}
