//! [`Twist`]: how a rigid body moves at an instant.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::Wrench;

/// Velocity of a rigid body: of one of its points, and of its turning.
///
/// The point belongs to the meaning of a twist, not to its data: usually the origin of the frame whose axes the
/// vectors are written in. [`Twist::shifted`] changes the point, [`Pose::transform_twist`] point and axes.
///
/// [`Pose::transform_twist`]: crate::Pose::transform_twist
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Twist {
    /// Velocity of the reference point, in metres per second.
    pub linear: DVec3,
    /// Angular velocity, in radians per second; the same for every reference point.
    pub angular: DVec3,
}

impl Twist {
    /// At rest.
    pub const ZERO: Twist = Twist { linear: DVec3::ZERO, angular: DVec3::ZERO };

    /// A twist from its two parts.
    pub const fn new(linear: DVec3, angular: DVec3) -> Twist {
        Twist { linear, angular }
    }

    /// Velocity of the point of the body at `offset` from the reference point: `v + omega x offset`.
    pub fn velocity_at(&self, offset: DVec3) -> DVec3 {
        self.linear + self.angular.cross(offset)
    }

    /// The same motion, told about the reference point moved by `offset`.
    pub fn shifted(&self, offset: DVec3) -> Twist {
        Twist { linear: self.velocity_at(offset), angular: self.angular }
    }

    /// Power, in watts, that a wrench about the same point and in the same axes feeds into this motion.
    ///
    /// The same number for every common point and frame.
    pub fn power(&self, wrench: Wrench) -> f64 {
        self.linear.dot(wrench.force) + self.angular.dot(wrench.torque)
    }
}

impl std::ops::Add for Twist {
    type Output = Twist;

    fn add(self, other: Twist) -> Twist {
        Twist { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

impl std::ops::Sub for Twist {
    type Output = Twist;

    fn sub(self, other: Twist) -> Twist {
        Twist { linear: self.linear - other.linear, angular: self.angular - other.angular }
    }
}

impl std::ops::Neg for Twist {
    type Output = Twist;

    fn neg(self) -> Twist {
        Twist { linear: -self.linear, angular: -self.angular }
    }
}

impl std::ops::Mul<f64> for Twist {
    type Output = Twist;

    fn mul(self, factor: f64) -> Twist {
        Twist { linear: self.linear * factor, angular: self.angular * factor }
    }
}
