//! What machines cost, measured: `cargo run --release -p prall-multibody --example goals [contacts.svg]`.
//!
//! - a sled of 13 degrees of freedom on eight runner contacts by Moreau's step, and how many sweeps it takes with and without the memory of the last step;
//! - chains of 10 to 10,000 bodies with 1 to 64 contacts at their ends: the time grows as the number of bodies times that of contacts, which the plot
//!   shows if a file is named;
//! - trees of four long branches with 64 contacts: rows of all contacts, each climbed by itself and with shared stretches;
//! - chains of 20 links with an end 1000 and 10,000 times as heavy, disturbed, for a minute at 1/60 s.

mod sled;

use glam::{DMat3, DQuat, DVec3};
use prall_math::{Pose, Twist, Wrench};
use prall_mechanics::tree::Trunks;
use prall_mechanics::tree::models::chain;
use prall_multibody::{
    FrictionSet, Joint, JointKind, Mechanism, Model, Moreau, MoreauContact, MoreauOptions, Tree, TreeOptions,
};
use std::fmt::Write;
use std::time::Instant;

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);
/// 83 steps in a frame of a sixtieth of a second.
const STEP: f64 = 1.0 / 4980.0;

fn main() {
    time_the_sled();
    let times = time_chains();
    time_forks();
    swing_heavy_chains();
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(&path, plot(&times)).expect("the plot can be written");
    }
}

fn time_the_sled() {
    let (mut sled, mut moreau, options) = (sled::sled(), Moreau::default(), MoreauOptions::default());
    let mut closed = 0;
    for _ in 0..4000 {
        closed = moreau.step(&mut sled, STEP, GRAVITY, &options, sled::contacts).closed;
    }
    let mut least = f64::INFINITY;
    let mut sweeps = [0, 0];
    for _ in 0..200 {
        let begin = Instant::now();
        for _ in 0..20 {
            sweeps[0] += moreau.step(&mut sled, STEP, GRAVITY, &options, sled::contacts).sweeps;
        }
        least = least.min(begin.elapsed().as_secs_f64() / 20.0);
    }
    for _ in 0..400 {
        let mut forgetful = Moreau::default();
        sweeps[1] += forgetful.step(&mut sled, STEP, GRAVITY, &options, sled::contacts).sweeps;
    }
    println!(
        "sled, {} degrees of freedom, {closed} closed contacts: {:.2} us per step; {:.2} sweeps, {:.1} without the memory of the last step",
        sled.tree().degrees_of_freedom(),
        1e6 * least,
        f64::from(sweeps[0]) / 4000.0,
        f64::from(sweeps[1]) / 400.0
    );
}

/// A chain of rods on ball joints along x, held at its start.
fn level_chain(count: usize) -> Mechanism {
    let mut model = Model::default();
    let inertia = DMat3::from_diagonal(DVec3::new(1e-3, 4e-3, 4e-3));
    for number in 0..count {
        let (parent, name) = (format!("{}", number.wrapping_sub(1)), format!("{number}"));
        let before = if number == 0 { DVec3::ZERO } else { DVec3::X * 0.1 };
        let joint = Joint::new(
            JointKind::Ball,
            Pose::from_translation(before),
            Pose::from_translation(DVec3::X * -0.1),
        );
        model.body(&name, (number > 0).then_some(parent.as_str()), 1.0, inertia, joint);
    }
    model.build().expect("a chain is a tree")
}

/// Bodies, contacts and microseconds per step.
fn time_chains() -> Vec<(usize, Vec<(usize, f64)>)> {
    println!(
        "microseconds per step of chains that lie on ground with the last bodies, by bodies and contacts"
    );
    let mut all = Vec::new();
    for contacts in [1_usize, 4, 16, 64] {
        let mut points = Vec::new();
        for count in [10_usize, 30, 100, 300, 1000, 3000, 10_000] {
            if contacts > count {
                continue;
            }
            points.push((count, time_chain(count, contacts)));
            println!("{count} bodies, {contacts} contacts: {:.1}", points[points.len() - 1].1);
        }
        all.push((contacts, points));
    }
    all
}

fn time_chain(count: usize, contacts: usize) -> f64 {
    let (mut chain, mut moreau) = (level_chain(count), Moreau::default());
    let options = MoreauOptions { most_sweeps: 1, ..MoreauOptions::default() };
    let find = |tree: &Tree, found: &mut Vec<MoreauContact>| {
        for node in count - contacts..count {
            found.push(MoreauContact {
                id: node as u64,
                node,
                point: tree.pose(node).translation,
                normal: DVec3::Y,
                tangent: DVec3::X,
                gap: -1e-9,
                restitution: [0.0; 2],
                friction: FrictionSet::Disc { friction: 0.5 },
            });
        }
    };
    let mut least = f64::INFINITY;
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < 0.3 {
        let start = Instant::now();
        moreau.step(&mut chain, 1e-6, GRAVITY, &options, find);
        least = least.min(start.elapsed().as_secs_f64());
    }
    1e6 * least
}

/// A stem of a fifth of the bodies and four branches of a fifth each, along x.
fn forked(count: usize) -> Mechanism {
    let mut model = Model::default();
    let inertia = DMat3::from_diagonal(DVec3::new(1e-3, 4e-3, 4e-3));
    let fifth = count / 5;
    for number in 0..5 * fifth {
        let (name, first) = (format!("{number}"), number % fifth == 0);
        let parent = match number {
            0 => None,
            _ if first => Some(format!("{}", fifth - 1)),
            _ => Some(format!("{}", number - 1)),
        };
        let bend = DQuat::from_rotation_y(if first { 0.3 * (number / fifth) as f64 } else { 0.0 });
        let before = Pose::new(bend, if number == 0 { DVec3::ZERO } else { DVec3::X * 0.1 });
        let joint = Joint::new(JointKind::Ball, before, Pose::from_translation(DVec3::X * -0.1));
        model.body(&name, parent.as_deref(), 1.0, inertia, joint);
    }
    model.build().expect("a fork is a tree")
}

fn time_forks() {
    println!(
        "microseconds for the rows of 64 contacts at the ends of four branches: each by itself, shared, and numbers per row"
    );
    for count in [300_usize, 3000, 10_000] {
        let mut fork = forked(count);
        let tree = fork.tree_mut();
        tree.predict(1e-6, GRAVITY);
        let fifth = count / 5;
        let nodes: Vec<usize> =
            (1..5).flat_map(|branch| ((branch + 1) * fifth - 16)..((branch + 1) * fifth)).collect();
        let units = [DVec3::Y, DVec3::X, DVec3::Z].map(|axis| Wrench::new(axis, DVec3::ZERO));
        let (mut rows, mut trunks, mut least) = (Vec::new(), Trunks::default(), [f64::INFINITY; 2]);
        for _ in 0..20 {
            for (way, least) in least.iter_mut().enumerate() {
                rows.clear();
                let start = Instant::now();
                if way == 1 {
                    trunks.find(tree, nodes.iter().copied());
                }
                for &node in &nodes {
                    let point = tree.pose(node).translation;
                    if way == 1 {
                        trunks.climb(tree, (node, point), &units, &mut rows);
                    } else {
                        tree.climb(node, point, &units, &mut rows);
                    }
                }
                *least = least.min(start.elapsed().as_secs_f64());
            }
        }
        let numbers = rows.len() / nodes.len();
        println!("{count} bodies: {:.0}, {:.0}; {numbers}", 1e6 * least[0], 1e6 * least[1]);
    }
}

fn swing_heavy_chains() {
    println!("chains of 20 links and a heavy end, disturbed, 60 s at 1/60 s");
    for end in [1000.0, 10_000.0] {
        for kind in [JointKind::Ball, JointKind::Revolute] {
            let mut tree = Tree::new(&chain(20, end, kind)).expect("the model is sound");
            let turn = Pose::from_rotation(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_3));
            let poses: Vec<Pose> = (0..tree.len()).map(|node| turn * tree.pose(node)).collect();
            // Every link gets a push of its own: what is stiff in the chain is excited.
            tree.load(|node| {
                let push = libm::sin(7.0 * node as f64);
                (poses[node], Twist::new(DVec3::ZERO, DVec3::Z * push))
            });
            tree.project_velocities();
            let energy = |tree: &Tree| tree.kinetic_energy() + tree.potential_energy(GRAVITY);
            let (start, mut before) = (energy(&tree), energy(&tree));
            let (mut rise, mut given_up) = (0.0_f64, 0);
            for _ in 0..3600 {
                given_up += tree.step(1.0 / 60.0, GRAVITY, &TreeOptions::default()).given_up;
                let now = energy(&tree);
                rise = rise.max(now - before);
                before = now;
            }
            println!(
                "1:{end} {kind:?}: finite {}, largest rise in a step {:.1e} of {:.1e} J, energy {:.1e} to {:.1e}, given up {given_up}",
                tree.is_finite(),
                rise,
                start.abs(),
                start,
                before
            );
        }
    }
}

/// Both axes by powers of ten: 10 to 10,000 bodies, 1 to 100,000 microseconds.
fn plot(series: &[(usize, Vec<(usize, f64)>)]) -> String {
    let x = |count: f64| 80.0 + 146.0 * (libm::log10(count) - 1.0);
    let y = |time: f64| 340.0 - 60.0 * libm::log10(time);
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 400\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"640\" height=\"400\" fill=\"white\"/>\n",
    );
    for count in [10, 100, 1000, 10_000] {
        let at = x(f64::from(count));
        let _ = writeln!(
            svg,
            "<path d=\"M{at} 40V340\" stroke=\"#ddd\"/><text x=\"{at}\" y=\"360\" text-anchor=\"middle\">{count}</text>"
        );
    }
    for (decade, label) in ["1 µs", "10 µs", "0.1 ms", "1 ms", "10 ms", "100 ms"].into_iter().enumerate() {
        let at = 340.0 - 60.0 * decade as f64;
        let _ = writeln!(
            svg,
            "<path d=\"M80 {at}H520\" stroke=\"#ddd\"/><text x=\"72\" y=\"{:.0}\" text-anchor=\"end\">{label}</text>",
            at + 4.0
        );
    }
    // Names stand at the ends of their lines, each above the one before.
    let mut lowest = f64::INFINITY;
    for ((contacts, points), color) in series.iter().zip(["#4f7f87", "#0a6b75", "#b07d1e", "#c0562f"]) {
        let path: Vec<String> =
            points.iter().map(|&(n, t)| format!("{:.1},{:.1}", x(n as f64), y(t))).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        if let Some(&(n, t)) = points.last() {
            let plural = if *contacts == 1 { "contact" } else { "contacts" };
            lowest = (y(t) + 4.0).min(lowest - 15.0);
            let _ = writeln!(
                svg,
                "<text x=\"{:.0}\" y=\"{:.0}\" fill=\"{color}\">{contacts} {plural}</text>",
                x(n as f64) + 8.0,
                lowest
            );
        }
    }
    svg + "<text x=\"300\" y=\"385\" text-anchor=\"middle\">bodies in the chain</text>\n</svg>\n"
}
