//! Energy of an island, and what keeps a solve from raising it.

use prall_math::Twist;

use super::arena::View;
use super::sweep;
use crate::Bodies;

/// `a . M b` for a body: twice the kinetic energy if both are its velocity.
pub(super) fn momentum_product(bodies: &Bodies, index: u32, a: &Twist, b: &Twist) -> f64 {
    let index = index as usize;
    let pose = &bodies.poses[index];
    let turning = bodies.inertia(index) * pose.inverse_transform_vector(b.angular);
    bodies.mass(index) * a.linear.dot(b.linear) + pose.inverse_transform_vector(a.angular).dot(turning)
}

/// Twice the kinetic energy of an island's bodies relative to a rigid motion of their support.
pub(super) fn kinetic(view: &View<'_>, dynamic: usize, bodies: &Bodies) -> f64 {
    let own =
        |i: usize| momentum_product(bodies, view.locals[i].global, &view.velocities[i], &view.velocities[i]);
    0.5 * (0..dynamic).map(own).sum::<f64>()
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
