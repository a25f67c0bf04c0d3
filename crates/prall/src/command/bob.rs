//! `prall bob`: the bobsleigh.

mod run;
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
    /// Let a sled run down a track, once or many times, and take its times
    Run(run::Arguments),
    /// Check a track, write its mesh and draw its plan
    Track(track::Arguments),
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Run(arguments) => run::execute(arguments),
        Command::Track(arguments) => track::execute(arguments),
    }
}
