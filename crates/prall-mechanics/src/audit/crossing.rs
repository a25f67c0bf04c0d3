//! Whether two triangles cross, by predicates whose sign is exact (Shewchuk 1997).

use glam::DVec3;

/// True if an edge of one passes through the other, borders included. Triangles that only touch from one side, and those in one plane, do
/// not cross.
pub(super) fn triangles_cross(s: &[DVec3; 3], t: &[DVec3; 3]) -> bool {
    let passes = |edges: &[DVec3; 3], face: &[DVec3; 3]| {
        (0..3).any(|i| segment_passes(edges[i], edges[(i + 1) % 3], face))
    };
    passes(s, t) || passes(t, s)
}

fn segment_passes(p: DVec3, q: DVec3, &[a, b, c]: &[DVec3; 3]) -> bool {
    let (from, to) = (side(a, b, c, p), side(a, b, c, q));
    let through = (from > 0.0 && to < 0.0) || (from < 0.0 && to > 0.0);
    if !through {
        return false;
    }
    let turns = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
}

fn side(a: DVec3, b: DVec3, c: DVec3, p: DVec3) -> f64 {
    let coord = |v: DVec3| robust::Coord3D { x: v.x, y: v.y, z: v.z };
    robust::orient3d(coord(a), coord(b), coord(c), coord(p))
}
