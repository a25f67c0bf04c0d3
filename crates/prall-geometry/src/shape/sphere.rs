//! [`Sphere`]: a ball about the origin.

use glam::DVec3;
use prall_math::Pose;

use super::{ShapeError, SurfacePoint, placed_box, positive};
use crate::bounding::{Aabb, BoundingSphere};
use crate::ray::{Part, Ray, RayHit, Span};

/// All points within a radius of the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    radius: f64,
}

impl Sphere {
    /// A ball of a radius above 0, in metres.
    pub fn new(radius: f64) -> Result<Sphere, ShapeError> {
        Ok(Sphere { radius: positive("sphere", "radius", radius)? })
    }

    /// In metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The point farthest in a direction.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        direction.normalize_or(DVec3::Y) * self.radius
    }

    /// Itself.
    pub fn bounding_sphere(&self) -> BoundingSphere {
        BoundingSphere { center: DVec3::ZERO, radius: self.radius }
    }

    /// The box around the ball in a pose.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let reach = DVec3::splat(self.radius);
        placed_box(pose, -reach, reach, self.radius)
    }

    /// True if inside or on the surface.
    pub fn contains(&self, point: DVec3) -> bool {
        point.length_squared() <= self.radius * self.radius
    }

    /// The closest surface point; straight up from the centre.
    pub fn closest_point(&self, point: DVec3) -> SurfacePoint {
        let normal = point.try_normalize().unwrap_or(DVec3::Y);
        let distance = point.length() - self.radius;
        SurfacePoint { point: normal * self.radius, normal, distance, part: Part::default() }
    }

    /// Where a ray first meets the surface.
    pub fn ray_cast(&self, ray: &Ray, max: f64) -> Option<RayHit> {
        let (near, shift) = ray.recentred();
        self.span(&near)?.first_hit(ray, shift, max)
    }

    /// Where the line of a recentred ray is inside: the half chord is `sqrt(r^2 - |o|^2)`, since `o` is perpendicular
    /// to the direction.
    pub(super) fn span(&self, near: &Ray) -> Option<Span> {
        let r = self.radius;
        let off = near.origin().length();
        let half_chord = ((r - off) * (r + off)).sqrt();
        let end = |t: f64| (t, near.at(t) / r, 0);
        (half_chord >= 0.0).then(|| Span { enter: end(-half_chord), exit: end(half_chord) })
    }
}
