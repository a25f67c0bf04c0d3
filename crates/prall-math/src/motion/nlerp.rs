//! [`NlerpMotion`]: straight translation with a normalised linear blend of quaternions.

use crate::Norm;
use glam::{DQuat, DVec3};

use super::bound::{self, Sweep};
use super::error::{MotionError, valid_pose};
use crate::Pose;
use crate::direction::direction_and_length;
use crate::rotation::{quaternion, relative};

/// `q(t) = normalise(q0 + t (q1 - q0))`, and the body's origin on a straight line.
///
/// On the unit circle through q0 and q1 the blend runs along a chord. Let h be the angle between them (half the
/// angle of rotation) and phi the angle from the chord's middle. The chord lies cos(h/2) from the centre and is
/// 2 sin(h/2) long, so
/// ```text
/// tan phi = k(t) = (2 t - 1) tan(h/2),     q(t) = (1 + k axis) / sqrt(1 + k^2) q_middle
/// ```
/// and the rotation angle from the middle is 2 phi = 2 atan k: it turns about one axis, with angular speed
/// `2 k' / (1 + k^2)`, slow at the ends and fastest in the middle by the factor 1 + tan(h/2)^2.
/// A part of it has the same form with other values of k at its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NlerpMotion {
    /// Position of the body's origin at t = 0.
    position: DVec3,
    /// Displacement of the body's origin from t = 0 to t = 1.
    velocity: DVec3,
    /// Unit vector of the rotation axis in the world.
    axis: DVec3,
    /// Orientation where k = 0.
    middle: DQuat,
    /// k at t = 0; between -1 and 1.
    slope_start: f64,
    /// k at t = 1; between -1 and 1.
    slope_end: f64,
}

impl NlerpMotion {
    pub(super) fn new(start: Pose, end: Pose) -> Result<NlerpMotion, MotionError> {
        let start = valid_pose("start", start)?;
        let end = valid_pose("end", end)?;
        // The short way, as for slerp, also keeps the chord at least sqrt(1/2) away from the centre.
        let step = relative(start.rotation, end.rotation);
        let (axis, sine) = direction_and_length(step.xyz()).unwrap_or((DVec3::Z, 0.0));
        let slope = (sine / (1.0 + step.w)).min(1.0);
        let sign = if end.rotation.dot(start.rotation) < 0.0 { -1.0 } else { 1.0 };
        Ok(NlerpMotion {
            position: start.translation,
            velocity: end.translation - start.translation,
            axis,
            middle: (start.rotation + end.rotation * sign).unit(),
            slope_start: -slope,
            slope_end: slope,
        })
    }

    fn slope(&self, t: f64) -> f64 {
        self.slope_start * (1.0 - t) + self.slope_end * t
    }

    pub(super) fn pose(&self, t: f64) -> Pose {
        let slope = self.slope(t);
        let turn = quaternion(self.axis * slope, 1.0) / (1.0 + slope * slope).sqrt();
        Pose::new(turn * self.middle, self.position + self.velocity * t)
    }

    pub(super) fn part(&self, t0: f64, t1: f64) -> NlerpMotion {
        NlerpMotion {
            position: self.position + self.velocity * t0,
            velocity: self.velocity * (t1 - t0),
            slope_start: self.slope(t0),
            slope_end: self.slope(t1),
            ..*self
        }
    }

    pub(super) fn reversed(&self) -> NlerpMotion {
        NlerpMotion {
            position: self.position + self.velocity,
            velocity: -self.velocity,
            slope_start: self.slope_end,
            slope_end: self.slope_start,
            ..*self
        }
    }

    /// Displacement and turn from `t0` to `t1`; the turn is 2 (atan k1 - atan k0).
    pub(super) fn sweep(&self, radius: f64, t0: f64, t1: f64) -> Sweep {
        let share = (t1 - t0).abs();
        let rise = (self.slope_end - self.slope_start).abs() * share;
        let angle = 2.0 * libm::atan2(rise, 1.0 + self.slope(t0) * self.slope(t1));
        Sweep::new(self.velocity * share, self.axis, radius, angle)
    }

    /// Velocity and largest angular speed between `t0` and `t1`: where |k| is smallest.
    pub(super) fn fastest(&self, radius: f64, t0: f64, t1: f64) -> Sweep {
        let (k0, k1) = (self.slope(t0), self.slope(t1));
        let flattest = if k0 * k1 <= 0.0 { 0.0 } else { k0.abs().min(k1.abs()) };
        let angular = 2.0 * (self.slope_end - self.slope_start).abs() / (1.0 + flattest * flattest);
        Sweep::new(self.velocity, self.axis, radius, angular)
    }

    pub(super) fn rounding(&self, radius: f64) -> f64 {
        bound::rounding(self.position.norm() + self.velocity.norm() + radius, 0.0)
    }

    pub(super) fn is_still(&self) -> bool {
        self.velocity == DVec3::ZERO && self.slope_start == self.slope_end
    }
}
