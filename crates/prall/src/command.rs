//! The command line: what can be asked, and what is printed.

mod assembly;
mod benchmark;
mod bob;
mod check;
mod clash;
mod handle;
mod mesh;
mod motion_file;
mod new;
mod packages;
mod picture;
mod plan;
mod replay;
mod robots;
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
    /// Write a commented scene file to begin with
    New(new::Arguments),
    /// Run a scene without a window and report
    Run(run::Arguments),
    /// Run every scene file of a folder and judge it: exit code 0 nothing crosses, 1 something does
    Benchmark(benchmark::Arguments),
    /// Load every robot of a folder and say which fail and why: exit code 0 all load, 1 some fail
    Robots(robots::Arguments),
    /// Show a recording, or compute it again and compare
    Replay(replay::Arguments),
    /// Diagnose, weigh, convert or view a mesh file
    Mesh(mesh::Arguments),
    /// Prove that a part's path is free, or find where it is not: exit code 0 free, 1 contact, 3 undecided
    Check(check::Arguments),
    /// Look for a way of a part to a pose or out, proven free: exit code 0 found, 3 unfinished
    Plan(plan::Arguments),
    /// Compare all parts of an assembly at rest: exit code 0 no clash, 1 clashes
    Clash(clash::Arguments),
    /// Take parts of any assembly in hand, in the page
    Handle(handle::Arguments),
    /// The bobsleigh: tracks, runs, lines, studies
    Bob(bob::Arguments),
}

/// What a command that answers a question found; its exit code.
#[derive(Clone, Copy)]
pub(crate) enum Verdict {
    /// Nothing is in the way, or nothing differs.
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

/// What the processor lacks that this binary was built for, as a sentence.
#[cfg(target_arch = "x86_64")]
fn unsuited_processor() -> Option<&'static str> {
    let processor = raw_cpuid::CpuId::new();
    let suited = processor.get_feature_info().is_some_and(|features| features.has_fma())
        && processor
            .get_extended_feature_info()
            .is_some_and(|features| features.has_avx2() && features.has_bmi2());
    let wanted = cfg!(target_feature = "avx2");
    (wanted && !suited).then_some(
        "this binary was built for processors with AVX2 and FMA, and this one has neither or only one of them; build it \
         with RUSTFLAGS=\"-C target-cpu=x86-64\"",
    )
}

#[cfg(not(target_arch = "x86_64"))]
fn unsuited_processor() -> Option<&'static str> {
    None
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    if let Some(sentence) = unsuited_processor() {
        print_error(sentence);
        return ExitCode::from(FAILED);
    }
    let arguments = Arguments::parse();
    let result = match arguments.command.unwrap_or(Command::Serve(serve::Arguments::default())) {
        Command::Serve(arguments) => serve::execute(&arguments).map(|()| Verdict::Free),
        Command::Scenes(arguments) => scenes::execute(&arguments).map(|()| Verdict::Free),
        Command::New(arguments) => new::execute(&arguments).map(|()| Verdict::Free),
        Command::Run(arguments) => run::execute(&arguments).map(|()| Verdict::Free),
        Command::Benchmark(arguments) => benchmark::execute(&arguments),
        Command::Robots(arguments) => robots::execute(&arguments),
        Command::Replay(arguments) => replay::execute(&arguments),
        Command::Mesh(arguments) => mesh::execute(&arguments).map(|()| Verdict::Free),
        Command::Check(arguments) => check::execute(&arguments),
        Command::Plan(arguments) => plan::execute(&arguments),
        Command::Clash(arguments) => clash::execute(&arguments),
        Command::Handle(arguments) => handle::execute(&arguments).map(|()| Verdict::Free),
        Command::Bob(arguments) => bob::execute(&arguments).map(|()| Verdict::Free),
    };
    match result {
        Ok(verdict) => ExitCode::from(verdict as u8),
        Err(failure) => {
            print_error(&failure.to_string());
            ExitCode::from(FAILED)
        }
    }
}

/// Prints a line on standard error; who has closed it does not want to know.
fn print_error(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "prall: {line}");
}

/// Prints a line; a reader that has gone away (`prall scenes | head -1`) is no failure.
pub(crate) fn print_line(line: &str) -> Result<(), Failure> {
    use std::io::{ErrorKind, Write};
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Prints an answer as JSON or as text.
pub(crate) fn print_result<T: serde::Serialize>(
    answer: &T,
    json: bool,
    print_text: impl Fn(&T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if json { print_line(&serde_json::to_string_pretty(answer)?) } else { print_text(answer) }
}
