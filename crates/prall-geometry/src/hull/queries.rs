//! Points and rays against a convex hull. All are linear in the number of faces.

use glam::DVec3;
use prall_math::Pose;

use super::ConvexHull;
use crate::bounding::Aabb;
use crate::closest::on_convex_polygon;
use crate::ray::{Part, Ray, RayHit, Span};
use crate::shape::{SurfacePoint, placed_box};

impl ConvexHull {
    /// Rounding of the height over a plane, in metres.
    fn rounding(&self) -> f64 {
        let largest = self.bounds.min.abs().max(self.bounds.max.abs()).max_element();
        super::ROUNDINGS * f64::EPSILON * largest
    }

    /// True if the point is inside or on the surface, up to rounding in favour of inside.
    pub fn contains(&self, point: DVec3) -> bool {
        let slack = self.rounding();
        self.planes.iter().all(|plane| plane.signed_distance(point) <= slack)
    }

    /// The surface point closest to a point, with the signed distance (negative inside).
    ///
    /// From outside, the closest point is on a face that the point is in front of; from inside, it is the foot on the
    /// plane that is nearest.
    pub fn closest_point(&self, point: DVec3) -> SurfacePoint {
        let mut deepest = (0, f64::NEG_INFINITY);
        let mut nearest: Option<(usize, DVec3, f64)> = None;
        for (face, plane) in self.planes.iter().enumerate() {
            let height = plane.signed_distance(point);
            if height > deepest.1 {
                deepest = (face, height);
            }
            let beaten = nearest.is_some_and(|(_, _, squared)| height * height >= squared);
            if height <= 0.0 || beaten {
                continue;
            }
            if let Some(foot) = on_convex_polygon(point, plane.normal, self.face_points(face)) {
                let squared = foot.distance_squared(point);
                if nearest.is_none_or(|(_, _, best)| squared < best) {
                    nearest = Some((face, foot, squared));
                }
            }
        }
        let (face, height) = deepest;
        let normal = self.planes[face].normal;
        match nearest {
            Some((face, foot, squared)) => {
                let distance = squared.sqrt();
                let across = point - foot;
                // Below rounding the direction of the difference is noise; the face's normal is not.
                let normal =
                    if distance > self.rounding() { across / distance } else { self.planes[face].normal };
                SurfacePoint { point: foot, normal, distance, part: Part::face(face) }
            }
            None => SurfacePoint {
                point: point - normal * height,
                normal,
                distance: height,
                part: Part::face(face),
            },
        }
    }

    /// The box around the hull in a pose, from its support points along the world's axes.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let (mut low, mut high) = (DVec3::ZERO, DVec3::ZERO);
        for axis in 0..3 {
            let direction = pose.inverse_transform_vector(DVec3::AXES[axis]);
            let reach = |d: DVec3| pose.transform_vector(self.support(d))[axis];
            (low[axis], high[axis]) = (reach(-direction), reach(direction));
        }
        placed_box(pose, low, high, self.bounds.min.abs().max(self.bounds.max.abs()).max_element())
    }

    /// Where a ray first meets the surface within `max` metres.
    pub fn ray_cast(&self, ray: &Ray, max: f64) -> Option<RayHit> {
        let mut span = Span::WHOLE;
        for (face, plane) in self.planes.iter().enumerate() {
            if !span.clip(ray, plane.normal, plane.distance, face) {
                return None;
            }
        }
        span.first_hit(ray, 0.0, max)
    }
}
