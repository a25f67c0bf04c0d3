//! [`FixedAngles`]: turns about the fixed x, y and z axis, one after the other.

use crate::Norm;
use glam::{DMat3, DQuat};

use super::matrix::{RotationError, from_matrix};
use crate::direction::direction_and_length;

/// Below this, `cos(about_y)` is nothing but the rounding of a matrix that was made from a quaternion.
const GIMBAL_LOCK_COSINE: f64 = 8.0 * f64::EPSILON;

/// XYZ fixed angles, in radians: turn about the world's x axis, then its y axis, then its z axis.
///
/// ```text
/// R = Rz(about_z) Ry(about_y) Rx(about_x)
/// ```
/// Eckstein (1998, appendix A) calls them gamma (x), beta (y), alpha (z). Read from left to right the same
/// product turns about z, the new y, and the newest x: intrinsic ZYX, yaw-pitch-roll of an aircraft with z up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FixedAngles {
    /// First turn, about x.
    pub about_x: f64,
    /// Second turn, about y.
    pub about_y: f64,
    /// Third turn, about z.
    pub about_z: f64,
}

impl FixedAngles {
    /// The angles of a rotation: about_y in [-pi/2, pi/2], the others in [-pi, pi].
    ///
    /// At gimbal lock, about_y = +-pi/2, only about_x -+ about_z is determined: about_z is 0 then.
    ///
    /// With alpha, beta, gamma for z, y, x: alpha = atan2(R21, R11) is poorly determined near the lock. Whatever
    /// came out is taken as given, and the others are read from what is left, `Rz(-alpha) R = Ry(beta) Rx(gamma)`,
    /// so that an error in alpha is made good by gamma and the rotation as a whole is accurate.
    pub fn from_quaternion(rotation: DQuat) -> FixedAngles {
        FixedAngles::of(&DMat3::from_quat(rotation.unit()))
    }

    /// The quaternion.
    pub fn quaternion(&self) -> DQuat {
        let half_turn = |angle: f64| libm::sincos(0.5 * angle);
        let (sine_x, cosine_x) = half_turn(self.about_x);
        let (sine_y, cosine_y) = half_turn(self.about_y);
        let (sine_z, cosine_z) = half_turn(self.about_z);
        DQuat::from_xyzw(0.0, 0.0, sine_z, cosine_z)
            * DQuat::from_xyzw(0.0, sine_y, 0.0, cosine_y)
            * DQuat::from_xyzw(sine_x, 0.0, 0.0, cosine_x)
    }

    /// The angles of a rotation matrix.
    pub fn from_matrix(matrix: &DMat3) -> Result<FixedAngles, RotationError> {
        from_matrix(matrix).map(FixedAngles::from_quaternion)
    }

    /// The rotation matrix.
    pub fn matrix(&self) -> DMat3 {
        DMat3::from_quat(self.quaternion())
    }

    fn of(matrix: &DMat3) -> FixedAngles {
        let (column_x, column_y, column_z) = (matrix.x_axis, matrix.y_axis, matrix.z_axis);
        // (R11, R21) = cos(beta) (cos(alpha), sin(alpha)).
        let (cosine, sine) = match direction_and_length(column_x.with_z(0.0)) {
            Some((direction, cosine_y)) if cosine_y > GIMBAL_LOCK_COSINE => (direction.x, direction.y),
            _ => (1.0, 0.0),
        };
        FixedAngles {
            about_x: libm::atan2(
                sine * column_z.x - cosine * column_z.y,
                cosine * column_y.y - sine * column_y.x,
            ),
            about_y: libm::atan2(-column_x.z, cosine * column_x.x + sine * column_x.y),
            about_z: libm::atan2(sine, cosine),
        }
    }
}
