//! [`Frames`]: where the two halves of a joint are; [`Row`]: one scalar condition on two bodies.

use glam::{DMat3, DQuat, DVec3};
use prall_math::{Pose, Twist};

/// A scalar that two bodies share, by its rate: `linear . (v2 - v1) + angular[0] . omega1 + angular[1] . omega2`.
///
/// Its impulse is the transpose: `-linear` on body 1, `linear` on body 2, and the moments `angular`. A scalar that
/// does not change when both bodies move as one gives impulses that keep linear and angular momentum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Row {
    pub(crate) linear: DVec3,
    pub(crate) angular: [DVec3; 2],
}

impl Row {
    /// Rate of the scalar at these velocities.
    #[inline]
    pub(crate) fn rate(&self, velocities: &[Twist; 2]) -> f64 {
        self.linear.dot(velocities[1].linear - velocities[0].linear)
            + self.angular[0].dot(velocities[0].angular)
            + self.angular[1].dot(velocities[1].angular)
    }

    /// Turning of body 2 against body 1 about a unit axis.
    pub(crate) fn turn(axis: DVec3) -> Row {
        Row { linear: DVec3::ZERO, angular: [-axis, axis] }
    }

    pub(crate) fn scaled(&self, factor: f64) -> Row {
        Row { linear: self.linear * factor, angular: self.angular.map(|a| a * factor) }
    }

    pub(crate) fn plus(&self, other: &Row) -> Row {
        Row {
            linear: self.linear + other.linear,
            angular: [self.angular[0] + other.angular[0], self.angular[1] + other.angular[1]],
        }
    }
}

/// The joint's frame on each body, in the world, and the bodies' centres of mass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames {
    pub(crate) centres: [DVec3; 2],
    pub(crate) origins: [DVec3; 2],
    pub(crate) rotations: [DQuat; 2],
    /// Columns are the frame's axes.
    pub(crate) axes: [DMat3; 2],
}

impl Frames {
    /// From the bodies' poses (frames at the centres of mass) and the joint's frames on them.
    pub(crate) fn new(poses: [&Pose; 2], local: &[Pose; 2]) -> Frames {
        let [first, second] = [*poses[0] * local[0], *poses[1] * local[1]];
        Frames {
            centres: poses.map(|pose| pose.translation),
            origins: [first.translation, second.translation],
            rotations: [first.rotation, second.rotation],
            axes: [first.rotation_matrix(), second.rotation_matrix()],
        }
    }

    /// The same for joints that hold a point and nothing else: axes are the world's.
    pub(crate) fn of_points(poses: [&Pose; 2], points: &[DVec3; 2]) -> Frames {
        Frames {
            centres: [poses[0].translation, poses[1].translation],
            origins: [poses[0].transform_point(points[0]), poses[1].transform_point(points[1])],
            rotations: [DQuat::IDENTITY; 2],
            axes: [DMat3::IDENTITY; 2],
        }
    }

    /// From the origin on body 1 to the origin on body 2.
    pub(crate) fn offset(&self) -> DVec3 {
        self.origins[1] - self.origins[0]
    }

    /// `direction . offset` and its row, the unit direction being fixed to body 1.
    ///
    /// The direction turns with body 1, so body 1 is felt at the place of body 2's origin:
    /// `d/dt (n . (b - a)) = n . (v2 + omega2 x (b - c2) - v1 - omega1 x (b - c1))`.
    pub(crate) fn shift(&self, direction: DVec3) -> (f64, Row) {
        let place = self.origins[1];
        let angular = [direction.cross(place - self.centres[0]), (place - self.centres[1]).cross(direction)];
        (direction.dot(self.offset()), Row { linear: direction, angular })
    }

    /// Row of `direction . offset` for a unit direction of the world: each body is felt at its own origin.
    pub(crate) fn pull(&self, direction: DVec3) -> Row {
        let [arm, other] = [0, 1].map(|side| self.origins[side] - self.centres[side]);
        Row { linear: direction, angular: [direction.cross(arm), other.cross(direction)] }
    }

    /// The quaternion from frame 1 to frame 2, in frame 1, by the shorter way.
    pub(crate) fn relative(&self) -> DQuat {
        let turn = self.rotations[0].conjugate() * self.rotations[1];
        if turn.w < 0.0 { -turn } else { turn }
    }

    /// Angle by which frame 2 is turned about the first axis of frame 1, in (-pi, pi].
    pub(crate) fn twist(&self) -> f64 {
        let turn = self.relative();
        2.0 * libm::atan2(turn.x, turn.w)
    }
}

/// The angle equal to `angle` up to whole turns that is nearest to `near`.
pub(crate) fn unwound(angle: f64, near: f64) -> f64 {
    const TURN: f64 = std::f64::consts::TAU;
    angle + TURN * ((near - angle) / TURN).round()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(poses: [Pose; 2]) -> Frames {
        let local = [
            Pose::new(DQuat::from_scaled_axis(DVec3::new(0.2, 0.5, -0.3)), DVec3::new(0.3, -0.2, 0.1)),
            Pose::new(DQuat::from_scaled_axis(DVec3::new(-0.7, 0.1, 0.4)), DVec3::new(-0.1, 0.4, 0.2)),
        ];
        Frames::new([&poses[0], &poses[1]], &local)
    }

    /// The row is the derivative of the value: against a central difference, whose error is h^2.
    #[test]
    fn a_shifts_row_is_the_rate_of_the_shift() {
        let start = [
            Pose::new(DQuat::from_scaled_axis(DVec3::new(1.0, 0.2, 0.1)), DVec3::new(1.0, 2.0, 3.0)),
            Pose::new(DQuat::from_scaled_axis(DVec3::new(-0.4, 0.9, 0.3)), DVec3::new(1.5, 1.0, 3.5)),
        ];
        let velocities = [
            Twist::new(DVec3::new(0.3, -0.1, 0.7), DVec3::new(1.0, -2.0, 0.5)),
            Twist::new(DVec3::new(-0.2, 0.4, 0.1), DVec3::new(-0.6, 0.8, 1.1)),
        ];
        let at = |t: f64| {
            let moved = |i: usize| {
                Pose::new(
                    prall_math::rotation::advance(start[i].rotation, velocities[i].angular, t),
                    start[i].translation + velocities[i].linear * t,
                )
            };
            frames([moved(0), moved(1)])
        };
        for axis in 0..3 {
            let (_, row) = at(0.0).shift(at(0.0).axes[0].col(axis));
            let value = |t: f64| at(t).shift(at(t).axes[0].col(axis)).0;
            let difference = (value(1e-6) - value(-1e-6)) / 2e-6;
            assert!((row.rate(&velocities) - difference).abs() < 1e-8, "axis {axis}");
        }
    }

    #[test]
    fn angles_count_whole_turns() {
        assert!((unwound(0.1, 6.2) - (0.1 + std::f64::consts::TAU)).abs() < 1e-15);
        assert!((unwound(-3.0, 3.2) - (std::f64::consts::TAU - 3.0)).abs() < 1e-15);
    }
}
