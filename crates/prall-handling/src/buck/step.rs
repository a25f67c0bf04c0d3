//! One interval: forces, motions, at most one new contact, contacts that end, pairs that begin to stick or to slide.

use std::time::Instant;

use prall_detection::NearKind;
use prall_math::{Motion, Norm, Twist};

use super::cluster::clusters;
use super::collision::{AUXILIARY_GUARD, Collision};
use super::contact::{AuxiliaryPlane, BuckContact, Condition, Partner};
use super::friction::NO_FORCE;
use super::options::FrictionDirection;
use super::system::{Acting, Moving, Other, System, turn};
use super::{BuckHeld, BuckReport, Solve, ncp};
use crate::command::Command;
use crate::error::{HandlingError, within};

/// A contact without force ends when it is open by this share of a guard more than the guard.
const OPEN: f64 = 1e-4;
/// A contact whose feet left goes over to a feature that is nearer than this many guards (Buck 1999, 5.4).
const FLOWING: f64 = 2.0;
/// Forces of sets of contacts with a smaller condition are not unique enough.
const LEAST_CONDITION: f64 = 1e-9;
/// Halvings of an interval whose turns are too large for the guard: the way between two ends of a contact is not on its surface.
const MAX_HALVINGS: i32 = 6;

/// Shifts of mass centres and turns, and the poses that they lead to.
struct Ways {
    ways: Vec<Twist>,
    ends: Vec<prall_math::Pose>,
}

impl BuckHeld {
    /// Moves the first part by a velocity for `dt` seconds, up to the first collision. Other parts want to rest.
    pub fn step(&mut self, velocity: &Twist, dt: f64) -> Result<&BuckReport, HandlingError> {
        self.step_each(&[*velocity], dt)
    }

    /// Moves parts by velocities of their mass centres and of turning for `dt` seconds, all up to the first collision. Parts without a velocity want to rest.
    pub fn step_each(&mut self, velocities: &[Twist], dt: f64) -> Result<&BuckReport, HandlingError> {
        within("the interval", dt, (1e-9, 10.0), "between 1e-9 and 10 s")?;
        velocities.iter().try_for_each(|velocity| Command::Velocity(*velocity).checked())?;
        let none = (velocities.len() as f64, (0.0, self.bodies.len() as f64));
        within("the number of velocities", none.0, none.1, "at most that of the parts")?;
        self.report = BuckReport::default();
        self.solves.clear();
        self.remember_slips();
        let pushes: Vec<f64> = self.contacts.iter().map(|contact| contact.push).collect();
        for halvings in 0..=MAX_HALVINGS {
            let span = dt * libm::exp2(-f64::from(halvings));
            self.report.jam = false;
            let way = self.solve(velocities, span);
            if self.carry_out(&way, span, halvings == MAX_HALVINGS)? {
                self.report.done *= span / dt;
                self.end_contacts()?;
                self.drop_redundant(velocities, dt);
                self.change_friction();
                return Ok(&self.report);
            }
            self.contacts.iter_mut().zip(&pushes).for_each(|(contact, push)| contact.push = *push);
        }
        self.jam();
        Ok(&self.report)
    }

    /// Forces of all clusters, and where they lead in `dt` seconds.
    fn solve(&mut self, velocities: &[Twist], dt: f64) -> Ways {
        let mut ways = Ways {
            ways: vec![Twist::ZERO; self.bodies.len()],
            ends: self.bodies.iter().map(|body| body.pose).collect(),
        };
        for cluster in clusters(self.bodies.len(), &self.contacts) {
            let members = self.members(&cluster);
            let system = self.solve_cluster(&cluster, &members, velocities, dt);
            if system.is_none() {
                self.report.jam = true;
                for part in &cluster {
                    self.bodies[*part].velocity = Twist::ZERO;
                }
                members.iter().for_each(|index| self.contacts[*index].push = 0.0);
            }
            for index in &members {
                let contact = &mut self.contacts[*index];
                contact.force = self.bodies[0].mass * contact.push / (dt * dt);
            }
            for (at, part) in cluster.iter().enumerate() {
                if let Some(system) = &system {
                    let x = self.bodies[*part].velocity * dt;
                    ways.ways[*part] = Twist { linear: x.linear, angular: turn(x.angular) };
                    ways.ends[*part] = system.end(at, &x);
                }
            }
        }
        ways
    }

    /// Forces of a cluster, and velocities of its parts; none if there are none that its contacts allow. Pairs that come to rest by them begin to stick first.
    fn solve_cluster(
        &mut self,
        cluster: &[usize],
        members: &[usize],
        velocities: &[Twist],
        dt: f64,
    ) -> Option<System> {
        // Each turn but the last lets a pair stick.
        for _ in 0..=members.len() {
            if self.options.friction_direction == FrictionDirection::SlipWithout && self.slides(members) {
                self.find_velocities(cluster, members, velocities, dt, false)?;
                for index in members {
                    let contact = &self.contacts[*index];
                    self.contacts[*index].slip = self.slip(contact, &self.state(contact));
                }
            }
            let system = self.find_velocities(cluster, members, velocities, dt, true)?;
            let resting = self.pairs_at_rest(members);
            if resting.is_empty() {
                return Some(system);
            }
            for pair in resting {
                self.begin_to_stick(pair);
                self.report.stuck += 1;
            }
        }
        None
    }

    /// Solves for pushes of contacts, and with them velocities of parts; with tilted forces or without.
    fn find_velocities(
        &mut self,
        cluster: &[usize],
        members: &[usize],
        velocities: &[Twist],
        dt: f64,
        tilted: bool,
    ) -> Option<System> {
        let clock = Instant::now();
        let system = self.system(cluster, members, velocities, dt, tilted);
        let mut pushes: Vec<f64> = members.iter().map(|index| self.contacts[*index].push).collect();
        let outcome = ncp::solve(&system, &self.options, &mut pushes);
        if !members.is_empty() {
            let iterations = outcome.unwrap_or(self.options.max_iterations);
            let (order, solved, time) = (members.len(), outcome.is_some(), clock.elapsed());
            self.solves.push(Solve { order, iterations, solved, time });
        }
        self.report.iterations += outcome?;
        for (part, x) in cluster.iter().zip(system.motions(&pushes)) {
            self.bodies[*part].velocity = x * (1.0 / dt);
        }
        for (index, push) in members.iter().zip(&pushes) {
            self.contacts[*index].push = *push;
        }
        Some(system)
    }

    /// Goes to the ends of the ways, or to the first collision, which becomes a contact; false if the ways are too long: a turn has left its chord by more than
    /// contacts keep. Then contacts that exist collide, or one that they make redundant and that could not collide if their ends were all of the way; the
    /// `shortest` way may end with the latter.
    fn carry_out(&mut self, ways: &Ways, dt: f64, shortest: bool) -> Result<bool, HandlingError> {
        let motion =
            |(body, way): (&super::Body, &Twist)| Motion::from_twist(body.pose, body.centre, *way, 1.0);
        let motions = self.bodies.iter().zip(&ways.ways).map(motion).collect::<Result<Vec<_>, _>>()?;
        let collision = self.first_collision(&motions)?;
        let born = match &collision {
            None => None,
            Some(Collision::Surfaces { feature: None, .. }) => return Ok(false),
            Some(Collision::Surfaces { pair, feature: Some(feature), .. }) => {
                Some((*pair, Condition::Feature(*feature)))
            }
            Some(Collision::Plane { contact, plane, .. }) => {
                Some((self.contacts[*contact].pair(), Condition::Auxiliary(*plane)))
            }
        };
        if let (Some((pair, condition)), false) = (born, shortest) {
            self.contacts.push(BuckContact::new(0, pair, condition, None));
            let redundant = self.condition() < LEAST_CONDITION;
            self.contacts.pop();
            if redundant {
                return Ok(false);
            }
        }
        let share = collision.as_ref().map_or(1.0, Collision::share);
        for (index, body) in self.bodies.iter_mut().enumerate() {
            body.pose = if share == 1.0 { ways.ends[index] } else { motions[index].pose(share).normalized() };
            body.velocity = ways.ways[index] * (1.0 / dt);
        }
        self.report.done = share;
        match collision {
            Some(Collision::Surfaces { late, pair, feature: Some(feature), .. }) => {
                self.report.late = late;
                self.bear(pair, Condition::Feature(feature), None);
            }
            Some(Collision::Plane { contact, plane, .. }) => {
                let (pair, id) = (self.contacts[contact].pair(), self.contacts[contact].id);
                self.bear(pair, Condition::Auxiliary(plane), Some(id));
                self.report.auxiliary = true;
            }
            _ => {}
        }
        Ok(true)
    }

    fn bear(&mut self, (part, partner): (usize, Partner), condition: Condition, sticks: Option<u64>) {
        self.report.born = true;
        self.next_id += 1;
        let mut contact = BuckContact::new(self.next_id, (part, partner), condition, sticks);
        contact.slides_along = self.slip(&contact, &self.state(&contact));
        self.contacts.push(contact);
    }

    /// A collision proves that its contact is needed. Of the others that say the same with it one ends, so that forces stay unique: the one that bears least
    /// of those that the next interval opens. Another one would collide again at once, and nothing would ever move.
    fn drop_redundant(&mut self, velocities: &[Twist], dt: f64) {
        let newest = if self.report.born { self.contacts.last().map(|contact| contact.id) } else { None };
        while self.condition() < LEAST_CONDITION {
            let mut old: Vec<usize> =
                (0..self.contacts.len()).filter(|index| Some(self.contacts[*index].id) != newest).collect();
            old.sort_by(|p, q| self.contacts[*p].push.total_cmp(&self.contacts[*q].push));
            let unique = |index: &usize| self.condition_without(Some(*index)) >= LEAST_CONDITION;
            let some: Vec<usize> = old.iter().copied().filter(unique).collect();
            let opening: Vec<f64> =
                some.iter().map(|index| self.opening_without(*index, velocities, dt)).collect();
            let opened = opening.iter().position(|share| *share >= 1.0);
            let widest = (0..some.len()).max_by(|p, q| opening[*p].total_cmp(&opening[*q]));
            let chosen = opened.or(widest).map(|at| some[at]);
            let Some(index) = chosen.or(old.first().copied()) else { return };
            self.remove(index);
            self.report.opened += 1;
        }
    }

    /// How far a contact would open in another interval that it takes no part in: 1 or more if it reaches its guard, or comes nearer to it by half a guard.
    fn opening_without(&self, index: usize, velocities: &[Twist], dt: f64) -> f64 {
        let all: Vec<usize> = (0..self.bodies.len()).collect();
        let members: Vec<usize> = (0..self.contacts.len()).filter(|member| *member != index).collect();
        let system = self.system(&all, &members, velocities, dt, true);
        let mut pushes: Vec<f64> = members.iter().map(|member| self.contacts[*member].push).collect();
        if ncp::solve(&system, &self.options, &mut pushes).is_none() {
            return f64::NEG_INFINITY;
        }
        let motions = system.motions(&pushes);
        let contact = &self.contacts[index];
        let end = |part: usize| system.end(part, &motions[part]);
        let partner = match contact.partner {
            Partner::Obstacle(_) => self.pose_of(contact.partner),
            Partner::Part(part) => end(part),
        };
        let (now, then) = (self.state(contact).gap, contact.condition.at(&end(contact.part), &partner).gap);
        let guard = self.guard_of(contact);
        (then - now) / (guard - now).clamp(1e-3 * guard, 0.5 * guard)
    }

    /// The last consistent state stays (6.4).
    fn jam(&mut self) {
        for contact in &mut self.contacts {
            (contact.push, contact.force) = (0.0, 0.0);
        }
        for body in &mut self.bodies {
            body.velocity = Twist::ZERO;
        }
        self.report.jam = true;
    }

    fn remember_slips(&mut self) {
        let slips: Vec<_> =
            self.contacts.iter().map(|contact| self.slip(contact, &self.state(contact))).collect();
        for (contact, slip) in self.contacts.iter_mut().zip(slips) {
            contact.slip = slip;
            if slip.norm() >= self.options.slowest_slide {
                contact.slides_along = glam::DVec3::ZERO;
            }
        }
    }

    /// Indices of the contacts of a cluster.
    fn members(&self, cluster: &[usize]) -> Vec<usize> {
        let within = |index: &usize| cluster.contains(&self.contacts[*index].part);
        (0..self.contacts.len()).filter(within).collect()
    }

    fn system(
        &self,
        cluster: &[usize],
        members: &[usize],
        velocities: &[Twist],
        dt: f64,
        tilted: bool,
    ) -> System {
        let moving = |part: &usize| {
            let body = &self.bodies[*part];
            let velocity = velocities.get(*part).copied().unwrap_or(Twist::ZERO);
            Moving { pose: body.pose, centre: body.centre, wanted: velocity * dt }
        };
        let acting = |index: &usize| {
            let contact = &self.contacts[*index];
            let state = self.state(contact);
            let direction = if tilted { self.force_direction(contact, &state) } else { state.normal };
            let effect = |part: usize, direction: glam::DVec3, normal: glam::DVec3| {
                let body = &self.bodies[part];
                let frame = body.frame();
                let arm = state.on_a - body.mass_centre();
                let does = frame.twist(&frame.row(direction, arm)) * (self.bodies[0].mass / body.mass);
                (does, Twist::new(normal, arm.cross(normal)))
            };
            let (does, feels) = effect(contact.part, direction, state.normal);
            let mut sides = ([does, Twist::ZERO], [feels, Twist::ZERO]);
            let other = match contact.partner {
                Partner::Obstacle(index) => Other::Standing(*self.obstacles[index].pose()),
                Partner::Part(part) => {
                    (sides.0[1], sides.1[1]) = effect(part, -direction, -state.normal);
                    Other::Moving(cluster.iter().position(|known| *known == part).unwrap_or_default())
                }
            };
            let guard =
                if contact.is_auxiliary() { AUXILIARY_GUARD * self.options.play } else { self.options.guard };
            let body = cluster.iter().position(|known| *known == contact.part).unwrap_or_default();
            let condition = contact.condition;
            Acting { condition, body, other, guard, does: sides.0, feels: sides.1 }
        };
        System {
            bodies: cluster.iter().map(moving).collect(),
            contacts: members.iter().map(acting).collect(),
            guard: self.options.guard.min(AUXILIARY_GUARD * self.options.play),
        }
    }

    /// The distance in m that a contact keeps.
    fn guard_of(&self, contact: &BuckContact) -> f64 {
        if contact.is_auxiliary() { AUXILIARY_GUARD * self.options.play } else { self.options.guard }
    }

    /// Takes a contact out of the set, and its auxiliary contacts with it.
    fn remove(&mut self, index: usize) {
        let id = self.contacts.remove(index).id;
        self.contacts.retain(|contact| contact.sticks != Some(id));
    }

    /// Ends contacts that have opened or left their features, or lets them flow over.
    fn end_contacts(&mut self) -> Result<(), HandlingError> {
        let newest = if self.report.born { self.contacts.last().map(|contact| contact.id) } else { None };
        let ids: Vec<u64> = self.contacts.iter().map(|contact| contact.id).collect();
        for id in ids.into_iter().filter(|id| Some(*id) != newest) {
            let Some(index) = self.contacts.iter().position(|contact| contact.id == id) else { continue };
            let contact = self.contacts[index];
            let state = self.state(&contact);
            let guard =
                if contact.is_auxiliary() { AUXILIARY_GUARD * self.options.play } else { self.options.guard };
            let open = contact.push <= NO_FORCE * self.options.guard && state.gap > (1.0 + OPEN) * guard;
            let pulls = self.options.bilateral && contact.push < -NO_FORCE * guard;
            if open || pulls {
                self.report.opened += 1;
                self.remove(index);
            } else if !self.still_on_features(index)? {
                match self.neighbour(&contact)? {
                    Some(feature) => {
                        self.contacts[index].condition = Condition::Feature(feature);
                        self.report.flowed += 1;
                        self.stick_anew(index);
                    }
                    None => {
                        self.report.left += 1;
                        self.remove(index);
                    }
                }
            }
        }
        Ok(())
    }

    /// True if the feet of a contact lie on its features (44), (45). A flat face of several triangles is one feature: the contact goes over to the triangle that is below.
    fn still_on_features(&mut self, index: usize) -> Result<bool, HandlingError> {
        let contact = self.contacts[index];
        let state = self.state(&contact);
        let Condition::Feature(feature) = &contact.condition else { return Ok(true) };
        if !state.on_features || !matches!(feature.kind, NearKind::VertexFace | NearKind::FaceVertex) {
            return Ok(state.on_features);
        }
        let (own, theirs) = (self.bodies[contact.part].pose, self.pose_of(contact.partner));
        let near = self.all_near(contact.pair(), &own, &theirs, state.gap.max(0.0) + self.options.guard)?;
        let same = near.into_iter().find(|found| found.name == feature.name);
        if let Some(same) = same {
            self.contacts[index].condition = Condition::Feature(same);
        }
        Ok(same.is_some())
    }

    /// A feature that touches where a contact that left its features does (5.4).
    fn neighbour(
        &mut self,
        contact: &BuckContact,
    ) -> Result<Option<prall_detection::NearFeature>, HandlingError> {
        let guard = self.options.guard;
        let (own, theirs) = (self.bodies[contact.part].pose, self.pose_of(contact.partner));
        let state = contact.condition.at(&own, &theirs);
        let near = self.near(contact.pair(), &own, &theirs, FLOWING * guard)?;
        Ok(near.into_iter().find(|feature| {
            let at = feature.at(&own, &theirs);
            (at.on_a - state.on_a).norm() < 4.0 * guard && at.gap >= 0.0
        }))
    }

    /// Puts planes around the new features of a contact that sticks.
    fn stick_anew(&mut self, index: usize) {
        let contact = self.contacts[index];
        let (own, theirs) = (self.bodies[contact.part].pose, self.pose_of(contact.partner));
        if let (Condition::Feature(feature), true) = (&contact.condition, contact.is_sticking()) {
            let planes = AuxiliaryPlane::around(feature, &own, &theirs, self.options.play);
            self.contacts[index].planes = Some(planes);
            self.contacts.retain(|known| known.sticks != Some(contact.id));
        }
    }
}
