//! [`Frame`]: what a viewer needs to draw one moment.

use crate::OverlaySelection;
use glam::DVec3;
use prall_math::Pose;
use serde::Serialize;

/// What an overlay item shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum OverlayKind {
    /// A contact: from the point one unit along the normal; the value is the gap in m.
    Contact = 1,
    /// A contact force: from the point one unit along the force; the value in N.
    Force = 2,
    /// The spring between a gripped point and the hand; the value in N.
    Grip = 3,
    /// A joint: from anchor to anchor; the value is the error in m.
    Joint = 4,
    /// A velocity: from the centre of mass to the centre plus the velocity; the value in m/s.
    Velocity = 5,
    /// A contact's normal: from the point one unit along it; the value is the gap in m.
    Normal = 6,
    /// A friction cone: from its apex one unit along its axis; the value is the friction coefficient.
    FrictionCone = 7,
    /// A friction force: from the point one unit along the force; the value in N.
    FrictionForce = 8,
    /// A centre of mass; the value is the mass in kg.
    CentreOfMass = 9,
    /// A force in a joint: from the point one unit along the force; the value in N.
    JointForce = 10,
    /// A joint's axis: from a point one unit along it.
    JointAxis = 11,
    /// A line; the value is the number of its role, in the order of [`crate::LineRole`].
    Line = 12,
    /// A point; the value is the number of its role, in the order of [`crate::LineRole`].
    Point = 13,
    /// The next seven values of the scene's [`Channel`]s: from, to and value hold them in this order.
    Channels = 14,
    /// The torque of a hand about the centre of mass: from the gripped point one unit along its axis; the value in N m.
    GripTorque = 15,
}

/// A number that a scene reports with every frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Channel {
    /// Its name in programs.
    pub key: &'static str,
    /// Unit, empty for a pure number.
    pub unit: &'static str,
    /// What it is, in one sentence.
    pub text: &'static str,
}

/// A line of the mechanics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlayItem {
    /// What it shows.
    pub kind: OverlayKind,
    /// Where it starts.
    pub from: DVec3,
    /// Where it ends.
    pub to: DVec3,
    /// Its magnitude.
    pub value: f64,
}

/// What an overlay box shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BoxKind {
    /// A bounding volume; the value is its level.
    Bound = 1,
    /// A box of the pair index; the value is how many pairs it is in.
    Index = 2,
    /// A coordinate frame; half its sides are the lengths of its axes.
    CoordinateFrame = 3,
}

/// A box, or three axes, somewhere in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlayBox {
    /// What it shows.
    pub kind: BoxKind,
    /// Its centre and axes.
    pub pose: Pose,
    /// Half its sides in m.
    pub half: DVec3,
    /// What the kind says.
    pub value: f64,
}

/// A text in space.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlayLabel {
    /// Where.
    pub at: DVec3,
    /// What.
    pub text: String,
}

/// What is special about a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyMark {
    /// Index of the body in [`crate::Assets::bodies`].
    pub body: usize,
    /// Deleted: it has a pose, but it is not there.
    pub hidden: bool,
    /// It stays where it is.
    pub pinned: bool,
}

/// Poses of all bodies and what the mechanics shows of itself at one moment. Reused from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// What the viewers want to see; what is not in it need not be computed. [`Frame::clear`] keeps it.
    pub wanted: OverlaySelection,
    /// One pose per body, in the order of the assets.
    pub poses: Vec<Pose>,
    /// Bodies with a mark, by ascending index.
    pub marks: Vec<BodyMark>,
    /// Contacts, forces, velocities.
    pub overlays: Vec<OverlayItem>,
    /// Bounding volumes, boxes of the pair index, coordinate frames.
    pub boxes: Vec<OverlayBox>,
    /// Texts.
    pub labels: Vec<OverlayLabel>,
}

impl Frame {
    /// Adds the values of all channels, seven in an item; what is left of the last item is 0.
    pub fn report(&mut self, values: &[f64]) {
        for seven in values.chunks(7) {
            let at = |i: usize| seven.get(i).copied().unwrap_or_default();
            self.overlays.push(OverlayItem {
                kind: OverlayKind::Channels,
                from: DVec3::new(at(0), at(1), at(2)),
                to: DVec3::new(at(3), at(4), at(5)),
                value: at(6),
            });
        }
    }

    /// Empties the frame and keeps its memory and what is wanted.
    pub fn clear(&mut self) {
        self.poses.clear();
        self.marks.clear();
        self.overlays.clear();
        self.boxes.clear();
        self.labels.clear();
    }
}
