//! [`Ray`]: a half-line, and where it meets surfaces.

use glam::{DVec2, DVec3};
use prall_math::Pose;
use thiserror::Error;

use crate::predicates::turn;

/// All points `origin + t direction` with `t >= 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    origin: DVec3,
    direction: DVec3,
}

/// Why there is no such ray.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum RayError {
    /// A coordinate of the origin is infinite or not a number.
    #[error("the ray's origin {0} is not a finite point")]
    BadOrigin(DVec3),
    /// The direction has no direction.
    #[error("the ray's direction {0} has no finite length above 0")]
    BadDirection(DVec3),
}

/// Where a ray first meets a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Length of the way from the ray's origin, in metres.
    pub distance: f64,
    /// The place.
    pub point: DVec3,
    /// Unit normal of the surface: outward for solids, as the triangle is wound for surfaces. A ray that starts inside
    /// meets the surface from within; the normal then points along it.
    pub normal: DVec3,
    /// Which part of the shape.
    pub part: Part,
}

/// Which part of a shape an answer is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Index of the child for compounds, otherwise 0.
    pub child: u32,
    /// Index of the face of a hull, or of the triangle of a mesh or height field; otherwise 0.
    pub face: u32,
}

impl Part {
    /// A face of a shape that is no compound.
    pub(crate) fn face(face: usize) -> Part {
        Part { child: 0, face: face as u32 }
    }
}

impl Ray {
    /// A ray; the direction is normalised.
    pub fn new(origin: DVec3, direction: DVec3) -> Result<Ray, RayError> {
        if !origin.is_finite() {
            return Err(RayError::BadOrigin(origin));
        }
        let direction = direction.try_normalize().ok_or(RayError::BadDirection(direction))?;
        Ok(Ray { origin, direction })
    }

    /// Where it starts.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Where it goes; unit length.
    pub fn direction(&self) -> DVec3 {
        self.direction
    }

    /// The point at a distance along the ray.
    pub fn at(&self, distance: f64) -> DVec3 {
        self.origin + self.direction * distance
    }

    /// The ray as seen from the frame of a body.
    #[must_use]
    pub fn into_frame_of(&self, pose: &Pose) -> Ray {
        Ray {
            origin: pose.inverse_transform_point(self.origin),
            direction: pose.inverse_transform_vector(self.direction),
        }
    }

    /// The ray with its origin moved along it to the point nearest the frame's origin, and by how much it moved.
    ///
    /// Quadrics are solved from there: numbers of the size of the shape instead of the size of the distance.
    pub(crate) fn recentred(&self) -> (Ray, f64) {
        let shift = -self.origin.dot(self.direction);
        (Ray { origin: self.at(shift), direction: self.direction }, shift)
    }

    /// The ray as seen from a frame whose origin is displaced by this vector.
    pub(crate) fn relative_to(&self, origin: DVec3) -> Ray {
        Ray { origin: self.origin - origin, direction: self.direction }
    }

    /// The hit at a distance, if that is on the ray and not beyond `max`.
    pub(crate) fn hit(&self, distance: f64, max: f64, normal: DVec3, part: Part) -> Option<RayHit> {
        let on_ray = distance.is_finite() && (0.0..=max).contains(&distance);
        on_ray.then(|| RayHit { distance, point: self.at(distance), normal, part })
    }
}

impl RayHit {
    /// The hit as seen from outside the frame of a body.
    #[must_use]
    pub fn out_of_frame_of(&self, pose: &Pose) -> RayHit {
        RayHit {
            point: pose.transform_point(self.point),
            normal: pose.transform_vector(self.normal),
            ..*self
        }
    }

    /// The nearer of two hits; the first on a tie.
    pub(crate) fn nearer(first: Option<RayHit>, second: Option<RayHit>) -> Option<RayHit> {
        match (first, second) {
            (Some(a), Some(b)) => Some(if b.distance < a.distance { b } else { a }),
            (a, b) => a.or(b),
        }
    }
}

/// The parameters between which a line is inside a convex solid, with the outward normals at both ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) enter: (f64, DVec3, usize),
    pub(crate) exit: (f64, DVec3, usize),
}

impl Span {
    pub(crate) const WHOLE: Span =
        Span { enter: (f64::NEG_INFINITY, DVec3::ZERO, 0), exit: (f64::INFINITY, DVec3::ZERO, 0) };

    /// Cuts with the half-space `normal . x <= offset`; false if nothing is left.
    pub(crate) fn clip(&mut self, ray: &Ray, normal: DVec3, offset: f64, face: usize) -> bool {
        let speed = normal.dot(ray.direction);
        let gap = offset - normal.dot(ray.origin);
        if speed < 0.0 {
            let t = gap / speed;
            if t > self.enter.0 {
                self.enter = (t, normal, face);
            }
        } else if speed > 0.0 {
            let t = gap / speed;
            if t < self.exit.0 {
                self.exit = (t, normal, face);
            }
        } else if gap < 0.0 {
            return false;
        }
        self.enter.0 <= self.exit.0
    }

    /// The first of the two ends that is on the ray.
    pub(crate) fn first_hit(&self, ray: &Ray, shift: f64, max: f64) -> Option<RayHit> {
        let (near, far) = (self.enter.0 + shift, self.exit.0 + shift);
        let (t, (_, normal, face)) = if near >= 0.0 { (near, self.enter) } else { (far, self.exit) };
        ray.hit(t, max, normal, Part::face(face))
    }
}

/// A ray prepared for many triangles: no triangle mesh without gaps has gaps for it.
///
/// Woop, Benthin and Wald (2013): shear space so that the ray becomes the longest axis and ask on which side of
/// the three edges the origin is. A corner is sheared the same way for all triangles that share it and the signs are exact, so a ray
/// cannot slip through an edge.
pub(crate) struct TriangleCaster {
    ray: Ray,
    axes: [usize; 3],
    shear: DVec2,
}

impl TriangleCaster {
    pub(crate) fn new(ray: &Ray) -> TriangleCaster {
        let long = ray.direction.abs().max_position();
        let axes = [(long + 1) % 3, (long + 2) % 3, long];
        let along = ray.direction[long];
        let shear = DVec2::new(ray.direction[axes[0]], ray.direction[axes[1]]) / along;
        TriangleCaster { ray: *ray, axes, shear }
    }

    /// Where the ray meets the triangle, from either side. A triangle seen edge-on is not met.
    pub(crate) fn cast(&self, corners: [DVec3; 3], max: f64, face: usize) -> Option<RayHit> {
        let [x, y, z] = self.axes;
        let relative = corners.map(|c| c - self.ray.origin);
        let [a, b, c] = relative.map(|r| DVec2::new(r[x], r[y]) - self.shear * r[z]);
        let weights = [turn(DVec2::ZERO, b, c), turn(DVec2::ZERO, c, a), turn(DVec2::ZERO, a, b)];
        if weights.iter().any(|w| *w < 0.0) && weights.iter().any(|w| *w > 0.0) {
            return None;
        }
        let total = weights[0] + weights[1] + weights[2];
        if total == 0.0 {
            return None;
        }
        let along: f64 = weights.iter().zip(relative).map(|(w, r)| w / total * r[z]).sum();
        let [p, q, r] = corners;
        let normal = (q - p).cross(r - p).try_normalize()?;
        self.ray.hit(along / self.ray.direction[z], max, normal, Part::face(face))
    }
}
