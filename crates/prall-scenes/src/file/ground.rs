//! [`GroundDescription`]: the plane on which a scene stands.

use serde::{Deserialize, Serialize};

/// Endless level ground. Without the key it lies at height 0, where nothing of the scene starts below it, things fall down and no
/// shape is a half-space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "ground is false, a height in metres, or { height = 0.0, material = \"NAME\" }"
)]
pub enum GroundDescription {
    /// False: there is none. True: it lies at height 0, whatever starts below.
    There(bool),
    /// Its height in m.
    At(f64),
    /// Height and surface.
    Of {
        /// In m. Default 0.
        #[serde(default)]
        height: f64,
        /// Name of its surface; the default material if there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        material: Option<String>,
    },
}

impl GroundDescription {
    /// Its height in m; none if there is none.
    pub fn height(&self) -> Option<f64> {
        match self {
            GroundDescription::There(there) => there.then_some(0.0),
            GroundDescription::At(height) | GroundDescription::Of { height, .. } => Some(*height),
        }
    }

    /// The name of its surface.
    pub fn material(&self) -> Option<&str> {
        match self {
            GroundDescription::Of { material, .. } => material.as_deref(),
            GroundDescription::There(_) | GroundDescription::At(_) => None,
        }
    }
}
