//! Free bodies with joints and contacts, moved by impulses (Bender 2007).
//!
//! A [`World`] holds bodies ([`BodyDefinition`]), joints between them ([`JointDefinition`]) and movers with
//! coordinates of their own; [`World::step`] advances all of them and reports what it did and how wrong it may be.
//! Tolerances are inputs: joints are closed to so many metres after every step, whichever [`Solver`] is chosen.
//!
//! Nothing is damped that nature does not damp: a body in flight follows its parabola and keeps its angular
//! momentum to rounding, a pendulum keeps its energy.

mod body;
mod common_motion;
mod error;
mod flight;
mod handle;
mod joint;
mod last_box;
mod solid;
mod solver;
mod union;
mod world;

pub use body::{BodyDefinition, BodyKind, Locked, ShapeDefinition};
pub use error::WorldError;
pub use handle::{BodyHandle, JointHandle, MoverHandle};
pub use joint::{
    Drive, JointDefinition, JointKind, JointPlace, MOST_COORDINATES, Motor, PointConstraint, Servo,
    SpringDamper, TurnConstraint,
};
pub use prall_detection::Filter;
pub use prall_mechanics::tree::TreeOptions;
pub use prall_mechanics::{
    Budget, Combine, ContactOptions, EnergyAccount, ImpactLaw, Material, MomentumAccount, StepReport,
};
pub use solid::{SolidEnergy, SolidOptions, SolidPhases, SolidReport};
pub use solver::{Solver, TreeObstacle};
pub use world::{
    ContactMark, Coupling, Energy, Event, Grip, HandHandle, HandMark, HoldCommand, JointMark, Nearest, Party,
    RayAnswer, StepDetails, TreeDetails, World, WorldOptions,
};
