//! A thousand random runs: start, ice, hands, setup and track vary widely, and every run must end as a run.
//!
//! `make soak`, or for fewer: `PRALL_BOB_RUNS=40 cargo test --release -p prall-bob --test soak -- --ignored --nocapture`.
//! A run's seed is its number, from `PRALL_BOB_FIRST` (0) on, and every run is told when it ends: a soak that is cut short can go on.

use prall_bob::pilot::{PilotOptions, Plan, PlanOptions};
use prall_bob::run::{Conditions, Course, Run, RunResult, Start, even_number};
use prall_bob::sled::{Setup, TWO_MAN};
use prall_bob::track::{Ice, PointMassStart, Track};

/// Deepest that a tip may be behind the ice, in m. A sled that falls on its rim with 10 m/s moves 2 mm a step.
const DEEPEST: f64 = 0.02;
/// Share of the steps that may end at the limit of sweeps: those of hard crashes.
const UNSETTLED: f64 = 1e-3;

fn course(name: &str) -> Course {
    let track = Track::open(name, "standard").unwrap();
    let ice = Ice::new(&track);
    let plan = Plan::new(&track, &ice, PointMassStart::Pushed, PlanOptions::default());
    Course { track, ice, plan }
}

fn random_run(courses: &[Course], seed: u64) -> (String, RunResult) {
    let mut state = seed;
    let mut within = |low: f64, high: f64| low + (high - low) * even_number(&mut state);
    let course = &courses[within(0.0, 1.999) as usize];
    let flying = within(0.0, 1.0) < 0.5;
    let start = if flying { Start::Flying(within(3.0, 25.0)) } else { Start::Pushed(within(0.6, 1.4)) };
    let conditions = Conditions {
        start,
        offset: within(-0.25, 0.25),
        tremor: within(0.0, 0.03),
        seed: seed.wrapping_mul(7),
    };
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let (along, share, [low, high]) = setup.runner_friction();
    let across = within(0.4, 1.6);
    let mut setup = setup.with_restitution(within(0.0, 0.8)).with_runner_friction(
        along,
        share,
        [low * across, high * across],
    );
    setup.glide = within(0.5, 2.0);
    let about = format!(
        "seed {seed} on {}: {conditions:?}, glide {}, across {across}",
        course.track.name(),
        setup.glide
    );
    (about, Run::new(course, &setup, PilotOptions::default(), conditions).unwrap().finish())
}

/// What is wrong with a run: it ends neither way, a number is none, it escaped through the ice, or the solver was stuck.
fn fault(run: &RunResult) -> Option<String> {
    let unsettled = run.unsettled as f64 / run.steps as f64;
    if !run.finite {
        Some("a number is none".to_owned())
    } else if run.time.is_none() && run.crash.is_none() {
        Some("neither finished nor crashed".to_owned())
    } else if !(run.deepest < DEEPEST) {
        Some(format!("{} m behind the ice", run.deepest))
    } else if !(unsettled < UNSETTLED) {
        Some(format!("{unsettled} of the steps unsettled"))
    } else {
        None
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Each finishes or crashes; none with a number that is none, an escape through the ice or a solver that is stuck.
#[test]
#[ignore = "a thousand runs; run by `make soak`"]
fn soak_random_runs_finish_or_crash() {
    use rayon::prelude::*;
    let (first, count) = (number("PRALL_BOB_FIRST", 0), number("PRALL_BOB_RUNS", 1000));
    let courses = [course("whistler-like"), course("sochi-like")];
    let runs = (first..first + count).into_par_iter().map(|seed| {
        let (about, run) = random_run(&courses, seed);
        let end = match (run.time, run.crash) {
            (Some(time), _) => format!("{time:.3} s"),
            (None, Some(crash)) => format!("crash at {:.0} m ({:?})", crash.s, crash.cause),
            (None, None) => "neither".to_owned(),
        };
        let unsettled = run.unsettled as f64 / run.steps as f64;
        println!("{about}: {end}, deepest {:.5} m, unsettled {unsettled:.1e}", run.deepest);
        (about, run)
    });
    let runs: Vec<(String, RunResult)> = runs.collect();
    let faults: Vec<String> = runs
        .iter()
        .filter_map(|(about, run)| fault(run).map(|fault| format!("{about}: {fault}: {run:?}")))
        .collect();
    let finished = runs.iter().filter(|(_, run)| run.time.is_some()).count();
    let deepest = runs.iter().map(|(_, run)| run.deepest).fold(0.0, f64::max);
    let unsettled = runs.iter().map(|(_, run)| run.unsettled as f64 / run.steps as f64).fold(0.0, f64::max);
    println!(
        "{count} runs: {finished} finished, {} crashed, deepest {deepest} m, unsettled at most {unsettled}",
        count as usize - finished
    );
    assert!(faults.is_empty(), "{} of {count} runs:\n{}", faults.len(), faults.join("\n"));
}
