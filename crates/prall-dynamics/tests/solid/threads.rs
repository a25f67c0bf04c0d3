//! A bolt that is let go in its nut, axis upright: a thread by shape alone, under gravity.

use std::f64::consts::TAU;

use glam::DVec3;
use prall_dynamics::{BodyHandle, World};
use prall_geometry::generate::{self, Thread};

use crate::support::{Judge, dynamic, fixed, mesh, rough, world};

/// Steep, so that little time shows much.
const THREAD: Thread = Thread { radius: 8e-3, pitch: 6e-3, turns: 5, segments: 32 };
const PLAY: f64 = 1e-4;

/// A bolt in a fixed nut, off its axis by a third of the play.
fn bolt_in_nut(friction: f64) -> (World, BodyHandle) {
    let mut world = world(1.0 / 480.0);
    let material = rough(friction);
    let nut = generate::nut(&Thread { turns: 2, ..THREAD }, PLAY, 0.014).unwrap();
    world.add_body(&fixed(&mesh(&nut), material)).unwrap();
    let bolt = mesh(&generate::bolt(&THREAD).unwrap());
    // Five turns and two: half a pitch lower ridges face grooves.
    let bolt = dynamic(&bolt, material).at(DVec3::new(3e-5, -0.5 * THREAD.pitch, 0.0));
    let bolt = world.add_body(&bolt).unwrap();
    (world, bolt)
}

/// With little friction it centres itself within a few hundredths of a turn, and stays in the middle while it turns down.
#[test]
fn a_bolt_with_little_friction_centres_itself_and_turns_down() {
    let (mut world, bolt) = bolt_in_nut(0.05);
    let mut judge = Judge::new(&world, 2);
    let start = world.pose(bolt).unwrap();
    while world.time() < 0.2 {
        world.advance();
        judge.look(&world);
        let pose = world.pose(bolt).unwrap();
        if world.time() > 0.03 {
            let off = DVec3 { y: 0.0, ..pose.translation }.length();
            let tilt = (pose.rotation * DVec3::Y).angle_between(DVec3::Y);
            // The nut is 12 mm high: such a tilt takes the play at its ends.
            let tilt_of_play = PLAY / 6e-3;
            assert!(off < 0.1 * PLAY && tilt < 0.1 * tilt_of_play, "{off} m, {tilt} rad at {}", world.time());
        }
    }
    assert_eq!(judge.overlaps, 0);
    let sunk = start.translation.y - world.pose(bolt).unwrap().translation.y;
    assert!(sunk > 0.4 * THREAD.pitch, "{sunk} m");
}

/// A thread holds itself where tan(lead) < mu / cos 30. Contacts lie between root and crest, and so does the lead. Flat pieces come nearer to the axis towards their middle, by a
/// slope of pi / n at their ends; on flanks of 30 degrees that makes the way down steeper or flatter by tan 30 times as much.
#[test]
fn a_bolt_stands_where_the_thread_locks_itself_and_goes_where_it_does_not() {
    let lead = |radius: f64| THREAD.pitch / (TAU * radius);
    let flank = 30.0_f64.to_radians();
    let flat = libm::tan(flank) * std::f64::consts::PI / f64::from(THREAD.segments);
    let least = (lead(THREAD.radius) - flat) * libm::cos(flank);
    let most = (lead(THREAD.radius - THREAD.depth() + PLAY) + flat) * libm::cos(flank);
    for (friction, stands) in [(0.95 * least, false), (1.05 * most, true)] {
        let (mut world, bolt) = bolt_in_nut(friction);
        let mut settled = None;
        while world.time() < 0.2 {
            world.advance();
            if world.time() > 0.1 && settled.is_none() {
                settled = Some(world.pose(bolt).unwrap().translation.y);
            }
        }
        let sunk = settled.unwrap() - world.pose(bolt).unwrap().translation.y;
        assert_eq!(sunk < 1e-6, stands, "friction {friction}: {sunk} m in a tenth of a second");
    }
}
