//! [`RunState`]: what decides how a run goes on, apart from its course and its sled's setup.

use serde::{Deserialize, Serialize};

use super::{Bumper, Conditions, Run, RunResult};
use crate::sled::{SledError, SledState};
use crate::track::Foot;

/// A run, saved. Restored into one on the same course with the same setup, it goes on bit by bit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunState {
    sled: SledState,
    pilot: [f64; 7],
    conditions: Conditions,
    noise: u64,
    station: f64,
    time: f64,
    zero: Option<f64>,
    /// Leaning, lying, in the net.
    since: [f64; 3],
    bumpers: Vec<Bumper>,
    speed: f64,
    result: RunResult,
    foot: Foot,
    since_look: u32,
    load: f64,
    goes_on: bool,
}

impl Run<'_> {
    /// The present state.
    pub fn save(&self) -> RunState {
        RunState {
            sled: self.sled.save(),
            pilot: self.pilot.save(),
            conditions: self.conditions,
            noise: self.noise,
            station: self.station,
            time: self.time,
            zero: self.zero,
            since: [self.leaning, self.lying, self.in_net],
            bumpers: self.bumpers.clone(),
            speed: self.speed,
            result: self.result.clone(),
            foot: self.foot,
            since_look: self.since_look,
            load: self.load,
            goes_on: self.goes_on,
        }
    }

    /// Goes back to a saved state; one of another sled changes nothing.
    pub fn restore(&mut self, state: &RunState) -> Result<(), SledError> {
        self.sled.restore(&state.sled)?;
        self.pilot.restore(state.pilot);
        (self.conditions, self.noise) = (state.conditions, state.noise);
        (self.station, self.time, self.zero) = (state.station, state.time, state.zero);
        [self.leaning, self.lying, self.in_net] = state.since;
        (self.bumpers, self.speed) = (state.bumpers.clone(), state.speed);
        (self.result, self.foot) = (state.result.clone(), state.foot);
        (self.since_look, self.load, self.goes_on) = (state.since_look, state.load, state.goes_on);
        Ok(())
    }
}
