//! [`Body`]: the state of one rigid body.

use glam::{DMat3, DVec3};
use prall_math::{Pose, Twist};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A rigid body whose frame has its origin at the centre of mass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Where it is.
    pub pose: Pose,
    /// Velocity of the centre of mass in m/s and angular velocity in rad/s, both in world axes.
    pub velocity: Twist,
    mass: f64,
    inertia: DMat3,
    inverse_inertia: DMat3,
}

/// Why a body was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum BodyError {
    /// Mass zero, negative, infinite or not a number.
    #[error("a body's mass must be a positive number of kilograms, not {0}")]
    Mass(f64),
    /// Inertia that no body with mass can have.
    #[error("a body's inertia must be symmetric and positive definite; its determinant is {0}")]
    Inertia(f64),
}

impl Body {
    /// A body at rest at the origin, with its mass in kg and its inertia about the centre of mass in kg m^2, in body axes.
    pub fn new(mass: f64, inertia: DMat3) -> Result<Body, BodyError> {
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(BodyError::Mass(mass));
        }
        let determinant = inertia.determinant();
        let minor = inertia.x_axis.x * inertia.y_axis.y - inertia.x_axis.y * inertia.y_axis.x;
        let symmetric = inertia.transpose() == inertia;
        let positive = inertia.x_axis.x > 0.0 && minor > 0.0 && determinant > 0.0 && determinant.is_finite();
        if !symmetric || !positive {
            return Err(BodyError::Inertia(determinant));
        }
        let velocity = Twist { linear: DVec3::ZERO, angular: DVec3::ZERO };
        Ok(Body { pose: Pose::IDENTITY, velocity, mass, inertia, inverse_inertia: inertia.inverse() })
    }

    /// A solid ball: `I = 2/5 m r^2`.
    pub fn ball(mass: f64, radius: f64) -> Result<Body, BodyError> {
        Body::new(mass, DMat3::from_diagonal(DVec3::splat(0.4 * mass * radius * radius)))
    }

    /// Mass in kg.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Inertia about the centre of mass in kg m^2, in body axes.
    pub fn inertia(&self) -> DMat3 {
        self.inertia
    }

    /// Its inverse, in body axes.
    pub fn inverse_inertia(&self) -> DMat3 {
        self.inverse_inertia
    }

    /// `I^-1` in world axes: `R I0^-1 R^T`. The order matters for every body that is not a sphere or a cube.
    pub fn world_inverse_inertia(&self) -> DMat3 {
        let rotation = self.pose.rotation_matrix();
        rotation * self.inverse_inertia * rotation.transpose()
    }

    /// Velocity of the body's material at a world point: `v + omega x r`.
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity.linear + self.velocity.angular.cross(point - self.pose.translation)
    }

    /// Applies a percussion in N s at a world point: the whole of it moves the centre of mass, and its moment
    /// turns the body.
    pub fn apply_percussion(&mut self, point: DVec3, percussion: DVec3) {
        self.velocity.linear += percussion / self.mass;
        self.apply_angular_percussion((point - self.pose.translation).cross(percussion));
    }

    /// Applies a pure moment over time, in N m s.
    pub fn apply_angular_percussion(&mut self, moment: DVec3) {
        self.velocity.angular += self.world_inverse_inertia() * moment;
    }

    /// `K` with: a percussion `p` at the point changes the velocity there by `K p`.
    ///
    /// `K = 1/m E + [r]^T I^-1 [r]` with `[r] x = r x x`; Bender's K, and a block of the Delassus matrix.
    pub fn response_at(&self, point: DVec3) -> DMat3 {
        let r = point - self.pose.translation;
        let cross = DMat3::from_cols(r.cross(DVec3::X), r.cross(DVec3::Y), r.cross(DVec3::Z));
        DMat3::from_diagonal(DVec3::splat(1.0 / self.mass))
            + cross.transpose() * self.world_inverse_inertia() * cross
    }

    /// Angular momentum about the centre of mass in kg m^2/s, in world axes.
    pub fn angular_momentum(&self) -> DVec3 {
        let spin = self.pose.inverse_transform_vector(self.velocity.angular);
        self.pose.transform_vector(self.inertia * spin)
    }

    /// Kinetic energy in J.
    pub fn kinetic_energy(&self) -> f64 {
        let turning = self.velocity.angular.dot(self.angular_momentum());
        0.5 * (self.mass * self.velocity.linear.length_squared() + turning)
    }

    /// True if pose and velocity are finite numbers.
    pub fn is_finite(&self) -> bool {
        self.pose.is_valid() && self.velocity.linear.is_finite() && self.velocity.angular.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use proptest::prelude::*;

    fn vector(range: f64) -> impl Strategy<Value = DVec3> {
        (-range..range, -range..range, -range..range).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    fn turned_box() -> impl Strategy<Value = Body> {
        let sizes = (0.1..2.0_f64, 0.1..2.0_f64, 0.1..2.0_f64);
        (sizes, 0.1..10.0_f64, vector(3.0), vector(5.0), vector(2.0), vector(3.0)).prop_map(
            |((a, b, c), mass, turn, at, linear, angular)| {
                let inertia = DVec3::new(b * b + c * c, a * a + c * c, a * a + b * b) * (mass / 12.0);
                let mut body = Body::new(mass, DMat3::from_diagonal(inertia)).unwrap();
                body.pose = Pose::new(DQuat::from_scaled_axis(turn), at);
                body.velocity = Twist { linear, angular };
                body
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 256,
            failure_persistence: None,
            rng_seed: proptest::test_runner::RngSeed::Fixed(1),
            ..ProptestConfig::default()
        })]

        /// The response is defined by what a percussion does; both ways agree to rounding.
        #[test]
        fn the_response_predicts_what_a_percussion_does(body in turned_box(), r in vector(2.0), p in vector(3.0)) {
            let point = body.pose.translation + r;
            let predicted = body.velocity_at(point) + body.response_at(point) * p;
            let mut pushed = body;
            pushed.apply_percussion(point, p);
            let scale = predicted.length() + (body.response_at(point) * p).length() + 1.0;
            prop_assert!((pushed.velocity_at(point) - predicted).length() < 1e-13 * scale * 10.0);
        }

        /// Work of a percussion = p . (mean velocity of its point): the energy gained, exactly.
        #[test]
        fn energy_gained_is_the_percussions_work(body in turned_box(), r in vector(2.0), p in vector(3.0)) {
            let point = body.pose.translation + r;
            let mut pushed = body;
            pushed.apply_percussion(point, p);
            let work = p.dot(0.5 * (body.velocity_at(point) + pushed.velocity_at(point)));
            let gained = pushed.kinetic_energy() - body.kinetic_energy();
            prop_assert!((work - gained).abs() < 1e-12 * (pushed.kinetic_energy() + body.kinetic_energy() + 1.0));
        }

        /// Velocity of a material point against a finite difference of its motion.
        #[test]
        fn point_velocity_is_the_derivative_of_the_point(body in turned_box(), r in vector(1.0)) {
            let h = 1e-6;
            let at = |t: f64| {
                let turn = DQuat::from_scaled_axis(body.velocity.angular * t) * body.pose.rotation;
                turn * r + body.pose.translation + body.velocity.linear * t
            };
            let difference = (at(h) - at(-h)) / (2.0 * h);
            // Central difference: error h^2 omega^3 r / 6 plus rounding 1e-15 / h.
            prop_assert!((body.velocity_at(at(0.0)) - difference).length() < 1e-8);
        }
    }

    /// A force across the lever arm accelerates the centre of mass by F/m and gives the moment r x F;
    /// a force through the centre gives no moment.
    #[test]
    fn a_percussion_moves_the_centre_by_all_of_itself() {
        let mut body = Body::ball(2.0, 0.5).unwrap();
        body.apply_percussion(DVec3::X, DVec3::Y);
        assert_eq!(body.velocity.linear, DVec3::new(0.0, 0.5, 0.0));
        assert!((body.velocity.angular - DVec3::Z / 0.2).length() < 1e-15 * 5.0);

        let mut centred = Body::ball(2.0, 0.5).unwrap();
        centred.apply_percussion(DVec3::ZERO, DVec3::Y);
        assert_eq!(centred.velocity.angular, DVec3::ZERO);
    }

    #[test]
    fn impossible_masses_and_inertias_are_refused() {
        for mass in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Body::ball(mass, 0.1), Err(BodyError::Mass(_))), "{mass}");
        }
        assert!(matches!(Body::ball(1.0, 0.0), Err(BodyError::Inertia(_))));
        assert!(matches!(Body::ball(1.0, f64::NAN), Err(BodyError::Inertia(_))));
        let saddle = DMat3::from_diagonal(DVec3::new(-1.0, -1.0, 1.0));
        assert!(matches!(Body::new(1.0, saddle), Err(BodyError::Inertia(_))));
    }
}
