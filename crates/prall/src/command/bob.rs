//! `prall bob`: the bobsleigh.

mod analyse;
mod chart;
mod controller;
mod drive;
mod optimise;
mod run;
mod run_file;
mod safety;
mod scenario;
mod setup;
mod steering_file;
mod study;
mod track;
mod validate;

use super::Failure;
use clap::Subcommand;

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Sit down and drive: opens the pilot's seat in the browser
    Drive(drive::Arguments),
    /// Let a sled run down a track, once or many times, and take its times
    Run(run::Arguments),
    /// Look at the driven line of a recorded run, curve by curve, or compare it with another run
    Analyse(analyse::Arguments),
    /// Turn a run file into XML, or back
    Convert(analyse::ConvertArguments),
    /// Put many runs beside the published table of times
    Validate(validate::Arguments),
    /// Measure what restitution, friction and driven lines do, as a report with charts
    Study(study::Arguments),
    /// Search a steering line that is faster than the pilot alone
    Optimise(optimise::Arguments),
    /// List, check, change, compare and write the values of a sled
    Setup(setup::Arguments),
    /// Check a track, write its mesh and draw its plan
    Track(track::Arguments),
    /// Close the force loop of a device for the hands, here a simulated one, with the forces of a driven sled
    Controller(controller::Arguments),
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Drive(arguments) => drive::execute(arguments),
        Command::Run(arguments) => run::execute(arguments),
        Command::Analyse(arguments) => analyse::execute(arguments),
        Command::Convert(arguments) => analyse::convert(arguments),
        Command::Validate(arguments) => validate::execute(arguments),
        Command::Study(arguments) => study::execute(arguments),
        Command::Optimise(arguments) => optimise::execute(arguments),
        Command::Setup(arguments) => setup::execute(arguments),
        Command::Track(arguments) => track::execute(arguments),
        Command::Controller(arguments) => controller::execute(arguments),
    }
}
