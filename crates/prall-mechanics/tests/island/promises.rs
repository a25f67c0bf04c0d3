//! Promises beside the solution itself: bits, memory, bad input, contradictions, the rest test.

use glam::{DMat3, DVec3};
use prall_math::Twist;
use prall_mechanics::island::{IslandDefect, IslandSolver, IslandTolerances};

use crate::scenes::{FALL, GUARD, Island, heap, landing, stack, tight};

/// All numbers of a result, as bits.
fn bits(island: &Island) -> Vec<u64> {
    let motions = island.x.iter().flat_map(|x| [x.linear, x.angular]);
    let forces = island.contacts.iter().map(|c| c.tangential_force + c.normal * c.normal_force);
    motions.chain(forces).flat_map(|v| v.to_array()).map(f64::to_bits).collect()
}

#[test]
fn equal_problems_give_equal_bits_whatever_was_solved_before() {
    let tolerances = IslandTolerances::for_guard(GUARD);
    let mut fresh = landing([3, 2, 3]);
    let mut again = fresh.clone();
    fresh.solve(&mut IslandSolver::new(), &tolerances);
    let mut solver = IslandSolver::new();
    stack(7).solve(&mut solver, &tolerances);
    heap([4, 2, 2], true).solve(&mut solver, &tolerances);
    again.solve(&mut solver, &tolerances);
    assert_eq!(bits(&fresh), bits(&again));
}

#[test]
fn a_solver_allocates_nothing_after_its_first_solve() {
    let tolerances = IslandTolerances::for_guard(GUARD);
    let mut solver = IslandSolver::new();
    let start = landing([3, 3, 3]);
    start.clone().solve(&mut solver, &tolerances);
    let mut island = start.clone();
    let info = allocation_counter::measure(|| {
        island.solve(&mut solver, &tolerances);
    });
    assert_eq!(info.count_total, 0);
}

#[test]
fn a_solve_from_its_own_result_takes_at_most_two_newton_steps() {
    let tolerances = IslandTolerances::for_guard(GUARD);
    let mut solver = IslandSolver::new();
    for mut island in [stack(1), stack(5), stack(20), heap([3, 3, 3], false)] {
        assert!(island.solve(&mut solver, &tolerances).converged);
        island.x.fill(Twist::ZERO);
        let report = island.solve(&mut solver, &tolerances);
        assert!(report.converged && report.newton_steps <= 2, "{report:?}");
    }
}

#[test]
fn walls_that_leave_no_room_are_reported_and_forces_stay_small() {
    // A cube of 1 kg between walls that ask for 10 um more than there is.
    let mut island = Island::default();
    let cube = island.add_cube(1.0, 0.1);
    island.add_face(Some(cube), None, DVec3::X, 0.05);
    island.add_face(Some(cube), None, DVec3::NEG_X, 0.05);
    island.contacts.iter_mut().for_each(|contact| contact.offset = -0.5e-5);
    let tolerances = IslandTolerances { max_outer: 40, ..IslandTolerances::for_guard(GUARD) };
    let report = island.solve(&mut IslandSolver::new(), &tolerances);
    assert!(report.infeasible && !report.converged, "{report:?}");
    assert!(report.outer <= 8, "{report:?}");
    // Bounded by the first penalty, 30 times the mass, and the gap.
    for contact in &island.contacts {
        assert!(contact.normal_force <= 2.0 * 30.0 * 0.5e-5, "{contact:?}");
    }
    assert!(report.gap_error > 0.4e-5, "{report:?}");
}

#[test]
fn equations_that_contradict_each_other_are_reported() {
    let mut island = Island::default();
    let body = island.add_cube(1.0, 0.1);
    island.add_ball_joint(Some(body), None, [DVec3::ZERO; 2]);
    island.add_ball_joint(Some(body), None, [DVec3::ZERO; 2]);
    island.equations[0].offset = 1e-4;
    let tolerances = IslandTolerances { max_outer: 40, ..IslandTolerances::for_guard(GUARD) };
    let report = island.solve(&mut IslandSolver::new(), &tolerances);
    assert!(report.infeasible && report.outer <= 8, "{report:?}");
}

#[test]
fn the_response_to_solved_forces_is_the_solution() {
    let mut solver = IslandSolver::new();
    for mut island in [stack(5), heap([3, 3, 3], false), heap([2, 2, 2], true)] {
        island.solve(&mut solver, &tight());
        let mut x = vec![Twist::ZERO; island.x.len()];
        let response = solver.response(&island.bodies, &[], &island.contacts, &island.equations, &mut x);
        assert_eq!(response.defect, None);
        for (a, b) in x.iter().zip(&island.x) {
            assert!((a.linear - b.linear).length() < 1e-11 && (a.angular - b.angular).length() < 1e-9);
        }
        assert!(response.gap_error < 1e-11 && response.cone_excess < 1e-11, "{response:?}");
    }
}

#[test]
fn the_response_shows_what_forces_of_before_no_longer_hold() {
    let mut solver = IslandSolver::new();
    let mut island = stack(3);
    island.solve(&mut solver, &tight());
    let mut x = island.x.clone();
    let calm = solver.response(&island.bodies, &[], &island.contacts, &island.equations, &mut x);
    assert!(calm.motion < 1e-11, "{calm:?}");
    island.bodies[2].goal.linear.y -= FALL;
    let pressed = solver.response(&island.bodies, &[], &island.contacts, &island.equations, &mut x);
    assert!((pressed.motion - FALL).abs() < 1e-9 && (pressed.gap_error - FALL).abs() < 1e-9, "{pressed:?}");
}

#[test]
fn an_empty_island_is_solved() {
    let report = Island::default().solve(&mut IslandSolver::new(), &tight());
    assert!(report.converged && report.defect.is_none(), "{report:?}");
}

#[test]
fn bad_input_is_named_and_changes_nothing() {
    type Spoil = fn(&mut Island);
    let cases: [(Spoil, IslandDefect); 9] = [
        (
            |i| i.bodies[1].mass = 0.0,
            IslandDefect::Body { body: 1, reason: "mass must be positive and finite" },
        ),
        (
            |i| i.bodies[0].inertia = DMat3::ZERO,
            IslandDefect::Body { body: 0, reason: "inertia must be finite and positive definite" },
        ),
        (
            |i| i.bodies[0].goal.linear.x = f64::NAN,
            IslandDefect::Body { body: 0, reason: "goal must be finite" },
        ),
        (
            |i| i.contacts[2].a = Some(9),
            IslandDefect::Contact { contact: 2, reason: "there is no body of that number" },
        ),
        (
            |i| i.contacts[5].b = i.contacts[5].a,
            IslandDefect::Contact { contact: 5, reason: "a and b are the same body" },
        ),
        (
            |i| i.contacts[0].normal = DVec3::ZERO,
            IslandDefect::Contact { contact: 0, reason: "normal must have length 1" },
        ),
        (
            |i| i.contacts[0].friction = -0.1,
            IslandDefect::Contact { contact: 0, reason: "friction must be finite and not negative" },
        ),
        (
            |i| i.equations[1].offset = f64::INFINITY,
            IslandDefect::Equation { equation: 1, reason: "offset and force must be finite" },
        ),
        (|i| i.x.truncate(1), IslandDefect::Count { bodies: 2, motions: 1 }),
    ];
    for (spoil, defect) in cases {
        let mut island = stack(2);
        island.add_ball_joint(Some(0), Some(1), [DVec3::ZERO; 2]);
        spoil(&mut island);
        let before = bits(&island);
        let report = island.solve(&mut IslandSolver::new(), &tight());
        assert_eq!(report.defect, Some(defect));
        assert!(!report.converged);
        assert_eq!(bits(&island), before);
    }
    let tolerances = IslandTolerances { gap: f64::NAN, ..tight() };
    let report = stack(1).solve(&mut IslandSolver::new(), &tolerances);
    assert_eq!(report.defect, Some(IslandDefect::Tolerance { name: "gap" }));
}
