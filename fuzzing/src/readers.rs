//! Coverage-guided fuzzing of everything that reads what others wrote, by libFuzzer: each input is read, or refused in one line. `scripts/fuzz` builds and
//! runs it.

#![no_main]

mod counts;
mod formats;
mod seeds;

use formats::Reader;
use libfuzzer_sys::fuzz_target;
use prall::recording::Store;
use prall::server::{Gallery, Rehearsal};
use prall_bob::record::Record;
use prall_bob::sled::Setup;
use prall_bob::track::Track;
use prall_geometry::files::{Format, ReadOptions, read_model_from_bytes};
use prall_scenes::file::{RigidIpcScene, SceneDescription};
use std::fmt::Display;
use std::sync::LazyLock;

/// Recordings are read from files; this one is in memory where the system has such a place.
static PLACE: LazyLock<std::path::PathBuf> = LazyLock::new(|| {
    let memory = std::path::Path::new("/dev/shm");
    let folder = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    folder.join(format!("prall-fuzzing-{}.mcap", std::process::id()))
});

fuzz_target!(init: seeds::write_if_asked(), |input: &[u8]| {
    let Some((number, bytes)) = input.split_first() else { return };
    let Some(reader) = Reader::ALL.get(usize::from(*number)) else { return };
    counts::input(usize::from(*number));
    match reader {
        Reader::Obj => mesh(bytes, Format::Obj),
        Reader::Stl => mesh(bytes, Format::Stl),
        Reader::Ply => mesh(bytes, Format::Ply),
        Reader::Gltf => mesh(bytes, Format::Gltf),
        Reader::Collada => mesh(bytes, Format::Collada),
        Reader::Scene => text(bytes, |text| SceneDescription::from_toml(text, "f")),
        Reader::Robot => text(bytes, |text| SceneDescription::from_urdf(text, "f")),
        Reader::RigidIpc => text(bytes, |text| RigidIpcScene::from_json(text, "f")),
        Reader::Track => text(bytes, |text| Track::read("f", text)),
        Reader::Sled => text(bytes, |text| Setup::read("f", text)),
        Reader::RunCsv => text(bytes, |text| Record::read("f", text)),
        Reader::RunXml => text(bytes, |text| Record::read_xml("f", text)),
        Reader::Recording => {
            std::fs::write(&*PLACE, bytes).expect("room for an input");
            in_one_line(prall::recording::read(&PLACE));
        }
        Reader::Socket => page(bytes),
    }
});

/// Most messages of one input.
const MESSAGES: usize = 30;

thread_local! {
    static GALLERY: Gallery = Gallery::standard();
}

/// A page of a session that says one message a line; what it is told is JSON, and its session goes on.
fn page(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // No recording can be made in a folder that is none.
    let nowhere = || Store::new("/dev/null/none");
    let mut page = GALLERY.with(|gallery| {
        Rehearsal::open(gallery, "bouncing-ball", nowhere()).expect("a scene of the gallery")
    });
    for message in text.lines().take(MESSAGES) {
        if let Err(sentence) = page.say(message) {
            assert!(!sentence.is_empty() && !sentence.contains('\n'), "{sentence:?}");
            break;
        }
        counts::message();
    }
    for _ in 0..2 {
        let (texts, frames) = page.step();
        assert!(!frames.is_empty());
        for text in texts {
            serde_json::from_str::<serde_json::Value>(&text).expect("what a page is told is JSON");
        }
    }
}

fn mesh(bytes: &[u8], format: Format) {
    in_one_line(read_model_from_bytes(bytes, format, &ReadOptions::default()));
}

fn text<T, E: Display>(bytes: &[u8], read: impl Fn(&str) -> Result<T, E>) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        in_one_line(read(text));
    }
}

/// A refusal that spans lines would break whoever prints it in a list.
fn in_one_line<T, E: Display>(result: Result<T, E>) {
    if let Err(error) = result {
        let message = error.to_string();
        assert!(!message.is_empty() && !message.contains('\n'), "{message:?}");
    }
}
