//! Energy of every engine over a run, from poses, velocities and masses alone.

use crate::description::Description;
use crate::engine::BodyState;
use glam::{DMat3, DVec3};
use prall_dynamics::BodyKind;
use prall_geometry::MassProperties;
use prall_math::Twist;
use prall_mechanics::audit::{MassState, energy};

/// Keeps the books of one run. Work of the scene's constant forces is taken off, so that what is left can only fall by friction and impacts.
pub struct Books {
    gravity: DVec3,
    /// By body that can move: its number, mass, constant force, and centre of mass at the start.
    bodies: Vec<(usize, MassProperties, DVec3, DVec3)>,
    /// Bodies of given motion do work that nobody sees from outside.
    driven: bool,
    start: f64,
    potential_at_start: f64,
    lowest: f64,
    last: f64,
    gained: f64,
    exchanged: f64,
}

/// What came of the energy: shares of what was exchanged, the largest kinetic energy or change of height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// Largest rise above an earlier value.
    pub gained: f64,
    /// What is missing at the end.
    pub lost: f64,
}

impl Books {
    /// Opens them with the scene's start.
    pub fn new(scene: &Description) -> Result<Books, String> {
        let mut bodies = Vec::new();
        for number in scene.movable() {
            let body = &scene.bodies[number];
            let mass = body.mass_properties().map_err(|error| error.to_string())?;
            let mass = mass.ok_or("a body that can move and has no mass")?;
            let force = scene.forces.get(number).copied().unwrap_or(DVec3::ZERO);
            bodies.push((number, mass, force, body.pose.transform_point(mass.center_of_mass)));
        }
        let given = |kind: BodyKind, velocity: Twist| kind == BodyKind::Kinematic && velocity != Twist::ZERO;
        let driven = scene.bodies.iter().any(|body| given(body.kind, body.velocity));
        let mut books = Books {
            gravity: scene.gravity,
            bodies,
            driven,
            start: 0.0,
            potential_at_start: 0.0,
            lowest: f64::INFINITY,
            last: 0.0,
            gained: 0.0,
            exchanged: 0.0,
        };
        let states: Vec<BodyState> =
            scene.bodies.iter().map(|body| BodyState { pose: body.pose, velocity: body.velocity }).collect();
        let (total, kinetic) = books.energy(&states);
        (books.start, books.potential_at_start) = (total, total - kinetic);
        books.enter(&states);
        Ok(books)
    }

    /// Total energy less the work of constant forces, and the kinetic part of it.
    fn energy(&self, states: &[BodyState]) -> (f64, f64) {
        let mut work = 0.0;
        let mut masses = Vec::with_capacity(self.bodies.len());
        for (number, mass, force, start) in &self.bodies {
            let state = &states[*number];
            let centre = state.pose.transform_point(mass.center_of_mass);
            work += force.dot(centre - *start);
            let axes = DMat3::from_quat(state.pose.rotation);
            let inertia = axes * mass.inertia * axes.transpose();
            masses.push(MassState { mass: mass.mass, inertia, centre, velocity: state.velocity });
        }
        (energy(&masses, self.gravity) - work, energy(&masses, DVec3::ZERO))
    }

    /// Enters the states of one moment.
    pub fn enter(&mut self, states: &[BodyState]) {
        let (total, kinetic) = self.energy(states);
        self.lowest = self.lowest.min(total);
        self.gained = self.gained.max(total - self.lowest);
        self.last = total;
        let height = (total - kinetic - self.potential_at_start).abs();
        self.exchanged = self.exchanged.max(kinetic).max(height);
    }

    /// Closes them; none where bodies of given motion did work.
    pub fn close(&self) -> Option<Balance> {
        // Rounding of the sums alone is no gain, and nothing was exchanged where everything stands.
        let share = |joules: f64| {
            if joules.abs() <= 1e-13 * self.start.abs() {
                0.0
            } else {
                joules / self.exchanged.max(f64::MIN_POSITIVE)
            }
        };
        (!self.driven)
            .then(|| Balance { gained: share(self.gained), lost: share((self.start - self.last).max(0.0)) })
    }
}

/// Share of the bodies that can move whose velocity is exactly zero: an engine takes them to be at rest.
pub fn share_at_rest(scene: &Description, states: &[BodyState]) -> f64 {
    let rests = |body: &usize| states[*body].velocity == Twist::ZERO;
    scene.movable().filter(rests).count() as f64 / scene.movable().count().max(1) as f64
}

/// A share as text.
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        p if !p.is_finite() => "-".to_owned(),
        0.0 => "0".to_owned(),
        p if p >= 0.1 && p < 1e4 => format!("{p:.1} %"),
        p => format!("{p:.0e} %"),
    }
}
