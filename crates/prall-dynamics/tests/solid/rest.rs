//! What stands, stands.

use glam::DVec3;
use prall_dynamics::World;

use crate::support::{Judge, cube, dynamic, fixed, rough, turned, world};

fn print(world: &World, judge: &Judge, step: usize) {
    let r = world.solid_report();
    println!("{step}: {r:?} overlaps {} looks {} ", judge.overlaps, judge.looks);
}

#[test]
fn a_cube_turned_a_little_rests_on_another() {
    let mut world = world(1.0 / 60.0);
    let shape = cube(0.05);
    world.add_body(&fixed(&shape, rough(0.5))).unwrap();
    let pose = turned(DVec3::X, 0.05, DVec3::Y * 0.051785);
    let top = world.add_body(&dynamic(&shape, rough(0.5)).in_pose(pose)).unwrap();
    let mut judge = Judge::new(&world, 10);
    for step in 0..120 {
        world.advance();
        judge.look(&world);
        if step < 20 || step % 20 == 0 {
            print(&world, &judge, step);
            println!("   {:?} {:?}", world.pose(top).unwrap(), world.velocity(top).unwrap());
        }
    }
    assert_eq!(judge.overlaps, 0);
}
