//! `prall run`.

use super::{Failure, print_line, print_result};
use crate::appearance::Appearance;
use crate::headless::{self, DEFAULT_SECONDS, Options, Summary};
use crate::recording::{Description, Recorder};
use crate::server::{Entry, Gallery, Item};
use indicatif::{ProgressBar, ProgressStyle};
use prall_scenes::Simulation;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A scene by name (`prall scenes` lists them) or a scene file: TOML, URDF, or a JSON of Rigid IPC
    scene: String,
    /// Simulated seconds; by default as many as the scene file asks for, or 10
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// Solver by name
    #[arg(long, value_name = "NAME")]
    solver: Option<String>,
    /// Change a parameter of the scene; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<(String, f64)>,
    /// Most time that a step may take, in milliseconds
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    budget: Option<f64>,
    /// Workers of the simulation, by default one for each core; the result is the same with any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Let the auditor, which shares no code with detection and solvers, judge the poses during the run
    #[arg(long)]
    audit: bool,
    /// Record the run to a new file
    #[arg(long, value_name = "FILE.mcap")]
    record: Option<PathBuf>,
    #[command(flatten)]
    packages: super::packages::Packages,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// Endings of scene files.
const SCENE_FILES: [&str; 3] = ["toml", "urdf", "json"];

fn setting(text: &str) -> Result<(String, f64), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE, for example restitution=0.9")?;
    let value = value.trim().parse().map_err(|_| format!("'{value}' is not a number"))?;
    Ok((key.trim().to_owned(), value))
}

pub(super) fn execute(arguments: &Arguments) -> Result<(), Failure> {
    arguments.packages.declare();
    let (item, duration) = if is_file(&arguments.scene) {
        let entry = Entry::of_file(Path::new(&arguments.scene))?;
        let name = entry.name.clone();
        let item = Gallery::default().with(entry).find(&name)?;
        item.file_scene().iter().for_each(print_notes);
        let duration = item.file_scene().and_then(|scene| scene.duration());
        (item, duration)
    } else {
        (Gallery::standard().find(&arguments.scene)?, None)
    };
    let mut simulation = item.build();
    if let Some(name) = &arguments.solver {
        simulation.select_solver(name)?;
    }
    for (key, value) in &arguments.settings {
        simulation.set(key, *value)?;
    }
    simulation.reset();
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.map_or(0, usize::from)).build()?;
    simulation.use_pool(&Arc::new(pool));
    let seconds = arguments.seconds.or(duration).unwrap_or(DEFAULT_SECONDS);
    let options = Options { seconds, budget: budget(arguments.budget)?, audit: arguments.audit };
    let steps = options.steps(simulation.time_step())?;
    // Hidden by itself where standard error is no terminal.
    let bar = ProgressBar::new(steps).with_style(
        ProgressStyle::with_template("{msg} {wide_bar} {percent} %  {eta} left")
            .expect("the template is a literal that was tried"),
    );
    bar.set_message(arguments.scene.clone());
    let recorder = match &arguments.record {
        Some(path) => Some(begin_recording(&item, simulation.as_ref(), path)?),
        None => None,
    };
    let (summary, cut) = headless::run(&arguments.scene, simulation.as_mut(), &options, recorder, |step| {
        bar.set_position(step);
    })?;
    bar.finish_and_clear();
    print_result(&summary, arguments.json, print_summary)?;
    match cut {
        Some(cut) => Err(format!("the recording has ended, since it cannot be written: {cut}").into()),
        None => Ok(()),
    }
}

/// Scene files are known by their endings; names of scenes have none.
fn is_file(scene: &str) -> bool {
    let ending = Path::new(scene).extension();
    ending.is_some_and(|ending| SCENE_FILES.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// Says on standard error what a person should know about a scene file.
pub(super) fn print_notes(scene: &prall_scenes::FileScene) {
    for note in scene.notes() {
        super::print_error(&format!("note: {note}"));
    }
}

fn begin_recording(item: &Item, simulation: &dyn Simulation, path: &Path) -> Result<Recorder, Failure> {
    let description = Description::of(item.to_json(), simulation).with_file(item.file_scene());
    let appearance = Appearance::of(simulation.assets());
    Recorder::create(path, &description, simulation, &appearance).map_err(|error| {
        let reason = match &error {
            mcap::McapError::Io(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                "it is there already; choose another name".to_owned()
            }
            mcap::McapError::Io(error) => error.to_string(),
            error => error.to_string(),
        };
        format!("cannot record to {}: {reason}", path.display()).into()
    })
}

fn budget(milliseconds: Option<f64>) -> Result<Option<Duration>, Failure> {
    match milliseconds {
        None => Ok(None),
        Some(ms) if ms > 0.0 && ms.is_finite() => Ok(Some(Duration::from_secs_f64(ms / 1000.0))),
        Some(ms) => Err(format!("--budget must be a positive number of milliseconds, not {ms}").into()),
    }
}

fn print_summary(s: &Summary) -> Result<(), Failure> {
    let mut rows = vec![
        ("scene", s.scene.clone()),
        ("solver", s.solver.clone()),
        ("simulated", format!("{:.3} s in {} steps", s.seconds_simulated, s.steps)),
        (
            "time per step",
            format!("{:.4} ms mean, {:.4} p99, {:.4} largest", s.step_ms.mean, s.step_ms.p99, s.step_ms.max),
        ),
        ("real-time factor", format!("{:.0}", s.real_time_factor)),
        ("bodies, joints", format!("{}, {}", s.bodies, s.joints)),
        ("contacts", format!("{:.2} mean, {} most", s.contacts_mean, s.contacts_max)),
        ("collisions", format!("{:.2} mean, {} most in a step", s.collisions_mean, s.collisions_max)),
        ("sweeps", format!("{:.2} mean, {} most", s.sweeps_mean, s.sweeps_max)),
        ("solving", format!("{:.4} ms mean, {:.4} largest", s.solve_ms_mean, s.solve_ms_max)),
        ("position error", format!("{:.3e} m", s.position_error_max)),
        ("velocity error", format!("{:.3e} m/s", s.velocity_error_max)),
        ("energy", format!("{:.6} J at the start, {:.6} J at the end", s.energy_start, s.energy_end)),
        (
            "account",
            format!(
                "{:.1e} J gained in a step without work, {:.1e} J unexplained, {:.1e} J taken back",
                s.energy_gained_max, s.energy_unexplained_max, s.energy_clamped
            ),
        ),
        ("state hash", s.state_hash.clone()),
    ];
    if let Some(audit) = &s.audit {
        rows.push((
            "audited",
            format!(
                "{} times: deepest overlap {:.3e} m ({:.3e} at the end), 99th percentile {:.3e} m, {} pairs at most",
                audit.audits, audit.penetration_max, audit.penetration_end, audit.penetration_p99, audit.overlaps_max
            ),
        ));
    }
    if s.lost_time > 0.0 {
        rows.push((
            "lost time",
            format!("{:.6} s: the budget ended, or somebody stood in the way", s.lost_time),
        ));
    }
    if !s.finite {
        rows.push(("not finite", "the state is no longer a number; the run ended there".to_owned()));
    }
    for (label, text) in rows {
        print_line(&format!("{label:16}  {text}"))?;
    }
    Ok(())
}
