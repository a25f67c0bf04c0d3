//! [`Guide`]: a joint of one's own, whose motion is any smooth function of up to six coordinates.
//!
//! The pose `X(q)` of the child's joint frame in the parent's is all that a guide must tell. What the equations of motion need besides, the
//! motion subspace `S(q)` and its change along the motion, is derived from it by differences if the guide does not give it:
//!
//! ```text
//! X(q) = (p, Q)     dp/dt = Sv r    dQ/dt Q^T = (Sw r)^     r = dq/dt      (axes of the parent's joint frame)
//! bias = dS/dt r    the acceleration of the child's frame against the parent's for dr/dt = 0
//! ```
//!
//! [`check_guide`] compares what a guide gives with what follows from its poses, so that a slip in a formula is an error with a place and not
//! a machine that gains energy.

use std::fmt::Debug;

use glam::{DQuat, DVec3};
use prall_math::{Norm, Pose, Twist};
use thiserror::Error;

/// The most coordinates that a joint can have.
pub const MOST_COORDINATES: usize = 6;

/// How a body moves against its parent: the law of a joint that is not built in.
///
/// The law must be smooth, twice differentiable at least, and its subspace of full rank wherever the joint goes.
///
/// ```
/// use glam::{DQuat, DVec3};
/// use prall_math::Pose;
/// use prall_mechanics::tree::{Guide, check_guide};
///
/// /// A lid that lifts as it opens.
/// #[derive(Debug)]
/// struct Lid;
///
/// impl Guide for Lid {
///     fn coordinates(&self) -> usize {
///         1
///     }
///     fn pose(&self, q: &[f64]) -> Pose {
///         Pose::new(DQuat::from_rotation_z(q[0]), DVec3::Y * (0.02 * q[0] * q[0]))
///     }
///     fn slides(&self, _: usize) -> bool {
///         false
///     }
/// }
/// assert_eq!(check_guide(&Lid), Ok(()));
/// ```
pub trait Guide: Debug + Send + Sync {
    /// How many coordinates it has, 1 to 6.
    fn coordinates(&self) -> usize;

    /// Pose of the child's joint frame in the parent's.
    fn pose(&self, q: &[f64]) -> Pose;

    /// The motion of the child's frame for a unit rate of each coordinate, at its own origin, in the axes of the parent's joint frame; entries
    /// beyond the coordinates are zero. By default derived from poses, to some 1e-12.
    fn subspace(&self, q: &[f64]) -> [Twist; MOST_COORDINATES] {
        derived_subspace(self, q)
    }

    /// The acceleration of the child's frame while its coordinates have these rates and do not accelerate. By default derived from
    /// subspaces, to some 1e-9.
    fn bias(&self, q: &[f64], rates: &[f64]) -> Twist {
        derived_bias(self, q, rates)
    }

    /// Whether a coordinate is a length in m; otherwise it is an angle in rad. By default it is a length.
    fn slides(&self, _coordinate: usize) -> bool {
        true
    }

    /// Change of the coordinates over which the law bends noticeably, in their units; differences are taken over thousandths of it. Default 1.
    fn scale(&self) -> f64 {
        1.0
    }

    /// Coordinates at which the law is checked against itself; by default zero and some within 0.4 of it.
    fn probes(&self) -> Vec<[f64; MOST_COORDINATES]> {
        let pattern =
            |scale: f64| std::array::from_fn(|axis| scale * [1.0, -0.7, 0.5, -0.9, 0.6, -0.8][axis]);
        [0.0, 0.1, -0.2, 0.4].map(pattern).to_vec()
    }
}

/// Why a guide was refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GuideError {
    /// None, or too many.
    #[error("a joint has 1 to {MOST_COORDINATES} coordinates, not {0}")]
    Coordinates(usize),
    /// Not a pose.
    #[error("at q = {at:?} its pose must have finite numbers and a unit quaternion")]
    Pose {
        /// Where.
        at: Vec<f64>,
    },
    /// Pose and subspace do not belong together.
    #[error("at q = {at:?} column {column} of its subspace is {given:?}, but its poses move by {derived:?}")]
    Subspace {
        /// Where.
        at: Vec<f64>,
        /// Which coordinate.
        column: usize,
        /// What the guide says.
        given: Box<Twist>,
        /// What follows from its poses.
        derived: Box<Twist>,
    },
    /// Subspace and bias do not belong together.
    #[error("at q = {at:?} with unit rates its bias is {given:?}, but its subspace changes by {derived:?}")]
    Bias {
        /// Where.
        at: Vec<f64>,
        /// What the guide says.
        given: Box<Twist>,
        /// What follows from its subspaces.
        derived: Box<Twist>,
    },
    /// Coordinates that do not move the body, or that move it in the same way.
    #[error(
        "at q = {at:?} its coordinates do not move the body independently; choose others, such as the length of the path"
    )]
    Singular {
        /// Where.
        at: Vec<f64>,
    },
}

/// Step of differences, as a share of the law's scale. Of sixth order: for laws that change over 0.1 the error is below 1e-11, and rounding
/// leaves 1e-13.
const DIFFERENCE: f64 = 2e-3;
/// How far a given subspace or bias may be from the derived one, as a share of 1 + its size: a hundred times the error of differences of a law
/// that changes within a few hundredths of a unit.
const AGREEMENT: f64 = 1e-5;
/// Least share of a column that the other columns must leave of it.
const LEAST_RANK: f64 = 1e-6;

/// Checks that pose, subspace and bias of a guide belong together and that its coordinates are independent, at its probes.
pub fn check_guide(guide: &dyn Guide) -> Result<(), GuideError> {
    let count = guide.coordinates();
    if !(1..=MOST_COORDINATES).contains(&count) {
        return Err(GuideError::Coordinates(count));
    }
    for probe in guide.probes() {
        check_at(guide, &probe[..count])?;
    }
    Ok(())
}

fn check_at(guide: &dyn Guide, q: &[f64]) -> Result<(), GuideError> {
    let at = || q.to_vec();
    if !guide.pose(q).is_valid() {
        return Err(GuideError::Pose { at: at() });
    }
    let (subspace, derived) = (guide.subspace(q), derived_subspace(guide, q));
    for column in 0..MOST_COORDINATES {
        let (given, derived) = (subspace[column], derived[column]);
        if !agree(given, derived) {
            return Err(GuideError::Subspace {
                at: at(),
                column,
                given: given.into(),
                derived: derived.into(),
            });
        }
    }
    let rates = [1.0; MOST_COORDINATES];
    let (given, derived) = (guide.bias(q, &rates[..q.len()]), derived_bias(guide, q, &rates[..q.len()]));
    if !agree(given, derived) {
        return Err(GuideError::Bias { at: at(), given: given.into(), derived: derived.into() });
    }
    if !independent(&subspace[..q.len()]) {
        return Err(GuideError::Singular { at: at() });
    }
    Ok(())
}

fn agree(given: Twist, derived: Twist) -> bool {
    let size = derived.linear.norm() + derived.angular.norm();
    let error = given - derived;
    // Written so that NaN does not agree.
    error.linear.norm() + error.angular.norm() <= AGREEMENT * (1.0 + size)
}

/// Whether every column has a part of its own, by orthogonalising one after the other.
fn independent(columns: &[Twist]) -> bool {
    let dot = |a: Twist, b: Twist| a.linear.dot(b.linear) + a.angular.dot(b.angular);
    let mut basis: Vec<Twist> = Vec::new();
    for &column in columns {
        let rest = basis.iter().fold(column, |rest, &unit| rest - unit * dot(unit, rest));
        let (before, after) = (dot(column, column).sqrt(), dot(rest, rest).sqrt());
        if !(after > LEAST_RANK * before) || after == 0.0 {
            return false;
        }
        basis.push(rest * (1.0 / after));
    }
    true
}

/// `f'(0)` by the central difference of sixth order.
fn difference(scale: f64, f: impl Fn(f64) -> Twist) -> Twist {
    let step = DIFFERENCE * scale;
    let pair = |steps: f64| f(steps * step) - f(-steps * step);
    (pair(1.0) * 45.0 - pair(2.0) * 9.0 + pair(3.0)) * (1.0 / (60.0 * step))
}

fn shifted(q: &[f64], by: impl Fn(usize) -> f64) -> [f64; MOST_COORDINATES] {
    std::array::from_fn(|axis| q.get(axis).map_or(0.0, |q| q + by(axis)))
}

/// The subspace of a guide from its poses.
fn derived_subspace<G: Guide + ?Sized>(guide: &G, q: &[f64]) -> [Twist; MOST_COORDINATES] {
    let here = guide.pose(q);
    std::array::from_fn(|axis| {
        if axis >= q.len() {
            return Twist::ZERO;
        }
        difference(guide.scale(), |step| {
            let there = guide.pose(&shifted(q, |other| if other == axis { step } else { 0.0 })[..q.len()]);
            let turn = half_turn(there.rotation * here.rotation.conjugate());
            Twist::new(there.translation - here.translation, turn * 2.0)
        })
    })
}

/// The bias of a guide from its subspaces: the change of `S r` along `r`.
fn derived_bias<G: Guide + ?Sized>(guide: &G, q: &[f64], rates: &[f64]) -> Twist {
    let speed = rates.iter().map(|rate| rate * rate).sum::<f64>().sqrt();
    if speed == 0.0 {
        return Twist::ZERO;
    }
    let along = |step: f64| {
        let columns = guide.subspace(&shifted(q, |axis| step * rates[axis] / speed)[..q.len()]);
        columns.iter().zip(rates).fold(Twist::ZERO, |sum, (&column, &rate)| sum + column * rate)
    };
    difference(guide.scale(), along) * speed
}

/// The tangent of half the angle along the axis of a turn: its Cayley vector.
pub(super) fn half_turn(turn: DQuat) -> DVec3 {
    DVec3::new(turn.x, turn.y, turn.z) / turn.w
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Wrong(u8);

    impl Guide for Wrong {
        fn coordinates(&self) -> usize {
            if self.0 == 0 { 7 } else { 1 }
        }

        fn pose(&self, q: &[f64]) -> Pose {
            let x = if self.0 == 1 { f64::NAN } else { q[0] * q[0] + q[0] };
            Pose::from_translation(DVec3::X * if self.0 == 4 { q[0] * q[0] } else { x })
        }

        fn subspace(&self, q: &[f64]) -> [Twist; MOST_COORDINATES] {
            let mut columns = derived_subspace(self, q);
            columns[0].linear.x += if self.0 == 2 { 0.01 } else { 0.0 };
            columns
        }

        fn bias(&self, q: &[f64], rates: &[f64]) -> Twist {
            derived_bias(self, q, rates) * if self.0 == 3 { 2.0 } else { 1.0 }
        }
    }

    #[test]
    fn laws_that_contradict_themselves_are_refused() {
        assert_eq!(check_guide(&Wrong(0)), Err(GuideError::Coordinates(7)));
        assert!(matches!(check_guide(&Wrong(1)), Err(GuideError::Pose { .. })));
        assert!(matches!(check_guide(&Wrong(2)), Err(GuideError::Subspace { column: 0, .. })));
        assert!(matches!(check_guide(&Wrong(3)), Err(GuideError::Bias { .. })));
        assert!(matches!(check_guide(&Wrong(4)), Err(GuideError::Singular { .. })));
        assert_eq!(check_guide(&Wrong(5)), Ok(()));
    }
}
