//! [`HalfEdges`]: which faces meet where.
//!
//! Each corner of a face is also a half-edge, the directed side that leaves it (Eckstein 1998, sec. 9.3).
//! Half-edges are sorted by their end vertices, so that all on one edge become neighbours. Two are twins if
//! they are alone on their edge and run in opposite directions; where a partner is missing or ambiguous
//! there is no link. So any soup has a structure, and a closed polyhedron has the full one. Edges with one,
//! three or more faces are walked through [`HalfEdges::on_edge`].

use crate::mesh::Mesh;

const NONE: u32 = u32::MAX;

/// Adjacency of the faces of one mesh, as it was when this was built.
///
/// Half-edges are numbered through all faces: those of face `f` are `of_face(f)`, in the order of its
/// corners. Edges are numbered in ascending order of their two vertices.
#[derive(Clone, Debug)]
pub struct HalfEdges {
    /// Vertex at which each half-edge starts.
    origin: Vec<u32>,
    face: Vec<u32>,
    twin: Vec<u32>,
    edge: Vec<u32>,
    face_starts: Vec<u32>,
    /// Half-edges grouped by edge.
    by_edge: Vec<u32>,
    edge_starts: Vec<u32>,
    /// Half-edges grouped by the vertex at which they start.
    by_origin: Vec<u32>,
    vertex_starts: Vec<u32>,
}

impl HalfEdges {
    /// Finds out how the faces of a mesh hang together. Linear in the size of the mesh, apart from the
    /// sorting of the few edges at each vertex.
    pub fn new(mesh: &Mesh) -> HalfEdges {
        let count = mesh.corners.len();
        let mut face = Vec::with_capacity(count);
        for (number, corners) in mesh.faces().enumerate() {
            face.resize(face.len() + corners.len(), number as u32);
        }
        let (by_origin, vertex_starts) = grouped_by_origin(&mesh.corners, mesh.positions.len());
        let mut half_edges = HalfEdges {
            origin: mesh.corners.clone(),
            face,
            twin: vec![NONE; count],
            edge: vec![NONE; count],
            face_starts: mesh.starts.clone(),
            by_edge: Vec::with_capacity(count),
            edge_starts: Vec::with_capacity(count / 2 + 1),
            by_origin,
            vertex_starts,
        };
        half_edges.find_edges(mesh);
        half_edges
    }

    /// Sorts the half-edges by (smaller end, larger end): a counting sort by the first, then each vertex's
    /// few edges by the second.
    fn find_edges(&mut self, mesh: &Mesh) {
        let (mut keys, starts) = keyed_by_smaller_end(mesh);
        for vertex in starts.windows(2) {
            let group = &mut keys[vertex[0] as usize..vertex[1] as usize];
            group.sort_unstable();
            for same_edge in group.chunk_by(|a, b| a >> 32 == b >> 32) {
                let edge = self.edge_starts.len() as u32;
                self.edge_starts.push(self.by_edge.len() as u32);
                for &key in same_edge {
                    self.edge[key as u32 as usize] = edge;
                    self.by_edge.push(key as u32);
                }
                if let &[a, b] = same_edge {
                    self.link(a as u32, b as u32);
                }
            }
        }
        self.edge_starts.push(self.by_edge.len() as u32);
    }

    fn link(&mut self, a: u32, b: u32) {
        if self.origin[a as usize] != self.origin[b as usize] {
            self.twin[a as usize] = b;
            self.twin[b as usize] = a;
        }
    }

    /// How many half-edges there are.
    pub fn len(&self) -> usize {
        self.origin.len()
    }

    /// Never: a mesh has faces.
    pub fn is_empty(&self) -> bool {
        self.origin.is_empty()
    }

    pub(crate) fn face_count(&self) -> usize {
        self.face_starts.len() - 1
    }

    pub(crate) fn vertex_count(&self) -> usize {
        self.vertex_starts.len() - 1
    }

    /// How many edges there are, each counted once.
    pub fn edge_count(&self) -> usize {
        self.edge_starts.len() - 1
    }

    /// The half-edges of a face, in the order of its corners.
    pub fn of_face(&self, face: u32) -> std::ops::Range<u32> {
        self.face_starts[face as usize]..self.face_starts[face as usize + 1]
    }

    /// The half-edges that start at a vertex, in ascending order; of however many fans of faces.
    pub fn from_vertex(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.by_origin[self.vertex_starts[vertex] as usize..self.vertex_starts[vertex + 1] as usize]
    }

    /// All half-edges on an edge, in ascending order.
    pub fn on_edge(&self, edge: u32) -> &[u32] {
        let edge = edge as usize;
        &self.by_edge[self.edge_starts[edge] as usize..self.edge_starts[edge + 1] as usize]
    }

    /// The two vertices of an edge, the smaller number first.
    pub fn edge_vertices(&self, edge: u32) -> [u32; 2] {
        let first = self.on_edge(edge)[0];
        let (a, b) = (self.origin(first), self.target(first));
        [a.min(b), a.max(b)]
    }

    /// The vertex at which a half-edge starts.
    pub fn origin(&self, half_edge: u32) -> u32 {
        self.origin[half_edge as usize]
    }

    /// The vertex at which a half-edge ends.
    pub fn target(&self, half_edge: u32) -> u32 {
        self.origin(self.next(half_edge))
    }

    /// The face to the left of a half-edge.
    pub fn face(&self, half_edge: u32) -> u32 {
        self.face[half_edge as usize]
    }

    /// The edge on which a half-edge lies.
    pub fn edge(&self, half_edge: u32) -> u32 {
        self.edge[half_edge as usize]
    }

    /// The next half-edge around the face.
    pub fn next(&self, half_edge: u32) -> u32 {
        let range = self.of_face(self.face(half_edge));
        if half_edge + 1 == range.end { range.start } else { half_edge + 1 }
    }

    /// The previous half-edge around the face.
    pub fn previous(&self, half_edge: u32) -> u32 {
        let range = self.of_face(self.face(half_edge));
        if half_edge == range.start { range.end - 1 } else { half_edge - 1 }
    }

    /// The only other half-edge on the same edge, if it is the only one and runs the other way.
    pub fn twin(&self, half_edge: u32) -> Option<u32> {
        Some(self.twin[half_edge as usize]).filter(|&twin| twin != NONE)
    }

    /// How many half-edges run along an edge from the smaller to the larger vertex, less those that run
    /// back. Zero on every edge means that the surface has no boundary.
    pub(crate) fn imbalance(&self, edge: u32) -> i64 {
        let smaller = self.edge_vertices(edge)[0];
        self.on_edge(edge).iter().map(|&h| if self.origin(h) == smaller { 1 } else { -1 }).sum()
    }
}

/// Half-edges sorted by origin, and where each vertex's begin.
fn grouped_by_origin(origins: &[u32], vertices: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; vertices + 1];
    for &origin in origins {
        starts[origin as usize] += 1;
    }
    ends_from_counts(&mut starts);
    let mut grouped = vec![0u32; origins.len()];
    // From the back, each entry takes the last free place of its group: ends become starts, order is kept.
    for (half_edge, &origin) in origins.iter().enumerate().rev() {
        let place = &mut starts[origin as usize];
        *place -= 1;
        grouped[*place as usize] = half_edge as u32;
    }
    (grouped, starts)
}

/// `(larger end) << 32 | half-edge`, grouped by the smaller end.
fn keyed_by_smaller_end(mesh: &Mesh) -> (Vec<u64>, Vec<u32>) {
    let mut starts = vec![0u32; mesh.positions.len() + 1];
    for face in mesh.faces() {
        let mut from = face[face.len() - 1];
        for &to in face {
            starts[from.min(to) as usize] += 1;
            from = to;
        }
    }
    ends_from_counts(&mut starts);
    let mut keys = vec![0u64; mesh.corners.len()];
    for (face, corners) in mesh.faces().enumerate() {
        let first = mesh.starts[face];
        let last = corners.len() - 1;
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[if i == last { 0 } else { i + 1 }];
            let place = &mut starts[from.min(to) as usize];
            *place -= 1;
            keys[*place as usize] = u64::from(from.max(to)) << 32 | u64::from(first + i as u32);
        }
    }
    (keys, starts)
}

/// Turns counts per group into the end of each group; the extra last entry becomes the total.
fn ends_from_counts(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}
