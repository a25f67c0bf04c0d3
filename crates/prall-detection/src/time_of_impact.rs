//! When do two moving bodies first come near each other? A proven answer, or one that says it is not finished.
//!
//! Every pair of boxes or triangles is kept apart by a plane for some time ([`crate::certificate`]); when that
//! time is over the pair is looked at again: opened, or given another plane. Pairs wait in a queue by time, so
//! the time of the queue is proven free at every moment. A pair that travels farther than half its size before
//! its end is looked at over a shorter time first: splitting time is then cheaper than splitting space.

mod indicator;
mod search;

use prall_math::Motion;

use crate::budget::Budget;
use crate::contact::ContactPoint;
use crate::error::QueryError;
use crate::hierarchy::Hierarchy;
use crate::workspace::Workspace;
pub(crate) use search::{ImpactSearch, Question};

/// What counts as contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactOptions {
    /// Width of the band, in metres, in which a contact may be called: at the contact the gap exceeds what must
    /// be kept by no more than this. Default 1 um.
    pub tolerance: f64,
    /// Gap, in metres, that must be kept. Default 20 um.
    pub guard: f64,
    /// Bodies that are nearer than twice the guard at the start must only keep half of their start gap, so that
    /// sliding and resting parts can move. Without it the guard is a clearance that holds from the start on. Default
    /// true.
    pub relax_at_start: bool,
}

impl Default for ImpactOptions {
    fn default() -> ImpactOptions {
        ImpactOptions { tolerance: 1e-6, guard: 20e-6, relax_at_start: true }
    }
}

impl ImpactOptions {
    pub(crate) fn validate(&self) -> Result<(), QueryError> {
        let wrong = |option, value, wanted| Err(QueryError::Option { option, value, wanted });
        // Written so that NaN is wrong.
        if !(self.tolerance > 0.0 && self.tolerance <= 1e9) {
            return wrong("the tolerance", self.tolerance, "above 0 and at most 1e9 m");
        }
        if !(self.guard >= 0.0 && self.guard <= 1e9) {
            return wrong("the guard", self.guard, "between 0 and 1e9 m");
        }
        Ok(())
    }
}

/// An enclosure of the first contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOfImpact {
    /// Proven, rounding included: the bodies have a gap at every time in [0, `free_until`]. The only exception
    /// is `free_until = 0` with a contact: they touched or overlapped from the start.
    pub free_until: f64,
    /// Time and place at which the gap is down to what must be kept, within the tolerance. The time is
    /// `free_until`.
    pub contact: Option<(f64, ContactPoint)>,
    /// False if the budget ended first; `free_until` is proven all the same.
    pub finished: bool,
    /// Proven, rounding included: the bodies are at least this far apart at every time in [0, `free_until`], in metres. The guard,
    /// or what `relax_at_start` left of it; 0 if nothing is proven.
    pub kept: f64,
}

/// How far two bodies can follow their motions before they come nearer than the guard.
///
/// Promise: whatever the meshes, motions and budgets, the bodies do not touch at any time in
/// [0, `free_until`], and more budget never lowers `free_until`. If there is no contact and the search is
/// finished, `free_until` is 1.
pub fn time_of_impact(
    a: &Hierarchy,
    motion_a: &Motion,
    b: &Hierarchy,
    motion_b: &Motion,
    options: &ImpactOptions,
    budget: &mut Budget,
    workspace: &mut Workspace,
) -> Result<TimeOfImpact, QueryError> {
    options.validate()?;
    let (bodies, motions) = ([a, b], [motion_a, motion_b]);
    let question = Question { bodies, motions, thickness: 0.0, from: 0.0, options };
    let mut search = ImpactSearch::new(&question, &mut workspace.queue)?;
    let answer = search.advance(bodies, budget);
    workspace.queue = search.end();
    Ok(answer)
}
