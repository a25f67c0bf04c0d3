//! Joints, contact laws, momentum and energy from plain data.

use glam::{DMat3, DQuat, DVec3};
use prall_math::{Pose, Twist};
use prall_mechanics::audit::{
    AuditContact, AuditError, AuditJoint, MassState, OutsideImpulse, complementarity, energy, energy_gain,
    momentum, momentum_imbalance,
};

use crate::{ROUNDING, at, auditor, cuboid};

fn hinge() -> AuditJoint {
    AuditJoint {
        bodies: [Some(0), Some(1)],
        points: vec![[DVec3::X, DVec3::NEG_X]],
        axes: vec![[DVec3::Z, DVec3::Z]],
        ..AuditJoint::default()
    }
}

#[test]
fn a_joint_that_holds_has_no_error_and_a_shift_or_a_turn_is_the_error() {
    let link = cuboid(0.9, 0.1, 0.1);
    let mut auditor = auditor(&[&link, &link]);
    auditor.add_joint(hinge()).unwrap();
    let bent = |angle: f64| {
        let turn = DQuat::from_rotation_z(angle);
        Pose::new(turn, DVec3::X + turn * DVec3::X)
    };
    let report = auditor.audit(&[Pose::IDENTITY, bent(0.5)]).unwrap();
    assert!(report.position_error_max < ROUNDING && report.angle_error_max < ROUNDING, "{report:?}");
    let shifted = Pose { translation: bent(0.5).translation + DVec3::new(0.0, 3e-3, 4e-3), ..bent(0.5) };
    let report = auditor.audit(&[Pose::IDENTITY, shifted]).unwrap();
    assert!((report.position_error_max - 5e-3).abs() < ROUNDING);
    assert_eq!(report.worst_joint, Some(0));
    let twisted = Pose { rotation: DQuat::from_rotation_y(1e-3), ..bent(0.0) };
    let report = auditor.audit(&[Pose::IDENTITY, twisted]).unwrap();
    assert!((report.angle_error_max - 1e-3).abs() < ROUNDING);
}

#[test]
fn a_slider_is_free_along_its_axis_and_a_rod_keeps_its_length() {
    let points = vec![[DVec3::ZERO, DVec3::ZERO]];
    let slider = AuditJoint { points: points.clone(), free: Some(DVec3::X * 7.0), ..AuditJoint::default() };
    let error = slider.error(&Pose::IDENTITY, &at(5.0, 0.0, 1e-3));
    assert!((error.position - 1e-3).abs() < ROUNDING);
    let rod = AuditJoint { points, distance: Some(2.0), ..AuditJoint::default() };
    assert!((rod.error(&Pose::IDENTITY, &at(0.0, 2.001, 0.0)).position - 1e-3).abs() < ROUNDING);
}

#[test]
fn bad_requests_name_the_culprit() {
    let link = cuboid(0.9, 0.1, 0.1);
    let mut auditor = auditor(&[&link]);
    assert_eq!(auditor.add_joint(hinge()), Err(AuditError::UnknownBody { body: 1, bodies: 1 }));
    assert_eq!(auditor.ignore_pair(0, 4), Err(AuditError::UnknownBody { body: 4, bodies: 1 }));
    assert_eq!(auditor.audit(&[]), Err(AuditError::PoseCount { given: 0, bodies: 1 }));
    assert_eq!(auditor.audit(&[at(f64::NAN, 0.0, 0.0)]), Err(AuditError::Pose { body: 0 }));
}

fn contact(impulse: DVec3, velocity: DVec3) -> AuditContact {
    let normal = DVec3::Y;
    AuditContact { normal, gap: 0.0, impulse, velocity, rebound: 0.0, friction: 0.5, mass: 2.0 }
}

#[test]
fn contacts_that_obey_their_laws_leave_nothing() {
    let lawful = [
        contact(DVec3::new(0.3, 1.0, 0.0), DVec3::ZERO),
        contact(DVec3::new(-0.5, 1.0, 0.0), DVec3::X),
        contact(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0)),
        AuditContact { rebound: 0.4, ..contact(DVec3::Y, DVec3::Y * 0.4) },
        AuditContact { gap: 1e-3, ..contact(DVec3::ZERO, DVec3::Y * -0.1) },
        AuditContact { gap: 1e-3, ..contact(DVec3::Y, DVec3::Y * -0.1) },
    ];
    let report = complementarity(&lawful, 0.01);
    assert!(report.normal_max < ROUNDING && report.friction_max < ROUNDING, "{report:?}");
    assert!(report.pulling_max <= 0.0 + ROUNDING && report.cone_excess_max < ROUNDING);
}

#[test]
fn every_breach_of_a_contact_law_is_seen() {
    let judge = |contact: AuditContact| complementarity(&[contact], 0.01);
    assert!((judge(contact(DVec3::ZERO, DVec3::Y * -0.3)).normal_max - 0.3).abs() < ROUNDING, "sinks in");
    assert!((judge(contact(DVec3::Y * -1.0, DVec3::ZERO)).pulling_max - 1.0).abs() < ROUNDING, "pulls");
    assert!(judge(contact(DVec3::Y, DVec3::Y)).normal_max > 0.4, "presses while it leaves");
    assert!((judge(contact(DVec3::new(0.8, 1.0, 0.0), DVec3::ZERO)).cone_excess_max - 0.3).abs() < ROUNDING);
    assert!(judge(contact(DVec3::new(0.5, 1.0, 0.0), DVec3::X)).friction_max > 0.4, "pushes along the slip");
    assert!(
        judge(contact(DVec3::new(-0.1, 1.0, 0.0), DVec3::X)).friction_max > 0.1,
        "slips with friction to spare"
    );
}

fn states() -> [MassState; 2] {
    let state = |mass: f64, centre: DVec3, linear: DVec3, angular: DVec3| MassState {
        mass,
        inertia: DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0)) * mass,
        centre,
        velocity: Twist { linear, angular },
    };
    [
        state(2.0, DVec3::X, DVec3::Y, DVec3::Z),
        state(3.0, DVec3::new(0.0, 2.0, 1.0), DVec3::NEG_X, DVec3::new(0.1, 0.2, 0.3)),
    ]
}

#[test]
fn an_impulse_between_bodies_changes_no_momentum_and_one_from_outside_its_own() {
    let before = states();
    let push = |state: &mut MassState, point: DVec3, impulse: DVec3| {
        state.velocity.linear += impulse / state.mass;
        state.velocity.angular += state.inertia.inverse() * (point - state.centre).cross(impulse);
    };
    let (point, impulse) = (DVec3::new(0.4, 0.5, 0.6), DVec3::new(1.0, -2.0, 0.5));
    let mut after = before;
    push(&mut after[0], point, impulse);
    push(&mut after[1], point, -impulse);
    let rest = momentum_imbalance(momentum(&before), momentum(&after), &[]);
    assert!(rest.linear.length() < ROUNDING && rest.angular.length() < ROUNDING, "{rest:?}");
    push(&mut after[0], DVec3::Z, DVec3::Y);
    let rest = momentum_imbalance(momentum(&before), momentum(&after), &[]);
    assert!(
        (rest.linear - DVec3::Y).length() < ROUNDING && (rest.angular - DVec3::NEG_X).length() < ROUNDING
    );
    let outside = OutsideImpulse { point: DVec3::Z, impulse: DVec3::Y, couple: DVec3::ZERO };
    let rest = momentum_imbalance(momentum(&before), momentum(&after), &[outside]);
    assert!(rest.linear.length() < ROUNDING && rest.angular.length() < ROUNDING, "{rest:?}");
}

#[test]
fn free_fall_keeps_its_energy_and_a_rebound_that_is_too_fast_gains_some() {
    let gravity = DVec3::Y * -9.81;
    let before = states();
    let fallen = before.map(|mut state| {
        let duration = 0.3;
        state.centre += state.velocity.linear * duration + 0.5 * gravity * duration * duration;
        state.velocity.linear += gravity * duration;
        state
    });
    let (start, end) = (energy(&before, gravity), energy(&fallen, gravity));
    assert!((end - start).abs() < 1e-12);
    let mut faster = fallen;
    faster[0].velocity.linear.y *= -1.1;
    assert!(energy_gain(start, energy(&faster, gravity), 0.0) > 0.1);
    let mut slower = fallen;
    slower[0].velocity.linear.y *= -0.9;
    assert_eq!(energy_gain(start, energy(&slower, gravity), 0.0), 0.0);
}
