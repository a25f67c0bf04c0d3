//! Contacts at the present poses, as far ahead as the next step's motion reaches.

use prall_detection::{ManifoldOptions, Pair, find_manifolds_cached};
use prall_math::{Pose, Twist};
use prall_mechanics::{Material, Side};

use super::{Party, World};
use crate::BodyKind;

/// Whose box an entry of the pair index is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Owner {
    Nobody,
    Body { body: u32, shape: u32 },
    Link { mover: u32, shape: u32 },
}

impl World {
    /// Finds the contacts for a coming substep of `h` seconds.
    pub(super) fn detect(&mut self, h: f64) {
        self.redetect = false;
        self.update_boxes(h);
        self.contacts.begin();
        self.touches.begin_sensors();
        self.index.refresh();
        // Pairs are copied out of the index, which is asked for boxes while they are visited.
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        pairs.extend_from_slice(self.index.refresh().all);
        self.remembered.begin(pairs.len());
        for pair in &pairs {
            self.meet(pair, h);
        }
        self.pairs = pairs;
        self.touches.end_sensors();
    }

    /// Gives the boxes of everything that moves the room that it can cover.
    fn update_boxes(&mut self, h: f64) {
        for at in 0..self.records.len() {
            let reach = self.reach(at, h);
            let record = &self.records[at];
            if record.kind == BodyKind::Fixed && !self.boxes_outdated {
                continue;
            }
            for shape in &record.shapes {
                let bounds = shape.shape.aabb(&(self.bodies.poses[at] * shape.pose)).grown(reach);
                // A state that is no longer finite has no boxes; such a world says so by `is_finite`.
                let _ = self.index.update(shape.proxy, bounds);
            }
        }
        self.boxes_outdated = false;
        for (mover, shapes) in self.movers.iter().zip(&self.mover_shapes) {
            for shape in shapes {
                let reach = self.link_reach(mover.as_ref(), shape.link, shape.radius, h);
                let bounds = shape.shape.aabb(&(mover.pose(shape.link) * shape.pose)).grown(reach);
                let _ = self.index.update(shape.proxy, bounds);
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
        let fall = if self.bodies.is_movable(at) { self.options.gravity.length() * h } else { 0.0 };
        margin + speed(&self.bodies.velocities[at], record.radius, fall) * h
    }

    fn link_reach(&self, mover: &dyn prall_mechanics::Mover, link: u32, radius: f64, h: f64) -> f64 {
        let twist = mover.twist_at(link, mover.pose(link).translation);
        let fall = self.options.gravity.length() * h;
        0.5 * self.options.contact_margin + speed(&twist, radius, fall) * h
    }

    fn meet(&mut self, pair: &Pair, h: f64) {
        let (slot_a, slot_b) = (pair.a.slot(), pair.b.slot());
        let (Some(a), Some(b)) = (self.placed(slot_a, h), self.placed(slot_b, h)) else { return };
        if !self.may_meet(&a, &b) {
            return;
        }
        let sensor = a.sensor || b.sensor;
        let margin = if sensor { 0.0 } else { a.reach + b.reach };
        let options = ManifoldOptions { margin, ..ManifoldOptions::default() };
        let key = (slot_a as u64) << 32 | slot_b as u64;
        let mut manifolds = std::mem::take(&mut self.manifolds);
        let mut remembered = std::mem::take(&mut self.remembered);
        let (touchable_a, touchable_b) = (self.touchable(slot_a), self.touchable(slot_b));
        if let (Some(first), Some(second)) = (touchable_a, touchable_b) {
            let cache = remembered.of(key);
            // A state that is no longer finite has no manifolds; such a world says so by `is_finite`.
            let _ = find_manifolds_cached(first, &a.pose, second, &b.pose, &options, cache, &mut manifolds);
        }
        self.remembered = remembered;
        if sensor {
            if !manifolds.points().is_empty() {
                let parties = (self.party(a.side), self.party(b.side));
                self.touches.sense(if a.sensor { parties } else { (parties.1, parties.0) });
            }
        } else {
            let law = a.material.against(&b.material).expect("both materials were checked when they came in");
            for points in manifolds.iter() {
                self.contacts.add(key, a.side, b.side, points, &law);
            }
        }
        self.manifolds = manifolds;
    }

    fn may_meet(&self, a: &Placed, b: &Placed) -> bool {
        match (a.side, b.side) {
            (Side::Body(i), Side::Body(j)) => {
                let movable = self.bodies.is_movable(i as usize) || self.bodies.is_movable(j as usize);
                i != j && (movable || a.sensor || b.sensor) && !self.apart.contains(&(i.min(j), i.max(j)))
            }
            (Side::Link { mover: i, .. }, Side::Link { mover: j, .. }) => i != j,
            _ => true,
        }
    }

    pub(super) fn touchable(&self, slot: usize) -> Option<&prall_detection::Touchable> {
        match self.owners[slot] {
            Owner::Nobody => None,
            Owner::Body { body, shape } => {
                Some(&self.records[body as usize].shapes[shape as usize].touchable)
            }
            Owner::Link { mover, shape } => {
                Some(&self.mover_shapes[mover as usize][shape as usize].touchable)
            }
        }
    }

    fn placed(&self, slot: usize, h: f64) -> Option<Placed> {
        match self.owners[slot] {
            Owner::Nobody => None,
            Owner::Body { body, shape } => {
                let at = body as usize;
                let record = &self.records[at];
                Some(Placed {
                    side: Side::Body(body),
                    pose: self.bodies.poses[at] * record.shapes[shape as usize].pose,
                    reach: self.reach(at, h),
                    material: record.material,
                    sensor: record.sensor,
                })
            }
            Owner::Link { mover, shape } => {
                let own = &self.mover_shapes[mover as usize][shape as usize];
                let other = &self.movers[mover as usize];
                Some(Placed {
                    side: Side::Link { mover, link: own.link },
                    pose: other.pose(own.link) * own.pose,
                    reach: self.link_reach(other.as_ref(), own.link, own.radius, h),
                    material: own.material,
                    sensor: false,
                })
            }
        }
    }

    pub(super) fn party(&self, side: Side) -> Party {
        match side {
            Side::Body(body) => Party::Body(self.handle(body as usize)),
            Side::Link { mover, link } => {
                Party::Link(crate::MoverHandle { index: mover, generation: 0 }, link)
            }
        }
    }
}

/// A shape in the world, ready to be met.
struct Placed {
    side: Side,
    pose: Pose,
    reach: f64,
    material: Material,
    sensor: bool,
}

/// Largest speed of a point within `radius`, in m/s, `fall` included.
fn speed(twist: &Twist, radius: f64, fall: f64) -> f64 {
    let turning = twist.angular.length();
    twist.linear.length() + fall + if turning > 0.0 { turning * radius } else { 0.0 }
}
