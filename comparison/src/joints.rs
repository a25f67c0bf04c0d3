//! Trees, grids, chains and linkages: how long a step takes, and how far joints open.

use crate::contacts::{Counts, at_a_glance, table};
use crate::description::{self, Description};
use crate::engine::Contestant;
use crate::engines;
use crate::race::{Distance, Outcome, race};
use crate::report::{Curve, logarithmic};
use glam::DVec3;
use prall_math::Pose;
use std::time::Duration;

/// Who has computed so long for one scene stops where it is.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs all, and writes the section; plots are by the names of their files.
pub fn section(quick: bool) -> Result<(String, Vec<(&'static str, String)>), String> {
    let gallery = Description::gallery;
    let less = if quick { 4 } else { 1 };
    let mut works: Vec<(Description, usize)> = Vec::new();
    for size in ["tree-31", "tree-63", "tree-127", "tree-255"] {
        works.push((gallery(size, &[])?.stepped(1.0 / 60.0).named(format!("{size}, 1/60 s")), 600 / less));
    }
    works.push((gallery("tree-255", &[])?.stepped(1.0 / 30.0).named("tree-255, 1/30 s"), 300 / less));
    works.push((
        gallery("joint-grid", &[("tilt", 0.0), ("size", if quick { 30.0 } else { 100.0 })])?,
        60 / less,
    ));
    for ratio in [100.0, 1000.0, 10_000.0] {
        let chain = gallery("mass-ratio", &[("ratio", ratio), ("tilt", 10.0)])?.stepped(1.0 / 60.0);
        works.push((chain.named(format!("chain of ten, last link {ratio} times heavier")), 300 / less));
    }
    works.push((gallery("four-bar", &[])?, 600 / less));
    works.push((description::rod_pendulum(), 1200 / less));
    let mut details = String::new();
    let mut races = Vec::new();
    for (scene, steps) in works {
        let distance = Distance { steps, turn: steps.div_ceil(12), patience: PATIENCE };
        let outcomes = race(&scene, &engines::for_joints(), distance)?;
        details += &format!(
            "\n### {}\n\n{} bodies, {} joints, {steps} steps of {:.2} ms.\n\n{}",
            scene.name,
            scene.movable().count(),
            scene.joints.len(),
            scene.step * 1e3,
            table(
                &outcomes,
                Some("largest distance of a body from its start"),
                farthest(&scene),
                Counts::JointError
            )
        );
        races.push((scene.name.clone(), outcomes));
    }
    let text = format!(
        "## Joints\n\nThe joint error is the largest distance of points that should coincide, over the run, from poses. In minimal coordinates \
         it is 0 by construction, also when the motion is wrong. Nothing here gives or takes energy: *gained* is the largest rise above an earlier value, *lost* what is missing at the end, as shares of what was exchanged. Largest loss first.\n\n{}{details}",
        at_a_glance(&races, Counts::JointError)
    );
    let (precision, plots) = precision(quick)?;
    Ok((text + &precision, plots))
}

/// The largest distance of any body from where it began: tells where a chain has exploded.
fn farthest(scene: &Description) -> impl Fn(&Outcome) -> String {
    let start: Vec<Pose> = scene.bodies.iter().map(|body| body.pose).collect();
    move |outcome| {
        let far = start.iter().zip(&outcome.poses).map(|(a, b)| a.translation.distance(b.translation));
        format!("{:.1} m", far.fold(0.0, f64::max))
    }
}

/// Where the bodies are after so many steps, and what they cost in s.
fn after(scene: &Description, contestant: &Contestant, steps: usize) -> Result<(Vec<DVec3>, f64), String> {
    let mut engine = (contestant.open)(scene)?;
    // The best of three: these runs are short.
    let (mut least, mut states) = (f64::INFINITY, Vec::new());
    for repetition in 0..3 {
        if repetition > 0 {
            engine = (contestant.open)(scene)?;
        }
        let seconds = engine.steps(steps)?.as_secs_f64();
        least = least.min(seconds);
        states = engine.states()?;
        // What takes half a second needs no repetition.
        if seconds > 0.5 {
            break;
        }
    }
    Ok((states.iter().map(|state| state.pose.translation).collect(), least))
}

/// A motion whose end is known.
struct Known {
    file: &'static str,
    title: &'static str,
    text: String,
    scene: Description,
    /// Length of the motion in s.
    duration: f64,
    /// Where the bodies are at its end.
    truth: Vec<DVec3>,
    /// Numbers of steps into which it is cut.
    steps: Vec<usize>,
}

fn known(quick: bool) -> Result<Vec<Known>, String> {
    let most = if quick { 4 } else { 7 };
    let steps = |first: usize| (0..most).map(|power| first << power).collect();
    let rod = description::rod_pendulum();
    let chain = Description::gallery("mass-ratio", &[("ratio", 1.0), ("tilt", 60.0)])?;
    let finest = engines::reference();
    let (truth, _) = after(&chain.clone().stepped(1.0 / 20_000.0), &finest, 20_000)?;
    Ok(vec![
        Known {
            file: "comparison-pendulum.svg",
            title: "A rod from the horizontal, after five quarters of its swing",
            text: "A rod of 1 m on a hinge swings from the horizontal; after five quarters of its period of 1.933335 s (closed form) it hangs \
                   straight down, at its fastest."
                .to_owned(),
            duration: 1.25 * description::ROD_PERIOD,
            truth: vec![DVec3::Y * -0.5],
            steps: steps(75),
            scene: rod,
        },
        Known {
            file: "comparison-precision.svg",
            title: "A chain of ten links from 60 degrees, after one second",
            text: format!(
                "A chain of ten equal links swings from 60 degrees; the truth is {} at 1/20,000 s.",
                finest.setting
            ),
            scene: chain,
            duration: 1.0,
            truth,
            steps: steps(30),
        },
    ])
}

/// Error at the end over what the motion costs, from long steps to short ones.
fn precision(quick: bool) -> Result<(String, Vec<(&'static str, String)>), String> {
    let mut text = String::from("\n### Work and precision\n\nFurther left and further down is better.\n");
    let mut plots = Vec::new();
    for known in known(quick)? {
        eprintln!("{}", known.title);
        let mut curves = Vec::new();
        for contestant in engines::for_joints() {
            let mut points = Vec::new();
            for &steps in &known.steps {
                let scene = known.scene.clone().stepped(known.duration / steps as f64);
                let Ok((places, seconds)) = after(&scene, &contestant, steps) else { continue };
                let far = known.truth.iter().zip(&places).map(|(a, b)| a.distance(*b));
                let error = far.fold(0.0, f64::max);
                if error.is_finite() && error > 0.0 {
                    points.push([1e3 * seconds, error]);
                }
            }
            if !points.is_empty() {
                curves.push(Curve { name: contestant.name.to_owned(), points });
            }
        }
        let labels = ["ms of computing for the motion", "largest error of a place, m"];
        plots.push((known.file, logarithmic(known.title, labels, &curves)));
        text += &format!(
            "\n{} From {} to {} steps.\n\n![{}](pictures/{})\n",
            known.text,
            known.steps[0],
            known.steps[known.steps.len() - 1],
            known.title,
            known.file
        );
    }
    Ok((text, plots))
}
