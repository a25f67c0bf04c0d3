//! Free flight: parabolas, free rotation, forces, handles, kinds.

use crate::support::*;
use glam::{DMat3, DVec3};
use prall_dynamics::{BodyDefinition, BodyKind, Solver, World, WorldError};
use prall_geometry::{MassProperties, Shape};
use prall_math::{Pose, Twist, Wrench};

#[test]
fn a_body_in_flight_follows_the_parabola_exactly() {
    let mut world = world(1.0 / 60.0, Solver::Auto);
    let start = Twist::new(DVec3::new(3.0, 8.0, -1.0), DVec3::ZERO);
    let body = world.add_body(&mass(2.0, 0.1).moving(start.linear, DVec3::ZERO)).unwrap();
    run(&mut world, 120);
    let t = 2.0;
    let expected = start.linear * t - DVec3::Y * (0.5 * GRAVITY * t * t);
    // 120 sums of numbers up to 20: rounding of 1e-13.
    assert!((world.pose(body).unwrap().translation - expected).length() < 1e-12);
    let velocity = world.velocity(body).unwrap().linear;
    assert!((velocity - (start.linear - DVec3::Y * GRAVITY * t)).length() < 1e-12);
}

/// Also near a floor that it does not reach, where contacts are looked for already.
#[test]
fn a_near_floor_does_not_bend_the_parabola() {
    let mut world = world(1.0 / 60.0, Solver::Auto);
    add_floor(&mut world);
    let body = ball(0.1).at(DVec3::Y * 0.103).moving(DVec3::new(5.0, 0.4, 0.0), DVec3::ZERO);
    let body = world.add_body(&body).unwrap();
    run(&mut world, 4);
    let t = 4.0 / 60.0;
    let expected = 0.103 + 0.4 * t - 0.5 * GRAVITY * t * t;
    assert!(world.contacts().iter().count() > 0, "the floor is near");
    assert!((world.pose(body).unwrap().translation.y - expected).abs() < 1e-12);
}

fn slab(world: &mut World, spin: DVec3) -> prall_dynamics::BodyHandle {
    let shape = Shape::cuboid(DVec3::new(0.5, 0.2, 0.05)).unwrap();
    world.add_body(&BodyDefinition::dynamic(shape, 1.0).moving(DVec3::ZERO, spin)).unwrap()
}

#[test]
fn free_rotation_keeps_angular_momentum_and_energy_for_a_minute() {
    let mut world = weightless(1.0 / 60.0, Solver::Auto);
    let body = slab(&mut world, DVec3::new(0.01, 10.0, 0.0));
    let (momentum, energy) = (world.angular_momentum(body).unwrap(), world.energy().kinetic);
    run(&mut world, 3600);
    let drift = (world.angular_momentum(body).unwrap() - momentum).length() / momentum.length();
    // Rounding of 3600 products of quaternions; the requirement on the energy is 1e-6.
    assert!(drift < 1e-11, "{drift}");
    assert!((world.energy().kinetic / energy - 1.0).abs() < 1e-11);
}

/// Dzhanibekov's box: the spin about the middle axis changes its sign first at 1.0311 s, then every 2.06206 s (elliptic integrals;
/// the values are known to five digits, so 29 periods to about 0.3 ms).
#[test]
fn the_intermediate_axis_flips_on_time() {
    let mut world = weightless(1.0 / 60.0, Solver::Auto);
    let body = slab(&mut world, DVec3::new(0.01, 10.0, 0.0));
    let spin = |world: &World| {
        let pose = world.pose(body).unwrap();
        pose.inverse_transform_vector(world.velocity(body).unwrap().angular).y
    };
    let mut flips = Vec::new();
    let mut last = spin(&world);
    for step in 1..=3600 {
        world.advance();
        let now = spin(&world);
        if (now > 0.0) != (last > 0.0) {
            // Linear between two steps: the spin is nearly linear at its zero.
            flips.push((f64::from(step) - now / (now - last)) / 60.0);
        }
        last = now;
    }
    assert_eq!(flips.len(), 29);
    assert!((flips[0] - 1.0311).abs() < 2e-4, "{}", flips[0]);
    let period = (flips[28] - flips[0]) / 28.0;
    assert!((period - 2.06206).abs() < 2e-5, "{period}");
}

/// Constant torque about a principal axis: half of torque over inertia times the square of the time.
#[test]
fn a_torque_turns_and_a_force_pushes() {
    let mut world = weightless(0.01, Solver::Auto);
    let body = world.add_body(&mass(2.0, 0.5)).unwrap();
    world.set_load(body, Wrench::new(DVec3::X * 4.0, DVec3::Z * 0.5)).unwrap();
    run(&mut world, 100);
    assert!((world.pose(body).unwrap().translation - DVec3::X).length() < 1e-12);
    let turned = prall_math::rotation::log(world.pose(body).unwrap().rotation);
    assert!((turned - DVec3::Z * 0.5).length() < 1e-12);
    assert!((world.velocity(body).unwrap().angular - DVec3::Z).length() < 1e-12);
}

/// A heavy top on a ball joint precesses with `m g r / (I omega)` while it spins fast; nutation is of the order of its square.
#[test]
fn a_gyroscope_precesses() {
    let mut world = exact(1.0 / 240.0, Solver::Direct);
    let inertia = DMat3::from_diagonal(DVec3::new(0.02, 0.0101, 0.0101));
    let disc = MassProperties { mass: 1.0, center_of_mass: DVec3::ZERO, inertia };
    let (spin, arm) = (200.0, 0.2);
    let rate = GRAVITY * arm / (0.02 * spin);
    // Steady precession to begin with, so that nutation stays small.
    let body = BodyDefinition::massive(disc)
        .at(DVec3::X * arm)
        .moving(DVec3::Z * (-rate * arm), DVec3::new(spin, rate, 0.0));
    let body = world.add_body(&body).unwrap();
    world.add_joint(&prall_dynamics::JointDefinition::ball(world.ground(), body, DVec3::ZERO)).unwrap();
    run(&mut world, 480);
    let place = world.pose(body).unwrap().translation;
    let angle = libm::atan2(-place.z, place.x);
    let expected = (rate * 2.0 + std::f64::consts::PI) % std::f64::consts::TAU - std::f64::consts::PI;
    // The formula drops terms of relative size (rate / spin) I_across / I_spin = 0.1 %.
    assert!((angle - expected).abs() < 0.01, "{angle} against {expected}");
    assert!(place.y.abs() < 2e-3, "it does not sink: {}", place.y);
}

#[test]
fn the_centre_of_mass_may_lie_anywhere_in_the_bodys_frame() {
    let mut world = weightless(0.01, Solver::Auto);
    let shape = Shape::cuboid(DVec3::splat(0.1)).unwrap();
    let mut definition = BodyDefinition::dynamic(shape, 1000.0);
    definition.shapes[0].pose = Pose::from_translation(DVec3::X);
    let body = world.add_body(&definition.moving(DVec3::ZERO, DVec3::Y * std::f64::consts::PI)).unwrap();
    assert!((world.centre_of_mass(body).unwrap() - DVec3::X).length() < 1e-15);
    run(&mut world, 100);
    // Half a turn about the centre of mass takes the frame's origin to the other side.
    assert!((world.pose(body).unwrap().translation - DVec3::X * 2.0).length() < 1e-12);
}

#[test]
fn kinematic_bodies_follow_their_velocity_alone() {
    let mut world = world(0.01, Solver::Auto);
    let plate = BodyDefinition::kinematic(Shape::cuboid(DVec3::new(1.0, 0.1, 1.0)).unwrap());
    let plate = world.add_body(&plate.moving(DVec3::X, DVec3::ZERO)).unwrap();
    let load = world.add_body(&cube(0.2).at(DVec3::Y * 0.3).moving(DVec3::X, DVec3::ZERO)).unwrap();
    run(&mut world, 100);
    assert!((world.pose(plate).unwrap().translation - DVec3::X).length() < 1e-12);
    let carried = world.pose(load).unwrap().translation;
    assert!((carried - DVec3::new(1.0, 0.3, 0.0)).length() < 1e-3, "{carried}");
}

#[test]
fn handles_of_removed_bodies_stay_dead() {
    let mut world = World::default();
    let first = world.add_body(&mass(1.0, 1.0)).unwrap();
    world.remove_body(first).unwrap();
    let second = world.add_body(&mass(1.0, 1.0)).unwrap();
    assert_eq!(first.index(), second.index());
    assert_ne!(first, second);
    assert!(matches!(world.pose(first), Err(WorldError::NoSuchBody(handle)) if handle == first));
    assert!(world.pose(second).is_ok());
    assert_eq!(world.body_count(), 1);
}

#[test]
fn a_pinned_body_stays_and_falls_when_it_is_free_again() {
    let mut world = world(0.01, Solver::Auto);
    let body = world.add_body(&mass(1.0, 1.0)).unwrap();
    world.set_kind(body, BodyKind::Fixed).unwrap();
    run(&mut world, 50);
    assert_eq!(world.pose(body).unwrap(), Pose::IDENTITY);
    world.set_kind(body, BodyKind::Dynamic).unwrap();
    run(&mut world, 100);
    assert!((world.pose(body).unwrap().translation.y + 0.5 * GRAVITY).abs() < 1e-12);
}
