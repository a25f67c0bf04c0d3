//! What can be wrong with a motion; found when it is made, so that evaluating it cannot fail.

use crate::Norm;
use glam::DVec3;
use thiserror::Error;

use super::LARGEST_MAGNITUDE;
use crate::Pose;

/// Why a motion could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum MotionError {
    /// A pose with numbers that are not finite or too large, or whose quaternion is not of unit length.
    #[error(
        "the {role} pose {pose:?} is no rigid placement: its numbers must be finite and below 1e100 and its \
         quaternion must have unit length to 1e-9 (length here {})",
        pose.rotation.norm()
    )]
    Pose {
        /// Which of the poses: "start", "end".
        role: &'static str,
        /// The pose as it was given.
        pose: Pose,
    },
    /// A vector with numbers that are not finite or too large.
    #[error("the {role} {vector} must be finite and below 1e100 in every component")]
    Vector {
        /// Which of the vectors: "velocity", "reference point", ...
        role: &'static str,
        /// The vector as it was given.
        vector: DVec3,
    },
    /// A number that is not finite, too large, or negative where it must not be.
    #[error("the {role} is {value}; it must be {wanted}")]
    Number {
        /// Which of the numbers: "angle", "advance", "duration", ...
        role: &'static str,
        /// The number as it was given.
        value: f64,
        /// What would be right.
        wanted: &'static str,
    },
    /// A rotation axis without a direction or, where a unit vector is wanted, of another length.
    #[error("the rotation axis {axis} must be {wanted}")]
    Axis {
        /// The axis as it was given.
        axis: DVec3,
        /// What would be right.
        wanted: &'static str,
    },
    /// A part of a motion must lie within it, and its start must not come after its end.
    #[error("a part of a motion needs 0 <= t0 <= t1 <= 1, not t0 = {t0}, t1 = {t1}")]
    Interval {
        /// Wanted start.
        t0: f64,
        /// Wanted end.
        t1: f64,
    },
}

/// `pose` with a quaternion of unit length to a few units in the last place.
pub(super) fn valid_pose(role: &'static str, pose: Pose) -> Result<Pose, MotionError> {
    let small = pose.translation.abs().max_element() <= LARGEST_MAGNITUDE;
    if small && pose.is_valid() { Ok(pose.normalized()) } else { Err(MotionError::Pose { role, pose }) }
}

pub(super) fn valid_vector(role: &'static str, vector: DVec3) -> Result<DVec3, MotionError> {
    let small = vector.is_finite() && vector.abs().max_element() <= LARGEST_MAGNITUDE;
    if small { Ok(vector) } else { Err(MotionError::Vector { role, vector }) }
}

pub(super) fn valid_number(role: &'static str, value: f64) -> Result<f64, MotionError> {
    if value.abs() <= LARGEST_MAGNITUDE {
        Ok(value)
    } else {
        Err(MotionError::Number { role, value, wanted: "finite and below 1e100 in magnitude" })
    }
}
