//! Time of impact of moving bodies against sampled truth and against itself, seen another way.

use std::f64::consts::TAU;
use std::sync::Arc;

use glam::{DQuat, DVec3};
use prall_detection::{
    Budget, DistanceOptions, Feature, Hierarchy, ImpactOptions, QueryError, TimeOfImpact, Workspace,
    distance, overlap, time_of_impact,
};
use prall_math::{Motion, MotionLaw, Pose};

use crate::bodies::{body, hierarchy, impact, motion, placed, pose, slow_overlaps};
use crate::meshes::{self, Triangles};
use crate::parts;
use crate::random::Random;

fn gap_at(a: (&Hierarchy, &Motion), b: (&Hierarchy, &Motion), t: f64, workspace: &mut Workspace) -> f64 {
    distance(a.0, &a.1.pose(t), b.0, &b.1.pose(t), &DistanceOptions::default(), workspace)
        .expect("sound poses")
        .expect("no limit")
        .gap
}

/// Free before `free_until`, and at the contact as near as promised.
fn check(
    a: (&Hierarchy, &Motion),
    b: (&Hierarchy, &Motion),
    answer: &TimeOfImpact,
    options: &ImpactOptions,
    samples: u32,
    workspace: &mut Workspace,
) {
    for i in 0..=samples {
        let t = answer.free_until * f64::from(i) / f64::from(samples);
        let at_start_contact = answer.contact.is_some() && answer.free_until == 0.0;
        let meets = overlap(a.0, &a.1.pose(t), b.0, &b.1.pose(t), workspace).expect("sound poses");
        assert!(meets.is_none() || at_start_contact, "overlap at {t}: {answer:?}");
    }
    if let Some((t, contact)) = answer.contact {
        assert_eq!(t, answer.free_until);
        let gap = gap_at(a, b, t, workspace);
        assert!(gap <= options.guard + options.tolerance + 1e-12, "called at a gap of {gap}: {answer:?}");
        assert!((gap - contact.gap).abs() < 1e-9, "{gap} {answer:?}");
    } else {
        assert!(answer.finished && answer.free_until == 1.0, "{answer:?}");
    }
}

/// Counts of contacts, contacts at the start and free motions.
pub(crate) fn random_motions_overlap_never_before_free_until(
    seed: u64,
    cases: u64,
    samples: u32,
) -> [u64; 3] {
    let mut random = Random::new(seed);
    let mut workspace = Workspace::new();
    let mut counts = [0; 3];
    for _ in 0..cases {
        let (a, b) = (hierarchy(&body(&mut random)), hierarchy(&body(&mut random)));
        let (at_a, at_b) = (pose(&mut random, 0.8), pose(&mut random, 0.8));
        let (motion_a, motion_b) = (motion(&mut random, at_a), motion(&mut random, at_b));
        let options = ImpactOptions {
            guard: [20e-6, 1e-3, 0.0][random.integer(3) as usize],
            ..ImpactOptions::default()
        };
        let (a, b) = ((&a, &motion_a), (&b, &motion_b));
        let answer = impact(a, b, &options);
        check(a, b, &answer, &options, samples, &mut workspace);
        let kind = match answer.contact {
            Some((0.0, _)) => 1,
            Some(_) => 0,
            None => 2,
        };
        counts[kind] += 1;
    }
    counts
}

#[test]
fn random_motions_are_free_up_to_free_until() {
    let counts = random_motions_overlap_never_before_free_until(51, 1200, 100);
    assert!(counts.iter().all(|&count| count > 20), "all outcomes occur: {counts:?}");
}

#[test]
fn more_budget_never_lowers_what_is_proven() {
    let mut random = Random::new(52);
    let mut workspace = Workspace::new();
    let mut unfinished = 0;
    for _ in 0..40 {
        let (a, b) = (hierarchy(&body(&mut random)), hierarchy(&body(&mut random)));
        let (at_a, at_b) = (pose(&mut random, 1.2), pose(&mut random, 1.2));
        let (motion_a, motion_b) = (motion(&mut random, at_a), motion(&mut random, at_b));
        let options = ImpactOptions::default();
        let mut run = |budget: &mut Budget| {
            time_of_impact(&a, &motion_a, &b, &motion_b, &options, budget, &mut workspace)
                .expect("good options")
        };
        let mut full = Budget::unlimited();
        let complete = run(&mut full);
        let mut proven = 0.0;
        for share in 0..=20 {
            let mut budget = Budget::of_work(full.used() * share / 20);
            let answer = run(&mut budget);
            assert!(answer.free_until >= proven, "{answer:?} after {proven}");
            assert!(budget.used() <= full.used() * share / 20);
            assert_eq!(answer.finished, share == 20 || !budget.exhausted());
            unfinished += u32::from(!answer.finished);
            proven = answer.free_until;
        }
        assert_eq!(run(&mut Budget::of_work(full.used())), complete);
    }
    assert!(unfinished > 100, "budgets that end too early occur: {unfinished}");
}

/// The same situation in another guise must be free where the original is, to within the tolerance.
fn same_enclosure(one: &TimeOfImpact, gap_of_one_at: impl Fn(f64) -> f64, other: &TimeOfImpact, scale: f64) {
    let options = ImpactOptions::default();
    let band = options.guard + options.tolerance + 1e-9;
    for (answer, scale) in [(one, 1.0), (other, scale)] {
        if let Some((t, contact)) = answer.contact {
            assert!(contact.gap <= band * scale, "{answer:?}");
            assert!(gap_of_one_at(t) <= band, "{answer:?}");
        }
    }
}

#[test]
fn the_answer_does_not_depend_on_names_places_units_or_tessellation() {
    let mut random = Random::new(53);
    let options = ImpactOptions::default();
    for _ in 0..40 {
        let (mesh_a, mesh_b) = (body(&mut random), body(&mut random));
        let (a, b) = (hierarchy(&mesh_a), hierarchy(&mesh_b));
        let (at_a, at_b) = (pose(&mut random, 1.2), pose(&mut random, 1.2));
        let end = |at: Pose, random: &mut Random| {
            Pose::new(
                DQuat::from_axis_angle(random.direction(), 0.7) * at.rotation,
                at.translation + random.vector(1.0),
            )
        };
        let (end_a, end_b) = (end(at_a, &mut random), end(at_b, &mut random));
        let slerp = |start: Pose, end: Pose| Motion::slerp(start, end).expect("a motion");
        let (motion_a, motion_b) = (slerp(at_a, end_a), slerp(at_b, end_b));
        let one = impact((&a, &motion_a), (&b, &motion_b), &options);
        let gap = |t: f64| gap_at((&a, &motion_a), (&b, &motion_b), t, &mut Workspace::new());

        let swapped = impact((&b, &motion_b), (&a, &motion_a), &options);
        same_enclosure(&one, gap, &swapped, 1.0);
        if let (Some((_, x)), Some((_, y))) = (one.contact, swapped.contact)
            && one.free_until == swapped.free_until
        {
            assert!(x.normal.dot(y.normal) < -0.99 || x.gap == 0.0, "{x:?} {y:?}");
        }

        let away = Pose::new(DQuat::from_rotation_x(2.0), DVec3::new(-700.0, 700.0, 100.0));
        let (far_a, far_b) = (slerp(away * at_a, away * end_a), slerp(away * at_b, away * end_b));
        same_enclosure(&one, gap, &impact((&a, &far_a), (&b, &far_b), &options), 1.0);

        let fine = (hierarchy(&parts::split_in_four(&mesh_a)), hierarchy(&parts::split_in_four(&mesh_b)));
        same_enclosure(&one, gap, &impact((&fine.0, &motion_a), (&fine.1, &motion_b), &options), 1.0);

        let thousand = |mesh: &Triangles| mesh.iter().map(|t| t.map(|p| 1000.0 * p)).collect::<Triangles>();
        let large = |p: Pose| Pose::new(p.rotation, 1000.0 * p.translation);
        let millimetres = ImpactOptions { tolerance: 1e-3, guard: 20e-3, ..ImpactOptions::default() };
        let (a_mm, b_mm) = (hierarchy(&thousand(&mesh_a)), hierarchy(&thousand(&mesh_b)));
        let (motion_a_mm, motion_b_mm) = (slerp(large(at_a), large(end_a)), slerp(large(at_b), large(end_b)));
        same_enclosure(
            &one,
            gap,
            &impact((&a_mm, &motion_a_mm), (&b_mm, &motion_b_mm), &millimetres),
            1000.0,
        );
    }
}

#[test]
fn a_motion_cut_in_two_is_as_free_as_the_whole() {
    let mut random = Random::new(54);
    let options = ImpactOptions::default();
    let mut workspace = Workspace::new();
    for _ in 0..60 {
        let (a, b) = (hierarchy(&body(&mut random)), hierarchy(&body(&mut random)));
        let (at_a, at_b) = (pose(&mut random, 1.2), pose(&mut random, 1.2));
        let (motion_a, motion_b) = (motion(&mut random, at_a), motion(&mut random, at_b));
        let whole = impact((&a, &motion_a), (&b, &motion_b), &options);
        let cut = random.between(0.2, 0.8);
        let mut reached = 0.0;
        for (from, to) in [(0.0, cut), (cut, 1.0)] {
            let part = |motion: &Motion| motion.part(from, to).expect("an interval");
            let answer = impact((&a, &part(&motion_a)), (&b, &part(&motion_b)), &options);
            reached = from + (to - from) * answer.free_until;
            if answer.contact.is_some() {
                break;
            }
        }
        // Whichever stopped earlier had a reason.
        let first = whole.free_until.min(reached);
        if whole.contact.is_some() || reached < 1.0 {
            let gap = gap_at((&a, &motion_a), (&b, &motion_b), first, &mut workspace);
            let band = options.guard + options.tolerance + 1e-9;
            assert!(gap <= band, "gap {gap} at {first}; whole {whole:?}, cut {reached}");
        }
    }
}

/// A slab over a wall, sliding half a metre and spinning by a radian.
fn slab(gap: f64, press: f64) -> TimeOfImpact {
    let wall = hierarchy(&parts::block(DVec3::new(2.0, 2.0, 0.1)));
    let slab = hierarchy(&parts::block(DVec3::new(0.2, 0.1, 0.05)));
    let start = Pose::from_translation(DVec3::new(0.0, 0.0, 0.15 + gap));
    let end = Pose::new(DQuat::from_rotation_z(1.0), DVec3::new(0.5, 0.0, 0.15 + gap - press));
    let motion = Motion::slerp(start, end).expect("a motion");
    let rest = Motion::still(Pose::IDENTITY).expect("a pose");
    impact((&slab, &motion), (&wall, &rest), &ImpactOptions::default())
}

#[test]
fn parts_that_slide_as_near_as_ten_picometres_are_free() {
    for gap in [1e-3, 1e-5, 1e-7, 1e-9, 1e-11] {
        let answer = slab(gap, 0.0);
        assert_eq!((answer.free_until, answer.contact), (1.0, None), "gap {gap}");
    }
}

#[test]
fn a_part_pressed_against_a_wall_keeps_half_its_start_gap() {
    for gap in [1e-5, 1e-7, 1e-9, 1e-11] {
        let (_, contact) = slab(gap, 2.0 * gap).contact.expect("pressed");
        // Half of it must be kept, and a quarter of it is the tolerance.
        assert!(contact.gap > 0.45 * gap && contact.gap < 0.8 * gap, "start {gap}, contact {contact:?}");
    }
}

#[test]
fn touching_and_overlapping_at_the_start_are_contacts_at_once() {
    for gap in [0.0, -0.01, 1e-16] {
        let answer = slab(gap, 0.0);
        assert_eq!(answer.free_until, 0.0);
        assert!(answer.contact.is_some() && answer.finished);
    }
}

/// A stick of one metre against a wall of two triangles in the plane x = 0.
fn stick(motion: &Motion) -> TimeOfImpact {
    let stick = hierarchy(&parts::block(DVec3::new(0.5, 0.005, 0.005)));
    let corner = |y: f64, z: f64| DVec3::new(0.0, y, z);
    let [p, q, r, s] = [corner(-3.0, -3.0), corner(3.0, -3.0), corner(3.0, 3.0), corner(-3.0, 3.0)];
    let wall = hierarchy(&[[p, q, r], [p, r, s]]);
    let rest = Motion::still(Pose::IDENTITY).expect("a pose");
    let answer = impact((&stick, motion), (&wall, &rest), &ImpactOptions::default());
    let options = ImpactOptions::default();
    check((&stick, motion), (&wall, &rest), &answer, &options, 300, &mut Workspace::new());
    answer
}

fn at(x: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, 0.0, 0.0))
}

#[test]
fn a_stick_that_turns_ten_times_while_it_approaches_hits() {
    let uniform = prall_math::UniformMotion {
        start: at(2.0),
        reference: DVec3::ZERO,
        velocity: DVec3::new(-2.0, 0.0, 0.0),
        axis: DVec3::Z,
        angle: 10.0 * TAU,
    };
    let answer = stick(&Motion::uniform(uniform).expect("a motion"));
    // Its tip is half a metre from the axis: not before 0.75, and within the next half turn.
    assert!(answer.contact.is_some() && answer.free_until > 0.74 && answer.free_until < 0.81, "{answer:?}");
}

#[test]
fn a_stick_that_turns_ten_times_and_passes_at_13_mm_is_free() {
    let radius = DVec3::new(0.5, 0.005, 0.0).length();
    let start = at(radius + 0.013);
    let motion = Motion::screw_about(start, start.translation, DVec3::Z, 10.0 * TAU, 0.5).expect("a screw");
    assert_eq!(stick(&motion).contact, None);
}

#[test]
fn a_stick_at_a_hundred_metres_per_step_does_not_pass_through() {
    let answer = stick(&Motion::slerp(at(50.0), at(-50.0)).expect("a motion"));
    assert!((answer.free_until - 0.495).abs() < 1e-6, "{answer:?}");
}

#[test]
fn a_stick_that_grazes_the_wall_just_outside_the_guard_is_free() {
    let options = ImpactOptions::default();
    let radius = DVec3::new(0.5, 0.005, 0.0).length();
    let start = at(radius + options.guard + 1.06 * options.tolerance);
    let motion = Motion::screw_about(start, start.translation, DVec3::Z, TAU, 0.0).expect("a turn");
    assert_eq!(stick(&motion).contact, None);
}

/// The tip dips into the wall in the middle of the motion and is out again at the end.
#[test]
fn a_tip_that_enters_and_leaves_within_the_step_is_caught() {
    let turn = |angle: f64| Pose::new(DQuat::from_rotation_z(angle), DVec3::new(0.4999, 0.0, 0.0));
    let motion = Motion::slerp(turn(-0.5), turn(0.5)).expect("a motion");
    let answer = stick(&motion);
    assert!(answer.contact.is_some() && answer.free_until > 0.4 && answer.free_until < 0.5, "{answer:?}");
}

#[test]
fn a_screw_beyond_half_a_turn_hits_what_lies_in_its_way() {
    let arm = hierarchy(&parts::block(DVec3::new(0.5, 0.01, 0.01)));
    let post = hierarchy(&parts::block(DVec3::new(0.01, 0.01, 0.3)));
    // The arm's end sweeps the circle; the post stands at 270 degrees, raised along the screw.
    let start = Pose::from_translation(DVec3::new(0.5, 0.0, 0.0));
    let screw = Motion::screw_about(start, DVec3::ZERO, DVec3::Z, 5.5, 0.2).expect("a screw");
    let at_post = Motion::still(Pose::from_translation(DVec3::new(0.0, -0.8, 0.2))).expect("a pose");
    let answer = impact((&arm, &screw), (&post, &at_post), &ImpactOptions::default());
    let expected = 0.75 * TAU / 5.5;
    // The half widths of arm and post at a radius of 0.8.
    assert!((answer.free_until - expected).abs() < 0.03 / 0.8, "{answer:?}");
    assert!(answer.contact.is_some());
}

/// Back and forth with a sine: starts and ends at the same place.
struct Swing;

impl MotionLaw for Swing {
    fn pose(&self, t: f64) -> Pose {
        at(1.0 - 0.6 * libm::sin(0.5 * TAU * t))
    }
    fn speed_bound(&self, _: f64, _: f64) -> f64 {
        0.6 * 0.5 * TAU
    }
    fn angular_speed_bound(&self, _: f64, _: f64) -> f64 {
        0.0
    }
}

#[test]
fn a_law_of_motion_from_outside_is_swept_by_its_bounds() {
    let answer = stick(&Motion::law(Arc::new(Swing)).expect("a law"));
    // The tip is at 0.5 - 0.6 sin: zero where the sine is 5/6.
    let expected = libm::asin(0.5 / 0.6) / (0.5 * TAU);
    assert!((answer.free_until - expected).abs() < 1e-4, "{answer:?}");
}

#[test]
fn an_nlerp_motion_hits_where_the_slerp_of_the_same_ends_does() {
    let (start, end) = (at(0.8), Pose::new(DQuat::from_rotation_z(1.2), DVec3::new(0.05, 0.3, 0.0)));
    let slerp = stick(&Motion::slerp(start, end).expect("a motion"));
    let nlerp = stick(&Motion::nlerp(start, end).expect("a motion"));
    assert!(slerp.contact.is_some() && nlerp.contact.is_some());
    // A turn of 69 degrees: the two differ by less than a degree in between.
    assert!((slerp.free_until - nlerp.free_until).abs() < 0.03, "{slerp:?} {nlerp:?}");
}

#[test]
fn the_features_of_a_contact_are_those_that_touch() {
    let block = parts::block(DVec3::splat(0.5));
    let body = hierarchy(&block);
    let rest = Motion::still(Pose::IDENTITY).expect("a pose");
    let drop = |rotation: DQuat, from: DVec3| {
        let start = Pose::new(rotation, from);
        let motion = Motion::slerp(start, Pose::new(rotation, DVec3::ZERO)).expect("a motion");
        impact((&body, &motion), (&body, &rest), &ImpactOptions::default()).contact.expect("a hit").1
    };
    let tip_down = DQuat::from_rotation_arc(DVec3::ONE.normalize(), -DVec3::Z);
    let vertex = drop(tip_down, DVec3::new(0.11, 0.17, 3.0));
    assert!(matches!(vertex.features.on_a, Feature::Vertex { .. }), "{vertex:?}");
    assert!(matches!(vertex.features.on_b, Feature::Face { .. }), "{vertex:?}");
    assert!(vertex.normal.distance(DVec3::Z) < 1e-6);
    // An edge along x, turned down, on the edge at (y = 1/2, z = 1/2) turned across.
    let edge_down = DQuat::from_rotation_z(0.3) * DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4);
    let edge = drop(edge_down, DVec3::new(3.0, 0.05, 0.1));
    let pair = (edge.features.on_a, edge.features.on_b);
    assert!(!matches!(pair, (Feature::Face { .. }, Feature::Face { .. })), "{edge:?}");
}

/// Windows in time go with the size of a pair; far from everything a pair of grains must not be looked at a
/// million times.
#[test]
fn grains_that_fly_past_each_other_cost_little() {
    let grain = hierarchy(&meshes::bumpy_sphere(1e-6, 100));
    let start = Pose::from_translation(DVec3::new(-5.0, 0.001, 0.0));
    let end = Pose::new(DQuat::from_rotation_x(1.0), DVec3::new(5.0, 0.001, 0.0));
    let motion = Motion::slerp(start, end).expect("a motion");
    let rest = Motion::still(Pose::IDENTITY).expect("a pose");
    let mut budget = Budget::unlimited();
    let options = ImpactOptions::default();
    let answer = time_of_impact(&grain, &motion, &grain, &rest, &options, &mut budget, &mut Workspace::new());
    assert_eq!(answer.map(|answer| answer.contact), Ok(None));
    assert!(budget.used() < 1000, "{} units of work", budget.used());
}

#[test]
fn options_that_make_no_sense_are_refused_by_name() {
    let body = hierarchy(&parts::block(DVec3::ONE));
    let rest = Motion::still(Pose::IDENTITY).expect("a pose");
    let run = |options: ImpactOptions| {
        let mut budget = Budget::unlimited();
        time_of_impact(&body, &rest, &body, &rest, &options, &mut budget, &mut Workspace::new())
    };
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let answer = run(ImpactOptions { tolerance: bad, ..ImpactOptions::default() });
        assert!(matches!(answer, Err(QueryError::Option { option: "the tolerance", .. })));
    }
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let answer = run(ImpactOptions { guard: bad, ..ImpactOptions::default() });
        assert!(matches!(answer, Err(QueryError::Option { option: "the guard", .. })));
    }
}

#[test]
fn equal_questions_have_equal_answers_whatever_the_workspace_did_before() {
    let mut random = Random::new(55);
    let mut used = Workspace::new();
    for _ in 0..30 {
        let (a, b) = (hierarchy(&body(&mut random)), hierarchy(&body(&mut random)));
        let (at_a, at_b) = (pose(&mut random, 1.2), pose(&mut random, 1.2));
        let (motion_a, motion_b) = (motion(&mut random, at_a), motion(&mut random, at_b));
        let options = ImpactOptions::default();
        let fresh = impact((&a, &motion_a), (&b, &motion_b), &options);
        let mut budget = Budget::unlimited();
        let again = time_of_impact(&a, &motion_a, &b, &motion_b, &options, &mut budget, &mut used);
        assert_eq!(again, Ok(fresh));
    }
}

/// Motions of small bodies against all pairs of triangles at many times: no hierarchy in the oracle.
#[test]
fn all_pairs_of_triangles_agree_that_the_motion_is_free() {
    let mut random = Random::new(56);
    for _ in 0..25 {
        let (mesh_a, mesh_b) = (body(&mut random), body(&mut random));
        let (a, b) = (hierarchy(&mesh_a), hierarchy(&mesh_b));
        let (at_a, at_b) = (pose(&mut random, 1.0), pose(&mut random, 1.0));
        let (motion_a, motion_b) = (motion(&mut random, at_a), motion(&mut random, at_b));
        let answer = impact((&a, &motion_a), (&b, &motion_b), &ImpactOptions::default());
        if answer.free_until == 0.0 {
            continue;
        }
        for i in 0..=30 {
            let t = answer.free_until * f64::from(i) / 30.0;
            let found =
                slow_overlaps(&placed(&mesh_a, &motion_a.pose(t)), &placed(&mesh_b, &motion_b.pose(t)));
            assert!(found.is_empty(), "overlap at {t}: {answer:?}");
        }
    }
}
