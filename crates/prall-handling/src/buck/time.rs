//! When a distance becomes zero: the modes of Buck 1999, 5.2.1, and the search for distances that are negative only within the interval, 5.2.2.

use super::options::CollisionTime;

/// Steps of regula falsi at most.
const STEPS: usize = 60;
/// Share of the interval below which nothing is divided any more: shorter dips count as a graze.
const SHORTEST: f64 = 1e-6;

/// The share of the interval at which a distance, positive at its start, becomes zero; none if the mode sees no zero.
///
/// Regula falsi ends where the distance is zero within the tolerance, in m.
pub(super) fn zero(mode: CollisionTime, mut distance: impl FnMut(f64) -> f64, tolerance: f64) -> Option<f64> {
    let (first, last) = (distance(0.0), distance(1.0));
    if first <= 0.0 {
        return Some(0.0);
    }
    match mode {
        CollisionTime::Certified => None,
        CollisionTime::Linear => (last < 0.0).then(|| first / (first - last)),
        CollisionTime::Quadratic => parabola(first, distance(0.5), last),
        CollisionTime::Equidistant(count) => {
            let mut before = first;
            for sample in 1..=count {
                let at = distance(sample as f64 / count as f64);
                if at < 0.0 {
                    return Some(((sample - 1) as f64 + before / (before - at)) / count as f64);
                }
                before = at;
            }
            None
        }
        CollisionTime::RegulaFalsi => {
            (last < 0.0).then(|| regula_falsi(distance, [(0.0, first), (1.0, last)], tolerance))
        }
    }
}

/// The first zero in (0, 1] of the parabola through values at 0, 1/2 and 1.
fn parabola(first: f64, middle: f64, last: f64) -> Option<f64> {
    // first + b t + a t^2
    let a = 2.0 * (first - 2.0 * middle + last);
    let b = 4.0 * middle - 3.0 * first - last;
    let root = b * b - 4.0 * a * first;
    if root < 0.0 {
        return None;
    }
    // The smaller positive zero, without a difference of nearly equal numbers.
    let q = -0.5 * (b + root.sqrt().copysign(b));
    let zeros = [first / q, q / a];
    zeros.into_iter().filter(|t| *t > 0.0 && *t <= 1.0).min_by(f64::total_cmp)
}

/// A zero between a positive and a negative value, with halved weights of ends that stay (Illinois).
fn regula_falsi(mut distance: impl FnMut(f64) -> f64, ends: [(f64, f64); 2], tolerance: f64) -> f64 {
    let [(mut low, mut above), (mut high, mut below)] = ends;
    let mut last = 0.0;
    for _ in 0..STEPS {
        let time = (low * below - high * above) / (below - above);
        let at = distance(time);
        if at.abs() <= tolerance {
            return time;
        }
        if at > 0.0 {
            (low, above) = (time, at);
            if last > 0.0 {
                below *= 0.5;
            }
        } else {
            (high, below) = (time, at);
            if last < 0.0 {
                above *= 0.5;
            }
        }
        last = at;
    }
    low
}

/// The first piece of `from..to` at whose end a distance is negative, if it is positive at the start.
///
/// The distance is nowhere farther from the straight line between its values at both ends than `bound`, which falls by four with each halving.
pub(super) fn piece_with_zero(
    distance: &mut impl FnMut(f64) -> f64,
    (from, at_from): (f64, f64),
    (to, at_to): (f64, f64),
    bound: f64,
) -> Option<(f64, f64)> {
    if at_to < 0.0 {
        return Some((from, to));
    }
    if (at_from > bound && at_to > bound) || to - from < SHORTEST {
        return None;
    }
    let middle = 0.5 * (from + to);
    let at_middle = distance(middle);
    piece_with_zero(distance, (from, at_from), (middle, at_middle), 0.25 * bound)
        .or_else(|| piece_with_zero(distance, (middle, at_middle), (to, at_to), 0.25 * bound))
}

/// How far the distance of a point to a plane is from a straight line in time, at most (38), to second order in the turns.
///
/// Turns in rad and shifts in m over the interval; `reach` is the distance of the point from the centre about which its body turns.
pub(super) fn curvature_of_vertex_and_face(
    turns: (f64, f64),
    shifts: (f64, f64),
    reaches: (f64, f64),
) -> f64 {
    let ((w1, w2), (v1, v2), (r1, r2)) = (turns, shifts, reaches);
    0.125 * (w1 * w1 * r1 + w2 * w2 * r2 + 2.0 * w1 * w2 * r1 + 2.0 * w2 * (v1 + v2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A falling point: d = 1 - t / 2 - 2 t^2 has its zero at (sqrt(33) - 1) / 8.
    #[test]
    fn modes_are_as_exact_as_the_distance_is_straight_parabolic_or_anything() {
        let fall = |t: f64| 1.0 - 0.5 * t - 2.0 * t * t;
        let exact = (33.0_f64.sqrt() - 1.0) / 8.0;
        let off = |mode| (zero(mode, fall, 1e-12).unwrap() - exact).abs();
        assert!(off(CollisionTime::Quadratic) < 1e-15);
        assert!(off(CollisionTime::RegulaFalsi) < 1e-12);
        let (linear, few, many) = (
            off(CollisionTime::Linear),
            off(CollisionTime::Equidistant(4)),
            off(CollisionTime::Equidistant(40)),
        );
        // The chord of a piece of width h is off by at most curvature h^2 / 8 over the slope at the zero.
        let slope = 0.5 + 4.0 * exact;
        assert!(linear > 0.1 && few <= 4.0 / 16.0 / 8.0 / slope && many <= 4.0 / 1600.0 / 8.0 / slope);
        // Enters and leaves within: only samples in between see it, and the search with a bound finds it.
        let mut dip = |t: f64| (t - 0.37) * (t - 0.37) - 1e-4;
        assert!(zero(CollisionTime::Linear, dip, 1e-12).is_none());
        assert!(zero(CollisionTime::RegulaFalsi, dip, 1e-12).is_none());
        assert!((zero(CollisionTime::Quadratic, dip, 1e-12).unwrap() - 0.36).abs() < 1e-12);
        assert!(zero(CollisionTime::Equidistant(100), dip, 1e-12).is_some());
        let ends = ((0.0, dip(0.0)), (1.0, dip(1.0)));
        let (from, to) = piece_with_zero(&mut dip, ends.0, ends.1, 0.25).unwrap();
        assert!(from < 0.36 && dip(to) < 0.0);
        assert!(piece_with_zero(&mut |t| dip(t) + 2e-4, ends.0, ends.1, 0.25).is_none());
    }
}
