//! Gaps of loaded contacts over long runs: conditions on positions (Buck 1999), on accelerations as was usual before, and the filter.
//!
//! `cargo run -p prall-handling --example buck_drift [intervals]`

#![allow(dead_code)]

#[path = "../tests/handling/corner.rs"]
mod corner;
#[path = "../tests/handling/shapes.rs"]
mod shapes;

use glam::{DQuat, DVec3};
use prall_geometry::{Amount, HalfEdges, MassProperties, Shape, generate};
use prall_handling::buck::{BuckHeld, BuckOptions, Level};
use prall_handling::{Budget, Friction, HandlingOptions, Held, Metric, Obstacle};
use prall_math::{Pose, Twist};
use shapes::*;

const INTERVAL: f64 = 0.01;
const GUARD: f64 = 10e-6;

/// A part, where it starts, what is around it, and velocities by interval.
struct Case {
    name: &'static str,
    part: Shape,
    start: Pose,
    obstacles: Vec<Obstacle>,
    script: fn(usize) -> Twist,
}

fn cases() -> Vec<Case> {
    let brick = cuboid(DVec3::new(0.1, 0.06, 0.08));
    let shapes = corner::corner_shapes();
    let mut around = corner::corner(&shapes);
    around.push(obstacle("block", &cuboid(DVec3::new(0.1, 0.02, 0.1)), at(0.095, 0.01, 0.07)));
    let diagonal = DQuat::from_rotation_arc(DVec3::Y, DVec3::splat(-1.0).normalize());
    vec![
        Case {
            name: "a box rocks on its edges",
            part: brick.clone(),
            start: Pose::new(DQuat::from_rotation_z(0.5), DVec3::Y * 0.06),
            obstacles: vec![table()],
            script: |step| {
                let rate = 0.5 * libm::cos(0.05 * step as f64);
                Twist::new(DVec3::NEG_Y * 0.05, DVec3::new(0.0, 0.1, rate))
            },
        },
        Case {
            name: "a box slides in circles and turns",
            part: brick,
            start: Pose::new(DQuat::from_rotation_z(0.02), DVec3::Y * 0.035),
            obstacles: vec![table()],
            script: |step| {
                let (sine, cosine) = libm::sincos(0.01 * step as f64);
                Twist::new(DVec3::new(0.1 * sine, -0.1, 0.1 * cosine), DVec3::new(0.03, 0.2, 0.05))
            },
        },
        Case {
            name: "a cone on four obstacles (T5)",
            part: mesh(&generate::cone(0.02, 0.06, 5).expect("a cone")),
            start: Pose::new(diagonal, DVec3::splat(0.022)),
            obstacles: around,
            script: |step| {
                let sway = 0.3 * libm::sin(0.02 * step as f64);
                Twist::new(DVec3::splat(-0.05), DVec3::new(sway, 0.0, -0.5))
            },
        },
    ]
}

fn mass(shape: &Shape) -> MassProperties {
    let Shape::TriangleMesh(mesh) = shape else { panic!("a mesh") };
    MassProperties::of_mesh(mesh.mesh(), &HalfEdges::new(mesh.mesh()), Amount::Mass(2.0)).expect("closed")
}

/// The largest distance of a loaded contact from the guard, or of the filter what its smallest gap lacks, in um, in the first thousandth, hundredth, tenth, and all of the intervals.
fn cells(intervals: usize, mut off: impl FnMut(usize) -> f64) -> String {
    let mut worst = 0.0_f64;
    let mut cells = Vec::new();
    for step in 0..intervals {
        worst = worst.max(off(step));
        if [intervals / 1000, intervals / 100, intervals / 10, intervals].contains(&(step + 1)) {
            cells.push(format!("{:.6}", 1e6 * worst));
        }
    }
    cells.join(" | ")
}

fn main() {
    let intervals = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let ends = [intervals / 1000, intervals / 100, intervals / 10, intervals];
    println!("| | | {} | done % |", ends.map(|end| end.to_string()).join(" | "));
    println!("|---|---|--:|--:|--:|--:|--:|");
    for case in cases() {
        for level in [Level::Position, Level::Acceleration] {
            let options = BuckOptions::default();
            let mut held =
                BuckHeld::new(&case.part, &mass(&case.part), case.start, case.obstacles.clone(), options)
                    .expect("free at the start");
            // Contacts are made by the method; then they are kept by one kind of conditions or the other.
            for step in 0..100 {
                held.step(&(case.script)(step), INTERVAL).expect("a good command");
            }
            let mut held = held.with_options(BuckOptions { level, ..options }).expect("good options");
            let mut done = 0.0;
            let line = cells(intervals, |step| {
                held.step(&(case.script)(100 + step), INTERVAL).expect("a good command");
                done += 100.0 * held.report().done / intervals as f64;
                let whole = held.report().done == 1.0;
                let loaded = held.contacts().iter().filter(|contact| whole && contact.force > 0.1);
                loaded.map(|contact| (held.gap(contact) - GUARD).abs()).fold(0.0, f64::max)
            });
            println!("| {} | {level:?} | {line} | {done:.1} |", case.name);
        }
        let metric = Metric::Mass(mass(&case.part));
        let options = HandlingOptions { metric, friction: Friction::NONE, ..HandlingOptions::default() };
        let mut held = Held::new(&case.part, case.start, case.obstacles, options).expect("free at the start");
        let mut run = |step: usize| {
            let Twist { linear, angular } = (case.script)(step);
            let report = held.step(Some(&velocity(linear, angular)), INTERVAL, &mut Budget::unlimited());
            // What comes into contact has larger gaps; what it lacks counts.
            (GUARD - report.expect("a good command").smallest_gap).max(0.0)
        };
        for step in 0..100 {
            run(step);
        }
        let line = cells(intervals, |step| run(100 + step));
        println!("| {} | filter | {line} | |", case.name);
    }
}
