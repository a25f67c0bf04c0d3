//! Closed pieces of a mesh: how much they hold, and which lies within which.

use glam::DVec3;

use crate::components::Components;
use crate::half_edges::HalfEdges;
use crate::mesh::Mesh;
use crate::winding::winding_number;

/// Rounding of a volume, relative to the cube of the diagonal of the bounding box: some thousand units in
/// the last place, for the sums of many triangles. A plate that is 1e-12 times as thick as it is wide is a
/// sheet.
pub(crate) const VOLUME_ROUNDING: f64 = 1e-12;

/// The pieces of a mesh, with what is needed to ask about their insides.
pub(crate) struct Pieces<'m> {
    mesh: &'m Mesh,
    pieces: Vec<Piece>,
}

struct Piece {
    /// Every edge is passed as often one way as the other, so that an inside exists.
    closed: bool,
    triangles: Vec<u32>,
    signed_volume: f64,
    low: DVec3,
    high: DVec3,
}

impl<'m> Pieces<'m> {
    pub(crate) fn new(mesh: &'m Mesh, half_edges: &HalfEdges) -> Pieces<'m> {
        let components = Components::by_shared_edges(half_edges);
        let empty = || Piece {
            closed: true,
            triangles: Vec::new(),
            signed_volume: 0.0,
            low: DVec3::INFINITY,
            high: DVec3::NEG_INFINITY,
        };
        let mut pieces: Vec<Piece> = (0..components.count()).map(|_| empty()).collect();
        for (triangle, &face) in mesh.triangle_faces.iter().enumerate() {
            let piece = &mut pieces[components.of_face(face as usize) as usize];
            piece.triangles.push(triangle as u32);
            for point in mesh.triangle_points(triangle) {
                piece.low = piece.low.min(point);
                piece.high = piece.high.max(point);
            }
        }
        for edge in (0..half_edges.edge_count() as u32).filter(|&edge| half_edges.imbalance(edge) != 0) {
            let face = half_edges.face(half_edges.on_edge(edge)[0]);
            pieces[components.of_face(face as usize) as usize].closed = false;
        }
        for piece in &mut pieces {
            let centre = 0.5 * (piece.low + piece.high);
            piece.signed_volume = piece.triangles.iter().map(|&t| volume_from(mesh, t, centre)).sum();
        }
        Pieces { mesh, pieces }
    }

    pub(crate) fn count(&self) -> usize {
        self.pieces.len()
    }

    pub(crate) fn is_closed(&self, piece: usize) -> bool {
        self.pieces[piece].closed
    }

    pub(crate) fn signed_volume(&self, piece: usize) -> f64 {
        self.pieces[piece].signed_volume
    }

    /// Whether the volume is negative beyond rounding; a sheet with two sides has a volume of nothing but
    /// rounding.
    pub(crate) fn is_negative(&self, piece: usize) -> bool {
        let Piece { signed_volume, low, high, .. } = &self.pieces[piece];
        let diagonal = high.distance(*low);
        *signed_volume < -VOLUME_ROUNDING * diagonal * diagonal * diagonal
    }

    /// Whether the piece lies within an odd number of other closed pieces, so that it bounds a cavity if
    /// the mesh is a solid. Judged by one point of its surface: pieces are taken not to cut each other.
    pub(crate) fn is_cavity(&self, piece: usize) -> bool {
        let [a, b, c] = self.mesh.triangle_points(self.pieces[piece].triangles[0] as usize);
        let point = a + ((b - a) + (c - a)) / 3.0;
        let encloses = |other: &Piece| {
            other.closed
                && point.cmpge(other.low).all()
                && point.cmple(other.high).all()
                && winding_number(self.points(other), point).abs() > 0.5
        };
        let others = self.pieces.iter().enumerate().filter(|&(other, _)| other != piece);
        others.filter(|(_, other)| encloses(other)).count() % 2 == 1
    }

    /// Closed pieces whose normals point the wrong way: into the body, though it is no cavity.
    pub(crate) fn inside_out(&self) -> Vec<usize> {
        let negative = |piece: &usize| self.is_closed(*piece) && self.is_negative(*piece);
        (0..self.count()).filter(negative).filter(|&piece| !self.is_cavity(piece)).collect()
    }

    fn points<'a>(&'a self, piece: &'a Piece) -> impl Iterator<Item = [DVec3; 3]> + 'a {
        piece.triangles.iter().map(|&t| self.mesh.triangle_points(t as usize))
    }
}

/// Signed volume of the tetrahedron over a triangle with its tip at `reference`.
fn volume_from(mesh: &Mesh, triangle: u32, reference: DVec3) -> f64 {
    let [a, b, c] = mesh.triangle_points(triangle as usize).map(|p| p - reference);
    a.dot(b.cross(c)) / 6.0
}
