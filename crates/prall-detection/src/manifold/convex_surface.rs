//! A convex body against a surface, triangle by triangle.
//!
//! For each triangle the best direction is found as for any convex pair. It is kept if it is the triangle's own normal or lies in the
//! normal cone of the edge or vertex that it leans on; otherwise the neighbour on that side is touched first, and the triangle takes
//! part with its own normal or not at all. Points at edges and vertices that cannot be touched are left out: what rests
//! there rests on the faces around.

use glam::DVec3;
use prall_math::Norm;

use super::Scratch;
use super::convex_pair::{face_each_other, push, same_place, witness};
use super::surface::{NONE, Placed};
use crate::contact::{ContactPoint, Feature, ShapePart};
use crate::convex::{Axis, Convex, find_axis, separation_along, snapped_to_faces};

pub(super) fn find(body: &Convex, placed: &Placed, margin: f64, scratch: &mut Scratch) {
    // The deepest point that was left out; it is needed where a surface is so finely cut that all its edges count as flat.
    let mut spare: Option<ContactPoint> = None;
    for i in 0..scratch.triangles.len() {
        let triangle = scratch.triangles[i];
        let before = scratch.found.len();
        one_triangle(body, placed, triangle, margin, scratch);
        let mut kept = before;
        for j in before..scratch.found.len() {
            let mut point = scratch.found[j];
            let (part, touchable) = named(part_of(&point), placed, triangle);
            point.features.on_b = Feature::Shape { child: 0, part };
            if touchable {
                scratch.found[kept] = point;
                kept += 1;
            } else if spare.is_none_or(|deepest| point.gap < deepest.gap) {
                spare = Some(point);
            }
        }
        scratch.found.truncate(kept);
    }
    let least = scratch.found.iter().fold(f64::INFINITY, |least, point| least.min(point.gap));
    if let Some(spare) = spare
        && spare.gap < least - 1e-6 * body.size()
    {
        scratch.found.push(spare);
    }
}

fn part_of(point: &ContactPoint) -> ShapePart {
    match point.features.on_b {
        Feature::Shape { part, .. } => part,
        _ => ShapePart::Face(0),
    }
}

/// A part of the triangle by the numbers of the surface, and whether it can be touched.
fn named(part: ShapePart, placed: &Placed, triangle: u32) -> (ShapePart, bool) {
    let surface = placed.surface;
    let numbers = surface.triangle(triangle);
    match part {
        ShapePart::Vertex(corner) => {
            let vertex = numbers.corners[corner as usize];
            (ShapePart::Vertex(vertex), surface.vertex_is_active(vertex))
        }
        ShapePart::Edge(from, to) => {
            let edge = surface.edge(numbers.edges[side(from, to)]);
            (ShapePart::Edge(edge.ends[0], edge.ends[1]), edge.active)
        }
        ShapePart::Face(_) => (ShapePart::Face(numbers.face), true),
    }
}

/// The edge of a triangle between two of its corners.
fn side(from: u32, to: u32) -> usize {
    match (from.min(to), from.max(to)) {
        (0, 1) => 0,
        (1, 2) => 1,
        _ => 2,
    }
}

fn one_triangle(body: &Convex, placed: &Placed, triangle: u32, margin: f64, scratch: &mut Scratch) {
    let corners = placed.corners(triangle);
    let flat = Convex::triangle(corners);
    let front = placed.normal(triangle);
    let one_sided = placed.surface.one_sided;
    let behind = front.dot(body.middle() - corners[0]) < 0.0;
    let up = if behind && !one_sided { -front } else { front };
    let height = separation_along(body, &flat, up);
    if height > margin + body.radius || (one_sided && is_behind(body, corners[0], front)) {
        return;
    }
    let within = margin + body.radius;
    let Some(axis) = find_axis(body, &flat, within, &mut scratch.expansion) else { return };
    let tolerance = same_place(body, &flat);
    let mut axis = snapped_to_faces(body, &flat, axis, tolerance);
    let owner = if axis.normal.dot(up) > 1.0 - 1e-12 {
        Owner::Triangle
    } else {
        owner(placed, triangle, &flat, &axis, up)
    };
    let true_gap = axis.gap;
    if owner != Owner::Feature {
        if owner == Owner::Neighbour {
            return;
        }
        axis = Axis { normal: up, gap: height, ..axis };
    }
    let least = face_each_other(body, &flat, axis.normal, tolerance, scratch);
    if owner == Owner::Feature && least > axis.gap + tolerance {
        push(body, &flat, axis.normal, &witness(body, &flat, &axis), scratch);
    }
    // A body that is apart from the triangle is not behind it; one that reaches through by more than half is on its way
    // out at the other side of something thin, which is not this triangle's business.
    let half_way = up.dot(body.middle() - corners[0]) - height;
    let deepest = if true_gap > tolerance { tolerance } else { half_way.max(margin) + tolerance };
    for i in 0..scratch.clipper.facing.len() {
        let facing = scratch.clipper.facing[i];
        if facing.gap <= within && facing.gap >= -deepest {
            push(body, &flat, axis.normal, &facing, scratch);
        }
    }
}

fn is_behind(body: &Convex, on_plane: DVec3, front: DVec3) -> bool {
    let (highest, _) = body.support(front, 0);
    front.dot(highest - on_plane) + body.radius < 0.0
}

/// To whom a direction belongs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Owner {
    /// The triangle with its own normal.
    Triangle,
    /// The edge or vertex that it leans on.
    Feature,
    /// Somebody next to it, who finds the contact too.
    Neighbour,
}

fn owner(placed: &Placed, triangle: u32, flat: &Convex, axis: &Axis, up: DVec3) -> Owner {
    let surface = placed.surface;
    let numbers = surface.triangle(triangle);
    let local = placed.local(axis.normal);
    let own = up.dot(axis.normal);
    let (holds, beside) = match flat.part(axis.normal) {
        ShapePart::Face(_) => return Owner::Triangle,
        ShapePart::Edge(from, to) => {
            let edge = numbers.edges[side(from, to)];
            let other = surface.edge(edge).triangles.into_iter().find(|&t| t != triangle && t != NONE);
            let beside = other.map_or(f64::NEG_INFINITY, |t| surface.triangle(t).normal.dot(local));
            (surface.edge_cone_holds(edge, local), beside)
        }
        ShapePart::Vertex(corner) => {
            let vertex = numbers.corners[corner as usize];
            let mean = surface.vertex_normal(vertex).unit_or(DVec3::ZERO);
            (surface.vertex_cone_holds(vertex, local), mean.dot(local))
        }
    };
    let from_behind = surface.one_sided && own < 0.0 && beside < 0.0;
    if holds && !from_behind {
        Owner::Feature
    } else if beside > own + 1e-6 {
        Owner::Neighbour
    } else {
        Owner::Triangle
    }
}
