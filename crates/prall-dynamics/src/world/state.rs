//! Saving and restoring: everything that decides how a world goes on.

use prall_mechanics::{Bodies, Contacts};
use serde::{Deserialize, Serialize};

use super::detect::Found;
use super::guard::Rise;
use super::hand::Hand;
use super::remembered::{self, Remembered};
use super::sleep::Sleepers;
use super::solid::SolidState;
use super::{World, WorldOptions};
use crate::handle::Places;
use crate::joint::Joint;
use crate::solver::{direct, tree};
use crate::{BodyKind, Locked, WorldError};

/// First field of a saved state: what it is, and its version.
const VERSION: u32 = 9;

#[derive(Serialize, Deserialize)]
struct State {
    version: u32,
    options: WorldOptions,
    time: f64,
    bodies: Bodies,
    kinds: Vec<BodyKind>,
    loads: Vec<prall_math::Wrench>,
    locked: Vec<Locked>,
    places: Places,
    joints: Vec<Joint>,
    joint_places: Places,
    /// Empty if the joints are to be ordered anew, and with them the trees.
    trees: Vec<Option<tree::Saved>>,
    /// As many as trees.
    factors: Vec<Option<direct::Factor>>,
    contacts: Contacts,
    hands: Vec<Hand>,
    hand_places: Places,
    redetect: bool,
    remembered: remembered::Saved,
    found: Vec<Found>,
    sleepers: Sleepers,
    solid: SolidState,
    rises: Vec<Rise>,
    movers: Vec<Vec<u8>>,
}

impl World {
    /// Everything that decides how the world goes on, shapes and materials excepted.
    pub fn save(&self) -> Vec<u8> {
        let state = State {
            version: VERSION,
            options: self.options,
            time: self.time,
            bodies: self.bodies.clone(),
            kinds: self.records.iter().map(|record| record.kind).collect(),
            loads: self.records.iter().map(|record| record.load).collect(),
            locked: self.records.iter().map(|record| record.locked).collect(),
            places: self.places.clone(),
            joints: self.joints.clone(),
            joint_places: self.joint_places.clone(),
            trees: if self.reorder { Vec::new() } else { self.system.save_trees() },
            factors: if self.reorder { Vec::new() } else { self.system.save_factors() },
            contacts: self.contacts.clone(),
            hands: self.hands.clone(),
            hand_places: self.hand_places.clone(),
            redetect: self.redetect,
            remembered: self.remembered.save(),
            found: self.found.clone(),
            sleepers: self.sleepers.clone(),
            solid: self.solid.state.clone(),
            rises: self.guard.rises.clone(),
            movers: self.movers.iter().map(|mover| mover.save()).collect(),
        };
        postcard::to_allocvec(&state).expect("numbers can always be written to memory")
    }

    /// Goes back to a saved state of a world with the same bodies and movers, and goes on bit by bit; joints may have come,
    /// gone or broken since. A state that does not fit leaves the world as it was, unless a mover refuses its part.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), WorldError> {
        let refused = |reason: &str| WorldError::State(reason.to_owned());
        let (state, rest): (State, &[u8]) =
            postcard::take_from_bytes(bytes).map_err(|error| WorldError::State(error.to_string()))?;
        if state.version != VERSION {
            return Err(refused("it is of another version"));
        }
        if !rest.is_empty() {
            return Err(refused("it is longer than a state"));
        }
        if state.places != self.places || state.movers.len() != self.movers.len() {
            return Err(refused("it belongs to a world with other bodies"));
        }
        let count = self.bodies.len();
        let fits = state.bodies.len() == count
            && state.kinds.len() == count
            && state.loads.len() == count
            && state.locked.len() == count
            && state.found.len() <= count
            && state.rises.len() <= count
            && state.joints.len() == state.joint_places.len()
            && state.joints.iter().all(|joint| joint.bodies.iter().all(|&body| (body as usize) < count))
            && state.hands.len() == state.hand_places.len()
            && state.hands.iter().all(|hand| (hand.body as usize) < count);
        if !fits || !state.bodies.are_finite() {
            return Err(refused("its numbers are not possible"));
        }
        for (mover, saved) in self.movers.iter_mut().zip(&state.movers) {
            mover.restore(saved).map_err(|error| WorldError::State(error.to_string()))?;
        }
        self.options = state.options.checked()?;
        self.time = state.time;
        for (at, (kind, load)) in state.kinds.iter().zip(&state.loads).enumerate() {
            (self.records[at].kind, self.records[at].load) = (*kind, *load);
            self.records[at].locked = state.locked[at];
            self.apply_kind(at);
        }
        self.bodies = state.bodies;
        (self.joints, self.joint_places) = (state.joints, state.joint_places);
        self.contacts = state.contacts;
        self.remembered = Remembered::restore(state.remembered);
        (self.hands, self.hand_places) = (state.hands, state.hand_places);
        self.keep_apart();
        self.found = state.found;
        self.sleepers = state.sleepers;
        self.solid.state = state.solid;
        self.guard.rises = state.rises;
        self.place_again();
        (self.reorder, self.redetect) = (true, state.redetect);
        if !state.trees.is_empty() {
            // Without their own memory trees and factors go on as well, but not with the same bits.
            self.reorder();
            self.system.restore_trees(&state.trees);
            self.system.restore_factors(&state.factors);
        }
        Ok(())
    }
}
