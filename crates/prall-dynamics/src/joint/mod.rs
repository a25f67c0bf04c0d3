//! Joints: what two bodies do to each other that are held together.
//!
//! A joint is a set of scalar conditions ([`frames`]), made from six basic ones ([`basic`]) or of its own kind
//! ([`evaluate`], [`gear`]), with drives along what it leaves free ([`drive`], [`rows`]). All its rows are solved as one
//! [`block`]; how many blocks are brought to agree is the solver's business.

mod basic;
pub(crate) mod block;
mod definition;
mod drive;
mod evaluate;
pub(crate) mod frames;
mod gear;
pub(crate) mod rows;

use prall_math::{Pose, Wrench};
use serde::{Deserialize, Serialize};

pub use basic::{PointConstraint, TurnConstraint};
pub use definition::{JointDefinition, JointKind, JointPlace, MOST_COORDINATES};
pub use drive::{Drive, Motor, Servo, SpringDamper};
pub(crate) use evaluate::Coordinates;

/// Conditions of one joint at most: two bodies have six relative freedoms.
pub(crate) const MOST_EQUALITIES: usize = 6;
/// Impulses that a joint keeps from step to step: the equalities, and limit, motor, friction, spring by coordinate.
pub(crate) const MOST_ROWS: usize = MOST_EQUALITIES + 4 * MOST_COORDINATES;

/// A joint in a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Joint {
    pub(crate) bodies: [u32; 2],
    /// On each body, from its centre of mass.
    pub(crate) frames: [Pose; 2],
    pub(crate) kind: JointKind,
    pub(crate) drives: [Drive; MOST_COORDINATES],
    pub(crate) break_force: f64,
    pub(crate) break_torque: f64,
    pub(crate) collide: bool,
    /// What a gear's condition was worth when it was put together.
    pub(crate) offset: f64,
    pub(crate) coordinates: Coordinates,
    /// Present errors of the conditions in m and rad.
    pub(crate) errors: [f64; MOST_EQUALITIES],
    /// Impulses of the last step before and after the move, to begin the next one with.
    pub(crate) memory: [[f64; MOST_ROWS]; 2],
    /// Force and torque about the origin on body 2 in the last step, as they act on body 2.
    pub(crate) reaction: Wrench,
}

impl Joint {
    /// Rows that it may have at most, by its kind and drives.
    pub(crate) fn most_rows(&self) -> usize {
        let drives = &self.drives[..self.kind.coordinates()];
        self.kind.constraints() + drives.iter().map(Drive::most_rows).sum::<usize>()
    }

    /// Largest error of its conditions in m or rad.
    pub(crate) fn error(&self) -> f64 {
        self.errors[..self.kind.constraints()].iter().fold(0.0, |most, e| most.max(e.abs()))
    }
}
