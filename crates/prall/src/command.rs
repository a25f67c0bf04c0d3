//! The command line: what can be asked, and what is printed.

mod run;
mod scenes;
mod serve;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Exact contacts in real time.
#[derive(Parser)]
#[command(name = "prall", version, about, after_help = "Without a command, `prall` serves the gallery.")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Show the gallery in the browser
    Serve(serve::Arguments),
    /// List every scene: name, one line, where it comes from
    Scenes(scenes::Arguments),
    /// Run a scene without a window and report
    Run(run::Arguments),
}

/// What a command that could not do its work says to the person who called it.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Exit code of a command that could not do its work: bad arguments, unreadable files, a port in use.
const FAILED: u8 = 2;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command.unwrap_or(Command::Serve(serve::Arguments::default())) {
        Command::Serve(arguments) => serve::execute(&arguments),
        Command::Scenes(arguments) => scenes::execute(&arguments),
        Command::Run(arguments) => run::execute(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("prall: {failure}");
            ExitCode::from(FAILED)
        }
    }
}

/// Prints a line; a reader that has gone away (`prall scenes | head -1`) is no failure.
pub(crate) fn print_line(line: &str) -> Result<(), Failure> {
    use std::io::{ErrorKind, Write};
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}
