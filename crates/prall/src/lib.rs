//! **Prall** makes virtual things touchable: it finds every contact, exactly and in time, and moves bodies by the
//! laws of mechanics.
//!
//! This crate is the front door: it re-exports the others and holds what the `prall` command is made of.
//!
//! ```
//! use prall::scenes::{Budget, Input};
//!
//! let mut ball = prall::scenes::open("bouncing-ball")?;
//! while ball.time() < 1.0 {
//!     let report = ball.step(&Input::default(), &mut Budget::unlimited());
//!     assert_eq!(report.position_error, 0.0);
//! }
//! # Ok::<(), prall::scenes::UnknownScene>(())
//! ```

pub use prall_bob as bob;
pub use prall_detection as detection;
pub use prall_dynamics as dynamics;
pub use prall_geometry as geometry;
pub use prall_handling as handling;
pub use prall_math as math;
pub use prall_mechanics as mechanics;
pub use prall_multibody as multibody;
pub use prall_scenes as scenes;

pub mod appearance;
pub mod benchmark;
pub mod command;
pub mod handled;
pub mod headless;
mod history;
pub mod journal;
pub mod moment;
mod output;
pub mod recording;
mod report;
pub mod server;
pub mod tracking;
