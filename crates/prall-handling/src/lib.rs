//! A part in a hand: a commanded motion becomes the nearest admissible one, and nothing ever passes through anything.
//!
//! **Guarantee.** At every moment of every step the part keeps a gap above zero to every obstacle, proven by the certified time of impact, with any
//! command, option and budget, also none. What options and budget change is how much of the command is carried out. The exception
//! is named: obstacles that overlap the part at the start are refused, or set apart by name until they have separated.
//!
//! After Buck 1999 (position-level contact conditions, at most six contacts at a time, contact transitions that come by themselves), with
//! other means: all near features at once instead of one new contact per step, a dual active set instead of a complementarity
//! problem, Coulomb friction on impulses, and a proof instead of a test before each commit.
//!
//! ```text
//! step(command, dt)                                                                                        step.rs
//!   free flight: one sweep, as far as it is free
//!   parts, each so short that gaps are nearly linear in the motion
//!     near features of all obstacles within reach                                                         collect.rs
//!     conditions on the gaps at the end; the nearest motion, with friction                                solve.rs, friction.rs, active_set.rs
//!     certified sweep; a hit joins the conditions and the part is solved again from the same start        sweep.rs
//!     commit: all of the way, or as far as it is proven free
//!   contacts, wrench, why it stands                                                                       report.rs
//! ```
//!
//! ```
//! use glam::DVec3;
//! use prall_detection::Budget;
//! use prall_geometry::{Cuboid, Shape};
//! use prall_handling::{Command, HandlingOptions, Held, Obstacle};
//! use prall_math::{Pose, Twist};
//!
//! let cube = Shape::Box(Cuboid::new(DVec3::splat(0.05))?);
//! let table = Shape::Box(Cuboid::new(DVec3::new(1.0, 0.1, 1.0))?);
//! let table = Obstacle::new("table", &table, Pose::from_translation(DVec3::NEG_Y * 0.1))?;
//! let start = Pose::from_translation(DVec3::Y * 0.08);
//! let mut held = Held::new(&cube, start, vec![table], HandlingOptions::default())?;
//! let down = Command::Velocity(Twist::new(DVec3::NEG_Y * 0.5, DVec3::ZERO));
//! for _ in 0..100 {
//!     held.step(Some(&down), 0.002, &mut Budget::unlimited())?;
//! }
//! // It rests on the table at a gap of ten micrometres.
//! assert!((held.pose().translation.y - 0.05 - 10e-6).abs() < 1e-8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod active_set;
pub mod area;
pub mod buck;
mod collect;
mod command;
mod error;
mod follow;
mod frame;
mod friction;
pub mod haptics;
mod held;
mod obstacle;
mod options;
mod place;
mod plan;
mod random;
mod report;
mod solve;
mod state;
mod step;
mod sweep;

pub use command::Command;
pub use error::HandlingError;
pub use follow::Departure;
pub use held::Held;
pub use obstacle::Obstacle;
pub use options::{Friction, HandlingOptions, Metric, PoseLimits};
pub use plan::{PlanGoal, PlanProgress, Planner};
pub use prall_detection::Preparation;
pub use prall_mechanics::Budget;
pub use report::{HandlingContact, HandlingReport, Jam, JamReason};
pub use state::HandlingState;
