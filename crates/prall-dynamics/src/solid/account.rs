//! What a part did to the energy and momentum of solid bodies.
//!
//! At the end pose of a part, a body's momenta go from those of its start to those that were chosen, by impulses of loads and of contacts, whose work is
//! the impulse times the mean velocity. Turning to that pose with the old momentum, and loads that act over another way than the body went, are the share of
//! the integration.

use glam::DVec3;
use prall_math::{Twist, Wrench};
use prall_mechanics::about_origin;

use super::advance::Advance;
use super::solve::Island;
use super::velocity::Before;

/// Energy in J that solid bodies were given by each cause in a step, and their momentum about the origin. Weight and loads along the ways of bodies are not
/// counted, but for torques.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolidEnergy {
    /// Contacts along their normals, with the conditions of joints in their islands.
    pub normal: f64,
    /// Friction.
    pub friction: f64,
    /// Bodies with a given motion.
    pub given_motions: f64,
    /// Torques that were set, and those of hands.
    pub torques: f64,
    /// The scheme of integration.
    pub integration: f64,
    /// The same for bodies that were stopped.
    pub stopping: f64,
    /// Opening of gaps that had become too small.
    pub projection: f64,
    /// What was taken back because nothing had paid for it; 0 or less.
    pub clamped: f64,
    /// Impulses of weight and loads.
    pub loads_impulse: Wrench,
    /// What islands were given that touch a body with a given motion, or a fixed one.
    pub outside_impulse: Wrench,
    /// Levers that changed by ways that are not those of the mean velocities.
    pub methods_impulse: Wrench,
}

impl SolidEnergy {
    /// Takes over what another group of bodies did in the same step.
    pub(super) fn add(&mut self, other: &SolidEnergy) {
        self.normal += other.normal;
        self.friction += other.friction;
        self.given_motions += other.given_motions;
        self.torques += other.torques;
        self.integration += other.integration;
        self.stopping += other.stopping;
        self.projection += other.projection;
        self.clamped += other.clamped;
        self.loads_impulse = self.loads_impulse + other.loads_impulse;
        self.outside_impulse = self.outside_impulse + other.outside_impulse;
        self.methods_impulse = self.methods_impulse + other.methods_impulse;
    }
}

impl Advance<'_> {
    /// Velocity of a body in the mean of the part's impulses, at its end pose.
    fn mean_velocity(&self, at: usize, before: &Before) -> Twist {
        let body = &self.scene.bodies[at];
        if !body.is_movable() {
            return body.velocity;
        }
        let angular = body.angular_velocity(&body.pose, before.spin);
        (Twist { linear: before.velocity.linear, angular } + body.velocity) * 0.5
    }

    /// True if a body of given motion, or a fixed one, takes part in an island.
    pub(super) fn touches_outside(&self, island: &Island) -> bool {
        let given = |at: &usize| !self.scene.bodies[*at].is_free();
        island.rows.iter().any(|&number| self.rows[number].bodies.iter().any(given))
            || island.joints.iter().any(|&number| self.scene.joints[number].bodies.iter().any(given))
    }

    /// Books friction and given motions of an island's rows; `impulses` are those that hold the velocities of `rows`.
    pub(super) fn book_rows(
        &mut self,
        island: &Island,
        rows: &[(usize, prall_detection::NearState)],
        impulses: &[DVec3],
        before: &[Before],
        forced: Option<f64>,
    ) {
        let held = rows.iter().zip(impulses).map(|((number, state), impulse)| {
            (*number, state.normal, 0.5 * (state.on_a + state.on_b), *impulse)
        });
        let part = island.rows.iter().filter_map(|&number| {
            let (row, dt) = (&self.rows[number], forced?);
            (row.normal_force > 0.0).then(|| (number, row.start.normal, row.point, row.force() / dt))
        });
        let (mut friction, mut given) = (0.0, 0.0);
        for (number, normal, point, impulse) in held.chain(part) {
            let bodies = self.rows[number].bodies;
            let [a, b] = bodies.map(|at| {
                let mean = self.mean_velocity(at, &before[at]);
                mean.velocity_at(point - self.scene.bodies[at].pose.translation)
            });
            let across = impulse - normal * normal.dot(impulse);
            friction += across.dot(a - b);
            let [moves_a, moves_b] = bodies.map(|at| self.scene.bodies[at].is_free());
            given += match (moves_a, moves_b) {
                (true, false) => impulse.dot(b),
                (false, true) => -impulse.dot(a),
                _ => 0.0,
            };
        }
        self.report.energy.friction += friction;
        self.report.energy.given_motions += given;
    }

    /// Books what is left after the velocities of a part of `dt` seconds are known. `booked` is what rows and the energy rule have booked in this part.
    pub(super) fn book_bodies(&mut self, before: &[Before], dt: f64, outside: &[bool], booked: f64) {
        let mut sums = SolidEnergy::default();
        let mut contacts = 0.0;
        for (at, body) in self.scene.bodies.iter().enumerate().filter(|(_, body)| body.is_free()) {
            let (start, way) = (&before[at], &self.done[at]);
            let mean = self.mean_velocity(at, start);
            let turned = body.angular_velocity(&body.pose, start.spin);
            let drift = 0.5 * start.spin.dot(turned - start.velocity.angular);
            let loads = (body.force.dot(mean.linear) + body.torque.dot(mean.angular)) * dt;
            let along = body.force.dot(way.linear) + body.torque.dot(way.angular);
            sums.torques += body.torque.dot(way.angular);
            let share = if self.was_stopped[at] { &mut sums.stopping } else { &mut sums.integration };
            *share += drift + loads - along;
            let linear = (body.velocity.linear - start.velocity.linear) * body.mass;
            let spin = body.spin - start.spin;
            contacts +=
                (linear - body.force * dt).dot(mean.linear) + (spin - body.torque * dt).dot(mean.angular);
            let from = body.pose.translation - way.linear;
            let middle = 0.5 * (from + body.pose.translation);
            let given = about_origin(middle, body.force * dt, body.torque * dt);
            let levers = Wrench::new(DVec3::ZERO, way.linear.cross(mean.linear * body.mass));
            sums.loads_impulse = sums.loads_impulse + given;
            sums.methods_impulse = sums.methods_impulse + levers;
            if outside[at] {
                let change = about_origin(middle, linear, spin);
                sums.outside_impulse = sums.outside_impulse + change - given;
            }
        }
        sums.normal = contacts - booked;
        self.report.energy.add(&sums);
    }

    /// Books positions that were changed apart from velocities.
    pub(super) fn book_shift(&mut self) {
        for (body, x) in self.scene.bodies.iter().zip(&self.x).filter(|(body, _)| body.is_free()) {
            self.report.energy.projection -= body.force.dot(x.linear) + body.torque.dot(x.angular);
            self.report.energy.torques += body.torque.dot(x.angular);
            let levers = x.linear.cross(body.velocity.linear * body.mass);
            self.report.energy.methods_impulse.torque += levers;
        }
    }
}
