//! Directions for the inner loops.

use glam::DVec3;
use prall_math::Norm;

/// The vector of unit length in this direction; none for vectors so short or long that squares of their
/// coordinates are lost, and for what is not finite.
pub(crate) fn unit(v: DVec3) -> Option<DVec3> {
    let length = v.norm();
    (1e-150..1e150).contains(&length).then(|| v / length)
}
