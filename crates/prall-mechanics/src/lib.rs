//! The mechanics that every mover shares: body states, contact laws, what a step may cost and what it reports.
//!
//! A *percussion* is an impulse: the time integral of a force over a step or an impact, in N s. Contact laws
//! are stated on percussions, so that impacts and lasting contacts are one law (Moreau 1988).

pub mod audit;
mod bodies;
mod body;
mod contact_law;
mod hash;
mod report;

pub use bodies::{Bodies, Response};
pub use body::{Body, BodyError};
pub use contact_law::{ContactLaw, ContactLawError};
pub use hash::StateHash;
pub use prall_detection::Budget;
pub use report::{PhaseTimes, StepReport};
