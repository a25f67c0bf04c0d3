//! [`Script`]: the hand that plays a scene until somebody takes a part.

use prall_math::{Pose, rotation};

/// Times in s between stops from which on the hand rests at each.
const REST: f64 = 0.4;

/// A hand that plays.
#[derive(Clone)]
pub(crate) enum Script {
    /// Nobody plays.
    Nobody,
    /// The first part, where the hand wants it at a time in s.
    Way(fn(f64) -> Pose),
    /// Any parts, from stop to stop, and then from the beginning.
    Run(Vec<Stop>),
}

/// Where a hand wants a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// Index of the part. Where it is another one than that of the stop before, the hand takes it here.
    pub(crate) part: usize,
    /// Time in s since the stop before.
    pub(crate) after: f64,
    pub(crate) pose: Pose,
}

impl Script {
    /// The part in hand and where the hand wants it, at a time in s; `None` if nobody plays.
    pub(crate) fn at(&self, time: f64) -> Option<(usize, Pose)> {
        match self {
            Script::Nobody => None,
            Script::Way(way) => Some((0, way(time))),
            Script::Run(stops) => {
                let period = stops.iter().map(|stop| stop.after).sum::<f64>().max(1e-3);
                let mut left = time % period;
                let mut from = *stops.first()?;
                for to in stops {
                    if left <= to.after {
                        let share = left / to.after.max(1e-9);
                        // Stops that follow each other closely are a curve, not places to rest at.
                        let share = if to.after < REST { share } else { smooth(share) };
                        let share = if to.part == from.part { share } else { 1.0 };
                        return Some((to.part, between(&from.pose, &to.pose, share)));
                    }
                    left -= to.after;
                    from = *to;
                }
                Some((from.part, from.pose))
            }
        }
    }
}

/// From rest to rest.
fn smooth(share: f64) -> f64 {
    share * share * (3.0 - 2.0 * share)
}

fn between(from: &Pose, to: &Pose, share: f64) -> Pose {
    let turn = rotation::log(to.rotation * from.rotation.conjugate()) * share;
    Pose::new((rotation::exp(turn) * from.rotation).normalize(), from.translation.lerp(to.translation, share))
}

/// A value that goes from stop to stop through times in s, smoothly, and begins anew after the last.
pub(super) fn through(time: f64, stops: &[(f64, f64)]) -> f64 {
    let period = stops.last().map_or(1.0, |stop| stop.0);
    let time = time % period;
    for pair in stops.windows(2) {
        let ((from, a), (to, b)) = (pair[0], pair[1]);
        if time <= to {
            return a + (b - a) * smooth((time - from) / (to - from));
        }
    }
    stops.last().map_or(0.0, |stop| stop.1)
}
