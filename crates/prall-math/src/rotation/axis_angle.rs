//! [`AxisAngle`]: a turn by an angle about an axis.

use crate::Norm;
use glam::{DMat3, DQuat, DVec3};

use super::matrix::{RotationError, from_matrix};
use super::quaternion;
use crate::direction::direction_and_length;

/// A rotation by `angle` about `axis`, right-handed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisAngle {
    /// Unit vector.
    pub axis: DVec3,
    /// In radians; any size, whole turns included.
    pub angle: f64,
}

impl AxisAngle {
    /// About an axis of any length but zero.
    pub fn new(axis: DVec3, angle: f64) -> Result<AxisAngle, RotationError> {
        match direction_and_length(axis) {
            Some((axis, _)) => Ok(AxisAngle { axis, angle }),
            None => Err(RotationError::Axis { axis }),
        }
    }

    /// From a rotation vector, axis times angle. No turn at all has no axis of its own; it gets z.
    pub fn from_vector(vector: DVec3) -> AxisAngle {
        let (axis, angle) = direction_and_length(vector).unwrap_or((DVec3::Z, vector.norm()));
        AxisAngle { axis, angle }
    }

    /// The rotation vector, axis times angle.
    pub fn vector(&self) -> DVec3 {
        self.axis * self.angle
    }

    /// The shorter of the two turns that `rotation` stands for: angle in [0, pi].
    ///
    /// `q` and `-q` are the same rotation, so the sign that makes the scalar part non-negative is the shorter
    /// way; at exactly half a turn both are equally long and the quaternion is taken as it is. With
    /// `angle = 2 atan2(|v|, w)` the result is accurate at every angle, and unit length is not needed.
    pub fn from_quaternion(rotation: DQuat) -> AxisAngle {
        let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
        let vector = rotation.xyz();
        let (axis, sine) = direction_and_length(vector).unwrap_or((DVec3::Z, vector.norm()));
        AxisAngle { axis, angle: 2.0 * libm::atan2(sine, rotation.w) }
    }

    /// The quaternion `(cos(angle/2), sin(angle/2) axis)`.
    pub fn quaternion(&self) -> DQuat {
        let (sine, cosine) = libm::sincos(0.5 * self.angle);
        quaternion(self.axis * sine, cosine)
    }

    /// The shortest turn of a rotation matrix.
    pub fn from_matrix(matrix: &DMat3) -> Result<AxisAngle, RotationError> {
        from_matrix(matrix).map(AxisAngle::from_quaternion)
    }

    /// The rotation matrix `(1 - cos) a a^T + cos 1 + sin [a]_x`.
    pub fn matrix(&self) -> DMat3 {
        DMat3::from_quat(self.quaternion())
    }
}

impl std::ops::Mul for AxisAngle {
    type Output = AxisAngle;

    /// `self` after `other`, as the shortest turn: the quaternion product in half angles.
    fn mul(self, other: AxisAngle) -> AxisAngle {
        AxisAngle::from_quaternion(self.quaternion() * other.quaternion())
    }
}
