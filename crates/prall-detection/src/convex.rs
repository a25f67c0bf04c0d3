//! Convex bodies as distance and penetration see them: a core, a radius around it, and a place.
//!
//! A ball is a point with a radius, a capsule a segment with a radius; all others are their own core. Distances of cores are
//! exact geometry, radii are subtracted afterwards, so round shapes cost no more than points.
//!
//! Everything is computed in world axes about an origin near the bodies, so that a place far from the world's
//! origin costs no digits beyond those of the poses themselves.

mod axis;
mod boxes;
mod gjk;
mod outline;
mod penetration;
mod separation;
mod simplex;

use glam::{DMat3, DVec3};
use prall_geometry::{Cone, ConvexHull, Cuboid, Cylinder, Shape};
use prall_math::Pose;

pub(crate) use axis::{Axis, FACE_PREFERENCE, by_search, find_axis, separation_along, snapped_to_faces};
pub(crate) use boxes::best_edge_pair;
pub(crate) use gjk::Nearness;
pub(crate) use outline::{Corner, Outline};
pub(crate) use penetration::Expansion;
pub(crate) use separation::nearest_cores;
pub(crate) use separation::separation_in_place;
pub(crate) use separation::triangle_normal;
pub use separation::{Separation, separation};

/// The part of a convex body without its radius, in its own frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Core<'a> {
    Point,
    /// Along y, by half its length.
    Segment(f64),
    Box(Cuboid),
    Cylinder(Cylinder),
    Cone(Cone),
    Hull(&'a ConvexHull),
    Triangle([DVec3; 3]),
}

/// A convex body in its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convex<'a> {
    pub(crate) core: Core<'a>,
    pub(crate) radius: f64,
    pub(crate) rotation: DMat3,
    pub(crate) translation: DVec3,
}

/// Number of the upper end of a segment or of the upper rim of a cylinder; the lower has one less.
const UPPER: u32 = 1;

impl<'a> Convex<'a> {
    /// A bounded convex shape, placed relative to `origin`; `None` for the others.
    pub(crate) fn new(shape: &'a Shape, pose: &Pose, origin: DVec3) -> Option<Convex<'a>> {
        let (core, radius) = match shape {
            Shape::Sphere(s) => (Core::Point, s.radius()),
            Shape::Capsule(s) if s.half_height() == 0.0 => (Core::Point, s.radius()),
            Shape::Capsule(s) => (Core::Segment(s.half_height()), s.radius()),
            Shape::Box(s) => (Core::Box(*s), 0.0),
            Shape::Cylinder(s) => (Core::Cylinder(*s), 0.0),
            Shape::Cone(s) => (Core::Cone(*s), 0.0),
            Shape::ConvexHull(s) => (Core::Hull(s), 0.0),
            Shape::HalfSpace(_) | Shape::TriangleMesh(_) | Shape::Heightfield(_) | Shape::Compound(_) => {
                return None;
            }
        };
        let (rotation, translation) = (pose.rotation_matrix(), pose.translation - origin);
        Some(Convex { core, radius, rotation, translation })
    }

    /// A triangle whose corners are already in place.
    pub(crate) fn triangle(corners: [DVec3; 3]) -> Convex<'static> {
        Convex {
            core: Core::Triangle(corners),
            radius: 0.0,
            rotation: DMat3::IDENTITY,
            translation: DVec3::ZERO,
        }
    }

    /// True if the core is a point.
    pub(crate) fn is_ball(&self) -> bool {
        matches!(self.core, Core::Point)
    }

    pub(crate) fn point(&self, local: DVec3) -> DVec3 {
        self.rotation * local + self.translation
    }

    pub(crate) fn vector(&self, local: DVec3) -> DVec3 {
        self.rotation * local
    }

    pub(crate) fn local(&self, direction: DVec3) -> DVec3 {
        self.rotation.transpose() * direction
    }

    /// The point of the core farthest in a direction, and its number; `hint` is the number of an earlier answer.
    pub(crate) fn support(&self, direction: DVec3, hint: u32) -> (DVec3, u32) {
        let (point, number) = self.core.support(self.local(direction), hint);
        (self.point(point), number)
    }

    /// A point inside or on the core.
    pub(crate) fn middle(&self) -> DVec3 {
        match &self.core {
            Core::Hull(hull) => self.point(hull.bounds().center()),
            Core::Triangle([a, b, c]) => (*a + *b + *c) / 3.0,
            _ => self.translation,
        }
    }

    /// Largest extent of the core along an axis of its frame, in metres.
    pub(crate) fn size(&self) -> f64 {
        match &self.core {
            Core::Point => 0.0,
            Core::Segment(half) => 2.0 * half,
            Core::Box(cuboid) => 2.0 * cuboid.half_extents().max_element(),
            Core::Cylinder(s) => 2.0 * s.half_height().max(s.radius()),
            Core::Cone(s) => 2.0 * s.half_height().max(s.radius()),
            Core::Hull(hull) => 2.0 * hull.bounds().half_extents().max_element(),
            Core::Triangle([a, b, c]) => (*b - *a).abs().max((*c - *a).abs()).max_element(),
        }
    }
}

impl Core<'_> {
    fn support(&self, direction: DVec3, hint: u32) -> (DVec3, u32) {
        match self {
            Core::Point => (DVec3::ZERO, 0),
            Core::Segment(half) => {
                if direction.y >= 0.0 {
                    (DVec3::Y * *half, UPPER)
                } else {
                    (DVec3::NEG_Y * *half, 0)
                }
            }
            Core::Box(cuboid) => (cuboid.support(direction), box_corner(direction)),
            Core::Cylinder(s) => (s.support(direction), if direction.y >= 0.0 { UPPER } else { 0 }),
            Core::Cone(s) => {
                let point = s.support(direction);
                (point, if point.y > 0.0 { UPPER } else { 0 })
            }
            Core::Hull(hull) => {
                let vertex = hull.support_vertex_from(direction, hint);
                (hull.vertices()[vertex as usize], vertex)
            }
            Core::Triangle(corners) => {
                let heights = corners.map(|corner| direction.dot(corner));
                let number = (1..3).fold(0, |best, i| if heights[i] > heights[best] { i } else { best });
                (corners[number], number as u32)
            }
        }
    }

    /// True if the surface is flat faces only, so that a finite search ends with the exact answer.
    pub(crate) fn is_polytope(&self) -> bool {
        !matches!(self, Core::Cylinder(_) | Core::Cone(_))
    }
}

/// Number of the corner of a box farthest in a direction: bit i is set on the larger side of axis i.
fn box_corner(direction: DVec3) -> u32 {
    direction.cmpge(DVec3::ZERO).bitmask()
}
