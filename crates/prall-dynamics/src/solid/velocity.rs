//! The end of a part: bodies move, and get the velocities that their contacts allow at the new poses.
//!
//! Velocities follow from the forces of the part, which act at its start, and from those found here, which act at its end; impacts happen here.
//! An island has no more kinetic energy afterwards than before and what loads and given motions put in (energy_rule.rs).

use glam::DVec3;
use prall_math::{Norm, Pose, Twist, Wrench};
use prall_mechanics::island::{IslandBody, IslandContact, IslandCoupling, IslandEquation, IslandTolerances};

use super::advance::Advance;
use super::memory::FeatureForce;
use super::momentum::{Momentum, Pushes, link_momentum};
use super::solve::Island;
use super::{SolidContact, SolidImpact};

/// Contacts hold velocities up to this many guards.
const CLOSED: f64 = 1.5;
/// A loaded gap that was opened by more guards than these gives no velocity.
const RESTORED: f64 = 0.05;
/// Ways may differ from what forces explain by this share, and by a guard.
const EXPLAINED: f64 = 0.1;
/// Approach in m/s beyond what loads do in a part that counts as an impact.
const IMPACT: f64 = 1e-3;
/// Velocities are found to this, in m/s, or to this share.
const VELOCITY_TOLERANCE: f64 = 1e-4;
const VELOCITY_SHARE: f64 = 1e-4;

/// A body before the part, and what acted on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub(super) velocity: Twist,
    pub(super) spin: DVec3,
    pub(super) kinetic: f64,
    /// Impulse of the part's forces in N s, and their moment about the centre in N m s.
    impulse: DVec3,
    moment: DVec3,
    /// Where it wanted to go, and the pose half-way there.
    wanted: Twist,
    middle: Pose,
}

/// What holds velocities at the end of a part beside normal forces and joints.
struct Holding<'a> {
    friction: bool,
    /// How often drives give what they gave before the move.
    drives: f64,
    couplings: &'a [IslandCoupling],
}

impl Advance<'_> {
    /// Carries out the ways in `x`.
    pub(super) fn commit(&mut self, dt: f64, from: f64) {
        let to = from + dt / self.step;
        let before = self.forces_of_part(dt);
        self.remember_forces(dt);
        self.done.clone_from(&self.x);
        for ((stopped, end), body) in self.was_stopped.iter_mut().zip(&self.ends).zip(&mut self.scene.bodies)
        {
            *stopped = *end < 1.0;
            body.was_stopped |= *stopped;
        }
        self.commit_machines(dt);
        self.move_bodies(Some((from, to)));
        self.read_machines();
        let own = self.rows.len();
        self.meet_arrivals();
        let mut outside = vec![false; self.scene.bodies.len()];
        let booked = self.report.energy;
        for island in self.islands(|_| false) {
            self.island_velocities(&island, &before, dt, own);
            if self.touches_outside(&island) {
                island.bodies.iter().for_each(|&at| outside[at] = true);
            }
        }
        self.free_velocities(&before, dt);
        self.close_machines();
        let now = &self.report.energy;
        let booked = now.friction - booked.friction
            + (now.given_motions - booked.given_motions)
            + (now.clamped - booked.clamped);
        self.book_bodies(&before, dt, &outside, booked);
        self.note_contacts(dt);
        for body in &mut self.scene.bodies {
            (body.touching, body.bent) = (false, false);
        }
        for row in self.rows.iter().filter(|row| row.touches()) {
            for at in row.bodies {
                let body = &mut self.scene.bodies[at];
                (body.touching, body.bent) = (true, body.bent || row.bends());
            }
        }
    }

    /// What the forces of the part do to each body, at the poses of its start.
    fn forces_of_part(&self, dt: f64) -> Vec<Before> {
        let mut all: Vec<Before> = self
            .scene
            .bodies
            .iter()
            .zip(&self.goal)
            .enumerate()
            .map(|(at, (body, goal))| Before {
                wanted: self.wanted(at),
                middle: body.moved(goal, 0.5),
                velocity: body.velocity,
                spin: body.spin,
                kinetic: body.kinetic_energy(),
                impulse: DVec3::ZERO,
                moment: DVec3::ZERO,
            })
            .collect();
        for row in self.rows.iter().filter(|row| row.normal_force > 0.0) {
            let impulse = row.force() / dt;
            for (at, sign) in [(row.bodies[0], 1.0), (row.bodies[1], -1.0)] {
                let arm = row.point - self.scene.bodies[at].pose.translation;
                all[at].impulse += impulse * sign;
                all[at].moment += arm.cross(impulse) * sign;
            }
        }
        for joint in &self.scene.joints {
            let [one, two] = joint.bodies;
            let poses = [&self.scene.bodies[one].pose, &self.scene.bodies[two].pose];
            let mut forces = joint.forces.iter();
            joint.rows(poses, |driven| {
                let (row, impulse) = (driven.row, forces.next().copied().unwrap_or(0.0) / dt);
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    all[joint.bodies[side]].impulse += row.linear * (sign * impulse);
                    all[joint.bodies[side]].moment += row.angular[side] * impulse;
                }
            });
        }
        all
    }

    /// Keeps the forces of loaded features, in N, for the next solve.
    fn remember_forces(&mut self, dt: f64) {
        let scale = 1.0 / (dt * dt);
        for pair in &self.near {
            self.memory.pairs[pair.memory].forces.clear();
        }
        for row in self.rows.iter().filter(|row| row.normal_force > 0.0) {
            self.memory.pairs[row.pair].forces.push(FeatureForce {
                name: row.feature.name,
                normal: row.normal_force * scale,
                tangential: row.tangential_force * scale,
            });
        }
        for pair in &self.near {
            self.memory.pairs[pair.memory].forces.sort_unstable_by_key(|force| force.name);
        }
    }

    /// Puts bodies at the ends of their ways, and keeps what is proven of pairs.
    pub(super) fn move_bodies(&mut self, shares: Option<(f64, f64)>) {
        for (shape, cover) in self.scene.shapes.iter().zip(&mut self.covers) {
            let x = &self.x[shape.body];
            if *x != Twist::ZERO {
                *cover = cover.union(&shape.swept_box(&self.scene.bodies[shape.body], x));
            }
        }
        let moved = self.scene.shapes.iter().filter(|shape| self.x[shape.body] != Twist::ZERO);
        self.memory.shapes_moved(moved.map(|shape| shape.slot));
        for number in 0..self.near.len() {
            let pair = &self.near[number];
            let bound = self.bound(pair, &self.x);
            let turn = self.turn(pair, &self.x);
            let kept = pair.swept.filter(|swept| swept.hit.is_none()).map_or(0.0, |swept| swept.kept);
            let stopped = pair.bodies.iter().any(|&at| self.ends[at] < 1.0);
            self.memory.bring_along(pair.memory, bound, turn, if stopped { 0.0 } else { kept });
            self.near[number].swept = None;
        }
        if shares.is_none() {
            self.book_shift();
        }
        let (from, to) = shares.unwrap_or((self.from, self.from));
        for (at, body) in self.scene.bodies.iter_mut().enumerate() {
            if self.x[at] == Twist::ZERO {
                continue;
            }
            if let Some(motion) = body.motion(&prall_math::Pose::IDENTITY, &self.x[at]) {
                self.ways[at].push((from, to, motion));
            }
            body.pose = body.moved(&self.x[at], 1.0);
        }
        let bodies = &self.scene.bodies;
        for joint in &mut self.scene.joints {
            joint.read(joint.bodies.map(|at| &bodies[at].pose));
        }
        self.ends.fill(1.0);
    }

    /// Conditions for pairs that came near in this part without having any.
    fn meet_arrivals(&mut self) {
        for number in 0..self.near.len() {
            let pair = &self.near[number];
            let g = pair.guard;
            if pair.gap.is_finite() || self.memory.pairs[pair.memory].proven > 2.0 * g {
                continue;
            }
            self.look_around(number, 6.0 * g, 0.0, 0.0);
            let pair = &self.near[number];
            let features = std::mem::take(&mut self.memory.pairs[pair.memory].features);
            for feature in &features {
                let mut row = self.row(pair, feature);
                (row.normal_force, row.tangential_force) = (0.0, DVec3::ZERO);
                if row.start.gap < CLOSED * g {
                    self.rows.push(row);
                }
            }
            self.memory.pairs[pair.memory].features = features;
        }
    }

    /// Bodies that nothing connects.
    fn free_velocities(&mut self, before: &[Before], dt: f64) {
        for (at, body) in self.scene.bodies.iter_mut().enumerate() {
            let connected = self.settled[at];
            if body.is_free() && !connected {
                let linear = before[at].velocity.linear + body.force * (dt / body.mass);
                body.set_momentum(linear, before[at].spin + body.torque * dt);
            }
        }
        self.settled.fill(false);
    }

    fn island_velocities(&mut self, island: &Island, before: &[Before], dt: f64, own: usize) {
        for &at in &island.bodies {
            self.settled[at] = true;
        }
        if island.bodies.iter().all(|&at| self.resting[at]) {
            for &at in &island.bodies {
                self.scene.bodies[at].set_momentum(DVec3::ZERO, DVec3::ZERO);
            }
            self.report.resting += 1;
            return;
        }
        let restored = island.rows.iter().any(|&number| {
            let row = &self.rows[number];
            number < own && row.normal_force > 0.0 && row.target - row.start.gap > RESTORED * row.guard
        });
        let stopped = island.bodies.iter().any(|&at| self.was_stopped[at]);
        let couplings = self.couplings(island, false);
        let unforced = self.unforced(island, &couplings, before, dt);
        let mut forced = None;
        let start: Vec<Momentum> = if restored || stopped {
            unforced.clone()
        } else if !self.forces_explain_ways(island, before, dt) {
            self.momenta_of_ways(island, before, dt)
        } else {
            forced = Some(dt);
            let pushed = island.bodies.iter().zip(&unforced).map(|(&at, free)| {
                let body = &self.scene.bodies[at];
                if body.link.is_some() {
                    return link_momentum(body);
                }
                Momentum {
                    velocity: free.velocity + before[at].impulse / body.mass,
                    spin: free.spin + before[at].moment,
                    given: Wrench::ZERO,
                }
            });
            pushed.collect()
        };
        let rows = self.closed_rows(island);
        let drives = if restored || stopped { 2.0 } else { 1.0 };
        let holding = Holding { friction: true, drives, couplings: &couplings };
        let (settled, impulses) = self.held(island, &rows, &start, dt, &holding);
        let rebounded = self.rebound(island, &couplings, &rows, &settled, &unforced, &impulses, before, dt);
        let limit = self.energy_limit(island, before, dt, own);
        let chosen = self.within_energy(island, &unforced, &settled, rebounded.as_deref(), limit);
        for (momentum, &at) in chosen.iter().zip(&island.bodies) {
            if self.scene.bodies[at].link.is_some() {
                self.push_link(at, momentum.given);
            }
            self.scene.bodies[at].set_momentum(momentum.velocity, momentum.spin);
        }
        self.book_rows(island, &rows, &impulses, before, forced);
    }

    /// Momenta of an island's bodies without the forces of the part. A link that was stopped has those of the start of the part.
    fn unforced(
        &self,
        island: &Island,
        couplings: &[IslandCoupling],
        before: &[Before],
        dt: f64,
    ) -> Vec<Momentum> {
        let bodies = &self.scene.bodies;
        let mut pushes = Pushes::new(couplings, island.bodies.len());
        let free = island.bodies.iter().enumerate().map(|(place, &at)| {
            let (body, before) = (&bodies[at], &before[at]);
            if body.link.is_some() {
                if !self.was_stopped[at] {
                    pushes.add(place, -before.impulse, -before.moment);
                }
                return link_momentum(body);
            }
            Momentum {
                velocity: before.velocity.linear + body.force * (dt / body.mass),
                spin: before.spin + body.torque * dt,
                given: Wrench::ZERO,
            }
        });
        let mut momenta: Vec<Momentum> = free.collect();
        pushes.give(bodies, island, &mut momenta);
        momenta
    }

    /// True if the ways of an island are those that the forces of the part make, which a solve that ended early may leave undone.
    fn forces_explain_ways(&self, island: &Island, before: &[Before], dt: f64) -> bool {
        island.bodies.iter().filter(|&&at| self.scene.bodies[at].link.is_none()).all(|&at| {
            let (body, goal, done) = (&self.scene.bodies[at], before[at].wanted, &self.done[at]);
            let guard = self.scene.options.guard(body.size);
            let free = Twist { linear: goal.linear - done.linear, angular: goal.angular - done.angular };
            let pushed = before[at].impulse * (dt / body.mass);
            let turned = body.angular_velocity(&before[at].middle, before[at].moment * dt);
            let held = |axis: usize| body.locked[axis];
            let shift = if held(0) || held(1) || held(2) { DVec3::ZERO } else { free.linear + pushed };
            let length = |shift: DVec3, turn: DVec3| shift.norm() + turn.norm() * body.radius;
            length(shift, free.angular + turned) <= guard + EXPLAINED * length(pushed, turned)
        })
    }

    /// Momenta of bodies that went their ways evenly and felt their loads for the second half of the part.
    fn momenta_of_ways(&self, island: &Island, before: &[Before], dt: f64) -> Vec<Momentum> {
        let of = |&at: &usize| {
            let (body, done) = (&self.scene.bodies[at], &self.done[at]);
            if body.link.is_some() {
                return link_momentum(body);
            }
            // The second half of the loads, where they have one.
            let rest = if self.coupled[at] { 0.0 } else { 0.5 * dt };
            Momentum {
                given: Wrench::ZERO,
                velocity: done.linear / dt + body.force * (rest / body.mass),
                spin: body.inertia(&before[at].middle) * (done.angular / dt) + body.torque * rest,
            }
        };
        island.bodies.iter().map(of).collect()
    }

    /// Conditions of an island that are closed at the new poses.
    fn closed_rows(&self, island: &Island) -> Vec<(usize, prall_detection::NearState)> {
        let closed = island.rows.iter().filter_map(|&number| {
            let row = &self.rows[number];
            let poses = row.bodies.map(|at| &self.scene.bodies[at].pose);
            let state = row.at(poses);
            (state.gap < CLOSED * row.guard && state.on_features).then_some((number, state))
        });
        closed.collect()
    }

    /// The velocities nearest to given ones that close no gap and no joint, and the impulses that make them, in N s.
    fn held(
        &mut self,
        island: &Island,
        rows: &[(usize, prall_detection::NearState)],
        start: &[Momentum],
        dt: f64,
        holding: &Holding<'_>,
    ) -> (Vec<Momentum>, Vec<DVec3>) {
        let place = |at: usize| island.bodies.binary_search(&at).ok();
        let bodies = &self.scene.bodies;
        let mut linear = super::solve::Linear::default();
        for (momentum, &at) in start.iter().zip(&island.bodies) {
            let body = &bodies[at];
            let goal = Twist {
                linear: momentum.velocity * dt,
                angular: body.angular_velocity(&body.pose, momentum.spin) * dt,
            };
            linear.x.push(goal);
            linear.bodies.push(IslandBody {
                mass: body.mass,
                inertia: body.inertia(&body.pose),
                goal,
                locked: body.locked,
                curvature: glam::DMat3::ZERO,
                curvature_at: DVec3::ZERO,
            });
        }
        for (number, state) in rows {
            let row = &self.rows[*number];
            let point = 0.5 * (state.on_a + state.on_b);
            let arms = row.bodies.map(|at| point - bodies[at].pose.translation);
            let mut given = DVec3::ZERO;
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let at = row.bodies[side];
                if place(at).is_none() {
                    let v = &bodies[at].velocity;
                    given += (v.linear + v.angular.cross(arms[side])) * (sign * dt);
                }
            }
            let n = state.normal;
            let tangential = row.tangential_force - n * n.dot(row.tangential_force);
            linear.contacts.push(IslandContact {
                a: place(row.bodies[0]).map(|place| place as u32),
                b: place(row.bodies[1]).map(|place| place as u32),
                normal: n,
                arms,
                offset: n.dot(given),
                slip: given - n * n.dot(given),
                friction: if holding.friction { row.friction } else { 0.0 },
                normal_force: row.normal_force,
                tangential_force: if holding.friction { tangential } else { DVec3::ZERO },
            });
        }
        for &number in &island.joints {
            let joint = &self.scene.joints[number];
            let ends = joint.bodies.map(|at| &bodies[at]);
            let places = joint.bodies.map(place);
            let mut forces = joint.forces.iter();
            joint.rows(ends.map(|body| &body.pose), |driven| {
                let force = forces.next().copied().unwrap_or(0.0);
                let law = driven.after_move(force, holding.drives, ends, dt);
                let row = &driven.row;
                let mut offset = law.error;
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    if places[side].is_none() {
                        let v = &ends[side].velocity;
                        offset += (sign * row.linear.dot(v.linear) + row.angular[side].dot(v.angular)) * dt;
                    }
                }
                linear.equations.push(IslandEquation {
                    a: places[1].map(|place| place as u32),
                    b: places[0].map(|place| place as u32),
                    linear: row.linear,
                    angular: [row.angular[1], row.angular[0]],
                    offset,
                    force,
                    bounds: law.bounds,
                    softness: law.softness,
                });
            });
        }
        let iterations = self.scene.options.max_iterations;
        let tolerances = IslandTolerances {
            gap: VELOCITY_TOLERANCE * dt,
            motion: VELOCITY_TOLERANCE * dt,
            relative_motion: VELOCITY_SHARE,
            cone: 0.01,
            equation: 1e-2 * VELOCITY_TOLERANCE * dt,
            max_outer: iterations,
            max_newton: iterations,
        };
        let super::solve::Linear { bodies: parts, contacts, equations, x, .. } = &mut linear;
        self.tools.solver.solve(parts, holding.couplings, contacts, equations, &tolerances, x);
        // Velocities from impulses, so that both sides of a contact get the same.
        let mut momenta = start.to_vec();
        let mut pushes = Pushes::new(holding.couplings, island.bodies.len());
        let mut impulses = Vec::with_capacity(contacts.len());
        for contact in contacts.iter() {
            let impulse = (contact.normal * contact.normal_force + contact.tangential_force) / dt;
            impulses.push(impulse);
            for (place, side, sign) in [(contact.a, 0, 1.0), (contact.b, 1, -1.0)] {
                if let Some(place) = place {
                    pushes.add(place as usize, impulse * sign, contact.arms[side].cross(impulse) * sign);
                }
            }
        }
        for equation in equations.iter() {
            let impulse = equation.force / dt;
            for (place, side, sign) in [(equation.a, 0, 1.0), (equation.b, 1, -1.0)] {
                if let Some(place) = place {
                    let linear = equation.linear * (sign * impulse);
                    pushes.add(place as usize, linear, equation.angular[side] * impulse);
                }
            }
        }
        pushes.give(&self.scene.bodies, island, &mut momenta);
        (momenta, impulses)
    }

    /// Velocities after impacts with restitution: impulses of rows that were hit fast, once more times the coefficient (Poisson).
    #[allow(clippy::too_many_arguments)]
    fn rebound(
        &mut self,
        island: &Island,
        couplings: &[IslandCoupling],
        rows: &[(usize, prall_detection::NearState)],
        settled: &[Momentum],
        unforced: &[Momentum],
        impulses: &[DVec3],
        before: &[Before],
        dt: f64,
    ) -> Option<Vec<Momentum>> {
        let place = |at: usize| island.bodies.binary_search(&at).ok();
        let mut momenta = settled.to_vec();
        let mut pushes = Pushes::new(couplings, island.bodies.len());
        let mut any = false;
        for ((number, state), impulse) in rows.iter().zip(impulses) {
            let row = &self.rows[*number];
            let point = 0.5 * (state.on_a + state.on_b);
            let velocity = |at: usize| {
                let body = &self.scene.bodies[at];
                let arm = point - body.pose.translation;
                match place(at) {
                    Some(place) => {
                        let angular = body.angular_velocity(&body.pose, unforced[place].spin);
                        unforced[place].velocity + angular.cross(arm)
                    }
                    None => before[at].velocity.linear + before[at].velocity.angular.cross(arm),
                }
            };
            let speed = -state.normal.dot(velocity(row.bodies[0]) - velocity(row.bodies[1]));
            let whole = state.normal.dot(*impulse) + row.normal_force / dt;
            if speed <= 2.0 * self.scene.gravity.norm() * dt + IMPACT || whole <= 0.0 {
                continue;
            }
            self.impacts.push(SolidImpact {
                bodies: row.bodies.map(|at| self.scene.bodies[at].index),
                point,
                speed,
            });
            if row.restitution == 0.0 {
                continue;
            }
            any = true;
            let extra = state.normal * (whole * row.restitution);
            for (at, sign) in [(row.bodies[0], 1.0), (row.bodies[1], -1.0)] {
                if let Some(place) = place(at) {
                    let arm = point - self.scene.bodies[at].pose.translation;
                    pushes.add(place, extra * sign, arm.cross(extra) * sign);
                }
            }
        }
        if !any {
            return None;
        }
        pushes.give(&self.scene.bodies, island, &mut momenta);
        // What the rebound drives into something else is held again.
        let saved: Vec<(f64, DVec3)> =
            rows.iter().map(|(n, _)| (self.rows[*n].normal_force, self.rows[*n].tangential_force)).collect();
        for (number, _) in rows {
            (self.rows[*number].normal_force, self.rows[*number].tangential_force) = (0.0, DVec3::ZERO);
        }
        let (held, _) =
            self.held(island, rows, &momenta, dt, &Holding { friction: false, drives: 0.0, couplings });
        for ((number, _), saved) in rows.iter().zip(saved) {
            (self.rows[*number].normal_force, self.rows[*number].tangential_force) = saved;
        }
        Some(held)
    }

    fn note_contacts(&mut self, dt: f64) {
        self.contacts.clear();
        self.report.loaded_gap = 0.0;
        self.report.rows = self.report.rows.max(self.rows.len());
        let scale = 1.0 / (dt * dt);
        for row in self.rows.iter().filter(|row| !row.dropped) {
            let state = row.at(row.bodies.map(|at| &self.scene.bodies[at].pose));
            if !state.on_features {
                continue;
            }
            if row.normal_force > 0.0 {
                self.report.loaded_gap = self.report.loaded_gap.max(state.gap / row.guard);
            }
            if state.gap < CLOSED * row.guard {
                self.contacts.push(SolidContact {
                    bodies: row.bodies.map(|at| self.scene.bodies[at].index),
                    point: 0.5 * (state.on_a + state.on_b),
                    normal: state.normal,
                    gap: state.gap,
                    // The other half of the step's impulse acts at its end.
                    force: row.force()
                        * (if row.bodies.iter().any(|&at| self.coupled[at]) { scale } else { 2.0 * scale }),
                });
            }
        }
        for joint in &mut self.scene.joints {
            joint.forces.iter_mut().for_each(|force| *force *= scale);
        }
    }
}
