//! Gears and racks: conditions on angles that need no third body to carry them.
//!
//! A wheel's angle counts against the line between the two centres, as its teeth do. So a planet may run round
//! its sun, and wheels in a floating gearbox keep their angular momentum.

use glam::DVec3;

use super::evaluate::Coordinates;
use super::frames::{Frames, Row, unwound};

/// Angle of wheel 0 or 1 about its x axis against the line to the other wheel.
pub(super) fn wheel_angle(frames: &Frames, wheel: usize, near: f64) -> f64 {
    let axes = &frames.axes[wheel];
    let line = frames.offset();
    unwound(-libm::atan2(axes.z_axis.dot(line), axes.y_axis.dot(line)), near)
}

/// `angle1 + ratio angle2` and its row.
///
/// The line of centres `c` turns about the axis x with `(x x c) . (u2 - u1) / c^2`, which both angles lose.
pub(super) fn mesh(frames: &Frames, ratio: f64, last: &Coordinates) -> (f64, Row) {
    let angle = wheel_angle(frames, 0, last[0]) + ratio * wheel_angle(frames, 1, last[1]);
    let [axis, axis_of_second] = frames.axes.map(|axes| axes.x_axis);
    let line = frames.offset();
    let across = axis.cross(line);
    let square = across.length_squared();
    let carried = if square > 1e-24 { across * (-(1.0 + ratio) / square) } else { DVec3::ZERO };
    let arms = [frames.origins[0] - frames.centres[0], frames.origins[1] - frames.centres[1]];
    let angular = [axis - arms[0].cross(carried), axis_of_second * ratio + arms[1].cross(carried)];
    (angle, Row { linear: carried, angular })
}

/// Angle of the pinion about the z axis of the rack.
pub(super) fn pinion_angle(frames: &Frames, near: f64) -> f64 {
    let turn = frames.relative();
    unwound(2.0 * libm::atan2(turn.z, turn.w), near)
}

/// `shift + radius angle` and its row.
pub(super) fn rack(frames: &Frames, radius: f64, last: &Coordinates) -> (f64, Row) {
    let (shift, row) = frames.shift(frames.axes[0].x_axis);
    let turn = Row::turn(frames.axes[0].z_axis).scaled(radius);
    (shift + radius * pinion_angle(frames, last[0]), row.plus(&turn))
}
