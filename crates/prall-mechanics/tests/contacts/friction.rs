//! Sliding, tipping, rolling: thresholds and speeds against closed forms.

use glam::{DQuat, DVec3};
use prall_math::{Pose, Twist};
use prall_mechanics::{ContactLaw, ContactOptions};

use crate::world::World;

/// Sweeps to where nothing moves any more.
fn exact() -> ContactOptions {
    ContactOptions { velocity_tolerance: 1e-11, most_sweeps: 200, inner: 200, ..ContactOptions::default() }
}

/// A box that lies flat on a slope, pulled by turned gravity: the ground stays level, so nothing is rounded by turning.
fn box_on_slope(degrees: f64, half: DVec3, friction: f64, h: f64) -> (World, DVec3) {
    let mut world = World::new(h);
    world.add_ground(DQuat::IDENTITY, friction);
    world.add_box(half, Pose::from_translation(DVec3::Y * half.y), 2.0, friction);
    let angle = degrees.to_radians();
    // Down the slope obliquely to the box's sides.
    let downhill = DVec3::new(0.8, 0.0, 0.6);
    world.gravity = (downhill * libm::sin(angle) - DVec3::Y * libm::cos(angle)) * 9.81;
    (world, downhill)
}

/// Friction 0.5 holds up to atan 0.5 = 26.565 degrees.
#[test]
fn below_the_critical_angle_a_box_stands_and_above_it_slides() {
    let half = DVec3::new(0.5, 0.1, 0.5);
    let (mut standing, _) = box_on_slope(26.5, half, 0.5, 1.0 / 60.0);
    standing.run(1.0);
    assert!(standing.place(1).distance(DVec3::Y * 0.1) < 1e-9, "{}", standing.place(1));
    let (mut sliding, downhill) = box_on_slope(26.6, half, 0.5, 1.0 / 60.0);
    sliding.options = exact();
    sliding.run(1.0);
    let angle = 26.6_f64.to_radians();
    let exact = 9.81 * (libm::sin(angle) - 0.5 * libm::cos(angle));
    let speed = sliding.bodies.velocities[1].linear.dot(downhill);
    // Sixty steps with the tolerance of the sweeps.
    assert!((speed - exact).abs() < 60.0 * 1e-8, "{speed} {exact}");
}

/// Coulomb's friction is opposite to sliding in every direction: speed as on paper, and no drift to a side.
#[test]
fn oblique_sliding_is_exact() {
    let (mut world, downhill) = box_on_slope(35.0, DVec3::new(0.5, 0.1, 0.3), 0.5, 1.0 / 60.0);
    world.options = exact();
    world.run(0.5);
    let angle = 35.0_f64.to_radians();
    let exact = 9.81 * (libm::sin(angle) - 0.5 * libm::cos(angle)) * 0.5;
    let velocity = world.bodies.velocities[1].linear;
    assert!((velocity - downhill * exact).length() < 1e-8, "{velocity} {exact}");
}

/// A block of height 4 over a base of 1 tips at atan(1/4) = 14.036 degrees.
#[test]
fn a_tall_block_tips_where_its_weight_leaves_the_base() {
    let tilt = |degrees: f64| {
        let half = DVec3::new(0.1, 0.4, 0.5);
        let mut world = World::new(1.0 / 60.0);
        world.add_ground(DQuat::IDENTITY, 0.9);
        world.add_box(half, Pose::from_translation(DVec3::Y * half.y), 2.0, 0.9);
        let angle = f64::to_radians(degrees);
        world.gravity = (DVec3::X * libm::sin(angle) - DVec3::Y * libm::cos(angle)) * 9.81;
        world.options = exact();
        world.run(1.0);
        (world.bodies.poses[1].rotation * DVec3::Y).angle_between(DVec3::Y).to_degrees()
    };
    assert!(tilt(13.9) < 1e-9);
    let tipped = tilt(14.2);
    // About its lower edge: theta'' = k^2 (excess + theta), with k^2 = 3 g / (4 L) and L from edge to centre.
    let lever = (0.1_f64 * 0.1 + 0.4 * 0.4).sqrt();
    let k = (0.75 * 9.81 / lever).sqrt();
    let excess = 14.2 - libm::atan(0.25).to_degrees();
    let exact = excess * (libm::cosh(k) - 1.0);
    // First order in the step: k h / 2 = 3.5 %.
    assert!((tipped / exact - 1.0).abs() < 0.05, "{tipped} {exact}");
}

/// What static friction holds, dynamic friction would not; once it slides, dynamic friction counts.
#[test]
fn static_friction_holds_what_dynamic_friction_would_not() {
    let law = ContactLaw::new(0.0, 0.3, 0.0).unwrap().with_static_friction(0.6).unwrap();
    let speed_after = |start: f64, certificate: bool| {
        let (mut world, downhill) = box_on_slope(25.0, DVec3::new(0.5, 0.1, 0.5), 0.5, 1.0 / 60.0);
        world.laws[1] = law;
        world.options.rest_certificate = certificate;
        world.bodies.velocities[1] = Twist::new(downhill * start, DVec3::ZERO);
        world.run(0.5);
        world.bodies.velocities[1].linear.dot(downhill)
    };
    assert!(speed_after(0.0, true).abs() < 1e-9);
    assert!(speed_after(0.0, false).abs() < 1e-3);
    let angle = 25.0_f64.to_radians();
    let exact = 2.0 + 9.81 * 0.5 * (libm::sin(angle) - 0.3 * libm::cos(angle));
    assert!((speed_after(2.0, true) - exact).abs() < 1e-3);
}

/// A sliding ball starts to roll and then keeps 5/7 of its speed; a rolling arm stops it at a rate of `5/7 g arm / r`.
#[test]
fn a_ball_rolls_with_five_sevenths_of_its_speed_and_stops_by_rolling_friction() {
    let speed_after = |arm: f64, seconds: f64| {
        let mut world = World::new(1.0 / 240.0);
        world.add_ground(DQuat::IDENTITY, 0.5);
        let law = ContactLaw::new(0.0, 0.5, arm).unwrap();
        let ball = world.add_ball(0.1, DVec3::Y * 0.1, 1.0, law);
        world.bodies.velocities[ball].linear = DVec3::X * 2.0;
        world.run(seconds);
        world.bodies.velocities[ball].linear.x
    };
    let rolling = speed_after(0.0, 1.0);
    assert!((rolling - 2.0 * 5.0 / 7.0).abs() < 1e-3, "{rolling}");
    let rate = |arm: f64| (speed_after(arm, 0.5) - speed_after(arm, 1.0)) / 0.5;
    let exact = 5.0 / 7.0 * 9.81 * 0.005 / 0.1;
    assert!((rate(0.005) - exact).abs() < 0.01 * exact, "{} {exact}", rate(0.005));
    assert!(speed_after(0.05, 2.0).abs() < 1e-6);
}

/// A ball that spins on the spot is stopped by the spinning arm at a rate of `5/2 g arm / r^2`.
#[test]
fn spinning_friction_stops_a_spinning_ball() {
    let mut world = World::new(1.0 / 240.0);
    world.add_ground(DQuat::IDENTITY, 0.5);
    let law = ContactLaw::new(0.0, 0.5, 0.0).unwrap().with_spinning_arm(0.002).unwrap();
    let ball = world.add_ball(0.1, DVec3::Y * 0.1, 1.0, law);
    world.bodies.velocities[ball].angular = DVec3::Y * 10.0;
    world.run(1.0);
    let exact = 10.0 - 2.5 * 9.81 * 0.002 / 0.01;
    assert!((world.bodies.velocities[ball].angular.y - exact).abs() < 1e-6);
}
