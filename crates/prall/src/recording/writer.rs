//! [`Recorder`]: writes a recording while the simulation runs.

use super::early_end::{CutShort, Whole, end_early};
use super::foxglove::{self, Foxglove};
use super::overlays::{self, OverlayWriter};
use super::{
    ASSETS, Description, FRAMES, INPUTS, Inputs, LINES, METADATA, OVERLAYS, REPORT, SCENE, SCENE_FILE, SHAPE,
    STATE, TRANSFORMS,
};
use crate::appearance::Appearance;
use crate::journal::{Entry, Event, Step};
use crate::moment::{Flags, Moment};
use crate::report::Sums;
use mcap::records::{MessageHeader, Metadata};
use mcap::{Attachment, Compression, McapError, WriteOptions, Writer};
use prall_scenes::{Frame, OverlaySelection, Simulation};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Recorded seconds between frames: 60 a second, or each step where steps are longer.
const FRAME_INTERVAL: f64 = 1.0 / 60.0;

/// Frames between key frames: at most so many are applied to get anywhere.
const KEY_INTERVAL: u32 = 60;

/// Frames between messages for Foxglove, whose JSON is large.
const FOXGLOVE_INTERVAL: u32 = 6;

/// Channel numbers in the file.
#[derive(Clone, Copy)]
struct Channels {
    frames: u16,
    overlays: u16,
    inputs: u16,
    report: u16,
    transforms: u16,
    scene: u16,
}

/// What a finished recording is.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The file.
    pub path: PathBuf,
    /// Simulated seconds.
    pub seconds: f64,
    /// Size of the file.
    pub bytes: u64,
}

/// A recording in the making. One that is not finished can be read up to its last second.
pub struct Recorder {
    path: PathBuf,
    writer: Writer<BufWriter<File>>,
    channels: Channels,
    start: f64,
    time_step: f64,
    steps: u64,
    pending: Vec<Entry>,
    frame: Frame,
    overlays: OverlayWriter,
    /// What the steps since the last frame did.
    sums: Sums,
    messages: u64,
    /// What was on the disk when the file was last flushed.
    whole: Whole,
    last: Moment,
    number: u32,
    next_frame: f64,
    foxglove: Foxglove,
    /// How the scene was last said to look, and whether that may be over.
    appearance: Appearance,
    looks_again: bool,
}

const BINARY: &str = "application/octet-stream";

fn attach<W: std::io::Write + std::io::Seek>(
    writer: &mut Writer<W>,
    log_time: u64,
    name: String,
    media: &str,
    data: &[u8],
) -> Result<(), McapError> {
    let (media_type, data) = (media.to_owned(), Cow::Borrowed(data));
    writer.attach(&Attachment { log_time, create_time: 0, name, media_type, data })
}

/// How the scene looks from a time on. Geometry that is as before is not written again.
fn attach_looks<W: std::io::Write + std::io::Seek>(
    writer: &mut Writer<W>,
    time: u64,
    now: &Appearance,
    before: Option<&Appearance>,
) -> Result<(), McapError> {
    attach(writer, time, ASSETS.to_owned(), "application/json", now.assets.get().as_bytes())?;
    for (index, bytes) in now.shapes.iter().enumerate() {
        let known = before.and_then(|before| before.shape(index));
        if let Some(bytes) = bytes.as_deref().filter(|bytes| known != Some(bytes)) {
            attach(writer, time, format!("{SHAPE}{index}"), BINARY, bytes)?;
        }
    }
    for (index, bytes) in now.lines.iter().enumerate() {
        if before.and_then(|before| before.line_set(index)) != Some(bytes) {
            attach(writer, time, format!("{LINES}{index}"), BINARY, bytes)?;
        }
    }
    Ok(())
}

impl Recorder {
    /// Begins a new file; one that is there already is not overwritten, and none is left if it cannot be begun.
    pub fn create(
        path: &Path,
        description: &Description,
        simulation: &dyn Simulation,
        appearance: &Appearance,
    ) -> Result<Recorder, McapError> {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        let begun = Recorder::begin(file, path, description, simulation, appearance);
        if begun.is_err() {
            end_early(path, &Whole::default());
        }
        begun
    }

    fn begin(
        file: File,
        path: &Path,
        description: &Description,
        simulation: &dyn Simulation,
        appearance: &Appearance,
    ) -> Result<Recorder, McapError> {
        let file = BufWriter::new(file);
        let mut writer = WriteOptions::new()
            .profile("")
            .library(concat!("prall ", env!("CARGO_PKG_VERSION")))
            .compression(Some(Compression::Lz4))
            .create(file)?;
        writer
            .write_metadata(&Metadata { name: METADATA.to_owned(), metadata: description.to_metadata() })?;
        attach(&mut writer, 0, STATE.to_owned(), BINARY, &simulation.save())?;
        if let Some(file) = &description.file {
            attach(&mut writer, 0, SCENE_FILE.to_owned(), "text/plain", file.text.as_bytes())?;
        }
        attach_looks(&mut writer, 0, appearance, None)?;
        let channels = channels(&mut writer)?;
        let mut recorder = Recorder {
            path: path.to_owned(),
            writer,
            channels,
            start: description.start,
            time_step: description.time_step,
            steps: 0,
            pending: Vec::new(),
            frame: Frame::default(),
            overlays: OverlayWriter::default(),
            sums: Sums::default(),
            messages: 0,
            whole: Whole::default(),
            last: Moment::default(),
            number: 0,
            next_frame: 0.0,
            foxglove: Foxglove::new(simulation.assets()),
            appearance: appearance.clone(),
            looks_again: false,
        };
        let scene = foxglove::scene_update(simulation.assets());
        recorder.write(recorder.channels.scene, scene.to_string().as_bytes())?;
        recorder.write_frame(simulation)?;
        recorder.flush()?;
        Ok(recorder)
    }

    /// Where it is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Simulated time at its start in s.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// Bytes that are on the disk, as of the last second.
    pub fn bytes(&self) -> u64 {
        self.whole.bytes
    }

    fn flush(&mut self) -> Result<(), McapError> {
        self.writer.flush()?;
        self.whole = Whole {
            bytes: std::fs::metadata(&self.path)?.len(),
            messages: self.messages,
            seconds: self.clock(),
            nanoseconds: self.nanoseconds(),
        };
        Ok(())
    }

    /// Recorded seconds.
    pub fn clock(&self) -> f64 {
        self.steps as f64 * self.time_step
    }

    /// Takes down what was done between steps.
    pub fn event(&mut self, event: Event) {
        // Bodies may have come or gone; the next frame will tell.
        self.looks_again |= matches!(event, Event::Add(_) | Event::Reset | Event::Restore(_));
        self.pending.push(Entry::Event(event));
    }

    /// Takes down a step that the simulation has just taken.
    pub fn step(&mut self, step: Step, simulation: &dyn Simulation, busy: Duration) -> Result<(), McapError> {
        self.steps += 1;
        self.pending.push(Entry::Step(step));
        self.sums.add(simulation.report(), busy);
        // A frame that is due but for rounding is due.
        if self.clock() + 1e-9 >= self.next_frame {
            self.write_frame(simulation)?;
        }
        Ok(())
    }

    /// Says how the scene looks now, if that is not as before.
    fn write_looks(&mut self, simulation: &dyn Simulation) -> Result<(), McapError> {
        if !std::mem::take(&mut self.looks_again) {
            return Ok(());
        }
        let now = Appearance::of(simulation.assets());
        if now.assets.get() == self.appearance.assets.get() {
            return Ok(());
        }
        let time = self.nanoseconds();
        attach_looks(&mut self.writer, time, &now, Some(&self.appearance))?;
        self.appearance = now;
        self.foxglove = Foxglove::new(simulation.assets());
        let scene = foxglove::scene_update(simulation.assets());
        self.write(self.channels.scene, scene.to_string().as_bytes())
    }

    fn nanoseconds(&self) -> u64 {
        (self.clock() * 1e9).round() as u64
    }

    fn write_frame(&mut self, simulation: &dyn Simulation) -> Result<(), McapError> {
        self.write_looks(simulation)?;
        self.next_frame = (self.next_frame + FRAME_INTERVAL).max(self.clock());
        let mut report = std::mem::take(&mut self.sums).report(simulation);
        report.time = self.start + self.clock();
        let text = serde_json::to_vec(&report).map_err(std::io::Error::other)?;
        self.write(self.channels.report, &text)?;
        let key = self.number.is_multiple_of(KEY_INTERVAL);
        let flags = Flags { running: true, ..Flags::default() };
        // Frame numbers begin at 1: a change of frame 0 would look like none.
        let due = self.overlays.is_due(self.clock());
        self.frame.wanted = if due { OverlaySelection::default() } else { OverlaySelection::NONE };
        simulation.frame(&mut self.frame);
        if due {
            self.write_overlays()?;
        }
        self.frame.overlays.retain(|item| !overlays::is_kept(item.kind));
        let moment = Moment::new(self.number + 1, self.start + self.clock(), flags, &self.frame);
        let bytes = moment.encode(0, 0, (!key).then_some(&self.last));
        self.write(self.channels.frames, &bytes)?;
        let inputs = Inputs { entries: std::mem::take(&mut self.pending), hash: simulation.hash() };
        let bytes = postcard::to_allocvec(&inputs).map_err(std::io::Error::other)?;
        self.write(self.channels.inputs, &bytes)?;
        if self.number.is_multiple_of(FOXGLOVE_INTERVAL) {
            let transforms = self.foxglove.transforms(&moment.poses, key, self.clock());
            self.write(self.channels.transforms, transforms.to_string().as_bytes())?;
        }
        self.last = moment;
        self.number += 1;
        if key {
            // What was written survives a crash.
            self.flush()?;
        }
        Ok(())
    }

    fn write_overlays(&mut self) -> Result<(), McapError> {
        let clock = self.clock();
        let Some(message) = self.overlays.message(&self.frame, clock) else {
            return Ok(());
        };
        self.write(self.channels.overlays, &message)
    }

    fn write(&mut self, channel_id: u16, data: &[u8]) -> Result<(), McapError> {
        let time = self.nanoseconds();
        let header = MessageHeader { channel_id, sequence: self.number, log_time: time, publish_time: time };
        self.messages += 1;
        self.writer.write_to_known_channel(&header, data)
    }

    /// Writes the end of the file. If that fails, the file ends with its last whole second.
    pub fn finish(mut self, simulation: &dyn Simulation) -> Result<Recorded, CutShort> {
        match self.write_end(simulation) {
            Ok(bytes) => Ok(Recorded { seconds: self.clock(), path: self.path, bytes }),
            Err(error) => Err(self.cut_short(error)),
        }
    }

    fn write_end(&mut self, simulation: &dyn Simulation) -> Result<u64, McapError> {
        if !self.pending.is_empty() {
            self.write_frame(simulation)?;
        }
        self.writer.finish()?;
        Ok(std::fs::metadata(&self.path)?.len())
    }

    /// Ends a recording that can no longer be written, because of an error, with its last whole second.
    pub fn cut_short(self, error: McapError) -> CutShort {
        let Recorder { path, writer, whole, .. } = self;
        // What it still holds would come behind the end, or fail again.
        drop(writer);
        CutShort { error, kept: end_early(&path, &whole) }
    }
}

fn channels(writer: &mut Writer<BufWriter<File>>) -> Result<Channels, McapError> {
    let nothing = BTreeMap::new();
    let json = |writer: &mut Writer<_>, topic: &str, (name, schema): (&str, serde_json::Value)| {
        let schema = writer.add_schema(name, "jsonschema", schema.to_string().as_bytes())?;
        writer.add_channel(schema, topic, "json", &BTreeMap::new())
    };
    Ok(Channels {
        report: json(writer, REPORT, ("prall.Report", foxglove::report_schema()))?,
        transforms: json(writer, TRANSFORMS, ("foxglove.FrameTransforms", foxglove::transforms_schema()))?,
        scene: json(writer, SCENE, ("foxglove.SceneUpdate", foxglove::scene_schema()))?,
        frames: writer.add_channel(0, FRAMES, "prall-frame", &nothing)?,
        overlays: writer.add_channel(0, OVERLAYS, "prall-overlays", &nothing)?,
        inputs: writer.add_channel(0, INPUTS, "postcard", &nothing)?,
    })
}
