//! Dry friction of joints: a torque within its bounds that stops the joint if it can.
//!
//! With the rate `r0` that a step would end with without friction, and `r1` that it would end with under a unit force, the force that stops
//! the joint is `-r0 / (r1 - r0)`; friction is that, but no more than its bound. Joints are taken one after the other, each with what
//! those before it got, so that a chain of them settles within a few steps.

use glam::DVec3;
use prall_mechanics::tree::Tree;

/// Dry friction along an axis of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JointFriction {
    pub(crate) node: usize,
    pub(crate) axis: usize,
    /// Largest force in N, or torque in N m.
    pub(crate) bound: f64,
}

impl JointFriction {
    /// Adds the force for a step of `h` seconds to the axis' motor; returns the motor as it was.
    pub(crate) fn press(&self, tree: &mut Tree, h: f64, gravity: DVec3) -> Option<f64> {
        let motor = tree.element(self.node, self.axis)?.motor;
        let free = self.rate_after(tree, h, gravity)?;
        self.set_motor(tree, motor + 1.0);
        let pushed = self.rate_after(tree, h, gravity)?;
        let needed = -free / (pushed - free);
        let force = if needed.is_finite() { needed.clamp(-self.bound, self.bound) } else { 0.0 };
        self.set_motor(tree, motor + force);
        Some(motor)
    }

    pub(crate) fn set_motor(&self, tree: &mut Tree, motor: f64) {
        if let Some(mut element) = tree.element(self.node, self.axis).copied() {
            element.motor = motor;
            // A finite motor is never refused.
            let _ = tree.set_element(self.node, self.axis, element);
        }
    }

    fn rate_after(&self, tree: &mut Tree, h: f64, gravity: DVec3) -> Option<f64> {
        tree.mark();
        tree.predict(h, gravity);
        let rate = tree.coordinate(self.node, self.axis).map(|(_, rate)| rate);
        tree.return_to_mark();
        rate
    }
}
