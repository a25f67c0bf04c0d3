//! [`EdgeHelpers`]: numbers that tests of edges against faces and edges ask for again and again.

use glam::DVec3;

use crate::half_edges::HalfEdges;
use crate::mesh::Mesh;

/// For each half-edge from `p` to `q`, with `d = q - p` and `n` the normal of its face (Eckstein 1998, sec.
/// 9.3):
///
/// - `outward = d x n`: in the plane of the face, across the edge, away from the face. `outward . (x - p)
///   <= 0` for all half-edges of a convex face says that `x` is in the prism over it.
/// - `moment = p x q = p x d`: with `d` the Pluecker coordinates of the line. Two lines pass on the side
///   that the sign of `d1 . moment2 + d2 . moment1` tells, and meet where it is zero.
///
/// In body coordinates; under a pose `x -> R x + t` they become `R outward` and `R moment + t x R d`. Built
/// only for meshes that need them.
#[derive(Clone, Debug)]
pub struct EdgeHelpers {
    outward: Vec<DVec3>,
    moment: Vec<DVec3>,
}

impl EdgeHelpers {
    /// Computes both for every half-edge; `half_edges` must be built from the same mesh.
    pub fn new(mesh: &Mesh, half_edges: &HalfEdges) -> EdgeHelpers {
        let ends = |half_edge| {
            let place = |vertex: u32| mesh.positions()[vertex as usize];
            (place(half_edges.origin(half_edge)), place(half_edges.target(half_edge)))
        };
        let all = 0..half_edges.len() as u32;
        let outward = |half_edge| {
            let (p, q) = ends(half_edge);
            (q - p).cross(mesh.face_normal(half_edges.face(half_edge) as usize))
        };
        let moment = |half_edge| {
            let (p, q) = ends(half_edge);
            p.cross(q)
        };
        EdgeHelpers { outward: all.clone().map(outward).collect(), moment: all.map(moment).collect() }
    }

    /// `d x n` of a half-edge.
    pub fn outward(&self, half_edge: u32) -> DVec3 {
        self.outward[half_edge as usize]
    }

    /// `p x q` of a half-edge.
    pub fn moment(&self, half_edge: u32) -> DVec3 {
        self.moment[half_edge as usize]
    }
}
