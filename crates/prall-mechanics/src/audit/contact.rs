//! How far contacts are from their laws, from points, gaps, impulses and velocities in plain data.
//!
//! With u the normal velocity less the one that the law wants, lambda the impulse and m the mass that the contact feels, Signorini's law is
//! `0 <= lambda_n, 0 <= u, lambda_n u = 0`, that is `min(u, lambda_n / m) = 0`; Coulomb's is
//! `lambda_t = P(lambda_t - m v_t)`, P being the projection on the disc of radius `mu lambda_n`. What is left of both is a velocity.

use glam::DVec3;
use prall_math::Norm;

/// A contact after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuditContact {
    /// Unit vector from the second body to the first.
    pub normal: DVec3,
    /// Gap at the start of the step, in metres; negative inside.
    pub gap: f64,
    /// Impulse on the first body during the step, in N s.
    pub impulse: DVec3,
    /// Velocity of the first body relative to the second at the contact after the step, in m/s.
    pub velocity: DVec3,
    /// Normal velocity that the law wants at least, in m/s: minus restitution times that before the impact, otherwise 0.
    pub rebound: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Mass that the contact feels, in kg: turns impulses into velocities.
    pub mass: f64,
}

/// What contacts leave of their laws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ComplementarityReport {
    /// Largest residual of the normal law, in m/s.
    pub normal_max: f64,
    /// Largest residual of the friction law, in m/s.
    pub friction_max: f64,
    /// Largest impulse that pulls, in N s.
    pub pulling_max: f64,
    /// Largest impulse outside of the friction cone, in N s.
    pub cone_excess_max: f64,
}

/// Residuals of all contacts of a step of `duration` seconds. A gap may be closed within the step before anything presses.
pub fn complementarity(contacts: &[AuditContact], duration: f64) -> ComplementarityReport {
    contacts.iter().fold(ComplementarityReport::default(), |report, contact| {
        let normal_impulse = contact.normal.dot(contact.impulse);
        let normal_velocity = contact.normal.dot(contact.velocity);
        let room = contact.gap.max(0.0) / duration;
        let excess = normal_velocity - contact.rebound + room;
        let along = contact.impulse - contact.normal * normal_impulse;
        let slip = contact.velocity - contact.normal * normal_velocity;
        let limit = contact.friction * normal_impulse.max(0.0);
        let wanted = (along - slip * contact.mass).clamp_length_max(limit);
        ComplementarityReport {
            normal_max: report.normal_max.max(excess.min(normal_impulse / contact.mass).abs()),
            friction_max: report.friction_max.max((along - wanted).norm() / contact.mass),
            pulling_max: report.pulling_max.max(-normal_impulse),
            cone_excess_max: report.cone_excess_max.max(along.norm() - limit),
        }
    })
}
