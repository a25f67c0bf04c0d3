//! The motion of body A as seen from body B, with bounds on what it does next.
//!
//! For uniform motions (Omega the angular velocities, D from B's reference point to A's, r from A's reference
//! point to the point y of A, everything turned into B's frame)
//! ```text
//! delta = omegaA - omegaB,   w = vA - vB - omegaB x D          velocity of A's reference point
//! y'  = w + delta x r
//! y'' = delta x (omegaA x r) + omegaB x (delta x r) - omegaB x (omegaB x D) - 2 omegaB x y'
//! ```
//! Lengths of r are constant; D and w (not turned) are affine in time, so their lengths are convex and largest
//! at an end. If B does not turn, only the distance rho of y from A's rotation axis counts:
//! n.y'' = (n x omegaA).(omegaA x r), hence |n.y''| <= |n x delta| |omegaA| rho.
//!
//! Motions that are not uniform have a bound on their speed over short pieces of time. Their clock is stretched
//! so that the bound is the same in all pieces; planes at rest in the world then give the proofs.

use glam::DVec3;
use prall_math::{Motion, Pose, UniformMotion};

use crate::error::QueryError;
use crate::norm::length;
use crate::placement::Placement;

/// Pieces of [0, 1] over which the speed of a motion that is not uniform is bounded.
const PIECES: usize = 32;

/// The motion of A against B over the query's clock, which runs from 0 to 1.
pub(crate) struct RelativeMotion {
    motion_a: Motion,
    motion_b: Motion,
    kind: Kind,
    /// Rounding of poses, points and products, in metres.
    pub(crate) rounding: f64,
}

enum Kind {
    Uniform(Uniform),
    Bounded(Clock),
}

struct Uniform {
    a: UniformMotion,
    b: UniformMotion,
    omega_a: DVec3,
    omega_b: DVec3,
    /// From B's reference point to A's at t = 0, in the world.
    apart: DVec3,
    /// A's rotation axis in A's frame; zero if B turns, when its direction does not help.
    axis: DVec3,
}

/// Bounds that hold from an instant to the end, as functions of the arm rho and of the moment |n x delta|.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounds {
    /// Curvature K = `curvature` + rho (`curvature_per_arm` + moment `curvature_per_moment`).
    pub(crate) curvature: f64,
    pub(crate) curvature_per_arm: f64,
    pub(crate) curvature_per_moment: f64,
    /// Linear bound L = n . steady - `speed` - rho (`speed_per_arm` + moment `speed_per_moment`).
    pub(crate) speed: f64,
    pub(crate) speed_per_arm: f64,
    pub(crate) speed_per_moment: f64,
    /// Subtracted from both the speed and the linear bound.
    pub(crate) drift: f64,
    /// No point of A with arm rho is faster than `rate` + rho `rate_per_arm`.
    pub(crate) rate: f64,
    pub(crate) rate_per_arm: f64,
}

/// Velocities of A relative to B in one of the two frames.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Velocities {
    /// A's reference point, a position in the frame.
    pub(crate) reference: DVec3,
    /// Velocity of that point.
    pub(crate) velocity: DVec3,
    /// Relative angular velocity.
    pub(crate) delta: DVec3,
    /// A's rotation axis, or zero.
    pub(crate) axis: DVec3,
    /// What the linear bound starts from.
    pub(crate) steady: DVec3,
}

impl Velocities {
    /// Velocity of A at a point of the frame.
    pub(crate) fn at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.delta.cross(point - self.reference)
    }

    /// From A's rotation axis (from A's reference point, if B turns) to a point of the frame.
    pub(crate) fn arm(&self, point: DVec3) -> DVec3 {
        let arm = point - self.reference;
        arm - self.axis * self.axis.dot(arm)
    }
}

/// The relative motion at one instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Snapshot {
    pub(crate) pose_b: Pose,
    pub(crate) placement: Placement,
    /// In A's frame.
    pub(crate) in_a: Velocities,
    /// In B's frame.
    pub(crate) in_b: Velocities,
    pub(crate) bounds: Bounds,
}

impl RelativeMotion {
    /// `radius_a` and `radius_b` bound the bodies' points about their origins.
    pub(crate) fn new(
        motion_a: &Motion,
        radius_a: f64,
        motion_b: &Motion,
        radius_b: f64,
    ) -> Result<RelativeMotion, QueryError> {
        let kind = match (motion_a.as_uniform(), motion_b.as_uniform()) {
            (Some(a), Some(b)) => Kind::Uniform(Uniform::new(a, b)),
            _ => Kind::Bounded(Clock::new(motion_a, radius_a, motion_b, radius_b)?),
        };
        let (own_a, own_b) = (motion_a.clone(), motion_b.clone());
        let mut relative = RelativeMotion { motion_a: own_a, motion_b: own_b, kind, rounding: 0.0 };
        let start = relative.snapshot(0.0);
        let reach =
            motion_a.displacement_bound(radius_a, 0.0, 1.0) + motion_b.displacement_bound(radius_b, 0.0, 1.0);
        let size = length(start.placement.a_to_b.translation) + 2.0 * (radius_a + radius_b) + reach;
        let fastest =
            start.bounds.rate + start.bounds.rate_per_arm * (radius_a + length(start.in_a.reference));
        // A point is a product of matrix and vector (16 units of 2^-53 of the size), a dot product follows (4),
        // velocities and their products see about as many; 32 EPSILON is 64 of these units.
        relative.rounding = motion_a.rounding(radius_a)
            + motion_b.rounding(radius_b)
            + 32.0 * f64::EPSILON * (size + fastest);
        Ok(relative)
    }

    /// Time of the motions when the query's clock shows `clock`.
    pub(crate) fn time(&self, clock: f64) -> f64 {
        match &self.kind {
            Kind::Uniform(_) => clock,
            Kind::Bounded(stretched) => stretched.time(clock),
        }
    }

    /// What the query's clock shows at a time of the motions, up to rounding.
    pub(crate) fn clock(&self, time: f64) -> f64 {
        match &self.kind {
            Kind::Uniform(_) => time,
            Kind::Bounded(stretched) => stretched.shows(time),
        }
    }

    /// Where A and B are when the query's clock shows `clock`.
    pub(crate) fn poses(&self, clock: f64) -> [Pose; 2] {
        let t = self.time(clock);
        [self.motion_a.pose(t), self.motion_b.pose(t)]
    }

    pub(crate) fn snapshot(&self, clock: f64) -> Snapshot {
        let t = self.time(clock);
        let [pose_a, pose_b] = self.poses(clock);
        let placement = Placement::new(&pose_a, &pose_b);
        match &self.kind {
            Kind::Uniform(uniform) => uniform.snapshot(t, pose_b, placement),
            Kind::Bounded(clock) => Snapshot {
                pose_b,
                placement,
                in_a: Velocities::default(),
                in_b: Velocities::default(),
                bounds: Bounds { drift: clock.speed, rate: clock.speed, ..Bounds::default() },
            },
        }
    }
}

impl Uniform {
    fn new(a: &UniformMotion, b: &UniformMotion) -> Uniform {
        let axis = if b.turns() { DVec3::ZERO } else { a.start.inverse_transform_vector(a.axis) };
        // Differences of the bodies' origins first: what matters is small against the distance from the world's.
        let apart = (a.start.translation - b.start.translation)
            + (a.start.transform_vector(a.reference) - b.start.transform_vector(b.reference));
        Uniform { a: *a, b: *b, omega_a: a.axis * a.angle, omega_b: b.axis * b.angle, apart, axis }
    }

    fn snapshot(&self, t: f64, pose_b: Pose, placement: Placement) -> Snapshot {
        let to_b = |v: DVec3| pose_b.inverse_transform_vector(v);
        let steady = self.a.velocity - self.b.velocity;
        let apart = |t: f64| self.apart + steady * t;
        let velocity = |t: f64| steady - self.omega_b.cross(apart(t));
        let delta = self.omega_a - self.omega_b;
        let change = &placement.a_to_b;
        let in_b = Velocities {
            reference: change.point(self.a.reference),
            velocity: to_b(velocity(t)),
            delta: to_b(delta),
            axis: change.rotation * self.axis,
            steady: if self.b.turns() { DVec3::ZERO } else { to_b(steady) },
        };
        let to_a = placement.b_to_a.rotation;
        let in_a = Velocities {
            reference: self.a.reference,
            velocity: to_a * in_b.velocity,
            delta: to_a * in_b.delta,
            axis: self.axis,
            steady: to_a * in_b.steady,
        };
        let bounds = if self.b.turns() {
            let (turn_a, turn_b) = (self.a.angle, self.b.angle);
            let turn = length(delta);
            let fastest = length(velocity(t)).max(length(velocity(1.0)));
            let farthest = length(apart(t)).max(length(apart(1.0)));
            let outward = 1.0 + 1e-12;
            Bounds {
                curvature: (turn_b * turn_b * farthest + 2.0 * turn_b * fastest) * outward,
                curvature_per_arm: (turn * (turn_a + turn_b) + 2.0 * turn_b * turn) * outward,
                speed: fastest * outward,
                speed_per_arm: turn * outward,
                rate: fastest * outward,
                rate_per_arm: turn * outward,
                ..Bounds::default()
            }
        } else {
            Bounds {
                curvature_per_moment: self.a.angle * (1.0 + 1e-12),
                speed_per_moment: 1.0 + 1e-12,
                rate: length(steady) * (1.0 + 1e-12),
                rate_per_arm: self.a.angle * (1.0 + 1e-12),
                ..Bounds::default()
            }
        };
        Snapshot { pose_b, placement, in_a, in_b, bounds }
    }
}

/// A clock on which both bodies together never exceed one constant speed.
struct Clock {
    /// Share of the clock that has passed at the start of each piece, and at the end.
    passed: [f64; PIECES + 1],
    /// Sum of the two bodies' speed bounds, per unit of the clock.
    speed: f64,
}

impl Clock {
    fn new(motion_a: &Motion, radius_a: f64, motion_b: &Motion, radius_b: f64) -> Result<Clock, QueryError> {
        let mut speeds = [0.0; PIECES];
        for (body, motion, radius) in [("A", motion_a, radius_a), ("B", motion_b, radius_b)] {
            for (k, speed) in speeds.iter_mut().enumerate() {
                let (t0, t1) = (piece(k), piece(k + 1));
                let bound = motion.speed_bound(radius, t0, t1);
                if !bound.is_finite() {
                    return Err(QueryError::UnboundedMotion { body, t0, t1 });
                }
                *speed += bound;
            }
        }
        // A floor keeps the clock running through pieces of rest.
        let fastest = speeds.iter().fold(f64::MIN_POSITIVE, |fastest, &s| fastest.max(s));
        let speeds = speeds.map(|s| s.max(1e-3 * fastest));
        let total: f64 = speeds.iter().sum();
        let mut passed = [0.0; PIECES + 1];
        let mut sum = 0.0;
        for (k, speed) in speeds.iter().enumerate() {
            sum += speed;
            passed[k + 1] = if k + 1 == PIECES { 1.0 } else { sum / total };
        }
        // Rounding of the clock's table: a few units in the last place, a hundred thousand times less than this.
        Ok(Clock { passed, speed: total / PIECES as f64 * (1.0 + 1e-10) })
    }

    fn time(&self, clock: f64) -> f64 {
        let k = self.passed[1..PIECES].partition_point(|&passed| passed <= clock);
        let (from, to) = (self.passed[k], self.passed[k + 1]);
        let share = ((clock - from) / (to - from)).clamp(0.0, 1.0);
        piece(k) + share / PIECES as f64
    }

    /// The inverse of [`Clock::time`].
    fn shows(&self, time: f64) -> f64 {
        let k = ((time * PIECES as f64) as usize).min(PIECES - 1);
        let (from, to) = (self.passed[k], self.passed[k + 1]);
        (from + (time - piece(k)) * PIECES as f64 * (to - from)).clamp(from, to)
    }
}

fn piece(k: usize) -> f64 {
    k as f64 / PIECES as f64
}
