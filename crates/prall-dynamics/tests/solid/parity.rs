//! The same bits, whoever runs it and wherever it is taken up again.

use std::sync::Arc;

use glam::DVec3;
use prall_dynamics::World;

use crate::support::{block, cube, cup, dynamic, fixed, ring, rough, turned, world};

/// Rings, cups and cubes that fall into a bin.
fn bin() -> World {
    let mut world = world(1.0 / 60.0);
    let m = rough(0.4);
    world.add_body(&fixed(&block(DVec3::new(0.4, 0.02, 0.4)), m).at(DVec3::Y * -0.01)).unwrap();
    for (size, at) in [
        (DVec3::new(0.02, 0.3, 0.34), DVec3::new(0.1, 0.16, 0.0)),
        (DVec3::new(0.02, 0.3, 0.34), DVec3::new(-0.1, 0.16, 0.0)),
        (DVec3::new(0.17, 0.3, 0.02), DVec3::new(0.0, 0.16, 0.1)),
        (DVec3::new(0.17, 0.3, 0.02), DVec3::new(0.0, 0.16, -0.1)),
    ] {
        world.add_body(&fixed(&block(size), m).at(at)).unwrap();
    }
    let shapes = [ring(0.025, 0.004, 12, 6), cup(0.05, 0.002), cube(0.04)];
    for k in 0..6_usize {
        let side = [-0.04, 0.04][k % 2];
        let axis = DVec3::new(1.0, 0.3 * k as f64, -0.5);
        let pose = turned(axis, 0.7 * k as f64, DVec3::new(side, 0.06 + 0.045 * k as f64, 0.3 * side));
        world.add_body(&dynamic(&shapes[k % 3], m).in_pose(pose)).unwrap();
    }
    world
}

fn hash_after(mut world: World, steps: usize) -> u64 {
    for _ in 0..steps {
        world.advance();
    }
    world.hash()
}

#[test]
fn twice_the_same_bits_on_any_number_of_threads() {
    let first = hash_after(bin(), 40);
    assert_eq!(hash_after(bin(), 40), first);
    for threads in [1, 2] {
        let mut world = bin();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        world.set_pool(Some(Arc::new(pool)));
        assert_eq!(hash_after(world, 40), first, "{threads} threads");
    }
}

#[test]
fn a_restored_world_goes_on_with_the_same_bits() {
    for after in [0, 1, 5, 12, 25] {
        let mut world = bin();
        for _ in 0..after {
            world.advance();
        }
        let saved = world.save();
        let end = hash_after(world, 15);
        let mut restored = bin();
        restored.restore(&saved).unwrap();
        assert_eq!(hash_after(restored, 15), end, "saved after {after} steps");
    }
}
