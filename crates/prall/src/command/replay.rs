//! `prall replay`.

use super::serve::{self, Listening};
use super::{Failure, Verdict, print_line};
use crate::recording::{self, Store, default_directory, verify};
use crate::server::Gallery;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A recording, made on the page or by `prall run --record`
    file: PathBuf,
    #[command(flatten)]
    listening: Listening,
    /// Compute it again instead of showing it, and compare the states bit by bit: exit code 0 equal, 1 different
    #[arg(long)]
    verify: bool,
}

pub(super) fn execute(arguments: &Arguments) -> Result<Verdict, Failure> {
    let recording = recording::read(&arguments.file)?;
    if let Some(warning) = &recording.warning {
        eprintln!("prall: {warning}");
    }
    if arguments.verify {
        return check(&recording);
    }
    drop(recording);
    let (store, name) = Store::new(default_directory()).with_guest(&arguments.file);
    serve::serve(Gallery::standard(), &arguments.listening, store, &format!("#/recording/{name}"))?;
    Ok(Verdict::Free)
}

fn check(recording: &recording::Recording) -> Result<Verdict, Failure> {
    let description = &recording.description;
    let mut simulation = prall_scenes::open(&description.scene)?;
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
