//! Orientation tests whose sign is exact (adaptive precision after Shewchuk 1997).
//!
//! Exact as long as no product of three coordinate differences leaves the range of f64, that is for
//! coordinates between 1e-60 and 1e60 in size (or zero).

use glam::{DVec2, DVec3};

/// Positive if `p` lies on the side to which `(b - a) x (c - a)` points, zero if the four are coplanar.
///
/// The value approximates `(b - a) x (c - a) . (p - a)`; its sign is exact.
pub(crate) fn side_of_plane(a: DVec3, b: DVec3, c: DVec3, p: DVec3) -> f64 {
    let coord = |v: DVec3| robust::Coord3D { x: v.x, y: v.y, z: v.z };
    -robust::orient3d(coord(a), coord(b), coord(c), coord(p))
}

/// Positive if `a`, `b`, `c` turn counter-clockwise, zero if they are collinear; the sign is exact.
pub(crate) fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |v: DVec2| robust::Coord { x: v.x, y: v.y };
    robust::orient2d(coord(a), coord(b), coord(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_of_a_plane_is_positive_where_its_normal_points() {
        let side = |p| side_of_plane(DVec3::ZERO, DVec3::X, DVec3::Y, p);
        assert!(side(DVec3::new(0.3, 0.3, 1e-30)) > 0.0);
        assert!(side(DVec3::new(0.3, 0.3, -1e-30)) < 0.0);
        assert!(side(DVec3::new(5.0, -7.0, 0.0)) == 0.0);
    }

    #[test]
    fn a_left_turn_is_positive() {
        assert!(turn(DVec2::ZERO, DVec2::X, DVec2::new(1.0, 1e-30)) > 0.0);
        assert!(turn(DVec2::ZERO, DVec2::X, DVec2::new(7.0, 0.0)) == 0.0);
    }
}
