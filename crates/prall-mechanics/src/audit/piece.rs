//! Bodies taken apart, and the depth of two of them.

use glam::DVec3;
use prall_geometry::{Aabb, Shape};
use prall_math::{Norm, Pose};

use super::crossing::triangles_cross;
use super::depth::{Depth, below_plane, depth};
use super::distance::to_triangle;
use super::element::Element;
use super::report::DepthBound;

/// A part of a body in its place.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pose: Pose,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Convex(Element),
    /// Everything below the plane y = 0.
    HalfSpace,
    Surface(Surface),
}

#[derive(Clone, Debug)]
struct Surface {
    triangles: Vec<[DVec3; 3]>,
    /// The shape, if it has an inside.
    solid: Option<Shape>,
}

/// The pieces of a shape.
pub(super) fn pieces(shape: &Shape) -> Vec<Piece> {
    match shape {
        Shape::Compound(compound) => compound
            .children()
            .iter()
            .map(|(pose, child)| Piece { pose: *pose, kind: Kind::new(child) })
            .collect(),
        single => vec![Piece { pose: Pose::IDENTITY, kind: Kind::new(single) }],
    }
}

impl Kind {
    fn new(shape: &Shape) -> Kind {
        Kind::Convex(match shape {
            Shape::Sphere(s) => Element::ball(s.radius()),
            Shape::Box(s) => Element::cuboid(s.half_extents()),
            Shape::Capsule(s) => Element::capsule(s.half_height(), s.radius()),
            Shape::Cylinder(s) => Element::round(s.half_height(), s.radius(), false),
            Shape::Cone(s) => Element::round(s.half_height(), s.radius(), true),
            Shape::ConvexHull(s) => Element::hull(s),
            // Children of compounds are no compounds.
            Shape::HalfSpace(_) | Shape::Compound(_) => return Kind::HalfSpace,
            Shape::TriangleMesh(s) => {
                let mesh = s.mesh();
                let triangles = (0..mesh.triangles().len()).map(|t| mesh.triangle_points(t)).collect();
                return Kind::Surface(Surface { triangles, solid: s.is_solid().then(|| shape.clone()) });
            }
            Shape::Heightfield(s) => {
                let triangles = (0..s.triangle_count()).map(|t| s.triangle_points(t)).collect();
                return Kind::Surface(Surface { triangles, solid: Some(shape.clone()) });
            }
        })
    }
}

/// The deepest overlap of any two pieces, and how good the number is.
pub(super) fn deepest(a: &[Piece], pose_a: &Pose, b: &[Piece], pose_b: &Pose) -> Option<(Depth, DepthBound)> {
    // Everything about an origin between the bodies, so that a place far from the world's costs no digits.
    let origin = pose_a.translation;
    let pairs = a.iter().flat_map(|p| b.iter().map(move |q| (p, q)));
    let depths = pairs.filter_map(|(p, q)| pair(p, &(*pose_a * p.pose), q, &(*pose_b * q.pose), origin));
    depths.max_by(|s, t| s.0.depth.total_cmp(&t.0.depth))
}

fn pair(a: &Piece, pose_a: &Pose, b: &Piece, pose_b: &Pose, origin: DVec3) -> Option<(Depth, DepthBound)> {
    match (&a.kind, &b.kind) {
        (Kind::HalfSpace, Kind::HalfSpace) => None,
        (_, Kind::HalfSpace) => {
            let (base, normal) = (pose_b.translation - origin, pose_b.transform_vector(DVec3::Y));
            match &a.kind {
                Kind::Convex(element) => below_plane(&element.placed(pose_a, origin), base, normal),
                Kind::Surface(surface) => {
                    let triangles = surface.near(pose_a, origin, None);
                    let depths =
                        triangles.iter().filter_map(|t| below_plane(&Element::triangle(*t), base, normal));
                    depths.max_by(|s, t| s.depth.total_cmp(&t.depth))
                }
                Kind::HalfSpace => None,
            }
            .map(|depth| (depth, DepthBound::Exact))
        }
        (Kind::HalfSpace, _) => pair(b, pose_b, a, pose_a, origin).map(turned),
        (Kind::Convex(p), Kind::Convex(q)) => {
            let exact = p.as_polytope().is_some() && q.as_polytope().is_some();
            let bound = if exact { DepthBound::Exact } else { DepthBound::AtMost };
            depth(&p.placed(pose_a, origin), &q.placed(pose_b, origin)).map(|depth| (depth, bound))
        }
        (Kind::Convex(element), Kind::Surface(surface)) => {
            convex_and_surface(&element.placed(pose_a, origin), surface, pose_b, origin)
        }
        (Kind::Surface(_), Kind::Convex(_)) => pair(b, pose_b, a, pose_a, origin).map(turned),
        (Kind::Surface(p), Kind::Surface(q)) => surfaces(p, pose_a, q, pose_b, origin),
    }
}

fn turned((depth, bound): (Depth, DepthBound)) -> (Depth, DepthBound) {
    (Depth { normal: -depth.normal, ..depth }, bound)
}

/// The deepest of all triangles; a body inside of a solid that meets none is as deep as the nearest triangle is far.
fn convex_and_surface(
    element: &Element,
    surface: &Surface,
    pose: &Pose,
    origin: DVec3,
) -> Option<(Depth, DepthBound)> {
    let high = |direction| element.high(direction);
    let reach = DVec3::new(high(DVec3::X), high(DVec3::Y), high(DVec3::Z));
    let low = -DVec3::new(high(DVec3::NEG_X), high(DVec3::NEG_Y), high(DVec3::NEG_Z));
    let near = surface.near(pose, origin, Some(&Aabb { min: low, max: reach }));
    let met = near.iter().filter_map(|&t| depth(element, &Element::triangle(t)));
    let deepest = met.max_by(|s, t| s.depth.total_cmp(&t.depth));
    let deepest = deepest.or_else(|| surface.inside(element.middle(), pose, origin));
    deepest.map(|depth| (depth, DepthBound::AtLeast))
}

fn surfaces(
    a: &Surface,
    pose_a: &Pose,
    b: &Surface,
    pose_b: &Pose,
    origin: DVec3,
) -> Option<(Depth, DepthBound)> {
    let boxes = |triangles: &[[DVec3; 3]]| {
        triangles
            .iter()
            .map(|t| Aabb { min: t[0].min(t[1]).min(t[2]), max: t[0].max(t[1]).max(t[2]) })
            .collect::<Vec<_>>()
    };
    let bounds = |boxes: &[Aabb]| boxes.iter().fold(Aabb::EMPTY, |all, next| all.union(next));
    let all_a = bounds(&boxes(&a.near(pose_a, origin, None)));
    let near_b = b.near(pose_b, origin, Some(&all_a));
    let boxes_b = boxes(&near_b);
    let near_a = a.near(pose_a, origin, Some(&bounds(&boxes_b)));
    let boxes_a = boxes(&near_a);
    let mut order: Vec<usize> = (0..near_b.len()).collect();
    order.sort_by(|&i, &j| boxes_b[i].min.x.total_cmp(&boxes_b[j].min.x));
    let mut deepest: Option<Depth> = None;
    for (s, box_s) in near_a.iter().zip(&boxes_a) {
        for &j in order.iter().take_while(|&&j| boxes_b[j].min.x <= box_s.max.x) {
            if box_s.overlaps(&boxes_b[j])
                && triangles_cross(s, &near_b[j])
                && let Some(found) = depth(&Element::triangle(*s), &Element::triangle(near_b[j]))
                && deepest.is_none_or(|most| found.depth > most.depth)
            {
                deepest = Some(found);
            }
        }
    }
    let inside = || {
        let into_b = a.first_point(pose_a, origin).and_then(|p| b.inside(p, pose_b, origin));
        let into_a = b.first_point(pose_b, origin).and_then(|q| a.inside(q, pose_a, origin));
        into_b.or(into_a.map(|depth| Depth { normal: -depth.normal, ..depth }))
    };
    deepest.or_else(inside).map(|depth| (depth, DepthBound::AtLeast))
}

impl Surface {
    /// Triangles in their place whose boxes meet `region`, or all.
    fn near(&self, pose: &Pose, origin: DVec3, region: Option<&Aabb>) -> Vec<[DVec3; 3]> {
        let shift = pose.translation - origin;
        let placed = self.triangles.iter().map(|t| t.map(|p| pose.transform_vector(p) + shift));
        let meets = |t: &[DVec3; 3], region: &Aabb| {
            Aabb { min: t[0].min(t[1]).min(t[2]), max: t[0].max(t[1]).max(t[2]) }.overlaps(region)
        };
        placed.filter(|t| region.is_none_or(|region| meets(t, region))).collect()
    }

    fn first_point(&self, pose: &Pose, origin: DVec3) -> Option<DVec3> {
        self.triangles.first().map(|t| pose.transform_vector(t[0]) + (pose.translation - origin))
    }

    /// How deep a point is inside of a solid.
    fn inside(&self, point: DVec3, pose: &Pose, origin: DVec3) -> Option<Depth> {
        let shift = pose.translation - origin;
        let local = pose.inverse_transform_vector(point - shift);
        if self.solid.as_ref()?.contains(local) != Some(true) {
            return None;
        }
        let nearest = self
            .triangles
            .iter()
            .min_by(|s, t| to_triangle(local, **s).total_cmp(&to_triangle(local, **t)))?;
        let normal = (nearest[1] - nearest[0]).cross(nearest[2] - nearest[0]).unit_or(DVec3::Y);
        let depth = to_triangle(local, *nearest);
        (depth > 0.0).then(|| Depth { depth, normal: pose.transform_vector(normal) })
    }
}
