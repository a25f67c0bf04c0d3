//! Trees of bodies in minimal velocities, driven by hand or by motors, on hard contacts.
//!
//! - [`Model`]: bodies and joints declared by name, checked as a whole when the mechanism is built.
//! - [`Mechanism`]: the tree at work. It is a [`prall_mechanics::Mover`], so that it shares contacts with everything
//!   else in a world.
//! - [`Moreau`]: time stepping on percussions with contacts as normal-cone inclusions (Moreau 1988, Rempfler 2015), for
//!   mechanisms that touch a fixed surroundings many thousand times a second.
//! - [`Force`]: a law of one's own that pushes bodies; [`Drag`] is one.
//! - [`Segments`]: contacts with fixed meshes by segments that stick out of bodies.
//! - [`Guide`]: the law of a joint of one's own. [`Steady`] is one that shifts and turns in a fixed ratio, as a screw does; [`Path`] leads a body along
//!   a curve through points, [`Formula`] by what is written down.
//! - [`FrictionSet`]: Coulomb's disc, an ellipse, the runner of a sled, or any convex set by its projection.
//! - [`Simulator`]: the loop of a driving simulator: a [`Pacer`] in step with the clock, [`Sampled`] inputs, [`Telemetry`] by UDP.
//! - [`Differentiator`]: rates and accelerations of sampled inputs, smoothed.
//!
//! Where the printed source is wrong, the corrected form is used: see the comments at each place.

mod differentiator;
mod expression;
mod force;
mod formula;
mod friction_set;
mod gear;
mod hand;
mod joint_friction;
mod mechanism;
mod model;
mod moreau;
mod pacing;
mod path;
mod segments;
mod simulator;
mod spline;
mod steady;
mod telemetry;

pub use differentiator::Differentiator;
pub use force::{Drag, Force, Loads};
pub use formula::{Formula, FormulaError, FormulaText};
pub use friction_set::{ConvexSet, FrictionSet, FrictionSetError, Runner};
pub use mechanism::Mechanism;
pub use model::{Model, ModelError, Part};
pub use moreau::{AxisLoad, FrameSteps, Moreau, MoreauContact, MoreauOptions, MoreauReport};
pub use pacing::{Pacer, Sampled};
pub use path::{Path, PathError, PathTurn};
pub use prall_mechanics::tree::{
    Drive, Equations, ForceElement, Guide, GuideError, Joint, JointKind, MOST_COORDINATES, Power, Spring,
    Tree, TreeError, TreeOptions, TreeReport, check_guide,
};
pub use segments::{Segment, Segments, Tangent, meet_triangle};
pub use simulator::{InputId, Pace, Simulator};
pub use steady::Steady;
pub use telemetry::{Packet, PacketError, Telemetry};
