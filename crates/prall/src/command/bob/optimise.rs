//! `prall bob optimise`: a steering line that is faster than the pilot alone.

use super::scenario::{AnswerArguments, Scenario, ScenarioArguments, write};
use super::{analyse, steering_file};
use crate::command::{Failure, print_line, print_result};
use indicatif::{ProgressBar, ProgressStyle};
use prall_bob::analysis::{Line, SPACING};
use prall_bob::pilot::{Optimised, OptimiserOptions, OptimiserTask, SteeringLine, optimise};
use prall_bob::record::Record;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// How many candidates are driven
    #[arg(long, default_value_t = 200, value_name = "N")]
    candidates: u32,
    /// Distance of the line's knots in m
    #[arg(long, default_value_t = 25.0, value_name = "M")]
    spacing: f64,
    /// Where to write the line, which `prall bob run --steering FILE` drives; a picture of the runs with and without it is written beside it,
    /// with the ending .svg
    #[arg(long, default_value = "line.csv", value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    answer: AnswerArguments,
}

#[derive(Serialize)]
struct Answer {
    track: String,
    sled: String,
    /// Run time of the line that the search began with, in s.
    before: f64,
    /// Run time of the line that was found, in s.
    time: f64,
    splits: Vec<Pair>,
    /// How long the search took, in s.
    searched: f64,
    /// Where the line and the picture were written.
    line: String,
    picture: String,
    candidates: u32,
    /// Best time after each batch.
    history: Vec<f64>,
    /// Station in m and steering angle in rad.
    knots: Vec<[f64; 2]>,
}

/// Times at a light barrier without the line and with it, in s.
#[derive(Serialize)]
struct Pair {
    s: f64,
    before: f64,
    time: f64,
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    if !(arguments.spacing >= 5.0 && arguments.spacing <= 200.0) {
        return Err(format!("--spacing must be from 5 to 200 m, not {}", arguments.spacing).into());
    }
    let picture = arguments.out.with_extension("svg");
    if picture == arguments.out {
        return Err(
            format!("--out: {} is the name of the picture; call the line .csv", picture.display()).into()
        );
    }
    let scenario = Scenario::open(&arguments.scenario)?;
    let line = if scenario.line.knots().is_empty() {
        SteeringLine::straight(0.0, scenario.course.track.finish(), arguments.spacing)
    } else {
        scenario.line.clone()
    };
    // A file that cannot be written is told before the search, not after; what is in it stays until there is something better.
    let trial = std::fs::OpenOptions::new().append(true).create(true).open(&arguments.out);
    trial.map_err(|error| format!("{}: {error}", arguments.out.display()))?;
    let options = OptimiserOptions {
        candidates: arguments.candidates,
        seed: arguments.answer.seed,
        ..OptimiserOptions::default()
    };
    let (conditions, _) = scenario.conditions(arguments.answer.seed, 0);
    let task = OptimiserTask {
        course: &scenario.course,
        setup: &scenario.setup,
        pilot: scenario.options,
        conditions,
        mesh: scenario.mesh.as_ref(),
    };
    let bar = if arguments.answer.json {
        ProgressBar::hidden()
    } else {
        ProgressBar::new(u64::from(arguments.candidates))
    };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} candidates, {msg}, {eta} to go") {
        bar.set_style(style);
    }
    bar.set_message("the pilot alone first");
    bar.tick();
    let begun = Instant::now();
    let pool = rayon::ThreadPoolBuilder::new().build()?;
    let mut before = None;
    let found = optimise(&task, line.clone(), &options, &pool, |driven, best| {
        let before = *before.get_or_insert(best);
        bar.set_position(u64::from(driven));
        bar.set_message(format!("best {best:.3} s ({:+.3} s)", best - before));
    })?;
    bar.finish_and_clear();
    let searched = begun.elapsed().as_secs_f64();
    write(&arguments.out, &steering_file::write(&found.line))?;
    let splits = draw(&scenario, arguments, &line, &found, &picture)?;
    let answer = Answer {
        track: scenario.course.track.name().to_owned(),
        sled: scenario.setup.name().to_owned(),
        before: found.before,
        time: found.time,
        splits,
        searched,
        line: arguments.out.display().to_string(),
        picture: picture.display().to_string(),
        candidates: found.candidates,
        history: found.history,
        knots: found.line.knots().to_vec(),
    };
    print_result(&answer, arguments.answer.json, print_text)
}

/// Drives both lines again, draws them over each other and gives their times.
fn draw(
    scenario: &Scenario,
    arguments: &Arguments,
    line: &SteeringLine,
    found: &Optimised,
    picture: &Path,
) -> Result<Vec<Pair>, Failure> {
    let track = &scenario.course.track;
    let seed = arguments.answer.seed;
    let [before, after] = [line, &found.line]
        .map(|line| scenario.record_steered(seed, 0, line, Some(arguments.out.display().to_string())));
    let (before, after) = (before?, after?);
    let over_station = |record: &Record| {
        Line::new(record, track.finish(), SPACING).map_err(|error| Failure::from(error.to_string()))
    };
    let (one, two) = (over_station(&after)?, over_station(&before)?);
    let differences = one.less(&two).map_err(|error| error.to_string())?;
    let title = format!(
        "{}: {:.3} s with the steering line, {:.3} s without ({:+.3} s)",
        track.name(),
        found.time,
        found.before,
        found.time - found.before
    );
    let lines = [("with the line", one.points.as_slice()), ("without", two.points.as_slice())];
    let whole = (0.0, track.finish());
    analyse::sheet(title, &lines, &[("with the line", &differences)], track, whole).write(picture)?;
    let pairs = before.result.splits.iter().zip(&after.result.splits);
    Ok(pairs.map(|(before, after)| Pair { s: before.s, before: before.time, time: after.time }).collect())
}

fn print_text(answer: &Answer) -> Result<(), Failure> {
    let gain = answer.before - answer.time;
    print_line(&format!(
        "{} on {}, {} candidates in {:.0} s",
        answer.sled, answer.track, answer.candidates, answer.searched
    ))?;
    print_line(&if gain > 0.0 {
        format!(
            "the line beats the pilot alone by {gain:.3} s: {:.3} s instead of {:.3} s",
            answer.time, answer.before
        )
    } else {
        format!(
            "no candidate was faster than the {:.3} s that the search began with; try more, or another --seed",
            answer.before
        )
    })?;
    print_line("\n     s     before   with the line")?;
    for pair in &answer.splits {
        let gain = pair.time - pair.before;
        print_line(&format!(
            "{:>6.0} m {:>8.3} s {:>8.3} s  ({gain:+.3} s)",
            pair.s, pair.before, pair.time
        ))?;
    }
    print_line(&format!(
        "\nline: {0}, picture: {1}; drive it again with --steering {0} beside the same options of prall bob run",
        answer.line, answer.picture
    ))
}
