//! [`Segments`]: contacts of a mechanism with a fixed mesh by segments that stick out of its bodies (Rempfler 2015, 2.4).

use glam::DVec3;
use prall_geometry::{Ray, Shape};
use prall_mechanics::tree::Tree;

use crate::{FrictionSet, MoreauContact};

/// How the tangents of a contact lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tangent {
    /// Anyhow: for friction that is the same in all directions.
    Any,
    /// Along the body's axis that is across this one, in the body's frame: `t = axis x n`. For a runner it is the lateral axis.
    Across(DVec3),
}

/// A segment of a body: from a point on its surface straight into it.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The body.
    pub node: usize,
    /// The point of the surface, in the frame of the body's centre of mass.
    pub point: DVec3,
    /// From there into the body. The longer, the deeper an overlap may be before the contact is lost; a step must not move the point by
    /// more than this.
    pub inward: DVec3,
    /// How its tangents lie.
    pub tangent: Tangent,
    /// Newton's restitution along the normal and along the tangents.
    pub restitution: [f64; 2],
    /// Which friction it transmits.
    pub friction: FrictionSet,
}

/// Segments against fixed shapes: a track, its walls, end stops and barriers, all alike.
#[derive(Clone, Debug, Default)]
pub struct Segments {
    segments: Vec<Segment>,
    surroundings: Vec<Shape>,
}

impl Segments {
    /// Adds something fixed, in the frame of the world; meshes are searched by their hierarchy.
    pub fn surround(&mut self, shape: Shape) {
        self.surroundings.push(shape);
    }

    /// Adds a segment; its number is the id of its contacts. One without length is refused: `None`.
    pub fn add(&mut self, segment: Segment) -> Option<u64> {
        let length = segment.inward.length();
        (length > 0.0 && length.is_finite() && segment.point.is_finite()).then(|| {
            self.segments.push(segment);
            self.segments.len() as u64 - 1
        })
    }

    /// The closed contacts of a tree: where a segment, from its inner end outwards, first meets a surface.
    pub fn find(&self, tree: &Tree, found: &mut Vec<MoreauContact>) {
        for (id, segment) in self.segments.iter().enumerate() {
            let pose = tree.pose(segment.node);
            let tip = pose.transform_point(segment.point);
            let inward = pose.transform_vector(segment.inward);
            let length = inward.length();
            let Ok(ray) = Ray::new(tip + inward, -inward) else { continue };
            let hits = self.surroundings.iter().filter_map(|shape| shape.ray_cast(&ray, length));
            let Some(hit) = hits.min_by(|a, b| a.distance.total_cmp(&b.distance)) else { continue };
            let outward = -inward / length;
            // A surface has two sides; the body is on the one that its segment comes from.
            let normal = if hit.normal.dot(outward) > 0.0 { -hit.normal } else { hit.normal };
            let across = match segment.tangent {
                Tangent::Across(axis) => pose.transform_vector(axis).cross(normal),
                Tangent::Any => normal.any_orthonormal_vector(),
            };
            let point = tip - outward * (length - hit.distance);
            found.push(MoreauContact {
                id: id as u64,
                node: segment.node,
                point,
                normal,
                tangent: across.try_normalize().unwrap_or_else(|| normal.any_orthonormal_vector()),
                gap: normal.dot(tip - point),
                restitution: segment.restitution,
                friction: segment.friction.clone(),
            });
        }
    }
}
