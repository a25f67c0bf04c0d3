//! [`JointCoordinate`]: a free coordinate of a machine's joint, which a person may set.

use serde::Serialize;

/// A coordinate, in m or degrees.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointCoordinate {
    /// The name of what the joint moves.
    pub name: String,
    /// `m` or `°`.
    pub unit: &'static str,
    /// Smallest value to choose from.
    pub min: f64,
    /// Largest one.
    pub max: f64,
    /// Where it is.
    pub position: f64,
}
