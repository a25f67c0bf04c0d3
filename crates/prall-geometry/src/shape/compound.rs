//! [`Compound`]: several shapes as one.

use glam::DVec3;
use prall_math::Pose;

use super::{Shape, ShapeError, SurfacePoint};
use crate::bounding::{Aabb, BoundingSphere};
use crate::ray::{Ray, RayHit};

/// Shapes, each placed in the frame of the compound; they may overlap.
#[derive(Clone, Debug)]
pub struct Compound {
    children: Vec<(Pose, Shape)>,
}

impl Compound {
    /// A compound of at least one shape, none of them a compound.
    pub fn new(children: Vec<(Pose, Shape)>) -> Result<Compound, ShapeError> {
        if children.is_empty() {
            return Err(ShapeError::NoChildren);
        }
        for (child, (pose, shape)) in children.iter().enumerate() {
            if !pose.is_valid() {
                return Err(ShapeError::BadPose { child });
            }
            if matches!(shape, Shape::Compound(_)) {
                return Err(ShapeError::NestedCompound { child });
            }
        }
        Ok(Compound { children })
    }

    /// Poses and shapes in order.
    pub fn children(&self) -> &[(Pose, Shape)] {
        &self.children
    }

    /// A sphere around the children's spheres, `None` if one is unbounded. Not the smallest, but of the children only their spheres
    /// are needed.
    pub fn bounding_sphere(&self) -> Option<BoundingSphere> {
        let mut spheres =
            self.children.iter().map(|(pose, shape)| Some(shape.bounding_sphere()?.transformed(pose)));
        let first = spheres.next()??;
        spheres.try_fold(first, |all, next| Some(all.union(&next?)))
    }

    /// The box around the children's boxes in a pose.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let boxes = self.children.iter().map(|(place, shape)| shape.aabb(&(*pose * *place)));
        boxes.fold(Aabb::EMPTY, |all, next| all.union(&next))
    }

    /// Points whose hull encloses all children: the corners of their oriented boxes. `None` if one is unbounded.
    pub(super) fn outline(&self) -> Option<Vec<DVec3>> {
        let mut points = Vec::new();
        for (pose, shape) in &self.children {
            points.extend(shape.oriented_box()?.transformed(pose).corners());
        }
        Some(points)
    }

    /// True if a child contains the point; `None` if none does for sure and one has no inside.
    pub fn contains(&self, point: DVec3) -> Option<bool> {
        let mut unknown = false;
        for (pose, shape) in &self.children {
            match shape.contains(pose.inverse_transform_point(point)) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => unknown = true,
            }
        }
        (!unknown).then_some(false)
    }

    /// The closest point of any child's surface. Exact outside; inside, it is the exit from the child in which the point is
    /// deepest, which may lie within another child: the true depth is then larger.
    pub fn closest_point(&self, point: DVec3) -> SurfacePoint {
        let place = |(pose, shape): &(Pose, Shape)| {
            shape.closest_point(pose.inverse_transform_point(point)).out_of_frame_of(pose)
        };
        let mut best = place(&self.children[0]);
        for (child, entry) in self.children.iter().enumerate().skip(1) {
            let mut candidate = place(entry);
            if candidate.distance < best.distance {
                candidate.part.child = child as u32;
                best = candidate;
            }
        }
        best
    }

    /// Where a ray first meets the surface of a child.
    pub fn ray_cast(&self, ray: &Ray, max: f64) -> Option<RayHit> {
        let mut best = None;
        for (child, (pose, shape)) in self.children.iter().enumerate() {
            let hit = shape.ray_cast(&ray.into_frame_of(pose), max).map(|hit| {
                let mut hit = hit.out_of_frame_of(pose);
                hit.part.child = child as u32;
                hit
            });
            best = RayHit::nearer(best, hit);
        }
        best
    }
}
