//! `prall bob validate`: many runs beside the source's table (Rempfler 2015, 6.3).

use super::chart::{Mark, Panel, Series, Sheet};
use super::run::{in_words, summary, times_at};
use super::run_file::load;
use super::scenario::{ReportArguments, Scenario, ScenarioArguments, in_parallel, write};
use crate::command::{Failure, print_line, print_result};
use prall_bob::run::RunResult;
use prall_bob::study::{SOURCE_SPLITS, SourceSplit};
use prall_bob::track::Track;
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Driven runs to be judged instead of the pilot's: run files, XML, or recordings of the seat (.mcap)
    #[arg(value_name = "RUN")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// How many runs
    #[arg(long, default_value_t = 80, value_name = "N")]
    runs: u32,
    /// Drive as the source computed: contacts by segments on its mesh (35 strips, 420 triangles a metre), tolerance 1e-4 N s, flying start,
    /// the sled's own friction and no further resistance
    #[arg(long, conflicts_with_all = ["files", "mesh"])]
    as_published: bool,
    #[command(flatten)]
    report: ReportArguments,
}

#[derive(Serialize)]
struct Answer {
    track: String,
    sled: String,
    runs: usize,
    finished: usize,
    crashed: usize,
    /// Stations of the crashes in m, with their causes.
    crashes: Vec<(f64, &'static str)>,
    /// Runs that neither finished nor crashed.
    neither: usize,
    splits: Vec<Row>,
}

/// A line of the table. Errors as in the source: (race - simulation) / race.
#[derive(Serialize)]
struct Row {
    s: f64,
    runs: usize,
    mean: Option<f64>,
    deviation: Option<f64>,
    error_to_race: Option<f64>,
    error_to_source: Option<f64>,
    #[serde(flatten)]
    source: SourceSplit,
    times: Vec<f64>,
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.scenario.track != "whistler-like" {
        let track = &arguments.scenario.track;
        return Err(
            format!("the source's table is of Whistler: use --track whistler-like, not {track}").into()
        );
    }
    let answer = if arguments.files.is_empty() {
        let scenario = if arguments.as_published {
            Scenario::open_as_published(&arguments.scenario)?
        } else {
            Scenario::open(&arguments.scenario)?
        };
        let report = &arguments.report.answer;
        let runs = scenario.runs(arguments.runs.max(1), report.seed, report.json)?;
        answer(&scenario.course.track, scenario.setup.name(), &runs)
    } else {
        let track = super::track::open(&arguments.scenario.track, "standard")?;
        let count = arguments.files.len() as u32;
        let runs = in_parallel(count, arguments.report.answer.json, "runs", |index| {
            let path = &arguments.files[index as usize];
            let record = load(path, None)?;
            let (own, wanted) = (&record.about.track, &arguments.scenario.track);
            if own != wanted {
                return Err(format!("{}: this run is of {own}, not of {wanted}", path.display()).into());
            }
            Ok(record.result)
        })?;
        answer(&track, "driven", &runs)
    };
    if let Some(out) = &arguments.report.out {
        std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
        histograms(&answer).write(&out.join("histograms.svg"))?;
        histograms(&answer).write(&out.join("histograms.png"))?;
        write(&out.join("validation.json"), &serde_json::to_string_pretty(&answer)?)?;
        let text = format!("{}\n![Times at the stations](histograms.svg)\n", lines(&answer).join("\n"));
        write(&out.join("validation.md"), &text)?;
    }
    print_result(&answer, arguments.report.answer.json, |answer| {
        lines(answer).iter().try_for_each(|line| print_line(line))
    })
}

fn answer(track: &Track, sled: &str, runs: &[RunResult]) -> Answer {
    let error = |right: f64, mean: Option<f64>| mean.map(|mean| 100.0 * (right - mean) / right);
    let rows = summary(track, runs).into_iter().filter_map(|station| {
        let source = *SOURCE_SPLITS.iter().find(|split| split.s == station.s)?;
        Some(Row {
            s: station.s,
            runs: station.runs,
            mean: station.mean,
            deviation: station.deviation,
            error_to_race: error(source.race_mean, station.mean),
            error_to_source: error(source.simulation_mean, station.mean),
            source,
            times: times_at(runs, station.s),
        })
    });
    let finished = runs.iter().filter(|run| run.time.is_some()).count();
    let crashes: Vec<(f64, &str)> =
        runs.iter().filter_map(|run| run.crash).map(|crash| (crash.s, in_words(crash.cause))).collect();
    Answer {
        track: track.name().to_owned(),
        sled: sled.to_owned(),
        runs: runs.len(),
        finished,
        crashed: crashes.len(),
        neither: runs.len() - finished - crashes.len(),
        crashes,
        splits: rows.collect(),
    }
}

/// The report, as Markdown that also reads as text.
fn lines(answer: &Answer) -> Vec<String> {
    let mut lines = vec![
        format!(
            "{} on {}: {} runs, {} finished, {} crashed, {} neither.",
            answer.sled, answer.track, answer.runs, answer.finished, answer.crashed, answer.neither
        ),
        "Published: 77 simulated runs (3 more crashed) and the 80 runs of the Olympic race of 2010 (Rempfler 2015, 6.3)."
            .to_owned(),
        String::new(),
        "|   s [m] | runs | mean [s] | deviation | simulation 2015 | deviation | race 2010 | deviation | error to race | to simulation |"
            .to_owned(),
        "|--------:|-----:|---------:|----------:|----------------:|----------:|----------:|----------:|--------------:|--------------:|"
            .to_owned(),
    ];
    for row in &answer.splits {
        let number = |value: Option<f64>, digits: usize| {
            value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
        };
        let percent = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:+.2} %"));
        lines.push(format!(
            "| {:>7} | {:>4} | {:>8} | {:>9} | {:>15.4} | {:>9.4} | {:>9.4} | {:>9.4} | {:>13} | {:>13} |",
            row.s,
            row.runs,
            number(row.mean, 4),
            number(row.deviation, 4),
            row.source.simulation_mean,
            row.source.simulation_deviation,
            row.source.race_mean,
            row.source.race_deviation,
            percent(row.error_to_race),
            percent(row.error_to_source),
        ));
    }
    lines.push(String::new());
    lines.push("Errors as published: (theirs - ours) / theirs. Means are of the runs that came to a station without a crash.".to_owned());
    let mut stations: Vec<f64> = answer.crashes.iter().map(|crash| crash.0).collect();
    stations.sort_by(f64::total_cmp);
    if !stations.is_empty() {
        let stations: Vec<String> = stations.iter().map(|s| format!("{s:.0}")).collect();
        lines.push(format!("Crashes at [m]: {}.", stations.join(", ")));
    }
    lines
}

/// How many bars a histogram has.
const BARS: usize = 16;

fn histograms(answer: &Answer) -> Sheet {
    let panel = |row: &Row| {
        let low = row.times.iter().copied().fold(f64::INFINITY, f64::min);
        let high = row.times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let width = ((high - low) / BARS as f64).max(1e-3);
        let mut counts = [0_u32; BARS];
        for time in &row.times {
            counts[(((time - low) / width) as usize).min(BARS - 1)] += 1;
        }
        let bars = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let bars =
            bars.map(|(index, &count)| (low + (index as f64 + 0.5) * width, f64::from(count))).collect();
        let rule =
            |name: &str, at: f64| Series { name: name.to_owned(), mark: Mark::Rule, points: vec![(at, 0.0)] };
        Panel {
            title: format!("{} m: {} runs", row.s, row.runs),
            series: vec![
                Series { name: "runs".to_owned(), mark: Mark::Bars(width), points: bars },
                rule("mean of the race of 2010", row.source.race_mean),
                rule("mean of the simulation of 2015", row.source.simulation_mean),
            ],
        }
    };
    Sheet {
        title: format!(
            "{}: times at the stations, {} runs, {} crashed",
            answer.track, answer.runs, answer.crashed
        ),
        across: "time [s]".to_owned(),
        panels: answer.splits.iter().map(panel).collect(),
        columns: 2,
        panel_height: 240,
        bands: Vec::new(),
    }
}
