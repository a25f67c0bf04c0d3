//! Joints as equations.

use glam::{DMat3, DVec3};
use prall_math::Twist;
use prall_mechanics::island::{IslandEquation, IslandSolver, IslandTolerances};

use crate::scenes::{FALL, GUARD, Island, Random, tight};

/// Rods of 1 kg and 1 m along x, joined at their ends, the first to a fixed point.
fn chain(count: u32) -> Island {
    let mut island = Island::default();
    let inertia = DMat3::from_diagonal(DVec3::new(1e-3, 1.0 / 12.0, 1.0 / 12.0));
    for rod in 0..count {
        island.add_body(1.0, inertia, Twist::new(DVec3::NEG_Y * FALL, DVec3::ZERO));
        let arms = [DVec3::X * -0.5, DVec3::X * 0.5];
        island.add_ball_joint(Some(rod), rod.checked_sub(1), arms);
    }
    island
}

#[test]
fn a_rod_on_a_ball_joint_turns_as_a_pendulum() {
    // Released level: the angular acceleration is g (1/2) / (1/12 + 1/4) = 3/2 g per metre.
    let mut island = chain(1);
    assert!(island.solve(&mut IslandSolver::new(), &tight()).converged);
    assert!((island.x[0].angular - DVec3::NEG_Z * 1.5 * FALL).length() < 1e-12, "{:?}", island.x[0]);
    let bearing = island.equations[1].force;
    assert!((bearing - 0.25 * FALL).abs() < 1e-12, "a quarter of the weight: {bearing}");
}

#[test]
fn a_chain_keeps_its_joints_and_its_balance() {
    let mut island = chain(50);
    let mut random = Random(3);
    for body in &mut island.bodies {
        body.goal = body.goal + Twist::new(random.vector() * 1e-2, random.vector() * 1e-2);
    }
    let report = island.solve(&mut IslandSolver::new(), &IslandTolerances::for_guard(GUARD));
    assert!(report.converged, "{report:?}");
    for equation in &island.equations {
        assert!(island.equation_error(equation).abs() < 1e-7);
    }
    for ((body, x), load) in island.bodies.iter().zip(&island.x).zip(island.loads()) {
        let linear = (x.linear - body.goal.linear) * body.mass - load.linear;
        let angular = body.inertia * (x.angular - body.goal.angular) - load.angular;
        assert!(linear.length() < 1e-8 && angular.length() < 1e-8, "{linear} {angular}");
    }
}

/// Hinge about z: a ball joint and two rows of the turn, each row's angle times 1 m.
fn add_hinge(island: &mut Island, a: Option<u32>, b: Option<u32>, arms: [DVec3; 2]) {
    island.add_ball_joint(a, b, arms);
    for axis in [DVec3::X, DVec3::Y] {
        let angular = [axis, -axis];
        island.equations.push(IslandEquation {
            a,
            b,
            linear: DVec3::ZERO,
            angular,
            offset: 0.0,
            force: 0.0,
            bounds: IslandEquation::UNBOUNDED,
            softness: 0.0,
        });
    }
}

#[test]
fn a_four_bar_loop_with_redundant_hinges_moves_as_one_degree_of_freedom() {
    // A parallelogram: two cranks of 1 m upright, a coupler of 1 m on top. Nine of its twenty rows are redundant.
    let mut island = Island::default();
    let inertia = DMat3::from_diagonal(DVec3::splat(1.0 / 12.0));
    let push = 1e-3;
    for goal in [DVec3::ZERO, DVec3::X * push, DVec3::ZERO] {
        island.add_body(1.0, inertia, Twist::new(goal, DVec3::ZERO));
    }
    let (up, right) = (DVec3::Y * 0.5, DVec3::X * 0.5);
    add_hinge(&mut island, Some(0), None, [-up, DVec3::ZERO]);
    add_hinge(&mut island, Some(1), Some(0), [-right, up]);
    add_hinge(&mut island, Some(2), Some(1), [up, right]);
    add_hinge(&mut island, Some(2), None, [-up, DVec3::ZERO]);
    let report = island.solve(&mut IslandSolver::new(), &tight());
    assert!(report.converged, "{report:?}");
    // Cranks turn by -q about z, the coupler shifts by q: mass 1 + 2 (1/4 + 1/12) = 5/3.
    let q = push / (1.0 + 2.0 / 3.0);
    assert!((island.x[1].linear - DVec3::X * q).length() < 1e-11, "{:?}", island.x[1]);
    assert!(island.x[1].angular.length() < 1e-11);
    for crank in [0, 2] {
        assert!((island.x[crank].angular + DVec3::Z * q).length() < 1e-11, "{:?}", island.x[crank]);
    }
}

#[test]
fn a_joint_between_a_grain_and_a_block_holds() {
    let mut island = chain(2);
    island.bodies[0].mass = 1e-4;
    island.bodies[0].inertia *= 1e-4;
    let report = island.solve(&mut IslandSolver::new(), &IslandTolerances::for_guard(GUARD));
    assert!(report.converged, "{report:?}");
    for equation in &island.equations {
        assert!(island.equation_error(equation).abs() < 1e-7);
    }
}

#[test]
fn contacts_and_joints_share_one_solution() {
    // A rod hinged at one end comes down on a support under the other: the support bears half its weight.
    let mut island = chain(1);
    island.add_contact(Some(0), None, DVec3::Y, [DVec3::X * 0.5, DVec3::ZERO]);
    assert!(island.solve(&mut IslandSolver::new(), &tight()).converged);
    assert!((island.contacts[0].normal_force - 0.5 * FALL).abs() < 1e-12);
    assert!(island.x[0].angular.length() < 1e-12);
}

/// A body of 2 kg with one row along y.
fn one_row(goal: f64, offset: f64, bounds: [f64; 2], softness: f64) -> Island {
    let mut island = Island::default();
    island.add_body(2.0, DMat3::IDENTITY, Twist::new(DVec3::Y * goal, DVec3::ZERO));
    let (a, b, linear, angular) = (Some(0), None, DVec3::Y, [DVec3::ZERO; 2]);
    island.equations.push(IslandEquation { a, b, linear, angular, offset, force: 0.0, bounds, softness });
    island
}

#[test]
fn a_stop_holds_what_reaches_it_and_nothing_else() {
    let only_push = [0.0, f64::INFINITY];
    for (offset, shift, force) in [(0.4e-3, -0.4e-3, 1.2e-3), (1.5e-3, -1e-3, 0.0), (-0.1e-3, 0.1e-3, 2.2e-3)]
    {
        let mut island = one_row(-1e-3, offset, only_push, 0.0);
        assert!(island.solve(&mut IslandSolver::new(), &tight()).converged);
        assert!((island.x[0].linear.y - shift).abs() < 1e-12, "{:?}", island.x[0]);
        assert!((island.equations[0].force - force).abs() < 1e-12);
    }
}

#[test]
fn a_motor_goes_as_far_as_it_is_strong() {
    // It should shift 2 kg by 1 mm.
    for (strength, shift) in
        [(1e-3, 0.5e-3), (1.9e-3, 0.95e-3), (2.1e-3, 1e-3), (f64::INFINITY, 1e-3), (0.0, 0.0)]
    {
        let mut island = one_row(0.0, -1e-3, [-strength, strength], 0.0);
        let report = island.solve(&mut IslandSolver::new(), &tight());
        assert!(report.converged, "{report:?}");
        assert!((island.x[0].linear.y - shift).abs() < 1e-12, "{strength}: {:?}", island.x[0]);
    }
}

#[test]
fn a_soft_row_is_a_spring() {
    // 2 x = F, x + o + e F = 0: x = -o / (1 + 2 e).
    for softness in [1e-9, 1e-3, 0.5, 10.0, 1e6] {
        let mut island = one_row(0.0, 1e-3, IslandEquation::UNBOUNDED, softness);
        let report = island.solve(&mut IslandSolver::new(), &tight());
        assert!(report.converged, "{report:?}");
        let shift = -1e-3 / (1.0 + 2.0 * softness);
        assert!((island.x[0].linear.y - shift).abs() < 1e-12, "{softness}: {:?}", island.x[0]);
    }
}

#[test]
fn bounded_rows_of_a_chain_obey_their_laws() {
    // Friction, stops and springs at random in the joints of a chain: each force is within its bounds, and the row is
    // where that force allows.
    let mut random = Random(11);
    let mut island = chain(12);
    for body in &mut island.bodies {
        body.goal = body.goal + Twist::new(random.vector() * 1e-3, random.vector() * 1e-2);
    }
    for rod in 1..12 {
        let (bounds, softness) = match rod % 3 {
            0 => ([-1e-4, 1e-4], 0.0),
            1 => ([0.0, f64::INFINITY], 0.0),
            _ => (IslandEquation::UNBOUNDED, 5.0),
        };
        let (a, b) = (Some(rod), Some(rod - 1));
        let angular = [DVec3::Z, DVec3::NEG_Z];
        let offset = 1e-3 * random.vector().x;
        island.equations.push(IslandEquation {
            a,
            b,
            linear: DVec3::ZERO,
            angular,
            offset,
            force: 0.0,
            bounds,
            softness,
        });
    }
    let report = island.solve(&mut IslandSolver::new(), &tight());
    assert!(report.converged, "{report:?}");
    let mut kinds = [0; 3];
    for equation in &island.equations[36..] {
        let miss = island.equation_error(equation) + equation.softness * equation.force;
        let [low, high] = equation.bounds;
        assert!(equation.force >= low && equation.force <= high);
        let (at_low, at_high) = (equation.force == low, equation.force == high);
        kinds[if at_low {
            0
        } else if at_high {
            1
        } else {
            2
        }] += 1;
        assert!(miss >= -1e-9 || at_high, "{miss} {equation:?}");
        assert!(miss <= 1e-9 || at_low, "{miss} {equation:?}");
    }
    assert!(kinds[0] > 0 && kinds[2] > 3, "every law was tried: {kinds:?}");
}
