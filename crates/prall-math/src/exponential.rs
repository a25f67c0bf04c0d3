//! Exponential and logarithm of rigid motions: constant twist to displacement and back.

use crate::direction::direction_and_length;
use crate::rotation::AxisAngle;
use crate::{Pose, Twist, rotation};

impl Pose {
    /// The displacement, from the identity, of a frame that keeps the twist `twist` (about its origin, in its own
    /// axes) for a unit of time: a screw.
    ///
    /// Rotation exp(omega), translation V v with, for omega = angle n,
    /// ```text
    /// V v = v + (1 - cos angle)/angle n x v + (1 - sin(angle)/angle) n x (n x v)
    /// ```
    /// Since 1 - cos = 2 sin^2(angle/2), the second term is accurate at every angle; the third is of order
    /// angle^2, so that its rounding is below that of v itself. No series is needed.
    pub fn exp(twist: Twist) -> Pose {
        let Twist { linear, angular } = twist;
        let Some((n, angle)) = direction_and_length(angular) else {
            return Pose::new(rotation::exp(angular), linear);
        };
        let half_sine = libm::sin(0.5 * angle);
        let once = n.cross(linear);
        let translation = linear
            + once * (half_sine * (half_sine / (0.5 * angle)))
            + n.cross(once) * (1.0 - libm::sin(angle) / angle);
        Pose::new(rotation::exp(angular), translation)
    }

    /// The twist of the shortest screw from the identity to this pose; inverse of [`Pose::exp`] up to half a turn.
    ///
    /// With h = angle / 2, `V^-1 t = t - h n x t + (1 - h cot h) n x (n x t)`.
    pub fn log(&self) -> Twist {
        let turn = AxisAngle::from_quaternion(self.rotation);
        let AxisAngle { axis, angle } = turn;
        let half = 0.5 * angle;
        let (sine, cosine) = libm::sincos(half);
        // h cot h goes to 1 where h vanishes.
        let weight = if sine == 0.0 { 0.0 } else { 1.0 - half / sine * cosine };
        let once = axis.cross(self.translation);
        Twist { linear: self.translation - once * half + axis.cross(once) * weight, angular: turn.vector() }
    }
}
