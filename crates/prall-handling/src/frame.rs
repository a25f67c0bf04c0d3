//! [`MetricFrame`]: shifts and turns in coordinates in which the metric is the identity.
//!
//! With radii of gyration k along the metric's axes A, `y = (d, k A' t)`: then `|y|^2 = |d|^2 + t' A k^2 A' t` is the metric for unit mass, and
//! a row `n . (d + t x r) = n . d + (r x n) . t` becomes `(n, A' (r x n) / k)`.

use glam::{DMat3, DVec3};
use prall_math::{Pose, Twist};

use crate::active_set::Vector6;

/// The metric with the part in a pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MetricFrame {
    axes: DMat3,
    gyration: DVec3,
}

impl MetricFrame {
    pub(crate) fn new(pose: &Pose, axes: &DMat3, gyration: DVec3) -> MetricFrame {
        MetricFrame { axes: pose.rotation_matrix() * *axes, gyration }
    }

    pub(crate) fn motion(&self, x: &Twist) -> Vector6 {
        let turn = self.axes.transpose() * x.angular * self.gyration;
        [x.linear.x, x.linear.y, x.linear.z, turn.x, turn.y, turn.z]
    }

    pub(crate) fn twist(&self, y: &Vector6) -> Twist {
        let turn = DVec3::new(y[3], y[4], y[5]) / self.gyration;
        Twist { linear: DVec3::new(y[0], y[1], y[2]), angular: self.axes * turn }
    }

    /// The row of the motion along `direction` of the point at `arm` from the reference point.
    pub(crate) fn row(&self, direction: DVec3, arm: DVec3) -> Vector6 {
        let turn = self.axes.transpose() * arm.cross(direction) / self.gyration;
        [direction.x, direction.y, direction.z, turn.x, turn.y, turn.z]
    }
}
