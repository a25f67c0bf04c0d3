//! Links: the nodes of a description, sorted, with every joint taken apart into elementary ones.
//!
//! A joint of several axes becomes a chain of massless links with one axis each: the passes then know few kinds,
//! and a pivot is positive as long as mass hangs behind it. Link 0 is the world.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::description::{Joint, JointKind, TreeDescription, TreeError};
use super::element::ForceElement;
use super::guide::Guide;
use super::guided::GuidedJoint;

/// What a link may do against its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    Free,
    Kinematic,
    Fixed,
    Ball,
    Revolute,
    Prismatic,
    DrivenRevolute,
    DrivenPrismatic,
    /// One coordinate of a joint with a [`super::Guide`].
    Guided,
    DrivenGuided,
}

impl Kind {
    pub(crate) fn turns(self) -> bool {
        matches!(self, Kind::Revolute | Kind::DrivenRevolute)
    }

    pub(crate) fn slides(self) -> bool {
        matches!(self, Kind::Prismatic | Kind::DrivenPrismatic)
    }

    pub(crate) fn is_driven(self) -> bool {
        matches!(self, Kind::DrivenRevolute | Kind::DrivenPrismatic | Kind::DrivenGuided)
    }

    pub(crate) fn is_guided(self) -> bool {
        matches!(self, Kind::Guided | Kind::DrivenGuided)
    }

    /// Moves along one coordinate that forces move.
    pub(crate) fn is_free_axis(self) -> bool {
        matches!(self, Kind::Revolute | Kind::Prismatic | Kind::Guided)
    }

    pub(crate) fn has_coordinate(self) -> bool {
        self.turns() || self.slides() || self.is_guided()
    }
}

/// Constants of a link. Its reference point is its joint point; for free and kinematic ones the centre of mass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Link {
    pub(crate) parent: u32,
    pub(crate) kind: Kind,
    /// Which of the tree's guided joints it belongs to, if its kind says that it does.
    pub(crate) guide: u32,
    pub(crate) mass: f64,
    /// About the centre of mass, in own axes.
    pub(crate) inertia: DMat3,
    /// From the joint point to the centre of mass, in own axes.
    pub(crate) center: DVec3,
    /// From the parent's joint point to this one's at coordinate 0, in the parent's axes.
    pub(crate) lever: DVec3,
    /// Axis of the joint in the parent's axes.
    pub(crate) axis: DVec3,
    /// Orientation against the parent at coordinate 0.
    pub(crate) rest: DQuat,
    pub(crate) element: ForceElement,
}

impl Link {
    pub(crate) const WORLD: Link = Link {
        parent: 0,
        kind: Kind::Kinematic,
        guide: 0,
        mass: 0.0,
        inertia: DMat3::ZERO,
        center: DVec3::ZERO,
        lever: DVec3::ZERO,
        axis: DVec3::ZERO,
        rest: DQuat::IDENTITY,
        element: ForceElement { spring: super::Spring::None, damping: 0.0, motor: 0.0 },
    };
}

/// Where a node's links are: its own is the last of `first..=own`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct NodeLinks {
    pub(crate) first: u32,
    pub(crate) own: u32,
}

/// Links of a description, in the order of the passes, where each node has its own, and the guided joints among them.
type Links = (Vec<Link>, Vec<NodeLinks>, Vec<GuidedJoint>);

/// Takes a description apart.
pub(crate) fn links_of(description: &TreeDescription, guides: &[Arc<dyn Guide>]) -> Result<Links, TreeError> {
    let order = description.checked_order(guides)?;
    let mut links = vec![Link::WORLD];
    let mut guided = Vec::new();
    let mut nodes = vec![NodeLinks { first: 0, own: 0 }; description.nodes.len()];
    for index in order {
        let node = &description.nodes[index];
        let parent = node.parent.map_or(0, |parent| nodes[parent as usize].own);
        let first = links.len() as u32;
        if let JointKind::Guided { guide, .. } = node.joint.kind {
            let law = Arc::clone(&guides[guide as usize]);
            push_guided(&mut links, &mut guided, parent, &node.joint, law);
        } else {
            push_joint(&mut links, parent, &node.joint);
        }
        let own = links.last_mut().unwrap_or_else(|| unreachable!("push_joint pushes at least one link"));
        if node.joint.kind != JointKind::Kinematic {
            own.mass = node.mass;
            own.inertia = node.inertia;
        }
        nodes[index] = NodeLinks { first, own: links.len() as u32 - 1 };
    }
    Ok((links, nodes, guided))
}

/// One link for each coordinate, all where the body is.
fn push_guided(
    links: &mut Vec<Link>,
    guided: &mut Vec<GuidedJoint>,
    parent: u32,
    joint: &Joint,
    law: Arc<dyn Guide>,
) {
    let (first, count) = (links.len(), law.coordinates());
    let lever = joint.frame_in_parent.translation + links[parent as usize].center;
    for axis in 0..count {
        let is_last = axis + 1 == count;
        links.push(Link {
            parent: if axis == 0 { parent } else { links.len() as u32 - 1 },
            kind: if joint.driven { Kind::DrivenGuided } else { Kind::Guided },
            guide: guided.len() as u32,
            center: if is_last { -joint.frame_in_child.translation } else { DVec3::ZERO },
            element: joint.elements[axis],
            ..Link::WORLD
        });
    }
    guided.push(GuidedJoint::new(law, parent as usize, first, lever, joint));
}

fn push_joint(links: &mut Vec<Link>, parent: u32, joint: &Joint) {
    let (outer, inner) = (joint.frame_in_parent, joint.frame_in_child);
    // The parent's joint point in its own frame is opposite to the centre of mass seen from there.
    let lever = outer.translation + links[parent as usize].center;
    let simple = |kind, lever, center| Link {
        parent,
        kind,
        lever,
        center,
        rest: outer.rotation * inner.rotation.conjugate(),
        ..Link::WORLD
    };
    match joint.kind {
        JointKind::Free => links.push(simple(Kind::Free, DVec3::ZERO, DVec3::ZERO)),
        JointKind::Kinematic => links.push(simple(Kind::Kinematic, DVec3::ZERO, DVec3::ZERO)),
        JointKind::Fixed => links.push(simple(Kind::Fixed, lever, -inner.translation)),
        JointKind::Ball => links.push(simple(Kind::Ball, lever, -inner.translation)),
        axes => push_axes(links, parent, joint, lever, axes.axes()),
    }
}

/// One link for each axis; the frames of those between are the joint's frame as far as it has moved.
fn push_axes(links: &mut Vec<Link>, parent: u32, joint: &Joint, lever: DVec3, axes: &[(bool, DVec3)]) {
    let (outer, inner) = (joint.frame_in_parent, joint.frame_in_child);
    for (index, &(turns, axis)) in axes.iter().enumerate() {
        let (is_first, is_last) = (index == 0, index + 1 == axes.len());
        let before = if is_first { outer.rotation } else { DQuat::IDENTITY };
        let after = if is_last { inner.rotation.conjugate() } else { DQuat::IDENTITY };
        links.push(Link {
            parent: if is_first { parent } else { links.len() as u32 - 1 },
            kind: match (turns, joint.driven) {
                (true, false) => Kind::Revolute,
                (true, true) => Kind::DrivenRevolute,
                (false, false) => Kind::Prismatic,
                (false, true) => Kind::DrivenPrismatic,
            },
            center: if is_last { -inner.translation } else { DVec3::ZERO },
            lever: if is_first { lever } else { DVec3::ZERO },
            axis: before * axis,
            rest: before * after,
            element: joint.elements[index],
            ..Link::WORLD
        });
    }
}
