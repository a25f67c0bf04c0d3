//! Scenes in which a hand moves parts among obstacles.
//!
//! A scene is a [`HandlingDefinition`]: parameters, and a function that sets parts, their obstacles and a script for a hand that plays until somebody takes
//! a part. One [`HandlingScene`] makes a [`Simulation`](crate::Simulation) of each, and of an assembly of one's own ([`handled_assembly`]).

mod advice;
mod aeroplane;
mod assembly;
mod clearance;
mod definitions;
mod engine_bay;
mod follow;
mod meshes;
mod push_plate;
mod puzzle;
mod radio;
mod scene;
mod script;
#[cfg(test)]
mod solved_tests;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use aeroplane::AEROPLANE;
pub use assembly::{AssemblyError, HandledAssembly, HandledMesh, handled_assembly};
pub(crate) use definitions::{BOLT_AND_NUT, CORNER, PEG_IN_HOLE, SHEET, TEE};
pub(crate) use engine_bay::BULB_REMOVAL;
pub(crate) use push_plate::PushPlate;
pub(crate) use puzzle::PUZZLE;
pub(crate) use radio::CAR_RADIO;
pub(crate) use scene::HandlingScene;

use crate::parameter::Values;
use crate::{Camera, Parameter};
use prall_geometry::Shape;
use prall_handling::HandlingOptions;
use prall_math::Pose;
use script::Script;

/// A scene of the gallery in which parts are handled.
pub(crate) struct HandlingDefinition {
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static [Parameter],
    /// Sets parts and obstacles; what parameters change is seen at the next reset.
    pub(crate) set: fn(&Values) -> Setting,
    /// Where the hand wants which part while nobody holds one.
    pub(crate) script: fn(&Values) -> Script,
}

/// Parts among obstacles.
#[derive(Clone)]
pub(crate) struct Setting {
    /// What can be taken in hand, one at a time; the others stand meanwhile.
    pub(crate) parts: Vec<HandledPart>,
    pub(crate) obstacles: Vec<Scenery>,
    pub(crate) options: HandlingOptions,
    pub(crate) camera: Camera,
    /// Height of the ground, if it is drawn.
    pub(crate) ground: Option<f64>,
}

/// Something to be taken in hand.
#[derive(Clone)]
pub(crate) struct HandledPart {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) start: Pose,
    pub(crate) color: &'static str,
}

/// An obstacle with its looks.
#[derive(Clone)]
pub(crate) struct Scenery {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) pose: Pose,
    pub(crate) color: &'static str,
    /// 1 is solid.
    pub(crate) opacity: f64,
}
