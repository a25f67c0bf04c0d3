//! [`Parameter`]: a number that a person may change.

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

/// Finds a declared parameter and checks a value against its range.
pub(crate) fn checked<'a>(
    parameters: &'a [Parameter],
    key: &str,
    value: f64,
) -> Result<&'a Parameter, ParameterError> {
    let parameter = parameters.iter().find(|p| p.key == key).ok_or_else(|| ParameterError::Unknown {
        key: key.to_owned(),
        known: parameters.iter().map(|p| p.key).collect::<Vec<_>>().join(", "),
    })?;
    if (parameter.min..=parameter.max).contains(&value) {
        Ok(parameter)
    } else {
        let Parameter { key, min, max, unit, .. } = *parameter;
        Err(ParameterError::OutOfRange { key, min, max, unit, value })
    }
}
