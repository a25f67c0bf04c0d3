//! The rest certificate: a proof that an island stands, in two passes and without sweeps.
//!
//! If all bodies move with their support, every relative velocity is zero, so every contact condition on velocities holds. What is
//! left to find are percussions within the cones that give each body exactly this velocity. From the top downwards:
//! what a body needs and does not get from those above it must come from the points that it stands on; they get the
//! least change that does it ([`carry`]), and the bodies below feel the reaction. If it works out for every body, the percussions and the common
//! motion *are* a solution of the whole contact problem. If not, nothing is kept: a half-balanced island is worse than none.
//!
//! [`carry`]: super::carry

use glam::{DQuat, DVec3};
use prall_math::{Norm, Twist, Wrench};

use super::arena::View;
use super::carry::Supports;
use super::solve::Context;
use crate::Bodies;

/// Bodies faster than this many times `g h` against their support are not expected to stand.
const CALM: f64 = 3.0;

/// What the percussions of a body may leave of its load before they are changed: rounding.
const BALANCED: f64 = 1e-12;

/// Points with a gap above this part of a body's radius of gyration do not count as closed, however large the shell.
const SHELL_SHARE: f64 = 2.5e-3;

/// A rigid motion: the velocity of one place, and of turning.
pub(super) struct Carrier {
    twist: Twist,
    place: DVec3,
    /// Length of the step in s.
    h: f64,
}

impl Carrier {
    /// The motion of all that is fixed or moved by decree in the island; `None` if there are several, or none.
    pub(super) fn of(view: &View<'_>, dynamic: usize, bodies: &Bodies, h: f64) -> Option<Carrier> {
        /// Velocities that differ by rounding count as one, in m/s and rad/s.
        const SAME: f64 = 1e-12;
        let twist = *view.velocities.get(dynamic)?;
        let place = bodies.poses[view.locals[dynamic].global as usize].translation;
        let carrier = Carrier { twist, place, h };
        let all_same = view.velocities[dynamic..].iter().zip(&view.locals[dynamic..]).all(|(own, local)| {
            let arm = bodies.poses[local.global as usize].translation - place;
            let difference = *own - twist.shifted(arm);
            difference.linear.norm() + difference.angular.norm() <= SAME
        });
        all_same.then_some(carrier)
    }

    /// The mean velocity over the step of a body that moves along: that of the chord of its way, so that it stays on its circle.
    pub(super) fn carries(&self, bodies: &Bodies, global: u32) -> Twist {
        let Twist { linear, angular } = self.twist;
        if angular == DVec3::ZERO {
            return self.twist;
        }
        let arm = bodies.poses[global as usize].translation - self.place;
        let turned = DQuat::from_scaled_axis(angular * self.h) * arm;
        Twist { linear: linear + (turned - arm) / self.h, angular }
    }
}

/// What a try at a certificate came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Velocities and percussions are those of rest.
    Stands,
    /// Some body does not; nothing was changed.
    Fails,
    /// It was clear without looking closer.
    Hopeless,
}

/// Tries to prove that the island stands.
pub(super) fn certify(view: &mut View<'_>, dynamic: usize, context: &Context<'_>) -> Verdict {
    let bodies = context.bodies;
    let weight = context.step.gravity.norm() * context.step.h;
    let Some(carrier) = Carrier::of(view, dynamic, bodies, context.step.h) else { return Verdict::Hopeless };
    if weight == 0.0 || dynamic == 0 {
        return Verdict::Hopeless;
    }
    for local in &mut view.locals[..dynamic] {
        let global = local.global as usize;
        let size = gyration(bodies, global);
        let against = context.step.before[global] - carrier.carries(bodies, local.global);
        if against.linear.norm() + against.angular.norm() * size > CALM * weight {
            return Verdict::Hopeless;
        }
        local.size = size;
        local.shell = context.options.shell.min(SHELL_SHARE * size);
    }
    for start in [Start::Stored, Start::Nothing] {
        prepare(view, dynamic, start);
        if balance(view, dynamic, bodies, weight, &carrier) {
            for (velocity, local) in view.velocities[..dynamic].iter_mut().zip(view.locals.iter()) {
                *velocity = carrier.carries(bodies, local.global);
            }
            view.points.iter_mut().for_each(|p| p.l = p.trial);
            view.blocks.iter_mut().for_each(|b| b.moment = [0.0; 3]);
            return Verdict::Stands;
        }
    }
    Verdict::Fails
}

pub(super) fn gyration(bodies: &Bodies, index: usize) -> f64 {
    let inertia = bodies.inertia(index);
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    (0.5 * trace / bodies.mass(index)).sqrt()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// From the percussions of the last step.
    Stored,
    /// From none: stored ones carry the noise of sweeps that did not converge.
    Nothing,
}

/// Sets the trial percussions, and what they do to the bodies.
fn prepare(view: &mut View<'_>, dynamic: usize, start: Start) {
    view.locals[..dynamic].iter_mut().for_each(|local| local.load = Wrench::ZERO);
    for block in view.blocks.iter() {
        let shell =
            |side: u32| if (side as usize) < dynamic { view.locals[side as usize].shell } else { f64::MAX };
        let shell = shell(block.a).min(shell(block.b));
        let mut pressed = false;
        for point in &mut view.points[block.range()] {
            let keep = start == Start::Stored && point.gap < shell;
            point.trial = if keep { point.l } else { [0.0; 3] };
            pressed |= point.trial[0] > 0.0;
        }
        if pressed {
            let wrench = block.wrench(&block.trial_total(&view.points[block.range()]));
            for (side, arm, wrench) in [(block.a, block.arm_a, wrench), (block.b, block.arm_b, -wrench)] {
                if (side as usize) < dynamic {
                    let load = &mut view.locals[side as usize].load;
                    *load = *load + about_centre(wrench, arm);
                }
            }
        }
    }
}

fn about_centre(wrench: Wrench, arm: DVec3) -> Wrench {
    Wrench { force: wrench.force, torque: wrench.torque + arm.cross(wrench.force) }
}

/// From the top downwards; false as soon as a body cannot be balanced.
fn balance(view: &mut View<'_>, dynamic: usize, bodies: &Bodies, weight: f64, carrier: &Carrier) -> bool {
    for body in (0..dynamic).rev() {
        let local = view.locals[body];
        let needed =
            momentum(bodies, local.global, &(carrier.carries(bodies, local.global) - local.predicted));
        let missing = needed - local.load;
        let own = bodies.mass(local.global as usize) * weight;
        let load = own + local.load.force.norm();
        if missing.force.norm() + missing.torque.norm() / local.size <= BALANCED * load {
            continue;
        }
        let blocks = &view.blocks[local.blocks.0 as usize..local.blocks.1 as usize];
        // What the lower bodies feel is the difference; so the old wrenches are taken away, and the new ones added.
        react(blocks, view.points, view.locals, body, dynamic, -1.0);
        let (body_index, size, shell) = (body as u32, local.size, local.shell);
        let mut supports = Supports::new(body_index, blocks, view.points, shell, size);
        if !supports.add(missing, load) {
            return false;
        }
        react(blocks, view.points, view.locals, body, dynamic, 1.0);
    }
    true
}

/// Adds what the supports of a body do to the bodies below.
fn react(
    blocks: &[super::block::Block],
    points: &[super::block::Point],
    locals: &mut [super::arena::Local],
    body: usize,
    dynamic: usize,
    sign: f64,
) {
    for block in blocks.iter().filter(|b| b.supports) {
        let on_a = block.a as usize == body;
        let (lower, arm, sign) =
            if on_a { (block.b, block.arm_b, -sign) } else { (block.a, block.arm_a, sign) };
        if (lower as usize) < dynamic {
            let wrench = block.wrench(&block.trial_total(&points[block.range()])) * sign;
            let load = &mut locals[lower as usize].load;
            *load = *load + about_centre(wrench, arm);
        }
    }
}

/// `M v`: momentum of a body that moves like this.
fn momentum(bodies: &Bodies, global: u32, velocity: &Twist) -> Wrench {
    let index = global as usize;
    let pose = &bodies.poses[index];
    let turning = bodies.inertia(index) * pose.inverse_transform_vector(velocity.angular);
    Wrench { force: velocity.linear * bodies.mass(index), torque: pose.transform_vector(turning) }
}
