//! Mechanisms.

use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, BodyHandle, JointDefinition, Solver, World, WorldOptions};
use prall_math::Pose;

use crate::{GRAVITY, Row, massive, run, runge_kutta, world};

const STEPS: [f64; 4] = [1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0, 1.0 / 480.0];

/// A rod of a length along y, of 1 kg.
fn rod(length: f64, axial: f64) -> BodyDefinition {
    let across = length * length / 12.0;
    BodyDefinition::massive(massive(1.0, DVec3::new(across, axial, across)))
}

fn along(angle: f64) -> DVec3 {
    DVec3::new(libm::sin(angle), -libm::cos(angle), 0.0)
}

/// Two rods of 1 m and 1 kg, hinged one below the other; angles from the vertical. With `d` their difference,
/// `4/3 a'' + cos(d)/2 b'' = -sin(d)/2 b'^2 - 3/2 g sin a` and `cos(d)/2 a'' + b''/3 = sin(d)/2 a'^2 - g/2 sin b`.
fn double_rates(&[a, b, u, v]: &[f64; 4]) -> [f64; 4] {
    let (sine, cosine) = (libm::sin(a - b), libm::cos(a - b));
    let first = -0.5 * sine * v * v - 1.5 * GRAVITY * libm::sin(a);
    let second = 0.5 * sine * u * u - 0.5 * GRAVITY * libm::sin(b);
    let (k11, k12, k22) = (4.0 / 3.0, 0.5 * cosine, 1.0 / 3.0);
    let determinant = k11 * k22 - k12 * k12;
    [u, v, (k22 * first - k12 * second) / determinant, (k11 * second - k12 * first) / determinant]
}

pub(crate) fn double_pendulum() -> Row {
    let start = [2.0, 1.0, 0.0, 0.0];
    let exact = (0..20_000).fold(start, |state, _| runge_kutta(state, 1.0 / 20_000.0, double_rates));
    let end = along(exact[0]) + along(exact[1]);
    let error = |step: f64| {
        let mut world = world(step, GRAVITY);
        let pose = |top: DVec3, angle: f64| {
            Pose::new(DQuat::from_rotation_z(angle), top) * Pose::from_translation(DVec3::Y * -0.5)
        };
        let knee = along(start[0]);
        let upper = world.add_body(&rod(1.0, 1e-3).in_pose(pose(DVec3::ZERO, start[0]))).expect("a rod");
        let lower = world.add_body(&rod(1.0, 1e-3).in_pose(pose(knee, start[1]))).expect("a rod");
        for (a, b, place) in [(world.ground(), upper, DVec3::ZERO), (upper, lower, knee)] {
            world.add_joint(&JointDefinition::hinge(a, b, place, DVec3::Z)).expect("a hinge");
        }
        run(&mut world, 1.0);
        world.pose(lower).expect("it is there").transform_point(DVec3::Y * -0.5).distance(end)
    };
    Row {
        what: "Double pendulum of two rods",
        quantity: "place of the end after 1 s, m",
        expected: format!("({:.4}, {:.4}) by its equations of motion", end.x, end.y),
        errors: STEPS.map(|step| (step, error(step))).to_vec(),
        goal: 1e-3,
    }
}

/// A rod on a hinge that a shaft turns evenly: it stands out where `cos(angle) = 3 g / (2 w^2 l)`, and stays there.
pub(crate) fn governor() -> Row {
    let (rate, length) = (5.0, 1.0);
    let angle = libm::acos(1.5 * GRAVITY / (rate * rate * length));
    let error = |step: f64| {
        let mut world = world(step, GRAVITY);
        let shaft = prall_geometry::Shape::cuboid(DVec3::splat(0.01)).expect("a shape");
        let shaft = BodyDefinition::kinematic(shaft).moving(DVec3::ZERO, DVec3::Y * rate);
        let shaft = world.add_body(&shaft).expect("a shaft");
        let centre = along(angle) * 0.5;
        let thin = rod(length, 1e-9).in_pose(Pose::new(DQuat::from_rotation_z(angle), centre));
        let arm = thin.moving((DVec3::Y * rate).cross(centre), DVec3::Y * rate);
        let arm = world.add_body(&arm).expect("a rod");
        let mut hinge = JointDefinition::hinge(shaft, arm, DVec3::ZERO, DVec3::Z);
        hinge.collide = false;
        world.add_joint(&hinge).expect("a hinge");
        run(&mut world, 2.0);
        let down = world.pose(arm).expect("it is there").rotation * DVec3::NEG_Y;
        libm::acos(-down.y) - angle
    };
    Row {
        what: "Governor: a rod on a turning shaft",
        quantity: "angle from the vertical after 2 s, rad",
        expected: format!("{angle:.4}: cos = 3 g / (2 w^2 l)"),
        errors: STEPS.map(|step| (step, error(step))).to_vec(),
        goal: 1e-3,
    }
}

fn frame(turn: f64, length: f64, twist: f64) -> Pose {
    Pose::from_rotation(DQuat::from_rotation_z(turn))
        * Pose::from_translation(DVec3::X * length)
        * Pose::from_rotation(DQuat::from_rotation_x(twist))
}

/// Change of the energy of a loop of hinges in 20 s: `links` are the angle at a hinge, the length and the twist to the next one, by Denavit and Hartenberg.
fn gained_by_loop(links: &[(f64, f64, f64)], step: f64) -> f64 {
    let mut world = world(step, GRAVITY);
    let mut frames = vec![Pose::IDENTITY];
    for (i, &(turn, length, twist)) in links.iter().enumerate() {
        frames.push(frames[i] * frame(turn, length, twist));
    }
    let end = frames[links.len()];
    assert!(end.translation.length() + end.rotation.xyz().length() < 1e-12, "the loop is open: {end:?}");
    let mut chain: Vec<BodyHandle> = vec![world.ground()];
    for pair in frames.windows(2).take(links.len() - 1) {
        let (from, to) = (pair[0].translation, pair[1].translation);
        let turn = DQuat::from_rotation_arc(DVec3::Y, (to - from).normalize());
        let link = rod((to - from).length(), 1e-3).in_pose(Pose::new(turn, 0.5 * (from + to)));
        chain.push(world.add_body(&link).expect("a link"));
    }
    chain.push(world.ground());
    for (pair, frame) in chain.windows(2).zip(&frames) {
        let hinge = JointDefinition::hinge(pair[0], pair[1], frame.translation, frame.rotation * DVec3::Z);
        world.add_joint(&hinge).expect("a hinge");
    }
    let start = world.energy().total();
    run(&mut world, 20.0);
    world.energy().total() - start
}

fn loop_row(what: &'static str, links: &[(f64, f64, f64)]) -> Row {
    Row {
        what,
        quantity: "energy after 20 s, J",
        expected: "that at the start".to_owned(),
        errors: STEPS.map(|step| (step, gained_by_loop(links, step))).to_vec(),
        goal: 1e-3,
    }
}

/// Bennett's linkage with twists of 40 and 70 degrees: four hinges that should lock.
pub(crate) fn bennett_energy() -> Row {
    let (alpha, beta) = (40_f64.to_radians(), 70_f64.to_radians());
    let other = libm::sin(beta) / libm::sin(alpha);
    let ratio = libm::sin(0.5 * (alpha + beta)) / libm::sin(0.5 * (beta - alpha));
    let second = 2.0 * libm::atan(ratio / libm::tan(0.6));
    let links = [(1.2, 1.0, alpha), (second, other, beta), (-1.2, 1.0, alpha), (-second, other, beta)];
    loop_row("Bennett's linkage, overconstrained", &links)
}

/// Bricard's linkage of threefold symmetry with twists of 90 degrees by turns: six hinges that should lock. Angles at neighbours obey
/// `cos a + cos b + cos a cos b = 0`.
pub(crate) fn bricard_energy() -> Row {
    let twist = std::f64::consts::FRAC_PI_2;
    let first = 100_f64.to_radians();
    let cosine = libm::cos(first);
    let second = libm::acos(-cosine / (1.0 + cosine));
    let links: Vec<(f64, f64, f64)> =
        (0..6).map(|i| if i % 2 == 0 { (first, 0.5, twist) } else { (second, 0.5, -twist) }).collect();
    loop_row("Bricard's linkage of threefold symmetry, overconstrained", &links)
}

/// A chain of ten rods whose axial inertia is a millionth of that across, by the direct solver.
pub(crate) fn thin_rods() -> Row {
    let error = |step: f64| {
        let options = WorldOptions { time_step: step, solver: Solver::Direct, ..WorldOptions::default() };
        let mut world = World::new(options).expect("sound options");
        let mut above = world.ground();
        for i in 0..10 {
            let top = DVec3::X * (0.3 * f64::from(i));
            let across = 0.3 * 0.3 / 12.0;
            let body = BodyDefinition::massive(massive(1.0, DVec3::new(1e-6 * across, across, across)));
            let body = world.add_body(&body.at(top + DVec3::X * 0.15)).expect("a rod");
            world.add_joint(&JointDefinition::ball(above, body, top)).expect("a joint");
            above = body;
        }
        let start = world.energy().total();
        run(&mut world, 2.0);
        let energy = world.energy();
        (energy.total() - start) / energy.kinetic.max(1.0)
    };
    Row {
        what: "Chain of ten rods of tiny axial inertia, `Direct`",
        quantity: "energy after 2 s, share of the kinetic",
        expected: "that at the start".to_owned(),
        errors: [1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0].map(|step| (step, error(step))).to_vec(),
        goal: 1e-2,
    }
}
