//! Cost of one step of the first scene, by both solvers: what the loop around a simulation costs at least.

use divan::Bencher;
use prall_scenes::{Budget, Input};

fn main() {
    divan::main();
}

#[divan::bench(args = ["event", "moreau"])]
fn step(bencher: Bencher, solver: &str) {
    bencher
        .with_inputs(|| {
            let mut ball = prall_scenes::open("bouncing-ball").expect("a scene of the gallery");
            ball.select_solver(solver).expect("a solver of the scene");
            ball
        })
        .bench_local_refs(|ball| {
            for _ in 0..240 {
                ball.step(&Input::default(), &mut Budget::unlimited());
            }
        });
}
