//! Distance of two convex bodies by the algorithm of Gilbert, Johnson and Keerthi (1988).
//!
//! The distance of A and B is that of the origin from the Minkowski difference `W = A - B`. A simplex of support points of
//! W walks towards the origin. With `v` its closest point and `w` the support point of W against `v`:
//!
//! ```text
//! v . w / |v|  <=  distance  <=  |v|
//! ```
//!
//! The left side is a plane that keeps the bodies apart, so every step has a proof of how far the answer can still
//! be off; the search ends when both sides agree to rounding, or when rounding lets nothing more be gained.

use glam::DVec3;
use prall_math::Norm;

use super::Convex;
use super::simplex::{Difference, Simplex};

/// Bounds of the distance that differ by less than this part of it (no unit) are one: a few hundred roundings.
const RELATIVE: f64 = 1e-13;

/// As above, by the size of what is subtracted (no unit): support points are known to a few last bits of it.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Distances below this part of the size (no unit) count as touching: their direction is rounding.
pub(super) const TOUCHING: f64 = 1e-13;

/// Most steps. Polytopes need some ten; a curved rim halves the error per step at worst, and 64 halvings are
/// more than a number has digits.
const MOST_STEPS: usize = 96;

/// Most walks between round bodies: against a corner or a plane one is enough, and the rest of the error is small already.
const MOST_POLISHING: usize = 8;

/// What the search found out about the cores.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Nearness {
    /// Farther apart than asked for.
    Far,
    /// Apart.
    Apart(Apart),
    /// Touching or overlapping.
    Together,
}

/// Closest points of cores that are apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Apart {
    pub(crate) on_a: DVec3,
    pub(crate) on_b: DVec3,
    /// Unit vector from B to A.
    pub(crate) normal: DVec3,
    pub(crate) distance: f64,
    /// Proven: the bodies are at least this far apart, up to the rounding of support points.
    pub(crate) lower: f64,
}

/// The support point of A - B in a direction.
pub(super) fn difference(a: &Convex, b: &Convex, direction: DVec3, hints: (u32, u32)) -> Difference {
    let (on_a, number_a) = a.support(direction, hints.0);
    let (on_b, number_b) = b.support(-direction, hints.1);
    Difference { point: on_a - on_b, on_a, on_b, numbers: (number_a, number_b) }
}

/// Searches the closest points of two cores; gives up as soon as they are proven farther apart than `within`. `simplex` is
/// where the search ended, and where the search for the depth goes on.
pub(crate) fn nearest(a: &Convex, b: &Convex, within: f64, simplex: &mut Simplex) -> Nearness {
    let start = (a.middle() - b.middle()).try_unit().unwrap_or(DVec3::X);
    let first = difference(a, b, -start, (0, 0));
    let mut size = first.on_a.abs().max_element().max(first.on_b.abs().max_element());
    *simplex = Simplex::of(first);
    let mut best = simplex.closest();
    // The best bound so far ends the search; that of the current direction is the one to report with it.
    let (mut lower, mut own, mut hints) = (0.0_f64, 0.0_f64, first.numbers);
    for _ in 0..MOST_STEPS {
        let distance = best.point.norm();
        if distance <= TOUCHING * size {
            return Nearness::Together;
        }
        let normal = best.point / distance;
        let next = difference(a, b, -normal, hints);
        hints = next.numbers;
        size = size.max(next.on_a.abs().max_element()).max(next.on_b.abs().max_element());
        own = normal.dot(next.point);
        lower = lower.max(own);
        if lower > within {
            return Nearness::Far;
        }
        if distance - lower <= RELATIVE * distance + ROUNDING * size || simplex.holds(&next) {
            break;
        }
        let mut larger = *simplex;
        if larger.add(next) {
            if lower > TOUCHING * size {
                // A plane keeps the bodies apart: that the origin is inside is the rounding of a sliver.
                break;
            }
            *simplex = larger;
            return Nearness::Together;
        }
        let closer = larger.closest();
        if closer.point.length_squared() >= best.point.length_squared() {
            break;
        }
        (*simplex, best) = (larger, closer);
        own = f64::NEG_INFINITY;
    }
    if !(a.core.is_polytope() && b.core.is_polytope()) {
        own = f64::NEG_INFINITY;
        polish(a, b, &mut best);
    }
    let distance = best.point.norm();
    let normal = best.point / distance;
    if own == f64::NEG_INFINITY {
        own = difference(a, b, -normal, hints).point.dot(normal);
    }
    Nearness::Apart(Apart { on_a: best.on_a, on_b: best.on_b, normal, distance, lower: own.min(distance) })
}

/// Walks from one body to the closest point of the other and back, as long as that brings them nearer.
///
/// On round bodies the corners of the simplex crowd, and its closest point loses half of its digits; the closed forms of the
/// bodies do not.
fn polish(a: &Convex, b: &Convex, best: &mut Difference) {
    for _ in 0..MOST_POLISHING {
        let on_b = b.closest_to(best.on_a);
        let on_a = a.closest_to(on_b);
        let point = on_a - on_b;
        if point.length_squared() >= best.point.length_squared() {
            return;
        }
        *best = Difference { point, on_a, on_b, numbers: best.numbers };
    }
}
