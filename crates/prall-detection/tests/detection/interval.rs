//! Numbers that are known to lie between two others: every operation rounds outward, so what an interval says is true.

use std::ops::{Add, Mul, Neg, Sub};

use glam::DVec3;

/// Sines and cosines of the libm crate are off by less than one unit in the last place (as its sources, the msun library,
/// state), at most 1.2e-16; this is more than three times that.
const SINE_ERROR: f64 = 2.0 * f64::EPSILON;

/// All numbers from `low` to `high`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Interval {
    pub(crate) const ZERO: Interval = Interval { low: 0.0, high: 0.0 };

    /// Exactly this number.
    pub(crate) fn exact(x: f64) -> Interval {
        Interval { low: x, high: x }
    }

    /// The ends were rounded to nearest, so the true ends are less than a unit away.
    fn outward(low: f64, high: f64) -> Interval {
        Interval { low: low.next_down(), high: high.next_up() }
    }

    /// Largest absolute value.
    pub(crate) fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    pub(crate) fn square(self) -> Interval {
        let least =
            if self.low <= 0.0 && self.high >= 0.0 { 0.0 } else { self.low.abs().min(self.high.abs()) };
        let square = Interval::outward(least * least, self.magnitude() * self.magnitude());
        Interval { low: square.low.max(0.0), ..square }
    }

    /// Of numbers that are not negative; the standard square root is rounded correctly.
    pub(crate) fn sqrt(self) -> Interval {
        Interval { low: self.low.max(0.0).sqrt().next_down().max(0.0), high: self.high.sqrt().next_up() }
    }

    /// 1 / x for x above 0.
    pub(crate) fn reciprocal(self) -> Interval {
        assert!(self.low > 0.0, "{self:?}");
        Interval::outward(1.0 / self.high, 1.0 / self.low)
    }

    /// Sine and cosine: neither changes faster than its argument.
    pub(crate) fn sin_cos(self) -> (Interval, Interval) {
        let middle = 0.5 * (self.low + self.high);
        let reach = (self.high - middle).max(middle - self.low).next_up() + SINE_ERROR;
        let (sine, cosine) = libm::sincos(middle);
        let around = |x: f64| Interval::outward(x - reach, x + reach);
        (around(sine), around(cosine))
    }
}

impl Add for Interval {
    type Output = Interval;
    fn add(self, other: Interval) -> Interval {
        Interval::outward(self.low + other.low, self.high + other.high)
    }
}

impl Sub for Interval {
    type Output = Interval;
    fn sub(self, other: Interval) -> Interval {
        Interval::outward(self.low - other.high, self.high - other.low)
    }
}

impl Neg for Interval {
    type Output = Interval;
    fn neg(self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }
}

impl Mul for Interval {
    type Output = Interval;
    fn mul(self, other: Interval) -> Interval {
        let products =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        let low = products.into_iter().fold(f64::INFINITY, f64::min);
        let high = products.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Interval::outward(low, high)
    }
}

/// A vector of intervals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector(pub(crate) [Interval; 3]);

impl Vector {
    pub(crate) fn exact(v: DVec3) -> Vector {
        Vector(v.to_array().map(Interval::exact))
    }

    pub(crate) fn dot(self, other: Vector) -> Interval {
        self.0[0] * other.0[0] + self.0[1] * other.0[1] + self.0[2] * other.0[2]
    }

    pub(crate) fn cross(self, other: Vector) -> Vector {
        let (a, b) = (self.0, other.0);
        Vector([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
    }

    pub(crate) fn times(self, factor: Interval) -> Vector {
        Vector(self.0.map(|x| x * factor))
    }

    pub(crate) fn length(self) -> Interval {
        (self.0[0].square() + self.0[1].square() + self.0[2].square()).sqrt()
    }
}

impl Add for Vector {
    type Output = Vector;
    fn add(self, other: Vector) -> Vector {
        Vector([0, 1, 2].map(|k| self.0[k] + other.0[k]))
    }
}

impl Sub for Vector {
    type Output = Vector;
    fn sub(self, other: Vector) -> Vector {
        Vector([0, 1, 2].map(|k| self.0[k] - other.0[k]))
    }
}
