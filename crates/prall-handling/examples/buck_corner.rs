//! Fig. 38 to 41 of Buck 1999, measured: iterations and time of the complementarity problem over the number of contacts, for four start values.
//!
//! `cargo run -p prall-handling --example buck_corner [INTERVALS [NAME]]`; NAME is a part of the names of the runs that shall be made.

#![allow(dead_code)]

#[path = "../tests/handling/buck_shake.rs"]
mod buck_shake;
#[path = "../tests/handling/corner.rs"]
mod corner;
#[path = "../tests/handling/shapes.rs"]
mod shapes;

use prall_handling::Friction;
use prall_handling::buck::{BuckOptions, CollisionTime, Derivative, Solve, StartForces};

fn main() {
    let intervals = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let plain = BuckOptions::default();
    let runs = [
        ("previous forces", plain),
        ("zero", BuckOptions { start: StartForces::Zero, ..plain }),
        ("linear", BuckOptions { start: StartForces::Linear, ..plain }),
        ("complementarity", BuckOptions { start: StartForces::Complementarity, ..plain }),
        ("previous, matrix by differences", BuckOptions { derivative: Derivative::Differences, ..plain }),
        ("previous, friction 0.3", BuckOptions { friction: Friction::of(0.3), ..plain }),
        ("previous, linear time", BuckOptions { collision_time: CollisionTime::Linear, ..plain }),
        ("previous, quadratic time", BuckOptions { collision_time: CollisionTime::Quadratic, ..plain }),
        ("previous, eight samples", BuckOptions { collision_time: CollisionTime::Equidistant(8), ..plain }),
        ("previous, certified time", BuckOptions { collision_time: CollisionTime::Certified, ..plain }),
    ];
    println!(
        "| run | intervals | done % | cut by collisions | late | problems | unsolved | jams | most contacts | worst gap error nm | worst condition | dependent | farthest m |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut tables = Vec::new();
    for (name, options) in
        runs.into_iter().filter(|run| std::env::args().nth(2).is_none_or(|only| run.0.contains(&only)))
    {
        let seen = buck_shake::shake(options, intervals, 38);
        let unsolved = seen.solves.iter().filter(|solve| !solve.solved).count();
        println!(
            "| {name} | {} | {:.0} | {} | {} | {} | {unsolved} | {} | {} | {:.2} | {:.1e} | {} | {:.2} |",
            seen.intervals,
            100.0 * seen.done,
            seen.cut,
            seen.late,
            seen.solves.len(),
            seen.jams,
            seen.most,
            1e9 * seen.off,
            seen.condition,
            seen.dependent,
            seen.farthest,
        );
        tables.push((name, seen.solves));
    }
    println!("\n| n | problems | {} |", tables.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" | "));
    println!("|--:|--:|{}", "--:|".repeat(tables.len()));
    for order in 1..=12 {
        let of = |solves: &[Solve]| -> Vec<Solve> {
            solves.iter().filter(|solve| solve.order == order).copied().collect()
        };
        let cells: Vec<String> = tables.iter().map(|(_, solves)| cell(&of(solves))).collect();
        println!("| {order} | {} | {} |", of(&tables[0].1).len(), cells.join(" | "));
    }
}

/// Mean and largest iterations; mean, median, 99th percentile and largest time in us.
fn cell(solves: &[Solve]) -> String {
    if solves.is_empty() {
        return "-".to_owned();
    }
    let count = solves.len() as f64;
    let iterations = solves.iter().map(|solve| solve.iterations as f64).sum::<f64>() / count;
    let most = solves.iter().map(|solve| solve.iterations).max().unwrap_or_default();
    let mut times: Vec<f64> = solves.iter().map(|solve| 1e6 * solve.time.as_secs_f64()).collect();
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / count;
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    format!("{iterations:.1}, {most}; {mean:.0}, {:.0}, {:.0}, {:.0}", at(0.5), at(0.99), at(1.0))
}
