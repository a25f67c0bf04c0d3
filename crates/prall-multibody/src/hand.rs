//! A hand that holds a point of a mechanism.

use glam::{DMat3, DVec3};
use prall_mechanics::tree::Tree;
use serde::{Deserialize, Serialize};

/// How fast the held point follows, in 1/s: it comes to `1/e` of its distance in about two of these times.
const RATE: f64 = 10.0;

/// Largest acceleration that a hand gives to what it holds, in m/s^2: twenty times its weight.
const STRENGTH: f64 = 200.0;

/// A critically damped spring between a point of a link and a target, implicit in the velocity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Hand {
    pub(crate) node: usize,
    /// In the link's frame.
    pub(crate) point: DVec3,
    pub(crate) target: DVec3,
}

impl Hand {
    pub(crate) fn new(node: usize, point: DVec3, target: DVec3) -> Hand {
        Hand { node, point, target }
    }

    /// Impulse of a step of `h` seconds on a tree whose velocities were predicted. With the response `K` of the point and the mass
    /// `m = 3 / trace K` that it feels like,
    ///
    /// ```text
    /// p = (K + c E)^-1 (b d - u),  c = 1 / (m h (h w^2 + 2 w)),  b = w / (h w + 2)
    /// ```
    /// where `d` is the way to the target, `u` the point's predicted velocity and `w` the rate.
    pub(crate) fn impulse(&self, tree: &Tree, h: f64) -> DVec3 {
        let point = tree.pose(self.node).transform_point(self.point);
        let k = tree.response((self.node, point), (self.node, point))[0][0];
        let lightness = (k.x_axis.x + k.y_axis.y + k.z_axis.z) / 3.0;
        if !(lightness > 0.0 && h > 0.0) {
            return DVec3::ZERO;
        }
        let soft = lightness / (h * (h * RATE * RATE + 2.0 * RATE));
        let wanted =
            (self.target - point) * (RATE / (h * RATE + 2.0)) - tree.twist_at(self.node, point).linear;
        let impulse = (k + DMat3::from_diagonal(DVec3::splat(soft))).inverse() * wanted;
        impulse.clamp_length_max(STRENGTH * h / lightness)
    }
}
