//! T14 to T17, T20 and T21: what sticks and what slides.

use std::f64::consts::FRAC_PI_2;

use glam::{DAffine3, DQuat, DVec3};
use prall_geometry::{PolygonSoup, Shape, generate};
use prall_handling::Friction;
use prall_math::{Pose, Twist};

use super::sets::{brick, ground, tip, upside_down};
use super::{Situation, row};
use crate::buck::mass;
use crate::buck_friction::{auxiliary, impulse_at, rod};
use crate::shapes::*;

/// A contact that sticks can move by this, in m.
const PLAY: f64 = 10e-6;

/// T14: a rod leans on a wall and sticks; forces are unique.
#[test]
fn t14_a_leaning_rod_sticks_with_unique_forces() {
    let part = cuboid(DVec3::new(0.2, 0.01, 0.04));
    let wall = (cuboid(DVec3::new(0.1, 0.6, 0.4)), at(-0.05, 0.3, 0.0));
    // Leaning at 60 degrees; 37 would do for this friction.
    let turn = DQuat::from_rotation_z(-1.047);
    let start = Pose::new(turn, DVec3::new(0.0553, 0.0901, 0.0));
    let situation = Situation::new(part, start, vec![ground(), wall]).rubbing(Friction::of(0.5));
    let wish = Twist::new(DVec3::new(0.0, -0.05, 0.0), DVec3::ZERO);
    let ((mut buck, first), (mut filter, second)) = situation.play(200, |_, _| wish);
    let before = (*buck.pose(), *filter.pose());
    assert_eq!(buck.contacts().len() + buck.free_directions(), 6);
    for _ in 0..200 {
        buck.step(&wish, crate::buck::INTERVAL).unwrap();
        let command = velocity(wish.linear, wish.angular);
        filter.step(Some(&command), crate::buck::INTERVAL, &mut prall_handling::Budget::unlimited()).unwrap();
    }
    assert!((buck.pose().translation - before.0.translation).length() < 5.0 * PLAY);
    assert!((filter.pose().translation - before.1.translation).length() < 1e-6);
    row(
        "T14",
        "A rod leans on a wall at 60 degrees, friction 0.5",
        &first,
        &second,
        "Planes carry what two directions would share",
    );
}

/// T15: a tip that sticks stays within its play, and every turn is free.
#[test]
fn t15_a_tip_that_sticks_leaves_every_turn_free() {
    let situation =
        Situation::new(tip(), upside_down(DVec3::Y * 0.031), vec![ground()]).rubbing(Friction::of(0.5));
    let part = tip();
    let ((buck, first), (filter, second)) = situation.play(200, |step, pose| {
        let at = pose.transform_point(DVec3::Y * 0.03);
        let push = DVec3::new(0.02, -0.1, 0.02) * mass(&part).mass;
        let mut wish = impulse_at(&part, pose, at, push);
        // It is turned about its tip: about all axes.
        if step >= 40 {
            let turn = DVec3::new(0.1, 0.2, -0.1);
            wish.linear += turn.cross(pose.translation - at);
            wish.angular += turn;
        }
        wish
    });
    assert_eq!((first.free, auxiliary(&buck)), (3, 2));
    assert_eq!(second.free, 3);
    for pose in [buck.pose(), filter.pose()] {
        let turned = pose.rotation * upside_down(DVec3::ZERO).rotation.conjugate();
        assert!(turned.to_axis_angle().1 > 0.2, "{turned}");
    }
    row("T15", "A tip that sticks is turned", &first, &second, "");
}

/// T16: a block slides to rest.
#[test]
fn t16_a_sliding_block_comes_to_rest() {
    let start = Pose::new(DQuat::from_rotation_z(0.02), DVec3::new(-0.2, 0.034, 0.0));
    let situation = Situation::new(brick(), start, vec![ground()]).rubbing(Friction::of(0.3));
    let ((buck, first), (filter, second)) = situation.play(260, |step, _| {
        let push = if (60..160).contains(&step) { 0.1 } else { 0.01 };
        Twist::new(DVec3::new(push, -0.1, 0.0), DVec3::new(0.03, 0.0, 0.05))
    });
    let speeds = (buck.velocities().next().unwrap().linear.length(), filter.report().twist.linear.length());
    assert!(speeds.0 < 1e-6 && speeds.1 < 1e-9, "{speeds:?}");
    assert!(buck.pose().translation.x > -0.15 && filter.pose().translation.x > -0.15);
    row(
        "T16",
        "A block slides and comes to rest, friction 0.3",
        &first,
        &second,
        "It rests against planes; in the filter each contact sticks",
    );
}

/// T17: a face that sticks needs three planes at most.
#[test]
fn t17_a_face_that_sticks_needs_three_planes_at_most() {
    let start = Pose::new(DQuat::from_rotation_z(0.02), DVec3::new(0.0, 0.034, 0.0));
    let situation = Situation::new(brick(), start, vec![ground()]).rubbing(Friction::of(0.5));
    let ((buck, first), (_, second)) = situation.play(300, |step, _| {
        let push = if step < 60 { DVec3::ZERO } else { DVec3::new(0.012, 0.0, 0.009) };
        Twist::new(DVec3::NEG_Y * 0.1 + push, DVec3::new(0.03, if step < 60 { 0.0 } else { 0.1 }, 0.05))
    });
    assert_eq!((first.count, first.free, auxiliary(&buck)), (3, 0, 3));
    assert_eq!(second.free, 0);
    row(
        "T17",
        "A flat face that sticks is pushed and turned",
        &first,
        &second,
        "Three planes instead of six directions",
    );
}

/// A bar on two legs with tips, the needle at -x and the lead at +x, tips at height 0.
fn compasses() -> Shape {
    let leg = generate::cone(0.004, 0.04, 5).unwrap();
    let mut soup = PolygonSoup::new();
    for x in [-0.04, 0.04] {
        let down = DAffine3::from_rotation_translation(
            DQuat::from_rotation_x(std::f64::consts::PI),
            DVec3::new(x, 0.02, 0.0),
        );
        soup.append(&leg.transformed(&down).unwrap()).unwrap();
    }
    let bar = generate::cuboid(DVec3::new(0.1, 0.01, 0.02)).unwrap();
    soup.append(&bar.transformed(&DAffine3::from_translation(DVec3::Y * 0.042)).unwrap()).unwrap();
    mesh(&soup)
}

/// T20: the needle of compasses is pressed in, the lead is pushed sideways. By a law for each contact the lead draws a circle; by a law for each pair both stand, or both slide.
#[test]
fn t20_compasses_draw_a_circle_by_a_law_for_each_contact_only() {
    let part = compasses();
    let situation =
        Situation::new(part.clone(), at(0.0, 3e-4, 0.0), vec![ground()]).rubbing(Friction::of(0.5));
    let weight = mass(&part).mass;
    let run = |aside: f64| {
        situation.play(100, |step, pose| {
            let (needle, lead) = (DVec3::X * -0.04, DVec3::X * 0.04);
            let push = if step < 40 { 0.0 } else { aside };
            let across = pose.rotation * DVec3::Z;
            let pressed = impulse_at(&part, pose, pose.transform_point(needle), DVec3::NEG_Y * 0.1 * weight);
            let pushed = impulse_at(
                &part,
                pose,
                pose.transform_point(lead),
                (DVec3::NEG_Y * 0.01 + across * push) * weight,
            );
            pressed + pushed
        })
    };
    let ((buck, first), (filter, second)) = run(0.01);
    let tips = |pose: &Pose| [-0.04, 0.04].map(|x| pose.transform_point(DVec3::X * x));
    let (stands, draws) = (tips(buck.pose()), tips(filter.pose()));
    assert!((draws[0] - DVec3::new(-0.04, draws[0].y, 0.0)).length() < 5e-4, "{draws:?}");
    assert!((draws[1] - DVec3::X * 0.04).length() > 0.005 && draws[1].y < 2e-5, "{draws:?}");
    assert!((stands[1] - DVec3::X * 0.04).length() < 1e-3, "{stands:?}");
    // Pushed harder, the needle slips with the lead.
    let ((buck, ..), _) = run(0.1);
    let slips = tips(buck.pose());
    assert!((slips[0] - DVec3::new(-0.04, slips[0].y, 0.0)).length() > 0.005, "{slips:?}");
    row(
        "T20",
        "Compasses: the needle is pressed in, the lead pushed aside",
        &first,
        &second,
        "Differs: the filter draws the circle; Buck's pair stands, or pushed ten times as hard slides with its needle",
    );
}

/// T21: crossed rods that stick.
#[test]
fn t21_crossed_rods_stick_and_turn_about_the_normal() {
    let part = rod(0.15);
    let lying = Pose::new(DQuat::from_rotation_z(FRAC_PI_2), DVec3::ZERO);
    let across = Pose::new(DQuat::from_rotation_x(FRAC_PI_2), DVec3::Y * 0.0201);
    let situation =
        Situation::new(part.clone(), across, vec![(part.clone(), lying)]).rubbing(Friction::of(0.5));
    let ((buck, first), (filter, second)) = situation.play(100, |step, pose| {
        // Where the lowest edge is above the axis of the other rod.
        let (edge, along) = (pose.transform_point(DVec3::Z * 0.01), pose.rotation * DVec3::Y);
        let crossing = edge - along * (edge.z / along.z);
        let push = if step < 40 { DVec3::ZERO } else { DVec3::new(0.02, 0.0, 0.02) };
        let mut wish = impulse_at(&part, pose, crossing, (push + DVec3::NEG_Y * 0.1) * mass(&part).mass);
        wish.angular += DVec3::Y * 0.2;
        wish
    });
    assert_eq!((first.free, auxiliary(&buck), second.free), (3, 2, 3));
    for pose in [buck.pose(), filter.pose()] {
        let turned = pose.rotation * across.rotation.conjugate();
        assert!((2.0 * libm::atan2(turned.y, turned.w) - 0.2).abs() < 0.01, "{turned}");
    }
    row("T21", "Crossed rods that stick are turned", &first, &second, "");
}
