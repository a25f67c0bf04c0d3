//! [`TreeDescription`]: what a tree of bodies is made of, as plain data.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use prall_math::{Norm, Pose};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::element::ForceElement;
use super::guide::{Guide, GuideError, MOST_COORDINATES, check_guide};
use crate::{Body, BodyError};

/// Bodies joined to a tree, and joints that close loops in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreeDescription {
    /// The bodies, in any order; a node's parent may come after it.
    pub nodes: Vec<Node>,
    /// Joints beyond the tree's own.
    pub loops: Vec<Loop>,
}

/// A body and the joint that holds it to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Index of the node that it is joined to; `None` is the world.
    pub parent: Option<u32>,
    /// In kg; more than 0, except for [`JointKind::Kinematic`], where it does not matter.
    pub mass: f64,
    /// About the centre of mass, in body axes, in kg m^2.
    pub inertia: DMat3,
    /// How it is held.
    pub joint: Joint,
}

/// The joint between a node and its parent.
///
/// Frames are given in the bodies' own frames, whose origins are the centres of mass; the world's frame is the
/// world. In the zero position both frames of the joint coincide.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// What it lets free.
    pub kind: JointKind,
    /// The joint's frame in the parent.
    pub frame_in_parent: Pose,
    /// The joint's frame in the node's own body.
    pub frame_in_child: Pose,
    /// True: the coordinates follow [`super::Drive`]s instead of forces. Only joints with axes can be driven.
    pub driven: bool,
    /// Spring and damper of each axis, in the order that [`JointKind`] tells.
    pub elements: [ForceElement; MOST_COORDINATES],
}

impl Joint {
    /// A free-moving joint without springs.
    pub fn new(kind: JointKind, frame_in_parent: Pose, frame_in_child: Pose) -> Joint {
        Joint {
            kind,
            frame_in_parent,
            frame_in_child,
            driven: false,
            elements: [ForceElement::default(); MOST_COORDINATES],
        }
    }
}

/// What a joint lets free. Axes are those of the joint's frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JointKind {
    /// All six: only for a node whose parent is the world.
    Free,
    /// Moves by its own velocity whatever pushes; only for a node whose parent is the world.
    Kinematic,
    /// Nothing.
    Fixed,
    /// Turning about the common point.
    Ball,
    /// Turning about x.
    Revolute,
    /// Sliding along x.
    Prismatic,
    /// Sliding along x, then turning about it.
    Cylindrical,
    /// Sliding along y and along z, then turning about x.
    Planar,
    /// Turning about x of the parent's frame, then about y of the child's frame.
    Universal,
    /// As a law of one's own says: the child's frame is the parent's times the pose of a [`Guide`].
    Guided {
        /// Index of the law among those that the tree is built with.
        guide: u32,
        /// How many coordinates the law has.
        coordinates: u8,
    },
}

impl JointKind {
    /// The elementary axes, from the parent outward: true turns, false slides.
    pub(super) fn axes(self) -> &'static [(bool, DVec3)] {
        const TURN_X: (bool, DVec3) = (true, DVec3::X);
        const SLIDE_X: (bool, DVec3) = (false, DVec3::X);
        match self {
            JointKind::Revolute => &[TURN_X],
            JointKind::Prismatic => &[SLIDE_X],
            JointKind::Cylindrical => &[SLIDE_X, TURN_X],
            JointKind::Planar => &[(false, DVec3::Y), (false, DVec3::Z), TURN_X],
            JointKind::Universal => &[TURN_X, (true, DVec3::Y)],
            JointKind::Free
            | JointKind::Kinematic
            | JointKind::Fixed
            | JointKind::Ball
            | JointKind::Guided { .. } => &[],
        }
    }

    /// How many degrees of freedom it leaves.
    pub fn degrees_of_freedom(self) -> usize {
        match self {
            JointKind::Free => 6,
            JointKind::Ball => 3,
            JointKind::Guided { coordinates, .. } => usize::from(coordinates),
            other => other.axes().len(),
        }
    }
}

/// A joint that closes a loop: a point of one body is held to a point of another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loop {
    /// The bodies' nodes; `None` is the world.
    pub nodes: [Option<u32>; 2],
    /// The points, each in its body's frame.
    pub points: [DVec3; 2],
    /// For a hinge: the axis in each body's frame. `None` is a ball joint.
    pub axes: Option<[DVec3; 2]>,
}

/// Why a tree was refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TreeError {
    /// A parent that does not exist.
    #[error("node {node} names node {parent} as its parent, but there are only {count} nodes")]
    MissingParent {
        /// The node.
        node: usize,
        /// What it names.
        parent: u32,
        /// How many nodes there are.
        count: usize,
    },
    /// Parents in a circle.
    #[error("the parents of node {node} lead back to it: {path}; cut one joint and give it as a loop")]
    Cycle {
        /// A node of the circle.
        node: usize,
        /// The circle, as indices.
        path: String,
    },
    /// Mass or inertia that no body has.
    #[error("node {node}: {error}")]
    Body {
        /// The node.
        node: usize,
        /// What is wrong.
        error: BodyError,
    },
    /// A floating or kinematic body that hangs on another one.
    #[error("node {node} is {kind:?}, so its parent must be the world, not node {parent}")]
    NotARoot {
        /// The node.
        node: usize,
        /// Its joint.
        kind: JointKind,
        /// Its parent.
        parent: u32,
    },
    /// A driven joint without axes.
    #[error(
        "node {node}: a {kind:?} joint has no axis to drive; use Revolute, Prismatic or a joint made of them"
    )]
    NotDrivable {
        /// The node.
        node: usize,
        /// Its joint.
        kind: JointKind,
    },
    /// A joint with a law that the tree was not given, or one with another number of coordinates.
    #[error(
        "node {node}: its joint has {coordinates} coordinates by law {guide}, but the tree was given {known}"
    )]
    MissingGuide {
        /// The node.
        node: usize,
        /// Index of the law.
        guide: u32,
        /// Coordinates that it was said to have.
        coordinates: u8,
        /// What there is.
        known: String,
    },
    /// A law that contradicts itself.
    #[error("node {node}: the law of its joint cannot be used: {error}")]
    Guide {
        /// The node.
        node: usize,
        /// What is wrong.
        error: GuideError,
    },
    /// A frame that is not a pose.
    #[error("node {node}: a joint frame must have finite numbers and a unit quaternion")]
    Frame {
        /// The node.
        node: usize,
    },
    /// A spring or damper that makes no sense.
    #[error("node {node}, axis {axis}: {error}")]
    Element {
        /// The node.
        node: usize,
        /// Index of the axis.
        axis: usize,
        /// What is wrong.
        error: super::ElementError,
    },
    /// A loop between bodies that do not exist, at points that are not finite, or about axes without length.
    #[error("loop {index}: {what}")]
    Loop {
        /// Index of the loop.
        index: usize,
        /// What is wrong.
        what: &'static str,
    },
}

impl TreeDescription {
    /// Checks everything and gives the nodes' indices with every parent before its children.
    pub(super) fn checked_order(&self, guides: &[Arc<dyn Guide>]) -> Result<Vec<usize>, TreeError> {
        for (node, description) in self.nodes.iter().enumerate() {
            self.check_node(node, description)?;
            check_law(node, description, guides)?;
        }
        for (index, closed) in self.loops.iter().enumerate() {
            self.check_loop(index, closed)?;
        }
        self.parents_first()
    }

    fn check_node(&self, node: usize, description: &Node) -> Result<(), TreeError> {
        let Joint { kind, frame_in_parent, frame_in_child, driven, elements } = description.joint;
        if let Some(parent) = description.parent {
            if parent as usize >= self.nodes.len() {
                return Err(TreeError::MissingParent { node, parent, count: self.nodes.len() });
            }
            if matches!(kind, JointKind::Free | JointKind::Kinematic) {
                return Err(TreeError::NotARoot { node, kind, parent });
            }
        }
        if kind != JointKind::Kinematic {
            Body::new(description.mass, description.inertia)
                .map_err(|error| TreeError::Body { node, error })?;
        }
        if driven && kind.axes().is_empty() && !matches!(kind, JointKind::Guided { .. }) {
            return Err(TreeError::NotDrivable { node, kind });
        }
        if !(frame_in_parent.is_valid() && frame_in_child.is_valid()) {
            return Err(TreeError::Frame { node });
        }
        for (axis, element) in elements.iter().enumerate() {
            element.check().map_err(|error| TreeError::Element { node, axis, error })?;
        }
        Ok(())
    }

    fn check_loop(&self, index: usize, closed: &Loop) -> Result<(), TreeError> {
        let fail = |what| Err(TreeError::Loop { index, what });
        if closed.nodes.iter().flatten().any(|&node| node as usize >= self.nodes.len()) {
            return fail("it names a node that does not exist");
        }
        if closed.nodes[0] == closed.nodes[1] {
            return fail("both of its ends are on the same body");
        }
        if !closed.points.iter().all(|point| point.is_finite()) {
            return fail("its points must be finite");
        }
        // A thousandth: far above rounding, far below what a direction that was meant would have.
        if closed.axes.iter().flatten().any(|axis| (axis.norm() - 1.0).abs() > 1e-3) {
            return fail("its axes must have length 1");
        }
        Ok(())
    }

    /// Depth first, so that parent and child lie near each other and every path to the root ascends.
    fn parents_first(&self) -> Result<Vec<usize>, TreeError> {
        let mut children = vec![Vec::new(); self.nodes.len()];
        let mut stack = Vec::new();
        for (node, description) in self.nodes.iter().enumerate().rev() {
            match description.parent {
                Some(parent) => children[parent as usize].push(node),
                None => stack.push(node),
            }
        }
        let mut order = Vec::with_capacity(self.nodes.len());
        while let Some(node) = stack.pop() {
            order.push(node);
            stack.extend(&children[node]);
        }
        if order.len() == self.nodes.len() { Ok(order) } else { Err(self.find_cycle(&order)) }
    }

    fn find_cycle(&self, reached: &[usize]) -> TreeError {
        let mut seen = vec![false; self.nodes.len()];
        for &node in reached {
            seen[node] = true;
        }
        // Every node that was not reached leads up into a circle; after as many steps as there are nodes one is in it.
        let mut node = seen.iter().position(|&seen| !seen).unwrap_or(0);
        let up = |node: usize| self.nodes[node].parent.map_or(node, |parent| parent as usize);
        for _ in 0..self.nodes.len() {
            node = up(node);
        }
        let mut path = node.to_string();
        let mut at = up(node);
        while at != node {
            path += &format!(" -> {at}");
            at = up(at);
        }
        TreeError::Cycle { node, path: format!("{path} -> {node}") }
    }
}

fn check_law(node: usize, description: &Node, guides: &[Arc<dyn Guide>]) -> Result<(), TreeError> {
    let JointKind::Guided { guide, coordinates } = description.joint.kind else { return Ok(()) };
    let law = guides.get(guide as usize);
    let Some(law) = law.filter(|law| law.coordinates() == usize::from(coordinates)) else {
        let known = match law {
            Some(law) => format!("one with {}", law.coordinates()),
            None => format!("{} laws", guides.len()),
        };
        return Err(TreeError::MissingGuide { node, guide, coordinates, known });
    };
    check_guide(law.as_ref()).map_err(|error| TreeError::Guide { node, error })
}
