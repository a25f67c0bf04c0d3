//! The motion that a set of bodies would have as one rigid body with the same momenta.
//!
//! What is left of their velocities carries neither momentum nor angular momentum, and is orthogonal to the common motion in the metric of the
//! masses: whoever has to take energy from a set takes it from there first.

use glam::{DMat3, DVec3};
use prall_math::Twist;

/// A body of a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// In kg.
    pub(crate) mass: f64,
    /// Centre of mass, in world axes.
    pub(crate) centre: DVec3,
    /// About the centre of mass, in world axes.
    pub(crate) inertia: DMat3,
    /// Of the centre of mass, in m/s.
    pub(crate) velocity: DVec3,
    /// Angular momentum about the centre of mass, in kg m^2/s.
    pub(crate) spin: DVec3,
}

/// See the module. Its default is standing still.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CommonMotion {
    centre: DVec3,
    pub(crate) velocity: Twist,
}

impl CommonMotion {
    pub(crate) fn of(members: &[Member]) -> CommonMotion {
        let mass: f64 = members.iter().map(|member| member.mass).sum();
        let centre = members.iter().map(|member| member.centre * member.mass).sum::<DVec3>() / mass;
        let linear = members.iter().map(|member| member.velocity * member.mass).sum::<DVec3>() / mass;
        let (mut inertia, mut momentum) = (DMat3::ZERO, DVec3::ZERO);
        for member in members {
            let arm = member.centre - centre;
            let away = DMat3::from_diagonal(DVec3::splat(arm.length_squared()))
                - DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
            inertia += member.inertia + away * member.mass;
            momentum += member.spin + arm.cross(member.velocity * member.mass);
        }
        let turns = inertia.determinant() > 0.0;
        let angular = if turns { inertia.inverse() * momentum } else { DVec3::ZERO };
        CommonMotion { centre, velocity: Twist { linear, angular } }
    }

    /// Velocity of the common motion at a place, in world axes.
    pub(crate) fn at(&self, place: DVec3) -> Twist {
        self.velocity.shifted(place - self.centre)
    }
}
