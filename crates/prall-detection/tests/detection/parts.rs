//! A block, and what makes a mesh finer.

use glam::DVec3;

use crate::meshes::Triangles;

/// A box with these half lengths, of twelve triangles.
pub(crate) fn block(half: DVec3) -> Triangles {
    let corner = |i: usize| {
        let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * DVec3::new(sign(0), sign(1), sign(2))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    quads
        .iter()
        .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]])
        .map(|triangle| triangle.map(corner))
        .collect()
}

/// Every triangle cut in four by the middles of its edges.
pub(crate) fn split_in_four(triangles: &[[DVec3; 3]]) -> Triangles {
    triangles
        .iter()
        .flat_map(|&[p, q, r]| {
            let (pq, qr, rp) = (0.5 * (p + q), 0.5 * (q + r), 0.5 * (r + p));
            [[p, pq, rp], [pq, q, qr], [rp, qr, r], [pq, qr, rp]]
        })
        .collect()
}
