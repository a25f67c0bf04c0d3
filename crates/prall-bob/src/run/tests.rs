use glam::{DAffine3, DVec3};
use prall_geometry::{PolygonSoup, closest};
use prall_math::Norm;

use super::{Conditions, Course, Hands, HitSide, Run, RunResult, STEP, Start, even_number};
use crate::pilot::{
    Line, Lines, OptimiserOptions, OptimiserTask, PilotOptions, Plan, PlanOptions, SteeringLine, optimise,
};
use crate::sled::{Setup, TWO_MAN};
use crate::track::{Foot, Ground, Ice, MeshIce, PointMassStart, Tessellation, Track};

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
    course_of(SLOPE, PointMassStart::Pushed, "")
}

pub(crate) fn course_of(text: &str, start: PointMassStart, lines: &str) -> Course {
    let track = Track::read("slope", text).unwrap();
    let ice = Ice::new(&track);
    let lines = Lines::parse(lines, &track).unwrap();
    let plan = Plan::new(&track, &ice, start, PlanOptions { lines, ..PlanOptions::default() });
    Course { track, ice, plan }
}

/// Curve 4 of the whistler-like track, to the right, forty metres behind the start of the slope.
pub(crate) fn curve() -> String {
    let one = "c = -1\ns_b = -40.0\ns_c = 40.0\nl_cl_en = 30.0\nA2_en = 750.0\nl_circ = 40.0\nr_c = 25.0\nl_cl_ex = 30.0\nA2_ex = 750.0\ns_e = 380.0\nn_g = 2.8\n";
    let (begin, end) = (SLOPE.find("c = 1\n").unwrap(), SLOPE.find("[height").unwrap());
    let text = format!("{}{one}{}", &SLOPE[..begin], &SLOPE[end..]);
    let text = text
        .replace("lead = 5.0", "lead = 4.0")
        .replace("a1 = 0.45", "a1 = 0.1")
        .replace("a_min = 1.4", "a_min = 1.2");
    text.replace("stations = [50.0, 150.0]", "stations = [40.0, 135.0]")
}

pub(crate) const THROUGH_THE_CURVE: Conditions =
    Conditions { start: Start::Flying(26.0), offset: 0.0, tremor: 0.0, seed: 0 };

/// Place across over the station, outwards, as it was driven from 20 m before the curve to its end.
fn driven(lines: &str) -> Vec<(f64, f64)> {
    let course = course_of(&curve(), PointMassStart::Flying(26.0), lines);
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let mut run = Run::new(&course, &setup, PilotOptions::default(), THROUGH_THE_CURVE).unwrap();
    let mut places = Vec::new();
    while run.look() && run.station() < 140.0 {
        places.push((run.station(), -run.pilot().seen()[0]));
    }
    assert!(run.result().crash.is_none(), "{lines}: {:?}", run.result().crash);
    places
}

/// How many maxima stand out from what is beside them by 0.2 m: twice what the quietest line of one arc leaves.
fn arcs(places: &[(f64, f64)]) -> usize {
    const PROMINENCE: f64 = 0.2;
    let (mut count, mut high, mut low, mut rising) = (0, f64::NEG_INFINITY, f64::INFINITY, true);
    for &(_, place) in places {
        if rising {
            high = high.max(place);
            if place < high - PROMINENCE {
                (count, rising, low) = (count + 1, false, place);
            }
        } else {
            low = low.min(place);
            if place > low + PROMINENCE {
                (rising, high) = (true, place);
            }
        }
    }
    count
}

#[test]
fn a_pilot_drives_one_arc_or_two_as_he_is_told() {
    assert_eq!(arcs(&driven("1=single")), 1);
    assert_eq!(arcs(&driven("1=double")), 2);
}

/// Height h_S of the rear hull's centre above the course over the station, for an entry so far outside the middle, hands off from the entry on.
fn heights_from(outside: f64) -> Vec<(f64, f64)> {
    let course = course_of(&curve(), PointMassStart::Flying(26.0), "");
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    // The curve goes to the right: its outside is on the left.
    let conditions = Conditions { offset: -outside, ..THROUGH_THE_CURVE };
    let mut run = Run::new(&course, &setup, PilotOptions::default(), conditions).unwrap();
    let mut heights = Vec::new();
    while run.look_by(&Hands::Own { steering: 0.0, push: 0.0 }) && run.station() < 140.0 {
        let (s, beside) = course.track.project(run.sled().tree().pose(0).translation, run.station());
        heights.push((s, beside.y));
    }
    heights
}

/// Where the curve's first arc is highest: the circle's middle is at 90 m, the second arc is behind 100 m.
fn crest(heights: &[(f64, f64)]) -> f64 {
    let first_arc = heights.iter().filter(|height| height.0 < 100.0);
    first_arc.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0
}

/// As the source found (7, p. 102): from the inside a sled reaches its greatest height too early; from the outside nearer to the middle.
#[test]
fn an_entry_from_inside_reaches_its_height_too_early() {
    let (inside, outside) = (crest(&heights_from(-0.2)), crest(&heights_from(0.2)));
    // A tenth of the curve's length is what a coach would see.
    assert!(inside + 10.0 < outside && outside < 90.0, "{inside} {outside}");
}

/// A pilot who is told his entry takes it, and the curve answers as above, though he steers on.
#[test]
fn a_late_entry_is_further_in_and_highest_earlier() {
    let told = |lines: &str| {
        let course = course_of(&curve(), PointMassStart::Flying(26.0), lines);
        let setup = Setup::read("two-man", TWO_MAN).unwrap();
        let mut run = Run::new(&course, &setup, PilotOptions::default(), THROUGH_THE_CURVE).unwrap();
        let mut driven = Vec::new();
        while run.look() && run.station() < 140.0 {
            let (s, beside) = course.track.project(run.sled().tree().pose(0).translation, run.station());
            driven.push((s, beside.y, beside.x));
        }
        assert!(run.result().crash.is_none(), "{lines}: {:?}", run.result().crash);
        let entry = driven.iter().find(|point| point.0 >= 40.0).unwrap().2;
        (entry, crest(&driven.iter().map(|point| (point.0, point.1)).collect::<Vec<_>>()))
    };
    let ((early, early_crest), (late, late_crest)) = (told("1=early"), told("1=late"));
    // In 40 m at 26 m/s the runners can move the sled by 0.5 m at most; half of that between both lines counts as told.
    assert!(early > late + 0.25, "{early} {late}");
    assert!(late_crest + 1.0 < early_crest, "{late_crest} {early_crest}");
}

/// On the high wall of the curve at 90 m, along it with 26 m/s, and up it with 5 m/s: the runners come over the edge.
pub(crate) fn thrown_over_the_edge(course: &Course) -> Run<'_> {
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let mut run = Run::new(course, &setup, PilotOptions::default(), THROUGH_THE_CURVE).unwrap();
    // To the right it turns, so the high wall is on the left: parameters below 3.
    let on = course.ice.point(90.0, 1.5);
    let normal = course.ice.nearest(on, &mut Foot::near(90.0)).normal;
    let ahead = course.track.course(90.0).ahead();
    let right = ahead.cross(normal).unit();
    let back = -(normal.cross(right)).unit();
    let turn = glam::DQuat::from_mat3(&glam::DMat3::from_cols(right, normal, back));
    // A straight sled on a hollow wall: its ends are nearer to it than its middle.
    let pose = prall_math::Pose::new(turn, on + normal * 0.08);
    run.sled.place(pose, -back * 26.0 - right * 5.0, 90.0);
    run.station = 90.0;
    run.zero = Some(0.0);
    run
}

/// The sled hits the planking and goes on: no crash, no net, and the clock runs to the finish.
#[test]
fn a_planking_hit_is_no_crash() {
    let course = course_of(&curve(), PointMassStart::Flying(26.0), "");
    let mut run = thrown_over_the_edge(&course);
    let (mut boards, mut net) = (0, false);
    while run.look_with(&Hands::Pilot, |sled| {
        boards += sled.touched().boards;
        net |= sled.touched().net;
    }) && run.result().time.is_none()
    {}
    assert!(boards > 0 && !net, "{boards} contacts with boards, net {net}");
    assert!(run.result().crash.is_none() && run.result().time.is_some(), "{:?}", run.result());
    assert!(run.result().deepest < 3e-3, "{}", run.result().deepest);
}

/// The boards that are drawn are the boards that are hit: 2 cm before each triangle the ice has them at that distance.
#[test]
fn planks_are_where_they_are_drawn() {
    let track = Track::read("curve", &curve()).unwrap();
    let (ice, soup) = (Ice::new(&track), track.mesh(&Tessellation::default()).borders);
    let mut seen = 0;
    for face in soup.faces() {
        let [a, b, c] = [0, 1, 2].map(|k| soup.positions()[face[k] as usize]);
        let cross = (b - a).cross(c - a);
        if cross.norm() < 1e-6 {
            continue;
        }
        let point = (a + b + c) / 3.0 + cross.unit() * 0.02;
        let (s, _) = track.project(point, 90.0);
        let (s, _) = track.project(point, s);
        let place = ice.nearest(point, &mut Foot::near(s));
        assert_eq!(place.ground, Ground::Boards, "at {s}");
        // Half a metre of chord beside its arc, and sections that change within it.
        assert!((place.distance - 0.02).abs() < 4e-3, "at {s}: {}", place.distance);
        seen += 1;
    }
    assert!(seen > 400, "{seen}");
}

/// Steered into the left wall: the record has the bumper, its side, its speed towards the wall before, by its own kinematics, and what it cost.
#[test]
fn a_hit_has_its_place_its_bumper_and_its_speed_before() {
    let course = course();
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let conditions = Conditions { start: Start::Flying(12.0), ..Conditions::default() };
    let mut run = Run::new(&course, &setup, PilotOptions::default(), conditions).unwrap();
    let node = run.sled().body("front_hull").unwrap();
    let mut towards = 0.0;
    while run.result().hits.is_empty() {
        let tree = run.sled().tree();
        let point = run.sled().frame_of(node).transform_point(DVec3::new(-0.42, 0.22, -2.0));
        towards = tree.twist_at(node, point).linear.dot(course.track.course(run.station()).left());
        assert!(run.step(&Hands::Own { steering: 0.06, push: 0.0 }));
    }
    let begin = run.station();
    for _ in 0..2000 {
        run.step(&Hands::Own { steering: 0.0, push: 0.0 });
    }
    let hit = run.result().hits[0].clone();
    assert_eq!((hit.side, hit.bumper.as_str()), (HitSide::Left, "bumper_front_left"));
    assert_eq!((hit.ground, hit.s), (Ground::Ice, begin));
    // The speed before the step, and in its middle: what it gains in a tenth of a millisecond.
    assert!(towards > 0.2 && (hit.normal_speed - towards).abs() < 0.01 * towards, "{hit:?} {towards}");
    // With a friction of 0.1 and little restitution the wall takes at least a tenth of that, of the sled's whole speed far less.
    assert!(hit.lost > 0.0 && hit.lost < 2.0 * towards, "{hit:?}");
    assert_eq!(run.result().bumper_hits as usize, run.result().hits.len());
}

#[test]
fn lines_are_read_and_refused_with_a_reason() {
    let track = Track::read("slope", &curve()).unwrap();
    assert_eq!(
        Lines::parse(" 1 = early, 1=double,", &track),
        Lines::new(vec![(1, Line::Early), (1, Line::Double)], &track)
    );
    for (text, why) in [
        ("2=early", "no curve 2"),
        ("1=high", "\"high\" is no line"),
        ("x=early", "\"x\" is no number"),
        ("1", "no ="),
    ] {
        let error = Lines::parse(text, &track).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
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
    // It stays on the surface all the way.
    assert!(result.deepest < 5e-3, "{}", result.deepest);
}

/// Driven, not placed: ten metres a second too fast, ropes held up the wall to the stop. The times end there, and to the end of the ice no tip is more
/// than 5 mm behind it.
#[test]
fn a_driven_crash_stays_on_the_ice() {
    let course = course_of(&curve(), PointMassStart::Flying(26.0), "");
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let conditions = Conditions { start: Start::Flying(36.0), ..THROUGH_THE_CURVE };
    let mut run = Run::new(&course, &setup, PilotOptions::default(), conditions).unwrap();
    while run.look_by(&Hands::Own { steering: 0.17, push: 0.0 }) {}
    let result = run.into_result();
    let crash = result.crash.expect("too fast and steered up the wall it comes over the edge");
    assert!(result.time.is_none() && result.finite && result.rest > crash.s + 5.0, "{result:?}");
    assert!(result.deepest < 5e-3, "{}", result.deepest);
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
        (run.sled().steering(), run.sled().velocity().norm(), run.station())
    };
    let (angle, pushed, _) = drive(0.05, 1.0);
    assert!((angle - 0.05).abs() < 1e-12);
    let (_, slid, _) = drive(0.0, 0.0);
    let (_, braked, station) = drive(0.0, -1.0);
    assert!(pushed > slid + 1.5 && slid > 0.5 && braked < 0.3, "{pushed} {slid} {braked}");
    assert!(station < course.track.start().s_block + 0.5);
}

/// Through one curve, with few candidates: faster than the pilot alone, the same on one thread and on three, and driven again it takes that time.
#[test]
fn a_searched_steering_line_beats_the_pilot() {
    let course = course_of(&curve(), PointMassStart::Flying(26.0), "");
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let options = OptimiserOptions { candidates: 4, batch: 4, seed: 3, ..OptimiserOptions::default() };
    let (pilot, conditions) = (PilotOptions::default(), THROUGH_THE_CURVE);
    let task = OptimiserTask { course: &course, setup: &setup, pilot, conditions, mesh: None };
    let search = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let line = SteeringLine::straight(50.0, 130.0, 10.0);
        optimise(&task, line, &options, &pool, |_, _| {}).unwrap()
    };
    let found = search(1);
    assert!(found.time < found.before, "{found:?}");
    assert_eq!(found, search(3));
    let mut again = Run::new(&course, &setup, pilot, conditions).unwrap().steered_by(found.line);
    while again.look() && again.result().time.is_none() {}
    assert_eq!(again.result().time, Some(found.time));
}

/// The track's own mesh with its borders, brought in like a foreign one: as far as its nearest triangle of all, and beside the exact ice by
/// no more than an arc of 0.5 m beside its chord and a facet beside the ellipse, 3 mm each.
#[test]
fn a_mesh_is_as_far_as_its_nearest_triangle_and_near_the_ice() {
    let track = Track::read("curve", &curve()).unwrap();
    let (ice, soup) = (Ice::new(&track), track.mesh(&Tessellation::default()).joined());
    let mesh = MeshIce::new(&soup).unwrap();
    let mut chance = 5;
    for _ in 0..60 {
        let (s, across) = (150.0 * even_number(&mut chance), 1.5 + 4.0 * even_number(&mut chance));
        let on = ice.point(s, across);
        let normal = ice.nearest(on, &mut Foot::near(s)).normal;
        let point = on + normal * (0.1 * (2.0 * even_number(&mut chance) - 1.0));
        let exact = ice.nearest(point, &mut Foot::near(s)).distance;
        let place = mesh.nearest(point);
        assert!((place.distance - exact).abs() < 6e-3, "{s} {across} {exact} {place:?}");
        let corners = |face: &[u32]| [0, 1, 2].map(|k| soup.positions()[face[k] as usize]);
        let brute = soup.faces().map(|face| closest::on_triangle(point, corners(face)).distance(point));
        let brute = brute.fold(f64::INFINITY, f64::min);
        // In front it is the distance, behind the depth along the normal: that of a facet's edge, five degrees between facets at most.
        let share = if place.distance < 0.0 { 4e-3 } else { 0.0 };
        let difference = brute - place.distance.abs();
        assert!(difference > -1e-12 && difference < share * brute + 1e-12, "{s} {across} {brute} {place:?}");
    }
    assert_eq!(mesh.nearest(ice.point(50.0, 3.0) + DVec3::Y * 20.0).distance, 0.5);
    let fit = mesh.fit(&ice).unwrap();
    assert!(fit.largest < 6e-3 && fit.mean < 1e-3 && fit.covered == 1.0, "{fit:?}");
    let millimetres = soup.transformed(&DAffine3::from_scale(DVec3::splat(1e3))).unwrap();
    assert!(MeshIce::new(&millimetres).unwrap().fit(&ice).unwrap_err().to_string().contains("in metres"));
}

#[test]
fn a_mesh_that_cannot_be_driven_on_is_refused() {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Z];
    let down = PolygonSoup::from_triangles(corners.clone(), &[[0, 1, 2]]).unwrap();
    assert!(MeshIce::new(&down).unwrap_err().to_string().contains("face down"));
    let up = PolygonSoup::from_triangles(corners.clone(), &[[0, 2, 1]]).unwrap();
    assert_eq!(MeshIce::new(&up).unwrap().triangle_count(), 1);
    let thin = PolygonSoup::from_triangles(corners, &[[0, 0, 1]]).unwrap();
    assert!(MeshIce::new(&thin).unwrap_err().to_string().contains("no triangles"));
}

/// Facets take speed and the mesh leaves chords for arcs, but it is the same curve: the same time to a part in a hundred, without a crash.
#[test]
fn a_sled_drives_a_mesh_as_it_drives_the_ice() {
    let course = course_of(&curve(), PointMassStart::Flying(26.0), "");
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let mesh = MeshIce::new(&course.track.mesh(&Tessellation::default()).joined()).unwrap();
    let time = |run: Run<'_>| {
        let mut run = run;
        while run.look() && run.result().time.is_none() {}
        assert!(run.result().crash.is_none() && run.result().finite);
        run.result().time.unwrap()
    };
    let run = Run::new(&course, &setup, PilotOptions::default(), THROUGH_THE_CURVE).unwrap();
    let (exact, facets) = (time(run.clone()), time(run.on_mesh(&mesh)));
    assert!((facets / exact - 1.0).abs() < 0.01, "{exact} {facets}");
}

/// As the source computed: by segments on its mesh. Facets of 16 degrees take speed, but it is the same curve, and who is thrown over the boards,
/// where nothing holds him, has crashed and the run is over.
#[test]
fn a_run_as_published_drives_the_published_mesh() {
    let course = course_of(&curve(), PointMassStart::Flying(26.0), "");
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let mesh = MeshIce::new(&course.track.published_mesh().joined()).unwrap();
    let run = Run::new(&course, &setup, PilotOptions::default(), THROUGH_THE_CURVE).unwrap();
    let through = |mut run: Run<'_>| {
        while run.look() && run.result().time.is_none() {}
        run.result().clone()
    };
    let (exact, published) = (through(run.clone()), through(run.as_published(&mesh)));
    let times = (exact.time.unwrap(), published.time.unwrap());
    assert!(published.crash.is_none() && (times.1 / times.0 - 1.0).abs() < 0.01, "{times:?}");
    // The source has no rule against sinking in; nothing falls through, its segments are 0.3 m long.
    assert!(published.deepest < 0.05, "{}", published.deepest);
    let mut thrown = thrown_over_the_edge(&course).as_published(&mesh);
    let up = DVec3::Y * 12.0;
    thrown.sled.place(thrown.sled.frame(), thrown.sled.velocity() + up, 90.0);
    let result = thrown.finish();
    assert!(result.crash.is_some() && result.time.is_none() && result.simulated < 10.0, "{result:?}");
}

/// What the plan takes for a mass that swings is what nine bodies do: hands off, the sled climbs nearly as high as the plan says, and there.
#[test]
fn a_sled_swings_as_the_plan_expects() {
    let course = course_of(&curve(), PointMassStart::Flying(26.0), "");
    let setup = Setup::read("two-man", TWO_MAN).unwrap();
    let hands_off = PilotOptions { turn: 0.0, calm: 0.0, ..PilotOptions::default() };
    let mut run = Run::new(&course, &setup, hands_off, THROUGH_THE_CURVE).unwrap();
    let mut highest = (0.0, 0.0);
    while run.look() && run.station() < 90.0 {
        let place = -run.pilot().seen()[0];
        if place > highest.1 {
            highest = (run.station(), place);
        }
    }
    let planned = course.plan.line(false);
    let first = planned
        .iter()
        .filter(|point| point.s < 90.0)
        .max_by(|p, q| (-p.across).total_cmp(&-q.across))
        .unwrap();
    // Hands off, runners that point where the sled went drag against the swing, which the plan's free mass does not: a little lower and later.
    let (lower, later) = (-first.across - highest.1, highest.0 - first.s);
    assert!((0.0..0.35).contains(&lower) && (0.0..7.0).contains(&later), "{highest:?} {first:?}");
}
