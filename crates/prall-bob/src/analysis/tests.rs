use glam::DVec3;

use super::{AnalysisError, Cause, Driven, Line, Point, arcs, coach};
use crate::pilot::{PilotOptions, Plan, PlanOptions};
use crate::record::{About, Record, Sample};
use crate::run::{Conditions, Course, Crash, CrashCause, Hit, HitSide, Run, RunResult};
use crate::sled::{Setup, TWO_MAN};
use crate::track::{Curve, Ground, Ice, PointMassStart, Track};

/// A run that nobody drove: its station is a function of time, on the floor of the track in the middle.
fn synthetic(track: &Track, station: impl Fn(f64) -> f64, speed: f64, height: f64) -> Record {
    let samples = (0..2000).map(|i| {
        let t = 0.01 * f64::from(i);
        let s = station(t);
        let at = track.course(s);
        let (found, beside) = track.project(at.position + DVec3::Y * height, s);
        Sample {
            t,
            s: found,
            left: beside.x,
            height: beside.y,
            velocity: DVec3::X * speed,
            ..Sample::default()
        }
    });
    Record {
        about: About::default(),
        clock_zero: Some(1.0),
        result: RunResult {
            splits: Vec::new(),
            time: None,
            top_speed: speed,
            largest_load: 1.0,
            bumper_hits: 0,
            hits: Vec::new(),
            crash: None,
            rest: 0.0,
            simulated: 20.0,
            steps: 0,
            sweeps: 0,
            unsettled: 0,
            deepest: 0.0,
            finite: true,
            hash: 0,
        },
        joints: Vec::new(),
        contacts: Vec::new(),
        samples: samples.collect(),
    }
}

/// Two runs of constant speed: at s the slower one is behind by `s / v1 - s / v2`.
#[test]
fn the_time_difference_of_two_even_runs_is_that_of_their_speeds() {
    let track = Track::open("whistler-like", "standard").unwrap();
    let slow = synthetic(&track, |t| 20.0 * (t - 1.0), 20.0, 0.0);
    let fast = synthetic(&track, |t| 25.0 * (t - 1.0), 25.0, 0.0);
    let slow = Line::new(&slow, track.finish(), 1.0).unwrap();
    let fast = Line::new(&fast, track.finish(), 1.0).unwrap();
    let differences = slow.less(&fast).unwrap();
    assert!(differences.len() > 370);
    for difference in differences {
        let expected = difference.s / 20.0 - difference.s / 25.0;
        // Projection finds a station to 1e-9 m where it can: the square of a distance is flat to 1e-7 m around its least place.
        assert!((difference.time - expected).abs() < 1e-7, "{difference:?}");
        assert!((difference.speed + 5.0).abs() < 1e-12);
        assert!(difference.height.abs() < 1e-7 && difference.left.abs() < 1e-7);
    }
}

/// The nearest place by brute force over the whole course, a millimetre apart, is no nearer than the one that is found.
#[test]
fn projection_finds_the_nearest_place_of_the_whole_course() {
    let track = Track::open("sochi-like", "standard").unwrap();
    for (s, left, height) in [(35.0, 0.5, 0.3), (150.0, -1.8, 1.4), (321.0, 2.4, 2.2), (1415.0, -2.5, 2.0)] {
        let at = track.course(s);
        let point = at.position + at.left() * left + DVec3::Y * height;
        let (found, beside) = track.project(point, s + 6.0);
        let distance = |s: f64| track.course(s).position.distance(point);
        let coarse =
            (0..15_000).map(|i| 0.1 * f64::from(i)).min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
        let coarse = coarse.unwrap();
        let fine = (-200..=200).map(|i| coarse + 0.001 * f64::from(i));
        let best = fine.min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap();
        assert!((found - best).abs() <= 0.001, "{found} {best}");
        assert!(distance(found) <= distance(best) + 1e-12);
        // What is left of the vector to the point has no part along the course.
        let at = track.course(found);
        let away = point - at.position;
        assert!(away.dot(at.ahead()).abs() < 1e-6, "{}", away.dot(at.ahead()));
        assert!((beside.x - away.dot(at.left())).abs() < 1e-12 && (beside.y - away.y).abs() < 1e-12);
    }
}

#[test]
fn a_crash_ends_the_line() {
    let track = Track::open("whistler-like", "standard").unwrap();
    let mut record = synthetic(&track, |t| 20.0 * (t - 1.0), 20.0, 0.0);
    // Five metres behind the first curve.
    let s = track.curves().next().unwrap().stations.1 + 5.0;
    record.result.crash = Some(Crash { s, time: s / 20.0, cause: CrashCause::OnItsSide });
    let line = Line::new(&record, track.finish(), 1.0).unwrap();
    let last = line.points.last().unwrap();
    assert!(last.s <= s && last.s > s - 2.0, "{last:?}");
    assert_eq!(line.curves(&track).iter().map(|curve| curve.number).collect::<Vec<_>>(), [1]);
}

#[test]
fn a_run_without_a_start_has_no_line() {
    let track = Track::open("whistler-like", "standard").unwrap();
    let mut record = synthetic(&track, |t| t - 30.0, 1.0, 0.0);
    assert_eq!(Line::new(&record, track.finish(), 1.0), Err(AnalysisError::TooShort));
    record.clock_zero = None;
    assert_eq!(Line::new(&record, track.finish(), 1.0), Err(AnalysisError::NoStart));
}

/// Curve 1 turns left: who is on the right of the course is outside.
#[test]
fn the_outside_of_a_curve_is_the_other_side_of_its_turn() {
    let track = Track::open("whistler-like", "standard").unwrap();
    let mut record = synthetic(&track, |t| 20.0 * (t - 1.0), 20.0, 0.0);
    record.samples.iter_mut().for_each(|sample| sample.left = -0.3);
    let line = Line::new(&record, track.finish(), 1.0).unwrap();
    let curves = line.curves(&track);
    assert_eq!((curves[0].side, curves[1].side), ("left", "right"));
    assert!((curves[0].entry.outside - 0.3).abs() < 1e-12);
    assert!((curves[1].entry.outside + 0.3).abs() < 1e-12);
    // Constant speed: the time of a curve is its length over it.
    assert!((curves[0].time - (curves[0].end - curves[0].begin) / 20.0).abs() < 1e-6);
}

#[test]
fn arcs_are_counted_by_their_crests() {
    let wave = |waves: f64, size: f64| -> Vec<f64> {
        (0..=200)
            .map(|i| size * (1.0 - libm::cos(f64::from(i) / 200.0 * waves * std::f64::consts::TAU)))
            .collect()
    };
    assert_eq!(arcs(&wave(1.0, 1.0)), 1);
    assert_eq!(arcs(&wave(2.0, 1.0)), 2);
    assert_eq!(arcs(&wave(3.0, 0.5)), 3);
    // It climbs to the end and is still up there.
    assert_eq!(arcs(&wave(0.5, 1.0)), 1);
    // A ripple is no arc.
    assert_eq!(arcs(&wave(4.0, 0.05)), 0);
}

/// A wave of known frequency: the filter of first order, there and back, leaves 1 / (1 + (f / f0)^2) of it, in phase.
#[test]
fn a_low_pass_leaves_its_share_of_a_wave_in_phase() {
    for frequency in [0.5, 2.0, 8.0] {
        let wave = |i: usize| libm::sin(2.0 * std::f64::consts::PI * frequency * 0.01 * i as f64);
        let values: Vec<f64> = (0..4000).map(wave).collect();
        let slow = super::low_passed(&values, 2.0, 0.01);
        let share = 1.0 / (1.0 + libm::pow(frequency / 2.0, 2.0));
        for (i, &value) in slow.iter().enumerate().take(2500).skip(1500) {
            // Sampled a hundred times a second the filter is not quite the continuous one: 4 % at 8 Hz.
            assert!((value - share * wave(i)).abs() < 0.05 * share + 0.005, "{frequency} {i} {value}");
        }
    }
}

/// The whole track by the pilot (Fig. 5.7 of the source): torques alternate in nearly all curves, first up the wall, last down.
#[test]
fn the_steering_turns_up_at_entries_and_down_at_exits() {
    let track = Track::open("whistler-like", "standard").unwrap();
    let ice = Ice::new(&track);
    let plan = Plan::new(&track, &ice, PointMassStart::Pushed, PlanOptions::default());
    let course = Course { track, ice, plan };
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let run = Run::new(&course, &setup, PilotOptions::default(), Conditions::default()).unwrap();
    let record = Record::take(run, &setup, About::default());
    let torques = super::steering_torque(&record, &course.track);
    assert_eq!(torques.len(), 16);
    for torque in &torques {
        println!("{torque:?}");
    }
    assert!(torques.iter().filter(|torque| torque.peaks.len() > 1).count() >= 15, "{torques:?}");
    let curves: Vec<Curve> = course.track.curves().collect();
    let good = torques.iter().filter(|torque| torque.turns_up_and_down(curves[torque.number - 1].stations));
    assert!(good.count() >= 12, "{torques:?}");
    // Calibrated to the race, and to be so: within 0.6 % at every light barrier.
    for (split, race) in record.result.splits.iter().zip(&course.track.timing().race) {
        assert!(((race - split.time) / race).abs() < 0.006, "{split:?} {race}");
    }
    assert_eq!(record.result.splits.len(), 6);
}

/// A constructed run at 25 m/s: `slower` is the speed in m/s that it lacks over a stretch, `left` where it is across.
fn constructed(stretch: (f64, f64), slower: f64, left: impl Fn(f64) -> f64, hits: Vec<Hit>) -> Driven {
    let pace = |s: f64| 25.0 - if s >= stretch.0 && s < stretch.1 { slower } else { 0.0 };
    let mut time = 0.0;
    let points = (0..=1450).map(|i| {
        let s = f64::from(i);
        let point = Point { s, time, speed: pace(s), left: left(s), load: 1.0, ..Point::default() };
        time += 1.0 / pace(s);
        point
    });
    Driven { line: Line { points: points.collect() }, hits, crash: None }
}

/// The coach names the curve, the cause and the time of runs that were made to have one fault each.
#[test]
fn the_coach_finds_a_late_entry_and_a_hit_with_the_time_that_they_cost() {
    let track = Track::open("whistler-like", "standard").unwrap();
    let curves: Vec<Curve> = track.curves().collect();
    let reference = constructed((0.0, 0.0), 0.0, |_| 0.0, Vec::new());
    assert!(coach(&reference, &reference, &track).is_empty());

    // 30 m at 20 instead of 25 m/s in the middle of curve 4: 30 / 20 - 30 / 25 = 0.3 s.
    let (begin, _) = curves[3].stations;
    let inside = 0.4 * curves[3].side.sign();
    let late = constructed(
        ((begin + 10.0).ceil(), (begin + 10.0).ceil() + 30.0),
        5.0,
        |s| if (s - begin).abs() < 5.0 { inside } else { 0.0 },
        Vec::new(),
    );
    let advice = coach(&late, &reference, &track);
    assert_eq!((advice.len(), advice[0].curve), (1, 4));
    assert!((advice[0].lost - 0.3).abs() < 1e-9, "{advice:?}");
    let [Cause::LateEntry { inside }] = advice[0].causes[..] else { panic!("{advice:?}") };
    assert!((inside - 0.4).abs() < 1e-9);
    assert!(
        advice[0].in_words().contains("0.30 s lost; late entry, 0.40 m further inside"),
        "{}",
        advice[0].in_words()
    );

    // A wall at 380 m: 20 m at 24 instead of 25 m/s.
    let hit = Hit {
        s: 380.0,
        time: 15.2,
        side: HitSide::Right,
        bumper: "bumper_1".to_owned(),
        ground: Ground::Ice,
        normal_speed: 1.2,
        lost: 1.0,
    };
    let wall = constructed((380.0, 400.0), 1.0, |_| 0.0, vec![hit]);
    let advice = coach(&wall, &reference, &track);
    let within = curves.iter().rev().find(|curve| curve.stations.0 <= 380.0).unwrap();
    assert_eq!(advice[0].curve, within.number);
    let lost: f64 = advice.iter().map(|advice| advice.lost).sum();
    assert!((lost - (20.0 / 24.0 - 20.0 / 25.0)).abs() < 1e-9, "{advice:?}");
    assert!(matches!(advice[0].causes[0], Cause::Hit { s: 380.0, side: HitSide::Right, .. }), "{advice:?}");

    // A run that only comes slower is told so, and one that crashes is told that first.
    let slow = constructed((0.0, 1500.0), 1.0, |_| 0.0, Vec::new());
    let advice = coach(&slow, &reference, &track);
    assert!(
        advice.iter().all(|advice| matches!(advice.causes[..], [Cause::Carried { slower: 1.0 }])),
        "{advice:?}"
    );
    let mut crashed = wall;
    crashed.line.points.truncate(900);
    crashed.crash = Some(Crash { s: 899.5, time: 36.0, cause: CrashCause::RolledOver });
    assert!(matches!(coach(&crashed, &reference, &track)[0].causes[0], Cause::Crash { s: 899.5 }));
}
