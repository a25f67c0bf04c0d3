//! [`Slide`]: a body that is pushed over a plane on the points of its support.

use glam::DVec2;

use super::pressure::Pressure;
use crate::error::{HandlingError, within};

/// A body that stands on points of its support and is pushed over a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Slide {
    /// Where it stands, in its own frame, in m; the mass centre is above the origin.
    pub points: Vec<DVec2>,
    /// How its weight spreads over them.
    pub pressure: Pressure,
    /// In kg.
    pub mass: f64,
    /// Radius of gyration about the vertical through the mass centre, in m.
    pub gyration: f64,
    /// Height of the mass centre above the plane, in m: friction tilts the pressure by it.
    pub height: f64,
    /// Coefficient of sliding friction.
    pub friction: f64,
    /// In m/s^2.
    pub gravity: f64,
}

/// Where a sliding body is and how it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SlideState {
    /// Of the mass centre, in m.
    pub place: DVec2,
    /// About the vertical, in rad, counterclockwise.
    pub angle: f64,
    /// Of the mass centre, in m/s.
    pub velocity: DVec2,
    /// In rad/s.
    pub rate: f64,
}

impl Slide {
    /// A body with the weight of 1 kg on its points.
    pub fn new(points: Vec<DVec2>) -> Slide {
        Slide {
            points,
            pressure: Pressure::default(),
            mass: 1.0,
            gyration: 0.1,
            height: 0.0,
            friction: 0.3,
            gravity: 9.81,
        }
    }

    /// What friction takes of a push while nothing turns, in N.
    pub fn resistance(&self) -> f64 {
        self.friction * self.mass * self.gravity
    }

    /// Moment of friction over friction times load of a body that turns about its mass centre, in m.
    pub fn turning_moment(&self) -> Result<f64, HandlingError> {
        let mut forces = Vec::new();
        self.normal_forces(&self.points, &vec![DVec2::ZERO; self.points.len()], &mut forces)?;
        let moments = self.points.iter().zip(&forces).map(|(point, force)| point.length() * force);
        Ok(moments.sum::<f64>() / (self.mass * self.gravity))
    }

    fn normal_forces(
        &self,
        arms: &[DVec2],
        directions: &[DVec2],
        forces: &mut Vec<f64>,
    ) -> Result<(), HandlingError> {
        // Friction acts below the mass centre, by its height.
        let levers: Vec<DVec2> = arms
            .iter()
            .zip(directions)
            .map(|(arm, direction)| *arm - *direction * (self.height * self.friction))
            .collect();
        let load = self.mass * self.gravity;
        self.pressure.forces(arms, &levers, load, forces).ok_or(HandlingError::Tips)
    }

    /// One interval under a push of constant direction and size, in N, at a point of the body: friction against the velocities at its beginning, then velocities,
    /// then places. What does not move is rubbed against the push.
    pub fn step(&self, state: &mut SlideState, push: DVec2, at: DVec2, dt: f64) -> Result<(), HandlingError> {
        within("the interval", dt, (1e-9, 10.0), "between 1e-9 and 10 s")?;
        within("the push", push.length(), (f64::MIN_POSITIVE, 1e12), "above 0 N")?;
        let (sine, cosine) = libm::sincos(state.angle);
        let turned = |p: DVec2| DVec2::new(cosine * p.x - sine * p.y, sine * p.x + cosine * p.y);
        let arms: Vec<DVec2> = self.points.iter().map(|point| turned(*point)).collect();
        let ahead = push.normalize();
        let directions: Vec<DVec2> = arms
            .iter()
            .map(|arm| (state.velocity + arm.perp() * state.rate).try_normalize().unwrap_or(ahead))
            .collect();
        let mut forces = Vec::new();
        // The law of pressure is one of the body's own coordinates.
        let own: Vec<DVec2> = directions
            .iter()
            .map(|d| DVec2::new(cosine * d.x + sine * d.y, cosine * d.y - sine * d.x))
            .collect();
        self.normal_forces(&self.points, &own, &mut forces)?;
        let (mut force, mut moment) = (push, turned(at).perp_dot(push));
        for ((arm, direction), normal) in arms.iter().zip(&directions).zip(&forces) {
            let rub = *direction * (-self.friction * normal);
            force += rub;
            moment += arm.perp_dot(rub);
        }
        state.velocity += force * (dt / self.mass);
        state.rate += moment * dt / (self.mass * self.gyration * self.gyration);
        state.place += state.velocity * dt;
        state.angle += state.rate * dt;
        Ok(())
    }
}
