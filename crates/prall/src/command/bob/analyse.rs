//! `prall bob analyse`: the driven line of a run, curve by curve, and against another run's. `prall bob convert`: run files to XML and back.

use super::chart::{Mark, Panel, Series, Sheet};
use super::run::{in_words, save};
use super::run_file::load;
use crate::command::{Failure, print_line, print_result};
use prall_bob::analysis::{Advice, CurveReport, Driven, Line, Point, SPACING, coach};
use prall_bob::record::Record;
use prall_bob::run::{HitSide, RunResult};
use prall_bob::track::{Ground, Track};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Run files, XML, or recordings of the seat (.mcap), all of one track. Without --against the last of several is the reference
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// The run to compare the others with
    #[arg(long, value_name = "REFERENCE")]
    against: Option<PathBuf>,
    /// Draw the lines: a .svg or .png file, or a folder for both of them and the numbers as JSON
    #[arg(long, value_name = "DIR|FILE")]
    out: Option<PathBuf>,
    /// Only from this station on, in m
    #[arg(long, default_value_t = 0.0, value_name = "S")]
    from: f64,
    /// Only to this station, in m
    #[arg(long, value_name = "S")]
    to: Option<f64>,
    /// Draw these columns of the run files instead of the line, at most four, separated by commas: such as speed,load,torque_beta,force_rim_top. A
    /// wrong name is answered with all names
    #[arg(long, value_delimiter = ',', value_name = "NAMES", requires = "out")]
    columns: Vec<String>,
    /// What columns are drawn over
    #[arg(long, value_enum, default_value_t = Over::Station, requires = "columns")]
    over: Over,
    /// The track, where it is not found under the name in the run file
    #[arg(long, value_name = "FILE")]
    track: Option<String>,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

/// What runs along a diagram.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Over {
    /// Since s = 0, in s
    Time,
    /// In m
    Station,
}

/// More columns than this are no longer seen at once.
const MAX_COLUMNS: usize = 4;

#[derive(clap::Args)]
pub(super) struct ConvertArguments {
    /// A run file, one as XML, or a recording of the seat (.mcap)
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Where to write it: XML if the name ends in .xml, otherwise a run file
    #[arg(value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn convert(arguments: &ConvertArguments) -> Result<(), Failure> {
    save(&arguments.out, &load(&arguments.run, None)?)
}

#[derive(Serialize)]
struct Answer {
    run: String,
    reference: Option<String>,
    track: String,
    result: RunResult,
    curves: Vec<CurveReport>,
    /// Of the reference, for the curves that both were driven through.
    reference_curves: Vec<CurveReport>,
    line: Vec<Point>,
    /// The run's values less those of the reference.
    differences: Vec<Point>,
    /// Where it lost time on the reference and by what, the dearest first.
    coach: Vec<Advice>,
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let mut paths = arguments.runs.clone();
    let against = match &arguments.against {
        None if paths.len() > 1 => paths.pop(),
        given => given.clone(),
    };
    let load = |path: &PathBuf| load(path, arguments.track.as_deref());
    let first = load(&paths[0])?;
    let name = arguments.track.as_ref().unwrap_or(&first.about.track);
    let track = super::track::open(name, &first.about.profile)?;
    let reference = match &against {
        None => None,
        Some(path) => Some((path.display().to_string(), driven(path, load(path)?, &first, &track)?.1)),
    };
    if arguments.columns.len() > MAX_COLUMNS {
        let count = arguments.columns.len();
        return Err(format!("--columns: at most {MAX_COLUMNS} at once, not {count}").into());
    }
    let mut answers = Vec::new();
    let mut drawn: Vec<(String, Record)> = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let record = if index == 0 { first.clone() } else { load(path)? };
        if !arguments.columns.is_empty() {
            drawn.push((path.display().to_string(), record.clone()));
        }
        let (result, driven) = driven(path, record, &first, &track)?;
        answers.push(answer(path, result, &driven, reference.as_ref(), &track)?);
    }
    if let Some(out) = &arguments.out {
        let sheet = if arguments.columns.is_empty() {
            line_sheet(arguments, &answers, reference.as_ref(), &track)
        } else {
            if let Some(path) = &against {
                drawn.push((path.display().to_string(), load(path)?));
            }
            column_sheet(arguments, &drawn, &track)?
        };
        draw(&sheet, &answers, out)?;
    }
    match &answers[..] {
        [one] => print_result(one, arguments.json, print_text),
        all => print_result(&all, arguments.json, |all| all.iter().try_for_each(print_text)),
    }
}

/// What came of a run, and its line, if it is of the track of the first one.
fn driven(
    path: &Path,
    record: Record,
    first: &Record,
    track: &Track,
) -> Result<(RunResult, Driven), Failure> {
    if record.about.track != first.about.track {
        let (one, two) = (&first.about.track, &record.about.track);
        return Err(format!("the runs are of two tracks: {one} and {two}").into());
    }
    let line = Line::new(&record, track.finish(), SPACING);
    let line = line.map_err(|error| format!("{}: {error}", path.display()))?;
    let driven = Driven { line, hits: record.result.hits.clone(), crash: record.result.crash };
    Ok((record.result, driven))
}

fn answer(
    path: &Path,
    result: RunResult,
    driven: &Driven,
    reference: Option<&(String, Driven)>,
    track: &Track,
) -> Result<Answer, Failure> {
    let mut answer = Answer {
        run: path.display().to_string(),
        reference: None,
        track: track.name().to_owned(),
        curves: driven.line.curves(track),
        reference_curves: Vec::new(),
        line: driven.line.points.clone(),
        differences: Vec::new(),
        coach: Vec::new(),
        result,
    };
    if let Some((name, reference)) = reference {
        answer.differences = driven.line.less(&reference.line).map_err(|error| error.to_string())?;
        answer.reference_curves = reference.line.curves(track);
        answer.coach = coach(driven, reference, track);
        answer.reference = Some(name.clone());
    }
    Ok(answer)
}

fn line_sheet(
    arguments: &Arguments,
    answers: &[Answer],
    reference: Option<&(String, Driven)>,
    track: &Track,
) -> Sheet {
    let to = arguments.to.unwrap_or(track.finish());
    let runs = answers.iter().map(|answer| (answer.run.as_str(), answer.line.as_slice()));
    let referred = reference.map(|(name, driven)| (name.as_str(), driven.line.points.as_slice()));
    let lines: Vec<Named<'_>> = runs.chain(referred).collect();
    let differences = answers.iter().filter(|answer| !answer.differences.is_empty());
    let differences: Vec<Named<'_>> =
        differences.map(|answer| (answer.run.as_str(), answer.differences.as_slice())).collect();
    let title = format!("{}: the driven line; thin uprights are bumper hits", track.name());
    let mut sheet = sheet(title, &lines, &differences, track, (arguments.from, to));
    let runs = answers.iter().map(|answer| (answer.run.as_str(), answer.result.hits.as_slice()));
    let referred = reference.map(|(name, driven)| (name.as_str(), driven.hits.as_slice()));
    for (name, hits) in runs.chain(referred) {
        let stations = hits.iter().map(|hit| hit.s).filter(|s| (arguments.from..=to).contains(s));
        mark_events(&mut sheet, name, &stations.collect::<Vec<f64>>());
    }
    sheet
}

/// Columns of run files below each other, with bumper hits.
fn column_sheet(arguments: &Arguments, runs: &[(String, Record)], track: &Track) -> Result<Sheet, Failure> {
    let over_time = arguments.over == Over::Time;
    let (from, to) = (arguments.from, arguments.to.unwrap_or(track.finish()));
    let mut panels: Vec<Panel> = Vec::new();
    for name in &arguments.columns {
        let mut panel = Panel { title: name.clone(), series: Vec::new() };
        for (file, record) in runs {
            let (title, values) = record.column(name).ok_or_else(|| {
                format!("--columns: {file} has no column \"{name}\"; it has {}", record.columns().join(", "))
            })?;
            panel.title = title;
            let zero = record.clock_zero.unwrap_or(0.0);
            let inside =
                record.samples.iter().zip(values).filter(|(sample, _)| sample.s >= from && sample.s <= to);
            let points = inside
                .map(|(sample, value)| (if over_time { sample.t - zero } else { sample.s }, value))
                .collect();
            panel.series.push(Series::line(file, points));
        }
        panels.push(panel);
    }
    let across = if over_time { "time since s = 0 [s]" } else { "station [m]" };
    let title = format!("{}: columns of runs; thin uprights are bumper hits", track.name());
    let bands = if over_time { Vec::new() } else { bands(track) };
    let mut sheet = Sheet { title, across: across.to_owned(), panels, columns: 1, panel_height: 260, bands };
    for (file, record) in runs {
        let hits = record.result.hits.iter().filter(|hit| (from..=to).contains(&hit.s));
        let places: Vec<f64> = hits.map(|hit| if over_time { hit.time } else { hit.s }).collect();
        mark_events(&mut sheet, file, &places);
    }
    Ok(sheet)
}

/// A thin upright at every place, in every panel, in the colour of a run.
fn mark_events(sheet: &mut Sheet, name: &str, places: &[f64]) {
    if places.is_empty() {
        return;
    }
    for panel in &mut sheet.panels {
        let points = places.iter().map(|&place| (place, 0.0)).collect();
        panel.series.push(Series { name: name.to_owned(), mark: Mark::Event, points });
    }
}

/// Writes the diagrams; into a folder also the numbers.
fn draw(sheet: &Sheet, answers: &[Answer], out: &Path) -> Result<(), Failure> {
    if out.extension().is_some_and(|ending| ending == "svg" || ending == "png") {
        return sheet.write(out);
    }
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    sheet.write(&out.join("analysis.svg"))?;
    sheet.write(&out.join("analysis.png"))?;
    let text = match answers {
        [one] => serde_json::to_string_pretty(one)?,
        all => serde_json::to_string_pretty(all)?,
    };
    super::scenario::write(&out.join("analysis.json"), &text)
}

/// A value of a point, and what it is.
type Quantity = (&'static str, fn(&Point) -> f64);

const QUANTITIES: [Quantity; 5] = [
    ("Height above the course [m]", |point| point.height),
    ("Place across, left of the course [m]", |point| point.left),
    ("Speed [km/h]", |point| 3.6 * point.speed),
    ("Steering angle, left positive [°]", |point| point.steering.to_degrees()),
    ("Force on the runners over weight", |point| point.load),
];

const DIFFERENCES: [Quantity; 2] = [
    ("Time lost on the reference [s]", |point| point.time),
    ("Speed above the reference [km/h]", |point| 3.6 * point.speed),
];

/// A named line.
type Named<'l> = (&'l str, &'l [Point]);

/// Driven lines over each other, and what they lost on a reference, between two stations.
pub(super) fn sheet(
    title: String,
    lines: &[Named<'_>],
    differences: &[Named<'_>],
    track: &Track,
    (from, to): (f64, f64),
) -> Sheet {
    let inside = |points: &[Point], value: fn(&Point) -> f64| -> Vec<(f64, f64)> {
        let points = points.iter().filter(|point| point.s >= from && point.s <= to);
        points.map(|point| (point.s, value(point))).collect()
    };
    let panel = |(title, value): &Quantity, lines: &[Named<'_>]| Panel {
        title: (*title).to_owned(),
        series: lines.iter().map(|(name, points)| Series::line(name, inside(points, *value))).collect(),
    };
    let mut panels: Vec<Panel> = QUANTITIES.iter().map(|quantity| panel(quantity, lines)).collect();
    if !differences.is_empty() {
        panels.extend(DIFFERENCES.iter().map(|quantity| panel(quantity, differences)));
    }
    Sheet {
        title,
        across: "station [m]".to_owned(),
        panels,
        columns: 1,
        panel_height: 210,
        bands: bands(track),
    }
}

/// Curves, to be shaded.
pub(super) fn bands(track: &Track) -> Vec<(f64, f64, String)> {
    track.curves().map(|curve| (curve.stations.0, curve.stations.1, curve.number.to_string())).collect()
}

/// More than this nobody keeps in mind for the next run.
const MAX_ADVICE: usize = 5;

fn print_text(answer: &Answer) -> Result<(), Failure> {
    let result = &answer.result;
    let end = match (result.time, result.crash) {
        (Some(time), _) => format!("{time:.3} s"),
        (None, Some(crash)) => {
            format!("crash at {:.0} m after {:.2} s ({})", crash.s, crash.time, in_words(crash.cause))
        }
        (None, None) => format!("did not finish, came to {:.0} m", result.rest),
    };
    print_line(&format!("{} on {}: {end}", answer.run, answer.track))?;
    print_line(
        "\ncurve                        entry                          exit                  time   highest      arcs  load",
    )?;
    print_line(
        "                    height  outside     speed     height  outside     speed         s   m at s            g",
    )?;
    for curve in &answer.curves {
        let gate = |gate: &prall_bob::analysis::Gate| {
            format!("{:>6.2} m {:>+6.2} m {:>6.1} km/h", gate.height, gate.outside, 3.6 * gate.speed)
        };
        let title = format!("{:>2} {} {}", curve.number, &curve.side[..1].to_uppercase(), curve.name);
        let other = answer.reference_curves.iter().find(|other| other.number == curve.number);
        let lost = other.map_or(String::new(), |other| format!("  {:>+7.3} s", curve.time - other.time));
        print_line(&format!(
            "{title:<17} {} {}   {:>6.3}  {:>4.2} at {:>4.0} {:>4}  {:>4.2}{lost}",
            gate(&curve.entry),
            gate(&curve.exit),
            curve.time,
            curve.highest,
            curve.highest_at,
            curve.arcs,
            curve.largest_load
        ))?;
    }
    if !result.hits.is_empty() {
        print_line(
            "\nbumper hits      s      time   side    bumper               on       speed before   speed lost",
        )?;
    }
    for hit in &result.hits {
        let side = if hit.side == HitSide::Left { "left" } else { "right" };
        let ground = match hit.ground {
            Ground::Ice => "ice",
            Ground::Boards => "boards",
            Ground::Net => "net",
        };
        print_line(&format!(
            "         {:>7.1} m  {:>6.2} s   {side:<6}  {:<20} {ground:<8} {:>6.2} m/s   {:>9.3} m/s",
            hit.s, hit.time, hit.bumper, hit.normal_speed, hit.lost
        ))?;
    }
    if let (Some(reference), Some(last)) = (&answer.reference, answer.differences.last()) {
        let best = answer.differences.iter().min_by(|a, b| a.time.total_cmp(&b.time)).unwrap_or(last);
        let worst = answer.differences.iter().max_by(|a, b| a.time.total_cmp(&b.time)).unwrap_or(last);
        print_line(&format!(
            "\nagainst {reference}: {:+.3} s at {:.0} m; best {:+.3} s at {:.0} m, worst {:+.3} s at {:.0} m",
            last.time, last.s, best.time, best.s, worst.time, worst.s
        ))?;
    }
    for advice in answer.coach.iter().take(MAX_ADVICE) {
        print_line(&advice.in_words())?;
    }
    Ok(())
}
