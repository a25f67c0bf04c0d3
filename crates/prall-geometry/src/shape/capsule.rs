//! [`Capsule`]: a round bar with round ends.

use glam::DVec3;
use prall_math::Pose;

use super::{Cylinder, ShapeError, Sphere, SurfacePoint, placed_box, positive};
use crate::bounding::{Aabb, BoundingSphere};
use crate::ray::{Part, Ray, RayHit, Span};

/// All points within a radius of the segment from `-half_height` to `+half_height` on the y axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    half_height: f64,
    radius: f64,
}

impl Capsule {
    /// A capsule from half the length of its segment (from 0 on) and its radius (above 0), in metres.
    pub fn new(half_height: f64, radius: f64) -> Result<Capsule, ShapeError> {
        if !(half_height >= 0.0 && half_height.is_finite()) {
            return Err(ShapeError::Negative {
                shape: "capsule",
                parameter: "half_height",
                value: half_height,
            });
        }
        Ok(Capsule { half_height, radius: positive("capsule", "radius", radius)? })
    }

    /// Half the length of the segment, in metres; the capsule reaches a radius farther.
    pub fn half_height(&self) -> f64 {
        self.half_height
    }

    /// In metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    fn ends(&self) -> [DVec3; 2] {
        [DVec3::NEG_Y * self.half_height, DVec3::Y * self.half_height]
    }

    /// The point of the segment closest to a point. Without rounding, so that the way there is across the axis.
    fn on_axis(&self, point: DVec3) -> DVec3 {
        DVec3::Y * point.y.clamp(-self.half_height, self.half_height)
    }

    /// The point farthest in a direction.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let [low, high] = self.ends();
        let end = if direction.y >= 0.0 { high } else { low };
        end + direction.normalize_or(DVec3::Y) * self.radius
    }

    /// The smallest sphere around it.
    pub fn bounding_sphere(&self) -> BoundingSphere {
        BoundingSphere::around(DVec3::ZERO, &[DVec3::Y * (self.half_height + self.radius)])
    }

    /// The box around the capsule in a pose.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let end = pose.transform_vector(DVec3::Y * self.half_height).abs();
        let reach = end + DVec3::splat(self.radius);
        placed_box(pose, -reach, reach, reach.max_element())
    }

    /// True if inside or on the surface.
    pub fn contains(&self, point: DVec3) -> bool {
        point.distance_squared(self.on_axis(point)) <= self.radius * self.radius
    }

    /// The closest surface point; from the axis, that in direction x.
    pub fn closest_point(&self, point: DVec3) -> SurfacePoint {
        let on_axis = self.on_axis(point);
        let across = point - on_axis;
        let normal = across.try_normalize().unwrap_or(DVec3::X);
        SurfacePoint {
            point: on_axis + normal * self.radius,
            normal,
            distance: across.length() - self.radius,
            part: Part::default(),
        }
    }

    /// Where a ray first meets the surface.
    ///
    /// The capsule is convex, so its span on a line reaches from the first to the last point that any of
    /// its three parts (cylinder and two balls) has on it.
    pub fn ray_cast(&self, ray: &Ray, max: f64) -> Option<RayHit> {
        let (near, shift) = ray.recentred();
        let ball = Sphere::new(self.radius).ok()?;
        let ends = self.ends().map(|end| {
            let (local, moved) = near.relative_to(end).recentred();
            let span = ball.span(&local)?;
            let moved_by = |(t, n, f): (f64, DVec3, usize)| (t + moved, n, f);
            Some(Span { enter: moved_by(span.enter), exit: moved_by(span.exit) })
        });
        let middle = Cylinder::new(self.half_height, self.radius).ok().and_then(|bar| bar.span(&near));
        let parts = ends.into_iter().chain([middle]).flatten();
        let whole = parts.reduce(|a, b| Span {
            enter: if b.enter.0 < a.enter.0 { b.enter } else { a.enter },
            exit: if b.exit.0 > a.exit.0 { b.exit } else { a.exit },
        })?;
        whole.first_hit(ray, shift, max)
    }
}
