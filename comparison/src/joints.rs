//! Trees, grids, chains and linkages: how long a step takes, and how far joints open.

use crate::contacts::table;
use crate::description::Description;
use crate::engine::Contestant;
use crate::engines;
use crate::race::{Distance, Outcome, race};
use crate::report::{Curve, logarithmic};
use prall_math::Pose;
use std::time::Duration;

/// Runs all, and writes the section; the plot goes to a file of its own.
pub fn section(quick: bool) -> Result<(String, String), String> {
    let gallery = Description::gallery;
    let less = if quick { 4 } else { 1 };
    let mut works: Vec<(Description, usize)> = Vec::new();
    for size in ["tree-31", "tree-63", "tree-127", "tree-255"] {
        works.push((gallery(size, &[])?.stepped(1.0 / 60.0).named(format!("{size}, 1/60 s")), 600 / less));
    }
    works.push((gallery("tree-255", &[])?.stepped(1.0 / 30.0).named("tree-255, 1/30 s"), 300 / less));
    works.push((gallery("joint-grid", &[("size", if quick { 30.0 } else { 100.0 })])?, 60 / less));
    for ratio in [100.0, 1000.0, 10_000.0] {
        let chain = gallery("mass-ratio", &[("ratio", ratio), ("tilt", 10.0)])?.stepped(1.0 / 60.0);
        works.push((chain.named(format!("chain of ten, last link {ratio} times heavier")), 300 / less));
    }
    works.push((gallery("four-bar", &[])?, 600 / less));
    let mut text = String::from(
        "## Joints\n\nThe joint error is the largest distance of points that should coincide, over the run, from poses. In minimal coordinates \
         it is 0 by construction, also when the motion is wrong.\n",
    );
    for (scene, steps) in works {
        let distance = Distance { steps, turn: steps.div_ceil(12), patience: Duration::from_secs(30) };
        let outcomes = race(&scene, &engines::for_joints(), distance)?;
        text += &format!(
            "\n### {}\n\n{} bodies, {} joints, {steps} steps of {:.2} ms.\n\n{}",
            scene.name,
            scene.movable().count(),
            scene.joints.len(),
            scene.step * 1e3,
            table(&outcomes, Some("largest distance of a body from its start"), farthest(&scene), false)
        );
    }
    let (precision, plot) = precision(quick)?;
    Ok((text + &precision, plot))
}

/// The largest distance of any body from where it began: tells where a chain has exploded.
fn farthest(scene: &Description) -> impl Fn(&Outcome) -> String {
    let start: Vec<Pose> = scene.bodies.iter().map(|body| body.pose).collect();
    move |outcome| {
        let far = start.iter().zip(&outcome.poses).map(|(a, b)| a.translation.distance(b.translation));
        format!("{:.1} m", far.fold(0.0, f64::max))
    }
}

/// Where the bodies are after one second, and what a second costs in s.
fn second(scene: &Description, contestant: &Contestant) -> Result<(Vec<Pose>, f64), String> {
    let mut engine = (contestant.open)(scene)?;
    let steps = (1.0 / scene.step).round() as usize;
    let time = engine.steps(steps)?;
    Ok((engine.poses()?, time.as_secs_f64()))
}

/// Error after a second over what the second costs, from long steps to short ones.
fn precision(quick: bool) -> Result<(String, String), String> {
    let chain = Description::gallery("mass-ratio", &[("ratio", 1.0), ("tilt", 60.0)])?;
    let finest = engines::reference();
    let (truth, _) = second(&chain.clone().stepped(1.0 / 20_000.0), &finest)?;
    let mut curves = Vec::new();
    let steps: &[f64] =
        if quick { &[60.0, 240.0] } else { &[30.0, 60.0, 120.0, 240.0, 480.0, 960.0, 1920.0] };
    for contestant in engines::for_joints() {
        let mut points = Vec::new();
        for rate in steps {
            let Ok((poses, seconds)) = second(&chain.clone().stepped(1.0 / rate), &contestant) else {
                continue;
            };
            let error = truth
                .iter()
                .zip(&poses)
                .map(|(a, b)| a.translation.distance(b.translation))
                .fold(0.0, f64::max);
            if error.is_finite() && error > 0.0 {
                points.push([1e3 * seconds, error]);
            }
        }
        curves.push(Curve { name: contestant.name.to_owned(), points });
    }
    let plot = logarithmic(
        "A chain of ten links from 60 degrees, after one second",
        ["ms of computing for one second", "largest error of a place, m"],
        &curves,
    );
    let text = format!(
        "\n### Work and precision\n\nA chain of ten equal links swings from 60 degrees; the truth is {} at 1/20,000 s. Steps from 1/30 to 1/1920 s; further left and further down is better.\n\n![Work and precision](pictures/comparison-precision.svg)\n",
        finest.setting
    );
    Ok((text, plot))
}
