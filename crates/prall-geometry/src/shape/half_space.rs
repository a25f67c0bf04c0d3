//! [`HalfSpace`]: everything below a plane.

use glam::DVec3;
use prall_math::Pose;

use super::{SurfacePoint, placed_box};
use crate::bounding::Aabb;
use crate::ray::{Part, Ray, RayHit};

/// All points with `y <= 0`. Its pose turns and lifts it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HalfSpace;

impl HalfSpace {
    /// Infinite, except above a plane that is exactly perpendicular to a world axis.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let normal = pose.transform_vector(DVec3::Y);
        let (mut low, mut high) = (DVec3::NEG_INFINITY, DVec3::INFINITY);
        for axis in 0..3 {
            if normal[(axis + 1) % 3] == 0.0 && normal[(axis + 2) % 3] == 0.0 {
                if normal[axis] > 0.0 {
                    high[axis] = 0.0;
                } else {
                    low[axis] = 0.0;
                }
            }
        }
        placed_box(pose, low, high, 0.0)
    }

    /// True if below or on the plane.
    pub fn contains(&self, point: DVec3) -> bool {
        point.y <= 0.0
    }

    /// The foot on the plane.
    pub fn closest_point(&self, point: DVec3) -> SurfacePoint {
        let foot = DVec3::new(point.x, 0.0, point.z);
        SurfacePoint { point: foot, normal: DVec3::Y, distance: point.y, part: Part::default() }
    }

    /// Where a ray meets the plane; not if it runs along it.
    pub fn ray_cast(&self, ray: &Ray, max: f64) -> Option<RayHit> {
        let distance = -ray.origin().y / ray.direction().y;
        ray.hit(distance, max, DVec3::Y, Part::default())
    }
}
