//! Islands that sleep, and what wakes them.

use crate::support::*;
use glam::DVec3;
use prall_dynamics::{BodyHandle, World, WorldError, WorldOptions};
use prall_math::{Twist, Wrench};

/// A tower of five cubes, and another one 5 m away, run until both sleep.
fn two_towers() -> (World, Vec<BodyHandle>) {
    let mut world = World::new(WorldOptions { sleep_after: Some(0.5), ..WorldOptions::default() }).unwrap();
    add_floor(&mut world);
    let mut bodies = Vec::new();
    for tower in 0..2 {
        for i in 0..5 {
            let place = DVec3::new(5.0 * f64::from(tower), 0.501 + 1.001 * f64::from(i), 0.0);
            bodies.push(world.add_body(&cube(0.5).at(place)).unwrap());
        }
    }
    run(&mut world, 90);
    assert!(bodies.iter().all(|&body| world.is_asleep(body).unwrap()));
    (world, bodies)
}

fn asleep(world: &World, bodies: &[BodyHandle]) -> Vec<bool> {
    bodies.iter().map(|&body| world.is_asleep(body).unwrap()).collect()
}

#[test]
fn nothing_sleeps_unless_it_is_asked_for() {
    let mut world = World::default();
    add_floor(&mut world);
    let body = world.add_body(&cube(0.5).at(DVec3::Y * 0.5)).unwrap();
    run(&mut world, 300);
    assert!(!world.is_asleep(body).unwrap());
    let wrong = WorldOptions { sleep_after: Some(-1.0), ..WorldOptions::default() };
    assert!(matches!(World::new(wrong), Err(WorldError::Number { .. })));
}

/// Sleepers stand exactly still and still count: their height is energy.
#[test]
fn sleepers_stay_where_they_are_and_keep_their_energy() {
    let (mut world, bodies) = two_towers();
    let (energy, hash) = (world.energy().total(), world.hash());
    assert!(energy > 0.0);
    run(&mut world, 60);
    assert_eq!(asleep(&world, &bodies), [true; 10]);
    assert_eq!((world.energy().total(), world.hash()), (energy, hash));
}

/// A ball that comes near wakes the tower that it comes to, all of it, and not the other one.
#[test]
fn a_ball_wakes_the_tower_that_it_hits() {
    let (mut world, bodies) = two_towers();
    world.add_body(&ball(0.3).at(DVec3::new(-4.0, 0.31, 0.0)).moving(DVec3::X * 8.0, DVec3::ZERO)).unwrap();
    // Somebody has added a body: everybody wakes, and sleeps again before the next one comes.
    world.advance();
    assert_eq!(asleep(&world, &bodies), [false; 10]);
    run(&mut world, 120);
    let moved = world.pose(bodies[0]).unwrap().translation.x.abs();
    assert!(moved > 1e-3, "the ball pushes the lowest cube: {moved} m");
    assert!(asleep(&world, &bodies)[5..].iter().all(|asleep| *asleep), "the other tower went back to sleep");
}

/// A ball that was in the air all the time wakes only what it touches.
#[test]
fn falling_on_one_tower_leaves_the_other_asleep() {
    let mut world = World::new(WorldOptions { sleep_after: Some(0.3), ..WorldOptions::default() }).unwrap();
    add_floor(&mut world);
    let near = world.add_body(&cube(0.5).at(DVec3::Y * 0.5)).unwrap();
    let far = world.add_body(&cube(0.5).at(DVec3::new(5.0, 0.5, 0.0))).unwrap();
    world.add_body(&ball(0.3).at(DVec3::Y * 9.0)).unwrap();
    run(&mut world, 60);
    assert!(world.is_asleep(near).unwrap() && world.is_asleep(far).unwrap());
    let mut woke = false;
    for _ in 0..60 {
        world.advance();
        woke |= !world.is_asleep(near).unwrap();
        assert!(world.is_asleep(far).unwrap());
    }
    assert!(woke);
    assert!(world.contact_marks().all(|mark| mark.gap > -1e-3));
}

#[test]
fn pushing_pulling_and_taking_away_wake() {
    let force = Wrench { force: DVec3::X * 50_000.0, torque: DVec3::ZERO };
    let disturb: [fn(&mut World, &[BodyHandle], Wrench); 4] = [
        |world, bodies, force| world.set_load(bodies[4], force).unwrap(),
        |world, bodies, _| world.apply_impulse(bodies[4], DVec3::Y * 4.5, DVec3::X * 5000.0).unwrap(),
        |world, bodies, _| {
            world.set_velocity(bodies[4], Twist { linear: DVec3::X * 5.0, ..Twist::ZERO }).unwrap();
        },
        |world, bodies, _| world.remove_body(bodies[0]).unwrap(),
    ];
    for (number, disturb) in disturb.into_iter().enumerate() {
        let (mut world, bodies) = two_towers();
        let start = world.pose(bodies[4]).unwrap().translation;
        disturb(&mut world, &bodies, force);
        run(&mut world, 30);
        let moved = world.pose(bodies[4]).unwrap().translation.distance(start);
        assert!(moved > 0.05, "disturbance {number}: {moved} m");
    }
}

/// Sleep is part of the state.
#[test]
fn a_restored_world_sleeps_on_bit_by_bit() {
    let (mut world, bodies) = two_towers();
    world.set_load(bodies[9], Wrench { force: DVec3::X * 50_000.0, torque: DVec3::ZERO }).unwrap();
    run(&mut world, 40);
    let (saved, sleeping) = (world.save(), asleep(&world, &bodies));
    assert!(sleeping.contains(&true) && sleeping.contains(&false), "{sleeping:?}");
    run(&mut world, 60);
    let hash = world.hash();
    world.restore(&saved).unwrap();
    assert_eq!(asleep(&world, &bodies), sleeping);
    run(&mut world, 60);
    assert_eq!(world.hash(), hash);
}
