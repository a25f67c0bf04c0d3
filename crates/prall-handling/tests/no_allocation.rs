//! A step allocates nothing once its memory has warmed up.

#[path = "handling/shapes.rs"]
#[allow(dead_code)]
mod shapes;

use glam::DVec3;
use prall_handling::{Budget, HandlingOptions, Held};
use shapes::*;

#[test]
fn steps_allocate_nothing_after_warm_up() {
    let part = cuboid(DVec3::new(0.08, 0.06, 0.07));
    let wall = cuboid(DVec3::new(0.05, 0.6, 0.6));
    let obstacles = vec![table(), obstacle("wall", &wall, at(-0.2, 0.0, 0.0))];
    let mut held = Held::new(&part, at(0.0, 0.1, 0.0), obstacles, HandlingOptions::default()).unwrap();
    let mut steps = || {
        let mut hand = Violence::new(8);
        held.set_pose(at(0.0, 0.1, 0.0)).unwrap();
        allocation_counter::measure(|| {
            for step in 0..1_000 {
                // About a place near both walls.
                let pull = (DVec3::new(-0.13, 0.03, 0.0) - held.pose().translation) * 20.0;
                let command = velocity(pull + hand.vector(), hand.vector() * 10.0);
                let command = if step % 10 == 0 { None } else { Some(command) };
                held.step(command.as_ref(), DT, &mut Budget::unlimited()).unwrap();
            }
        })
    };
    // The same steps again need no more memory than the first time.
    assert!(steps().count_total > 0);
    assert_eq!(steps().count_total, 0);
}
