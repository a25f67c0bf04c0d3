//! Scenes in which a hand moves a part among obstacles.
//!
//! A scene is a [`HandlingDefinition`]: parameters, and a function that sets a part, its obstacles and a script for a hand that plays until somebody takes
//! the part. One [`HandlingScene`] makes a [`Simulation`](crate::Simulation) of each.

mod definitions;
mod scene;
#[cfg(test)]
mod tests;

pub(crate) use definitions::{BOLT_AND_NUT, CORNER, PEG_IN_HOLE, SHEET, TEE};
pub(crate) use scene::HandlingScene;

use crate::parameter::Values;
use crate::{Camera, Parameter};
use prall_geometry::Shape;
use prall_handling::HandlingOptions;
use prall_math::Pose;

/// A scene of the gallery in which a part is handled.
pub(crate) struct HandlingDefinition {
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static [Parameter],
    /// Sets part and obstacles; what parameters change is seen at the next reset.
    pub(crate) set: fn(&Values) -> Setting,
    /// Where the hand wants the part at a time in s, while nobody holds it.
    pub(crate) script: fn(&Values, f64) -> Pose,
}

/// A part among obstacles.
pub(crate) struct Setting {
    pub(crate) part: Shape,
    pub(crate) start: Pose,
    pub(crate) obstacles: Vec<Scenery>,
    pub(crate) options: HandlingOptions,
    pub(crate) camera: Camera,
    /// Height of the ground, if it is drawn.
    pub(crate) ground: Option<f64>,
}

/// An obstacle with its looks.
pub(crate) struct Scenery {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) pose: Pose,
    pub(crate) color: &'static str,
    /// 1 is solid.
    pub(crate) opacity: f64,
}
