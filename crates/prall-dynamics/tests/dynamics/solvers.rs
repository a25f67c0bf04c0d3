//! Solvers against each other and against their own promises.

use crate::support::*;
use glam::{DQuat, DVec3};
use prall_dynamics::{BodyHandle, JointDefinition, JointHandle, Solver, World, WorldOptions};
use prall_math::{Pose, Twist};

fn largest_difference(a: &World, b: &World) -> f64 {
    a.body_handles()
        .map(|body| (a.pose(body).unwrap().translation - b.pose(body).unwrap().translation).length())
        .fold(0.0, f64::max)
}

/// Points of joints and their rates, asked of the bodies: the solver's own residuals are no judge. The report does not call them smaller.
#[test]
fn the_iterative_solver_ends_within_both_tolerances() {
    let mut world = world(1.0 / 60.0, Solver::Iterative);
    tree(&mut world, 15);
    for _ in 0..60 {
        world.advance();
        let (gap, rate) = ball_joint_errors(&world);
        assert!(gap <= 1e-5, "{gap}");
        assert!(rate <= 1e-4, "{rate}");
        // A gap of three lengths is at most root of three times the largest of them.
        let (told, told_rate) = (world.details().joint_error, world.details().joint_rate);
        assert!(gap <= 1.733 * told + 1e-15 && told <= gap + 1e-15, "{gap} {told}");
        // The rate is that of the last sweep before its own corrections: a bound.
        assert!(rate <= 1.733 * told_rate + 1e-12, "{rate} {told_rate}");
    }
}

/// One joint, one phase: the two points have one velocity to rounding, whatever was wanted.
#[test]
fn one_impulse_makes_the_points_of_one_joint_one_velocity() {
    for seed in 0..20 {
        let wild = |k: f64| libm::sin(k + 1.7 * f64::from(seed)) * 3.0;
        let mut world = weightless(1.0 / 240.0, Solver::Iterative);
        let hub = world.add_body(&rod(0.8).at(DVec3::X * 0.4)).unwrap();
        let arm = world.add_body(&rod(0.4).at(DVec3::new(0.8, 0.2, 0.0))).unwrap();
        world.add_joint(&JointDefinition::ball(hub, arm, DVec3::X * 0.8)).unwrap();
        for (body, k) in [(hub, 1.0), (arm, 2.0)] {
            let twist = Twist::new(
                DVec3::new(wild(k), wild(2.0 * k), wild(3.0 * k)),
                DVec3::new(wild(5.0 * k), wild(7.0 * k), wild(9.0 * k)),
            );
            world.set_velocity(body, twist).unwrap();
        }
        world.advance();
        let (_, rate) = ball_joint_errors(&world);
        assert!(rate < 1e-12, "{seed}: {rate}");
    }
}

#[test]
fn a_tolerance_is_honoured_and_a_tighter_one_costs_more() {
    let mut last = 0;
    for tolerance in [1e-2, 1e-4, 1e-6, 1e-8] {
        let mut world = World::new(WorldOptions {
            solver: Solver::Iterative,
            position_tolerance: tolerance,
            velocity_tolerance: tolerance,
            most_sweeps: 20_000,
            ..WorldOptions::default()
        })
        .unwrap();
        tree(&mut world, 7);
        let mut sweeps = 0;
        for _ in 0..30 {
            world.advance();
            sweeps += world.details().joint_sweeps.0 + world.details().joint_sweeps.1;
            assert!(world.details().joint_error <= tolerance * (1.0 + 1e-9), "{tolerance}");
        }
        assert!(sweeps > last, "{tolerance}: {sweeps} after {last}");
        last = sweeps;
    }
}

/// Plain sweeps of a chain, whose errors spread like heat, grow with the square of its length; conjugate ones with the length. Twice the chain
/// may take three times the sweeps, half-way between two and four.
#[test]
fn sweeps_grow_with_the_length_of_a_chain_and_not_with_its_square() {
    let sweeps = |links: usize| {
        let mut world = World::new(WorldOptions {
            time_step: 1.0 / 240.0,
            solver: Solver::Iterative,
            position_tolerance: 1e-6,
            velocity_tolerance: 1e-5,
            most_substeps: 1,
            ..WorldOptions::default()
        })
        .unwrap();
        let mut above = world.ground();
        for i in 0..links {
            let x = i as f64;
            let link = world.add_body(&rod(1.0).at(DVec3::X * (x + 0.5))).unwrap();
            world.add_joint(&JointDefinition::ball(above, link, DVec3::X * x)).unwrap();
            above = link;
        }
        let mut sweeps = 0;
        for _ in 0..20 {
            world.advance();
            assert!(world.details().joint_error <= 1e-6, "{links}: {}", world.details().joint_error);
            sweeps += world.details().joint_sweeps.0 + world.details().joint_sweeps.1;
        }
        sweeps
    };
    let (short, long) = (sweeps(20), sweeps(40));
    assert!(long < 3 * short, "{short} sweeps for 20 links, {long} for 40");
}

/// The direct solver is the limit of the iterative one.
#[test]
fn direct_and_iterative_agree_when_both_are_exact() {
    let options = WorldOptions {
        position_tolerance: 1e-12,
        velocity_tolerance: 1e-12,
        most_sweeps: 100_000,
        ..WorldOptions::default()
    };
    let make = |solver| {
        let mut world = World::new(WorldOptions { solver, ..options }).unwrap();
        tree(&mut world, 7);
        world
    };
    let (mut one, mut other) = (make(Solver::Iterative), make(Solver::Direct));
    run(&mut one, 30);
    run(&mut other, 30);
    // Errors of 1e-12 in each of 30 steps, magnified by the tree's own sensitivity.
    assert!(largest_difference(&one, &other) < 1e-8, "{}", largest_difference(&one, &other));
}

#[test]
fn the_direct_solver_factors_once_per_phase() {
    let mut world = world(1.0 / 60.0, Solver::Direct);
    tree(&mut world, 31);
    run(&mut world, 20);
    // Twice for every part that a step was cut into.
    let before = world.details().factorisations;
    world.advance();
    assert_eq!(world.details().factorisations - before, 2 * world.details().substeps as usize);
    assert!(
        world.details().joint_sweeps.0 <= 6 * world.details().substeps as usize,
        "look-aheads: {}",
        world.details().joint_sweeps.0
    );
}

/// Four bars of one metre, three of them moving, hinged at both ends: a loop with redundant rows.
fn four_bar(step: f64, solver: Solver, cells: usize) -> World {
    let mut world = exact(step, solver);
    let ground = world.ground();
    let upright = |x: f64| {
        rod(1.0)
            .in_pose(Pose::new(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2), DVec3::new(x, 0.5, 0.0)))
    };
    let spin = DVec3::Z * -1.0;
    let mut posts: Vec<BodyHandle> = Vec::new();
    for i in 0..=cells {
        let x = i as f64;
        let post = world.add_body(&upright(x).moving(DVec3::X * 0.5, spin)).unwrap();
        world.add_joint(&JointDefinition::hinge(ground, post, DVec3::X * x, DVec3::Z)).unwrap();
        posts.push(post);
    }
    for i in 0..cells {
        let x = i as f64;
        let bar = world
            .add_body(&rod(1.0).at(DVec3::new(x + 0.5, 1.0, 0.0)).moving(DVec3::X, DVec3::ZERO))
            .unwrap();
        world.add_joint(&JointDefinition::hinge(posts[i], bar, DVec3::new(x, 1.0, 0.0), DVec3::Z)).unwrap();
        world
            .add_joint(&JointDefinition::hinge(bar, posts[i + 1], DVec3::new(x + 1.0, 1.0, 0.0), DVec3::Z))
            .unwrap();
    }
    world
}

/// From upright down to eight degrees above the flat, singular pose: energy within 1e-3 of its scale at h = 1/240.
#[test]
fn a_chain_of_four_bars_keeps_its_energy_until_it_lies_flat() {
    let mut world = four_bar(1.0 / 240.0, Solver::Auto, 2);
    let start = world.energy().total();
    let bar = world.body_handles().last().unwrap();
    let mut steps = 0;
    while world.pose(bar).unwrap().translation.y > 0.14 {
        world.advance();
        steps += 1;
        assert!((world.energy().total() / start - 1.0).abs() < 1e-3, "step {steps}");
        assert!(world.details().joint_error < 1e-6, "step {steps}: {}", world.details().joint_error);
    }
    assert!(steps > 60, "{steps}");
}

/// A net of balls that hangs on its upper edge.
fn net(world: &mut World, columns: usize, rows: usize) -> JointHandle {
    let mut joints = Vec::new();
    let mut bodies: Vec<BodyHandle> = Vec::new();
    for column in 0..columns {
        for row in 0..rows {
            let place = DVec3::new(column as f64, -(row as f64), 0.0);
            let body = world.add_body(&mass(1.0, 0.1).at(place)).unwrap();
            let above = if row == 0 { world.ground() } else { bodies[bodies.len() - 1] };
            joints
                .push(world.add_joint(&JointDefinition::ball(above, body, place + DVec3::Y * 0.5)).unwrap());
            if column > 0 {
                let left = bodies[bodies.len() - rows];
                world.add_joint(&JointDefinition::ball(left, body, place - DVec3::X * 0.5)).unwrap();
            }
            bodies.push(body);
        }
    }
    joints[0]
}

/// What was faster when all were measured: trees where there are none or few loops; a factorisation of nets, whose errors sweeps carry
/// from row to row; sweeps for a net of few rows, and for what is driven and has many loops in all directions.
#[test]
fn auto_chooses_by_structure() {
    let chosen = |build: &dyn Fn(&mut World) -> JointHandle| {
        let mut world = world(1.0 / 60.0, Solver::Auto);
        let joint = build(&mut world);
        world.advance();
        world.solved_by(joint).unwrap()
    };
    let chain = |world: &mut World| net(world, 1, 40);
    let binary = |world: &mut World| {
        tree(world, 63);
        world.joint_handles().next().unwrap()
    };
    let driven = |world: &mut World| {
        let joint = net(world, 1, 1);
        let body = world.body_handles().last().unwrap();
        let arm = world.add_body(&rod(1.0).at(DVec3::X)).unwrap();
        let hinge = JointDefinition::hinge(body, arm, DVec3::X * 0.5, DVec3::Z);
        world.add_joint(&hinge.rubbing(0, 1.0)).unwrap();
        joint
    };
    let lattice = |world: &mut World| lattice(world, 6);
    assert_eq!(chosen(&chain), Solver::Tree);
    assert_eq!(chosen(&binary), Solver::Tree);
    assert_eq!(chosen(&|world| net(world, 2, 3)), Solver::Tree, "few loops");
    assert_eq!(chosen(&driven), Solver::Direct);
    for size in [8, 20, 30] {
        assert_eq!(chosen(&|world| net(world, size, size)), Solver::Direct, "{size}");
    }
    assert_eq!(chosen(&|world| net(world, 100, 7)), Solver::Iterative, "wide");
    assert_eq!(chosen(&lattice), Solver::Iterative);
    for cells in [1, 2] {
        let mut linkage = four_bar(1.0 / 240.0, Solver::Auto, cells);
        linkage.advance();
        let joint = linkage.joint_handles().next().unwrap();
        assert_eq!(linkage.solved_by(joint).unwrap(), Solver::Tree, "{cells} cells");
    }
    let mut linkage = four_bar(1.0 / 240.0, Solver::Auto, 12);
    linkage.advance();
    let joint = linkage.joint_handles().next().unwrap();
    assert_eq!(linkage.solved_by(joint).unwrap(), Solver::Direct, "twelve loops");
}

/// Balls in a cube, each jointed to its six neighbours, that hangs on its upper face.
fn lattice(world: &mut World, size: usize) -> JointHandle {
    let mut bodies: Vec<BodyHandle> = Vec::new();
    let mut first = None;
    for x in 0..size {
        for z in 0..size {
            for y in 0..size {
                let place = DVec3::new(x as f64, -(y as f64), z as f64);
                let body = world.add_body(&mass(1.0, 0.1).at(place)).unwrap();
                let number = bodies.len();
                let above = if y == 0 { world.ground() } else { bodies[number - 1] };
                let mut join = |other, side: DVec3| {
                    let joint = JointDefinition::ball(other, body, place + side * 0.5);
                    first.get_or_insert(world.add_joint(&joint).unwrap());
                };
                join(above, DVec3::Y);
                if z > 0 {
                    join(bodies[number - size], DVec3::NEG_Z);
                }
                if x > 0 {
                    join(bodies[number - size * size], DVec3::NEG_X);
                }
                bodies.push(body);
            }
        }
    }
    first.unwrap()
}

#[test]
fn closed_loops_need_no_special_treatment_in_sweeps() {
    let mut world = four_bar(1.0 / 60.0, Solver::Iterative, 1);
    world
        .set_options(WorldOptions { position_tolerance: 1e-6, velocity_tolerance: 1e-5, ..*world.options() })
        .unwrap();
    // Until it comes near the flat pose, where sweeps take too long.
    for _ in 0..20 {
        world.advance();
        assert!(world.details().joint_error <= 1e-6, "{}", world.details().joint_error);
    }
}

/// The double pendulum against a Runge-Kutta integration of its equations (point masses, rods of 1 m).
#[test]
fn a_double_pendulum_converges_to_its_equations_of_motion() {
    let place = |step: f64| {
        let mut world = exact(step, Solver::Direct);
        let first = world.add_body(&mass(1.0, 1e-10).at(DVec3::X)).unwrap();
        let second = world.add_body(&mass(1.0, 1e-10).at(DVec3::X * 2.0)).unwrap();
        let ground = world.ground();
        world.add_joint(&JointDefinition::distance(ground, DVec3::ZERO, first, DVec3::ZERO, 1.0)).unwrap();
        world.add_joint(&JointDefinition::distance(first, DVec3::ZERO, second, DVec3::ZERO, 1.0)).unwrap();
        run(&mut world, (0.8 / step).round() as usize);
        world.pose(second).unwrap().translation
    };
    let expected = reference_double_pendulum(0.8);
    let (coarse, fine) = ((place(1.0 / 100.0) - expected).length(), (place(1.0 / 400.0) - expected).length());
    assert!(fine < 1e-3 && coarse / fine > 10.0, "{coarse} and {fine}");
}

/// Angles from the downward vertical, both masses and lengths one; classical equations, fourth-order Runge-Kutta, 1e5 steps.
fn reference_double_pendulum(time: f64) -> DVec3 {
    let slope = |s: [f64; 4]| {
        let [a, b, u, v] = s;
        let (sine, cosine) = libm::sincos(a - b);
        // [2 cos; cos 1] (a'', b'') = right side.
        let one = -v * v * sine - 2.0 * GRAVITY * libm::sin(a);
        let two = u * u * sine - GRAVITY * libm::sin(b);
        let determinant = 2.0 - cosine * cosine;
        [u, v, (one - cosine * two) / determinant, (2.0 * two - cosine * one) / determinant]
    };
    let steps = 100_000;
    let h = time / f64::from(steps);
    let quarter = std::f64::consts::FRAC_PI_2;
    let mut s = [quarter, quarter, 0.0, 0.0];
    let plus = |s: [f64; 4], k: [f64; 4], f: f64| std::array::from_fn(|i| s[i] + f * k[i]);
    for _ in 0..steps {
        let k1 = slope(s);
        let k2 = slope(plus(s, k1, 0.5 * h));
        let k3 = slope(plus(s, k2, 0.5 * h));
        let k4 = slope(plus(s, k3, h));
        s = std::array::from_fn(|i| s[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    let end = |angle: f64| DVec3::new(libm::sin(angle), -libm::cos(angle), 0.0);
    end(s[0]) + end(s[1])
}

#[test]
fn threads_do_not_change_the_bits() {
    let make =
        |threads: Option<usize>| {
            let mut world = World::new(WorldOptions {
                solver: Solver::Iterative,
                position_tolerance: 1e-4,
                velocity_tolerance: 1e-3,
                ..WorldOptions::default()
            })
            .unwrap();
            world.set_pool(threads.map(|n| {
                std::sync::Arc::new(rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap())
            }));
            tree(&mut world, 511);
            run(&mut world, 3);
            world.hash()
        };
    assert_eq!(make(None), make(Some(1)));
    assert_eq!(make(None), make(Some(3)));
}

/// 10 links of 1 kg and a heavy end that hangs still: nothing sinks.
#[test]
fn a_chain_with_a_heavy_end_does_not_stretch() {
    for heavy in [100.0, 1000.0, 10_000.0] {
        let mut world = world(1.0 / 60.0, Solver::Auto);
        let mut last = world.ground();
        for i in 0..11 {
            let y = -0.5 - f64::from(i);
            let weight = if i == 10 { heavy } else { 1.0 };
            let body = world.add_body(&mass(weight, 0.1 * weight).at(DVec3::Y * y)).unwrap();
            world.add_joint(&JointDefinition::ball(last, body, DVec3::Y * (y + 0.5))).unwrap();
            last = body;
        }
        run(&mut world, 300);
        assert!((world.pose(last).unwrap().translation + DVec3::Y * 10.5).length() < 1e-3, "{heavy}");
    }
}

/// A factorisation of this net takes some dozens of times the work of a substitution; what changes in its matrix from step to step, the solves
/// of later steps remove.
#[test]
fn a_net_that_hardly_moves_is_factored_once() {
    let mut world = world(1.0 / 60.0, Solver::Direct);
    net(&mut world, 24, 24);
    run(&mut world, 20);
    assert!(world.details().factorisations <= 2, "{}", world.details().factorisations);
    // Ten thousand times below the tolerance, as with a factor of the same step.
    assert!(world.details().joint_error < 1e-9, "{}", world.details().joint_error);
}

/// A kept factor is part of the state: without it the restored world would go on with other bits.
#[test]
fn a_restored_net_goes_on_with_its_factor() {
    let build = || {
        let mut world = world(1.0 / 60.0, Solver::Direct);
        net(&mut world, 24, 24);
        for body in world.body_handles().collect::<Vec<_>>().into_iter().skip(300) {
            let pushed = Twist { linear: DVec3::new(0.0, 0.0, 0.2), angular: DVec3::ZERO };
            // The upper edge does not move.
            let _ = world.set_velocity(body, pushed);
        }
        world
    };
    let mut world = build();
    run(&mut world, 5);
    let saved = world.save();
    run(&mut world, 5);
    let mut restored = build();
    restored.restore(&saved).unwrap();
    run(&mut restored, 5);
    assert_eq!(world.save(), restored.save());
    assert!(world.details().joint_error <= 1e-5);
}

/// A net that hangs goes on with the factor of its first step, whose poses are gone: it is saved by its matrix.
#[test]
fn a_restored_net_at_rest_goes_on_with_an_old_factor() {
    let build = || {
        let mut world = world(1.0 / 60.0, Solver::Auto);
        net(&mut world, 24, 24);
        world
    };
    let mut world = build();
    run(&mut world, 6);
    assert_eq!(world.details().factorisations, 1);
    let saved = world.save();
    run(&mut world, 4);
    let mut restored = build();
    restored.restore(&saved).unwrap();
    run(&mut restored, 4);
    assert_eq!(restored.details().factorisations, 0);
    assert_eq!(world.save(), restored.save());
}

/// The poses after a step are those before the next one, and so are the matrices.
#[test]
fn a_net_that_swings_is_factored_once_for_every_part_of_a_step() {
    let mut world = world(1.0 / 60.0, Solver::Auto);
    net(&mut world, 24, 24);
    for body in world.body_handles().collect::<Vec<_>>().into_iter().skip(300) {
        // The upper edge does not move.
        let _ = world.set_velocity(body, Twist { linear: DVec3::Z * 0.2, angular: DVec3::ZERO });
    }
    let mut parts = 0;
    for _ in 0..5 {
        world.advance();
        parts += world.details().substeps as usize;
        assert!(world.details().joint_error <= 1e-5, "{}", world.details().joint_error);
    }
    assert!(world.details().factorisations <= parts + 1, "{} in {parts}", world.details().factorisations);
}

/// Nets of ten thousand joints are factored: sweeps would take a hundred times as long to reach what one solve reaches.
#[test]
fn a_large_net_closes_to_rounding_in_its_first_step() {
    let mut world = world(1.0 / 60.0, Solver::Auto);
    net(&mut world, 72, 72);
    assert!(world.joint_count() > 10_000);
    world.advance();
    let joint = world.joint_handles().next().unwrap();
    assert_eq!(world.solved_by(joint).unwrap(), Solver::Direct);
    // Ten thousand times below the tolerance.
    assert!(world.details().joint_error < 1e-9, "{}", world.details().joint_error);
}
