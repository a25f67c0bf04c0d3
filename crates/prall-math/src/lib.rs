//! The mathematics of rigid motion, shared by every crate of Prall.

mod direction;
mod motion;
mod pose;
mod twist;
mod wrench;

pub use direction::{any_orthonormal, skew};
pub use motion::{Motion, MotionError, MotionLaw, UniformMotion};
pub use pose::Pose;
pub use twist::Twist;
pub use wrench::Wrench;
