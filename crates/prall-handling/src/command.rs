//! [`Command`]: what the hand wants.

use prall_math::{Pose, Twist};
use serde::{Deserialize, Serialize};

use crate::error::HandlingError;

/// What the hand wants in an interval. Without a command the part stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Velocity of the part's reference point and angular velocity, in world axes: a joystick, a force sensor. Nothing accumulates.
    Velocity(Twist),
    /// Where the part shall be: a tracked hand, a mouse. The part follows within [`PoseLimits`](crate::PoseLimits) and stays at an obstacle while the
    /// hand goes on.
    Pose(Pose),
}

impl Command {
    pub(crate) fn checked(&self) -> Result<(), HandlingError> {
        let sound = match self {
            Command::Velocity(twist) => twist.linear.is_finite() && twist.angular.is_finite(),
            Command::Pose(pose) => pose.is_valid(),
        };
        if sound { Ok(()) } else { Err(HandlingError::Command) }
    }
}
