//! Rings of any profile.

use glam::DVec2;

use super::lathe::{Profile, turned};
use super::{GenerateError, count, length};
use crate::soup::PolygonSoup;

/// The ring that a closed profile sweeps about the y axis: points (distance from the axis, height), all away from the axis, counterclockwise
/// as seen with the axis on the left and up at the top. With few segments it is a ring of flat sides whose corners lie on the true surface.
pub fn revolved(profile: &[DVec2], segments: u32) -> Result<PolygonSoup, GenerateError> {
    if profile.len() < 3 {
        return Err(GenerateError::Outline { problem: "has fewer than 3 corners" });
    }
    for point in profile {
        length("distance from the axis", point.x, 0.0)?;
        if !point.y.is_finite() {
            return Err(GenerateError::Outline { problem: "has a coordinate that is not a finite number" });
        }
    }
    turned(&Profile::Closed(profile), count("segments", segments, 3)?, 0.0)
}
