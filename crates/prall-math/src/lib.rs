//! The mathematics of rigid motion, shared by every crate of Prall.
//!
//! Conventions, once and for all:
//!
//! - SI units, right-handed axes, angles in radians. Vectors are columns: `x_world = R x_body + t`.
//! - A [`Pose`] takes body coordinates to world coordinates and composes right to left, like matrices.
//! - Rotations are unit quaternions with the Hamilton product; `q` and `-q` are the same rotation. Every other
//!   form (matrix, [`rotation::AxisAngle`], rotation vector, [`rotation::FixedAngles`]) converts to and from it.
//! - A [`Twist`] is (velocity of a reference point, angular velocity), a [`Wrench`] (force, torque about it).
//!   Who holds one knows the point and the axes; [`Twist::shifted`] and [`Pose::transform_twist`] change them.
//! - Angular velocities are in world axes, so an increment of rotation multiplies from the left.
//! - A [`Motion`] is a pose as a function of t in \[0, 1\]. Its velocities are per unit of t, and what it says
//!   about the reach of a point is proven, rounding included.
//! - The same input gives the same bits on every platform: transcendental functions come from `libm`.
//!
//! ```
//! use glam::DVec3;
//! use prall_math::{Motion, Pose, Twist, Wrench};
//!
//! // A wheel of radius 0.3 m rolls along x without slipping, its centre at height 0.3.
//! let wheel = Pose::from_translation(DVec3::new(0.0, 0.3, 0.0));
//! let rolling = Twist::new(DVec3::X, DVec3::new(0.0, 0.0, -1.0 / 0.3));
//! assert!(rolling.velocity_at(DVec3::new(0.0, -0.3, 0.0)).length() < 1e-15);
//!
//! // So friction at the ground does no work on it.
//! let friction = Wrench::from_force_at(DVec3::X * -5.0, DVec3::new(0.0, -0.3, 0.0));
//! assert!(rolling.power(friction).abs() < 1e-14);
//!
//! // Ten seconds of it are a motion; its rim never leaves this reach.
//! let motion = Motion::from_twist(wheel, DVec3::ZERO, rolling, 10.0)?;
//! assert!((motion.end().translation - DVec3::new(10.0, 0.3, 0.0)).length() < 1e-12);
//! assert!(motion.displacement_bound(0.3, 0.0, 1.0) < 10.6 + 1e-9);
//! # Ok::<(), prall_math::MotionError>(())
//! ```

mod direction;
mod exponential;
mod motion;
mod norm;
mod pose;
pub mod rotation;
mod twist;
mod wrench;

pub use direction::{any_orthonormal, skew};
pub use motion::{Motion, MotionError, MotionLaw, PrecessionMotion, UniformMotion};
pub use norm::Norm;
pub use pose::Pose;
pub use twist::Twist;
pub use wrench::Wrench;
