//! Bodies that turn many times on their way, about one axis or as tops.

use glam::{DMat3, DVec3};
use prall_detection::{Budget, ImpactOptions, TimeOfImpact, Touchable, Workspace, shape_time_of_impact};
use prall_geometry::Shape;
use prall_math::{Motion, Pose, PrecessionMotion, Twist};

use crate::oracle::{KINDS, at, cuboid, mesh_box, random_shape};
use crate::random::Random;
use crate::sampled::holds;

/// Turns by up to `angle` about one axis, or as a top by two.
fn random_spin(random: &mut Random, start: Pose, velocity: DVec3, angle: f64) -> Motion {
    let (turn, spin) = (random.between(2.0, angle), random.between(2.0, angle));
    let (turn, spin) = (random.direction() * turn, random.direction() * spin);
    let reference = random.vector(0.1);
    if random.chance(0.4) {
        let twist = Twist { linear: velocity, angular: turn };
        return Motion::from_twist(start, reference, twist, 1.0).unwrap();
    }
    Motion::precession(PrecessionMotion { start, reference, velocity, turn, spin }).unwrap()
}

/// The same of two meshes, which have a query of their own: that of the boxes' rounds goes before it.
#[test]
fn spinning_meshes_keep_their_gap_until_the_contact() {
    let mut random = Random::new(32);
    let mut hits = 0;
    for _ in 0..60 {
        let (a, b) = (random_shape(&mut random, 6), random_shape(&mut random, 6));
        let start = Pose::new(random.rotation(), random.direction() * random.between(1.0, 3.0));
        let way = (random.vector(0.8) - start.translation) * random.between(0.0, 2.0);
        let motion_a = random_spin(&mut random, start, way, 30.0);
        let place = Pose::new(random.rotation(), DVec3::ZERO);
        let motion_b = random_spin(&mut random, place, DVec3::ZERO, 20.0);
        hits += u32::from(holds(&a, &motion_a, &b, &motion_b, 60));
    }
    assert!(hits > 10, "only {hits} contacts");
}

/// Whatever is called free keeps its gap at many instants, and contacts are where they are said to be.
#[test]
fn spinners_of_every_kind_keep_their_gap_until_the_contact() {
    let mut random = Random::new(31);
    let mut hits = 0;
    for case in 0..240 {
        let other = random.integer(KINDS);
        let (a, b) = (random_shape(&mut random, case % 6), random_shape(&mut random, other));
        let start = Pose::new(random.rotation(), random.direction() * random.between(0.6, 2.0));
        let aim = random.vector(0.8) - start.translation;
        let way = aim * random.between(0.0, 2.0);
        let motion_a = random_spin(&mut random, start, way, 60.0);
        let place = Pose::new(random.rotation(), DVec3::ZERO);
        let motion_b = if random.chance(0.5) || other == KINDS - 1 {
            Motion::still(place).unwrap()
        } else {
            let drift = random.vector(0.5);
            random_spin(&mut random, place, drift, 40.0)
        };
        let samples = if matches!(b, Shape::TriangleMesh(_) | Shape::Heightfield(_) | Shape::Compound(_)) {
            60
        } else {
            800
        };
        hits += u32::from(holds(&a, &motion_a, &b, &motion_b, samples));
    }
    assert!(hits > 60, "only {hits} contacts");
}

fn asked(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) -> (TimeOfImpact, u64) {
    let (a, b) = (Touchable::new(a).unwrap(), Touchable::new(b).unwrap());
    let mut budget = Budget::unlimited();
    let options = ImpactOptions::default();
    let answer =
        shape_time_of_impact(&a, motion_a, &b, motion_b, &options, &mut budget, &mut Workspace::new());
    (answer.unwrap(), budget.used())
}

/// Lowest x of a box on its way at many instants, by matrices made here: Rodrigues' formula, column by column.
fn lowest(half: DVec3, motion: &PrecessionMotion, until: f64, samples: usize) -> f64 {
    let turned = |vector: DVec3| {
        let angle = vector.length();
        let k = if angle > 0.0 { vector / angle } else { DVec3::X };
        let cross = DMat3::from_cols(k.cross(DVec3::X), k.cross(DVec3::Y), k.cross(DVec3::Z));
        DMat3::IDENTITY + cross * libm::sin(angle) + cross * cross * (1.0 - libm::cos(angle))
    };
    let start = DMat3::from_quat(motion.start.rotation);
    (0..=samples).fold(f64::INFINITY, |least, i| {
        let t = until * i as f64 / samples as f64;
        let rotation = turned(motion.turn * t) * start * turned(motion.spin * t);
        let centre = motion.start.translation.x + motion.velocity.x * t;
        let row = rotation.row(0).abs();
        least.min(centre - row.dot(half))
    })
}

/// Sticks that turn by up to 2,000 rad on their way to a plate, judged by formulas of this file alone: what is called free stays in front of
/// the plate, and a contact is one.
#[test]
fn sticks_that_turn_a_thousand_times_never_reach_the_plate_before_their_contact() {
    let mut random = Random::new(5);
    let half = DVec3::new(0.02, 0.5, 0.02);
    let plate = at(-0.005, 0.0, 0.0);
    let (mut hits, mut misses) = (0, 0);
    for case in 0..60 {
        let motion = PrecessionMotion {
            start: Pose::new(random.rotation(), DVec3::X * random.between(0.6, 1.5)),
            reference: DVec3::ZERO,
            velocity: DVec3::new(random.between(-1.5, 0.3), 0.0, 0.0),
            turn: random.direction() * random.between(0.0, 150.0),
            spin: DVec3::Y * random.between(0.0, 2000.0),
        };
        let way = Motion::precession(motion).unwrap();
        let still = Motion::still(plate).unwrap();
        let wall =
            if case % 2 == 0 { cuboid(0.005, 10.0, 10.0) } else { mesh_box(DVec3::new(0.005, 10.0, 10.0)) };
        let (answer, _) = asked(&cuboid(half.x, half.y, half.z), &way, &wall, &still);
        assert!(answer.finished);
        let least = lowest(half, &motion, answer.free_until, 20_000);
        // A thousand radians round by some 1e-12; the guard is 2e-5.
        assert!(least > 1e-5, "{least} m after {}: {motion:?}", answer.free_until);
        match answer.contact {
            Some((t, _)) => {
                let there = lowest(half, &PrecessionMotion { start: way.pose(t), ..motion }, 0.0, 1);
                assert!(there < 2.2e-5, "contact at {there} m");
                hits += 1;
            }
            None => misses += 1,
        }
    }
    assert!(hits > 20 && misses > 5, "{hits} hits, {misses} misses");
}

/// What covers nothing of the other on its rounds is proven in a few looks, however often it turns.
#[test]
fn the_number_of_turns_costs_nothing_where_rounds_are_free() {
    let stick = cuboid(0.02, 0.5, 0.02);
    for turns in [1e1, 1e3, 1e5] {
        let top = |x: f64, velocity: DVec3| {
            let start = at(x, 0.0, 0.0);
            let (turn, spin) = (DVec3::new(0.1, 0.2, 1.0) * turns, DVec3::Y * 3.0 * turns);
            let motion = PrecessionMotion { start, reference: DVec3::ZERO, velocity, turn, spin };
            Motion::precession(motion).unwrap()
        };
        let still = Motion::still(Pose::IDENTITY).unwrap();
        // Away from a plate, past another spinner, and beside a plate whose face its rounds do not reach.
        for (motion, other, other_motion) in [
            (top(0.6, DVec3::X * 3.0), cuboid(0.05, 3.0, 3.0), still.clone()),
            (top(1.2, DVec3::Y * 5.0), stick.clone(), top(0.0, DVec3::ZERO)),
            (top(0.6, DVec3::Y * 0.3), mesh_box(DVec3::new(0.05, 3.0, 3.0)), still.clone()),
        ] {
            let (answer, work) = asked(&stick, &motion, &other, &other_motion);
            assert_eq!(answer.free_until, 1.0);
            assert!(work <= 40, "{work} units for {turns} rad");
        }
    }
}
