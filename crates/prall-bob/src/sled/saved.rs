//! [`SledState`]: what decides how a sled goes on, apart from its setup.

use prall_mechanics::Mover;
use prall_multibody::{Drive, Moreau};
use serde::{Deserialize, Serialize};

use super::{Sled, SledError, Touched};
use crate::track::{Foot, Ground};

/// A sled, saved. Restored into one of the same setup, it goes on bit by bit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SledState {
    mechanism: Vec<u8>,
    moreau: Moreau,
    beta: Drive,
    /// Where each contact was searched, how long it sleeps, what it met and how fast.
    tips: Vec<(Foot, u32, Ground, f64)>,
    normal_force: f64,
    touched: Touched,
}

impl Sled {
    /// The present state.
    pub fn save(&self) -> SledState {
        SledState {
            mechanism: Mover::save(&self.mechanism),
            moreau: self.moreau.clone(),
            beta: self.beta,
            tips: self.tips.iter().map(|tip| (tip.foot, tip.asleep, tip.ground, tip.approach)).collect(),
            normal_force: self.normal_force,
            touched: self.touched,
        }
    }

    /// Goes back to a saved state; one that does not fit changes nothing.
    pub fn restore(&mut self, state: &SledState) -> Result<(), SledError> {
        if state.tips.len() != self.tips.len() {
            let (there, here) = (state.tips.len(), self.tips.len());
            return Err(SledError(format!("it has {there} contacts, this sled {here}")));
        }
        Mover::restore(&mut self.mechanism, &state.mechanism)
            .map_err(|error| SledError(error.to_string()))?;
        self.moreau = state.moreau.clone();
        (self.beta, self.normal_force, self.touched) = (state.beta, state.normal_force, state.touched);
        for (tip, &(foot, asleep, ground, approach)) in self.tips.iter_mut().zip(&state.tips) {
            (tip.foot, tip.asleep, tip.ground, tip.approach) = (foot, asleep, ground, approach);
        }
        Ok(())
    }
}
