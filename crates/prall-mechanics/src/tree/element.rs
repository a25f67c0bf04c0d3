//! [`ForceElement`]: springs, dampers and end stops of a joint's axis.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A spring and a damper side by side on one axis of a joint. The default is neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForceElement {
    /// The spring.
    pub spring: Spring,
    /// Force over speed in N s/m, or N m s/rad; 0 or more.
    pub damping: f64,
    /// A constant force in N, or torque in N m, that a motor adds.
    pub motor: f64,
}

/// A restoring force as a function of the axis' coordinate (m or rad), always with a potential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Spring {
    /// No force.
    #[default]
    None,
    /// `-stiffness (x - rest)`.
    Linear {
        /// In N/m or N m/rad.
        stiffness: f64,
        /// Coordinate without force.
        rest: f64,
    },
    /// Odd about `rest`: slope `inner` as far as `knee`, slope `outer` beyond (Rempfler 2015, 4.2 to 4.4).
    PiecewiseLinear {
        /// Stiffness near the rest.
        inner: f64,
        /// Stiffness beyond the knee.
        outer: f64,
        /// Distance from the rest where the slope changes; 0 or more.
        knee: f64,
        /// Coordinate without force.
        rest: f64,
    },
    /// No force between `low` and `high`; beyond, a stiffness pushes back.
    EndStops {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
        /// In N/m or N m/rad.
        stiffness: f64,
    },
}

/// Why a force element was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ElementError {
    /// A number that is not finite.
    #[error("springs, dampers and motors need finite numbers")]
    NotFinite,
    /// A damper that would drive.
    #[error("damping must be 0 or more, not {0}")]
    Damping(f64),
    /// A spring that would push away from its rest.
    #[error("stiffness must be 0 or more, not {0}")]
    Stiffness(f64),
    /// Knee below zero, or stops in the wrong order.
    #[error("a knee must be 0 or more and a lower stop below the upper one")]
    Range,
}

impl ForceElement {
    /// True if it never does anything.
    pub fn is_idle(&self) -> bool {
        self.spring == Spring::None && self.damping == 0.0 && self.motor == 0.0
    }

    pub(super) fn check(&self) -> Result<(), ElementError> {
        if !(self.damping.is_finite() && self.motor.is_finite()) {
            return Err(ElementError::NotFinite);
        }
        if self.damping < 0.0 {
            return Err(ElementError::Damping(self.damping));
        }
        let (numbers, stiffnesses, ordered) = match self.spring {
            Spring::None => ([0.0; 4], [0.0; 2], true),
            Spring::Linear { stiffness, rest } => ([stiffness, rest, 0.0, 0.0], [stiffness, 0.0], true),
            Spring::PiecewiseLinear { inner, outer, knee, rest } => {
                ([inner, outer, knee, rest], [inner, outer], knee >= 0.0)
            }
            Spring::EndStops { low, high, stiffness } => {
                ([low, high, stiffness, 0.0], [stiffness, 0.0], low <= high)
            }
        };
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err(ElementError::NotFinite);
        }
        if let Some(&negative) = stiffnesses.iter().find(|&&stiffness| stiffness < 0.0) {
            return Err(ElementError::Stiffness(negative));
        }
        if ordered { Ok(()) } else { Err(ElementError::Range) }
    }
}

impl Spring {
    /// Force in N, or torque in N m, at a coordinate.
    pub fn force(&self, x: f64) -> f64 {
        match *self {
            Spring::None => 0.0,
            Spring::Linear { stiffness, rest } => -stiffness * (x - rest),
            Spring::PiecewiseLinear { inner, outer, knee, rest } => {
                let y = x - rest;
                let beyond = (y.abs() - knee).max(0.0);
                -(inner * y.clamp(-knee, knee) + outer * beyond.copysign(y))
            }
            Spring::EndStops { low, high, stiffness } => {
                -stiffness * ((x - high).max(0.0) + (x - low).min(0.0))
            }
        }
    }

    /// Energy in J stored at a coordinate.
    pub fn energy(&self, x: f64) -> f64 {
        match *self {
            Spring::None => 0.0,
            Spring::Linear { stiffness, rest } => 0.5 * stiffness * (x - rest) * (x - rest),
            Spring::PiecewiseLinear { inner, outer, knee, rest } => {
                let y = (x - rest).abs();
                let (near, beyond) = (y.min(knee), (y - knee).max(0.0));
                0.5 * inner * near * near + beyond * (inner * knee + 0.5 * outer * beyond)
            }
            Spring::EndStops { low, high, stiffness } => {
                let over = (x - high).max(0.0) + (x - low).min(0.0);
                0.5 * stiffness * over * over
            }
        }
    }

    /// Slope of the force against the coordinate, with its sign turned: 0 or more.
    pub fn stiffness(&self, x: f64) -> f64 {
        match *self {
            Spring::None => 0.0,
            Spring::Linear { stiffness, .. } => stiffness,
            Spring::PiecewiseLinear { inner, outer, knee, rest } => {
                if (x - rest).abs() <= knee {
                    inner
                } else {
                    outer
                }
            }
            Spring::EndStops { low, high, stiffness } => {
                if x < low || x > high {
                    stiffness
                } else {
                    0.0
                }
            }
        }
    }

    /// Mean force on the way from `x0` to `x1`: times the way it is exactly the energy given out (discrete gradient).
    ///
    /// All forces here are linear between their knees, so the trapezoids between the knees are exact, and unlike
    /// the quotient of energies they do not cancel on a short way.
    pub fn mean_force(&self, x0: f64, x1: f64) -> f64 {
        let Some(knees) = self.knees() else { return 0.5 * (self.force(x0) + self.force(x1)) };
        let way = x1 - x0;
        if way == 0.0 {
            return self.force(x0);
        }
        let (low, high) = (x0.min(x1), x0.max(x1));
        let stops = [low, knees[0].clamp(low, high), knees[1].clamp(low, high), high];
        let trapezoid = |a: f64, b: f64| 0.5 * (self.force(a) + self.force(b)) * (b - a);
        let work: f64 = stops.windows(2).map(|pair| trapezoid(pair[0], pair[1])).sum();
        work / way.abs()
    }

    /// Slope of [`Spring::mean_force`] against the end of the way, with its sign turned: 0 or more.
    ///
    /// A way that just reaches a stop has hardly any; half the stop's stiffness would let Newton's method creep there, and a
    /// stop of 1e5 N m/rad for a finger of 20 g halve every step eight times.
    pub fn mean_stiffness(&self, x0: f64, x1: f64) -> f64 {
        let (low, high) = (x0.min(x1), x0.max(x1));
        let bends = self.knees().is_some_and(|knees| knees.iter().any(|knee| low < *knee && *knee < high));
        if !bends {
            return 0.5 * self.stiffness(0.5 * (x0 + x1));
        }
        ((self.mean_force(x0, x1) - self.force(x1)) / (x1 - x0)).max(0.0)
    }

    /// Coordinates at which the slope changes.
    fn knees(&self) -> Option<[f64; 2]> {
        match *self {
            Spring::None | Spring::Linear { .. } => None,
            Spring::PiecewiseLinear { knee, rest, .. } => Some([rest - knee, rest + knee]),
            Spring::EndStops { low, high, .. } => Some([low, high]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn springs() -> [Spring; 3] {
        [
            Spring::Linear { stiffness: 200.0, rest: 0.1 },
            Spring::PiecewiseLinear { inner: 100.0, outer: 700.0, knee: 0.2, rest: -0.1 },
            Spring::EndStops { low: -0.3, high: 0.4, stiffness: 1e4 },
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 512,
            failure_persistence: None,
            rng_seed: proptest::test_runner::RngSeed::Fixed(9),
            ..ProptestConfig::default()
        })]

        /// The definition of a discrete gradient; energies of some 1e4 J leave 1e-11 for rounding.
        #[test]
        fn the_mean_force_times_the_way_is_the_energy_given_out(x0 in -1.0..1.0_f64, x1 in -1.0..1.0_f64) {
            for spring in springs() {
                let work = spring.mean_force(x0, x1) * (x1 - x0);
                prop_assert!((work - (spring.energy(x0) - spring.energy(x1))).abs() < 1e-11);
            }
        }

        /// By differences; the mean force has no kinks in its end, so that theirs are of the size of the bend times 1e-6.
        #[test]
        fn the_mean_stiffness_is_the_slope_of_the_mean_force(x0 in -1.0..1.0_f64, way in 0.01..1.0_f64, back: bool) {
            let x1 = if back { x0 - way } else { x0 + way };
            for spring in springs() {
                let slope = (spring.mean_force(x0, x1 + 1e-6) - spring.mean_force(x0, x1 - 1e-6)) / 2e-6;
                prop_assert!((spring.mean_stiffness(x0, x1) + slope).abs() < 1.0 + 1e4 * 1e-6 / way);
            }
        }

        #[test]
        fn the_force_is_the_slope_of_the_energy(x in -1.0..1.0_f64) {
            for spring in springs() {
                let slope = (spring.energy(x + 1e-6) - spring.energy(x - 1e-6)) / 2e-6;
                // Within 1e-6 of a knee the slope is a mixture: 1e4 N/m times 1e-6 m.
                prop_assert!((spring.force(x) + slope).abs() < 2e-2);
            }
        }
    }

    #[test]
    fn elements_that_would_drive_are_refused() {
        let with = |spring, damping| ForceElement { spring, damping, motor: 0.0 }.check();
        assert_eq!(with(Spring::None, -1.0), Err(ElementError::Damping(-1.0)));
        assert_eq!(
            with(Spring::Linear { stiffness: -2.0, rest: 0.0 }, 0.0),
            Err(ElementError::Stiffness(-2.0))
        );
        assert_eq!(
            with(Spring::EndStops { low: 1.0, high: 0.0, stiffness: 1.0 }, 0.0),
            Err(ElementError::Range)
        );
        assert_eq!(with(Spring::None, f64::NAN), Err(ElementError::NotFinite));
    }
}
