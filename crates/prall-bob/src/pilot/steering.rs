//! [`SteeringLine`]: what a pilot steers beside his feedback, as a spline over the track.

use thiserror::Error;

/// Why knots make no line.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SteeringLineError {
    /// Stations must increase.
    #[error("knot {index} of the steering line is at s = {s} m, not behind the one before it")]
    Order {
        /// Counted from 0.
        index: usize,
        /// Its station.
        s: f64,
    },
    /// Angles must be angles.
    #[error("knot {index} of the steering line has {angle} rad: it must lie within +-{most} rad")]
    Angle {
        /// Counted from 0.
        index: usize,
        /// Its angle.
        angle: f64,
        /// The largest.
        most: f64,
    },
}

/// Largest angle of a knot in rad: that of the steering, 10 degrees.
const MOST: f64 = 0.175;

/// Steering angles in rad, positive to the left, over the station: a cubic through its knots whose slopes are those of the chords beside
/// them (Catmull and Rom 1974). Before the first knot and behind the last it is zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SteeringLine {
    knots: Vec<[f64; 2]>,
}

impl SteeringLine {
    /// From knots `[station in m, angle in rad]` with increasing stations.
    pub fn new(knots: Vec<[f64; 2]>) -> Result<SteeringLine, SteeringLineError> {
        let mut before = f64::NEG_INFINITY;
        for (index, &[s, angle]) in knots.iter().enumerate() {
            if !(s > before && s.is_finite()) {
                return Err(SteeringLineError::Order { index, s });
            }
            if !(angle.abs() <= MOST) {
                return Err(SteeringLineError::Angle { index, angle, most: MOST });
            }
            before = s;
        }
        Ok(SteeringLine { knots })
    }

    /// Zero everywhere, with knots at even distances of about `spacing` between two stations.
    pub fn straight(from: f64, to: f64, spacing: f64) -> SteeringLine {
        let count = ((to - from) / spacing).max(1.0).round() as usize;
        let knots = (0..=count).map(|i| [from + (to - from) * i as f64 / count as f64, 0.0]);
        SteeringLine { knots: knots.collect() }
    }

    /// Its knots.
    pub fn knots(&self) -> &[[f64; 2]] {
        &self.knots
    }

    /// The same line with some knots turned by angles in rad, as far as the steering goes.
    pub fn turned(&self, by: &[(usize, f64)]) -> SteeringLine {
        let mut knots = self.knots.clone();
        for &(index, angle) in by {
            if let Some(knot) = knots.get_mut(index) {
                knot[1] = (knot[1] + angle).clamp(-MOST, MOST);
            }
        }
        SteeringLine { knots }
    }

    /// Angle at a station in rad.
    pub fn at(&self, s: f64) -> f64 {
        let after = self.knots.partition_point(|knot| knot[0] <= s);
        if after == 0 || after == self.knots.len() {
            return 0.0;
        }
        let [p, q] = [self.knots[after - 1], self.knots[after]];
        let length = q[0] - p[0];
        let slope = |i: usize| {
            let (low, high) =
                (self.knots[i.saturating_sub(1)], self.knots[(i + 1).min(self.knots.len() - 1)]);
            (high[1] - low[1]) / (high[0] - low[0]) * length
        };
        let (m, n) = (slope(after - 1), slope(after));
        let x = (s - p[0]) / length;
        p[1] + x * (m + x * (3.0 * (q[1] - p[1]) - 2.0 * m - n + x * (2.0 * (p[1] - q[1]) + m + n)))
    }
}

#[cfg(test)]
mod tests {
    use super::{SteeringLine, SteeringLineError};

    /// A cubic through knots on a straight line is that line, between inner knots, and every knot is met.
    #[test]
    fn a_line_through_its_knots_is_smooth() {
        let knots: Vec<[f64; 2]> =
            (0..8).map(|i| [10.0 * f64::from(i), 0.01 * libm::sin(f64::from(i))]).collect();
        let line = SteeringLine::new(knots.clone()).unwrap();
        for knot in &knots[..7] {
            assert!((line.at(knot[0]) - knot[1]).abs() < 1e-15);
            let (before, behind) = (line.at(knot[0] - 1e-6), line.at(knot[0] + 1e-6));
            // Slopes of 1e-3 rad/m leave 2e-9 over that way.
            assert!(knot[0] == 0.0 || (before - behind).abs() < 1e-8);
        }
        let even = SteeringLine::new((0..5).map(|i| [f64::from(i), 0.01 * f64::from(i)]).collect()).unwrap();
        assert!((even.at(1.37) - 0.0137).abs() < 1e-15 && even.at(-0.1) == 0.0 && even.at(4.1) == 0.0);
    }

    #[test]
    fn knots_out_of_order_or_beyond_the_steering_are_refused() {
        let order = SteeringLine::new(vec![[0.0, 0.0], [0.0, 0.0]]);
        assert_eq!(order, Err(SteeringLineError::Order { index: 1, s: 0.0 }));
        assert!(matches!(
            SteeringLine::new(vec![[0.0, 0.3]]),
            Err(SteeringLineError::Angle { index: 0, .. })
        ));
        assert!(SteeringLine::new(vec![[0.0, f64::NAN]]).is_err());
    }
}
