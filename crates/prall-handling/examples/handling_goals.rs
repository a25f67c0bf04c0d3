//! Prints the table of goals of docs/handling.md: `cargo run --release -p prall-handling --example handling_goals [SHARE [NAME]]`.
//!
//! SHARE shortens all runs, for a quick look; NAME leaves out cases whose name does not begin with it. Times are clock times of one interval of 2 ms, the fastest of three runs
//! of the same step, so that other work on the machine shows less.

#[path = "../tests/handling/shapes.rs"]
#[allow(dead_code)]
mod shapes;

use std::time::Instant;

use glam::{DQuat, DVec3};
use prall_geometry::Shape;
use prall_geometry::generate::{self, Thread};
use prall_handling::{Budget, Command, Friction, HandlingOptions, HandlingReport, Held, Obstacle};
use prall_math::Pose;
use shapes::*;

/// The command of a step.
type Hand = Box<dyn FnMut(usize, &Held) -> Command>;

/// What a case is: a part, its obstacles, friction, and a hand.
struct Case {
    name: &'static str,
    part: Shape,
    start: Pose,
    obstacles: Vec<(Shape, Pose)>,
    friction: f64,
    steps: usize,
    hand: Hand,
}

/// Runs of each step, of which the fastest counts.
const REPEATS: usize = 3;

struct Row {
    times: Vec<f64>,
    /// Of all runs of all steps, in s; none where the system does not tell.
    processor: Option<f64>,
    gap: f64,
    done: f64,
    rows: usize,
    contacts: usize,
    samples: usize,
    second_ways: usize,
    /// Units of work: median and 99th percentile.
    work: Vec<f64>,
    last: HandlingReport,
}

fn run_case(case: Case, share: f64) {
    let wanted = std::env::args().nth(2);
    if wanted.is_some_and(|wanted| !case.name.starts_with(&wanted)) {
        return;
    }
    let shapes: Vec<&Shape> = case.obstacles.iter().map(|(shape, _)| shape).collect();
    let mut judge = Judge::new(&case.part, &shapes);
    let obstacles: Vec<Obstacle> =
        case.obstacles.iter().map(|(shape, pose)| obstacle("obstacle", shape, *pose)).collect();
    let options = HandlingOptions { friction: Friction::of(case.friction), ..HandlingOptions::default() };
    let mut held = Held::new(&case.part, case.start, obstacles, options).expect("free at the start");
    let mut hand = case.hand;
    let mut state = held.state().clone();
    let mut row = Row {
        times: Vec::new(),
        processor: Some(0.0),
        gap: f64::INFINITY,
        done: 0.0,
        rows: 0,
        contacts: 0,
        samples: 0,
        second_ways: 0,
        work: Vec::new(),
        last: HandlingReport::default(),
    };
    // Short runs stay whole: they tell what happens at their end.
    let steps = if case.steps > 2_000 { (case.steps as f64 * share) as usize } else { case.steps };
    for step in 0..steps {
        let command = hand(step, &held);
        state.clone_from(held.state());
        let mut fastest = f64::INFINITY;
        for again in 0..REPEATS {
            if again > 0 {
                held.restore(&state).expect("its own state");
            }
            let processor = processor_time();
            let begin = Instant::now();
            held.step(Some(&command), DT, &mut Budget::unlimited()).expect("a good command");
            fastest = fastest.min(begin.elapsed().as_secs_f64() * 1e6);
            let used = processor.zip(processor_time()).map(|(begin, end)| end - begin);
            row.processor = row.processor.zip(used).map(|(sum, used)| sum + used);
        }
        row.times.push(fastest);
        let report = held.report();
        row.gap = row.gap.min(report.smallest_gap);
        row.done += report.done / steps as f64;
        row.rows = row.rows.max(report.rows);
        row.contacts = row.contacts.max(report.contacts.len());
        row.second_ways += report.second_ways;
        row.work.push(report.work as f64);
        // Exact samples of every tenth interval, outside of the measured time.
        if step % 10 == 0 {
            judge.look(&held, 20);
        }
    }
    row.samples = judge.samples;
    row.last = held.report().clone();
    print_row(case.name, steps, row);
}

/// Processor time of this thread so far, in s: exact in the long run, as the system counts it in ticks.
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds * 1e-9)
}

fn print_row(name: &str, steps: usize, mut row: Row) {
    let within = row.times.iter().filter(|time| **time <= 1000.0).count() as f64 / row.times.len() as f64;
    let percentile = |values: &mut Vec<f64>, share: f64| {
        values.sort_unstable_by(f64::total_cmp);
        values[((values.len() - 1) as f64 * share) as usize]
    };
    let [p50, p99, most] = [0.5, 0.99, 1.0].map(|share| percentile(&mut row.times, share));
    let [w50, w99] = [0.5, 0.99].map(|share| percentile(&mut row.work, share));
    let runs = (steps * REPEATS) as f64;
    let processor = row.processor.map_or("-".to_owned(), |sum| format!("{:.0}", 1e6 * sum / runs));
    println!(
        "| {name} | {steps} | {p50:.0} / {p99:.0} / {most:.0} | {processor} | {:.2} % | {w50:.0} / {w99:.0} | {} | {} | {:.4} | {:.2} | {} | 0 of {} |",
        100.0 * within,
        row.rows,
        row.contacts,
        row.done,
        row.gap * 1e6,
        row.second_ways,
        row.samples
    );
}

fn corner_case(name: &'static str, friction: f64, seed: u64, steps: usize) -> Case {
    let walls = [DVec3::X, DVec3::Y, DVec3::Z].map(|n| {
        let middle = DVec3::splat(0.2) - n * 0.225;
        (cuboid(DVec3::splat(0.6) - n * 0.55), Pose::from_translation(middle))
    });
    let mut violence = Violence::new(seed);
    let mut command = velocity(DVec3::ZERO, DVec3::ZERO);
    Case {
        name,
        part: cuboid(DVec3::new(0.08, 0.06, 0.07)),
        start: at(0.1, 0.1, 0.1),
        obstacles: walls.into(),
        friction,
        steps,
        hand: Box::new(move |step, held| {
            if step % 7 == 0 {
                // Who has left the corner is brought back.
                let away = held.pose().translation - DVec3::splat(0.1);
                let drift =
                    if away.length() > 0.25 { away * (6.0 / away.length()) } else { DVec3::splat(3.0) };
                command = velocity(violence.vector() * 10.0 - drift, violence.vector() * 50.0);
            }
            command
        }),
    }
}

fn peg_case(name: &'static str, clearance: f64) -> Case {
    Case {
        name,
        part: peg(),
        start: turned(DVec3::Z, (-2.0_f64).to_radians(), DVec3::new(0.001, 0.048, 0.0)),
        obstacles: vec![(hole(clearance, 1.5e-3), Pose::IDENTITY)],
        friction: 0.1,
        steps: 350,
        hand: Box::new(|_, _| velocity(DVec3::NEG_Y * 0.05, DVec3::ZERO)),
    }
}

fn bolt_case(name: &'static str, steps: usize, hand: Hand) -> Case {
    let thread = Thread { radius: 8e-3, pitch: 2.5e-3, turns: 8, segments: 64 };
    let nut = generate::nut(&Thread { turns: 4, ..thread }, 1e-4, 0.014).expect("a nut");
    Case {
        name,
        part: mesh(&generate::bolt(&thread).expect("a bolt")),
        start: Pose::IDENTITY,
        obstacles: vec![(mesh(&nut), Pose::IDENTITY)],
        friction: 0.1,
        steps,
        hand,
    }
}

fn ball_case() -> Case {
    let ground = generate::terrain(glam::DVec2::splat(4.0), [320, 320], -0.5, |x, z| {
        0.05 * libm::sin(4.0 * x) * libm::cos(3.0 * z)
    });
    let ball = generate::uv_sphere(0.1, 200, 100).expect("a ball");
    Case {
        name: "ball of 39,600 on ground of 204,800 triangles",
        part: mesh(&ball),
        start: at(0.0, 0.3, 0.0),
        obstacles: vec![(mesh(&ground.expect("ground")), Pose::IDENTITY)],
        friction: 0.3,
        steps: 1500,
        hand: Box::new(|step, _| {
            let t = step as f64 * DT;
            velocity(
                DVec3::new(0.3 * libm::cos(t), -0.2, 0.3 * libm::sin(0.7 * t)),
                DVec3::new(1.0, 0.5, -1.0),
            )
        }),
    }
}

fn main() {
    let share = std::env::args().nth(1).and_then(|share| share.parse().ok()).unwrap_or(1.0);
    println!(
        "| case | intervals | us p50 / p99 / max | processor us | within 1 ms | work p50 / p99 | most rows | most contacts | done | smallest gap um | second ways | overlaps |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let table = (cuboid(DVec3::new(1.0, 0.1, 1.0)), at(0.0, -0.05, 0.0));
    let on_table = Case {
        name: "box on table",
        part: cuboid(DVec3::new(0.1, 0.06, 0.08)),
        start: at(0.0, 0.031, 0.0),
        obstacles: vec![table],
        friction: 0.3,
        steps: 20_000,
        hand: Box::new(|step, _| {
            let along = if step / 500 % 2 == 0 { 0.2 } else { -0.2 };
            velocity(DVec3::new(along, -0.1, 0.0), DVec3::ZERO)
        }),
    };
    run_case(on_table, share);
    run_case(corner_case("corner, violent", 0.3, 1, 30_000), share);
    run_case(corner_case("corner, violent, friction 0.6, another hand", 0.6, 7, 30_000), share);
    let mut resting = corner_case("rest in the corner", 0.3, 1, 3_000);
    resting.hand = Box::new(|_, _| velocity(DVec3::splat(-0.1), DVec3::ZERO));
    run_case(resting, share);
    run_case(peg_case("peg, clearance 1 mm", 1e-3), share);
    run_case(peg_case("peg, clearance 0.1 mm", 1e-4), share);
    run_case(peg_case("peg, clearance 0.05 mm", 5e-5), share);
    let turn = std::f64::consts::TAU;
    let turning = move |_: usize, _: &Held| velocity(DVec3::NEG_Y * 0.01, DVec3::NEG_Y * turn);
    run_case(bolt_case("bolt turning, 1 turn a second", 250, Box::new(turning)), share);
    let pushing = |_: usize, _: &Held| velocity(DVec3::NEG_Y * 0.05, DVec3::ZERO);
    run_case(bolt_case("bolt pushed", 250, Box::new(pushing)), share);
    let (tee, plate) = tee_and_plate();
    let upright = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let tee = Case {
        name: "tee, straight",
        part: tee,
        start: Pose::new(upright, DVec3::Y * 0.06),
        obstacles: plate,
        friction: 0.1,
        steps: 2_000,
        hand: Box::new(move |step, _| {
            Command::Pose(Pose::new(upright, DVec3::Y * (0.06 - 5e-5 * step as f64)))
        }),
    };
    run_case(tee, share);
    run_case(ball_case(), share);
}
