//! Energy of an island, and what keeps a solve from raising it.

use prall_math::Twist;

use super::arena::{Local, View};
use super::rest::Carrier;
use super::sequence::Flight;
use super::solve::Context;
use super::sweep::{self, Outside};
use crate::Bodies;

/// `a . M b` for a body: twice the kinetic energy if both are its velocity.
pub(super) fn momentum_product(bodies: &Bodies, index: u32, a: &Twist, b: &Twist) -> f64 {
    let index = index as usize;
    let pose = &bodies.poses[index];
    let turning = bodies.inertia(index) * pose.inverse_transform_vector(b.angular);
    bodies.mass(index) * a.linear.dot(b.linear) + pose.inverse_transform_vector(a.angular).dot(turning)
}

/// Kinetic energy of an island's bodies, relative to the rigid motion of their support where there is one.
pub(super) fn kinetic(view: &View<'_>, dynamic: usize, bodies: &Bodies, carrier: Option<&Carrier>) -> f64 {
    let own = |i: usize| {
        let global = view.locals[i].global;
        let carried = carrier.map_or(Twist::ZERO, |carrier| carrier.carries(bodies, global));
        let velocity = view.velocities[i] - carried;
        momentum_product(bodies, global, &velocity, &velocity)
    };
    0.5 * (0..dynamic).map(own).sum::<f64>()
}

/// Kinetic energy of an island's bodies at the start of the step.
pub(super) fn kinetic_before(view: &View<'_>, dynamic: usize, context: &Context<'_>) -> f64 {
    let own = |local: &Local| {
        let before = &context.step.before[local.global as usize];
        momentum_product(context.bodies, local.global, before, before)
    };
    0.5 * view.locals[..dynamic].iter().map(own).sum::<f64>()
}

/// Kinetic energy of an island's bodies less the work that loads do on their way: what must not be above the kinetic energy before.
///
/// A body that only rebounds goes with its old velocity until it meets and with its new one afterwards, each in its parabola; every
/// other with its new one.
pub(super) fn kinetic_less_work(view: &View<'_>, dynamic: usize, context: &Context<'_>) -> f64 {
    let h = context.step.h;
    let own = |((velocity, local), flight): ((&Twist, &Local), &Flight)| {
        let before = context.step.before[local.global as usize];
        let load = local.predicted - before;
        let mut mean = *velocity;
        if flight.hit {
            mean = *velocity + flight.detour(h);
        } else if local.met < h && !local.lasting {
            let (t, rest) = (local.met / h, 1.0 - local.met / h);
            mean = before * t + *velocity * rest;
            mean.linear += load.linear * (0.5 * (t * t - rest * rest));
        }
        let product = |a: &Twist, b: &Twist| momentum_product(context.bodies, local.global, a, b);
        0.5 * product(velocity, velocity) - product(&load, &mean)
    };
    view.velocities[..dynamic].iter().zip(view.locals.iter()).zip(view.flights.iter()).map(own).sum()
}

/// Kinetic energy of an island's bodies and of all movers.
pub(super) fn total(view: &View<'_>, dynamic: usize, outside: &Outside<'_, '_>) -> f64 {
    let movers = outside.movers.others.iter().map(|mover| mover.energy(glam::DVec3::ZERO).0);
    kinetic(view, dynamic, outside.movers.bodies, None) + movers.sum::<f64>()
}

/// Scales the stored percussions of an island down to where they do not raise its energy.
///
/// With `d = v - v*`, the energy along `v* + a d` is least at `a = -(d . M v*) / (d . M d)`; scaled percussions stay within their
/// cones. At rest `a` is 1, because the percussions just undo what gravity did.
pub(super) fn limit_warm_start(view: &mut View<'_>, dynamic: usize, bodies: &Bodies) {
    let (mut square, mut product) = (0.0, 0.0);
    for (velocity, local) in view.velocities[..dynamic].iter().zip(view.locals.iter()) {
        let change = *velocity - local.predicted;
        square += momentum_product(bodies, local.global, &change, &change);
        product += momentum_product(bodies, local.global, &change, &local.predicted);
    }
    if square <= 0.0 || -product >= square {
        return;
    }
    let share = (-product / square).max(0.0);
    for (velocity, local) in view.velocities[..dynamic].iter_mut().zip(view.locals.iter()) {
        *velocity = local.predicted;
    }
    for point in view.points.iter_mut() {
        point.l = point.l.map(|l| l * share);
    }
    for block in view.blocks.iter_mut() {
        block.moment = block.moment.map(|m| m * share);
    }
    sweep::warm_start(view, None);
}
