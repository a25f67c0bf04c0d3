//! Every scene of the gallery keeps its books: nothing is unexplained, nothing is gained from nothing, and the last net catches nothing.

use prall_scenes::{Budget, Input, scenes};

/// Simulated seconds, and steps at most.
const SECONDS: f64 = 1.0;
const STEPS: usize = 240;

/// Scenes of many bodies, with steps that are enough to see them.
const LARGE: [(&str, usize); 4] =
    [("large-pyramid", 2), ("joint-grid", 4), ("bolt-and-nut", 4), ("666", 110)];

#[test]
fn no_scene_gains_energy_from_nothing() {
    let mut judged = 0;
    for scene in scenes() {
        let mut simulation = scene.build();
        let steps = LARGE.iter().find(|(name, _)| *name == scene.name).map_or(STEPS, |(_, steps)| *steps);
        let steps = ((SECONDS / simulation.time_step()).ceil() as usize).min(steps);
        let mut keeps = false;
        for step in 0..steps {
            let report = simulation.step(&Input::default(), &mut Budget::unlimited());
            let energy = &report.energy;
            keeps |= energy.kinetic_after != 0.0 || energy.potential_after != 0.0;
            let scale = energy.terms().iter().map(|term| term.abs()).sum::<f64>()
                + energy.kinetic_before
                + energy.kinetic_after;
            // Trees end Newton's method at changes that are worth some 5e-9; potential energies round by their size.
            let rounding = 1e-8 * scale + 1e-12 * energy.potential_before.abs();
            let story = format!("{}, step {step}: {energy:?}", scene.name);
            assert!(energy.unexplained.abs() <= rounding, "{story}");
            let from_outside = [energy.loads, energy.hands, energy.given_motions, energy.drives];
            let driven = from_outside.iter().map(|work| work.abs()).sum::<f64>() > 1e-9 * scale;
            assert!(driven || energy.gained() <= energy.tolerance + rounding, "{story}");
            assert_eq!((report.energy_clamps, report.diverged), (0, 0), "{story}");
        }
        judged += usize::from(keeps);
    }
    assert!(judged >= 18, "{judged} scenes keep an account");
}
