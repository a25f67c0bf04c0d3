//! The way of one island through the solver.

use super::arena::{Island, View};
use super::impact::Judge;
use super::rest::{self, Verdict};
use super::sequence::Joined;
use super::sweep::{self, Outside, Pace};
use super::{ContactOptions, ContactStep, Coupling, Patience, energy, impact, kernel, sequence, shock, work};
use crate::{Bodies, Budget};
use prall_math::{Norm, Twist};

/// What every island may read.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub bodies: &'a Bodies,
    pub step: &'a ContactStep<'a>,
    pub options: &'a ContactOptions,
}

/// Solves islands of free bodies one after another, on several threads where there is a pool.
///
/// Each island has its own part of the arrays, and its report stays with it: the bits do not depend on threads.
pub(super) fn solve_all(view: View<'_>, islands: &mut [Island], context: &Context<'_>, budget: &mut Budget) {
    let mut rest = view;
    for island in islands {
        let (mut own, after) = rest.split(island);
        solve(&mut own, island, context, budget);
        rest = after;
    }
}

/// Whether there is enough to do for several threads. Handing anything to a pool wakes a thread, which takes longer than a step of
/// a small world.
pub(super) fn worth_sharing(islands: &[Island]) -> bool {
    /// So many blocks are about 10 us of work, some twenty times what handing them over costs among threads that are awake.
    const GRAIN: usize = 64;
    islands.len() > 1 && islands.iter().map(|island| island.blocks).sum::<usize>() >= GRAIN
}

/// Solves islands on the threads of the pool that this is called in. Work is not limited.
pub(super) fn solve_in_parallel(view: View<'_>, islands: &mut [Island], context: &Context<'_>) {
    let total: usize = islands.iter().map(|i| i.blocks).sum();
    if !worth_sharing(islands) {
        return solve_all(view, islands, context, &mut Budget::unlimited());
    }
    let (mut bodies, mut blocks, mut points, mut middle) = (0, 0, 0, 0);
    for island in &islands[..islands.len() - 1] {
        (bodies, blocks, points) = (bodies + island.bodies, blocks + island.blocks, points + island.points);
        middle += 1;
        if 2 * blocks >= total {
            break;
        }
    }
    let (first, second) = islands.split_at_mut(middle);
    let (own, after) = view.split_at(bodies, blocks, points);
    rayon::join(|| solve_in_parallel(own, first, context), || solve_in_parallel(after, second, context));
}

fn solve(view: &mut View<'_>, island: &mut Island, context: &Context<'_>, budget: &mut Budget) {
    let (used, options) = (budget.used(), context.options);
    island.report.islands = 1;
    let elastic = view.blocks.iter().any(|block| block.restitution > 0.0);
    sweep::warm_start(view, None);
    energy::limit_warm_start(view, island.dynamic, context.bodies);
    let rebounds = if elastic && options.in_sequence() {
        let impacts = sequence::collide_all(view, island.dynamic, (context.step, options), budget, None);
        island.hit = impacts.count > 0;
        island.report.collisions = impacts.count;
        impacts.unfinished
    } else {
        elastic && impact::find(view, context, None)
    };
    let hit = island.hit;
    if !hit && !rebounds && stands(view, island, context, budget) {
        finish(view, island, budget, used);
        return;
    }
    if !hit {
        build(view);
        impact::find(view, context, None);
    }
    let pace = swept(options);
    let most = most_sweeps(options, island.blocks);
    (island.report.sweeps, island.report.residual) = sweep::converge(view, most, pace, budget, None);
    if !hit && !rebounds && island.report.residual > pace.tolerance && is_calm(view, island, context) {
        sweep_on(view, island, pace, budget);
    }
    island.report.collisions += impact::count(view);
    if rebounds {
        let judge = Judge::Free(context);
        impact::rebound(view, island.dynamic, (options, context.step.h), budget, judge);
    } else if options.shock && !hit && island.report.residual > pace.tolerance && island.tries.shock.is_due()
    {
        match shock::shock(view, island, context, budget) {
            Some(defect) => {
                island.report.momentum_defect = defect;
                work::account_shock(view, island, context);
                island.tries.shock = Patience::default();
            }
            None => island.tries.shock.failed(),
        }
    }
    finish(view, island, budget, used);
}

fn swept(options: &ContactOptions) -> Pace {
    Pace { passes: options.inner, tolerance: options.velocity_tolerance, decay: kernel::SWEPT }
}

/// Sweeps that an island may take: a small one as many as make it as expensive as one of [`SMALL`] blocks, if it needs them.
fn most_sweeps(options: &ContactOptions, blocks: usize) -> u32 {
    /// Blocks: what takes some 50 us for all of its sweeps.
    const SMALL: u32 = 48;
    /// Times as many sweeps, at most: what does not converge by then hardly does at all.
    const MOST: u32 = 16;
    let times = (SMALL / blocks.max(1) as u32).clamp(1, MOST);
    options.most_sweeps.saturating_mul(times)
}

/// True if nothing was faster than what falls for two steps: such an island stands, or begins to fall, and which of both decides the solver.
fn is_calm(view: &View<'_>, island: &Island, context: &Context<'_>) -> bool {
    const FALLING: f64 = 2.0;
    let limit = FALLING * context.step.gravity.norm() * context.step.h;
    view.locals[..island.dynamic].iter().all(|local| {
        let Twist { linear, angular } = context.step.before[local.global as usize];
        linear.norm() + angular.norm() * local.size <= limit
    })
}

/// Sweeps a calm island that has not converged until it has, within bounds. Arches and card houses carry load from stone to stone by friction and
/// thrust: the first forces of one of twenty stones take a thousand sweeps, all later ones a few. Islands that do not converge by then (they fall) are tried
/// ever more seldom.
fn sweep_on(view: &mut View<'_>, island: &mut Island, pace: Pace, budget: &mut Budget) {
    /// Visits of blocks of an island of some hundred, about 25 ms: what seven storeys of cards take in their first step of 1/240 s.
    const VISITS: usize = 200_000;
    /// Of a larger one, some 5 ms: there load goes down through many bodies, for which the shock pass is made.
    const VISITS_OF_MANY: usize = 40_000;
    const MANY: usize = 400;
    let visits = if island.blocks > MANY { VISITS_OF_MANY } else { VISITS };
    let most = (visits / island.blocks.max(1)) as u32;
    if most <= island.report.sweeps as u32 || !island.tries.more.is_due() {
        return;
    }
    let (sweeps, residual) = sweep::converge(view, most, pace, budget, None);
    island.report.sweeps += sweeps;
    island.report.residual = residual;
    if residual > pace.tolerance {
        island.tries.more.failed();
    } else {
        island.tries.more = Patience::default();
    }
}

/// Writes `K` and rows of all blocks.
fn build(view: &mut View<'_>) {
    for index in 0..view.blocks.len() {
        view.build_matrix(index);
        view.build_rows(index);
    }
}

/// Tries to prove rest, unless tries have failed of late: then in every 2nd, 4th or 8th step only.
fn stands(view: &mut View<'_>, island: &mut Island, context: &Context<'_>, budget: &mut Budget) -> bool {
    if !context.options.rest_certificate || !island.tries.rest.is_due() {
        return false;
    }
    if !budget.take_units(island.blocks as u64) {
        return false;
    }
    match rest::certify(view, island.dynamic, context) {
        Verdict::Stands => {
            island.tries.rest = Patience::default();
            island.report.certified = 1;
            return true;
        }
        Verdict::Fails => island.tries.rest.failed(),
        Verdict::Hopeless => {}
    }
    false
}

fn finish(view: &View<'_>, island: &mut Island, budget: &Budget, used: u64) {
    island.report.contacts = view.points.iter().filter(|p| p.l[0] > 0.0).count();
    island.report.work = budget.used() - used;
    island.report.cut = budget.exhausted();
}

/// Look-aheads of joints, at most, and what part of the miss each has to leave at most for another one.
const LOOKS: u32 = 12;
const BETTER: f64 = 0.7;

/// Solves the island of joints and links: sweeps of blocks and of joints in turn.
pub(super) fn solve_mixed(
    view: &mut View<'_>,
    island: &mut Island,
    outside: &mut Outside<'_, '_>,
    joints: &mut dyn Coupling,
    (step, options): (&ContactStep<'_>, &ContactOptions),
    budget: &mut Budget,
) {
    let used = budget.used();
    island.report.islands = 1;
    let energy_before = energy::total(view, island.dynamic, outside);
    // Links answer for their whole mover, so that no impact is between two bodies alone.
    let elastic = view.blocks.iter().any(|block| block.restitution > 0.0);
    let in_sequence = elastic && options.in_sequence() && outside.links.is_empty();
    let mut rebounds = {
        let context = Context { bodies: outside.movers.bodies, step, options };
        impact::find(view, &context, Some(outside)) && !in_sequence
    };
    sweep::warm_start(view, Some(outside));
    if in_sequence {
        energy::limit_warm_start(view, island.dynamic, outside.movers.bodies);
        let joined = Joined { outside, joints };
        let impacts = sequence::collide_all(view, island.dynamic, (step, options), budget, Some(joined));
        island.hit = impacts.count > 0;
        island.report.collisions = impacts.count;
        rebounds = impacts.unfinished;
    }
    if !island.hit {
        for index in 0..view.blocks.len() {
            view.build_matrix(index);
        }
        outside.add_responses(view);
        for index in 0..view.blocks.len() {
            view.build_rows(index);
        }
    }
    let pace = swept(options);
    let mut last = f64::INFINITY;
    for _ in 0..LOOKS {
        sweep_mixed(view, island, outside, joints, (step, options), (pace, budget));
        let miss = joints.aim_anew(outside.movers);
        if !(miss > 0.0 && miss < BETTER * last) || budget.exhausted() {
            break;
        }
        last = miss;
    }
    island.report.collisions += impact::count(view);
    if rebounds {
        let judge = Judge::Mixed(outside, energy_before);
        impact::rebound(view, island.dynamic, (options, step.h), budget, judge);
        publish(view, island.dynamic, outside.movers.bodies);
        joints.sweep(outside.movers, step.h);
        take_over(view, island.dynamic, outside.movers.bodies);
    }
    finish(view, island, budget, used);
}

/// Sweeps blocks and joints in turn until neither changes.
fn sweep_mixed(
    view: &mut View<'_>,
    island: &mut Island,
    outside: &mut Outside<'_, '_>,
    joints: &mut dyn Coupling,
    (step, options): (&ContactStep<'_>, &ContactOptions),
    (pace, budget): (Pace, &mut Budget),
) {
    for count in 0..most_sweeps(options, island.blocks) {
        let contacts = sweep::sweep(view, count % 2 == 0, (pace, 0.0), budget, Some(outside));
        publish(view, island.dynamic, outside.movers.bodies);
        let joints = joints.sweep(outside.movers, step.h);
        take_over(view, island.dynamic, outside.movers.bodies);
        island.report.sweeps += 1;
        island.report.residual = contacts.max(joints);
        if island.report.residual <= pace.tolerance || budget.exhausted() {
            break;
        }
    }
}

/// Writes the velocities of an island to the bodies.
pub(super) fn publish(view: &View<'_>, dynamic: usize, bodies: &mut Bodies) {
    for (velocity, local) in view.velocities[..dynamic].iter().zip(view.locals.iter()) {
        bodies.velocities[local.global as usize] = *velocity;
    }
}

pub(super) fn take_over(view: &mut View<'_>, dynamic: usize, bodies: &Bodies) {
    for (velocity, local) in view.velocities[..dynamic].iter_mut().zip(view.locals.iter()) {
        *velocity = bodies.velocities[local.global as usize];
    }
}
