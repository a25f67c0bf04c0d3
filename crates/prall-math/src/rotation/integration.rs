//! How an orientation follows an angular velocity, and which angular velocity leads from one to another.
//!
//! Angular velocities are in world axes; the increment therefore stands on the left.

use crate::Norm;
use glam::{DQuat, DVec3};

use super::{exp, log, quaternion, relative};

/// Orientation after turning with the constant angular velocity `omega` (rad/s) for `dt` seconds.
///
/// Exact for constant omega, however large the step; renormalised, so that length never drifts.
pub fn advance(rotation: DQuat, omega: DVec3, dt: f64) -> DQuat {
    (exp(omega * dt) * rotation).unit()
}

/// The constant angular velocity that leads from one orientation to another in `dt` seconds by the shorter way.
///
/// Inverse of [`advance`] for steps below half a turn.
pub fn mean_velocity(from: DQuat, to: DQuat, dt: f64) -> DVec3 {
    log(relative(from, to)) / dt
}

/// Orientation after one step of `q+ = q + dt/2 (0, omega) q`, normalised (Buck 1999, (24), (36)).
///
/// A Cayley map: turns by `2 atan(|omega| dt / 2)` about omega, an exact rotation but always short of half a turn.
pub fn advance_cayley(rotation: DQuat, omega: DVec3, dt: f64) -> DQuat {
    let half = omega * (0.5 * dt);
    // Only the ratio of vector and scalar part counts; scaled, no velocity is too large to be squared.
    let scale = 1.0 / half.abs().max_element().max(1.0);
    (quaternion(half * scale, scale) * rotation).unit()
}

/// The angular velocity for which [`advance_cayley`] leads from one orientation to another: exactly its inverse,
/// `2/dt` times vector part over scalar part of `to from*`.
///
/// `None` for half a turn, which no finite velocity reaches in one Cayley step.
pub fn mean_velocity_cayley(from: DQuat, to: DQuat, dt: f64) -> Option<DVec3> {
    let step = relative(from, to);
    let omega = step.xyz() / step.w * (2.0 / dt);
    omega.is_finite().then_some(omega)
}
