//! [`Pose`]: where a rigid body is and how it is turned.

use crate::Norm;
use glam::{DMat3, DMat4, DQuat, DVec3, DVec4};
use serde::{Deserialize, Serialize};

use crate::rotation::{self, RotationError};
use crate::{Twist, Wrench};

/// A rigid placement `x_world = R x_body + t`, with the rotation as a unit quaternion.
///
/// Reads right to left like matrices: `(a * b).transform_point(x) == a.transform_point(b.transform_point(x))`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Turns body axes into world axes; unit length.
    pub rotation: DQuat,
    /// Position of the body's origin in the world, in metres.
    pub translation: DVec3,
}

impl Pose {
    /// Body frame and world frame coincide.
    pub const IDENTITY: Pose = Pose { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// A pose from its two parts.
    pub const fn new(rotation: DQuat, translation: DVec3) -> Pose {
        Pose { rotation, translation }
    }

    /// A pose that only displaces.
    pub const fn from_translation(translation: DVec3) -> Pose {
        Pose { rotation: DQuat::IDENTITY, translation }
    }

    /// A pose that only turns about the origin.
    pub const fn from_rotation(rotation: DQuat) -> Pose {
        Pose { rotation, translation: DVec3::ZERO }
    }

    /// The rotation as a matrix whose columns are the body's axes.
    pub fn rotation_matrix(&self) -> DMat3 {
        DMat3::from_quat(self.rotation)
    }

    /// The pose as a 4x4 matrix `[R t; 0 1]`.
    pub fn matrix(&self) -> DMat4 {
        DMat4::from_rotation_translation(self.rotation, self.translation)
    }

    /// The pose of a 4x4 matrix `[R t; 0 1]`; refuses scale, shear, reflection and projection.
    pub fn from_matrix(matrix: &DMat4) -> Result<Pose, RotationError> {
        let row = matrix.row(3);
        if row != DVec4::W {
            return Err(RotationError::Projective { row });
        }
        let translation = matrix.w_axis.truncate();
        if !translation.is_finite() {
            return Err(RotationError::NotFinite);
        }
        Ok(Pose { rotation: rotation::from_matrix(&DMat3::from_mat4(*matrix))?, translation })
    }

    /// Takes a point of the body to the world.
    pub fn transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// Takes a direction of the body to the world (no translation).
    pub fn transform_vector(&self, vector: DVec3) -> DVec3 {
        self.rotation * vector
    }

    /// Takes a point of the world to the body: `R^T (x - t)`.
    pub fn inverse_transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation.conjugate() * (point - self.translation)
    }

    /// Takes a direction of the world to the body.
    pub fn inverse_transform_vector(&self, vector: DVec3) -> DVec3 {
        self.rotation.conjugate() * vector
    }

    /// The pose that undoes this one: `(R^T, -R^T t)`.
    pub fn inverse(&self) -> Pose {
        let rotation = self.rotation.conjugate();
        Pose { rotation, translation: -(rotation * self.translation) }
    }

    /// The same pose with a quaternion of unit length to a few units in the last place.
    ///
    /// A quaternion that already has it keeps its bits.
    pub fn normalized(&self) -> Pose {
        let excess = (self.rotation.length_squared() - 1.0).abs();
        // Twice the rounding of the sum of four squares itself.
        if excess <= 4.0 * f64::EPSILON { *self } else { Pose { rotation: self.rotation.unit(), ..*self } }
    }

    /// The same motion seen from outside: a twist of the body's frame about the body's origin becomes the twist
    /// in world axes about the world's origin (adjoint of the pose).
    ///
    /// `angular = R angular_body`, `linear = R linear_body + t x angular`.
    pub fn transform_twist(&self, twist: Twist) -> Twist {
        let angular = self.rotation * twist.angular;
        Twist { linear: self.rotation * twist.linear + self.translation.cross(angular), angular }
    }

    /// Takes a twist in world axes about the world's origin to the body's frame and origin.
    pub fn inverse_transform_twist(&self, twist: Twist) -> Twist {
        let Twist { linear, angular } = twist.shifted(self.translation);
        Twist {
            linear: self.inverse_transform_vector(linear),
            angular: self.inverse_transform_vector(angular),
        }
    }

    /// Takes a wrench in body axes about the body's origin to world axes about the world's origin.
    ///
    /// `force = R force_body`, `torque = R torque_body + t x force`.
    pub fn transform_wrench(&self, wrench: Wrench) -> Wrench {
        let force = self.rotation * wrench.force;
        Wrench { force, torque: self.rotation * wrench.torque + self.translation.cross(force) }
    }

    /// Takes a wrench in world axes about the world's origin to the body's frame and origin.
    pub fn inverse_transform_wrench(&self, wrench: Wrench) -> Wrench {
        let Wrench { force, torque } = wrench.shifted(self.translation);
        Wrench { force: self.inverse_transform_vector(force), torque: self.inverse_transform_vector(torque) }
    }

    /// True if every number is finite and the quaternion has unit length to 1e-9.
    ///
    /// 1e-9 is far above what rounding does to a product of unit quaternions and far below what a
    /// person who forgot to normalise would give.
    pub fn is_valid(&self) -> bool {
        self.translation.is_finite()
            && self.rotation.is_finite()
            && (self.rotation.length_squared() - 1.0).abs() < 2e-9
    }
}

impl Default for Pose {
    fn default() -> Pose {
        Pose::IDENTITY
    }
}

impl std::ops::Mul for Pose {
    type Output = Pose;

    /// `self` after `other`.
    fn mul(self, other: Pose) -> Pose {
        Pose {
            rotation: self.rotation * other.rotation,
            translation: self.rotation * other.translation + self.translation,
        }
    }
}
