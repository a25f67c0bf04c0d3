//! Problems whose solution is known.

use glam::{DMat3, DVec3};
use prall_math::Twist;
use prall_mechanics::island::{IslandSolver, IslandTolerances};

use crate::scenes::{FALL, GUARD, Island, stack, tight};

fn converge(island: &mut Island, tolerances: &IslandTolerances) {
    let report = island.solve(&mut IslandSolver::new(), tolerances);
    assert!(report.converged, "{report:?}");
}

/// A cube of 1 kg on a plane tilted by `angle`, with four points of friction `mu`.
fn cube_on_slope(angle: f64, mu: f64) -> (Island, DVec3) {
    let normal = DVec3::new(-libm::sin(angle), libm::cos(angle), 0.0);
    let mut island = Island::default();
    let cube = island.add_cube(1.0, 0.1);
    // Flat enough not to topple: the points lie 0.05 m around the centre and 0.01 m below it.
    let along = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0);
    for (p, q) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let arm = (along * p + DVec3::Z * q) * 0.05 - normal * 0.01;
        island.add_contact(Some(cube), None, normal, [arm, DVec3::ZERO]);
    }
    for contact in &mut island.contacts {
        contact.friction = mu;
    }
    (island, -along)
}

#[test]
fn a_cube_holds_on_a_slope_below_the_angle_of_friction() {
    let angle = 20f64.to_radians();
    for mu in [0.365, 0.5, 1.0] {
        let (mut island, _) = cube_on_slope(angle, mu);
        converge(&mut island, &tight());
        assert!(island.x[0].linear.length() < 1e-11, "mu {mu}: {:?}", island.x[0]);
        assert!(island.x[0].angular.length() < 1e-10, "mu {mu}: {:?}", island.x[0]);
    }
}

#[test]
fn a_cube_slides_down_a_slope_by_weight_less_friction() {
    let angle = 20f64.to_radians();
    for mu in [0.0, 0.1, 0.3, 0.36] {
        let (mut island, down) = cube_on_slope(angle, mu);
        converge(&mut island, &tight());
        let way = FALL * (libm::sin(angle) - mu * libm::cos(angle));
        assert!((island.x[0].linear - down * way).length() < 1e-11, "mu {mu}: {:?}", island.x[0]);
    }
}

#[test]
fn working_tolerances_keep_friction_to_one_percent() {
    let angle = 20f64.to_radians();
    let (mut island, down) = cube_on_slope(angle, 0.3);
    converge(&mut island, &IslandTolerances::for_guard(GUARD));
    let friction = 0.3 * FALL * libm::cos(angle);
    let way = FALL * libm::sin(angle) - friction;
    assert!((island.x[0].linear.dot(down) - way).abs() < 0.01 * friction, "{:?}", island.x[0]);
}

#[test]
fn a_thrown_cube_is_slowed_by_friction_against_its_slip() {
    // Goal 1 mm across, pressed by its weight: friction takes mu times the fall off the way.
    let mut island = stack(1);
    let across = DVec3::new(0.6, 0.0, -0.8);
    island.bodies[0].goal.linear += across * 1e-3;
    // Points at the height of the centre, so that friction does not topple it.
    for contact in &mut island.contacts {
        contact.arms[0].y = 0.0;
        contact.friction = 0.2;
    }
    converge(&mut island, &tight());
    assert!((island.x[0].linear - across * (1e-3 - 0.2 * FALL)).length() < 1e-11, "{:?}", island.x[0]);
}

#[test]
fn every_face_of_a_flush_stack_bears_the_weight_above_it() {
    for count in [5, 20] {
        for copies in [1, 3] {
            let mut island = stack(count);
            let once = island.contacts.clone();
            (1..copies).for_each(|_| island.contacts.extend_from_slice(&once));
            converge(&mut island, &tight());
            for face in 0..count {
                let rows = island.contacts.iter().filter(|contact| contact.a == Some(face));
                let force: f64 = rows.map(|contact| contact.normal_force).sum();
                let weight = f64::from(count - face) * FALL;
                assert!((force / weight - 1.0).abs() < 1e-9, "face {face} of {count}: {force} for {weight}");
            }
            let largest =
                island.x.iter().map(|x| x.linear.length().max(x.angular.length())).fold(0.0, f64::max);
            assert!(largest < 1e-11, "{largest}");
        }
    }
}

#[test]
fn a_stack_at_rest_keeps_within_the_gap_tolerance() {
    for count in [5, 20] {
        let mut island = stack(count);
        let tolerances = IslandTolerances::for_guard(GUARD);
        converge(&mut island, &tolerances);
        for contact in &island.contacts {
            assert!(island.gap_and_slip(contact).0.abs() <= tolerances.gap);
        }
    }
}

#[test]
fn a_light_cube_bears_a_block_ten_thousand_times_its_mass() {
    let mut island = stack(2);
    island.bodies[1].mass = 1e4;
    island.bodies[1].inertia *= 1e4;
    converge(&mut island, &tight());
    let below: f64 = island.contacts[..4].iter().map(|contact| contact.normal_force).sum();
    let between: f64 = island.contacts[4..].iter().map(|contact| contact.normal_force).sum();
    assert!((below / (10_001.0 * FALL) - 1.0).abs() < 1e-9, "{below}");
    assert!((between / (1e4 * FALL) - 1.0).abs() < 1e-9, "{between}");
    assert!(island.x.iter().all(|x| x.linear.length() < 1e-11));
}

#[test]
fn nearly_parallel_walls_wedge_a_body_without_a_special_case() {
    // Two planes that meet at 1e-3 rad under a weight: a wedge. N = m g / (2 sin).
    let half = 1e-3f64;
    let mut island = Island::default();
    let cube = island.add_cube(1.0, 0.1);
    for side in [1.0, -1.0] {
        let normal = DVec3::new(side * libm::cos(half), libm::sin(half), 0.0);
        island.add_contact(Some(cube), None, normal, [DVec3::ZERO, DVec3::ZERO]);
    }
    island.contacts.iter_mut().for_each(|contact| contact.friction = 0.0);
    converge(&mut island, &tight());
    let exact = FALL / (2.0 * libm::sin(half));
    for contact in &island.contacts {
        assert!((contact.normal_force / exact - 1.0).abs() < 1e-6, "{}", contact.normal_force);
    }
}

#[test]
fn a_pencil_on_a_narrow_base_does_not_tilt() {
    // 1 m tall, base of 1 mm: the lever that holds it upright is a thousandth of its length.
    let mut island = Island::default();
    let inertia = DMat3::from_diagonal(DVec3::new(1.0 / 12.0, 1e-6, 1.0 / 12.0));
    let pencil = island.add_body(1.0, inertia, Twist::new(DVec3::NEG_Y * FALL, DVec3::X * 1e-6));
    for (p, q) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let arm = DVec3::new(0.5e-3 * p, -0.5, 0.5e-3 * q);
        island.add_contact(Some(pencil), None, DVec3::Y, [arm, DVec3::ZERO]);
    }
    converge(&mut island, &tight());
    assert!(island.x[0].angular.length() < 1e-8, "{:?}", island.x[0]);
}

#[test]
fn locked_axes_follow_the_goal_whatever_pushes() {
    let mut island = stack(2);
    island.bodies[0].locked = [false, true, false, true, true, true];
    island.bodies[0].goal.linear.y = 1e-3;
    converge(&mut island, &tight());
    assert_eq!(island.x[0].linear.y, 1e-3);
    assert_eq!(island.x[0].angular, DVec3::ZERO);
    assert!((island.x[1].linear.y - 1e-3).abs() < 1e-11, "{:?}", island.x[1]);
}

#[test]
fn a_shaft_that_only_turns_is_driven_through_its_tooth() {
    // Two shafts with flywheels, teeth in contact at 10 mm: equal inertias share the turn with opposite sign.
    let mut island = Island::default();
    let flywheel = DMat3::from_diagonal(DVec3::splat(0.5));
    for turn in [0.01, 0.0] {
        let shaft = island.add_body(1.0, flywheel, Twist::new(DVec3::ZERO, DVec3::Z * turn));
        island.bodies[shaft as usize].locked = [true, true, true, true, true, false];
    }
    island.add_contact(Some(1), Some(0), DVec3::Y, [DVec3::NEG_X * 0.01, DVec3::X * 0.01]);
    island.contacts[0].friction = 0.0;
    converge(&mut island, &tight());
    assert!((island.x[0].angular.z - 0.005).abs() < 1e-9, "{:?}", island.x[0]);
    assert!((island.x[1].angular.z + 0.005).abs() < 1e-9, "{:?}", island.x[1]);
}

#[test]
fn curvature_has_no_effect_where_its_turn_is_the_solution() {
    let mut plain = stack(3);
    plain.bodies[2].goal.angular = DVec3::new(1e-3, 2e-3, 0.0);
    plain.contacts.iter_mut().for_each(|contact| contact.friction = 0.2);
    let mut curved = plain.clone();
    converge(&mut plain, &tight());
    for (body, x) in curved.bodies.iter_mut().zip(&plain.x) {
        body.curvature = DMat3::from_diagonal(DVec3::new(0.1, 0.0, 3.0));
        body.curvature_at = x.angular;
    }
    converge(&mut curved, &tight());
    for (a, b) in plain.x.iter().zip(&curved.x) {
        assert!((a.linear - b.linear).length() < 1e-11 && (a.angular - b.angular).length() < 1e-9);
    }
}
