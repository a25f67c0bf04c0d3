//! Joints against pendulums, springs, screws and conservation laws.

use crate::support::*;
use glam::{DQuat, DVec3};
use prall_dynamics::{
    BodyHandle, Event, JointDefinition, JointKind, JointPlace, PointConstraint, Servo, Solver, SpringDamper,
    TurnConstraint, World, WorldOptions,
};
use prall_math::{Pose, Twist, Wrench};

fn pendulum(step: f64, solver: Solver) -> (World, BodyHandle) {
    let mut world = exact(step, solver);
    let bob = world.add_body(&mass(1.0, 1.0).at(DVec3::X)).unwrap();
    let joint = JointDefinition::distance(world.ground(), DVec3::ZERO, bob, DVec3::ZERO, 1.0);
    world.add_joint(&joint).unwrap();
    (world, bob)
}

/// Time at which x changes its sign for the n-th time, linear between steps.
fn crossing(world: &mut World, body: BodyHandle, count: usize, x: impl Fn(&World, BodyHandle) -> f64) -> f64 {
    let (mut last, mut seen) = (x(world, body), 0);
    loop {
        let before = world.time();
        world.advance();
        let now = x(world, body);
        if (now > 0.0) != (last > 0.0) {
            seen += 1;
            if seen == count {
                return before + (world.time() - before) * last / (last - now);
            }
        }
        last = now;
    }
}

/// From horizontal: period 2.367842 s (complete elliptic integral); five crossings of the vertical are two and a quarter periods.
#[test]
fn a_pendulum_swings_with_its_exact_period() {
    let (mut world, bob) = pendulum(1.0 / 240.0, Solver::Direct);
    let fifth = crossing(&mut world, bob, 5, |w, b| w.pose(b).unwrap().translation.x);
    // Second order: relative error about (omega h)^2 / 24 = 1e-5.
    assert!((fifth / 2.25 - 2.367842).abs() < 1e-4, "{}", fifth / 2.25);
}

#[test]
fn a_uniform_rod_swings_with_its_exact_period() {
    let mut world = exact(1.0 / 240.0, Solver::Direct);
    let body = world.add_body(&rod(1.0).at(DVec3::X * 0.5)).unwrap();
    world.add_joint(&JointDefinition::hinge(world.ground(), body, DVec3::ZERO, DVec3::Z)).unwrap();
    let fifth = crossing(&mut world, body, 5, |w, b| w.pose(b).unwrap().translation.x);
    assert!((fifth / 2.25 - 1.933335).abs() < 1e-4, "{}", fifth / 2.25);
}

/// Halving the step divides the error by four.
#[test]
fn a_pendulum_is_of_second_order() {
    let place = |step: f64| {
        let (mut world, bob) = pendulum(step, Solver::Direct);
        run(&mut world, (1.0 / step).round() as usize);
        world.pose(bob).unwrap().translation
    };
    let (coarse, middle, fine) = (place(1.0 / 100.0), place(1.0 / 200.0), place(1.0 / 400.0));
    let ratio = (coarse - middle).length() / (middle - fine).length();
    assert!((ratio - 4.0).abs() < 0.2, "{ratio}");
}

/// 100 s at h = 0.01: the energy oscillates within 0.0036 J (the specification's prototype) and does not drift.
#[test]
fn a_pendulum_does_not_drift_in_energy() {
    let (mut world, _) = pendulum(0.01, Solver::Direct);
    let start = world.energy().total();
    let mut worst = 0.0_f64;
    for _ in 0..10_000 {
        world.advance();
        worst = worst.max((world.energy().total() - start).abs());
    }
    assert!(worst < 0.004, "{worst}");
}

/// Two free bodies, random-looking spins, one joint of every kind: momenta stay to rounding, the joint within tolerance.
#[test]
fn joints_keep_linear_and_angular_momentum() {
    let mut kinds = Vec::new();
    for point in
        [PointConstraint::Free, PointConstraint::InPlane, PointConstraint::OnLine, PointConstraint::AtPoint]
    {
        for turn in [
            TurnConstraint::Free,
            TurnConstraint::AcrossAxis,
            TurnConstraint::AlongAxis,
            TurnConstraint::Locked,
        ] {
            kinds.push(JointKind::Combined(point, turn));
        }
    }
    kinds.push(JointKind::Screw { pitch: 0.2 });
    for kind in kinds {
        for solver in [Solver::Iterative, Solver::Direct] {
            let mut world = weightless(1.0 / 60.0, solver);
            let a = rod(1.0).moving(DVec3::new(0.3, -0.4, 0.1), DVec3::new(1.0, 2.0, -0.5));
            let b = rod(0.7)
                .at(DVec3::new(0.9, 0.1, 0.0))
                .moving(DVec3::new(-0.5, 0.2, 0.6), DVec3::new(0.7, -1.5, 2.0));
            let (a, b) = (world.add_body(&a).unwrap(), world.add_body(&b).unwrap());
            let place =
                Pose::new(DQuat::from_scaled_axis(DVec3::new(0.3, 0.5, -0.2)), DVec3::new(0.5, 0.05, 0.0));
            let joint = world.add_joint(&JointDefinition::new(kind, a, b, JointPlace::World(place))).unwrap();
            let (linear, angular) = world.momentum();
            for _ in 0..120 {
                world.advance();
                assert!(world.joint_error(joint).unwrap() < 1e-11, "{kind:?} {solver:?}");
            }
            let (linear, angular) = (world.momentum().0 - linear, world.momentum().1 - angular);
            assert!(linear.length() < 1e-12 && angular.length() < 1e-11, "{kind:?} {solver:?}: {angular}");
        }
    }
}

/// What a joint leaves free it must not touch: impulses along free coordinates are zero, so a pair that moves along them
/// keeps its relative speed.
#[test]
fn free_coordinates_stay_free() {
    for (kind, coordinate, velocity) in [
        (JointKind::HINGE, 0, Twist::new(DVec3::ZERO, DVec3::X * 2.0)),
        (JointKind::SLIDER, 0, Twist::new(DVec3::X * 2.0, DVec3::ZERO)),
        (JointKind::CYLINDER, 0, Twist::new(DVec3::X * 2.0, DVec3::X)),
        (JointKind::PLANAR, 1, Twist::new(DVec3::Z * 2.0, DVec3::X)),
        (JointKind::UNIVERSAL, 1, Twist::new(DVec3::ZERO, DVec3::Y * 2.0)),
    ] {
        let mut world = weightless(0.01, Solver::Direct);
        let body = world.add_body(&mass(1.0, 1.0).moving(velocity.linear, velocity.angular)).unwrap();
        let place = JointPlace::World(Pose::IDENTITY);
        let joint = world.add_joint(&JointDefinition::new(kind, world.ground(), body, place)).unwrap();
        run(&mut world, 50);
        assert!((world.coordinate_rate(joint, coordinate).unwrap() - 2.0).abs() < 1e-9, "{kind:?}");
        assert!((world.coordinate(joint, coordinate).unwrap() - 1.0).abs() < 1e-9, "{kind:?}");
    }
}

#[test]
fn named_joints_take_as_many_freedoms_as_the_table_says() {
    let table = [
        (JointKind::BALL, 3),
        (JointKind::UNIVERSAL, 4),
        (JointKind::HINGE, 5),
        (JointKind::FIXED, 6),
        (JointKind::POINT_ON_LINE, 2),
        (JointKind::WHEEL, 3),
        (JointKind::CYLINDER, 4),
        (JointKind::SLIDER, 5),
        (JointKind::POINT_IN_PLANE, 1),
        (JointKind::PLANAR, 3),
    ];
    for (kind, count) in table {
        assert_eq!(kind.constraints(), count, "{kind:?}");
    }
}

#[test]
fn a_distance_joint_keeps_its_length() {
    let mut world = world(1.0 / 60.0, Solver::Iterative);
    let bob =
        world.add_body(&mass(1.0, 0.01).at(DVec3::new(0.6, -0.8, 0.0)).moving(DVec3::Z, DVec3::X)).unwrap();
    let joint = JointDefinition::distance(world.ground(), DVec3::ZERO, bob, DVec3::ZERO, 1.0);
    world.add_joint(&joint).unwrap();
    for _ in 0..300 {
        world.advance();
        assert!((world.pose(bob).unwrap().translation.length() - 1.0).abs() <= 1.001e-5);
    }
}

#[test]
fn a_rope_is_slack_until_it_is_taut_and_never_pushes() {
    let mut world = world(1.0 / 60.0, Solver::Auto);
    let bob = world.add_body(&mass(1.0, 0.01)).unwrap();
    world.add_joint(&JointDefinition::rope(world.ground(), DVec3::ZERO, bob, DVec3::ZERO, 1.0)).unwrap();
    run(&mut world, 20);
    let t = 20.0 / 60.0;
    let fallen = -world.pose(bob).unwrap().translation.y;
    assert!((fallen - 0.5 * GRAVITY * t * t).abs() < 1e-12, "slack: it falls freely, {fallen}");
    run(&mut world, 100);
    assert!((world.pose(bob).unwrap().translation + DVec3::Y).length() < 1e-4, "taut: it hangs");
}

#[test]
fn a_motor_reaches_its_speed_and_no_more_than_its_torque() {
    let mut world = weightless(0.01, Solver::Auto);
    let wheel = world.add_body(&mass(1.0, 0.5)).unwrap();
    let joint = JointDefinition::hinge(world.ground(), wheel, DVec3::ZERO, DVec3::Y).driven(0, 3.0, 1.0);
    let joint = world.add_joint(&joint).unwrap();
    // 1 N m on 0.5 kg m^2: 2 rad/s^2 until 3 rad/s are reached at 1.5 s.
    run(&mut world, 100);
    assert!((world.coordinate_rate(joint, 0).unwrap() - 2.0).abs() < 1e-9);
    assert!((world.reaction(joint).unwrap().torque - DVec3::Y).length() < 1e-9);
    run(&mut world, 100);
    assert!((world.coordinate_rate(joint, 0).unwrap() - 3.0).abs() < 1e-9);
}

#[test]
fn a_servo_goes_to_its_place_and_holds_it_under_load() {
    let mut world = world(1.0 / 240.0, Solver::Auto);
    let arm = world.add_body(&mass(1.0, 0.05).at(DVec3::X * 0.5)).unwrap();
    let servo = Servo { target: 1.0, speed: 2.0, strength: 20.0 };
    let joint = JointDefinition::hinge(world.ground(), arm, DVec3::ZERO, DVec3::Z).served(0, servo);
    let joint = world.add_joint(&joint).unwrap();
    let mut highest = 0.0_f64;
    for _ in 0..480 {
        world.advance();
        highest = highest.max(world.coordinate(joint, 0).unwrap());
        assert!(world.reaction(joint).unwrap().torque.z.abs() < 20.0 * (1.0 + 1e-9));
    }
    assert!((world.coordinate(joint, 0).unwrap() - 1.0).abs() < 1e-4);
    assert!(highest < 1.01, "it brakes in time: {highest}");
    // It carries the weight at 0.5 m times the cosine of the angle.
    let torque = world.reaction(joint).unwrap().torque.z;
    assert!((torque - GRAVITY * 0.5 * libm::cos(1.0)).abs() < 0.05, "{torque}");
}

/// `sqrt(k/m)/2 pi` = 1 Hz; implicit midpoint is slow by (omega h)^2 / 12 = 0.01 %.
#[test]
fn a_spring_swings_with_its_frequency_and_keeps_its_energy() {
    let stiffness = std::f64::consts::TAU * std::f64::consts::TAU;
    let mut world = weightless(1.0 / 240.0, Solver::Auto);
    let body = world.add_body(&mass(1.0, 1.0).at(DVec3::X * 1.5)).unwrap();
    let spring = SpringDamper { stiffness, damping: 0.0, rest: 1.0 };
    world
        .add_joint(&JointDefinition::spring(world.ground(), DVec3::ZERO, body, DVec3::ZERO, spring))
        .unwrap();
    let ninth = crossing(&mut world, body, 9, |w, b| w.pose(b).unwrap().translation.x - 1.0);
    assert!((ninth - 4.25).abs() < 2e-3, "{ninth}");
    let stretch = world.pose(body).unwrap().translation.x - 1.0;
    let energy = world.energy().kinetic + 0.5 * stiffness * stretch * stretch;
    assert!((energy - 0.5 * stiffness * 0.25).abs() < 1e-6, "{energy}");
}

/// A damper takes what it must: critical damping, `x = (1 + w t) exp(-w t)`.
#[test]
fn a_critically_damped_spring_creeps_home() {
    let mut world = weightless(1.0 / 240.0, Solver::Auto);
    let body = world.add_body(&mass(1.0, 1.0).at(DVec3::X)).unwrap();
    let spring = SpringDamper { stiffness: 25.0, damping: 10.0, rest: 0.0 };
    let joint = JointDefinition::slider(world.ground(), body, DVec3::ZERO, DVec3::X);
    // The slider is put at the origin in the world: its coordinate is the shift since then, so 1 m is left out.
    let joint = world.add_joint(&joint.sprung(0, SpringDamper { rest: -1.0, ..spring })).unwrap();
    run(&mut world, 240);
    let expected = 6.0 * libm::exp(-5.0) - 1.0;
    assert!((world.coordinate(joint, 0).unwrap() - expected).abs() < 1e-3);
}

#[test]
fn limits_hold_and_never_pull() {
    for solver in [Solver::Iterative, Solver::Direct] {
        let mut world = world(1.0 / 60.0, solver);
        let arm = world.add_body(&rod(1.0).at(DVec3::X * 0.5)).unwrap();
        let joint = JointDefinition::hinge(world.ground(), arm, DVec3::ZERO, DVec3::Z).limits(0, -0.5, 0.5);
        let joint = world.add_joint(&joint).unwrap();
        for _ in 0..240 {
            world.advance();
            assert!(world.coordinate(joint, 0).unwrap() > -0.5 - 2e-5, "{solver:?}");
            assert!(world.reaction(joint).unwrap().torque.z > -1e-6, "{solver:?}");
        }
        assert!((world.coordinate(joint, 0).unwrap() + 0.5).abs() < 1e-4);
        let place = world.pose(arm).unwrap().translation;
        world.set_velocity(arm, Twist::new((DVec3::Z * 4.0).cross(place), DVec3::Z * 4.0)).unwrap();
        run(&mut world, 10);
        assert!(world.coordinate(joint, 0).unwrap() > -0.49, "it swings off freely, {solver:?}");
    }
}

#[test]
fn joint_friction_holds_up_to_its_strength() {
    for (strength, slips) in [(5.0, false), (4.8, true)] {
        let mut world = world(1.0 / 120.0, Solver::Auto);
        let arm = world.add_body(&mass(1.0, 0.1).at(DVec3::X * 0.5)).unwrap();
        let joint = JointDefinition::hinge(world.ground(), arm, DVec3::ZERO, DVec3::Z).rubbing(0, strength);
        let joint = world.add_joint(&joint).unwrap();
        run(&mut world, 120);
        let angle = world.coordinate(joint, 0).unwrap();
        // The weight's moment is 4.905 N m.
        assert_eq!(angle < -0.01, slips, "{strength}: {angle}");
    }
}

#[test]
fn a_screw_advances_by_its_pitch() {
    let mut world = weightless(0.01, Solver::Auto);
    let nut = world.add_body(&mass(1.0, 0.1).moving(DVec3::ZERO, DVec3::X * 10.0)).unwrap();
    let joint =
        world.add_joint(&JointDefinition::screw(world.ground(), nut, DVec3::ZERO, DVec3::X, 0.1)).unwrap();
    let energy = world.energy().kinetic;
    run(&mut world, 300);
    let turns = world.coordinate(joint, 0).unwrap() / std::f64::consts::TAU;
    assert!(turns > 4.0, "{turns}");
    assert!((world.pose(nut).unwrap().translation.x - 0.1 * turns).abs() < 1e-9);
    // Spin and advance share the momentum at the first step, an impact that costs a little; later nothing is lost.
    assert!(world.energy().kinetic < energy && world.energy().kinetic > 0.99 * energy);
}

#[test]
fn gear_wheels_turn_with_their_ratio_over_many_turns() {
    let mut world = weightless(1.0 / 60.0, Solver::Auto);
    let first = world.add_body(&mass(1.0, 0.1).moving(DVec3::ZERO, DVec3::X * 6.0)).unwrap();
    let second = world.add_body(&mass(1.0, 0.3).at(DVec3::Y)).unwrap();
    let ground = world.ground();
    let one = world.add_joint(&JointDefinition::hinge(ground, first, DVec3::ZERO, DVec3::X)).unwrap();
    let two = world.add_joint(&JointDefinition::hinge(ground, second, DVec3::Y, DVec3::X)).unwrap();
    world.add_joint(&JointDefinition::gear(first, second, [Pose::IDENTITY; 2], 2.0)).unwrap();
    run(&mut world, 600);
    let (a, b) = (world.coordinate(one, 0).unwrap(), world.coordinate(two, 0).unwrap());
    assert!(a > 10.0, "{a}");
    assert!((a + 2.0 * b).abs() < 1e-8, "{a} and {b}");
}

#[test]
fn a_pinion_rolls_on_its_rack() {
    let mut world = weightless(1.0 / 60.0, Solver::Auto);
    let pinion = world.add_body(&mass(1.0, 0.1).moving(DVec3::X, DVec3::ZERO)).unwrap();
    let ground = world.ground();
    world
        .add_joint(&JointDefinition::rack_and_pinion(ground, pinion, DVec3::ZERO, DVec3::X, DVec3::Z, 0.25))
        .unwrap();
    run(&mut world, 300);
    let velocity = world.velocity(pinion).unwrap();
    assert!((velocity.linear.x + 0.25 * velocity.angular.z).abs() < 1e-9);
    // m v0 = (m + I / r^2) v.
    assert!((velocity.linear.x - 1.0 / (1.0 + 0.1 / 0.0625)).abs() < 1e-9);
}

#[test]
fn a_wheel_springs_and_spins_on_its_axle() {
    let mut world = world(1.0 / 240.0, Solver::Auto);
    let wheel = world.add_body(&mass(10.0, 0.2)).unwrap();
    let spring = SpringDamper { stiffness: 4000.0, damping: 300.0, rest: 0.0 };
    let joint = JointDefinition::wheel(world.ground(), wheel, DVec3::ZERO, DVec3::Y, DVec3::Z)
        .sprung(0, spring)
        .driven(2, 5.0, 10.0);
    let joint = world.add_joint(&joint).unwrap();
    run(&mut world, 480);
    assert!((world.coordinate(joint, 0).unwrap() + 10.0 * GRAVITY / 4000.0).abs() < 1e-6);
    assert!((world.velocity(wheel).unwrap().angular - DVec3::Z * 5.0).length() < 1e-6);
}

#[test]
fn an_overloaded_joint_breaks_and_says_so() {
    let mut world = world(1.0 / 60.0, Solver::Auto);
    let load = world.add_body(&mass(1.0, 0.1)).unwrap();
    let joint = JointDefinition::ball(world.ground(), load, DVec3::ZERO).breaking(20.0, f64::INFINITY);
    let joint = world.add_joint(&joint).unwrap();
    run(&mut world, 10);
    assert!((world.reaction(joint).unwrap().force - DVec3::Y * GRAVITY).length() < 1e-6);
    world.set_load(load, Wrench::new(DVec3::Y * -15.0, DVec3::ZERO)).unwrap();
    world.advance();
    assert_eq!(world.events(), [Event::JointBroken(joint)]);
    assert!(world.joint_error(joint).is_err());
    run(&mut world, 60);
    assert!(world.pose(load).unwrap().translation.y < -5.0);
}

#[test]
fn a_joint_between_unmoved_bodies_is_skipped() {
    let mut world = World::default();
    let floor = add_floor(&mut world);
    world.add_joint(&JointDefinition::fixed(world.ground(), floor, DVec3::ZERO)).unwrap();
    run(&mut world, 3);
    assert!(world.is_finite() && world.report().sweeps == 0);
}

/// Joined at their centres and not turning, two bodies move on a straight line relative to each other: the error over the
/// step is the velocity that is missing, and one visit closes the joint.
#[test]
fn one_pass_closes_a_joint_between_bodies_that_do_not_turn() {
    let mut world = weightless(1.0 / 30.0, Solver::Iterative);
    let options = *world.options();
    world.set_options(WorldOptions { most_substeps: 1, ..options }).unwrap();
    let one = world.add_body(&mass(1.0, 0.1).moving(DVec3::new(0.3, -0.2, 0.1), DVec3::ZERO)).unwrap();
    let two = world.add_body(&mass(3.0, 0.7).moving(DVec3::new(-0.1, 0.4, 0.2), DVec3::ZERO)).unwrap();
    world.add_joint(&JointDefinition::ball(one, two, DVec3::ZERO)).unwrap();
    world.advance();
    // The second visit finds that nothing is left to do.
    assert_eq!(world.details().joint_sweeps.0, 2);
    assert!(world.details().joint_error < 1e-15);
    // The common velocity: (m1 v1 + m2 v2) / (m1 + m2).
    let common = (DVec3::new(0.3, -0.2, 0.1) + DVec3::new(-0.1, 0.4, 0.2) * 3.0) / 4.0;
    assert!((world.velocity(one).unwrap().linear - common).length() < 1e-12);
}

/// Ten seconds of forces and torques that change direction in every step, up to 10 N and 0.1 N m on a rod of 1 kg.
#[test]
fn joints_hold_under_random_forcing() {
    let kinds =
        [JointKind::HINGE, JointKind::UNIVERSAL, JointKind::SLIDER, JointKind::CYLINDER, JointKind::FIXED];
    for solver in [Solver::Iterative, Solver::Direct, Solver::Tree] {
        for kind in kinds {
            let mut world = world(1.0 / 60.0, solver);
            let ground = world.ground();
            let first = world.add_body(&rod(1.0).at(DVec3::X * 0.5)).unwrap();
            let second = world.add_body(&rod(1.0).at(DVec3::X * 1.5)).unwrap();
            let frame = |x: f64| JointPlace::World(Pose::from_translation(DVec3::X * x));
            world.add_joint(&JointDefinition::new(JointKind::BALL, ground, first, frame(0.0))).unwrap();
            let joint = world.add_joint(&JointDefinition::new(kind, first, second, frame(1.0))).unwrap();
            let mut seed = 1_u64;
            let mut random = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
            };
            for _ in 0..600 {
                let [f, t] = [10.0, 0.1].map(|size| DVec3::new(random(), random(), random()) * size);
                world.set_load(second, Wrench::new(f, t)).unwrap();
                world.advance();
                let error = world.joint_error(joint).unwrap();
                assert!(error <= 1e-5, "{kind:?} by {solver:?} at {}: {error}", world.time());
            }
        }
    }
}
