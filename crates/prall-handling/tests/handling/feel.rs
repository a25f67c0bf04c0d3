//! What a person would notice: jumps, trembling at rest, drift under a shaking hand.

use glam::{DQuat, DVec3};
use prall_handling::{Budget, Command, Friction, HandlingOptions, Held, PoseLimits};
use prall_math::Pose;

use crate::corner::{corner, corner_shapes};
use crate::shapes::*;

/// A tracked hand trembles by 1 mm rms at 8 to 12 Hz while it presses a part on a table: within friction the part stays where it is.
#[test]
fn a_trembling_hand_does_not_move_what_friction_holds() {
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    let options = HandlingOptions { friction: Friction::of(0.5), ..HandlingOptions::default() };
    let mut held = Held::new(&part, at(0.0, 0.0301, 0.0), vec![table()], options).unwrap();
    // The hand wants the part 20 mm below the table; the limits of its speed are those of both directions.
    let limits = PoseLimits { contact_speed: Some(0.5), ..PoseLimits::default() };
    held.set_pose_limits(limits).unwrap();
    let hand = |time: f64, tremor: f64| {
        let wave = |frequency: f64, phase: f64| {
            libm::sin(std::f64::consts::TAU * frequency * time + phase) * std::f64::consts::SQRT_2 * tremor
        };
        let shake = DVec3::new(wave(9.1, 0.3), wave(11.7, 1.0), wave(8.3, 2.0));
        Command::Pose(Pose::from_translation(DVec3::NEG_Y * (0.02 - 0.03) + shake))
    };
    for step in 0..250 {
        held.step(Some(&hand(f64::from(step) * DT, 0.0)), DT, &mut Budget::unlimited()).unwrap();
    }
    let rest = *held.pose();
    let mut farthest = 0.0_f64;
    for step in 0..2_500 {
        held.step(Some(&hand(f64::from(step) * DT, 1e-3)), DT, &mut Budget::unlimited()).unwrap();
        farthest = farthest.max((held.pose().translation - rest.translation).length());
    }
    assert!(farthest < 1e-6, "{farthest:e}");
    // The same tremor moves a part that nothing holds.
    held.set_friction(Friction::NONE).unwrap();
    for step in 0..250 {
        held.step(Some(&hand(f64::from(step) * DT, 1e-3)), DT, &mut Budget::unlimited()).unwrap();
        farthest = farthest.max((held.pose().translation - rest.translation).length());
    }
    assert!(farthest > 5e-4, "{farthest:e}");
}

/// At a constant command nothing jumps, what has come to rest does not tremble, and a part that nothing is near follows its free way.
#[test]
fn constant_commands_neither_jump_nor_tremble() {
    let part = cuboid(DVec3::new(0.08, 0.06, 0.07));
    let shapes = corner_shapes();
    let mut held =
        Held::new(&part, at(0.15, 0.12, 0.14), corner(&shapes), HandlingOptions::default()).unwrap();
    let speed = DVec3::new(-0.1, -0.12, -0.08);
    let turn = DVec3::new(0.3, -0.2, 0.25);
    let command = velocity(speed, turn);
    let start = *held.pose();
    let reference = held.reference();
    let (mut free, mut last) = (true, *held.pose());
    for step in 1..=3_000 {
        let report = held.step(Some(&command), DT, &mut Budget::unlimited()).unwrap();
        free &= report.contacts.is_empty();
        let pose = report.pose;
        if free {
            let time = f64::from(step) * DT;
            let expected = start.transform_point(reference) + speed * time;
            assert!((pose.transform_point(reference) - expected).length() < 10e-6, "{step}");
            let angle = pose.rotation.angle_between(DQuat::from_scaled_axis(turn * time) * start.rotation);
            assert!(angle < 1e-4, "{step}: {angle}");
        }
        // No corner goes 0.1 mm farther than the command would bring it.
        let jump = [DVec3::ZERO, DVec3::new(0.04, 0.03, 0.035), DVec3::new(-0.04, 0.03, 0.035)]
            .map(|corner| (pose.transform_point(corner) - last.transform_point(corner)).length())
            .into_iter()
            .fold(0.0, f64::max);
        let asked = (speed.length() + turn.length() * 0.061) * DT;
        assert!(jump < asked + 1e-4, "{step}: {jump:e} {asked:e}");
        last = pose;
    }
    assert!(!free, "it has met the corner");
    let rest = *held.pose();
    for _ in 0..1_000 {
        held.step(Some(&command), DT, &mut Budget::unlimited()).unwrap();
        let off = (held.pose().translation - rest.translation).length();
        assert!(off < 1e-6, "{off:e}");
    }
}
