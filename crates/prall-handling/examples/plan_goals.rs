//! Prints how often and how fast ways are found: `cargo run --release -p prall-handling --example plan_goals [SEEDS] [SECONDS] [NAME]`.

#[path = "../tests/handling/shapes.rs"]
#[allow(dead_code)]
mod shapes;

use std::time::Instant;

use glam::{DQuat, DVec3};
use prall_geometry::Shape;
use prall_handling::{HandlingOptions, Held, Obstacle, PlanGoal, Planner};
use prall_math::Pose;
use shapes::*;

struct Case {
    name: &'static str,
    part: Shape,
    obstacles: Vec<(Shape, Pose)>,
    start: Pose,
    goal: PlanGoal,
}

fn cases() -> Vec<Case> {
    let turn = std::f64::consts::FRAC_PI_2;
    let upright = DQuat::from_rotation_x(turn);
    let (tee, _) = tee_and_plate();
    // Too large to go round.
    let plate = plate_with_window((0.05, 0.02), 2.0);
    let (elbow, wall) = elbow_and_window();
    let (bulb, housing) = bulb_and_housing();
    let below = Pose::new(DQuat::from_rotation_x(-turn), DVec3::Y * -0.08);
    vec![
        Case {
            name: "peg of 0.1 mm clearance, out",
            part: peg(),
            obstacles: vec![(hole(1e-4, 1.5e-3), Pose::IDENTITY)],
            start: Pose::IDENTITY,
            goal: PlanGoal::Out,
        },
        Case {
            name: "tee through its slot",
            part: tee,
            obstacles: plate,
            start: Pose::new(upright, DVec3::Y * 0.06),
            goal: PlanGoal::Pose(Pose::new(upright, DVec3::Y * -0.06)),
        },
        Case {
            name: "elbow through a window",
            part: elbow,
            obstacles: wall,
            start: Pose::new(DQuat::from_rotation_x(turn), DVec3::Y * 0.08),
            goal: PlanGoal::Pose(below),
        },
        Case {
            name: "bulb out of its housing",
            part: bulb,
            obstacles: housing,
            start: Pose::IDENTITY,
            goal: PlanGoal::Out,
        },
    ]
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seeds: u64 = arguments.next().and_then(|seeds| seeds.parse().ok()).unwrap_or(10);
    let seconds: f64 = arguments.next().and_then(|seconds| seconds.parse().ok()).unwrap_or(60.0);
    let only = arguments.next().unwrap_or_default();
    println!("| case | found | seconds, each | steps of the filter | pieces |");
    println!("|---|--:|---|---|---|");
    for case in cases().into_iter().filter(|case| case.name.contains(&only)) {
        let (mut found, mut times, mut steps, mut pieces) = (0, Vec::new(), Vec::new(), Vec::new());
        for seed in 1..=seeds {
            let obstacles: Vec<Obstacle> =
                case.obstacles.iter().map(|(shape, pose)| obstacle("obstacle", shape, *pose)).collect();
            let held = Held::new(&case.part, case.start, obstacles, HandlingOptions::default());
            let mut planner = Planner::new(held.expect("free"), case.goal, seed).expect("a good plan");
            let begin = Instant::now();
            let done = planner.search(|_| begin.elapsed().as_secs_f64() < seconds).expect("no error");
            steps.push(planner.progress().steps.to_string());
            if done {
                let path = planner.path().expect("proven").expect("found");
                pieces.push((path.len() - 1).to_string());
                found += 1;
            } else {
                pieces.push("-".to_owned());
            }
            times.push(format!("{:.1}", begin.elapsed().as_secs_f64()));
        }
        let (times, steps, pieces) = (times.join(" "), steps.join(" "), pieces.join(" "));
        println!("| {} | {found} of {seeds} | {times} | {steps} | {pieces} |", case.name);
    }
}
