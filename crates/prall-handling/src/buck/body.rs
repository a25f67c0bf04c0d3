//! [`Body`]: a part that moves, with its mass.

use glam::{DMat3, DVec3};
use prall_detection::Boundary;
use prall_geometry::{MassProperties, Shape};
use prall_math::{Pose, Twist};

use crate::frame::MetricFrame;

/// A part that moves.
#[derive(Clone)]
pub(super) struct Body {
    pub(super) shape: Shape,
    pub(super) boundary: Boundary,
    pub(super) mass: f64,
    /// Of mass, in the part's frame; and the principal axes with radii of gyration in m.
    pub(super) centre: DVec3,
    axes: DMat3,
    gyration: DVec3,
    pub(super) pose: Pose,
    /// Of the mass centre and of turning, in the last interval.
    pub(super) velocity: Twist,
}

impl Body {
    pub(super) fn new(shape: &Shape, boundary: Boundary, mass: &MassProperties, pose: Pose) -> Body {
        let (moments, axes) = mass.principal_axes();
        Body {
            shape: shape.clone(),
            boundary,
            mass: mass.mass,
            centre: mass.center_of_mass,
            axes: DMat3::from_quat(axes),
            gyration: (moments / mass.mass).map(f64::sqrt),
            pose,
            velocity: Twist::ZERO,
        }
    }

    pub(super) fn frame(&self) -> MetricFrame {
        MetricFrame::new(&self.pose, &self.axes, self.gyration)
    }

    pub(super) fn mass_centre(&self) -> DVec3 {
        self.pose.transform_point(self.centre)
    }

    /// Velocity of the point of the body that is here, in m/s.
    pub(super) fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity.linear + self.velocity.angular.cross(point - self.mass_centre())
    }
}
