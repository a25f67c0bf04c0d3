//! [`optimise`]: a steering line that is faster than the pilot's own.
//!
//! A search that keeps what is better: some knots of the line are turned by chance, all candidates of a batch are driven, the fastest one
//! replaces the line if it beats it, and the turns become larger after success and smaller after failure (Rechenberg 1973). A
//! candidate begins where its first turned knot begins to count: runs are kept there from the line that holds so far.

use rayon::prelude::*;
use thiserror::Error;

use crate::run::{Conditions, Course, Run, even_number};
use crate::sled::{Setup, SledError};
use crate::track::MeshIce;

use super::{PilotOptions, SteeringLine};

/// How long and how widely is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptimiserOptions {
    /// Candidates that are driven in all. Default 200.
    pub candidates: u32,
    /// Candidates that are driven side by side. Default 8; the result depends on it, not on the number of threads.
    pub batch: u32,
    /// First turn of a knot in rad, standard deviation. Default 0.01: with less the search is long, with more most candidates crash.
    pub turn: f64,
    /// Seed of the chance.
    pub seed: u64,
}

impl Default for OptimiserOptions {
    fn default() -> OptimiserOptions {
        OptimiserOptions { candidates: 200, batch: 8, turn: 0.01, seed: 0 }
    }
}

/// What came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimised {
    /// The line.
    pub line: SteeringLine,
    /// Time at the finish with it, in s.
    pub time: f64,
    /// Time with the line that the search began with, in s.
    pub before: f64,
    /// Candidates that were driven.
    pub candidates: u32,
    /// Time after each batch, in s.
    pub history: Vec<f64>,
}

/// Why there is nothing to search from.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum OptimiseError {
    /// The setup makes no sled.
    #[error(transparent)]
    Sled(#[from] SledError),
    /// The first line does not reach the finish.
    #[error(
        "with the line to begin with the sled does not reach the finish: it is at s = {s:.0} m when it crashes or stands"
    )]
    Unfinished {
        /// Where it ends in m.
        s: f64,
    },
    /// A line without knots has nothing to turn.
    #[error("a steering line without knots has nothing to turn: begin with a straight one")]
    NoKnots,
}

/// How far before a knot its turns begin to count, in knots: the cubic reaches from two knots before.
const REACH: usize = 2;
/// Knots that are turned at once, at most.
const TURNED: u64 = 3;
/// Growth of the turn after a batch that found something better, and its decay after one that did not.
const GROWTH: f64 = 1.3;
const DECAY: f64 = 0.85;

/// A run through the finish, with what is needed to begin again at any knot.
struct Driven<'c> {
    time: f64,
    /// As it was before each knot.
    at_knots: Vec<Run<'c>>,
}

/// What is driven.
#[derive(Clone, Copy, Debug)]
pub struct OptimiserTask<'c> {
    /// Where.
    pub course: &'c Course,
    /// With what.
    pub setup: &'c Setup,
    /// By whom.
    pub pilot: PilotOptions,
    /// From where; without tremor, or the search is for luck.
    pub conditions: Conditions,
    /// What the sled slides on instead of the exact ice.
    pub mesh: Option<&'c MeshIce>,
}

/// Searches from a line on; `pool` drives the candidates, `progress` hears of candidates driven and the best time, first that
/// of the line itself.
pub fn optimise(
    task: &OptimiserTask<'_>,
    line: SteeringLine,
    options: &OptimiserOptions,
    pool: &rayon::ThreadPool,
    mut progress: impl FnMut(u32, f64),
) -> Result<Optimised, OptimiseError> {
    if line.knots().is_empty() {
        return Err(OptimiseError::NoKnots);
    }
    let start = Run::new(task.course, task.setup, task.pilot, task.conditions)?;
    let start = if let Some(mesh) = task.mesh { start.on_mesh(mesh) } else { start };
    let mut best =
        drive(start.clone().steered_by(line.clone()), &line).map_err(|s| OptimiseError::Unfinished { s })?;
    let mut found =
        Optimised { line, time: best.time, before: best.time, candidates: 0, history: Vec::new() };
    let (mut turn, mut chance) = (options.turn, options.seed);
    progress(0, found.time);
    while found.candidates < options.candidates {
        let batch = options.batch.max(1).min(options.candidates - found.candidates);
        let tries: Vec<Vec<(usize, f64)>> =
            (0..batch).map(|_| turns(found.line.knots().len(), turn, &mut chance)).collect();
        let runs: Vec<Run<'_>> = tries
            .iter()
            .map(|turns| {
                let first = turns.iter().map(|turn| turn.0).min().unwrap_or(0).saturating_sub(REACH);
                let run = best.at_knots.get(first).unwrap_or(&start).clone();
                run.steered_by(found.line.turned(turns))
            })
            .collect();
        let times: Vec<Option<f64>> =
            pool.install(|| runs.into_par_iter().map(|run| finish(run).ok()).collect());
        found.candidates += batch;
        let fastest = (0..tries.len())
            .filter_map(|i| times[i].map(|time| (time, i)))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        match fastest.filter(|fastest| fastest.0 < found.time) {
            Some((time, i)) => {
                found.line = found.line.turned(&tries[i]);
                found.time = time;
                let is_last = found.candidates == options.candidates;
                // It finished a moment ago: driven again for the runs at its knots, where the next candidates begin.
                if !is_last
                    && let Ok(driven) = drive(start.clone().steered_by(found.line.clone()), &found.line)
                {
                    best = driven;
                }
                turn *= GROWTH;
            }
            None => turn *= DECAY,
        }
        found.history.push(found.time);
        progress(found.candidates, found.time);
    }
    Ok(found)
}

/// Neighbouring knots, each turned by chance.
fn turns(knots: usize, turn: f64, chance: &mut u64) -> Vec<(usize, f64)> {
    let first = (even_number(chance) * knots as f64) as usize;
    let count = 1 + (even_number(chance) * TURNED as f64) as usize;
    let mut normal = || (0..12).map(|_| even_number(chance)).sum::<f64>() - 6.0;
    (first..(first + count).min(knots)).map(|knot| (knot, turn * normal())).collect()
}

/// To the finish, or where it ended.
fn finish(mut run: Run<'_>) -> Result<f64, f64> {
    while run.result().time.is_none() {
        if !run.look() || run.result().crash.is_some() {
            return run.result().time.ok_or(run.station());
        }
    }
    run.result().time.ok_or(run.station())
}

/// To the finish, keeping the run before every knot.
fn drive<'c>(mut run: Run<'c>, line: &SteeringLine) -> Result<Driven<'c>, f64> {
    let mut at_knots = Vec::with_capacity(line.knots().len());
    let mut before = run.clone();
    while run.result().time.is_none() {
        while line.knots().get(at_knots.len()).is_some_and(|knot| knot[0] <= run.station()) {
            at_knots.push(before.clone());
        }
        before = run.clone();
        if !run.look() || run.result().crash.is_some() {
            return Err(run.station());
        }
    }
    let time = run.result().time.ok_or(run.station())?;
    Ok(Driven { time, at_knots })
}
