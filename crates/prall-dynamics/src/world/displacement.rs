//! How far a body goes in a substep whose velocities at both ends are known.
//!
//! Velocities change all at once when percussions are found, but bodies did not move that way. The mean velocity of the step is
//!
//! - half-way between both ends for what loads alone do: the parabola is exact;
//! - that of the parabolas before, between and after impacts, for a body that met others: then speed, height and time of a bounce are those of the closed
//!   form, and energy is kept;
//! - half-way between both ends for bodies that press on each other before and after: no gap changes, and what pushes something away goes no farther than
//!   it should;
//! - half-way across the normal, and the new one along it, for a body that slides: the new one is what closes gaps and no more;
//! - the new one for everything else.

use glam::DVec3;
use prall_math::{Norm, Twist};
use prall_mechanics::{ContactView, ManifoldView, Side};

use super::World;

/// Normals whose cosine is farther from 1 than this are two: 0.1 mrad.
const PARALLEL: f64 = 5e-9;

/// Bodies that turn by more, in rad in a substep, are not held to press on each other evenly: their energy would depend on how they turn.
const SLOW_TURN: f64 = 0.05;

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
    /// It, and all that it acts on, pressed on each other before as after.
    steady: bool,
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
        steady: true,
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
    pub(super) fn find_pushed(&mut self, h: f64) {
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
        self.find_steady(h);
        for &(body, detour) in self.contacts.detours() {
            self.pushed[body as usize].detour = Some(detour);
        }
    }

    /// Notes who is in a set of bodies that press on each other, none of which met another in this substep, rolls away, or is jointed.
    fn find_steady(&mut self, h: f64) {
        let met = 2.0 * self.options.velocity_tolerance;
        let mut sets = std::mem::take(&mut self.sets);
        sets.reset(self.bodies.len());
        for at in 0..self.bodies.len() {
            let turn = self.bodies.velocities[at].angular.norm().max(self.before[at].angular.norm()) * h;
            let jointed = self.system.component_of(at).is_some();
            self.pushed[at].steady = self.bodies.is_movable(at) && !jointed && turn < SLOW_TURN;
        }
        for manifold in self.contacts.manifolds().filter(ManifoldView::is_pushed) {
            let ends = match (manifold.a, manifold.b) {
                (Side::Body(a), Side::Body(b)) => [Some(a as usize), Some(b as usize)],
                (Side::Body(a), _) | (_, Side::Body(a)) => [Some(a as usize), None],
                _ => continue,
            };
            let stands = |end: Option<usize>| {
                end.is_some_and(|at| {
                    self.bodies.velocities[at] == Twist::ZERO && self.before[at] == Twist::ZERO
                })
            };
            if ends.into_iter().all(stands) {
                continue;
            }
            let movable = ends.map(|end| end.filter(|&at| self.bodies.is_movable(at)));
            let moves = |end: Option<usize>| {
                end.is_none_or(|at| !self.bodies.is_movable(at) && self.bodies.velocities[at] != Twist::ZERO)
            };
            let speed = |point: DVec3| {
                let at = |end: Option<usize>| {
                    end.map_or(DVec3::ZERO, |at| {
                        self.before[at].velocity_at(point - self.bodies.poses[at].translation)
                    })
                };
                manifold.normal.dot(at(ends[0]) - at(ends[1])).abs()
            };
            let pressed = |contact: &ContactView| contact.impulse != DVec3::ZERO;
            let holds = !ends.into_iter().any(moves)
                && manifold.points().filter(pressed).all(|contact| speed(contact.point) < met);
            for at in movable.into_iter().flatten() {
                self.pushed[at].steady &= holds;
            }
            if let [Some(a), Some(b)] = movable {
                sets.join(a, b);
            }
        }
        for at in 0..self.bodies.len() {
            let lead = sets.lead(at);
            self.pushed[lead].steady &= self.pushed[at].steady;
        }
        for at in 0..self.bodies.len() {
            self.pushed[at].steady = self.pushed[sets.lead(at)].steady;
        }
        self.sets = sets;
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
        if self.rolls[at] {
            return after;
        }
        if push.steady {
            return (before + after) * 0.5;
        }
        if push.one_normal && !push.taken_round {
            let change = after.linear - before.linear;
            let across = change - push.normal * push.normal.dot(change);
            return Twist { linear: after.linear - 0.5 * across, ..after };
        }
        after
    }
}
