//! The gallery: every scene by name, and [`Simulation`], the trait through which viewer, recorder, command,
//! tests and benchmarks drive all of them.
//!
//! ```
//! use prall_scenes::{Budget, Input};
//!
//! let mut ball = prall_scenes::open("bouncing-ball")?;
//! for _ in 0..240 {
//!     ball.step(&Input::default(), &mut Budget::unlimited());
//! }
//! println!("after {} s the hash of the state is {:016x}", ball.time(), ball.hash());
//! # Ok::<(), prall_scenes::UnknownScene>(())
//! ```

mod action;
mod addition;
mod assets;
mod bobsleigh;
mod bouncing_ball;
mod catalogue;
mod control;
pub mod file;
mod frame;
mod handling;
mod joint_coordinate;
mod judge;
mod mesh_view;
mod multibody;
mod overlay;
mod parameter;
mod saved;
mod simulation;
mod tunnelling;
mod wireframe;
mod world;

pub use action::{ActionError, ActionKind, BodyAction, Property};
pub use addition::{AddedBody, Addition, Template};
pub use assets::{
    Assets, BodyAsset, Camera, Extent, LineAsset, LineRole, Lines, Look, Pattern, ShapeAsset, TriangleAsset,
};
pub use bobsleigh::{
    BobOffer, Bobsleigh, CHANNELS as BOB_CHANNELS, Haptics, SledPart, SliderError, bobsleigh, sled_parts,
};
pub use bouncing_ball::BouncingBall;
pub use catalogue::{Scene, UnknownScene, open, scene, scenes, unlisted_scenes};
pub use control::{ControlError, ControlKind, ControlValues, DriveControl, MOST_CONTROLS, PadInput};
pub use frame::{BodyMark, BoxKind, Channel, Frame, OverlayBox, OverlayItem, OverlayKind, OverlayLabel};
pub use handling::{AssemblyError, HandledAssembly, HandledMesh, handled_assembly};
pub use joint_coordinate::JointCoordinate;
pub use judge::{Crossing, Judge, JudgeError};
pub use mesh_view::MeshView;
pub use overlay::{Overlay, OverlaySelection};
pub use parameter::{Parameter, ParameterError, Scale};
pub use prall_geometry::{Ray, RayError};
pub use prall_mechanics::audit::AuditReport;
pub use prall_mechanics::{Budget, PhaseTimes, StepReport};
pub use simulation::{
    Energy, Grip, HandledStep, Input, LedStep, RestoreError, Simulation, Solver, Tolerances, UnknownSolver,
};
pub use tunnelling::Tunnelling;
pub use world::{FileScene, OpenFileError, open_file};
