//! Bounded rows of a joint: limits, motors, servos, friction and springs, each with the impulses it may give.

use glam::DVec3;
use prall_math::Twist;

use super::definition::JointKind;
use super::drive::{Drive, Motor, Servo, SpringDamper};
use super::evaluate::Coordinates;
use super::frames::{Frames, Row};
use super::{Joint, MOST_EQUALITIES};

/// Over what time and towards what the impulses of a phase act.
///
/// A flying component takes half of a step's impulses before it moves and half after it has moved (Bender's position and
/// velocity phase, which is the RATTLE integrator); a component that touches something takes all of them before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spell {
    /// True before the bodies move: the aim is the joint's state after the step. False after: its rate.
    pub(crate) before: bool,
    /// The step in s.
    pub(crate) step: f64,
    /// The time in s whose forces this phase stands for.
    pub(crate) span: f64,
    /// Errors larger than this, in m or rad, are closed by this much in a step.
    pub(crate) closing: f64,
}

impl Spell {
    /// What may be left of an error at the end of the step.
    pub(crate) fn left_open(&self, error: f64) -> f64 {
        if error.abs() > self.closing { error - self.closing.copysign(error) } else { 0.0 }
    }

    /// Which half of a joint's memory belongs to this phase.
    pub(crate) fn memory(&self) -> usize {
        usize::from(!self.before)
    }

    /// True for the phase after the move of a component whose drives have given all of their impulse before it.
    fn is_drive_done(&self) -> bool {
        !self.before && self.span == 0.0
    }
}

#[derive(Clone, Copy, Debug)]
enum Role {
    /// `sign (value - bound) >= 0`; both sides at once if the limits are equal.
    Limit {
        sign: f64,
        bound: f64,
    },
    Motor {
        speed: f64,
    },
    Servo(Servo),
    Friction,
    Spring(SpringDamper),
}

/// A row whose impulse is bounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounded {
    pub(crate) row: Row,
    pub(crate) turning: [DVec3; 2],
    /// Response of the equalities to it.
    pub(crate) coupling: [f64; MOST_EQUALITIES],
    /// Impulses of the equalities that answer it.
    pub(crate) answer: [f64; MOST_EQUALITIES],
    pub(crate) inverse_response: f64,
    pub(crate) bias: f64,
    pub(crate) softness: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) impulse: f64,
    /// Its place in the joint's memory.
    pub(crate) slot: usize,
    role: Role,
    coordinate: usize,
}

impl Bounded {
    fn new(coordinate: usize, kind: usize, row: Row, role: Role, (low, high): (f64, f64)) -> Bounded {
        Bounded {
            row,
            turning: [DVec3::ZERO; 2],
            coupling: [0.0; MOST_EQUALITIES],
            answer: [0.0; MOST_EQUALITIES],
            inverse_response: 0.0,
            bias: 0.0,
            softness: 0.0,
            low,
            high,
            impulse: 0.0,
            slot: MOST_EQUALITIES + 4 * coordinate + kind,
            role,
            coordinate,
        }
    }

    /// True if it works for a drive: a motor, a servo or a spring.
    pub(crate) fn is_drive(&self) -> bool {
        matches!(self.role, Role::Motor { .. } | Role::Servo(_) | Role::Spring(_))
    }

    /// Bias and impulse to begin with.
    pub(crate) fn begin(&mut self, joint: &Joint, spell: &Spell) {
        let value = joint.coordinates[self.coordinate];
        self.impulse = joint.memory[spell.memory()][self.slot];
        match self.role {
            Role::Limit { .. } | Role::Friction => {}
            Role::Motor { speed } => self.bias = -speed,
            Role::Servo(servo) => {
                let response = if self.inverse_response > 0.0 { 1.0 / self.inverse_response } else { 0.0 };
                self.bias = -servo.wanted_speed(value, response, spell.step);
            }
            Role::Spring(SpringDamper { stiffness, damping, rest }) => {
                self.bias = stiffness * (value - rest) / (stiffness * spell.span + damping);
            }
        }
        self.impulse = self.impulse.clamp(self.low, self.high);
    }

    /// Limits look ahead; returns by how much one is broken, in m or rad.
    pub(crate) fn aim(&mut self, joint: &Joint, frames: &Frames, v: &[Twist; 2], spell: &Spell) -> f64 {
        let Role::Limit { sign, bound } = self.role else { return 0.0 };
        let (value, _) = joint.kind.coordinate(self.coordinate, frames, &joint.coordinates);
        let now = sign * (joint.coordinates[self.coordinate] - bound);
        let miss = sign * (value - bound) - spell.left_open(now.min(0.0));
        self.bias = miss / spell.step - self.row.rate(v);
        if self.low < 0.0 { miss.abs() } else { (-miss).max(0.0) }
    }
}

impl Joint {
    /// The bounded rows of a phase.
    pub(crate) fn bounded_rows(&self, frames: &Frames, spell: &Spell, mut emit: impl FnMut(Bounded)) {
        for (c, drive) in self.drives.iter().enumerate().take(self.kind.coordinates()) {
            if drive.is_idle() {
                continue;
            }
            let (value, row) = self.kind.coordinate(c, frames, &self.coordinates);
            if let Some(limits) = drive.limits {
                self.limit_rows(c, value, row, limits, spell, &mut emit);
            }
            if spell.is_drive_done() {
                continue;
            }
            if let Some(Motor { speed, strength }) = drive.motor {
                let most = strength * spell.span;
                emit(Bounded::new(c, 1, row, Role::Motor { speed }, (-most, most)));
            }
            if let Some(servo) = drive.servo {
                let most = servo.strength * spell.span;
                emit(Bounded::new(c, 1, row, Role::Servo(servo), (-most, most)));
            }
            if drive.friction > 0.0 {
                let most = drive.friction * spell.span;
                emit(Bounded::new(c, 2, row, Role::Friction, (-most, most)));
            }
            if let Some(spring) = drive.spring
                && spell.before
                && spring.stiffness + spring.damping > 0.0
            {
                // Force at the middle of the step: -k (e + span J u) - c J u over the span, solved for J u.
                let all = (f64::NEG_INFINITY, f64::INFINITY);
                let mut row = Bounded::new(c, 3, row, Role::Spring(spring), all);
                row.softness = 1.0 / (spell.span * (spring.stiffness * spell.span + spring.damping));
                emit(row);
            }
        }
    }

    fn limit_rows(
        &self,
        c: usize,
        value: f64,
        row: Row,
        (lower, upper): (f64, f64),
        spell: &Spell,
        emit: &mut impl FnMut(Bounded),
    ) {
        let at_lower = value - lower <= upper - value;
        let (sign, bound) = if at_lower { (1.0, lower) } else { (-1.0, upper) };
        // After the move only a limit that has pushed, or is reached, still holds.
        let pushed = self.memory[0][MOST_EQUALITIES + 4 * c] > 0.0;
        if !bound.is_finite() || (!spell.before && !pushed && sign * (value - bound) > 0.0) {
            return;
        }
        let low = if lower == upper { f64::NEG_INFINITY } else { 0.0 };
        emit(Bounded::new(c, 0, row.scaled(sign), Role::Limit { sign, bound }, (low, f64::INFINITY)));
    }

    /// The second half of the springs' impulse, for after the move, as rows with their impulses.
    pub(crate) fn spring_kicks(&self, frames: &Frames, mut emit: impl FnMut(Row, f64)) {
        for (c, drive) in self.drives.iter().enumerate().take(self.kind.coordinates()) {
            let impulse = self.memory[0][MOST_EQUALITIES + 4 * c + 3];
            if drive.spring.is_some() && impulse != 0.0 {
                emit(self.kind.coordinate(c, frames, &self.coordinates).1, impulse);
            }
        }
    }

    /// True for a ball that nothing drives: its swing and twist decide nothing, and are read when someone asks.
    pub(crate) fn is_read_on_demand(&self) -> bool {
        self.kind == JointKind::BALL && self.drives.iter().all(Drive::is_idle)
    }

    /// Reads all coordinates at the present poses.
    pub(crate) fn read(&mut self, frames: &Frames) {
        let last: Coordinates = self.coordinates;
        let counted = if self.is_read_on_demand() { 0 } else { self.kind.counted() };
        for c in 0..counted {
            self.coordinates[c] = self.kind.coordinate(c, frames, &last).0;
        }
        let mut i = 0;
        let (coordinates, offset) = (self.coordinates, self.offset);
        let errors = &mut self.errors;
        self.kind.equalities(frames, &coordinates, offset, |error, _| {
            errors[i] = error;
            i += 1;
        });
    }
}
