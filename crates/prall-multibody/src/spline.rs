//! Splines of fifth degree through evenly spaced values: four times continuously differentiable.
//!
//! `f(x) = sum c_i B(x - i)` with the quintic B-spline `B`, whose values at whole numbers are (1, 26, 66, 26, 1)/120. That the sum goes through the
//! values is a system with five entries in a row; it is so dominated by its middle that sweeps over it gain half a digit each.

use glam::DVec4;

/// What lies beyond the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// The values begin anew, with this sign.
    Closed { negated: bool },
    /// The values go on as they came, turned about the end.
    Open,
}

/// A function of one variable with four components.
#[derive(Clone, Debug)]
pub(crate) struct Spline {
    coefficients: Vec<DVec4>,
    ends: Ends,
}

/// Sweeps of the system's solution: its error falls by 0.6 in each.
const SWEEPS: usize = 80;

/// Places from here on are whole numbers, 2^52: a trial that came so far has diverged.
const LARGEST: f64 = 4_503_599_627_370_496.0;

impl Spline {
    /// Through values at 0, 1, 2, ...; closed ones have the first value once more after the last.
    pub(crate) fn through(values: &[DVec4], ends: Ends) -> Spline {
        let mut spline = Spline { coefficients: values.to_vec(), ends };
        let last = values.len() - 1;
        for _ in 0..SWEEPS {
            for (index, value) in values.iter().enumerate() {
                if ends == Ends::Open && (index == 0 || index == last) {
                    // By the symmetry about the end its coefficient is its value.
                    continue;
                }
                let at = |offset: i64| spline.coefficient(index as i64 + offset);
                let beside = (at(-1) + at(1)) * 26.0 + at(-2) + at(2);
                spline.coefficients[index] = (*value * 120.0 - beside) / 66.0;
            }
        }
        spline
    }

    /// How far the variable goes until the end, or until everything repeats.
    pub(crate) fn length(&self) -> f64 {
        let count = self.coefficients.len();
        if self.ends == Ends::Open { (count - 1) as f64 } else { count as f64 }
    }

    /// True if it comes back to its start.
    pub(crate) fn is_closed(&self) -> bool {
        self.ends != Ends::Open
    }

    /// The coefficients beyond the ends, too.
    fn coefficient(&self, index: i64) -> DVec4 {
        let count = self.coefficients.len() as i64;
        let own = |index: i64| self.coefficients[index as usize];
        match self.ends {
            Ends::Closed { negated } => {
                let value = own(index.rem_euclid(count));
                if negated && index.div_euclid(count) % 2 != 0 { -value } else { value }
            }
            Ends::Open => {
                // Turned about the first end, and shifted on by whole double lengths.
                let last = count - 1;
                let (rounds, within) = (index.div_euclid(2 * last), index.rem_euclid(2 * last));
                let shift = (own(last) - own(0)) * (2 * rounds) as f64;
                shift + if within <= last { own(within) } else { own(last) * 2.0 - own(2 * last - within) }
            }
        }
    }

    /// Value and first two derivatives; not numbers where nothing lies between whole ones any more.
    pub(crate) fn at(&self, x: f64) -> [DVec4; 3] {
        if !(x.abs() < LARGEST) {
            return [DVec4::NAN; 3];
        }
        let start = x.floor();
        let t = x - start;
        let mut result = [DVec4::ZERO; 3];
        for (index, weights) in weights(t).iter().enumerate() {
            let coefficient = self.coefficient(start as i64 + index as i64 - 2);
            for (sum, weight) in result.iter_mut().zip(weights) {
                *sum += coefficient * *weight;
            }
        }
        result
    }
}

/// Weights of the six coefficients from two before to three after, and their first two derivatives, at `t` of 0 to 1.
fn weights(t: f64) -> [[f64; 3]; 6] {
    // B(x) for |x| <= 3 is a sum of fifth powers of what x lies below 1, 2 and 3.
    let power = |x: f64| {
        let y = x.max(0.0);
        let cube = y * y * y;
        [cube * y * y / 120.0, cube * y / 24.0, cube / 6.0]
    };
    std::array::from_fn(|index| {
        let x = t + 2.0 - index as f64;
        let (three, two, one) = (power(3.0 - x.abs()), power(2.0 - x.abs()), power(1.0 - x.abs()));
        let sum = |part: usize| three[part] - 6.0 * two[part] + 15.0 * one[part];
        [sum(0), -sum(1) * x.signum(), sum(2)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(x: f64) -> DVec4 {
        let (sine, cosine) = libm::sincos(x);
        DVec4::new(cosine, sine, 1.0, 0.0)
    }

    /// A circle of 64 values: the error of fifth degree is of the order of (2 pi/64)^6, that of derivatives one and two orders less.
    #[test]
    fn a_closed_spline_follows_a_circle() {
        let step = 2.0 * std::f64::consts::PI / 64.0;
        let values: Vec<DVec4> = (0..64).map(|index| wave(f64::from(index) * step)).collect();
        let spline = Spline::through(&values, Ends::Closed { negated: false });
        assert_eq!(spline.length(), 64.0);
        for x in [0.0, 0.3, 17.5, 63.9, -3.2, 70.1] {
            let [value, first, second] = spline.at(x);
            assert!((value - wave(x * step)).length() < 1e-7);
            let (sine, cosine) = libm::sincos(x * step);
            assert!((first / step - DVec4::new(-sine, cosine, 0.0, 0.0)).length() < 1e-6);
            assert!((second / (step * step) + DVec4::new(cosine, sine, 0.0, 0.0)).length() < 1e-5);
        }
    }

    /// Solved to rounding: values of order 1.
    #[test]
    fn a_spline_goes_through_its_values_and_on_beyond_its_ends() {
        let values: Vec<DVec4> =
            (0..9).map(|index| wave(0.7 * f64::from(index)) * f64::from(index)).collect();
        for ends in [Ends::Open, Ends::Closed { negated: false }, Ends::Closed { negated: true }] {
            let spline = Spline::through(&values, ends);
            for (index, value) in values.iter().enumerate() {
                assert!((spline.at(index as f64)[0] - *value).length() < 1e-12, "{ends:?} {index}");
            }
            let beyond = spline.at(-1.0)[0];
            let expected = match ends {
                Ends::Open => values[0] * 2.0 - values[1],
                Ends::Closed { negated } => values[8] * if negated { -1.0 } else { 1.0 },
            };
            assert!((beyond - expected).length() < 1e-12, "{ends:?}");
        }
    }

    /// What a diverging step may ask for is answered, and the step sees that it diverges.
    #[test]
    fn a_place_beyond_all_bounds_is_not_a_number() {
        for ends in [Ends::Open, Ends::Closed { negated: true }] {
            let spline = Spline::through(&[DVec4::X, DVec4::Y, DVec4::Z], ends);
            for x in [f64::NAN, f64::INFINITY, -1e300, 1e16] {
                assert!(spline.at(x)[0].is_nan(), "{x}");
            }
            assert!(spline.at(-4e15)[0].is_finite() && spline.at(4e15)[0].is_finite());
        }
    }
}
