//! [`Parameter`]: a number that a person may change.

use crate::DriveControl;
use serde::Serialize;
use thiserror::Error;

/// How a slider should divide the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By ratios; for ranges that span more than a factor of 100.
    Log,
}

/// A declared parameter of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// The name used in commands.
    pub key: &'static str,
    /// The name that people read.
    pub label: &'static str,
    /// Unit, empty for a pure number.
    pub unit: &'static str,
    /// Smallest allowed value.
    pub min: f64,
    /// Largest allowed value.
    pub max: f64,
    /// Value at the start.
    pub default: f64,
    /// A sensible smallest change.
    pub step: f64,
    /// How a slider should divide the range.
    pub scale: Scale,
    /// What it does, in one sentence.
    pub text: &'static str,
}

/// Why a parameter was not changed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParameterError {
    /// No such parameter.
    #[error("no parameter '{key}' in this scene; there is: {known}")]
    Unknown {
        /// What was asked for.
        key: String,
        /// What there is, separated by commas.
        known: String,
    },
    /// Outside the declared range.
    #[error("{key} must be from {min} to {max} {unit}, not {value}")]
    OutOfRange {
        /// The parameter.
        key: &'static str,
        /// Smallest allowed value.
        min: f64,
        /// Largest allowed value.
        max: f64,
        /// Its unit.
        unit: &'static str,
        /// What was asked for.
        value: f64,
    },
}

/// The present values of declared parameters; always within their ranges.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Values {
    declared: &'static [Parameter],
    values: Vec<f64>,
}

impl Values {
    /// Every parameter at its default.
    pub(crate) fn defaults(declared: &'static [Parameter]) -> Values {
        Values { declared, values: declared.iter().map(|parameter| parameter.default).collect() }
    }

    /// Values from a saved state; the error names the culprit.
    pub(crate) fn restored(declared: &'static [Parameter], values: &[f64]) -> Result<Values, String> {
        if values.len() != declared.len() {
            return Err(format!("{} parameters instead of {}", values.len(), declared.len()));
        }
        let mut restored = Values::defaults(declared);
        for (parameter, value) in declared.iter().zip(values) {
            restored.set(parameter.key, *value).map_err(|error| error.to_string())?;
        }
        Ok(restored)
    }

    /// In the order of the declaration.
    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.values
    }

    /// The value of a parameter, if there is one of that name.
    pub(crate) fn get(&self, key: &str) -> Option<f64> {
        self.declared
            .iter()
            .zip(&self.values)
            .find(|(parameter, _)| parameter.key == key)
            .map(|(_, value)| *value)
    }

    /// The value of a parameter that the scene itself has declared.
    pub(crate) fn of(&self, key: &'static str) -> f64 {
        self.get(key).expect("scenes ask for what they have declared")
    }

    /// Takes over the values of the same declaration.
    pub(crate) fn assign(&mut self, other: &Values) {
        self.values.clone_from(&other.values);
    }

    /// Sets the parameter of a control's name to what the control says, in the parameter's range.
    pub(crate) fn drive(&mut self, control: &DriveControl, value: f64) {
        let declared = self.declared.iter().zip(&mut self.values);
        for (parameter, slot) in declared.filter(|(parameter, _)| parameter.key == control.key) {
            *slot = control.within(value, parameter.min, parameter.max).clamp(parameter.min, parameter.max);
        }
    }

    /// Changes a value; refused ones leave everything as it was.
    pub(crate) fn set(&mut self, key: &str, value: f64) -> Result<(), ParameterError> {
        let index = self.declared.iter().position(|parameter| parameter.key == key).ok_or_else(|| {
            ParameterError::Unknown {
                key: key.to_owned(),
                known: self.declared.iter().map(|parameter| parameter.key).collect::<Vec<_>>().join(", "),
            }
        })?;
        let Parameter { key, min, max, unit, .. } = self.declared[index];
        if !(min..=max).contains(&value) {
            return Err(ParameterError::OutOfRange { key, min, max, unit, value });
        }
        self.values[index] = value;
        Ok(())
    }
}
