//! Errors of joints, from poses and a description in plain data.

use glam::DVec3;
use prall_math::{Norm, Pose};

/// What a joint holds together, as plain data: no row, no multiplier, only what must coincide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuditJoint {
    /// The two bodies; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// Pairs of points, each in the frame of its body, that must coincide.
    pub points: Vec<[DVec3; 2]>,
    /// Direction in the frame of the first body along which the points may part: a slider. `None`: not at all.
    pub free: Option<DVec3>,
    /// Distance in metres that the points must have instead of coinciding: a rod.
    pub distance: Option<f64>,
    /// Pairs of directions, each in the frame of its body, that must be parallel.
    pub axes: Vec<[DVec3; 2]>,
}

/// How far a joint is from holding.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointError {
    /// Largest distance of points that should coincide, in metres.
    pub position: f64,
    /// Largest angle of directions that should be parallel, in radians.
    pub angle: f64,
}

impl AuditJoint {
    /// The joint's errors with its bodies in these poses.
    pub fn error(&self, pose_a: &Pose, pose_b: &Pose) -> JointError {
        let free = self.free.and_then(|axis| pose_a.transform_vector(axis).try_unit());
        // Body origins are subtracted first: far from the world's origin that keeps the digits of what is small.
        let between = pose_a.translation - pose_b.translation;
        let position = |&[p, q]: &[DVec3; 2]| {
            let away = between + (pose_a.transform_vector(p) - pose_b.transform_vector(q));
            let away = free.map_or(away, |axis| away - axis * axis.dot(away));
            self.distance.map_or(away.norm(), |wanted| (away.norm() - wanted).abs())
        };
        let angle = |&[u, v]: &[DVec3; 2]| {
            let (u, v) = (pose_a.transform_vector(u), pose_b.transform_vector(v));
            libm::atan2(u.cross(v).norm(), u.dot(v))
        };
        JointError {
            position: self.points.iter().map(position).fold(0.0, f64::max),
            angle: self.axes.iter().map(angle).fold(0.0, f64::max),
        }
    }
}
