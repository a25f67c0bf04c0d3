//! [`SolidOptions`]: how bodies are kept from overlapping.

use serde::{Deserialize, Serialize};

use crate::WorldError;
use crate::error::positive;

/// How islands with meshes are moved so that nothing ever overlaps.
///
/// Safety does not depend on these numbers: with any of them every pair keeps a proven gap. They decide how much motion is lost and what a
/// step costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolidOptions {
    /// Contacts rest at a gap, the guard, of this share of the smaller body's largest extent. Default 5e-4. Smaller guards need shorter
    /// parts of a step.
    pub guard_share: f64,
    /// Smallest guard, in m. Default 1 um.
    pub min_guard: f64,
    /// Largest guard, in m. Default 50 um.
    pub max_guard: f64,
    /// Linearisations of the gaps in one solve, at most. Default 6.
    pub max_looks: usize,
    /// Rounds in which pairs that would hit join the solve, at most. Default 6; with 0 every hit shortens the step or stops bodies.
    pub max_rounds: usize,
    /// Iterations of the solver's outer loop and of Newton's method in each, at most. Default 24.
    pub max_iterations: usize,
    /// Parts that a step may be cut into. Default 400; what is left then is reported as lost time.
    pub max_parts: usize,
}

impl Default for SolidOptions {
    fn default() -> SolidOptions {
        SolidOptions {
            guard_share: 5e-4,
            min_guard: 1e-6,
            max_guard: 5e-5,
            max_looks: 6,
            max_rounds: 6,
            max_iterations: 24,
            max_parts: 400,
        }
    }
}

impl SolidOptions {
    pub(crate) fn checked(self) -> Result<SolidOptions, WorldError> {
        positive("the guard's share of the size", self.guard_share)?;
        positive("the smallest guard", self.min_guard)?;
        positive("the largest guard", self.max_guard)?;
        let counts = [self.max_looks, self.max_iterations, self.max_parts];
        if counts.contains(&0) || self.min_guard > self.max_guard {
            let what = "the number of looks, iterations or parts, or the range of guards, of solid contacts";
            return Err(WorldError::Number {
                what,
                value: 0.0,
                wanted: "1 or more; smallest guard below largest",
            });
        }
        Ok(self)
    }

    /// The gap in m at which contacts of a body of this size rest.
    pub(crate) fn guard(&self, size: f64) -> f64 {
        (self.guard_share * size).clamp(self.min_guard, self.max_guard)
    }
}
