//! `prall bob analyse`: the driven line of a run, curve by curve, and against another run's. `prall bob convert`: run files to XML and back.

use super::chart::{Panel, Series, Sheet};
use super::run::{in_words, save};
use super::scenario::read;
use crate::command::{Failure, print_line, print_result};
use prall_bob::analysis::{CurveReport, Line, Point, SPACING};
use prall_bob::record::Record;
use prall_bob::run::RunResult;
use prall_bob::track::Track;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A run file, or one as XML
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Another one of the same track to compare it with
    #[arg(value_name = "REFERENCE")]
    reference: Option<PathBuf>,
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
    /// A run file, or one as XML
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Where to write it: XML if the name ends in .xml, otherwise a run file
    #[arg(value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn convert(arguments: &ConvertArguments) -> Result<(), Failure> {
    save(&arguments.out, &load(&arguments.run)?)
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
}

/// Reads either kind of run file.
pub(super) fn load(path: &Path) -> Result<Record, Failure> {
    let (name, text) = (path.display().to_string(), read(path)?);
    let is_xml = path.extension().is_some_and(|ending| ending == "xml");
    Ok(if is_xml { Record::read_xml(&name, &text)? } else { Record::read(&name, &text)? })
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let record = load(&arguments.run)?;
    let name = arguments.track.as_ref().unwrap_or(&record.about.track);
    let track = super::track::open(name, &record.about.profile)?;
    let line = line(&arguments.run, &record, &track)?;
    let mut answer = Answer {
        run: arguments.run.display().to_string(),
        reference: None,
        track: track.name().to_owned(),
        curves: line.curves(&track),
        reference_curves: Vec::new(),
        line: line.points.clone(),
        differences: Vec::new(),
        result: record.result,
    };
    let mut other = None;
    if let Some(path) = &arguments.reference {
        let reference = load(path)?;
        if reference.about.track != record.about.track {
            let (one, two) = (&record.about.track, &reference.about.track);
            return Err(format!("the runs are of two tracks: {one} and {two}").into());
        }
        let reference = self::line(path, &reference, &track)?;
        answer.differences = line.less(&reference).map_err(|error| error.to_string())?;
        answer.reference_curves = reference.curves(&track);
        answer.reference = Some(path.display().to_string());
        other = Some(reference);
    }
    if let Some(out) = &arguments.out {
        draw(arguments, &answer, other.as_ref(), &track, out)?;
    }
    print_result(&answer, arguments.json, print_text)
}

fn line(path: &Path, record: &Record, track: &Track) -> Result<Line, Failure> {
    Line::new(record, track.finish(), SPACING).map_err(|error| format!("{}: {error}", path.display()).into())
}

fn draw(
    arguments: &Arguments,
    answer: &Answer,
    reference: Option<&Line>,
    track: &Track,
    out: &Path,
) -> Result<(), Failure> {
    let to = arguments.to.unwrap_or(track.finish());
    let run = (answer.run.as_str(), answer.line.as_slice());
    let reference = reference.zip(answer.reference.as_deref());
    let reference = reference.map(|(line, name)| (name, line.points.as_slice()));
    let title = format!("{}: the driven line", answer.track);
    let sheet = sheet(title, run, reference, &answer.differences, track, (arguments.from, to));
    if out.extension().is_some_and(|ending| ending == "svg" || ending == "png") {
        return sheet.write(out);
    }
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    sheet.write(&out.join("analysis.svg"))?;
    sheet.write(&out.join("analysis.png"))?;
    super::scenario::write(&out.join("analysis.json"), &serde_json::to_string_pretty(answer)?)
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

/// A run's line, beside a reference if there is one, between two stations.
pub(super) fn sheet(
    title: String,
    run: Named<'_>,
    reference: Option<Named<'_>>,
    differences: &[Point],
    track: &Track,
    (from, to): (f64, f64),
) -> Sheet {
    let inside = |points: &[Point], value: fn(&Point) -> f64| -> Vec<(f64, f64)> {
        let points = points.iter().filter(|point| point.s >= from && point.s <= to);
        points.map(|point| (point.s, value(point))).collect()
    };
    let lines: Vec<Named<'_>> = [Some(run), reference].into_iter().flatten().collect();
    let mut panels: Vec<Panel> = QUANTITIES
        .iter()
        .map(|(title, value)| Panel {
            title: (*title).to_owned(),
            series: lines.iter().map(|(name, points)| Series::line(name, inside(points, *value))).collect(),
        })
        .collect();
    if reference.is_some() {
        panels.extend(DIFFERENCES.iter().map(|(title, value)| Panel {
            title: (*title).to_owned(),
            series: vec![Series::line(run.0, inside(differences, *value))],
        }));
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
    Ok(())
}
