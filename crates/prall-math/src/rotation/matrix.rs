//! Rotation matrices: are they, and which quaternion.

use crate::Norm;
use glam::{DMat3, DQuat, DVec3};
use thiserror::Error;

/// Largest entry of `R^T R - 1` in a matrix that still counts as a rotation.
///
/// As for [`Pose::is_valid`]: far above the rounding of a product of rotations, far below what scaling or
/// shearing by intent gives. Numbers from single-precision files are rougher; build the matrix anew from them.
///
/// [`Pose::is_valid`]: crate::Pose::is_valid
const ROTATION_TOLERANCE: f64 = 2e-9;

/// Why something is no rotation.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum RotationError {
    /// Entries that are infinite or not a number.
    #[error("the matrix has entries that are not finite")]
    NotFinite,
    /// Columns that are not of unit length and at right angles.
    #[error(
        "the matrix is no rotation: its columns are off unit length and right angles by {deviation:e}, \
         where rounding explains 2e-9; remove scale and shear"
    )]
    Deformed {
        /// Largest entry of `R^T R - 1`.
        deviation: f64,
    },
    /// A left-handed matrix.
    #[error("the matrix is a reflection, its determinant is {determinant}; a rotation has +1")]
    Mirrored {
        /// Its determinant, near -1.
        determinant: f64,
    },
    /// A 4x4 matrix whose last row is not 0 0 0 1.
    #[error("the last row of the matrix is {row}; a rigid placement has 0 0 0 1")]
    Projective {
        /// The row.
        row: glam::DVec4,
    },
    /// A rotation axis without direction.
    #[error("the rotation axis {axis} has no direction; it must be finite and not zero")]
    Axis {
        /// The axis as it was given.
        axis: DVec3,
    },
}

/// The unit quaternion of a rotation matrix, scalar part not negative.
///
/// The component that is largest is taken from the diagonal by a square root, the others by division by it:
/// no turn, half a turn and everything between are equally accurate.
pub fn from_matrix(matrix: &DMat3) -> Result<DQuat, RotationError> {
    check(matrix)?;
    let rotation = DQuat::from_mat3(matrix).unit();
    Ok(if rotation.w < 0.0 { -rotation } else { rotation })
}

fn check(matrix: &DMat3) -> Result<(), RotationError> {
    if !matrix.is_finite() {
        return Err(RotationError::NotFinite);
    }
    let excess = matrix.transpose() * *matrix - DMat3::IDENTITY;
    let deviation = excess.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
    if deviation > ROTATION_TOLERANCE {
        return Err(RotationError::Deformed { deviation });
    }
    let determinant = matrix.determinant();
    if determinant < 0.0 { Err(RotationError::Mirrored { determinant }) } else { Ok(()) }
}
