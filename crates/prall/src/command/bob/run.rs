//! `prall bob run`: the sled down the track, once or many times.

use super::run_file::{load, repeat};
use super::scenario::{AnswerArguments, Scenario, ScenarioArguments, in_parallel, write};
use crate::command::{Failure, print_line, print_result};
use prall_bob::record::Record;
use prall_bob::run::{CrashCause, RunResult};
use prall_bob::track::Track;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// How many runs; from the second on start, ice and hands vary
    #[arg(long, default_value_t = 1, value_name = "N")]
    runs: u32,
    #[command(flatten)]
    answer: AnswerArguments,
    /// Write the run down, a hundred times a second; a name that ends in .xml makes it XML. Several runs are numbered
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Drive a recorded run again, by pilot or by hands, and compare the last state bit by bit: exit code 0 equal, 2 different
    #[arg(long, value_name = "RUN", conflicts_with_all = ["record", "runs"])]
    replay: Option<PathBuf>,
}

#[derive(Serialize)]
struct Answer {
    track: String,
    sled: String,
    runs: Vec<RunResult>,
    finished: usize,
    crashed: usize,
    summary: Vec<Station>,
}

/// Times of all runs that came there, beside those to compare with.
#[derive(Serialize)]
pub(super) struct Station {
    pub(super) s: f64,
    pub(super) runs: usize,
    /// Of the runs that came so far; none where none did.
    pub(super) mean: Option<f64>,
    /// None with fewer than two runs.
    pub(super) deviation: Option<f64>,
    reference: Option<f64>,
    race: Option<f64>,
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(path) = &arguments.replay {
        return replay(path, arguments.answer.json);
    }
    let scenario = Scenario::open(&arguments.scenario)?;
    let count = arguments.runs.max(1);
    let runs = match &arguments.record {
        None => scenario.runs(count, arguments.answer.seed, arguments.answer.json)?,
        Some(path) => in_parallel(count, arguments.answer.json, "runs", |index| {
            let record = scenario.record(arguments.answer.seed, index)?;
            save(&numbered(path, index, count), &record)?;
            Ok(record.result)
        })?,
    };
    let answer = Answer {
        track: scenario.course.track.name().to_owned(),
        sled: scenario.setup.name().to_owned(),
        finished: runs.iter().filter(|run| run.time.is_some()).count(),
        crashed: runs.iter().filter(|run| run.crash.is_some()).count(),
        summary: summary(&scenario.course.track, &runs),
        runs,
    };
    print_result(&answer, arguments.answer.json, print_text)
}

fn replay(path: &Path, json: bool) -> Result<(), Failure> {
    let repeated = repeat(path, &load(path, None)?)?;
    if !repeated.same() {
        return Err(format!(
            "{}: driven again the last state is {:016x}, and {:016x} was recorded",
            path.display(),
            repeated.hash,
            repeated.recorded
        )
        .into());
    }
    print_result(&repeated, json, |repeated| {
        print_line(&format!(
            "{} steps driven again: the last state is {:016x}, as recorded, bit by bit.",
            repeated.steps, repeated.hash
        ))
    })
}

/// Writes a run file; the ending says which kind.
pub(super) fn save(path: &Path, record: &Record) -> Result<(), Failure> {
    let is_xml = path.extension().is_some_and(|ending| ending == "xml");
    write(path, &if is_xml { record.write_xml() } else { record.write() })
}

/// `lap.run` becomes `lap-3.run`, if there are several.
fn numbered(path: &Path, index: u32, count: u32) -> PathBuf {
    if count == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map_or(String::new(), |ending| format!(".{}", ending.to_string_lossy()));
    path.with_file_name(format!("{stem}-{}{ending}", index + 1))
}

pub(super) fn summary(track: &Track, runs: &[RunResult]) -> Vec<Station> {
    let timing = track.timing();
    let stations = timing.stations.iter().enumerate().map(|(i, &s)| {
        let times = times_at(runs, s);
        let count = times.len() as f64;
        let mean = if times.is_empty() { 0.0 } else { times.iter().sum::<f64>() / count };
        let squares: f64 = times.iter().map(|time| (time - mean) * (time - mean)).sum();
        Station {
            s,
            runs: times.len(),
            mean: (!times.is_empty()).then_some(mean),
            deviation: (times.len() > 1).then(|| (squares / (count - 1.0)).sqrt()),
            reference: timing.reference.get(i).copied(),
            race: timing.race.get(i).copied(),
        }
    });
    stations.collect()
}

/// Times of all runs that came to a station.
pub(super) fn times_at(runs: &[RunResult], s: f64) -> Vec<f64> {
    let splits = runs.iter().filter_map(|run| run.splits.iter().find(|split| split.s == s));
    splits.map(|split| split.time).collect()
}

fn print_text(answer: &Answer) -> Result<(), Failure> {
    let count = answer.runs.len();
    print_line(&format!(
        "{} on {}: {count} run{}, {} finished, {} crashed",
        answer.sled,
        answer.track,
        if count == 1 { "" } else { "s" },
        answer.finished,
        answer.crashed
    ))?;
    print_line("\n     s    runs      mean   deviation   published simulation   race")?;
    for station in &answer.summary {
        let published = |time: Option<f64>| time.map_or("-".to_owned(), |time| format!("{time:.3}"));
        let measured = |time: Option<f64>| time.map_or("-".to_owned(), |time| format!("{time:.3} s"));
        let (mean, deviation) = (measured(station.mean), measured(station.deviation));
        print_line(&format!(
            "{:>6.0} m {:>6} {mean:>9}   {deviation:>9}   {:>20}   {}",
            station.s,
            station.runs,
            published(station.reference),
            published(station.race)
        ))?;
    }
    let most = |value: fn(&RunResult) -> f64| answer.runs.iter().map(value).fold(0.0, f64::max);
    print_line(&format!(
        "top speed {:.1} km/h, largest load {:.2} g, {:.1} bumper hits a run",
        3.6 * most(|run| run.top_speed),
        most(|run| run.largest_load),
        answer.runs.iter().map(|run| f64::from(run.bumper_hits)).sum::<f64>() / count as f64
    ))?;
    for (index, run) in answer.runs.iter().enumerate() {
        if let Some(crash) = run.crash {
            print_line(&format!(
                "run {}: crash at {:.0} m after {:.2} s ({})",
                index + 1,
                crash.s,
                crash.time,
                in_words(crash.cause)
            ))?;
        }
    }
    Ok(())
}

pub(super) fn in_words(cause: CrashCause) -> &'static str {
    match cause {
        CrashCause::RolledOver => "rolled over",
        CrashCause::OnItsSide => "on its side",
        CrashCause::OverTheEdge => "over the edge, into the net",
    }
}
