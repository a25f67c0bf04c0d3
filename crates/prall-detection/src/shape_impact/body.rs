//! A moving body as a whole: how large it is, how it goes, and when that alone proves two of them free.

use glam::DVec3;
use prall_math::{Motion, Norm, Pose};

use super::place::part;
use super::plane::cheap_normal;
use super::queue::Place;
use super::rounds::{directions, safe_time_all_round};
use crate::error::QueryError;
use crate::manifold::{Kind, Piece, Surface, Touchable};
use crate::relative_motion::RelativeMotion;
use crate::time_queue::Item;

/// What placing a piece in its body and finding a support point rounds, in units of the body's radius: a matrix times a vector,
/// a sum and a direction of unit length see less than 32 units of 2^-53.
pub(super) const PIECE_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A body with what the search asks about it as a whole.
#[derive(Clone, Copy)]
pub(super) struct Body<'a> {
    pub(super) pieces: &'a [Piece],
    pub(super) motion: &'a Motion,
    /// No point of its bounded pieces is farther from its origin, in metres.
    pub(super) radius: f64,
    pub(super) has_planes: bool,
}

impl<'a> Body<'a> {
    pub(super) fn new(touchable: &'a Touchable, motion: &'a Motion) -> Body<'a> {
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

    pub(super) fn single_surface(&self) -> Option<&'a Surface> {
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

    pub(super) fn displacement(&self, radius: f64) -> f64 {
        self.motion.displacement_bound(radius, 0.0, 1.0)
    }
}

/// True if the spheres around two bodies cannot meet.
///
/// The reference points p of steady motions go straight, and points keep their distance from them, so that
/// the spheres come nearest where `|d + t v|`, d and v the difference of places and velocities, is least.
pub(super) fn are_far_apart(a: &Body, b: &Body, guard: f64) -> bool {
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
pub(super) fn free_all_round((a, b): &(Body, Body), guard: f64) -> Result<f64, QueryError> {
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
