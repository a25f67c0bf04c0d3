//! The six basic constraints (Bender 2007), from which every joint is made: three that bind a point of body 2
//! (to a plane, a line, a point of body 1) and three that bind its orientation.
//!
//! The joint's frame has its main axis along x: the normal of the plane, the direction of the line, the hinge axis.
//!
//! | | binds | error |
//! |---|---|---|
//! | T1 | a point to a plane | `x1 . d` with `d` from the origin on body 1 to that on body 2 |
//! | T2 | a point to a line | `y1 . d, z1 . d` |
//! | T3 | a point to a point | `d`, in world axes |
//! | R1 | x1 at a right angle to y2 | `asin(x1 . y2)` |
//! | R2 | x1 along x2 | the angle between them, along y1 and z1 |
//! | R3 | all of the orientation | the rotation vector from frame 1 to frame 2 |
//!
//! Angles count in full, not by their sine, so that large errors find home too. T1, T2 and the turns are measured in axes of
//! body 1, and their impulses keep the angular momentum even while the joint is open. T3 is measured in world axes: in axes that
//! turn, a point that is metres away would have to keep up with their turning. Its impulses keep the angular momentum up to
//! the impulse times the error.

use glam::DVec3;
use prall_math::{Norm, rotation};
use serde::{Deserialize, Serialize};

use super::frames::{Frames, Row};

/// What a basic constraint allows a point of body 2 to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PointConstraint {
    /// Anything.
    #[default]
    Free,
    /// T1: stay in the plane of body 1 across the frame's x axis.
    InPlane,
    /// T2: stay on the line of body 1 along the frame's x axis.
    OnLine,
    /// T3: stay at a point of body 1.
    AtPoint,
}

/// What a basic constraint allows the orientation of body 2 to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TurnConstraint {
    /// Anything.
    #[default]
    Free,
    /// R1: keep its y axis at a right angle to the x axis of body 1.
    AcrossAxis,
    /// R2: keep its x axis along that of body 1.
    AlongAxis,
    /// R3: keep all of it.
    Locked,
}

impl PointConstraint {
    /// How many freedoms it takes.
    pub fn count(self) -> usize {
        match self {
            PointConstraint::Free => 0,
            PointConstraint::InPlane => 1,
            PointConstraint::OnLine => 2,
            PointConstraint::AtPoint => 3,
        }
    }

    pub(super) fn rows(self, frames: &Frames, mut emit: impl FnMut(f64, Row)) {
        let bound = match self {
            PointConstraint::Free => 0..0,
            PointConstraint::InPlane => 0..1,
            PointConstraint::OnLine => 1..3,
            PointConstraint::AtPoint => {
                let offset = frames.offset();
                for axis in DVec3::AXES {
                    emit(offset.dot(axis), frames.pull(axis));
                }
                return;
            }
        };
        for axis in bound {
            let (error, row) = frames.shift(frames.axes[0].col(axis));
            emit(error, row);
        }
    }

    /// Axes of frame 1 along which the point may move and be driven.
    pub(super) fn free_axes(self) -> &'static [usize] {
        match self {
            PointConstraint::InPlane => &[1, 2],
            PointConstraint::OnLine => &[0],
            PointConstraint::Free | PointConstraint::AtPoint => &[],
        }
    }
}

impl TurnConstraint {
    /// How many freedoms it takes.
    pub fn count(self) -> usize {
        match self {
            TurnConstraint::Free => 0,
            TurnConstraint::AcrossAxis => 1,
            TurnConstraint::AlongAxis => 2,
            TurnConstraint::Locked => 3,
        }
    }

    pub(super) fn rows(self, frames: &Frames, mut emit: impl FnMut(f64, Row)) {
        let axes = &frames.axes[0];
        match self {
            TurnConstraint::Free => {}
            TurnConstraint::AcrossAxis => {
                let (x1, y2) = (axes.x_axis, frames.axes[1].y_axis);
                // d/dt (x1 . y2) = -(omega2 - omega1) . (x1 x y2); where the axes are parallel any axis across will do.
                let across = x1.cross(y2).try_unit().unwrap_or(axes.z_axis);
                emit(libm::asin(x1.dot(y2).clamp(-1.0, 1.0)), Row::turn(-across));
            }
            TurnConstraint::AlongAxis => {
                let swing = swing_vector(axes.x_axis, frames.axes[1].x_axis, axes.y_axis);
                emit(swing.dot(axes.y_axis), Row::turn(axes.y_axis));
                emit(swing.dot(axes.z_axis), Row::turn(axes.z_axis));
            }
            TurnConstraint::Locked => {
                let turn = rotation::log(frames.relative());
                for (axis, error) in turn.to_array().into_iter().enumerate() {
                    emit(error, Row::turn(axes.col(axis)));
                }
            }
        }
    }
}

/// The shortest rotation vector that takes the unit vector `from` to `to`; about `spare` if they are opposite.
pub(super) fn swing_vector(from: DVec3, to: DVec3, spare: DVec3) -> DVec3 {
    let cross = from.cross(to);
    let sine = cross.norm();
    let angle = libm::atan2(sine, from.dot(to));
    if sine > 1e-12 {
        cross * (angle / sine)
    } else if angle > 1.0 {
        spare * angle
    } else {
        cross
    }
}
