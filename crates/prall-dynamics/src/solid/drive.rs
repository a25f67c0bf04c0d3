//! Rows of a joint in a part: its conditions, then limits, motor or servo, friction and spring of every coordinate.
//!
//! A part has two phases (RATTLE). Before the move a force `f` that lasts for the part `h` shifts by `f h^2 / 2` and gives half of its impulse;
//! after the move it gives the other half. So in both phases a row's force is bounded by `strength h^2 / 2`, in kg m. A spring takes its force
//! at the mean of both ends, `f = -k ((q0 + q1) / 2 - rest) - c (q1 - q0) / h`: its work is then what its energy loses, whatever its stiffness.

use glam::DMat3;
use prall_math::Pose;

use super::body::SolidBody;
use super::solve::SolidJoint;
use crate::joint::frames::{Frames, Row as JointRow};
use crate::joint::{Coordinates, Drive, Joint, MOST_EQUALITIES, Motor, Servo, SpringDamper};

/// A limit counts as reached within this, in m or rad.
const REACHED: f64 = 1e-6;

/// What a row of a joint asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Law {
    /// A condition that the joint always keeps.
    Condition,
    /// `sign (value - bound) >= 0`, or `= 0` if both limits are equal.
    Limit {
        sign: f64,
        bound: f64,
        both: bool,
    },
    Motor(Motor),
    Servo(Servo),
    Friction(f64),
    Spring(SpringDamper),
}

/// A row of a joint at some poses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrivenRow {
    pub(crate) law: Law,
    /// Error of a condition, or value of the coordinate, in m or rad.
    pub(crate) value: f64,
    pub(crate) row: JointRow,
}

/// What the island solver is told of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RowLaw {
    /// Value that should be 0, at the poses of the row, in m or rad.
    pub(super) error: f64,
    /// Least and largest force, in kg m.
    pub(super) bounds: [f64; 2],
    /// In 1/kg.
    pub(super) softness: f64,
}

impl RowLaw {
    fn bounded(error: f64, most: f64) -> RowLaw {
        RowLaw { error, bounds: [-most, most], softness: 0.0 }
    }
}

/// A part of the step, as far as drives need to know it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// Length in s.
    pub(super) dt: f64,
    /// Broken limits are closed by this much in the part, in m or rad.
    pub(super) closing: f64,
}

fn each_law(drive: &Drive, mut emit: impl FnMut(usize, Law)) {
    if let Some((lower, upper)) = drive.limits {
        let both = lower == upper;
        if lower.is_finite() {
            emit(0, Law::Limit { sign: 1.0, bound: lower, both });
        }
        if upper.is_finite() && !both {
            emit(0, Law::Limit { sign: -1.0, bound: upper, both });
        }
    }
    if let Some(motor) = drive.motor {
        emit(1, Law::Motor(motor));
    }
    if let Some(servo) = drive.servo {
        emit(1, Law::Servo(servo));
    }
    if drive.friction > 0.0 {
        emit(2, Law::Friction(drive.friction));
    }
    if let Some(spring) = drive.spring.filter(|spring| spring.stiffness + spring.damping > 0.0) {
        emit(3, Law::Spring(spring));
    }
}

/// Slots in a joint's memory of all its rows, in the order of [`driven_rows`].
pub(crate) fn slots(joint: &Joint, mut emit: impl FnMut(usize)) {
    (0..joint.kind.constraints()).for_each(&mut emit);
    for (c, drive) in joint.drives.iter().enumerate().take(joint.kind.coordinates()) {
        each_law(drive, |kind, _| emit(MOST_EQUALITIES + 4 * c + kind));
    }
}

/// All rows of a joint with its bodies in these poses, always in the same number and order. `last` are values of its coordinates nearby.
pub(crate) fn driven_rows(
    joint: &Joint,
    last: &Coordinates,
    poses: [&Pose; 2],
    mut emit: impl FnMut(DrivenRow),
) {
    let frames = Frames::new(poses, &joint.frames);
    joint.kind.equalities(&frames, last, joint.offset, |value, row| {
        emit(DrivenRow { law: Law::Condition, value, row });
    });
    for (c, drive) in joint.drives.iter().enumerate().take(joint.kind.coordinates()) {
        if drive.is_idle() {
            continue;
        }
        let (value, row) = joint.kind.coordinate(c, &frames, last);
        each_law(drive, |_, law| {
            let row = if let Law::Limit { sign, .. } = law { row.scaled(sign) } else { row };
            emit(DrivenRow { law, value, row });
        });
    }
}

impl SolidJoint<'_> {
    /// All rows with its bodies in these poses.
    pub(super) fn rows(&self, poses: [&Pose; 2], emit: impl FnMut(DrivenRow)) {
        driven_rows(self.joint, &self.coordinates, poses, emit);
    }

    /// Reads the coordinates at the present poses of the bodies.
    pub(super) fn read(&mut self, poses: [&Pose; 2]) {
        let frames = Frames::new(poses, &self.joint.frames);
        let last = self.coordinates;
        self.coordinates_before = last;
        for c in 0..self.joint.kind.counted() {
            self.coordinates[c] = self.joint.kind.coordinate(c, &frames, &last).0;
        }
    }

    /// True if it drives its bodies by itself: they cannot be proven to rest by forces of before.
    pub(super) fn is_driven(&self) -> bool {
        let drives = &self.joint.drives[..self.joint.kind.coordinates()];
        drives.iter().any(|drive| drive.motor.is_some() || drive.servo.is_some() || drive.spring.is_some())
    }

    /// Work in J that its drives may have done in the last move, which took `dt` seconds.
    pub(super) fn work(&self, dt: f64) -> f64 {
        let mut work = 0.0;
        for (c, drive) in self.joint.drives.iter().enumerate().take(self.joint.kind.coordinates()) {
            let (start, end) = (self.coordinates_before[c], self.coordinates[c]);
            each_law(drive, |_, law| {
                work += match law {
                    Law::Motor(motor) => motor.strength * (end - start).abs().max(motor.speed.abs() * dt),
                    Law::Servo(servo) => servo.strength * (end - start).abs().max(servo.speed * dt),
                    Law::Spring(SpringDamper { stiffness, rest, .. }) => {
                        0.5 * stiffness * ((start - rest) * (start - rest) - (end - rest) * (end - rest))
                    }
                    Law::Condition | Law::Limit { .. } | Law::Friction(_) => 0.0,
                };
            });
        }
        work
    }
}

impl DrivenRow {
    /// The law before the move: this row is at the poses of a look, `start` at those of the part's start.
    pub(super) fn before_move(&self, start: &DrivenRow, bodies: [&SolidBody; 2], span: &Span) -> RowLaw {
        let (dt, moved) = (span.dt, self.value - start.value);
        let half = 0.5 * dt * dt;
        match self.law {
            Law::Condition => {
                RowLaw { error: self.value, bounds: [f64::NEG_INFINITY, f64::INFINITY], softness: 0.0 }
            }
            Law::Limit { sign, bound, both } => {
                let broken = (sign * (start.value - bound)).min(0.0);
                let left_open = (broken + span.closing).min(0.0);
                let low = if both { f64::NEG_INFINITY } else { 0.0 };
                let error = sign * (self.value - bound) - left_open;
                RowLaw { error, bounds: [low, f64::INFINITY], softness: 0.0 }
            }
            Law::Motor(motor) => RowLaw::bounded(moved - motor.speed * dt, motor.strength * half),
            Law::Servo(servo) => {
                RowLaw::bounded(moved - start.servo_speed(&servo, bodies, dt) * dt, servo.strength * half)
            }
            Law::Friction(friction) => RowLaw::bounded(moved, friction * half),
            Law::Spring(SpringDamper { stiffness, damping, rest }) => {
                let slope = 0.5 * stiffness + damping / dt;
                RowLaw {
                    error: moved + stiffness * (start.value - rest) / slope,
                    bounds: [f64::NEG_INFINITY, f64::INFINITY],
                    softness: 1.0 / (half * slope),
                }
            }
        }
    }

    /// The law after the move, where the error is that of the rate times `dt` with both bodies at rest. `force` is what the row did before the
    /// move, in kg m; `share` says how often that is still to be given: 1 for the second half of a part, 2 if the first half was taken back, 0 if
    /// all of it was given.
    pub(super) fn after_move(&self, force: f64, share: f64, bodies: [&SolidBody; 2], dt: f64) -> RowLaw {
        let half = 0.5 * dt * dt * share;
        match self.law {
            Law::Condition => {
                RowLaw { error: 0.0, bounds: [f64::NEG_INFINITY, f64::INFINITY], softness: 0.0 }
            }
            Law::Limit { sign, bound, both } => {
                let reached = force > 0.0 || sign * (self.value - bound) <= REACHED;
                let high = if reached || both { f64::INFINITY } else { 0.0 };
                let low = if both { f64::NEG_INFINITY } else { 0.0 };
                RowLaw { error: 0.0, bounds: [low, high], softness: 0.0 }
            }
            Law::Motor(motor) => RowLaw::bounded(-motor.speed * dt, motor.strength * half),
            Law::Servo(servo) => {
                RowLaw::bounded(-self.servo_speed(&servo, bodies, dt) * dt, servo.strength * half)
            }
            Law::Friction(friction) => RowLaw::bounded(0.0, friction * half),
            Law::Spring(_) => RowLaw { error: 0.0, bounds: [force * share; 2], softness: 0.0 },
        }
    }

    /// How far a condition or a limit is broken, in m or rad.
    pub(super) fn broken(&self) -> f64 {
        match self.law {
            Law::Condition => self.value.abs(),
            Law::Limit { sign, bound, .. } => (sign * (bound - self.value)).max(0.0),
            Law::Motor(_) | Law::Servo(_) | Law::Friction(_) | Law::Spring(_) => 0.0,
        }
    }

    fn servo_speed(&self, servo: &Servo, bodies: [&SolidBody; 2], dt: f64) -> f64 {
        servo.wanted_speed(self.value, self.response(bodies), dt)
    }

    /// Acceleration of the coordinate by a unit force along it.
    fn response(&self, bodies: [&SolidBody; 2]) -> f64 {
        let of = |(side, body): (usize, &SolidBody)| {
            if !body.is_movable() {
                return 0.0;
            }
            let turn = self.row.angular[side];
            let inverse: DMat3 = body.inertia(&body.pose).inverse();
            self.row.linear.length_squared() / body.mass + turn.dot(inverse * turn)
        };
        bodies.into_iter().enumerate().map(of).sum()
    }
}
