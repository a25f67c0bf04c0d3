//! Anything against a half-space: the corners that are low enough.

use glam::DVec3;
use prall_math::Pose;

use super::convex_pair::same_place;
use super::surface::Placed;
use super::touchable::{Kind, Piece};
use super::{Scratch, candidates, contact};
use crate::contact::ShapePart;
use crate::convex::Convex;

const PLANE: ShapePart = ShapePart::Face(0);

/// Contacts of a piece (A) with the half-space in a pose (B).
pub(super) fn find(
    piece: &Piece,
    pose: &Pose,
    plane: &Pose,
    origin: DVec3,
    margin: f64,
    scratch: &mut Scratch,
) {
    let normal = plane.transform_vector(DVec3::Y);
    let base = plane.translation - origin;
    match piece.kind() {
        Kind::Surface(surface) => {
            let placed = Placed::new(surface, pose, origin);
            candidates::vertices_below(surface, placed.local(normal), scratch, |vertex| {
                let point = placed.position(vertex);
                let gap = normal.dot(point - base);
                (gap <= margin).then(|| {
                    let parts = (ShapePart::Vertex(vertex), PLANE);
                    contact(point, point - normal * gap, normal, gap, parts)
                })
            });
        }
        Kind::Convex => {
            if let Some(convex) = Convex::new(piece.shape(), pose, origin) {
                convex_on_plane(&convex, normal, base, margin, scratch);
            }
        }
        Kind::HalfSpace => {}
    }
}

fn convex_on_plane(convex: &Convex, normal: DVec3, base: DVec3, margin: f64, scratch: &mut Scratch) {
    let outline = &mut scratch.outlines.0;
    convex.outline(-normal, outline);
    let (lowest, _) = convex.support(-normal, 0);
    let mut least = f64::INFINITY;
    let mut push = |point: DVec3, part: ShapePart| {
        let gap = normal.dot(point - base) - convex.radius;
        if gap <= margin {
            let on_a = point - normal * convex.radius;
            scratch.found.push(contact(on_a, on_a - normal * gap, normal, gap, (part, PLANE)));
        }
        gap
    };
    for corner in &outline.corners {
        let part = if convex.is_ball() { ShapePart::Face(0) } else { ShapePart::Vertex(corner.number) };
        least = least.min(push(corner.point, part));
    }
    let deepest = normal.dot(lowest - base) - convex.radius;
    if least > deepest + same_place(convex, convex) {
        push(lowest, convex.part(-normal));
    }
}
