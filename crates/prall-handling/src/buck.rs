//! The method of Buck 1999: contacts are born one by one by collisions, and forces solve a complementarity problem on positions.
//!
//! ```text
//! parts that touch each other are a cluster                                                  cluster.rs
//! forces so that w(f) >= 0, f >= 0, w f = 0 at the end of the interval                       ncp.rs: Fischer's function, reduced Newton method
//!   w: distances of the contacts that exist, less the guard, at the poses that forces lead to   system.rs: Cayley's step; forces of what slides are tilted
//! no solution: the cluster stays where it is (jam)
//! go there, or to the first collision, which becomes one new contact                         step.rs, collision.rs, time.rs
//!   a point that sticks collides with the planes around it                                   contact.rs: AuxiliaryPlane
//! contacts without force that have opened, or whose feet have left their faces, end
//! pairs begin to stick or to slide, with all of their contacts                               friction.rs
//! ```
//!
//! It owns its set of contacts, and its metric is the parts' mass. Poses are swept by the certified time of impact, as those of [`Held`] are, so nothing passes
//! through anything here either; the time of a collision is found by a mode of the thesis ([`CollisionTime`]) and cut by what is proven.
//! It is there to compare with: [`Held`] takes all near features at once, lets each contact stick or slide by itself, and carries out all of an interval where this method ends it at each
//! collision.

mod body;
#[cfg(test)]
mod bound_tests;
mod cluster;
mod collision;
mod contact;
mod friction;
mod ncp;
mod options;
mod rank;
mod step;
mod system;
mod time;

use std::time::Duration;

use prall_detection::{NearState, Workspace};
use prall_geometry::{MassProperties, Shape};
use prall_math::{Pose, Twist};

use crate::error::HandlingError;
use crate::held::Held;
use crate::obstacle::Obstacle;
use crate::options::{HandlingOptions, Metric};
use body::Body;

pub use contact::{AuxiliaryPlane, BuckContact, Condition, Partner};
pub use options::{BuckOptions, CollisionTime, Derivative, FrictionDirection, Level, StartForces};

/// What became of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BuckReport {
    /// Share of the interval that was carried out: up to the first collision.
    pub done: f64,
    /// A collision made a new contact.
    pub born: bool,
    /// It is an auxiliary one: a point that sticks met one of its planes.
    pub auxiliary: bool,
    /// The time of the collision was estimated later than the sweep allows.
    pub late: bool,
    /// Contacts that ended because they opened, or pulled.
    pub opened: usize,
    /// Contacts that ended because their feet left their faces and edges.
    pub left: usize,
    /// Contacts that went over to a neighbouring feature without a collision.
    pub flowed: usize,
    /// Pairs that began to stick, and to slide.
    pub stuck: usize,
    /// See [`BuckReport::stuck`].
    pub slid: usize,
    /// No forces were found for a cluster, or the collision is one of contacts that exist: its parts stayed.
    pub jam: bool,
    /// Of Newton's method, summed over clusters.
    pub iterations: usize,
}

/// A complementarity problem of an interval.
#[derive(Clone, Copy, Debug)]
pub struct Solve {
    /// Contacts of the cluster.
    pub order: usize,
    /// Of Newton's method; of a problem without a solution those that are allowed.
    pub iterations: usize,
    /// It was solved.
    pub solved: bool,
    /// Clock time of building and solving it.
    pub time: Duration,
}

/// A part in a hand, and others that it may push, by the method of Buck 1999.
pub struct BuckHeld {
    bodies: Vec<Body>,
    options: BuckOptions,
    obstacles: Vec<Obstacle>,
    contacts: Vec<BuckContact>,
    next_id: u64,
    report: BuckReport,
    solves: Vec<Solve>,
    workspace: Workspace,
}

impl BuckHeld {
    /// Takes a part in hand, among obstacles that stand.
    pub fn new(
        part: &Shape,
        mass: &MassProperties,
        pose: Pose,
        obstacles: Vec<Obstacle>,
        options: BuckOptions,
    ) -> Result<BuckHeld, HandlingError> {
        options.checked()?;
        let mut held = BuckHeld {
            bodies: Vec::new(),
            options,
            obstacles,
            contacts: Vec::new(),
            next_id: 0,
            report: BuckReport::default(),
            solves: Vec::new(),
            workspace: Workspace::new(),
        };
        held.add(part, mass, pose)?;
        Ok(held)
    }

    /// With one more part that moves; its index is the number of parts before. Refused if it overlaps an obstacle or another part.
    pub fn with_part(
        mut self,
        part: &Shape,
        mass: &MassProperties,
        pose: Pose,
    ) -> Result<BuckHeld, HandlingError> {
        self.add(part, mass, pose)?;
        Ok(self)
    }

    fn add(&mut self, part: &Shape, mass: &MassProperties, pose: Pose) -> Result<(), HandlingError> {
        // What a part and its surroundings must be is the same for both methods.
        let metric = Metric::Mass(*mass);
        let checks = HandlingOptions { guard: self.options.guard, metric, ..HandlingOptions::default() };
        let mut around = self.obstacles.clone();
        for (index, body) in self.bodies.iter().enumerate() {
            around.push(Obstacle::new(&format!("part {index}"), &body.shape, body.pose)?);
        }
        let held = Held::new(part, pose, around, checks)?;
        let pose = *held.pose();
        self.bodies.push(Body::new(part, held.boundary, mass, pose));
        Ok(())
    }

    /// With other options from the next interval on; the contacts stay.
    pub fn with_options(mut self, options: BuckOptions) -> Result<BuckHeld, HandlingError> {
        options.checked()?;
        self.options = options;
        Ok(self)
    }

    /// Where the first part is.
    pub fn pose(&self) -> &Pose {
        &self.bodies[0].pose
    }

    /// Where all parts are.
    pub fn poses(&self) -> impl Iterator<Item = &Pose> + '_ {
        self.bodies.iter().map(|body| &body.pose)
    }

    /// Velocities of the parts' mass centres and of turning, in the last interval.
    pub fn velocities(&self) -> impl Iterator<Item = &Twist> + '_ {
        self.bodies.iter().map(|body| &body.velocity)
    }

    /// The obstacles.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// The set of contacts.
    pub fn contacts(&self) -> &[BuckContact] {
        &self.contacts
    }

    /// What became of the last interval.
    pub fn report(&self) -> &BuckReport {
        &self.report
    }

    /// The problems of the last interval that have contacts, in their order.
    pub fn solves(&self) -> &[Solve] {
        &self.solves
    }

    /// Gap of a contact of the set now, in m.
    pub fn gap(&self, contact: &BuckContact) -> f64 {
        self.state(contact).gap
    }

    fn pose_of(&self, partner: Partner) -> Pose {
        match partner {
            Partner::Obstacle(index) => *self.obstacles[index].pose(),
            Partner::Part(index) => self.bodies[index].pose,
        }
    }

    /// A contact of the set as it is now.
    pub fn state(&self, contact: &BuckContact) -> NearState {
        contact.condition.at(&self.bodies[contact.part].pose, &self.pose_of(contact.partner))
    }
}
