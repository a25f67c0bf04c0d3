//! [`BodyAction`]: what a person may do to a single body, and [`Property`], what one may know about it.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Something done to a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum BodyAction {
    /// Gives it this velocity.
    Throw {
        /// Of its centre of mass, in m/s.
        velocity: DVec3,
        /// About its centre of mass, in rad/s.
        spin: DVec3,
    },
    /// Nails it where it is.
    Pin,
    /// Frees it again.
    Unpin,
    /// Takes it away. Its index stays; frames mark it hidden.
    Delete,
}

/// Kinds of things that a scene may allow; what pages offer in a body's menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActionKind {
    /// [`BodyAction::Throw`].
    Throw,
    /// [`BodyAction::Pin`] and [`BodyAction::Unpin`].
    Pin,
    /// [`BodyAction::Delete`].
    Delete,
    /// [`crate::Simulation::body_properties`].
    Properties,
    /// [`crate::Simulation::add`].
    Add,
}

/// Something known about a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Property {
    /// What it is, as people read it.
    pub label: String,
    /// One number, or the three of a vector.
    pub values: Vec<f64>,
    /// Its unit, empty for pure numbers.
    pub unit: String,
}

impl Property {
    /// A number.
    pub fn number(label: &str, value: f64, unit: &str) -> Property {
        Property { label: label.to_owned(), values: vec![value], unit: unit.to_owned() }
    }

    /// A vector.
    pub fn vector(label: &str, value: DVec3, unit: &str) -> Property {
        Property { label: label.to_owned(), values: value.to_array().to_vec(), unit: unit.to_owned() }
    }
}

/// Why nothing was done to a body.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ActionError {
    /// The scene does not do this.
    #[error("bodies of this scene cannot be {0}")]
    Unsupported(&'static str),
    /// There is no such body.
    #[error("no body {body} in this scene; there are {count}, counted from 0")]
    NoSuchBody {
        /// What was asked for.
        body: usize,
        /// How many there are.
        count: usize,
    },
    /// The scene does this, but not to this body or not now.
    #[error("{0}")]
    Refused(String),
}

impl ActionError {
    /// That this action is not supported.
    pub fn unsupported(action: &BodyAction) -> ActionError {
        ActionError::Unsupported(match action {
            BodyAction::Throw { .. } => "thrown",
            BodyAction::Pin | BodyAction::Unpin => "pinned",
            BodyAction::Delete => "deleted",
        })
    }
}
