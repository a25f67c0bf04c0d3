//! The energy rule: an island has no more kinetic energy after a part than before and what loads and given motions put in.
//!
//! Restitution is taken back first, then forces, by one factor each, which keeps both momenta. If that is not enough, velocities relative to the
//! common motion are scaled.

use prall_math::Twist;

use super::advance::Advance;
use super::momentum::Momentum;
use super::solve::Island;
use super::velocity::Before;
use crate::common_motion::{CommonMotion, Member};

impl Advance<'_> {
    /// Kinetic energy in J that an island may have: what it had, what loads did along its way, and what given motions put in.
    pub(super) fn energy_limit(&self, island: &Island, before: &[Before], dt: f64, own: usize) -> f64 {
        let mut limit = self.kinetic_limit_of_machines(island);
        let mut scale = limit;
        for &at in island.bodies.iter().filter(|&&at| self.scene.bodies[at].link.is_none()) {
            let (body, x) = (&self.scene.bodies[at], &self.done[at]);
            let work = body.force.dot(x.linear) + body.torque.dot(x.angular);
            limit += before[at].kinetic + work;
            scale += before[at].kinetic + work.abs();
        }
        for &number in &island.rows {
            let row = &self.rows[number];
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let given = &self.scene.bodies[row.bodies[side]];
                let other = row.bodies[1 - side];
                if given.is_movable() || given.velocity == Twist::ZERO {
                    continue;
                }
                let arm = row.point - given.pose.translation;
                let speed = given.velocity.linear + given.velocity.angular.cross(arm);
                // What moves along with its driver at the end.
                limit += self.scene.bodies[other].mass * speed.length_squared();
                if number < own && !self.troubled[other] {
                    let work = -(row.force() * sign / dt).dot(speed);
                    limit += work.max(0.0);
                }
            }
        }
        for &number in &island.joints {
            let work = self.scene.joints[number].work(dt);
            limit += work;
            scale += work.abs();
        }
        limit.max(0.0) + 1e-12 * scale
    }

    fn kinetic(&self, island: &Island, momenta: &[Momentum]) -> f64 {
        let of = |(&at, momentum): (&usize, &Momentum)| {
            let body = &self.scene.bodies[at];
            let angular = body.angular_velocity(&body.pose, momentum.spin);
            if body.link.is_some() {
                // The work of what it was given.
                let mean = (Twist::new(momentum.velocity, angular) + body.velocity) * 0.5;
                return mean.power(momentum.given);
            }
            0.5 * (body.mass * momentum.velocity.length_squared() + angular.dot(momentum.spin))
        };
        self.kinetic_of_machines(island) + island.bodies.iter().zip(momenta).map(of).sum::<f64>()
    }

    /// The nearest velocities within the energy: restitution is taken back first, then all impulses, then velocities are scaled.
    pub(super) fn within_energy(
        &mut self,
        island: &Island,
        unforced: &[Momentum],
        settled: &[Momentum],
        rebounded: Option<&[Momentum]>,
        limit: f64,
    ) -> Vec<Momentum> {
        let wanted = rebounded.unwrap_or(settled);
        let energy = self.kinetic(island, wanted);
        if energy <= limit {
            return wanted.to_vec();
        }
        let chosen = self
            .blended(island, settled, wanted, limit)
            .or_else(|| self.blended(island, unforced, settled, limit))
            .unwrap_or_else(|| self.slowed(island, settled, limit));
        let taken = energy - self.kinetic(island, &chosen);
        self.report.energy_clamped += taken;
        self.report.energy.clamped -= taken;
        chosen
    }

    /// Velocities that are scaled to the energy. In an island that nothing outside holds those relative to its common motion are scaled first, which keeps
    /// both momenta.
    fn slowed(&self, island: &Island, settled: &[Momentum], limit: f64) -> Vec<Momentum> {
        let bodies = &self.scene.bodies;
        let held = |&at: &usize| bodies[at].link.is_some() || bodies[at].locked.contains(&true);
        let common = if self.touches_outside(island) || island.bodies.iter().any(held) {
            CommonMotion::default()
        } else {
            self.common_motion(island, settled)
        };
        let shared: Vec<Momentum> = island
            .bodies
            .iter()
            .map(|&at| {
                let Twist { linear, angular } = common.at(bodies[at].pose.translation);
                let spin = bodies[at].inertia(&bodies[at].pose) * angular;
                Momentum { velocity: linear, spin, ..Momentum::default() }
            })
            .collect();
        let own: Vec<Momentum> = settled
            .iter()
            .zip(&shared)
            .map(|(all, shared)| Momentum {
                velocity: all.velocity - shared.velocity,
                spin: all.spin - shared.spin,
                given: all.given,
            })
            .collect();
        let inner = self.kinetic(island, &own);
        let outer = self.kinetic(island, settled) - inner;
        let scale = |energy: f64, limit: f64| {
            if energy > 0.0 { (limit / energy).clamp(0.0, 1.0).sqrt() } else { 0.0 }
        };
        let (whole, part) = (scale(outer, limit), scale(inner, limit - outer.max(0.0)));
        let slower = |(number, &at): (usize, &usize)| {
            if bodies[at].link.is_some() {
                // What only its mover can slow down goes on.
                return settled[number];
            }
            let (shared, own) = (&shared[number], &own[number]);
            Momentum {
                velocity: shared.velocity * whole + own.velocity * part,
                spin: shared.spin * whole + own.spin * part,
                given: own.given,
            }
        };
        island.bodies.iter().enumerate().map(slower).collect()
    }

    fn common_motion(&self, island: &Island, momenta: &[Momentum]) -> CommonMotion {
        let member = |(momentum, &at): (&Momentum, &usize)| {
            let body = &self.scene.bodies[at];
            let (mass, centre) = (body.mass, body.pose.translation);
            let inertia = body.inertia(&body.pose);
            Member { mass, centre, inertia, velocity: momentum.velocity, spin: momentum.spin }
        };
        CommonMotion::of(&momenta.iter().zip(&island.bodies).map(member).collect::<Vec<_>>())
    }

    /// The farthest point from `near` to `far` whose energy is within the limit; none if there is none.
    fn blended(
        &self,
        island: &Island,
        near: &[Momentum],
        far: &[Momentum],
        limit: f64,
    ) -> Option<Vec<Momentum>> {
        let at = |share: f64| -> Vec<Momentum> {
            near.iter().zip(far).map(|(near, far)| near.blended(far, share)).collect()
        };
        let (e0, e1) = (self.kinetic(island, near), self.kinetic(island, far));
        let middle = self.kinetic(island, &at(0.5));
        // Energy is a parabola e0 + b s + c s^2.
        let c = 2.0 * (e0 + e1 - 2.0 * middle);
        let b = e1 - e0 - c;
        if !(c > 0.0) {
            return (e0 <= limit).then(|| near.to_vec());
        }
        let discriminant = b * b - 4.0 * c * (e0 - limit);
        if discriminant < 0.0 {
            return None;
        }
        let share = (-b + discriminant.sqrt()) / (2.0 * c);
        (share >= 0.0).then(|| at(share.min(1.0)))
    }
}
