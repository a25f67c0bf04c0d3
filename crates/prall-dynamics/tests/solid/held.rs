//! A held body pushes what yields, and is pushed back.

use glam::DVec3;
use prall_dynamics::{Coupling, HoldCommand, JointDefinition, SpringDamper, World};
use prall_math::{Pose, Twist};

use crate::support::{Judge, block, cube, dynamic, fixed, rough, weightless, world};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

/// A cover on a hinge with a spring is pressed open. Deflection, hinge reaction and the hand's pull agree with statics.
#[test]
fn a_held_block_opens_a_sprung_cover_as_statics_say() {
    let mut world = weightless(1.0 / 240.0);
    let m = rough(0.2);
    let cover = dynamic(&block(DVec3::new(0.2, 0.01, 0.1)), m).at(DVec3::new(0.1, 0.0, 0.0));
    let cover = world.add_body(&cover).unwrap();
    // 5 N m/rad, damped so that it comes to rest.
    let spring = SpringDamper { stiffness: 5.0, damping: 0.2, rest: 0.0 };
    let ground = world.ground();
    let hinge = JointDefinition::hinge(ground, cover, DVec3::ZERO, DVec3::Z).sprung(0, spring);
    let hinge = world.add_joint(&hinge).unwrap();
    let tool = world.add_body(&dynamic(&cube(0.03), m).at(DVec3::new(0.15, 0.022, 0.0))).unwrap();
    let hand = world.hold(tool, &Coupling { stiffness: 300.0, strength: 500.0 }).unwrap();
    let mut judge = Judge::new(&world, 2);
    let goal = at(0.15, -0.05, 0.0);
    for _ in 0..1500 {
        world.command(hand, &HoldCommand::Pose(goal)).unwrap();
        world.advance();
        judge.look(&world);
    }
    assert_eq!(judge.overlaps, 0);
    assert!(world.velocity(tool).unwrap().linear.length() < 1e-5, "at rest");
    let turned = world.pose(cover).unwrap().rotation.to_scaled_axis().z;
    let left = goal.translation - world.centre_of_mass(tool).unwrap();
    let pull = world.hand_wrench(hand).unwrap().force;
    // The pull is the stiffness times the way that is left.
    assert!((pull - left * 300.0).length() < 0.01 * pull.length(), "{pull} {left}");
    let marks: Vec<_> = world.contact_marks().collect();
    let on_cover = |mark: &prall_dynamics::ContactMark| {
        if mark.a == prall_dynamics::Party::Body(cover) { mark.force } else { -mark.force }
    };
    let force: DVec3 = marks.iter().map(on_cover).sum();
    let moment: f64 = marks.iter().map(|mark| mark.point.cross(on_cover(mark)).z).sum();
    assert!(pull.length() > 5.0, "{pull}");
    assert!((force - pull).length() < 0.01 * pull.length(), "{force} {pull}");
    assert!((moment - 5.0 * turned).abs() < 0.01 * moment.abs(), "{moment} {turned}");
    let reaction = world.reaction(hinge).unwrap().force;
    assert!((reaction + force).length() < 0.01 * force.length(), "{reaction} {force}");
}

/// What the hand puts in is what the bodies have: contact impulses are equal and opposite.
#[test]
fn a_held_block_and_what_it_pushes_share_the_hands_impulse_to_rounding() {
    let h = 1.0 / 240.0;
    let mut world = weightless(h);
    let m = rough(0.3);
    let tool = world.add_body(&dynamic(&cube(0.04), m)).unwrap();
    let loose = world.add_body(&dynamic(&cube(0.05), m).at(DVec3::new(0.06, 0.004, 0.003))).unwrap();
    let hand = world.hold(tool, &Coupling { stiffness: 500.0, strength: 200.0 }).unwrap();
    let momentum = |world: &World| {
        [tool, loose].map(|body| world.velocity(body).unwrap().linear * world.mass(body).unwrap())
    };
    let (mut pushed, mut worst, mut counted) = (false, 0.0_f64, 0);
    for _ in 0..200 {
        world.command(hand, &HoldCommand::Velocity(Twist::new(DVec3::X * 0.1, DVec3::ZERO))).unwrap();
        let before: DVec3 = momentum(&world).into_iter().sum();
        let given = world.hand_wrench(hand).unwrap().force * h;
        world.advance();
        let after: DVec3 = momentum(&world).into_iter().sum();
        // Where energy that nothing paid for is taken back, at the impact, what loads gave is taken back with it.
        if world.solid_report().energy_clamped == 0.0 {
            worst = worst.max((after - before - given).length());
            counted += 1;
        }
        pushed |= world.velocity(loose).unwrap().linear.x > 0.08;
    }
    assert!(pushed && counted > 150, "{counted} steps");
    assert!(worst < 1e-9, "{worst:e} N s");
}

/// Three loose blocks in a row against a wall stop the part; nothing is crushed, and taken back it is free.
#[test]
fn a_row_of_three_blocks_against_a_wall_stops_a_held_part() {
    let mut world = world(1.0 / 240.0);
    let m = rough(0.3);
    world.add_body(&fixed(&block(DVec3::new(2.0, 0.1, 1.0)), m).at(DVec3::NEG_Y * 0.05)).unwrap();
    world.add_body(&fixed(&block(DVec3::new(0.1, 0.4, 0.4)), m).at(DVec3::new(0.35, 0.2, 0.0))).unwrap();
    let blocks = [0.275, 0.22, 0.165].map(|x| {
        let block = dynamic(&cube(0.05), m).at(DVec3::new(x, 0.02503, 0.0));
        world.add_body(&block).unwrap()
    });
    let part = world.add_body(&dynamic(&cube(0.05), m).at(DVec3::new(0.05, 0.03, 0.0))).unwrap();
    let hand = world.hold(part, &Coupling { stiffness: 1500.0, strength: 100.0 }).unwrap();
    let mut judge = Judge::new(&world, 2);
    for _ in 0..600 {
        world.command(hand, &HoldCommand::Pose(at(0.4, 0.03, 0.0))).unwrap();
        world.advance();
        judge.look(&world);
    }
    assert_eq!(judge.overlaps, 0);
    let place = world.pose(part).unwrap().translation.x;
    // Wall at 0.3, three blocks of 0.05 and half a part: it stands there but for the guards.
    assert!((place - 0.125).abs() < 2e-3, "{place}");
    assert!(blocks.iter().all(|&block| world.pose(block).unwrap().translation.x < 0.2751));
    assert!(world.hand_wrench(hand).unwrap().force.x > 50.0);
    for _ in 0..120 {
        world.command(hand, &HoldCommand::Velocity(Twist::new(DVec3::NEG_X * 0.1, DVec3::ZERO))).unwrap();
        world.advance();
        judge.look(&world);
    }
    assert_eq!(judge.overlaps, 0);
    let velocity = world.velocity(part).unwrap().linear.x;
    assert!((velocity + 0.1).abs() < 5e-3, "{velocity}");
}

#[test]
fn hands_that_are_too_stiff_or_hold_nothing_are_refused() {
    let mut world = weightless(1.0 / 60.0);
    let light = world.add_body(&dynamic(&cube(0.01), rough(0.3))).unwrap();
    assert!(world.hold(light, &Coupling { stiffness: 1e6, strength: 1.0 }).is_err());
    let hand = world.hold(light, &Coupling { stiffness: 0.5, strength: 1.0 }).unwrap();
    let broken = HoldCommand::Velocity(Twist::new(DVec3::splat(f64::NAN), DVec3::ZERO));
    assert!(world.command(hand, &broken).is_err());
    world.release(hand);
    assert!(world.command(hand, &HoldCommand::Pose(Pose::IDENTITY)).is_err());
    assert!(world.hand_wrench(hand).is_none());
}
