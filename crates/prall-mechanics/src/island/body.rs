//! A body's mass matrix, with its locked axes struck out.

use glam::{DMat3, DVec3};
use prall_math::Twist;

use super::{IslandBody, IslandDefect};
use crate::tree::cholesky::Cholesky;

/// What the solver keeps of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mass {
    pub(super) mass: f64,
    /// Reciprocal mass along each axis, 0 where locked.
    pub(super) inverse_mass: DVec3,
    pub(super) inertia: DMat3,
    /// Inverse of the inertia of the axes that are free; rows and columns of locked axes are 0.
    pub(super) inverse_inertia: DMat3,
    pub(super) goal: Twist,
    pub(super) curvature: DMat3,
    pub(super) curvature_at: DVec3,
    /// 1 where free, 0 where locked.
    pub(super) free: [f64; 6],
    pub(super) any_locked: bool,
}

impl Mass {
    pub(super) fn new(number: usize, body: &IslandBody) -> Result<Mass, IslandDefect> {
        let defect = |reason| Err(IslandDefect::Body { body: number, reason });
        if !(body.mass > 0.0 && body.mass.is_finite()) {
            return defect("mass must be positive and finite");
        }
        if !(body.goal.linear.is_finite() && body.goal.angular.is_finite()) {
            return defect("goal must be finite");
        }
        if !(body.curvature.is_finite() && body.curvature_at.is_finite()) {
            return defect("curvature must be finite");
        }
        let free = body.locked.map(|locked| if locked { 0.0 } else { 1.0 });
        let any_locked = body.locked.contains(&true);
        let Some(inverse_inertia) = inverse(&body.inertia, DVec3::new(free[3], free[4], free[5])) else {
            return defect("inertia must be finite and positive definite");
        };
        Ok(Mass {
            mass: body.mass,
            inverse_mass: DVec3::new(free[0], free[1], free[2]) / body.mass,
            inertia: body.inertia,
            inverse_inertia,
            goal: body.goal,
            curvature: body.curvature,
            curvature_at: body.curvature_at,
            free,
            any_locked,
        })
    }

    /// Root of the mean square, over the body's mass, of the ways of a motion: `sqrt(d^2 + t' I t / m)`, in m.
    #[inline]
    pub(super) fn way(&self, motion: &Twist) -> f64 {
        let turn = motion.angular.dot(self.inertia * motion.angular) / self.mass;
        (motion.linear.length_squared() + turn.max(0.0)).sqrt()
    }

    /// The motion that a force and a torque (in kg m and kg m^2) add.
    #[inline]
    pub(super) fn response(&self, load: &Twist) -> Twist {
        Twist::new(self.inverse_mass * load.linear, self.inverse_inertia * load.angular)
    }

    /// A motion with the goal's values on locked axes.
    pub(super) fn admissible(&self, motion: &Twist) -> Twist {
        if !self.any_locked {
            return *motion;
        }
        let linear = DVec3::new(self.free[0], self.free[1], self.free[2]);
        let angular = DVec3::new(self.free[3], self.free[4], self.free[5]);
        Twist::new(
            self.goal.linear + linear * (motion.linear - self.goal.linear),
            self.goal.angular + angular * (motion.angular - self.goal.angular),
        )
    }
}

/// Inverse of the free part of an inertia. `None` if that is not positive definite.
fn inverse(inertia: &DMat3, free: DVec3) -> Option<DMat3> {
    let keep = DMat3::from_diagonal(free);
    let factor = Cholesky::new(&(keep * *inertia * keep + DMat3::from_diagonal(DVec3::ONE - free)));
    let (reciprocals, _) = factor.parts();
    if !(reciprocals.is_finite() && inertia.is_finite()) {
        return None;
    }
    let columns = keep.to_cols_array_2d().map(|axis| factor.solve(DVec3::from_array(axis)));
    Some(DMat3::from_cols(columns[0], columns[1], columns[2]))
}
