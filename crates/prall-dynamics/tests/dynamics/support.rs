//! What several tests build.

use glam::{DMat3, DVec3};
use prall_dynamics::{BodyDefinition, BodyHandle, JointDefinition, Solver, World, WorldOptions};
use prall_geometry::{HalfSpace, MassProperties, Shape};

pub(crate) const GRAVITY: f64 = 9.81;

/// A ball of mass without a shape.
pub(crate) fn mass(mass: f64, inertia: f64) -> BodyDefinition {
    BodyDefinition::massive(MassProperties {
        mass,
        center_of_mass: DVec3::ZERO,
        inertia: DMat3::from_diagonal(DVec3::splat(inertia)),
    })
}

/// A rod of a length along x, of 1 kg, without a shape.
pub(crate) fn rod(length: f64) -> BodyDefinition {
    let across = length * length / 12.0;
    BodyDefinition::massive(MassProperties {
        mass: 1.0,
        center_of_mass: DVec3::ZERO,
        inertia: DMat3::from_diagonal(DVec3::new(0.01 * across, across, across)),
    })
}

pub(crate) fn world(step: f64, solver: Solver) -> World {
    World::new(WorldOptions { time_step: step, solver, ..WorldOptions::default() }).unwrap()
}

pub(crate) fn exact(step: f64, solver: Solver) -> World {
    World::new(WorldOptions {
        time_step: step,
        solver,
        position_tolerance: 1e-12,
        velocity_tolerance: 1e-12,
        ..WorldOptions::default()
    })
    .unwrap()
}

pub(crate) fn weightless(step: f64, solver: Solver) -> World {
    World::new(WorldOptions { gravity: DVec3::ZERO, ..*exact(step, solver).options() }).unwrap()
}

pub(crate) fn add_floor(world: &mut World) -> BodyHandle {
    world.add_body(&BodyDefinition::fixed(Shape::HalfSpace(HalfSpace))).unwrap()
}

pub(crate) fn cube(half: f64) -> BodyDefinition {
    BodyDefinition::dynamic(Shape::cuboid(DVec3::splat(half)).unwrap(), 1000.0)
}

pub(crate) fn ball(radius: f64) -> BodyDefinition {
    BodyDefinition::dynamic(Shape::sphere(radius).unwrap(), 1000.0)
}

pub(crate) fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.advance();
    }
}

/// A binary tree of `count` ball-jointed rods that hangs on the ground: Bender's benchmark.
pub(crate) fn tree(world: &mut World, count: usize) -> Vec<BodyHandle> {
    let mut bodies: Vec<BodyHandle> = Vec::new();
    let mut ends: Vec<DVec3> = Vec::new();
    for i in 0..count {
        let level = f64::from((i + 1).ilog2());
        let side = if i == 0 {
            0.0
        } else if i % 2 == 1 {
            -1.0
        } else {
            1.0
        };
        let width = 2.0 / (level + 1.0) / (level + 1.0);
        let (parent, start) = match i {
            0 => (world.ground(), DVec3::ZERO),
            _ => (bodies[(i - 1) / 2], ends[(i - 1) / 2]),
        };
        let end = start + DVec3::new(side * width, -0.5, 0.1 * side);
        let along = end - start;
        let length = along.length();
        let turn = glam::DQuat::from_rotation_arc(DVec3::X, along / length);
        let body = rod(length).in_pose(prall_math::Pose::new(turn, start + 0.5 * along));
        let body = world.add_body(&body).unwrap();
        world.add_joint(&JointDefinition::ball(parent, body, start)).unwrap();
        bodies.push(body);
        ends.push(end);
    }
    bodies
}

/// Largest distance and largest relative velocity of the two points of a ball joint, from poses and velocities of its bodies alone.
pub(crate) fn ball_joint_errors(world: &World) -> (f64, f64) {
    let mut most = (0.0_f64, 0.0_f64);
    let mut pairs = 0;
    for (mark, bodies) in world.joint_marks().zip(world.jointed_pairs()) {
        let points = mark.frames.map(|frame| frame.translation);
        let rates = [0, 1].map(|side| {
            let arm = points[side] - world.pose(bodies[side]).unwrap().translation;
            world.velocity(bodies[side]).unwrap().velocity_at(arm)
        });
        most = (most.0.max(points[0].distance(points[1])), most.1.max(rates[0].distance(rates[1])));
        pairs += 1;
    }
    assert_eq!(pairs, world.joint_count(), "a joint whose bodies collide has no pair");
    most
}
