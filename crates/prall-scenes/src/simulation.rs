//! [`Simulation`]: one interface to everything that moves.

use crate::{
    ActionError, ActionKind, Addition, Assets, BodyAction, Channel, ControlValues, DriveControl, Frame,
    JointCoordinate, Overlay, Parameter, ParameterError, Property, Template,
};
use glam::DVec3;
use prall_geometry::{Ray, Shape};
use prall_handling::haptics::Constraints;
use prall_math::{Pose, Wrench};
use prall_mechanics::audit::AuditReport;
use prall_mechanics::{Budget, StepReport};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use thiserror::Error;

/// What people do to the simulation during one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Where the hand is that holds the grabbed body; without a grip it has no effect. Its rotation is the turn since
    /// the body was grabbed.
    pub hand: Option<Pose>,
    /// Where the controls are held; none while nobody drives. Scenes without controls have nothing to drive.
    pub controls: Option<ControlValues>,
}

/// A body in somebody's hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Index of the body in [`Assets::bodies`].
    pub body: usize,
    /// The gripped point in the body's frame.
    pub point: DVec3,
}

/// A way to compute the motion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Solver {
    /// The name used in commands.
    pub name: &'static str,
    /// The name that people read.
    pub title: &'static str,
    /// What it promises, in one sentence.
    pub promise: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

/// Energy of everything that moves, in J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Of motion.
    pub kinetic: f64,
    /// Of height.
    pub potential: f64,
}

impl Energy {
    /// The sum.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// Errors that a solver promises to keep below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// Of [`StepReport::position_error`], in m.
    pub position: f64,
    /// Of [`StepReport::velocity_error`], in m/s.
    pub velocity: f64,
}

/// A scene has no solver of that name.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("no solver '{name}' in this scene; there is: {known}")]
pub struct UnknownSolver {
    /// What was asked for.
    pub name: String,
    /// What there is, separated by commas.
    pub known: String,
}

impl UnknownSolver {
    /// The index of a solver by name, or the error that lists what there is.
    pub(crate) fn position(solvers: &[Solver], name: &str) -> Result<usize, UnknownSolver> {
        solvers.iter().position(|solver| solver.name == name).ok_or_else(|| UnknownSolver {
            name: name.to_owned(),
            known: solvers.iter().map(|solver| solver.name).collect::<Vec<_>>().join(", "),
        })
    }
}

/// Why a saved state could not be taken back.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RestoreError {
    /// Not a saved state, or one of another version of Prall.
    #[error("this is not a saved state of {scene} that this version of Prall can read ({reason})")]
    Unreadable {
        /// The scene that was to be restored.
        scene: &'static str,
        /// What the reader stumbled over.
        reason: String,
    },
    /// The state holds numbers that no run can have.
    #[error("the saved state of {scene} holds a value that is not possible: {culprit}")]
    Impossible {
        /// The scene that was to be restored.
        scene: &'static str,
        /// Which one.
        culprit: String,
    },
}

/// What a hand did with a part in one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandledStep {
    /// The part, by its number in [`Assets::bodies`].
    pub part: usize,
    /// Its reference point, in its own frame.
    pub reference: DVec3,
    /// Poses from the start to the end of the step. Between two of them its reference point goes straight and it turns steadily; that is what was proven free.
    pub way: Vec<Pose>,
    /// The smallest gap in m that was proven on the way; infinite if nothing is near, or nothing was proven.
    pub gap: f64,
    /// The largest force in N that contacts pressed with.
    pub force: f64,
    /// What contacts press the part with at the end of the step, about the reference point: what its hand feels.
    pub wrench: Wrench,
    /// What keeps the part from going on at the end of the step: a device that renders forces reads it. Without planes nothing does, or nothing filters.
    pub constraints: Constraints,
}

impl HandledStep {
    /// Begins anew; memory stays.
    pub(crate) fn begin(&mut self, part: usize, reference: DVec3, pose: Pose) {
        self.way.clear();
        self.way.push(pose);
        (self.part, self.reference, self.gap, self.force) = (part, reference, f64::INFINITY, 0.0);
        self.wrench = Wrench::ZERO;
        self.constraints = Constraints::new(pose, reference, []);
    }
}

/// A step of a scene in which a hand moves a part, for a second one that follows it: what the filter allowed, not what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct LedStep {
    /// Where all parts were before the step.
    pub before: Vec<Pose>,
    /// The part that was in hand, and its way as in [`HandledStep::way`].
    pub part: usize,
    /// See [`LedStep::part`].
    pub way: Vec<Pose>,
    /// Where all parts are now.
    pub after: Vec<Pose>,
}

/// A world that advances in fixed steps, shows itself and can be touched.
///
/// The same calls in the same order give the same bits, on every machine; `save` and `restore` go on with them.
pub trait Simulation: Send {
    /// Advances by one time step.
    fn step(&mut self, input: &Input, budget: &mut Budget) -> &StepReport;

    /// What the last step reported.
    fn report(&self) -> &StepReport;

    /// Simulated time in s.
    fn time(&self) -> f64;

    /// Length of a step in s.
    fn time_step(&self) -> f64;

    /// Back to the start, with the present parameters and solver.
    fn reset(&mut self);

    /// Shapes, looks, bodies and the camera's place. They change with a reset, and where a body is added.
    fn assets(&self) -> &Assets;

    /// Writes poses, in the order of [`Assets::bodies`], and of the overlays those in [`Frame::wanted`].
    fn frame(&self, frame: &mut Frame);

    /// What can be changed, with unit, range and a sentence each.
    fn parameters(&self) -> &'static [Parameter];

    /// The present value of a parameter.
    fn get(&self, key: &str) -> Option<f64>;

    /// Changes a parameter from now on; refused values leave everything as it was.
    fn set(&mut self, key: &str, value: f64) -> Result<(), ParameterError>;

    /// The solvers that this scene can be computed by; the first is the default.
    fn solvers(&self) -> &'static [Solver];

    /// Name of the solver in use.
    fn solver(&self) -> &'static str;

    /// Changes the solver from now on.
    fn select_solver(&mut self, name: &str) -> Result<(), UnknownSolver>;

    /// Everything that decides how the simulation goes on.
    fn save(&self) -> Vec<u8>;

    /// Goes back to a saved state; an unreadable one leaves everything as it was.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError>;

    /// A hash over the bits of all body states.
    fn hash(&self) -> u64;

    /// Takes hold of the first movable body along the ray. Scenes without movable bodies have nothing to take.
    fn grab(&mut self, _ray: &Ray) -> Option<Grip> {
        None
    }

    /// Lets go.
    fn release(&mut self) {}

    /// What can be driven, at most [`MOST_CONTROLS`](crate::MOST_CONTROLS): the values come with each step's [`Input`].
    fn controls(&self) -> &[DriveControl] {
        &[]
    }

    /// The body in [`Assets::bodies`] that the camera of somebody who drives goes with.
    fn driven_body(&self) -> Option<usize> {
        None
    }

    /// Does something to a body. Refused actions leave everything as it was.
    fn act(&mut self, _body: usize, action: &BodyAction) -> Result<(), ActionError> {
        Err(ActionError::unsupported(action))
    }

    /// Adds a body and returns its index in [`Assets::bodies`]: all others keep theirs. A refused addition leaves everything as it was.
    fn add(&mut self, _addition: &Addition) -> Result<usize, ActionError> {
        Err(ActionError::Unsupported("added"))
    }

    /// What makes another one of a body; `None` for scenery, for parts of machines and where bodies cannot be added.
    fn body_template(&self, _body: usize) -> Option<Template> {
        None
    }

    /// Coordinates of machines' joints that a person may set.
    fn joint_coordinates(&self) -> Vec<JointCoordinate> {
        Vec::new()
    }

    /// Puts a machine's joint somewhere, in m or degrees, at rest.
    fn set_joint(&mut self, _joint: usize, _position: f64) -> Result<(), ActionError> {
        Err(ActionError::Refused("this scene has no machine whose joints could be set".to_owned()))
    }

    /// Which actions this scene supports.
    fn actions(&self) -> &'static [ActionKind] {
        &[]
    }

    /// What is known about a body: mass, velocity, what it is made of.
    fn body_properties(&self, _body: usize) -> Result<Vec<Property>, ActionError> {
        Err(ActionError::Unsupported("asked for their properties"))
    }

    /// The overlays that this scene can show.
    fn overlays(&self) -> &'static [Overlay] {
        &[Overlay::Contacts, Overlay::Forces, Overlay::Velocities]
    }

    /// Numbers that every frame reports, see [`Frame::report`]; none by default.
    fn channels(&self) -> &'static [Channel] {
        &[]
    }

    /// What the present solver promises to keep to; none if it promises nothing.
    fn tolerances(&self) -> Option<Tolerances> {
        None
    }

    /// Lends the simulation a pool of workers. The results are the same bits with any number of them, so that scenes
    /// that compute on one thread need not do anything with it.
    fn use_pool(&mut self, _pool: &Arc<rayon::ThreadPool>) {}

    /// Present energy; none where nothing has a mass.
    fn energy(&self) -> Energy {
        Energy::default()
    }

    /// How many joints there are.
    fn joint_count(&self) -> usize {
        0
    }

    /// What the auditor, which shares no code with detection and solvers, finds in the present poses; none where there is nothing
    /// to judge.
    fn audit(&self) -> Option<AuditReport> {
        None
    }

    /// The world behind the scene, where there is one: what its bodies and joints are made from.
    fn world(&self) -> Option<&prall_dynamics::World> {
        None
    }

    /// The way of the part in hand in the last step; none in scenes without a contact filter.
    fn handled(&self) -> Option<&HandledStep> {
        None
    }

    /// Where the part in hand is, in scenes with a contact filter.
    fn held_pose(&self) -> Option<Pose> {
        None
    }

    /// Names, shapes and places of what is handled and of what stands around it, in the order of [`HandledStep::part`]; parts come first.
    fn handled_shapes(&self) -> Vec<(String, Shape, Pose)> {
        Vec::new()
    }

    /// The last step for a second scene that follows; none in scenes without parts in hand.
    fn led_step(&self) -> Option<LedStep> {
        None
    }

    /// Takes the step that another scene took, bit for bit, if it is free here too. The first one begins with the parts where they were there. The error is a sentence: what is in the
    /// way, or why the other scene is another one; then the part stays at the last pose that is proven free.
    fn follow(&mut self, _led: &LedStep, _first: bool) -> Result<(), String> {
        Err("no part of this scene can follow another one".to_owned())
    }

    /// False if a state is no longer a number; such a simulation cannot go on.
    fn is_finite(&self) -> bool;
}
