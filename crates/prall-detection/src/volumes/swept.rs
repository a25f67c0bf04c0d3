//! Volumes that enclose a volume during a whole motion, in the world.
//!
//! Printed, both ways miss part of the path: the hull of start and end misses the arc between them, and the
//! length of the motion is taken about the wrong point. Here the first is padded by how far a path can bulge
//! from its chord, the second uses the proven bound of the motion itself.

use glam::{DMat3, DVec3};
use prall_geometry::{Aabb, BoundingSphere, OrientedBox};
use prall_math::{Motion, Norm, Pose};

use super::volume::{Volume, VolumeKind};

/// Outward factor for the rounding of a dozen operations.
const OUTWARD: f64 = 1.0 + 1e-13;

/// Largest distance of a point of the volume from the body's origin.
fn reach(volume: &Volume) -> f64 {
    let BoundingSphere { center, radius } = volume.circumscribed();
    center.norm() + radius
}

/// How far a point of the volume can be from the straight line between its first and its last place.
///
/// A path is nowhere farther from its chord than an eighth of its largest acceleration; for a uniform motion
/// that is angle^2 times the distance from the axis. Any path is half the time near its start and half near
/// its end.
fn bulge(volume: &Volume, motion: &Motion) -> f64 {
    let reach = reach(volume);
    let halves = motion.displacement_bound(reach, 0.0, 0.5).max(motion.displacement_bound(reach, 0.5, 1.0));
    let bulge = match motion.as_uniform() {
        Some(uniform) => {
            let arm = reach + uniform.reference.norm();
            (0.125 * uniform.angle * uniform.angle * arm).min(halves)
        }
        None => halves,
    };
    OUTWARD * bulge + motion.rounding(reach)
}

/// A volume of the wanted kind around the volume at the start, at the end and at all times between.
pub fn swept_from_ends(volume: &Volume, motion: &Motion, kind: VolumeKind) -> Volume {
    let (start, end) = (motion.start(), motion.end());
    let padding = bulge(volume, motion);
    let ball = volume.circumscribed();
    let (from, to) = (start.transform_point(ball.center), end.transform_point(ball.center));
    match (kind, volume) {
        (VolumeKind::Sphere, _) => Volume::Sphere(BoundingSphere {
            center: 0.5 * (from + to),
            radius: OUTWARD * (0.5 * (from - to).norm() + ball.radius) + padding,
        }),
        (VolumeKind::IsoBox, Volume::Sphere(_)) => {
            let margin = OUTWARD * ball.radius + padding;
            Volume::IsoBox(Aabb { min: from.min(to) - margin, max: from.max(to) + margin })
        }
        (VolumeKind::IsoBox, _) => {
            let corners = |pose: &Pose| volume.oriented().transformed(pose).corners();
            let hull: Aabb = corners(&start).into_iter().chain(corners(&end)).collect();
            Volume::IsoBox(hull.grown(padding))
        }
        (VolumeKind::Box, Volume::Sphere(_)) => {
            let half = DVec3::new(0.5 * (from - to).norm(), 0.0, 0.0) + ball.radius;
            let axes = along(to - from);
            Volume::Box(OrientedBox::new(0.5 * (from + to), axes, OUTWARD * half + padding))
        }
        (VolumeKind::Box, _) => {
            // Along the axes that the box has at the end.
            let at_end = volume.oriented().transformed(&end);
            let back = at_end.axes().transpose();
            let at_start = volume.oriented().transformed(&start);
            let corners = at_start.corners().into_iter().chain(at_end.corners());
            let hull: Aabb = corners.map(|p| back * p).collect();
            let half = OUTWARD * hull.half_extents() + padding;
            Volume::Box(OrientedBox::new(at_end.axes() * hull.center(), at_end.axes(), half))
        }
    }
}

/// The volume at the start, larger on all sides by the farthest that any of its points gets. A sphere stays a
/// sphere, boxes become oriented boxes.
pub fn swept_by_length(volume: &Volume, motion: &Motion) -> Volume {
    let start = motion.start();
    let reach = reach(volume);
    let length = motion.displacement_bound(reach, 0.0, 1.0) + motion.rounding(reach);
    match volume {
        Volume::Sphere(ball) => Volume::Sphere(BoundingSphere {
            center: start.transform_point(ball.center),
            radius: OUTWARD * (ball.radius + length),
        }),
        _ => {
            let placed = volume.oriented().transformed(&start);
            let half = OUTWARD * (placed.half_extents() + length);
            Volume::Box(OrientedBox::new(placed.center(), placed.axes(), half))
        }
    }
}

/// An orthonormal frame whose first axis has this direction; any frame for a vector without direction.
fn along(direction: DVec3) -> DMat3 {
    match direction.try_unit() {
        Some(x) => {
            let (y, z) = x.any_orthonormal_pair();
            DMat3::from_cols(x, y, z)
        }
        None => DMat3::IDENTITY,
    }
}
