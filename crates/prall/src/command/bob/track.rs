//! `prall bob track`: from a text file to a track, its mesh and its drawing.

use super::safety::{Safety, SafetyArguments};
use crate::command::{Failure, print_line, print_result};
use glam::DAffine3;
use prall_bob::track::{Fit, Ice, MeshIce, PointMassRun, PointMassStart, Side, Tessellation, Track};
use prall_geometry::files::{Model, Node, write_model};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A track file, or a track by name: whistler-like, sochi-like, meadow-run
    #[arg(value_name = "FILE")]
    track: String,
    /// Height profile of the file
    #[arg(long, default_value = "standard", value_name = "NAME")]
    profile: String,
    /// Write the mesh, ice and borders as two parts; the ending (glb, obj, stl, ply) says how
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw plan, height, bank and curvature as SVG
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Say how far a mesh, a scan or another program's track, lies from the exact ice; `prall bob run --mesh` drives on it
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// Cut the surface as published: every part of a section into 5, every interval into 3
    #[arg(long)]
    published_mesh: bool,
    /// Write the text of a track that comes with Prall, to begin an own one from
    #[arg(long, value_name = "FILE")]
    copy_to: Option<PathBuf>,
    #[command(flatten)]
    safety: SafetyArguments,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    track: String,
    description: String,
    length: f64,
    drop: f64,
    steepest: f64,
    curves: Vec<CurveLine>,
    splits: Vec<Split>,
    top_speed: f64,
    largest_load: f64,
    triangles: Option<usize>,
    /// Distance between the mesh that was written, ice without borders, and the exact ice.
    written: Option<Fit>,
    /// The same of the mesh that was given.
    given: Option<Fit>,
    /// What many runs saw, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    safety: Option<Safety>,
}

#[derive(Serialize)]
struct CurveLine {
    number: usize,
    name: String,
    side: &'static str,
    begin: f64,
    end: f64,
    radius: f64,
    /// Turned through, in degrees.
    turn: f64,
    /// Speed of a point mass in its middle, in m/s.
    speed: f64,
    /// Its force on the ice there over weight.
    load: f64,
    /// Height of the wall in m.
    wall: f64,
}

#[derive(Serialize)]
struct Split {
    s: f64,
    time: f64,
    /// Published, where there is one.
    reference: Option<f64>,
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    let track = open(&arguments.track, &arguments.profile)?;
    if let Some(path) = &arguments.copy_to {
        let text = Track::known_text(&arguments.track).ok_or(
            "--copy-to copies a track that comes with Prall: whistler-like, sochi-like or meadow-run",
        )?;
        write(path, text.as_bytes())?;
    }
    let (mut triangles, mut written) = (None, None);
    let ice = (arguments.out.is_some() || arguments.mesh.is_some()).then(|| Ice::new(&track));
    if let Some(path) = &arguments.out {
        let mesh = if arguments.published_mesh {
            track.published_mesh()
        } else {
            track.mesh(&Tessellation::default())
        };
        triangles = Some(mesh.ice.face_count() + mesh.borders.face_count());
        written = ice.as_ref().map(|ice| MeshIce::new(&mesh.ice)?.fit(ice)).transpose()?;
        let mut model = Model::new();
        for (name, soup) in [("ice", mesh.ice), ("borders", mesh.borders)] {
            let soup = model.push_soup(soup);
            model.push_node(Node {
                name: name.to_owned(),
                parent: None,
                transform: DAffine3::IDENTITY,
                soups: vec![soup],
            })?;
        }
        crate::output::write_by(path, |path| write_model(path, &model))?;
    }
    if let Some(path) = &arguments.plan {
        write(path, track.drawing().as_bytes())?;
    }
    let given = match (&arguments.mesh, &ice) {
        (Some(path), Some(ice)) => Some(super::scenario::open_mesh(path, ice)?.1),
        _ => None,
    };
    let safety = arguments.safety.judge(&arguments.track, &arguments.profile, arguments.json)?;
    let answer = Answer { triangles, written, given, safety, ..answer(&track) };
    print_result(&answer, arguments.json, print_text)
}

/// A track by its name, or from a file.
pub(super) fn open(track: &str, profile: &str) -> Result<Track, Failure> {
    if Track::known_text(track).is_some() {
        return Ok(Track::open(track, profile)?);
    }
    let text = std::fs::read_to_string(track).map_err(|error| {
        let known: Vec<&str> = Track::known().collect();
        format!("{track}: {error}; it is neither a file nor one of the tracks {}", known.join(", "))
    })?;
    Ok(Track::read_with_profile(track, &text, profile)?)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Ok(crate::output::write(path, bytes)?)
}

fn answer(track: &Track) -> Answer {
    let run = PointMassRun::new(track, PointMassStart::Flying(track.start().v0), track.point_mass().mu);
    let finish = track.finish();
    let steepest = (0..=finish as u32).map(|s| -track.height().point(f64::from(s)).slope).fold(0.0, f64::max);
    let curves = track.curves().map(|curve| {
        let (begin, end) = curve.stations;
        let middle = run.at(0.5 * (begin + end));
        CurveLine {
            number: curve.number,
            name: curve.name,
            side: if curve.side == Side::Left { "left" } else { "right" },
            begin,
            end,
            radius: curve.radius,
            turn: (track.plan().point(end).heading - track.plan().point(begin).heading).abs().to_degrees(),
            speed: middle.speed,
            load: middle.load,
            wall: track.section(0.5 * (begin + end)).height(),
        }
    });
    let reference = &track.timing().reference;
    let stations = &track.timing().stations;
    let splits = run.splits(stations);
    Answer {
        track: track.name().to_owned(),
        description: track.description().to_owned(),
        length: finish,
        drop: track.height().point(0.0).height - track.height().point(finish).height,
        steepest,
        curves: curves.collect(),
        splits: (0..stations.len())
            .map(|i| Split { s: stations[i], time: splits[i], reference: reference.get(i).copied() })
            .collect(),
        top_speed: run.top_speed(),
        largest_load: run.largest_load(),
        triangles: None,
        written: None,
        given: None,
        safety: None,
    }
}

fn print_text(answer: &Answer) -> Result<(), Failure> {
    print_line(&format!("{}: {}", answer.track, answer.description))?;
    print_line(&format!(
        "{:.0} m, {} curves, drop {:.1} m, steepest {:.1} %",
        answer.length,
        answer.curves.len(),
        answer.drop,
        100.0 * answer.steepest
    ))?;
    if let Some(triangles) = answer.triangles {
        print_line(&format!("mesh of {triangles} triangles"))?;
    }
    for (name, fit) in [("mesh that was written", answer.written), ("mesh that was given", answer.given)] {
        if let Some(fit) = fit {
            print_line(&format!(
                "{name}: at most {:.1} mm from the exact ice, at {:.0} m; {:.2} mm in the mean; covers {:.1} % of it{}",
                1e3 * fit.largest,
                fit.at,
                1e3 * fit.mean,
                100.0 * fit.covered,
                fit.hole.map_or(String::new(), |s| format!(
                    ", from {s:.0} m on not all: there the exact ice carries"
                ))
            ))?;
        }
    }
    print_line("\ncurve                    s [m]     radius   turn   speed     load   wall")?;
    for curve in &answer.curves {
        print_line(&format!(
            "{:>3} {:<14} {} {:>5.0}-{:<5.0} {:>5.0} m  {:>4.0}°  {:>3.0} km/h  {:>4.2} g  {:>4.2} m",
            curve.number,
            curve.name,
            if curve.side == "left" { "L" } else { "R" },
            curve.begin,
            curve.end,
            curve.radius,
            curve.turn,
            3.6 * curve.speed,
            curve.load,
            curve.wall
        ))?;
    }
    print_line("\npoint mass on the track, flying start:")?;
    for split in &answer.splits {
        let reference = split.reference.map_or(String::new(), |time| format!("   published {time:.3} s"));
        print_line(&format!("{:>6.0} m  {:>7.3} s{reference}", split.s, split.time))?;
    }
    print_line(&format!(
        "top speed {:.0} km/h, largest load {:.2} g",
        3.6 * answer.top_speed,
        answer.largest_load
    ))?;
    answer.safety.as_ref().map_or(Ok(()), Safety::print)
}
