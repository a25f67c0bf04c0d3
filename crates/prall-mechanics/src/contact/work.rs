//! What percussions did to the energy and momentum of bodies, from the percussions themselves.
//!
//! With the rows `y` of a block before the step's impulses and `y'` after them, its wrench `W` does the work `W . (y + y') / 2` on both sides
//! together, seen from each other. A side with a given motion takes no energy itself: what it puts in is the same product with its own rows.

use prall_math::{Twist, Wrench};

use super::ContactStep;
use super::arena::{Island, View};
use super::block::{Block, LINK, Rows};
use super::energy::momentum_product;
use super::solve::Context;
use crate::{Bodies, Movers, about_origin};

fn dot(a: &Rows, b: &Rows) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds the work of an island's percussions to its report.
pub(super) fn account(
    view: &View<'_>,
    island: &mut Island,
    movers: &Movers<'_>,
    links: &[(u32, u32, glam::DVec3)],
    step: &ContactStep<'_>,
) {
    if island.report.certified > 0 {
        hold(view, island, movers.bodies, step);
        return;
    }
    for block in view.blocks.iter() {
        let points = &view.points[block.range()];
        let impacts = island.hit.then(|| &view.rows[block.range()]);
        let wrench = total(block, points, impacts);
        if wrench == [0.0; 8] {
            continue;
        }
        // Twist at the block's centre in the mean of the step, and whether percussions move the side.
        let mean = |side: u32, arm: glam::DVec3| -> (Twist, bool) {
            if side & LINK != 0 {
                let (mover, link, place) = links[(side & !LINK) as usize];
                return (movers.others[mover as usize].twist_at(link, place), false);
            }
            let at = side as usize;
            let after = view.velocities[at];
            if at < island.dynamic {
                let before = step.before[view.locals[at].global as usize];
                (((before + after) * 0.5).shifted(arm), true)
            } else {
                (after.shifted(arm), false)
            }
        };
        let ((a, moves_a), (b, moves_b)) = (mean(block.a, block.arm_a), mean(block.b, block.arm_b));
        if !moves_a && !moves_b {
            // Between a link and what nothing moves: movers keep their own energy.
            continue;
        }
        let y = block.rows(a - b);
        let all = dot(&wrench, &y);
        let along = |p: &super::block::Point, l: f64| l * p.along_normal(&y);
        let mut normal: f64 = points.iter().map(|p| along(p, p.l[0])).sum();
        if let Some(rows) = impacts {
            normal += points.iter().zip(rows).map(|(p, row)| along(p, row.impact[0])).sum::<f64>();
        }
        let energy = &mut island.report.energy;
        energy.normal += normal;
        energy.friction += all - normal;
        if moves_a != moves_b {
            let given = if moves_a { dot(&wrench, &block.rows(b)) } else { -dot(&wrench, &block.rows(a)) };
            energy.given_motions += given;
            let (side, arm, sign) =
                if moves_a { (block.a, block.arm_a, 1.0) } else { (block.b, block.arm_b, -1.0) };
            let centre = movers.bodies.poses[view.locals[side as usize].global as usize].translation;
            let Wrench { force, torque } = block.wrench(&wrench) * sign;
            island.report.outside = island.report.outside + about_origin(centre + arm, force, torque);
        }
    }
}

/// All percussions of a block, with those of impacts that were over before.
fn total(block: &Block, points: &[super::block::Point], impacts: Option<&[super::block::Row]>) -> Rows {
    let mut wrench = block.total(points);
    if let Some(rows) = impacts {
        let impacts = block.total_of(points.iter().zip(rows).map(|(point, row)| (point, row.impact)));
        wrench.iter_mut().zip(impacts).for_each(|(sum, impact)| *sum += impact);
    }
    wrench
}

/// Of an island that stands, or goes along with what carries it: what loads gave it, its supports took. They held it at the velocity that it has now.
fn hold(view: &View<'_>, island: &mut Island, bodies: &Bodies, step: &ContactStep<'_>) {
    for (velocity, local) in view.velocities[..island.dynamic].iter().zip(view.locals.iter()) {
        let held = *velocity - local.predicted;
        island.report.outside = island.report.outside + change(bodies, local.global, &held);
        let before = step.before[local.global as usize];
        if *velocity != Twist::ZERO || before != Twist::ZERO {
            let given = momentum_product(bodies, local.global, &held, velocity);
            let settled = momentum_product(bodies, local.global, &held, &((before - *velocity) * 0.5));
            island.report.energy.given_motions += given;
            island.report.energy.normal += settled;
        }
    }
}

/// The momentum about the origin that a change of velocity is worth.
fn change(bodies: &Bodies, index: u32, change: &Twist) -> Wrench {
    let at = index as usize;
    let pose = &bodies.poses[at];
    let spin = bodies.inertia(at) * pose.inverse_transform_vector(change.angular);
    about_origin(pose.translation, change.linear * bodies.mass(at), pose.transform_vector(spin))
}

/// Adds to the report what the shock pass did, of which no percussion tells.
pub(super) fn account_shock(view: &View<'_>, island: &mut Island, context: &Context<'_>) {
    for (velocity, local) in view.velocities[..island.dynamic].iter().zip(view.locals.iter()) {
        let changed = *velocity - local.saved;
        if changed == Twist::ZERO {
            continue;
        }
        let mean = (context.step.before[local.global as usize] + *velocity) * 0.5;
        island.report.energy.shock += momentum_product(context.bodies, local.global, &changed, &mean);
        let given = change(context.bodies, local.global, &changed);
        island.report.shock_impulse = island.report.shock_impulse + given;
    }
}
