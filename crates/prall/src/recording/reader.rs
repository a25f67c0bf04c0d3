//! Reading recordings, whole or truncated.

use super::{
    ASSETS, Description, FRAMES, INPUTS, Inputs, LINES, METADATA, OVERLAYS, REPORT, SCENE_FILE, SHAPE, STATE,
};
use crate::appearance::Appearance;
use crate::journal::Entry;
use crate::moment::{Moment, is_key};
use mcap::records::Record;
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// Longest record in bytes: longer ones are damage, not data.
const RECORD_LIMIT: usize = 1 << 30;

/// Most bytes that LZ4 makes of one byte of a file.
const LZ4_EXPANSION: u64 = 255;

/// Most bytes of frames that are kept in memory.
const MEMORY_LIMIT: usize = 2 << 30;

/// Most shapes or sets of lines of a scene: larger numbers are damage, not data.
const MAX_GEOMETRIES: usize = 1_000_000;

/// Why a file is not a recording.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// It cannot be read.
    #[error("cannot read {file}: {error}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// It is something else.
    #[error("{file} is not a recording of Prall: {reason}")]
    Foreign {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
}

/// A frame of the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecordedFrame {
    /// Seconds since the start.
    pub(super) clock: f64,
    pub(super) key: bool,
    pub(super) bytes: Vec<u8>,
    /// What the last step before it reported.
    pub(super) report: Option<String>,
}

/// A recording in memory.
#[derive(Clone, Debug)]
pub struct Recording {
    /// What it says about itself.
    pub description: Description,
    /// How it looks, and the seconds since the start from which on it does. There is one at the start.
    pub(super) appearances: Vec<(f64, Arc<Appearance>)>,
    /// What was wrong with the file, as a sentence, if it was not whole.
    pub warning: Option<String>,
    pub(super) frames: Vec<RecordedFrame>,
    /// Contacts, forces and velocities, with the clock from which on they hold.
    pub(super) overlays: Vec<(f64, Vec<u8>)>,
    /// The state at the start.
    pub(super) state: Vec<u8>,
    /// What was done, with the hash of the state after each part.
    pub(super) inputs: Vec<(Vec<Entry>, u64)>,
}

impl Recording {
    /// The state at the start, as the scene saved it.
    pub(crate) fn first_state(&self) -> &[u8] {
        &self.state
    }

    /// What was done, with the hash of the state after each part.
    pub(crate) fn done(&self) -> &[(Vec<Entry>, u64)] {
        &self.inputs
    }

    /// Recorded seconds that can be shown.
    pub fn seconds(&self) -> f64 {
        self.frames.last().map_or(0.0, |frame| frame.clock)
    }

    /// Every frame, whole, with its seconds since the start. A damaged frame is left out.
    pub fn moments(&self) -> impl Iterator<Item = (f64, Moment)> {
        let mut moment = Moment::default();
        self.frames.iter().filter_map(move |frame| {
            moment.apply(&frame.bytes).ok()?;
            Some((frame.clock, moment.clone()))
        })
    }

    /// How many frames there are.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }
}

/// Reads a file. One that ends too early is read up to its last whole message and says so in `warning`.
pub fn read(path: &Path) -> Result<Recording, RecordingError> {
    let name = path.display().to_string();
    let open = |error| RecordingError::Unreadable { file: name.clone(), error };
    let foreign = |reason: String| RecordingError::Foreign { file: name.clone(), reason };
    let mut file = File::open(path).map_err(open)?;
    let mut parts = Parts::default();
    let length = file.metadata().map_err(open)?.len();
    let flaw = records(&mut file, fillable(length), |record| parts.take(record));
    let (mut description, state) = match (parts.description.take(), parts.state.take()) {
        (Some(description), Some(state)) => (description.map_err(foreign)?, state),
        _ => {
            let reason = flaw.unwrap_or_else(|| "nothing in it says what was recorded".to_owned());
            return Err(foreign(reason));
        }
    };
    if let Some(file) = &mut description.file {
        file.text = parts.scene_file.take().unwrap_or_default();
    }
    let appearances = std::mem::take(&mut parts.appearances);
    if appearances.first().is_none_or(|(from, _)| *from > 0.0) {
        return Err(foreign("it does not say how the scene looks".to_owned()));
    }
    let appearances = appearances.into_iter().map(|(from, look)| (from, Arc::new(look))).collect();
    if parts.frames.first().is_none_or(|frame| !frame.key) {
        return Err(foreign("it has no frames".to_owned()));
    }
    let warning = flaw.map(|flaw| {
        format!(
            "The file was not ended properly ({flaw}). What is whole is shown: {:.2} s.",
            parts.frames.last().map_or(0.0, |frame| frame.clock)
        )
    });
    Ok(Recording {
        description,
        appearances,
        warning,
        frames: parts.frames,
        overlays: parts.overlays,
        state,
        inputs: parts.inputs,
    })
}

/// Longest record that a file of this length can hold. LZ4 makes at most 255 bytes of one, so that a damaged length asks
/// for no more memory than the file could fill.
fn fillable(length: u64) -> usize {
    usize::try_from(length.saturating_mul(LZ4_EXPANSION)).map_or(RECORD_LIMIT, |most| most.min(RECORD_LIMIT))
}

/// Gives every whole record to `take` until it says stop or the file ends; a record of more than `longest` bytes is damage.
/// Returns what was wrong at its end, if anything.
pub(super) fn records(
    file: &mut impl Read,
    longest: usize,
    mut take: impl FnMut(Record<'_>) -> Result<(), String>,
) -> Option<String> {
    let options =
        LinearReaderOptions::default().with_record_length_limit(longest).with_validate_chunk_crcs(true);
    let mut reader = LinearReader::new_with_options(options);
    while let Some(event) = reader.next_event() {
        let request = match event {
            Ok(LinearReadEvent::ReadRequest(bytes)) => bytes,
            Ok(LinearReadEvent::Record { data, opcode }) => {
                let record = match mcap::parse_record(opcode, data) {
                    Ok(record) => record,
                    Err(error) => return Some(error.to_string()),
                };
                if let Err(reason) = take(record) {
                    return Some(reason);
                }
                continue;
            }
            Err(error) => return Some(error.to_string()),
        };
        match file.read(reader.insert(request)) {
            Ok(read) => reader.notify_read(read),
            Err(error) => return Some(error.to_string()),
        }
    }
    None
}

#[derive(Default)]
struct Parts {
    description: Option<Result<Description, String>>,
    state: Option<Vec<u8>>,
    appearances: Vec<(f64, Appearance)>,
    scene_file: Option<String>,
    topics: HashMap<u16, String>,
    frames: Vec<RecordedFrame>,
    overlays: Vec<(f64, Vec<u8>)>,
    inputs: Vec<(Vec<Entry>, u64)>,
    report: Option<String>,
    bytes: usize,
}

impl Parts {
    fn take(&mut self, record: Record<'_>) -> Result<(), String> {
        match record {
            Record::Metadata(metadata) if metadata.name == METADATA && self.description.is_none() => {
                self.description = Some(Description::of_metadata(&metadata.metadata));
            }
            Record::Attachment { header, data, .. } => {
                let from = header.log_time as f64 * 1e-9;
                return self.attachment(&header.name, from, data.into_owned());
            }
            Record::Channel(channel) => {
                self.topics.insert(channel.id, channel.topic);
            }
            Record::Message { header, data } => {
                let topic = self.topics.get(&header.channel_id).map(String::as_str).unwrap_or_default();
                match topic {
                    FRAMES => return self.frame(header.log_time as f64 * 1e-9, data.into_owned()),
                    OVERLAYS => {
                        self.bytes += data.len();
                        self.overlays.push((header.log_time as f64 * 1e-9, data.into_owned()));
                    }
                    REPORT => self.report = String::from_utf8(data.into_owned()).ok(),
                    INPUTS => {
                        let Inputs { entries, hash } =
                            postcard::from_bytes(&data).map_err(|error| format!("its inputs: {error}"))?;
                        self.inputs.push((entries, hash));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn attachment(&mut self, name: &str, from: f64, data: Vec<u8>) -> Result<(), String> {
        let numbered = |prefix: &str| {
            let number = name.strip_prefix(prefix).and_then(|number| number.parse::<usize>().ok());
            number.filter(|number| *number < MAX_GEOMETRIES)
        };
        if name == STATE {
            self.state = Some(data);
        } else if name == SCENE_FILE {
            self.scene_file = Some(String::from_utf8(data).map_err(|_| "its scene file is no text")?);
        } else if name == ASSETS {
            self.begin_looks(from, data)?;
        } else if let Some((_, look)) = self.appearances.last_mut() {
            if let Some(index) = numbered(SHAPE) {
                look.shapes.resize(look.shapes.len().max(index + 1), None);
                look.shapes[index] = Some(data.into());
            } else if let Some(index) = numbered(LINES) {
                look.lines.resize(look.lines.len().max(index + 1), Vec::new());
                look.lines[index] = data;
            }
        }
        Ok(())
    }

    /// From here on the scene looks different; geometry that is not given again stays.
    fn begin_looks(&mut self, from: f64, assets: Vec<u8>) -> Result<(), String> {
        let missing = || "it does not say how the scene looks".to_owned();
        let text = String::from_utf8(assets).map_err(|_| missing())?;
        let assets = serde_json::value::RawValue::from_string(text).map_err(|_| missing())?;
        let (shapes, lines) = match self.appearances.last() {
            Some((before, look)) if *before <= from => (look.shapes.clone(), look.lines.clone()),
            Some(_) => return Err("its looks are not in order".to_owned()),
            None => (Vec::new(), Vec::new()),
        };
        self.appearances.push((from, Appearance { assets, shapes, lines }));
        Ok(())
    }

    fn frame(&mut self, clock: f64, bytes: Vec<u8>) -> Result<(), String> {
        self.bytes += bytes.len();
        if self.bytes > MEMORY_LIMIT {
            return Err(format!("more than {} MB of frames", MEMORY_LIMIT >> 20));
        }
        if self.frames.last().is_some_and(|last| last.clock > clock) {
            return Err("its frames are not in order".to_owned());
        }
        self.frames.push(RecordedFrame { clock, key: is_key(&bytes), bytes, report: self.report.take() });
        Ok(())
    }
}
