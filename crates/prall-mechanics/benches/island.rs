//! Solves of single islands: from nothing, from the forces of before, and the test for rest.

use divan::Bencher;
use glam::DVec3;
use prall_math::Twist;
use prall_mechanics::island::{IslandSolver, IslandTolerances};

#[path = "../tests/island/scenes.rs"]
mod scenes;

use scenes::{GUARD, Island, heap, landing};

fn main() {
    divan::main();
}

/// Sides of blocks of 1, 4, 27, 64 and 294 cubes.
const SIDES: [[u32; 3]; 5] = [[1, 1, 1], [1, 4, 1], [3, 3, 3], [4, 4, 4], [7, 6, 7]];

fn tolerances() -> IslandTolerances {
    IslandTolerances::for_guard(GUARD)
}

/// Solves clones of an island with a solver that has its memory already.
fn solve(bencher: Bencher, island: &Island) {
    let mut solver = IslandSolver::new();
    island.clone().solve(&mut solver, &tolerances());
    bencher
        .with_inputs(|| island.clone())
        .bench_local_refs(|island| island.solve(&mut solver, &tolerances()));
}

#[divan::bench(args = SIDES)]
fn rest_cold(bencher: Bencher, sides: [u32; 3]) {
    solve(bencher, &heap(sides, false));
}

/// Forces of before; the bodies want to move by a micrometre more, so that there is something to solve.
#[divan::bench(args = SIDES)]
fn rest_warm(bencher: Bencher, sides: [u32; 3]) {
    let mut island = heap(sides, false);
    island.solve(&mut IslandSolver::new(), &tolerances());
    for body in &mut island.bodies {
        body.goal.linear += DVec3::new(1e-6, 0.0, 0.0);
    }
    solve(bencher, &island);
}

#[divan::bench(args = SIDES, sample_count = 10)]
fn landing_cold(bencher: Bencher, sides: [u32; 3]) {
    solve(bencher, &landing(sides));
}

#[divan::bench(args = SIDES)]
fn rest_test(bencher: Bencher, sides: [u32; 3]) {
    let mut island = heap(sides, false);
    let mut solver = IslandSolver::new();
    island.solve(&mut solver, &tolerances());
    let mut x = vec![Twist::ZERO; island.x.len()];
    bencher.bench_local(|| solver.response(&island.bodies, &[], &island.contacts, &island.equations, &mut x));
}
