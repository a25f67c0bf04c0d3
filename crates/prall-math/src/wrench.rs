//! [`Wrench`]: how rigid bodies push and turn each other.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// A force and its torque about a point; with impulses (N s, N m s) just as well.
///
/// The point belongs to the meaning, not to the data, as for a [`Twist`].
///
/// [`Twist`]: crate::Twist
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wrench {
    /// Force, in newtons; the same for every reference point.
    pub force: DVec3,
    /// Torque about the reference point, in newton metres.
    pub torque: DVec3,
}

impl Wrench {
    /// Nothing pushes.
    pub const ZERO: Wrench = Wrench { force: DVec3::ZERO, torque: DVec3::ZERO };

    /// A wrench from its two parts.
    pub const fn new(force: DVec3, torque: DVec3) -> Wrench {
        Wrench { force, torque }
    }

    /// The wrench of a force that acts at `arm` from the reference point: the whole force, and `arm x force`.
    pub fn from_force_at(force: DVec3, arm: DVec3) -> Wrench {
        Wrench { force, torque: arm.cross(force) }
    }

    /// The same load, told about the reference point moved by `offset`: `torque - offset x force`.
    pub fn shifted(&self, offset: DVec3) -> Wrench {
        Wrench { force: self.force, torque: self.torque - offset.cross(self.force) }
    }
}

impl std::ops::Add for Wrench {
    type Output = Wrench;

    fn add(self, other: Wrench) -> Wrench {
        Wrench { force: self.force + other.force, torque: self.torque + other.torque }
    }
}

impl std::ops::Sub for Wrench {
    type Output = Wrench;

    fn sub(self, other: Wrench) -> Wrench {
        Wrench { force: self.force - other.force, torque: self.torque - other.torque }
    }
}

impl std::ops::Neg for Wrench {
    type Output = Wrench;

    fn neg(self) -> Wrench {
        Wrench { force: -self.force, torque: -self.torque }
    }
}

impl std::ops::Mul<f64> for Wrench {
    type Output = Wrench;

    fn mul(self, factor: f64) -> Wrench {
        Wrench { force: self.force * factor, torque: self.torque * factor }
    }
}
