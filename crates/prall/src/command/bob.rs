//! `prall bob`: the bobsleigh.

mod track;

use super::Failure;
use clap::Subcommand;

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check a track, write its mesh and draw its plan
    Track(track::Arguments),
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Track(arguments) => track::execute(arguments),
    }
}
