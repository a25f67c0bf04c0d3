//! How far and how fast a body that turns about a straight moving axis can carry its points.

use crate::Norm;
use glam::DVec3;

/// Outward rounding: relative error of the twenty-odd operations of a bound, with room to spare.
const OUTWARD: f64 = 1.0 + 32.0 * f64::EPSILON;

/// What a piece of motion does: an axis that moves by a vector, and a turn about it.
///
/// A point at distance rho from the axis moves by the axis's displacement plus a chord of its circle, which is
/// perpendicular to the axis: `2 rho sin(min(angle, pi) / 2)` at most, since the chord grows up to half a turn
/// and never again. Hence, splitting the displacement along and across the axis,
/// ```text
/// |x(t1) - x(t0)|^2 <= along^2 + (across + chord)^2
/// ```
/// with equality for a screw (across = 0), and for a turn about the body's origin some point attains it.
pub(super) struct Sweep {
    along: f64,
    across: f64,
    axis_distance: f64,
    angle: f64,
}

impl Sweep {
    /// `axis` is a unit vector; `angle` and `axis_distance` are not negative.
    pub(super) fn new(translation: DVec3, axis: DVec3, axis_distance: f64, angle: f64) -> Sweep {
        let along = axis.dot(translation);
        Sweep { along, across: (translation - axis * along).norm(), axis_distance, angle }
    }

    /// Bound on the distance between the two ends of the path of any point.
    pub(super) fn chord(&self) -> f64 {
        let half = 0.5 * self.angle.min(std::f64::consts::PI);
        self.combined(2.0 * self.axis_distance * libm::sin(half))
    }

    /// Bound on the length of the path of any point, if its speed is constant: speed, over a unit of time.
    pub(super) fn arc(&self) -> f64 {
        self.combined(self.axis_distance * self.angle)
    }

    fn combined(&self, turn: f64) -> f64 {
        outward(DVec3::new(self.along, self.across + turn, 0.0).norm())
    }
}

/// Rounds a bound up. Whatever is not a number (bad radius, a law that breaks its contract) becomes infinite:
/// the only bound that is then true.
pub(super) fn outward(bound: f64) -> f64 {
    if bound >= 0.0 { bound * OUTWARD } else { f64::INFINITY }
}

/// Bound on the rounding of two points computed with `pose(t).transform_point(x)`, added over both.
///
/// `size` is the sum of all lengths that enter; `turned` is angle times reach, because `angle * t` is rounded
/// before its sine is taken. A pose's translation sees about 6 roundings, its rotation matrix 16 (sine, cosine,
/// a quaternion product, each doubled), the point 8 more: 30 units of 2^-53 a point, 30 EPSILON for both.
pub(super) fn rounding(size: f64, turned: f64) -> f64 {
    32.0 * f64::EPSILON * size + 2.0 * f64::EPSILON * turned
}
