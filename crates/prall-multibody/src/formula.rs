//! [`Formula`]: a joint whose law is written down.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};
use prall_math::{Norm, Pose, Twist};
use prall_mechanics::tree::{Guide, MOST_COORDINATES};
use thiserror::Error;

use crate::expression::{Expression, Jet, is_function, parse};

/// A law by formulas of its coordinates `q0`, `q1`, ...: where the body is, and turns about axes one after the other.
///
/// Formulas know `+ - * / ^`, brackets, `pi`, constants by name, and `sin cos tan atan sqrt exp ln`. Subspace and bias come from the derivatives
/// of the formulas, exact to rounding.
///
/// ```
/// use glam::DVec3;
/// use prall_multibody::{Formula, FormulaText, check_guide};
///
/// // A slot in the shape of an ellipse; the body turns with the angle.
/// let law = Formula::new(&FormulaText {
///     slides: vec![false],
///     constants: [("a".to_owned(), 0.5), ("b".to_owned(), 0.2)].into(),
///     place: ["a*cos(q0)", "b*sin(q0)", "0"].map(str::to_owned),
///     turns: vec![(DVec3::Z, "q0".to_owned())],
///     start: vec![],
/// })?;
/// assert_eq!(check_guide(&law), Ok(()));
/// # Ok::<(), prall_multibody::FormulaError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Formula {
    slides: Vec<bool>,
    place: [Expression; 3],
    turns: Vec<(DVec3, Expression)>,
    start: [f64; MOST_COORDINATES],
}

/// The formulas of a [`Formula`] as they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormulaText {
    /// For every coordinate, 1 to 6 of them, whether it is a length in m; otherwise it is an angle in rad.
    pub slides: Vec<bool>,
    /// Numbers with names.
    pub constants: BTreeMap<String, f64>,
    /// Of the child's joint frame in the parent's, in m.
    pub place: [String; 3],
    /// Turns of the child's frame, each about an axis of the frame as the turns before left it, by an angle in rad.
    pub turns: Vec<(DVec3, String)>,
    /// Coordinates near which the law is checked; 0 where none is given.
    pub start: Vec<f64>,
}

/// Why formulas were refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FormulaError {
    /// None, or too many.
    #[error("a joint has 1 to {MOST_COORDINATES} coordinates, not {0}")]
    Coordinates(usize),
    /// A start that does not belong to the coordinates.
    #[error("there are {found} numbers to start from for {coordinates} coordinates, or one is not finite")]
    Start {
        /// How many there are.
        found: usize,
        /// How many coordinates.
        coordinates: usize,
    },
    /// A constant that is no number, or whose name is taken.
    #[error(
        "the constant '{0}' must be finite and have a name of letters that is not pi, a coordinate's or a function's"
    )]
    Constant(String),
    /// An axis of no direction.
    #[error("the axis of turn {0} must be finite and have a direction")]
    Axis(usize),
    /// A formula that cannot be read.
    #[error("{message}, in '{text}' at character {}", text[..*at].chars().count() + 1)]
    Text {
        /// Which one: 0 to 2 are the place, from 3 on the turns.
        formula: usize,
        /// The formula.
        text: String,
        /// The byte from 0 on.
        at: usize,
        /// What is wrong.
        message: String,
    },
}

impl Formula {
    /// Reads formulas.
    pub fn new(text: &FormulaText) -> Result<Formula, FormulaError> {
        let count = text.slides.len();
        if !(1..=MOST_COORDINATES).contains(&count) {
            return Err(FormulaError::Coordinates(count));
        }
        if text.start.len() > count || text.start.iter().any(|start| !start.is_finite()) {
            return Err(FormulaError::Start { found: text.start.len(), coordinates: count });
        }
        for (name, value) in &text.constants {
            let coordinate = name.strip_prefix('q').is_some_and(|rest| rest.parse::<usize>().is_ok());
            let word = name.starts_with(char::is_alphabetic)
                && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
            if !value.is_finite() || !word || coordinate || name == "pi" || is_function(name) {
                return Err(FormulaError::Constant(name.clone()));
            }
        }
        let read = |formula: usize, written: &str| {
            parse(written, count, &text.constants).map_err(|error| FormulaError::Text {
                formula,
                text: written.to_owned(),
                at: error.at,
                message: error.message,
            })
        };
        let [x, y, z] = &text.place;
        let place = [read(0, x)?, read(1, y)?, read(2, z)?];
        let mut turns = Vec::new();
        for (number, (axis, angle)) in text.turns.iter().enumerate() {
            if !(axis.is_finite() && axis.norm() > 0.0) {
                return Err(FormulaError::Axis(number));
            }
            turns.push((axis.unit(), read(3 + number, angle)?));
        }
        let start = std::array::from_fn(|axis| text.start.get(axis).copied().unwrap_or(0.0));
        Ok(Formula { slides: text.slides.clone(), place, turns, start })
    }

    /// Motion and acceleration where the coordinates go along `q + r t`.
    ///
    /// With the axes `A_k`, as the turns before left them, `w = sum A_k a_k'` and `w' = sum (w_k x A_k a_k' + A_k a_k'')`, where `w_k` is the
    /// sum over the turns before.
    fn along(&self, q: &[f64], r: &[f64]) -> [Twist; 2] {
        let place = self.place.each_ref().map(|formula| formula.along(q, r).0);
        let vector = |order: usize| DVec3::new(place[0][order], place[1][order], place[2][order]);
        let (mut turned, mut angular, mut change) = (DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO);
        for (axis, formula) in &self.turns {
            let Jet([angle, rate, acceleration]) = formula.along(q, r);
            let along = turned * *axis;
            change += angular.cross(along * rate) + along * acceleration;
            angular += along * rate;
            turned *= about(*axis, angle);
        }
        [Twist::new(vector(1), angular), Twist::new(vector(2), change)]
    }
}

fn about(axis: DVec3, angle: f64) -> DQuat {
    let (sine, cosine) = libm::sincos(0.5 * angle);
    DQuat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine)
}

impl Guide for Formula {
    fn coordinates(&self) -> usize {
        self.slides.len()
    }

    fn pose(&self, q: &[f64]) -> Pose {
        let [x, y, z] = self.place.each_ref().map(|formula| formula.along(q, &[]).0[0]);
        let turn = |turned: DQuat, (axis, formula): &(DVec3, Expression)| {
            turned * about(*axis, formula.along(q, &[]).0[0])
        };
        Pose::new(self.turns.iter().fold(DQuat::IDENTITY, turn).unit(), DVec3::new(x, y, z))
    }

    fn subspace(&self, q: &[f64]) -> [Twist; MOST_COORDINATES] {
        std::array::from_fn(|axis| {
            let unit: [f64; MOST_COORDINATES] = std::array::from_fn(|other| f64::from(other == axis));
            self.along(q, &unit[..q.len()])[0]
        })
    }

    fn bias(&self, q: &[f64], rates: &[f64]) -> Twist {
        self.along(q, rates)[1]
    }

    fn slides(&self, coordinate: usize) -> bool {
        self.slides.get(coordinate).copied().unwrap_or(true)
    }

    fn probes(&self) -> Vec<[f64; MOST_COORDINATES]> {
        let near = |scale: f64| {
            std::array::from_fn(|axis| self.start[axis] + scale * [1.0, -0.7, 0.5, -0.9, 0.6, -0.8][axis])
        };
        [0.0, 0.05, -0.1, 0.2].map(near).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prall_mechanics::tree::{GuideError, check_guide};

    fn text(place: [&str; 3], turns: &[(DVec3, &str)]) -> FormulaText {
        FormulaText {
            slides: vec![false, true],
            constants: [("a".to_owned(), 0.7)].into(),
            place: place.map(str::to_owned),
            turns: turns.iter().map(|(axis, angle)| (*axis, (*angle).to_owned())).collect(),
            start: vec![0.3],
        }
    }

    /// `check_guide` takes differences of the poses, which know nothing of the derivatives.
    #[test]
    fn subspace_and_bias_are_those_of_the_poses() {
        let turns = [(DVec3::Z, "q0"), (DVec3::new(1.0, 2.0, 0.0), "a*sin(q1)"), (DVec3::X, "q0*q1")];
        let law =
            Formula::new(&text(["a*cos(q0) + q1", "sqrt(1 + q1^2)*q0", "exp(-q0)*q1"], &turns)).unwrap();
        assert_eq!(check_guide(&law), Ok(()));
        assert!(!law.slides(0) && law.slides(1));
    }

    #[test]
    fn wrong_formulas_are_refused_with_their_place() {
        let error = Formula::new(&text(["q0", "2 + b", "q1"], &[])).unwrap_err();
        assert!(matches!(error, FormulaError::Text { formula: 1, at: 4, .. }), "{error}");
        assert!(error.to_string().contains("'b' is not known; known are q0, q1, a, pi"), "{error}");
        let error = Formula::new(&text(["q0", "q1", "0"], &[(DVec3::ZERO, "q0")])).unwrap_err();
        assert_eq!(error, FormulaError::Axis(0));
        let none = FormulaText { slides: vec![], ..text(["0", "0", "0"], &[]) };
        assert_eq!(Formula::new(&none).unwrap_err(), FormulaError::Coordinates(0));
        for name in ["pi", "q1", "sin", "1a", "", "a b"] {
            let taken =
                FormulaText { constants: [(name.to_owned(), 1.0)].into(), ..text(["q0", "q1", "0"], &[]) };
            assert_eq!(Formula::new(&taken).unwrap_err(), FormulaError::Constant(name.to_owned()));
        }
        let far = FormulaText { start: vec![0.0; 3], ..text(["q0", "q1", "0"], &[]) };
        assert!(matches!(Formula::new(&far).unwrap_err(), FormulaError::Start { found: 3, coordinates: 2 }));
        // Read well, but of no use: q1 moves nothing, and ln(0) is no place.
        let idle = Formula::new(&text(["q0", "0", "0"], &[])).unwrap();
        assert!(matches!(check_guide(&idle), Err(GuideError::Singular { .. })));
        let nowhere = Formula::new(&text(["ln(q0 - q0)", "q1", "0"], &[])).unwrap();
        assert!(matches!(check_guide(&nowhere), Err(GuideError::Pose { .. })));
    }
}
