//! What an engine must do to take part.

use crate::description::Description;
use prall_math::{Pose, Twist};
use std::time::Duration;

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug)]
pub struct BodyState {
    /// The body's frame.
    pub pose: Pose,
    /// Velocity of the centre of mass, and angular velocity, in world axes.
    pub velocity: Twist,
}

/// A scene in some engine.
pub trait Engine {
    /// Makes so many steps and says how long they took, without what talking to the engine costs.
    fn steps(&mut self, count: usize) -> Result<Duration, String>;

    /// States of the bodies, in the order of the description.
    fn states(&mut self) -> Result<Vec<BodyState>, String>;
}

/// An engine with one of its settings.
pub struct Contestant {
    /// As tables call it.
    pub name: &'static str,
    /// What was set, in the engine's own words.
    pub setting: &'static str,
    /// Puts the scene into the engine; the error says what the engine does not know.
    pub open: fn(&Description) -> Result<Box<dyn Engine>, String>,
}
