//! [`Segments`]: contacts of a mechanism with a fixed mesh by segments that stick out of its bodies (Rempfler 2015, 2.1.4).

use glam::DVec3;
use prall_detection::{Filter, Method, PairIndex};
use prall_geometry::{Aabb, Ray, Shape};
use prall_math::Norm;
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
pub struct Segments {
    segments: Vec<Segment>,
    /// Fixed shapes other than meshes.
    solids: Vec<Shape>,
    /// Triangles of all meshes, and the tree of their boxes; an entry's slot is the triangle's number.
    triangles: Vec<[DVec3; 3]>,
    index: PairIndex,
}

impl Default for Segments {
    fn default() -> Segments {
        let index = PairIndex::new(Method::Tree);
        Segments { segments: Vec::new(), solids: Vec::new(), triangles: Vec::new(), index }
    }
}

/// How far beyond its border a triangle is met, as a share of it: neighbours then leave no crack between them.
const BORDER: f64 = 1e-9;

impl Segments {
    /// Adds something fixed, in the frame of the world. Triangles of meshes are found through a tree of boxes.
    pub fn surround(&mut self, shape: Shape) {
        let Shape::TriangleMesh(mesh) = &shape else {
            self.solids.push(shape);
            return;
        };
        let mesh = mesh.mesh();
        for triangle in 0..mesh.triangles().len() {
            let corners = mesh.triangle_points(triangle);
            let bounds = Aabb {
                min: corners[0].min(corners[1]).min(corners[2]),
                max: corners[0].max(corners[1]).max(corners[2]),
            };
            // Meshes have finite corners, which is all that an index asks for.
            if self.index.insert(bounds, Filter { groups: 1, mask: 0 }).is_ok() {
                self.triangles.push(corners);
            }
        }
    }

    /// Adds a segment; its number is the id of its contacts. One without length is refused: `None`.
    pub fn add(&mut self, segment: Segment) -> Option<u64> {
        let length = segment.inward.norm();
        (length > 0.0 && length.is_finite() && segment.point.is_finite()).then(|| {
            self.segments.push(segment);
            self.segments.len() as u64 - 1
        })
    }

    /// The closed contacts of a tree: where a segment, from its inner end outwards, first meets a surface.
    pub fn find(&mut self, tree: &Tree, found: &mut Vec<MoreauContact>) {
        let Segments { segments, solids, triangles, index } = self;
        for (id, segment) in segments.iter().enumerate() {
            let pose = tree.pose(segment.node);
            let tip = pose.transform_point(segment.point);
            let inward = pose.transform_vector(segment.inward);
            let length = inward.norm();
            let Ok(ray) = Ray::new(tip + inward, -inward) else { continue };
            let outward = -inward / length;
            let hits = solids.iter().filter_map(|shape| shape.ray_cast(&ray, length));
            let mut best = hits.map(|hit| (hit.distance, hit.normal)).min_by(|a, b| a.0.total_cmp(&b.0));
            // Where the ray is finite the index has nothing to refuse.
            let _ = index.cast_ray(ray.origin(), outward, length, |proxy, _| {
                let nearest = best.map_or(length, |(distance, _)| distance);
                if let Some(hit) =
                    triangles.get(proxy.slot()).and_then(|t| meet_triangle(t, ray.origin(), outward))
                    && hit.0 <= nearest
                {
                    best = Some(hit);
                }
                best.map_or(f64::INFINITY, |(distance, _)| distance)
            });
            let Some((distance, normal)) = best else { continue };
            // A surface has two sides; the body is on the one that its segment comes from.
            let normal = if normal.dot(outward) > 0.0 { -normal } else { normal };
            let across = match segment.tangent {
                Tangent::Across(axis) => pose.transform_vector(axis).cross(normal),
                Tangent::Any => normal.any_orthonormal_vector(),
            };
            let point = tip - outward * (length - distance);
            found.push(MoreauContact {
                id: id as u64,
                node: segment.node,
                point,
                normal,
                tangent: across.try_unit().unwrap_or_else(|| normal.any_orthonormal_vector()),
                gap: normal.dot(tip - point),
                restitution: segment.restitution,
                friction: segment.friction.clone(),
            });
        }
    }
}

/// Distance along a unit direction at which a triangle is met, and its normal (Möller and Trumbore 1997). `None` if it is missed or lies behind.
pub fn meet_triangle(&[a, b, c]: &[DVec3; 3], origin: DVec3, direction: DVec3) -> Option<(f64, DVec3)> {
    let (u, v) = (b - a, c - a);
    let normal = u.cross(v);
    let facing = -direction.dot(normal);
    let (from, side) = (origin - a, (origin - a).cross(direction));
    let (p, q, distance) = (v.dot(side) / facing, -u.dot(side) / facing, from.dot(normal) / facing);
    let inside = p >= -BORDER && q >= -BORDER && p + q <= 1.0 + BORDER && distance >= 0.0;
    inside.then(|| (distance, normal.unit()))
}
