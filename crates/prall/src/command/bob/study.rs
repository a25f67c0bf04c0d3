//! `prall bob study`: what restitution (S1), friction (S2), driven lines (S5), hits, loads, springs and entries do, as a report with charts
//! (Rempfler 2015, 4.4 and 7).

mod driven;
mod level;

use super::chart::{Mark, Panel, Series, Sheet};
use super::run::in_words;
use super::scenario::{ReportArguments, Scenario, ScenarioArguments, in_parallel, write};
use crate::command::{Failure, print_line, print_result};
use prall_bob::analysis::{CurveReport, Line, SPACING};
use prall_bob::record::Record;
use prall_bob::study::{
    EXIT, Handling, Rebound, STUDY_LOAD, SpringRun, Steerability, Straightening, handling, rebound,
};
use prall_bob::track::{Curve, Track};
use serde::Serialize;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Which studies; without a name restitution, friction and lines
    #[arg(value_name = "NAME")]
    names: Vec<Kind>,
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// Runs of the study of lines, for each line of each curve
    #[arg(long, default_value_t = 2, value_name = "N")]
    runs: u32,
    /// Curves of the studies of lines and entries
    #[arg(long, value_delimiter = ',', default_value = "4,7", value_name = "NUMBERS")]
    curves: Vec<usize>,
    #[command(flatten)]
    report: ReportArguments,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Kind {
    /// S1: how a sled comes off a wall
    Restitution,
    /// S2: how it steers, and when its rear breaks out
    Friction,
    /// S5: curves in one arc and in two
    Lines,
    /// A hit that straightens a drifting sled
    Straightening,
    /// How a sled steers over its load
    Load,
    /// Nine pairs of spring sets on one line
    Springs,
    /// Curves, entered from -0.4 to 0.4 m outside the middle
    Entries,
}

impl Kind {
    const DEFAULT: [Kind; 3] = [Kind::Restitution, Kind::Friction, Kind::Lines];
}

#[derive(Default, Serialize)]
struct Answer {
    track: String,
    sled: String,
    restitution: Vec<Rebound>,
    friction: Vec<Handling>,
    lines: Vec<CurveStudy>,
    straightening: Vec<Straightening>,
    load: Vec<Steerability>,
    springs: Vec<SpringRun>,
    entries: Vec<driven::EntryStudy>,
}

/// One curve, driven in many ways.
#[derive(Serialize)]
struct CurveStudy {
    curve: usize,
    begin: f64,
    end: f64,
    runs: Vec<Driven>,
}

#[derive(Serialize)]
struct Driven {
    /// What the pilot was told.
    line: String,
    #[serde(flatten)]
    report: CurveReport,
    /// Time from the entry to 50 m behind the exit: what a bad exit costs shows there.
    time_with_exit: Option<f64>,
    /// How the whole run ended.
    run_time: Option<f64>,
    crash: Option<&'static str>,
    /// Station and height.
    #[serde(skip)]
    heights: Vec<(f64, f64)>,
}

/// Restitutions of S1; the source's experts chose 0.05.
const RESTITUTIONS: [f64; 9] = [0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8];
/// Friction along over across; the source's choice is 0.04, the literature goes to 0.2.
const RATIOS: [f64; 6] = [0.02, 0.03, 0.04, 0.06, 0.1, 0.2];
/// Shares of the friction along that are left in a side slip; the source's choice is 0.66.
const SHARES: [f64; 3] = [0.33, 0.66, 0.95];
pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let scenario = Scenario::open(&arguments.scenario)?;
    let names = if arguments.names.is_empty() { &Kind::DEFAULT[..] } else { &arguments.names };
    let wants = |kind: Kind| names.contains(&kind);
    let (seed, quiet) = (arguments.report.answer.seed, arguments.report.answer.json);
    let mut answer = Answer {
        track: scenario.course.track.name().to_owned(),
        sled: scenario.setup.name().to_owned(),
        ..Answer::default()
    };
    if wants(Kind::Restitution) {
        answer.restitution = in_parallel(RESTITUTIONS.len() as u32, quiet, "rebounds", |index| {
            Ok(rebound(&scenario.setup, RESTITUTIONS[index as usize])?)
        })?;
    }
    if wants(Kind::Friction) {
        let count = (RATIOS.len() * SHARES.len()) as u32;
        answer.friction = in_parallel(count, quiet, "pairs of coefficients", |index| {
            let (share, ratio) = (index as usize / RATIOS.len(), index as usize % RATIOS.len());
            Ok(handling(&scenario.setup, RATIOS[ratio], SHARES[share])?)
        })?;
    }
    if wants(Kind::Lines) {
        answer.lines = lines(&scenario, arguments)?;
    }
    if wants(Kind::Straightening) {
        answer.straightening = level::straighten(&scenario, quiet)?;
    }
    if wants(Kind::Load) {
        answer.load = level::over_load(&scenario, quiet)?;
    }
    if wants(Kind::Springs) {
        answer.springs = driven::springs(&scenario, seed, quiet)?;
    }
    if wants(Kind::Entries) {
        answer.entries = driven::enter(&scenario, &arguments.curves, quiet)?;
    }
    if let Some(out) = &arguments.report.out {
        std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
        for (name, sheet) in charts(&answer) {
            sheet.write(&out.join(format!("{name}.svg")))?;
            sheet.write(&out.join(format!("{name}.png")))?;
        }
        write(&out.join("study.json"), &serde_json::to_string_pretty(&answer)?)?;
        write(&out.join("study.md"), &report(&answer, true).join("\n"))?;
    }
    print_result(&answer, arguments.report.answer.json, |answer| {
        report(answer, false).iter().try_for_each(|line| print_line(line))
    })
}

/// Every wanted curve by every line, the other curves as costs least.
fn lines(scenario: &Scenario, arguments: &Arguments) -> Result<Vec<CurveStudy>, Failure> {
    let track = &scenario.course.track;
    let mut studies = Vec::new();
    for &number in &arguments.curves {
        let curve = chosen_curve(track, number)?;
        let mut runs = Vec::new();
        for line in TOLD {
            let told =
                scenario.told(&if line == FREE { String::new() } else { format!("{number}={line}") })?;
            let records = in_parallel(arguments.runs.max(1), arguments.report.answer.json, line, |index| {
                told.record(arguments.report.answer.seed, index)
            })?;
            runs.extend(records.iter().filter_map(|record| driven(line, record, &curve, track.finish())));
        }
        let (begin, end) = curve.stations;
        studies.push(CurveStudy { curve: number, begin, end, runs });
    }
    Ok(studies)
}

/// A curve by its number.
fn chosen_curve(track: &Track, number: usize) -> Result<Curve, Failure> {
    let curve = track.curves().find(|curve| curve.number == number);
    let count = track.curves().count();
    curve.ok_or_else(|| format!("--curves: {} has no curve {number}, only 1 to {count}", track.name()).into())
}

const FREE: &str = "free";
/// What the pilot is told for a curve.
const TOLD: [&str; 5] = [FREE, "single", "double", "early", "late"];

/// A run in a curve; none if it did not come through.
fn driven(told: &str, record: &Record, curve: &Curve, finish: f64) -> Option<Driven> {
    let line = Line::new(record, finish, SPACING).ok()?;
    let report = line.curve(curve)?;
    let (begin, end) = curve.stations;
    let heights = line.points.iter().filter(|point| point.s >= begin - 20.0 && point.s <= end + 20.0);
    Some(Driven {
        line: told.to_owned(),
        time_with_exit: line.at(end + EXIT).map(|point| point.time - report.entry.time),
        report,
        run_time: record.result.time,
        crash: record.result.crash.map(|crash| in_words(crash.cause)),
        heights: heights.map(|point| (point.s, point.height)).collect(),
    })
}

/// The report, as Markdown that also reads as text.
fn report(answer: &Answer, with_pictures: bool) -> Vec<String> {
    let mut lines = vec![format!("# Studies: {} on {}", answer.sled, answer.track)];
    if !answer.restitution.is_empty() {
        lines.extend([
            String::new(),
            "## S1: restitution of the bumpers".to_owned(),
            String::new(),
            "The sled meets the wall of a straight with 25 m/s at 3 degrees. The source's experts chose 0.05 ± 0.01 by eye."
                .to_owned(),
            String::new(),
            "| restitution | towards [m/s] | away [m/s] | speed lost in 1 s [m/s] | yaw back [°/s] | percussion [N s] | touches |"
                .to_owned(),
            "|---:|---:|---:|---:|---:|---:|---:|".to_owned(),
        ]);
        lines.extend(answer.restitution.iter().map(|row| {
            format!(
                "| {:.2} | {:.2} | {:.2} | {:.2} | {:.0} | {:.0} | {} |",
                row.restitution,
                row.towards,
                row.away,
                row.lost,
                row.yaw.to_degrees(),
                row.percussion,
                row.touches
            )
        }));
        picture(
            &mut lines,
            with_pictures,
            "restitution",
            "Speed away from the wall and yaw over restitution",
        );
    }
    if !answer.friction.is_empty() {
        lines.extend([
            String::new(),
            "## S2: friction of the runners".to_owned(),
            String::new(),
            format!(
                "30 m/s on level ice under {STUDY_LOAD} g, the load of a fast curve. The source's choice: along over across 0.04 (0.004 / 0.1), side-slip share 0.66."
            ),
            String::new(),
            "| along / across | side-slip share | response to 1° [g] | rear breaks out from [°] | lost gliding [m/s in 1 s] | lost at 2° [m/s in 1 s] |"
                .to_owned(),
            "|---:|---:|---:|---:|---:|---:|".to_owned(),
        ]);
        lines.extend(answer.friction.iter().map(|row| {
            format!(
                "| {:.2} | {:.2} | {:.4} | {} | {:.3} | {:.3} |",
                row.along_over_across,
                row.side_slip_share,
                row.response,
                row.breaks_out_at.map_or("never".to_owned(), |angle| format!("{angle:.1}")),
                row.glide_loss,
                row.steering_loss
            )
        }));
        picture(&mut lines, with_pictures, "friction", "Response and loss over the ratio of friction");
    }
    for study in &answer.lines {
        lines.extend([
            String::new(),
            format!("## S5: curve {}, {:.0} to {:.0} m", study.curve, study.begin, study.end),
            String::new(),
            format!("By time from the entry to {EXIT:.0} m behind the exit."),
            String::new(),
            "| told | arcs | outside at entry [m] | highest [m] | at [m] | entry [km/h] | exit [km/h] | curve [s] | with exit [s] | run [s] |"
                .to_owned(),
            "|:---|---:|---:|---:|---:|---:|---:|---:|---:|---:|".to_owned(),
        ]);
        let mut runs: Vec<&Driven> = study.runs.iter().collect();
        let key = |driven: &Driven| driven.time_with_exit.unwrap_or(f64::INFINITY);
        runs.sort_by(|a, b| key(a).total_cmp(&key(b)));
        lines.extend(runs.iter().map(|driven| {
            let report = &driven.report;
            format!(
                "| {} | {} | {:+.2} | {:.2} | {:.0} | {:.1} | {:.1} | {:.3} | {} | {} |",
                driven.line,
                report.arcs,
                report.entry.outside,
                report.highest,
                report.highest_at,
                3.6 * report.entry.speed,
                3.6 * report.exit.speed,
                report.time,
                driven.time_with_exit.map_or("-".to_owned(), |time| format!("{time:.3}")),
                driven
                    .run_time
                    .map_or(driven.crash.unwrap_or("did not finish").to_owned(), |time| format!("{time:.3}")),
            )
        }));
        lines.extend(by_arcs(study));
        picture(&mut lines, with_pictures, &format!("curve-{}", study.curve), "Heights over the station");
    }
    lines.extend(level::straightening_lines(&answer.straightening, with_pictures));
    lines.extend(level::load_lines(&answer.load, with_pictures));
    lines.extend(driven::spring_lines(&answer.springs));
    lines.extend(driven::entry_lines(&answer.entries, with_pictures));
    lines.push(String::new());
    lines
}

/// A chart of the report, where it has pictures.
fn picture(lines: &mut Vec<String>, with_pictures: bool, name: &str, text: &str) {
    if with_pictures {
        lines.extend([String::new(), format!("![{text}]({name}.svg)")]);
    }
}

/// A page of charts below each other.
fn page(title: String, across: &str, panels: Vec<Panel>, bands: Vec<(f64, f64, String)>) -> Sheet {
    Sheet { title, across: across.to_owned(), panels, columns: 1, panel_height: 260, bands }
}

/// Means of the runs with one arc, two arcs, and so on.
fn by_arcs(study: &CurveStudy) -> Vec<String> {
    let mut lines = vec![String::new()];
    for arcs in 0..=5 {
        let runs: Vec<&Driven> = study.runs.iter().filter(|driven| driven.report.arcs == arcs).collect();
        if runs.is_empty() {
            continue;
        }
        let count = runs.len() as f64;
        let mean =
            |value: &dyn Fn(&Driven) -> f64| runs.iter().map(|driven| value(driven)).sum::<f64>() / count;
        lines.push(format!(
            "- {arcs} arc{}: {} run{}, mean {:.3} s in the curve, {:+.2} km/h from entry to exit",
            if arcs == 1 { "" } else { "s" },
            runs.len(),
            if runs.len() == 1 { "" } else { "s" },
            mean(&|driven| driven.report.time),
            3.6 * mean(&|driven| driven.report.exit.speed - driven.report.entry.speed)
        ));
    }
    lines
}

fn charts(answer: &Answer) -> Vec<(String, Sheet)> {
    let mut charts = Vec::new();
    if !answer.restitution.is_empty() {
        let panel = |title: &str, value: fn(&Rebound) -> f64| {
            let points = answer.restitution.iter().map(|row| (row.restitution, value(row))).collect();
            let series = vec![Series { name: answer.sled.clone(), mark: Mark::Points, points }];
            Panel { title: title.to_owned(), series }
        };
        let panels = vec![
            panel("Speed away from the wall [m/s]", |row| row.away),
            panel("Speed lost in a second [m/s]", |row| row.lost),
            panel("Yaw rate towards the middle [°/s]", |row| row.yaw.to_degrees()),
        ];
        let title = "S1: 25 m/s into a wall at 3 degrees".to_owned();
        charts
            .push(("restitution".to_owned(), page(title, "restitution of the bumpers", panels, Vec::new())));
    }
    if !answer.friction.is_empty() {
        let panel = |title: &str, value: fn(&Handling) -> f64| {
            let series = SHARES.iter().map(|share| {
                let rows = answer.friction.iter().filter(|row| row.side_slip_share == *share);
                let points = rows.map(|row| (row.along_over_across, value(row))).collect();
                Series { name: format!("side-slip share {share}"), mark: Mark::Points, points }
            });
            Panel { title: title.to_owned(), series: series.collect() }
        };
        let panels = vec![
            panel("Sideways acceleration by one degree of steering [g]", |row| row.response),
            panel("Speed lost in a second at two degrees [m/s]", |row| row.steering_loss),
        ];
        let title = format!("S2: 30 m/s under {STUDY_LOAD} g");
        charts.push(("friction".to_owned(), page(title, "friction along over across", panels, Vec::new())));
    }
    for study in &answer.lines {
        let series =
            study.runs.iter().map(|driven| Series::line(&driven.line, driven.heights.clone())).collect();
        let panel = Panel { title: "Height above the course [m]".to_owned(), series };
        let title = format!("S5: {} runs through curve {}", study.runs.len(), study.curve);
        let bands = vec![(study.begin, study.end, study.curve.to_string())];
        charts.push((format!("curve-{}", study.curve), page(title, "station [m]", vec![panel], bands)));
    }
    charts.extend(level::straightening_chart(&answer.straightening));
    charts.extend(level::load_chart(&answer.load));
    charts.extend(driven::entry_charts(&answer.entries));
    charts
}
