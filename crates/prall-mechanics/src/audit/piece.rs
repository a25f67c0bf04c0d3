//! Bodies taken apart, and the depth of two of them.

use glam::DVec3;
use prall_geometry::{Aabb, Components, HalfEdges, Mesh, Ray, Shape};
use prall_math::{Norm, Pose};

use super::crossing::{Meeting, meeting};
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
    /// A point of each connected piece.
    pieces: Vec<DVec3>,
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
                let solid = s.is_solid().then(|| shape.clone());
                return Kind::Surface(Surface { triangles, solid, pieces: piece_points(mesh) });
            }
            Shape::Heightfield(s) => {
                let triangles: Vec<_> = (0..s.triangle_count()).map(|t| s.triangle_points(t)).collect();
                let pieces = triangles.first().map(|t| t[0]).into_iter().collect();
                return Kind::Surface(Surface { triangles, solid: Some(shape.clone()), pieces });
            }
        })
    }
}

/// The first corner of each connected piece of a mesh.
fn piece_points(mesh: &Mesh) -> Vec<DVec3> {
    let components = Components::by_shared_vertices(&HalfEdges::new(mesh));
    let mut points = vec![None; components.count()];
    for face in 0..mesh.face_count() {
        let corner = mesh.face(face).first().map(|&corner| mesh.positions()[corner as usize]);
        let known = &mut points[components.of_face(face) as usize];
        *known = known.or(corner);
    }
    points.into_iter().flatten().collect()
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

/// Triangles of two surfaces that are near each other.
struct NearTriangles {
    a: Vec<[DVec3; 3]>,
    b: Vec<[DVec3; 3]>,
    boxes_b: Vec<Aabb>,
    /// Of `b`, by the lowest x of their boxes.
    order: Vec<usize>,
    size: f64,
}

fn box_of(t: &[DVec3; 3]) -> Aabb {
    Aabb { min: t[0].min(t[1]).min(t[2]), max: t[0].max(t[1]).max(t[2]) }
}

/// Four directions that span space with positive factors: one of them leads out of any touching.
const SHIFTS: [DVec3; 4] = [
    DVec3::new(0.577, 0.581, 0.573),
    DVec3::new(-0.571, -0.583, 0.577),
    DVec3::new(-0.579, 0.575, -0.581),
    DVec3::new(0.583, -0.573, -0.571),
];

/// How far triangles are shifted to tell crossing from touching, as a part of their size: a nanometre for a metre, far above rounding
/// and far below anything that is built.
const SHIFT: f64 = 1e-9;

impl NearTriangles {
    fn new(a: &Surface, pose_a: &Pose, b: &Surface, pose_b: &Pose, origin: DVec3) -> NearTriangles {
        let bounds =
            |triangles: &[[DVec3; 3]]| triangles.iter().fold(Aabb::EMPTY, |all, t| all.union(&box_of(t)));
        let all_a = bounds(&a.near(pose_a, origin, None));
        let near_b = b.near(pose_b, origin, Some(&all_a.grown(SHIFT * all_a.diameter())));
        let all_b = bounds(&near_b);
        let near_a = if near_b.is_empty() {
            Vec::new()
        } else {
            a.near(pose_a, origin, Some(&all_b.grown(SHIFT * all_a.diameter())))
        };
        let boxes_b: Vec<Aabb> = near_b.iter().map(box_of).collect();
        let mut order: Vec<usize> = (0..near_b.len()).collect();
        order.sort_by(|&i, &j| boxes_b[i].min.x.total_cmp(&boxes_b[j].min.x));
        NearTriangles { a: near_a, b: near_b, boxes_b, order, size: all_a.diameter() }
    }

    /// The deepest pair of crossing triangles with the first surface shifted, and whether some coincide.
    fn crossing(&self, shift: DVec3) -> (Option<Depth>, bool) {
        let (mut deepest, mut coincide): (Option<Depth>, bool) = (None, false);
        for s in &self.a {
            let s = s.map(|corner| corner + shift);
            let box_s = box_of(&s);
            for &j in self.order.iter().take_while(|&&j| self.boxes_b[j].min.x <= box_s.max.x) {
                if !box_s.overlaps(&self.boxes_b[j]) {
                    continue;
                }
                match meeting(&s, &self.b[j]) {
                    Meeting::Apart => {}
                    Meeting::Coincide => coincide = true,
                    Meeting::Cross => {
                        let found = depth(&Element::triangle(s), &Element::triangle(self.b[j]));
                        // What crosses by less than the directions' rounding is as deep as that.
                        let rounding = f64::EPSILON * self.size;
                        let found = found.unwrap_or(Depth { depth: rounding, normal: DVec3::Y });
                        if deepest.is_none_or(|most| found.depth > most.depth) {
                            deepest = Some(found);
                        }
                    }
                }
            }
        }
        (deepest, coincide)
    }

    /// The deepest crossing. Where corners lie exactly in planes, what crosses still does when it is shifted a little in any direction,
    /// and what touches does not.
    fn deepest(&self) -> Option<Depth> {
        let (deepest, coincide) = self.crossing(DVec3::ZERO);
        if deepest.is_some() || !coincide {
            return deepest;
        }
        let mut least: Option<Depth> = None;
        for direction in SHIFTS {
            let found = self.crossing(direction * (SHIFT * self.size)).0?;
            if least.is_none_or(|known| found.depth < known.depth) {
                least = Some(found);
            }
        }
        least
    }
}

/// The deepest of all crossing pairs and of all points of one body that lie inside the other: corners and middles of triangles, and for
/// solids the point halfway from there to the opposite wall. Each is a lower bound: the two triangles must come apart, and the
/// point must come out. Without a crossing a piece may lie wholly inside.
fn surfaces(
    a: &Surface,
    pose_a: &Pose,
    b: &Surface,
    pose_b: &Pose,
    origin: DVec3,
) -> Option<(Depth, DepthBound)> {
    let near = NearTriangles::new(a, pose_a, b, pose_b, origin);
    let turned = |depth: Depth| Depth { normal: -depth.normal, ..depth };
    let deeper = |s: Depth, t: Depth| if t.depth > s.depth { t } else { s };
    let crossing = near.deepest();
    let deepest = if crossing.is_some() {
        let of_a = a.sample_points(&near.a, pose_a, origin).into_iter();
        let of_b = b.sample_points(&near.b, pose_b, origin).into_iter();
        let into_b = of_a.filter_map(|p| b.inside(p, pose_b, origin));
        let into_a = of_b.filter_map(|q| a.inside(q, pose_a, origin)).map(turned);
        crossing.into_iter().chain(into_b).chain(into_a).reduce(deeper)
    } else {
        let into_b = a.piece_points(pose_a, origin).filter_map(|p| b.inside(p, pose_b, origin));
        let into_a = b.piece_points(pose_b, origin).filter_map(|q| a.inside(q, pose_a, origin)).map(turned);
        into_b.chain(into_a).reduce(deeper)
    };
    deepest.map(|depth| (depth, DepthBound::AtLeast))
}

impl Surface {
    /// Triangles in their place whose boxes meet `region`, or all.
    fn near(&self, pose: &Pose, origin: DVec3, region: Option<&Aabb>) -> Vec<[DVec3; 3]> {
        let shift = pose.translation - origin;
        let placed = self.triangles.iter().map(|t| t.map(|p| pose.transform_vector(p) + shift));
        placed.filter(|t| region.is_none_or(|region| box_of(t).overlaps(region))).collect()
    }

    /// A point of each connected piece.
    fn piece_points(&self, pose: &Pose, origin: DVec3) -> impl Iterator<Item = DVec3> + '_ {
        let (pose, shift) = (*pose, pose.translation - origin);
        self.pieces.iter().map(move |&point| pose.transform_vector(point) + shift)
    }

    /// Corners and middles of these triangles, which are the surface's own in their place, and points halfway through the solid.
    fn sample_points(&self, triangles: &[[DVec3; 3]], pose: &Pose, origin: DVec3) -> Vec<DVec3> {
        let mut points: Vec<DVec3> = Vec::with_capacity(5 * triangles.len());
        for t in triangles {
            let middle = (t[0] + t[1] + t[2]) / 3.0;
            points.extend([t[0], t[1], t[2], middle]);
            points.extend(self.halfway_through(t, middle, pose, origin));
        }
        // Corners are shared by some six triangles.
        points.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z)));
        points.dedup();
        points
    }

    /// Halfway from the middle of a triangle to the opposite wall of a solid.
    fn halfway_through(&self, t: &[DVec3; 3], middle: DVec3, pose: &Pose, origin: DVec3) -> Option<DVec3> {
        let solid = self.solid.as_ref()?;
        let inward = -(t[1] - t[0]).cross(t[2] - t[0]).try_unit()?;
        let size = (t[1] - t[0]).norm().max((t[2] - t[0]).norm());
        // A little inside, so that the ray does not meet the triangle that it begins on.
        let begin = middle + inward * (SHIFT * size);
        let shift = pose.translation - origin;
        let local = pose.inverse_transform_vector(begin - shift);
        let ray = Ray::new(local, pose.inverse_transform_vector(inward)).ok()?;
        let hit = solid.ray_cast(&ray, f64::INFINITY)?;
        Some(begin + inward * (0.5 * hit.distance))
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
