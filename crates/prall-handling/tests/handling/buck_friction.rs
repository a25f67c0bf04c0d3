//! Friction in the method of Buck 1999, chapter 7: closed forms, and the filter beside it.

use std::f64::consts::{FRAC_PI_2, TAU};

use glam::{DMat3, DQuat, DVec2, DVec3};
use prall_detection::NearKind;
use prall_geometry::{Shape, generate};
use prall_handling::buck::{BuckContact, BuckHeld, BuckOptions, FrictionDirection, Partner};
use prall_handling::{Budget, Friction, HandlingOptions, Held, Metric, Obstacle};
use prall_math::{Pose, Twist};

use crate::buck::{INTERVAL, mass, take};
use crate::shapes::*;

/// A contact that sticks can move by this, in m, before its planes hold it.
const PLAY: f64 = 10e-6;

fn with(friction: Friction) -> BuckOptions {
    BuckOptions { friction, ..BuckOptions::default() }
}

pub(crate) fn go(held: &mut BuckHeld, linear: DVec3, angular: DVec3, steps: usize) {
    for _ in 0..steps {
        held.step(&Twist::new(linear, angular), INTERVAL).unwrap();
    }
}

fn speed(held: &BuckHeld) -> DVec3 {
    held.velocities().next().unwrap().linear
}

pub(crate) fn auxiliary(held: &BuckHeld) -> usize {
    held.contacts().iter().filter(|contact| contact.is_auxiliary()).count()
}

/// Presses down, and turns a little, so that the load lies within a triple of corners and not on the diagonal of the base.
const DOWN: DVec3 = DVec3::new(0.0, -0.1, 0.0);
const LEAN: DVec3 = DVec3::new(0.03, 0.0, 0.05);

/// A box that has come down on the table.
fn box_on_table(friction: Friction) -> BuckHeld {
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    let start = Pose::new(DQuat::from_rotation_z(0.02), DVec3::new(-0.2, 0.035, 0.0));
    let mut held = take(&part, start, vec![table()], with(friction));
    go(&mut held, DOWN, LEAN, 100);
    held
}

/// The same in the filter, with the mass as its metric.
fn filter_on_table(friction: Friction) -> Held {
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    let metric = Metric::Mass(mass(&part));
    let options = HandlingOptions { metric, friction, ..HandlingOptions::default() };
    let mut held = Held::new(&part, at(-0.2, 0.0301, 0.0), vec![table()], options).unwrap();
    press(&mut held, DOWN, DVec3::ZERO, 20);
    held
}

fn press(held: &mut Held, linear: DVec3, angular: DVec3, steps: usize) {
    for _ in 0..steps {
        held.step(Some(&velocity(linear, angular)), INTERVAL, &mut Budget::unlimited()).unwrap();
    }
}

/// F36: what slides loses friction times the normal impulse, and nothing across; the filter says the same.
#[test]
fn bucks_box_slides_as_coulomb_says_and_as_in_the_filter() {
    for friction in [0.0, 0.1, 0.3, 0.5] {
        let mut held = box_on_table(Friction::of(friction));
        go(&mut held, DVec3::new(0.2, -0.1, 0.0), DVec3::ZERO, 60);
        let expected = DVec3::X * (0.2 - 0.1 * friction);
        let mut filter = filter_on_table(Friction::of(friction));
        press(&mut filter, DVec3::new(0.2, -0.1, 0.0), DVec3::ZERO, 60);
        for found in [speed(&held), filter.report().twist.linear] {
            assert!((found - expected).length() < 1e-6, "{friction}: {found} {expected}");
        }
        assert_eq!(auxiliary(&held), 0);
    }
}

/// F37, F41: pushes within the cone are held by at most three planes that points have met, and pushes beyond it slide on; in every direction, as in the filter.
///
/// The law sums what single contacts are held with. Planes at right angles that are met by different contacts count with |cos| + |sin| instead of 1, so that only 0.707 of the cone
/// are sure to hold; the filter holds 0.99 of it in every direction.
#[test]
fn bucks_box_sticks_in_every_direction_and_slides_beyond_its_cone() {
    for step in 0..12 {
        let along = DQuat::from_rotation_y(f64::from(step) / 12.0 * TAU) * DVec3::X;
        let axis = step % 3 == 0;
        for share in if axis { [0.3, 0.9, 0.95] } else { [0.3, 0.6, 0.7] } {
            let mut held = box_on_table(Friction::of(0.5));
            let before = held.pose().translation;
            let mut most = 0;
            for _ in 0..200 {
                go(&mut held, DOWN + along * (0.05 * share), LEAN, 1);
                most = most.max(auxiliary(&held));
            }
            let moved = held.pose().translation - before;
            assert!(moved.length() < 2.0 * PLAY, "{step} {share}: {moved}");
            assert!((1..=3).contains(&most), "{step} {share}: {most}");
            assert_eq!(held.free_directions() + held.contacts().len(), 6);
        }
        let mut filter = filter_on_table(Friction::of(0.5));
        press(&mut filter, DOWN + along * 0.0495, LEAN, 200);
        assert!(filter.report().twist.linear.length() < 1e-7);
        let mut held = box_on_table(Friction::of(0.5));
        go(&mut held, DOWN + along * 0.06, LEAN, 100);
        press(&mut filter, DOWN + along * 0.06, LEAN, 100);
        // What leans turns a little, so the slip of its corners is not quite along the push.
        for found in [speed(&held), filter.report().twist.linear] {
            assert!((found - along * 0.01).length() < 5e-4, "{step}: {found} {along}");
        }
    }
}

/// The velocity that an impulse in N s at a point gives to a part at rest.
pub(crate) fn impulse_at(shape: &Shape, pose: &Pose, point: DVec3, impulse: DVec3) -> Twist {
    let properties = mass(shape);
    let turn = DMat3::from_quat(pose.rotation);
    let inverse = turn * properties.inertia.inverse() * turn.transpose();
    let arm = point - pose.transform_point(properties.center_of_mass);
    Twist::new(impulse / properties.mass, inverse * arm.cross(impulse))
}

/// A square prism along y, with edges before, behind and beside its axis.
pub(crate) fn rod(length: f64) -> Shape {
    let outline = [(0.0, -0.01), (0.01, 0.0), (0.0, 0.01), (-0.01, 0.0)].map(DVec2::from);
    mesh(&generate::prism(&outline, length).unwrap())
}

/// Two rods of 0.15 m (thinner ones turn more slowly about their own axis in the filter), the lower one along x, the upper one along z on it; the edges cross at the origin of x and z.
pub(crate) fn crossed_rods() -> (Shape, Vec<Obstacle>, Pose) {
    let shape = rod(0.15);
    let lying = Pose::new(DQuat::from_rotation_z(FRAC_PI_2), DVec3::ZERO);
    let across = Pose::new(DQuat::from_rotation_x(FRAC_PI_2), DVec3::Y * 0.0201);
    (shape.clone(), vec![obstacle("rod", &shape, lying)], across)
}

/// Pushes the upper of two crossed rods where they cross.
fn push_crossing(held: &mut BuckHeld, shape: &Shape, push: DVec3, steps: usize) {
    for _ in 0..steps {
        let pose = *held.pose();
        let crossing = held.contacts().first().map_or(pose.translation, |contact| held.state(contact).on_a);
        let wish = impulse_at(shape, &pose, crossing, push * mass(shape).mass);
        held.step(&wish, INTERVAL).unwrap();
    }
}

/// F38: crossed rods, edge on edge: neither edge slides along the other, and turning about the normal and tilting stay free.
#[test]
fn crossed_edges_stick_by_two_planes_on_each_and_turn_freely() {
    let (shape, lying, across) = crossed_rods();
    let mut held = take(&shape, across, lying, with(Friction::of(0.5)));
    push_crossing(&mut held, &shape, DOWN, 40);
    assert_eq!(held.contacts()[0].kind(), Some(NearKind::EdgeEdge));
    let before = held.pose().translation;
    for along in [DVec3::X, DVec3::Z, DVec3::new(-0.6, 0.0, 0.6)] {
        push_crossing(&mut held, &shape, DOWN + along * 0.04, 100);
        let moved = held.pose().translation - before;
        assert!(moved.length() < 3.0 * PLAY, "{along}: {moved}");
        assert!((1..=2).contains(&auxiliary(&held)), "{along}: {:?}", held.contacts());
    }
    assert_eq!((auxiliary(&held), held.free_directions()), (2, 3));
    // It turns on the spot as fast as the hand.
    let place = held.state(&held.contacts()[0]).on_b;
    for _ in 0..50 {
        let crossing = held.state(&held.contacts()[0]).on_a;
        let mut wish = impulse_at(&shape, held.pose(), crossing, DOWN * mass(&shape).mass);
        wish.angular += DVec3::Y * 0.3;
        held.step(&wish, INTERVAL).unwrap();
    }
    let turned = held.pose().rotation * across.rotation.conjugate();
    assert!((2.0 * libm::atan2(turned.y, turned.w) - 0.15).abs() < 1e-3, "{turned}");
    assert!((held.state(&held.contacts()[0]).on_b - place).length() < 3.0 * PLAY);
}

/// F40, F41: sticking 0.5, sliding 0.3, load at 0.4: what rests stays, what slides goes on; vertices on a face and edges on edges, in both methods.
#[test]
fn at_a_load_between_both_coefficients_what_rests_stays_and_what_slides_goes_on() {
    let friction = Friction { sticking: 0.5, sliding: 0.3 };
    let (slow, fast) = (DVec3::new(0.04, -0.1, 0.0), DVec3::new(0.1, -0.1, 0.0));
    let expected = DVec3::X * 0.01;
    let mut held = box_on_table(friction);
    let mut filter = filter_on_table(friction);
    go(&mut held, slow, LEAN, 200);
    press(&mut filter, slow, LEAN, 200);
    assert!(speed(&held).length() < 1e-6 && filter.report().twist.linear.length() < 1e-6);
    go(&mut held, fast, LEAN, 20);
    press(&mut filter, fast, LEAN, 20);
    go(&mut held, slow, LEAN, 50);
    press(&mut filter, slow, LEAN, 50);
    for found in [speed(&held), filter.report().twist.linear] {
        assert!((found - expected).length() < 5e-4, "faces: {found}");
    }

    let (shape, lying, across) = crossed_rods();
    let metric = Metric::Mass(mass(&shape));
    let options = HandlingOptions { metric, friction, ..HandlingOptions::default() };
    let mut filter = Held::new(&shape, across, lying.clone(), options).unwrap();
    let mut press_crossing = |push: DVec3, steps: usize| {
        for _ in 0..steps {
            let pose = *filter.pose();
            // The upper edge, where it crosses the lower one.
            let crossing = DVec3::new(pose.translation.x, 0.01 + 10e-6, 0.0);
            let wish = impulse_at(&shape, &pose, crossing, push * mass(&shape).mass);
            filter
                .step(Some(&velocity(wish.linear, wish.angular)), INTERVAL, &mut Budget::unlimited())
                .unwrap();
        }
        filter.report().twist.linear
    };
    let mut held = take(&shape, across, lying, with(friction));
    push_crossing(&mut held, &shape, DOWN, 20);
    press_crossing(DOWN, 20);
    push_crossing(&mut held, &shape, slow, 20);
    let resting = press_crossing(slow, 20);
    assert!(speed(&held).length() < 1e-6 && resting.length() < 1e-6, "{} {resting}", speed(&held));
    push_crossing(&mut held, &shape, fast, 20);
    press_crossing(fast, 20);
    push_crossing(&mut held, &shape, slow, 20);
    for found in [speed(&held), press_crossing(slow, 20)] {
        assert!((found - expected).length() < 5e-4, "edges: {found}");
    }
}

/// F40: what slides by its own momentum stops, sticks, and stays within its play.
#[test]
fn a_box_that_is_pushed_no_longer_stops_and_does_not_tremble() {
    let mut held = box_on_table(Friction::of(0.3));
    go(&mut held, DVec3::new(0.2, -0.1, 0.0), LEAN, 30);
    let start = speed(&held).x;
    let (mut intervals, mut stuck, mut slid) = (0, 0, 0);
    while stuck == 0 {
        let now = speed(&held);
        go(&mut held, DVec3::new(now.x, -0.1, 0.0), LEAN, 1);
        (intervals, stuck) = (intervals + 1, stuck + held.report().stuck);
        assert!(speed(&held).x > -1e-9, "it never turns back");
    }
    // Friction takes 0.03 m/s in an interval.
    assert_eq!(intervals, (start / 0.03) as i32 + 1);
    let place = held.pose().translation;
    for _ in 0..200 {
        let now = speed(&held);
        go(&mut held, DVec3::new(now.x, -0.1, now.z), LEAN, 1);
        slid += held.report().slid;
        assert!((held.pose().translation - place).length() < 2.0 * PLAY);
    }
    assert_eq!(slid, 0);
}

/// As published, friction is against the slip at the start of the interval: a slide that is slower than what friction takes in an interval swings from side to side, a faster one is right.
#[test]
fn friction_against_the_slip_before_is_right_for_fast_slides_only() {
    let run = |friction_direction: FrictionDirection, push: f64| {
        let options =
            BuckOptions { friction_direction, friction: Friction::of(0.5), ..BuckOptions::default() };
        let mut held = box_on_table(Friction::of(0.5)).with_options(options).unwrap();
        let mut worst = 0.0_f64;
        for step in 0..200 {
            go(&mut held, DVec3::new(push, -0.1, 0.0), LEAN, 1);
            if step >= 100 {
                worst = worst.max((speed(&held) - DVec3::X * (push - 0.05)).length());
            }
        }
        worst
    };
    assert!(run(FrictionDirection::SlipBefore, 0.2) < 5e-4);
    assert!(run(FrictionDirection::SlipBefore, 0.06) > 0.02);
    assert!(run(FrictionDirection::SlipWithout, 0.06) < 5e-4);
}

/// 7.1 prints the whole velocity in the direction of friction; across the normal is meant (52).
#[test]
fn a_landing_with_slip_loses_friction_times_the_normal_impulse_and_no_more() {
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    let tilt = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 0.2, 0.25);
    let landing = DVec3::new(1.0, -0.2, 0.0);
    for friction_direction in [FrictionDirection::SlipBefore, FrictionDirection::SlipWithout] {
        let options =
            BuckOptions { friction_direction, friction: Friction::of(0.2), ..BuckOptions::default() };
        let mut held = take(&part, Pose::new(tilt, DVec3::Y * 0.1), vec![table()], options);
        while held.contacts().is_empty() {
            go(&mut held, landing, DVec3::ZERO, 1);
        }
        go(&mut held, landing, DVec3::ZERO, 1);
        let change = speed(&held) - landing;
        let along = DVec3::new(change.x, 0.0, change.z).length();
        assert!(change.y > 0.05 && (along - 0.2 * change.y).abs() < 1e-12, "{change}");
    }
}

/// A part rides on another one that is pushed: it gains friction times its weight in an interval until it sticks, what one gets the other loses, and both keep their gaps.
#[test]
fn a_part_that_rides_on_another_one_is_taken_along_by_friction() {
    let (low, high) = (cuboid(DVec3::new(0.2, 0.04, 0.2)), cuboid(DVec3::new(0.1, 0.06, 0.08)));
    let mut held = take(&low, at(0.0, 0.0201, 0.0), vec![table()], with(Friction::of(0.3)))
        .with_part(&high, &mass(&high), at(0.0, 0.0703, 0.0))
        .unwrap();
    let down = Twist::new(DOWN, LEAN);
    for _ in 0..100 {
        held.step_each(&[down, down], INTERVAL).unwrap();
    }
    assert_eq!((held.contacts().len(), held.free_directions()), (6, 6));
    // Friction 0.3 under the weight of both takes 0.06, above it under that of one 0.03; both have the same mass.
    // Both pairs stick first.
    for _ in 0..20 {
        held.step_each(&[Twist::new(DVec3::new(0.3, -0.1, 0.0), LEAN), down], INTERVAL).unwrap();
    }
    let velocities: Vec<Twist> = held.velocities().copied().collect();
    assert!((velocities[0].linear.x - (0.3 - 0.06 - 0.03)).abs() < 1e-3, "{velocities:?}");
    assert!((velocities[1].linear.x - 0.03).abs() < 1e-3, "{velocities:?}");
    for _ in 0..100 {
        let along = held.velocities().nth(1).unwrap().linear.x;
        let wishes = [DVec3::new(0.1, -0.1, 0.0), DVec3::new(along, -0.1, 0.0)];
        held.step_each(&wishes.map(|linear| Twist::new(linear, LEAN)), INTERVAL).unwrap();
    }
    // It has caught up and sticks on it.
    let velocities: Vec<Twist> = held.velocities().copied().collect();
    assert!((velocities[0].linear.x - 0.04).abs() < 1e-3, "{velocities:?}");
    // They go as one, and turn a little together.
    let centres: Vec<DVec3> = held.poses().map(|pose| pose.translation).collect();
    let carried = velocities[0].linear + velocities[0].angular.cross(centres[1] - centres[0]);
    assert!((carried - velocities[1].linear).length() < 1e-4, "{velocities:?}");
    assert!((velocities[0].angular - velocities[1].angular).length() < 1e-3, "{velocities:?}");
    let riding = held.contacts().iter().filter(|contact| contact.partner == Partner::Part(1));
    assert!(riding.clone().any(BuckContact::is_sticking));
    assert!(
        riding
            .filter(|contact| !contact.is_auxiliary())
            .all(|contact| (held.gap(contact) - 10e-6).abs() < 1e-7)
    );
}
