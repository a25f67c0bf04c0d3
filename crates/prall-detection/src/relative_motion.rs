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
//! A top (R = exp(a t) R0 exp(b t), b in the body, b' = R b) turns with omega = a + b' and omega' = a x b', both of constant size, so
//! that omegaA' x r - omegaB' x (D + r) is added to y''. With rho the distance from the axis b, which stays,
//! r'' = a x (a x r) + 2 a x (b' x r) + b' x (b' x r), hence |r''| <= |a|^2 |r| + (2 |a| |b| + |b|^2) rho.
//!
//! Motions that are neither have a bound on their speed over short pieces of time. Their clock is stretched
//! so that the bound is the same in all pieces; planes at rest in the world then give the proofs.

use glam::DVec3;
use prall_math::{Motion, Norm, Pose};

use crate::error::QueryError;
use crate::norm::unit;
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
    Steady(Steady),
    Bounded(Clock),
}

/// Both reference points go straight, and the bodies turn steadily, A as a top perhaps.
struct Steady {
    a: Turning,
    b: Turning,
    /// From B's reference point to A's at t = 0, in the world.
    apart: DVec3,
    /// A's rotation axis in A's frame; zero if B turns or one of them is a top, when its direction does not help.
    axis: DVec3,
}

/// What a body does that turns steadily, or by two steady turns.
struct Turning {
    /// The point that goes straight, in the body.
    reference: DVec3,
    velocity: DVec3,
    /// a, in the world; its unit vector, and its angle.
    turn: DVec3,
    axis: DVec3,
    angle: f64,
    /// b, in the body, and its angle.
    spin: DVec3,
    spin_angle: f64,
    /// Sizes of omega and omega'.
    rate: f64,
    change: f64,
}

impl Turning {
    fn of(motion: &Motion) -> Option<Turning> {
        if let Some(uniform) = motion.as_uniform() {
            return Some(Turning {
                reference: uniform.reference,
                velocity: uniform.velocity,
                turn: uniform.axis * uniform.angle,
                axis: uniform.axis,
                angle: uniform.angle,
                spin: DVec3::ZERO,
                spin_angle: 0.0,
                rate: uniform.angle,
                change: 0.0,
            });
        }
        let top = motion.as_precession()?;
        let spin = top.start.transform_vector(top.spin);
        Some(Turning {
            reference: top.reference,
            velocity: top.velocity,
            turn: top.turn,
            axis: unit(top.turn).or(unit(spin)).unwrap_or(DVec3::Z),
            angle: top.turn.norm(),
            spin: top.spin,
            spin_angle: top.spin.norm(),
            rate: (top.turn + spin).norm(),
            change: top.turn.cross(spin).norm(),
        })
    }

    /// All that it turns, in rad.
    fn whole_angle(&self) -> f64 {
        self.angle + self.spin_angle
    }

    fn turns(&self) -> bool {
        self.whole_angle() != 0.0
    }

    fn is_top(&self) -> bool {
        self.spin_angle != 0.0
    }

    /// Angular velocity in the world.
    fn angular(&self, pose: &Pose) -> DVec3 {
        if self.is_top() { self.turn + pose.transform_vector(self.spin) } else { self.turn }
    }

    /// The rounds it makes, seen from the frame into which `turn` turns the world and `own` the body.
    fn rounds(
        &self,
        reference: DVec3,
        to: impl Fn(DVec3) -> DVec3,
        own: impl Fn(DVec3) -> DVec3,
    ) -> Option<Rounds> {
        let axis = to(self.axis);
        let body = unit(self.spin).map_or(axis, own);
        self.turns().then(|| Rounds {
            reference,
            axis,
            body,
            cosine: axis.dot(body),
            sine: axis.cross(body).norm(),
        })
    }
}

/// By how much a body turns, in rad; 0 if that is not known.
pub(crate) fn angle(motion: &Motion) -> f64 {
    Turning::of(motion).map_or(0.0, |turning| turning.whole_angle())
}

/// Where a body that turns comes to in the course of time: about `axis`, which stays, goes the body's own axis `body` at an angle of
/// this cosine and sine, and about that the body. For a body that is no top both axes are one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounds {
    pub(crate) reference: DVec3,
    pub(crate) axis: DVec3,
    pub(crate) body: DVec3,
    pub(crate) cosine: f64,
    pub(crate) sine: f64,
}

/// The rounds of both bodies in B's frame as it is now, while it goes on without turning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BothRounds {
    /// None of a body that does not turn.
    pub(crate) a: Option<Rounds>,
    pub(crate) b: Option<Rounds>,
    /// Velocity of A's reference point against B's.
    pub(crate) velocity: DVec3,
}

/// What is known of a top beside [`Bounds`], which take all of it to be as far from its own axis as from its reference point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnAxis {
    /// Unit vector in B's frame, through A's reference point.
    pub(crate) axis: DVec3,
    /// Parts of curvature and speed per arm that count by the distance from that axis alone.
    pub(crate) curvature: f64,
    pub(crate) speed: f64,
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
    /// Of a top.
    pub(crate) own_axis: Option<OwnAxis>,
    /// Where the bodies turn by more than [`FAR_ROUND`] until the end.
    pub(crate) rounds: Option<BothRounds>,
}

/// Bodies that turn by more than this, in rad, until the end are looked at as what they cover when they turn all round. By less they
/// cover less, and a plane lasts as long.
const FAR_ROUND: f64 = 1.5;

impl RelativeMotion {
    /// `radius_a` and `radius_b` bound the bodies' points about their origins.
    pub(crate) fn new(
        motion_a: &Motion,
        radius_a: f64,
        motion_b: &Motion,
        radius_b: f64,
    ) -> Result<RelativeMotion, QueryError> {
        let kind = match (Turning::of(motion_a), Turning::of(motion_b)) {
            (Some(a), Some(b)) => Kind::Steady(Steady::new(a, &motion_a.start(), b, &motion_b.start())),
            _ => Kind::Bounded(Clock::new(motion_a, radius_a, motion_b, radius_b)?),
        };
        let (own_a, own_b) = (motion_a.clone(), motion_b.clone());
        let mut relative = RelativeMotion { motion_a: own_a, motion_b: own_b, kind, rounding: 0.0 };
        let start = relative.snapshot(0.0);
        let reach =
            motion_a.displacement_bound(radius_a, 0.0, 1.0) + motion_b.displacement_bound(radius_b, 0.0, 1.0);
        let size = start.placement.a_to_b.translation.norm() + 2.0 * (radius_a + radius_b) + reach;
        let fastest =
            start.bounds.rate + start.bounds.rate_per_arm * (radius_a + start.in_a.reference.norm());
        // A point is a product of matrix and vector (16 units of 2^-53 of the size), a dot product follows (4),
        // velocities and their products see about as many; 32 EPSILON is 64 of these units.
        relative.rounding = motion_a.rounding(radius_a)
            + motion_b.rounding(radius_b)
            + 32.0 * f64::EPSILON * (size + fastest);
        Ok(relative)
    }

    /// True if the second derivative of every point's way is bounded.
    pub(crate) fn is_steady(&self) -> bool {
        matches!(self.kind, Kind::Steady(_))
    }

    /// Time of the motions when the query's clock shows `clock`.
    pub(crate) fn time(&self, clock: f64) -> f64 {
        match &self.kind {
            Kind::Steady(_) => clock,
            Kind::Bounded(stretched) => stretched.time(clock),
        }
    }

    /// What the query's clock shows at a time of the motions, up to rounding.
    pub(crate) fn clock(&self, time: f64) -> f64 {
        match &self.kind {
            Kind::Steady(_) => time,
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
            Kind::Steady(steady) => steady.snapshot(t, &pose_a, pose_b, placement),
            Kind::Bounded(clock) => Snapshot {
                pose_b,
                placement,
                in_a: Velocities::default(),
                in_b: Velocities::default(),
                bounds: Bounds { drift: clock.speed, rate: clock.speed, ..Bounds::default() },
                own_axis: None,
                rounds: None,
            },
        }
    }
}

impl Steady {
    fn new(a: Turning, start_a: &Pose, b: Turning, start_b: &Pose) -> Steady {
        let alone = !b.turns() && !a.is_top();
        let axis = if alone { start_a.inverse_transform_vector(a.axis) } else { DVec3::ZERO };
        // Differences of the bodies' origins first: what matters is small against the distance from the world's.
        let apart = (start_a.translation - start_b.translation)
            + (start_a.transform_vector(a.reference) - start_b.transform_vector(b.reference));
        Steady { a, b, apart, axis }
    }

    fn apart(&self, t: f64) -> DVec3 {
        self.apart + (self.a.velocity - self.b.velocity) * t
    }

    fn snapshot(&self, t: f64, pose_a: &Pose, pose_b: Pose, placement: Placement) -> Snapshot {
        let to_b = |v: DVec3| pose_b.inverse_transform_vector(v);
        let steady = self.a.velocity - self.b.velocity;
        let (omega_a, omega_b) = (self.a.angular(pose_a), self.b.angular(&pose_b));
        let change = &placement.a_to_b;
        let in_b = Velocities {
            reference: change.point(self.a.reference),
            velocity: to_b(steady - omega_b.cross(self.apart(t))),
            delta: to_b(omega_a - omega_b),
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
        let bounds = match (self.a.is_top() || self.b.is_top(), self.b.turns()) {
            (true, _) => self.bounds_of_tops(t),
            (false, true) => self.bounds_of_two(t),
            (false, false) => Bounds {
                curvature_per_moment: self.a.angle * OUTWARD,
                speed_per_moment: OUTWARD,
                rate: steady.norm() * OUTWARD,
                rate_per_arm: self.a.angle * OUTWARD,
                ..Bounds::default()
            },
        };
        let own_axis = unit(self.a.spin).map(|axis| OwnAxis {
            axis: change.rotation * axis,
            curvature: (2.0 * self.a.angle + self.a.spin_angle) * self.a.spin_angle,
            speed: self.a.spin_angle,
        });
        let far_round = (self.a.whole_angle() + self.b.whole_angle()) * (1.0 - t) > FAR_ROUND;
        let rounds = far_round.then(|| BothRounds {
            a: self.a.rounds(in_b.reference, to_b, |own| change.rotation * own),
            b: self.b.rounds(self.b.reference, to_b, |own| own),
            velocity: to_b(steady),
        });
        Snapshot { pose_b, placement, in_a, in_b, bounds, own_axis, rounds }
    }

    /// Both turn, each about its axis.
    fn bounds_of_two(&self, t: f64) -> Bounds {
        let (turn_a, turn_b) = (self.a.angle, self.b.angle);
        let velocity = |t: f64| self.a.velocity - self.b.velocity - self.b.turn.cross(self.apart(t));
        let turn = (self.a.turn - self.b.turn).norm();
        let fastest = velocity(t).norm().max(velocity(1.0).norm());
        let farthest = self.apart(t).norm().max(self.apart(1.0).norm());
        Bounds {
            curvature: (turn_b * turn_b * farthest + 2.0 * turn_b * fastest) * OUTWARD,
            curvature_per_arm: (turn * (turn_a + turn_b) + 2.0 * turn_b * turn) * OUTWARD,
            speed: fastest * OUTWARD,
            speed_per_arm: turn * OUTWARD,
            rate: fastest * OUTWARD,
            rate_per_arm: turn * OUTWARD,
            ..Bounds::default()
        }
    }

    /// One of them, or both, are tops: only sizes are known to stay.
    fn bounds_of_tops(&self, t: f64) -> Bounds {
        let (a, b) = (&self.a, &self.b);
        let straight = (a.velocity - b.velocity).norm();
        let farthest = self.apart(t).norm().max(self.apart(1.0).norm());
        let fastest = straight + b.rate * farthest;
        let (own, turn) = (a.whole_angle(), a.whole_angle() + b.rate);
        Bounds {
            curvature: ((b.change + b.rate * b.rate) * farthest + 2.0 * b.rate * fastest) * OUTWARD,
            curvature_per_arm: (own * own + b.change + b.rate * b.rate + 2.0 * b.rate * turn) * OUTWARD,
            // What does not turn has a steady velocity instead.
            speed: if b.turns() { fastest * OUTWARD } else { 0.0 },
            speed_per_arm: turn * OUTWARD,
            rate: fastest * OUTWARD,
            rate_per_arm: turn * OUTWARD,
            ..Bounds::default()
        }
    }
}

/// Bounds are rounded up by this factor: some twenty operations.
const OUTWARD: f64 = 1.0 + 1e-12;

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
