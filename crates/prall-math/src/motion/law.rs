//! [`MotionLaw`]: a motion that somebody else knows, with the bounds that make it provable.

use crate::Norm;
use std::fmt;
use std::sync::Arc;

use super::bound::{self, Sweep, outward};
use super::error::{MotionError, valid_pose};
use crate::Pose;

/// A pose as a function of t in [0, 1], from an animation, a mechanism or another simulation.
///
/// What is proven about the motion stands on the two bounds. They must hold for every time in the interval,
/// whichever way they were found; a bound that is not a number counts as infinite.
pub trait MotionLaw: Send + Sync {
    /// Pose of the body's origin at `t`: finite, with a quaternion of unit length, continuous in `t`, and
    /// rounded by no more than a few units in the last place.
    fn pose(&self, t: f64) -> Pose;

    /// Upper bound on the speed of the body's origin from `t0` to `t1 >= t0`, in metres per unit of t.
    fn speed_bound(&self, t0: f64, t1: f64) -> f64;

    /// Upper bound on the angular speed from `t0` to `t1 >= t0`, in radians per unit of t.
    fn angular_speed_bound(&self, t0: f64, t1: f64) -> f64;
}

/// A law, run from `from` to `to` (backwards if `from > to`) while t goes from 0 to 1.
#[derive(Clone)]
pub(super) struct LawMotion {
    law: Arc<dyn MotionLaw>,
    from: f64,
    to: f64,
}

impl LawMotion {
    pub(super) fn new(law: Arc<dyn MotionLaw>) -> Result<LawMotion, MotionError> {
        valid_pose("start", law.pose(0.0))?;
        valid_pose("end", law.pose(1.0))?;
        for (role, value) in [
            ("speed bound", law.speed_bound(0.0, 1.0)),
            ("angular speed bound", law.angular_speed_bound(0.0, 1.0)),
        ] {
            if !(0.0..=super::LARGEST_MAGNITUDE).contains(&value) {
                return Err(MotionError::Number { role, value, wanted: "between 0 and 1e100 over [0, 1]" });
            }
        }
        Ok(LawMotion { law, from: 0.0, to: 1.0 })
    }

    /// Time of the law at `t`; exact at both ends.
    fn time(&self, t: f64) -> f64 {
        (self.from * (1.0 - t) + self.to * t).clamp(0.0, 1.0)
    }

    pub(super) fn pose(&self, t: f64) -> Pose {
        self.law.pose(self.time(t))
    }

    pub(super) fn part(&self, t0: f64, t1: f64) -> LawMotion {
        LawMotion { law: Arc::clone(&self.law), from: self.time(t0), to: self.time(t1) }
    }

    pub(super) fn reversed(&self) -> LawMotion {
        LawMotion { law: Arc::clone(&self.law), from: self.to, to: self.from }
    }

    /// Largest speed of the origin and largest angular speed between `t0` and `t1`, per unit of our t.
    fn speeds(&self, t0: f64, t1: f64) -> (f64, f64) {
        let (a, b) = (self.time(t0), self.time(t1));
        // Times are rounded, so that a pose in between may be asked for just outside.
        let first = (a.min(b) - 2.0 * f64::EPSILON).max(0.0);
        let last = (a.max(b) + 2.0 * f64::EPSILON).min(1.0);
        let pace = (self.to - self.from).abs();
        (
            outward(self.law.speed_bound(first, last)) * pace,
            outward(self.law.angular_speed_bound(first, last)) * pace,
        )
    }

    /// Largest speed of the origin and angular speed, as a sweep over `share` of time. The direction of the
    /// axis is not known: the translation counts as lying across it.
    pub(super) fn sweep(&self, radius: f64, t0: f64, t1: f64, share: f64) -> Sweep {
        let (speed, angular_speed) = self.speeds(t0, t1);
        Sweep::new(glam::DVec3::X * (speed * share), glam::DVec3::Z, radius, angular_speed * share)
    }

    pub(super) fn rounding(&self, radius: f64) -> f64 {
        let (speed, angular_speed) = self.speeds(0.0, 1.0);
        bound::rounding(self.pose(0.0).translation.norm() + speed + radius, radius * angular_speed)
    }

    pub(super) fn is_still(&self) -> bool {
        self.from == self.to
    }
}

impl fmt::Debug for LawMotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LawMotion").field("from", &self.from).field("to", &self.to).finish_non_exhaustive()
    }
}
