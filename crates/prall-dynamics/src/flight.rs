//! Free flight of a rigid body: what it does in a step if nothing but a constant load acts on it.
//!
//! Half of the load's impulse, then torque-free motion, then the other half. For the centre of mass this is the
//! exact parabola. Torque-free rotation keeps the angular momentum `L` in world axes, so that only the
//! orientation is integrated and the angular velocity follows from it: `omega = R I^-1 R^T L`.
//!
//! The orientation comes from Taylor series in body axes. With `l = R^T L` and `w = I^-1 l`,
//!
//! ```text
//! dl/dt = l x w,         l[k+1] = sum over j of l[j] x w[k-j] / (k + 1)
//! dq/dt = q (0, w) / 2,  q[k+1] = sum over j of q[j] w[k-j] / (2 (k + 1))
//! ```
//!
//! summed until terms no longer count: a few for slow bodies, a dozen at the largest angle per piece. So rotation
//! is exact to rounding whatever the step, and the intermediate-axis flip comes on time.

use glam::{DMat3, DQuat, DVec3};
use prall_math::Pose;

/// Largest angle in rad that one series covers. The series converges up to about a quarter turn; at 0.25 rad
/// sixteen terms leave less than rounding.
const LARGEST_ANGLE: f64 = 0.25;
/// Terms of the series at most.
const MOST_TERMS: usize = 17;
/// Pieces of a step at most: 64 rad per step. Faster spin is still a rotation that keeps `L`, but not the exact one.
const MOST_PIECES: f64 = 256.0;

/// Inertia in body axes and its inverse.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Rotor {
    pub(crate) inertia: DMat3,
    pub(crate) inverse: DMat3,
    /// True if every axis is a principal one: then the axis of rotation stays.
    round: bool,
}

impl Rotor {
    /// Of a body that nothing turns.
    pub(crate) const NONE: Rotor = Rotor { inertia: DMat3::ZERO, inverse: DMat3::ZERO, round: true };

    pub(crate) fn new(inertia: DMat3, inverse: DMat3) -> Rotor {
        let moment = inertia.x_axis.x;
        Rotor { inertia, inverse, round: inertia == DMat3::from_diagonal(DVec3::splat(moment)) }
    }

    /// Angular momentum in world axes of a body with this orientation and angular velocity.
    pub(crate) fn momentum(&self, rotation: DQuat, angular: DVec3) -> DVec3 {
        rotation * (self.inertia * (rotation.conjugate() * angular))
    }

    /// Angular velocity in world axes of a body with this orientation and angular momentum.
    pub(crate) fn velocity(&self, rotation: DQuat, momentum: DVec3) -> DVec3 {
        rotation * (self.inverse * (rotation.conjugate() * momentum))
    }

    /// Orientation after `h` seconds without torque.
    pub(crate) fn turned(&self, rotation: DQuat, angular: DVec3, h: f64) -> DQuat {
        if angular == DVec3::ZERO {
            return rotation;
        }
        // A body that nothing turns goes on with its velocity.
        if self.round {
            return prall_math::rotation::advance(rotation, angular, h);
        }
        let momentum = self.momentum(rotation, angular);
        let pieces = (angular.length() * h.abs() / LARGEST_ANGLE).ceil().clamp(1.0, MOST_PIECES);
        let piece = h / pieces;
        let mut turned = rotation;
        for _ in 0..pieces as usize {
            turned = self.turned_piece(turned, momentum, piece);
        }
        turned
    }

    fn turned_piece(&self, rotation: DQuat, momentum: DVec3, h: f64) -> DQuat {
        let mut l = [DVec3::ZERO; MOST_TERMS];
        let mut w = [DVec3::ZERO; MOST_TERMS];
        let mut q = [DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0); MOST_TERMS];
        // Time is counted in units of h, so that terms are the summands themselves.
        l[0] = rotation.conjugate() * momentum;
        w[0] = self.inverse * l[0] * h;
        q[0] = DQuat::IDENTITY;
        let mut sum = q[0];
        let mut small = 0;
        for k in 0..MOST_TERMS - 1 {
            let share = 1.0 / (k + 1) as f64;
            let mut slope = DVec3::ZERO;
            let (mut vector, mut scalar) = (DVec3::ZERO, 0.0);
            for j in 0..=k {
                let (turn, rate) = (q[j], w[k - j]);
                slope += l[j].cross(rate);
                vector += rate * turn.w + turn.xyz().cross(rate);
                scalar -= turn.xyz().dot(rate);
            }
            l[k + 1] = slope * share;
            w[k + 1] = self.inverse * l[k + 1] * h;
            let term = (vector * (0.5 * share)).extend(scalar * (0.5 * share));
            q[k + 1] = DQuat::from_vec4(term);
            sum += q[k + 1];
            // Two small terms in a row: an odd or even series skips one.
            small = if term.length_squared() < 1e-36 { small + 1 } else { 0 };
            if small == 2 {
                break;
            }
        }
        (rotation * sum).normalize()
    }
}

/// Pose after torque-free motion for `h` seconds with velocities that hold at the start.
pub(crate) fn drifted(pose: &Pose, rotor: &Rotor, linear: DVec3, angular: DVec3, h: f64) -> Pose {
    Pose::new(rotor.turned(pose.rotation, angular, h), pose.translation + linear * h)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slab() -> Rotor {
        let inertia = DMat3::from_diagonal(DVec3::new(0.17, 1.01, 1.16) / 12.0);
        Rotor::new(inertia, inertia.inverse())
    }

    /// One step of 1/60 s against a thousand: the series leaves no error that a finer step could see.
    #[test]
    fn a_long_step_of_free_rotation_equals_many_short_ones() {
        let (rotor, spin) = (slab(), DVec3::new(3.0, -7.0, 5.0));
        let momentum = rotor.momentum(DQuat::IDENTITY, spin);
        let long = rotor.turned(DQuat::IDENTITY, spin, 1.0 / 60.0);
        let mut short = DQuat::IDENTITY;
        for _ in 0..1000 {
            let spin = rotor.velocity(short, momentum);
            short = rotor.turned(short, spin, 1.0 / 60_000.0);
        }
        // A thousand products of unit quaternions round by about 1e-13.
        assert!(long.dot(short).abs() > 1.0 - 1e-15 && (long - short).length() < 1e-12);
    }

    /// Time runs both ways: the series has no direction of its own.
    #[test]
    fn free_rotation_runs_backwards() {
        let (rotor, spin) = (slab(), DVec3::new(3.0, -7.0, 5.0));
        let momentum = rotor.momentum(DQuat::IDENTITY, spin);
        let there = rotor.turned(DQuat::IDENTITY, spin, 0.1);
        let back = rotor.turned(there, rotor.velocity(there, momentum), -0.1);
        assert!((back - DQuat::IDENTITY).length() < 1e-14);
    }

    #[test]
    fn a_round_body_keeps_its_axis() {
        let inertia = DMat3::from_diagonal(DVec3::splat(0.4));
        let rotor = Rotor::new(inertia, inertia.inverse());
        let turned = rotor.turned(DQuat::IDENTITY, DVec3::Y * 2.0, 0.25);
        assert!((turned - DQuat::from_rotation_y(0.5)).length() < 1e-15);
    }
}
