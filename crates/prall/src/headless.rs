//! Running a simulation without a window, and the summary of it.

use crate::journal::Step;
use crate::recording::{CutShort, Recorder};
use prall_scenes::{AuditReport, Budget, Input, Simulation};
use serde::Serialize;
use std::time::{Duration, Instant};
use thiserror::Error;

/// How long and how fast to run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Simulated seconds.
    pub seconds: f64,
    /// Most time that a step may take.
    pub budget: Option<Duration>,
    /// Let the auditor judge the poses, ten times a simulated second and at the end. Its time is not the steps' time.
    pub audit: bool,
}

/// Simulated seconds of a scene that does not say for how long it was meant.
pub const DEFAULT_SECONDS: f64 = 10.0;

/// Audits per simulated second.
const AUDITS: f64 = 10.0;

/// Why a run could not begin or go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// Not a duration.
    #[error("the simulated time must be a number of seconds from 0 to 1e5, not {0}")]
    BadSeconds(f64),
}

impl Options {
    /// How many steps of this length the run has.
    pub fn steps(&self, time_step: f64) -> Result<u64, RunError> {
        if (0.0..=1e5).contains(&self.seconds) {
            Ok((self.seconds / time_step).round() as u64)
        } else {
            Err(RunError::BadSeconds(self.seconds))
        }
    }
}

/// Distribution of the time per step, in ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct StepTimes {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 99 of 100 steps are at most this.
    pub p99: f64,
    /// Largest.
    pub max: f64,
}

impl StepTimes {
    pub(crate) fn of(mut times: Vec<f32>) -> StepTimes {
        if times.is_empty() {
            return StepTimes::default();
        }
        times.sort_by(f32::total_cmp);
        let at = |share: f64| f64::from(times[((times.len() - 1) as f64 * share).round() as usize]);
        let mean = times.iter().map(|t| f64::from(*t)).sum::<f64>() / times.len() as f64;
        StepTimes { mean, p50: at(0.5), p99: at(0.99), max: at(1.0) }
    }
}

/// What the auditor, which shares no code with detection and solvers, found during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Audit {
    /// How often it looked.
    pub audits: usize,
    /// Deepest overlap of all, in m.
    pub penetration_max: f64,
    /// Largest 99th percentile over the overlaps of one look, in m.
    pub penetration_p99: f64,
    /// Most pairs of bodies that overlapped at one time.
    pub overlaps_max: usize,
    /// Deepest overlap at the end, in m.
    pub penetration_end: f64,
}

impl Audit {
    fn take(&mut self, report: &AuditReport) {
        self.audits += 1;
        self.penetration_max = self.penetration_max.max(report.penetration_max);
        self.penetration_p99 = self.penetration_p99.max(report.penetration_p99);
        self.overlaps_max = self.overlaps_max.max(report.overlaps.len());
        self.penetration_end = report.penetration_max;
    }
}

/// What a run did, as `prall run --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Name of the scene.
    pub scene: String,
    /// Name of the solver.
    pub solver: String,
    /// Simulated time in s.
    pub seconds_simulated: f64,
    /// Time steps taken.
    pub steps: u64,
    /// Time per step in ms.
    pub step_ms: StepTimes,
    /// Simulated time over time.
    pub real_time_factor: f64,
    /// Bodies in the scene.
    pub bodies: usize,
    /// Joints in the scene.
    pub joints: usize,
    /// Most contacts in a step.
    pub contacts_max: usize,
    /// Mean number of contacts.
    pub contacts_mean: f64,
    /// Most collisions in a step.
    pub collisions_max: usize,
    /// Mean number of collisions in a step.
    pub collisions_mean: f64,
    /// Most sweeps that a step took.
    pub sweeps_max: usize,
    /// Mean number of sweeps of a step.
    pub sweeps_mean: f64,
    /// Longest time that finding the percussions of a step took, in ms.
    pub solve_ms_max: f64,
    /// Mean time of that, in ms.
    pub solve_ms_mean: f64,
    /// Largest position error that a step reported, in m.
    pub position_error_max: f64,
    /// Largest velocity error that a step reported, in m/s.
    pub velocity_error_max: f64,
    /// Deepest overlap in m: what the auditor found where it was asked, otherwise what steps reported.
    pub penetration_max: f64,
    /// What the auditor found; none if it was not asked or the scene has nothing to judge.
    pub audit: Option<Audit>,
    /// Simulated time that was not carried out, for want of budget or because somebody stood in the way, in s.
    pub lost_time: f64,
    /// Energy at the start in J.
    pub energy_start: f64,
    /// Energy at the end in J.
    pub energy_end: f64,
    /// Largest rise of the bodies' energy in a step that no load, hand, drive or given motion worked for, in J; 0 if there was none, and in scenes that keep no
    /// account.
    pub energy_gained_max: f64,
    /// Largest change of the bodies' energy in a step that no term of the account explains, in J.
    pub energy_unexplained_max: f64,
    /// Energy in J that steps took back because nothing had paid for it.
    pub energy_clamped: f64,
    /// Hash of the bits of all body states: equal runs have equal hashes.
    pub state_hash: String,
    /// False if a state was no longer a number.
    pub finite: bool,
}

/// Runs a simulation, records it if wanted, and sums it up; `progress` is told the number of steps done now and then. If the recording cannot be written any
/// longer it ends, and the run goes on.
pub fn run(
    scene: &str,
    simulation: &mut dyn Simulation,
    options: &Options,
    mut recorder: Option<Recorder>,
    mut progress: impl FnMut(u64),
) -> Result<(Summary, Option<CutShort>), RunError> {
    let steps = options.steps(simulation.time_step())?;
    let mut summary = Summary {
        scene: scene.to_owned(),
        solver: simulation.solver().to_owned(),
        seconds_simulated: 0.0,
        steps: 0,
        step_ms: StepTimes::default(),
        real_time_factor: 0.0,
        bodies: simulation.assets().bodies.len(),
        joints: simulation.joint_count(),
        contacts_max: 0,
        contacts_mean: 0.0,
        collisions_max: 0,
        collisions_mean: 0.0,
        sweeps_max: 0,
        sweeps_mean: 0.0,
        solve_ms_max: 0.0,
        solve_ms_mean: 0.0,
        position_error_max: 0.0,
        velocity_error_max: 0.0,
        penetration_max: 0.0,
        audit: None,
        lost_time: 0.0,
        energy_start: simulation.energy().total(),
        energy_end: 0.0,
        energy_gained_max: 0.0,
        energy_unexplained_max: 0.0,
        energy_clamped: 0.0,
        state_hash: String::new(),
        finite: true,
    };
    let mut times = Vec::new();
    let (mut contacts, mut collisions, mut sweeps) = (0, 0, 0);
    let mut solving = Duration::ZERO;
    let mut told = Instant::now();
    let mut cut = None;
    for step in 0..steps {
        let begin = Instant::now();
        let mut budget = Budget::unlimited();
        if let Some(limit) = options.budget {
            budget = budget.until(begin + limit);
        }
        let taken = Step::first(simulation, Input::default(), &mut budget);
        let busy = begin.elapsed();
        times.push(busy.as_secs_f32() * 1000.0);
        if let Some(mut recording) = recorder.take() {
            match recording.step(taken, simulation, busy) {
                Ok(()) => recorder = Some(recording),
                Err(error) => cut = Some(recording.cut_short(error)),
            }
        }
        let report = simulation.report();
        contacts += report.contacts;
        collisions += report.collisions;
        sweeps += report.sweeps;
        solving += report.phases.solve;
        summary.contacts_max = summary.contacts_max.max(report.contacts);
        summary.collisions_max = summary.collisions_max.max(report.collisions);
        summary.sweeps_max = summary.sweeps_max.max(report.sweeps);
        summary.solve_ms_max = summary.solve_ms_max.max(report.phases.solve.as_secs_f64() * 1e3);
        summary.position_error_max = summary.position_error_max.max(report.position_error);
        summary.velocity_error_max = summary.velocity_error_max.max(report.velocity_error);
        summary.lost_time += report.lost_time;
        summary.energy_gained_max = summary.energy_gained_max.max(report.energy.gained());
        summary.energy_unexplained_max = summary.energy_unexplained_max.max(report.energy.unexplained.abs());
        summary.energy_clamped -= report.energy.clamped;
        summary.steps = step + 1;
        let every = (1.0 / (AUDITS * simulation.time_step())).round().max(1.0) as u64;
        if options.audit
            && ((step + 1).is_multiple_of(every) || step + 1 == steps)
            && let Some(report) = simulation.audit()
        {
            summary.audit.get_or_insert_default().take(&report);
        }
        if !simulation.is_finite() {
            summary.finite = false;
            break;
        }
        if told.elapsed() > Duration::from_millis(50) {
            progress(step + 1);
            told = Instant::now();
        }
    }
    summary.seconds_simulated = simulation.time();
    summary.penetration_max = summary.audit.map_or(summary.position_error_max, |audit| audit.penetration_max);
    let count = summary.steps.max(1) as f64;
    summary.contacts_mean = contacts as f64 / count;
    summary.collisions_mean = collisions as f64 / count;
    summary.sweeps_mean = sweeps as f64 / count;
    summary.solve_ms_mean = solving.as_secs_f64() * 1e3 / count;
    summary.step_ms = StepTimes::of(times);
    let busy = summary.step_ms.mean * summary.steps as f64 / 1000.0;
    summary.real_time_factor = if busy > 0.0 { summary.seconds_simulated / busy } else { 0.0 };
    summary.energy_end = simulation.energy().total();
    summary.state_hash = format!("{:016x}", simulation.hash());
    if let Some(recorder) = recorder {
        cut = recorder.finish(simulation).err();
    }
    Ok((summary, cut))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_runs_have_equal_hashes_and_other_runs_have_others() {
        let hash = |seconds| {
            let mut ball = prall_scenes::open("bouncing-ball").unwrap();
            let options = Options { seconds, budget: None, audit: false };
            run("bouncing-ball", ball.as_mut(), &options, None, |_| ()).unwrap().0.state_hash
        };
        assert_eq!(hash(0.5), hash(0.5));
        assert_ne!(hash(0.5), hash(0.6));
    }

    /// A pile that lands is looked at by somebody else than its solver.
    #[test]
    fn an_audited_run_tells_what_the_auditor_found() {
        let mut pyramid = prall_scenes::open("pyramid").unwrap();
        pyramid.set("layers", 3.0).unwrap();
        pyramid.set("gap", 0.1).unwrap();
        pyramid.reset();
        let options = Options { seconds: 1.0, budget: None, audit: true };
        let (summary, _) = run("pyramid", pyramid.as_mut(), &options, None, |_| ()).unwrap();
        let audit = summary.audit.unwrap();
        assert_eq!(audit.audits, 10);
        assert_eq!(summary.penetration_max, audit.penetration_max);
        assert!(audit.penetration_end < 1e-3, "{audit:?}");
        let blind = Options { audit: false, ..options };
        pyramid.reset();
        assert_eq!(run("pyramid", pyramid.as_mut(), &blind, None, |_| ()).unwrap().0.audit, None);
    }

    /// The counters by which Bender 2007 tells of his funnel: most and mean of contacts and collisions, longest and mean time of solving.
    #[test]
    fn a_run_counts_what_the_source_counts() {
        let mut funnel = prall_scenes::open("funnel").unwrap();
        funnel.set("cubes", 3.0).unwrap();
        funnel.set("step", 0.001).unwrap();
        funnel.reset();
        let options = Options { seconds: 1.5, budget: None, audit: false };
        let (summary, _) = run("funnel", funnel.as_mut(), &options, None, |_| ()).unwrap();
        for (most, mean) in [
            (summary.contacts_max as f64, summary.contacts_mean),
            (summary.collisions_max as f64, summary.collisions_mean),
            (summary.sweeps_max as f64, summary.sweeps_mean),
            (summary.solve_ms_max, summary.solve_ms_mean),
        ] {
            assert!(mean > 0.0 && most > mean, "{summary:?}");
        }
        assert!(summary.solve_ms_mean < summary.step_ms.mean);
    }

    #[test]
    fn step_times_are_ordered() {
        let times = StepTimes::of((0..1000).map(|i| i as f32).collect());
        assert_eq!((times.mean, times.p50, times.p99, times.max), (499.5, 500.0, 989.0, 999.0));
    }

    #[test]
    fn impossible_durations_are_refused() {
        for seconds in [-1.0, f64::NAN, f64::INFINITY, 1e6] {
            assert!(Options { seconds, budget: None, audit: false }.steps(0.01).is_err(), "{seconds}");
        }
    }
}
