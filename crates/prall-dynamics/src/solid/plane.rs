//! One plane between two shapes for a whole motion: a proof that costs a pass over their corners.
//!
//! The plane is fixed to the second shape. A point of the first has the height `h(t) = n . q(t)` over it, where `q` is the point in the second
//! body's frame. With constant shift and turn of both over `t` in [0, 1],
//!
//! ```text
//! |q''| <= wa^2 ra + 2 wb (|u| + wa ra) + wb^2 D = K
//! ```
//!
//! where `wa, wb` are the turns, `u` the relative shift, `ra` the radius of the first shape about its centre of mass and `D` how far its points get from
//! the second centre. A function with such a second derivative stays within `K / 8` of its chord, so heights at both ends prove the gap in
//! between. Most contacts of convex parts are proven like this; what is interlocked is left to the sweep.

use std::sync::Arc;

use glam::DVec3;
use prall_geometry::Shape;
use prall_math::{Norm, Pose, Twist};

use super::body::SolidBody;

/// More corners than these are left to the sweep, which looks only at what is near.
const MAX_CORNERS: usize = 1000;

/// Points whose hull, thickened by a radius, contains a shape.
#[derive(Clone, Debug)]
pub(crate) struct Corners {
    /// In the shape's frame.
    pub(crate) points: Arc<[DVec3]>,
    /// In m.
    pub(crate) radius: f64,
    /// A cylinder or cone instead of points.
    turned: Option<Shape>,
}

impl Corners {
    /// Of a shape; none for shapes without corners, and for those with too many.
    pub(crate) fn of(shape: &Shape) -> Option<Corners> {
        let sharp = |points: Vec<DVec3>| Some(Corners { points: points.into(), radius: 0.0, turned: None });
        let round =
            |points: Vec<DVec3>, radius: f64| Some(Corners { points: points.into(), radius, turned: None });
        match shape {
            Shape::Sphere(sphere) => round(vec![DVec3::ZERO], sphere.radius()),
            Shape::Capsule(capsule) => {
                let up = DVec3::Y * capsule.half_height();
                round(vec![up, -up], capsule.radius())
            }
            Shape::Cylinder(_) | Shape::Cone(_) => {
                Some(Corners { points: [].into(), radius: 0.0, turned: Some(shape.clone()) })
            }
            Shape::Box(cuboid) => {
                let half = cuboid.half_extents();
                let sign = |bit: usize, number: usize| if number >> bit & 1 == 0 { -1.0 } else { 1.0 };
                let corner = |number| half * DVec3::new(sign(0, number), sign(1, number), sign(2, number));
                sharp((0..8).map(corner).collect())
            }
            Shape::ConvexHull(hull) => sharp(hull.vertices().to_vec()),
            Shape::TriangleMesh(mesh) => {
                let points = mesh.mesh().positions();
                if points.len() <= MAX_CORNERS { sharp(points.to_vec()) } else { None }
            }
            _ => None,
        }
    }

    /// Least component of its points along a direction of the shape's frame, in m.
    fn lowest(&self, direction: DVec3) -> f64 {
        match &self.turned {
            Some(Shape::Cylinder(cylinder)) => direction.dot(cylinder.support(-direction)),
            Some(Shape::Cone(cone)) => direction.dot(cone.support(-direction)),
            _ => self.points.iter().fold(f64::INFINITY, |least, point| least.min(direction.dot(*point))),
        }
    }
}

/// A shape on its way: corners, place on the body, body and way.
#[derive(Clone, Copy)]
pub(super) struct Moving<'a> {
    pub(super) corners: &'a Corners,
    pub(super) place: &'a Pose,
    pub(super) body: &'a SolidBody,
    pub(super) way: &'a Twist,
    /// Of the shape about the centre of mass.
    pub(super) radius: f64,
}

/// A gap in m that two shapes keep on their ways because a plane with this unit normal (from the second to the first, in the world, at the start)
/// lies between them; negative if that plane does not.
pub(super) fn gap_over_plane(first: &Moving<'_>, second: &Moving<'_>, normal: DVec3) -> f64 {
    let (turn_a, turn_b) = (first.way.angular.norm(), second.way.angular.norm());
    let shift = (first.way.linear - second.way.linear).norm();
    let apart = (first.body.pose.translation - second.body.pose.translation).norm();
    let reach = apart + shift + first.radius;
    let speed = shift + turn_a * first.radius;
    let curvature = turn_a * turn_a * first.radius + 2.0 * turn_b * speed + turn_b * turn_b * reach;
    // Heights of B's corners do not change, as the plane goes with B.
    let in_b = second.body.pose.inverse_transform_vector(normal);
    let place_b = second.place;
    let below =
        in_b.dot(place_b.translation) - second.corners.lowest(place_b.inverse_transform_vector(-in_b));
    let height = |share: f64| {
        let (pose_a, pose_b) = (first.body.moved(first.way, share), second.body.moved(second.way, share));
        let to_b = pose_b.inverse() * (pose_a * *first.place);
        // n . (R p + s) = (R' n) . p + n . s
        let local = to_b.inverse_transform_vector(in_b);
        let offset = in_b.dot(to_b.translation);
        first.corners.lowest(local) + offset - below
    };
    let least = height(0.0).min(height(1.0));
    // Some hundred operations on these lengths.
    let size =
        reach + second.radius + first.body.pose.translation.norm() + second.body.pose.translation.norm();
    let rounding = 256.0 * f64::EPSILON * size;
    least - curvature / 8.0 - first.corners.radius - second.corners.radius - rounding
}
