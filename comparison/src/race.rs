//! Engines side by side on one scene, a few steps each in turn, so that what disturbs the machine disturbs all.

use crate::description::Description;
use crate::energy::{Balance, Books, share_at_rest};
use crate::engine::{Contestant, Engine};
use crate::judge::Judge;
use prall_math::Pose;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Looks at the energy in a turn.
const LOOKS_AT_ENERGY: usize = 4;

/// How long a race is.
#[derive(Clone, Copy)]
pub struct Distance {
    /// Steps in all.
    pub steps: usize,
    /// Steps in one turn.
    pub turn: usize,
    /// An engine that has computed so long stops where it is.
    pub patience: Duration,
}

/// What came of one engine.
pub struct Outcome {
    /// The engine's name.
    pub name: &'static str,
    /// Why it did not take part or stopped.
    pub trouble: Option<String>,
    /// Steps that it made.
    pub steps: usize,
    /// Mean time of a step in ms; of the last half, where things have begun to touch.
    pub milliseconds: f64,
    /// 99th percentile of overlaps, the worst of all turns, in m.
    pub overlap_p99: f64,
    /// Deepest overlap of all turns in m.
    pub overlap_deepest: f64,
    /// Largest joint error of all turns in m.
    pub joint_error: f64,
    /// What came of the energy.
    pub energy: Option<Balance>,
    /// Share of the bodies at rest, mean over the looks of the last half.
    pub at_rest: f64,
    /// Poses at the end.
    pub poses: Vec<Pose>,
}

struct Runner {
    engine: Option<Box<dyn Engine>>,
    times: Vec<(usize, Duration)>,
    spent: Duration,
    books: Books,
    /// By look: the share of bodies at rest.
    rests: Vec<f64>,
    outcome: Outcome,
}

impl Runner {
    fn new(scene: &Description, contestant: &Contestant) -> Result<Runner, String> {
        let (engine, trouble) = match (contestant.open)(scene) {
            Ok(engine) => (Some(engine), None),
            Err(trouble) => (None, Some(trouble)),
        };
        let poses = scene.bodies.iter().map(|body| body.pose).collect();
        let outcome = Outcome {
            name: contestant.name,
            trouble,
            steps: 0,
            milliseconds: 0.0,
            overlap_p99: 0.0,
            overlap_deepest: 0.0,
            joint_error: 0.0,
            energy: None,
            at_rest: 0.0,
            poses,
        };
        let books = Books::new(scene)?;
        Ok(Runner { engine, times: Vec::new(), spent: Duration::ZERO, books, rests: Vec::new(), outcome })
    }

    fn turn(&mut self, scene: &Description, steps: usize, judge: &Judge, patience: Duration) {
        let mut left = steps;
        // Energy is looked at more often than overlaps: a rise may be over soon.
        let most = steps.div_ceil(LOOKS_AT_ENERGY);
        while left > 0 && self.engine.is_some() {
            let chunk = self.fitting(left.min(most));
            left -= chunk;
            self.advance(chunk);
            self.enter();
            if self.spent > patience {
                left = 0;
            }
        }
        self.look(scene, judge);
        if self.spent > patience {
            self.stop("stopped: too slow");
        }
    }

    /// As many steps as take half a second by what the last ones took, so that patience is asked now and then.
    fn fitting(&self, left: usize) -> usize {
        let one = self.times.last().map_or(Duration::MAX, |(steps, time)| *time / *steps as u32);
        let fit = 0.5 / one.as_secs_f64().max(1e-9);
        (fit as usize).clamp(1, left)
    }

    fn advance(&mut self, steps: usize) {
        let Some(engine) = &mut self.engine else { return };
        match engine.steps(steps) {
            Ok(time) => {
                self.times.push((steps, time));
                self.spent += time;
                self.outcome.steps += steps;
            }
            Err(trouble) => self.give_up(&trouble),
        }
    }

    /// Takes down the energy of this moment.
    fn enter(&mut self) {
        let Some(engine) = &mut self.engine else { return };
        match engine.states() {
            Ok(states) => self.books.enter(&states),
            Err(trouble) => self.give_up(&trouble),
        }
    }

    /// Takes down what is wrong with the poses of this moment.
    fn look(&mut self, scene: &Description, judge: &Judge) {
        let Some(engine) = &mut self.engine else { return };
        let states = match engine.states() {
            Ok(states) => states,
            Err(trouble) => return self.give_up(&trouble),
        };
        self.rests.push(share_at_rest(scene, &states));
        let poses: Vec<Pose> = states.iter().map(|state| state.pose).collect();
        let Some(report) = judge.judge(&poses) else {
            return self.stop("poses are no numbers any more");
        };
        let worst = &mut self.outcome;
        worst.overlap_p99 = worst.overlap_p99.max(report.penetration_p99);
        worst.overlap_deepest = worst.overlap_deepest.max(report.penetration_max);
        worst.joint_error = worst.joint_error.max(report.position_error_max);
        worst.poses = poses;
    }

    /// An engine that does not answer has no time: what it took before the silence says nothing.
    fn give_up(&mut self, why: &str) {
        self.stop(why);
        self.outcome.steps = 0;
    }

    fn stop(&mut self, why: &str) {
        self.engine = None;
        self.outcome.trouble = Some(why.to_owned());
    }

    fn finish(mut self) -> Outcome {
        let first = self.outcome.steps / 2;
        let mut done = 0;
        let (mut steps, mut time) = (0, Duration::ZERO);
        for (count, taken) in &self.times {
            done += count;
            if done > first {
                steps += count;
                time += *taken;
            }
        }
        let late = &self.rests[self.rests.len() / 2..];
        self.outcome.at_rest = late.iter().sum::<f64>() / late.len().max(1) as f64;
        self.outcome.energy = self.books.close();
        self.outcome.milliseconds = time.as_secs_f64() * 1e3 / steps.max(1) as f64;
        self.outcome
    }
}

/// Lets all run. Progress goes to the standard error.
pub fn race(
    scene: &Description,
    contestants: &[Contestant],
    distance: Distance,
) -> Result<Vec<Outcome>, String> {
    let begin = Instant::now();
    let judge = Judge::new(scene)?;
    let mut runners: Vec<Runner> =
        contestants.iter().map(|contestant| Runner::new(scene, contestant)).collect::<Result<_, _>>()?;
    let turns = distance.steps.div_ceil(distance.turn);
    for turn in 0..turns {
        if std::io::stderr().is_terminal() {
            eprint!("\r{}: {:3} %  ", scene.name, 100 * turn / turns);
        }
        for runner in &mut runners {
            runner.turn(scene, distance.turn, &judge, distance.patience);
        }
    }
    eprintln!("\r{}: done after {:.0} s", scene.name, begin.elapsed().as_secs_f64());
    Ok(runners.into_iter().map(Runner::finish).collect())
}
