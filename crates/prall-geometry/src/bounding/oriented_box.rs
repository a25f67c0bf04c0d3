//! [`OrientedBox`]: a box turned any way.

use glam::{DMat3, DVec3};
use prall_math::Pose;

use super::Aabb;

/// All points `center + axes * x` with `|x_i| <= half_extents_i`.
///
/// The axes are orthonormal to 1e-14 whatever they were made from: a frame that is not, lets a box miss its
/// contents without any test noticing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrientedBox {
    center: DVec3,
    axes: DMat3,
    half_extents: DVec3,
}

/// Multiples of the last bit of the largest coordinate by which a fitted box is enlarged on every side (no unit):
/// projecting, finding the middle and testing again cost three products and sums each.
const ROUNDINGS: f64 = 16.0;

impl OrientedBox {
    /// A box from its middle, its axes (columns, orthonormalised) and half its edges (in metres, not negative).
    pub fn new(center: DVec3, axes: DMat3, half_extents: DVec3) -> OrientedBox {
        OrientedBox { center, axes: orthonormal(axes), half_extents }
    }

    /// The smallest box with these axes (columns, orthonormalised) around points, enlarged by the rounding of finding it.
    ///
    /// The points must be finite; for none of them, it is a box that contains nothing.
    ///
    /// **Promise.** All points are inside, in exact arithmetic and by [`contains`](Self::contains).
    pub fn around(axes: DMat3, points: &[DVec3]) -> OrientedBox {
        let axes = orthonormal(axes);
        let to_box = axes.transpose();
        let local = points.iter().fold(Aabb::EMPTY, |b, &p| b.extended(to_box * p));
        let largest = points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let slack = ROUNDINGS * f64::EPSILON * largest;
        let half_extents = local.half_extents() + DVec3::splat(slack);
        OrientedBox { center: axes * local.center(), axes, half_extents }
    }

    /// The middle, in metres.
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// The directions of the edges as columns; orthonormal, right-handed.
    pub fn axes(&self) -> DMat3 {
        self.axes
    }

    /// Half the lengths of the edges, in metres.
    pub fn half_extents(&self) -> DVec3 {
        self.half_extents
    }

    /// Volume in cubic metres.
    pub fn volume(&self) -> f64 {
        let r = self.half_extents;
        8.0 * r.x * r.y * r.z
    }

    /// Surface in square metres.
    pub fn surface(&self) -> f64 {
        let r = self.half_extents;
        8.0 * (r.x * r.y + r.y * r.z + r.z * r.x)
    }

    /// Length of the diagonal in metres.
    pub fn diameter(&self) -> f64 {
        2.0 * self.half_extents.length()
    }

    /// True if the point is inside or on the border.
    pub fn contains(&self, point: DVec3) -> bool {
        let local = self.axes.transpose() * (point - self.center);
        local.abs().cmple(self.half_extents).all()
    }

    /// True if all points are inside or on the border: to be asked after building and after loading.
    pub fn contains_all(&self, points: &[DVec3]) -> bool {
        points.iter().all(|&p| self.contains(p))
    }

    /// Largest entry of `axes^T axes - I` (no unit); 1e-14 at most for every box made by this crate.
    pub fn orthonormality_error(&self) -> f64 {
        let error = self.axes.transpose() * self.axes - DMat3::IDENTITY;
        error.to_cols_array().into_iter().fold(0.0, |worst: f64, e| worst.max(e.abs()))
    }

    /// The box moved with a body.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> OrientedBox {
        let center = pose.transform_point(self.center);
        let largest = self.center.abs().max_element() + center.abs().max_element() + self.diameter();
        let slack = ROUNDINGS * f64::EPSILON * largest;
        let axes = pose.rotation_matrix() * self.axes;
        OrientedBox::new(center, axes, self.half_extents + DVec3::splat(slack))
    }

    /// The eight corners; bit 0, 1 and 2 of the index choose the positive end of the axes.
    pub fn corners(&self) -> [DVec3; 8] {
        Aabb::from_center(DVec3::ZERO, self.half_extents).corners().map(|x| self.center + self.axes * x)
    }
}

/// Gram and Schmidt, twice: the second pass removes what rounding left when the columns were nearly dependent.
///
/// Columns that vanish or depend on others are replaced by any direction that completes the frame.
pub(crate) fn orthonormal(columns: DMat3) -> DMat3 {
    /// A second column shorter than this after the first was taken out of it is noise (no unit).
    const DEPENDENT: f64 = 1e-8;
    let reject = |v: DVec3, n: DVec3| v - n * n.dot(v);
    let x = columns.x_axis.try_normalize().unwrap_or(DVec3::X);
    let y = columns
        .y_axis
        .try_normalize()
        .map(|y| reject(y, x))
        .filter(|y| y.length() > DEPENDENT)
        .map_or_else(|| x.any_orthonormal_vector(), DVec3::normalize);
    let y = reject(y, x).normalize();
    DMat3::from_cols(x, y, x.cross(y).normalize())
}
