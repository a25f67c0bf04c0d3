//! Bounding volumes: sphere, axis-aligned box, oriented box, and how to fit them.

mod aabb;
mod fit_box;
mod fit_sphere;
mod nelder_mead;
mod oriented_box;
mod planar_hull;
mod sphere;

pub use aabb::Aabb;
pub use fit_box::BoxMeasure;
pub use fit_sphere::SphereFit;
pub use oriented_box::OrientedBox;
pub use sphere::BoundingSphere;

use glam::DVec3;
use thiserror::Error;

/// Why no bounding volume was fitted.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum FitError {
    /// There is nothing to enclose.
    #[error("a bounding volume needs at least one point, but there are none")]
    NoPoints,
    /// A coordinate is infinite, not a number, or so large that its square overflows.
    #[error("point {point} has a coordinate that is not a number between -1e150 and 1e150")]
    NotFinite {
        /// Index of the point.
        point: usize,
    },
    /// A point to start from is not there.
    #[error("support point {index} does not exist: there are {points} points (counted from 0)")]
    NoSuchPoint {
        /// The index given.
        index: usize,
        /// How many points there are.
        points: usize,
    },
}

/// Refuses what cannot be enclosed.
fn check_points(points: &[DVec3]) -> Result<(), FitError> {
    if points.is_empty() {
        return Err(FitError::NoPoints);
    }
    match points.iter().position(|p| p.is_nan() || p.abs().max_element() > 1e150) {
        Some(point) => Err(FitError::NotFinite { point }),
        None => Ok(()),
    }
}
