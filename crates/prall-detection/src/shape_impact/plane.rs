//! The plane certificate for convex parts of any kind: how long a plane fixed in B's frame keeps A away.
//!
//! With n the plane's unit normal and the bounds of [`crate::certificate`], every point y of A's core obeys
//! ```text
//! n.y(t + tau) >= n.y + tau s(y) - K tau^2 / 2,     s(y) = n.w + m.(y - p),   m = n x delta
//! ```
//! with one K for all, that of the largest arm. The least over A is a support function:
//! ```text
//! phi(tau) = min over A of (n + tau m).y  +  tau (n.w - m.p)  -  K tau^2 / 2  -  high - separation
//! ```
//! A minimum of straight lines less a parabola is concave. So if phi is positive now and at tau it is so in between: one
//! support point proves a whole step. Where it is not, the point that spoils it has a root of its own, the next
//! tau to try; and the chord from now to a tau that failed lies below phi, so its zero is proven in any case.

use glam::DVec3;

use super::part::Part;
use crate::certificate::{linear_time, taylor_time};
use crate::norm::unit;
use crate::relative_motion::Snapshot;
use prall_math::Norm;

/// Safe times are shortened by this fraction: rounding of roots and chords, a few units in the last place.
const TIME_ROUNDING: f64 = 1.0 - 1e-12;

/// Roots of single points that are tried before the chord has to do; each is Newton's step for a concave function.
const ROOTS: usize = 3;

/// A part of A seen from B.
pub(super) struct Mover<'a> {
    pub(super) part: Part<'a>,
    /// Largest arm of its core.
    pub(super) arm: f64,
    /// What curvature and speed are less for a top whose core is near to its own axis.
    curvature_saved: f64,
    speed_saved: f64,
}

impl<'a> Mover<'a> {
    pub(super) fn new(part: Part<'a>, snapshot: &Snapshot) -> Mover<'a> {
        let arm = part.largest_arm(&snapshot.in_b);
        let (mut curvature_saved, mut speed_saved) = (0.0, 0.0);
        if let Some(own) = &snapshot.own_axis {
            let nearer = (arm - part.farthest_from(snapshot.in_b.reference, own.axis)).max(0.0);
            (curvature_saved, speed_saved) = (own.curvature * nearer, own.speed * nearer);
        }
        Mover { part, arm, curvature_saved, speed_saved }
    }

    /// No point of it is faster.
    pub(super) fn rate(&self, snapshot: &Snapshot) -> f64 {
        snapshot.bounds.rate + snapshot.bounds.rate_per_arm * self.arm - self.speed_saved
    }
}

/// Gap of the parts along a unit vector from B to A, radii included; a lower bound of their distance, up to rounding.
pub(super) fn gap_along(normal: DVec3, a: &Part, b: &Part) -> f64 {
    normal.dot(a.lowest(normal)) - a.rounded_by() - b.high(normal)
}

/// How long, but no longer than `horizon`, the plane across `normal` (unit vector in B's frame, from B to A) keeps `a` more
/// than `separation` away from `b`. 0 if it does not. `separation` includes rounding.
pub(super) fn safe_time(
    normal: DVec3,
    a: &Mover,
    b: &Part,
    snapshot: &Snapshot,
    separation: f64,
    horizon: f64,
) -> f64 {
    let (motion, bounds) = (&snapshot.in_b, &snapshot.bounds);
    let m = normal.cross(motion.delta);
    let moment = m.norm();
    let curvature = bounds.curvature
        + a.arm * (bounds.curvature_per_arm + moment * bounds.curvature_per_moment)
        - a.curvature_saved;
    let slowest = normal.dot(motion.steady)
        - bounds.speed
        - bounds.drift
        - (a.arm * (bounds.speed_per_arm + moment * bounds.speed_per_moment) - a.speed_saved);
    let floor = b.high(normal) + a.part.rounded_by() + separation;
    let speed = normal.dot(motion.velocity) - bounds.drift - m.dot(motion.reference);
    // The line and parabola of one point: its height now, its speed.
    let of = |y: DVec3| (normal.dot(y) - floor, speed + m.dot(y));
    let lowest_at = |tau: f64| {
        let (height, speed) = of(a.part.lowest(normal + m * tau));
        // Way and parabola may be large against the height that is left of them; the last term is their rounding.
        let rounding = 4.0 * f64::EPSILON * tau * (speed.abs() + curvature * tau);
        (height, speed, height + tau * (speed - 0.5 * curvature * tau) - rounding)
    };
    let (gap, ..) = lowest_at(0.0);
    let apart = gap > 0.0;
    if !apart {
        return 0.0;
    }
    let steady = linear_time(gap, slowest) * TIME_ROUNDING;
    if steady >= horizon {
        return horizon;
    }
    let mut late = horizon;
    for _ in 0..=ROOTS {
        let (height, speed, value) = lowest_at(late);
        if value > 0.0 {
            return late.max(steady);
        }
        // A chord needs numbers.
        if value.is_nan() || value == f64::NEG_INFINITY {
            return steady.max(0.0);
        }
        let chord = late * (gap / (gap - value));
        let root = if height > 0.0 { taylor_time(height, speed, curvature) } else { 0.0 };
        if !(root > chord && root < late) {
            return (chord * TIME_ROUNDING).max(steady);
        }
        late = root;
    }
    let (.., value) = lowest_at(late);
    let proven = if value > 0.0 { late } else { late * (gap / (gap - value)) };
    // Written so that what is not a number is no proof.
    if proven > 0.0 { (proven * TIME_ROUNDING).max(steady) } else { steady.max(0.0) }
}

/// The best of the parts' own axes and the line between their centres, from B to A, with the gap along it.
pub(super) fn cheap_normal(a: &Part, b: &Part) -> (DVec3, f64) {
    if let Part::Plane { normal, .. } = b {
        return (*normal, gap_along(*normal, a, b));
    }
    let away = a.centre() - b.centre();
    let mut best = (DVec3::Y, f64::NEG_INFINITY);
    let mut attempt = |axis: DVec3| {
        let normal = if axis.dot(away) < 0.0 { -axis } else { axis };
        let gap = gap_along(normal, a, b);
        if gap > best.1 {
            best = (normal, gap);
        }
    };
    if let Some(direct) = unit(away) {
        attempt(direct);
    }
    b.for_each_axis(away, &mut attempt);
    a.for_each_axis(-away, &mut attempt);
    best
}
