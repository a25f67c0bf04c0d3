//! [`Boundary`]: the boundary of a shape as features that near pairs are found on.

use std::sync::Arc;

use glam::DVec3;
use prall_geometry::{Aabb, ConvexHull, Shape};
use prall_math::{Norm, Pose};

use super::topology::{Topology, Triangles};
use super::turned::Turned;
use crate::hierarchy::{BoxProbe, BuildOptions, Hierarchy, Preparation};
use crate::manifold::{Kind, Piece, Surface, Touchable, TouchableError};
use crate::workspace::Workspace;

/// The boundary of a shape as triangles, edges and vertices with one name each: what near features are found on.
///
/// Round shapes are a core with a radius: a ball is a vertex, a capsule an edge. Half-spaces are their plane. Cylinders and cones have
/// rims, a side, caps and an apex. Built once, shared by clones.
#[derive(Clone, Debug)]
pub struct Boundary {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    touchable: Touchable,
    parts: Vec<Part>,
    planes: Vec<Plane>,
    /// Cylinders and cones.
    turned: Vec<Turned>,
    polyhedral: bool,
    surface: bool,
    radius: f64,
}

/// All pieces whose cores carry the same radius, in the body's frame.
#[derive(Debug)]
pub(super) struct Part {
    /// Around the triangles, in metres; 0 of polyhedra.
    pub(super) radius: f64,
    tree: Tree,
    pub(super) topology: Topology,
    /// What the numbers of the part's vertices, edges and triangles begin with, so that they are unique in the body.
    pub(super) first_vertex: u32,
    pub(super) first_edge: u32,
    pub(super) first_triangle: u32,
}

/// The hierarchy over a part's triangles: its own, or that of the only mesh.
#[derive(Debug)]
enum Tree {
    Own(Hierarchy),
    Shared(Arc<Surface>),
}

impl Part {
    pub(super) fn hierarchy(&self) -> &Hierarchy {
        match &self.tree {
            Tree::Own(hierarchy) => hierarchy,
            Tree::Shared(surface) => &surface.hierarchy,
        }
    }
}

/// Everything with `normal . x <= height`, in the body's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub(super) normal: DVec3,
    pub(super) point: DVec3,
    /// Unique among planes and triangles of the body.
    pub(super) number: u32,
}

impl Boundary {
    /// The boundary of a shape of any kind: a few microseconds a triangle.
    ///
    /// Meshes count as the surfaces that they are, from both sides; children of a compound in their poses.
    pub fn new(shape: &Shape) -> Result<Boundary, TouchableError> {
        Boundary::of(&Touchable::new(shape)?)
    }

    /// As [`Boundary::new`], with the hierarchies of meshes made on many threads or read from a folder.
    pub fn prepared(shape: &Shape, preparation: &Preparation<'_>) -> Result<Boundary, TouchableError> {
        Boundary::of(&Touchable::prepared(shape, preparation)?)
    }

    /// The boundary of a shape that was made ready before; it shares the hierarchies of meshes.
    pub fn of(touchable: &Touchable) -> Result<Boundary, TouchableError> {
        let pieces = touchable.pieces();
        let mut lists: Vec<(f64, Triangles)> = Vec::new();
        let (mut turned, mut surface, mut planes) = (Vec::new(), false, Vec::new());
        for piece in pieces {
            match (piece.kind(), piece.shape()) {
                (Kind::HalfSpace, _) => planes.push(*piece.pose()),
                (_, shape @ (Shape::Cylinder(_) | Shape::Cone(_))) => {
                    turned.extend(Turned::new(shape, piece.pose(), turned.len() as u32));
                }
                _ => {
                    surface |= matches!(piece.kind(), Kind::Surface(_));
                    let radius = core_radius(piece.shape());
                    let same = lists.iter_mut().find(|(known, _)| *known == radius);
                    match same {
                        Some((_, list)) => add(list, piece),
                        None => {
                            let mut list = Triangles::default();
                            add(&mut list, piece);
                            lists.push((radius, list));
                        }
                    }
                }
            }
        }
        let single = match pieces {
            [piece] if *piece.pose() == Pose::IDENTITY => match piece.kind() {
                Kind::Surface(surface) => Some(surface),
                _ => None,
            },
            _ => None,
        };
        let (mut first_vertex, mut first_edge, mut first_triangle) = (0, 0, 0);
        let mut parts = Vec::new();
        for (radius, list) in &lists {
            let tree = match single {
                Some(surface) => Tree::Shared(surface.clone()),
                None => Tree::Own(Hierarchy::build(&list.corners(), &BuildOptions::default())?),
            };
            let hierarchy = match &tree {
                Tree::Own(hierarchy) => hierarchy,
                Tree::Shared(surface) => &surface.hierarchy,
            };
            let topology = Topology::new(list, hierarchy);
            let counts = (topology.vertex_count(), topology.edge_count(), topology.faces.len() as u32);
            parts.push(Part { radius: *radius, tree, topology, first_vertex, first_edge, first_triangle });
            first_vertex += counts.0;
            first_edge += counts.1;
            first_triangle += counts.2;
        }
        let planes: Vec<Plane> = (first_triangle..)
            .zip(&planes)
            .map(|(number, pose)| Plane {
                normal: pose.transform_vector(DVec3::Y),
                point: pose.translation,
                number,
            })
            .collect();
        let radius = parts.iter().map(|part| part.hierarchy().radius() + part.radius).fold(0.0, f64::max);
        let polyhedral =
            turned.is_empty() && planes.is_empty() && parts.iter().all(|part| part.radius == 0.0);
        let touchable = touchable.clone();
        Ok(Boundary {
            inner: Arc::new(Inner { touchable, parts, planes, turned, polyhedral, surface, radius }),
        })
    }

    /// True if the boundary consists of triangles alone: nothing round, no half-space.
    pub fn is_polyhedral(&self) -> bool {
        self.inner.polyhedral
    }

    /// True if some piece is a mesh or a height field.
    pub fn has_surface(&self) -> bool {
        self.inner.surface
    }

    /// Radius of a sphere about the body's origin that contains everything but half-spaces, cylinders and cones, in metres.
    pub fn radius(&self) -> f64 {
        self.inner.radius
    }

    /// Replaces `found` by the triangles, in the body's frame, that may reach into a box of that frame, in a fixed order; at most `most` of them.
    ///
    /// False if there are more, or if something else than triangles may be there: round pieces, half-spaces.
    pub fn triangles_in(
        &self,
        within: &Aabb,
        most: usize,
        workspace: &mut Workspace,
        found: &mut Vec<[DVec3; 3]>,
    ) -> bool {
        found.clear();
        let [part] = self.inner.parts.as_slice() else { return false };
        if !self.inner.polyhedral {
            return false;
        }
        let hierarchy = part.hierarchy();
        let mut complete = true;
        hierarchy.visit_near_box(&BoxProbe::in_place(within), 0.0, &mut workspace.nodes, |slot| {
            complete = found.len() < most;
            if complete {
                found.push(*hierarchy.at_slot(slot));
            }
            complete
        });
        complete
    }

    /// The shape as it was made ready.
    pub fn touchable(&self) -> &Touchable {
        &self.inner.touchable
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.inner.parts
    }

    pub(super) fn turned(&self) -> &[Turned] {
        &self.inner.turned
    }

    pub(super) fn planes(&self) -> &[Plane] {
        &self.inner.planes
    }
}

/// True for cylinders and cones.
pub(super) fn is_turned(piece: &Piece) -> bool {
    matches!(piece.shape(), Shape::Cylinder(_) | Shape::Cone(_))
}

fn core_radius(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere(sphere) => sphere.radius(),
        Shape::Capsule(capsule) => capsule.radius(),
        _ => 0.0,
    }
}

/// Adds the core of a piece in its place.
fn add(list: &mut Triangles, piece: &Piece) {
    let pose = piece.pose();
    let placed = |point: DVec3| if *pose == Pose::IDENTITY { point } else { pose.transform_point(point) };
    if let Kind::Surface(surface) = piece.kind() {
        let closed = matches!(piece.shape(), Shape::TriangleMesh(mesh) if mesh.is_solid());
        let positions = surface.positions().iter().map(|&p| placed(p));
        return list.add(positions, surface.corner_numbers(), closed);
    }
    match piece.shape() {
        Shape::Sphere(_) => list.add([placed(DVec3::ZERO)], [[0, 0, 0]], false),
        Shape::Capsule(capsule) => {
            let up = DVec3::Y * capsule.half_height();
            list.add([placed(-up), placed(up)], [[0, 1, 1]], false);
        }
        Shape::Box(cuboid) => {
            let half = cuboid.half_extents();
            let corner = |bits: u32| {
                let side = |bit: u32| if bits & bit == 0 { -1.0 } else { 1.0 };
                placed(half * DVec3::new(side(1), side(2), side(4)))
            };
            list.add((0..8).map(corner), BOX, true);
        }
        Shape::ConvexHull(hull) => {
            list.add(hull.vertices().iter().map(|&p| placed(p)), fans(hull), true);
        }
        _ => {}
    }
}

/// Triangles of a box, seen from outside counterclockwise; corners by bits: 1, 2 and 4 for the larger x, y and z.
const BOX: [[u32; 3]; 12] = [
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
];

/// The faces of a hull as triangles.
fn fans(hull: &ConvexHull) -> Vec<[u32; 3]> {
    let fan = |face: usize| {
        let corners = hull.face(face);
        (2..corners.len()).map(move |i| [corners[0], corners[i - 1], corners[i]])
    };
    (0..hull.face_count()).flat_map(fan).collect()
}

/// Farthest that a plane's point is from the origin: what its coordinates round by.
pub(super) fn plane_size(plane: &Plane) -> f64 {
    plane.point.norm()
}
