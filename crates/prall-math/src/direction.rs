//! Directions: lengths that neither overflow nor underflow, and frames across an axis.

use crate::Norm;
use glam::{DMat3, DVec3};

/// Unit vector along `vector` and its length; `None` for the zero vector and for one that is not finite.
///
/// Scaled by the largest component first, so that 1e-300 and 1e+300 have a direction like any other.
pub(crate) fn direction_and_length(vector: DVec3) -> Option<(DVec3, f64)> {
    let largest = vector.abs().max_element();
    if !(largest > 0.0 && vector.is_finite()) {
        return None;
    }
    let scaled = vector / largest;
    let length = scaled.norm();
    Some((scaled / length, length * largest))
}

/// Two unit vectors `u`, `w` that make a right-handed frame `(u, w, axis)` with the direction of `axis`.
///
/// `axis` may have any length. The zero vector has no direction; the frame across `z` is then as good as any.
/// Small changes of `axis` change the frame little, except where `axis.z` changes its sign.
pub fn any_orthonormal(axis: DVec3) -> (DVec3, DVec3) {
    direction_and_length(axis).map_or(DVec3::Z, |(direction, _)| direction).any_orthonormal_pair()
}

/// The matrix of the cross product: `skew(a) * b == a.cross(b)`.
pub fn skew(vector: DVec3) -> DMat3 {
    let DVec3 { x, y, z } = vector;
    DMat3::from_cols(DVec3::new(0.0, z, -y), DVec3::new(-z, 0.0, x), DVec3::new(y, -x, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AXES: [DVec3; 9] = [
        DVec3::X,
        DVec3::Y,
        DVec3::Z,
        DVec3::NEG_Z,
        DVec3::new(0.0, 0.0, 1e-300),
        DVec3::new(1e300, -1e300, 1e300),
        DVec3::new(1e-9, 1e-9, -1.0),
        DVec3::new(1.0, 1.0, -0.0),
        DVec3::new(3.0, -4.0, 12.0),
    ];

    #[test]
    fn a_frame_across_any_axis_is_orthonormal_and_right_handed() {
        for axis in AXES {
            let (u, w) = any_orthonormal(axis);
            let n = axis / axis.abs().max_element();
            let n = n / n.length();
            // A handful of products and sums of numbers below one: a few units in the last place.
            let tolerance = 8.0 * f64::EPSILON;
            assert!((u.length() - 1.0).abs() < tolerance && (w.length() - 1.0).abs() < tolerance, "{axis}");
            assert!(u.dot(w).abs() < tolerance && u.dot(n).abs() < tolerance, "{axis}");
            assert!((u.cross(w) - n).length() < tolerance, "{axis}");
        }
    }

    #[test]
    fn skew_is_the_cross_product() {
        for (a, b) in AXES[..4].iter().zip(&AXES[5..]) {
            assert_eq!(skew(*a) * *b, a.cross(*b));
        }
    }
}
