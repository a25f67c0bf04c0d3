//! [`HandlingState`]: everything that decides how a held part goes on.

use glam::DVec3;
use prall_detection::NearFeature;
use prall_math::{Pose, Twist};
use serde::{Deserialize, Serialize};

/// Everything that decides how a held part goes on, to be saved and restored with equal bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HandlingState {
    pub(crate) pose: Pose,
    /// It touched something in the last step.
    pub(crate) in_contact: bool,
    pub(crate) obstacles: Vec<ObstacleState>,
    pub(crate) contacts: Vec<RememberedContact>,
}

/// What is known of part and obstacle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ObstacleState {
    pub(crate) pose: Pose,
    pub(crate) velocity: Twist,
    /// They overlap since the start and are not kept apart.
    pub(crate) apart: bool,
    /// They are at least this far apart, in m: proven.
    pub(crate) proven: f64,
    /// Features are looked for within this, in m, at most; smaller where too many are near.
    pub(crate) shell: f64,
    /// Near features and the reach in m that the list covers; negative if there is no list.
    pub(crate) list: Vec<NearFeature>,
    pub(crate) list_reach: f64,
    /// How far, in m, and by what angle, in rad, the two have moved against each other since the list was made, at most.
    pub(crate) list_motion: f64,
    pub(crate) list_turn: f64,
}

/// A contact that bore load in the last solve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RememberedContact {
    pub(crate) obstacle: usize,
    pub(crate) name: u64,
    /// In m of the unit metric, in the world.
    pub(crate) friction_impulse: DVec3,
    pub(crate) sliding: bool,
}

impl ObstacleState {
    pub(crate) fn new(pose: Pose, velocity: Twist, shell: f64) -> ObstacleState {
        ObstacleState {
            pose,
            velocity,
            apart: false,
            proven: 0.0,
            shell,
            list: Vec::new(),
            list_reach: -1.0,
            list_motion: 0.0,
            list_turn: 0.0,
        }
    }

    /// Nothing is known of where the two are.
    pub(crate) fn forget(&mut self) {
        (self.proven, self.list_reach) = (0.0, -1.0);
        self.list.clear();
    }
}
