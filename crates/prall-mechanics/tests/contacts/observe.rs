//! What tests, and tests alone, ask of the small world.

use glam::DVec3;
use prall_geometry::Shape;
use prall_math::Pose;
use prall_mechanics::{Body, ContactLaw};

use crate::world::{Disturbance, World};

impl World {
    pub(crate) fn add_ball(&mut self, radius: f64, centre: DVec3, mass: f64, law: ContactLaw) -> usize {
        let mut body = Body::ball(mass, radius).unwrap();
        body.pose = Pose::from_translation(centre);
        self.register(Shape::sphere(radius).unwrap(), &body.pose, law);
        self.bodies.push(&body) as usize
    }

    pub(crate) fn run(&mut self, seconds: f64) {
        let steps = (seconds / self.h).round() as usize;
        for _ in 0..steps {
            self.step();
        }
    }

    pub(crate) fn energy(&self) -> f64 {
        (0..self.bodies.len())
            .map(|i| {
                let height = self.bodies.poses[i].translation;
                self.bodies.kinetic_energy(i) - self.bodies.mass(i) * self.gravity.dot(height)
            })
            .sum()
    }

    pub(crate) fn momentum(&self) -> (DVec3, DVec3) {
        (0..self.bodies.len()).fold((DVec3::ZERO, DVec3::ZERO), |(linear, angular), i| {
            let p = self.bodies.velocities[i].linear * self.bodies.mass(i);
            let r = self.bodies.poses[i].translation;
            (linear + p, angular + r.cross(p) + self.bodies.angular_momentum(i))
        })
    }

    pub(crate) fn place(&self, i: usize) -> DVec3 {
        self.bodies.poses[i].translation
    }
}

impl Disturbance {
    /// Shifts of 0.4 % of the half size, turns of 0.01 rad, gaps of 2 mm per metre.
    pub(crate) fn some() -> Disturbance {
        Disturbance { shift: 0.004, turn: 0.01, gap: 0.002, state: 1 }
    }
}
