//! `prall replay`.

use super::serve::{self, Listening};
use super::{Failure, Verdict, print_line};
use crate::recording::{self, Store, default_directory, verify};
use crate::server::Gallery;
use prall_scenes::{FileScene, Simulation};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A recording, made on the page or by `prall run --record`
    file: PathBuf,
    #[command(flatten)]
    listening: Listening,
    /// Compute it again instead of showing it, and compare the states bit by bit: exit code 0 equal, 1 different
    #[arg(long)]
    verify: bool,
    /// With --verify, of a scene file: the folder in which its meshes and robots lie now; by default that of the scene file
    #[arg(long, value_name = "DIR", requires = "verify")]
    beside: Option<PathBuf>,
}

pub(super) fn execute(arguments: &Arguments) -> Result<Verdict, Failure> {
    let recording = recording::read(&arguments.file)?;
    if let Some(warning) = &recording.warning {
        eprintln!("prall: {warning}");
    }
    if arguments.verify {
        return check(&recording, arguments.beside.as_deref());
    }
    drop(recording);
    let (store, name) = Store::new(default_directory()).with_guest(&arguments.file);
    serve::serve(Gallery::standard(), &arguments.listening, store, &format!("#/recording/{name}"))?;
    Ok(Verdict::Free)
}

/// The scene that was recorded. A scene file is taken from the recording, as it was then.
fn scene(recording: &recording::Recording, beside: Option<&Path>) -> Result<Box<dyn Simulation>, Failure> {
    let Some(file) = &recording.description.file else {
        return Ok(prall_scenes::open(&recording.description.scene)?);
    };
    let path = match beside {
        Some(folder) => folder.join(file.path.file_name().unwrap_or_default()),
        None => file.path.clone(),
    };
    let scene = FileScene::from_text(&path, file.text.clone());
    Ok(scene
        .map_err(|error| format!("{error}; if the scene's files were moved, say where to with --beside DIR"))?
        .build())
}

fn check(recording: &recording::Recording, beside: Option<&Path>) -> Result<Verdict, Failure> {
    let description = &recording.description;
    let mut simulation = scene(recording, beside)?;
    let replayed = verify(recording, simulation.as_mut())?;
    match replayed.differs_at {
        None => {
            print_line(&format!(
                "{} steps of {} computed again: all {} recorded states are equal, bit by bit.",
                replayed.steps, description.scene, replayed.equal
            ))?;
            Ok(Verdict::Free)
        }
        Some(step) => {
            print_line(&format!(
                "The state differs by step {step} of {}. It was recorded by Prall {}; this is {}.",
                description.scene,
                description.version,
                env!("CARGO_PKG_VERSION")
            ))?;
            Ok(Verdict::Contact)
        }
    }
}
