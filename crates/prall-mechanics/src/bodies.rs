//! [`Bodies`]: free bodies as arrays, laid out for the loops that visit them.

use glam::{DMat3, DVec3};
use prall_math::{Pose, Twist};
use serde::{Deserialize, Serialize};

use crate::Body;

/// How a body answers a percussion at its centre of mass, in world axes: what the solver's loops read.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// One over the mass, in 1/kg; 0 for bodies that percussions do not move.
    pub inverse_mass: f64,
    /// Inverse inertia in world axes, in 1/(kg m^2); all zero for bodies that percussions do not turn.
    pub inverse_inertia: DMat3,
}

impl Response {
    /// Of a body that nothing moves.
    pub const NONE: Response = Response { inverse_mass: 0.0, inverse_inertia: DMat3::ZERO };
}

/// Mass and inertia in body axes; mass 0 marks a body that is fixed or moved by decree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Inertia {
    mass: f64,
    inertia: DMat3,
    inverse_inertia: DMat3,
}

/// Free bodies by index. Fixed and kinematic ones are there too, with a response of zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bodies {
    /// Frames at the centres of mass.
    pub poses: Vec<Pose>,
    /// Velocities of the centres of mass in m/s and angular velocities in rad/s, in world axes.
    pub velocities: Vec<Twist>,
    /// Responses at the present poses; [`Bodies::turn_inertia`] renews them.
    pub responses: Vec<Response>,
    inertias: Vec<Inertia>,
}

impl Bodies {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.poses.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.poses.is_empty()
    }

    /// Appends a body that percussions move, and says its index.
    pub fn push(&mut self, body: &Body) -> u32 {
        self.push_unmoved(body.pose, body.velocity);
        let index = self.len() - 1;
        self.set_mass(index, body);
        index as u32
    }

    /// Appends a body that no percussion moves: fixed, or kinematic with a velocity of its own.
    pub fn push_unmoved(&mut self, pose: Pose, velocity: Twist) -> u32 {
        self.poses.push(pose);
        self.velocities.push(velocity);
        self.responses.push(Response::NONE);
        self.inertias.push(Inertia { mass: 0.0, inertia: DMat3::ZERO, inverse_inertia: DMat3::ZERO });
        (self.len() - 1) as u32
    }

    /// Takes over mass and inertia of `body`; pose and velocity stay.
    pub fn set_mass(&mut self, index: usize, body: &Body) {
        self.inertias[index] =
            Inertia { mass: body.mass(), inertia: body.inertia(), inverse_inertia: body.inverse_inertia() };
        self.turn_inertia(index);
    }

    /// Makes the body one that percussions do not move.
    pub fn set_unmoved(&mut self, index: usize) {
        self.inertias[index] = Inertia { mass: 0.0, inertia: DMat3::ZERO, inverse_inertia: DMat3::ZERO };
        self.responses[index] = Response::NONE;
    }

    /// True if percussions move it.
    pub fn is_movable(&self, index: usize) -> bool {
        self.inertias[index].mass > 0.0
    }

    /// Mass in kg; 0 for fixed and kinematic bodies.
    pub fn mass(&self, index: usize) -> f64 {
        self.inertias[index].mass
    }

    /// Inertia in body axes, in kg m^2; zero for fixed and kinematic bodies.
    pub fn inertia(&self, index: usize) -> DMat3 {
        self.inertias[index].inertia
    }

    /// Brings the response to the present pose: `R I^-1 R^T`.
    pub fn turn_inertia(&mut self, index: usize) {
        let own = &self.inertias[index];
        if own.mass > 0.0 {
            let rotation = self.poses[index].rotation_matrix();
            self.responses[index] = Response {
                inverse_mass: 1.0 / own.mass,
                inverse_inertia: rotation * own.inverse_inertia * rotation.transpose(),
            };
        }
    }

    /// Velocity of a body's material at a world point.
    pub fn velocity_at(&self, index: usize, point: DVec3) -> DVec3 {
        let velocity = &self.velocities[index];
        velocity.linear + velocity.angular.cross(point - self.poses[index].translation)
    }

    /// Applies a percussion in N s at a world point, and a moment over time in N m s.
    pub fn apply(&mut self, index: usize, point: DVec3, percussion: DVec3, moment: DVec3) {
        let response = &self.responses[index];
        let lever = point - self.poses[index].translation;
        let velocity = &mut self.velocities[index];
        velocity.linear += percussion * response.inverse_mass;
        velocity.angular += response.inverse_inertia * (lever.cross(percussion) + moment);
    }

    /// Angular momentum about the body's centre of mass, in kg m^2/s, in world axes.
    pub fn angular_momentum(&self, index: usize) -> DVec3 {
        let pose = &self.poses[index];
        let spin = pose.inverse_transform_vector(self.velocities[index].angular);
        pose.transform_vector(self.inertias[index].inertia * spin)
    }

    /// Kinetic energy of a body in J; fixed and kinematic bodies have none.
    pub fn kinetic_energy(&self, index: usize) -> f64 {
        let velocity = &self.velocities[index];
        let turning = velocity.angular.dot(self.angular_momentum(index));
        0.5 * (self.inertias[index].mass * velocity.linear.length_squared() + turning)
    }

    /// True if pose and velocity of every body are finite numbers.
    pub fn are_finite(&self) -> bool {
        self.poses.iter().all(Pose::is_valid)
            && self.velocities.iter().all(|v| v.linear.is_finite() && v.angular.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn turned_brick() -> Body {
        let mut body = Body::new(2.0, DMat3::from_diagonal(DVec3::new(0.3, 0.5, 0.7))).unwrap();
        body.pose = Pose::new(DQuat::from_scaled_axis(DVec3::new(0.4, -1.1, 0.7)), DVec3::new(1.0, 2.0, 3.0));
        body.velocity = Twist { linear: DVec3::new(0.1, -0.3, 0.2), angular: DVec3::new(2.0, 1.0, -1.0) };
        body
    }

    /// One body in the arrays does what the single body does, to the same bits or within their last one.
    #[test]
    fn a_body_in_the_arrays_is_the_body() {
        let mut single = turned_brick();
        let mut bodies = Bodies::default();
        let index = bodies.push(&single) as usize;
        let point = DVec3::new(1.5, 2.2, 2.9);
        single.apply_percussion(point, DVec3::new(0.5, 1.0, -0.25));
        bodies.apply(index, point, DVec3::new(0.5, 1.0, -0.25), DVec3::ZERO);
        assert!((bodies.velocity_at(index, point) - single.velocity_at(point)).length() < 1e-14);
        assert!((bodies.kinetic_energy(index) - single.kinetic_energy()).abs() < 1e-13);
    }

    #[test]
    fn nothing_moves_a_fixed_body() {
        let mut bodies = Bodies::default();
        let ground = bodies.push_unmoved(Pose::IDENTITY, Twist::default()) as usize;
        bodies.apply(ground, DVec3::X, DVec3::splat(1e9), DVec3::splat(1e9));
        assert_eq!(bodies.velocities[ground], Twist::default());
        assert_eq!(bodies.kinetic_energy(ground), 0.0);
        let brick = bodies.push(&turned_brick()) as usize;
        bodies.set_unmoved(brick);
        assert!(!bodies.is_movable(brick) && bodies.responses[brick] == Response::NONE);
    }
}
