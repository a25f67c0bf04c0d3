//! Piles, walls and pyramids: how long a step takes, and how deep things sink into each other.

use crate::description::{self, Description};
use crate::energy::percent;
use crate::engines;
use crate::race::{Distance, Outcome, race};
use crate::report::{Table, length};
use prall_math::Pose;
use std::time::Duration;

/// Who has computed so long for one scene stops where it is.
const PATIENCE: Duration = Duration::from_secs(45);

/// A scene, how long it runs, and what else is told of it.
struct Work {
    scene: Description,
    steps: usize,
    /// What the last column tells, and the function that finds it in the poses at the end.
    told: Option<(&'static str, fn(&Description, &[Pose]) -> String)>,
}

/// How far the centre of the highest body at the start has come down.
fn sag(scene: &Description, poses: &[Pose]) -> String {
    let height = |body: &usize| scene.bodies[*body].pose.translation.y;
    let top = scene.movable().max_by(|a, b| height(a).total_cmp(&height(b)));
    top.map_or("-".to_owned(), |top| length((height(&top) - poses[top].translation.y).max(0.0)))
}

/// The largest displacement of any body.
fn moved(scene: &Description, poses: &[Pose]) -> String {
    let far = |body: usize| scene.bodies[body].pose.translation.distance(poses[body].translation);
    length(scene.movable().map(far).fold(0.0, f64::max))
}

/// How far the pushed slab came, against the closed form.
fn rolled(scene: &Description, poses: &[Pose]) -> String {
    let Some(slab) = scene.forces.iter().position(|force| force.length() > 0.0) else {
        return "-".to_owned();
    };
    let far = scene.bodies[slab].pose.translation.distance(poses[slab].translation);
    format!("{far:.3} m")
}

fn works(quick: bool) -> Result<Vec<Work>, String> {
    let gallery = Description::gallery;
    let less = if quick { 4 } else { 1 };
    let base = if quick { 40.0 } else { 100.0 };
    let funnel = |step: f64| gallery("funnel", &[("cubes", if quick { 6.0 } else { 10.0 }), ("step", step)]);
    Ok(vec![
        Work { scene: funnel(1.0 / 60.0)?.named("funnel, 1/60 s"), steps: 300 / less, told: None },
        Work { scene: funnel(1.0 / 240.0)?.named("funnel, 1/240 s"), steps: 800 / less, told: None },
        Work { scene: gallery("pyramid", &[])?, steps: 300 / less, told: Some(("top sags", sag)) },
        Work {
            scene: gallery("large-pyramid", &[("base", base)])?,
            steps: 200 / less,
            told: Some(("top sags", sag)),
        },
        Work {
            scene: description::many_pyramids(if quick { 4 } else { 14 }),
            steps: 100 / less,
            told: Some(("largest displacement", moved)),
        },
        Work { scene: gallery("wall", &[])?, steps: 600 / less, told: Some(("largest displacement", moved)) },
        Work { scene: gallery("666", &[("shift", 0.0)])?, steps: 300 / less, told: None },
        Work {
            scene: gallery("rolling", &[])?,
            steps: 4000 / less,
            told: Some(("slab has come (exact: 0.3692 m/s^2 times the time squared)", rolled)),
        },
        Work { scene: gallery("bouncing", &[])?, steps: 600 / less, told: None },
        Work {
            scene: description::convex_on_mesh(if quick { 8 } else { 21 }),
            steps: 300 / less,
            told: None,
        },
        Work {
            scene: description::heavy_on_light(1e4).named("stack, 10,000 times heavier on top"),
            steps: 300 / less,
            told: Some(("top sags", sag)),
        },
    ])
}

/// Errors below, in m, are those of rounding, and equal.
const ROUNDING: f64 = 1e-9;

/// Which error of an outcome counts.
#[derive(Clone, Copy, PartialEq)]
pub enum Counts {
    Overlap,
    JointError,
}

impl Counts {
    fn of(self, outcome: &Outcome) -> f64 {
        match self {
            Counts::Overlap => outcome.overlap_p99,
            Counts::JointError => outcome.joint_error,
        }
    }
}

/// All races at a glance, the largest loss first: Prall by its defaults, or by its fastest stable setting where joints hold to rounding, the fastest peer, and the fastest of those that are not more wrong than Prall.
pub fn at_a_glance(races: &[(String, Vec<Outcome>)], counts: Counts) -> String {
    let fine = |outcome: &&Outcome| outcome.trouble.is_none() && outcome.steps > 0;
    let own = |outcome: &Outcome| outcome.name.starts_with("prall");
    let fastest = |a: &&Outcome, b: &&Outcome| a.milliseconds.total_cmp(&b.milliseconds);
    let mut rows = Vec::new();
    for (scene, outcomes) in races {
        // An explicit step is exact in its joints also where its motion is wrong.
        let stable = |outcome: &&Outcome| {
            counts == Counts::JointError && own(outcome) && !outcome.name.ends_with("explicit")
        };
        let exact =
            outcomes.iter().filter(fine).filter(stable).filter(|outcome| counts.of(outcome) < ROUNDING);
        let Some(first) = exact.min_by(fastest).or(outcomes.first()) else { continue };
        let peers = || outcomes.iter().filter(fine).filter(|outcome| !own(outcome));
        let told = |outcome: Option<&Outcome>| {
            outcome.map_or("nobody".to_owned(), |outcome| {
                let ratio = outcome.milliseconds / first.milliseconds;
                format!("{}: {ratio:.2} x, {}", outcome.name, length(counts.of(outcome)))
            })
        };
        let best = peers().min_by(fastest);
        let bound = counts.of(first).max(ROUNDING);
        let right = peers().filter(|outcome| counts.of(outcome) <= bound).min_by(fastest);
        let ratio = best.map_or(f64::INFINITY, |best| best.milliseconds / first.milliseconds);
        let name = first.name.strip_prefix("prall, ").map_or(String::new(), |setting| format!("{setting}: "));
        let prall = format!("{name}{:.3} ms, {}", first.milliseconds, length(counts.of(first)));
        rows.push((ratio, vec![scene.clone(), prall, told(best), told(right)]));
    }
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut table = Table::new(&["scene", "prall", "fastest peer", "fastest peer that is not more wrong"]);
    rows.into_iter().for_each(|(_, cells)| table.row(cells));
    table.markdown()
}

/// The table of one race; times also as ratios to Prall's.
pub fn table(
    outcomes: &[Outcome],
    told: Option<&str>,
    tell: impl Fn(&Outcome) -> String,
    counts: Counts,
) -> String {
    let mut head = vec!["engine", "ms per step", "ratio to prall"];
    head.extend(match counts {
        Counts::Overlap => vec!["overlap, p99", "deepest", "energy gained", "at rest"],
        Counts::JointError => vec!["joint error", "energy gained", "energy lost"],
    });
    head.extend(told);
    let mut table = Table::new(&head);
    let own = outcomes.first().map_or(1.0, |outcome| outcome.milliseconds);
    for outcome in outcomes {
        let name = match &outcome.trouble {
            Some(trouble) => format!("{} ({trouble})", outcome.name),
            None => outcome.name.to_owned(),
        };
        let mut cells = vec![name];
        if outcome.steps == 0 {
            cells.resize(head.len(), "-".to_owned());
        } else {
            cells.push(format!("{:.3}", outcome.milliseconds));
            cells.push(format!("{:.2}", outcome.milliseconds / own));
            cells.push(length(counts.of(outcome)));
            let gained = outcome.energy.map_or("driven".to_owned(), |energy| percent(energy.gained));
            match counts {
                Counts::Overlap => {
                    cells.extend([length(outcome.overlap_deepest), gained, percent(outcome.at_rest)]);
                }
                Counts::JointError => {
                    let lost = outcome.energy.map_or("driven".to_owned(), |energy| percent(energy.lost));
                    cells.extend([gained, lost]);
                }
            }
            cells.extend(told.map(|_| tell(outcome)));
        }
        table.row(cells);
    }
    table.markdown()
}

/// Runs all, and writes the section.
pub fn section(quick: bool) -> Result<String, String> {
    let mut details = String::new();
    let mut races = Vec::new();
    for work in works(quick)? {
        let distance = Distance { steps: work.steps, turn: work.steps.div_ceil(12), patience: PATIENCE };
        let outcomes = race(&work.scene, &engines::for_contacts(), distance)?;
        let tell = |outcome: &Outcome| {
            work.told.map_or(String::new(), |(_, tell)| tell(&work.scene, &outcome.poses))
        };
        details += &format!(
            "\n### {}\n\n{} bodies that move, {} steps of {:.2} ms.\n\n{}",
            work.scene.name,
            work.scene.movable().count(),
            work.steps,
            work.scene.step * 1e3,
            table(&outcomes, work.told.map(|(told, _)| told), tell, Counts::Overlap)
        );
        races.push((work.scene.name.clone(), outcomes));
    }
    Ok(format!(
        "## Contacts\n\nMean time of a step over the last half of the run; overlaps are the worst of ten or more looks during the run, \
         their 99th percentile at a glance. *Energy gained* is the largest rise of kinetic and potential energy above an earlier value, of 48 looks, as a share of what was exchanged \
         (the largest kinetic energy or change of height); nothing in these scenes gives energy, constant forces apart, whose work is taken off. *At rest* is the share of bodies whose velocity is exactly zero in the timed half: Prall proves that and skips work for them, the peers' sleeping is off. Largest loss first.\n\n{}{details}",
        at_a_glance(&races, Counts::Overlap)
    ))
}
