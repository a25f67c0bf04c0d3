//! The gentle track lets everybody down: hands off, keys pressed at random, and a model of a beginner, whom whistler-like throws off.

use prall_bob::pilot::{Beginner, BeginnerOptions, PilotOptions, Plan, PlanOptions};
use prall_bob::run::{Conditions, Course, Hands, Run, RunResult, Start, even_number};
use prall_bob::sled::{Setup, TWO_MAN};
use prall_bob::track::{Ice, PointMassStart, Track};
use rayon::prelude::*;

fn course(name: &str) -> Course {
    let track = Track::open(name, "standard").unwrap();
    let ice = Ice::new(&track);
    let plan = Plan::new(&track, &ice, PointMassStart::Pushed, PlanOptions::default());
    Course { track, ice, plan }
}

/// Pushes of 80 to 120 % and starts within 0.15 m of the middle.
fn start<'c>(course: &'c Course, seed: u64) -> (Run<'c>, f64) {
    let mut state = seed.wrapping_mul(977).wrapping_add(5);
    let share = 0.8 + 0.4 * even_number(&mut state);
    let offset = 0.3 * even_number(&mut state) - 0.15;
    let conditions = Conditions { start: Start::Pushed(share), offset, tremor: 0.0, seed };
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    (Run::new(course, &setup, PilotOptions::default(), conditions).unwrap(), share)
}

/// The crew pushes with its share and brakes behind the finish; `steering` is asked every 10 ms.
fn drive(course: &Course, seed: u64, mut steering: impl FnMut() -> f64) -> RunResult {
    let (mut run, share) = start(course, seed);
    loop {
        let push = if run.station() > course.track.runout().s_begin { -1.0 } else { share };
        if !run.look_by(&Hands::Own { steering: steering(), push }) {
            return run.into_result();
        }
    }
}

/// A key of the left, of the right or none, held for 0.1 to 1 s, to the stop of the steering.
fn random_keys(course: &Course, seed: u64) -> RunResult {
    let (mut state, mut held, mut looks) = (seed, 0.0, 0);
    drive(course, seed, || {
        if looks == 0 {
            held = (3.0 * even_number(&mut state)).floor() - 1.0;
            looks = 10 + (90.0 * even_number(&mut state)) as u32;
        }
        looks -= 1;
        held * 10.0_f64.to_radians()
    })
}

fn hands_off(course: &Course, seed: u64) -> RunResult {
    drive(course, seed, || 0.0)
}

fn beginner(course: &Course, seed: u64) -> RunResult {
    let (run, _) = start(course, seed);
    Beginner::new(BeginnerOptions::default(), seed, run.station()).drive(run)
}

fn finished(seeds: std::ops::Range<u64>, run: impl Fn(u64) -> RunResult + Send + Sync) -> usize {
    let runs: Vec<RunResult> = seeds.into_par_iter().map(run).collect();
    for run in &runs {
        assert!(run.finite && (run.time.is_some() || run.crash.is_some()), "{run:?}");
    }
    runs.iter().filter(|run| run.time.is_some()).count()
}

#[test]
fn the_gentle_track_lets_everybody_down() {
    let course = course("meadow-run");
    assert_eq!(finished(0..1, |seed| hands_off(&course, seed)), 1);
    assert_eq!(finished(0..2, |seed| random_keys(&course, seed)), 2);
    assert_eq!(finished(0..2, |seed| beginner(&course, seed)), 2);
}

/// Of ten beginners at least five crash in the soak; of three here at least two.
#[test]
fn whistler_like_throws_beginners_off() {
    let course = course("whistler-like");
    assert!(finished(0..3, |seed| beginner(&course, seed)) <= 1);
}

#[test]
#[ignore = "two hundred and twenty runs; run by `make soak`"]
fn soak_everybody_comes_down_the_gentle_track() {
    let (gentle, fast) = (course("meadow-run"), course("whistler-like"));
    let counts = [
        finished(0..100, |seed| hands_off(&gentle, seed)),
        finished(0..100, |seed| random_keys(&gentle, seed)),
        finished(0..10, |seed| beginner(&gentle, seed)),
        finished(0..10, |seed| beginner(&fast, seed)),
    ];
    println!(
        "hands off, random keys, beginners on meadow-run; beginners on whistler-like: {counts:?} finished"
    );
    assert_eq!(counts[..2], [100, 100]);
    assert!(counts[2] >= 9 && counts[3] <= 5, "{counts:?}");
}
