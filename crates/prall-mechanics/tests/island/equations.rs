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
        island.equations.push(IslandEquation { a, b, linear: DVec3::ZERO, angular, offset: 0.0, force: 0.0 });
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
