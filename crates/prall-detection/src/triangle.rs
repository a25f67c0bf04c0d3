//! Two triangles: do they meet (exactly), how far apart are they, and where.

mod distance;
mod edge_face;
mod overlap;
mod predicates;

use glam::DVec3;

pub use distance::{Part, TriangleDistance, triangle_distance};
pub use edge_face::{ConvexFace, EdgeFaceHit, FaceError, edge_meets_face, faces_meet};
pub use overlap::triangles_overlap;

/// Normal of a triangle with the length of twice its area, if that is more than rounding.
///
/// For needles `e1 x e2` is noise once its length falls below a few units in the last place of `|e1| |e2|`;
/// 1e-20 is (1e-10)^2, far above the rounding and far below any triangle that has a side to stand on.
pub(crate) fn area_normal(triangle: &[DVec3; 3]) -> Option<DVec3> {
    let e1 = triangle[1] - triangle[0];
    let e2 = triangle[2] - triangle[0];
    let normal = e1.cross(e2);
    let significant = normal.length_squared() > 1e-20 * e1.length_squared() * e2.length_squared();
    significant.then_some(normal)
}
