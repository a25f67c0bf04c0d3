//! [`Steady`]: a joint that shifts and turns in a fixed ratio.

use glam::{DQuat, DVec3};
use prall_math::{Norm, Pose, Twist};
use prall_mechanics::tree::{Guide, MOST_COORDINATES};

/// A law of one coordinate: for each unit of it the body shifts by `shift` and turns by `turn`, both fixed in the parent's joint frame.
///
/// A screw shifts along the axis that it turns about; a wheel that rolls along a rack shifts across it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steady {
    shift: DVec3,
    turn: DVec3,
    slides: bool,
}

impl Steady {
    /// A nut on a bolt along x: its coordinate is the angle in rad, and each turn takes it on by `pitch` m; below 0 the thread is left-handed.
    pub fn screw(pitch: f64) -> Steady {
        Steady { shift: DVec3::X * (pitch / (2.0 * std::f64::consts::PI)), turn: DVec3::X, slides: false }
    }

    /// A wheel of a radius in m that rolls without slipping along x, on top of a rack whose upward direction is y: its coordinate is the way of its
    /// centre in m.
    pub fn rolling(radius: f64) -> Steady {
        Steady { shift: DVec3::X, turn: DVec3::NEG_Z / radius, slides: true }
    }
}

impl Guide for Steady {
    fn coordinates(&self) -> usize {
        1
    }

    fn pose(&self, q: &[f64]) -> Pose {
        let angle = self.turn.norm();
        let (sine, cosine) = libm::sincos(0.5 * q[0] * angle);
        let axis = self.turn.try_unit().unwrap_or(DVec3::X) * sine;
        Pose::new(DQuat::from_xyzw(axis.x, axis.y, axis.z, cosine), self.shift * q[0])
    }

    fn subspace(&self, _: &[f64]) -> [Twist; MOST_COORDINATES] {
        let mut columns = [Twist::ZERO; MOST_COORDINATES];
        columns[0] = Twist::new(self.shift, self.turn);
        columns
    }

    fn bias(&self, _: &[f64], _: &[f64]) -> Twist {
        Twist::ZERO
    }

    fn slides(&self, _: usize) -> bool {
        self.slides
    }
}
