//! The search itself: pairs of parts wait for the time when their plane no longer keeps them apart.

use glam::DVec3;
use prall_math::Norm;

use super::body::{Body, PIECE_ROUNDING};
use super::free_throughout;
use super::part::Part;
use super::place::{contents, feature, part};
use super::plane::{Mover, cheap_normal, gap_along, safe_time};
use super::queue::{PartQueue, Pending, Place};
use super::rounds::{directions, safe_time_all_round};
use crate::budget::Budget;
use crate::contact::{ContactPoint, FeaturePair, ShapePart};
use crate::convex::{Axis, Convex, Expansion, by_search, find_axis, snapped_to_faces};
use crate::error::QueryError;
use crate::manifold::{Kind, Piece};
use crate::relative_motion::{RelativeMotion, Snapshot};
use crate::time_of_impact::{ImpactOptions, TimeOfImpact};
use crate::time_queue::Item;
use crate::workspace::Workspace;

/// A pair with a box in it travels at most this part of its size between two looks at it, or
const WINDOW: f64 = 0.5;

/// this part of the gap between the spheres around it, if that is more.
const WINDOW_OF_GAP: f64 = 0.9;

/// A pair proven free for less than this part of the time left is looked at more closely at once.
const WORTH_WAITING: f64 = 0.02;

/// Start gaps below this many times the rounding count as touching: no room for a separation and a tolerance.
const TOUCHING: f64 = 8.0;

/// A pair that cannot be advanced by more than this (in units of the clock) is reported as contact.
const STALL: f64 = 4.0 * f64::EPSILON;

/// A face's direction is as good as one found by search if its gap is less by no more than this part of the smaller size (no unit):
/// the direction of such a gap is rounding.
const FACE_TOLERANCE: f64 = 1e-9;

/// Which pairs of pieces to compare.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Pairs {
    /// All bounded pieces of the first body with all of the second.
    All,
    /// Only with the half-spaces of the second.
    WithPlanes,
}

/// How far the first body can go beside the second, by those pairs.
pub(super) fn search(
    (a, b): &(Body, Body),
    options: &ImpactOptions,
    pairs: Pairs,
    budget: &mut Budget,
    workspace: &mut Workspace,
) -> Result<TimeOfImpact, QueryError> {
    // Of a half-space only the feet of A's points count; they are no farther from B's origin than those points.
    let mut radius_b = b.radius;
    if b.has_planes {
        let apart = (a.motion.start().translation - b.motion.start().translation).norm();
        radius_b = radius_b.max(apart + a.radius + a.displacement(a.radius) + b.displacement(0.0));
    }
    let motion = RelativeMotion::new(a.motion, a.radius, b.motion, radius_b)?;
    let mut search = Search {
        a: a.pieces,
        b: b.pieces,
        motion: &motion,
        clock: 0.0,
        snapshot: motion.snapshot(0.0),
        rounding: motion.rounding + PIECE_ROUNDING * (a.radius + radius_b),
        separation: options.guard,
        tolerance: options.tolerance,
        relax_at_start: options.relax_at_start,
        queue: &mut workspace.parts,
        expansion: &mut workspace.expansion,
    };
    let outcome = search.run(pairs, budget);
    let time = motion.time(search.clock);
    // At the start itself not all pairs have been looked at.
    let kept = if search.clock > 0.0 { search.separation } else { 0.0 };
    Ok(match outcome {
        Outcome::Free => free_throughout(search.separation),
        Outcome::Contact(contact) => {
            TimeOfImpact { free_until: time, contact: Some((time, contact)), finished: true, kept }
        }
        Outcome::Spent => TimeOfImpact { free_until: time, contact: None, finished: false, kept },
    })
}

enum Outcome {
    Free,
    Contact(ContactPoint),
    Spent,
}

struct Search<'a> {
    a: &'a [Piece],
    b: &'a [Piece],
    motion: &'a RelativeMotion,
    /// Everything is proven free up to here.
    clock: f64,
    snapshot: Snapshot,
    /// Of poses, points and products, in metres.
    rounding: f64,
    /// Gap to be kept.
    separation: f64,
    tolerance: f64,
    relax_at_start: bool,
    queue: &'a mut PartQueue,
    expansion: &'a mut Expansion,
}

impl<'a> Search<'a> {
    fn run(&mut self, pairs: Pairs, budget: &mut Budget) -> Outcome {
        self.queue.restart();
        let is_plane = |piece: &Piece| matches!(piece.kind(), Kind::HalfSpace);
        for (i, piece_a) in (0..).zip(self.a) {
            for (j, piece_b) in (0..).zip(self.b) {
                if is_plane(piece_a) || (pairs == Pairs::WithPlanes && !is_plane(piece_b)) {
                    continue;
                }
                let root = |piece: u32| Place { piece, item: Item::Node(0) };
                self.queue.push_now(Pending { a: root(i), b: root(j), end: 1.0 });
            }
        }
        loop {
            let Some(pending) = self.queue.pop_now() else {
                match self.queue.next_time() {
                    Some(clock) => {
                        self.clock = clock;
                        self.snapshot = self.motion.snapshot(clock);
                        continue;
                    }
                    None => return Outcome::Free,
                }
            };
            if !budget.take() {
                return Outcome::Spent;
            }
            let (part_a, part_b) = (part(self.a, pending.a), part(self.b, pending.b));
            let part_a = part_a.moved(&self.snapshot.placement.a_to_b);
            let outcome = match (part_a, part_b) {
                (Part::Solid(a), Part::Solid(_) | Part::Plane { .. }) => {
                    self.solids(a, part_b, &pending, budget)
                }
                _ => {
                    self.open(&part_a, &part_b, pending);
                    None
                }
            };
            if let Some(outcome) = outcome {
                return outcome;
            }
        }
    }

    /// Opens the larger of two parts and files what it consists of against the other.
    fn open(&mut self, a: &Part<'a>, b: &Part<'a>, pending: Pending) {
        let left = pending.end - self.clock;
        let all_round = self.safe_time_all_round(a, b, left);
        if all_round > WORTH_WAITING * left {
            if all_round < left {
                self.queue.push_at(self.clock + all_round, pending);
            }
            return;
        }
        let Some(end) = self.window(a, b, pending) else { return };
        let pending = Pending { end, ..pending };
        let first = match (a, b) {
            (Part::Node(_), Part::Node(_)) => {
                let opens = |pieces: &[Piece], place| contents(pieces, place).is_some();
                opens(self.a, pending.a) && (!opens(self.b, pending.b) || a.sphere() >= b.sphere())
            }
            (Part::Node(_), _) => true,
            _ => false,
        };
        let (pieces, place) = if first { (self.a, pending.a) } else { (self.b, pending.b) };
        let Some(items) = contents(pieces, place) else { return };
        for item in items {
            let place = Place { item, ..place };
            if first {
                self.file(Pending { a: place, ..pending }, None, Some(b));
            } else {
                self.file(Pending { b: place, ..pending }, Some(a), None);
            }
        }
    }

    /// Until when a pair should be treated now; the rest of its time is filed. None if it is free all the time.
    fn window(&mut self, a: &Part, b: &Part, pending: Pending) -> Option<f64> {
        let rate = Mover::new(*a, &self.snapshot).rate(&self.snapshot);
        let left = pending.end - self.clock;
        let (size, between) = match b {
            Part::Plane { normal, height } => {
                (a.sphere(), normal.dot(a.centre()) - height - a.sphere() - a.rounded_by())
            }
            _ => {
                let size = a.sphere() + b.sphere() + a.rounded_by() + b.rounded_by();
                (size, (a.centre() - b.centre()).norm() - size)
            }
        };
        if between > rate * left * (1.0 + 1e-12) + self.separation + self.rounding {
            return None;
        }
        let window = (WINDOW * size).max(WINDOW_OF_GAP * between);
        if rate * left > window {
            let middle = self.clock + window / rate;
            // Not if rounding would not let time pass.
            if middle > self.clock + STALL && middle < pending.end {
                self.queue.push_at(middle, pending);
                return Some(middle);
            }
        }
        Some(pending.end)
    }

    /// Files a pair for the time when the best of a few planes no longer keeps it apart. What the caller has at hand of the two parts
    /// need not be made again.
    fn file(&mut self, pending: Pending, a: Option<&Part<'a>>, b: Option<&Part<'a>>) {
        let a = a.copied().unwrap_or_else(|| part(self.a, pending.a).moved(&self.snapshot.placement.a_to_b));
        let b = b.copied().unwrap_or_else(|| part(self.b, pending.b));
        let (normal, gap) = cheap_normal(&a, &b);
        let left = pending.end - self.clock;
        let mover = Mover::new(a, &self.snapshot);
        let reach = mover.rate(&self.snapshot) * left * (1.0 + 1e-12);
        if gap > reach + self.separation + self.rounding {
            return;
        }
        let safe = self.safe_time(normal, &mover, &b, left);
        if safe >= left {
            return;
        }
        if safe > WORTH_WAITING * left {
            self.queue.push_at(self.clock + safe, pending);
        } else {
            self.queue.push_now(pending);
        }
    }

    /// Two parts that cannot be opened: prove first, measure second, call contact last.
    fn solids(
        &mut self,
        a: Convex<'a>,
        b: Part<'a>,
        pending: &Pending,
        budget: &mut Budget,
    ) -> Option<Outcome> {
        let left = pending.end - self.clock;
        let part_a = Part::Solid(a);
        let mover = Mover::new(part_a, &self.snapshot);
        let (normal, mut proven) = cheap_normal(&part_a, &b);
        let mut safe = self.safe_time(normal, &mover, &b, left);
        if safe < left {
            safe = safe.max(self.safe_time_all_round(&part_a, &b, left));
        }
        if safe >= left {
            return None;
        }
        let roomy = proven >= 2.0 * self.separation && proven >= 4.0 * self.tolerance;
        if roomy && safe > WORTH_WAITING * left {
            self.queue.push_at(self.clock + safe, *pending);
            return None;
        }
        if !budget.take() {
            return Some(Outcome::Spent);
        }
        let near = self.nearest(&a, &b, normal, proven);
        for direction in near.directions.into_iter().flatten() {
            proven = proven.max(gap_along(direction, &part_a, &b));
        }
        if self.clock == 0.0 && self.relax_at_start {
            // Only what is proven at the start may be halved.
            let apart = proven > TOUCHING * self.rounding;
            if !apart {
                return Some(Outcome::Contact(self.contact(&near, &a, &b, pending)));
            }
            if proven < 2.0 * self.separation || proven < 4.0 * self.tolerance {
                self.separation = self.separation.min(0.5 * proven);
                self.tolerance = self.tolerance.min(0.25 * proven);
                safe = self.safe_time(normal, &mover, &b, left);
            }
        } else if near.axis.gap.max(proven) <= self.separation + self.tolerance {
            // What can be proven to stay free is free, however near.
            for direction in near.directions.into_iter().flatten() {
                safe = safe.max(self.safe_time(direction, &mover, &b, left));
            }
            return if safe >= left {
                None
            } else {
                Some(Outcome::Contact(self.contact(&near, &a, &b, pending)))
            };
        }
        for direction in near.directions.into_iter().flatten() {
            if safe < left {
                safe = safe.max(self.safe_time(direction, &mover, &b, left));
            }
        }
        if safe >= left {
            return None;
        }
        if safe <= STALL {
            return Some(Outcome::Contact(self.contact(&near, &a, &b, pending)));
        }
        self.queue.push_at(self.clock + safe, *pending);
        None
    }

    fn safe_time(&self, normal: DVec3, a: &Mover, b: &Part, horizon: f64) -> f64 {
        let separation = self.separation + self.rounding;
        let safe = safe_time(normal, a, b, &self.snapshot, separation, horizon);
        match &self.snapshot.rounds {
            Some(rounds) if safe < horizon => {
                safe.max(safe_time_all_round(normal, &a.part, b, rounds, separation, horizon))
            }
            _ => safe,
        }
    }

    /// How long what two parts cover on their rounds is kept apart; 0 if they do not turn far.
    fn safe_time_all_round(&self, a: &Part, b: &Part, horizon: f64) -> f64 {
        let Some(rounds) = &self.snapshot.rounds else { return 0.0 };
        let separation = self.separation + self.rounding;
        let along = |n: DVec3| safe_time_all_round(n, a, b, rounds, separation, horizon);
        if let Part::Plane { normal, .. } = b {
            return along(*normal);
        }
        directions(a, b, rounds).into_iter().flatten().map(along).fold(0.0, f64::max)
    }

    /// Nearest points of two parts, with directions that may separate them: between the points, and of the faces there.
    fn nearest(&mut self, a: &Convex, b: &Part, normal: DVec3, gap: f64) -> Near {
        let Part::Solid(b) = b else {
            let on_a = Part::Solid(*a).lowest(normal) - normal * a.radius;
            let axis = Axis { normal, gap, on_a, on_b: on_a - normal * gap, exact: true, searched: false };
            return Near { axis, directions: [None; 3] };
        };
        let radii = a.radius + b.radius;
        let Some(mut axis) = find_axis(a, b, f64::INFINITY, self.expansion) else {
            // Nothing is farther than infinitely far.
            return Near { axis: touching(a, normal), directions: [None; 3] };
        };
        // What is only a lower bound will do as long as nothing depends on the distance itself.
        let matters = (2.0 * self.separation).max(4.0 * self.tolerance);
        if !axis.exact && axis.gap <= matters {
            axis = by_search(a, b, f64::INFINITY, self.expansion).unwrap_or(axis);
        }
        let faces = [b.face_normal(axis.normal), a.face_normal(-axis.normal).map(|n| -n)];
        if axis.searched {
            axis = snapped_to_faces(a, b, axis, FACE_TOLERANCE * a.size().min(b.size()));
        }
        let directions = [Some(axis.normal), faces[0], faces[1]];
        let axis = Axis {
            gap: axis.gap - radii,
            on_a: axis.on_a - axis.normal * a.radius,
            on_b: axis.on_b + axis.normal * b.radius,
            ..axis
        };
        Near { axis, directions }
    }

    /// The contact as the caller knows it: in the world, with the features of both shapes.
    fn contact(&self, near: &Near, a: &Convex, b: &Part, pending: &Pending) -> ContactPoint {
        let axis = &near.axis;
        let gap = axis.gap.max(0.0);
        // Of overlapping bodies one point in the middle stands for both.
        let middle = 0.5 * (axis.on_a + axis.on_b);
        let (on_a, on_b) =
            if gap > 0.0 { (axis.on_a, axis.on_a - axis.normal * gap) } else { (middle, middle) };
        let part_b = match b {
            Part::Solid(solid) => solid.part(axis.normal),
            _ => ShapePart::Face(0),
        };
        let pose = &self.snapshot.pose_b;
        ContactPoint {
            on_a: pose.transform_point(on_a),
            on_b: pose.transform_point(on_b),
            normal: pose.transform_vector(axis.normal),
            gap,
            features: FeaturePair {
                on_a: feature(self.a, pending.a, a.part(-axis.normal)),
                on_b: feature(self.b, pending.b, part_b),
            },
        }
    }
}

/// The nearest points of two solids, radii included, and directions from B to A that are worth trying.
struct Near {
    axis: Axis,
    directions: [Option<DVec3>; 3],
}

fn touching(a: &Convex, normal: DVec3) -> Axis {
    let on_a = a.middle();
    Axis { normal, gap: 0.0, on_a, on_b: on_a, exact: true, searched: false }
}
