//! Why something cannot be handled.

use prall_detection::{QueryError, TouchableError};
use prall_math::MotionError;
use thiserror::Error;

/// Why a part cannot be held, or a step was not made. The part stays where it was proven free.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum HandlingError {
    /// A number out of its range.
    #[error("{what} is {value}; it must be {wanted}")]
    Number {
        /// Which one.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What would be right.
        wanted: &'static str,
    },
    /// A shape that cannot be touched.
    #[error("{what} cannot be touched: {source}")]
    Shape {
        /// The part, or the name of the obstacle.
        what: String,
        /// Why.
        source: TouchableError,
    },
    /// A part without bounds.
    #[error("the held part reaches to infinity; half-spaces can only be obstacles")]
    Unbounded,
    /// A pose that is no rigid placement.
    #[error(
        "{what} has no rigid placement: numbers must be finite and the quaternion of unit length to 1e-9"
    )]
    Pose {
        /// Whose pose.
        what: String,
    },
    /// The part overlaps obstacles at the start.
    #[error("the part overlaps {names} at the start; move it, or let such pairs be set apart")]
    Overlap {
        /// Names of the obstacles, separated by commas.
        names: String,
    },
    /// The part overlaps obstacles at the goal of a plan.
    #[error("the part overlaps {names} at the goal: no way leads there")]
    GoalOverlap {
        /// Names of the obstacles, separated by commas.
        names: String,
    },
    /// There is no place beyond an obstacle without bounds.
    #[error("'{name}' has no bounds, so nothing is out of it; give a pose as the goal")]
    NoOutside {
        /// Of the obstacle.
        name: String,
    },
    /// A body on its support that cannot stay upright.
    #[error("the body tips: no forces that only push hold it upright on these points")]
    Tips,
    /// A command that is no motion.
    #[error("the command holds a value that is no finite number; nothing was moved")]
    Command,
    /// No such obstacle.
    #[error("no obstacle {index}; there are {count}, counted from 0")]
    NoSuchObstacle {
        /// What was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A saved state that does not fit.
    #[error("the saved state does not fit: {0}")]
    State(&'static str),
    /// A query was refused.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// A motion was refused.
    #[error(transparent)]
    Motion(#[from] MotionError),
}

/// Passes on a finite number within a range.
pub(crate) fn within(
    what: &'static str,
    value: f64,
    (low, high): (f64, f64),
    wanted: &'static str,
) -> Result<f64, HandlingError> {
    // Written so that NaN is wrong.
    if value >= low && value <= high { Ok(value) } else { Err(HandlingError::Number { what, value, wanted }) }
}
