//! [`Components`]: the pieces of which a mesh consists.

use crate::groups::Groups;
use crate::half_edges::HalfEdges;

/// A division of the faces into connected pieces, numbered in the order of their first faces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    of_face: Vec<u32>,
    count: usize,
}

impl Components {
    /// Pieces whose faces hang together by whole edges, with however many faces on them. Two cubes that
    /// touch in a single vertex are two pieces.
    pub fn by_shared_edges(half_edges: &HalfEdges) -> Components {
        let edges = 0..half_edges.edge_count() as u32;
        Components::united(half_edges, edges.map(|edge| half_edges.on_edge(edge)))
    }

    /// Pieces whose faces hang together by edges or by single vertices.
    pub fn by_shared_vertices(half_edges: &HalfEdges) -> Components {
        let vertices = 0..half_edges.vertex_count() as u32;
        Components::united(half_edges, vertices.map(|vertex| half_edges.from_vertex(vertex)))
    }

    /// Pieces connected by edges with exactly two faces: what can be oriented together.
    pub(crate) fn by_manifold_edges(half_edges: &HalfEdges) -> Components {
        let edges = 0..half_edges.edge_count() as u32;
        let pairs = edges.map(|edge| half_edges.on_edge(edge)).filter(|on_edge| on_edge.len() == 2);
        Components::united(half_edges, pairs)
    }

    /// The faces of the half-edges in each bundle belong together.
    fn united<'a>(half_edges: &'a HalfEdges, bundles: impl Iterator<Item = &'a [u32]>) -> Components {
        let mut groups = Groups::new(half_edges.face_count());
        for bundle in bundles {
            for pair in bundle.windows(2) {
                groups.unite(half_edges.face(pair[0]), half_edges.face(pair[1]));
            }
        }
        // A group's root is its smallest face, so it is met, and numbered, before the others.
        let mut of_face = vec![0; half_edges.face_count()];
        let mut count = 0;
        for face in 0..half_edges.face_count() as u32 {
            let root = groups.root(face);
            if root == face {
                of_face[face as usize] = count;
                count += 1;
            } else {
                of_face[face as usize] = of_face[root as usize];
            }
        }
        Components { of_face, count: count as usize }
    }

    /// How many pieces there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The piece to which a face belongs.
    pub fn of_face(&self, face: usize) -> u32 {
        self.of_face[face]
    }
}
