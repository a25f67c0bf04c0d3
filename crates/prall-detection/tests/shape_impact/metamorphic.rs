//! The same question asked differently has the same answer.

use glam::DVec3;
use prall_detection::{Budget, ImpactOptions, TimeOfImpact, Touchable, Workspace, shape_time_of_impact};
use prall_geometry::Shape;
use prall_math::{Motion, Pose, UniformMotion};

use crate::oracle::{KINDS, gap, impact, random_shape};
use crate::random::Random;
use crate::sampled::random_motion;

struct Case {
    a: Shape,
    motion_a: Motion,
    b: Shape,
    motion_b: Motion,
}

fn cases(seed: u64, count: u64) -> Vec<Case> {
    let mut random = Random::new(seed);
    let mut case = |i: u64| Case {
        a: random_shape(&mut random, i % (KINDS - 1)),
        motion_a: random_motion(&mut random, 1.5),
        b: random_shape(&mut random, (i / (KINDS - 1)) % KINDS),
        motion_b: random_motion(&mut random, 1.5),
    };
    (0..count).map(&mut case).collect()
}

/// Two answers name times at which the gaps agree within the tolerance, in metres.
fn agree(case: &Case, first: &TimeOfImpact, second: &TimeOfImpact, slack: f64) {
    let gap_at = |t: f64| gap(&case.a, &case.motion_a.pose(t), &case.b, &case.motion_b.pose(t));
    let difference = (gap_at(first.free_until) - gap_at(second.free_until)).abs();
    let tolerance = ImpactOptions::default().tolerance + slack;
    assert!(first.free_until == second.free_until || difference <= tolerance, "{first:?} {second:?}");
}

#[test]
fn swapping_the_bodies_mirrors_the_answer() {
    for case in cases(10, 180) {
        let there = impact(&case.a, &case.motion_a, &case.b, &case.motion_b);
        let back = impact(&case.b, &case.motion_b, &case.a, &case.motion_a);
        agree(&case, &there, &back, 1e-6);
        if let (Some((_, p)), Some((_, q))) = (there.contact, back.contact)
            && p.gap > 0.0
            && there.free_until == back.free_until
        {
            // The direction of a gap of 20 um between points that rounding moves by picometres.
            assert!((p.normal + q.normal).length() < 1e-5, "{p:?} {q:?}");
        }
    }
}

#[test]
fn a_kilometre_away_the_answer_is_the_same() {
    let far = DVec3::new(700.0, -500.0, 500.0);
    let moved = |motion: &Motion| {
        motion.as_uniform().map(|uniform| {
            let start = Pose { translation: uniform.start.translation + far, ..uniform.start };
            Motion::uniform(UniformMotion { start, ..*uniform }).unwrap()
        })
    };
    for case in cases(11, 180) {
        let (Some(motion_a), Some(motion_b)) = (moved(&case.motion_a), moved(&case.motion_b)) else {
            continue;
        };
        let here = impact(&case.a, &case.motion_a, &case.b, &case.motion_b);
        let there = impact(&case.a, &motion_a, &case.b, &motion_b);
        // Start gaps that nearly touch are halved differently; otherwise a picometre is the rounding of a kilometre.
        if here.free_until > 0.0 && there.free_until > 0.0 {
            agree(&case, &here, &there, 1e-9);
        }
    }
}

#[test]
fn a_motion_cut_in_two_has_the_contact_of_the_whole() {
    for case in cases(12, 180) {
        let whole = impact(&case.a, &case.motion_a, &case.b, &case.motion_b);
        if whole.free_until == 0.0 {
            continue;
        }
        let part = |t0: f64, t1: f64| {
            let (p, q) = (case.motion_a.part(t0, t1).unwrap(), case.motion_b.part(t0, t1).unwrap());
            impact(&case.a, &p, &case.b, &q)
        };
        let first = part(0.0, 0.5);
        let free_until = if first.contact.is_some() {
            0.5 * first.free_until
        } else {
            0.5 + 0.5 * part(0.5, 1.0).free_until
        };
        // The second half may begin nearer than two guards, and then keeps less; as may the first.
        agree(&case, &whole, &TimeOfImpact { free_until, ..whole }, 20e-6);
    }
}

#[test]
fn more_budget_never_proves_less_and_no_budget_proves_what_is_wrong() {
    let options = ImpactOptions::default();
    let workspace = &mut Workspace::new();
    for case in cases(13, 90) {
        let (a, b) = (Touchable::new(&case.a).unwrap(), Touchable::new(&case.b).unwrap());
        let mut ask = |budget: &mut Budget| {
            shape_time_of_impact(&a, &case.motion_a, &b, &case.motion_b, &options, budget, workspace).unwrap()
        };
        let mut all = Budget::unlimited();
        let full = ask(&mut all);
        let mut least = 0.0;
        for work in 0..all.used().min(60) {
            let answer = ask(&mut Budget::of_work(work));
            assert!(answer.free_until >= least && answer.free_until <= full.free_until);
            assert!(!answer.finished && answer.contact.is_none());
            least = answer.free_until;
        }
        assert_eq!(ask(&mut Budget::of_work(all.used())), full, "the same work gives the same bits");
    }
}
