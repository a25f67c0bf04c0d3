//! A budget of any size lets nothing pass; a smaller one moves less.

use glam::DVec3;
use prall_handling::{Budget, HandlingOptions, Held};

use crate::corner::{corner, corner_shapes};
use crate::shapes::*;

#[test]
fn no_budget_however_small_lets_anything_pass() {
    let part = cuboid(DVec3::new(0.08, 0.06, 0.07));
    let shapes = corner_shapes();
    for limit in [0, 1, 7, 50, 400] {
        let mut held =
            Held::new(&part, at(0.06, 0.06, 0.06), corner(&shapes), HandlingOptions::default()).unwrap();
        let mut judge = Judge::new(&part, &shapes.iter().collect::<Vec<_>>());
        let mut hand = Violence::new(limit);
        let mut moved = 0.0;
        for _ in 0..200 {
            let command = velocity(hand.vector() * 5.0 - DVec3::ONE, hand.vector() * 20.0);
            let before = held.pose().translation;
            let report = held.step(Some(&command), DT, &mut Budget::of_work(limit)).unwrap();
            assert!(report.work <= limit);
            moved += (held.pose().translation - before).length();
            judge.look(&held, 5);
        }
        if limit == 0 {
            // What near features prove by the way costs no sweep.
            assert!(moved < 0.1, "{moved}");
        }
        if limit == 400 {
            assert!(moved > 0.2, "{moved}");
        }
    }
}

/// The mean share of the interval that is worked off falls with the budget, and not to nothing at once.
#[test]
fn half_of_the_work_needed_does_a_good_part_of_the_interval() {
    let part = cuboid(DVec3::new(0.08, 0.06, 0.07));
    let shapes = corner_shapes();
    let run = |share: Option<f64>| {
        let mut held =
            Held::new(&part, at(0.06, 0.06, 0.06), corner(&shapes), HandlingOptions::default()).unwrap();
        let mut hand = Violence::new(9);
        let mut done = 0.0;
        for _ in 0..300 {
            let command = velocity(hand.vector() * 2.0 - DVec3::ONE * 0.5, hand.vector() * 10.0);
            // What this very step needs.
            let state = held.state().clone();
            let needed = held.step(Some(&command), DT, &mut Budget::unlimited()).unwrap().work;
            if let Some(share) = share {
                held.restore(&state).unwrap();
                let mut budget = Budget::of_work((share * needed as f64) as u64);
                held.step(Some(&command), DT, &mut budget).unwrap();
            }
            done += held.report().done / 300.0;
        }
        done
    };
    let all = run(None);
    let parts = [0.5, 0.25, 0.125].map(|share| run(Some(share)));
    assert!(all > 0.99, "{all}");
    assert!(parts[0] >= 0.3 && parts[1] >= 0.1 && parts[2] > 0.0, "{parts:?}");
}
