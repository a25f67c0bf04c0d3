//! Two surfaces: vertices over faces, and edges across edges.
//!
//! Features that only a triangulation makes (flat and concave edges, and vertices without others) take no part. A vertex is
//! compared with all triangles near it: the nearest tells by its normal on which side the vertex is. Outside, every triangle below it is a
//! contact; inside, the nearest place is the way out. Two edges touch where they are nearest, if the direction between
//! them lies in the normal cones of both. They overlap if it lies there the other way round and the triangles beside them
//! really intersect.
//!
//! Inside by more than the margin can only be a vertex of a triangle that goes through the other surface, or a body that is
//! wholly inside the other; the former are sent out on their shortest way, the latter are not seen.

use glam::DVec3;
use prall_geometry::closest::between_segments;
use prall_math::{Norm, Pose};

use super::ball_surface::{Foot, Place};
use super::surface::{NONE, Placed};
use super::{Scratch, candidates, contact};
use crate::contact::ShapePart;
use crate::triangle::triangles_overlap;

/// Points nearer to the end of an edge than this part of its length (no unit) are its end.
const AT_END: f64 = 1e-9;

/// Edges nearer than this part of their length (no unit) have no direction between them but the one across both.
const MEETING: f64 = 1e-10;

pub(super) fn find(a: &Placed, b: &Placed, poses: (&Pose, &Pose), margin: f64, scratch: &mut Scratch) {
    candidates::pairs_near(a, b, poses, margin, scratch);
    collect(a, b, scratch);
    let mut piercing = Piercing { surfaces: (a, b), known: false };
    vertices(a, b, margin, &mut piercing, 0, scratch);
    vertices(b, a, margin, &mut piercing, 1, scratch);
    for i in 0..scratch.edge_pairs.len() {
        let (edge_a, edge_b) = scratch.edge_pairs[i];
        edges(a, b, edge_a, edge_b, margin, scratch);
    }
}

/// Names every pair of a vertex and a triangle and every pair of edges once.
fn collect(a: &Placed, b: &Placed, scratch: &mut Scratch) {
    let [of_a, of_b] = &mut scratch.vertex_pairs;
    let edge_pairs = &mut scratch.edge_pairs;
    of_a.clear();
    of_b.clear();
    edge_pairs.clear();
    for &(s, t) in &scratch.pairs {
        let (p, q) = (a.surface.triangle(s), b.surface.triangle(t));
        let active = |placed: &Placed, &vertex: &u32| placed.surface.vertex_is_active(vertex);
        of_a.extend(p.corners.into_iter().filter(|v| active(a, v)).map(|vertex| (vertex, t)));
        of_b.extend(q.corners.into_iter().filter(|v| active(b, v)).map(|vertex| (vertex, s)));
        for e in p.edges.into_iter().filter(|&e| a.surface.edge(e).active) {
            edge_pairs.extend(q.edges.into_iter().filter(|&f| b.surface.edge(f).active).map(|f| (e, f)));
        }
    }
    for list in [of_a, of_b, edge_pairs] {
        list.sort_unstable();
        list.dedup();
    }
}

/// Vertices whose triangles go through the other surface; looked for when the first of them is asked for.
struct Piercing<'a> {
    surfaces: (&'a Placed<'a>, &'a Placed<'a>),
    known: bool,
}

impl Piercing<'_> {
    fn contains(&mut self, which: usize, vertex: u32, scratch: &mut Scratch) -> bool {
        if !self.known {
            self.find(scratch);
            self.known = true;
        }
        scratch.piercing[which].binary_search(&vertex).is_ok()
    }

    fn find(&self, scratch: &mut Scratch) {
        let (a, b) = self.surfaces;
        let [of_a, of_b] = &mut scratch.piercing;
        of_a.clear();
        of_b.clear();
        for &(s, t) in &scratch.pairs {
            if triangles_overlap(&a.corners(s), &b.corners(t)) {
                of_a.extend(a.surface.triangle(s).corners);
                of_b.extend(b.surface.triangle(t).corners);
            }
        }
        for list in [of_a, of_b] {
            list.sort_unstable();
            list.dedup();
        }
    }
}

/// Vertices of `a` against triangles of `b`; `which` is 1 if they are the other way round in the answer.
fn vertices(
    a: &Placed,
    b: &Placed,
    margin: f64,
    piercing: &mut Piercing<'_>,
    which: usize,
    scratch: &mut Scratch,
) {
    let pairs = std::mem::take(&mut scratch.vertex_pairs[which]);
    for group in pairs.chunk_by(|p, q| p.0 == q.0) {
        let vertex = group[0].0;
        let point = a.position(vertex);
        let feet = group.iter().map(|&(_, triangle)| Foot::new(b, triangle, point));
        let Some(mut nearest) = feet.clone().min_by(|p, q| p.squared.total_cmp(&q.squared)) else { continue };
        let beyond = nearest.squared > margin * margin;
        if beyond {
            let may_be_inside = a.surface.one_sided
                && b.surface.one_sided
                && feet.clone().any(|foot| foot.side < 0.0)
                && piercing.contains(which, vertex, scratch);
            if !may_be_inside {
                continue;
            }
            let within = nearest.squared.sqrt();
            nearest = candidates::nearest_foot(b, point, within, &mut scratch.stack).unwrap_or(nearest);
        }
        let outward = a.vector(a.surface.vertex_normal(vertex));
        let mut file = |normal: DVec3, gap: f64, foot: &Foot| {
            // The body that the vertex belongs to must lie on the far side of it.
            if a.surface.one_sided && outward.dot(normal) >= 0.0 {
                return;
            }
            let parts = (ShapePart::Vertex(vertex), foot.part(b));
            let found = contact(point, point - normal * gap, normal, gap, parts);
            scratch.found.push(if which == 1 { found.swapped() } else { found });
        };
        let inside = b.surface.one_sided && nearest.outward(b).dot(point - nearest.point) < 0.0;
        if inside {
            let out = b.normal(nearest.triangle);
            let normal = match nearest.place {
                Place::Inside => out,
                _ => (nearest.point - point).try_unit().unwrap_or(out),
            };
            file(normal, -nearest.squared.sqrt(), &nearest);
        }
        if inside || beyond {
            continue;
        }
        for foot in feet.filter(|foot| foot.squared <= margin * margin) {
            let front = b.normal(foot.triangle);
            let normal = if foot.side < 0.0 && !b.surface.one_sided { -front } else { front };
            let lateral = (point - foot.point) - normal * normal.dot(point - foot.point);
            let above = foot.place == Place::Inside || lateral.norm() <= 1e-7 * foot.side.abs();
            if above && (foot.side >= 0.0 || !b.surface.one_sided) {
                file(normal, foot.side.abs(), &foot);
            }
        }
    }
    scratch.vertex_pairs[which] = pairs;
}

fn edges(a: &Placed, b: &Placed, edge_a: u32, edge_b: u32, margin: f64, scratch: &mut Scratch) {
    let ends = |placed: &Placed, edge: u32| placed.surface.edge(edge).ends.map(|end| placed.position(end));
    let ([p0, p1], [q0, q1]) = (ends(a, edge_a), ends(b, edge_b));
    let (on_a, on_b) = between_segments(p0, p1, q0, q1);
    let distance = (on_a - on_b).norm();
    if distance > margin {
        return;
    }
    let part_a = part(a, edge_a, on_a, [p0, p1]);
    let part_b = part(b, edge_b, on_b, [q0, q1]);
    let crossing = matches!((part_a, part_b), (ShapePart::Edge(..), ShapePart::Edge(..)));
    let length = (p1 - p0).norm().max((q1 - q0).norm());
    let towards_a = if distance > MEETING * length {
        (on_a - on_b) / distance
    } else {
        let across = (p1 - p0).cross(q1 - q0).unit_or(DVec3::ZERO);
        let out = b.vector(b.surface.edge_normal(edge_b)) - a.vector(a.surface.edge_normal(edge_a));
        if across.dot(out) < 0.0 { -across } else { across }
    };
    let fits =
        |normal: DVec3| cone_holds(a, edge_a, part_a, -normal) && cone_holds(b, edge_b, part_b, normal);
    if towards_a == DVec3::ZERO {
        return;
    }
    if fits(towards_a) {
        scratch.found.push(contact(on_a, on_b, towards_a, distance, (part_a, part_b)));
    } else if crossing
        && a.surface.one_sided
        && b.surface.one_sided
        && fits(-towards_a)
        && beside_overlap(a, b, edge_a, edge_b)
    {
        scratch.found.push(contact(on_a, on_b, -towards_a, -distance, (part_a, part_b)));
    }
}

/// Which part of an edge a point is.
fn part(placed: &Placed, edge: u32, point: DVec3, [from, to]: [DVec3; 2]) -> ShapePart {
    let [first, second] = placed.surface.edge(edge).ends;
    let near = AT_END * (from - to).norm();
    if (point - from).norm() <= near {
        ShapePart::Vertex(first)
    } else if (point - to).norm() <= near {
        ShapePart::Vertex(second)
    } else {
        ShapePart::Edge(first, second)
    }
}

fn cone_holds(placed: &Placed, edge: u32, part: ShapePart, direction: DVec3) -> bool {
    let local = placed.local(direction);
    match part {
        ShapePart::Vertex(vertex) => placed.surface.vertex_cone_holds(vertex, local),
        _ => placed.surface.edge_cone_holds(edge, local),
    }
}

/// True if a triangle beside one edge meets a triangle beside the other.
fn beside_overlap(a: &Placed, b: &Placed, edge_a: u32, edge_b: u32) -> bool {
    let beside = |placed: &Placed, edge: u32| placed.surface.edge(edge).triangles;
    beside(a, edge_a).into_iter().filter(|&s| s != NONE).any(|s| {
        let corners = a.corners(s);
        let others = beside(b, edge_b).into_iter().filter(|&t| t != NONE);
        others.into_iter().any(|t| triangles_overlap(&corners, &b.corners(t)))
    })
}
