//! Motions whose first contact a formula knows.

use glam::DVec3;
use prall_detection::{Feature, ImpactOptions, ShapePart};
use prall_geometry::{HalfSpace, Shape};
use prall_math::{Motion, Pose, Twist};

use crate::oracle::{at, cuboid, impact, impact_with};

/// The contact is called where the gap is the guard, within the tolerance.
const OPTIONS: ImpactOptions = ImpactOptions { tolerance: 1e-6, guard: 20e-6, relax_at_start: true };

fn still(pose: Pose) -> Motion {
    Motion::still(pose).unwrap()
}

fn go(start: Pose, way: DVec3) -> Motion {
    Motion::slerp(start, Pose { translation: start.translation + way, ..start }).unwrap()
}

#[test]
fn two_balls_meet_when_their_centres_are_as_near_as_their_radii() {
    let (a, b) = (Shape::sphere(0.3).unwrap(), Shape::sphere(0.2).unwrap());
    // Centres pass each other at 0.4 m; 3 m along x, so at x = -0.3 they are 0.5 m apart.
    let answer = impact(&a, &go(at(-1.5, 0.4, 0.0), DVec3::X * 3.0), &b, &still(Pose::IDENTITY));
    let reach = 0.5 + OPTIONS.guard;
    let expected = (1.5 - (reach * reach - 0.16_f64).sqrt()) / 3.0;
    let (t, contact) = answer.contact.unwrap();
    assert_eq!(t, answer.free_until);
    // A micrometre of tolerance along the slope 0.3 / 0.5 of the distance.
    assert!(t <= expected && t > expected - 1e-6, "{t} for {expected}");
    assert!((contact.normal - DVec3::new(-0.6, 0.8, 0.0)).length() < 1e-4);
    assert!(contact.gap > OPTIONS.guard && contact.gap <= OPTIONS.guard + OPTIONS.tolerance);
}

#[test]
fn a_spinning_ball_falls_on_a_plane_as_if_it_did_not_spin() {
    let ball = Shape::sphere(0.25).unwrap();
    let twist = Twist { linear: DVec3::NEG_Y, angular: DVec3::new(30.0, 10.0, -5.0) };
    let motion = Motion::from_twist(at(0.0, 0.75, 0.0), DVec3::ZERO, twist, 1.0).unwrap();
    let answer = impact(&ball, &motion, &Shape::HalfSpace(HalfSpace), &still(Pose::IDENTITY));
    let (t, contact) = answer.contact.unwrap();
    assert!((t - (0.5 - OPTIONS.guard)).abs() <= OPTIONS.tolerance);
    assert!((contact.normal - DVec3::Y).length() < 1e-12);
    assert_eq!(contact.features.on_b, Feature::Shape { child: 0, part: ShapePart::Face(0) });
}

#[test]
fn a_rod_that_turns_meets_the_plane_with_its_end() {
    // The end of a turning capsule of half height 0.5 is 0.5 sin(angle) + radius below its middle.
    let rod = Shape::capsule(0.5, 0.01).unwrap();
    let lying = glam::DQuat::from_rotation_z(-std::f64::consts::FRAC_PI_2);
    let start = Pose::new(lying, DVec3::Y * 0.3);
    let twist = Twist { linear: DVec3::ZERO, angular: DVec3::Z * 1.5 };
    let motion = Motion::from_twist(start, DVec3::ZERO, twist, 1.0).unwrap();
    let answer = impact(&rod, &motion, &Shape::HalfSpace(HalfSpace), &still(Pose::IDENTITY));
    let expected = libm::asin((0.29 - OPTIONS.guard) / 0.5) / 1.5;
    let (t, _) = answer.contact.unwrap();
    assert!(t <= expected && t > expected - 4e-6, "{t} for {expected}");
}

#[test]
fn a_box_that_moves_straight_stops_at_a_box_with_the_guard_between() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let answer = impact(&cube, &go(at(0.1, 2.0, -0.2), DVec3::NEG_Y * 4.0), &cube, &still(Pose::IDENTITY));
    let (t, contact) = answer.contact.unwrap();
    assert!((t - (1.0 - OPTIONS.guard) / 4.0).abs() <= OPTIONS.tolerance);
    assert!((contact.normal - DVec3::Y).length() < 1e-9);
    assert_eq!(contact.features.on_a, Feature::Shape { child: 0, part: ShapePart::Face(2) });
    assert_eq!(contact.features.on_b, Feature::Shape { child: 0, part: ShapePart::Face(3) });
}

#[test]
fn boxes_that_rest_on_each_other_slide_and_part_without_contact() {
    let cube = cuboid(0.5, 0.5, 0.5);
    for start_gap in [1e-3, 1e-5, 1e-7, 1e-9, 1e-11] {
        for way in [DVec3::new(0.7, 0.0, 0.3), DVec3::new(0.2, 0.5, 0.0)] {
            let motion = go(at(0.0, 1.0 + start_gap, 0.0), way);
            let answer = impact(&cube, &motion, &cube, &still(Pose::IDENTITY));
            assert_eq!((answer.free_until, answer.contact), (1.0, None), "{start_gap} {way}");
        }
    }
}

#[test]
fn a_box_turns_about_its_normal_on_what_it_rests_on() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let twist = Twist { linear: DVec3::X * 0.2, angular: DVec3::Y * 7.0 };
    let motion = Motion::from_twist(at(0.0, 1.0 + 1e-8, 0.0), DVec3::ZERO, twist, 1.0).unwrap();
    for ground in [cuboid(0.5, 0.5, 0.5), Shape::HalfSpace(HalfSpace)] {
        let lift = if matches!(ground, Shape::HalfSpace(_)) { 0.5 } else { 0.0 };
        let answer = impact(&cube, &motion, &ground, &still(at(0.0, lift, 0.0)));
        assert_eq!(answer.free_until, 1.0);
    }
}

#[test]
fn a_pressed_box_keeps_half_of_its_gap() {
    let cube = cuboid(0.5, 0.5, 0.5);
    for start_gap in [1e-5, 1e-7, 1e-9] {
        let motion = go(at(0.0, 1.0 + start_gap, 0.0), DVec3::new(0.3, -3.0 * start_gap, 0.0));
        let answer = impact(&cube, &motion, &cube, &still(Pose::IDENTITY));
        let expected = 0.5 / 3.0;
        // A tolerance of a quarter of the gap, and rounding that is up to 1e-14 of a gap of 1e-9.
        assert!(answer.free_until <= expected + 1e-4, "{answer:?}");
        assert!(answer.free_until >= expected - 0.25 / 3.0 - 1e-4, "{answer:?}");
    }
}

#[test]
fn shapes_that_touch_or_overlap_at_the_start_are_in_contact_at_once() {
    let cube = cuboid(0.5, 0.5, 0.5);
    for height in [1.0, 0.9, 0.0] {
        let away = go(at(0.0, height, 0.0), DVec3::Y * 3.0);
        let answer = impact(&cube, &away, &cube, &still(Pose::IDENTITY));
        let (t, contact) = answer.contact.unwrap();
        assert_eq!((t, answer.free_until, contact.gap), (0.0, 0.0, 0.0));
        assert!((contact.normal.length() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_clearance_holds_from_the_start_if_it_is_not_relaxed() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let options = ImpactOptions { guard: 0.01, relax_at_start: false, ..OPTIONS };
    let near = go(at(0.0, 1.005, 0.0), DVec3::Y);
    assert_eq!(impact_with(&cube, &near, &cube, &still(Pose::IDENTITY), &options).free_until, 0.0);
    let far = go(at(0.0, 1.5, 0.0), DVec3::NEG_Y);
    let answer = impact_with(&cube, &far, &cube, &still(Pose::IDENTITY), &options);
    assert!((answer.free_until - 0.49).abs() <= 1e-6);
}

#[test]
fn a_body_that_enters_and_leaves_within_the_step_is_seen() {
    let cube = cuboid(0.1, 0.1, 0.1);
    let bullet = Shape::sphere(0.001).unwrap();
    for way in [10.0, 1e3, 1e5] {
        let answer =
            impact(&bullet, &go(at(-way, 0.0, 0.0), DVec3::X * 2.0 * way), &cube, &still(Pose::IDENTITY));
        let expected = (way - 0.101 - OPTIONS.guard) / (2.0 * way);
        assert!((answer.free_until - expected).abs() * 2.0 * way <= 1e-6 + 1e-10 * way, "{answer:?}");
    }
}
