//! Contacts at the present poses, as far ahead as the next step's motion reaches.

use std::collections::BTreeSet;

use glam::DVec3;
use prall_detection::{ManifoldOptions, Touchable, find_manifolds_cached};
use prall_geometry::Aabb;
use prall_math::{Norm, Pose, Twist};
use prall_mechanics::{Bodies, ContactLaw, Material, Side};

use super::movers::MoverShape;
use super::sweep::FAR;
use super::{Party, World, remembered};
use crate::body::BodyRecord;
use crate::handle::Places;
use crate::{BodyHandle, BodyKind};

/// Whose box an entry of the pair index is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Owner {
    Nobody,
    Body { body: u32, shape: u32 },
    Link { mover: u32, shape: u32 },
}

/// A shape in the world, ready to be met.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) side: Side,
    pose: Pose,
    /// How far it may come in the step, with half of the margin, in m.
    reach: f64,
    material: Material,
    movable: bool,
    pub(super) sensor: bool,
    /// It is where it was when contacts were last found, and may come as far: contacts with others of that kind are as they were.
    still: bool,
}

/// Fast bodies may be thrown off by this part of their way before contacts are no longer foreseen. Less leaves more of them to the sweep;
/// with this much a crowd of 500 at 30 m/s was stopped no more often than with all contacts within reach.
const DEFLECTED: f64 = 0.25;

/// Where a body was when contacts were last found, and how far it could come.
pub(super) type Found = (Pose, f64);

/// The law of two materials; most pairs of a world have the same one.
#[derive(Clone, Copy, Debug, Default)]
struct Laws {
    last: Option<(Material, Material, ContactLaw)>,
}

impl Laws {
    fn of(&mut self, a: &Material, b: &Material) -> ContactLaw {
        match &self.last {
            Some((x, y, law)) if x == a && y == b => *law,
            _ => {
                let law = a.against(b).expect("both materials were checked when they came in");
                self.last = Some((*a, *b, law));
                law
            }
        }
    }
}

impl World {
    /// Finds the contacts for a coming substep of `h` seconds.
    pub(super) fn detect(&mut self, h: f64) {
        self.place_bodies(h);
        self.place_links(h);
        self.contacts.begin();
        self.touches.begin_sensors();
        if self.solid.last_part {
            self.choose_solid();
        }
        self.meet_pairs(h);
        self.touches.end_sensors();
    }

    /// Says where the shapes of bodies are, and gives those that have moved a box with the room that they can cover.
    fn place_bodies(&mut self, h: f64) {
        let anew = std::mem::take(&mut self.redetect);
        self.found.resize(self.records.len(), (Pose::IDENTITY, f64::NAN));
        self.placed.resize(self.owners.len(), None);
        for at in 0..self.records.len() {
            if self.records[at].untouchable {
                continue;
            }
            let (pose, reach) = (self.bodies.poses[at], self.reach(at, h));
            let still = !anew && self.found[at] == (pose, reach);
            if still {
                for shape in &self.records[at].shapes {
                    if let Some(placed) = &mut self.placed[shape.proxy.slot()] {
                        placed.still = true;
                    }
                }
                continue;
            }
            self.found[at] = (pose, reach);
            let margin = 0.5 * self.options.contact_margin;
            let fast = reach - margin > FAR * self.records[at].thickness;
            // What rebounds goes anywhere, and its next impact in the same step is to be known.
            let straight = fast && self.records[at].material.restitution == 0.0;
            let way = if straight { self.bodies.velocities[at].linear * h } else { DVec3::ZERO };
            self.place_shapes(at, way);
        }
    }

    /// Places the shapes of a body where contacts are found now, with boxes: all round as far as it may come, or of a
    /// fast body along its way with room for what may throw it off.
    fn place_shapes(&mut self, at: usize, way: DVec3) {
        let (pose, reach) = self.found[at];
        let record = &self.records[at];
        for shape in &record.shapes {
            let place = pose * shape.pose;
            let here = shape.shape.aabb(&place);
            let bounds = if way == DVec3::ZERO {
                here.grown(reach)
            } else {
                along(&here, way).grown(reach - way.norm() + DEFLECTED * reach)
            };
            // A state that is no longer finite has no boxes; such a world says so by `is_finite`.
            let _ = self.index.update(shape.proxy, bounds);
            self.placed[shape.proxy.slot()] = Some(Placed {
                side: Side::Body(at as u32),
                pose: place,
                reach,
                material: record.material,
                movable: self.bodies.is_movable(at),
                sensor: record.sensor,
                still: false,
            });
        }
    }

    /// Shapes and boxes where contacts were last found, after a state was restored.
    pub(super) fn place_again(&mut self) {
        self.placed.resize(self.owners.len(), None);
        for at in 0..self.found.len() {
            if self.found[at].1.is_finite() {
                self.place_shapes(at, DVec3::ZERO);
            }
        }
        self.place_links(self.options.time_step);
    }

    /// The same for links of movers.
    fn place_links(&mut self, h: f64) {
        for number in 0..self.movers.len() {
            if self.meets_nobody(number) {
                continue;
            }
            for at in 0..self.mover_shapes[number].len() {
                let (mover, shape) = (self.movers[number].as_ref(), &self.mover_shapes[number][at]);
                let reach = self.link_reach(mover, shape.link, shape.radius, h);
                let shape = &mut self.mover_shapes[number][at];
                let pose = mover.pose(shape.link) * shape.part.pose;
                let bounds = shape.last_box.around(&shape.part.shape, &pose).grown(reach);
                let _ = self.index.update(shape.part.proxy, bounds);
                self.placed[shape.part.proxy.slot()] = Some(Placed {
                    side: Side::Link { mover: number as u32, link: shape.link },
                    pose,
                    reach,
                    material: shape.material,
                    movable: true,
                    sensor: false,
                    still: false,
                });
            }
        }
    }

    fn meet_pairs(&mut self, h: f64) {
        let mut laws = Laws::default();
        let wide = self.options.contact_margin;
        let World { index, placed, remembered, contacts, manifolds, apart, solid, .. } = self;
        let pairs = index.refresh().all;
        remembered.follow(pairs);
        for (number, pair) in pairs.iter().enumerate() {
            let (slot_a, slot_b) = (pair.a.slot(), pair.b.slot());
            let (Some(a), Some(b)) = (&placed[slot_a], &placed[slot_b]) else { continue };
            if !may_meet(a, b, apart) {
                continue;
            }
            let (key, sensor) = (remembered::key(pair), a.sensor || b.sensor);
            let is_solid = |side: Side| match side {
                Side::Body(at) => solid.state.is_solid(at as usize),
                Side::Link { mover, .. } => solid.state.is_solid_mover(mover as usize),
            };
            if !sensor && (is_solid(a.side) || is_solid(b.side)) {
                continue;
            }
            if a.still && b.still && !sensor {
                contacts.add_again(key);
                continue;
            }
            if !sensor && pass_each_other(&self.bodies, &self.records, [a, b], wide, h) {
                continue;
            }
            let owned = |slot: usize| touchable(&self.owners, &self.records, &self.mover_shapes, slot);
            let (Some(first), Some(second)) = (owned(slot_a), owned(slot_b)) else { continue };
            let margin = if sensor { 0.0 } else { a.reach + b.reach };
            let options = ManifoldOptions { margin, ..ManifoldOptions::default() };
            let cache = remembered.of(number);
            // A state that is no longer finite has no manifolds; such a world says so by `is_finite`.
            let _ = find_manifolds_cached(first, &a.pose, second, &b.pose, &options, cache, manifolds);
            if sensor {
                if !manifolds.points().is_empty() {
                    let parties = (party(&self.places, a.side), party(&self.places, b.side));
                    self.touches.sense(if a.sensor { parties } else { (parties.1, parties.0) });
                }
            } else if !manifolds.points().is_empty() {
                let law = laws.of(&a.material, &b.material);
                for points in manifolds.iter() {
                    contacts.add(key, a.side, b.side, points, &law);
                }
            }
        }
    }

    /// How far a point of a body may come in a step, and half of the margin beyond it, in m.
    fn reach(&self, at: usize, h: f64) -> f64 {
        let record = &self.records[at];
        let margin = 0.5 * self.options.contact_margin;
        if record.kind == BodyKind::Fixed || record.shapes.is_empty() {
            return margin;
        }
        let fall = if self.bodies.is_movable(at) { self.options.gravity.norm() * h } else { 0.0 };
        // What rebounds is to know in time what it meets then, and after the last part of a step the next one may not be cut. Groups of joints are near
        // contacts or not for a whole step, and so is what may hit them.
        let whole = self.solid.last_part || !self.system.blocks.is_empty();
        let span = if record.material.restitution > 0.0 && whole { self.options.time_step.max(h) } else { h };
        margin + farthest(&self.bodies.velocities[at], record.radius, fall, span)
    }

    fn link_reach(&self, mover: &dyn prall_mechanics::Mover, link: u32, radius: f64, h: f64) -> f64 {
        let twist = mover.twist_at(link, mover.pose(link).translation);
        let fall = self.options.gravity.norm() * h;
        0.5 * self.options.contact_margin + farthest(&twist, radius, fall, h)
    }

    pub(super) fn touchable(&self, slot: usize) -> Option<&Touchable> {
        touchable(&self.owners, &self.records, &self.mover_shapes, slot)
    }

    pub(super) fn party(&self, side: Side) -> Party {
        party(&self.places, side)
    }
}

fn party(places: &Places, side: Side) -> Party {
    match side {
        Side::Body(body) => {
            Party::Body(BodyHandle { index: body, generation: places.generation(body as usize) })
        }
        Side::Link { mover, link } => Party::Link(crate::MoverHandle { index: mover, generation: 0 }, link),
    }
}

pub(super) fn touchable<'a>(
    owners: &[Owner],
    records: &'a [BodyRecord],
    mover_shapes: &'a [Vec<MoverShape>],
    slot: usize,
) -> Option<&'a Touchable> {
    match owners[slot] {
        Owner::Nobody => None,
        Owner::Body { body, shape } => Some(&records[body as usize].shapes[shape as usize].touchable),
        Owner::Link { mover, shape } => Some(&mover_shapes[mover as usize][shape as usize].part.touchable),
    }
}

/// True if contacts between the two are wanted; `apart` are pairs of bodies that joints keep from touching.
pub(super) fn may_meet(a: &Placed, b: &Placed, apart: &BTreeSet<(u32, u32)>) -> bool {
    match (a.side, b.side) {
        (Side::Body(i), Side::Body(j)) => {
            i != j
                && (a.movable || b.movable || a.sensor || b.sensor)
                && (apart.is_empty() || !apart.contains(&(i.min(j), i.max(j))))
        }
        (Side::Link { mover: i, .. }, Side::Link { mover: j, .. }) => i != j,
        _ => true,
    }
}

/// A box around a box on a straight way.
pub(super) fn along(start: &Aabb, way: DVec3) -> Aabb {
    Aabb { min: start.min + way.min(DVec3::ZERO), max: start.max + way.max(DVec3::ZERO) }
}

/// True if two bodies, both of them fast enough to be swept, go past each other: the balls about their centres stay apart even if
/// their velocities change by a part. Slower pairs have nothing but their contact, and are never left out; of those that are, and are
/// thrown at each other by others, the sweep stops the way.
fn pass_each_other(
    bodies: &Bodies,
    records: &[BodyRecord],
    [a, b]: [&Placed; 2],
    margin: f64,
    h: f64,
) -> bool {
    let (Side::Body(i), Side::Body(j)) = (a.side, b.side) else { return false };
    let [a_at, b_at] = [i as usize, j as usize];
    let thickness = records[a_at].thickness.min(records[b_at].thickness);
    let reach = a.reach + b.reach;
    if !(reach - margin > FAR * thickness) {
        return false;
    }
    let closing = (bodies.velocities[a_at].linear - bodies.velocities[b_at].linear) * h;
    let apart = bodies.poses[a_at].translation - bodies.poses[b_at].translation;
    let when = -apart.dot(closing) / closing.length_squared();
    let when = if when > 0.0 { when.min(1.0) } else { 0.0 };
    let near = records[a_at].radius + records[b_at].radius + DEFLECTED * reach;
    (apart + closing * when).length_squared() > near * near
}

/// How far a point within `radius` may come in `h` seconds, in m; `fall` is the speed that gravity may add. However often a body
/// turns, its points stay within the radius.
fn farthest(twist: &Twist, radius: f64, fall: f64, h: f64) -> f64 {
    let (straight, turning) = (twist.linear.norm() + fall, twist.angular.norm());
    if turning > 0.0 {
        ((straight + turning * radius) * h).min(straight * h + 2.0 * radius)
    } else {
        straight * h
    }
}
