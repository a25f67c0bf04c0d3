//! How often a surface winds around a point.

use std::f64::consts::PI;

use glam::DVec3;

use crate::mesh::Mesh;

/// Solid angle of a triangle as seen from the origin, positive if it is seen from its back (van Oosterom
/// and Strackee 1983): `tan(omega / 2) = a.(b x c) / (|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|)`.
fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let lengths = [a.length(), b.length(), c.length()];
    let denominator = lengths[0] * lengths[1] * lengths[2]
        + a.dot(b) * lengths[2]
        + b.dot(c) * lengths[0]
        + c.dot(a) * lengths[1];
    2.0 * libm::atan2(a.dot(b.cross(c)), denominator)
}

/// Winding number of some triangles around a point.
pub(crate) fn winding_number(triangles: impl Iterator<Item = [DVec3; 3]>, point: DVec3) -> f64 {
    triangles.map(|corners| solid_angle(corners.map(|p| p - point))).sum::<f64>() / (4.0 * PI)
}

impl Mesh {
    /// How often the surface winds around a point: 1 inside a closed mesh that is oriented outward, 0
    /// outside, -1 inside one that is inside out; in between for open meshes. Undefined on the surface
    /// itself. Looks at every triangle.
    pub fn winding_number(&self, point: DVec3) -> f64 {
        winding_number((0..self.triangles.len()).map(|t| self.triangle_points(t)), point)
    }
}
