//! [`FrictionSet`]: which friction a contact may transmit, as a convex set with its projection.
//!
//! The set is told for a normal percussion of 1 N s and grows with it. `-P_f` lies in `P_n C`, and the slip is normal to
//! the set where `-P_f` is on its border (Coulomb, Moreau).

use std::fmt;
use std::sync::Arc;

use glam::DVec2;
use prall_math::Norm;
use thiserror::Error;

/// A convex set of friction, about 0, in the contact's tangential axes (t, b).
#[derive(Clone)]
pub enum FrictionSet {
    /// Coulomb's law: the same in all directions.
    Disc {
        /// Coefficient of friction.
        friction: f64,
    },
    /// An ellipse with its axes along t and b.
    Ellipse {
        /// Coefficients along t and b.
        friction: DVec2,
    },
    /// A sled's runner.
    Runner(Runner),
    /// Any other set.
    Convex(Arc<dyn ConvexSet>),
}

/// A convex set by its projection.
pub trait ConvexSet: Send + Sync {
    /// The point of the set, scaled for the normal percussion in N s of a step of `h` seconds, that is nearest to `y`.
    fn nearest(&self, y: DVec2, normal: f64, h: f64) -> DVec2;
}

impl fmt::Debug for FrictionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrictionSet::Disc { friction } => write!(f, "Disc({friction})"),
            FrictionSet::Ellipse { friction } => write!(f, "Ellipse({friction})"),
            FrictionSet::Runner(runner) => write!(f, "{runner:?}"),
            FrictionSet::Convex(_) => write!(f, "Convex"),
        }
    }
}

/// A rectangle `|t| <= rolling, |b| <= across`, closed by two half-ellipses that reach `along` on t (idea of M. Möller;
/// Rempfler 2015, 4.3). Across, the runner digs into the ice: `across` grows with the load between two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Runner {
    along: f64,
    side_slip: f64,
    across: [f64; 2],
    load: f64,
}

/// Why a friction set was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum FrictionSetError {
    /// Coefficients in the wrong order.
    #[error(
        "a runner needs 0 <= side_slip < along and 0 < least across <= most across, not {0}, {1}, {2}, {3}"
    )]
    Order(f64, f64, f64, f64),
    /// A load that is not above zero.
    #[error("the load where a runner digs in no deeper must be above 0 N, not {0}")]
    Load(f64),
}

impl Runner {
    /// `along`: drag coefficient without slip angle; `side_slip`: what is left of it in pure side slip; `across`: least and
    /// most coefficient across; `load`: normal force in N from which on it is the most.
    pub fn new(along: f64, side_slip: f64, across: [f64; 2], load: f64) -> Result<Runner, FrictionSetError> {
        let ordered = 0.0 <= side_slip && side_slip < along && 0.0 < across[0] && across[0] <= across[1];
        if !(ordered && along.is_finite() && across[1].is_finite()) {
            return Err(FrictionSetError::Order(side_slip, along, across[0], across[1]));
        }
        if !(load > 0.0 && load.is_finite()) {
            return Err(FrictionSetError::Load(load));
        }
        Ok(Runner { along, side_slip, across, load })
    }

    /// Coefficient across at a normal percussion of a step: a force limit becomes one on percussions by `h`.
    pub fn across(&self, normal: f64, h: f64) -> f64 {
        let share = (normal / (self.load * h)).min(1.0);
        self.across[0] + (self.across[1] - self.across[0]) * share
    }

    /// Euclidean projection. The source scales the lateral axis first, which has the same fixed points but sticks only
    /// after thousands of sweeps.
    fn nearest(&self, y: DVec2, normal: f64, h: f64) -> DVec2 {
        let straight = self.side_slip * normal;
        let axes = DVec2::new((self.along - self.side_slip) * normal, self.across(normal, h) * normal);
        if y.x.abs() <= straight {
            return DVec2::new(y.x, y.y.clamp(-axes.y, axes.y));
        }
        let beyond = DVec2::new(y.x.abs() - straight, y.y);
        let nearest = nearest_on_ellipse(beyond, axes);
        DVec2::new((straight + nearest.x).copysign(y.x), nearest.y)
    }
}

impl FrictionSet {
    /// The point of the set for this normal percussion (N s, in a step of `h` seconds) that is nearest to `y`.
    pub fn nearest(&self, y: DVec2, normal: f64, h: f64) -> DVec2 {
        if !(normal > 0.0) {
            return DVec2::ZERO;
        }
        match self {
            FrictionSet::Disc { friction } => {
                let (length, radius) = (y.norm(), friction * normal);
                if length <= radius { y } else { y * (radius / length) }
            }
            FrictionSet::Ellipse { friction } => nearest_on_ellipse(y, *friction * normal),
            FrictionSet::Runner(runner) => runner.nearest(y, normal, h),
            FrictionSet::Convex(set) => set.nearest(y, normal, h),
        }
    }
}

/// Newton's iterations for the foot point. 40 are enough for axes in any ratio up to 1e6; usually one is.
const MOST_ITERATIONS: usize = 40;
/// Newton's error is squared in a step: behind one that is this share of `t`, what is left is rounding.
const LAST_STEP: f64 = 1e-8;

/// Nearest point of the filled ellipse: `x_i = p_i^2 y_i/(t + p_i^2)` with `s(t) = |(p_i y_i/(t + p_i^2))_i| = 1`.
///
/// Far from the axes' squares `s` falls as `1/t`, so `1/s` is nearly a straight line: Newton for `1/s = 1` (Hebden 1973). As `1/s` is concave, no
/// step that begins left of the root passes it, and one that begins right of it ends left. The first `t` is that of the series
/// `|p y| = t + c - 3/2 V/|p y| ...` with `c` and `V` the mean of the `p_i^2`, weighed by the `(p_i y_i)^2`, and their variance.
fn nearest_on_ellipse(y: DVec2, axes: DVec2) -> DVec2 {
    if axes.min_element() <= 0.0 {
        return y.clamp(-axes.max(DVec2::ZERO), axes.max(DVec2::ZERO));
    }
    if (y / axes).length_squared() <= 1.0 {
        return y;
    }
    let (p2, py) = (axes * axes, axes * y);
    let square = py * py;
    let inverse = 1.0 / square.element_sum();
    let mean = square.dot(p2) * inverse;
    let variance = square.dot((p2 - mean) * (p2 - mean)) * inverse;
    let root = square.element_sum().sqrt();
    let mut t = (root - mean + 1.5 * variance * root * inverse).max(0.0);
    for _ in 0..MOST_ITERATIONS {
        let part = py / (p2 + t);
        let square = part.length_squared();
        let step = (square.sqrt() - 1.0) * square / (part * part / (p2 + t)).element_sum();
        let next = (t + step).max(0.0);
        let is_last = (next - t).abs() <= LAST_STEP * t;
        t = next;
        if is_last {
            break;
        }
    }
    p2 * y / (p2 + t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sets() -> [FrictionSet; 3] {
        [
            FrictionSet::Disc { friction: 0.3 },
            FrictionSet::Ellipse { friction: DVec2::new(0.05, 0.7) },
            FrictionSet::Runner(Runner::new(0.012, 0.004, [0.1, 0.3], 1000.0).unwrap()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 512,
            failure_persistence: None,
            rng_seed: proptest::test_runner::RngSeed::Fixed(5),
            ..ProptestConfig::default()
        })]

        /// A projection on a convex set: (y - P y).(P z - P y) <= 0 for every other point P z of it; and P P = P.
        #[test]
        fn projections_are_nearest_points(
            x in -3.0..3.0_f64, y in -3.0..3.0_f64, a in -3.0..3.0_f64, b in -3.0..3.0_f64, normal in 0.01..5.0_f64,
        ) {
            for set in sets() {
                let wish = DVec2::new(x, y);
                let found = set.nearest(wish, normal, 1e-3);
                let other = set.nearest(DVec2::new(a, b), normal, 1e-3);
                prop_assert!((wish - found).dot(other - found) <= 1e-12);
                prop_assert!((set.nearest(found, normal, 1e-3) - found).length() < 1e-9);
            }
        }

        /// Steady sliding of a runner: drag and side force in closed form are the fixed point of the projection.
        #[test]
        fn a_sliding_runner_has_the_friction_of_the_closed_form(angle in -1.5..1.5_f64, normal in 0.01..5.0_f64) {
            let runner = Runner::new(0.012, 0.004, [0.1, 0.3], 1000.0).unwrap();
            let slip = DVec2::new(libm::cos(angle), libm::sin(angle));
            let (p, q) = (0.008, runner.across(normal, 1e-3));
            let scale = (p * p * slip.x * slip.x + q * q * slip.y * slip.y).sqrt();
            let expected = DVec2::new(0.004 + p * p * slip.x / scale, q * q * slip.y / scale) * normal;
            let found = FrictionSet::Runner(runner).nearest(expected + slip, normal, 1e-3);
            prop_assert!((found - expected).length() < 1e-10);
        }
    }

    #[test]
    fn a_runner_digs_in_until_its_load_is_reached() {
        let runner = Runner::new(0.012, 0.004, [0.1, 0.3], 1000.0).unwrap();
        let across = |force: f64| runner.across(force * 2e-4, 2e-4);
        assert!((across(0.0) - 0.1).abs() < 1e-15 && (across(500.0) - 0.2).abs() < 1e-15);
        assert!((across(1000.0) - 0.3).abs() < 1e-15 && (across(5000.0) - 0.3).abs() < 1e-15);
        assert!(Runner::new(0.004, 0.012, [0.1, 0.3], 1.0).is_err());
        assert!(Runner::new(0.012, 0.004, [0.1, 0.3], 0.0).is_err());
    }
}
