//! How a handling scene looks: parts, ghosts, contacts, words and numbers.

use super::advice::{Advice, Change, reason};
use super::scene::{INTERVALS, TIME_STEP};
use super::{HandledPart, Setting};
use crate::{
    Assets, BodyAsset, BodyMark, Channel, Frame, LineRole, Look, Overlay, OverlayItem, OverlayKind,
    OverlayLabel, Pattern, ShapeAsset, TriangleAsset,
};
use glam::{DQuat, DVec3};
use prall_geometry::Shape;
use prall_handling::{HandlingContact, Held};
use prall_math::{Pose, Wrench};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A ghost nearer than this share of the part's radius of gyration is not drawn.
const GHOST: f64 = 0.02;
/// Contacts whose force is written beside them, and the smallest force in N that is.
const WRITTEN: usize = 4;
const SMALLEST_FORCE: f64 = 0.5;
/// Gaps beyond this, in m, are not reported as numbers.
const FARTHEST: f64 = 1.0;

/// Numbers that every frame of a handling scene reports.
pub(super) static CHANNELS: &[Channel] = &[
    Channel { key: "held", unit: "", text: "Number of the part in hand, from 0" },
    Channel { key: "standing", unit: "", text: "0 free, 1 in contact, 2 stands against the hand" },
    Channel { key: "force", unit: "N", text: "What the contacts press on the part with" },
    Channel { key: "moment", unit: "N m", text: "The same about the part's reference point" },
    Channel { key: "ahead", unit: "m", text: "How far the hand is ahead of the part" },
    Channel { key: "turned", unit: "rad", text: "How far the hand has turned ahead of the part" },
    Channel { key: "gap", unit: "m", text: "The smallest gap proven in the last interval, at most 1 m" },
    Channel { key: "interval", unit: "s", text: "Clock time that an interval of the filter took" },
    Channel {
        key: "allowed",
        unit: "s",
        text: "Clock time that an interval may take to keep up with real time",
    },
    Channel { key: "sliding", unit: "m/s", text: "How fast the contact slides that slides fastest" },
    Channel {
        key: "struck",
        unit: "N s",
        text: "Impulse of contacts with obstacles that the part did not touch before, in the last step",
    },
];

/// What there is to draw.
pub(super) struct View<'a> {
    pub(super) setting: &'a Setting,
    pub(super) poses: &'a [Pose],
    pub(super) part: usize,
    pub(super) goal: &'a Pose,
    /// The point that a person holds, in the part's frame.
    pub(super) gripped: Option<DVec3>,
    pub(super) held: &'a Held,
    pub(super) filters: bool,
    /// How much more the hand pulls than for the way that an interval allows, see [`pull_factor`].
    pub(super) pull_factor: f64,
    /// What goes wrong without the filter.
    pub(super) warning: Option<&'static str>,
    pub(super) advice: Option<&'a Advice>,
    pub(super) interval_time: f64,
    /// What new contacts took in the last step, in N s.
    pub(super) struck: f64,
}

fn line(from: DVec3, to: DVec3, role: LineRole) -> OverlayItem {
    OverlayItem { kind: OverlayKind::Line, from, to, value: f64::from(role as u8) }
}

impl View<'_> {
    fn pose(&self) -> &Pose {
        &self.poses[self.part]
    }

    /// Where the reference point is, and where the hand wants it.
    fn here_and_there(&self) -> (DVec3, DVec3) {
        let reference = self.held.reference();
        (self.pose().transform_point(reference), self.goal.transform_point(reference))
    }

    fn turned(&self) -> f64 {
        self.pose().rotation.angle_between(self.goal.rotation)
    }

    pub(super) fn draw(&self, frame: &mut Frame) {
        frame.clear();
        let count = self.poses.len();
        frame.poses.extend(self.poses);
        frame
            .poses
            .extend((0..count).map(|part| if part == self.part { *self.goal } else { self.poses[part] }));
        frame.poses.extend(self.setting.obstacles.iter().map(|scenery| scenery.pose));
        let (here, there) = self.here_and_there();
        let apart = here.distance(there) >= GHOST * self.held.gyration();
        let ahead = apart || self.turned() >= 0.02;
        let hidden = (0..count).filter(|part| *part != self.part || !ahead);
        frame.marks.extend(hidden.map(|part| BodyMark { body: count + part, hidden: true, pinned: false }));
        if let Some(point) = self.gripped {
            let value = self.held.report().pull.force.length();
            let (from, to) = (self.pose().transform_point(point), self.goal.transform_point(point));
            frame.overlays.push(OverlayItem { kind: OverlayKind::Grip, from, to, value });
        }
        // Why it stands comes before all other texts: that is what the page's plate says.
        if frame.wanted.has(Overlay::Labels) {
            if apart {
                frame.overlays.push(line(here, there, LineRole::Accent));
            }
            let text = self.words();
            frame.labels.extend(text.map(|text| OverlayLabel { at: here, text }));
            self.draw_advice(frame, here);
        }
        if self.filters {
            self.draw_contacts(frame);
        }
        self.report(frame);
    }

    fn report(&self, frame: &mut Frame) {
        let report = self.held.report();
        let (here, there) = self.here_and_there();
        let standing = match (self.filters, report.jam.is_some(), report.contacts.is_empty()) {
            (true, true, _) => 2.0,
            (true, false, false) => 1.0,
            (false, ..) if self.warning.is_some() => 2.0,
            _ => 0.0,
        };
        let load = if self.filters { report.wrench * self.pull_factor } else { Wrench::ZERO };
        let gap = if self.filters { report.smallest_gap.min(FARTHEST) } else { 0.0 };
        frame.report(&[
            self.part as f64,
            standing,
            load.force.length(),
            load.torque.length(),
            here.distance(there),
            self.turned(),
            gap,
            self.interval_time,
            TIME_STEP / INTERVALS as f64,
            if self.filters { sliding_speed(self.held) } else { 0.0 },
            self.struck,
        ]);
    }

    fn draw_contacts(&self, frame: &mut Frame) {
        let wanted = frame.wanted;
        let per_second = self.pull_factor * INTERVALS as f64 / TIME_STEP;
        let contacts = &self.held.report().contacts;
        for contact in contacts {
            let mut show = |overlay, kind, along: DVec3, value: f64| {
                if wanted.has(overlay) {
                    let (from, to) = (contact.point, contact.point + along);
                    frame.overlays.push(OverlayItem { kind, from, to, value });
                }
            };
            show(Overlay::Contacts, OverlayKind::Contact, contact.normal, contact.gap);
            show(Overlay::Normals, OverlayKind::Normal, contact.normal, contact.gap);
            let (normal, friction) = parts_of_force(contact, per_second);
            for (kind, force) in [(OverlayKind::Force, normal), (OverlayKind::FrictionForce, friction)] {
                let value = force.length();
                if value > 0.0 {
                    show(Overlay::Forces, kind, force / value, value);
                }
            }
        }
        if wanted.has(Overlay::Labels) {
            self.write_forces(frame, per_second);
        }
    }

    /// What each obstacle presses with, written at its most loaded contact; the largest first.
    fn write_forces(&self, frame: &mut Frame, per_second: f64) {
        let contacts = &self.held.report().contacts;
        let mut by_obstacle: BTreeMap<usize, (f64, f64, &HandlingContact)> = BTreeMap::new();
        for contact in contacts {
            let (normal, friction) = parts_of_force(contact, per_second);
            let (normal, friction) = (normal.length(), friction.length());
            let sums = by_obstacle.entry(contact.obstacle).or_insert((0.0, 0.0, contact));
            (sums.0, sums.1) = (sums.0 + normal, sums.1 + friction);
            if contact.impulse.length_squared() > sums.2.impulse.length_squared() {
                sums.2 = contact;
            }
        }
        let mut order: Vec<_> = by_obstacle.into_values().filter(|sums| sums.0 >= SMALLEST_FORCE).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (normal, friction, contact) in order.into_iter().take(WRITTEN) {
            let name = self.held.obstacles()[contact.obstacle].name();
            let text = format!("{name}: {normal:.0} N, friction {friction:.0} N");
            frame.labels.push(OverlayLabel { at: contact.point, text });
        }
    }

    /// Why the part stands and what would free it.
    fn words(&self) -> Option<String> {
        if !self.filters {
            return self.warning.map(str::to_owned);
        }
        let report = self.held.report();
        let reason = reason(report, self.held.obstacles())?;
        let force = report.pull.force.length();
        let advice = self.advice.map(|advice| format!(": {}", advice.words())).unwrap_or_default();
        Some(format!("{reason}{advice} · {force:.0} N"))
    }

    /// What is advised, as an arc about its axis or as an arrow.
    fn draw_advice(&self, frame: &mut Frame, here: DVec3) {
        let radius = 1.6 * self.held.gyration();
        match self.advice.and_then(|advice| advice.change) {
            Some(Change::Turn { axis, .. } | Change::BackThenTurn { axis, .. }) => {
                const PIECES: i32 = 12;
                let (first, _) = axis.any_orthonormal_pair();
                let on = |share: f64| here + DQuat::from_axis_angle(axis, 2.0 * share) * (first * radius);
                for piece in 0..PIECES {
                    let (from, to) = (f64::from(piece), f64::from(piece + 1));
                    let (from, to) = (on(from / f64::from(PIECES)), on(to / f64::from(PIECES)));
                    frame.overlays.push(line(from, to, LineRole::Second));
                }
                let tip = on(1.0);
                for scale in [0.85, 1.15] {
                    let wing = here + (on(0.88) - here) * scale;
                    frame.overlays.push(line(tip, wing, LineRole::Second));
                }
            }
            Some(Change::Shift { along, .. }) => {
                let (side, _) = along.any_orthonormal_pair();
                let tip = here + along * radius;
                frame.overlays.push(line(here, tip, LineRole::Second));
                for sign in [-1.0, 1.0] {
                    let wing = tip - along * (0.2 * radius) + side * (0.12 * sign * radius);
                    frame.overlays.push(line(tip, wing, LineRole::Second));
                }
            }
            None => {}
        }
    }
}

/// How much more the hand pulls than for the way that it may go in an interval.
///
/// A hand that is far ahead is followed at limited speed, and contacts answer to the way of that interval only. Contact forces are linear in the way
/// that is wanted, so with this factor they are those that balance the pull.
pub(super) fn pull_factor(held: &Held, goal: &Pose) -> f64 {
    let (reference, limits) = (held.reference(), &held.options().pose_limits);
    let way = held.pose().transform_point(reference).distance(goal.transform_point(reference));
    let interval = TIME_STEP / INTERVALS as f64;
    let speed = limits.contact_speed.unwrap_or(limits.contact_turn_rate * held.gyration());
    (way / (speed * interval)).max(1.0)
}

/// Speed of the fastest of the contacts that slide, in m/s.
fn sliding_speed(held: &Held) -> f64 {
    let report = held.report();
    let reference = held.pose().transform_point(held.reference());
    let speeds = report.contacts.iter().filter(|contact| contact.sliding).map(|contact| {
        let velocity = report.twist.linear + report.twist.angular.cross(contact.point - reference);
        velocity.reject_from_normalized(contact.normal).length()
    });
    speeds.fold(0.0, f64::max)
}

/// Normal and friction force of a contact on the part, in N.
fn parts_of_force(contact: &HandlingContact, per_second: f64) -> (DVec3, DVec3) {
    let force = contact.impulse * per_second;
    let normal = contact.normal * force.dot(contact.normal);
    (normal, force - normal)
}

fn asset(shape: &Shape) -> ShapeAsset {
    let Shape::TriangleMesh(mesh) = shape else { unreachable!("definitions are made of meshes") };
    let mesh = mesh.mesh();
    ShapeAsset::Mesh(Arc::new(TriangleAsset {
        positions: mesh.positions().iter().map(|p| p.as_vec3().to_array()).collect(),
        triangles: mesh.triangles().to_vec(),
    }))
}

fn look(color: &'static str, opacity: f64) -> Look {
    Look { color, roughness: 0.55, metallic: 0.0, opacity, pattern: Pattern::Plain }
}

/// Opacity of the ghost where the hand wants the part.
const GHOST_OPACITY: f64 = 0.22;

pub(super) fn assets(setting: &Setting) -> Assets {
    let mut assets = Assets {
        shapes: setting.parts.iter().map(|part| asset(&part.shape)).collect(),
        looks: Vec::new(),
        bodies: Vec::new(),
        lines: Vec::new(),
        camera: setting.camera,
        subject: None,
        ride: None,
        ground: setting.ground,
        moves: true,
    };
    let mut add = |name: String, shape: usize, look: Look, movable: bool| {
        assets.looks.push(look);
        let look = assets.looks.len() - 1;
        assets.bodies.push(BodyAsset { name, shape, look, movable });
    };
    for (index, HandledPart { name, color, .. }) in setting.parts.iter().enumerate() {
        add(name.clone(), index, look(color, 1.0), true);
    }
    for (index, HandledPart { name, color, .. }) in setting.parts.iter().enumerate() {
        add(format!("where the hand wants the {name}"), index, look(color, GHOST_OPACITY), false);
    }
    for (index, scenery) in setting.obstacles.iter().enumerate() {
        let shape = setting.parts.len() + index;
        add(scenery.name.clone(), shape, look(scenery.color, scenery.opacity), false);
    }
    assets.shapes.extend(setting.obstacles.iter().map(|scenery| asset(&scenery.shape)));
    assets
}
