//! Things that stand, and things that fall until they stand.

use glam::{DQuat, DVec3};
use prall_math::Pose;

use crate::world::{Disturbance, World, flat_pyramid, pyramid, tower, wall};

const H: f64 = 1.0 / 60.0;

/// Largest distance of a body from where it was.
fn drift(world: &World, start: &[Pose]) -> f64 {
    (0..start.len()).map(|i| world.place(i).distance(start[i].translation)).fold(0.0, f64::max)
}

fn stands(mut world: World, seconds: f64) {
    let start = world.bodies.poses.clone();
    world.run(seconds);
    assert_eq!(world.certified_steps, world.steps);
    let drift = drift(&world, &start);
    // A hundredth of a millimetre; rest is exact, only gravity's rounding is left.
    assert!(drift < 1e-5, "{drift}");
}

#[test]
fn what_starts_exactly_at_rest_stays_there() {
    stands(tower(H, 10, &mut Disturbance::none()), 2.0);
    stands(tower(H, 100, &mut Disturbance::none()), 2.0);
    stands(wall(H, &mut Disturbance::none()), 1.0);
    stands(pyramid(H, 10, &mut Disturbance::none()), 0.5);
    stands(flat_pyramid(H, 30, 1.0, &mut Disturbance::none()), 0.5);
}

/// 5,050 boxes in 100 rows that touch side by side.
#[test]
fn the_large_pyramid_stands() {
    stands(flat_pyramid(H, 100, 1.0, &mut Disturbance::none()), 5.0 * H);
}

#[test]
fn a_heavy_box_rests_on_light_ones() {
    for ratio in [1e3, 1e4] {
        let mut world = tower(H, 10, &mut Disturbance::none());
        world.add_box(DVec3::splat(0.5), Pose::from_translation(DVec3::Y * 10.5), ratio, 0.5);
        stands(world, 2.0);
    }
}

/// Under box k of n stand the weights of all above it, exactly.
#[test]
fn percussions_under_a_tower_are_the_weights() {
    let mut world = tower(H, 50, &mut Disturbance::none());
    world.run(0.2);
    let mut carried = vec![0.0; 51];
    for contact in world.contacts.iter() {
        let lower = (contact.key >> 32).min(contact.key & 0xffff_ffff) as usize;
        carried[lower] += contact.impulse.y.abs();
    }
    for (lower, carried) in carried.iter().enumerate().take(50) {
        let weight = (50 - lower) as f64 * 9.81 * H;
        assert!((carried - weight).abs() < 1e-9 * weight, "{lower}: {carried} {weight}");
    }
}

/// A pile that is frozen looks perfect, so what counts is the fall: the top sinks by the sum of the gaps, up to the
/// 40 um per contact that count as closed.
#[test]
fn a_gapped_stack_falls_by_its_gaps_and_then_rests() {
    let gap = 0.01;
    let mut world = World::new(H);
    world.add_ground(DQuat::IDENTITY, 0.5);
    for i in 0..10 {
        let y = 0.5 + i as f64 + gap * (i + 1) as f64;
        world.add_box(DVec3::splat(0.5), Pose::from_translation(DVec3::Y * y), 1.0, 0.5);
    }
    let top = world.place(10).y;
    world.run(2.0);
    let fall = top - world.place(10).y;
    assert!((fall - 10.0 * gap).abs() < 10.0 * 40e-6, "{fall}");
    let rested = world.bodies.poses.clone();
    world.run(0.5);
    assert!(drift(&world, &rested) < 1e-9);
}

/// The note's disturbed starts: shifted, turned, with gaps.
fn settles(mut world: World, seconds: f64, sideways: f64) {
    let start = world.bodies.poses.clone();
    let before = world.energy();
    world.run(seconds);
    let top =
        (0..start.len()).max_by(|&i, &j| start[i].translation.y.total_cmp(&start[j].translation.y)).unwrap();
    let moved = world.place(top) - start[top].translation;
    let across = (moved.x * moved.x + moved.z * moved.z).sqrt();
    assert!(across < sideways, "sideways {across}");
    assert!(world.energy() <= before);
    let rested = world.bodies.poses.clone();
    world.run(0.25);
    assert!(drift(&world, &rested) < 1e-6, "creep {}", drift(&world, &rested));
}

#[test]
fn a_disturbed_tower_settles() {
    settles(tower(H, 20, &mut Disturbance::some()), 2.0, 2e-3);
}

#[test]
fn a_disturbed_high_tower_settles() {
    settles(tower(H, 100, &mut Disturbance::some()), 3.0, 2e-3);
}

#[test]
fn a_disturbed_wall_settles() {
    settles(wall(H, &mut Disturbance::some()), 2.0, 2e-3);
}

#[test]
fn a_disturbed_pyramid_settles() {
    settles(pyramid(H, 10, &mut Disturbance::some()), 1.5, 2e-3);
}

#[test]
fn a_disturbed_flat_pyramid_settles() {
    settles(flat_pyramid(H, 40, 1.03, &mut Disturbance::some()), 1.5, 2e-3);
}
