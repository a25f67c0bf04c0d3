//! Tables, friction, rest, commands.

use glam::DVec3;
use prall_handling::{Budget, Command, Friction, HandlingError, HandlingOptions, Held, Metric};
use prall_math::Twist;

use crate::shapes::*;

const GUARD: f64 = 10e-6;

fn on_table(friction: f64) -> Held {
    let options = HandlingOptions { friction: Friction::of(friction), ..HandlingOptions::default() };
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    Held::new(&part, at(0.0, 0.03 + GUARD, 0.0), vec![table()], options).expect("free at the start")
}

/// The nearest motion to a push of 0.1 m/s down and 0.2 m/s along loses exactly mu 0.1 m/s of the latter.
#[test]
fn a_pushed_box_slides_as_coulomb_says() {
    for mu in [0.0, 0.1, 0.3, 0.5] {
        let mut held = on_table(mu);
        let along = DVec3::new(0.6, 0.0, 0.8);
        let report = run(&mut held, &velocity(along * 0.2 - DVec3::Y * 0.1, DVec3::ZERO), 200);
        let speed = report.twist.linear.dot(along);
        assert!((speed - (0.2 - 0.1 * mu)).abs() < 1e-6, "mu {mu}: {speed}");
        let across = (report.twist.linear - along * speed).length();
        assert!(across < 1e-9, "mu {mu}: {across:e} m/s across");
        assert!((held.pose().translation.y - 0.03 - GUARD).abs() < 1e-9);
        assert!(report.contacts.len() <= 3, "a table on three of four corners: {}", report.contacts.len());
        assert_eq!(report.done, 1.0);
    }
}

/// Within the cone nothing creeps.
#[test]
fn a_box_pushed_within_its_cone_sticks() {
    for share in [0.5, 0.9, 0.99] {
        let mut held = on_table(0.4);
        let command = velocity(DVec3::new(0.04 * share, -0.1, 0.0), DVec3::ZERO);
        // The first step still flies a little.
        run(&mut held, &command, 1);
        let before = *held.pose();
        let report = run(&mut held, &command, 1000);
        // Upwards it is given back what touching took of the guard.
        let drift = (held.pose().translation - before.translation).with_y(0.0).length();
        assert!(drift < 1e-8, "{share} of the cone: {drift:e} m in 2 s");
        assert!(report.jam.is_some());
    }
}

#[test]
fn a_resting_part_needs_the_sticking_coefficient_and_a_sliding_one_the_other() {
    let friction = Friction { sticking: 0.5, sliding: 0.3 };
    let options = HandlingOptions { friction, ..HandlingOptions::default() };
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    let mut held = Held::new(&part, at(0.0, 0.03 + GUARD, 0.0), vec![table()], options).unwrap();
    let load = |mu: f64| velocity(DVec3::new(0.1 * mu, -0.1, 0.0), DVec3::ZERO);
    run(&mut held, &load(0.4), 1);
    let touched = held.pose().translation.x;
    run(&mut held, &load(0.4), 500);
    let drift = (held.pose().translation.x - touched).abs();
    assert!(drift < 1e-8, "rests at 0.4: {drift:e}");
    run(&mut held, &load(0.6), 50);
    let report = run(&mut held, &load(0.4), 200);
    assert!((report.twist.linear.x - 0.01).abs() < 1e-6, "slides on: {}", report.twist.linear.x);
}

#[test]
fn the_wrench_balances_the_hand_in_newton() {
    // Damping 50 N s/m, 0.1 m/s into the table: 5 N; with the pose 3 mm below it and 1000 N/m: 3 N.
    let mut held = on_table(0.3);
    let report = run(&mut held, &velocity(DVec3::NEG_Y * 0.1, DVec3::ZERO), 20);
    assert!((report.wrench.force - DVec3::Y * 5.0).length() < 1e-6, "{:?}", report.wrench);
    assert!(report.wrench.torque.length() < 1e-8);
    let sum: DVec3 = report.contacts.iter().map(|contact| contact.impulse).sum();
    assert!((sum / DT - report.wrench.force).length() < 1e-9);
    let report = run(&mut held, &Command::Pose(at(0.0, 0.027, 0.0)), 20);
    assert!((report.pull.force - DVec3::NEG_Y * 3.01).length() < 1e-3, "{:?}", report.pull);
}

/// The nearest motion in the mass metric is the projection of Buck's equation (16).
#[test]
fn with_the_mass_metric_a_vertex_on_a_plane_moves_as_the_mass_weighted_projection_says() {
    use prall_geometry::{Amount, MassProperties};
    let size = DVec3::new(0.1, 0.06, 0.08);
    let mass = MassProperties::cuboid(Amount::Mass(2.0), size).unwrap();
    // A guard so small that giving it back is no motion to speak of: a quarter of it in 2 ms.
    const GUARD: f64 = 1e-8;
    let options = HandlingOptions {
        guard: GUARD,
        friction: Friction::NONE,
        metric: Metric::Mass(mass),
        ..HandlingOptions::default()
    };
    // Standing on one corner.
    let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.5, 0.2, 0.4);
    let corner = [-1.0, 1.0]
        .iter()
        .flat_map(|&x| [-1.0, 1.0].map(|z| DVec3::new(x, -1.0, z)))
        .chain([DVec3::new(1.0, 1.0, 1.0)])
        .map(|s| turn * (s * size * 0.5))
        .min_by(|a, b| a.y.total_cmp(&b.y))
        .unwrap();
    let pose = prall_math::Pose::new(turn, DVec3::Y * (GUARD - corner.y));
    let mut held = Held::new(&cuboid(size), pose, vec![table()], options).unwrap();
    let v = DVec3::new(0.02, -0.05, 0.01);
    // One step to make contact, one to compare: motions so small that the corner stays.
    run(&mut held, &velocity(v, DVec3::ZERO), 1);
    let pose = *held.pose();
    let report = run(&mut held, &velocity(v, DVec3::ZERO), 1);
    let rotation = pose.rotation_matrix();
    let inertia = rotation * mass.inertia * rotation.transpose();
    let arm = [-1.0, 1.0]
        .iter()
        .flat_map(|&x| [-1.0, 1.0].into_iter().flat_map(move |y| [-1.0, 1.0].map(|z| DVec3::new(x, y, z))))
        .map(|s| pose.transform_vector(s * size * 0.5))
        .min_by(|a, b| a.y.total_cmp(&b.y))
        .unwrap();
    // p = -v.n / (1/m + (r x n) I^-1 (r x n))
    let lever = arm.cross(DVec3::Y);
    let impulse = 0.05 / (1.0 / mass.mass + lever.dot(inertia.inverse() * lever));
    let expected = v + DVec3::Y * impulse / mass.mass;
    let turn = inertia.inverse() * lever * impulse;
    // First order: the second is half the turn in the interval, 1e-3.
    assert!((report.twist.linear - expected).length() < 2e-3 * v.length(), "{:?} {expected}", report.twist);
    assert!((report.twist.angular - turn).length() < 2e-3 * turn.length(), "{:?} {turn}", report.twist);
}

#[test]
fn free_parts_follow_at_once_and_stop_at_once() {
    let mut held = on_table(0.3);
    held.set_pose(at(0.0, 0.3, 0.0)).unwrap();
    let command = velocity(DVec3::new(0.1, 0.2, -0.3), DVec3::new(0.5, -1.0, 0.2));
    let report = run(&mut held, &command, 1);
    assert!((report.twist.linear - DVec3::new(0.1, 0.2, -0.3)).length() < 1e-12);
    assert!((report.twist.angular - DVec3::new(0.5, -1.0, 0.2)).length() < 1e-9);
    let report = held.step(None, DT, &mut Budget::unlimited()).unwrap();
    assert_eq!(report.twist, Twist::ZERO);
}

#[test]
fn commands_without_numbers_move_nothing_and_say_so() {
    let mut held = on_table(0.3);
    let before = *held.pose();
    let broken = velocity(DVec3::new(f64::NAN, 0.0, 0.0), DVec3::ZERO);
    assert_eq!(held.step(Some(&broken), DT, &mut Budget::unlimited()), Err(HandlingError::Command));
    let nowhere = Command::Pose(prall_math::Pose::from_translation(DVec3::splat(f64::INFINITY)));
    assert_eq!(held.step(Some(&nowhere), DT, &mut Budget::unlimited()), Err(HandlingError::Command));
    assert!(held.step(None, f64::NAN, &mut Budget::unlimited()).is_err());
    assert_eq!(*held.pose(), before);
}

#[test]
fn an_overlap_at_the_start_is_refused_by_name_or_set_apart_by_name() {
    let part = cuboid(DVec3::splat(0.1));
    let walls = || {
        vec![
            obstacle("left wall", &cuboid(DVec3::splat(0.1)), at(-0.2, 0.0, 0.0)),
            obstacle("press fit", &cuboid(DVec3::splat(0.1)), at(0.08, 0.0, 0.01)),
        ]
    };
    let refused = Held::new(&part, at(0.0, 0.0, 0.0), walls(), HandlingOptions::default());
    let error = refused.err().expect("it overlaps").to_string();
    assert!(error.contains("press fit") && !error.contains("left wall"), "{error}");
    let options = HandlingOptions { set_overlapping_apart: true, ..HandlingOptions::default() };
    let mut held = Held::new(&part, at(0.0, 0.0, 0.0), walls(), options).unwrap();
    assert_eq!(held.set_apart().collect::<Vec<_>>(), [1]);
    // The other wall still stops it; once out of the fit, the fit stops it too.
    run(&mut held, &velocity(DVec3::NEG_X * 0.5, DVec3::ZERO), 300);
    assert!((held.pose().translation.x + 0.1 - GUARD).abs() < 1e-7, "{}", held.pose().translation.x);
    assert_eq!(held.set_apart().count(), 0);
    run(&mut held, &velocity(DVec3::X * 0.5, DVec3::ZERO), 300);
    assert!(held.pose().translation.x < -0.02);
}
