//! Computes a recording again and compares.

use super::Recording;
use crate::journal::Entry;
use prall_scenes::Simulation;

/// What came of computing a recording again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// Steps that were taken.
    pub steps: u64,
    /// States that were compared and were equal, bit by bit.
    pub equal: usize,
    /// The step by which a state differed, if one did.
    pub differs_at: Option<u64>,
}

/// Does everything again that was done in the recording, with the work that each step had then, and compares the hashes
/// of the states. The error is a sentence: the scene cannot do what was recorded.
pub fn verify(recording: &Recording, simulation: &mut dyn Simulation) -> Result<Replayed, String> {
    simulation.restore(&recording.state).map_err(|error| error.to_string())?;
    let mut replayed = Replayed { steps: 0, equal: 0, differs_at: None };
    for (entries, hash) in &recording.inputs {
        for entry in entries {
            entry.replay(simulation)?;
            replayed.steps += u64::from(matches!(entry, Entry::Step(_)));
        }
        if simulation.hash() != *hash {
            replayed.differs_at = Some(replayed.steps);
            break;
        }
        replayed.equal += 1;
    }
    Ok(replayed)
}
