//! Two convex bodies: one normal, and the points where their outlines face each other along it.

use glam::DVec3;

use super::clip::Facing;
use super::{Scratch, contact};
use crate::convex::{Axis, Convex, by_search, find_axis, snapped_to_faces};

/// Lengths below this part of the smaller body (no unit) are one...
const SAME_PLACE: f64 = 1e-9;

/// ...and below this part of the larger: what rounding does to its coordinates, with room.
const SAME_PLACE_OF_LARGE: f64 = 1e-13;

/// Below this many metres two places of these bodies are one.
pub(super) fn same_place(a: &Convex, b: &Convex) -> f64 {
    let (p, q) = (a.size() + a.radius, b.size() + b.radius);
    SAME_PLACE * p.min(q) + SAME_PLACE_OF_LARGE * p.max(q)
}

pub(super) fn find(a: &Convex, b: &Convex, margin: f64, scratch: &mut Scratch) {
    let within = margin + a.radius + b.radius;
    let Some(mut axis) = find_axis(a, b, within, &mut scratch.expansion) else { return };
    if a.is_ball() || b.is_ball() {
        push(a, b, axis.normal, &witness(a, b, &axis), scratch);
        return;
    }
    let tolerance = same_place(a, b);
    if axis.searched {
        axis = snapped_to_faces(a, b, axis, tolerance);
    }
    let mut least = face_each_other(a, b, axis.normal, tolerance, scratch);
    if !axis.exact && least > axis.gap + tolerance {
        // The nearest points are corners: the best of faces and edge pairs is not the shortest way.
        let Some(found) = by_search(a, b, within, &mut scratch.expansion) else { return };
        axis = snapped_to_faces(a, b, found, tolerance);
        least = face_each_other(a, b, axis.normal, tolerance, scratch);
    }
    if least > axis.gap + tolerance {
        push(a, b, axis.normal, &witness(a, b, &axis), scratch);
    }
    for i in 0..scratch.clipper.facing.len() {
        let facing = scratch.clipper.facing[i];
        if facing.gap <= within {
            push(a, b, axis.normal, &facing, scratch);
        }
    }
}

/// Cuts the outlines along a normal; the answers are in the clipper. The smallest gap of cores.
pub(super) fn face_each_other(
    a: &Convex,
    b: &Convex,
    normal: DVec3,
    tolerance: f64,
    scratch: &mut Scratch,
) -> f64 {
    let (outline_a, outline_b) = &mut scratch.outlines;
    a.outline(-normal, outline_a);
    b.outline(normal, outline_b);
    scratch.clipper.clip(outline_a, outline_b, normal, tolerance);
    scratch.clipper.facing.iter().fold(f64::INFINITY, |least, facing| least.min(facing.gap))
}

/// The points at which the axis was found.
pub(super) fn witness(a: &Convex, b: &Convex, axis: &Axis) -> Facing {
    let parts = (a.part(-axis.normal), b.part(axis.normal));
    Facing { on_a: axis.on_a, on_b: axis.on_a - axis.normal * axis.gap, gap: axis.gap, parts }
}

/// From cores to surfaces.
pub(super) fn push(a: &Convex, b: &Convex, normal: DVec3, facing: &Facing, scratch: &mut Scratch) {
    scratch.found.push(contact(
        facing.on_a - normal * a.radius,
        facing.on_b + normal * b.radius,
        normal,
        facing.gap - a.radius - b.radius,
        facing.parts,
    ));
}
