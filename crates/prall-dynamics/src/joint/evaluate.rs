//! What each kind of joint holds, and how its coordinates read: values with their rows.

use std::f64::consts::TAU;

use prall_math::{Norm, Pose};

use super::basic::{PointConstraint, TurnConstraint, swing_vector};
use super::definition::{JointKind, MOST_COORDINATES};
use super::frames::{Frames, Row, unwound};
use super::gear;

/// Values of a joint's coordinates, counted over whole turns. Gears keep the angles of their wheels here.
pub(crate) type Coordinates = [f64; MOST_COORDINATES];

impl JointKind {
    /// Every condition that it holds: error in m or rad, with its row. `last` tells which turn angles are in.
    pub(crate) fn equalities(
        &self,
        frames: &Frames,
        last: &Coordinates,
        offset: f64,
        mut emit: impl FnMut(f64, Row),
    ) {
        match *self {
            JointKind::Combined(point, turn) => {
                point.rows(frames, &mut emit);
                turn.rows(frames, &mut emit);
            }
            JointKind::Reach => {}
            JointKind::Distance { length } => {
                let (distance, row) = reach(frames);
                emit(distance - length, row);
            }
            JointKind::Screw { pitch } => {
                PointConstraint::OnLine.rows(frames, &mut emit);
                TurnConstraint::AlongAxis.rows(frames, &mut emit);
                let x = frames.axes[0].x_axis;
                let (shift, row) = frames.shift(x);
                let advance = pitch / TAU;
                let error = shift - advance * unwound(frames.twist(), last[0]);
                emit(error, row.plus(&Row::turn(x).scaled(-advance)));
            }
            JointKind::Gear { ratio } => {
                let (angle, row) = gear::mesh(frames, ratio, last);
                emit(angle - offset, row);
            }
            JointKind::RackAndPinion { radius } => {
                let (shift, row) = gear::rack(frames, radius, last);
                emit(shift - offset, row);
            }
        }
    }

    /// A coordinate's value, near its last one, and its row.
    pub(crate) fn coordinate(&self, index: usize, frames: &Frames, last: &Coordinates) -> (f64, Row) {
        let axes = &frames.axes[0];
        let about_x = |near: f64| (unwound(frames.twist(), near), Row::turn(axes.x_axis));
        match *self {
            JointKind::Combined(point, turn) => {
                let shifts = point.free_axes();
                if let Some(&axis) = shifts.get(index) {
                    return frames.shift(axes.col(axis));
                }
                let second = index > shifts.len();
                match turn {
                    TurnConstraint::AcrossAxis => cardan(frames, second, last[index]),
                    TurnConstraint::Free => swing_or_twist(frames, second, last[index]),
                    TurnConstraint::AlongAxis | TurnConstraint::Locked => about_x(last[index]),
                }
            }
            JointKind::Reach => reach(frames),
            JointKind::Gear { .. } => (gear::wheel_angle(frames, index, last[index]), Row::default()),
            JointKind::RackAndPinion { .. } => (gear::pinion_angle(frames, last[index]), Row::default()),
            JointKind::Screw { .. } | JointKind::Distance { .. } => about_x(last[index]),
        }
    }

    /// How many values [`Coordinates`] keeps: the coordinates, and the angles that gears count by.
    pub(crate) fn counted(&self) -> usize {
        match self {
            JointKind::Gear { .. } => 2,
            JointKind::RackAndPinion { .. } => 1,
            other => other.coordinates(),
        }
    }

    /// What a gear's or rack's condition is worth where the joint was put together.
    pub(crate) fn offset(&self, poses: [&Pose; 2], local: &[Pose; 2]) -> f64 {
        let frames = Frames::new(poses, local);
        let zero = Coordinates::default();
        match *self {
            JointKind::Gear { ratio } => gear::mesh(&frames, ratio, &zero).0,
            JointKind::RackAndPinion { radius } => gear::rack(&frames, radius, &zero).0,
            _ => 0.0,
        }
    }
}

/// Distance of the origins; its force acts along the line between them.
fn reach(frames: &Frames) -> (f64, Row) {
    let offset = frames.offset();
    let distance = offset.norm();
    let direction = if distance > 1e-12 { offset / distance } else { frames.axes[0].x_axis };
    (distance, frames.shift(direction).1)
}

/// Angles of Cardan's joint, about x of frame 1 or about y of frame 2: `omega2 - omega1 = angle1' x1 + angle2' y2`.
fn cardan(frames: &Frames, second: bool, near: f64) -> (f64, Row) {
    let [one, two] = &frames.axes;
    let (sine, cosine, axis) = if second {
        // x1 seen from frame 2 goes round y2 the other way.
        (one.x_axis.dot(two.z_axis), one.x_axis.dot(two.x_axis), two.y_axis)
    } else {
        (two.y_axis.dot(one.z_axis), two.y_axis.dot(one.y_axis), one.x_axis)
    };
    (unwound(libm::atan2(sine, cosine), near), Row::turn(axis))
}

/// Swing: the angle between the x axes. Twist: the turn that is left when the swing is undone.
fn swing_or_twist(frames: &Frames, twist: bool, near: f64) -> (f64, Row) {
    let [x1, x2] = frames.axes.map(|axes| axes.x_axis);
    if twist {
        // Rate of the twist: (omega2 - omega1) . (x1 + x2) / (1 + x1 . x2); undefined at a swing of half a turn.
        let axis = (x1 + x2) / (1.0 + x1.dot(x2)).max(1e-6);
        return (unwound(frames.twist(), near), Row::turn(axis));
    }
    let swing = swing_vector(x1, x2, frames.axes[0].y_axis);
    let angle = swing.norm();
    let axis = if angle > 1e-9 { swing / angle } else { frames.axes[0].y_axis };
    (angle, Row::turn(axis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3};
    use prall_math::Twist;

    const KINDS: [JointKind; 11] = [
        JointKind::BALL,
        JointKind::HINGE,
        JointKind::SLIDER,
        JointKind::CYLINDER,
        JointKind::PLANAR,
        JointKind::UNIVERSAL,
        JointKind::FIXED,
        JointKind::Distance { length: 0.4 },
        JointKind::Screw { pitch: 0.3 },
        JointKind::Gear { ratio: 1.7 },
        JointKind::RackAndPinion { radius: 0.2 },
    ];

    /// Two bodies as the joint holds them (errors zero), or nearly.
    fn state(kind: JointKind) -> ([Pose; 2], [Pose; 2]) {
        let first = Pose::new(DQuat::from_scaled_axis(DVec3::new(0.4, -0.2, 0.9)), DVec3::new(0.3, 0.1, 0.2));
        let apart = match kind {
            JointKind::Gear { .. } | JointKind::Distance { .. } => DVec3::new(0.0, 0.3, 0.5),
            _ => DVec3::ZERO,
        };
        let second = first * Pose::from_translation(apart);
        let local = [Pose::from_translation(DVec3::new(0.1, 0.2, 0.3)), Pose::IDENTITY];
        ([first, second * local[0]], local)
    }

    fn moved(start: &[Pose; 2], velocities: &[Twist; 2], t: f64) -> [Pose; 2] {
        [0, 1].map(|i| {
            Pose::new(
                prall_math::rotation::advance(start[i].rotation, velocities[i].angular, t),
                start[i].translation + velocities[i].linear * t,
            )
        })
    }

    /// Rows of conditions and coordinates against central differences of their values (error h^2 = 1e-12, rounding
    /// 1e-16 / h = 1e-10): for every kind, at a pose where the joint is closed.
    #[test]
    fn every_row_is_the_rate_of_its_value() {
        let velocities = [
            Twist::new(DVec3::new(0.3, -0.1, 0.7), DVec3::new(1.0, -2.0, 0.5)),
            Twist::new(DVec3::new(-0.2, 0.4, 0.1), DVec3::new(-0.6, 0.8, 1.1)),
        ];
        let near = Coordinates::default();
        for kind in KINDS {
            let (poses, local) = state(kind);
            let all = |t: f64| {
                let poses = moved(&poses, &velocities, t);
                let frames = Frames::new([&poses[0], &poses[1]], &local);
                let mut values = Vec::new();
                kind.equalities(&frames, &near, 0.0, |error, row| values.push((error, row)));
                // The swing of a ball has no derivative at zero.
                let first = if kind == JointKind::BALL { 1 } else { 0 };
                values.extend((first..kind.coordinates()).map(|c| kind.coordinate(c, &frames, &near)));
                values
            };
            let (before, now, after) = (all(-1e-6), all(0.0), all(1e-6));
            for i in 0..now.len() {
                let difference = (after[i].0 - before[i].0) / 2e-6;
                let rate = now[i].1.rate(&velocities);
                assert!((rate - difference).abs() < 1e-8, "{kind:?} value {i}: {rate} against {difference}");
            }
        }
    }

    /// Moving both bodies as one changes no value: the reason why joint impulses keep the momenta.
    #[test]
    fn no_value_changes_when_both_bodies_move_as_one() {
        for kind in KINDS {
            let (poses, local) = state(kind);
            let spin = DVec3::new(0.7, -0.3, 1.9);
            let twist = |p: &Pose| Twist::new(DVec3::new(1.0, 2.0, -0.5) + spin.cross(p.translation), spin);
            let velocities = [twist(&poses[0]), twist(&poses[1])];
            let frames = Frames::new([&poses[0], &poses[1]], &local);
            kind.equalities(&frames, &Coordinates::default(), 0.0, |_, row| {
                assert!(row.rate(&velocities).abs() < 1e-13, "{kind:?}");
            });
        }
    }
}
