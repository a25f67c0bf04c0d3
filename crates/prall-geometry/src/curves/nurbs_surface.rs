//! [`NurbsSurface`]: a surface lofted through rational curves.

use glam::DVec3;

use super::nurbs::{NurbsCurve, NurbsError, Span, de_boor};

/// Sections of one kind joined by straight lines: a surface of the sections' degree across and of degree 1 along.
///
/// Along, section `i` has the parameter `i`; between two sections control points and weights are interpolated linearly in
/// homogeneous coordinates, which is what a tensor-product spline of degree 1 does.
#[derive(Clone, Debug, PartialEq)]
pub struct NurbsSurface {
    sections: Vec<NurbsCurve>,
}

impl NurbsSurface {
    /// Lofts through at least two sections that share degree, knots and number of control points.
    pub fn loft(sections: Vec<NurbsCurve>) -> Result<NurbsSurface, NurbsError> {
        let Some(first) = sections.first() else {
            return Err(NurbsError::TooFew { degree: 1, points: 0 });
        };
        if sections.len() < 2 {
            return Err(NurbsError::TooFew { degree: 1, points: 1 });
        }
        let differs = |curve: &NurbsCurve| {
            curve.degree() != first.degree()
                || curve.knots() != first.knots()
                || curve.points().len() != first.points().len()
        };
        match sections.iter().position(differs) {
            Some(i) => Err(NurbsError::Section(i)),
            None => Ok(NurbsSurface { sections }),
        }
    }

    /// The sections.
    pub fn sections(&self) -> &[NurbsCurve] {
        &self.sections
    }

    /// The point at the parameters `along` (0 to the number of sections - 1) and `across`.
    pub fn point(&self, along: f64, across: f64) -> DVec3 {
        self.frame(along, across).0
    }

    /// Point, derivative along and derivative across.
    pub fn frame(&self, along: f64, across: f64) -> (DVec3, DVec3, DVec3) {
        let last = self.sections.len() - 1;
        let along = along.clamp(0.0, last as f64);
        let first = (along.floor() as usize).min(last - 1);
        let share = along - first as f64;
        let (before, after) = (&self.sections[first], &self.sections[first + 1]);
        let span = Span::find(before.knots(), before.degree(), before.points().len(), across);
        let blend = |share: f64| {
            de_boor(before.knots(), before.degree(), &span, |i| {
                let (p, q) = (before.points()[i].homogeneous(), after.points()[i].homogeneous());
                p + (q - p) * share
            })
        };
        let (value, slope) = blend(share);
        let along_slope = blend(1.0).0 - blend(0.0).0;
        let point = value.truncate() / value.w;
        let derivative = |d: glam::DVec4| (d.truncate() - point * d.w) / value.w;
        (point, derivative(along_slope), derivative(slope))
    }
}

#[cfg(test)]
mod tests {
    use super::super::ControlPoint;
    use super::*;

    fn arch(z: f64, radius: f64) -> NurbsCurve {
        let point = |x: f64, y: f64, weight: f64| ControlPoint {
            point: DVec3::new(x * radius, y * radius, z),
            weight,
        };
        let corner = 0.5_f64.sqrt();
        NurbsCurve::quadratic_pieces(vec![
            point(1.0, 0.0, 1.0),
            point(1.0, 1.0, corner),
            point(0.0, 1.0, 1.0),
            point(-1.0, 1.0, corner),
            point(-1.0, 0.0, 1.0),
        ])
        .unwrap()
    }

    /// Two half circles of different radius span a cone; every point of the loft lies on it.
    #[test]
    fn a_loft_of_two_half_circles_is_a_cone() {
        let surface = NurbsSurface::loft(vec![arch(0.0, 1.0), arch(2.0, 3.0)]).unwrap();
        for i in 0..=10 {
            for j in 0..=20 {
                let (along, across) = (f64::from(i) / 10.0, f64::from(j) / 10.0);
                let (point, d_along, d_across) = surface.frame(along, across);
                let radius = 1.0 + point.z;
                assert!((point.truncate().length() - radius).abs() < 1e-14 * 3.0);
                let normal = DVec3::new(point.x, point.y, -radius);
                assert!(normal.dot(d_along).abs() < 1e-13 * 9.0 && normal.dot(d_across).abs() < 1e-13 * 9.0);
            }
        }
    }

    #[test]
    fn sections_that_differ_are_named() {
        let line = |z: f64| {
            let on = |x: f64| ControlPoint { point: DVec3::new(x, 0.0, z), weight: 1.0 };
            NurbsCurve::quadratic_pieces(vec![on(0.0), on(1.0), on(2.0)]).unwrap()
        };
        let mixed = NurbsSurface::loft(vec![arch(0.0, 1.0), arch(1.0, 1.0), line(2.0)]);
        assert_eq!(mixed, Err(NurbsError::Section(2)));
        assert!(NurbsSurface::loft(vec![line(0.0)]).is_err());
    }
}
