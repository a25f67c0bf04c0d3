//! Orientation: do all faces agree on which side is outside, and can they be made to?
//!
//! Nothing here happens by itself. A mesh keeps the orientation with which it came until someone asks for
//! [`Mesh::oriented`].

use thiserror::Error;

use crate::components::Components;
use crate::half_edges::HalfEdges;
use crate::mesh::Mesh;
use crate::pieces::Pieces;

/// A mesh whose faces agree, and what had to be turned.
#[derive(Clone, Debug)]
pub struct Oriented {
    /// The mesh; faces, vertices and their numbers are those of the original.
    pub mesh: Mesh,
    /// Faces that were turned round, ascending.
    pub flipped_faces: Vec<u32>,
}

/// Why a mesh cannot be oriented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OrientationError {
    /// A surface with one side only.
    #[error(
        "the surface around face {source_face} of the soup has only one side (a Moebius strip); going round \
         it, the edge between vertices {} and {} is met with the opposite orientation. Cut it open there",
        edge[0], edge[1]
    )]
    OneSided {
        /// A face of the soup at the edge where the contradiction was met.
        source_face: u32,
        /// The vertices of that edge.
        edge: [u32; 2],
    },
}

/// Outcome of walking over all faces through edges with two faces.
pub(crate) struct Flood {
    /// Whether a face must be turned to agree with the first face of its patch.
    opposed: Vec<bool>,
    patches: Components,
    /// One edge with a contradiction for each patch that has one side only.
    contradictions: Vec<u32>,
}

impl Flood {
    pub(crate) fn new(half_edges: &HalfEdges) -> Flood {
        let faces = half_edges.face_count();
        let patches = Components::by_manifold_edges(half_edges);
        let mut flood = Flood { opposed: vec![false; faces], patches, contradictions: Vec::new() };
        let mut seen = vec![false; faces];
        let mut waiting = Vec::new();
        for start in 0..faces as u32 {
            if seen[start as usize] {
                continue;
            }
            seen[start as usize] = true;
            waiting.push(start);
            let mut contradiction = None;
            while let Some(face) = waiting.pop() {
                for (neighbour, edge, opposed) in neighbours(half_edges, face) {
                    let expected = xor(flood.opposed[face as usize], opposed);
                    if !seen[neighbour as usize] {
                        seen[neighbour as usize] = true;
                        flood.opposed[neighbour as usize] = expected;
                        waiting.push(neighbour);
                    } else if flood.opposed[neighbour as usize] != expected {
                        contradiction.get_or_insert(edge);
                    }
                }
            }
            flood.contradictions.extend(contradiction);
        }
        flood
    }

    /// How many patches have one side only.
    pub(crate) fn one_sided_patches(&self) -> usize {
        self.contradictions.len()
    }

    /// The smaller half of each patch that does not agree with itself.
    fn minority(&self) -> Vec<bool> {
        let mut balance = vec![0i64; self.patches.count()];
        for (face, &opposed) in self.opposed.iter().enumerate() {
            balance[self.patches.of_face(face) as usize] += if opposed { 1 } else { -1 };
        }
        let majority_opposed = |face: usize| balance[self.patches.of_face(face) as usize] > 0;
        self.opposed.iter().enumerate().map(|(face, &opposed)| xor(opposed, majority_opposed(face))).collect()
    }
}

fn xor(a: bool, b: bool) -> bool {
    a != b
}

/// Faces across edges with two faces, with the edge and whether they are oriented against this one.
fn neighbours(half_edges: &HalfEdges, face: u32) -> impl Iterator<Item = (u32, u32, bool)> + '_ {
    half_edges.of_face(face).filter_map(|half_edge| {
        let edge = half_edges.edge(half_edge);
        let &[a, b] = half_edges.on_edge(edge) else {
            return None;
        };
        let other = if a == half_edge { b } else { a };
        let opposed = half_edges.origin(other) == half_edges.origin(half_edge);
        Some((half_edges.face(other), edge, opposed))
    })
}

impl Mesh {
    /// A copy in which neighbouring faces agree, and closed pieces are oriented outward.
    ///
    /// Faces are compared across edges with two faces. Where they disagree, the smaller part is turned. A
    /// closed piece is then turned as a whole if its volume comes out negative, except where it lies inside
    /// another one: there, a piece that already agreed with itself stays as it is, whichever way, for it
    /// may be a cavity or a part put inside; and a piece that did not is taken for a cavity.
    pub fn oriented(&self) -> Result<Oriented, OrientationError> {
        let half_edges = HalfEdges::new(self);
        let flood = Flood::new(&half_edges);
        if let Some(&edge) = flood.contradictions.first() {
            let face = half_edges.face(half_edges.on_edge(edge)[0]);
            let source_face = self.source_face(face as usize);
            return Err(OrientationError::OneSided { source_face, edge: half_edges.edge_vertices(edge) });
        }
        let mut flipped = flood.minority();
        let agreed = self.with_flipped(&flipped);
        let half_edges = HalfEdges::new(&agreed);
        let components = Components::by_shared_edges(&half_edges);
        let turned = pieces_to_turn(&agreed, &half_edges, &components, &flipped);
        for (face, flip) in flipped.iter_mut().enumerate() {
            *flip = xor(*flip, turned[components.of_face(face) as usize]);
        }
        let flipped_faces = (0..flipped.len() as u32).filter(|&face| flipped[face as usize]).collect();
        Ok(Oriented { mesh: self.with_flipped(&flipped), flipped_faces })
    }

    /// A copy with some faces turned round.
    fn with_flipped(&self, flipped: &[bool]) -> Mesh {
        let mut mesh = self.clone();
        for (face, _) in flipped.iter().enumerate().filter(|(_, flip)| **flip) {
            let range = mesh.starts[face] as usize..mesh.starts[face + 1] as usize;
            mesh.corners[range].reverse();
            mesh.normals[face] = -mesh.normals[face];
        }
        for (triangle, &face) in mesh.triangles.iter_mut().zip(&mesh.triangle_faces) {
            if flipped[face as usize] {
                triangle.reverse();
            }
        }
        mesh
    }
}

/// Which closed pieces of a mesh whose faces agree are to be turned as a whole; `flipped` tells which faces
/// had to be turned to make them agree.
fn pieces_to_turn(
    mesh: &Mesh,
    half_edges: &HalfEdges,
    components: &Components,
    flipped: &[bool],
) -> Vec<bool> {
    let mut disagreed = vec![false; components.count()];
    for (face, _) in flipped.iter().enumerate().filter(|(_, flip)| **flip) {
        disagreed[components.of_face(face) as usize] = true;
    }
    let pieces = Pieces::new(mesh, half_edges);
    let turn = |piece: usize| {
        let negative = pieces.is_negative(piece);
        if !pieces.is_closed(piece) || (!negative && !disagreed[piece]) {
            return false;
        }
        negative != pieces.is_cavity(piece)
    };
    (0..components.count()).map(turn).collect()
}
