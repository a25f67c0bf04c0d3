//! [`Edges`]: which edges and vertices can be touched.
//!
//! An edge between two faces in one plane is no feature of the body, only of its triangulation; nothing can
//! rest on it that does not rest on the faces. A concave edge cannot be reached without touching the faces
//! first. Both are *inactive*: contact search skips them. A vertex is active if one of its edges is.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::half_edges::HalfEdges;
use crate::mesh::Mesh;

/// How the faces meet at an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EdgeKind {
    /// Two faces in one plane, to the tolerance.
    Flat,
    /// Two faces with the body between them: a ridge.
    Convex,
    /// Two faces with free space between them: a valley.
    Concave,
    /// One face only.
    Boundary,
    /// Three or more faces.
    NonManifold,
    /// Two faces that run along it in the same direction, so that one of them is inside out.
    Inconsistent,
}

/// How edges are judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeOptions {
    /// Two faces whose normals differ by no more than this, in radians, lie in one plane. Default 1e-4: far
    /// above what single-precision files do to normals, and at most a quarter of a micrometre of height on
    /// faces of a centimetre, below the tolerance of contact times.
    pub flat_angle: f64,
    /// The surface is touched from both sides (a sheet, not the skin of a body): concave edges are then
    /// ridges for the other side, and active. Default false.
    pub two_sided: bool,
}

impl Default for EdgeOptions {
    fn default() -> EdgeOptions {
        EdgeOptions { flat_angle: 1e-4, two_sided: false }
    }
}

/// Why edges cannot be judged.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum EdgeError {
    /// The flatness tolerance makes no sense.
    #[error("flat angle {flat_angle} rad must be at least 0 and below a right angle (1.57)")]
    FlatAngle {
        /// The value given.
        flat_angle: f64,
    },
}

/// Kind and activity of every edge, activity of every vertex.
#[derive(Clone, Debug)]
pub struct Edges {
    kinds: Vec<EdgeKind>,
    vertex_active: Vec<bool>,
    two_sided: bool,
}

impl Edges {
    /// Judges the edges of a mesh; `half_edges` must be built from the same mesh.
    pub fn new(mesh: &Mesh, half_edges: &HalfEdges, options: &EdgeOptions) -> Result<Edges, EdgeError> {
        let flat_angle = options.flat_angle;
        if !(0.0..std::f64::consts::FRAC_PI_2).contains(&flat_angle) {
            return Err(EdgeError::FlatAngle { flat_angle });
        }
        let sine = libm::sin(flat_angle);
        let kinds =
            (0..half_edges.edge_count() as u32).map(|edge| kind(mesh, half_edges, edge, sine)).collect();
        let mut edges = Edges { kinds, vertex_active: Vec::new(), two_sided: options.two_sided };
        edges.vertex_active = edges.active_vertices(half_edges, mesh.positions().len());
        Ok(edges)
    }

    /// How the faces meet at an edge.
    pub fn kind(&self, edge: u32) -> EdgeKind {
        self.kinds[edge as usize]
    }

    /// The kinds of all edges in order.
    pub fn kinds(&self) -> &[EdgeKind] {
        &self.kinds
    }

    /// Whether another body can touch this edge without touching a face first.
    pub fn is_active(&self, edge: u32) -> bool {
        match self.kind(edge) {
            EdgeKind::Flat => false,
            EdgeKind::Concave => self.two_sided,
            EdgeKind::Convex | EdgeKind::Boundary | EdgeKind::NonManifold | EdgeKind::Inconsistent => true,
        }
    }

    /// Whether another body can touch this vertex without touching a face first: it has an active edge, or
    /// belongs to no face with an area.
    pub fn vertex_is_active(&self, vertex: u32) -> bool {
        self.vertex_active[vertex as usize]
    }

    fn active_vertices(&self, half_edges: &HalfEdges, vertices: usize) -> Vec<bool> {
        let mut active: Vec<bool> =
            (0..vertices as u32).map(|vertex| half_edges.from_vertex(vertex).is_empty()).collect();
        for edge in (0..self.kinds.len() as u32).filter(|&edge| self.is_active(edge)) {
            for vertex in half_edges.edge_vertices(edge) {
                active[vertex as usize] = true;
            }
        }
        active
    }
}

/// Angle by which the surface turns at an edge with two faces, in radians: positive at a ridge, negative in
/// a valley, 0 where it is flat, pi where it folds back on itself. `None` for edges without twins.
pub fn dihedral_angle(mesh: &Mesh, half_edges: &HalfEdges, edge: u32) -> Option<f64> {
    let (sine, cosine) = turn(mesh, half_edges, edge)?;
    Some(libm::atan2(sine, cosine))
}

/// Sine and cosine of the dihedral angle between twins.
///
/// With `d` the unit direction of the half-edge on the left face, whose normal is `n`, and `m` the normal
/// of the right face: `n x m` points along `d` where the surface bends away from `n` (ridge), and against
/// it in a valley.
fn turn(mesh: &Mesh, half_edges: &HalfEdges, edge: u32) -> Option<(f64, f64)> {
    let left = half_edges.on_edge(edge)[0];
    let right = half_edges.twin(left)?;
    let n = mesh.face_normal(half_edges.face(left) as usize);
    let m = mesh.face_normal(half_edges.face(right) as usize);
    let start = mesh.positions()[half_edges.origin(left) as usize];
    let end = mesh.positions()[half_edges.origin(right) as usize];
    let cross = n.cross(m);
    let sine = cross.length();
    Some((if ridge(cross, end - start) { sine } else { -sine }, n.dot(m)))
}

/// A surface that folds back on itself exactly could be a blade or a crack; it counts as a blade, so as to
/// miss no contact.
fn ridge(cross: DVec3, direction: DVec3) -> bool {
    cross.dot(direction) >= 0.0
}

fn kind(mesh: &Mesh, half_edges: &HalfEdges, edge: u32, flat_sine: f64) -> EdgeKind {
    match half_edges.on_edge(edge).len() {
        1 => return EdgeKind::Boundary,
        2 => {}
        _ => return EdgeKind::NonManifold,
    }
    let Some((sine, cosine)) = turn(mesh, half_edges, edge) else {
        return EdgeKind::Inconsistent;
    };
    let nearly_parallel = sine.abs() <= flat_sine;
    if nearly_parallel {
        if cosine > 0.0 { EdgeKind::Flat } else { EdgeKind::Convex }
    } else if sine > 0.0 {
        EdgeKind::Convex
    } else {
        EdgeKind::Concave
    }
}
