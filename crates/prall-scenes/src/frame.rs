//! [`Frame`]: what a viewer needs to draw one moment.

use glam::DVec3;
use prall_math::Pose;

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
    /// A velocity: from the centre of mass to the centre plus the velocity; the value in m/s.
    Velocity = 5,
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

/// Poses of all bodies and the lines of the mechanics at one moment. Reused from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// One pose per body, in the order of the assets.
    pub poses: Vec<Pose>,
    /// Contacts, forces, velocities.
    pub overlays: Vec<OverlayItem>,
}

impl Frame {
    /// Empties the frame and keeps its memory.
    pub fn clear(&mut self) {
        self.poses.clear();
        self.overlays.clear();
    }
}
