//! [`Distribution`]: how a budget is shared out among the pairs of a step (Eckstein 1998, chapter 8).

use glam::DVec3;

/// Portion of work, in units, that each pair gets in turn from a common queue.
///
/// Small portions make an abort fair, large ones save going from pair to pair.
pub(super) const PORTION: u64 = 64;

/// How a budget is shared out among pair tests.
///
/// Whichever is chosen, what a pair has proven never shrinks with a larger budget. What pairs leave over is for the
/// tests that must be repeated because something stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Distribution {
    /// The same for every pair, one after the other. Simple, but a hard pair is aborted while easy ones leave their
    /// share unused.
    Equal,
    /// More for what is near the viewer: a pair at a distance d from `eye` weighs `1 / (1 + d / reach)`.
    Viewer {
        /// Where the viewer is.
        eye: DVec3,
        /// Distance in metres at which a pair weighs half of one before the eye.
        reach: f64,
    },
    /// All pairs wait in one queue and get portions in turn until they are finished: hard pairs get more.
    #[default]
    Common,
}

impl Distribution {
    /// Weight of a pair at a distance from the viewer, above 0.
    pub(super) fn weight(&self, distance_to: impl Fn(DVec3) -> f64) -> f64 {
        match *self {
            Distribution::Viewer { eye, reach } => {
                let weight = 1.0 / (1.0 + distance_to(eye) / reach);
                // A reach of zero or NaN makes no weight.
                if weight > 0.0 { weight } else { f64::MIN_POSITIVE }
            }
            Distribution::Equal | Distribution::Common => 1.0,
        }
    }

    /// Units of work for one of `count` pairs that weighs `weight` of `total`. Grows with `limit`.
    pub(super) fn share(&self, limit: u64, position: usize, count: usize, weight: f64, total: f64) -> u64 {
        match self {
            Distribution::Equal => {
                let (count, position) = (count as u64, position as u64);
                limit / count + u64::from(position < limit % count)
            }
            Distribution::Viewer { .. } => (limit as f64 * (weight / total)) as u64,
            Distribution::Common => PORTION,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_shares_add_up_to_the_whole_and_differ_by_one_unit_at_most() {
        let shares: Vec<u64> = (0..7).map(|i| Distribution::Equal.share(100, i, 7, 1.0, 7.0)).collect();
        assert_eq!(shares.iter().sum::<u64>(), 100);
        assert_eq!(shares, [15, 15, 14, 14, 14, 14, 14]);
    }

    #[test]
    fn a_pair_at_the_reach_of_the_viewer_gets_half_of_one_before_the_eye() {
        let viewer = Distribution::Viewer { eye: DVec3::ZERO, reach: 2.0 };
        let weights = [0.0, 2.0].map(|d| viewer.weight(|_| d));
        assert_eq!(weights, [1.0, 0.5]);
        assert_eq!(weights.map(|w| viewer.share(300, 0, 2, w, 1.5)), [200, 100]);
    }

    #[test]
    fn an_unlimited_budget_has_unlimited_shares() {
        let viewer = Distribution::Viewer { eye: DVec3::ZERO, reach: 1.0 };
        assert!(viewer.share(u64::MAX, 0, 2, 1.0, 2.0) > u64::MAX / 4);
    }
}
