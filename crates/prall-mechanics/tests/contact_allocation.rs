//! Solving and projecting contacts allocates nothing after the first steps.

#[path = "contacts/world.rs"]
mod world;

use prall_mechanics::{Budget, Movers};
use world::{Disturbance, World, flat_pyramid, pyramid, tower, wall};

fn allocates_nothing(mut world: World) {
    for _ in 0..30 {
        world.step();
    }
    for _ in 0..20 {
        world.detect();
        let info = allocation_counter::measure(|| {
            world.solve(&mut Budget::unlimited());
            let mut movers = Movers { bodies: &mut world.bodies, others: &mut [] };
            world.contacts.project(&mut movers, world.gravity, &world.options, &mut Budget::unlimited());
        });
        assert_eq!(info.count_total, 0);
        world.commit();
    }
}

#[test]
fn contacts_allocate_nothing_after_warm_up() {
    let disturbance = || Disturbance { gap: 0.01, ..Disturbance::none() };
    allocates_nothing(tower(1.0 / 60.0, 10, &mut disturbance()));
    allocates_nothing(wall(1.0 / 60.0, &mut disturbance()));
    allocates_nothing(pyramid(1.0 / 60.0, 3, &mut disturbance()));
    allocates_nothing(flat_pyramid(1.0 / 60.0, 5, 1.0, &mut disturbance()));
}
