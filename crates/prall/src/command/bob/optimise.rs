//! `prall bob optimise`: a steering line that is faster than the pilot alone.

use super::scenario::{AnswerArguments, Scenario, ScenarioArguments, write};
use super::steering_file;
use crate::command::{Failure, print_line, print_result};
use indicatif::{ProgressBar, ProgressStyle};
use prall_bob::pilot::{OptimiserOptions, OptimiserTask, SteeringLine, optimise};
use serde::Serialize;
use std::path::PathBuf;

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
    /// Where to write the line; `prall bob run --steering FILE` drives it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
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
    candidates: u32,
    /// Best time after each batch.
    history: Vec<f64>,
    /// Station in m and steering angle in rad.
    knots: Vec<[f64; 2]>,
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    if !(arguments.spacing >= 5.0 && arguments.spacing <= 200.0) {
        return Err(format!("--spacing must be from 5 to 200 m, not {}", arguments.spacing).into());
    }
    let scenario = Scenario::open(&arguments.scenario)?;
    let line = if scenario.line.knots().is_empty() {
        SteeringLine::straight(0.0, scenario.course.track.finish(), arguments.spacing)
    } else {
        scenario.line.clone()
    };
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
    let pool = rayon::ThreadPoolBuilder::new().build()?;
    let found = optimise(&task, line, &options, &pool, |driven, best| {
        bar.set_position(u64::from(driven));
        bar.set_message(format!("{best:.3} s"));
    })?;
    bar.finish_and_clear();
    if let Some(path) = &arguments.out {
        write(path, &steering_file::write(&found.line))?;
    }
    let answer = Answer {
        track: scenario.course.track.name().to_owned(),
        sled: scenario.setup.name().to_owned(),
        before: found.before,
        time: found.time,
        candidates: found.candidates,
        history: found.history,
        knots: found.line.knots().to_vec(),
    };
    print_result(&answer, arguments.answer.json, |answer| {
        print_line(&format!(
            "{} on {}: {:.3} s before, {:.3} s with the line ({:+.3} s) after {} candidates",
            answer.sled,
            answer.track,
            answer.before,
            answer.time,
            answer.time - answer.before,
            answer.candidates
        ))
    })
}
