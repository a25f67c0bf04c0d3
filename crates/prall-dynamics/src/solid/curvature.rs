//! How loaded gaps curve as bodies turn: what makes linearisations about successive poses converge.
//!
//! A vertex at the arm `r` from the centre has the height `n . exp(t) r`, whose second derivative in the turn `t` is
//! `(n r' + r n')/2 - (n . r) 1`. With the load `f` the energy curves by minus that times `f`: the eigenvalues are
//! `f |r| (1 + c)/2` along `n - r^`, `f |r| c` along `n x r^` and a negative one, where `c` is the cosine between `n` and `r`. The positive ones
//! enter as a proximal term about the pose of the last look, so that they change the way to the solution and not the solution.

use glam::{DMat3, DVec3};
use prall_math::Norm;

/// Curvature of a load `force` (kg m) along the unit vector `n`, which points from the other body to this one, at a point of this body.
pub(crate) fn of_own_point(n: DVec3, arm: DVec3, force: f64) -> DMat3 {
    let length = arm.norm();
    if !(length > 0.0 && force > 0.0) {
        return DMat3::ZERO;
    }
    let radial = arm / length;
    let cosine = n.dot(radial);
    let scale = force * length;
    along(n - radial, scale * 0.5 * (1.0 + cosine)) + along(n.cross(radial), scale * cosine.max(0.0))
}

/// The same where the point is the other body's and the face is this body's.
pub(crate) fn of_own_face(n: DVec3, arm: DVec3, force: f64) -> DMat3 {
    of_own_point(-n, arm, force)
}

fn along(direction: DVec3, value: f64) -> DMat3 {
    let squared = direction.length_squared();
    if !(squared > 1e-12 && value > 0.0) {
        return DMat3::ZERO;
    }
    let scaled = direction * (value / squared);
    DMat3::from_cols(scaled * direction.x, scaled * direction.y, scaled * direction.z)
}
