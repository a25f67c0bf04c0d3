//! What passes through what it should hit.

use crate::description::{self, Description};
use crate::energy::{Balance, Books, percent};
use crate::engine::{BodyState, Contestant};
use crate::engines;
use crate::report::Table;
use glam::DVec3;
use prall_math::Pose;
use std::time::Duration;

/// Counts bodies that have passed, from the poses after every step.
type Count = fn(&Description, &[Vec<Pose>]) -> usize;

/// Crossed the plane of the plate within its edges.
fn through_plate(scene: &Description, history: &[Vec<Pose>]) -> usize {
    let crossed = |body: usize| {
        history.windows(2).any(|pair| {
            let (p, q): (DVec3, DVec3) = (pair[0][body].translation, pair[1][body].translation);
            let at = p.lerp(q, p.x / (p.x - q.x));
            p.x < 0.0 && q.x > 0.0 && at.y.abs() < 2.5 && at.z.abs() < 11.5
        })
    };
    scene.movable().filter(|&body| crossed(body)).count()
}

/// The left one of a pair has come out right of the other.
fn through_each_other(scene: &Description, history: &[Vec<Pose>]) -> usize {
    let Some(last) = history.last() else { return 0 };
    let bodies: Vec<usize> = scene.movable().collect();
    bodies.chunks(2).filter(|pair| last[pair[0]].translation.x > last[pair[1]].translation.x).count()
}

/// Is outside of the closed box.
fn out_of_box(scene: &Description, history: &[Vec<Pose>]) -> usize {
    let half = description::closed_box_half(scene.movable().count()) + 0.02;
    let outside = |pose: &Pose| pose.translation.abs().max_element() > half || !pose.translation.is_finite();
    history.last().map_or(0, |last| scene.movable().filter(|&body| outside(&last[body])).count())
}

fn run(
    scene: &Description,
    contestant: &Contestant,
    steps: usize,
    count: Count,
) -> Result<(usize, Duration, Option<Balance>), String> {
    let mut engine = (contestant.open)(scene)?;
    let mut books = Books::new(scene)?;
    let poses = |states: &[BodyState]| states.iter().map(|state| state.pose).collect::<Vec<Pose>>();
    let mut history = vec![poses(&engine.states()?)];
    let mut time = Duration::ZERO;
    for _ in 0..steps {
        time += engine.steps(1)?;
        let states = engine.states()?;
        books.enter(&states);
        history.push(poses(&states));
        if time > Duration::from_secs(120) {
            return Err("too slow".to_owned());
        }
    }
    Ok((count(scene, &history), time, books.close()))
}

/// Runs all, and writes the section.
pub fn section(quick: bool) -> Result<String, String> {
    let many = if quick { 500 } else { 5000 };
    let mut works: Vec<(String, Description, usize, Count)> = Vec::new();
    for (kind, mesh) in [("box", false), ("mesh", true)] {
        for (speed, spin) in [(20.0, 0.0), (100.0, 0.0), (100.0, 60.0), (300.0, 60.0)] {
            let name = format!("20 sticks, {speed} m/s, {spin} rad/s, at a {kind} plate of 1 cm");
            works.push((name, description::sticks(spin, speed, mesh), 30, through_plate));
        }
    }
    for speed in [20.0, 100.0] {
        let name = format!("20 pairs of cubes of 10 cm head on, {speed} m/s each");
        works.push((name, description::head_on(speed), 20, through_each_other));
    }
    let name = format!("{many} balls and cubes at 30 m/s in a closed box, walls of 2 cm");
    works.push((name, description::closed_box(many, 30.0), if quick { 30 } else { 60 }, out_of_box));
    let contestants = engines::for_fast();
    let mut head = vec!["passed"];
    head.extend(contestants.iter().map(|contestant| contestant.name));
    let mut table = Table::new(&head);
    for (name, scene, steps, count) in &works {
        eprintln!("{name}");
        let mut cells = vec![name.clone()];
        for contestant in &contestants {
            cells.push(match run(scene, contestant, *steps, *count) {
                Ok((passed, time, energy)) => {
                    let gained = energy.map_or(String::new(), |energy| match energy.gained {
                        0.0 => String::new(),
                        gained => format!(", +{}", percent(gained)),
                    });
                    format!("**{passed}** ({:.2} ms{gained})", time.as_secs_f64() * 1e3 / *steps as f64)
                }
                Err(trouble) => trouble,
            });
        }
        table.row(cells);
    }
    Ok(format!(
        "## Fast motion\n\nHow many bodies have passed through what they should have hit, at a step of 1/60 s, and the mean time of a step. A plus sign: energy that appeared, the largest rise above an earlier value as a share of the largest kinetic energy, from poses and velocities after every step. Continuous detection is on wherever an engine has it.\n\n{}",
        table.markdown()
    ))
}
