//! Stopping early, rough handling, parts scattered about.

use crate::support::*;
use glam::{DQuat, DVec3};
use prall_dynamics::{Budget, Grip, JointDefinition, JointKind, JointPlace, Solver, World, WorldOptions};
use prall_math::{Pose, Twist};
use std::time::{Duration, Instant};

#[test]
fn a_stopped_solver_leaves_a_usable_state_and_recovers() {
    let mut world = world(1.0 / 60.0, Solver::Iterative);
    tree(&mut world, 31);
    let mut worst = 0.0_f64;
    for _ in 0..60 {
        // Three visits of every joint, where some hundred would be needed.
        let report = world.step(&mut Budget::of_work(100));
        assert!(report.budget_cut);
        worst = worst.max(world.details().joint_error);
        assert!(world.is_finite());
    }
    assert!(worst > 1e-4, "the budget was too small to be exact: {worst}");
    run(&mut world, 30);
    assert!(world.details().joint_error <= 1e-5, "{}", world.details().joint_error);
}

/// Counts of what is there and of what was done, and times of phases that fit into the time of the step.
#[test]
fn a_report_has_counts_and_times() {
    let mut world = world(1.0 / 60.0, Solver::Iterative);
    add_floor(&mut world);
    for i in 0..4 {
        world.add_body(&cube(0.5).at(DVec3::new(2.0 * f64::from(i), 0.6, 0.0))).unwrap();
    }
    let (mut collisions, mut times) = (0, [Duration::ZERO; 4]);
    for _ in 0..60 {
        let start = Instant::now();
        let report = world.advance();
        let elapsed = start.elapsed();
        collisions += report.collisions;
        let phases = report.phases;
        assert!(phases.total() <= elapsed, "{phases:?} in {elapsed:?}");
        let four = [phases.detect, phases.contacts, phases.solve, phases.commit];
        times.iter_mut().zip(four).for_each(|(sum, phase)| *sum += phase);
    }
    assert!(times.iter().all(|&sum| sum > Duration::ZERO), "{times:?}");
    // Four corners of each cube, which all meet the floor together.
    assert_eq!(world.report().contacts, 16);
    assert!(collisions >= 16 && collisions % 16 == 0, "{collisions}");
    assert!(world.report().sweeps > 0 || world.details().contact.certified > 0, "{:?}", world.details());
    assert!(world.report().work > 0);
}

#[test]
fn parts_scattered_by_metres_come_together_without_a_bang() {
    for solver in [Solver::Iterative, Solver::Direct] {
        let mut world = World::new(WorldOptions {
            solver,
            most_substeps: 1,
            gravity: DVec3::ZERO,
            ..WorldOptions::default()
        })
        .unwrap();
        let mut last = world.ground();
        for i in 0..6 {
            let t = f64::from(i);
            let place = DVec3::new(3.0 * libm::sin(2.0 * t), 2.0 * libm::cos(3.0 * t), t - 3.0);
            let turn = DQuat::from_scaled_axis(DVec3::new(t, -0.7 * t, 0.4));
            let body = world.add_body(&rod(1.0).in_pose(Pose::new(turn, place))).unwrap();
            let frames =
                [DVec3::X * if i == 0 { 0.0 } else { 0.5 }, DVec3::X * -0.5].map(Pose::from_translation);
            let kind = if i % 2 == 0 { JointKind::BALL } else { JointKind::HINGE };
            world.add_joint(&JointDefinition::new(kind, last, body, JointPlace::Bodies(frames))).unwrap();
            last = body;
        }
        let mut fastest = 0.0_f64;
        for _ in 0..150 {
            world.advance();
            assert!(world.is_finite());
            for body in world.body_handles() {
                fastest = fastest.max(world.velocity(body).unwrap().linear.length());
            }
        }
        assert!(world.details().joint_error <= 1e-5, "{solver:?}: {}", world.details().joint_error);
        // They close in with 4 m/s at most per joint; nothing is hurled.
        assert!(fastest < 40.0, "{solver:?}: {fastest}");
    }
}

#[test]
fn a_violently_dragged_tree_does_not_blow_up() {
    let mut world = world(1.0 / 60.0, Solver::Auto);
    let bodies = tree(&mut world, 127);
    let hand = world.grab(bodies[100], &Grip { rate: 30.0, strength: 1e3, ..Grip::default() }).unwrap();
    for step in 0..15 {
        let t = f64::from(step);
        assert!(
            world.pull(
                hand,
                DVec3::new(4.0 * libm::sin(t), -2.0 + 3.0 * libm::cos(1.7 * t), 4.0 * libm::cos(t))
            )
        );
        world.advance();
        assert!(world.is_finite());
    }
    world.release(hand);
    run(&mut world, 5);
    assert!(world.details().joint_error < 1e-4, "{}", world.details().joint_error);
}

/// A critically damped hand: no overshoot, and nearly there after six of its times.
#[test]
fn a_hand_brings_a_body_to_its_target_without_overshoot() {
    let mut world = World::default();
    let body = world.add_body(&mass(2.0, 0.1)).unwrap();
    let hand = world.grab(body, &Grip::default()).unwrap();
    world.pull(hand, DVec3::new(1.0, 1.0, 0.0));
    let mut farthest = 0.0_f64;
    for _ in 0..120 {
        world.advance();
        farthest = farthest.max(world.pose(body).unwrap().translation.x);
    }
    let left = world.pose(body).unwrap().translation - DVec3::new(1.0, 1.0, 0.0);
    assert!(farthest < 1.01 && left.length() < 0.02, "{farthest} {left}");
    world.set_velocity(body, Twist::new(DVec3::X * 3.0, DVec3::ZERO)).unwrap();
    world.release(hand);
    let before = world.pose(body).unwrap().translation.x;
    run(&mut world, 60);
    assert!((world.pose(body).unwrap().translation.x - before - 3.0).abs() < 1e-12, "thrown");
    assert!(!world.pull(hand, DVec3::ZERO), "the hand has let go");
}

/// Turned through 200 degrees the short way round is 160 degrees backwards; the hand holds what it was told, and its force
/// carries the weight.
#[test]
fn a_hand_turns_a_body_and_holds_it_there() {
    let mut world = World::default();
    let body = world.add_body(&mass(2.0, 0.1)).unwrap();
    let hand = world.grab(body, &Grip { rate: 20.0, ..Grip::default() }).unwrap();
    let wanted = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 2.0) / 3.0, 200.0_f64.to_radians());
    assert!(world.turn(hand, wanted) && !world.turn(hand, wanted * 2.0));
    run(&mut world, 120);
    let left = world.pose(body).unwrap().rotation.angle_between(wanted);
    assert!(left < 1e-3, "{left} rad left");
    let mark = world.hands().next().unwrap();
    assert!((mark.force - DVec3::Y * 2.0 * 9.81).length() < 1e-2, "{}", mark.force);
}
