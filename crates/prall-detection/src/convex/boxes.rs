//! Two boxes: the best of the fifteen directions that can be (Gottschalk 1996).
//!
//! The maximum of `s(n)` over all directions is at a face normal or across two edges if the boxes overlap; if they are apart, the
//! best of the fifteen is a lower bound of the distance.
//!
//! In A's frame: `R_ij` = axis i of A along axis j of B, `t` = centre of B, `p`, `q` half edges of A and B.
//!
//! ```text
//! along axis i of A:        |t_i| - p_i - sum_j |R_ij| q_j
//! along axis j of B:        |t . b_j| - q_j - sum_i |R_ij| p_i
//! along a_i x b_j:          (|t . (a_i x b_j)| - projections of p and q) / |a_i x b_j|
//! ```

use glam::{DMat3, DVec3};

use super::axis::FACE_PREFERENCE;
use super::{Axis, Convex};

/// Edges whose directions differ by less than this sine (no unit) have no common perpendicular to speak of; the
/// faces beside them say the same.
const PARALLEL: f64 = 1e-6;

/// An edge pair must be better than all faces by this part of the boxes' size (no unit), besides the preference for faces.
const EDGE_GAIN: f64 = 1e-9;

/// The best direction; none if a face keeps the boxes farther apart than `within`.
pub(super) fn best_axis(a: &Convex, p: DVec3, b: &Convex, q: DVec3, within: f64) -> Option<Axis> {
    let r = a.rotation.transpose() * b.rotation;
    let t = a.local(b.translation - a.translation);
    let absolute = DMat3::from_cols(r.x_axis.abs(), r.y_axis.abs(), r.z_axis.abs());
    let along_a = t.abs() - p - absolute * q;
    let along_b = (r.transpose() * t).abs() - q - absolute.transpose() * p;
    let (i, j) = (along_a.max_position(), along_b.max_position());
    let (face, gap, side) = if along_b[j] > along_a[i] {
        let axis = b.rotation.col(j);
        (axis, along_b[j], (r.transpose() * t)[j])
    } else {
        (a.rotation.col(i), along_a[i], t[i])
    };
    if gap > within {
        return None;
    }
    let normal = if side > 0.0 { -face } else { face };
    let size = p.max_element() + q.max_element();
    let least = gap + EDGE_GAIN * size + FACE_PREFERENCE * (-gap).max(0.0);
    Some(match best_edge_pair(&r, &absolute, t, p, q, least) {
        Some(edges) => across_edges(a, p, b, q, edges.axes, edges.gap, a.vector(edges.normal)),
        None => {
            let (on_b, _) = b.support(normal, 0);
            Axis { normal, gap, on_a: on_b + normal * gap, on_b, exact: gap <= 0.0, searched: false }
        }
    })
}

/// Two edges that keep boxes apart, or are the shortest way out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgePair {
    /// Which edges: along which axis of each box.
    axes: (usize, usize),
    pub(crate) gap: f64,
    /// Unit vector to A in A's frame.
    pub(crate) normal: DVec3,
}

/// The edge pair with the largest separation above `least`.
pub(crate) fn best_edge_pair(
    r: &DMat3,
    absolute: &DMat3,
    t: DVec3,
    p: DVec3,
    q: DVec3,
    least: f64,
) -> Option<EdgePair> {
    let mut best = None;
    let mut largest = least;
    for j in 0..3 {
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let (column, sizes) = (r.col(j), absolute.col(j));
        let from_b = absolute.col(j2) * q[j1] + absolute.col(j1) * q[j2];
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            // a_i x b_j has the components 0, -r_i2, r_i1 along i, i1 and i2; its length is a sine.
            let reach = p[i1] * sizes[i2] + p[i2] * sizes[i1] + from_b[i];
            let side = column[i1] * t[i2] - column[i2] * t[i1];
            let above = side.abs() - reach;
            // A sine is at most 1: without a square root, what it can be divided to at best.
            if above <= largest.min(0.0) {
                continue;
            }
            let length = (column[i1] * column[i1] + column[i2] * column[i2]).sqrt();
            if length < PARALLEL || above <= largest * length {
                continue;
            }
            let (gap, scale) = (above / length, if side > 0.0 { -1.0 / length } else { 1.0 / length });
            let mut normal = DVec3::ZERO;
            (normal[i1], normal[i2]) = (-column[i2] * scale, column[i1] * scale);
            largest = gap;
            best = Some(EdgePair { axes: (i, j), gap, normal });
        }
    }
    best
}

/// The nearest points of the two edges, as lines: they cross within the edges, or the pair would not be the best.
fn across_edges(
    a: &Convex,
    p: DVec3,
    b: &Convex,
    q: DVec3,
    (i, j): (usize, usize),
    gap: f64,
    normal: DVec3,
) -> Axis {
    let (mut middle_a, _) = a.support(-normal, 0);
    let (mut middle_b, _) = b.support(normal, 0);
    let (u, v) = (a.rotation.col(i), b.rotation.col(j));
    middle_a -= u * u.dot(middle_a - a.translation);
    middle_b -= v * v.dot(middle_b - b.translation);
    let away = middle_b - middle_a;
    let (uv, ua, va) = (u.dot(v), u.dot(away), v.dot(away));
    let determinant = 1.0 - uv * uv;
    let along_a = ((ua - uv * va) / determinant).clamp(-p[i], p[i]);
    let along_b = ((uv * ua - va) / determinant).clamp(-q[j], q[j]);
    Axis {
        normal,
        gap,
        on_a: middle_a + u * along_a,
        on_b: middle_b + v * along_b,
        exact: gap <= 0.0,
        searched: false,
    }
}
