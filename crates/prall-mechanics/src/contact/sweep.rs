//! Sweeps over the blocks of an island: Gauss-Seidel with exact blocks, from the ground upwards and back.

use prall_math::{Twist, Wrench};

use super::arena::View;
use super::block::{Block, LINK, Rows, UNSEEN};
use super::kernel;
use crate::{Budget, Movers, Response};

/// What an island touches besides free bodies.
pub(super) struct Outside<'a, 'b> {
    pub movers: &'a mut Movers<'b>,
    /// Mover, link and place of sides that are links.
    pub links: &'a [(u32, u32, glam::DVec3)],
}

impl Outside<'_, '_> {
    pub(super) fn twist(&self, side: u32) -> Twist {
        let (mover, link, place) = self.links[(side & !LINK) as usize];
        self.movers.others[mover as usize].twist_at(link, place)
    }

    fn apply(&mut self, side: u32, wrench: Wrench) {
        let (mover, link, place) = self.links[(side & !LINK) as usize];
        self.movers.others[mover as usize].apply(link, place, wrench);
    }

    /// Adds to `K` of the blocks what links answer.
    pub(super) fn add_responses(&self, view: &mut View<'_>) {
        for (block, k) in view.blocks.iter().zip(view.matrices.iter_mut()) {
            let place = |side: u32| {
                (side & LINK != 0).then(|| {
                    let (mover, link, place) = self.links[(side & !LINK) as usize];
                    (mover, (link, place))
                })
            };
            let (a, b) = (place(block.a), place(block.b));
            for (mover, at) in [a, b].into_iter().flatten() {
                block.add_world_response(k, &self.movers.others[mover as usize].response(at, at), 1.0);
            }
            if let (Some((mover, a)), Some((same, b))) = (a, b)
                && mover == same
            {
                let mover = &self.movers.others[mover as usize];
                block.add_world_response(k, &mover.response(a, b), -1.0);
                block.add_world_response(k, &mover.response(b, a), -1.0);
            }
        }
    }
}

/// How a sweep goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Over the points of a block, at most.
    pub passes: u32,
    /// In m/s.
    pub tolerance: f64,
    /// Passes end when they change by less than this part of the first: [`kernel::SWEPT`] or [`kernel::ALONE`].
    pub decay: f64,
}

/// Changes a velocity by a wrench at `arm` from the body's centre.
#[inline]
pub(super) fn push(velocity: &mut Twist, response: &Response, arm: glam::DVec3, wrench: &Wrench) {
    velocity.linear += wrench.force * response.inverse_mass;
    velocity.angular += response.inverse_inertia * (arm.cross(wrench.force) + wrench.torque);
}

/// The relative twist of a block's sides. Without an outside, links are at rest.
#[inline]
fn relative(view: &View<'_>, block: &Block, outside: Option<&Outside<'_, '_>>) -> Rows {
    if (block.a | block.b) & LINK != 0 {
        let twist = |side: u32, arm: glam::DVec3| {
            if side & LINK == 0 {
                view.velocities[side as usize].shifted(arm)
            } else {
                outside.map_or(Twist::ZERO, |outside| outside.twist(side))
            }
        };
        return block.rows(twist(block.a, block.arm_a) - twist(block.b, block.arm_b));
    }
    block.ruled(&view.velocities[block.a as usize], &view.velocities[block.b as usize])
}

/// Applies rows of percussion to both sides of a block.
#[inline]
pub(super) fn apply(view: &mut View<'_>, block: &Block, rows: &Rows, outside: Option<&mut Outside<'_, '_>>) {
    let wrench = block.wrench(rows);
    let mut outside = outside;
    for (side, arm, wrench) in [(block.a, block.arm_a, wrench), (block.b, block.arm_b, -wrench)] {
        if side & LINK == 0 {
            push(&mut view.velocities[side as usize], &view.responses[side as usize], arm, &wrench);
        } else if let Some(outside) = &mut outside {
            outside.apply(side, wrench);
        }
    }
}

/// Relaxes one block; returns the largest velocity change in m/s, and the number of passes.
#[inline]
pub(super) fn visit(
    view: &mut View<'_>,
    index: usize,
    pace: Pace,
    mut outside: Option<&mut Outside<'_, '_>>,
) -> (f64, u32) {
    let block = view.blocks[index];
    let range = block.range();
    let mut y = relative(view, &block, outside.as_deref());
    if kernel::is_idle(&view.points[range.clone()], &y) {
        return (0.0, 0);
    }
    let (points, rows) = (&mut view.points[range.clone()], &view.rows[range]);
    let (wrench, change, count) =
        kernel::relax(&mut view.blocks[index], &view.matrices[index], points, rows, &mut y, pace);
    if change > 0.0 {
        apply(view, &block, &wrench, outside.take());
    }
    (change, count)
}

/// Blocks whose sides have changed by less than this part of the tolerance since their last visit are passed by.
const CALM: f64 = 0.02;

/// The same, as a part of what the last sweep left: what is wrong by so much less than the worst can wait until that is better.
const UNIMPORTANT: f64 = 0.1;

/// Sweeps upwards and downwards in turn until no block changes by more than the tolerance. Returns how many sweeps it took, and the largest
/// change of the last one in m/s.
pub(super) fn converge(
    view: &mut View<'_>,
    most: u32,
    pace: Pace,
    budget: &mut Budget,
    mut outside: Option<&mut Outside<'_, '_>>,
) -> (usize, f64) {
    let least = CALM * pace.tolerance;
    let (mut calm, mut residual) = (least, 0.0);
    for count in 0..most {
        residual = sweep(view, count % 2 == 0, (pace, calm), budget, outside.as_deref_mut());
        let converged = residual <= pace.tolerance;
        if converged && calm <= least || budget.exhausted() {
            return (count as usize + 1, residual);
        }
        calm = if converged { least } else { (UNIMPORTANT * residual).max(least) };
    }
    (most as usize, residual)
}

/// One sweep, upwards or downwards. Returns the largest velocity change in m/s; the budget may end it at any block.
///
/// A block whose sides have changed by less than `calm` since it was solved is still solved: piles come to rest from the ground upwards, and what is
/// at rest costs no more than a look. What joints and links do is not counted, so that with them every block is visited.
pub(super) fn sweep(
    view: &mut View<'_>,
    upwards: bool,
    (pace, calm): (Pace, f64),
    budget: &mut Budget,
    mut outside: Option<&mut Outside<'_, '_>>,
) -> f64 {
    let mut residual = 0.0_f64;
    let count = view.blocks.len();
    for step in 0..count {
        let index = if upwards { step } else { count - 1 - step };
        if outside.is_none() && is_calm(view, index, calm) {
            continue;
        }
        if !budget.take() {
            break;
        }
        let (change, _) = visit(view, index, pace, outside.as_deref_mut());
        if outside.is_none() {
            stir(view, index, change);
        }
        residual = residual.max(change);
    }
    residual
}

#[inline]
fn is_calm(view: &View<'_>, index: usize, calm: f64) -> bool {
    let block = &view.blocks[index];
    stirred(view, block) - block.seen <= calm
}

/// How much both sides of a block have changed so far. Links are at rest here: sweeps that move them visit every block.
#[inline]
fn stirred(view: &View<'_>, block: &Block) -> f64 {
    let of = |side: u32| if side & LINK == 0 { view.stirred[side as usize] } else { 0.0 };
    of(block.a) + of(block.b)
}

/// Notes that a block has been solved, and by how much it changed its sides.
#[inline]
fn stir(view: &mut View<'_>, index: usize, change: f64) {
    let block = &view.blocks[index];
    let sides = [block.a, block.b];
    // Its own change counts too: what changed much is visited again until it has converged.
    view.blocks[index].seen = stirred(view, block);
    for side in sides.into_iter().filter(|side| side & LINK == 0) {
        if view.responses[side as usize] != Response::NONE {
            view.stirred[side as usize] += change;
        }
    }
}

/// Lets the next sweep visit every block.
pub(super) fn look_at_all(view: &mut View<'_>) {
    view.blocks.iter_mut().for_each(|block| block.seen = UNSEEN);
}

/// Applies the stored percussions of all blocks.
pub(super) fn warm_start(view: &mut View<'_>, mut outside: Option<&mut Outside<'_, '_>>) {
    for index in 0..view.blocks.len() {
        let block = view.blocks[index];
        let total = block.total(&view.points[block.range()]);
        if total != [0.0; 8] {
            apply(view, &block, &total, outside.as_deref_mut());
        }
    }
}
