//! [`NurbsCurve`]: a rational B-spline curve.

use glam::{DVec3, DVec4};
use thiserror::Error;

/// A point of the control polygon and how strongly it attracts the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControlPoint {
    /// Where it is, in metres.
    pub point: DVec3,
    /// Its weight, positive. With equal weights the curve is an ordinary B-spline.
    pub weight: f64,
}

impl ControlPoint {
    /// Between two control points, linearly in place and weight.
    pub fn between(&self, other: &ControlPoint, share: f64) -> ControlPoint {
        ControlPoint {
            point: self.point + (other.point - self.point) * share,
            weight: self.weight + (other.weight - self.weight) * share,
        }
    }

    pub(super) fn homogeneous(&self) -> DVec4 {
        (self.point * self.weight).extend(self.weight)
    }
}

/// Why a spline was refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum NurbsError {
    /// Number of knots does not fit.
    #[error("a spline of degree {degree} with {points} control points has {expected} knots, not {found}")]
    KnotCount {
        /// The degree.
        degree: usize,
        /// Number of control points.
        points: usize,
        /// `points + degree + 1`.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// Too few control points, or degree 0.
    #[error(
        "a spline of degree {degree} needs a degree of at least 1 and more than {degree} control points, not {points}"
    )]
    TooFew {
        /// The degree.
        degree: usize,
        /// Number of control points.
        points: usize,
    },
    /// Knots that decrease, are not numbers, or leave no interval to be evaluated in.
    #[error("knot {0} is smaller than the one before it, not a number, or leaves no interval")]
    Knots(usize),
    /// A weight that is not positive, or a point that is not finite.
    #[error("control point {0} needs a finite place and a positive weight")]
    ControlPoint(usize),
    /// The curves of a loft differ.
    #[error(
        "section {0} of the loft has another degree, other knots or another number of control points than the first"
    )]
    Section(usize),
}

/// A rational B-spline curve of any degree.
#[derive(Clone, Debug, PartialEq)]
pub struct NurbsCurve {
    degree: usize,
    knots: Vec<f64>,
    points: Vec<ControlPoint>,
}

impl NurbsCurve {
    /// A curve from its degree, knots and control points.
    pub fn new(degree: usize, knots: Vec<f64>, points: Vec<ControlPoint>) -> Result<NurbsCurve, NurbsError> {
        if degree == 0 || points.len() <= degree {
            return Err(NurbsError::TooFew { degree, points: points.len() });
        }
        let expected = points.len() + degree + 1;
        if knots.len() != expected {
            return Err(NurbsError::KnotCount { degree, points: points.len(), expected, found: knots.len() });
        }
        if let Some(i) = (1..knots.len()).find(|&i| !(knots[i] >= knots[i - 1]) || !knots[i].is_finite()) {
            return Err(NurbsError::Knots(i));
        }
        if !(knots[degree].is_finite() && knots[points.len()] > knots[degree]) {
            return Err(NurbsError::Knots(degree));
        }
        let bad = |p: &ControlPoint| !(p.point.is_finite() && p.weight > 0.0 && p.weight.is_finite());
        if let Some(i) = points.iter().position(bad) {
            return Err(NurbsError::ControlPoint(i));
        }
        Ok(NurbsCurve { degree, knots, points })
    }

    /// Quadratic pieces one after another, each a parameter unit long: `2 n + 1` control points, of which every second one
    /// lies on the curve, and the knots `0 0 0 1 1 2 2 ... n n n`.
    pub fn quadratic_pieces(points: Vec<ControlPoint>) -> Result<NurbsCurve, NurbsError> {
        if points.len() < 3 || points.len().is_multiple_of(2) {
            return Err(NurbsError::TooFew { degree: 2, points: points.len() });
        }
        let pieces = points.len() / 2;
        let mut knots = vec![0.0];
        for piece in 0..=pieces {
            knots.extend([piece as f64; 2]);
        }
        knots.push(pieces as f64);
        NurbsCurve::new(2, knots, points)
    }

    /// The degree.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The knots.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// The control points.
    pub fn points(&self) -> &[ControlPoint] {
        &self.points
    }

    /// First and last parameter.
    pub fn domain(&self) -> (f64, f64) {
        (self.knots[self.degree], self.knots[self.points.len()])
    }

    /// The point at a parameter; parameters beyond the domain give its ends.
    pub fn point(&self, parameter: f64) -> DVec3 {
        let (value, _) = self.homogeneous(parameter);
        value.truncate() / value.w
    }

    /// Point and derivative with respect to the parameter; at a knot the derivative of the piece that begins there.
    pub fn point_and_tangent(&self, parameter: f64) -> (DVec3, DVec3) {
        let (value, slope) = self.homogeneous(parameter);
        let point = value.truncate() / value.w;
        (point, (slope.truncate() - point * slope.w) / value.w)
    }

    fn homogeneous(&self, parameter: f64) -> (DVec4, DVec4) {
        let span = Span::find(&self.knots, self.degree, self.points.len(), parameter);
        de_boor(&self.knots, self.degree, &span, |i| self.points[i].homogeneous())
    }
}

/// The interval of knots that a parameter lies in.
pub(super) struct Span {
    pub(super) index: usize,
    pub(super) parameter: f64,
}

impl Span {
    pub(super) fn find(knots: &[f64], degree: usize, points: usize, parameter: f64) -> Span {
        let parameter = parameter.clamp(knots[degree], knots[points]);
        let after = knots[..=points].partition_point(|&knot| knot <= parameter);
        let mut index = after.saturating_sub(1).clamp(degree, points - 1);
        // The end of the domain belongs to the last interval that has a length.
        while index > degree && knots[index] == knots[index + 1] {
            index -= 1;
        }
        Span { index, parameter }
    }
}

/// De Boor's algorithm: value and first derivative in homogeneous coordinates.
///
/// With `a = (t - u_j) / (u_(j+degree+1-r) - u_j)` the points of round r are `(1-a) d_(j-1) + a d_j`; the derivative is
/// `degree / (u_(k+1) - u_k)` times the difference of the last two.
pub(super) fn de_boor(
    knots: &[f64],
    degree: usize,
    span: &Span,
    control: impl Fn(usize) -> DVec4,
) -> (DVec4, DVec4) {
    let k = span.index;
    let mut d: Vec<DVec4> = (0..=degree).map(|j| control(j + k - degree)).collect();
    let mut slope = DVec4::ZERO;
    for round in 1..=degree {
        if round == degree {
            slope = (d[degree] - d[degree - 1]) * (degree as f64 / (knots[k + 1] - knots[k]));
        }
        for j in (round..=degree).rev() {
            let low = knots[j + k - degree];
            let high = knots[j + 1 + k - round];
            let share = (span.parameter - low) / (high - low);
            d[j] = d[j - 1] * (1.0 - share) + d[j] * share;
        }
    }
    (d[degree], slope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quarter_circle() -> NurbsCurve {
        let corner = ControlPoint { point: DVec3::new(1.0, 1.0, 0.0), weight: 0.5_f64.sqrt() };
        let on = |x, y| ControlPoint { point: DVec3::new(x, y, 0.0), weight: 1.0 };
        NurbsCurve::quadratic_pieces(vec![on(1.0, 0.0), corner, on(0.0, 1.0)]).unwrap()
    }

    #[test]
    fn a_quadratic_rational_arc_is_a_circle() {
        let arc = quarter_circle();
        for i in 0..=50 {
            let (point, tangent) = arc.point_and_tangent(f64::from(i) / 50.0);
            assert!((point.length() - 1.0).abs() < 4.0 * f64::EPSILON, "{point}");
            assert!(point.dot(tangent).abs() < 1e-14 && tangent.y - tangent.x > 0.0);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 64,
            failure_persistence: None,
            rng_seed: proptest::test_runner::RngSeed::Fixed(71),
            ..ProptestConfig::default()
        })]

        /// Oracle: the basis functions by their recursive definition, summed.
        #[test]
        fn de_boor_agrees_with_the_basis_functions(
            seeds in prop::collection::vec((-2.0..2.0_f64, -2.0..2.0_f64, 0.2..3.0_f64), 7),
            degree in 1_usize..4, t in 0.0..1.0_f64,
        ) {
            let points: Vec<ControlPoint> = seeds
                .iter()
                .map(|&(x, y, weight)| ControlPoint { point: DVec3::new(x, y, x * y), weight })
                .collect();
            let inner = 7 - degree;
            let mut knots = vec![0.0; degree];
            knots.extend((0..=inner).map(|i| (i * i) as f64));
            knots.extend(vec![(inner * inner) as f64; degree]);
            let curve = NurbsCurve::new(degree, knots.clone(), points.clone()).unwrap();
            let parameter = t * (inner * inner) as f64 * 0.999;
            let (mut sum, mut weights) = (DVec3::ZERO, 0.0);
            for (i, control) in points.iter().enumerate() {
                let share = basis(&knots, i, degree, parameter) * control.weight;
                sum += control.point * share;
                weights += share;
            }
            prop_assert!((curve.point(parameter) - sum / weights).length() < 1e-13);
            let step = 1e-6;
            if parameter > step {
                let (_, tangent) = curve.point_and_tangent(parameter);
                let (before, after) = (curve.point(parameter - step), curve.point(parameter + step));
                let near_knot = knots.iter().any(|knot| (knot - parameter).abs() < 2.0 * step);
                // Central difference: step^2 times a third derivative below 1e3, plus rounding / step.
                prop_assert!(near_knot || ((after - before) / (2.0 * step) - tangent).length() < 1e-6);
            }
        }
    }

    fn basis(knots: &[f64], i: usize, degree: usize, t: f64) -> f64 {
        if degree == 0 {
            return f64::from(u8::from(knots[i] <= t && t < knots[i + 1]));
        }
        let part = |from: f64, to: f64, value: f64| if to > from { value / (to - from) } else { 0.0 };
        part(knots[i], knots[i + degree], t - knots[i]) * basis(knots, i, degree - 1, t)
            + part(knots[i + 1], knots[i + degree + 1], knots[i + degree + 1] - t)
                * basis(knots, i + 1, degree - 1, t)
    }

    #[test]
    fn impossible_splines_are_refused() {
        let on = |x: f64| ControlPoint { point: DVec3::X * x, weight: 1.0 };
        let three = vec![on(0.0), on(1.0), on(2.0)];
        assert!(matches!(NurbsCurve::new(0, vec![], three.clone()), Err(NurbsError::TooFew { .. })));
        let short = NurbsCurve::new(2, vec![0.0; 5], three.clone());
        assert!(matches!(short, Err(NurbsError::KnotCount { expected: 6, .. })));
        let falling = NurbsCurve::new(2, vec![0.0, 0.0, 0.0, 1.0, 0.5, 1.0], three.clone());
        assert_eq!(falling, Err(NurbsError::Knots(4)));
        let flat = NurbsCurve::new(2, vec![0.0; 6], three.clone());
        assert_eq!(flat, Err(NurbsError::Knots(2)));
        let mut weightless = three;
        weightless[1].weight = 0.0;
        assert_eq!(NurbsCurve::quadratic_pieces(weightless), Err(NurbsError::ControlPoint(1)));
    }
}
