//! Momentum and energy before and after, against what came from outside.

use glam::{DMat3, DVec3};
use prall_math::Twist;

/// A body's part in the balance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassState {
    /// In kg.
    pub mass: f64,
    /// About the centre of mass, in world axes, in kg m^2.
    pub inertia: DMat3,
    /// Centre of mass in the world, in metres.
    pub centre: DVec3,
    /// Velocity of the centre of mass, and angular velocity, in world axes.
    pub velocity: Twist,
}

/// An impulse from outside, with the moment that it has of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutsideImpulse {
    /// Where it acts, in metres.
    pub point: DVec3,
    /// In N s.
    pub impulse: DVec3,
    /// In N m s.
    pub couple: DVec3,
}

/// Linear and angular momentum, the latter about the world's origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Momentum {
    /// In N s.
    pub linear: DVec3,
    /// In N m s.
    pub angular: DVec3,
}

/// Momentum of bodies.
pub fn momentum(bodies: &[MassState]) -> Momentum {
    bodies.iter().fold(Momentum::default(), |sum, body| {
        let linear = body.velocity.linear * body.mass;
        let angular = body.inertia * body.velocity.angular + body.centre.cross(linear);
        Momentum { linear: sum.linear + linear, angular: sum.angular + angular }
    })
}

/// Change of momentum that no outside impulse accounts for.
pub fn momentum_imbalance(before: Momentum, after: Momentum, outside: &[OutsideImpulse]) -> Momentum {
    outside.iter().fold(
        Momentum { linear: after.linear - before.linear, angular: after.angular - before.angular },
        |rest, push| Momentum {
            linear: rest.linear - push.impulse,
            angular: rest.angular - push.couple - push.point.cross(push.impulse),
        },
    )
}

/// Kinetic energy and energy in a uniform field of gravity, in joules.
pub fn energy(bodies: &[MassState], gravity: DVec3) -> f64 {
    let of = |body: &MassState| {
        let Twist { linear, angular } = body.velocity;
        0.5 * body.mass * linear.length_squared() + 0.5 * angular.dot(body.inertia * angular)
            - body.mass * gravity.dot(body.centre)
    };
    bodies.iter().map(of).sum()
}

/// Energy in joules that appeared from nowhere: what is there after less what was there before and the work from outside, 0 if energy
/// was lost, as contacts may.
pub fn energy_gain(before: f64, after: f64, work: f64) -> f64 {
    (after - before - work).max(0.0)
}
