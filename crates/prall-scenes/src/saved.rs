//! Saved states: the scene's name, its parameters and its state, in that order.

use crate::parameter::Values;
use crate::{Parameter, RestoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Writes a state.
pub(crate) fn write<T: Serialize>(scene: &str, values: &Values, state: &T) -> Vec<u8> {
    postcard::to_allocvec(&(scene, values.as_slice(), state))
        .expect("numbers can always be written to memory")
}

/// Reads a state of this scene; whether its numbers are possible is for the scene to say.
pub(crate) fn read<T: DeserializeOwned>(
    scene: &'static str,
    declared: &'static [Parameter],
    bytes: &[u8],
) -> Result<(Values, T), RestoreError> {
    let unreadable = |reason: String| RestoreError::Unreadable { scene, reason };
    let ((name, values, state), rest): ((String, Vec<f64>, T), &[u8]) =
        postcard::take_from_bytes(bytes).map_err(|error| unreadable(error.to_string()))?;
    if name != scene {
        return Err(unreadable(format!("it belongs to {name}")));
    }
    if !rest.is_empty() {
        return Err(unreadable(format!("{} bytes too many", rest.len())));
    }
    let values =
        Values::restored(declared, &values).map_err(|culprit| RestoreError::Impossible { scene, culprit })?;
    Ok((values, state))
}
