//! Nothing overlaps, however bad the solver; what overlaps from the start is named.

use glam::DVec3;
use prall_dynamics::{BodyDefinition, BodyKind, SolidOptions, World, WorldOptions};
use prall_math::Wrench;

use crate::support::{Judge, cube, cup, dynamic, fixed, guard, ring, rough, run, sheet, turned, world};

/// One linearisation, no rounds, two iterations: motion is lost, but no gap.
#[test]
fn a_crippled_solver_keeps_every_gap_open() {
    let solid = SolidOptions { max_looks: 1, max_rounds: 0, max_iterations: 2, ..SolidOptions::default() };
    let mut world = World::new(WorldOptions { solid, ..WorldOptions::default() }).unwrap();
    let m = rough(0.4);
    world.add_body(&fixed(&sheet(1.0), m)).unwrap();
    let shapes = [cube(0.05), cup(0.05, 0.001), ring(0.02, 0.005, 12, 6)];
    for k in 0..9_usize {
        let at = DVec3::new(0.07 * (k % 3) as f64, 0.06 + 0.03 * k as f64, 0.015 * k as f64);
        let pose = turned(DVec3::new(1.0, 0.2 * k as f64, 0.4), 0.5 * k as f64, at);
        let falling = DVec3::new(0.0, -2.0, 0.3);
        world.add_body(&dynamic(&shapes[k % 3], m).in_pose(pose).moving(falling, DVec3::X * 5.0)).unwrap();
    }
    let mut judge = Judge::new(&world, 10);
    let mut smallest = f64::INFINITY;
    for _ in 0..60 {
        world.advance();
        judge.look(&world);
        smallest = smallest.min(world.solid_report().smallest_gap);
    }
    assert_eq!(judge.overlaps, 0, "of {} looks", judge.looks);
    // The rings are 50 mm, too: all guards are equal.
    assert!(smallest > 0.08 * guard(0.05), "{smallest} m");
}

/// Two cubes in each other: the report says so until they have separated, and they may separate.
#[test]
fn an_overlap_at_the_start_is_reported_until_it_is_gone() {
    let mut world = crate::support::weightless(1.0 / 60.0);
    let shape = cube(0.05);
    world.add_body(&fixed(&shape, rough(0.3))).unwrap();
    let body =
        dynamic(&shape, rough(0.3)).at(DVec3::new(0.03, 0.01, 0.0)).moving(DVec3::X * 0.5, DVec3::ZERO);
    let body = world.add_body(&body).unwrap();
    world.advance();
    assert_eq!(world.solid_report().overlapping, 1);
    assert!(world.report().position_error > 0.0);
    for _ in 0..30 {
        world.advance();
    }
    assert_eq!(world.solid_report().overlapping, 0);
    assert!(world.pose(body).unwrap().translation.x > 0.1);
}

/// A cube that is pressed against one in which it stands does not get deeper, and its pair is named.
#[test]
fn what_overlaps_may_only_separate() {
    let mut world = crate::support::weightless(1.0 / 60.0);
    let shape = cube(0.05);
    let still = world.add_body(&fixed(&shape, rough(0.3))).unwrap();
    let body = dynamic(&cube(0.03), rough(0.3)).at(DVec3::new(0.038, 0.003, 0.004));
    let body = world.add_body(&body).unwrap();
    world.set_load(body, Wrench::new(DVec3::X * -20.0, DVec3::ZERO)).unwrap();
    for _ in 0..60 {
        world.advance();
        let pairs: Vec<_> = world.overlapping_pairs().collect();
        assert!(pairs == [[still, body]] || pairs == [[body, still]], "{pairs:?}");
    }
    let place = world.pose(body).unwrap().translation;
    assert!((place.x - 0.038).abs() < 1e-5, "2 mm deep at the start, now at {place}");
    world.set_load(body, Wrench::new(DVec3::X * 20.0, DVec3::ZERO)).unwrap();
    for _ in 0..30 {
        world.advance();
    }
    assert_eq!(world.overlapping_pairs().count(), 0);
    assert!(world.pose(body).unwrap().translation.x > 0.06);
}

/// What is put into another body by hand is an overlap, too; a body that comes back to where it overlapped meets a solid one.
#[test]
fn what_has_separated_does_not_overlap_again() {
    let mut world = crate::support::weightless(1.0 / 60.0);
    let shape = cube(0.05);
    world.add_body(&fixed(&shape, rough(0.3))).unwrap();
    let body = dynamic(&shape, rough(0.3)).at(DVec3::X * 0.03).moving(DVec3::X * 0.5, DVec3::ZERO);
    let body = world.add_body(&body).unwrap();
    for _ in 0..10 {
        world.advance();
    }
    let back = prall_math::Twist { linear: DVec3::X * -0.5, angular: DVec3::ZERO };
    world.set_velocity(body, back).unwrap();
    assert_eq!(run(&mut world, 30, 4).overlaps, 0);
    assert!(world.pose(body).unwrap().translation.x > 0.05);
    world.set_pose(body, prall_math::Pose::from_translation(DVec3::X * 0.02)).unwrap();
    world.advance();
    assert_eq!(world.solid_report().overlapping, 1);
    assert!(world.report().position_error > 0.0);
}

/// A budget that ends a step early costs motion and no gap.
#[test]
fn a_small_budget_loses_time_and_no_gap() {
    let mut world = world(1.0 / 60.0);
    world.add_body(&fixed(&sheet(1.0), rough(0.3))).unwrap();
    for k in 0..4 {
        let pose = turned(DVec3::new(1.0, 0.5, 0.2), f64::from(k), DVec3::Y * (0.06 + 0.09 * f64::from(k)));
        world.add_body(&dynamic(&cup(0.05, 0.001), rough(0.3)).in_pose(pose)).unwrap();
    }
    let mut judge = Judge::new(&world, 4);
    let mut lost = 0.0;
    for _ in 0..60 {
        let report = world.step(&mut prall_dynamics::Budget::of_work(20));
        lost += report.lost_time;
        judge.look(&world);
    }
    assert_eq!(judge.overlaps, 0);
    assert!(lost > 0.0);
}

/// A plate of given motion presses a cube against a wall, 0.1 m farther than there is room. Whenever they meet within a step, the cube stays between them: no
/// solve that finds no answer sends it off. Once one went 2.9 m aside in a step.
#[test]
fn what_is_squeezed_stays_where_it_is() {
    for case in 0..60 {
        let mut world = world(1.0 / 60.0);
        let (side, late) = (f64::from(case % 5) * 2e-4, f64::from(case / 5) * 1e-3);
        let (plate, m) = (cube(0.1), rough(0.2));
        world.add_body(&fixed(&sheet(2.0), m)).unwrap();
        world.add_body(&fixed(&cube(0.4), m).at(DVec3::new(0.31, 0.2001, 0.0))).unwrap();
        let between = dynamic(&plate, m).at(DVec3::new(0.05, 0.05006, side));
        let between = world.add_body(&between).unwrap();
        let ram = BodyDefinition { kind: BodyKind::Kinematic, ..dynamic(&plate, m) };
        let ram = ram.at(DVec3::new(-0.1 - late, 0.061, 0.0)).moving(DVec3::X * 0.4, DVec3::ZERO);
        let ram = world.add_body(&ram).unwrap();
        let mut last = world.pose(between).unwrap().translation;
        for step in 0..40 {
            world.advance();
            let place = world.pose(between).unwrap().translation;
            let gone = place.distance(last);
            assert!(gone < 0.02, "case {case}, step {step}: {gone} m to {place}");
            last = place;
        }
        assert!(last.x > 0.055 && last.x < 0.0601, "case {case}: {last}");
        assert!(world.pose(ram).unwrap().translation.x < -0.039, "case {case}");
        assert!(world.report().lost_time <= 1.0 / 60.0 + 1e-9, "case {case}: {}", world.report().lost_time);
    }
}
