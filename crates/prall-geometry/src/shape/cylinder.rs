//! [`Cylinder`]: a round bar along y.

use glam::{DVec2, DVec3};
use prall_math::Pose;

use super::{ShapeError, SurfacePoint, placed_box, positive};
use crate::bounding::{Aabb, BoundingSphere};
use crate::ray::{Part, Ray, RayHit, Span};

/// All points with `x^2 + z^2 <= radius^2` and `|y| <= half_height`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    half_height: f64,
    radius: f64,
}

impl Cylinder {
    /// A cylinder from half its height and its radius, both above 0, in metres.
    pub fn new(half_height: f64, radius: f64) -> Result<Cylinder, ShapeError> {
        Ok(Cylinder {
            half_height: positive("cylinder", "half_height", half_height)?,
            radius: positive("cylinder", "radius", radius)?,
        })
    }

    /// In metres.
    pub fn half_height(&self) -> f64 {
        self.half_height
    }

    /// In metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The point farthest in a direction.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let rim = radial(direction).0 * self.radius;
        DVec3::new(rim.x, if direction.y >= 0.0 { self.half_height } else { -self.half_height }, rim.y)
    }

    /// The sphere through both rims.
    pub fn bounding_sphere(&self) -> BoundingSphere {
        BoundingSphere::around(DVec3::ZERO, &[DVec3::new(self.radius, self.half_height, 0.0)])
    }

    /// The box around the cylinder in a pose: along axis i the disc reaches `radius sqrt(1 - a_i^2)`, `a` being the
    /// cylinder's axis.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let axis = pose.transform_vector(DVec3::Y);
        let reach = (axis * self.half_height).abs() + disc_reach(axis) * self.radius;
        placed_box(pose, -reach, reach, reach.max_element())
    }

    /// True if inside or on the surface.
    pub fn contains(&self, point: DVec3) -> bool {
        let squared = point.x * point.x + point.z * point.z;
        squared <= self.radius * self.radius && point.y.abs() <= self.half_height
    }

    /// The closest surface point; from the axis, that in direction x.
    ///
    /// A problem in the half plane of distance from the axis and height, where the cylinder is a rectangle.
    pub fn closest_point(&self, point: DVec3) -> SurfacePoint {
        let (outward, off_axis) = radial(point);
        let lift = |v: DVec2| DVec3::new(outward.x * v.x, v.y, outward.y * v.x);
        let here = DVec2::new(off_axis, point.y);
        let corner = DVec2::new(self.radius, self.half_height);
        let clamped = DVec2::new(off_axis.min(corner.x), point.y.clamp(-corner.y, corner.y));
        let outside = here - clamped;
        let distance = outside.length();
        if distance > 0.0 {
            let normal = lift(outside / distance);
            return SurfacePoint { point: lift(clamped), normal, distance, part: Part::default() };
        }
        let (to_side, to_cap) = (corner.x - off_axis, corner.y - point.y.abs());
        let up = if point.y < 0.0 { -1.0 } else { 1.0 };
        let (foot, normal, depth) = if to_side < to_cap {
            (DVec2::new(corner.x, point.y), DVec2::X, to_side)
        } else {
            (DVec2::new(off_axis, up * corner.y), DVec2::Y * up, to_cap)
        };
        SurfacePoint { point: lift(foot), normal: lift(normal), distance: -depth, part: Part::default() }
    }

    /// Where a ray first meets the surface.
    pub fn ray_cast(&self, ray: &Ray, max: f64) -> Option<RayHit> {
        let (near, shift) = ray.recentred();
        self.span(&near)?.first_hit(ray, shift, max)
    }

    /// Where the line of a recentred ray is inside: between the caps, and within the radius of the axis.
    pub(super) fn span(&self, near: &Ray) -> Option<Span> {
        let mut span = Span::WHOLE;
        let caps = span.clip(near, DVec3::Y, self.half_height, 0)
            && span.clip(near, DVec3::NEG_Y, self.half_height, 0);
        let flat = |v: DVec3| DVec2::new(v.x, v.z);
        let (o, d) = (flat(near.origin()), flat(near.direction()));
        let speed = d.length();
        if speed == 0.0 {
            return (caps && o.length() <= self.radius).then_some(span);
        }
        // Distance of the line from the axis, and the half chord, both seen from above.
        let off = o.perp_dot(d) / speed;
        let half_chord = ((self.radius - off) * (self.radius + off)).sqrt() / speed;
        let middle = -o.dot(d) / (speed * speed);
        if !caps || half_chord.is_nan() {
            return None;
        }
        let side = |t: f64| (t, DVec3::new(1.0, 0.0, 1.0) * near.at(t) / self.radius, 0);
        if middle - half_chord > span.enter.0 {
            span.enter = side(middle - half_chord);
        }
        if middle + half_chord < span.exit.0 {
            span.exit = side(middle + half_chord);
        }
        (span.enter.0 <= span.exit.0).then_some(span)
    }
}

/// Unit direction away from the y axis, as (x, z), and the distance from it; x on the axis itself.
pub(super) fn radial(point: DVec3) -> (DVec2, f64) {
    let across = DVec2::new(point.x, point.z);
    (across.try_normalize().unwrap_or(DVec2::X), across.length())
}

/// How far a unit disc with this axis reaches along the coordinate axes: `sqrt(1 - a_i^2)`, without cancellation.
pub(super) fn disc_reach(axis: DVec3) -> DVec3 {
    let squares = axis * axis;
    let others = DVec3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y);
    DVec3::new(others.x.sqrt(), others.y.sqrt(), others.z.sqrt())
}
