//! What the start view of every scene shows.

use prall_scenes::{Budget, Frame, Input, Simulation, scenes};

/// Simulated seconds that a newcomer looks at before touching anything.
const FIRST: f64 = 2.0;

/// One that takes long to compute, balls that slide away for ever, and what goes off by itself: a camera follows that.
const LEFT_OUT: [&str; 5] = ["large-pyramid", "666", "bobsleigh", "coaster", "vehicle"];

/// Share of the bodies that can move whose centres are in the subject's box.
fn share_in_sight(simulation: &dyn Simulation, frame: &mut Frame) -> f64 {
    let assets = simulation.assets();
    let subject = assets.subject.expect("asked for scenes with a subject");
    simulation.frame(frame);
    let movable = || frame.poses.iter().zip(&assets.bodies).filter(|(_, body)| body.movable);
    let inside = movable().filter(|(pose, _)| {
        let at = pose.translation;
        at.cmpge(subject.low - 0.01).all() && at.cmple(subject.high + 0.01).all()
    });
    inside.count() as f64 / movable().count() as f64
}

/// The view is made for the box that a scene declares, so what moves in the first seconds must be in it.
#[test]
fn what_moves_in_the_first_seconds_is_in_the_start_view() {
    let mut judged = 0;
    for scene in scenes().iter().filter(|scene| !LEFT_OUT.contains(&scene.name)) {
        let mut simulation = scene.build();
        if simulation.assets().subject.is_none() {
            continue;
        }
        judged += 1;
        let mut frame = Frame::default();
        let mut least = share_in_sight(simulation.as_ref(), &mut frame);
        while simulation.time() < FIRST {
            let steps = (0.1 / simulation.time_step()).ceil() as usize;
            for _ in 0..steps {
                simulation.step(&Input::default(), &mut Budget::unlimited());
            }
            least = least.min(share_in_sight(simulation.as_ref(), &mut frame));
        }
        // A cube of the funnel, or a ball, may roll away from its pile.
        assert!(least >= 0.95, "{}: only {:.0} % stay in sight", scene.name, 100.0 * least);
    }
    assert!(judged >= 17, "only {judged} scenes have a subject");
}
