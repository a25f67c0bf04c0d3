//! [`Surface`]: a mesh with what contacts ask of it.
//!
//! Contacts at an edge or a vertex are judged by the *normal cone*: the directions in which the feature is the farthest point
//! of the surface nearby. Outside of its cone something next to the feature is touched first, and the contact belongs there. The
//! cone of an edge between two faces in one plane is their normal alone, that of a valley is empty: nothing ever
//! catches at either.

use glam::{DMat3, DVec3};
use prall_geometry::{EdgeOptions, Edges, HalfEdges, Mesh};
use prall_math::{Norm, Pose};

use super::touchable::TouchableError;
use crate::contact::{Feature, ShapePart};
use crate::hierarchy::{BuildOptions, Hierarchy, Preparation, triangles_of};

/// How far outside of a normal cone a direction may be (sine, no unit): above rounding, below any edge that counts.
const CONE: f64 = 1e-6;

/// No neighbour.
pub(super) const NONE: u32 = u32::MAX;

/// Triangles with their neighbourhood, in the body's frame.
#[derive(Debug)]
pub(crate) struct Surface {
    positions: Vec<DVec3>,
    triangles: Vec<SurfaceTriangle>,
    edges: Vec<SurfaceEdge>,
    vertex_active: Vec<bool>,
    /// Means of the normals around each vertex, weighted by angle (Baerentzen and Aanaes 2005).
    vertex_normals: Vec<DVec3>,
    neighbour_starts: Vec<u32>,
    neighbours: Vec<u32>,
    pub(crate) hierarchy: Hierarchy,
    /// Touched from outside only.
    pub(super) one_sided: bool,
}

/// A triangle; edge i runs from corner i to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceTriangle {
    pub(super) corners: [u32; 3],
    pub(super) edges: [u32; 3],
    /// Face of the mesh that it is a part of.
    pub(super) face: u32,
    pub(super) normal: DVec3,
}

/// An edge between triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceEdge {
    /// Smaller number first.
    pub(super) ends: [u32; 2],
    /// The triangles on it; the second is [`NONE`] at a border, and where more than two meet only two are named.
    pub(super) triangles: [u32; 2],
    pub(super) active: bool,
}

impl Surface {
    pub(super) fn new(
        mesh: &Mesh,
        one_sided: bool,
        preparation: &Preparation<'_>,
    ) -> Result<Surface, TouchableError> {
        let hierarchy = preparation.hierarchy(&triangles_of(mesh), &BuildOptions::default())?;
        let options = EdgeOptions { two_sided: !one_sided, ..EdgeOptions::default() };
        let half_edges = HalfEdges::new(mesh);
        let judged = Edges::new(mesh, &half_edges, &options)?;
        let (edges, edges_of) = edges(mesh, &half_edges, &judged);
        let triangles = mesh.triangles().iter().zip(edges_of).enumerate().map(|(i, (&corners, edges))| {
            let face = mesh.triangle_face(i);
            SurfaceTriangle { corners, edges, face, normal: mesh.face_normal(face as usize) }
        });
        let count = mesh.positions().len();
        let (neighbour_starts, neighbours) = neighbours(&edges, count);
        let mut surface = Surface {
            positions: mesh.positions().to_vec(),
            triangles: triangles.collect(),
            edges,
            vertex_active: (0..count as u32).map(|vertex| judged.vertex_is_active(vertex)).collect(),
            vertex_normals: Vec::new(),
            neighbour_starts,
            neighbours,
            hierarchy,
            one_sided,
        };
        surface.vertex_normals = surface.angle_weighted_normals();
        Ok(surface)
    }

    fn angle_weighted_normals(&self) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; self.positions.len()];
        for triangle in &self.triangles {
            let points = triangle.corners.map(|corner| self.positions[corner as usize]);
            for i in 0..3 {
                let (u, v) = (points[(i + 1) % 3] - points[i], points[(i + 2) % 3] - points[i]);
                let angle = libm::atan2(u.cross(v).norm(), u.dot(v));
                normals[triangle.corners[i] as usize] += triangle.normal * angle;
            }
        }
        normals
    }

    pub(super) fn triangle(&self, triangle: u32) -> &SurfaceTriangle {
        &self.triangles[triangle as usize]
    }

    pub(super) fn edge(&self, edge: u32) -> &SurfaceEdge {
        &self.edges[edge as usize]
    }

    pub(super) fn vertex_is_active(&self, vertex: u32) -> bool {
        self.vertex_active[vertex as usize]
    }

    pub(super) fn vertex_normal(&self, vertex: u32) -> DVec3 {
        self.vertex_normals[vertex as usize]
    }

    pub(crate) fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// The vertices at the corners of each triangle.
    pub(crate) fn corner_numbers(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.triangles.iter().map(|triangle| triangle.corners)
    }

    /// A feature of one of the triangles, by the numbers of the whole.
    pub(crate) fn part(&self, feature: &Feature) -> ShapePart {
        match *feature {
            Feature::Vertex { triangle, corner } => {
                ShapePart::Vertex(self.triangle(triangle).corners[usize::from(corner)])
            }
            Feature::Edge { triangle, edge } => {
                let [from, to] = self.edge(self.triangle(triangle).edges[usize::from(edge)]).ends;
                ShapePart::Edge(from, to)
            }
            Feature::Face { triangle } => ShapePart::Face(self.triangle(triangle).face),
            Feature::Shape { part, .. } => part,
        }
    }

    /// Sum of the normals beside an edge.
    pub(super) fn edge_normal(&self, edge: u32) -> DVec3 {
        let beside = self.edge(edge).triangles.into_iter().filter(|&t| t != NONE);
        beside.map(|t| self.triangle(t).normal).sum()
    }

    /// True if nothing beside the edge reaches farther in a direction (unit, body's frame) than the edge does.
    pub(super) fn edge_cone_holds(&self, edge: u32, direction: DVec3) -> bool {
        let SurfaceEdge { ends, triangles, .. } = self.edge(edge);
        let from = self.positions[ends[0] as usize];
        triangles.iter().filter(|&&t| t != NONE).all(|&t| {
            let apex = self.triangle(t).corners.into_iter().find(|corner| !ends.contains(corner));
            apex.is_none_or(|apex| {
                // Across the edge, in the plane of the triangle: needles have their apex nearly on the edge.
                let along = (self.positions[ends[1] as usize] - from).unit_or(DVec3::ZERO);
                let side = self.positions[apex as usize] - from;
                let across = side - along * along.dot(side);
                direction.dot(across) <= CONE * across.norm()
            })
        })
    }

    /// True if no edge at the vertex rises in a direction.
    pub(super) fn vertex_cone_holds(&self, vertex: u32, direction: DVec3) -> bool {
        let at = vertex as usize;
        let around = self.neighbour_starts[at] as usize..self.neighbour_starts[at + 1] as usize;
        self.neighbours[around].iter().all(|&next| {
            let side = self.positions[next as usize] - self.positions[at];
            direction.dot(side) <= CONE * side.norm()
        })
    }
}

/// Edges of the triangles, the diagonals of polygons among them, and the three of each triangle.
fn edges(mesh: &Mesh, half_edges: &HalfEdges, judged: &Edges) -> (Vec<SurfaceEdge>, Vec<[u32; 3]>) {
    let mut sides: Vec<([u32; 2], u32, u32)> = Vec::with_capacity(3 * mesh.triangles().len());
    for (triangle, corners) in (0..).zip(mesh.triangles()) {
        for side in 0..3 {
            let (from, to) = (corners[side], corners[(side + 1) % 3]);
            sides.push(([from.min(to), from.max(to)], triangle, side as u32));
        }
    }
    sides.sort_unstable();
    // Edges of the mesh are numbered in the order of their ends as well; diagonals are not among them.
    let mut number = 0_u32;
    let mut edges: Vec<SurfaceEdge> = Vec::with_capacity(sides.len() / 2 + 1);
    let mut edges_of = vec![[0; 3]; mesh.triangles().len()];
    for same in sides.chunk_by(|p, q| p.0 == q.0) {
        let ends = same[0].0;
        while (number as usize) < half_edges.edge_count() && half_edges.edge_vertices(number) < ends {
            number += 1;
        }
        let real = (number as usize) < half_edges.edge_count() && half_edges.edge_vertices(number) == ends;
        let second = same.get(1).map_or(NONE, |side| side.1);
        for &(_, triangle, side) in same {
            edges_of[triangle as usize][side as usize] = edges.len() as u32;
        }
        edges.push(SurfaceEdge {
            ends,
            triangles: [same[0].1, second],
            active: real && judged.is_active(number),
        });
    }
    (edges, edges_of)
}

fn neighbours(edges: &[SurfaceEdge], vertices: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; vertices + 1];
    for end in edges.iter().flat_map(|edge| edge.ends) {
        starts[end as usize + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut cursor = starts.clone();
    let mut neighbours = vec![0; 2 * edges.len()];
    for [p, q] in edges.iter().map(|edge| edge.ends) {
        for (from, to) in [(p, q), (q, p)] {
            let slot = &mut cursor[from as usize];
            neighbours[*slot as usize] = to;
            *slot += 1;
        }
    }
    (starts, neighbours)
}

/// A surface in its place, in world axes about an origin.
pub(super) struct Placed<'a> {
    pub(super) surface: &'a Surface,
    rotation: DMat3,
    translation: DVec3,
}

impl<'a> Placed<'a> {
    pub(super) fn new(surface: &'a Surface, pose: &Pose, origin: DVec3) -> Placed<'a> {
        Placed { surface, rotation: pose.rotation_matrix(), translation: pose.translation - origin }
    }

    pub(super) fn position(&self, vertex: u32) -> DVec3 {
        self.rotation * self.surface.positions[vertex as usize] + self.translation
    }

    pub(super) fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.surface.triangle(triangle).corners.map(|corner| self.position(corner))
    }

    pub(super) fn normal(&self, triangle: u32) -> DVec3 {
        self.vector(self.surface.triangle(triangle).normal)
    }

    pub(super) fn vector(&self, local: DVec3) -> DVec3 {
        self.rotation * local
    }

    pub(super) fn local(&self, direction: DVec3) -> DVec3 {
        self.rotation.transpose() * direction
    }

    pub(super) fn local_point(&self, point: DVec3) -> DVec3 {
        self.local(point - self.translation)
    }
}
