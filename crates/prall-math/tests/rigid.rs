//! Poses, twists and wrenches: what changes with frame and point, and what must not.

use glam::{DMat3, DMat4, DQuat, DVec3, DVec4};
use prall_math::rotation::{RotationError, exp};
use prall_math::{Pose, Twist, Wrench, skew};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Some thirty roundings of numbers of size 10 to 100.
const TOLERANCE: f64 = 1e-13;

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x0b0d),
        ..ProptestConfig::default()
    }
}

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    [-size..size, -size..size, -size..size].prop_map(DVec3::from_array)
}

fn pose() -> impl Strategy<Value = Pose> {
    (vector(3.0), vector(2.0)).prop_map(|(turn, t)| Pose::new(exp(turn), t))
}

fn twist() -> impl Strategy<Value = Twist> {
    (vector(3.0), vector(3.0)).prop_map(|(linear, angular)| Twist::new(linear, angular))
}

fn wrench() -> impl Strategy<Value = Wrench> {
    (vector(3.0), vector(3.0)).prop_map(|(force, torque)| Wrench::new(force, torque))
}

fn twist_distance(a: Twist, b: Twist) -> f64 {
    let Twist { linear, angular } = a - b;
    linear.length().max(angular.length())
}

fn wrench_distance(a: Wrench, b: Wrench) -> f64 {
    let Wrench { force, torque } = a - b;
    force.length().max(torque.length())
}

fn pose_distance(a: Pose, b: Pose) -> f64 {
    let rotation = (a.rotation - b.rotation).length().min((a.rotation + b.rotation).length());
    rotation.max((a.translation - b.translation).length())
}

/// Matrix exponential of a twist by scaling and squaring of the Taylor series; shares nothing with the closed form.
fn exponential_oracle(twist: Twist) -> DMat4 {
    const HALVINGS: i32 = 8;
    let scale = libm::ldexp(1.0, -HALVINGS);
    let spin = skew(twist.angular * scale);
    let algebra = DMat4::from_cols(
        spin.x_axis.extend(0.0),
        spin.y_axis.extend(0.0),
        spin.z_axis.extend(0.0),
        (twist.linear * scale).extend(0.0),
    );
    let mut sum = DMat4::IDENTITY;
    let mut term = DMat4::IDENTITY;
    for k in 1..=12 {
        term = term * algebra * (1.0 / f64::from(k));
        sum += term;
    }
    (0..HALVINGS).fold(sum, |power, _| power * power)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn power_is_the_same_in_every_frame_and_about_every_point(pose in pose(), offset in vector(3.0), twist in twist(), wrench in wrench()) {
        let power = twist.power(wrench);
        prop_assert!((twist.shifted(offset).power(wrench.shifted(offset)) - power).abs() < 10.0 * TOLERANCE);
        let outside = pose.transform_twist(twist).power(pose.transform_wrench(wrench));
        prop_assert!((outside - power).abs() < 10.0 * TOLERANCE);
        let inside = pose.inverse_transform_twist(twist).power(pose.inverse_transform_wrench(wrench));
        prop_assert!((inside - power).abs() < 10.0 * TOLERANCE);
    }

    #[test]
    fn a_material_point_moves_alike_in_every_frame(pose in pose(), twist in twist(), point in vector(3.0)) {
        let in_body = pose.transform_vector(twist.velocity_at(point));
        let in_world = pose.transform_twist(twist).velocity_at(pose.transform_point(point));
        prop_assert!((in_body - in_world).length() < TOLERANCE);
    }

    #[test]
    fn twists_and_wrenches_come_back(pose in pose(), twist in twist(), wrench in wrench(), offset in vector(3.0)) {
        prop_assert!(twist_distance(pose.inverse_transform_twist(pose.transform_twist(twist)), twist) < TOLERANCE);
        prop_assert!(twist_distance(pose.inverse().transform_twist(twist), pose.inverse_transform_twist(twist)) < TOLERANCE);
        prop_assert!(wrench_distance(pose.inverse_transform_wrench(pose.transform_wrench(wrench)), wrench) < TOLERANCE);
        prop_assert!(wrench_distance(pose.inverse().transform_wrench(wrench), pose.inverse_transform_wrench(wrench)) < TOLERANCE);
        prop_assert!(twist_distance(twist.shifted(offset).shifted(-offset), twist) < TOLERANCE);
        prop_assert!(wrench_distance(wrench.shifted(offset).shifted(-offset), wrench) < TOLERANCE);
    }

    #[test]
    fn changes_of_frame_compose(a in pose(), b in pose(), twist in twist(), wrench in wrench()) {
        let (through, at_once) = (a.transform_twist(b.transform_twist(twist)), (a * b).transform_twist(twist));
        prop_assert!(twist_distance(through, at_once) < TOLERANCE);
        let (through, at_once) = (a.transform_wrench(b.transform_wrench(wrench)), (a * b).transform_wrench(wrench));
        prop_assert!(wrench_distance(through, at_once) < TOLERANCE);
    }

    #[test]
    fn changes_of_frame_are_linear(pose in pose(), a in twist(), b in twist(), f in wrench(), g in wrench(), factor in -3.0..3.0) {
        let (sum, parts) = (pose.transform_twist(a + b * factor), pose.transform_twist(a) - pose.transform_twist(-b) * factor);
        prop_assert!(twist_distance(sum, parts) < TOLERANCE);
        let (sum, parts) = (pose.transform_wrench(f + g * factor), pose.transform_wrench(f) - pose.transform_wrench(-g) * factor);
        prop_assert!(wrench_distance(sum, parts) < TOLERANCE);
    }

    #[test]
    fn a_twist_is_the_derivative_of_a_moving_frame(pose in pose(), twist in twist(), point in vector(1.0)) {
        // Central difference of the point under pose * exp(s twist): error s^2 times the third derivative, 1e-8.
        let s = 1e-5;
        let at = |s: f64| (pose * Pose::exp(twist * s)).transform_point(point);
        let velocity = (at(s) - at(-s)) / (2.0 * s);
        let expected = pose.transform_twist(twist).velocity_at(pose.transform_point(point));
        prop_assert!((velocity - expected).length() < 1e-7);
    }

    #[test]
    fn poses_form_a_group(a in pose(), b in pose(), point in vector(3.0)) {
        prop_assert!((a.inverse_transform_point(a.transform_point(point)) - point).length() < TOLERANCE);
        prop_assert!((a.inverse_transform_vector(a.transform_vector(point)) - point).length() < TOLERANCE);
        prop_assert!(pose_distance(a * a.inverse(), Pose::IDENTITY) < TOLERANCE);
        prop_assert!(((a * b).transform_point(point) - a.transform_point(b.transform_point(point))).length() < TOLERANCE);
    }

    #[test]
    fn a_pose_is_its_matrix(a in pose(), b in pose(), point in vector(3.0)) {
        prop_assert!(pose_distance(Pose::from_matrix(&a.matrix()).unwrap(), a) < TOLERANCE);
        prop_assert!((a.matrix().transform_point3(point) - a.transform_point(point)).length() < TOLERANCE);
        prop_assert!(pose_distance(Pose::from_matrix(&(a.matrix() * b.matrix())).unwrap(), a * b) < TOLERANCE);
    }

    #[test]
    fn the_exponential_of_a_twist_is_that_of_its_matrix(linear in vector(3.0), angular in vector(4.0), exponent in 0.0..20.0_f64) {
        let twist = Twist::new(linear, angular * libm::exp10(-exponent));
        let pose = Pose::exp(twist);
        let oracle = exponential_oracle(twist);
        // Eight squarings double the oracle's own rounding of 1e-15 eight times.
        let difference = pose.matrix() - oracle;
        prop_assert!(difference.to_cols_array().into_iter().all(|entry| entry.abs() < 5e-13), "{difference}");
    }

    #[test]
    fn the_logarithm_undoes_the_exponential(linear in vector(3.0), angular in vector(1.0), exponent in -0.25..20.0_f64) {
        let twist = Twist::new(linear, angular * libm::exp10(-exponent));
        prop_assume!(twist.angular.length() < std::f64::consts::PI - 1e-3);
        prop_assert!(twist_distance(Pose::exp(twist).log(), twist) < TOLERANCE);
    }

    #[test]
    fn the_exponential_undoes_the_logarithm(pose in pose()) {
        prop_assert!(pose_distance(Pose::exp(pose.log()), pose) < TOLERANCE);
    }
}

#[test]
fn the_logarithm_is_finite_and_right_at_half_a_turn() {
    for axis in [DVec3::X, DVec3::NEG_Y, DVec3::new(0.6, 0.0, -0.8)] {
        for away in [0.0, 1e-16, 1e-12, 1e-8, -1e-16, -1e-12, -1e-8] {
            let pose = Pose::new(exp(axis * (std::f64::consts::PI - away)), DVec3::new(1.0, -2.0, 3.0));
            let twist = pose.log();
            assert!(twist.angular.length() <= std::f64::consts::PI * (1.0 + f64::EPSILON));
            assert!(pose_distance(Pose::exp(twist), pose) < TOLERANCE);
        }
        let exactly = Pose::new(DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0), DVec3::ONE);
        assert!(pose_distance(Pose::exp(exactly.log()), exactly) < TOLERANCE);
    }
}

#[test]
fn the_exponential_is_right_at_every_tiny_angle() {
    let linear = DVec3::new(1.0, -2.0, 3.0);
    for exponent in 3..=310 {
        let angular = DVec3::new(2.0, 1.0, -1.0) * libm::exp10(-f64::from(exponent));
        let pose = Pose::exp(Twist::new(linear, angular));
        // Two terms of the series; the next is angular^3 / 24, below rounding from 1e-5 on.
        let series = linear + angular.cross(linear) / 2.0 + angular.cross(angular.cross(linear)) / 6.0;
        let rest = angular.length_squared() * angular.length();
        assert!((pose.translation - series).length() <= 4.0 * (rest + 4.0 * f64::EPSILON));
        assert!(twist_distance(pose.log(), Twist::new(linear, angular)) <= 16.0 * f64::EPSILON);
    }
    assert_eq!(Pose::exp(Twist::new(linear, DVec3::ZERO)), Pose::from_translation(linear));
    assert_eq!(Pose::from_translation(linear).log(), Twist::new(linear, DVec3::ZERO));
    assert_eq!(Pose::exp(Twist::ZERO), Pose::IDENTITY);
}

#[test]
fn the_exponential_of_many_turns_is_that_of_the_rest() {
    let turns = 2.0 * std::f64::consts::PI * 1000.0;
    let pose = Pose::exp(Twist::new(DVec3::new(0.0, 5.0, 2.0), DVec3::Z * turns));
    // Whole circles close; what remains is the advance along the axis. 6283 radians are rounded by 1e-12.
    assert!(pose_distance(pose, Pose::from_translation(DVec3::Z * 2.0)) < 1e-11);
}

#[test]
fn a_force_at_a_point_pushes_wholly_and_turns() {
    let force = DVec3::new(0.0, 2.0, 0.0);
    let wrench = Wrench::from_force_at(force, DVec3::X * 3.0);
    assert_eq!(wrench, Wrench::new(force, DVec3::Z * 6.0));
    assert_eq!(Wrench::from_force_at(force, DVec3::ZERO), Wrench::new(force, DVec3::ZERO));
    // About the point where it acts it has no torque, and two opposite ones at one point are nothing.
    assert_eq!(wrench.shifted(DVec3::X * 3.0).torque, DVec3::ZERO);
    assert_eq!(wrench + Wrench::from_force_at(-force, DVec3::X * 3.0), Wrench::ZERO);
}

#[test]
fn matrices_that_are_no_poses_are_refused() {
    let good = Pose::new(exp(DVec3::ONE), DVec3::X).matrix();
    assert!(matches!(Pose::from_matrix(&(good * 2.0)), Err(RotationError::Projective { .. })));
    let scaled = good * DMat4::from_scale(DVec3::new(1.0, 1.0, 1.1));
    assert!(matches!(Pose::from_matrix(&scaled), Err(RotationError::Deformed { .. })));
    let mirrored = good * DMat4::from_scale(DVec3::new(1.0, 1.0, -1.0));
    assert!(matches!(Pose::from_matrix(&mirrored), Err(RotationError::Mirrored { .. })));
    let mut lost = good;
    lost.w_axis = DVec4::new(f64::INFINITY, 0.0, 0.0, 1.0);
    assert_eq!(Pose::from_matrix(&lost), Err(RotationError::NotFinite));
}

#[test]
fn a_unit_quaternion_keeps_its_bits_when_normalised() {
    let pose = Pose::new(exp(DVec3::new(0.1, 0.2, 0.3)), DVec3::ONE);
    assert_eq!(pose.normalized(), pose);
    let longer = Pose::new(pose.rotation * (1.0 + 1e-10), DVec3::ONE);
    assert!(longer.is_valid() && (longer.normalized().rotation.length() - 1.0).abs() < 2.0 * f64::EPSILON);
    assert!(!Pose::from_rotation(pose.rotation * 1.001).is_valid());
    assert_eq!(pose.rotation_matrix(), DMat3::from_quat(pose.rotation));
}
