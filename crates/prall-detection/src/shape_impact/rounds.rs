//! What bodies cover that turn many times: a plane that keeps all of that apart needs no second look, however fast they spin.
//!
//! A body turns about its reference point p, which goes straight. Its rotation is a turn about an axis w that stays in the world and,
//! of a top, a spin about an axis e of its own, which goes round w at a constant angle alpha. For a body that is no top e is w, and
//! alpha is 0. A point y of the body has
//!
//! ```text
//! z = e.(y - p),   rho = distance of y from the line p + s e,     which both stay.
//! ```
//!
//! Seen along a unit vector m it is never higher above p than `max over gamma of z cos gamma + rho sin gamma`, gamma the angle between m
//! and e: the spin turns rho towards m at best. With beta the angle between m and w, the round of e about w lets gamma
//! run from |alpha - beta| to alpha + beta (or as far as that is from a whole turn), so
//!
//! ```text
//! height(y) = |y - p|                              if that interval holds the angle of (z, rho),
//!           = z cos gamma + rho sin gamma          at its nearer end otherwise,
//! cos gamma = cos alpha cos beta +- sin alpha sin beta,   sin gamma = |sin alpha cos beta -+ cos alpha sin beta|.
//! ```
//!
//! The highest corner counts for the whole part, since e.y and distances from a line are convex. Heights do not depend on time, so
//! along a plane's normal n, fixed in the world, the gap between what two bodies cover is a straight line:
//!
//! ```text
//! n.(pA - pB) + tau n.(vA - vB) - height_A(-n) - height_B(n) - radii - separation.
//! ```

use glam::DVec3;

use super::part::Part;
use crate::certificate::linear_time;
use crate::norm::unit;
use crate::relative_motion::{BothRounds, Rounds};
use prall_math::Norm;

/// What axes, their angles and heights round, in units of the farthest corner's distance: some thirty operations.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Safe times are shortened by this fraction, as those of [`super::plane`].
const TIME_ROUNDING: f64 = 1.0 - 1e-12;

/// Largest height over its reference point, along a unit vector, that a part reaches on its rounds, radius included.
fn highest(part: &Part, rounds: &Rounds, direction: DVec3) -> f64 {
    let (cos_a, sin_a) = (rounds.cosine, rounds.sine);
    let (cos_b, sin_b) = (rounds.axis.dot(direction), rounds.axis.cross(direction).norm());
    let near = (cos_a * cos_b + sin_a * sin_b, (sin_a * cos_b - cos_a * sin_b).abs());
    let far = (cos_a * cos_b - sin_a * sin_b, (sin_a * cos_b + cos_a * sin_b).abs());
    let mut highest = f64::NEG_INFINITY;
    part.for_each_corner(|corner| {
        let arm = corner - rounds.reference;
        let (z, rho) = (rounds.body.dot(arm), rounds.body.cross(arm).norm());
        let size = arm.norm();
        // The larger the cosine, the smaller the angle.
        let height = if z > near.0 * size {
            z * near.0 + rho * near.1
        } else if z < far.0 * size {
            z * far.0 + rho * far.1
        } else {
            size
        };
        highest = highest.max(height + ROUNDING * size);
    });
    highest + part.rounded_by()
}

/// How long, but no longer than `horizon`, a plane across `normal` (unit vector from B to A, in B's frame as it is now, not turning
/// with it) keeps everything that A covers more than `separation` away from all that B covers.
pub(super) fn safe_time_all_round(
    normal: DVec3,
    a: &Part,
    b: &Part,
    rounds: &BothRounds,
    separation: f64,
    horizon: f64,
) -> f64 {
    let low = match &rounds.a {
        Some(own) => normal.dot(own.reference) - highest(a, own, -normal),
        None => normal.dot(a.lowest(normal)) - a.rounded_by(),
    };
    let high = match &rounds.b {
        // Half-spaces that turn cover everything.
        Some(_) if matches!(b, Part::Plane { .. }) => return 0.0,
        Some(own) => normal.dot(own.reference) + highest(b, own, normal),
        None => b.high(normal),
    };
    let gap = low - high - separation;
    // Written so that what is not a number is no proof.
    if gap > 0.0 {
        let time = linear_time(gap, normal.dot(rounds.velocity)) * TIME_ROUNDING;
        if time > 0.0 { time.min(horizon) } else { 0.0 }
    } else {
        0.0
    }
}

/// Directions from B to A that may keep apart what two parts cover: between the centres now and where they pass each
/// other, and along the axes of their rounds.
pub(super) fn directions(a: &Part, b: &Part, rounds: &BothRounds) -> [Option<DVec3>; 4] {
    let centre = |part: &Part, own: &Option<Rounds>| own.map_or(part.centre(), |own| own.reference);
    let away = centre(a, &rounds.a) - centre(b, &rounds.b);
    let facing = |axis: DVec3| if axis.dot(away) < 0.0 { -axis } else { axis };
    let passing = unit(rounds.velocity).and_then(|along| unit(away - along * along.dot(away)));
    let axes = [rounds.a, rounds.b].map(|own| own.map(|own| facing(own.axis)));
    [unit(away), passing, axes[0], axes[1]]
}
