//! Machines on a stage: mechanisms in minimal coordinates among free bodies.

use super::Stage;
use super::stage::{Audited, Holder};
use crate::parameter::Values;
use crate::{JointCoordinate, Property};
use glam::DVec3;
use prall_detection::Filter;
use prall_dynamics::{Material, MoverHandle, ShapeDefinition};
use prall_geometry::{Compound, Shape};
use prall_math::Pose;
use prall_mechanics::audit::AuditBody;
use prall_multibody::{JointKind, Mechanism};
use std::any::Any;
use std::sync::Arc;

/// A part of a machine as it looks and as it is touched, in the frame in which its body was declared.
#[derive(Clone)]
pub(crate) struct MachinePart {
    /// Its body in the mechanism.
    pub(crate) link: u32,
    pub(crate) pose: Pose,
    pub(crate) shape: Shape,
    pub(crate) material: Material,
    pub(crate) look: usize,
    /// False for what is only to be seen.
    pub(crate) touches: bool,
}

/// What sets the drives and motors of a machine before every step: parameters, the time in s, the step in s. It has no memory
/// of its own, so that a restored scene goes on as the saved one would have.
pub(crate) type Control = Box<dyn Fn(&Values, f64, f64, &mut Mechanism) + Send>;

/// A machine on the stage.
pub(crate) struct Machine {
    pub(super) name: String,
    pub(super) mover: MoverHandle,
    /// Joints that a person may set.
    settable: Vec<SettableJoint>,
    controls: Vec<Control>,
}

/// A joint whose first coordinate a person may set.
pub(super) struct SettableJoint {
    pub(super) node: usize,
    /// Smallest and largest value to choose from, in m or rad.
    pub(super) range: [f64; 2],
}

/// What people may choose from where no limits are known: half a turn and a metre to either side.
const FREE_TURN: f64 = std::f64::consts::PI;
const FREE_SLIDE: f64 = 1.0;

/// The group of a machine's links; sixteen machines can be told apart.
fn own_group(machine: usize) -> u32 {
    1 << (16 + machine % 16)
}

impl Stage {
    /// What the base of the next machine touches: everything but that machine.
    pub(super) fn base_filter(&self) -> Filter {
        Filter { mask: !own_group(self.machines.len()), ..Filter::EVERYTHING }
    }

    /// Adds a machine with its parts; those of one machine do not touch each other.
    pub(crate) fn machine(
        &mut self,
        name: impl Into<String>,
        mechanism: Mechanism,
        parts: &[MachinePart],
        control: Option<Control>,
    ) -> Result<(), prall_dynamics::WorldError> {
        let name = name.into();
        let number = self.machines.len();
        let in_link = |part: &MachinePart| mechanism.declared_frame(part.link as usize) * part.pose;
        let shape = |part: &MachinePart| {
            let definition = ShapeDefinition { pose: in_link(part), shape: part.shape.clone(), density: 0.0 };
            (part.link, definition, part.material)
        };
        let shapes: Vec<_> = parts.iter().filter(|part| part.touches).map(shape).collect();
        for (link, body) in (0..mechanism.tree().len()).map(|link| (link, mechanism.name(link))) {
            let label = body.unwrap_or(&name).to_owned();
            let own = parts.iter().filter(|part| part.link as usize == link);
            let mut touching = Vec::new();
            for part in own {
                let holder = Holder::Link(number, part.link);
                self.add_parts(&label, holder, &in_link(part), &part.shape, part.look, true);
                if part.touches {
                    touching.push((in_link(part), part.shape.clone()));
                }
            }
            if let Ok(compound) = Compound::new(touching) {
                let shape = Shape::Compound(Arc::new(compound));
                let filter = Filter { groups: own_group(number), ..Filter::EVERYTHING };
                let body = AuditBody { shape, movable: true, filter };
                self.audited.push((body, Audited::Link(number, link as u32)));
            }
        }
        let filter = Filter { groups: own_group(number), ..Filter::EVERYTHING };
        let settable = settable_joints(&mechanism);
        let mover = self.world.add_mover(Box::new(mechanism), &shapes, filter)?;
        self.machines.push(Machine { name, mover, settable, controls: control.into_iter().collect() });
        Ok(())
    }

    /// Adds something that acts on the last machine before every step, after what acts already.
    pub(crate) fn on_every_step(
        &mut self,
        control: impl Fn(&Values, f64, f64, &mut Mechanism) + Send + 'static,
    ) {
        if let Some(machine) = self.machines.last_mut() {
            machine.controls.push(Box::new(control));
        }
    }

    /// Changes which joints of the last machine a person may set, and in which range.
    pub(super) fn choose_settable(&mut self, choose: impl Fn(&mut SettableJoint) -> bool) {
        if let Some(machine) = self.machines.last_mut() {
            machine.settable.retain_mut(choose);
        }
    }

    /// Joints of all machines that a person may set.
    pub(super) fn joint_coordinates(&self) -> Vec<JointCoordinate> {
        let mut list = Vec::new();
        for (number, machine) in self.machines.iter().enumerate() {
            let Some(mechanism) = self.mechanism(number) else { continue };
            for SettableJoint { node, range } in &machine.settable {
                let Some((position, _)) = mechanism.tree().coordinate(*node, 0) else { continue };
                let slides = mechanism.tree().slides(*node, 0);
                let unit = |value: f64| if slides { value } else { value.to_degrees() };
                let [min, max] = range.map(unit);
                let name = mechanism.name(*node).unwrap_or(&machine.name).to_owned();
                let position = unit(position);
                list.push(JointCoordinate {
                    name, unit: if slides { "m" } else { "°" }, min, max, position
                });
            }
        }
        list
    }

    /// Puts a joint somewhere, in m or degrees, at rest. The error is a sentence.
    pub(super) fn set_joint(&mut self, joint: usize, position: f64) -> Result<(), String> {
        let joints = self.machines.iter().enumerate();
        let mut all =
            joints.flat_map(|(number, machine)| machine.settable.iter().map(move |one| (number, one)));
        let (machine, node, [low, high]) = all
            .nth(joint)
            .map(|(machine, one)| (machine, one.node, one.range))
            .ok_or("there is no such joint")?;
        let slides = self.mechanism(machine).is_some_and(|mechanism| mechanism.tree().slides(node, 0));
        let position = if slides { position } else { position.to_radians() };
        // A slider's end is rounded on its way from and to degrees.
        let tolerance = 1e-6 * (high - low);
        if !(low - tolerance..=high + tolerance).contains(&position) {
            return Err("a joint can be set within its range only".to_owned());
        }
        let mover: &mut dyn Any =
            self.world.mover_mut(self.machines[machine].mover).map_err(|error| error.to_string())?;
        let mechanism: &mut Mechanism = mover.downcast_mut().ok_or("this machine has no joints")?;
        mechanism.tree_mut().set_coordinate(node, 0, position.clamp(low, high), 0.0);
        Ok(())
    }

    /// A machine's mechanism.
    pub(super) fn mechanism(&self, machine: usize) -> Option<&Mechanism> {
        let mover: &dyn Any = self.world.mover(self.machines.get(machine)?.mover).ok()?;
        mover.downcast_ref()
    }

    /// Does something to a machine that leaves it where it is.
    pub(crate) fn with_machine(&mut self, machine: usize, act: impl FnOnce(&mut Mechanism)) {
        let Some(handle) = self.machines.get(machine).map(|machine| machine.mover) else { return };
        if let Ok(mover) = self.world.drive_mover(handle) {
            let mover: &mut dyn Any = mover;
            if let Some(mechanism) = mover.downcast_mut() {
                act(mechanism);
            }
        }
    }

    /// Sets drives and motors for the coming step.
    pub(super) fn control_machines(&mut self, values: &Values) {
        let (time, h) = (self.world.time(), self.world.options().time_step);
        for machine in &self.machines {
            if machine.controls.is_empty() {
                continue;
            }
            if let Ok(mover) = self.world.drive_mover(machine.mover) {
                let mover: &mut dyn Any = mover;
                if let Some(mechanism) = mover.downcast_mut() {
                    machine.controls.iter().for_each(|control| control(values, time, h, mechanism));
                }
            }
        }
    }

    pub(super) fn link_pose(&self, machine: usize, link: u32) -> Pose {
        let pose = |machine: &Machine| self.world.mover(machine.mover).map(|mover| mover.pose(link));
        self.machines.get(machine).and_then(|machine| pose(machine).ok()).unwrap_or(Pose::IDENTITY)
    }

    /// The machine and the link that a part belongs to.
    pub(super) fn link_of_part(&self, part: usize) -> Option<(usize, u32)> {
        match self.parts.get(part)?.holder {
            Holder::Link(machine, link) => Some((machine, link)),
            Holder::Body(_) => None,
        }
    }

    /// The part that stands for the machines: the first of the first one.
    pub(super) fn first_part_of_machines(&self) -> Option<usize> {
        self.parts.iter().position(|part| matches!(part.holder, Holder::Link(..)))
    }

    /// Takes hold of a link at a point of the world: the machine, and the part that shows where.
    pub(super) fn grab_link(
        &mut self,
        mover: MoverHandle,
        link: u32,
        point: DVec3,
    ) -> Option<(usize, usize)> {
        let machine = self.machines.iter().position(|machine| machine.mover == mover)?;
        let holder = Holder::Link(machine, link);
        let own = (0..self.parts.len()).filter(|&part| self.parts[part].holder == holder);
        let distance = |part: &usize| self.part_pose(*part).translation.distance_squared(point);
        let part = own.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let local = self.link_pose(machine, link).inverse_transform_point(point);
        self.with_machine(machine, |mechanism| mechanism.grab(link as usize, local));
        Some((machine, part))
    }

    pub(super) fn machine_joints(&self) -> usize {
        let floats = |kind| matches!(kind, JointKind::Free | JointKind::Kinematic);
        let joints = |mechanism: &Mechanism| {
            let tree = mechanism.tree();
            (0..tree.len()).filter(|&node| !floats(tree.joint_kind(node))).count()
        };
        (0..self.machines.len()).filter_map(|machine| self.mechanism(machine)).map(joints).sum()
    }

    /// What is known about a link.
    pub(super) fn link_properties(&self, machine: usize, link: u32) -> Vec<Property> {
        let Some(mechanism) = self.mechanism(machine) else { return Vec::new() };
        let (tree, node) = (mechanism.tree(), link as usize);
        let (twist, place) = (tree.twist(node), tree.pose(node).translation);
        let height = -self.world.options().gravity.dot(place) * tree.mass(node);
        let mut properties = vec![
            Property::number("Mass", tree.mass(node), "kg"),
            Property::vector("Position", place, "m"),
            Property::vector("Velocity", twist.linear, "m/s"),
            Property::vector("Angular velocity", twist.angular, "rad/s"),
            Property::number("Kinetic energy", tree.kinetic_energy_of(node), "J"),
            Property::number("Energy of height", height, "J"),
        ];
        for axis in 0..3 {
            let Some((position, rate)) = tree.coordinate(node, axis) else { break };
            let slides = tree.slides(node, axis);
            let (length, speed) = if slides { ("m", "m/s") } else { ("°", "°/s") };
            let unit = |value: f64| if slides { value } else { value.to_degrees() };
            let label = |what: &str| if axis == 0 { what.to_owned() } else { format!("{what} {}", axis + 1) };
            properties.push(Property::number(&label("Joint"), unit(position), length));
            properties.push(Property::number(&label("Joint rate"), unit(rate), speed));
        }
        properties
    }
}

/// Every joint with one coordinate or more can be set, in a range that a person may want.
fn settable_joints(mechanism: &Mechanism) -> Vec<SettableJoint> {
    let tree = mechanism.tree();
    let floats = |node| matches!(tree.joint_kind(node), JointKind::Free | JointKind::Kinematic);
    (0..tree.len())
        .filter(|&node| !floats(node) && tree.coordinate(node, 0).is_some())
        .map(|node| {
            let reach = if tree.slides(node, 0) { FREE_SLIDE } else { FREE_TURN };
            SettableJoint { node, range: [-reach, reach] }
        })
        .collect()
}
