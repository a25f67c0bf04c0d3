//! `prall check`: is this path free?

use super::assembly::{FileUnits, NamedPart, read_parts, threads};
use super::picture::TightPlace;
use super::{Failure, Verdict, motion_file, print_line, print_result};
use glam::DVec3;
use indicatif::{ProgressBar, ProgressStyle};
use prall_detection::{
    Batch, Budget, BuildOptions, ContactPoint, Feature, Hierarchy, ImpactOptions, Interpolation, Path,
    PathQuery, ShapePart, all_triangles,
};
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Mesh file of the part that moves; all of its parts move together
    part: PathBuf,
    /// Mesh files of what stands around it
    #[arg(required = true)]
    environment: Vec<PathBuf>,
    /// Poses of the part over time, as CSV with the columns t,x,y,z,qx,qy,qz,qw, in metres with y up
    #[arg(long, value_name = "FILE")]
    motion: PathBuf,
    /// The motion has the units and the axes of the mesh files, as --scale and --up say
    #[arg(long)]
    motion_like_meshes: bool,
    /// Distance in metres that the part must keep
    #[arg(long, default_value_t = 0.0, value_name = "D", allow_negative_numbers = true)]
    clearance: f64,
    /// Find the largest distance that the part keeps on all of the path
    #[arg(long)]
    tighten: bool,
    /// How the part goes from one pose to the next
    #[arg(long, value_enum, default_value_t = Way::Slerp)]
    interpolation: Way,
    /// Give up after this many seconds; the answer may then be undecided
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// Draw the tightest place, as SVG
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    units: FileUnits,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Way {
    /// Straight, turning evenly
    Slerp,
    /// About an axis and along it
    Screw,
}

/// Share of the smallest clearance to which it is enclosed.
const ACCURACY: f64 = 0.01;

#[derive(Serialize)]
struct Answer {
    /// `free`, `contact` or `undecided`.
    verdict: &'static str,
    /// Time of the first pose.
    start: f64,
    /// Proven: up to this time the part keeps more than the clearance.
    free_until: f64,
    end: f64,
    clearance: f64,
    contact: Option<Place>,
    /// The tightest place on the way to `free_until`.
    tightest: Option<Place>,
    /// Proven: on that way the gap is nowhere smaller, in m.
    gap_at_least: Option<f64>,
    /// The largest clearance with which the path is proven free, and one with which it is not, in m; of free paths with `--tighten`.
    largest_clearance: Option<[f64; 2]>,
}

/// Where the part and something else are nearest.
#[derive(Clone, Serialize)]
struct Place {
    time: f64,
    obstacle: String,
    gap: f64,
    point: DVec3,
    normal: DVec3,
    /// What meets, for example `vertex on face`.
    features: String,
}

impl Place {
    fn new(time: f64, obstacle: &str, contact: &ContactPoint) -> Place {
        let name = |feature: Feature| match feature {
            Feature::Vertex { .. } | Feature::Shape { part: ShapePart::Vertex(_), .. } => "vertex",
            Feature::Edge { .. } | Feature::Shape { part: ShapePart::Edge(..), .. } => "edge",
            Feature::Face { .. } | Feature::Shape { part: ShapePart::Face(_), .. } => "face",
        };
        Place {
            time,
            obstacle: obstacle.to_owned(),
            gap: contact.gap,
            point: contact.midpoint(),
            normal: contact.normal,
            features: format!("{} on {}", name(contact.features.on_a), name(contact.features.on_b)),
        }
    }
}

pub(super) fn execute(arguments: &Arguments) -> Result<Verdict, Failure> {
    if !(arguments.clearance >= 0.0 && arguments.clearance.is_finite()) {
        let value = arguments.clearance;
        return Err(format!("--clearance must be 0 or a positive number of metres, not {value}").into());
    }
    let deadline = arguments.seconds.map(deadline).transpose()?;
    let interpolation = match arguments.interpolation {
        Way::Slerp => Interpolation::Slerp,
        Way::Screw => Interpolation::Screw,
    };
    let mut waypoints = motion_file::read(&arguments.motion)?;
    if arguments.motion_like_meshes {
        for waypoint in &mut waypoints {
            waypoint.pose = arguments.units.placement(&waypoint.pose);
        }
    }
    let path = Path::new(&waypoints, interpolation)
        .map_err(|error| format!("{}: {error}", arguments.motion.display()))?;
    let pool = threads()?;
    let moving = read_parts(std::slice::from_ref(&arguments.part), arguments.units, &pool)?;
    let environment = read_parts(&arguments.environment, arguments.units, &pool)?;
    let part = one_body(&moving, &pool)?;
    let obstacles: Vec<&Hierarchy> = environment.iter().map(|obstacle| &obstacle.tree).collect();
    let query = PathQuery { part: &part, path: &path, obstacles: &obstacles };

    let batch = Batch::new(&pool);
    let (mut answer, tight) = answer(&query, &environment, arguments.clearance, deadline, &batch)?;
    if arguments.tighten && answer.verdict == "free" {
        answer.largest_clearance = tighten(&query, &answer, deadline, &batch)?;
    }
    if let (Some(file), Some((place, contact))) = (&arguments.picture, tight) {
        let pose = path.pose(place.time);
        let (moving, environment) = (&moving[..], &environment[..]);
        let picture = TightPlace {
            moving,
            pose,
            environment,
            contact,
            heading: heading(&path, place.time, pose.inverse_transform_point(contact.on_a)),
            title: format!(
                "{:.4} mm between the part and {} at t = {:.6}",
                1e3 * place.gap,
                place.obstacle,
                place.time
            ),
        };
        crate::output::write(file, picture.to_svg())?;
    }
    print_result(&answer, arguments.json, print_answer)?;
    Ok(match answer.verdict {
        "free" => Verdict::Free,
        "contact" => Verdict::Contact,
        _ => Verdict::Undecided,
    })
}

/// Where a point of the part goes at a time.
fn heading(path: &Path, time: f64, point: DVec3) -> DVec3 {
    let step = 1e-3 * (path.end_time() - path.start_time());
    path.pose(time + step).transform_point(point) - path.pose(time - step).transform_point(point)
}

/// So many seconds from now.
fn deadline(seconds: f64) -> Result<Instant, Failure> {
    Duration::try_from_secs_f64(seconds)
        .ok()
        .and_then(|limit| Instant::now().checked_add(limit))
        .ok_or_else(|| format!("--seconds must be 0 or a positive number, not {seconds}").into())
}

/// All parts of the moving file as one tree.
fn one_body(parts: &[NamedPart], pool: &rayon::ThreadPool) -> Result<Hierarchy, Failure> {
    let triangles: Vec<[DVec3; 3]> = parts.iter().flat_map(|part| all_triangles(&part.mesh)).collect();
    Ok(Hierarchy::build_in(pool, &triangles, &BuildOptions::default())?)
}

fn answer(
    query: &PathQuery,
    environment: &[NamedPart],
    clearance: f64,
    deadline: Option<Instant>,
    batch: &Batch<'_>,
) -> Result<(Answer, Option<(Place, ContactPoint)>), Failure> {
    let options = ImpactOptions { guard: clearance, relax_at_start: false, ..ImpactOptions::default() };
    let bar = ProgressBar::new(query.path.piece_count() as u64).with_style(
        ProgressStyle::with_template("check {wide_bar} {pos} of {len} pieces")
            .expect("a literal that was tried"),
    );
    let found = query.check_in(batch, &options, deadline, |done| bar.set_position(done as u64))?;
    bar.finish_and_clear();
    // A time limit is for the verdict; the tightest place gets as much work as a path of a thousand poses needs.
    let mut more = Budget::of_work(20_000 + 10 * (query.path.piece_count() * query.obstacles.len()) as u64);
    let tightest = if found.free_until > query.path.start_time() {
        query.smallest_clearance_in(batch, found.free_until, ACCURACY, &mut more)?
    } else {
        None
    };
    let name = |obstacle: usize| environment[obstacle].name.as_str();
    let verdict = match (&found.contact, found.finished) {
        (Some(_), _) => "contact",
        (None, true) => "free",
        (None, false) => "undecided",
    };
    let place = |time, obstacle, contact| (Place::new(time, name(obstacle), &contact), contact);
    let contact = found.contact.map(|(time, obstacle, contact)| place(time, obstacle, contact));
    let tight = tightest.map(|tight| place(tight.time, tight.obstacle, tight.contact));
    let answer = Answer {
        verdict,
        start: query.path.start_time(),
        free_until: found.free_until,
        end: query.path.end_time(),
        clearance,
        contact: contact.clone().map(|(place, _)| place),
        tightest: tight.clone().map(|(place, _)| place),
        gap_at_least: tightest.map(|tight| tight.at_least),
        largest_clearance: None,
    };
    Ok((answer, contact.or(tight)))
}

/// Share to which the largest clearance is enclosed, and questions asked at most.
const TIGHT: f64 = 1e-4;
const MOST_QUESTIONS: usize = 40;

/// Encloses the largest clearance of a free path by asking for clearances between what is proven and what was seen; none if nothing is near.
fn tighten(
    query: &PathQuery,
    free: &Answer,
    deadline: Option<Instant>,
    batch: &Batch<'_>,
) -> Result<Option<[f64; 2]>, Failure> {
    let Some(tightest) = &free.tightest else { return Ok(None) };
    // A contact is called up to the tolerance above the clearance.
    let tolerance = (0.1 * TIGHT * tightest.gap).clamp(1e-12, 1e-6);
    let (mut proven, mut refused) = (free.clearance, tightest.gap);
    let mut next = free.gap_at_least.unwrap_or(0.0);
    for _ in 0..MOST_QUESTIONS {
        if !(next > proven && next < refused) {
            next = 0.5 * (proven + refused);
        }
        let options = ImpactOptions { guard: next, tolerance, relax_at_start: false };
        let found = query.check_in(batch, &options, deadline, |_| ())?;
        match (found.contact, found.finished) {
            (None, true) => proven = next,
            (Some(_), _) => refused = next,
            // The time is up; what is enclosed stays enclosed.
            (None, false) => break,
        }
        if refused - proven <= TIGHT * refused {
            break;
        }
        next = 0.5 * (proven + refused);
    }
    Ok(Some([proven, refused]))
}

fn print_answer(answer: &Answer) -> Result<(), Failure> {
    let place = |p: &Place| {
        let DVec3 { x, y, z } = p.point;
        format!(
            "{:.4} mm from {} at t = {:.6}, at {x:.5} {y:.5} {z:.5} m ({})",
            1e3 * p.gap,
            p.obstacle,
            p.time,
            p.features
        )
    };
    match (&answer.contact, answer.verdict) {
        (Some(contact), _) => {
            let what = if answer.clearance > 0.0 { "too near" } else { "contact" };
            print_line(&format!("{what}: {}", place(contact)))?;
        }
        (None, "free") => print_line(&format!("free: proven from the start to t = {:.6}", answer.end))?,
        _ => print_line("undecided: the time was up; allow more with --seconds")?,
    }
    if answer.verdict != "free" && answer.free_until > answer.start {
        print_line(&format!("proven free until t = {:.6} of {:.6}", answer.free_until, answer.end))?;
    } else if answer.contact.is_some() {
        print_line("it is so from the start: nothing of the path is free")?;
    }
    // What stops the part is the tightest place of its way there.
    if let (Some(tightest), Some(at_least), None) = (&answer.tightest, answer.gap_at_least, &answer.contact) {
        print_line(&format!("tightest: {}", place(tightest)))?;
        print_line(&format!("nowhere nearer than {:.4} mm on that way (proven)", 1e3 * at_least))?;
    }
    if let Some([proven, refused]) = answer.largest_clearance {
        let (proven, refused) = (1e3 * proven, 1e3 * refused);
        print_line(&format!("free with a clearance of {proven:.5} mm (proven), not with {refused:.5} mm"))?;
    }
    Ok(())
}
