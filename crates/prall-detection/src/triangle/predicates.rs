//! Signs of determinants, exact for all finite coordinates (Shewchuk's adaptive predicates).

use glam::{DVec2, DVec3};
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Sign of the volume of (a, b, c, d): 0 if and only if the four points lie in a plane.
pub(super) fn side(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> i8 {
    let point = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    sign(orient3d(point(a), point(b), point(c), point(d)))
}

/// Sign of the area of (a, b, c) in the plane: 0 if and only if the three points lie on a line.
pub(super) fn turn(a: DVec2, b: DVec2, c: DVec2) -> i8 {
    let point = |p: DVec2| Coord { x: p.x, y: p.y };
    sign(orient2d(point(a), point(b), point(c)))
}

/// The three ways to forget a coordinate. None of them rounds.
pub(super) const PROJECTIONS: [fn(DVec3) -> DVec2; 3] =
    [|p| DVec2::new(p.y, p.z), |p| DVec2::new(p.z, p.x), |p| DVec2::new(p.x, p.y)];

/// A projection under which the three points still span a triangle; none if they lie on a line.
pub(super) fn faithful_projection(a: DVec3, b: DVec3, c: DVec3) -> Option<fn(DVec3) -> DVec2> {
    PROJECTIONS.into_iter().find(|project| turn(project(a), project(b), project(c)) != 0)
}

fn sign(value: f64) -> i8 {
    i8::from(value > 0.0) - i8::from(value < 0.0)
}
