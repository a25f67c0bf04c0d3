//! Signed distance of two convex shapes, with bounds.

use glam::DVec3;
use prall_geometry::Shape;
use prall_math::Pose;

use super::gjk::{self, Nearness};
use super::simplex::Simplex;
use super::{Convex, Expansion};
use crate::error::QueryError;
use crate::placement::check_poses;

/// How far two convex shapes are apart, or how deep they are in each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Nearest point of the first shape, or its deepest if they overlap; in the world, in metres.
    pub on_a: DVec3,
    /// The same of the second shape.
    pub on_b: DVec3,
    /// Unit vector from the second shape to the first: `on_a - on_b = gap * normal`, up to rounding.
    pub normal: DVec3,
    /// The distance, or minus the depth: the least translation that makes the shapes only touch. The true value is not larger,
    /// up to rounding.
    pub gap: f64,
    /// Proven lower bound of the gap, up to the rounding of coordinates: a plane across the normal keeps the shapes this far
    /// apart, or moving the first by minus this much along the normal makes them so. Equal to `gap` up to 1e-12 of the size,
    /// for cylinders and cones up to 1e-8; for those that overlap some 1e-5 may remain, and per cents if their axes coincide.
    pub lower: f64,
}

/// Nearest or deepest points of two bounded convex shapes (ball, box, capsule, cylinder, cone, hull); `None` if one is not.
///
/// Touching, coincident, flat and tiny shapes have answers too. Refused are poses that are no rigid placements.
pub fn separation(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
) -> Result<Option<Separation>, QueryError> {
    check_poses(pose_a, pose_b)?;
    Ok(separation_in_place(a, pose_a, b, pose_b))
}

/// The same for poses that are known to be rigid placements.
pub(crate) fn separation_in_place(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Separation> {
    let origin = pose_a.translation;
    let (a, b) = (Convex::new(a, pose_a, origin)?, Convex::new(b, pose_b, origin)?);
    let mut simplex = Simplex::default();
    let found = match gjk::nearest(&a, &b, f64::INFINITY, &mut simplex) {
        Nearness::Apart(apart) => Separation {
            on_a: apart.on_a,
            on_b: apart.on_b,
            normal: apart.normal,
            gap: apart.distance,
            lower: apart.lower,
        },
        Nearness::Together => {
            let deep = Expansion::default().depth(&a, &b, &simplex);
            Separation {
                on_a: deep.on_a,
                on_b: deep.on_b,
                normal: deep.normal,
                gap: -deep.at_least,
                lower: -deep.at_most,
            }
        }
        // Nothing is farther than infinitely far.
        Nearness::Far => return None,
    };
    let radii = a.radius + b.radius;
    Some(Separation {
        on_a: found.on_a - found.normal * a.radius + origin,
        on_b: found.on_b + found.normal * b.radius + origin,
        normal: found.normal,
        gap: found.gap - radii,
        lower: found.lower - radii,
    })
}

/// Unit vector from a triangle to a bounded convex shape along which the two are farthest apart; `None` if they are not apart, or if the shape is none of
/// those of [`separation`].
pub(crate) fn triangle_normal(shape: &Shape, pose: &Pose, triangle: &[DVec3; 3]) -> Option<DVec3> {
    let origin = pose.translation;
    let (body, flat) = (Convex::new(shape, pose, origin)?, Convex::triangle(triangle.map(|p| p - origin)));
    match gjk::nearest(&body, &flat, f64::INFINITY, &mut Simplex::default()) {
        Nearness::Apart(apart) => Some(apart.normal),
        _ => None,
    }
}

/// Nearest points of two cores that are not proven farther apart than `within`.
pub(crate) fn nearest_cores(a: &Convex, b: &Convex, within: f64) -> Nearness {
    gjk::nearest(a, b, within, &mut Simplex::default())
}
