//! Orthonormal frames for boxes, and the box of a set of points along a frame.

use glam::{DMat3, DVec3};

use crate::norm::unit;

/// How far the columns of a frame may be from orthonormal: dot products in f64, a few units in the last place.
pub(super) const ORTHONORMAL: f64 = 1e-14;

/// An orthonormal frame whose first axis has the direction of `first` and whose second lies in the plane of
/// `first` and `second`; none if those are parallel, zero or not finite.
///
/// Gram-Schmidt done twice: once is not enough for vectors that are nearly parallel, and a frame that is not
/// orthonormal makes a box that misses its contents.
pub(super) fn frame_of(first: DVec3, second: DVec3) -> Option<DMat3> {
    let x = unit(first)?;
    let mut y = unit(second - x * x.dot(second))?;
    y = unit(y - x * x.dot(y))?;
    let frame = DMat3::from_cols(x, y, x.cross(y));
    is_orthonormal(&frame, ORTHONORMAL).then_some(frame)
}

/// True if the columns have unit length and are perpendicular to within `tolerance`; false for NaN.
pub(super) fn is_orthonormal(frame: &DMat3, tolerance: f64) -> bool {
    let product = frame.transpose() * *frame;
    let error = product - DMat3::IDENTITY;
    error.to_cols_array().iter().all(|e| e.abs() <= tolerance)
}

/// The interval that points cover along each axis of a frame.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    pub(super) low: DVec3,
    pub(super) high: DVec3,
}

impl Extent {
    pub(super) const EMPTY: Extent =
        Extent { low: DVec3::splat(f64::INFINITY), high: DVec3::splat(f64::NEG_INFINITY) };

    /// Of points given in frame coordinates.
    pub(super) fn include(&mut self, point: DVec3) {
        self.low = lesser(point, self.low);
        self.high = greater(point, self.high);
    }

    pub(super) fn union(&self, other: &Extent) -> Extent {
        Extent { low: lesser(other.low, self.low), high: greater(other.high, self.high) }
    }

    /// Half the surface of the box; 0 if it is empty.
    pub(super) fn half_area(&self) -> f64 {
        let e = (self.high - self.low).max(DVec3::ZERO);
        e.x * e.y + e.y * e.z + e.z * e.x
    }
}

/// The smaller coordinates of points without NaN, as one instruction each: the minimum of the standard library asks for NaN too.
fn lesser(p: DVec3, q: DVec3) -> DVec3 {
    let less = |a: f64, b: f64| if a < b { a } else { b };
    DVec3::new(less(p.x, q.x), less(p.y, q.y), less(p.z, q.z))
}

fn greater(p: DVec3, q: DVec3) -> DVec3 {
    let more = |a: f64, b: f64| if a > b { a } else { b };
    DVec3::new(more(p.x, q.x), more(p.y, q.y), more(p.z, q.z))
}

/// Principal axes of a symmetric matrix by Jacobi's rotations, as an orthonormal frame.
///
/// Each rotation makes one entry off the diagonal zero: with theta = (a_qq - a_pp) / (2 a_pq) the tangent of
/// its angle is t = sign(theta) / (|theta| + sqrt(theta^2 + 1)). Five sweeps leave nothing above rounding.
pub(super) fn principal_axes(symmetric: DMat3) -> DMat3 {
    let mut m = symmetric.to_cols_array_2d();
    let mut axes = DMat3::IDENTITY.to_cols_array_2d();
    for (p, q) in [(0, 1), (0, 2), (1, 2)].into_iter().cycle().take(15) {
        if m[p][q] == 0.0 {
            continue;
        }
        let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
        let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
        let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
        let sine = tangent * cosine;
        let rotate = |a: f64, b: f64| (cosine * a - sine * b, sine * a + cosine * b);
        for row in &mut m {
            (row[p], row[q]) = rotate(row[p], row[q]);
        }
        for k in 0..3 {
            (m[p][k], m[q][k]) = rotate(m[p][k], m[q][k]);
            (axes[p][k], axes[q][k]) = rotate(axes[p][k], axes[q][k]);
        }
    }
    let columns = DMat3::from_cols_array_2d(&axes);
    frame_of(columns.x_axis, columns.y_axis).unwrap_or(DMat3::IDENTITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_axes_diagonalise() {
        let frame = DMat3::from_quat(glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.1, 2.0));
        let matrix = frame * DMat3::from_diagonal(DVec3::new(3.0, 1e-3, 0.5)) * frame.transpose();
        let axes = principal_axes(matrix);
        let diagonal = axes.transpose() * matrix * axes;
        for (i, column) in diagonal.to_cols_array_2d().iter().enumerate() {
            for (j, entry) in column.iter().enumerate() {
                // Rounding of entries of size 3.
                assert!(i == j || entry.abs() < 1e-14, "{diagonal:?}");
            }
        }
    }

    /// The normal of a collinear triangle is noise and not perpendicular to its edge; frames made from such
    /// vectors once produced boxes that missed their contents.
    #[test]
    fn frames_of_nearly_parallel_vectors_are_orthonormal_or_refused() {
        for tilt in std::iter::successors(Some(1.0_f64), |tilt| Some(0.5 * tilt)).take(60) {
            let second = DVec3::new(1.0, 2.0, 3.0) + DVec3::new(1.0, -1.0, 0.3) * tilt;
            if let Some(frame) = frame_of(DVec3::new(1.0, 2.0, 3.0), second) {
                assert!(is_orthonormal(&frame, ORTHONORMAL), "tilt {tilt}");
            }
        }
        assert!(frame_of(DVec3::X, DVec3::X * 2.0).is_none());
        assert!(frame_of(DVec3::ZERO, DVec3::X).is_none());
        assert!(frame_of(DVec3::NAN, DVec3::X).is_none());
    }
}
