//! [`StepReport`]: what a step did and how wrong it may be.

use std::time::Duration;

use crate::{EnergyAccount, MomentumAccount};

/// Where the time of a step went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PhaseTimes {
    /// Finding pairs and when they meet.
    pub detect: Duration,
    /// Building contacts and their laws.
    pub contacts: Duration,
    /// Finding percussions.
    pub solve: Duration,
    /// Moving bodies to their new poses.
    pub commit: Duration,
}

impl PhaseTimes {
    /// The time of the whole step.
    pub fn total(&self) -> Duration {
        self.detect + self.contacts + self.solve + self.commit
    }
}

/// What one time step did, what it cost and what error it left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Points that were in contact at the end of the step.
    pub contacts: usize,
    /// Impacts that happened during the step.
    pub collisions: usize,
    /// Sweeps of the contact solver.
    pub sweeps: usize,
    /// Deepest overlap, largest gap over which a contact bears load, or largest joint error, at the end of the step, in m. Loaded gaps within
    /// the tolerance on positions do not count.
    pub position_error: f64,
    /// Largest violation of a contact's or joint's velocity condition that the solver left, in m/s.
    pub velocity_error: f64,
    /// Elementary work units used.
    pub work: u64,
    /// Simulated time that was not carried out, in s: for want of budget, or because somebody stood in the way; that of the body that
    /// lost most.
    pub lost_time: f64,
    /// True if the budget ended the step early.
    pub budget_cut: bool,
    /// Where the energy of bodies came from and went to. Zero in simulations that keep no account.
    pub energy: EnergyAccount,
    /// The same for momentum.
    pub momentum: MomentumAccount,
    /// Sets of bodies that had gained energy from nothing, beyond what tolerances are worth, and were scaled back: 0 in a right step.
    pub energy_clamps: usize,
    /// Bodies that were no longer finite and were put back: 0 in a right step.
    pub diverged: usize,
    /// Where the time went. Measured by the clock: not part of the state.
    pub phases: PhaseTimes,
}
