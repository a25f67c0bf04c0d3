//! The way of one island through the solver.

use glam::DVec3;

use super::arena::{Island, View};
use super::sweep::{self, Outside, Pace};
use super::{ContactOptions, ContactStep, Coupling, energy};
use crate::{Bodies, Budget};

/// What every island may read.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub bodies: &'a Bodies,
    pub step: &'a ContactStep<'a>,
    pub options: &'a ContactOptions,
    pub up: DVec3,
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

/// Solves islands on the threads of the pool that this is called in. Work is not limited.
pub(super) fn solve_in_parallel(view: View<'_>, islands: &mut [Island], context: &Context<'_>) {
    /// Halving goes on down to this many blocks: about 10 us of work, some twenty times what handing it over costs.
    const GRAIN: usize = 64;
    let total: usize = islands.iter().map(|i| i.blocks).sum();
    if islands.len() < 2 || total < GRAIN {
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
    let used = budget.used();
    island.report.islands = 1;
    sweep::warm_start(view, None);
    energy::limit_warm_start(view, island.dynamic, context.bodies);
    for index in 0..view.blocks.len() {
        view.build_matrix(index);
        view.build_rows(index);
    }
    let pace = Pace { passes: context.options.inner, tolerance: context.options.velocity_tolerance };
    for count in 0..context.options.most_sweeps {
        let residual = sweep::sweep(view, count % 2 == 0, pace, budget, None);
        island.report.sweeps = count as usize + 1;
        island.report.residual = residual;
        if residual <= pace.tolerance || budget.exhausted() {
            break;
        }
    }
    finish(view, island, budget, used);
}

fn finish(view: &View<'_>, island: &mut Island, budget: &Budget, used: u64) {
    island.report.contacts = view.points.iter().filter(|p| p.l[0] > 0.0).count();
    island.report.work = budget.used() - used;
    island.report.cut = budget.exhausted();
}

/// Solves the island of joints and links: sweeps of blocks and of joints in turn.
pub(super) fn solve_mixed(
    view: &mut View<'_>,
    island: &mut Island,
    outside: &mut Outside<'_, '_>,
    joints: &mut dyn Coupling,
    h: f64,
    options: &ContactOptions,
    budget: &mut Budget,
) {
    let used = budget.used();
    island.report.islands = 1;
    sweep::warm_start(view, Some(outside));
    for index in 0..view.blocks.len() {
        view.build_matrix(index);
    }
    outside.add_responses(view);
    for index in 0..view.blocks.len() {
        view.build_rows(index);
    }
    let pace = Pace { passes: options.inner, tolerance: options.velocity_tolerance };
    for count in 0..options.most_sweeps {
        let contacts = sweep::sweep(view, count % 2 == 0, pace, budget, Some(outside));
        publish(view, outside.movers.bodies);
        let joints = joints.sweep(outside.movers, h);
        take_over(view, outside.movers.bodies);
        island.report.sweeps = count as usize + 1;
        island.report.residual = contacts.max(joints);
        if island.report.residual <= pace.tolerance || budget.exhausted() {
            break;
        }
    }
    finish(view, island, budget, used);
}

/// Writes the velocities of an island to the bodies.
pub(super) fn publish(view: &View<'_>, bodies: &mut Bodies) {
    for (velocity, local) in view.velocities.iter().zip(view.locals.iter()) {
        bodies.velocities[local.global as usize] = *velocity;
    }
}

fn take_over(view: &mut View<'_>, bodies: &Bodies) {
    for (velocity, local) in view.velocities.iter_mut().zip(view.locals.iter()) {
        *velocity = bodies.velocities[local.global as usize];
    }
}
