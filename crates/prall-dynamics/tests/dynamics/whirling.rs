//! Jointed bodies that whirl near walls: joints stay closed and energy is not made, however fast they turn.

use crate::energy::Random;
use glam::DVec3;
use prall_dynamics::{BodyDefinition, BodyHandle, JointDefinition, Material, Solver, World, WorldOptions};
use prall_geometry::Shape;

fn made_of(restitution: f64, friction: f64) -> Material {
    Material { restitution, static_friction: friction, dynamic_friction: friction, ..Material::default() }
}

/// A stick and a box on a ball joint between them, at `place`, flying and whirling.
fn pair(
    world: &mut World,
    place: DVec3,
    (velocity, spin): (DVec3, DVec3),
    material: Material,
) -> [BodyHandle; 2] {
    let shapes = [DVec3::new(0.3, 0.015, 0.02), DVec3::new(0.1, 0.12, 0.08)];
    let places = [place - DVec3::X * 0.2, place + DVec3::X * 0.2];
    let bodies = [0, 1].map(|i| {
        let shape = Shape::cuboid(shapes[i]).unwrap();
        let velocity = velocity + spin.cross(places[i] - place);
        let body = BodyDefinition::dynamic(shape, 1000.0).at(places[i]).moving(velocity, spin);
        world.add_body(&body.made_of(material)).unwrap()
    });
    world.add_joint(&JointDefinition::ball(bodies[0], bodies[1], place)).unwrap();
    bodies
}

fn closed_box(step: f64, gravity: f64, solver: Solver, material: Material) -> World {
    let options =
        WorldOptions { time_step: step, gravity: DVec3::Y * -gravity, solver, ..Default::default() };
    let mut world = World::new(options).unwrap();
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for sign in [-1.0, 1.0] {
            let half = DVec3::splat(1.6) * (DVec3::ONE - axis) + axis * 0.05;
            let wall = BodyDefinition::fixed(Shape::cuboid(half).unwrap()).at(axis * sign * 1.55);
            world.add_body(&wall.made_of(material)).unwrap();
        }
    }
    world
}

/// Where a wall stopped such bodies their joint was open by up to 0.8 m, and closing it made some times the energy that they had.
#[test]
fn joints_of_bodies_that_whirl_at_walls_stay_closed_and_make_no_energy() {
    let mut random = Random(3);
    let (mut stopped, mut widest, mut gained) = (0, 0.0_f64, 0.0_f64);
    for number in 0..60 {
        let material = made_of([0.0, 0.5, 1.0][number % 3], random.next());
        let step = [1.0 / 60.0, 1.0 / 240.0][number % 2];
        let mut world = closed_box(step, 0.0, Solver::Auto, material);
        let motion = (random.vector() * 40.0, random.vector() * libm::pow(800.0, random.next()));
        pair(&mut world, DVec3::ZERO, motion, material);
        let mut last = world.energy().total();
        for at in 0..60 {
            let clamps = world.advance().energy_clamps;
            stopped += world.details().stopped;
            widest = widest.max(world.details().joint_error);
            let now = world.energy().total();
            gained = gained.max(now / last - 1.0);
            last = now;
            assert_eq!(clamps, 0, "pair {number}, step {at}");
        }
    }
    assert!(stopped > 100, "{stopped} stops, the test asks for nothing");
    assert!(widest <= 1e-5, "joints open by {widest} m");
    // Newton's method in trees ends at changes of 1e-4 rad/s.
    assert!(gained <= 1e-6, "{gained} of the energy in a step");
}

/// A solver that looks ahead has to do so again once contacts have turned bodies another way.
#[test]
fn joints_look_ahead_again_once_contacts_have_pushed() {
    let material = made_of(0.0, 0.3);
    for spin in [0.5, 5.0] {
        let mut world = closed_box(1.0 / 240.0, 9.81, Solver::Direct, material);
        pair(&mut world, DVec3::ZERO, (DVec3::X * 3.0, DVec3::new(0.3, 0.5, 1.0) * spin), material);
        let mut pushed = 0;
        let mut widest = 0.0_f64;
        for _ in 0..480 {
            world.advance();
            pushed += world.report().contacts;
            widest = widest.max(world.details().joint_error);
        }
        assert!(pushed > 100, "{pushed} contacts");
        assert!(widest <= 2e-5, "{spin} rad/s: {widest} m");
    }
}
