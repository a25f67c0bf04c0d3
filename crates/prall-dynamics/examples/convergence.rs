//! Order of convergence of three mechanisms against closed forms, by the direct and the tree solver.
//!
//! `cargo run --release -p prall-dynamics --example convergence docs/pictures/convergence.svg` prints the errors after one second
//! and draws them over the step. A slope of two means: half the step, a quarter of the error.

use std::fmt::Write;

use glam::{DMat3, DQuat, DVec3};
use prall_dynamics::{BodyDefinition, JointDefinition, Solver, World, WorldOptions};
use prall_geometry::MassProperties;
use prall_math::{Pose, Twist};

const GRAVITY: f64 = 9.81;
const RATES: [f64; 6] = [30.0, 60.0, 120.0, 240.0, 480.0, 960.0];

fn main() -> std::io::Result<()> {
    let mechanisms: [(&str, fn(f64, Solver) -> f64); 3] =
        [("pendulum", pendulum), ("four-bar", four_bar), ("gyroscope", gyroscope)];
    let mut curves = Vec::new();
    println!("error in m after 1 s, and order over the last halving\n");
    for (name, error) in mechanisms {
        for solver in [Solver::Direct, Solver::Tree] {
            let errors = RATES.map(|rate| error(rate, solver));
            let order = libm::log2(errors[RATES.len() - 2] / errors[RATES.len() - 1]);
            let list: Vec<String> = errors.iter().map(|error| format!("{error:.1e}")).collect();
            println!("{name:10} {solver:9?} {}  order {order:.2}", list.join("  "));
            curves.push((format!("{name}, {}", format!("{solver:?}").to_lowercase()), errors));
        }
    }
    match std::env::args().nth(1) {
        Some(path) => std::fs::write(path, plot(&curves)),
        None => Ok(()),
    }
}

fn world(rate: f64, solver: Solver) -> World {
    World::new(WorldOptions {
        time_step: 1.0 / rate,
        solver,
        position_tolerance: 1e-10,
        velocity_tolerance: 1e-10,
        ..WorldOptions::default()
    })
    .expect("the options are sound")
}

fn body(mass: f64, moments: DVec3) -> BodyDefinition {
    let inertia = DMat3::from_diagonal(moments);
    BodyDefinition::massive(MassProperties { mass, center_of_mass: DVec3::ZERO, inertia })
}

/// A rod of 1 m and 1 kg along y.
fn rod() -> BodyDefinition {
    body(1.0, DVec3::new(1.0 / 12.0, 1e-3, 1.0 / 12.0))
}

fn run(world: &mut World, rate: f64) {
    (0..rate as usize).for_each(|_| {
        world.advance();
    });
}

/// `angle'' = stiffness sin(angle)`, by 100,000 steps of Runge and Kutta.
fn swing(stiffness: f64, mut angle: f64, mut rate: f64) -> f64 {
    let (steps, push) = (100_000, |angle: f64| stiffness * libm::sin(angle));
    let h = 1.0 / f64::from(steps);
    for _ in 0..steps {
        let (a1, b1) = (rate, push(angle));
        let (a2, b2) = (rate + 0.5 * h * b1, push(angle + 0.5 * h * a1));
        let (a3, b3) = (rate + 0.5 * h * b2, push(angle + 0.5 * h * a2));
        let (a4, b4) = (rate + h * b3, push(angle + h * a3));
        angle += h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4);
        rate += h / 6.0 * (b1 + 2.0 * (b2 + b3) + b4);
    }
    angle
}

/// Where a crank of length 1 ends that is turned by `angle` to the right of the upright.
fn tip(angle: f64) -> DVec3 {
    DVec3::new(libm::sin(angle), libm::cos(angle), 0.0)
}

/// A rod on a hinge, from the horizontal: `angle'' = 3/2 g sin(angle)`.
fn pendulum(rate: f64, solver: Solver) -> f64 {
    let mut world = world(rate, solver);
    let quarter = Pose::from_rotation(DQuat::from_rotation_z(-std::f64::consts::FRAC_PI_2));
    let arm =
        world.add_body(&rod().in_pose(quarter * Pose::from_translation(DVec3::Y * 0.5))).expect("a body");
    let hinge = JointDefinition::hinge(world.ground(), arm, DVec3::ZERO, DVec3::Z);
    world.add_joint(&hinge).expect("a joint");
    run(&mut world, rate);
    let end = world.pose(arm).expect("it is there").transform_point(DVec3::Y * 0.5);
    (end - tip(swing(1.5 * GRAVITY, std::f64::consts::FRAC_PI_2, 0.0))).length()
}

/// Two cells of hinged bars from upright at 1 m/s: one freedom. With 3 cranks and 2 couplers of 1 kg the inertia is
/// `3/3 + 2` and the weight acts at `3/2 + 2`. After one second it has passed the flat pose.
fn four_bar(rate: f64, solver: Solver) -> f64 {
    let mut world = world(rate, solver);
    let ground = world.ground();
    let mut cranks = Vec::new();
    for i in 0..3 {
        let foot = DVec3::X * f64::from(i);
        let crank = rod().at(foot + DVec3::Y * 0.5).moving(DVec3::X * 0.5, DVec3::NEG_Z);
        let crank = world.add_body(&crank).expect("a body");
        world.add_joint(&JointDefinition::hinge(ground, crank, foot, DVec3::Z)).expect("a joint");
        cranks.push(crank);
    }
    for i in 0..2 {
        let left = DVec3::new(i as f64, 1.0, 0.0);
        let coupler = body(1.0, DVec3::new(1e-3, 1.0 / 12.0, 1.0 / 12.0)).at(left + DVec3::X * 0.5);
        let coupler = world.add_body(&coupler.moving(DVec3::X, DVec3::ZERO)).expect("a body");
        for (crank, place) in [(cranks[i], left), (cranks[i + 1], left + DVec3::X)] {
            world.add_joint(&JointDefinition::hinge(crank, coupler, place, DVec3::Z)).expect("a joint");
        }
    }
    run(&mut world, rate);
    let end = world.pose(cranks[0]).expect("it is there").transform_point(DVec3::Y * 0.5);
    (end - tip(swing(3.5 / 3.0 * GRAVITY, 0.0, 1.0))).length()
}

/// A top that leans by a radian and goes round evenly. With the rate `w` round the vertical, the spin `s` about its own axis
/// and the lean `t`, `J w^2 cos t - I s w + m g l = 0`, where `J` is about the point that it stands on.
fn gyroscope(rate: f64, solver: Solver) -> f64 {
    let (mass, arm, across, along, lean) = (1.0, 0.2, 0.005, 0.01, 1.0);
    let w = 2.0;
    let about_point = across + mass * arm * arm;
    let (sine, cosine) = (libm::sin(lean), libm::cos(lean));
    let spin = (about_point * w * w * cosine + mass * GRAVITY * arm) / (along * w);
    let mut world = world(rate, solver);
    let axis = DVec3::new(sine, cosine, 0.0);
    // The spin about the own axis counts all of the turning along it; the rest is across.
    let angular = axis * spin + (DVec3::Y - axis * cosine) * w;
    let pose = Pose::new(DQuat::from_rotation_arc(DVec3::Y, axis), axis * arm);
    let top = world.add_body(&body(mass, DVec3::new(across, along, across)).in_pose(pose)).expect("a body");
    let moving = Twist::new(angular.cross(axis * arm), angular);
    world.set_velocity(top, moving).expect("it is there");
    let ball = JointDefinition::ball(world.ground(), top, DVec3::ZERO);
    world.add_joint(&ball).expect("a joint");
    run(&mut world, rate);
    let end = world.pose(top).expect("it is there").translation;
    (end - DQuat::from_rotation_y(w) * axis * arm).length()
}

/// Errors over steps, both by powers of ten.
fn plot(curves: &[(String, [f64; 6])]) -> String {
    let colours = ["#0a6b75", "#c0562f", "#7c5a8a"];
    let x = |rate: f64| 90.0 + 430.0 * (libm::log10(960.0 / rate) / libm::log10(32.0));
    let (low, high) = (-8.0, 0.0);
    let y = |error: f64| 20.0 + 360.0 * (high - libm::log10(error).clamp(low, high)) / (high - low);
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 450\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>Error after one second over the time step</title>\n<rect width=\"760\" height=\"450\" fill=\"#ffffff\"/>\n",
    );
    let mut line = |text: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(svg, "{text}");
    };
    for power in -8..=0 {
        let at = y(libm::pow(10.0, f64::from(power)));
        line(format!("<path d=\"M90 {at:.1}H520\" stroke=\"#dddddd\"/>"));
        line(format!("<text x=\"82\" y=\"{:.1}\" text-anchor=\"end\">1e{power}</text>", at + 4.0));
    }
    for rate in RATES {
        line(format!("<path d=\"M{0:.1} 20V380\" stroke=\"#eeeeee\"/>", x(rate)));
        line(format!("<text x=\"{:.1}\" y=\"400\" text-anchor=\"middle\">1/{rate}</text>", x(rate)));
    }
    line("<text x=\"305\" y=\"430\" text-anchor=\"middle\">time step in s</text>".to_owned());
    line("<text x=\"24\" y=\"200\" text-anchor=\"middle\" transform=\"rotate(-90 24 200)\">error after 1 s in m</text>".to_owned());
    for (number, (name, errors)) in curves.iter().enumerate() {
        let colour = colours[number / 2];
        let dash = if number % 2 == 0 { "" } else { " stroke-dasharray=\"7 4\"" };
        let points: Vec<String> = RATES
            .iter()
            .zip(errors)
            .map(|(&rate, &error)| format!("{:.1},{:.1}", x(rate), y(error)))
            .collect();
        line(format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>",
            points.join(" ")
        ));
        let at = 40.0 + 24.0 * number as f64;
        line(format!("<path d=\"M540 {at}h36\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>"));
        line(format!("<text x=\"584\" y=\"{}\">{name}</text>", at + 4.0));
    }
    svg + "</svg>\n"
}
