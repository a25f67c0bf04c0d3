//! From the mechanisms of a scene file to machines on a stage.

use super::described::Described;
use super::stage::Holder;
use super::{Control, MachinePart, Stage};
use crate::file::{
    ActQuantity, ControlDescription, CoordinateUnit, JointDescription, JointKindName, MechanismDescription,
    TreeLink, tree_of,
};
use crate::parameter::{Parameter, Scale};
use glam::DVec3;
use prall_dynamics::BodyDefinition;
use prall_geometry::MassProperties;
use prall_math::Pose;
use prall_multibody::{
    Differentiator, Drive, ForceElement, JointKind, MOST_COORDINATES, Mechanism, Model, Part, Spring, Steady,
};
use std::sync::Arc;

/// Stiffness of the end stops that limits are, in N m/rad: a machine of 100 kg at 1 m gives way by half a degree.
const STOP_TURN: f64 = 1e5;
/// The same for sliding, in N/m.
const STOP_SLIDE: f64 = 1e6;
/// Cut-off of the filter that smooths hand-set positions, in Hz.
const SMOOTHING: f64 = 4.0;

/// A control on one joint, in SI units.
#[derive(Clone, Copy)]
struct Act {
    key: &'static str,
    node: usize,
    quantity: ActQuantity,
    factor: f64,
    /// The joint's damping without a brake.
    damping: f64,
}

/// A joint that repeats the coordinate of another one.
#[derive(Clone, Copy)]
struct Follower {
    node: usize,
    leader: usize,
    factor: f64,
    offset: f64,
}

/// The parameters of a control, for as long as the program runs: parameters are declared statically.
pub(super) fn parameter(control: &ControlDescription) -> Parameter {
    let keep = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
    let label = if control.label.is_empty() { control.key.get_ref() } else { &control.label };
    Parameter {
        key: keep(control.key.get_ref()),
        label: keep(label),
        unit: keep(&control.unit),
        min: control.min,
        max: control.max,
        default: control.default,
        // Two hundred places on a slider.
        step: (control.max - control.min) / 200.0,
        scale: Scale::Linear,
        text: keep(&control.text),
    }
}

impl Described {
    /// Puts a mechanism on the stage, or says what could not be built and why.
    pub(crate) fn machine(
        &self,
        stage: &mut Stage,
        mechanism: &MechanismDescription,
        looks: &[usize],
    ) -> Result<(), (String, String)> {
        let name = mechanism.name.get_ref();
        let wrong = |reason: String| (format!("mechanism '{name}'"), reason);
        let links = tree_of(&self.scene, mechanism).map_err(|fault| wrong(fault.message))?;
        let mut rods = self.rods(links.iter().flat_map(|link| link.bodies.iter().copied()));
        let mut model = Model::default();
        let mut parts = Vec::new();
        // Links of the model by those of the file; what is welded to the world is none.
        let mut numbers: Vec<Option<usize>> = Vec::new();
        for link in &links {
            let bodies = self.bodies_of(link).map_err(wrong)?;
            if link.fixed {
                for (body, definition) in &bodies {
                    let fixed = BodyDefinition {
                        kind: prall_dynamics::BodyKind::Fixed,
                        mass: None,
                        filter: stage.base_filter(),
                        ..definition.clone()
                    };
                    stage
                        .try_add(self.body_name(*body), &fixed, looks[body % looks.len()])
                        .map_err(|error| wrong(error.to_string()))?;
                    let holder = Holder::Body(stage.bodies.len() - 1);
                    for (pose, shape) in rods.remove(body).unwrap_or_default() {
                        let look = looks[body % looks.len()];
                        stage.add_parts(self.body_name(*body), holder, &pose, &shape, look, false);
                    }
                }
                numbers.push(None);
                continue;
            }
            let parent = link.parent.and_then(|parent| numbers[parent]);
            let parent = parent.map(|_| self.link_name(&links[link.parent.unwrap_or_default()]));
            let (part, frame) = self.part(link, &bodies, &mut model).map_err(wrong)?;
            let number = model.part(self.link_name(link), parent, &part);
            numbers.push(Some(number as usize));
            for (body, definition) in &bodies {
                let in_link = frame.inverse() * definition.pose;
                let shapes = definition.shapes.iter().map(|shape| (shape.pose, shape.shape.clone(), true));
                let rods = rods.remove(body).unwrap_or_default();
                let rods = rods.into_iter().map(|(pose, shape)| (pose, shape, false));
                parts.extend(shapes.chain(rods).map(|(pose, shape, touches)| MachinePart {
                    link: number,
                    pose: in_link * pose,
                    shape,
                    material: definition.material,
                    look: looks[body % looks.len()],
                    touches,
                }));
            }
        }
        let acts = self.acts(mechanism, &links, &numbers);
        let followers = self.followers(&links, &numbers);
        let mut built = model.build().map_err(|error| wrong(error.to_string()))?;
        self.add_frictions(&mut built, &links, &numbers);
        self.start_within_limits(&mut built, &links, &numbers);
        for follower in &followers {
            let leader = built.tree().coordinate(follower.leader, 0).map_or(0.0, |(position, _)| position);
            let start = follower.factor * leader + follower.offset;
            built.tree_mut().set_coordinate(follower.node, 0, start, 0.0);
            if !built.add_gear(follower.node, follower.leader, follower.factor, follower.offset) {
                let count = followers.len();
                return Err(wrong(format!("{count} joints follow others; 200 of a machine may")));
            }
        }
        let control: Control = Box::new(move |values, _, h, mechanism| {
            for act in &acts {
                // A control is a parameter of the scene, which always has a value.
                apply(act, values.get(act.key).unwrap_or_default(), h, mechanism);
            }
        });
        let settable = self.settable(&links, &numbers, mechanism);
        stage
            .machine(name.clone(), built, &parts, Some(control))
            .map_err(|error| wrong(error.to_string()))?;
        stage.choose_settable(|joint| match settable.iter().find(|(node, _)| *node == joint.node) {
            Some((_, range)) => {
                joint.range = range.unwrap_or(joint.range);
                true
            }
            None => false,
        });
        Ok(())
    }

    fn body_name(&self, body: usize) -> &str {
        self.scene.bodies[body].name.get_ref()
    }

    fn link_name(&self, link: &TreeLink) -> &str {
        self.body_name(link.bodies[0])
    }

    fn bodies_of(&self, link: &TreeLink) -> Result<Vec<(usize, BodyDefinition)>, String> {
        link.bodies.iter().map(|&body| Ok((body, self.body(&self.scene.bodies[body])?))).collect()
    }

    /// The link as a part, and the frame of it, which is that of its first body.
    fn part(
        &self,
        link: &TreeLink,
        bodies: &[(usize, BodyDefinition)],
        model: &mut Model,
    ) -> Result<(Part, Pose), String> {
        let frame = bodies[0].1.pose;
        let mut masses = Vec::new();
        for (_, definition) in bodies {
            // A frame has no mass of its own; what it is welded to has.
            if let Some(mass) = definition.mass_properties().map_err(|error| error.to_string())? {
                masses.push(mass.transformed(&(frame.inverse() * definition.pose)));
            }
        }
        if masses.is_empty() {
            let name = self.link_name(link);
            return Err(format!("'{name}' can move, but has no mass; give it one, or fix its joint"));
        }
        let mass = MassProperties::compound(&masses).map_err(|error| error.to_string())?;
        let mut part = Part { velocity: bodies[0].1.velocity, ..Part::free(frame, mass) };
        if let Some(joint) = link.joint.map(|joint| &self.scene.joints[joint]) {
            (part.kind, part.start) = kind(joint, model)?;
            part.at = joint.at;
            part.axis = joint.axis.unwrap_or(DVec3::X) * if link.reversed { -1.0 } else { 1.0 };
            // What follows goes where its leader does, whatever else would drive it.
            part.driven = joint.drive.driven && joint.follows.is_none();
            part.elements[0] = element(joint, self.stops(joint));
        }
        Ok((part, frame))
    }

    /// Between which coordinates a joint's end stops leave it, in m or rad. A joint that repeats another one feels no stop of its own:
    /// the leader stops where its followers would have to.
    fn stops(&self, joint: &JointDescription) -> Option<[f64; 2]> {
        if joint.follows.is_some() {
            return None;
        }
        let unit = |joint: &JointDescription| if slides(joint) { 1.0 } else { 1_f64.to_radians() };
        let own = |joint: &JointDescription| {
            let limits = joint.drive.limits.filter(|[low, high]| low <= high);
            limits.map(|limits| limits.map(|limit| limit * unit(joint)))
        };
        let mut range = own(joint);
        for follower in &self.scene.joints {
            let Some(follows) = follower.follows.as_ref().filter(|own| *own.joint.get_ref() == joint.name)
            else {
                continue;
            };
            let Some(limits) = own(follower).filter(|_| follows.factor != 0.0) else { continue };
            let [s, t] = limits.map(|limit| (limit - follows.offset * unit(follower)) / follows.factor);
            let [low, high] = range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
            let both = [low.max(s.min(t)), high.min(s.max(t))];
            // Limits that contradict each other leave the leader its own.
            if both[0] <= both[1] {
                range = Some(both);
            }
        }
        range
    }

    /// Moves every joint that would start beyond an end stop to that stop. There the stop bears no load; a joint drawn a quarter of a radian
    /// beyond it would start with thousands of joules in its spring.
    fn start_within_limits(&self, built: &mut Mechanism, links: &[TreeLink], numbers: &[Option<usize>]) {
        for (link, number) in links.iter().zip(numbers) {
            let (Some(joint), Some(node)) = (link.joint.map(|joint| &self.scene.joints[joint]), number)
            else {
                continue;
            };
            let Spring::EndStops { low, high, .. } = element(joint, self.stops(joint)).spring else {
                continue;
            };
            let Some((start, rate)) = built.tree().coordinate(*node, 0) else { continue };
            if !(low..=high).contains(&start) {
                built.tree_mut().set_coordinate(*node, 0, start.clamp(low, high), rate);
            }
        }
    }

    /// Gives the machine's joints their dry friction.
    fn add_frictions(&self, built: &mut Mechanism, links: &[TreeLink], numbers: &[Option<usize>]) {
        for (link, number) in links.iter().zip(numbers) {
            let friction = link.joint.map_or(0.0, |joint| self.scene.joints[joint].drive.friction);
            if let Some(node) = number.filter(|_| friction > 0.0) {
                built.add_friction(node, 0, friction);
            }
        }
    }

    /// Joints that repeat the coordinate of another one.
    fn followers(&self, links: &[TreeLink], numbers: &[Option<usize>]) -> Vec<Follower> {
        let named = |name: &str| {
            let holds =
                |link: &TreeLink| link.joint.is_some_and(|joint| self.scene.joints[joint].name == name);
            links.iter().position(holds)
        };
        let follower = |(link, number): (&TreeLink, &Option<usize>)| {
            let joint = &self.scene.joints[link.joint?];
            let follows = joint.follows.as_ref()?;
            let leader = named(follows.joint.get_ref())?;
            let unit = if slides(joint) { 1.0 } else { 1_f64.to_radians() };
            Some(Follower {
                node: (*number)?,
                leader: numbers[leader]?,
                factor: follows.factor,
                offset: follows.offset * unit,
            })
        };
        links.iter().zip(numbers).filter_map(follower).collect()
    }

    /// Nodes whose joints a person may set, with their limits in m or rad: those that nothing else drives.
    fn settable(
        &self,
        links: &[TreeLink],
        numbers: &[Option<usize>],
        mechanism: &MechanismDescription,
    ) -> Vec<(usize, Option<[f64; 2]>)> {
        let driven = |name: &str| {
            mechanism.controls.iter().flat_map(|control| &control.acts).any(|act| {
                act.joint.get_ref() == name
                    && matches!(act.quantity, ActQuantity::Position | ActQuantity::Speed)
            })
        };
        let joint_of = |(link, number): (&TreeLink, &Option<usize>)| {
            let joint = &self.scene.joints[link.joint?];
            let free = !joint.drive.driven && joint.follows.is_none() && !driven(&joint.name);
            let unit = if slides(joint) { 1.0 } else { 1_f64.to_radians() };
            let limits = joint.drive.limits.filter(|[low, high]| low < high);
            free.then_some(((*number)?, limits.map(|limits| limits.map(|limit| unit * limit))))
        };
        links.iter().zip(numbers).filter_map(joint_of).collect()
    }

    fn acts(
        &self,
        mechanism: &MechanismDescription,
        links: &[TreeLink],
        numbers: &[Option<usize>],
    ) -> Vec<Act> {
        let mut acts = Vec::new();
        for control in &mechanism.controls {
            let known = self.parameters.iter().find(|known| known.key == control.key.get_ref());
            let Some(parameter) = known else { continue };
            for act in &control.acts {
                let holds = |link: &TreeLink| {
                    link.joint.is_some_and(|joint| self.scene.joints[joint].name == *act.joint.get_ref())
                };
                let Some(link) = links.iter().position(holds) else { continue };
                let Some(node) = numbers[link] else { continue };
                let joint = &self.scene.joints[links[link].joint.unwrap_or_default()];
                let turns = !slides(joint);
                let place =
                    matches!(act.quantity, ActQuantity::Position | ActQuantity::Speed | ActQuantity::Target);
                let unit = if turns && place { 1_f64.to_radians() } else { 1.0 };
                let (key, quantity) = (parameter.key, act.quantity);
                let (factor, damping) = (act.factor * unit, joint.drive.damping);
                acts.push(Act { key, node, quantity, factor, damping });
            }
        }
        acts
    }
}

fn slides(joint: &JointDescription) -> bool {
    match joint.kind.get_ref() {
        JointKindName::Slider | JointKindName::Cylindrical | JointKindName::Planar | JointKindName::Path => {
            true
        }
        JointKindName::Formula => {
            let units = joint.formula.as_ref().map(|formula| &formula.coordinates);
            units.is_some_and(|units| units.first() == Some(&CoordinateUnit::M))
        }
        _ => false,
    }
}

/// What a joint leaves free, and the coordinates that it starts with.
fn kind(joint: &JointDescription, model: &mut Model) -> Result<(JointKind, [f64; MOST_COORDINATES]), String> {
    let mut start = [0.0; MOST_COORDINATES];
    let built_in = match joint.kind.get_ref() {
        JointKindName::Ball => JointKind::Ball,
        JointKindName::Hinge => JointKind::Revolute,
        JointKindName::Slider => JointKind::Prismatic,
        JointKindName::Cylindrical => JointKind::Cylindrical,
        JointKindName::Planar => JointKind::Planar,
        JointKindName::Universal => JointKind::Universal,
        JointKindName::Fixed => JointKind::Fixed,
        JointKindName::Distance => return Err("mechanisms have no distance joints".to_owned()),
        JointKindName::Screw => {
            return Ok((model.guide(Arc::new(Steady::screw(joint.pitch.unwrap_or(0.0)))), start));
        }
        JointKindName::Path => {
            let described = joint.path.as_ref().ok_or("a joint of this kind needs a path")?;
            let path = described.law(joint.at).map_err(|error| error.to_string())?;
            start[0] = path.nearest(DVec3::ZERO);
            return Ok((model.guide(Arc::new(path)), start));
        }
        JointKindName::Formula => {
            let described = joint.formula.as_ref().ok_or("a joint of this kind needs a formula")?;
            let law = described.law().map_err(|error| error.to_string())?;
            start.iter_mut().zip(&described.start).for_each(|(start, given)| *start = *given);
            return Ok((model.guide(Arc::new(law)), start));
        }
    };
    Ok((built_in, start))
}

/// What acts along the first coordinate, in SI units.
fn element(joint: &JointDescription, stops: Option<[f64; 2]>) -> ForceElement {
    let unit = if slides(joint) { 1.0 } else { 1_f64.to_radians() };
    let drive = &joint.drive;
    let spring = match (drive.spring, stops) {
        (Some(spring), _) => match spring.outer {
            None => Spring::Linear { stiffness: spring.stiffness, rest: spring.rest * unit },
            Some(outer) => Spring::PiecewiseLinear {
                inner: spring.stiffness,
                outer,
                knee: spring.knee * unit,
                rest: spring.rest * unit,
            },
        },
        (None, Some([low, high])) => {
            Spring::EndStops { low, high, stiffness: if slides(joint) { STOP_SLIDE } else { STOP_TURN } }
        }
        (None, None) => Spring::None,
    };
    ForceElement { spring, damping: drive.damping, motor: 0.0 }
}

fn apply(act: &Act, value: f64, h: f64, mechanism: &mut Mechanism) {
    let wanted = value * act.factor;
    let tree = mechanism.tree_mut();
    let Some((position, rate)) = tree.coordinate(act.node, 0) else { return };
    let set = |tree: &mut prall_multibody::Tree, change: &dyn Fn(&mut ForceElement)| {
        if let Some(mut element) = tree.element(act.node, 0).copied() {
            change(&mut element);
            // A control's range was declared; what its joint refuses is left as it was.
            let _ = tree.set_element(act.node, 0, element);
        }
    };
    match act.quantity {
        ActQuantity::Position => {
            if let Some(mut filter) = Differentiator::moving(SMOOTHING, position, rate) {
                mechanism.drive_within(act.node, 0, filter.sample(wanted, h), h);
            }
        }
        ActQuantity::Speed => {
            let target = Drive { position: position + wanted * h, rate: wanted, acceleration: 0.0 };
            mechanism.drive_within(act.node, 0, target, h);
        }
        ActQuantity::Target => set(tree, &|element| match &mut element.spring {
            Spring::Linear { rest, .. } | Spring::PiecewiseLinear { rest, .. } => *rest = wanted,
            Spring::None | Spring::EndStops { .. } => {}
        }),
        ActQuantity::Force => set(tree, &|element| element.motor = wanted),
        ActQuantity::Damping => set(tree, &|element| element.damping = act.damping + wanted.max(0.0)),
    }
}
