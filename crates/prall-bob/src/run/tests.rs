use super::{Conditions, Course, Hands, Run, RunResult, STEP, Start};
use crate::pilot::{PilotOptions, Plan, PlanOptions};
use crate::sled::{Setup, TWO_MAN};
use crate::track::{Ice, PointMassStart, Track};

/// A slope of 8 % with a run-out that rises, straight and long enough for a start, a finish and a brake.
const SLOPE: &str = r#"
name = "slope"
description = "for tests"
[plan]
s0 = -40.0
s1 = 400.0
[[curve]]
c = 1
s_b = -40.0
s_c = 100.0
l_cl_en = 0.0
A2_en = 1.0
l_circ = 0.0
r_c = 100.0
l_cl_ex = 0.0
A2_ex = 1.0
s_e = 380.0
[height.standard]
s0 = -40.0
h0 = 0.0
row = [{ s_m = 205.0, m_en = -0.08, m_ex = 0.05, r_h = 400.0 }]
[section]
lead = 5.0
a0 = 1.2
a1 = 0.45
a_min = 1.4
a_max = 3.3
b_over_a = 0.8
theta_T_deg = 80.0
spacing = 0.5
[section.straight]
h_W = 0.7
r0 = 0.1
l_B = 0.6
b_T = 0.6
r1 = 0.1
eps_deg = 90.0
h_Z = 0.65
r2 = 10.0
h2 = 0.05
[section.curve]
h_W = 0.5
r0 = 0.1
l_B = 0.6
r1 = 3.0
eps_deg = 88.0
h_Z = 0.6
r2 = 4.0
h2 = 0.4
[timing]
stations = [50.0, 150.0]
[start]
s_block = -15.0
s_load = 34.0
push_vmax = 12.5
push_a0 = 3.0
v0 = 9.0
[runout]
s_begin = 160.0
mu_brake = 0.25
[point_mass]
rho = 1.12
cdA = 0.2052
mass = 390.0
mu = 0.004
[border]
roof_height = 0.6
roof_lean_deg = 25.0
roof_from_ng = 2.0
end_stop_length = 1.5
wall_height = 0.4
wall_length = 10.0
wall_from_ng = 3.0
"#;

pub(crate) fn course() -> Course {
    let track = Track::read("slope", SLOPE).unwrap();
    let ice = Ice::new(&track);
    let plan = Plan::new(&track, &ice, PointMassStart::Pushed, PlanOptions::default());
    Course { track, ice, plan }
}

fn run(course: &Course, conditions: Conditions) -> RunResult {
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    Run::new(course, &setup, PilotOptions::default(), conditions).unwrap().finish()
}

/// dv/dt = push + g sin - mu g cos - drag by hand, from the block to the finish.
#[test]
fn a_pushed_run_has_the_times_of_its_equation() {
    let result = run(&course(), Conditions::default());
    let (sine, cosine) = libm::sincos(libm::atan(0.08));
    let (mut s, mut v, mut time) = (-15.0, 0.0, 0.0);
    let mut zero = 0.0;
    let mut expected = Vec::new();
    while s < 150.0 {
        let push = if s < 34.0 { 3.0 * (1.0 - v / 12.5) } else { 0.0 };
        let drag = 0.5 * 1.12 * 0.2052 * v * v / 390.0;
        v += STEP * (push + 9.81 * (sine - 0.004 * cosine) - drag);
        let before = s;
        s += STEP * v * cosine;
        time += STEP;
        if before < 0.0 && s >= 0.0 {
            zero = time;
        }
        for station in [50.0, 150.0] {
            if before < station && s >= station {
                expected.push(time - zero);
            }
        }
    }
    assert_eq!(result.splits.len(), 2);
    for (split, expected) in result.splits.iter().zip(expected) {
        // Springs settle, the front axle is not the centre of mass, and the pilot steers a little: a hundredth.
        assert!((split.time - expected).abs() < 0.012, "{} {expected}", split.time);
    }
    assert!(result.crash.is_none() && result.finite && result.unsettled == 0);
}

/// The brake stops the sled before the track ends, and it stays on the ice all the way.
#[test]
fn a_braked_sled_stands_behind_the_finish() {
    let result = run(&course(), Conditions::default());
    assert!(result.rest > 150.0 && result.rest < 300.0, "{}", result.rest);
    assert!(result.deepest < 2e-3, "{}", result.deepest);
}

#[test]
fn the_same_run_twice_is_the_same_to_the_bit() {
    let course = course();
    let conditions = Conditions { start: Start::Flying(12.0), offset: 0.02, tremor: 0.002, seed: 7 };
    let first = run(&course, conditions);
    assert_eq!(first, run(&course, conditions));
    assert_ne!(first.hash, run(&course, Conditions { seed: 8, ..conditions }).hash);
}

/// A sled that lies on its side has crashed: its times end, the simulation goes on until it stands, on the ice.
#[test]
fn a_crash_ends_the_times_but_not_the_slide() {
    let course = course();
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let conditions = Conditions { start: Start::Flying(12.0), ..Conditions::default() };
    let mut run = Run::new(&course, &setup, PilotOptions::default(), conditions).unwrap();
    let frame = run.sled.frame();
    let on_its_side =
        frame * prall_math::Pose::new(glam::DQuat::from_rotation_z(1.6), glam::DVec3::new(0.35, 0.5, 0.0));
    run.sled.place(on_its_side, run.sled.velocity(), 0.0);
    let result = run.finish();
    assert!(result.crash.is_some() && result.time.is_none() && result.finite);
    assert!(result.rest > result.crash.unwrap().s + 5.0);
}

/// Saved in the middle of a look, restored into a fresh run: the end has the same bits.
#[test]
fn a_restored_run_goes_on_bit_by_bit() {
    let course = course();
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let conditions = Conditions { start: Start::Flying(12.0), offset: 0.02, tremor: 0.002, seed: 7 };
    let mut run = Run::new(&course, &setup, PilotOptions::default(), conditions).unwrap();
    for _ in 0..4321 {
        run.step(&Hands::Pilot);
    }
    let saved = run.save();
    let mut other = Run::new(&course, &setup, PilotOptions::default(), Conditions::default()).unwrap();
    other.restore(&saved).unwrap();
    assert_eq!(run.finish(), other.finish());
}

/// Own hands: the ropes turn the front runners, the crew pushes and brakes when told to, and not otherwise.
#[test]
fn a_sled_is_driven_by_hand() {
    let course = course();
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let drive = |steering: f64, push: f64| {
        let mut run = Run::new(&course, &setup, PilotOptions::default(), Conditions::default()).unwrap();
        for _ in 0..5000 {
            run.step(&Hands::Own { steering, push });
        }
        (run.sled().steering(), run.sled().velocity().length(), run.station())
    };
    let (angle, pushed, _) = drive(0.05, 1.0);
    assert!((angle - 0.05).abs() < 1e-12);
    let (_, slid, _) = drive(0.0, 0.0);
    let (_, braked, station) = drive(0.0, -1.0);
    assert!(pushed > slid + 1.5 && slid > 0.5 && braked < 0.3, "{pushed} {slid} {braked}");
    assert!(station < course.track.start().s_block + 0.5);
}
