//! The plane certificate: everything that is proven over a motion is proven here (or in its eight-lane twin).
//!
//! Let n be a unit vector fixed in B's frame and `high` the largest n.b over B's part, a constant. For a point
//! y of A, f(tau) = n.y(t + tau) - high - separation has two lower bounds,
//! ```text
//! Taylor:  f >= g + s tau - K tau^2 / 2,   g = f(0),  s = n.y'(t),  |n.y''| <= K
//! linear:  f >= g + L tau,                 L <= n.y' at all times
//! ```
//! with K and L from [`Bounds`](crate::relative_motion::Bounds). While one of them is positive the plane
//! separates the two. It does not matter where n came from. A plane that keeps the corners of a triangle keeps
//! the triangle.

use glam::DVec3;

use crate::relative_motion::Snapshot;
use prall_math::Norm;

/// Safe times are shortened by this fraction: rounding of the root formula, a few units in the last place.
const TIME_ROUNDING: f64 = 1.0 - 1e-12;

/// How long the plane across `normal` (unit vector in B's frame, from B to A) keeps triangle `a`, given in B's
/// frame at the instant of the snapshot, more than `separation` away from triangle `b`. 0 if it does not.
///
/// `separation` includes the rounding of poses and points.
pub(crate) fn safe_time(
    normal: DVec3,
    a: &[DVec3; 3],
    b: &[DVec3; 3],
    snapshot: &Snapshot,
    separation: f64,
) -> f64 {
    let high = normal.dot(b[0]).max(normal.dot(b[1])).max(normal.dot(b[2]));
    let motion = &snapshot.in_b;
    let bounds = &snapshot.bounds;
    let m = normal.cross(motion.delta);
    let moment = m.norm();
    let speed = normal.dot(motion.velocity) - bounds.drift;
    let steady = normal.dot(motion.steady) - bounds.speed - bounds.drift;
    let mut safe = f64::INFINITY;
    for &y in a {
        let gap = normal.dot(y) - high - separation;
        let apart = gap > 0.0;
        if !apart {
            return 0.0;
        }
        let arm = motion.arm(y).norm();
        let s = speed + m.dot(y - motion.reference);
        let curvature =
            bounds.curvature + arm * (bounds.curvature_per_arm + moment * bounds.curvature_per_moment);
        let linear = steady - arm * (bounds.speed_per_arm + moment * bounds.speed_per_moment);
        let time = taylor_time(gap, s, curvature).max(linear_time(gap, linear));
        // NaN is no proof.
        let proven = time > 0.0;
        if !proven {
            return 0.0;
        }
        safe = safe.min(time);
    }
    safe * TIME_ROUNDING
}

/// The positive root of g + s tau - K tau^2 / 2, g > 0, in the form that does not cancel.
pub(crate) fn taylor_time(g: f64, s: f64, curvature: f64) -> f64 {
    if curvature > 0.0 {
        let root = (s * s + 2.0 * curvature * g).sqrt();
        if !root.is_finite() {
            return 0.0;
        }
        if s < 0.0 { 2.0 * g / (root - s) } else { (s + root) / curvature }
    } else {
        linear_time(g, s)
    }
}

pub(crate) fn linear_time(g: f64, slope: f64) -> f64 {
    if slope < 0.0 { -g / slope } else { f64::INFINITY }
}

/// `normal` or its opposite, whichever has more of a gap from `b` to `a` along it.
pub(crate) fn from_b_to_a(normal: DVec3, a: &[DVec3; 3], b: &[DVec3; 3]) -> DVec3 {
    let along = |p: &[DVec3; 3]| {
        let [x, y, z] = p.map(|p| normal.dot(p));
        (x.min(y).min(z), x.max(y).max(z))
    };
    let ((low_a, high_a), (low_b, high_b)) = (along(a), along(b));
    if low_a - high_b >= low_b - high_a { normal } else { -normal }
}

/// Gap along `normal` from `b` to `a`; a lower bound of their distance, up to rounding.
pub(crate) fn gap_along(normal: DVec3, a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let low = normal.dot(a[0]).min(normal.dot(a[1])).min(normal.dot(a[2]));
    let high = normal.dot(b[0]).max(normal.dot(b[1])).max(normal.dot(b[2]));
    low - high
}
