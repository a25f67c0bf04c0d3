//! Lengths and directions for the inner loops.
//!
//! The vector type takes its square roots from the libm crate, as one legacy instruction each that stalls in the
//! middle of AVX code (half the time of a query, as measured). The standard square root is rounded correctly by
//! definition and so has the same bits.

use glam::DVec3;

pub(crate) fn length(v: DVec3) -> f64 {
    v.length_squared().sqrt()
}

/// The vector of unit length in this direction; none for vectors so short or long that squares of their
/// coordinates are lost, and for what is not finite.
pub(crate) fn unit(v: DVec3) -> Option<DVec3> {
    let length = length(v);
    (1e-150..1e150).contains(&length).then(|| v / length)
}
