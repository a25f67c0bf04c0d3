//! [`Differentiator`]: a sampled input becomes position, rate and acceleration.

use prall_mechanics::tree::Drive;
use serde::{Deserialize, Serialize};

/// Follows samples of an input with a critically damped filter of second order, whose own rate and acceleration are
/// continuous.
///
/// Differences of samples, as the source takes them, turn one step of a sensor (0.005 degrees) within 0.2 ms into
/// 2100 rad/s^2. The filter `x'' = omega^2 (input - x) - 2 omega x'` is solved exactly for an input that is constant over
/// the step, so it is stable for every step; it lags behind a steady rate by `2 rate / omega`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Differentiator {
    frequency: f64,
    position: f64,
    rate: f64,
}

impl Differentiator {
    /// A filter with a cut-off frequency in Hz, at rest at `position`. Higher follows faster and smooths less; 8 Hz suits
    /// a hand. Not above zero or not finite gives `None`.
    pub fn new(frequency: f64, position: f64) -> Option<Differentiator> {
        (frequency > 0.0 && frequency.is_finite() && position.is_finite()).then_some(Differentiator {
            frequency,
            position,
            rate: 0.0,
        })
    }

    /// The same, at `position` with a rate: goes on from where an axis is.
    pub fn moving(frequency: f64, position: f64, rate: f64) -> Option<Differentiator> {
        let filter = Differentiator::new(frequency, position)?;
        rate.is_finite().then_some(Differentiator { rate, ..filter })
    }

    /// Takes the next sample, `h` seconds after the last, and says where the axis shall be now.
    pub fn sample(&mut self, input: f64, h: f64) -> Drive {
        let omega = 2.0 * std::f64::consts::PI * self.frequency;
        let decay = libm::exp(-omega * h);
        let away = self.position - input;
        let slope = self.rate + omega * away;
        self.position = input + (away + slope * h) * decay;
        self.rate = (self.rate - omega * slope * h) * decay;
        let acceleration = omega * omega * (input - self.position) - 2.0 * omega * self.rate;
        Drive { position: self.position, rate: self.rate, acceleration }
    }

    /// The same where the input is a rate: `x'' = omega (input - x')`, solved exactly for a rate that is constant over the step. After a change
    /// the axis stays behind by `change / omega`.
    pub fn sample_rate(&mut self, input: f64, h: f64) -> Drive {
        let omega = 2.0 * std::f64::consts::PI * self.frequency;
        let decay = libm::exp(-omega * h);
        let away = self.rate - input;
        self.position += input * h + away * (1.0 - decay) / omega;
        self.rate = input + away * decay;
        Drive { position: self.position, rate: self.rate, acceleration: omega * (input - self.rate) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rate is the derivative of the position, and a step of the input is reached.
    #[test]
    fn a_jump_of_the_input_is_followed_without_a_jump_of_the_rate() {
        let mut filter = Differentiator::new(8.0, 0.0).unwrap();
        let h = 1e-4;
        let mut before = Drive::default();
        for _ in 0..5000 {
            let now = filter.sample(1.0, h);
            // Trapezoid of the rates: exact to h^2 times the second derivative of the rate, some 1e5.
            assert!((now.position - before.position - 0.5 * h * (now.rate + before.rate)).abs() < 1e-7);
            assert!((now.rate - before.rate).abs() < 0.3 && now.position < 1.0 + 1e-12);
            before = now;
        }
        assert!((before.position - 1.0).abs() < 1e-6 && before.rate.abs() < 1e-4);
    }

    /// The closed form `x = v (t - (1 - e^(-omega t)) / omega)`, whatever the steps are.
    #[test]
    fn a_rate_is_followed_as_the_closed_form_says() {
        for steps in [1, 7, 400] {
            let mut filter = Differentiator::new(8.0, 0.5).unwrap();
            let (seconds, speed, omega) = (0.06, 1.5, 16.0 * std::f64::consts::PI);
            let mut now = Drive::default();
            for _ in 0..steps {
                now = filter.sample_rate(speed, seconds / f64::from(steps));
            }
            let left = libm::exp(-omega * seconds);
            assert!((now.position - 0.5 - speed * (seconds - (1.0 - left) / omega)).abs() < 1e-13);
            assert!((now.rate - speed * (1.0 - left)).abs() < 1e-13);
            assert!((now.acceleration - speed * omega * left).abs() < 1e-11);
        }
    }

    #[test]
    fn one_quantum_of_a_sensor_makes_no_shock() {
        let quantum = 0.0049_f64.to_radians();
        let mut filter = Differentiator::new(8.0, 0.0).unwrap();
        let accelerations = (0..100).map(|_| filter.sample(quantum, 2e-4).acceleration.abs());
        // omega^2 times the quantum is 0.22 rad/s^2; differences would give 2100.
        assert!(accelerations.fold(0.0, f64::max) < 0.25);
    }
}
