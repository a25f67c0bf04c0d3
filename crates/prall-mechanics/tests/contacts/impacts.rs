//! Rebounds: Newton's and Poisson's law, energy, and impacts in sequence.

use glam::{DQuat, DVec3};
use prall_math::Pose;
use prall_mechanics::{ContactLaw, ImpactLaw};

use crate::world::World;

fn elastic(restitution: f64) -> ContactLaw {
    ContactLaw::new(restitution, 0.0, 0.0).unwrap()
}

/// Two balls head on: momentum is kept, and the speed of separation is e times that of approach.
#[test]
fn two_balls_rebound_by_restitution() {
    for (impact, e) in [
        (ImpactLaw::Newton, 0.0),
        (ImpactLaw::Newton, 0.5),
        (ImpactLaw::Newton, 1.0),
        (ImpactLaw::Poisson, 0.5),
    ] {
        let mut world = World::new(1.0 / 240.0);
        world.gravity = DVec3::ZERO;
        world.options.impact = impact;
        let a = world.add_ball(0.1, DVec3::ZERO, 1.0, elastic(e));
        let b = world.add_ball(0.1, DVec3::X * 0.5, 3.0, elastic(e));
        world.bodies.velocities[a].linear = DVec3::X * 2.0;
        let mut collisions = 0;
        for _ in 0..100 {
            world.step();
            collisions += world.report.collisions;
        }
        let (u, v) = (world.bodies.velocities[a].linear.x, world.bodies.velocities[b].linear.x);
        assert!((u + 3.0 * v - 2.0).abs() < 1e-12, "momentum {u} {v}");
        assert!((v - u - 2.0 * e).abs() < 1e-9, "{impact:?} {e}: {}", v - u);
        // Without rebound the gap is closed in one step and the rest of the speed taken in the next.
        assert!((1..=2).contains(&collisions), "{collisions}");
    }
}

/// A ball dropped from 1 m comes back to e^2 m, up to the step's share of the fall.
#[test]
fn a_dropped_ball_comes_back_to_the_square_of_restitution() {
    let mut world = World::new(1.0 / 1000.0);
    world.add_ground(DQuat::IDENTITY, 0.0);
    let ball = world.add_ball(0.1, DVec3::Y * 1.1, 1.0, elastic(0.8));
    let mut highest = 0.0_f64;
    for step in 0..900 {
        world.step();
        if step > 460 {
            highest = highest.max(world.place(ball).y - 0.1);
        }
    }
    assert!((highest - 0.64).abs() < 0.01, "{highest}");
}

/// A tilted box with friction that lands on a corner, with either law: no step gains energy.
#[test]
fn no_rebound_gains_energy() {
    for impact in [ImpactLaw::Newton, ImpactLaw::Poisson] {
        for turn in 0..6 {
            let mut world = World::new(1.0 / 240.0);
            world.gravity = DVec3::ZERO;
            world.options.impact = impact;
            world.add_ground(DQuat::IDENTITY, 0.5);
            let rotation = DQuat::from_scaled_axis(DVec3::new(0.3, 0.5, -0.7) * f64::from(turn));
            let pose = Pose::new(rotation, DVec3::Y * 1.2);
            let body = world.add_box(DVec3::new(0.3, 0.5, 0.4), pose, 2.0, 0.8);
            world.laws[body] = ContactLaw::new(0.9, 0.8, 0.0).unwrap();
            world.bodies.velocities[body].linear = DVec3::new(2.0, -5.0, 1.0);
            world.bodies.velocities[body].angular = DVec3::new(3.0, -2.0, 6.0);
            let mut energy = world.energy();
            for _ in 0..200 {
                world.step();
                // Turning by the midpoint rule keeps energy to 1e-4 per step at these speeds.
                assert!(world.energy() <= energy * (1.0 + 1e-4), "{impact:?} {turn}");
                energy = world.energy();
            }
            assert!(world.bodies.velocities[body].linear.y > 0.0);
        }
    }
}

/// Newton's cradle: as many leave as came, if impacts happen one after another.
#[test]
fn a_row_of_balls_sends_out_as_many_as_come_in() {
    for incoming in [1, 2] {
        let mut world = World::new(1.0 / 240.0);
        world.gravity = DVec3::ZERO;
        world.options.sequential_impacts = true;
        for i in 0..5 {
            let apart = if i < incoming { -0.3 } else { 0.0 };
            world.add_ball(0.1, DVec3::X * (0.2 * f64::from(i) + apart), 1.0, elastic(1.0));
        }
        for i in 0..incoming as usize {
            world.bodies.velocities[i].linear = DVec3::X * 2.0;
        }
        world.run(0.5);
        for i in 0..5 {
            let expected = if i >= 5 - incoming { 2.0 } else { 0.0 };
            let speed = world.bodies.velocities[i as usize].linear.x;
            assert!((speed - expected).abs() < 1e-9, "ball {i}: {speed}");
        }
    }
}
