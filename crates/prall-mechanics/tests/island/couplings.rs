//! Bodies of one machine, whose mass matrix is given as a whole.

use glam::{DMat3, DVec3};
use prall_math::Twist;
use prall_mechanics::island::{IslandCoupling, IslandDefect, IslandSolver, IslandTolerances};

use crate::scenes::{Island, Random, tight};

const ARM: f64 = 0.5;
/// How much a machine yields where it cannot move, as a share of what a free body of its mass would.
const YIELD: f64 = 1e-7;

/// Two rods that a ball joint ties together, and another one to the ground.
fn rods(goals: [Twist; 2]) -> Island {
    let mut island = Island::default();
    let inertia = DMat3::from_diagonal(DVec3::new(0.01, 0.3, 0.3));
    let first = island.add_body(1.5, inertia, goals[0]);
    let second = island.add_body(0.7, inertia, goals[1]);
    island.add_ball_joint(Some(first), None, [DVec3::X * -ARM, DVec3::ZERO]);
    island.add_ball_joint(Some(first), Some(second), [DVec3::X * ARM, DVec3::X * -ARM]);
    island
}

/// The motion of both by a unit of load in each direction, found from their joints, and the little that they yield.
fn coupling() -> IslandCoupling {
    let mut inverse = Vec::new();
    for load in 0..12 {
        let mut goals = [Twist::ZERO; 2];
        let body = load / 6;
        let plain = rods(goals).bodies[body];
        let axis = DVec3::AXES[load % 3];
        goals[body] = if load % 6 < 3 {
            Twist::new(axis / plain.mass, DVec3::ZERO)
        } else {
            Twist::new(DVec3::ZERO, plain.inertia.inverse() * axis)
        };
        let mut island = rods(goals);
        let report = island.solve(&mut IslandSolver::new(), &tight());
        assert!(report.equation_error < 1e-11, "{report:?}");
        for x in &island.x {
            inverse.extend(x.linear.to_array().into_iter().chain(x.angular.to_array()));
        }
    }
    for k in 0..12 {
        inverse[13 * k] += YIELD;
    }
    // Rounding makes it a little unsymmetric.
    let symmetric = (0..144).map(|at| 0.5 * (inverse[at] + inverse[at % 12 * 12 + at / 12])).collect();
    IslandCoupling { bodies: vec![0, 1], inverse: symmetric }
}

/// A point under each rod, and a free cube that one of them presses on.
fn put_on_points(island: &mut Island, random: &mut Random) {
    let cube = island.add_cube(0.4, 0.1);
    for k in 0..2 {
        let arms = [DVec3::new(random.next() * ARM, -0.05, random.next() * 0.1), DVec3::Y * 0.05];
        let below = if k == 0 { Some(cube) } else { None };
        island.add_contact(Some(k), below, DVec3::Y, arms);
    }
    island.add_contact(Some(cube), None, DVec3::Y, [DVec3::NEG_Y * 0.05, DVec3::ZERO]);
}

#[test]
fn coupled_bodies_move_as_their_joints_let_them() {
    let mut random = Random(7);
    let coupling = coupling();
    for _ in 0..20 {
        let wild = [0, 1].map(|_| Twist::new(random.vector() * 0.01, random.vector() * 0.01) + fall());
        let seed = random.0;
        let mut jointed = rods(wild);
        put_on_points(&mut jointed, &mut Random(seed));
        let report = jointed.solve(&mut IslandSolver::new(), &tight());
        assert!(report.gap_error.max(report.equation_error) < 1e-9, "{report:?}");
        // The goal of links is a motion that their joints allow.
        let mut free = rods(wild);
        assert!(free.solve(&mut IslandSolver::new(), &tight()).equation_error < 1e-11);
        let mut coupled = rods([free.x[0], free.x[1]]);
        coupled.equations.clear();
        put_on_points(&mut coupled, &mut Random(seed));
        coupled.couplings.push(coupling.clone());
        let fine = IslandTolerances { gap: 1e-10, motion: 1e-10, cone: 1e-6, ..tight() };
        let report = coupled.solve(&mut IslandSolver::new(), &fine);
        assert!(report.converged, "{report:?}");
        // Forces are not unique: friction along a rod may go into its joint.
        for (a, b) in jointed.x.iter().zip(&coupled.x) {
            let off = (a.linear - b.linear).length() + (a.angular - b.angular).length();
            assert!(off < 1e-6, "{a:?} {b:?}");
        }
        random.next();
    }
}

fn fall() -> Twist {
    Twist::new(DVec3::NEG_Y * 0.003, DVec3::ZERO)
}

#[test]
fn a_coupling_that_makes_no_sense_is_named() {
    let good = coupling();
    let refused = |coupling: IslandCoupling| {
        let mut island = rods([fall(); 2]);
        island.couplings.push(good.clone());
        island.couplings[0] = coupling;
        island.solve(&mut IslandSolver::new(), &tight()).defect
    };
    assert_eq!(refused(good.clone()), None);
    let bad = [
        IslandCoupling { inverse: vec![0.0; 7], ..good.clone() },
        IslandCoupling { inverse: vec![0.0; 144], ..good.clone() },
        IslandCoupling { bodies: vec![0, 5], ..good.clone() },
        IslandCoupling { bodies: vec![1, 1], ..good.clone() },
    ];
    for coupling in bad {
        assert!(matches!(refused(coupling), Some(IslandDefect::Coupling { coupling: 0, .. })));
    }
}
