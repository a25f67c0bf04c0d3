//! The search for a first contact: pairs in a queue by the time until which they are proven apart.

use std::ops::Range;

use glam::DVec3;
use prall_math::{Motion, Norm};

use super::{ImpactOptions, TimeOfImpact};
use crate::budget::Budget;
use crate::certificate::{from_b_to_a, gap_along, safe_time};
use crate::contact::ContactPoint;
use crate::distance::contact_point;
use crate::error::QueryError;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::blocks::{BlockView, Ends, Piece, Scratch, open_pairs};
use crate::hierarchy::lanes::{LaneConstants, LaneMotion, Moving, advance};
use crate::node_pair::{NodePair, Opened, Opening, for_each_bit};
use crate::norm::unit;
use crate::placement::Placement;
use crate::relative_motion::{RelativeMotion, Snapshot, angle};
use crate::time_queue::{Item, Pending, TimeQueue};
use crate::triangle::{area_normal, triangle_distance};

/// A pair travels at most this part of its size between two looks at it, or
const WINDOW: f64 = 0.5;

/// this part of the gap between the spheres around it, if that is more: small things far apart.
const WINDOW_OF_GAP: f64 = 0.9;

/// A box pair proven free for less than this part of the time left is opened at once.
const WORTH_WAITING: f64 = 0.02;

/// Planes between two blocks are worth it if they leave less than one pair of triangles in so many.
const FEW: usize = 4;

/// Start gaps below this many times the rounding count as touching: no room for a separation and a tolerance.
const TOUCHING: f64 = 8.0;

/// A pair that cannot be advanced by more than this (in units of the clock) is reported as contact.
const STALL: f64 = 4.0 * f64::EPSILON;

/// What is asked of a search.
pub(crate) struct Question<'a> {
    pub(crate) bodies: [&'a Hierarchy; 2],
    pub(crate) motions: [&'a Motion; 2],
    /// The bodies' triangles stand for things that are thicker by this much in all, in metres.
    pub(crate) thickness: f64,
    /// The time from which on they must be kept apart.
    pub(crate) from: f64,
    pub(crate) options: &'a ImpactOptions,
}

/// A search that can be interrupted after every unit of work and goes on where it was: what is proven after some
/// units does not depend on how they were portioned.
pub(crate) struct ImpactSearch {
    pub(super) motion: RelativeMotion,
    /// The second body of the question is the A of the search.
    pub(super) swapped: bool,
    /// Time of the clock at which the search began.
    start: f64,
    /// Everything is proven free up to here.
    pub(super) clock: f64,
    pub(super) snapshot: Snapshot,
    /// The same for the lanes, once it is needed.
    constants: Option<Constants>,
    /// Pieces of a few triangles are looked at as wholes.
    by_blocks: bool,
    /// A's place at the clock and at a later time, for intervals that end there.
    ends: Option<(f64, Ends)>,
    scratch: Scratch,
    pub(super) thickness: f64,
    /// Distance to be kept between triangles: the gap and the thickness.
    separation: f64,
    pub(super) tolerance: f64,
    relax_at_start: bool,
    /// The first of the two units for the pair of triangles that comes next has been taken.
    paid: bool,
    found: Option<Found>,
    pub(super) queue: TimeQueue,
}

/// How a search ended.
#[derive(Clone, Copy)]
enum Found {
    Free,
    Contact(ContactPoint),
}

/// Why a search does not go on: it has an answer, or the budget refused a unit.
enum Pause {
    Found(Found),
    Spent,
}

/// The two bodies in the order of the search.
#[derive(Clone, Copy)]
struct Bodies<'a> {
    a: &'a Hierarchy,
    b: &'a Hierarchy,
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

impl ImpactSearch {
    /// Gets ready; no work yet. The memory of `queue` is used and can be taken back with [`ImpactSearch::end`].
    pub(crate) fn new(question: &Question<'_>, queue: &mut TimeQueue) -> Result<ImpactSearch, QueryError> {
        let ([a, b], [motion_a, motion_b]) = (question.bodies, question.motions);
        // Planes live in the frame of the second body; bounds are best if that is the one that turns less.
        let swapped = angle(motion_a) < angle(motion_b);
        let mut motion = if swapped {
            RelativeMotion::new(motion_b, b.radius(), motion_a, a.radius())?
        } else {
            RelativeMotion::new(motion_a, a.radius(), motion_b, b.radius())?
        };
        motion.rounding += 4.0 * f64::EPSILON * question.thickness;
        // Bodies of one block are proven step by step instead, so that a small budget proves a part of the way.
        let by_blocks = motion.is_steady() && !a.is_one_block() && !b.is_one_block();
        let start = motion.clock(question.from);
        let mut queue = std::mem::take(queue);
        queue.restart(start);
        queue.push_now(Pending { a: Item::Node(0), b: Item::Node(0), end: 1.0 });
        Ok(ImpactSearch {
            snapshot: motion.snapshot(start),
            motion,
            swapped,
            start,
            clock: start,
            constants: None,
            by_blocks,
            ends: None,
            scratch: Scratch::new(),
            thickness: question.thickness,
            separation: question.thickness + question.options.guard,
            tolerance: question.options.tolerance,
            relax_at_start: question.options.relax_at_start,
            paid: false,
            found: None,
            queue,
        })
    }

    /// Gives the memory of the queue back.
    pub(crate) fn end(self) -> TimeQueue {
        self.queue
    }

    /// Goes on until there is an answer or the budget refuses a unit. `bodies` are those of the question.
    pub(crate) fn advance(&mut self, bodies: [&Hierarchy; 2], budget: &mut Budget) -> TimeOfImpact {
        let [a, b] = bodies;
        let bodies = if self.swapped { Bodies { a: b, b: a } } else { Bodies { a, b } };
        if self.found.is_none()
            && let Pause::Found(found) = self.run(bodies, budget)
        {
            self.found = Some(found);
        }
        let time = self.motion.time(self.clock);
        let gap = self.separation - self.thickness;
        // At the start itself not all pairs have been looked at.
        let kept = if self.clock > self.start { gap } else { 0.0 };
        match self.found {
            Some(Found::Free) => TimeOfImpact { free_until: 1.0, contact: None, finished: true, kept: gap },
            Some(Found::Contact(contact)) => {
                let contact = if self.swapped { contact.swapped() } else { contact };
                TimeOfImpact { free_until: time, contact: Some((time, contact)), finished: true, kept }
            }
            None => TimeOfImpact { free_until: time, contact: None, finished: false, kept },
        }
    }

    fn run(&mut self, bodies: Bodies<'_>, budget: &mut Budget) -> Pause {
        loop {
            let Some(pending) = self.queue.pop_now() else {
                match self.queue.next_time() {
                    Some(clock) => {
                        self.clock = clock;
                        self.snapshot = self.motion.snapshot(clock);
                        self.constants = None;
                        self.ends = None;
                        continue;
                    }
                    None => return Pause::Found(Found::Free),
                }
            };
            let pause = match (pending.a, pending.b) {
                (Item::Node(node_a), Item::Node(node_b)) => {
                    self.nodes(bodies, (node_a, node_b), pending.end, budget)
                }
                (Item::Triangle(slot_a), Item::Triangle(slot_b)) => {
                    self.triangles(bodies, (slot_a, slot_b), pending.end, budget)
                }
                // Pairs are made of equals only.
                _ => None,
            };
            if let Some(pause) = pause {
                // What was not paid for is next when the search goes on.
                self.queue.push_now(pending);
                return pause;
            }
        }
    }

    /// Two nodes: planes between blocks, or boxes.
    fn nodes(
        &mut self,
        bodies: Bodies<'_>,
        (node_a, node_b): (u32, u32),
        end: f64,
        budget: &mut Budget,
    ) -> Option<Pause> {
        let pieces = if self.by_blocks {
            (bodies.a.piece(node_a), bodies.b.piece(node_b))
        } else {
            (Piece::Part, Piece::Part)
        };
        if let (Piece::Block(block_a), Piece::Block(block_b)) = &pieces {
            if !budget.take() {
                return Some(Pause::Spent);
            }
            if self.blocks(block_a, block_b, end) {
                return None;
            }
            match NodePair::new(bodies.a, node_a, bodies.b, node_b) {
                NodePair::Leaves(range_a, range_b) => self.leaves(range_a, &range_b, end),
                NodePair::Open(opening) => self.open(bodies, (node_a, node_b), &opening, end),
            }
            return None;
        }
        match NodePair::of_pieces((bodies.a, node_a), (bodies.b, node_b), &pieces) {
            NodePair::Leaves(range_a, range_b) => {
                self.leaves(range_a, &range_b, end);
                None
            }
            NodePair::Open(opening) if budget.take() => {
                self.open(bodies, (node_a, node_b), &opening, end);
                None
            }
            NodePair::Open(_) => Some(Pause::Spent),
        }
    }

    /// Keeps two blocks apart until the end by planes of their faces, up to pairs of triangles that are next; false if these are too
    /// many, or the way is too long.
    fn blocks(&mut self, a: &BlockView<'_>, b: &BlockView<'_>, end: f64) -> bool {
        let bounds = &self.snapshot.bounds;
        let arm = self.snapshot.in_a.arm(a.origin).norm() + f64::from(a.reach);
        let time = end - self.clock;
        let way = (bounds.rate + bounds.rate_per_arm * arm) * time;
        if !(way <= WINDOW * f64::from(a.reach + b.reach)) {
            return false;
        }
        let moment = self.snapshot.in_b.delta.norm();
        let curvature =
            bounds.curvature + arm * (bounds.curvature_per_arm + moment * bounds.curvature_per_moment);
        let bow = 0.125 * curvature * time * time * (1.0 + 1e-12);
        let separation = self.separation + self.motion.rounding + bow;
        if self.ends.as_ref().is_none_or(|(known, _)| *known != end) {
            let [pose_a, pose_b] = self.motion.poses(end);
            let change = Placement::new(&pose_a, &pose_b).a_to_b;
            self.ends = Some((end, Ends::new(&self.snapshot.placement.a_to_b, &change)));
        }
        let Some((_, ends)) = &self.ends else { return false };
        // What starts nearer than this may halve the gap to be kept, and must be looked at now.
        let kept = self.separation - self.thickness;
        let relaxes = self.clock == self.start && self.relax_at_start;
        let more = if relaxes { kept.max(4.0 * self.tolerance - kept) } else { 0.0 };
        let pairs = open_pairs(a, b, ends, (separation, separation + more), &mut self.scratch);
        let shares = &self.scratch.shares;
        if pairs.count as usize * FEW > a.count * b.count {
            let waits = |i: usize, j: u32| f64::from(shares[i][j as usize]) > WORTH_WAITING;
            let now = |i: usize| {
                (0..b.count as u32).filter(|&j| pairs.of_a[i] >> j & 1 == 1 && !waits(i, j)).count()
            };
            if (0..a.count).map(now).sum::<usize>() * FEW > a.count * b.count {
                return false;
            }
        }
        for (i, &bits) in pairs.of_a[..a.count].iter().enumerate().rev() {
            for_each_bit(bits, |j| {
                let (a, b) = (Item::Triangle(a.first + i as u32), Item::Triangle(b.first + j));
                let safe = f64::from(shares[i][j as usize]) * time;
                file(&mut self.queue, self.clock, safe, Pending { a, b, end });
            });
        }
        true
    }

    /// Opens the larger of two nodes and files its children against the other.
    fn open(
        &mut self,
        bodies: Bodies<'_>,
        (node_a, node_b): (u32, u32),
        opening: &Opening<'_>,
        mut end: f64,
    ) {
        let (box_a, box_b) = (&bodies.a.nodes[node_a as usize], &bodies.b.nodes[node_b as usize]);
        let bounds = &self.snapshot.bounds;
        let arm = self.snapshot.in_a.arm(box_a.centre).norm() + f64::from(box_a.radius);
        let rate = bounds.rate + bounds.rate_per_arm * arm;
        let size = f64::from(box_a.radius) + f64::from(box_b.radius);
        let centre_a = self.snapshot.placement.a_to_b.point(box_a.centre);
        let window = (WINDOW * size).max(WINDOW_OF_GAP * ((centre_a - box_b.centre).norm() - size));
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
        let group = opening.group;
        let (velocities, constants, moving) = match opening.opened {
            Opened::A => {
                let moving = Moving::Eight { origin: group.origin, extent: group.reach };
                (&self.snapshot.in_a, &constants.in_a, moving)
            }
            Opened::B => {
                let moving = Moving::Single { centre: centre_a, extent: box_a.radius };
                (&self.snapshot.in_b, &constants.in_b, moving)
            }
        };
        let motion = LaneMotion::new(velocities, constants, &moving, separation, reach);
        let advance = advance(group, &opening.single(&self.snapshot.placement), &motion);
        for_each_bit(advance.open, |lane| {
            let (child_a, child_b) = opening.pair(lane);
            let pending = Pending { a: Item::Node(child_a), b: Item::Node(child_b), end };
            file(&mut self.queue, self.clock, f64::from(advance.safe[lane as usize]), pending);
        });
    }

    /// Pairs of triangles of two leaves; the first is next.
    fn leaves(&mut self, range_a: Range<u32>, range_b: &Range<u32>, end: f64) {
        for slot_a in range_a.rev() {
            for slot_b in range_b.clone().rev() {
                let (a, b) = (Item::Triangle(slot_a), Item::Triangle(slot_b));
                self.queue.push_now(Pending { a, b, end });
            }
        }
    }

    /// Two triangles: prove first, measure second, call contact last.
    fn triangles(
        &mut self,
        bodies: Bodies<'_>,
        (slot_a, slot_b): (u32, u32),
        end: f64,
        budget: &mut Budget,
    ) -> Option<Pause> {
        if !std::mem::take(&mut self.paid) && !budget.take() {
            return Some(Pause::Spent);
        }
        let a = self.snapshot.placement.a_to_b.triangle(bodies.a.at_slot(slot_a));
        let b = *bodies.b.at_slot(slot_b);
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
            self.paid = true;
            return Some(Pause::Spent);
        }
        let near = triangle_distance(&a, &b);
        let direction = if near.squared > 0.0 { near.separating_direction(&a, &b) } else { None };
        if let Some(direction) = direction {
            proven = proven.max(gap_along(direction, &a, &b));
        }
        let contact = |search: &ImpactSearch| {
            let sources = (bodies.a.source(slot_a), bodies.b.source(slot_b));
            let contact = contact_point(&near, &a, &b, sources, &search.snapshot.pose_b);
            Some(Pause::Found(Found::Contact(contact)))
        };
        if self.clock == self.start && self.relax_at_start {
            // Only what is proven at the start may be halved.
            let gap = proven - self.thickness;
            let apart = gap > TOUCHING * self.motion.rounding;
            if !apart {
                return contact(self);
            }
            let kept = self.separation - self.thickness;
            if gap < 2.0 * kept || gap < 4.0 * self.tolerance {
                self.separation = self.thickness + kept.min(0.5 * gap);
                self.tolerance = self.tolerance.min(0.25 * gap);
                // The planes of the faces get another chance.
                return self.triangles(bodies, (slot_a, slot_b), end, budget);
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

/// Files a pair that is proven free for `safe` from now, and must be kept apart until its end.
fn file(queue: &mut TimeQueue, clock: f64, safe: f64, pending: Pending) {
    let due = clock + safe;
    if due >= pending.end {
        return;
    }
    if safe > WORTH_WAITING * (pending.end - clock) {
        queue.push_at(due, pending);
    } else {
        queue.push_now(pending);
    }
}
