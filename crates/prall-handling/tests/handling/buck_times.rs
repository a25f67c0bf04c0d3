//! When collisions are found, what is solved together, and what a shaken set of contacts keeps, by the method of Buck 1999.

use glam::{DQuat, DVec3};
use prall_handling::Friction;
use prall_handling::buck::{BuckOptions, CollisionTime, Partner, StartForces};
use prall_math::{Pose, Twist};

use crate::buck::{GUARD, INTERVAL, mass, take};
use crate::buck_shake::shake;
use crate::shapes::*;

/// F22, F23: a box falls and turns. The height of its lowest corner in closed form, and its zero by bisection, say where each mode must stop: a guard before the time
/// that it finds, and never beyond what is proven.
#[test]
fn modes_of_the_collision_time_stop_where_their_curves_meet_the_face() {
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    let (tilt, height, fall, spin) = (0.4, 0.0495, 0.2, 20.0);
    let angle = 2.0 * libm::atan(0.5 * spin * INTERVAL);
    let lowest = |t: f64| {
        let turned = |x: f64, y: f64| {
            let (sine, cosine) = libm::sincos(tilt + angle * t);
            sine * x + cosine * y
        };
        height - fall * INTERVAL * t + turned(-0.05, -0.03)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if lowest(middle) > 0.0 { low = middle } else { high = middle }
    }
    let stop = |meets: f64| meets * (1.0 - GUARD / (lowest(0.0) - lowest(meets)));
    let run = |collision_time: CollisionTime| {
        let options = BuckOptions { collision_time, ..BuckOptions::default() };
        let start = Pose::new(DQuat::from_rotation_z(tilt), DVec3::Y * height);
        let mut held = take(&part, start, vec![table()], options);
        let report = *held.step(&Twist::new(DVec3::NEG_Y * fall, DVec3::Z * spin), INTERVAL).unwrap();
        assert!(report.born, "{collision_time:?}");
        (report.done, report.late, held.gap(&held.contacts()[0]))
    };
    let line = lowest(0.0) / (lowest(0.0) - lowest(1.0));
    let (done, late, gap) = run(CollisionTime::RegulaFalsi);
    assert!((done - stop(low)).abs() < 1e-5 && !late, "{done} {}", stop(low));
    assert!((0.5 * GUARD..2.0 * GUARD).contains(&gap), "{gap:e}");
    // What the certified sweep proves free ends between a fifth and a quarter of the guard.
    let (proven, _, gap) = run(CollisionTime::Certified);
    assert!(proven > done && (0.19 * GUARD..0.26 * GUARD).contains(&gap), "{gap:e}");
    let share = |mode| run(mode).0;
    let expected = (line * (1.0 - GUARD / (lowest(0.0) - lowest(line)).abs())).min(proven);
    // The corner speeds up, so that the straight line comes too late and is cut.
    assert!((share(CollisionTime::Linear) - expected).abs() < 1e-9 && run(CollisionTime::Linear).1);
    let off = |mode| (share(mode) - done).abs();
    let (linear, quadratic) = (off(CollisionTime::Linear), off(CollisionTime::Quadratic));
    let (few, many) = (off(CollisionTime::Equidistant(4)), off(CollisionTime::Equidistant(64)));
    assert!(linear > few && few > many && linear > quadratic);
}

/// F15: parts that touch only obstacles are solved apart; parts that touch each other together.
#[test]
fn parts_are_solved_together_only_where_they_touch_each_other() {
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    let lean = Twist::new(DVec3::NEG_Y * 0.1, DVec3::new(0.03, 0.0, 0.05));
    for (other, orders) in [(at(0.3, 0.0301, 0.0), vec![3, 3]), (at(0.0, 0.0903, 0.0), vec![6])] {
        let mut held = take(&part, at(0.0, 0.0301, 0.0), vec![table()], BuckOptions::default())
            .with_part(&part, &mass(&part), other)
            .unwrap();
        for _ in 0..100 {
            held.step_each(&[lean, lean], INTERVAL).unwrap();
        }
        let found: Vec<usize> = held.solves().iter().map(|solve| solve.order).collect();
        assert_eq!(found, orders);
        // F16: the lower part bears both loads, and passes on the upper one's.
        let force = |of: fn(&Partner) -> bool| -> f64 {
            held.contacts().iter().filter(|contact| of(&contact.partner)).map(|contact| contact.force).sum()
        };
        let ground = force(|partner| matches!(partner, Partner::Obstacle(_)));
        assert!((ground - 2.0 * 2.0 * 0.1 / INTERVAL).abs() < 1e-4, "{ground}");
    }
    assert!(
        take(&part, at(0.0, 0.1, 0.0), vec![], BuckOptions::default())
            .with_part(&part, &mass(&part), at(0.05, 0.1, 0.0))
            .is_err()
    );
}

/// F33: problems that are not solved within the iterations leave the parts of their cluster, and only those, where they were.
#[test]
fn a_problem_without_a_solution_leaves_its_cluster_where_it_is() {
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    let lean = Twist::new(DVec3::NEG_Y * 0.1, DVec3::new(0.03, 0.0, 0.05));
    let mut held = take(&part, at(0.0, 0.0301, 0.0), vec![table()], BuckOptions::default())
        .with_part(&part, &mass(&part), at(0.3, 0.2, 0.0))
        .unwrap();
    for _ in 0..100 {
        held.step_each(&[lean], INTERVAL).unwrap();
    }
    let mut held = held.with_options(BuckOptions { max_iterations: 1, ..BuckOptions::default() }).unwrap();
    let before: Vec<Pose> = held.poses().copied().collect();
    let aside = Twist::new(DVec3::new(0.2, -0.4, 0.1), DVec3::new(0.0, 0.3, 0.0));
    let report = *held.step_each(&[aside, Twist::new(DVec3::X, DVec3::ZERO)], INTERVAL).unwrap();
    let after: Vec<Pose> = held.poses().copied().collect();
    assert!(report.jam && !held.solves()[0].solved, "{report:?}");
    assert_eq!(after[0], before[0]);
    assert!((after[1].translation.x - before[1].translation.x - INTERVAL).abs() < 1e-12);
    // With enough of them it goes on from there.
    let mut held = held.with_options(BuckOptions::default()).unwrap();
    assert!(!held.step_each(&[aside], INTERVAL).unwrap().jam);
    assert!(held.pose().translation.x > before[0].translation.x);
}

/// Fig. 38 in short: two loose parts are shaken in a corner. Sets of contacts stay independent, gaps keep the guard, few problems have no solution, and nothing overlaps.
#[test]
fn a_shaken_set_of_contacts_stays_independent_and_keeps_its_guard() {
    for (friction, start) in
        [(0.0, StartForces::Previous), (0.0, StartForces::Linear), (0.3, StartForces::Previous)]
    {
        let options = BuckOptions { friction: Friction::of(friction), start, ..BuckOptions::default() };
        let seen = shake(options, 1500, 7);
        let unsolved = seen.solves.iter().filter(|solve| !solve.solved).count();
        assert!(seen.off < 0.1 * GUARD, "{friction} {start:?}: {:e}", seen.off);
        assert!(seen.condition > 1e-10 && seen.dependent == 0, "{friction} {start:?}: {:e}", seen.condition);
        assert!(seen.most >= 8 && seen.most <= 12, "{friction} {start:?}: {}", seen.most);
        assert!(
            unsolved * 100 < seen.solves.len(),
            "{friction} {start:?}: {unsolved} of {}",
            seen.solves.len()
        );
        assert_eq!(seen.late, 0);
    }
}
