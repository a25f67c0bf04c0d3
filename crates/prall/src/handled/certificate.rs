//! [`certify`]: is the path of every part proven free?

use super::path::{HandledPath, PartPath};
use glam::DVec3;
use prall_detection::{
    Batch, Budget, BuildOptions, Hierarchy, ImpactOptions, Interpolation, Path, PathQuery, Waypoint,
    all_triangles,
};
use prall_geometry::Shape;
use prall_math::Pose;
use serde::Serialize;

/// Share of the smallest clearance to which it is enclosed, and places that are looked at for it at most.
const ACCURACY: f64 = 0.05;
const PLACES: u64 = 40_000;

/// Where a part came nearest to something, or touched it.
#[derive(Clone, Debug, Serialize)]
pub struct Place {
    /// In s since the recording began.
    pub time: f64,
    /// Of the obstacle.
    pub obstacle: String,
    /// In m.
    pub gap: f64,
    /// In the world.
    pub point: DVec3,
}

/// What is proven of the path of one part.
#[derive(Clone, Debug, Serialize)]
pub struct Certificate {
    /// Name of the part.
    pub part: String,
    /// `free`, `contact` or `undecided`.
    pub verdict: &'static str,
    /// First and last time in s.
    pub from: f64,
    /// See [`Certificate::from`].
    pub to: f64,
    /// Proven free up to here.
    pub free_until: f64,
    /// The first contact, if there is one.
    pub contact: Option<Place>,
    /// The tightest place, where it was found.
    pub tightest: Option<Place>,
    /// Proven: the gap is nowhere smaller, in m.
    pub gap_at_least: Option<f64>,
    /// The largest force in N that contacts pressed with.
    pub largest_force: f64,
    /// Poses of the path.
    pub poses: usize,
}

/// Judges the path of every part.
pub fn certify(path: &HandledPath, pool: &rayon::ThreadPool) -> Result<Vec<Certificate>, String> {
    path.parts.iter().map(|part| certify_part(path, part, pool)).collect()
}

fn triangles(shape: &Shape, place: impl Fn(DVec3) -> DVec3) -> Vec<[DVec3; 3]> {
    match shape {
        Shape::TriangleMesh(mesh) => {
            all_triangles(mesh.mesh()).into_iter().map(|corners| corners.map(&place)).collect()
        }
        _ => Vec::new(),
    }
}

fn certify_part(
    path: &HandledPath,
    part: &PartPath,
    pool: &rayon::ThreadPool,
) -> Result<Certificate, String> {
    let sentence = |error: &dyn std::fmt::Display| error.to_string();
    let build = |triangles: &[[DVec3; 3]]| {
        Hierarchy::build_in(pool, triangles, &BuildOptions::default()).map_err(|error| sentence(&error))
    };
    // The reference point becomes the origin: it is what goes straight between two poses.
    let moving = build(&triangles(&path.shapes[part.part].1, |corner| corner - part.reference))?;
    let around = path.shapes.iter().zip(&part.others).enumerate().filter(|(index, _)| *index != part.part);
    let (mut names, mut obstacles) = (Vec::new(), Vec::new());
    for (_, ((name, shape, _), pose)) in around {
        names.push(name.clone());
        obstacles.push(build(&triangles(shape, |corner| pose.transform_point(corner)))?);
    }
    let waypoints: Vec<Waypoint> = part
        .samples
        .iter()
        .map(|sample| {
            let place = sample.pose.transform_point(part.reference);
            Waypoint { time: sample.time, pose: Pose::new(sample.pose.rotation, place) }
        })
        .collect();
    let way = Path::new(&waypoints, Interpolation::Slerp).map_err(|error| sentence(&error))?;
    let obstacles: Vec<&Hierarchy> = obstacles.iter().collect();
    let query = PathQuery { part: &moving, path: &way, obstacles: &obstacles };
    let batch = Batch::new(pool);
    let options = ImpactOptions { guard: 0.0, relax_at_start: false, ..ImpactOptions::default() };
    let found = query.check_in(&batch, &options, None, |_| ()).map_err(|error| sentence(&error))?;
    let tightest = if found.free_until > way.start_time() {
        let mut places = Budget::of_work(PLACES);
        query
            .smallest_clearance_in(&batch, found.free_until, ACCURACY, &mut places)
            .map_err(|error| sentence(&error))?
    } else {
        None
    };
    Ok(Certificate {
        part: path.shapes[part.part].0.clone(),
        verdict: match (&found.contact, found.finished) {
            (Some(_), _) => "contact",
            (None, true) => "free",
            (None, false) => "undecided",
        },
        from: way.start_time(),
        to: way.end_time(),
        free_until: found.free_until,
        contact: found.contact.map(|(time, obstacle, contact)| Place {
            time,
            obstacle: names[obstacle].clone(),
            gap: contact.gap,
            point: contact.midpoint(),
        }),
        tightest: tightest.map(|tight| Place {
            time: tight.time,
            obstacle: names[tight.obstacle].clone(),
            gap: tight.gap,
            point: tight.contact.midpoint(),
        }),
        gap_at_least: tightest.map(|tight| tight.at_least),
        largest_force: part.largest_force(),
        poses: part.samples.len(),
    })
}
