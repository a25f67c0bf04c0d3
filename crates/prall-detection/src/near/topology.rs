//! [`Topology`]: the vertices and edges of triangles, each with one name, and what a cone of normals is judged by.
//!
//! A vertex has a *ring*, the directions of the edges that leave it. An edge has *wings*, for each triangle on it the direction across
//! the edge into the triangle. A feature can be touched along n only if nothing beside it lies lower: all of its ring or of its
//! wings must rise along n. An edge between triangles in one plane is *flat*: nothing can touch it that does not touch the plane,
//! so flat edges, and vertices with flat edges only, count as part of their face.

use glam::DVec3;

use crate::hierarchy::Hierarchy;
use crate::norm::unit;
use crate::triangle::area_normal;

/// No edge: two corners of the triangle are one vertex.
pub(super) const NONE: u32 = u32::MAX;

/// Wings that are opposite within this angle, in radians, lie in one plane: above rounding, below any angle that is meant.
const FLAT: f64 = 1e-6;

/// Triangles as corner numbers, with the side of each that is outside.
#[derive(Default)]
pub(super) struct Triangles {
    pub(super) positions: Vec<DVec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// True for triangles of closed pieces, whose normals point outward.
    pub(super) closed: Vec<bool>,
}

impl Triangles {
    /// Adds a piece; corner numbers are those of its own positions.
    pub(super) fn add(
        &mut self,
        positions: impl IntoIterator<Item = DVec3>,
        triangles: impl IntoIterator<Item = [u32; 3]>,
        closed: bool,
    ) {
        let first = self.positions.len() as u32;
        self.positions.extend(positions);
        self.triangles.extend(triangles.into_iter().map(|corners| corners.map(|corner| first + corner)));
        self.closed.resize(self.triangles.len(), closed);
        self.weld(first);
    }

    /// Vertices of a piece in the same place are one: the first of them.
    fn weld(&mut self, first: u32) {
        let mut order: Vec<u32> = (first..self.positions.len() as u32).collect();
        // 0.0 and -0.0 are one place.
        let key = |vertex: u32| (self.positions[vertex as usize] + DVec3::ZERO).to_array();
        let compare = |p: &u32, q: &u32| {
            let (a, b) = (key(*p), key(*q));
            let places = a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(a[2].total_cmp(&b[2]));
            places.then(p.cmp(q))
        };
        order.sort_unstable_by(compare);
        let mut name: Vec<u32> = (first..self.positions.len() as u32).collect();
        for same in order.chunk_by(|p, q| key(*p) == key(*q)) {
            for &vertex in same {
                name[(vertex - first) as usize] = same[0];
            }
        }
        for corner in self.triangles.iter_mut().flatten().filter(|corner| **corner >= first) {
            *corner = name[(*corner - first) as usize];
        }
    }

    pub(super) fn corners(&self) -> Vec<[DVec3; 3]> {
        self.triangles.iter().map(|t| t.map(|corner| self.positions[corner as usize])).collect()
    }
}

/// A triangle with its names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    pub(super) vertices: [u32; 3],
    /// Edge i runs from corner i to the next; [`NONE`] without length.
    pub(super) edges: [u32; 3],
    /// Unit; zero of a triangle without area.
    pub(super) normal: DVec3,
    /// The name of the flat face that the triangle is a part of: its first triangle.
    pub(super) plane: u32,
    /// Bits of the sides beyond which the same plane goes on.
    pub(super) open_sides: u8,
    /// The normal points out of a closed piece.
    pub(super) closed: bool,
    /// Bits of the corners that this triangle answers for. Every vertex that can be touched has one such triangle, so that each
    /// pair of features is looked at once: whatever is near the vertex is near its triangle.
    pub(super) own_vertices: u8,
    /// The same of edges.
    pub(super) own_edges: u8,
}

/// Names and neighbourhoods of triangles.
#[derive(Debug)]
pub(super) struct Topology {
    /// In the order of the hierarchy's slots.
    pub(super) faces: Vec<Face>,
    ring_starts: Vec<u32>,
    ring: Vec<DVec3>,
    wing_starts: Vec<u32>,
    wings: Vec<DVec3>,
}

/// A side of a triangle: ends in order, triangle, which side.
type Side = ([u32; 2], u32, u8);

impl Topology {
    pub(super) fn new(triangles: &Triangles, hierarchy: &Hierarchy) -> Topology {
        let count = triangles.triangles.len();
        let sides = sides(&triangles.triangles);
        let mut edges_of = vec![[NONE; 3]; count];
        let (mut owned_edges, mut flat_sides) = (vec![0_u8; count], vec![0_u8; count]);
        let mut planes = Planes::new(count);
        let mut sharp_vertex = vec![false; triangles.positions.len()];
        let mut has_edge = vec![false; triangles.positions.len()];
        let (mut ends, mut wing_starts, mut wings) = (Vec::new(), vec![0_u32], Vec::new());
        for same in sides.chunk_by(|p, q| p.0 == q.0) {
            let first = wings.len();
            wings.extend(same.iter().filter_map(|side| wing(triangles, side)));
            let flat = same.len() == 2
                && wings.len() == first + 2
                && (wings[first] + wings[first + 1]).length_squared() < FLAT * FLAT;
            for &(_, triangle, side) in same {
                edges_of[triangle as usize][usize::from(side)] = ends.len() as u32;
            }
            for vertex in same[0].0 {
                has_edge[vertex as usize] = true;
                sharp_vertex[vertex as usize] |= !flat;
            }
            if flat {
                planes.join(same[0].1, same[1].1);
                for &(_, triangle, side) in same {
                    flat_sides[triangle as usize] |= 1 << side;
                }
            } else {
                owned_edges[same[0].1 as usize] |= 1 << same[0].2;
            }
            ends.push(same[0].0);
            wing_starts.push(wings.len() as u32);
        }
        let (ring_starts, ring) = rings(&triangles.positions, &ends);
        let mut owned_vertices = vec![0_u8; count];
        let mut taken = vec![false; triangles.positions.len()];
        for (owned, corners) in owned_vertices.iter_mut().zip(&triangles.triangles) {
            for (i, &corner) in corners.iter().enumerate() {
                let vertex = corner as usize;
                let touchable = sharp_vertex[vertex] || !has_edge[vertex];
                if touchable && !std::mem::replace(&mut taken[vertex], true) {
                    *owned |= 1 << i;
                }
            }
        }
        let faces = (0..count as u32).map(|slot| {
            let triangle = hierarchy.source(slot) as usize;
            let plane = planes.name(triangle as u32);
            Face {
                vertices: triangles.triangles[triangle],
                edges: edges_of[triangle],
                normal: area_normal(hierarchy.at_slot(slot)).and_then(unit).unwrap_or(DVec3::ZERO),
                plane,
                open_sides: flat_sides[triangle],
                closed: triangles.closed[triangle],
                own_vertices: owned_vertices[triangle],
                own_edges: owned_edges[triangle],
            }
        });
        Topology { faces: faces.collect(), ring_starts, ring, wing_starts, wings }
    }

    /// Directions of the edges that leave a vertex.
    pub(super) fn ring(&self, vertex: u32) -> &[DVec3] {
        let at = vertex as usize;
        &self.ring[self.ring_starts[at] as usize..self.ring_starts[at + 1] as usize]
    }

    /// Directions across an edge into its triangles.
    pub(super) fn wings(&self, edge: u32) -> &[DVec3] {
        let at = edge as usize;
        &self.wings[self.wing_starts[at] as usize..self.wing_starts[at + 1] as usize]
    }

    pub(super) fn vertex_count(&self) -> u32 {
        self.ring_starts.len() as u32 - 1
    }

    pub(super) fn edge_count(&self) -> u32 {
        self.wing_starts.len() as u32 - 1
    }
}

/// All sides that have a length, those of one edge side by side.
fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (triangle, corners) in (0..).zip(triangles) {
        for side in 0..3 {
            let (from, to) = (corners[side], corners[(side + 1) % 3]);
            if from != to {
                sides.push(([from.min(to), from.max(to)], triangle, side as u8));
            }
        }
    }
    sides.sort_unstable();
    sides
}

/// The direction across a side into its triangle; none without area.
fn wing(triangles: &Triangles, (ends, triangle, side): &Side) -> Option<DVec3> {
    let at = |vertex: u32| triangles.positions[vertex as usize];
    let apex = triangles.triangles[*triangle as usize][(usize::from(*side) + 2) % 3];
    let along = unit(at(ends[1]) - at(ends[0]))?;
    let side = at(apex) - at(ends[0]);
    let across = side - along * along.dot(side);
    // Below this the apex lies on the edge but for rounding.
    if across.length_squared() > 1e-20 * side.length_squared() { unit(across) } else { None }
}

fn rings(positions: &[DVec3], ends: &[[u32; 2]]) -> (Vec<u32>, Vec<DVec3>) {
    let mut starts = vec![0_u32; positions.len() + 1];
    for &end in ends.iter().flatten() {
        starts[end as usize + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut cursor = starts.clone();
    let mut ring = vec![DVec3::ZERO; 2 * ends.len()];
    for &[p, q] in ends {
        let along = unit(positions[q as usize] - positions[p as usize]).unwrap_or(DVec3::ZERO);
        for (from, direction) in [(p, along), (q, -along)] {
            let slot = &mut cursor[from as usize];
            ring[*slot as usize] = direction;
            *slot += 1;
        }
    }
    (starts, ring)
}

/// Which triangles are parts of one flat face; each face is named by its first triangle.
struct Planes(Vec<u32>);

impl Planes {
    fn new(count: usize) -> Planes {
        Planes((0..count as u32).collect())
    }

    fn name(&mut self, mut triangle: u32) -> u32 {
        while self.0[triangle as usize] != triangle {
            let next = self.0[triangle as usize];
            self.0[triangle as usize] = self.0[next as usize];
            triangle = next;
        }
        triangle
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.name(a), self.name(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
