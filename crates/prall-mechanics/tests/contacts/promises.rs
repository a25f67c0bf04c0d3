//! What holds for every solve: momentum, threads, budgets, saved states, no allocation, and the law itself.

use glam::{DQuat, DVec3};
use prall_math::Pose;
use prall_mechanics::{Budget, Contacts, StateHash};

use crate::world::{Disturbance, World, flat_pyramid, tower, wall};

fn hash(world: &World) -> u64 {
    let mut hash = StateHash::new();
    for (pose, velocity) in world.bodies.poses.iter().zip(&world.bodies.velocities) {
        hash.pose(pose).twist(velocity);
    }
    hash.finish()
}

/// Boxes that fly into each other without ground: neither solve nor warm start makes momentum.
#[test]
fn momentum_is_kept_to_rounding() {
    let mut world = World::new(1.0 / 60.0);
    world.gravity = DVec3::ZERO;
    world.options.shock = false;
    for i in 0..27 {
        let at = DVec3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)) * 1.05;
        let turn = DQuat::from_scaled_axis(DVec3::new(0.1, 0.2, 0.05) * f64::from(i));
        let body =
            world.add_box(DVec3::new(0.4, 0.3, 0.35), Pose::new(turn, at), 1.0 + f64::from(i % 4), 0.6);
        world.bodies.velocities[body].linear = (DVec3::splat(1.05) - at) * 3.0;
    }
    let mut most = 0;
    for _ in 0..60 {
        world.detect();
        let (linear, angular) = world.momentum();
        world.solve(&mut Budget::unlimited());
        let (linear_after, angular_after) = world.momentum();
        assert!((linear_after - linear).length() < 1e-12 && (angular_after - angular).length() < 1e-12);
        most = most.max(world.report.contacts);
        world.commit();
    }
    assert!(most > 30, "{most}");
}

/// Ten towers that fall together are ten islands; two threads give the bits of one.
#[test]
fn threads_do_not_change_a_bit() {
    let run = |threads: Option<usize>| {
        let mut world = World::new(1.0 / 60.0);
        world.add_ground(DQuat::IDENTITY, 0.5);
        let mut disturbance = Disturbance::some();
        for tower in 0..10 {
            for i in 0..8 {
                let centre = DVec3::new(3.0 * f64::from(tower), 0.5 + f64::from(i), 0.0);
                disturbance.place(&mut world, DVec3::splat(0.5), centre, 1.0);
            }
        }
        world.pool = threads.map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
        world.run(0.7);
        assert_eq!(world.report.islands, 10);
        (hash(&world), world.report)
    };
    let alone = run(None);
    assert_eq!(run(Some(1)), alone);
    assert_eq!(run(Some(2)), alone);
}

#[test]
fn a_restored_state_goes_on_bit_by_bit() {
    let mut world = wall(1.0 / 60.0, &mut Disturbance::some());
    world.run(0.2);
    let saved = serde_json::to_string(&(&world.contacts, &world.bodies)).unwrap();
    world.run(0.2);
    let went_on = hash(&world);
    let (contacts, bodies): (Contacts, _) = serde_json::from_str(&saved).unwrap();
    (world.contacts, world.bodies) = (contacts, bodies);
    world.run(0.2);
    assert_eq!(hash(&world), went_on);
}

/// Wherever the budget ends: percussions push and lie in their cones, everything is finite, the limit is kept, and the
/// same limit gives the same bits.
#[test]
fn a_budget_may_end_anywhere() {
    for limit in [0, 1, 10, 100, 500, 1000, 2000, 5000, 20_000] {
        let run = || {
            let mut world = wall(1.0 / 60.0, &mut Disturbance::some());
            for _ in 0..5 {
                world.detect();
                let mut budget = Budget::of_work(limit);
                world.solve(&mut budget);
                assert!(budget.used() <= limit && world.report.work == budget.used());
                for contact in world.contacts.iter() {
                    let normal = contact.impulse.dot(contact.normal);
                    let tangential = (contact.impulse - contact.normal * normal).length();
                    assert!(normal >= -1e-15 && tangential <= 0.5 * normal * (1.0 + 1e-12) + 1e-15);
                }
                world.commit();
            }
            assert!(world.bodies.are_finite());
            hash(&world)
        };
        assert_eq!(run(), run());
    }
}

/// A box that a fast one hits from the side leaves the tower; what it hits moves. Nothing sleeps.
#[test]
fn a_touch_ends_rest() {
    let mut world = tower(1.0 / 60.0, 5, &mut Disturbance::none());
    world.run(0.5);
    assert_eq!(world.certified_steps, world.steps);
    let ball = world.add_box(DVec3::splat(0.2), Pose::from_translation(DVec3::new(-1.5, 4.5, 0.0)), 2.0, 0.5);
    world.bodies.velocities[ball].linear = DVec3::X * 5.0;
    world.run(0.5);
    assert!(world.place(5).x > 0.1);
}

/// Turned gravity, moved and renumbered: the same pyramid stands.
#[test]
fn rest_does_not_depend_on_where_up_is() {
    let mut world = flat_pyramid(1.0 / 60.0, 6, 1.0, &mut Disturbance::none());
    let turn = DQuat::from_scaled_axis(DVec3::new(0.4, -0.3, 0.9));
    for pose in &mut world.bodies.poses {
        *pose = Pose::from_rotation(turn) * *pose;
    }
    for i in 0..world.bodies.len() {
        world.bodies.turn_inertia(i);
    }
    world.gravity = turn * world.gravity;
    let start = world.bodies.poses.clone();
    world.run(0.5);
    assert_eq!(world.certified_steps, world.steps);
    for (pose, start) in world.bodies.poses.iter().zip(&start) {
        assert!(pose.translation.distance(start.translation) < 1e-9);
    }
}

/// A pile on a lift that accelerates upwards and then goes on: carried, and certified in its frame.
#[test]
fn a_pile_rides_a_lift() {
    let mut world = World::new(1.0 / 60.0);
    let plate = prall_geometry::Shape::cuboid(DVec3::new(2.0, 0.1, 2.0)).unwrap();
    let lift = world.add_fixed(plate, Pose::from_translation(DVec3::NEG_Y * 0.1), crate::world::law(0.5));
    for i in 0..4 {
        world.add_box(DVec3::splat(0.5), Pose::from_translation(DVec3::Y * (0.5 + f64::from(i))), 1.0, 0.5);
    }
    for step in 0..60 {
        world.bodies.velocities[lift].linear = DVec3::Y * (0.02 * f64::from(step.min(30)));
        world.step();
    }
    let height = world.place(4).y - world.place(0).y;
    assert!((height - 3.6).abs() < 1e-9, "{height}");
    assert_eq!(world.certified_steps, world.steps);
}
