//! The shock pass: what sweeps have not carried up a stack goes up in one pass, on velocities alone.
//!
//! From the ground upwards, each body's own problem on all its supports is solved exactly while the bodies below keep their present
//! velocity as if they were immovable (Guendelman 2003; used by Bender 2007). It starts from the percussions found so far, so
//! it may take some of them back. Its percussions are thrown away: stored, they would make warm start and velocities an oscillator. So it breaks
//! momentum by what sweeps had left as error, which is reported; and it is undone where it would raise the energy.

use prall_math::{Norm, Twist};

use super::arena::{Island, View};
use super::footing::Footing;
use super::solve::Context;
use super::sweep::{self, Pace};
use super::{energy, kernel, rest};
use crate::{Budget, Response};

/// The local problems end at this part of the tolerance: loose ones bring stacks down.
const EXACT: f64 = 1e-3;

/// Passes inside a block, and rounds over the supports of one body.
const PASSES: u32 = 16;
const ROUNDS: u32 = 24;

/// Passes and Newton steps over the points of a body.
const MOST_PASSES: u32 = 96;

/// The pass may spend so many times the passes over blocks that the sweeps before it may take: what stacks of 40 rows need while they
/// settle. In a chaotic heap, where many local
/// problems converge slowly and most passes are refused anyway, the bodies after that get fewer rounds, of fewer passes.
const ALLOWANCE: u32 = 4;
const FEW_PASSES: u32 = 2;
const FEW_ROUNDS: u32 = 2;

/// Carries velocities upwards. Returns the momentum that was changed, in N s, or `None` if the pass was undone.
pub(super) fn shock(
    view: &mut View<'_>,
    island: &Island,
    context: &Context<'_>,
    budget: &mut Budget,
) -> Option<f64> {
    let dynamic = island.dynamic;
    let carrier = rest::Carrier::of(view, dynamic, context.bodies, context.step.h);
    let moving = |view: &View<'_>| energy::kinetic(view, dynamic, context.bodies, carrier.as_ref());
    let before = moving(view);
    for (local, velocity) in view.locals.iter_mut().zip(view.velocities.iter()) {
        local.saved = *velocity;
    }
    view.points.iter_mut().for_each(|p| p.trial = p.l);
    view.blocks.iter_mut().for_each(|block| block.saved_moment = block.moment);
    let tolerance = context.options.velocity_tolerance;
    let options = context.options;
    let mut footing = Footing::new();
    let mut allowance = u64::from(ALLOWANCE * options.most_sweeps * options.inner) * view.blocks.len() as u64;
    for body in 0..dynamic {
        follow(view, body, tolerance, (&mut footing, &mut allowance), budget);
    }
    view.points.iter_mut().for_each(|p| p.l = p.trial);
    view.blocks.iter_mut().for_each(|block| block.moment = block.saved_moment);
    if moving(view) > before || budget.exhausted() {
        for (local, velocity) in view.locals.iter().zip(view.velocities.iter_mut()) {
            *velocity = local.saved;
        }
        return None;
    }
    let changed = |(velocity, local): (&Twist, &super::arena::Local)| {
        (velocity.linear - local.saved.linear).norm() * context.bodies.mass(local.global as usize)
    };
    Some(view.velocities[..dynamic].iter().zip(view.locals.iter()).map(changed).sum())
}

/// Solves a body's own problem on its supports.
fn follow(
    view: &mut View<'_>,
    body: usize,
    tolerance: f64,
    (footing, allowance): (&mut Footing, &mut u64),
    budget: &mut Budget,
) {
    let (first, end) = view.locals[body].blocks;
    let supports = |view: &View<'_>, index: usize| view.blocks[index].supports;
    if !(first as usize..end as usize).any(|i| supports(view, i) && is_open(view, i, tolerance)) {
        return;
    }
    if let Some(supports) = gather(view, body, footing) {
        let most = if *allowance > 0 { MOST_PASSES } else { FEW_PASSES * FEW_ROUNDS };
        let passes = footing.solve(&mut view.velocities[body], EXACT * tolerance, most);
        let work = u64::from(passes) * supports;
        *allowance = allowance.saturating_sub(work);
        budget.take_units(work);
        return;
    }
    for index in first as usize..end as usize {
        if supports(view, index) {
            stand_on_fixed(view, index);
        }
    }
    let (rounds, passes) = if *allowance > 0 { (ROUNDS, PASSES) } else { (FEW_ROUNDS, FEW_PASSES) };
    let pace = Pace { passes, tolerance: EXACT * tolerance, decay: kernel::ALONE };
    for _ in 0..rounds {
        let mut change = 0.0_f64;
        for index in first as usize..end as usize {
            if !supports(view, index) {
                continue;
            }
            if !budget.take() {
                return;
            }
            let lower = lower_of(view, index);
            let kept = view.velocities[lower];
            let response = std::mem::replace(&mut view.responses[lower], Response::NONE);
            let (own, passes) = sweep::visit(view, index, pace, None);
            change = change.max(own);
            *allowance = allowance.saturating_sub(u64::from(passes));
            view.responses[lower] = response;
            view.velocities[lower] = kept;
        }
        if change <= EXACT * tolerance {
            return;
        }
    }
}

/// Brings together the points that a body stands on. Returns how many supports they belong to, or `None` if there are too many points, or
/// supports that resist turning.
fn gather(view: &View<'_>, body: usize, footing: &mut Footing) -> Option<u64> {
    let (first, end) = view.locals[body].blocks;
    footing.clear();
    let mut count = 0;
    for index in first as usize..end as usize {
        let block = &view.blocks[index];
        if !block.supports {
            continue;
        }
        let support = &view.velocities[lower_of(view, index)];
        let (points, is_a) = (&view.points[block.range()], block.a as usize == body);
        if block.resists_turning() || !footing.add(block, points, is_a, support, &view.responses[body]) {
            return None;
        }
        count += 1;
    }
    Some(count)
}

fn lower_of(view: &View<'_>, index: usize) -> usize {
    let block = &view.blocks[index];
    if block.a == block.upper { block.b as usize } else { block.a as usize }
}

/// `K` of a block whose lower body does not give way.
fn stand_on_fixed(view: &mut View<'_>, index: usize) {
    let lower = lower_of(view, index);
    if view.responses[lower] == Response::NONE {
        return;
    }
    let kept = std::mem::replace(&mut view.responses[lower], Response::NONE);
    view.build_matrix(index);
    view.build_rows(index);
    view.responses[lower] = kept;
}

/// True if a point of the block does not satisfy its law to the tolerance.
fn is_open(view: &View<'_>, index: usize, tolerance: f64) -> bool {
    let block = &view.blocks[index];
    let y = block.ruled(&view.velocities[block.a as usize], &view.velocities[block.b as usize]);
    view.points[block.range()].iter().any(|p| {
        let vn = y[0] + p.d2 * y[4] - p.d1 * y[5] + p.bias;
        let (v1, v2) = (y[1] - p.d2 * y[3], y[2] + p.d1 * y[3]);
        let [ln, l1, l2] = p.l;
        let sticks = l1 * l1 + l2 * l2 < 0.99 * (block.static_friction * ln) * (block.static_friction * ln);
        vn < -tolerance || ln > 0.0 && (vn > tolerance || sticks && v1 * v1 + v2 * v2 > tolerance * tolerance)
    })
}
