//! Run files of every kind: text, XML, and recordings of the seat, which are computed again.

use super::scenario::{read, run_of};
use crate::command::Failure;
use crate::recording;
use prall_bob::record::{Record, Repeated};
use prall_bob::track::Track;
use prall_scenes::{BobOffer, Bobsleigh};
use std::path::Path;

/// The scene of the seat.
const SCENE: &str = "bobsleigh";

/// Reads a run. A recording of the seat (`.mcap`) is computed again from what hands did, on the track given where it is not one of Prall's own; it
/// is refused if it comes to other states than were recorded.
pub(super) fn load(path: &Path, track: Option<&str>) -> Result<Record, Failure> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("mcap") => load_recording(path, track),
        Some("xml") => Ok(Record::read_xml(&path.display().to_string(), &read(path)?)?),
        _ => Ok(Record::read(&path.display().to_string(), &read(path)?)?),
    }
}

fn load_recording(path: &Path, track: Option<&str>) -> Result<Record, Failure> {
    let name = path.display();
    let recording = recording::read(path)?;
    if recording.description.scene != SCENE {
        let scene = &recording.description.scene;
        return Err(
            format!("{name}: this is a recording of the scene {scene}, not a run of the bobsleigh").into()
        );
    }
    let own = track.filter(|name| !Track::known().any(|known| known == *name));
    let own = own.map(|name| super::track::open(name, "standard")).transpose()?;
    let offer = BobOffer::with(own, None, None).map_err(|error| format!("{name}: {error}"))?;
    let mut scene = Bobsleigh::of(offer);
    scene.write_down();
    let replayed = recording::verify(&recording, &mut scene).map_err(|error| format!("{name}: {error}"))?;
    if let Some(step) = replayed.differs_at {
        return Err(format!(
            "{name}: computed again the run differs by frame {step}. It was recorded by Prall {}; this is {}",
            recording.description.version,
            env!("CARGO_PKG_VERSION")
        )
        .into());
    }
    let mut record = scene.record().ok_or_else(|| format!("{name}: nothing was driven in it"))?;
    if let (Some(file), true) = (track, record.samples.len() > 1) {
        record.about.track = file.to_owned();
    }
    if record.samples.is_empty() {
        return Err(format!("{name}: nothing was driven in it").into());
    }
    Ok(record)
}

/// Drives a run again, with the same hands, and compares the last states bit by bit.
pub(super) fn repeat(path: &Path, record: &Record) -> Result<Repeated, Failure> {
    run_of(record, |run| record.repeat(run)).map_err(|error| format!("{}: {error}", path.display()).into())
}
