//! [`UniformMotion`]: a reference point on a straight line, a steady turn about it.

use crate::Norm;
use glam::DVec3;

use super::bound::{self, Sweep};
use super::error::{MotionError, valid_number, valid_pose, valid_vector};
use crate::Pose;
use crate::direction::direction_and_length;
use crate::rotation::{AxisAngle, quaternion, relative};

/// Below this angle (radians) a screw from pose to pose is made as straight translation of the body's origin.
///
/// The axis of a screw lies `|d| / angle` away, `d` the displacement; rounding grows with that distance. The
/// straight line leaves the screw's arc by `|d| angle / 8` at most: at 1e-6 that is 1.3e-7 of `|d|`, and the
/// axis at the limit is 1e6 `|d|` away, 1e-10 of `|d|` in rounding. Both are below what anyone asks of a path.
const STRAIGHT_SCREW_ANGLE: f64 = 1e-6;

/// The class of motions whose velocities are constant: straight translation with slerp, screws, rest.
///
/// ```text
/// x(t) = p0 + velocity t + Rot(axis, angle t) R0 (x_body - reference),   t in [0, 1]
/// R0 = start.rotation,   p0 = start.transform_point(reference)
/// ```
///
/// `reference` is the point of the body that moves along a straight line. For a screw it lies on the screw
/// axis and `velocity` is parallel to `axis`; for translation with slerp it is any point one likes. `angle` may
/// exceed a full turn, which no pair of quaternions can say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UniformMotion {
    /// Pose of the body's origin at t = 0.
    pub start: Pose,
    /// The point that moves on a straight line, in the body's coordinates, in metres.
    pub reference: DVec3,
    /// Velocity of the reference point in the world, in metres per unit of t.
    pub velocity: DVec3,
    /// Unit vector of the rotation axis in the world; any one if `angle` is 0.
    pub axis: DVec3,
    /// Angle turned from t = 0 to t = 1, in radians, not negative.
    pub angle: f64,
}

impl UniformMotion {
    /// The same motion, once its numbers have been found to be good.
    pub(super) fn validated(self) -> Result<UniformMotion, MotionError> {
        let start = valid_pose("start", self.start)?;
        let reference = valid_vector("reference point", self.reference)?;
        let velocity = valid_vector("velocity", self.velocity)?;
        let angle = valid_number("angle", self.angle)?;
        if angle < 0.0 {
            return Err(MotionError::Number {
                role: "angle",
                value: angle,
                wanted: "at least 0; turn the axis round instead",
            });
        }
        // Same tolerance as for the length of a pose's quaternion; NaN is not below it.
        let unit = (self.axis.length_squared() - 1.0).abs() < 2e-9;
        if !unit {
            return Err(MotionError::Axis { axis: self.axis, wanted: "of unit length to 1e-9" });
        }
        Ok(UniformMotion { start, reference, velocity, axis: self.axis.unit(), angle })
    }

    pub(super) fn still(pose: Pose) -> Result<UniformMotion, MotionError> {
        let pose = valid_pose("start", pose)?;
        Ok(UniformMotion {
            start: pose,
            reference: DVec3::ZERO,
            velocity: DVec3::ZERO,
            axis: DVec3::Z,
            angle: 0.0,
        })
    }

    pub(super) fn slerp(start: Pose, end: Pose, reference: DVec3) -> Result<UniformMotion, MotionError> {
        let start = valid_pose("start", start)?;
        let end = valid_pose("end", end)?;
        let reference = valid_vector("reference point", reference)?;
        let AxisAngle { axis, angle } = AxisAngle::from_quaternion(relative(start.rotation, end.rotation));
        // Written so that for a reference point at the origin no rotation rounds.
        let velocity =
            (end.translation - start.translation) + (end.rotation * reference - start.rotation * reference);
        Ok(UniformMotion { start, reference, velocity, axis, angle })
    }

    /// Chasles: every displacement `x -> R x + d` is a turn about a line and an advance along it.
    ///
    /// With the unit axis a and d = d_along + d_across, a point c of the line satisfies (1 - R) c = d_across:
    /// c = (d_across + cot(angle/2) a x d_across) / 2. Here x counts from the body's origin, so that nothing is
    /// lost far from the origin of the world.
    pub(super) fn screw(start: Pose, end: Pose) -> Result<UniformMotion, MotionError> {
        let mut screw = UniformMotion::slerp(start, end, DVec3::ZERO)?;
        let UniformMotion { axis, angle, velocity: displacement, .. } = screw;
        if angle < STRAIGHT_SCREW_ANGLE {
            return Ok(screw);
        }
        let along = axis * axis.dot(displacement);
        let across = displacement - along;
        let (sine, cosine) = libm::sincos(0.5 * angle);
        let point = 0.5 * (across + (cosine / sine) * axis.cross(across));
        screw.reference = valid_vector("screw axis", screw.start.inverse_transform_vector(point))?;
        screw.velocity = along;
        Ok(screw)
    }

    pub(super) fn screw_about(
        start: Pose,
        point: DVec3,
        axis: DVec3,
        angle: f64,
        advance: f64,
    ) -> Result<UniformMotion, MotionError> {
        let start = valid_pose("start", start)?;
        let point = valid_vector("point of the axis", point)?;
        let angle = valid_number("angle", angle)?;
        let advance = valid_number("advance", advance)?;
        let Some((axis, _)) = direction_and_length(axis) else {
            return Err(MotionError::Axis { axis, wanted: "finite and not zero" });
        };
        // The point of the line nearest to the body's origin keeps the reference, and so rounding, small.
        let arm = point - start.translation;
        let foot = arm - axis * axis.dot(arm);
        UniformMotion {
            start,
            reference: start.inverse_transform_vector(foot),
            velocity: axis * advance,
            axis: if angle < 0.0 { -axis } else { axis },
            angle: angle.abs(),
        }
        .validated()
    }

    /// Pose at `t` in [0, 1].
    ///
    /// The body's origin is o(t) = o(0) + velocity t - (Rot(axis, angle t) - 1) R0 reference, and with
    /// h = angle t / 2 and m = axis x (R0 reference)
    /// (Rot - 1) R0 reference = 2 sin h (cos h m + sin h axis x m):
    /// no difference of nearly equal numbers, even where the reference point is far away.
    pub fn pose(&self, t: f64) -> Pose {
        let translation = self.start.translation + self.velocity * t;
        if self.angle == 0.0 {
            return Pose::new(self.start.rotation, translation);
        }
        let (sine, cosine) = libm::sincos(0.5 * self.angle * t);
        let turn = quaternion(self.axis * sine, cosine);
        let moment = self.axis.cross(self.start.rotation * self.reference);
        let swing = 2.0 * sine * (cosine * moment + sine * self.axis.cross(moment));
        Pose::new(turn * self.start.rotation, translation - swing)
    }

    pub(super) fn part(&self, t0: f64, t1: f64) -> UniformMotion {
        let share = t1 - t0;
        UniformMotion {
            start: self.pose(t0).normalized(),
            velocity: self.velocity * share,
            angle: self.angle * share,
            ..*self
        }
    }

    pub(super) fn reversed(&self) -> UniformMotion {
        UniformMotion {
            start: self.pose(1.0).normalized(),
            velocity: -self.velocity,
            axis: -self.axis,
            ..*self
        }
    }

    /// Upper bound of the distance from the axis over all body points within `radius` of the origin.
    fn axis_distance(&self, radius: f64) -> f64 {
        let arm = self.start.rotation * self.reference;
        let across = arm - self.axis * self.axis.dot(arm);
        // The difference above is uncertain by a few units in the last place of `arm`, not of `across`.
        radius + across.norm() + 8.0 * f64::EPSILON * arm.norm()
    }

    pub(super) fn sweep(&self, radius: f64, share: f64) -> Sweep {
        Sweep::new(self.velocity * share, self.axis, self.axis_distance(radius), self.angle * share)
    }

    pub(super) fn rounding(&self, radius: f64) -> f64 {
        let reach = radius + self.reference.norm();
        bound::rounding(self.start.translation.norm() + self.velocity.norm() + reach, reach * self.angle)
    }

    /// True if the body turns at all.
    pub fn turns(&self) -> bool {
        self.angle != 0.0
    }

    /// True if the reference point moves at all.
    pub fn translates(&self) -> bool {
        self.velocity != DVec3::ZERO
    }
}
