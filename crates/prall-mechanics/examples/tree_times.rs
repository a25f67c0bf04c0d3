//! Times of steps of chains and trees, and the plot of the chains: `cargo run --release -p prall-mechanics --example tree_times`.
//!
//! Chains of 10 to 10,000 bodies on ball joints swing from 60 degrees. Every point is the least of many short
//! runs, so that a busy machine hardly counts. With a file name as argument the chains' times are
//! drawn there as SVG, both axes by powers of ten: work that grows with the number of bodies is a straight line of slope 1.

use glam::{DQuat, DVec3};
use prall_math::{Pose, Twist};
use prall_mechanics::tree::models::{binary_tree, chain};
use prall_mechanics::tree::{JointKind, Tree, TreeDescription, TreeOptions};
use std::fmt::Write;
use std::time::Instant;

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);
/// Runs, each of about a millisecond or one call.
const RUNS: usize = 150;

fn tilted(description: &TreeDescription) -> Tree {
    let mut tree = Tree::new(description).expect("the model is sound");
    let turn = Pose::from_rotation(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_3));
    let poses: Vec<Pose> = (0..tree.len()).map(|node| turn * tree.pose(node)).collect();
    tree.load(|node| (poses[node], Twist::ZERO));
    tree
}

/// Microseconds of one call, from the same state each run.
fn microseconds(tree: &Tree, calls: u32, act: impl Fn(&mut Tree)) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..RUNS {
        let mut tree = tree.clone();
        act(&mut tree);
        let start = Instant::now();
        for _ in 0..calls {
            act(&mut tree);
        }
        least = least.min(start.elapsed().as_secs_f64() / f64::from(calls));
    }
    1e6 * least
}

fn main() {
    let options = TreeOptions::default();
    println!("microseconds per step of trees, after 1 s of motion");
    for count in [31, 63, 127, 255] {
        let mut tree = tilted(&binary_tree(count));
        (0..60).for_each(|_| _ = tree.step(1.0 / 60.0, GRAVITY, &options));
        let stable = |h: f64| microseconds(&tree, 6, |tree| _ = tree.step(h, GRAVITY, &options));
        let explicit = microseconds(&tree, 6, |tree| tree.step_explicit(1.0 / 240.0, GRAVITY));
        println!(
            "tree-{count}: stable {:.0} at 1/30, {:.0} at 1/60, {:.0} at 1/240; explicit {explicit:.0}",
            stable(1.0 / 30.0),
            stable(1.0 / 60.0),
            stable(1.0 / 240.0)
        );
    }
    println!("microseconds per step of chains");
    let mut series =
        [("accelerations", Vec::new()), ("explicit step", Vec::new()), ("stable step", Vec::new())];
    for count in [10_u32, 30, 100, 300, 1000, 3000, 10_000] {
        let tree = tilted(&chain(count, 1.0, JointKind::Ball));
        let calls = (1500 / count).clamp(1, 100);
        let times = [
            microseconds(&tree, calls, |tree| tree.accelerations(GRAVITY, |_, _| {})),
            microseconds(&tree, calls, |tree| tree.step_explicit(1e-4, GRAVITY)),
            microseconds(&tree, calls, |tree| _ = tree.step(1e-4, GRAVITY, &options)),
        ];
        println!("{count}: {:.1} {:.1} {:.1}", times[0], times[1], times[2]);
        for ((_, points), time) in series.iter_mut().zip(times) {
            points.push((f64::from(count), time));
        }
    }
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(&path, plot(&series)).expect("the plot can be written");
    }
}

/// Both axes by powers of ten: 10 to 10,000 bodies, 0.1 to 100,000 microseconds.
fn plot(series: &[(&str, Vec<(f64, f64)>)]) -> String {
    let x = |count: f64| 80.0 + 160.0 * (libm::log10(count) - 1.0);
    let y = |time: f64| 340.0 - 50.0 * (libm::log10(time) + 1.0);
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 620 400\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"620\" height=\"400\" fill=\"white\"/>\n",
    );
    for decade in 1..=4 {
        let (at, label) = (x(libm::exp10(f64::from(decade))), 10_u32.pow(decade as u32));
        let _ = writeln!(
            svg,
            "<path d=\"M{at} 40V340\" stroke=\"#ddd\"/><text x=\"{at}\" y=\"360\" text-anchor=\"middle\">{label}</text>"
        );
    }
    for (decade, label) in
        ["0.1 µs", "1 µs", "10 µs", "0.1 ms", "1 ms", "10 ms", "0.1 s"].into_iter().enumerate()
    {
        let at = 340.0 - 50.0 * decade as f64;
        let _ = writeln!(
            svg,
            "<path d=\"M80 {at}H560\" stroke=\"#ddd\"/><text x=\"72\" y=\"{:.0}\" text-anchor=\"end\">{label}</text>",
            at + 4.0
        );
    }
    for ((name, points), color) in series.iter().zip(["#4f7f87", "#d9a441", "#c0562f"]) {
        let path: Vec<String> = points.iter().map(|&(n, t)| format!("{:.1},{:.1}", x(n), y(t))).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        for &(n, t) in points {
            let _ = writeln!(svg, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{color}\"/>", x(n), y(t));
        }
        if let Some(&(n, t)) = points.get(3) {
            let _ = writeln!(
                svg,
                "<text x=\"{:.0}\" y=\"{:.0}\" fill=\"{color}\">{name}</text>",
                x(n) + 8.0,
                y(t) + 14.0
            );
        }
    }
    svg + "<text x=\"320\" y=\"385\" text-anchor=\"middle\">bodies in the chain</text>\n</svg>\n"
}
