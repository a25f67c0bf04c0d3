//! What an engine must do to take part.

use crate::description::Description;
use prall_math::Pose;
use std::time::Duration;

/// A scene in some engine.
pub trait Engine {
    /// Makes so many steps and says how long they took, without what talking to the engine costs.
    fn steps(&mut self, count: usize) -> Result<Duration, String>;

    /// Poses of the bodies' frames, in the order of the description.
    fn poses(&mut self) -> Result<Vec<Pose>, String>;
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
