//! When do two moving bodies first come near each other? A proven answer, or one that says it is not finished.
//!
//! Every pair of boxes or triangles is kept apart by a plane for some time ([`crate::certificate`]); when that
//! time is over the pair is looked at again: opened, or given another plane. Pairs wait in a queue by time, so
//! the time of the queue is proven free at every moment. A pair that travels farther than half its size before
//! its end is looked at over a shorter time first: splitting time is then cheaper than splitting space.

use glam::DVec3;
use prall_math::Motion;

use crate::budget::Budget;
use crate::certificate::{from_b_to_a, gap_along, safe_time};
use crate::contact::ContactPoint;
use crate::distance::contact_point;
use crate::error::QueryError;
use crate::hierarchy::lanes::{LaneConstants, LaneMotion, Moving, Single, advance};
use crate::hierarchy::{Content, Hierarchy};
use crate::norm::{length, unit};
use crate::overlap::{for_each_bit, opens_first};
use crate::relative_motion::{RelativeMotion, Snapshot};
use crate::time_queue::{Item, Pending, TimeQueue};
use crate::triangle::{area_normal, triangle_distance};
use crate::workspace::Workspace;

/// A pair travels at most this part of its size between two looks at it, or
const WINDOW: f64 = 0.5;

/// this part of the gap between the spheres around it, if that is more: small things far apart.
const WINDOW_OF_GAP: f64 = 0.9;

/// A box pair proven free for less than this part of the time left is opened at once.
const WORTH_WAITING: f64 = 0.02;

/// Start gaps below this many times the rounding count as touching: no room for a separation and a tolerance.
const TOUCHING: f64 = 8.0;

/// A pair that cannot be advanced by more than this (in units of the clock) is reported as contact.
const STALL: f64 = 4.0 * f64::EPSILON;

/// What counts as contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactOptions {
    /// Width of the band, in metres, in which a contact may be called: at the contact the gap exceeds what must
    /// be kept by no more than this. Default 1 um.
    pub tolerance: f64,
    /// Gap, in metres, that must be kept. Default 20 um.
    pub guard: f64,
    /// Bodies that are nearer than twice the guard at the start must only keep half of their start gap, so that
    /// sliding and resting parts can move. Without it the guard is a clearance that holds from the start on. Default
    /// true.
    pub relax_at_start: bool,
}

impl Default for ImpactOptions {
    fn default() -> ImpactOptions {
        ImpactOptions { tolerance: 1e-6, guard: 20e-6, relax_at_start: true }
    }
}

impl ImpactOptions {
    pub(crate) fn validate(&self) -> Result<(), QueryError> {
        let wrong = |option, value, wanted| Err(QueryError::Option { option, value, wanted });
        // Written so that NaN is wrong.
        if !(self.tolerance > 0.0 && self.tolerance <= 1e9) {
            return wrong("the tolerance", self.tolerance, "above 0 and at most 1e9 m");
        }
        if !(self.guard >= 0.0 && self.guard <= 1e9) {
            return wrong("the guard", self.guard, "between 0 and 1e9 m");
        }
        Ok(())
    }
}

/// An enclosure of the first contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOfImpact {
    /// Proven, rounding included: the bodies have a gap at every time in [0, `free_until`]. The only exception
    /// is `free_until = 0` with a contact: they touched or overlapped from the start.
    pub free_until: f64,
    /// Time and place at which the gap is down to what must be kept, within the tolerance. The time is
    /// `free_until`.
    pub contact: Option<(f64, ContactPoint)>,
    /// False if the budget ended first; `free_until` is proven all the same.
    pub finished: bool,
}

/// How far two bodies can follow their motions before they come nearer than the guard.
///
/// Promise: whatever the meshes, motions and budgets, the bodies do not touch at any time in
/// [0, `free_until`], and more budget never lowers `free_until`. If there is no contact and the search is
/// finished, `free_until` is 1.
pub fn time_of_impact(
    a: &Hierarchy,
    motion_a: &Motion,
    b: &Hierarchy,
    motion_b: &Motion,
    options: &ImpactOptions,
    budget: &mut Budget,
    workspace: &mut Workspace,
) -> Result<TimeOfImpact, QueryError> {
    options.validate()?;
    // Planes live in the frame of the second body; bounds are best if that is the one that turns less.
    let turn = |motion: &Motion| motion.as_uniform().map_or(0.0, |uniform| uniform.angle);
    if turn(motion_a) >= turn(motion_b) {
        return search(a, motion_a, b, motion_b, options, budget, workspace);
    }
    let mut answer = search(b, motion_b, a, motion_a, options, budget, workspace)?;
    answer.contact = answer.contact.map(|(t, contact)| (t, contact.swapped()));
    Ok(answer)
}

fn search(
    a: &Hierarchy,
    motion_a: &Motion,
    b: &Hierarchy,
    motion_b: &Motion,
    options: &ImpactOptions,
    budget: &mut Budget,
    workspace: &mut Workspace,
) -> Result<TimeOfImpact, QueryError> {
    let motion = RelativeMotion::new(motion_a, a.radius(), motion_b, b.radius())?;
    let snapshot = motion.snapshot(0.0);
    let mut search = Search {
        a,
        b,
        motion: &motion,
        clock: 0.0,
        snapshot,
        constants: None,
        separation: options.guard,
        tolerance: options.tolerance,
        relax_at_start: options.relax_at_start,
        queue: &mut workspace.queue,
    };
    let outcome = search.run(budget);
    let time = motion.time(search.clock);
    Ok(match outcome {
        Outcome::Free => TimeOfImpact { free_until: 1.0, contact: None, finished: true },
        Outcome::Contact(contact) => {
            TimeOfImpact { free_until: time, contact: Some((time, contact)), finished: true }
        }
        Outcome::Spent => TimeOfImpact { free_until: time, contact: None, finished: false },
    })
}

enum Outcome {
    Free,
    Contact(ContactPoint),
    Spent,
}

struct Search<'a> {
    a: &'a Hierarchy,
    b: &'a Hierarchy,
    motion: &'a RelativeMotion<'a>,
    /// Everything is proven free up to here.
    clock: f64,
    snapshot: Snapshot,
    /// The same for the lanes, once it is needed.
    constants: Option<Constants>,
    /// Gap to be kept.
    separation: f64,
    tolerance: f64,
    relax_at_start: bool,
    queue: &'a mut TimeQueue,
}

/// The relative motion of an instant as the lanes want it, in both frames.
struct Constants {
    in_a: LaneConstants,
    in_b: LaneConstants,
}

impl Constants {
    fn new(snapshot: &Snapshot) -> Constants {
        Constants {
            in_a: LaneConstants::new(&snapshot.in_a, &snapshot.bounds),
            in_b: LaneConstants::new(&snapshot.in_b, &snapshot.bounds),
        }
    }
}

impl Search<'_> {
    fn run(&mut self, budget: &mut Budget) -> Outcome {
        self.queue.restart();
        self.queue.push_now(Pending { a: Item::Node(0), b: Item::Node(0), end: 1.0 });
        loop {
            let Some(pending) = self.queue.pop_now() else {
                match self.queue.next_time() {
                    Some(clock) => {
                        self.clock = clock;
                        self.snapshot = self.motion.snapshot(clock);
                        self.constants = None;
                        continue;
                    }
                    None => return Outcome::Free,
                }
            };
            let outcome = match (pending.a, pending.b) {
                (Item::Node(node_a), Item::Node(node_b)) => {
                    let content_a = self.a.nodes[node_a as usize].link.content();
                    let content_b = self.b.nodes[node_b as usize].link.content();
                    if let (Content::Triangles(range_a), Content::Triangles(range_b)) =
                        (&content_a, &content_b)
                    {
                        self.leaves(range_a.clone(), range_b.clone(), pending.end, budget)
                    } else {
                        self.nodes((node_a, content_a), (node_b, content_b), pending.end, budget)
                    }
                }
                (Item::Triangle(slot_a), Item::Triangle(slot_b)) => {
                    self.triangles(slot_a, slot_b, pending.end, budget)
                }
                // Pairs are made of equals only.
                _ => None,
            };
            if let Some(outcome) = outcome {
                return outcome;
            }
        }
    }

    /// Opens the larger of two nodes and files its children against the other.
    fn nodes(
        &mut self,
        (node_a, content_a): (u32, Content),
        (node_b, content_b): (u32, Content),
        mut end: f64,
        budget: &mut Budget,
    ) -> Option<Outcome> {
        if !budget.take() {
            return Some(Outcome::Spent);
        }
        let (box_a, box_b) = (&self.a.nodes[node_a as usize], &self.b.nodes[node_b as usize]);
        let bounds = &self.snapshot.bounds;
        let arm = length(self.snapshot.in_a.arm(box_a.centre)) + f64::from(box_a.radius);
        let rate = bounds.rate + bounds.rate_per_arm * arm;
        let size = f64::from(box_a.radius) + f64::from(box_b.radius);
        let centre_a = self.snapshot.placement.a_to_b.point(box_a.centre);
        let window = (WINDOW * size).max(WINDOW_OF_GAP * (length(centre_a - box_b.centre) - size));
        if rate * (end - self.clock) > window {
            let middle = self.clock + window / rate;
            // Not if rounding would not let time pass.
            if middle > self.clock + STALL {
                let (a, b) = (Item::Node(node_a), Item::Node(node_b));
                self.queue.push_at(middle, Pending { a, b, end });
                end = middle;
            }
        }
        let constants = &*self.constants.get_or_insert_with(|| Constants::new(&self.snapshot));
        let reach = rate * (end - self.clock);
        let separation = self.separation + self.motion.rounding;
        match (content_a, content_b) {
            (Content::Group(group), content_b) if opens_first(box_a, box_b, &content_b) => {
                let group = &self.a.groups[group];
                let change = &self.snapshot.placement.b_to_a;
                let single = Single::new(box_b, change, change.point(box_b.centre), group.origin);
                let moving = Moving::Eight { origin: group.origin, extent: group.reach };
                let motion =
                    LaneMotion::new(&self.snapshot.in_a, &constants.in_a, &moving, separation, reach);
                let advance = advance(group, &single, &motion);
                for_each_bit(advance.open, |lane| {
                    let safe = f64::from(advance.safe[lane as usize]);
                    file(
                        self.queue,
                        self.clock,
                        safe,
                        Item::Node(group.first + lane),
                        Item::Node(node_b),
                        end,
                    );
                });
            }
            (_, Content::Group(group)) => {
                let group = &self.b.groups[group];
                let single = Single::new(box_a, &self.snapshot.placement.a_to_b, centre_a, group.origin);
                let moving = Moving::Single { centre: centre_a, extent: box_a.radius };
                let motion =
                    LaneMotion::new(&self.snapshot.in_b, &constants.in_b, &moving, separation, reach);
                let advance = advance(group, &single, &motion);
                for_each_bit(advance.open, |lane| {
                    let safe = f64::from(advance.safe[lane as usize]);
                    file(
                        self.queue,
                        self.clock,
                        safe,
                        Item::Node(node_a),
                        Item::Node(group.first + lane),
                        end,
                    );
                });
            }
            // Leaf pairs are treated elsewhere, and the guard above is true if only the second is a leaf.
            (_, Content::Triangles(_)) => {}
        }
        None
    }

    fn leaves(
        &mut self,
        range_a: std::ops::Range<u32>,
        range_b: std::ops::Range<u32>,
        end: f64,
        budget: &mut Budget,
    ) -> Option<Outcome> {
        for slot_a in range_a {
            for slot_b in range_b.clone() {
                if let Some(outcome) = self.triangles(slot_a, slot_b, end, budget) {
                    return Some(outcome);
                }
            }
        }
        None
    }

    /// Two triangles: prove first, measure second, call contact last.
    fn triangles(&mut self, slot_a: u32, slot_b: u32, end: f64, budget: &mut Budget) -> Option<Outcome> {
        if !budget.take() {
            return Some(Outcome::Spent);
        }
        let a = self.snapshot.placement.a_to_b.triangle(self.a.at_slot(slot_a));
        let b = *self.b.at_slot(slot_b);
        let mut safe = 0.0_f64;
        let mut proven = f64::NEG_INFINITY;
        for face in [&b, &a] {
            if let Some(normal) = area_normal(face).and_then(unit) {
                let normal = from_b_to_a(normal, &a, &b);
                proven = proven.max(gap_along(normal, &a, &b));
                safe = safe.max(self.safe_time(normal, &a, &b));
                if self.clock + safe >= end {
                    return None;
                }
            }
        }
        if !budget.take() {
            return Some(Outcome::Spent);
        }
        let near = triangle_distance(&a, &b);
        let direction = if near.squared > 0.0 { near.separating_direction(&a, &b) } else { None };
        if let Some(direction) = direction {
            proven = proven.max(gap_along(direction, &a, &b));
        }
        let contact = |search: &Search| {
            let sources = (search.a.source(slot_a), search.b.source(slot_b));
            Some(Outcome::Contact(contact_point(&near, &a, &b, sources, &search.snapshot.pose_b)))
        };
        if self.clock == 0.0 && self.relax_at_start {
            // Only what is proven at the start may be halved.
            let apart = proven > TOUCHING * self.motion.rounding;
            if !apart {
                return contact(self);
            }
            if proven < 2.0 * self.separation || proven < 4.0 * self.tolerance {
                self.separation = self.separation.min(0.5 * proven);
                self.tolerance = self.tolerance.min(0.25 * proven);
                // The planes of the faces get another chance.
                return self.triangles(slot_a, slot_b, end, budget);
            }
        } else if near.distance() <= self.separation + self.tolerance {
            return contact(self);
        }
        if let Some(direction) = direction {
            safe = safe.max(self.safe_time(direction, &a, &b));
        }
        if safe <= STALL {
            return contact(self);
        }
        if self.clock + safe < end {
            let pending = Pending { a: Item::Triangle(slot_a), b: Item::Triangle(slot_b), end };
            self.queue.push_at(self.clock + safe, pending);
        }
        None
    }

    fn safe_time(&self, normal: DVec3, a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
        safe_time(normal, a, b, &self.snapshot, self.separation + self.motion.rounding)
    }
}

/// Files a pair that is proven free for `safe` from now, and must be kept apart until `end`.
fn file(queue: &mut TimeQueue, clock: f64, safe: f64, a: Item, b: Item, end: f64) {
    let due = clock + safe;
    if due >= end {
        return;
    }
    let pending = Pending { a, b, end };
    if safe > WORTH_WAITING * (end - clock) {
        queue.push_at(due, pending);
    } else {
        queue.push_now(pending);
    }
}
