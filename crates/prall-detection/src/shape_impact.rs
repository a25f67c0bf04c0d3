//! When do two moving shapes first come near each other? The promise of [`time_of_impact`](crate::time_of_impact()) for shapes of
//! every kind: proven, or said to be unfinished.
//!
//! Convex pieces are compared as wholes, meshes and height fields by the boxes of their hierarchies down to triangles. Each pair of
//! such parts is kept apart by a plane for some time ([`plane`]); when that time is over it is looked at
//! again, or opened. Pairs wait in a queue by time, so the time of the queue is proven free at every moment.

mod part;
mod place;
mod plane;
mod queue;
mod rounds;

use glam::DVec3;
use prall_math::{Motion, Norm, Pose};

use crate::budget::Budget;
use crate::contact::{ContactPoint, Feature, FeaturePair, ShapePart};
use crate::convex::{Axis, Convex, Expansion, by_search, find_axis, snapped_to_faces};
use crate::error::QueryError;
use crate::manifold::{Kind, Piece, Surface, Touchable};
use crate::norm::unit;
use crate::relative_motion::{RelativeMotion, Snapshot, angle};
use crate::time_of_impact::{ImpactOptions, TimeOfImpact, time_of_impact};
use crate::time_queue::Item;
use crate::workspace::Workspace;
use part::Part;
use place::{contents, feature, part};
use plane::{Mover, gap_along, safe_time};
pub(crate) use queue::PartQueue;
use queue::{Pending, Place};
use rounds::{directions, safe_time_all_round};

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

/// What placing a piece in its body and finding a support point rounds, in units of the body's radius: a matrix times a vector,
/// a sum and a direction of unit length see less than 32 units of 2^-53.
const PIECE_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// How far two shapes can follow their motions before they come nearer than the guard.
///
/// Promise: whatever the shapes, motions and budgets, the shapes do not touch at any time in [0, `free_until`], and more
/// budget never lowers `free_until`. If there is no contact and the search is finished, `free_until` is 1. Meshes and height fields
/// count as the surfaces that they are: what starts inside of one is free in there. Two half-spaces are not compared.
///
/// Contacts have features of [`Feature::Shape`], numbered as those of manifolds.
pub fn shape_time_of_impact(
    a: &Touchable,
    motion_a: &Motion,
    b: &Touchable,
    motion_b: &Motion,
    options: &ImpactOptions,
    budget: &mut Budget,
    workspace: &mut Workspace,
) -> Result<TimeOfImpact, QueryError> {
    options.validate()?;
    let (bodies, swapped) =
        ((Body::new(a, motion_a), Body::new(b, motion_b)), (Body::new(b, motion_b), Body::new(a, motion_a)));
    if let (Some(p), Some(q)) = (bodies.0.single_surface(), bodies.1.single_surface()) {
        let free = free_all_round(&bodies, options.guard)?;
        return spun_surfaces((p, motion_a), (q, motion_b), free, options, budget, workspace);
    }
    if are_far_apart(&bodies.0, &bodies.1, options.guard) {
        return Ok(if budget.take() {
            FREE
        } else {
            TimeOfImpact { free_until: 0.0, finished: false, ..FREE }
        });
    }
    // Planes live in the frame of the second body: half-spaces must be there, and otherwise the one that turns less.
    let (planes_a, planes_b) = (bodies.0.has_planes, bodies.1.has_planes);
    let keep = if planes_a == planes_b { angle(motion_a) >= angle(motion_b) } else { planes_b };
    let (first, second) = if keep { (bodies, swapped) } else { (swapped, bodies) };
    let mut answer = search(&first, options, Pairs::All, budget, workspace)?;
    answer.contact = answer.contact.map(|(t, contact)| (t, if keep { contact } else { contact.swapped() }));
    if planes_a && planes_b {
        // The half-spaces of the first body against the rest of the second, the other way round.
        let mut other = search(&second, options, Pairs::WithPlanes, budget, workspace)?;
        other.contact = other.contact.map(|(t, contact)| (t, if keep { contact.swapped() } else { contact }));
        let earlier = if other.free_until < answer.free_until { other } else { answer };
        answer = TimeOfImpact { finished: answer.finished && other.finished, ..earlier };
    }
    Ok(answer)
}

const FREE: TimeOfImpact = TimeOfImpact { free_until: 1.0, contact: None, finished: true };

/// A body with what the search asks about it as a whole.
#[derive(Clone, Copy)]
struct Body<'a> {
    pieces: &'a [Piece],
    motion: &'a Motion,
    /// No point of its bounded pieces is farther from its origin, in metres.
    radius: f64,
    has_planes: bool,
}

impl<'a> Body<'a> {
    fn new(touchable: &'a Touchable, motion: &'a Motion) -> Body<'a> {
        let pieces = touchable.pieces();
        let mut radius = 0.0_f64;
        let mut has_planes = false;
        for piece in pieces {
            let pose = piece.pose();
            match piece.sphere() {
                Some(sphere) => {
                    radius = radius.max(pose.transform_point(sphere.center).norm() + sphere.radius);
                }
                None => has_planes = true,
            }
        }
        Body { pieces, motion, radius: radius * (1.0 + PIECE_ROUNDING), has_planes }
    }

    fn single_surface(&self) -> Option<&'a Surface> {
        match self.pieces {
            [piece] if *piece.pose() == Pose::IDENTITY => match piece.kind() {
                Kind::Surface(surface) => Some(surface),
                _ => None,
            },
            _ => None,
        }
    }

    /// A point of it that goes straight, how far, and how far from it other points are at most; for motions that have no such
    /// point all their ways count as distance.
    fn straight(&self) -> (DVec3, DVec3, f64) {
        let steady = self.motion.as_uniform().map(|uniform| (uniform.reference, uniform.velocity));
        let top = || self.motion.as_precession().map(|top| (top.reference, top.velocity));
        let start = self.motion.start();
        let Some((reference, velocity)) = steady.or_else(top) else {
            return (start.translation, DVec3::ZERO, self.radius + self.displacement(self.radius));
        };
        let mut radius = 0.0_f64;
        for piece in self.pieces {
            let Some(sphere) = piece.sphere() else { continue };
            let centre = piece.pose().transform_point(sphere.center);
            radius = radius.max((centre - reference).norm() + sphere.radius);
        }
        (start.transform_point(reference), velocity, radius * (1.0 + PIECE_ROUNDING))
    }

    fn displacement(&self, radius: f64) -> f64 {
        self.motion.displacement_bound(radius, 0.0, 1.0)
    }
}

/// True if the spheres around two bodies cannot meet.
///
/// The reference points p of steady motions go straight, and points keep their distance from them, so that
/// the spheres come nearest where `|d + t v|`, d and v the difference of places and velocities, is least.
fn are_far_apart(a: &Body, b: &Body, guard: f64) -> bool {
    if a.has_planes || b.has_planes {
        return false;
    }
    let ((p, way_a, radius_a), (q, way_b, radius_b)) = (a.straight(), b.straight());
    let (apart, velocity) = (p - q, way_a - way_b);
    let when = -apart.dot(velocity) / velocity.length_squared();
    // Of bodies that keep their distance any time will do.
    let when = if when > 0.0 { when.min(1.0) } else { 0.0 };
    let size = p.norm() + q.norm() + radius_a + radius_b + way_a.norm() + way_b.norm();
    (apart + velocity * when).norm() > radius_a + radius_b + guard + 64.0 * f64::EPSILON * size
}

/// How long the boxes around two bodies keep apart on all their rounds; 0 if they do not turn far.
fn free_all_round((a, b): &(Body, Body), guard: f64) -> Result<f64, QueryError> {
    let motion = RelativeMotion::new(a.motion, a.radius, b.motion, b.radius)?;
    let snapshot = motion.snapshot(0.0);
    let Some(rounds) = &snapshot.rounds else { return Ok(0.0) };
    let root = Place { piece: 0, item: Item::Node(0) };
    let part_a = part(a.pieces, root).moved(&snapshot.placement.a_to_b);
    let part_b = part(b.pieces, root);
    let separation = guard + motion.rounding + PIECE_ROUNDING * (a.radius + b.radius);
    let along = |n: DVec3| safe_time_all_round(n, &part_a, &part_b, rounds, separation, 1.0);
    let tried = directions(&part_a, &part_b, rounds).into_iter().flatten();
    let tried = tried.chain([cheap_normal(&part_a, &part_b).0]);
    Ok(tried.map(along).fold(0.0, f64::max))
}

/// Two meshes or height fields, of which it is known that they are free up to a time.
fn spun_surfaces(
    (a, motion_a): (&Surface, &Motion),
    (b, motion_b): (&Surface, &Motion),
    free: f64,
    options: &ImpactOptions,
    budget: &mut Budget,
    workspace: &mut Workspace,
) -> Result<TimeOfImpact, QueryError> {
    if free == 0.0 {
        return surfaces(a, motion_a, b, motion_b, options, budget, workspace);
    }
    if !budget.take() {
        return Ok(TimeOfImpact { free_until: 0.0, finished: false, ..FREE });
    }
    if free >= 1.0 {
        return Ok(FREE);
    }
    // Parts from a time before 1 on.
    let (Ok(rest_a), Ok(rest_b)) = (motion_a.part(free, 1.0), motion_b.part(free, 1.0)) else {
        return surfaces(a, motion_a, b, motion_b, options, budget, workspace);
    };
    // What starts here has the guard already.
    let options = ImpactOptions { relax_at_start: false, ..*options };
    let answer = surfaces(a, &rest_a, b, &rest_b, &options, budget, workspace)?;
    let time = |t: f64| free + (1.0 - free) * t;
    let contact = answer.contact.map(|(t, contact)| (time(t), contact));
    Ok(TimeOfImpact { free_until: time(answer.free_until), contact, ..answer })
}

/// Two meshes or height fields: their own query is faster, and only the names of features differ.
fn surfaces(
    a: &Surface,
    motion_a: &Motion,
    b: &Surface,
    motion_b: &Motion,
    options: &ImpactOptions,
    budget: &mut Budget,
    workspace: &mut Workspace,
) -> Result<TimeOfImpact, QueryError> {
    let mut answer =
        time_of_impact(&a.hierarchy, motion_a, &b.hierarchy, motion_b, options, budget, workspace)?;
    if let Some((_, contact)) = &mut answer.contact {
        let named = |surface: &Surface, feature: Feature| match feature {
            Feature::Shape { .. } => feature,
            _ => Feature::Shape { child: 0, part: surface.part(&feature) },
        };
        let FeaturePair { on_a, on_b } = contact.features;
        contact.features = FeaturePair { on_a: named(a, on_a), on_b: named(b, on_b) };
    }
    Ok(answer)
}

/// Which pairs of pieces to compare.
#[derive(Clone, Copy, PartialEq)]
enum Pairs {
    /// All bounded pieces of the first body with all of the second.
    All,
    /// Only with the half-spaces of the second.
    WithPlanes,
}

fn search(
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
    Ok(match outcome {
        Outcome::Free => FREE,
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

/// The best of the parts' own axes and the line between their centres, from B to A, with the gap along it.
fn cheap_normal(a: &Part, b: &Part) -> (DVec3, f64) {
    if let Part::Plane { normal, .. } = b {
        return (*normal, gap_along(*normal, a, b));
    }
    let away = a.centre() - b.centre();
    let mut best = (DVec3::Y, f64::NEG_INFINITY);
    let mut attempt = |axis: DVec3| {
        let normal = if axis.dot(away) < 0.0 { -axis } else { axis };
        let gap = gap_along(normal, a, b);
        if gap > best.1 {
            best = (normal, gap);
        }
    };
    if let Some(direct) = unit(away) {
        attempt(direct);
    }
    b.for_each_axis(away, &mut attempt);
    a.for_each_axis(-away, &mut attempt);
    best
}
