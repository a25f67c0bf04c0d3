//! `prall plan`: a way for a part from here to there, or out.

use super::assembly::{FileUnits, read_named_meshes, threads};
use super::{Failure, Verdict, motion_file, print_line, print_result};
use glam::{DQuat, DVec3};
use indicatif::{ProgressBar, ProgressStyle};
use prall_detection::{Preparation, Waypoint};
use prall_geometry::SelfIntersectingFaces::Refuse;
use prall_geometry::{Compound, Mesh, Shape, TriangleMesh};
use prall_handling::{HandlingOptions, Held, Obstacle, PlanGoal, PlanProgress, Planner};
use prall_math::Pose;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Mesh file of the part that moves; all of its parts move together
    part: PathBuf,
    /// Mesh files of what stands around it
    #[arg(required = true)]
    environment: Vec<PathBuf>,
    /// Where the part begins: x,y,z or x,y,z,qx,qy,qz,qw, in metres with y up
    #[arg(long, value_name = "POSE", default_value = "0,0,0", allow_hyphen_values = true)]
    from: String,
    /// Where it shall go: a pose, or `out` for anywhere beyond the bounds of the environment
    #[arg(long, value_name = "POSE|out", default_value = "out", allow_hyphen_values = true)]
    to: String,
    /// The motion that was found, as CSV for `prall check --motion`
    #[arg(long, value_name = "FILE")]
    motion: Option<PathBuf>,
    /// Other seeds look in other places first; equal seeds find equal ways
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Give up after this many seconds; the answer is then unfinished
    #[arg(long, default_value_t = 60.0, value_name = "S", allow_negative_numbers = true)]
    seconds: f64,
    /// Give up after this many steps of the filter
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Gap in metres at which the part slides along what it meets; passages narrower than twice this are closed
    #[arg(long, default_value_t = 10e-6, value_name = "D", allow_negative_numbers = true)]
    guard: f64,
    /// Folder in which what is built over large meshes is kept for the next time
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
    #[command(flatten)]
    units: FileUnits,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Speed in m/s at which motions are written, turns at the radius of gyration.
const SPEED: f64 = 0.1;

#[derive(Serialize)]
struct Answer {
    /// `found` or `unfinished`.
    verdict: &'static str,
    seed: u64,
    /// Steps of the filter that the search took.
    steps: u64,
    /// Poses that were reached from the start, and from the goal.
    nodes: [usize; 2],
    /// Pieces of the motion, of which each is proven free.
    pieces: Option<usize>,
    /// Way of the middle of the part, in m.
    length: Option<f64>,
    /// Where the motion ends: position and quaternion.
    end: Option<[f64; 7]>,
}

pub(super) fn execute(arguments: &Arguments) -> Result<Verdict, Failure> {
    let begin = Instant::now();
    let limit = Duration::try_from_secs_f64(arguments.seconds)
        .map_err(|_| format!("--seconds must be 0 or a positive number, not {}", arguments.seconds))?;
    let from = pose("--from", &arguments.from)?;
    let goal = match arguments.to.trim() {
        "out" => PlanGoal::Out,
        text => PlanGoal::Pose(pose("--to", text)?),
    };
    let pool = threads()?;
    let moving = read_named_meshes(std::slice::from_ref(&arguments.part), arguments.units, Refuse)?;
    let environment = read_named_meshes(&arguments.environment, arguments.units, Refuse)?;
    let preparation = Preparation { pool: Some(&pool), folder: arguments.cache.as_deref() };
    let obstacles = environment
        .iter()
        .map(|part| Ok(Obstacle::prepared(&part.0, &shape(part)?, Pose::IDENTITY, &preparation)?))
        .collect::<Result<Vec<Obstacle>, Failure>>()?;
    let options = HandlingOptions { guard: arguments.guard, ..HandlingOptions::default() };
    let held = Held::new(&one_body(&moving)?, from, obstacles, options)?;
    let (reference, gyration) = (held.reference(), held.gyration());
    let mut planner = Planner::new(held, goal, arguments.seed)?;

    let bar = ProgressBar::new_spinner()
        .with_style(ProgressStyle::with_template("plan {spinner} {msg}").expect("a literal that was tried"));
    let most_steps = arguments.steps.unwrap_or(u64::MAX);
    planner.search(|progress| {
        bar.set_message(sentence(progress));
        bar.tick();
        begin.elapsed() < limit && progress.steps < most_steps
    })?;
    bar.set_message("shortening");
    let path = planner.path()?;
    bar.finish_and_clear();

    if let (Some(file), Some(path)) = (&arguments.motion, &path) {
        crate::output::write(file, motion_file::write(&timed(path, reference, gyration)))?;
    }
    let progress = planner.progress();
    let length = |path: &Vec<Pose>| -> f64 {
        path.windows(2)
            .map(|ends| (ends[1].transform_point(reference) - ends[0].transform_point(reference)).length())
            .sum()
    };
    let answer = Answer {
        verdict: if path.is_some() { "found" } else { "unfinished" },
        seed: arguments.seed,
        steps: progress.steps,
        nodes: progress.nodes,
        pieces: path.as_ref().map(|path| path.len() - 1),
        length: path.as_ref().map(length),
        end: path.as_ref().and_then(|path| path.last()).map(numbers),
    };
    print_result(&answer, arguments.json, |answer| print_answer(answer, arguments))?;
    Ok(if path.is_some() { Verdict::Free } else { Verdict::Undecided })
}

fn sentence(progress: &PlanProgress) -> String {
    let [from_start, from_goal] = progress.nodes;
    let nearest = if progress.nearest.is_finite() {
        format!(", {:.1} mm apart", 1e3 * progress.nearest)
    } else {
        String::new()
    };
    format!("{} steps, {from_start} poses from the start, {from_goal} from the goal{nearest}", progress.steps)
}

/// A pose as it is written on the command line.
fn pose(option: &str, text: &str) -> Result<Pose, Failure> {
    let wrong = |problem: String| {
        format!("{option}: {problem}; write x,y,z or x,y,z,qx,qy,qz,qw, in metres with y up")
    };
    let numbers = text
        .split(',')
        .map(|number| match number.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(wrong(format!("'{}' is not a finite number", number.trim()))),
        })
        .collect::<Result<Vec<f64>, String>>()?;
    let (place, rotation) = match numbers[..] {
        [x, y, z] => (DVec3::new(x, y, z), DQuat::IDENTITY),
        [x, y, z, qx, qy, qz, qw] => (DVec3::new(x, y, z), DQuat::from_xyzw(qx, qy, qz, qw)),
        _ => return Err(wrong(format!("{} values instead of 3 or 7", numbers.len())).into()),
    };
    if (rotation.length() - 1.0).abs() > motion_file::UNIT_LENGTH {
        return Err(wrong(format!("the quaternion has length {}, not 1", rotation.length())).into());
    }
    Ok(Pose::new(rotation.normalize(), place))
}

fn shape((name, mesh): &(String, Arc<Mesh>)) -> Result<Shape, Failure> {
    let mesh = TriangleMesh::new(Arc::clone(mesh)).map_err(|error| format!("part '{name}': {error}"))?;
    Ok(Shape::TriangleMesh(Arc::new(mesh)))
}

/// All parts of the moving file as one.
fn one_body(parts: &[(String, Arc<Mesh>)]) -> Result<Shape, Failure> {
    if let [single] = parts {
        return shape(single);
    }
    let children = parts
        .iter()
        .map(|part| Ok((Pose::IDENTITY, shape(part)?)))
        .collect::<Result<Vec<(Pose, Shape)>, Failure>>()?;
    Ok(Shape::Compound(Arc::new(Compound::new(children)?)))
}

/// Poses with times, at an even speed.
fn timed(path: &[Pose], reference: DVec3, gyration: f64) -> Vec<Waypoint> {
    let mut time = 0.0;
    let mut waypoints = vec![Waypoint { time, pose: path[0] }];
    for ends in path.windows(2) {
        let shift = (ends[1].transform_point(reference) - ends[0].transform_point(reference)).length();
        let turn = gyration * ends[1].rotation.angle_between(ends[0].rotation);
        // Times must grow, also where a piece is shorter than can be told.
        time += (libm::hypot(shift, turn) / SPEED).max(1e-6);
        waypoints.push(Waypoint { time, pose: ends[1] });
    }
    waypoints
}

fn numbers(pose: &Pose) -> [f64; 7] {
    let ([x, y, z], [a, b, c, w]) = (pose.translation.to_array(), pose.rotation.to_array());
    [x, y, z, a, b, c, w]
}

fn print_answer(answer: &Answer, arguments: &Arguments) -> Result<(), Failure> {
    let Answer { steps, nodes: [from_start, from_goal], .. } = answer;
    match (answer.pieces, answer.length) {
        (Some(pieces), Some(length)) => {
            print_line(&format!(
                "found: {pieces} pieces, {length:.4} m, each piece proven free ({steps} steps of the filter)"
            ))?;
            match &arguments.motion {
                Some(file) => print_line(&format!("written to {}", file.display())),
                None => print_line("not written; give --motion FILE"),
            }
        }
        _ => print_line(&format!(
            "unfinished: no way in {steps} steps, {from_start} poses from the start and {from_goal} from the goal; \
             allow more with --seconds, try another --seed, or a smaller --guard"
        )),
    }
}
