//! How two bodies stand to each other: the change from one body's frame to the other's, both ways.

use glam::{DMat3, DVec3};
use prall_math::Pose;

use crate::error::QueryError;

/// Farthest from the world's origin that a query at an instant takes a body, in metres: a tenth of a light year.
/// Squares of such distances are finite in the single precision of the lanes.
const FARTHEST: f64 = 1e15;

/// The poses of two bodies must be rigid placements: of one that is not, nothing can be said, least of all that it is free.
#[inline]
pub(crate) fn check_poses(a: &Pose, b: &Pose) -> Result<(), QueryError> {
    check_pose("A", a)?;
    check_pose("B", b)
}

#[inline]
fn check_pose(body: &'static str, pose: &Pose) -> Result<(), QueryError> {
    // Written so that NaN is wrong.
    let near = pose.translation.abs().max_element() <= FARTHEST;
    if near && pose.is_valid() { Ok(()) } else { Err(QueryError::Pose { body, pose: *pose }) }
}

/// Takes points of one frame to another, with the rotation in single precision at hand for the lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameChange {
    pub(crate) rotation: DMat3,
    pub(crate) translation: DVec3,
    /// Columns of the rotation.
    pub(crate) rotation32: [[f32; 3]; 3],
}

impl FrameChange {
    pub(crate) fn new(rotation: DMat3, translation: DVec3) -> FrameChange {
        let rotation32 = rotation.to_cols_array_2d().map(|column| column.map(|entry| entry as f32));
        FrameChange { rotation, translation, rotation32 }
    }

    #[inline(always)]
    pub(crate) fn point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    #[inline(always)]
    pub(crate) fn triangle(&self, triangle: &[DVec3; 3]) -> [DVec3; 3] {
        [self.point(triangle[0]), self.point(triangle[1]), self.point(triangle[2])]
    }
}

/// Body A seen from body B and the other way round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) a_to_b: FrameChange,
    pub(crate) b_to_a: FrameChange,
}

impl Placement {
    pub(crate) fn new(a: &Pose, b: &Pose) -> Placement {
        let world_to_b = b.rotation_matrix().transpose();
        let rotation = world_to_b * a.rotation_matrix();
        let translation = world_to_b * (a.translation - b.translation);
        let back = rotation.transpose();
        Placement {
            a_to_b: FrameChange::new(rotation, translation),
            b_to_a: FrameChange::new(back, -(back * translation)),
        }
    }
}
