//! Random shapes of every kind on random motions, measured at many instants.

use prall_detection::{Budget, BuildOptions, Hierarchy, Workspace};
use prall_detection::{ImpactOptions, time_of_impact};
use prall_geometry::{Mesh, MeshOptions, Shape, generate};
use prall_math::{Motion, Pose, Twist};

use crate::oracle::{KINDS, cuboid, gap, impact, random_shape, slack};
use crate::random::Random;

/// Rounding of gaps computed in other ways than the query's, in metres.
const ROUNDING: f64 = 1e-9;

pub(crate) fn random_motion(random: &mut Random, reach: f64) -> Motion {
    let start = Pose::new(random.rotation(), random.vector(reach));
    match random.integer(5) {
        0 => Motion::still(start).unwrap(),
        1 => Motion::nlerp(start, Pose::new(random.rotation(), random.vector(reach))).unwrap(),
        2 => Motion::screw(start, Pose::new(random.rotation(), random.vector(reach))).unwrap(),
        _ => {
            let spin = random.between(0.0, 8.0);
            let twist = Twist { linear: random.vector(2.0 * reach), angular: random.direction() * spin };
            Motion::from_twist(start, random.vector(0.2), twist, 1.0).unwrap()
        }
    }
}

/// What the promise says about one answer; true if it is a contact after the start.
pub(crate) fn holds(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion, samples: u32) -> bool {
    let options = ImpactOptions::default();
    let answer = impact(a, motion_a, b, motion_b);
    let gap_at = |t: f64| gap(a, &motion_a.pose(t), b, &motion_b.pose(t));
    let start = gap_at(0.0);
    let round = slack(a) + slack(b);
    if answer.free_until == 0.0 {
        assert!(start < options.guard + round + ROUNDING, "contact at the start with {start}");
        return false;
    }
    let kept = options.guard.min(0.5 * start);
    for i in 0..=samples {
        let t = answer.free_until * f64::from(i) / f64::from(samples);
        assert!(
            gap_at(t) > kept - ROUNDING,
            "{} of {kept} at {t}: {answer:?} {a:?} {:?} {b:?} {:?}",
            gap_at(t),
            motion_a.pose(t),
            motion_b.pose(t)
        );
    }
    let Some((t, contact)) = answer.contact else { return false };
    assert!(
        gap_at(t) <= kept + options.tolerance + round + ROUNDING,
        "{} at {t} {a:?} {:?} {b:?} {:?}",
        gap_at(t),
        motion_a.pose(t),
        motion_b.pose(t)
    );
    assert!((contact.gap - gap_at(t)).abs() <= round + ROUNDING);
    assert!((contact.on_a - contact.on_b - contact.gap * contact.normal).length() < ROUNDING);
    true
}

#[test]
fn convex_shapes_and_planes_keep_their_gap_until_the_contact() {
    let mut random = Random::new(1);
    let mut hits = 0;
    for case in 0..3000 {
        let other = random.integer(6);
        let (kind_a, kind_b) = (case % 6, if random.chance(0.15) { KINDS - 1 } else { other });
        let (a, b) = (random_shape(&mut random, kind_a), random_shape(&mut random, kind_b));
        let (motion_a, motion_b) = (random_motion(&mut random, 1.5), random_motion(&mut random, 1.5));
        hits += u32::from(holds(&a, &motion_a, &b, &motion_b, 60));
    }
    assert!(hits > 300, "only {hits} contacts");
}

#[test]
fn meshes_height_fields_and_compounds_keep_their_gap_until_the_contact() {
    let mut random = Random::new(2);
    let mut hits = 0;
    for case in 0..240 {
        let (kind_a, kind_b) = (6 + case % 3, random.integer(KINDS));
        let (a, b) = (random_shape(&mut random, kind_a), random_shape(&mut random, kind_b));
        let (motion_a, motion_b) = (random_motion(&mut random, 1.5), random_motion(&mut random, 1.5));
        hits += u32::from(holds(&a, &motion_a, &b, &motion_b, 12));
    }
    assert!(hits > 40, "only {hits} contacts");
}

#[test]
fn boxes_and_the_same_boxes_as_meshes_stop_at_the_same_gap() {
    let mut random = Random::new(3);
    let options = ImpactOptions::default();
    let mut hits = 0;
    for _ in 0..800 {
        let halves = [0, 1].map(|_| random.vector(0.3).abs() + 0.05);
        let motions = [0, 1].map(|_| random_motion(&mut random, 1.2));
        let hierarchies = halves.map(|half| {
            let mesh =
                Mesh::from_soup(&generate::cuboid(2.0 * half).unwrap(), &MeshOptions::default()).unwrap();
            Hierarchy::of_mesh(&mesh, &BuildOptions::default()).unwrap()
        });
        let shapes = halves.map(|half| cuboid(half.x, half.y, half.z));
        let gap_at = |t: f64| gap(&shapes[0], &motions[0].pose(t), &shapes[1], &motions[1].pose(t));
        if gap_at(0.0) < 1e-3 {
            continue;
        }
        let [a, b] = &hierarchies;
        let mut budget = Budget::unlimited();
        let workspace = &mut Workspace::new();
        let mesh = time_of_impact(a, &motions[0], b, &motions[1], &options, &mut budget, workspace).unwrap();
        let shape = impact(&shapes[0], &motions[0], &shapes[1], &motions[1]);
        assert_eq!(mesh.contact.is_some(), shape.contact.is_some());
        // Different valid searches call contact at different times where the gap shrinks slowly; the gaps agree.
        let difference = (gap_at(mesh.free_until) - gap_at(shape.free_until)).abs();
        assert!(difference <= options.tolerance + ROUNDING, "{mesh:?} {shape:?}");
        hits += u32::from(shape.contact.is_some());
    }
    assert!(hits > 40, "only {hits} contacts");
}
