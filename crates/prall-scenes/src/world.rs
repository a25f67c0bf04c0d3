//! Scenes of the dynamics: free bodies, joints and contacts in one [`World`].
//!
//! A scene is a [`WorldDefinition`]: parameters, solvers and a function that puts bodies on a [`Stage`]. [`WorldScene`] makes a
//! [`Simulation`] of it, the same way for all, so that gallery, tests and benchmarks share one definition.

mod added;
pub(crate) mod contact_scenes;
mod described;
mod described_machine;
pub(crate) mod hand_scenes;
pub(crate) mod hinged_cover;
pub(crate) mod joint_scenes;
pub(crate) mod law_scenes;
mod link_rods;
mod machines;
mod overlays;
mod rigid_ipc;
mod robot_masses;
pub(crate) mod solid_scenes;
mod solvers;
pub(crate) mod stage;
#[cfg(test)]
mod tests;

use crate::parameter::Values;
use crate::simulation::Solver;
use crate::{
    ActionError, ActionKind, Addition, Assets, BodyAction, BodyMark, DriveControl, Energy, Frame, Grip,
    Input, JointCoordinate, Overlay, Parameter, ParameterError, Property, RestoreError, Simulation, Template,
    Tolerances, UnknownSolver, saved,
};
use glam::{DQuat, DVec3};
use prall_dynamics::{BodyHandle, BodyKind, HandHandle, Party, World};
use prall_geometry::Ray;
use prall_mechanics::audit::AuditReport;
use prall_mechanics::{Budget, StepReport};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(crate) use described::Described;
pub use described::{FileScene, OpenFileError, open_file};
pub(crate) use machines::{Control, MachinePart};
pub(crate) use solvers::{CONTACT_SOLVERS, JOINT_SOLVERS, WorldSolver};
pub(crate) use stage::Stage;

use stage::DrivenBy;

/// How fast a person's hand takes a body along, in 1/s: half of the way in less than a tenth of a second.
const HAND_RATE: f64 = 20.0;

/// Largest force of a person's hand in weights of the held body: enough to draw a brick from under twenty rows.
const HAND_STRENGTH: f64 = 100.0;

/// A scene of the dynamics.
pub(crate) struct WorldDefinition {
    /// The name in the catalogue.
    pub(crate) name: &'static str,
    /// What can be changed. `gravity`, where it is declared, and speeds of motors hold at once, everything else from the
    /// next reset on.
    pub(crate) parameters: &'static [Parameter],
    /// By what it can be computed, and the same as people read it.
    pub(crate) solvers: (&'static [WorldSolver], &'static [Solver]),
    /// What puts the bodies in place.
    pub(crate) build: Build,
}

/// What puts the bodies of a scene in place.
pub(crate) enum Build {
    /// A function of the scene's parameters.
    Gallery(fn(&Values) -> Stage),
    /// A scene file that was tried when it was opened.
    File(Box<described::Described>),
    /// A scene of Rigid IPC that was tried when it was opened.
    RigidIpc(Box<rigid_ipc::RigidIpcStage>),
}

impl WorldDefinition {
    fn stage(&self, values: &Values) -> Stage {
        let mut stage = self.build(values);
        stage.frame_subject();
        stage
    }

    fn build(&self, values: &Values) -> Stage {
        match &self.build {
            Build::Gallery(build) => build(values),
            Build::File(described) => described.stage().unwrap_or_else(|(what, reason)| {
                unreachable!("the file was built when it was opened: {what}: {reason}")
            }),
            Build::RigidIpc(built) => built.stage().unwrap_or_else(|(part, error)| {
                unreachable!("the file was built when it was opened: part {part}: {error}")
            }),
        }
    }
}

/// What belongs to the state beside the world's own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Touched {
    solver: usize,
    hand: Option<HandHandle>,
    /// The machine that is held, by its number on the stage.
    machine: Option<usize>,
    /// Bodies that were pinned or taken away, by their number on the stage.
    pinned: Vec<usize>,
    hidden: Vec<usize>,
    /// Bodies that were added and taken away, in order.
    changes: Vec<added::Change>,
}

/// A scene of the dynamics that runs.
pub(crate) struct WorldScene {
    definition: &'static WorldDefinition,
    values: Values,
    /// The same with what somebody who drives makes of them.
    driven: Values,
    stage: Stage,
    touched: Touched,
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl WorldScene {
    pub(crate) fn new(definition: &'static WorldDefinition) -> WorldScene {
        let values = Values::defaults(definition.parameters);
        let stage = definition.stage(&values);
        let mut scene = WorldScene {
            definition,
            driven: values.clone(),
            values,
            stage,
            touched: Touched::default(),
            pool: None,
        };
        scene.apply_options();
        scene
    }

    /// Solver and live parameters into the world's options.
    fn apply_options(&mut self) {
        let mut options = *self.stage.world.options();
        self.definition.solvers.0[self.touched.solver].apply(&mut options);
        if let Some(gravity) = self.values.get("gravity") {
            options.gravity = DVec3::new(0.0, -gravity, 0.0);
        }
        self.stage.world.set_options(options).expect("declared parameters are within the world's ranges");
        self.driven.assign(&self.values);
        self.drive_motors();
    }

    /// What the controls say counts in place of the parameters of the same names, as long as somebody drives.
    fn take_controls(&mut self, input: &Input) {
        if self.stage.controls.is_empty() {
            return;
        }
        self.driven.assign(&self.values);
        if let Some(held) = input.controls {
            for (index, control) in self.stage.controls.iter().enumerate() {
                self.driven.drive(control, held.get(index));
            }
        }
        self.drive_motors();
    }

    fn drive_motors(&mut self) {
        for DrivenBy { parameter, joint, factor } in &self.stage.driven {
            // A joint that broke, or went with a deleted body, drives nothing any more.
            let Ok(mut drive) = self.stage.world.drive(*joint, 0) else { continue };
            let Some(motor) = &mut drive.motor else { continue };
            let speed = factor * self.driven.of(parameter);
            if motor.speed != speed {
                motor.speed = speed;
                self.stage.world.set_drive(*joint, 0, drive).expect("only the speed has changed");
            }
        }
    }

    fn body(&self, part: usize) -> Result<BodyHandle, ActionError> {
        let count = self.stage.assets.bodies.len();
        if let Some((machine, _)) = self.stage.link_of_part(part) {
            return Err(ActionError::Refused(format!(
                "{} is part of {}: it can be pulled, but not taken apart",
                self.stage.assets.bodies[part].name, self.stage.machines[machine].name
            )));
        }
        let number = self.stage.body_of_part(part).ok_or(ActionError::NoSuchBody { body: part, count })?;
        if self.touched.hidden.contains(&number) {
            return Err(ActionError::Refused(format!(
                "{} is not there any more",
                self.stage.assets.bodies[part].name
            )));
        }
        Ok(self.stage.bodies[number])
    }
}

fn refused(error: impl std::fmt::Display) -> ActionError {
    ActionError::Refused(error.to_string())
}

impl Simulation for WorldScene {
    fn step(&mut self, input: &Input, budget: &mut Budget) -> &StepReport {
        if let Some((hand, pose)) = self.touched.hand.zip(input.hand) {
            self.stage.world.pull(hand, pose.translation);
            if pose.rotation != DQuat::IDENTITY {
                self.stage.world.turn(hand, pose.rotation);
            }
        }
        if let Some((machine, pose)) = self.touched.machine.zip(input.hand) {
            self.stage.with_machine(machine, |mechanism| mechanism.pull(pose.translation));
        }
        self.take_controls(input);
        self.stage.control_machines(&self.driven);
        self.stage.drive_prescribed();
        self.stage.command_hands();
        self.stage.world.step(budget)
    }

    fn report(&self) -> &StepReport {
        self.stage.world.report()
    }

    fn time(&self) -> f64 {
        self.stage.world.time()
    }

    fn time_step(&self) -> f64 {
        self.stage.world.options().time_step
    }

    fn reset(&mut self) {
        self.stage = self.definition.stage(&self.values);
        self.touched = Touched { solver: self.touched.solver, ..Touched::default() };
        self.apply_options();
        if let Some(pool) = self.pool.clone() {
            self.use_pool(&pool);
        }
    }

    fn assets(&self) -> &Assets {
        &self.stage.assets
    }

    fn frame(&self, frame: &mut Frame) {
        frame.clear();
        frame.poses.extend(self.stage.part_poses());
        for (body, number) in self.stage.parts_of_bodies() {
            let (hidden, pinned) =
                (self.touched.hidden.contains(&number), self.touched.pinned.contains(&number));
            if hidden || pinned {
                frame.marks.push(BodyMark { body, hidden, pinned });
            }
        }
        overlays::draw(&self.stage, frame);
    }

    fn parameters(&self) -> &'static [Parameter] {
        self.definition.parameters
    }

    fn get(&self, key: &str) -> Option<f64> {
        self.values.get(key)
    }

    fn set(&mut self, key: &str, value: f64) -> Result<(), ParameterError> {
        self.values.set(key, value)?;
        self.apply_options();
        Ok(())
    }

    fn solvers(&self) -> &'static [Solver] {
        self.definition.solvers.1
    }

    fn solver(&self) -> &'static str {
        self.definition.solvers.1[self.touched.solver].name
    }

    fn select_solver(&mut self, name: &str) -> Result<(), UnknownSolver> {
        self.touched.solver = UnknownSolver::position(self.solvers(), name)?;
        self.apply_options();
        Ok(())
    }

    fn save(&self) -> Vec<u8> {
        saved::write(self.definition.name, &self.values, &(&self.touched, self.stage.world.save()))
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        let scene = self.definition.name;
        let (values, (touched, world)): (Values, (Touched, Vec<u8>)) =
            saved::read(scene, self.definition.parameters, bytes)?;
        if touched.solver >= self.solvers().len() {
            let culprit = format!("solver number {}", touched.solver);
            return Err(RestoreError::Impossible { scene, culprit });
        }
        let unreadable = |reason: String| RestoreError::Unreadable { scene, reason };
        // Bodies and shapes follow from the parameters and from what was added; the world's state then goes on them.
        let stage = self.definition.stage(&values);
        let mut restored = WorldScene {
            definition: self.definition,
            driven: values.clone(),
            values: values.clone(),
            stage,
            touched: Touched::default(),
            pool: None,
        };
        restored.repeat_changes(&touched.changes).map_err(unreadable)?;
        restored.stage.world.restore(&world).map_err(|error| unreadable(error.to_string()))?;
        self.stage = restored.stage;
        self.driven = values.clone();
        self.values = values;
        self.touched = touched;
        if let Some(pool) = self.pool.clone() {
            self.use_pool(&pool);
        }
        Ok(())
    }

    fn hash(&self) -> u64 {
        self.stage.world.hash()
    }

    fn grab(&mut self, ray: &Ray) -> Option<Grip> {
        self.release();
        // Beyond a kilometre nobody points at anything.
        let hit = self.stage.world.cast_ray(ray, 1e3).ok()??;
        let point = ray.at(hit.hit.distance);
        let body = match hit.party {
            Party::Body(body) => body,
            Party::Link(mover, link) => {
                let (machine, part) = self.stage.grab_link(mover, link, point)?;
                self.touched.machine = Some(machine);
                return Some(Grip {
                    body: part,
                    point: self.stage.part_pose(part).inverse_transform_point(point),
                });
            }
        };
        let part = self.stage.nearest_part(body, point)?;
        let in_body = self.stage.world.pose(body).ok()?.inverse_transform_point(point);
        let grip = prall_dynamics::Grip { point: in_body, rate: HAND_RATE, strength: HAND_STRENGTH };
        let firmly = self.stage.take_from_script(body);
        let hand = self.stage.world.grab(body, &grip).ok()?;
        if firmly {
            // What is handled keeps its orientation until the hand turns it.
            self.stage.world.turn(hand, DQuat::IDENTITY);
        }
        self.touched.hand = Some(hand);
        Some(Grip { body: part, point: self.stage.part_pose(part).inverse_transform_point(point) })
    }

    fn release(&mut self) {
        if let Some(hand) = self.touched.hand.take() {
            self.stage.world.release(hand);
        }
        if let Some(machine) = self.touched.machine.take() {
            self.stage.with_machine(machine, prall_multibody::Mechanism::release);
        }
    }

    fn controls(&self) -> &[DriveControl] {
        &self.stage.controls
    }

    fn driven_body(&self) -> Option<usize> {
        (!self.stage.controls.is_empty()).then(|| self.stage.first_part_of_machines())?
    }

    fn act(&mut self, part: usize, action: &BodyAction) -> Result<(), ActionError> {
        let body = self.body(part)?;
        let number = self.stage.body_of_part(part).unwrap_or_default();
        let world = &mut self.stage.world;
        if !self.stage.assets.bodies[part].movable {
            return Err(ActionError::Refused(format!(
                "{} is part of the scenery",
                self.stage.assets.bodies[part].name
            )));
        }
        match *action {
            BodyAction::Throw { velocity, spin } => world
                .set_velocity(body, prall_math::Twist { linear: velocity, angular: spin })
                .map_err(refused),
            BodyAction::Pin => {
                world.set_kind(body, BodyKind::Fixed).map_err(refused)?;
                self.touched.pinned.push(number);
                Ok(())
            }
            BodyAction::Unpin => {
                world.set_kind(body, BodyKind::Dynamic).map_err(refused)?;
                self.touched.pinned.retain(|&pinned| pinned != number);
                Ok(())
            }
            BodyAction::Delete => {
                self.release();
                self.stage.world.remove_body(body).map_err(refused)?;
                self.touched.hidden.push(number);
                self.touched.changes.push(added::Change::Removed(number));
                self.touched.pinned.retain(|&pinned| pinned != number);
                Ok(())
            }
        }
    }

    fn actions(&self) -> &'static [ActionKind] {
        &[ActionKind::Throw, ActionKind::Pin, ActionKind::Delete, ActionKind::Properties, ActionKind::Add]
    }

    fn add(&mut self, addition: &Addition) -> Result<usize, ActionError> {
        self.add_body(addition)
    }

    fn body_template(&self, part: usize) -> Option<Template> {
        self.template_of(part).ok()
    }

    fn joint_coordinates(&self) -> Vec<JointCoordinate> {
        self.stage.joint_coordinates()
    }

    fn set_joint(&mut self, joint: usize, position: f64) -> Result<(), ActionError> {
        self.release();
        self.stage.set_joint(joint, position).map_err(ActionError::Refused)
    }

    fn body_properties(&self, part: usize) -> Result<Vec<Property>, ActionError> {
        if let Some((machine, link)) = self.stage.link_of_part(part) {
            return Ok(self.stage.link_properties(machine, link));
        }
        let body = self.body(part)?;
        let world = &self.stage.world;
        let material = world.material(body).map_err(refused)?;
        let velocity = world.velocity(body).map_err(refused)?;
        let mass = world.mass(body).map_err(refused)?;
        let mut properties = Vec::new();
        if mass > 0.0 {
            properties.push(Property::number("Mass", mass, "kg"));
        }
        properties.push(Property::vector("Position", world.centre_of_mass(body).map_err(refused)?, "m"));
        properties.push(Property::vector("Velocity", velocity.linear, "m/s"));
        properties.push(Property::vector("Angular velocity", velocity.angular, "rad/s"));
        properties.push(Property::number("Static friction", material.static_friction, ""));
        properties.push(Property::number("Sliding friction", material.dynamic_friction, ""));
        properties.push(Property::number("Restitution", material.restitution, ""));
        Ok(properties)
    }

    fn overlays(&self) -> &'static [Overlay] {
        &[
            Overlay::Contacts,
            Overlay::Normals,
            Overlay::Forces,
            Overlay::Friction,
            Overlay::Joints,
            Overlay::Index,
            Overlay::Centres,
            Overlay::Velocities,
            Overlay::Labels,
        ]
    }

    fn tolerances(&self) -> Option<Tolerances> {
        let options = self.stage.world.options();
        let joints =
            Tolerances { position: options.position_tolerance, velocity: options.velocity_tolerance };
        let contacts = Tolerances {
            position: options.contact.position_tolerance,
            velocity: options.contact.velocity_tolerance,
        };
        // A report has the largest error of both, so the promise is the larger of both where both can be.
        Some(match (self.joint_count() > 0, self.stage.can_touch()) {
            (true, true) => Tolerances {
                position: joints.position.max(contacts.position),
                velocity: joints.velocity.max(contacts.velocity),
            },
            (true, false) => joints,
            (false, _) => contacts,
        })
    }

    fn use_pool(&mut self, pool: &Arc<rayon::ThreadPool>) {
        self.pool = Some(pool.clone());
        self.stage.world.set_pool(Some(pool.clone()));
    }

    fn energy(&self) -> Energy {
        let energy = self.stage.world.energy();
        Energy { kinetic: energy.kinetic, potential: energy.potential }
    }

    fn world(&self) -> Option<&World> {
        Some(&self.stage.world)
    }

    fn joint_count(&self) -> usize {
        self.stage.world.joint_count() + self.stage.machine_joints()
    }

    fn audit(&self) -> Option<AuditReport> {
        self.stage.audit()
    }

    fn is_finite(&self) -> bool {
        self.stage.world.is_finite()
    }
}
