//! Positions are corrected apart from momentum: pseudo-displacements that take overlaps apart and are then forgotten.
//!
//! The same blocks and the same kernel as for velocities, without friction: `d` in the place of `v`, and
//! `gap + J d >= -tolerance/2` in the place of `vn >= -gap/h`. Some sweeps for all, then one from the ground upwards in which
//! the lower body of each block stays: without momentum that costs no physics. What it lifts, the motion of the bodies pays.

use glam::DVec3;
use prall_math::{Norm, Twist, Wrench, rotation};

use super::arena::{Arena, Local, Source, View};
use super::block::{Block, Point};
use super::manifold::Set;
use super::sweep::{self, Pace};
use super::{ContactOptions, Contacts, ProjectionReport, Side, Uncoupled, kernel};
use crate::{Bodies, Budget, Movers, Response, about_origin};

/// Passes inside a block in the sweeps, and in the last one, which has to be exact.
const PASSES: u32 = 2;
const LAST_PASSES: u32 = 8;

/// Only gaps up to this many times the deepest overlap take part: corrections are hardly larger than overlaps, and what they do close
/// is undone in the next step.
const NEAR: f64 = 2.0;

/// Sweeps that leave more than this part of the deepest overlap have not taken it apart.
const LEFT: f64 = 0.95;

/// Share of a kinetic energy that is rounding.
const ROUNDING: f64 = 1e-14;

impl Contacts {
    /// Moves bodies out of each other, in so far as this step's contacts say that they overlap by more than the tolerance.
    ///
    /// To be called with fresh manifolds, at the poses that they were found at. Gaps and places of the contacts follow.
    /// Links stay where they are: their overlaps are undone by velocities in [`Contacts::solve`].
    pub fn project(
        &mut self,
        movers: &mut Movers<'_>,
        gravity: DVec3,
        options: &ContactOptions,
        budget: &mut Budget,
    ) -> ProjectionReport {
        let before = self.deepest;
        let mut report =
            ProjectionReport { deepest_before: before, deepest_after: before, ..ProjectionReport::default() };
        let Some(within) = self.projection_reach(options) else { return report };
        let used = budget.used();
        let up = (-gravity).try_unit().unwrap_or(DVec3::Y);
        let source = Source {
            set: &self.set,
            asleep: &self.asleep,
            up,
            h: 1.0,
            slack: 0.0,
            scale: 0.0,
            within,
            rolling: &[],
        };
        self.arena.build(&source, movers, &Uncoupled, &[]);
        let (mut rest, islands) = self.arena.view();
        for island in islands {
            let (mut own, after) = rest.split(island);
            project_island(&mut own, island.dynamic, options, budget);
            rest = after;
        }
        move_bodies(&mut self.arena, movers.bodies, gravity, options, &mut report);
        self.deepest = update(&mut self.arena, &mut self.set, movers.bodies);
        report.deepest_after = self.deepest;
        report.work = budget.used() - used;
        report
    }

    /// The gap in m up to which contacts take part in a projection now; `None` if nothing overlaps by more than the tolerance.
    pub fn projection_reach(&self, options: &ContactOptions) -> Option<f64> {
        (self.deepest > options.position_tolerance).then_some(NEAR * self.deepest)
    }
}

fn project_island(view: &mut View<'_>, dynamic: usize, options: &ContactOptions, budget: &mut Budget) {
    let tolerance = options.position_tolerance;
    view.velocities.fill(Twist::ZERO);
    let before = view.points.iter().map(|point| -point.gap).fold(0.0, f64::max);
    if before <= tolerance {
        return;
    }
    for point in view.points.iter_mut() {
        point.bias = point.gap + 0.5 * tolerance;
        point.l = [0.0; 3];
    }
    for index in 0..view.blocks.len() {
        let block = &mut view.blocks[index];
        (block.static_friction, block.dynamic_friction) = (0.0, 0.0);
        (block.rolling_arm, block.spinning_arm, block.moment) = (0.0, 0.0, [0.0; 3]);
        view.build_matrix(index);
        view.build_rows(index);
    }
    let pace = Pace { passes: PASSES, tolerance: 0.25 * tolerance, decay: kernel::SWEPT };
    sweep::converge(view, options.position_sweeps, pace, budget, None);
    let last = Pace { passes: LAST_PASSES, decay: kernel::ALONE, ..pace };
    lift(view, last, budget);
    // Between bodies that nothing moves there may be no room for what is there. Then nothing gets better.
    if view.locals.len() > dynamic + 1 && deepest(view) > (LEFT * before).max(2.0 * tolerance) {
        share(view, last, budget);
    }
}

/// How deep points of a block overlap after the displacements, in m; 0 or less if they do not.
fn depth(view: &View<'_>, block: &Block) -> f64 {
    let moved = block.relative(&view.velocities[block.a as usize], &view.velocities[block.b as usize]);
    let depth = |point: &Point| -(point.gap + point.along_normal(&moved));
    view.points[block.range()].iter().map(depth).fold(f64::NEG_INFINITY, f64::max)
}

fn deepest(view: &View<'_>) -> f64 {
    view.blocks.iter().map(|block| depth(view, block)).fold(0.0, f64::max)
}

/// Shares overlaps that cannot all be taken apart out among those who squeeze: each block in turn goes a part of the way to where it is apart, a smaller one in
/// each sweep, which ends where the sum of their squares is least, of those between two that yield by half. Kept only if that makes the deepest overlap smaller.
fn share(view: &mut View<'_>, pace: Pace, budget: &mut Budget) {
    /// What is left of the last correction is one of as many parts of an overlap.
    const SWEEPS: usize = 24;
    if !budget.take_units((SWEEPS * view.blocks.len()) as u64) {
        return;
    }
    let before = deepest(view);
    for (local, lifted) in view.locals.iter_mut().zip(view.velocities.iter()) {
        local.saved = *lifted;
    }
    for index in 0..view.blocks.len() {
        view.build_matrix(index);
        view.build_rows(index);
    }
    // From where the bodies are: the steps before have begun to share.
    view.velocities.fill(Twist::ZERO);
    for sweep in 0..SWEEPS {
        let part = 1.0 / (sweep + 2) as f64;
        for count in 0..view.blocks.len() {
            let index = if sweep % 2 == 0 { count } else { view.blocks.len() - 1 - count };
            let sides = [view.blocks[index].a, view.blocks[index].b].map(|side| side as usize);
            let start = sides.map(|side| view.velocities[side]);
            // Only overlaps count, not what other visits have done.
            view.points[view.blocks[index].range()].iter_mut().for_each(|point| point.l = [0.0; 3]);
            sweep::visit(view, index, pace, None);
            for (side, start) in sides.into_iter().zip(start) {
                view.velocities[side] = start + (view.velocities[side] - start) * part;
            }
        }
    }
    if !(deepest(view) < before) {
        for (displacement, local) in view.velocities.iter_mut().zip(view.locals.iter()) {
            *displacement = local.saved;
        }
    }
}

/// The last pass: every body above is moved off those below, which stay.
fn lift(view: &mut View<'_>, pace: Pace, budget: &mut Budget) {
    for index in 0..view.blocks.len() {
        if !budget.take() {
            return;
        }
        let block = view.blocks[index];
        let lower = if block.a == block.upper { block.b } else { block.a } as usize;
        if !block.supports || lower >= view.responses.len() {
            sweep::visit(view, index, pace, None);
            continue;
        }
        let kept = std::mem::replace(&mut view.responses[lower], Response::NONE);
        view.build_matrix(index);
        view.build_rows(index);
        sweep::visit(view, index, pace, None);
        view.responses[lower] = kept;
    }
}

/// Moves bodies by their displacements, within the cap, island by island. What lifting them costs is paid by their motion.
fn move_bodies(
    arena: &mut Arena,
    bodies: &mut Bodies,
    gravity: DVec3,
    options: &ContactOptions,
    report: &mut ProjectionReport,
) {
    let mut first = 0;
    for island in &arena.islands {
        let end = first + island.bodies;
        let (displacements, given) = arena.velocities[first..end].split_at_mut(island.dynamic);
        let locals = &arena.locals[first..];
        let moving = |local: &Local| bodies.velocities[local.global as usize] != Twist::ZERO;
        // Motion against what is fixed pays; without that, or beside something that is driven, motion against each other.
        let anchored = !given.is_empty() && !locals[island.dynamic..island.bodies].iter().any(moving);
        for (d, local) in displacements.iter_mut().zip(locals).filter(|(d, _)| **d != Twist::ZERO) {
            cap(d, bodies, local.global as usize, options.largest_correction);
        }
        if displacements.iter().any(|d| *d != Twist::ZERO) {
            let mut group = Group { displacements, locals, bodies: &mut *bodies };
            let before = group.momentum();
            report.energy += group.pay(gravity, options.position_tolerance, anchored);
            report.energy += group.shift(gravity);
            report.moved += group.displacements.iter().filter(|d| **d != Twist::ZERO).count();
            report.impulse = report.impulse + group.momentum() - before;
        }
        first = end;
    }
}

/// Shortens a displacement to the largest correction; one that is not finite is none.
fn cap(d: &mut Twist, bodies: &Bodies, index: usize, most: f64) {
    let inertia = bodies.inertia(index);
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    let gyration = (0.5 * trace / bodies.mass(index)).sqrt();
    let reach = d.linear.norm() + d.angular.norm() * gyration;
    *d = if reach.is_finite() { *d * (most / reach).min(1.0) } else { Twist::ZERO };
}

/// The bodies of an island that a projection moves.
struct Group<'a> {
    displacements: &'a mut [Twist],
    locals: &'a [Local],
    bodies: &'a mut Bodies,
}

impl Group<'_> {
    fn moved(&self) -> impl Iterator<Item = (usize, Twist)> + '_ {
        let pairs = self.displacements.iter().zip(self.locals);
        pairs.filter(|(d, _)| **d != Twist::ZERO).map(|(d, local)| (local.global as usize, *d))
    }

    /// Momentum of the bodies about the origin.
    fn momentum(&self) -> Wrench {
        self.moved().fold(Wrench::ZERO, |sum, (at, _)| {
            let linear = self.bodies.velocities[at].linear * self.bodies.mass(at);
            let spin = self.bodies.angular_momentum(at);
            sum + about_origin(self.bodies.poses[at].translation, linear, spin)
        })
    }

    /// Takes the work against gravity from the kinetic energy of the bodies that are moved, but for what lifting them by the tolerance costs.
    /// A lift that they cannot pay is shortened. Returns the energy that was given, 0 or less.
    ///
    /// Where sweeps leave a hit unsolved, bodies sink into each other and lose the energy of their fall; lifting all that stands above gave it
    /// back once more, step by step, and pyramids of a hundred rows exploded.
    fn pay(&mut self, gravity: DVec3, tolerance: f64, anchored: bool) -> f64 {
        let (mut lift, mut weight, mut mass) = (0.0, 0.0, 0.0);
        let mut carried = DVec3::ZERO;
        for (at, d) in self.moved() {
            let own = self.bodies.mass(at);
            lift -= own * gravity.dot(d.linear);
            weight += own * gravity.norm();
            mass += own;
            carried += self.bodies.velocities[at].linear * own;
        }
        let free = weight * tolerance;
        if !(lift > free) {
            return 0.0;
        }
        let common = if anchored { DVec3::ZERO } else { carried / mass };
        let kinetic: f64 = self.moved().map(|(at, _)| self.relative_energy(at, common)).sum();
        let most = kinetic + free;
        if lift > most {
            let share = most / lift;
            self.displacements.iter_mut().for_each(|d| *d = *d * share);
            lift = most;
        }
        let scale = if kinetic > 0.0 { (1.0 - (lift - free) / kinetic).max(0.0).sqrt() } else { 1.0 };
        for (_, local) in self.displacements.iter().zip(self.locals).filter(|(d, _)| **d != Twist::ZERO) {
            let velocity = &mut self.bodies.velocities[local.global as usize];
            velocity.linear = common + (velocity.linear - common) * scale;
            velocity.angular *= scale;
        }
        self.moved().map(|(at, _)| self.relative_energy(at, common)).sum::<f64>() - kinetic
    }

    /// Kinetic energy of a body seen from a frame that moves with `common`.
    fn relative_energy(&self, at: usize, common: DVec3) -> f64 {
        let mass = self.bodies.mass(at);
        let velocity = self.bodies.velocities[at].linear;
        let all = self.bodies.kinetic_energy(at);
        all - 0.5 * mass * (velocity.length_squared() - (velocity - common).length_squared())
    }

    /// Carries the displacements out. Returns the energy that this put in.
    fn shift(&mut self, gravity: DVec3) -> f64 {
        let mut energy = 0.0;
        for (d, local) in self.displacements.iter().zip(self.locals).filter(|(d, _)| **d != Twist::ZERO) {
            let (bodies, index) = (&mut *self.bodies, local.global as usize);
            let before = bodies.kinetic_energy(index);
            let pose = &mut bodies.poses[index];
            pose.translation += d.linear;
            pose.rotation = rotation::advance(pose.rotation, d.angular, 1.0);
            // At the new pose the same spin may be worth more: then it is turned along, which keeps the energy.
            if bodies.kinetic_energy(index) > before * (1.0 + ROUNDING) {
                let spin = &mut bodies.velocities[index].angular;
                *spin = rotation::exp(d.angular) * *spin;
            }
            bodies.turn_inertia(index);
            energy += bodies.kinetic_energy(index) - before - bodies.mass(index) * gravity.dot(d.linear);
        }
        energy
    }
}

/// Lets gaps and places of the contacts follow the displacements. Returns the deepest overlap that is left.
fn update(arena: &mut Arena, set: &mut Set, bodies: &Bodies) -> f64 {
    arena.displacements.clear();
    arena.displacements.resize(bodies.len(), Twist::ZERO);
    for (displacement, local) in arena.velocities.iter().zip(&arena.locals) {
        arena.displacements[local.global as usize] = *displacement;
    }
    let of = |side: Side| match side {
        Side::Body(index) => (arena.displacements[index as usize], bodies.poses[index as usize].translation),
        Side::Link { .. } => (Twist::ZERO, DVec3::ZERO),
    };
    let mut deepest = 0.0_f64;
    for manifold in &set.manifolds {
        let ((a, centre_a), (b, centre_b)) = (of(manifold.a), of(manifold.b));
        let moved = a != Twist::ZERO || b != Twist::ZERO;
        for point in &mut set.points[manifold.range()] {
            if moved {
                // The bodies have moved already: arms are those from where they were.
                let moved_a = a.velocity_at(point.place - (centre_a - a.linear));
                let moved_b = b.velocity_at(point.place - (centre_b - b.linear));
                point.gap += manifold.normal.dot(moved_a - moved_b);
                point.place += 0.5 * (moved_a + moved_b);
            }
            deepest = deepest.max(-point.gap);
        }
    }
    deepest
}
