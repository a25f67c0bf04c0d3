//! [`PrecessionMotion`]: a reference point on a straight line, a steady turn about an axis of the world and another about an axis of the body.

use crate::Norm;
use glam::DVec3;

use super::bound::{self, Sweep};
use super::error::{MotionError, valid_number, valid_pose, valid_vector};
use crate::Pose;
use crate::rotation::exp;

/// How a free top with two equal moments of inertia moves, and everything that is a product of two steady turns:
///
/// ```text
/// x(t) = p0 + velocity t + R(t) (x_body - reference),   R(t) = exp(turn t) R0 exp(spin t),   t in [0, 1]
/// R0 = start.rotation,   p0 = start.transform_point(reference)
/// ```
///
/// `turn` is along the angular momentum, which stays in the world; `spin` is along the axis of symmetry, which stays in the
/// body. The angle between the two axes stays, so angular speed and angular acceleration are constant in size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrecessionMotion {
    /// Pose of the body's origin at t = 0.
    pub start: Pose,
    /// The point that moves on a straight line, in the body's coordinates, in metres.
    pub reference: DVec3,
    /// Velocity of the reference point in the world, in metres per unit of t.
    pub velocity: DVec3,
    /// Axis in the world times the angle turned about it from t = 0 to t = 1, in radians.
    pub turn: DVec3,
    /// Axis in the body times the angle turned about it from t = 0 to t = 1, in radians.
    pub spin: DVec3,
}

impl PrecessionMotion {
    /// The same motion, once its numbers have been found to be good.
    pub(super) fn validated(self) -> Result<PrecessionMotion, MotionError> {
        valid_number("angle of the turn", self.turn.norm())?;
        valid_number("angle of the spin", self.spin.norm())?;
        Ok(PrecessionMotion {
            start: valid_pose("start", self.start)?,
            reference: valid_vector("reference point", self.reference)?,
            velocity: valid_vector("velocity", self.velocity)?,
            ..self
        })
    }

    /// Pose at `t` in [0, 1].
    pub fn pose(&self, t: f64) -> Pose {
        let start = self.start.rotation;
        let rotation = exp(self.turn * t) * start * exp(self.spin * t);
        let swing = rotation * self.reference - start * self.reference;
        Pose::new(rotation, self.start.translation + self.velocity * t - swing)
    }

    /// Angular velocity at `t` in the world, in radians per unit of t: `turn + R(t) spin`.
    pub fn angular_velocity(&self, t: f64) -> DVec3 {
        self.turn + exp(self.turn * t) * (self.start.rotation * self.spin)
    }

    pub(super) fn part(&self, t0: f64, t1: f64) -> PrecessionMotion {
        let share = t1 - t0;
        PrecessionMotion {
            start: self.pose(t0).normalized(),
            velocity: self.velocity * share,
            turn: self.turn * share,
            spin: self.spin * share,
            ..*self
        }
    }

    pub(super) fn reversed(&self) -> PrecessionMotion {
        PrecessionMotion {
            start: self.pose(1.0).normalized(),
            velocity: -self.velocity,
            turn: -self.turn,
            spin: -self.spin,
            ..*self
        }
    }

    fn angle(&self) -> f64 {
        self.turn.norm() + self.spin.norm()
    }

    fn reach(&self, radius: f64) -> f64 {
        radius + self.reference.norm()
    }

    /// Between two times the body turns by a product of turns by `|turn| share` and `|spin| share`, hence by no more than their
    /// sum. Its axis is not known: the translation counts as lying across it.
    pub(super) fn sweep(&self, radius: f64, share: f64) -> Sweep {
        let way = DVec3::X * (self.velocity.norm() * share);
        Sweep::new(way, DVec3::Z, self.reach(radius), self.angle() * share)
    }

    pub(super) fn rounding(&self, radius: f64) -> f64 {
        let reach = self.reach(radius);
        let size = self.start.translation.norm() + self.velocity.norm() + 2.0 * reach;
        // Two turns where other motions have one.
        2.0 * bound::rounding(size, reach * self.angle())
    }

    pub(super) fn is_still(&self) -> bool {
        self.velocity == DVec3::ZERO && self.turn == DVec3::ZERO && self.spin == DVec3::ZERO
    }
}
