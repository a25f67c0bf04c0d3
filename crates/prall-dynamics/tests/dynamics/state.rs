//! Saving, restoring, hashing, allocating.

use crate::support::*;
use glam::DVec3;
use prall_dynamics::{
    BodyDefinition, JointDefinition, Solver, SpringDamper, World, WorldError, WorldOptions,
};
use prall_geometry::Shape;
use prall_mechanics::Material;

/// Boxes, balls and a jointed chain that fall on a floor and on each other.
fn mixed() -> World {
    let mut world = world(1.0 / 60.0, Solver::Auto);
    add_floor(&mut world);
    for i in 0..5 {
        let t = f64::from(i);
        let place = DVec3::new(0.3 * t - 0.5, 1.0 + 0.8 * t, 0.1 * t);
        world.add_body(&cube(0.25).at(place).moving(DVec3::ZERO, DVec3::new(1.0, t, 0.5))).unwrap();
        world.add_body(&ball(0.2).at(place + DVec3::new(0.1, 0.5, 0.9))).unwrap();
    }
    let mut last = world.ground();
    for i in 0..4 {
        let place = DVec3::new(-2.0, 3.0 - f64::from(i), 0.0);
        let link = BodyDefinition::dynamic(Shape::capsule(0.3, 0.1).unwrap(), 800.0);
        let link = world.add_body(&link.at(place).moving(DVec3::X, DVec3::ZERO)).unwrap();
        let joint = JointDefinition::hinge(last, link, place + DVec3::Y * 0.5, DVec3::Z);
        let spring = SpringDamper { stiffness: 5.0, damping: 0.5, rest: 0.0 };
        world.add_joint(&joint.sprung(0, spring).limits(0, -1.0, 1.0)).unwrap();
        last = link;
    }
    world
}

#[test]
fn a_restored_world_goes_on_bit_by_bit() {
    let mut world = mixed();
    run(&mut world, 100);
    let saved = world.save();
    run(&mut world, 100);
    let hash = world.hash();
    world.restore(&saved).unwrap();
    run(&mut world, 100);
    assert_eq!(world.hash(), hash);
    let mut other = mixed();
    other.restore(&saved).unwrap();
    run(&mut other, 100);
    assert_eq!(other.hash(), hash, "in another world of the same bodies too");
}

#[test]
fn a_world_made_again_from_its_definitions_moves_alike() {
    let mut world = mixed();
    let mut copy = World::new(*world.options()).unwrap();
    let mut handles = std::collections::HashMap::from([(world.ground(), copy.ground())]);
    for body in world.body_handles().filter(|body| *body != world.ground()) {
        handles.insert(body, copy.add_body(&world.body_definition(body).unwrap()).unwrap());
    }
    for joint in world.joint_handles() {
        let mut joint = world.joint_definition(joint).unwrap();
        joint.bodies = joint.bodies.map(|body| handles[&body]);
        copy.add_joint(&joint).unwrap();
    }
    run(&mut world, 100);
    run(&mut copy, 100);
    assert_eq!(copy.hash(), world.hash());
}

#[test]
fn states_that_do_not_fit_are_refused() {
    let mut world = mixed();
    let before = world.hash();
    assert!(matches!(world.restore(&[1, 2, 3]), Err(WorldError::State(_))));
    let other = World::default().save();
    assert!(matches!(world.restore(&other), Err(WorldError::State(_))));
    let mut long = world.save();
    long.push(0);
    assert!(matches!(world.restore(&long), Err(WorldError::State(_))));
    assert_eq!(world.hash(), before);
}

#[test]
fn the_mixed_scene_has_the_same_bits_on_every_number_of_threads() {
    let hash =
        |threads: Option<usize>| {
            let mut world = mixed();
            world.set_pool(threads.map(|n| {
                std::sync::Arc::new(rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap())
            }));
            run(&mut world, 200);
            assert!(world.is_finite());
            world.hash()
        };
    let alone = hash(None);
    assert_eq!(alone, hash(Some(1)));
    assert_eq!(alone, hash(Some(2)));
}

#[test]
fn a_step_allocates_nothing_after_warm_up() {
    let mut world = world(1.0 / 60.0, Solver::Auto);
    add_floor(&mut world);
    world.add_body(&cube(0.5).at(DVec3::Y * 0.5)).unwrap();
    tree(&mut world, 15);
    run(&mut world, 60);
    let allocations = allocation_counter::measure(|| run(&mut world, 10));
    assert_eq!(allocations.count_total, 0);
}

/// The bits of a mixed scene after 500 steps, on every machine and at every optimisation level. Whoever changes the
/// arithmetic on purpose changes this number.
#[test]
fn the_mixed_scene_has_its_stored_hash_after_500_steps() {
    let mut world = mixed();
    run(&mut world, 500);
    assert!(world.is_finite());
    assert_eq!(format!("{:#018x}", world.hash()), "0xde66cd9299d62ac4");
}

/// In a crowd of fast bodies most pairs whose boxes meet go past each other. They need no memory of contacts: with one for each pair
/// a body took 70 kB here instead of 37, which the lists of pairs need.
#[test]
fn pairs_that_go_past_each_other_need_no_memory_of_contacts() {
    let mut world = World::new(WorldOptions { gravity: DVec3::ZERO, ..WorldOptions::default() }).unwrap();
    let mut random = crate::energy::Random(5);
    let count = 343;
    for i in 0..count {
        let at = DVec3::new((i % 7) as f64, (i / 7 % 7) as f64, (i / 49) as f64) * 0.3;
        let cube = BodyDefinition::dynamic(Shape::cuboid(DVec3::splat(0.04)).unwrap(), 800.0);
        let cube = cube.made_of(Material { restitution: 0.9, ..Material::default() });
        world.add_body(&cube.at(at).moving(random.vector() * 30.0, DVec3::ZERO)).unwrap();
    }
    let memory = allocation_counter::measure(|| _ = world.advance());
    let each = memory.bytes_current / count;
    assert!(each < 50_000, "{each} bytes a body are kept");
}
