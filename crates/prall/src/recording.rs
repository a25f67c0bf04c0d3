//! Recordings: MCAP files that replay bit by bit, can be scrubbed without computing anything, and open in Foxglove.
//!
//! | In the file | What it is for |
//! |---|---|
//! | metadata `prall` | scene, parameters, solver, version, time: what [`Description`] holds |
//! | attachments `state`, `assets`, `shape-I`, `lines-I` | the state at the start; how the scene looks. Where bodies are added, all but the state once more |
//! | attachment `scene-file` | the text of the scene file, where there is one |
//! | `/prall/frames` | the frames of `docs/protocol.md`, a key frame each second: to look at and to scrub |
//! | `/prall/overlays` | contacts, forces and velocities, where they have changed |
//! | `/prall/inputs` | everything that was done to the simulation with the work of each step ([`Entry`](crate::journal::Entry), in postcard), and the hash of the state: to compute it again |
//! | `/report` | what the steps before each frame reported, as JSON |
//! | `/tf`, `/scene` | poses and shapes for Foxglove (`foxglove.FrameTransforms`, `foxglove.SceneUpdate`, JSON) |
//!
//! The clock of the file begins at 0 and counts the steps taken: it never jumps, also where the simulation was reset.

mod description;
mod early_end;
mod foxglove;
mod overlays;
mod player;
mod reader;
mod store;
mod verify;
mod writer;

pub(crate) use description::parameters;
pub use description::{Description, RecordedFile};
pub use early_end::CutShort;
pub use player::Player;
pub use reader::{Recording, RecordingError, read};
pub use store::{Listed, Store, default_directory};
pub use verify::{Replayed, verify};
pub use writer::{Recorded, Recorder};

use serde::{Deserialize, Serialize};

/// Version of what is in the file.
const FORMAT: &str = "3";

/// An older one that can be read too: contacts, forces and velocities were part of its frames.
const FORMAT_BEFORE: &str = "2";

const METADATA: &str = "prall";
const STATE: &str = "state";
const ASSETS: &str = "assets";
const SHAPE: &str = "shape-";
const LINES: &str = "lines-";
const SCENE_FILE: &str = "scene-file";
const FRAMES: &str = "/prall/frames";
const OVERLAYS: &str = "/prall/overlays";
const INPUTS: &str = "/prall/inputs";
const REPORT: &str = "/report";
const TRANSFORMS: &str = "/tf";
const SCENE: &str = "/scene";

/// What was done since the last such message, and the hash of the state that it led to.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Inputs {
    entries: Vec<crate::journal::Entry>,
    hash: u64,
}
