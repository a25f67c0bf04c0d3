//! Contacts against closed forms, at 1/240 s, to a thousandth or better.

use crate::support::*;
use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, Material, Solver, World};
use prall_geometry::{HalfSpace, Shape};
use prall_math::Pose;

const STEP: f64 = 1.0 / 240.0;

fn material(friction: f64, restitution: f64) -> Material {
    Material { static_friction: friction, dynamic_friction: friction, restitution, ..Material::default() }
}

fn floor(world: &mut World, material: Material) {
    world.add_body(&BodyDefinition::fixed(Shape::HalfSpace(HalfSpace)).made_of(material)).unwrap();
}

/// Height of a ball that is dropped from `drop` and rebounds with `e`, at a time.
fn bouncing(drop: f64, e: f64, time: f64) -> f64 {
    let mut fall = (2.0 * drop / GRAVITY).sqrt();
    let (mut speed, mut left) = (GRAVITY * fall, time);
    if left <= fall {
        return drop - 0.5 * GRAVITY * left * left;
    }
    loop {
        left -= fall;
        speed *= e;
        fall = 2.0 * speed / GRAVITY;
        if left <= fall {
            return speed * left - 0.5 * GRAVITY * left * left;
        }
    }
}

/// A ball that rebounds without loss keeps its energy, impact after impact, and is where the parabola says.
#[test]
fn a_ball_that_bounces_without_loss_keeps_its_energy() {
    let mut world = world(STEP, Solver::Auto);
    floor(&mut world, material(0.5, 1.0));
    let body = world.add_body(&ball(0.1).at(DVec3::Y * 1.1).made_of(material(0.5, 1.0))).unwrap();
    let start = world.energy().total();
    for step in 1..=2400 {
        world.advance();
        let energy = world.energy().total();
        // Rounding of some twenty impacts.
        assert!((energy / start - 1.0).abs() < 1e-9, "step {step}: {energy} J of {start} J");
        let height = world.pose(body).unwrap().translation.y - 0.1;
        let exact = bouncing(1.0, 1.0, f64::from(step) * STEP);
        assert!((height - exact).abs() < 1e-3, "step {step}: {height} m against {exact} m");
    }
}

#[test]
fn a_ball_that_bounces_with_loss_follows_the_closed_form() {
    let mut world = world(STEP, Solver::Auto);
    floor(&mut world, material(0.5, 0.8));
    let body = world.add_body(&ball(0.1).at(DVec3::Y * 1.1).made_of(material(0.5, 0.8))).unwrap();
    for step in 1..=600 {
        world.advance();
        let height = world.pose(body).unwrap().translation.y - 0.1;
        let exact = bouncing(1.0, 0.8, f64::from(step) * STEP);
        assert!((height - exact).abs() < 1e-3, "step {step}: {height} m against {exact} m");
    }
}

/// A slope of 35 degrees and a friction of 0.5: the way, not only the speed, is `a t^2 / 2`.
#[test]
fn a_sliding_block_is_where_the_closed_form_says() {
    let mut world = world(STEP, Solver::Auto);
    let turn = DQuat::from_rotation_z(-35.0_f64.to_radians());
    let rough = material(0.5, 0.0);
    let plane = BodyDefinition::fixed(Shape::HalfSpace(HalfSpace)).made_of(rough);
    world.add_body(&plane.in_pose(Pose::from_rotation(turn))).unwrap();
    let block = BodyDefinition::dynamic(Shape::cuboid(DVec3::new(0.5, 0.1, 0.5)).unwrap(), 500.0);
    let start = turn * DVec3::Y * 0.1;
    let block = world.add_body(&block.made_of(rough).in_pose(Pose::new(turn, start))).unwrap();
    run(&mut world, 240);
    let (sine, cosine) = libm::sincos(35.0_f64.to_radians());
    let exact = 0.5 * GRAVITY * (sine - 0.5 * cosine);
    let way = (world.pose(block).unwrap().translation - start).dot(turn * DVec3::X);
    assert!((way / exact - 1.0).abs() < 1e-4, "{way} m against {exact} m");
    let speed = world.velocity(block).unwrap().linear.dot(turn * DVec3::X);
    assert!((speed / (2.0 * exact) - 1.0).abs() < 1e-4, "{speed} m/s against {} m/s", 2.0 * exact);
}

/// A ball slides for `2 v / (7 mu g)` and then rolls with 5/7 of its speed; its way is `12/49 v^2 / (mu g)` until then.
#[test]
fn a_sliding_ball_rolls_from_where_the_closed_form_says() {
    let (speed, friction) = (3.0, 0.2);
    let mut world = world(STEP, Solver::Auto);
    floor(&mut world, material(friction, 0.0));
    let body = ball(0.1).at(DVec3::Y * 0.1).moving(DVec3::X * speed, DVec3::ZERO);
    let body = world.add_body(&body.made_of(material(friction, 0.0))).unwrap();
    run(&mut world, 480);
    let slides = 2.0 * speed / (7.0 * friction * GRAVITY);
    let exact = 12.0 / 49.0 * speed * speed / (friction * GRAVITY) + 5.0 / 7.0 * speed * (2.0 - slides);
    let way = world.pose(body).unwrap().translation.x;
    assert!((way / exact - 1.0).abs() < 1e-3, "{way} m against {exact} m");
    let rolls = world.velocity(body).unwrap().linear.x;
    assert!((rolls / (5.0 / 7.0 * speed) - 1.0).abs() < 1e-3, "{rolls} m/s");
}

/// Whatever the restitution: cubes that are thrown together never gain energy but by what taking overlaps apart lifts them, and what the
/// solver's tolerance on velocities is worth.
#[test]
fn contacts_never_raise_the_energy() {
    for restitution in [0.0, 0.5, 1.0] {
        let mut world = world(STEP, Solver::Auto);
        let surface = material(0.4, restitution);
        floor(&mut world, surface);
        for i in 0..36 {
            let at = DVec3::new(f64::from(i % 3), f64::from(i / 9), f64::from(i / 3 % 3)) * 0.16;
            let turn =
                DQuat::from_rotation_y(0.3 * f64::from(i)) * DQuat::from_rotation_x(0.2 * f64::from(i));
            let pose = Pose::new(turn, at + DVec3::Y * 0.3);
            let velocity = DVec3::new(1.0 - f64::from(i % 3), -2.0, 1.0 - f64::from(i / 3 % 3)) * 2.0;
            let cube = cube(0.05).in_pose(pose).moving(velocity, DVec3::ZERO).made_of(surface);
            world.add_body(&cube).unwrap();
        }
        let mut energy = world.energy().total();
        // Each cube has 1 kg.
        let momentum = |world: &World| -> f64 {
            world.body_handles().map(|body| world.velocity(body).unwrap().linear.length()).sum()
        };
        for step in 0..360 {
            // A pile that creeps to rest at 1e-6 m/s rises by nanometres, of the 20 um that positions are left alone for.
            let slack = 1e-4 * momentum(&world) + 2e-8 * energy;
            world.advance();
            let (now, lifted) = (world.energy().total(), world.details().projection.energy.max(0.0));
            assert!(
                now <= energy + lifted + slack,
                "restitution {restitution}, step {step}: {energy} J to {now} J, {lifted} J of it lifted, slack {slack} J"
            );
            energy = now;
        }
    }
}

/// Ten cubes and one that is 10,000 times heavier on top of them: peers squash the light ones.
#[test]
fn a_stack_with_a_load_of_ten_thousand_to_one_stands() {
    let mut world = world(1.0 / 60.0, Solver::Auto);
    floor(&mut world, material(0.5, 0.0));
    let cube = |density: f64| BodyDefinition::dynamic(Shape::cuboid(DVec3::splat(0.5)).unwrap(), density);
    let mut bodies = Vec::new();
    for i in 0..11 {
        let density = if i == 10 { 1e6 } else { 100.0 };
        bodies.push(world.add_body(&cube(density).at(DVec3::Y * (0.5 + f64::from(i)))).unwrap());
    }
    run(&mut world, 300);
    for (i, &body) in bodies.iter().enumerate() {
        let drift = world.pose(body).unwrap().translation - DVec3::Y * (0.5 + i as f64);
        assert!(drift.length() < 1e-3, "cube {i}: {drift}");
    }
}

/// A cube and one on top of it, carried round by a turntable. Bodies went off along the tangent of each step: from 1.5 m to 1.918 m in 16 s at 25 ms.
#[test]
fn what_a_turntable_carries_goes_round_with_it() {
    for step in [1.0 / 40.0, 1.0 / 160.0] {
        // Two cubes would fall over beyond g/2.
        let (radius, rate) = (1.5, 1.5);
        let mut world = world(step, Solver::Auto);
        let table = BodyDefinition::kinematic(Shape::cuboid(DVec3::new(3.0, 0.1, 3.0)).unwrap());
        let table = table.at(DVec3::Y * -0.1).moving(DVec3::ZERO, DVec3::Y * rate);
        world.add_body(&table.made_of(material(1.0, 0.0))).unwrap();
        let cubes: Vec<_> = [0.05, 0.15]
            .into_iter()
            .map(|height| {
                let at = DVec3::new(radius, height, 0.0);
                let cube = cube(0.05).at(at).moving((DVec3::Y * rate).cross(at), DVec3::Y * rate);
                world.add_body(&cube.made_of(material(1.0, 0.0))).unwrap()
            })
            .collect();
        run(&mut world, (16.0 / step) as usize);
        for cube in cubes {
            let place = world.pose(cube).unwrap().translation;
            let off = libm::hypot(place.x, place.z) - radius;
            assert!(off.abs() < 1e-6, "at {step} s it is {off} m off");
        }
    }
}
