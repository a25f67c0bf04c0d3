//! When do two moving shapes first come near each other? The promise of [`time_of_impact`](crate::time_of_impact()) for shapes of
//! every kind: proven, or said to be unfinished.
//!
//! Convex pieces are compared as wholes, meshes and height fields by the boxes of their hierarchies down to triangles. Each pair of
//! such parts is kept apart by a plane for some time ([`plane`]); when that time is over it is looked at
//! again, or opened. Pairs wait in a queue by time, so the time of the queue is proven free at every moment.

mod part;
mod plane;
mod queue;

use glam::DVec3;
use prall_math::{Motion, Pose};

use crate::budget::Budget;
use crate::contact::{ContactPoint, Feature, FeaturePair, ShapePart};
use crate::convex::{Axis, Convex, Expansion, by_search, find_axis, snapped_to_faces};
use crate::error::QueryError;
use crate::hierarchy::{Content, Hierarchy};
use crate::manifold::{Kind, Piece, Surface, Touchable};
use crate::norm::{length, unit};
use crate::relative_motion::{RelativeMotion, Snapshot};
use crate::time_of_impact::{ImpactOptions, TimeOfImpact, time_of_impact};
use crate::time_queue::Item;
use crate::workspace::Workspace;
use part::{Node, Part};
use plane::{Mover, gap_along, safe_time};
pub(crate) use queue::PartQueue;
use queue::{Pending, Place};

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
        return surfaces(p, motion_a, q, motion_b, options, budget, workspace);
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
    let turn = |motion: &Motion| motion.as_uniform().map_or(0.0, |uniform| uniform.angle);
    let keep = if planes_a == planes_b { turn(motion_a) >= turn(motion_b) } else { planes_b };
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
                    radius = radius.max(length(pose.transform_point(sphere.center)) + sphere.radius)
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

    fn displacement(&self, radius: f64) -> f64 {
        self.motion.displacement_bound(radius, 0.0, 1.0)
    }
}

/// True if the spheres around two bodies cannot meet, whatever way their points take.
fn are_far_apart(a: &Body, b: &Body, guard: f64) -> bool {
    let (p, q) = (a.motion.start().translation, b.motion.start().translation);
    let size = length(p) + length(q) + a.radius + b.radius;
    let reach = a.radius + b.radius + a.displacement(a.radius) + b.displacement(b.radius) + guard;
    !a.has_planes && !b.has_planes && length(p - q) > reach + 32.0 * f64::EPSILON * size
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
        let apart = length(a.motion.start().translation - b.motion.start().translation);
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
        let bounds = &self.snapshot.bounds;
        let rate = bounds.rate + bounds.rate_per_arm * a.largest_arm(&self.snapshot.in_b);
        let left = pending.end - self.clock;
        let (size, between) = match b {
            Part::Plane { normal, height } => {
                (a.sphere(), normal.dot(a.centre()) - height - a.sphere() - a.rounded_by())
            }
            _ => {
                let size = a.sphere() + b.sphere() + a.rounded_by() + b.rounded_by();
                (size, length(a.centre() - b.centre()) - size)
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
        let mover = Mover { part: a, arm: a.largest_arm(&self.snapshot.in_b) };
        let bounds = &self.snapshot.bounds;
        let reach = (bounds.rate + bounds.rate_per_arm * mover.arm) * left * (1.0 + 1e-12);
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
        let mover = Mover { part: part_a, arm: part_a.largest_arm(&self.snapshot.in_b) };
        let (normal, mut proven) = cheap_normal(&part_a, &b);
        let mut safe = self.safe_time(normal, &mover, &b, left);
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
        safe_time(normal, a, b, &self.snapshot, self.separation + self.rounding, horizon)
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

/// A part of a body in the body's frame.
fn part(pieces: &[Piece], place: Place) -> Part<'_> {
    let piece = &pieces[place.piece as usize];
    match piece.kind() {
        Kind::HalfSpace => {
            let normal = piece.pose().transform_vector(DVec3::Y);
            Part::Plane { normal, height: normal.dot(piece.pose().translation) }
        }
        Kind::Surface(surface) => surface_part(&surface.hierarchy, place.item, piece.pose()),
        Kind::Convex => match Convex::new(piece.shape(), piece.pose(), DVec3::ZERO) {
            Some(convex) => Part::Solid(convex),
            // Pieces of this kind are convex; a plane through everything would never be proven free.
            None => Part::Plane { normal: DVec3::Y, height: f64::INFINITY },
        },
    }
}

fn surface_part(hierarchy: &Hierarchy, item: Item, pose: &Pose) -> Part<'static> {
    let triangle = |slot: u32| {
        let corners = hierarchy.at_slot(slot).map(|corner| pose.transform_point(corner));
        Part::Solid(Convex::triangle(corners))
    };
    match item {
        Item::Triangle(slot) => triangle(slot),
        Item::Node(node) => {
            let node = &hierarchy.nodes[node as usize];
            match node.link.content() {
                Content::Triangles(range) if range.len() == 1 => triangle(range.start),
                _ => Part::Node(Node::new(node).placed(pose)),
            }
        }
    }
}

/// What a part opens into, one level down; none if it cannot be opened.
fn contents(pieces: &[Piece], place: Place) -> Option<impl Iterator<Item = Item> + use<>> {
    let Kind::Surface(surface) = pieces[place.piece as usize].kind() else { return None };
    let Item::Node(node) = place.item else { return None };
    let hierarchy = &surface.hierarchy;
    let (range, nodes) = match hierarchy.nodes[node as usize].link.content() {
        Content::Triangles(range) if range.len() == 1 => return None,
        Content::Triangles(range) => (range, false),
        Content::Group(group) => {
            let group = &hierarchy.groups[group];
            (group.first..group.first + group.count, true)
        }
    };
    Some(range.map(move |i| if nodes { Item::Node(i) } else { Item::Triangle(i) }))
}

/// A part of a convex piece or of a triangle, by the numbers of the whole shape.
fn feature(pieces: &[Piece], place: Place, part: ShapePart) -> Feature {
    let part = match pieces[place.piece as usize].kind() {
        Kind::Surface(surface) => {
            let slot = match place.item {
                Item::Triangle(slot) => slot,
                Item::Node(node) => match surface.hierarchy.nodes[node as usize].link.content() {
                    Content::Triangles(range) => range.start,
                    Content::Group(_) => 0,
                },
            };
            surface.part(&triangle_feature(surface.hierarchy.source(slot), part))
        }
        _ => part,
    };
    Feature::Shape { child: place.piece, part }
}

/// A part of a single triangle as a feature of that triangle: edge i runs from corner i to the next.
fn triangle_feature(triangle: u32, part: ShapePart) -> Feature {
    match part {
        ShapePart::Vertex(corner) => Feature::Vertex { triangle, corner: corner as u8 },
        ShapePart::Edge(from, to) => {
            let edge = match (from.min(to), from.max(to)) {
                (0, 1) => 0,
                (1, 2) => 1,
                _ => 2,
            };
            Feature::Edge { triangle, edge }
        }
        ShapePart::Face(_) => Feature::Face { triangle },
    }
}
