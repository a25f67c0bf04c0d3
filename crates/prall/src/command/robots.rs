//! `prall robots`: which robots of a folder load, which do not, and why.

use super::packages::Packages;
use super::{Failure, Verdict, print_line, print_result};
use prall_scenes::{Budget, FileScene, Input, Simulation};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Folder of robots in URDF, searched to the bottom
    folder: PathBuf,
    /// Also run every robot for this many simulated seconds and report how fast that was
    #[arg(long, value_name = "S", default_value_t = 0.0, allow_negative_numbers = true)]
    seconds: f64,
    #[command(flatten)]
    packages: Packages,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

/// Longest run that may be asked for, in s.
const MAX_SECONDS: f64 = 3600.0;

/// What was asked about a folder of robots.
#[derive(Serialize)]
struct Answer {
    robots: Vec<Robot>,
    loaded: usize,
    /// How many of these were read without meshes that are not there.
    without_meshes: usize,
    /// How many files are whole: all but those that miss something, or that no reader can make sense of.
    whole: usize,
    /// How many failed, by reason.
    failed: BTreeMap<&'static str, usize>,
}

/// One robot's file.
#[derive(Serialize)]
struct Robot {
    file: String,
    joints: usize,
    /// Simulated by real seconds; none if it was not run.
    real_time_factor: Option<f64>,
    /// How many of its meshes are not there.
    missing_meshes: usize,
    /// What was passed over, or put in place of what its file lacks.
    notes: Vec<String>,
    /// Null if it loaded.
    reason: Option<&'static str>,
    message: Option<String>,
}

pub(super) fn execute(arguments: &Arguments) -> Result<Verdict, Failure> {
    if !(0.0..=MAX_SECONDS).contains(&arguments.seconds) {
        let seconds = arguments.seconds;
        return Err(format!("--seconds must be a number from 0 to {MAX_SECONDS}, not {seconds}").into());
    }
    arguments.packages.declare();
    let folder = &arguments.folder;
    let files = crate::benchmark::files_below(folder, &["urdf"])
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    if files.is_empty() {
        return Err(format!("no file in {} ends in .urdf", folder.display()).into());
    }
    let name = |path: &Path| path.strip_prefix(folder).unwrap_or(path).display().to_string();
    let robots: Vec<Robot> =
        files.iter().map(|path| try_robot(path, name(path), arguments.seconds)).collect();
    let mut failed = BTreeMap::new();
    for reason in robots.iter().filter_map(|robot| robot.reason) {
        *failed.entry(reason).or_default() += 1;
    }
    let loaded = robots.iter().filter(|robot| robot.reason.is_none()).count();
    let broken = robots.iter().filter_map(|robot| robot.reason).filter(|reason| is_broken(reason)).count();
    let without_meshes = robots.iter().filter(|robot| robot.missing_meshes > 0).count();
    let whole = robots.len() - broken - without_meshes;
    let answer = Answer { robots, loaded, without_meshes, whole, failed };
    print_result(&answer, arguments.json, print_answer)?;
    Ok(if answer.failed.is_empty() { Verdict::Free } else { Verdict::Contact })
}

fn try_robot(path: &Path, file: String, seconds: f64) -> Robot {
    let failed = |reason, message| Robot {
        file: file.clone(),
        joints: 0,
        real_time_factor: None,
        missing_meshes: 0,
        notes: Vec::new(),
        reason: Some(reason),
        message: Some(message),
    };
    match FileScene::read(path) {
        Err(error) => {
            let message = error.to_string();
            failed(reason(&message), message)
        }
        Ok(read) => {
            let mut scene = read.build();
            let factor = (seconds > 0.0).then(|| real_time_factor(scene.as_mut(), seconds));
            if !scene.is_finite() {
                return failed("motion that is no number", format!("{file}: the motion is not finite"));
            }
            Robot {
                file,
                joints: scene.joint_count(),
                real_time_factor: factor,
                missing_meshes: read.missing_meshes(),
                notes: read.notes().to_vec(),
                reason: None,
                message: None,
            }
        }
    }
}

fn real_time_factor(scene: &mut dyn Simulation, seconds: f64) -> f64 {
    let steps = (seconds / scene.time_step()).ceil();
    let start = Instant::now();
    for _ in 0..steps as usize {
        scene.step(&Input::default(), &mut Budget::unlimited());
    }
    steps * scene.time_step() / start.elapsed().as_secs_f64()
}

/// Words of a message, the reason that they stand for, and whether that is the file's own: it lacks something, or contradicts itself. The first that
/// fits counts.
const REASONS: [(&str, &str, bool); 17] = [
    ("read with these notes", "something to note", true),
    ("several files of its name", "mesh in several places", true),
    ("pointer of Git LFS", "mesh file missing", true),
    ("is xacro", "xacro, not expanded", true),
    ("there is no <link>", "no link", true),
    ("package '", "mesh not found by its package", true),
    ("No such file", "mesh file missing", true),
    ("cannot be read", "unreadable file", true),
    ("no URDF", "broken URDF", true),
    ("circle of joints", "loop of joints", true),
    ("which is not there", "name of nothing", true),
    ("there are two", "name used twice", true),
    ("hangs on two joints", "link on two joints", true),
    ("not read", "unread mesh format", false),
    ("not a known format", "unread mesh format", false),
    ("no extension to tell", "unread mesh format", false),
    ("mesh '", "flawed mesh file", false),
];

fn reason(message: &str) -> &'static str {
    REASONS
        .iter()
        .find(|(words, ..)| message.contains(words))
        .map_or("another reason", |(_, reason, _)| reason)
}

fn is_broken(reason: &str) -> bool {
    REASONS.iter().any(|(_, known, broken)| *known == reason && *broken)
}

fn print_answer(answer: &Answer) -> Result<(), Failure> {
    for robot in answer.robots.iter().filter(|robot| robot.reason.is_some()) {
        print_line(&format!(
            "{}: {}",
            robot.reason.unwrap_or_default(),
            robot.message.as_deref().unwrap_or_default()
        ))?;
    }
    for robot in answer.robots.iter().filter(|robot| robot.missing_meshes > 0) {
        print_line(&format!("{}: {} meshes are not there", robot.file, robot.missing_meshes))?;
    }
    let (all, loaded, whole, without) =
        (answer.robots.len(), answer.loaded, answer.whole, answer.without_meshes);
    let percent = |part: usize, of: usize| if of == 0 { 0.0 } else { 100.0 * part as f64 / of as f64 };
    let share = percent(loaded, all);
    print_line(&format!("{loaded} of {all} robots loaded ({share:.1} %), {without} of them without meshes"))?;
    let (entire, share) = (loaded - without, percent(loaded - without, whole));
    print_line(&format!("{entire} of the {whole} whose files are whole ({share:.1} %)"))?;
    let noted = answer.robots.iter().filter(|robot| !robot.notes.is_empty()).count();
    print_line(&format!("{noted} with something passed over or put in place (--json lists it)"))?;
    for (reason, count) in &answer.failed {
        print_line(&format!("{count:6}  {reason}"))?;
    }
    let timed = answer.robots.iter().filter_map(|robot| Some((robot.real_time_factor?, robot)));
    if let Some((factor, robot)) = timed.min_by(|(s, _), (t, _)| s.total_cmp(t)) {
        let (file, joints) = (&robot.file, robot.joints);
        print_line(&format!("slowest: {file}, {joints} joints, {factor:.1} times real time"))?;
    }
    Ok(())
}
