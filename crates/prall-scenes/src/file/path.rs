//! [`PathDescription`]: the curve of a joint that leads a body along it.

use glam::DVec3;
use prall_multibody::{Path, PathError, PathTurn};
use serde::{Deserialize, Serialize};

/// A smooth curve through points, fixed on the first body of its joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathDescription {
    /// In the world at the start; two at least, three of a closed one.
    pub points: Vec<DVec3>,
    /// True if it comes back to its first point.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
    /// How the body turns with it.
    #[serde(default)]
    pub turn: PathTurnName,
    /// Which way is up for a body that turns, in the world at the start. Default y.
    #[serde(default = "upwards")]
    pub up: DVec3,
    /// Degrees by which the body leans to its right, one for each point. Default none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub banks: Vec<f64>,
}

fn upwards() -> DVec3 {
    DVec3::Y
}

/// How a body turns with a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathTurnName {
    /// Not at all.
    #[default]
    Fixed,
    /// With the path, and upright: a road.
    Upright,
    /// With the path, and else as little as possible: through loops, too.
    Along,
}

impl PathDescription {
    /// The law, from a point of the world that is the joint's place.
    pub(crate) fn law(&self, at: DVec3) -> Result<Path, PathError> {
        let points: Vec<DVec3> = self.points.iter().map(|&point| point - at).collect();
        let banks: Vec<f64> = self.banks.iter().map(|bank| bank.to_radians()).collect();
        let turn = match self.turn {
            PathTurnName::Fixed => PathTurn::Fixed,
            PathTurnName::Upright => PathTurn::Upright(self.up),
            PathTurnName::Along => PathTurn::Along(self.up),
        };
        Path::through(&points, self.closed, turn, &banks)
    }
}
