//! Parts among a million triangles, for docs/handling.md: `cargo run --release -p prall-handling --example large_assemblies [STEPS]`.
//!
//! Each assembly is built twice: on all cores, and from the folder in which the first time kept it.

#[path = "../tests/handling/shapes.rs"]
#[allow(dead_code)]
mod shapes;

use std::path::Path;
use std::time::Instant;

use glam::{DQuat, DVec2, DVec3};
use prall_geometry::Shape;
use prall_geometry::generate::{self, Thread};
use prall_handling::{Budget, Command, Friction, HandlingOptions, Held, Obstacle, Preparation};
use prall_math::Pose;
use shapes::*;

/// The command of a step.
type Hand = Box<dyn FnMut(usize) -> Command>;

struct Assembly {
    name: &'static str,
    part: Shape,
    obstacles: Vec<(Shape, Pose)>,
    hand: Hand,
}

/// A shell of 140 mm with 125 ribs inside, and a ring that a restless hand moves along them.
fn housing() -> Assembly {
    let (bottom, top, ribs) = (-0.0625, 0.0625, 125);
    let mut profile = vec![DVec2::new(0.07, bottom), DVec2::new(0.07, top)];
    for rib in (0..ribs).rev() {
        let y = bottom + 1e-3 * f64::from(rib);
        for (x, along) in [(0.062, 0.9e-3), (0.06, 0.7e-3), (0.06, 0.4e-3), (0.062, 0.2e-3)] {
            profile.push(DVec2::new(x, y + along));
        }
    }
    let shell = mesh(&generate::revolved(&profile, 1_024).expect("a shell"));
    let mut hand = Violence::new(3);
    let mut command = velocity(DVec3::ZERO, DVec3::ZERO);
    Assembly {
        name: "housing with ribs, a ring",
        part: mesh(&generate::tube(0.055, 0.045, 0.02, 128).expect("a ring")),
        obstacles: vec![(shell, Pose::IDENTITY)],
        hand: Box::new(move |step| {
            if step % 25 == 0 {
                let push = DVec3::new(0.1, 0.1 * hand.number(), 0.0);
                command = velocity(push + hand.vector() * 0.1, hand.vector());
            }
            command
        }),
    }
}

/// A tunnel of 26 hoses, and a bulb that a restless hand moves in it.
fn hoses() -> Assembly {
    let hose = mesh(&generate::torus(0.1, 0.01, 200, 100).expect("a hose"));
    let mut random = Violence::new(5);
    let obstacles = (0..26)
        .map(|i| {
            let tilt = DQuat::from_scaled_axis(random.vector() * 0.03);
            (hose.clone(), Pose::new(tilt, DVec3::Y * (0.025 * f64::from(i) - 0.3)))
        })
        .collect();
    let mut hand = Violence::new(4);
    let mut command = velocity(DVec3::ZERO, DVec3::ZERO);
    Assembly {
        name: "26 hoses, a bulb",
        part: mesh(&generate::uv_sphere(0.03, 64, 32).expect("a bulb")),
        obstacles,
        hand: Box::new(move |step| {
            if step % 50 == 0 {
                command = velocity(hand.vector() * 0.5, hand.vector() * 3.0);
            }
            command
        }),
    }
}

/// Sixteen fine nuts, and a bolt that is shaken in one of them.
fn nuts() -> Assembly {
    let thread = Thread { radius: 8e-3, pitch: 2.5e-3, turns: 8, segments: 64 };
    let fine = Thread { turns: 8, segments: 1_024, ..thread };
    let nut = mesh(&generate::nut(&fine, 3e-4, 0.014).expect("a nut"));
    let obstacles =
        (0..16).map(|i| (nut.clone(), at(0.04 * f64::from(i % 4), 0.0, 0.04 * f64::from(i / 4)))).collect();
    Assembly {
        name: "16 nuts, a bolt pushed in one",
        part: mesh(&generate::bolt(&thread).expect("a bolt")),
        obstacles,
        hand: Box::new(|step| {
            let along = if step / 50 % 2 == 0 { 0.02 } else { -0.02 };
            velocity(DVec3::new(0.0, along, 0.0), DVec3::ZERO)
        }),
    }
}

fn triangles(assembly: &Assembly) -> usize {
    let count = |shape: &Shape| match shape {
        Shape::TriangleMesh(mesh) => mesh.mesh().triangles().len(),
        _ => 0,
    };
    assembly.obstacles.iter().map(|(shape, _)| count(shape)).sum::<usize>() + count(&assembly.part)
}

/// Resident memory of this process in MB; none where the system does not tell.
fn memory() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

fn build(assembly: &Assembly, pool: &rayon::ThreadPool, folder: &Path) -> (Vec<Obstacle>, f64) {
    let begin = Instant::now();
    let preparation = Preparation { pool: Some(pool), folder: Some(folder) };
    let obstacles = assembly
        .obstacles
        .iter()
        .map(|(shape, pose)| Obstacle::prepared("obstacle", shape, *pose, &preparation).expect("good"))
        .collect();
    (obstacles, begin.elapsed().as_secs_f64())
}

fn run(mut assembly: Assembly, steps: usize, pool: &rayon::ThreadPool, folder: &Path) {
    let before = memory();
    // Equal obstacles would be read from the folder the first time too.
    let (first, built) = build(&assembly, pool, folder);
    drop(first);
    let (obstacles, read) = build(&assembly, pool, folder);
    let taken = memory().zip(before).map_or("-".to_owned(), |(now, before)| format!("{:.0}", now - before));
    let options = HandlingOptions { friction: Friction::of(0.1), ..HandlingOptions::default() };
    let begin = Instant::now();
    let mut held = Held::new(&assembly.part, Pose::IDENTITY, obstacles, options).expect("free at the start");
    held.step(Some(&(assembly.hand)(0)), DT, &mut Budget::unlimited()).expect("a good command");
    let grasp = begin.elapsed().as_secs_f64();
    let (mut times, mut gap, mut touched) = (Vec::new(), f64::INFINITY, 0);
    for step in 1..steps {
        let command = (assembly.hand)(step);
        let begin = Instant::now();
        let report = held.step(Some(&command), DT, &mut Budget::unlimited()).expect("a good command");
        times.push(begin.elapsed().as_secs_f64() * 1e6);
        gap = gap.min(report.smallest_gap);
        touched += usize::from(!report.contacts.is_empty());
    }
    times.sort_unstable_by(f64::total_cmp);
    let [p50, p99] = [0.5, 0.99].map(|share| times[((times.len() - 1) as f64 * share) as usize]);
    println!(
        "| {} | {} | {built:.1} | {read:.1} | {taken} | {:.0} | {p50:.0} / {p99:.0} | {:.0} % | {:.2} |",
        assembly.name,
        triangles(&assembly),
        1e3 * grasp,
        100.0 * touched as f64 / times.len() as f64,
        gap * 1e6
    );
}

fn main() {
    let steps = std::env::args().nth(1).and_then(|steps| steps.parse().ok()).unwrap_or(1_000);
    let pool = rayon::ThreadPoolBuilder::new().build().expect("threads");
    let folder = std::env::temp_dir().join(format!("prall-assemblies-{}", std::process::id()));
    println!(
        "| assembly | triangles | built s | read s | MB | first grasp ms | us p50 / p99 | in contact | smallest gap um |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for assembly in [housing(), hoses(), nuts()] {
        run(assembly, steps, &pool, &folder);
    }
    let _ = std::fs::remove_dir_all(&folder);
}
