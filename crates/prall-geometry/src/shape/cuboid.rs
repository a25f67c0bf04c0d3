//! [`Cuboid`]: a box about the origin.

use glam::DVec3;
use prall_math::Pose;

use super::{ShapeError, SurfacePoint, placed_box, positive};
use crate::bounding::{Aabb, BoundingSphere};
use crate::ray::{Part, Ray, RayHit, Span};

/// All points with `|x_i| <= half_extents_i`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    half_extents: DVec3,
}

impl Cuboid {
    /// A box of half its edge lengths, each above 0, in metres.
    pub fn new(half_extents: DVec3) -> Result<Cuboid, ShapeError> {
        positive("box", "half_extents.x", half_extents.x)?;
        positive("box", "half_extents.y", half_extents.y)?;
        positive("box", "half_extents.z", half_extents.z)?;
        Ok(Cuboid { half_extents })
    }

    /// Half the edge lengths, in metres.
    pub fn half_extents(&self) -> DVec3 {
        self.half_extents
    }

    /// The corner farthest in a direction.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        DVec3::select(direction.cmpge(DVec3::ZERO), self.half_extents, -self.half_extents)
    }

    /// The sphere through the corners.
    pub fn bounding_sphere(&self) -> BoundingSphere {
        BoundingSphere::around(DVec3::ZERO, &[self.half_extents])
    }

    /// The box along the world's axes around the box in a pose: `sum_j |R_ij| h_j` along axis i.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let h = self.half_extents;
        let turned = |axis: DVec3| pose.transform_vector(axis).abs();
        let reach = turned(DVec3::X * h.x) + turned(DVec3::Y * h.y) + turned(DVec3::Z * h.z);
        placed_box(pose, -reach, reach, reach.max_element())
    }

    /// True if inside or on the surface.
    pub fn contains(&self, point: DVec3) -> bool {
        point.abs().cmple(self.half_extents).all()
    }

    /// The closest surface point; from inside, that on the nearest face.
    pub fn closest_point(&self, point: DVec3) -> SurfacePoint {
        let clamped = point.clamp(-self.half_extents, self.half_extents);
        let outside = point - clamped;
        // The standard square root: the same bits, and no call.
        let distance = outside.length_squared().sqrt();
        if distance > 0.0 {
            return SurfacePoint {
                point: clamped,
                normal: outside / distance,
                distance,
                part: Part::default(),
            };
        }
        let depths = self.half_extents - point.abs();
        let axis = depths.min_position();
        let sign = if point[axis] < 0.0 { -1.0 } else { 1.0 };
        let (mut foot, mut normal) = (point, DVec3::ZERO);
        foot[axis] = sign * self.half_extents[axis];
        normal[axis] = sign;
        SurfacePoint { point: foot, normal, distance: -depths[axis], part: Part::default() }
    }

    /// Where a ray first meets the surface.
    pub fn ray_cast(&self, ray: &Ray, max: f64) -> Option<RayHit> {
        let mut span = Span::WHOLE;
        for (axis, normal) in DVec3::AXES.into_iter().enumerate() {
            let half = self.half_extents[axis];
            if !(span.clip(ray, normal, half, 0) && span.clip(ray, -normal, half, 0)) {
                return None;
            }
        }
        span.first_hit(ray, 0.0, max)
    }
}
