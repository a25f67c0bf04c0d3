//! `prall bob analyse`: the driven line of a run, curve by curve, and against another run's. `prall bob convert`: run files to XML and back.

use super::chart::{Panel, Series, Sheet};
use super::run::{in_words, save};
use super::run_file::load;
use crate::command::{Failure, print_line, print_result};
use prall_bob::analysis::{Advice, CurveReport, Driven, Line, Point, SPACING, coach};
use prall_bob::record::Record;
use prall_bob::run::RunResult;
use prall_bob::track::Track;
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
    /// The track, where it is not found under the name in the run file
    #[arg(long, value_name = "FILE")]
    track: Option<String>,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

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
    let mut answers = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let record = if index == 0 { first.clone() } else { load(path)? };
        let (result, driven) = driven(path, record, &first, &track)?;
        answers.push(answer(path, result, &driven, reference.as_ref(), &track)?);
    }
    if let Some(out) = &arguments.out {
        draw(arguments, &answers, reference.as_ref(), &track, out)?;
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

fn draw(
    arguments: &Arguments,
    answers: &[Answer],
    reference: Option<&(String, Driven)>,
    track: &Track,
    out: &Path,
) -> Result<(), Failure> {
    let to = arguments.to.unwrap_or(track.finish());
    let runs = answers.iter().map(|answer| (answer.run.as_str(), answer.line.as_slice()));
    let reference = reference.map(|(name, driven)| (name.as_str(), driven.line.points.as_slice()));
    let lines: Vec<Named<'_>> = runs.chain(reference).collect();
    let differences = answers.iter().filter(|answer| !answer.differences.is_empty());
    let differences: Vec<Named<'_>> =
        differences.map(|answer| (answer.run.as_str(), answer.differences.as_slice())).collect();
    let title = format!("{}: the driven line", track.name());
    let sheet = sheet(title, &lines, &differences, track, (arguments.from, to));
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
