//! How far a body goes in a substep whose velocities at both ends are known.
//!
//! Velocities change all at once when percussions are found, but bodies did not move that way. The mean velocity of the step is
//!
//! - half-way between both ends for what loads alone do: the parabola is exact;
//! - that of the parabolas before, between and after impacts, for a body that met others: then speed, height and time of a bounce are those of the closed
//!   form, and energy is kept;
//! - half-way across the normal, and the new one along it, for a body that slides: the new one is what closes gaps and no more;
//! - the new one for everything else.

use glam::DVec3;
use prall_math::Twist;
use prall_mechanics::{ManifoldView, Side};

use super::World;

/// Normals whose cosine is farther from 1 than this are two: 0.1 mrad.
const PARALLEL: f64 = 5e-9;

/// What contacts did to a body in a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Push {
    /// Some contact pushed it.
    pub(super) any: bool,
    normal: DVec3,
    one_normal: bool,
    /// Some contact that did not rebound pushed it.
    lasting: bool,
    /// A body of given motion that turns pushed it: its velocity after is the mean of the way on which that takes it along.
    taken_round: bool,
    /// Earliest rebound, in s from the start.
    rebound: f64,
    /// What impacts in sequence add to the velocity at the end for the mean of the step.
    detour: Option<Twist>,
}

impl Push {
    const NONE: Push = Push {
        any: false,
        normal: DVec3::ZERO,
        one_normal: true,
        lasting: false,
        taken_round: false,
        rebound: f64::INFINITY,
        detour: None,
    };

    fn note(&mut self, normal: DVec3, rebound: Option<f64>) {
        if !self.any {
            self.normal = normal;
        }
        self.any = true;
        self.one_normal &= 1.0 - self.normal.dot(normal).abs() <= PARALLEL;
        match rebound {
            Some(time) => self.rebound = self.rebound.min(time),
            None => self.lasting = true,
        }
    }
}

impl World {
    /// Notes which bodies contacts have pushed in this substep, and how.
    pub(super) fn find_pushed(&mut self) {
        self.pushed.clear();
        self.pushed.resize(self.bodies.len(), Push::NONE);
        for manifold in self.contacts.manifolds() {
            let mut pushes = false;
            for contact in manifold.points().filter(|contact| contact.impulse != DVec3::ZERO) {
                pushes = true;
                for side in [contact.a, contact.b] {
                    if let Side::Body(body) = side {
                        self.pushed[body as usize].note(contact.normal, contact.rebound);
                    }
                }
            }
            if let (true, Side::Body(a), Side::Body(b)) = (pushes, manifold.a, manifold.b) {
                for (body, other) in [(a as usize, b as usize), (b as usize, a as usize)] {
                    let turns = self.bodies.velocities[other].angular != DVec3::ZERO;
                    self.pushed[body].taken_round |= turns && !self.bodies.is_movable(other);
                }
            }
        }
        self.take_all_round();
        for &(body, detour) in self.contacts.detours() {
            self.pushed[body as usize].detour = Some(detour);
        }
    }

    /// Passes on to what stands on them that bodies are taken round.
    fn take_all_round(&mut self) {
        let World { contacts, pushed, bodies, .. } = self;
        let mut spreads = pushed.iter().any(|push| push.taken_round);
        while spreads {
            spreads = false;
            for manifold in contacts.manifolds().filter(ManifoldView::is_pushed) {
                let (Side::Body(a), Side::Body(b)) = (manifold.a, manifold.b) else { continue };
                let [a, b] = [a as usize, b as usize];
                if bodies.is_movable(a)
                    && bodies.is_movable(b)
                    && pushed[a].taken_round != pushed[b].taken_round
                {
                    (pushed[a].taken_round, pushed[b].taken_round, spreads) = (true, true, true);
                }
            }
        }
    }

    /// Mean velocity of a body over a substep of `h` seconds.
    pub(super) fn mean_velocity(&self, at: usize, h: f64) -> Twist {
        let (before, after) = (self.before[at], self.bodies.velocities[at]);
        // Flying bodies have had half of their loads so far.
        if !self.touched[at] {
            return after;
        }
        // Joints have looked ahead along this way.
        if self.system.component_of(at).is_some() {
            return after + self.system.detour(at);
        }
        let push = &self.pushed[at];
        let load = self.options.gravity + self.loads[at].force * self.bodies.responses[at].inverse_mass;
        if !push.any {
            return Twist { linear: after.linear - load * (0.5 * h), ..after };
        }
        if let Some(detour) = push.detour {
            // A body that is not round: see below.
            let angular = if self.rotors[at].is_round() { detour.angular } else { DVec3::ZERO };
            return after + Twist { angular, ..detour };
        }
        if !push.lasting && push.rebound < h {
            let (t, rest) = (push.rebound, h - push.rebound);
            let way = before.linear * t + after.linear * rest + load * (0.5 * (t * t - rest * rest));
            // A body that is not round flies as its angular momentum says; no flight leads to a pose that is turned by a mean velocity, and
            // with the momentum kept its energy there would be another.
            let angular = if self.rotors[at].is_round() {
                (before.angular * t + after.angular * rest) / h
            } else {
                after.angular
            };
            return Twist { linear: way / h, angular };
        }
        if push.one_normal && !push.taken_round {
            let change = after.linear - before.linear;
            let across = change - push.normal * push.normal.dot(change);
            return Twist { linear: after.linear - 0.5 * across, ..after };
        }
        after
    }
}
