//! `prall bob run`: the sled down the track, once or many times.

use crate::command::{Failure, print_line, print_result};
use indicatif::{ProgressBar, ProgressStyle};
use prall_bob::pilot::{PilotOptions, Plan, PlanOptions};
use prall_bob::run::{Conditions, Course, CrashCause, Run, RunResult, Start, even_number};
use prall_bob::sled::{Setup, TWO_MAN};
use prall_bob::track::{Ice, PointMassStart, Track};
use rayon::prelude::*;
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A track file, or a track by name: whistler-like, sochi-like
    #[arg(long, default_value = "whistler-like", value_name = "FILE")]
    track: String,
    /// Height profile of the file
    #[arg(long, default_value = "standard", value_name = "NAME")]
    profile: String,
    /// Setup of the sled; the two-man sled that comes with Prall if there is none
    #[arg(long, value_name = "FILE")]
    setup: Option<PathBuf>,
    /// Begin at s = 0 with this speed in m/s instead of a push
    #[arg(long, value_name = "SPEED")]
    flying: Option<f64>,
    /// How many runs; from the second on start, ice and hands vary
    #[arg(long, default_value_t = 1, value_name = "N")]
    runs: u32,
    /// Seed of what varies
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
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
struct Station {
    s: f64,
    runs: usize,
    /// Of the runs that came so far; none where none did.
    mean: Option<f64>,
    /// None with fewer than two runs.
    deviation: Option<f64>,
    reference: Option<f64>,
    race: Option<f64>,
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let track = super::track::open(&arguments.track, &arguments.profile)?;
    let setup = match &arguments.setup {
        None => Setup::read("two-man", TWO_MAN)?,
        Some(path) => {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
            Setup::read(&name, &text)?
        }
    };
    if let Some(speed) = arguments.flying
        && !(speed > 0.0 && speed.is_finite())
    {
        return Err(format!("--flying needs a speed above 0 m/s, not {speed}").into());
    }
    let course = course(track, arguments.flying);
    let bar = progress(arguments);
    let runs: Result<Vec<RunResult>, Failure> = (0..arguments.runs.max(1))
        .into_par_iter()
        .map(|index| {
            let (conditions, glide) = vary(arguments, index);
            let mut setup = setup.clone();
            setup.glide = glide;
            let run = Run::new(&course, &setup, PilotOptions::default(), conditions)
                .map_err(|error| error.to_string())?;
            let result = run.finish();
            bar.inc(1);
            Ok(result)
        })
        .collect();
    bar.finish_and_clear();
    let runs = runs?;
    let answer = Answer {
        track: course.track.name().to_owned(),
        sled: setup.name().to_owned(),
        finished: runs.iter().filter(|run| run.time.is_some()).count(),
        crashed: runs.iter().filter(|run| run.crash.is_some()).count(),
        summary: summary(&course.track, &runs),
        runs,
    };
    print_result(&answer, arguments.json, print_text)
}

fn course(track: Track, flying: Option<f64>) -> Course {
    let ice = Ice::new(&track);
    let start = flying.map_or(PointMassStart::Pushed, PointMassStart::Flying);
    let plan = Plan::new(&track, &ice, start, PlanOptions::default());
    Course { track, ice, plan }
}

fn progress(arguments: &Arguments) -> ProgressBar {
    if arguments.runs < 2 || arguments.json {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(u64::from(arguments.runs));
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {eta} to go") {
        bar.set_style(style);
    }
    bar
}

/// The first run is the plain one. Others: push within 2 %, start within 4 cm of the middle, ice within 10 %, hands that tremble by 0.1
/// degrees; all estimates.
fn vary(arguments: &Arguments, index: u32) -> (Conditions, f64) {
    let seed = arguments.seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(u64::from(index));
    let mut state = seed;
    let mut within =
        |range: f64| if index == 0 { 0.0 } else { range * (2.0 * even_number(&mut state) - 1.0) };
    let share = 1.0 + within(0.02);
    let start = match arguments.flying {
        None => Start::Pushed(share),
        Some(speed) => Start::Flying(speed * share),
    };
    let offset = within(0.04);
    let glide = 1.0 + within(0.1);
    let tremor = if index == 0 { 0.0 } else { 0.1_f64.to_radians() };
    (Conditions { start, offset, tremor, seed }, glide)
}

fn summary(track: &Track, runs: &[RunResult]) -> Vec<Station> {
    let timing = track.timing();
    let stations = timing.stations.iter().enumerate().map(|(i, &s)| {
        let times: Vec<f64> = runs
            .iter()
            .filter_map(|run| run.splits.iter().find(|split| split.s == s))
            .map(|split| split.time)
            .collect();
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
            let cause = match crash.cause {
                CrashCause::RolledOver => "rolled over",
                CrashCause::OnItsSide => "on its side",
                CrashCause::OverTheEdge => "over the edge, into the net",
            };
            print_line(&format!(
                "run {}: crash at {:.0} m after {:.2} s ({cause})",
                index + 1,
                crash.s,
                crash.time
            ))?;
        }
    }
    Ok(())
}
