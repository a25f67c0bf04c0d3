//! The method of Buck 1999, without friction: contacts are born one by one by collisions, and forces solve a complementarity problem on positions.
//!
//! ```text
//! forces so that w(f) >= 0, f >= 0, w f = 0 at the end of the interval     ncp.rs: Fischer's function, reduced Newton method
//!   w: distances of the contacts that exist, less the guard, at the pose that forces lead to   system.rs: Cayley's step
//! no solution: the part stays where it is (jam)
//! go there, or to the first collision, which becomes one new contact                     step.rs
//! contacts without force that have opened, or whose feet have left their faces, end
//! ```
//!
//! It owns its set of contacts, and its metric is the part's mass. Poses are swept by the certified time of impact, as those of [`Held`] are, so nothing passes
//! through anything here either; the thesis' own tests of collision are not rebuilt. It is there to compare with: [`Held`] takes all near features at
//! once, has friction, and carries out all of an interval where this method ends it at each collision.

mod ncp;
mod step;
mod system;

use glam::{DMat3, DVec3};
use prall_detection::{Boundary, NearFeature, Workspace};
use prall_geometry::{MassProperties, Shape};
use prall_math::Pose;

use crate::error::{HandlingError, within};
use crate::frame::MetricFrame;
use crate::held::Held;
use crate::obstacle::Obstacle;
use crate::options::{HandlingOptions, Metric};

/// Where Newton's method begins (Buck 1999, 6.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartForces {
    /// Nothing.
    Zero,
    /// The forces of the last interval; new contacts have none.
    #[default]
    Previous,
    /// Forces that keep all contacts, to first order; where they pull, none.
    Linear,
    /// The linear complementarity problem.
    Complementarity,
}

/// How the change of distances by forces is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Derivative {
    /// By small changes of each force, as in the thesis.
    Differences,
    /// In closed form.
    #[default]
    Closed,
}

/// What contact conditions are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Positions at the end of the interval: nothing drifts.
    #[default]
    Position,
    /// Accelerations at its beginning ((41) and (42) of the thesis), as was usual before: gaps drift with every turn. There to compare with.
    Acceleration,
}

/// How the method works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BuckOptions {
    /// Gap in m that contacts keep. Default 10 um.
    pub guard: f64,
    /// What contact conditions are about.
    pub level: Level,
    /// Where Newton's method begins.
    pub start: StartForces,
    /// How its matrix is found.
    pub derivative: Derivative,
    /// Iterations after which an interval counts as a jam. Default 50.
    pub max_iterations: usize,
    /// Contacts are kept as equations, and those that pull end after the interval (Buck 1999, 5.3.1). Default false.
    pub bilateral: bool,
}

impl Default for BuckOptions {
    fn default() -> BuckOptions {
        BuckOptions {
            guard: 10e-6,
            level: Level::default(),
            start: StartForces::default(),
            derivative: Derivative::default(),
            max_iterations: 50,
            bilateral: false,
        }
    }
}

impl BuckOptions {
    fn checked(&self) -> Result<(), HandlingError> {
        within("the guard", self.guard, (1e-9, 1.0), "between 1e-9 and 1 m")?;
        within("the number of iterations", self.max_iterations as f64, (1.0, 1e6), "1 or more")?;
        Ok(())
    }
}

/// A contact of the set.
#[derive(Clone, Copy, Debug)]
pub struct BuckContact {
    /// Index of the obstacle.
    pub obstacle: usize,
    /// The two features.
    pub feature: NearFeature,
    /// In N, along the normal.
    pub force: f64,
    /// Force times the square of the interval over the mass, in m: the unknown of the solver.
    pub(crate) push: f64,
}

/// What became of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BuckReport {
    /// Share of the interval that was carried out: up to the first collision.
    pub done: f64,
    /// A collision made a new contact.
    pub born: bool,
    /// Contacts that ended because they opened, or pulled.
    pub opened: usize,
    /// Contacts that ended because their feet left their faces and edges.
    pub left: usize,
    /// Contacts that went over to a neighbouring feature without a collision.
    pub flowed: usize,
    /// No forces were found, or the collision is one of contacts that exist: the part stayed.
    pub jam: bool,
    /// Of Newton's method.
    pub iterations: usize,
}

/// A part in a hand, by the method of Buck 1999.
pub struct BuckHeld {
    boundary: Boundary,
    options: BuckOptions,
    mass: f64,
    centre: DVec3,
    axes: DMat3,
    gyration: DVec3,
    pose: Pose,
    obstacles: Vec<Obstacle>,
    contacts: Vec<BuckContact>,
    report: BuckReport,
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
        // What a part and its obstacles must be is the same for both methods.
        let metric = Metric::Mass(*mass);
        let checks = HandlingOptions { guard: options.guard, metric, ..HandlingOptions::default() };
        let held = Held::new(part, pose, obstacles, checks)?;
        let (moments, axes) = mass.principal_axes();
        Ok(BuckHeld {
            mass: mass.mass,
            centre: mass.center_of_mass,
            axes: DMat3::from_quat(axes),
            gyration: (moments / mass.mass).map(f64::sqrt),
            pose: *held.pose(),
            boundary: held.boundary,
            obstacles: held.obstacles,
            options,
            contacts: Vec::new(),
            report: BuckReport::default(),
            workspace: Workspace::new(),
        })
    }

    /// With other options from the next interval on; the contacts stay.
    pub fn with_options(mut self, options: BuckOptions) -> Result<BuckHeld, HandlingError> {
        options.checked()?;
        self.options = options;
        Ok(self)
    }

    /// Where the part is.
    pub fn pose(&self) -> &Pose {
        &self.pose
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

    /// Gap of a contact of the set now, in m.
    pub fn gap(&self, contact: &BuckContact) -> f64 {
        contact.feature.at(&self.pose, self.obstacles[contact.obstacle].pose()).gap
    }

    /// Directions in which the part can still go while it keeps all contacts: six less the rank of their rows.
    pub fn free_directions(&self) -> usize {
        let frame = self.frame();
        let centre = self.pose.transform_point(self.centre);
        let mut basis: Vec<[f64; 6]> = Vec::new();
        for contact in &self.contacts {
            let state = contact.feature.at(&self.pose, self.obstacles[contact.obstacle].pose());
            let mut row = frame.row(state.normal, state.on_a - centre);
            let length = crate::active_set::norm(&row);
            for known in &basis {
                let along = crate::active_set::dot(&row, known);
                row.iter_mut().zip(known).for_each(|(x, k)| *x -= along * k);
            }
            let rest = crate::active_set::norm(&row);
            if rest > 1e-6 * length {
                basis.push(row.map(|x| x / rest));
            }
        }
        6 - basis.len()
    }

    fn frame(&self) -> MetricFrame {
        MetricFrame::new(&self.pose, &self.axes, self.gyration)
    }
}
