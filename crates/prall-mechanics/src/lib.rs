//! The mechanics that every mover shares: body states, contact laws, the contact problem and its solver, what a step may cost and
//! what it reports.
//!
//! A *percussion* is an impulse: the time integral of a force over a step or an impact, in N s. Contact laws
//! are stated on percussions, so that impacts and lasting contacts are one law (Moreau 1988).

mod account;
pub mod audit;
mod bodies;
mod body;
mod hash;
pub mod island;
mod report;
pub mod tree;

pub use account::{EnergyAccount, MomentumAccount, about_origin};
pub use bodies::{Bodies, Response};
pub use body::{Body, BodyError};
pub use hash::StateHash;
pub use prall_detection::Budget;
pub use report::{PhaseTimes, StepReport};

// Contacts.
mod contact;
mod contact_law;
mod material;
mod mover;

pub use contact::{
    ContactEnergy, ContactOptions, ContactReport, ContactStep, ContactView, Contacts, Coupling, ImpactLaw,
    ManifoldView, ProjectionReport, RollingContact, Side, Uncoupled,
};
pub use contact_law::{ContactLaw, ContactLawError};
pub use material::{Combine, Material};
pub use mover::{Mover, MoverStateError, Movers, TwistResponse};
