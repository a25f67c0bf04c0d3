//! [`Model`]: a mechanism by declaration, with names.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use prall_geometry::MassProperties;
use prall_math::{Norm, Pose, Twist};
use prall_mechanics::tree::{
    ForceElement, Guide, GuideError, Joint, JointKind, Loop, MOST_COORDINATES, Node, Tree, TreeDescription,
    TreeError,
};
use thiserror::Error;

use crate::Mechanism;

/// Bodies with the joints that hold them, in any order.
///
/// There are two ways to declare a body: [`Model::part`], where it is in the world with all joints at zero, as people and files
/// do; and [`Model::body`], by the frames of its joint, as formulas do.
///
/// ```
/// use glam::{DMat3, DVec3};
/// use prall_math::Pose;
/// use prall_multibody::{Joint, JointKind, Model};
///
/// let mut model = Model::default();
/// let hook = Pose::from_translation(DVec3::Y);
/// let hinge = Joint::new(JointKind::Revolute, Pose::from_translation(-DVec3::Y), hook);
/// model.body("lower arm", Some("upper arm"), 1.0, DMat3::IDENTITY, hinge);
/// model.body("upper arm", None, 2.0, DMat3::IDENTITY, Joint::new(JointKind::Ball, Pose::IDENTITY, hook));
/// let mechanism = model.build()?;
/// assert_eq!(mechanism.tree().degrees_of_freedom(), 4);
/// # Ok::<(), prall_multibody::ModelError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Model {
    names: Vec<String>,
    parents: Vec<Option<String>>,
    nodes: Vec<Node>,
    placed: Vec<Option<Placed>>,
    loops: Vec<Loop>,
    guides: Vec<Arc<dyn Guide>>,
}

/// A body by its place in the world while all joints are at zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Where its frame is. The centre of mass may lie anywhere in that frame.
    pub pose: Pose,
    /// Mass, centre of mass and inertia in its frame.
    pub mass: MassProperties,
    /// Velocity of the centre of mass and angular velocity; counts for bodies on a free joint.
    pub velocity: Twist,
    /// What its joint leaves free.
    pub kind: JointKind,
    /// Where the joint is, in the world.
    pub at: DVec3,
    /// Direction of the joint's x axis, about or along which it moves, in the world; of any length but zero.
    pub axis: DVec3,
    /// True: the joint's coordinates follow drives instead of forces.
    pub driven: bool,
    /// Spring, damper and motor of each axis.
    pub elements: [ForceElement; MOST_COORDINATES],
    /// Coordinates that a guided joint has where the part was declared. Default 0.
    pub start: [f64; MOST_COORDINATES],
}

impl Part {
    /// A part that floats.
    pub fn free(pose: Pose, mass: MassProperties) -> Part {
        Part {
            pose,
            mass,
            velocity: Twist::ZERO,
            kind: JointKind::Free,
            at: pose.translation,
            axis: DVec3::X,
            driven: false,
            elements: [ForceElement::default(); MOST_COORDINATES],
            start: [0.0; MOST_COORDINATES],
        }
    }

    /// A part on a joint at a point of the world, with an axis.
    pub fn on(kind: JointKind, at: DVec3, axis: DVec3, pose: Pose, mass: MassProperties) -> Part {
        Part { kind, at, axis, ..Part::free(pose, mass) }
    }

    /// The same with a spring, damper or motor on its first axis.
    #[must_use]
    pub fn with(mut self, element: ForceElement) -> Part {
        self.elements[0] = element;
        self
    }

    /// The same, declared where its guided joint's first coordinate has this value.
    #[must_use]
    pub fn from(mut self, coordinate: f64) -> Part {
        self.start[0] = coordinate;
        self
    }

    /// The same, driven.
    #[must_use]
    pub fn driven(self) -> Part {
        Part { driven: true, ..self }
    }
}

#[derive(Clone, Copy, Debug)]
struct Placed {
    /// Of the link: at the centre of mass.
    link: Pose,
    joint: Pose,
    centre: DVec3,
    velocity: Twist,
    start: [f64; MOST_COORDINATES],
}

/// Why a model was refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ModelError {
    /// Two bodies of the same name.
    #[error("there are two bodies named \"{0}\"; names must differ")]
    TwoOfAName(String),
    /// A parent that nobody declared.
    #[error("body \"{body}\" hangs on \"{parent}\", which was not declared; there are: {known}")]
    UnknownParent {
        /// The body.
        body: String,
        /// What it names.
        parent: String,
        /// All names.
        known: String,
    },
    /// Parents in a circle.
    #[error("the parents of \"{body}\" lead back to it: {path}; cut one joint and give it as a loop")]
    Cycle {
        /// A body of the circle.
        body: String,
        /// The circle, by names.
        path: String,
    },
    /// A part whose parent has no place in the world.
    #[error("part \"{part}\" hangs on \"{parent}\", which was declared by frames; declare both the same way")]
    NotPlaced {
        /// The part.
        part: String,
        /// Its parent.
        parent: String,
    },
    /// A joint's axis of no length.
    #[error("the axis of \"{0}\" has no direction; give it a length above 0")]
    NoAxis(String),
    /// A joint's law that contradicts itself.
    #[error("the law of the joint of \"{body}\" cannot be used: {error}")]
    Guide {
        /// The body that it holds.
        body: String,
        /// What is wrong.
        error: GuideError,
    },
    /// The tree itself was refused.
    #[error("{error} (nodes in order: {names})")]
    Tree {
        /// What is wrong.
        error: TreeError,
        /// All names in the order of their indices.
        names: String,
    },
}

impl Model {
    /// Declares a body with its mass in kg, its inertia about the centre of mass in body axes in kg m^2, and the joint that
    /// holds it to its parent; no parent is the world. Returns its index, which is its link as a mover.
    pub fn body(&mut self, name: &str, parent: Option<&str>, mass: f64, inertia: DMat3, joint: Joint) -> u32 {
        self.names.push(name.to_owned());
        self.parents.push(parent.map(str::to_owned));
        self.nodes.push(Node { parent: None, mass, inertia, joint });
        self.placed.push(None);
        self.nodes.len() as u32 - 1
    }

    /// Declares a body by its place in the world; no parent is the world. Returns its index, which is its link as a mover.
    pub fn part(&mut self, name: &str, parent: Option<&str>, part: &Part) -> u32 {
        let centre = part.mass.center_of_mass;
        let joint = Joint {
            driven: part.driven,
            elements: part.elements,
            ..Joint::new(part.kind, Pose::IDENTITY, Pose::IDENTITY)
        };
        let index = self.body(name, parent, part.mass.mass, part.mass.inertia, joint);
        // An axis without length gives a rotation of NaN, which `build` refuses by name.
        let turn = DQuat::from_rotation_arc(DVec3::X, part.axis.unit());
        self.placed[index as usize] = Some(Placed {
            link: part.pose * Pose::from_translation(centre),
            joint: Pose::new(turn, part.at),
            centre,
            velocity: part.velocity,
            start: part.start,
        });
        index
    }

    /// Makes a law known, and gives the kind that joints after it have: any number of them.
    pub fn guide(&mut self, law: Arc<dyn Guide>) -> JointKind {
        // A law with more coordinates than can be is refused when the model is built.
        let coordinates = u8::try_from(law.coordinates()).unwrap_or(u8::MAX);
        self.guides.push(law);
        JointKind::Guided { guide: self.guides.len() as u32 - 1, coordinates }
    }

    /// Declares a joint that closes a loop.
    pub fn close(&mut self, closed: Loop) {
        self.loops.push(closed);
    }

    /// Checks everything and builds the mechanism, all joints in their zero position, parts where they were declared.
    pub fn build(&self) -> Result<Mechanism, ModelError> {
        let mut nodes = self.nodes.clone();
        let mut known = HashMap::new();
        for (index, name) in self.names.iter().enumerate() {
            if known.insert(name.as_str(), index).is_some() {
                return Err(ModelError::TwoOfAName(name.clone()));
            }
        }
        for (index, node) in nodes.iter_mut().enumerate() {
            node.parent = self.parent_of(index, &known)?;
        }
        self.refuse_cycles(&nodes)?;
        for (index, node) in nodes.iter_mut().enumerate() {
            self.place(index, node)?;
        }
        let description = TreeDescription { nodes, loops: self.loops.clone() };
        let names = || self.names.join(", ");
        let refused = |error| match error {
            TreeError::Guide { node, error } => ModelError::Guide { body: self.names[node].clone(), error },
            error => ModelError::Tree { error, names: names() },
        };
        let mut tree = Tree::with_guides(&description, &self.guides).map_err(refused)?;
        for (node, placed) in self.placed.iter().enumerate() {
            let start = placed.map_or([0.0; MOST_COORDINATES], |placed| placed.start);
            for (axis, &coordinate) in start.iter().enumerate().filter(|(_, start)| **start != 0.0) {
                tree.wind(node, axis, coordinate);
            }
        }
        if self.placed.iter().any(Option::is_some) {
            let start: Vec<(Pose, Twist)> = (0..tree.len())
                .map(|node| {
                    self.placed[node].map_or((tree.pose(node), Twist::ZERO), |p| (p.link, p.velocity))
                })
                .collect();
            tree.load(|node| start[node]);
            tree.project_velocities();
        }
        let centres = self.placed.iter().map(|placed| placed.map_or(DVec3::ZERO, |placed| placed.centre));
        Ok(Mechanism::new(tree, self.names.clone(), centres.collect()))
    }

    fn parent_of(&self, index: usize, known: &HashMap<&str, usize>) -> Result<Option<u32>, ModelError> {
        let Some(parent) = &self.parents[index] else { return Ok(None) };
        let found = known.get(parent.as_str()).copied();
        let unknown = || ModelError::UnknownParent {
            body: self.names[index].clone(),
            parent: parent.clone(),
            known: self.names.join(", "),
        };
        Ok(Some(found.ok_or_else(unknown)? as u32))
    }

    fn refuse_cycles(&self, nodes: &[Node]) -> Result<(), ModelError> {
        for start in 0..nodes.len() {
            let mut path = vec![start];
            while let Some(parent) = nodes[path[path.len() - 1]].parent {
                path.push(parent as usize);
                if parent as usize == start {
                    let body = self.names[start].clone();
                    let names: Vec<&str> = path.iter().map(|&node| self.names[node].as_str()).collect();
                    return Err(ModelError::Cycle { body, path: names.join(" -> ") });
                }
                if path.len() > nodes.len() {
                    // It leads into a circle without being part of it; one of that circle will say so.
                    break;
                }
            }
        }
        Ok(())
    }

    /// Frames of the joint in both of its bodies, from where they are in the world.
    fn place(&self, index: usize, node: &mut Node) -> Result<(), ModelError> {
        let Some(placed) = self.placed[index] else { return Ok(()) };
        if !placed.joint.rotation.is_finite() {
            return Err(ModelError::NoAxis(self.names[index].clone()));
        }
        let parent = match node.parent.map(|parent| parent as usize) {
            None => Pose::IDENTITY,
            Some(parent) => {
                let not_placed = || ModelError::NotPlaced {
                    part: self.names[index].clone(),
                    parent: self.names[parent].clone(),
                };
                self.placed[parent].ok_or_else(not_placed)?.link
            }
        };
        node.joint.frame_in_parent = (parent.inverse() * placed.joint).normalized();
        let moved = match node.joint.kind {
            JointKind::Guided { guide, .. } => self.guides.get(guide as usize).map(|law| {
                let count = law.coordinates().min(MOST_COORDINATES);
                law.pose(&placed.start[..count])
            }),
            _ => None,
        };
        let joint = placed.joint * moved.unwrap_or(Pose::IDENTITY);
        node.joint.frame_in_child = (placed.link.inverse() * joint).normalized();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_models_are_refused_by_name() {
        let joint = Joint::new(JointKind::Ball, Pose::IDENTITY, Pose::IDENTITY);
        let mut model = Model::default();
        model.body("arm", Some("shoulder"), 1.0, DMat3::IDENTITY, joint);
        assert!(model.build().unwrap_err().to_string().contains("hangs on \"shoulder\""));
        model.body("shoulder", Some("arm"), 1.0, DMat3::IDENTITY, joint);
        let error = model.build().unwrap_err().to_string();
        assert!(error.contains("arm -> shoulder -> arm"), "{error}");
        model.body("arm", None, 1.0, DMat3::IDENTITY, joint);
        assert_eq!(model.build().unwrap_err(), ModelError::TwoOfAName("arm".into()));
    }

    #[test]
    fn parts_without_an_axis_or_on_frames_are_refused_by_name() {
        let mass = MassProperties { mass: 1.0, center_of_mass: DVec3::ZERO, inertia: DMat3::IDENTITY };
        let mut model = Model::default();
        let part = Part::on(JointKind::Revolute, DVec3::ZERO, DVec3::ZERO, Pose::IDENTITY, mass);
        model.part("door", None, &part);
        assert_eq!(model.build().unwrap_err(), ModelError::NoAxis("door".into()));
        let mut model = Model::default();
        let joint = Joint::new(JointKind::Ball, Pose::IDENTITY, Pose::IDENTITY);
        model.body("frame", None, 1.0, DMat3::IDENTITY, joint);
        model.part("door", Some("frame"), &Part { axis: DVec3::Y, ..part });
        assert!(model.build().unwrap_err().to_string().contains("declare both the same way"));
    }

    /// Parts stand where they were declared, whatever lies between their frames and their centres of mass.
    #[test]
    fn parts_stand_where_they_were_declared() {
        let mass = |x: f64| MassProperties {
            mass: 2.0,
            center_of_mass: DVec3::new(x, 0.3, -0.1),
            inertia: DMat3::IDENTITY,
        };
        let mut model = Model::default();
        let base = Pose::new(DQuat::from_rotation_y(0.4), DVec3::new(1.0, 2.0, 3.0));
        let arm = Pose::new(DQuat::from_rotation_z(-0.7), DVec3::new(1.5, 2.0, 3.0));
        model.part("base", None, &Part::free(base, mass(0.2)));
        let hinge = Part::on(JointKind::Universal, DVec3::new(1.2, 2.1, 3.0), DVec3::Z, arm, mass(-0.4));
        model.part("arm", Some("base"), &hinge);
        let mechanism = model.build().unwrap();
        for (node, expected) in [base, arm].into_iter().enumerate() {
            let found = mechanism.tree().pose(node) * mechanism.declared_frame(node);
            // Rounding of a few products of numbers around 3.
            assert!((found.translation - expected.translation).length() < 1e-14);
            assert!(found.rotation.dot(expected.rotation).abs() > 1.0 - 1e-15);
        }
        let (x, _) = mechanism.tree().coordinate(1, 0).unwrap();
        assert!(x.abs() < 1e-15);
    }
}
