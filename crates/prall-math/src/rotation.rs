//! Rotations in all their forms. The unit quaternion is the hub: every other form goes to it and comes from it.
//!
//! | Form | To a quaternion | From a quaternion `q` |
//! |---|---|---|
//! | matrix, columns = turned axes | [`from_matrix`] | `DMat3::from_quat(q)` |
//! | rotation vector, axis times angle | [`exp`] | [`log`] |
//! | [`AxisAngle`] | [`AxisAngle::quaternion`] | [`AxisAngle::from_quaternion`] |
//! | [`FixedAngles`] about x, y, z | [`FixedAngles::quaternion`] | [`FixedAngles::from_quaternion`] |
//!
//! No form loses a rotation: going there and back returns it to a few units in the last place, at no turn, at
//! tiny turns, at half a turn and at gimbal lock too. The formulas as often printed (arc cosine of the trace,
//! division by `sin phi`, by the quaternion's scalar part or by `cos beta`) fail at just those places.
//!
//! Turning over time: [`advance`] and [`mean_velocity`] by the exponential, [`advance_cayley`] and
//! [`mean_velocity_cayley`] by Buck's discrete equation of motion.

mod axis_angle;
mod fixed_angles;
mod integration;
mod matrix;

use glam::{DQuat, DVec3};

pub use axis_angle::AxisAngle;
pub use fixed_angles::FixedAngles;
pub use integration::{advance, advance_cayley, mean_velocity, mean_velocity_cayley};
pub use matrix::{RotationError, from_matrix};

/// The rotation by the angle `|vector|` about the axis `vector`, of any size: `(cos h, sin h axis)`, h = angle / 2.
///
/// Exponential map of SO(3). Needs no series near zero: sine and direction are accurate there by themselves.
pub fn exp(vector: DVec3) -> DQuat {
    AxisAngle::from_vector(vector).quaternion()
}

/// The shortest rotation vector of a rotation, at most pi long; inverse of [`exp`] up to whole turns.
///
/// `rotation` need not be of unit length. At half a turn both `v` and `-v` are right; the one along the
/// quaternion's vector part is returned.
pub fn log(rotation: DQuat) -> DVec3 {
    AxisAngle::from_quaternion(rotation).vector()
}

/// The turn `to from*` by the shorter way: scalar part not negative.
///
/// `from from*` is a number, so the vector part of `to from*` is that of `(to - from) from*`. Nearly equal
/// orientations have an exact difference: the small turn between them comes out with its relative precision,
/// and equal ones make exactly none. At half a turn the sign of the given quaternions decides.
pub(crate) fn relative(from: DQuat, to: DQuat) -> DQuat {
    let scalar = to.dot(from);
    let to = if scalar < 0.0 { -to } else { to };
    quaternion(((to - from) * from.conjugate()).xyz(), scalar.abs())
}

/// The quaternion with this vector part and scalar part.
pub(crate) fn quaternion(vector: DVec3, scalar: f64) -> DQuat {
    DQuat::from_xyzw(vector.x, vector.y, vector.z, scalar)
}
