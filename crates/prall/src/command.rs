//! The command line: what can be asked, and what is printed.

mod assembly;
mod check;
mod clash;
mod mesh;
mod motion_file;
mod picture;
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
    /// Diagnose, weigh, convert or view a mesh file
    Mesh(mesh::Arguments),
    /// Prove that a part's path is free, or find where it is not: exit code 0 free, 1 contact, 3 undecided
    Check(check::Arguments),
    /// Compare all parts of an assembly at rest: exit code 0 no clash, 1 clashes
    Clash(clash::Arguments),
}

/// What a command that answers a question found; its exit code.
#[derive(Clone, Copy)]
pub(crate) enum Verdict {
    /// Nothing is in the way.
    Free = 0,
    /// Something is.
    Contact = 1,
    /// It could not be decided within the limits.
    Undecided = 3,
}

/// What a command that could not do its work says to the person who called it.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Exit code of a command that could not do its work: bad arguments, unreadable files, a port in use.
const FAILED: u8 = 2;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command.unwrap_or(Command::Serve(serve::Arguments::default())) {
        Command::Serve(arguments) => serve::execute(&arguments).map(|()| Verdict::Free),
        Command::Scenes(arguments) => scenes::execute(&arguments).map(|()| Verdict::Free),
        Command::Run(arguments) => run::execute(&arguments).map(|()| Verdict::Free),
        Command::Mesh(arguments) => mesh::execute(&arguments).map(|()| Verdict::Free),
        Command::Check(arguments) => check::execute(&arguments),
        Command::Clash(arguments) => clash::execute(&arguments),
    };
    match result {
        Ok(verdict) => ExitCode::from(verdict as u8),
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
