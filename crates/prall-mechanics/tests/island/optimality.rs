//! Random problems against enumeration of all active sets, and against the conditions of the solution.

use glam::{DMat3, DVec3};
use prall_math::Twist;
use prall_mechanics::island::{IslandContact, IslandSolver, IslandTolerances};

use crate::scenes::{GUARD, Island, Random, heap, landing, stack, tight};

/// Bodies with random masses, inertias and goals, and random contact points near closed.
fn random_island(random: &mut Random, bodies: u32, contacts: usize, friction: f64) -> Island {
    let mut island = Island::default();
    for _ in 0..bodies {
        let mass = 1.5 + random.next();
        let columns = DMat3::from_cols(random.vector(), random.vector(), random.vector()) * 0.05;
        let inertia = (columns * columns.transpose() + DMat3::IDENTITY * 1e-3) * mass;
        island.add_body(mass, inertia, Twist::new(random.vector() * 1e-3, random.vector() * 1e-2));
    }
    for _ in 0..contacts {
        let pick = |random: &mut Random| ((0.5 + 0.5 * random.next()) * f64::from(bodies)) as u32 % bodies;
        let a = pick(random);
        let b = Some(pick(random)).filter(|&b| b != a);
        island.add_contact(Some(a), b, random.unit(), [random.vector() * 0.1, random.vector() * 0.1]);
    }
    for contact in &mut island.contacts {
        contact.offset = 3e-4 * (random.next() + 1.0);
        contact.friction = friction;
        contact.slip = random.vector() * 1e-4;
    }
    island
}

/// Solution of a dense system by elimination with row exchange; `None` if it is singular.
fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| a[i][c].abs().total_cmp(&a[j][c].abs()))?;
        a.swap(c, pivot);
        b.swap(c, pivot);
        if a[c][c].abs() < 1e-12 {
            return None;
        }
        for r in c + 1..n {
            let factor = a[r][c] / a[c][c];
            let row = a[c].clone();
            a[r].iter_mut().zip(row).for_each(|(value, upper)| *value -= factor * upper);
            b[r] -= factor * b[c];
        }
    }
    for c in (0..n).rev() {
        for k in c + 1..n {
            b[c] -= a[c][k] * b[k];
        }
        b[c] /= a[c][c];
    }
    Some(b)
}

/// Normal coefficients of a contact, over all unknowns.
fn row(contact: &IslandContact, bodies: usize) -> Vec<f64> {
    let mut row = vec![0.0; 6 * bodies];
    for (body, arm, sign) in [(contact.a, contact.arms[0], 1.0), (contact.b, contact.arms[1], -1.0)] {
        if let Some(body) = body {
            let turn = arm.cross(contact.normal);
            for axis in 0..3 {
                row[6 * body as usize + axis] = sign * contact.normal[axis];
                row[6 * body as usize + 3 + axis] = sign * turn[axis];
            }
        }
    }
    row
}

/// Gaps `s = A F + s_free` of a frictionless island: the matrix and the free gaps.
fn delassus(island: &Island) -> (Vec<Vec<f64>>, Vec<f64>) {
    let bodies = island.bodies.len();
    let rows: Vec<_> = island.contacts.iter().map(|contact| row(contact, bodies)).collect();
    let respond = |row: &[f64]| -> Vec<f64> {
        let mut response = vec![0.0; row.len()];
        for (number, body) in island.bodies.iter().enumerate() {
            let at = 6 * number;
            let linear = DVec3::from_slice(&row[at..at + 3]) / body.mass;
            let angular = body.inertia.inverse() * DVec3::from_slice(&row[at + 3..at + 6]);
            response[at..at + 3].copy_from_slice(&linear.to_array());
            response[at + 3..at + 6].copy_from_slice(&angular.to_array());
        }
        response
    };
    let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let goal: Vec<f64> = island
        .bodies
        .iter()
        .flat_map(|body| body.goal.linear.to_array().into_iter().chain(body.goal.angular.to_array()))
        .collect();
    let matrix = rows.iter().map(|a| rows.iter().map(|b| inner(a, &respond(b))).collect()).collect();
    let free = rows.iter().zip(&island.contacts).map(|(row, c)| c.offset + inner(row, &goal)).collect();
    (matrix, free)
}

/// Gaps of the solution, by trying every set of loaded contacts.
fn gaps_by_enumeration(island: &Island) -> Vec<f64> {
    let (matrix, free) = delassus(island);
    let count = free.len();
    for set in 0u32..1 << count {
        let loaded: Vec<usize> = (0..count).filter(|&i| set >> i & 1 == 1).collect();
        let a = loaded.iter().map(|&i| loaded.iter().map(|&j| matrix[i][j]).collect()).collect();
        let Some(forces) = eliminate(a, loaded.iter().map(|&i| -free[i]).collect()) else { continue };
        let gap =
            |i: usize| free[i] + loaded.iter().zip(&forces).map(|(&j, f)| matrix[i][j] * f).sum::<f64>();
        if forces.iter().all(|&force| force >= -1e-13) && (0..count).all(|i| gap(i) >= -1e-13) {
            return (0..count).map(gap).collect();
        }
    }
    panic!("the quadratic program has a solution");
}

#[test]
fn frictionless_motion_is_that_of_the_enumerated_active_set() {
    let mut random = Random(1);
    let mut solver = IslandSolver::new();
    for case in 0..200 {
        let bodies = 1 + case % 4;
        let mut island = random_island(&mut random, bodies, 3 + (case % 6) as usize, 0.0);
        let gaps = gaps_by_enumeration(&island);
        let report = island.solve(&mut solver, &tight());
        assert!(report.converged, "case {case}: {report:?}");
        for (contact, exact) in island.contacts.iter().zip(gaps) {
            let (gap, _) = island.gap_and_slip(contact);
            assert!((gap - exact).abs() < 1e-10, "case {case}: {gap} instead of {exact}");
        }
    }
}

/// Balance, no overlap, complementarity, friction in its cone, sliding against the slip.
fn assert_conditions(island: &Island, tolerance: f64) {
    for ((body, x), load) in island.bodies.iter().zip(&island.x).zip(island.loads()) {
        let linear = (x.linear - body.goal.linear) * body.mass - load.linear;
        let angular = body.inertia * (x.angular - body.goal.angular) - load.angular;
        assert!(linear.length() < tolerance && angular.length() < tolerance, "{linear} {angular}");
    }
    for contact in &island.contacts {
        let (gap, slip) = island.gap_and_slip(contact);
        let (normal, tangential) = (contact.normal_force, contact.tangential_force);
        assert!(gap > -tolerance && normal >= 0.0, "{gap} {contact:?}");
        assert!(normal == 0.0 || gap.abs() < tolerance, "{gap} {contact:?}");
        assert!(tangential.dot(contact.normal).abs() < tolerance);
        let limit = contact.friction * normal;
        assert!(tangential.length() <= limit + tolerance, "{tangential} over {limit}");
        if limit > 0.0 && slip.length() > 1e-6 {
            let opposed = slip.normalize() * -limit;
            assert!((tangential - opposed).length() < 1e-3 * limit + tolerance, "{tangential} for {opposed}");
        }
    }
}

#[test]
fn random_islands_with_friction_meet_the_conditions_of_coulomb() {
    let mut random = Random(2);
    let mut solver = IslandSolver::new();
    let mut converged = 0;
    for case in 0..200u32 {
        let friction = [0.1, 0.3, 0.8][case as usize % 3];
        let mut island = random_island(&mut random, 1 + case % 6, 2 + (case % 12) as usize, friction);
        let report = island.solve(&mut solver, &tight());
        converged += u32::from(report.converged);
        if report.converged {
            assert_conditions(&island, 1e-11);
        }
    }
    assert!(converged >= 190, "{converged} of 200");
}

#[test]
fn a_heap_thrown_together_without_friction_meets_the_conditions() {
    let mut island = heap([3, 3, 3], true);
    island.contacts.iter_mut().for_each(|contact| contact.friction = 0.0);
    let report = island.solve(&mut IslandSolver::new(), &tight());
    assert!(report.converged, "{report:?}");
    assert_conditions(&island, 1e-11);
}

#[test]
fn a_heap_at_rest_with_friction_meets_the_conditions() {
    let mut island = heap([3, 3, 3], false);
    let report = island.solve(&mut IslandSolver::new(), &tight());
    assert!(report.converged, "{report:?}");
    assert_conditions(&island, 1e-11);
}

#[test]
fn a_heap_that_lands_with_friction_settles_to_working_tolerances() {
    for friction in [0.1, 0.3, 0.6] {
        let mut island = landing([2, 3, 2]);
        island.contacts.iter_mut().for_each(|contact| contact.friction = friction);
        let tolerances =
            IslandTolerances { max_outer: 40, max_newton: 40, ..IslandTolerances::for_guard(GUARD) };
        let report = island.solve(&mut IslandSolver::new(), &tolerances);
        assert!(report.converged, "friction {friction}: {report:?}");
        for contact in &island.contacts {
            let (gap, _) = island.gap_and_slip(contact);
            assert!(gap > -tolerances.gap && (contact.normal_force == 0.0 || gap < tolerances.gap));
        }
    }
}

#[test]
fn friction_is_there_from_the_first_solve_even_if_the_start_is_the_frictionless_motion() {
    let mut island = stack(1);
    island.bodies[0].goal = Twist::new(DVec3::X * 1e-3, DVec3::ZERO);
    // A load so small that its gap error is within the tolerance.
    island.bodies[0].goal.linear.y = -1e-5;
    island.contacts.iter_mut().for_each(|contact| contact.arms[0].y = 0.0);
    island.x[0] = Twist::new(DVec3::X * 1e-3, DVec3::ZERO);
    assert!(island.solve(&mut IslandSolver::new(), &IslandTolerances::for_guard(GUARD)).converged);
    assert!((island.x[0].linear.x - (1e-3 - 0.5e-5)).abs() < 1e-7, "{:?}", island.x[0]);
}
