//! Guides of a held part are joints: what they leave free follows the hand, what they hold carries the rest of its pull.

use glam::{DQuat, DVec3};
use prall_dynamics::{
    BodyHandle, Coupling, HandHandle, HoldCommand, JointDefinition, JointKind, JointPlace, PointConstraint,
    TurnConstraint, World,
};
use prall_math::{Pose, Twist};

use crate::support::{Judge, block, cube, dynamic, fixed, rough, turned, weightless};

const STIFFNESS: f64 = 400.0;

/// A cube of 125 g at the origin in a hand.
fn held_cube() -> (World, BodyHandle, HandHandle) {
    let mut world = weightless(1.0 / 240.0);
    let part = world.add_body(&dynamic(&cube(0.05), rough(0.3))).unwrap();
    let hand = world.hold(part, &Coupling { stiffness: STIFFNESS, strength: 500.0 }).unwrap();
    (world, part, hand)
}

/// The hand goes to `goal` within a second, evenly, and stays for another.
fn lead(world: &mut World, hand: HandHandle, goal: impl Fn(f64) -> Pose) {
    for step in 1..=480 {
        let share = (f64::from(step) / 240.0).min(1.0);
        world.command(hand, &HoldCommand::Pose(goal(share))).unwrap();
        world.advance();
    }
}

/// Of a pull forward, upward and askew a drawer follows the first, and its rails carry the second.
#[test]
fn a_held_drawer_follows_its_rails_to_the_stop_and_they_carry_what_is_left() {
    let (mut world, part, hand) = held_cube();
    let rails = JointDefinition::slider(world.ground(), part, DVec3::ZERO, DVec3::X).limits(0, 0.0, 0.2);
    let rails = world.add_joint(&rails).unwrap();
    lead(&mut world, hand, |share| turned(DVec3::Z, 0.3 * share, DVec3::new(0.1, 0.05, 0.0) * share));
    let pose = world.pose(part).unwrap();
    assert!((pose.translation - DVec3::X * 0.1).length() < 1e-5, "{}", pose.translation);
    assert!(pose.rotation.to_scaled_axis().length() < 1e-6, "{}", pose.rotation);
    let reaction = world.reaction(rails).unwrap().force;
    // The hand is 50 mm above.
    assert!((reaction.y + 0.05 * STIFFNESS).abs() < 0.01 * 0.05 * STIFFNESS, "{reaction}");
    lead(&mut world, hand, |share| turned(DVec3::Z, 0.0, DVec3::X * (0.1 + 0.3 * share)));
    let place = world.pose(part).unwrap().translation.x;
    assert!((place - 0.2).abs() < 1e-4, "{place}");
    assert!((world.hand_wrench(hand).unwrap().force.x - 0.2 * STIFFNESS).abs() < 0.01 * 0.2 * STIFFNESS);
}

/// A hinge lets a part turn about its pin and nothing else, an axis also shift along it.
#[test]
fn a_hinge_turns_and_an_axis_turns_and_shifts() {
    for shifts in [false, true] {
        let (mut world, part, hand) = held_cube();
        let ground = world.ground();
        let guide = if shifts {
            JointDefinition::cylinder(ground, part, DVec3::ZERO, DVec3::Y)
        } else {
            JointDefinition::hinge(ground, part, DVec3::ZERO, DVec3::Y)
        };
        world.add_joint(&guide).unwrap();
        lead(&mut world, hand, |share| turned(DVec3::Y, share, DVec3::new(0.04, 0.03, 0.0) * share));
        let pose = world.pose(part).unwrap();
        let shift = if shifts { 0.03 } else { 0.0 };
        assert!((pose.translation - DVec3::Y * shift).length() < 1e-5, "{}", pose.translation);
        let turn = pose.rotation.to_scaled_axis();
        assert!((turn - DVec3::Y).length() < 1e-4, "{turn}");
    }
}

/// Two turns by hand screw a part on by two pitches.
#[test]
fn a_part_on_a_thread_advances_by_the_pitch_in_each_turn() {
    const PITCH: f64 = 0.008;
    let (mut world, part, hand) = held_cube();
    let thread = JointDefinition::screw(world.ground(), part, DVec3::ZERO, DVec3::Y, PITCH);
    world.add_joint(&thread).unwrap();
    let mut angle = 0.0;
    for step in 1..=960 {
        // Slowly enough that the hand is never half a turn ahead; its height is left to the thread.
        let wanted = std::f64::consts::TAU * 2.0 * (f64::from(step) / 720.0).min(1.0);
        let before = world.pose(part).unwrap();
        let goal = Pose::new(DQuat::from_rotation_y(wanted), before.translation);
        world.command(hand, &HoldCommand::Pose(goal)).unwrap();
        world.advance();
        let turn = world.pose(part).unwrap().rotation * before.rotation.conjugate();
        angle += turn.to_scaled_axis().y;
    }
    let turns = angle / std::f64::consts::TAU;
    assert!((turns - 2.0).abs() < 1e-3, "{turns}");
    let height = world.pose(part).unwrap().translation;
    assert!((height - DVec3::Y * PITCH * turns).length() < 1e-6, "{height}");
}

/// A container that must not be tipped: a commanded roll of 90 degrees leaves it upright; it goes where the hand goes, and a wall still stops it.
#[test]
fn a_part_that_keeps_upright_shifts_and_is_still_blocked() {
    let (mut world, part, hand) = held_cube();
    world.add_body(&fixed(&block(DVec3::new(0.1, 0.4, 0.4)), rough(0.3)).at(DVec3::X * 0.2)).unwrap();
    let kind = JointKind::Combined(PointConstraint::Free, TurnConstraint::AlongAxis);
    let up = Pose::new(DQuat::from_rotation_arc(DVec3::X, DVec3::Y), DVec3::ZERO);
    let upright = JointDefinition::new(kind, world.ground(), part, JointPlace::World(up));
    world.add_joint(&upright).unwrap();
    let mut judge = Judge::new(&world, 2);
    let goal = |share: f64| {
        turned(DVec3::Z, 0.5 * std::f64::consts::PI * share, DVec3::new(0.3, 0.05, 0.04) * share)
    };
    for step in 1..=480 {
        world.command(hand, &HoldCommand::Pose(goal((f64::from(step) / 240.0).min(1.0)))).unwrap();
        world.advance();
        judge.look(&world);
        let tilt = (world.pose(part).unwrap().rotation * DVec3::Y).angle_between(DVec3::Y).to_degrees();
        assert!(tilt < 0.1, "{tilt} degrees");
    }
    assert_eq!(judge.overlaps, 0);
    let place = world.pose(part).unwrap().translation;
    assert!((place.x - 0.125).abs() < 2e-4 && place.y > 0.0 && place.z > 0.0, "{place}");
}

/// A snap is a fixed joint that breaks: it holds until the hand pulls harder than the snap does.
#[test]
fn a_snap_holds_up_to_its_force_and_then_lets_go() {
    const SNAP: f64 = 12.0;
    let (mut world, part, hand) = held_cube();
    let snap = JointDefinition::fixed(world.ground(), part, DVec3::ZERO).breaking(SNAP, 1e6);
    world.add_joint(&snap).unwrap();
    let mut freed = None;
    for step in 1..=960 {
        let ahead = 0.06 * f64::from(step) / 960.0;
        world.command(hand, &HoldCommand::Pose(Pose::from_translation(DVec3::X * ahead))).unwrap();
        world.advance();
        if freed.is_none() && world.pose(part).unwrap().translation.x > 1e-4 {
            freed = Some(ahead);
        }
    }
    let freed = freed.expect("the snap lets go");
    assert!((freed * STIFFNESS - SNAP).abs() < 0.05 * SNAP, "{} N", freed * STIFFNESS);
}

/// Two hands that want one part at two places have it in the middle, and pull against each other.
#[test]
fn two_hands_on_one_part_share_it() {
    let (mut world, part, left) = held_cube();
    let right = world.hold(part, &Coupling { stiffness: STIFFNESS, strength: 500.0 }).unwrap();
    for _ in 0..480 {
        world.command(left, &HoldCommand::Pose(Pose::from_translation(DVec3::X * 0.05))).unwrap();
        world.command(right, &HoldCommand::Pose(Pose::from_translation(DVec3::X * 0.15))).unwrap();
        world.advance();
    }
    let place = world.pose(part).unwrap().translation;
    assert!((place - DVec3::X * 0.1).length() < 1e-6, "{place}");
    let [a, b] = [left, right].map(|hand| world.hand_wrench(hand).unwrap().force);
    assert!((a + b).length() < 1e-4 && (b.x - 0.05 * STIFFNESS).abs() < 0.01 * 0.05 * STIFFNESS, "{a} {b}");
}

/// Two held parts are pressed together: what both hands put in is what both parts have, in every step.
#[test]
fn two_held_parts_press_with_equal_and_opposite_impulses() {
    let h = 1.0 / 240.0;
    let (mut world, part, left) = held_cube();
    let other = world.add_body(&dynamic(&cube(0.04), rough(0.3)).at(DVec3::X * 0.08)).unwrap();
    let right = world.hold(other, &Coupling { stiffness: 200.0, strength: 500.0 }).unwrap();
    let mut judge = Judge::new(&world, 2);
    let momentum = |world: &World| -> DVec3 {
        [part, other]
            .iter()
            .map(|&body| world.velocity(body).unwrap().linear * world.mass(body).unwrap())
            .sum()
    };
    let (mut worst, mut counted) = (0.0_f64, 0);
    for _ in 0..300 {
        let push = |way: f64| HoldCommand::Velocity(Twist::new(DVec3::X * way, DVec3::ZERO));
        world.command(left, &push(0.1)).unwrap();
        world.command(right, &push(-0.05)).unwrap();
        let before = momentum(&world);
        let given: DVec3 = [left, right].iter().map(|&hand| world.hand_wrench(hand).unwrap().force * h).sum();
        world.advance();
        judge.look(&world);
        if world.solid_report().energy_clamped == 0.0 {
            worst = worst.max((momentum(&world) - before - given).length());
            counted += 1;
        }
    }
    assert_eq!(judge.overlaps, 0);
    assert!(counted > 250 && worst < 1e-9, "{counted} steps, {worst:e} N s");
    let gap = (world.pose(other).unwrap().translation - world.pose(part).unwrap().translation).x - 0.045;
    assert!((0.0..1e-4).contains(&gap), "{gap}");
}
