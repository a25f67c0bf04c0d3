//! [`DriveControl`]: a wheel, pedal, lever or button by which a person drives a scene.
//!
//! Controls are not parameters: a parameter is set once and stays, a control is in somebody's hands in every step. Its values are part of
//! [`Input`](crate::Input), so that a recording of the inputs is the whole story of a drive.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Most controls of a scene: as many as two hands and two feet can use.
pub const MOST_CONTROLS: usize = 8;

/// How a control moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ControlKind {
    /// From -1 to 1, and back to 0 when it is let go: a steering wheel, a stick.
    Axis,
    /// From 0 to 1, and back to 0 when it is let go.
    Pedal,
    /// From 0 to 1, and stays where it was put.
    Lever,
    /// 1 while it is held, else 0.
    Button,
}

/// What moves a control on a gamepad of the standard layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum PadInput {
    /// A stick's axis by its number: 0 left stick to the right, 1 left stick down, 2 and 3 the right stick.
    Axis(u8),
    /// The same, turned around.
    Reversed(u8),
    /// A button or trigger by its number: 7 is the right trigger.
    Button(u8),
    /// The same, and one that does the opposite.
    Buttons([u8; 2]),
}

/// Something to drive with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DriveControl {
    /// The name used in messages.
    pub key: &'static str,
    /// The name that people read.
    pub label: &'static str,
    /// How it moves.
    pub kind: ControlKind,
    /// Keys that move it up, as browsers name their places: `KeyW`, `ArrowLeft`, `Space`.
    pub more: &'static [&'static str],
    /// Keys that move it down.
    pub less: &'static [&'static str],
    /// What moves it on a gamepad.
    pub pad: Option<PadInput>,
    /// Time in s in which a key takes it from rest to its end; a stick takes it at once.
    pub ramp: f64,
    /// What it does, in one sentence.
    pub text: &'static str,
}

impl ControlKind {
    /// Smallest value; the largest is 1.
    pub fn min(self) -> f64 {
        if self == ControlKind::Axis { -1.0 } else { 0.0 }
    }
}

impl DriveControl {
    /// The value in a range that has its own rest: -1 is `low`, 0 the value nearest to zero, 1 `high`; where nothing is below rest, 0 is
    /// `low`.
    pub fn within(&self, value: f64, low: f64, high: f64) -> f64 {
        let rest = if self.kind == ControlKind::Axis { 0_f64.clamp(low, high) } else { low };
        if value < 0.0 { rest + value * (rest - low) } else { rest + value * (high - rest) }
    }
}

/// Why a control was not moved.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ControlError {
    /// No such control.
    #[error("no control '{key}' in this scene; there is: {known}")]
    Unknown {
        /// What was asked for.
        key: String,
        /// What there is, separated by commas.
        known: String,
    },
    /// Outside the range of its kind.
    #[error("{key} goes from {min} to 1, not to {value}")]
    OutOfRange {
        /// The control.
        key: &'static str,
        /// Its smallest value.
        min: f64,
        /// What was asked for.
        value: f64,
    },
}

/// Where somebody who drives holds the controls, in the order of [`Simulation::controls`](crate::Simulation::controls).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ControlValues([f64; MOST_CONTROLS]);

impl ControlValues {
    /// The value of a control by its number; 0, which is rest, for what is not there.
    pub fn get(&self, control: usize) -> f64 {
        self.0.get(control).copied().unwrap_or_default()
    }

    /// Moves a control by name. Refused values leave everything as it was.
    pub fn set(&mut self, controls: &[DriveControl], key: &str, value: f64) -> Result<(), ControlError> {
        let index = controls.iter().take(MOST_CONTROLS).position(|control| control.key == key);
        let index = index.ok_or_else(|| ControlError::Unknown {
            key: key.to_owned(),
            known: controls.iter().map(|control| control.key).collect::<Vec<_>>().join(", "),
        })?;
        let (key, min) = (controls[index].key, controls[index].kind.min());
        if !(min..=1.0).contains(&value) {
            return Err(ControlError::OutOfRange { key, min, value });
        }
        self.0[index] = value;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEERING: DriveControl = DriveControl {
        key: "steering",
        label: "Steering",
        kind: ControlKind::Axis,
        more: &["ArrowLeft"],
        less: &["ArrowRight"],
        pad: Some(PadInput::Reversed(0)),
        ramp: 0.2,
        text: "",
    };
    const BRAKE: DriveControl = DriveControl { key: "brake", kind: ControlKind::Pedal, ..STEERING };

    #[test]
    fn values_are_moved_by_name_within_their_range() {
        let controls = [STEERING, BRAKE];
        let mut values = ControlValues::default();
        values.set(&controls, "steering", -1.0).unwrap();
        values.set(&controls, "brake", 0.25).unwrap();
        assert_eq!((values.get(0), values.get(1), values.get(99)), (-1.0, 0.25, 0.0));
        let before = values;
        for (key, value) in [("steering", 1.01), ("brake", -0.1), ("brake", f64::NAN), ("wings", 0.0)] {
            assert!(values.set(&controls, key, value).is_err(), "{key} {value}");
        }
        assert_eq!(values, before);
        let message = values.set(&controls, "wings", 0.0).unwrap_err().to_string();
        assert_eq!(message, "no control 'wings' in this scene; there is: steering, brake");
    }

    /// Rest, both ends and the middle between them, for ranges on both sides of zero and on one.
    #[test]
    fn a_range_is_met_at_rest_and_at_both_ends() {
        let at = |low, high| [-1.0, -0.5, 0.0, 0.5, 1.0].map(|value| STEERING.within(value, low, high));
        assert_eq!(at(-300.0, 500.0), [-300.0, -150.0, 0.0, 250.0, 500.0]);
        assert_eq!(at(10.0, 30.0), [10.0, 10.0, 10.0, 20.0, 30.0]);
        assert_eq!([0.0, 0.5, 1.0].map(|value| BRAKE.within(value, -4.0, 200.0)), [-4.0, 98.0, 200.0]);
    }
}
