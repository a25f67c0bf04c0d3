//! Rotations survive every change of form, at ordinary and at degenerate angles.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DMat3, DQuat, DVec3};
use prall_math::rotation::{
    self, AxisAngle, FixedAngles, RotationError, advance, advance_cayley, exp, from_matrix, log,
    mean_velocity, mean_velocity_cayley,
};
use prall_math::skew;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A conversion there and back: some twenty roundings of numbers up to one.
const ROUND_TRIP: f64 = 8.0 * f64::EPSILON;

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x0a11),
        ..ProptestConfig::default()
    }
}

fn axis() -> impl Strategy<Value = DVec3> {
    let vector = [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(DVec3::from_array);
    prop_oneof![
        vector.prop_filter("has a direction", |v| v.length() > 1e-3).prop_map(|v| v.normalize()),
        prop::sample::select(special_axes()),
    ]
}

fn special_axes() -> Vec<DVec3> {
    let mut axes = vec![DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
    axes.extend([DVec3::ONE, DVec3::new(1.0, -1.0, 0.0), DVec3::new(0.0, 1e-9, 1.0)].map(DVec3::normalize));
    axes
}

/// No turn, turns down to the smallest numbers, and everything near half a turn and a whole one.
fn special_angles() -> Vec<f64> {
    let mut angles = vec![0.0, PI, TAU, FRAC_PI_2, -FRAC_PI_2, 3.0, 100.0];
    angles
        .extend([1e-300, 1e-200, 1e-154, 1e-100, 1e-30, 1e-17, 1e-16, 1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 1e-4]);
    for k in 1..=16 {
        let near = libm::pow(10.0, -f64::from(k));
        angles.extend([PI - near, PI + near, TAU - near, FRAC_PI_2 - near, FRAC_PI_2 + near]);
    }
    angles.extend(angles.clone().into_iter().map(|angle| -angle));
    angles
}

fn angle() -> impl Strategy<Value = f64> {
    prop_oneof![-TAU..TAU, prop::sample::select(special_angles())]
}

fn rotation() -> impl Strategy<Value = DQuat> {
    prop_oneof![
        (axis(), angle()).prop_map(|(axis, angle)| AxisAngle { axis, angle }.quaternion()),
        // Near gimbal lock, from all sides.
        (angle(), prop::sample::select(special_angles()), angle(), any::<bool>()).prop_map(
            |(x, near, z, up)| {
                let about_y =
                    if up { FRAC_PI_2 } else { -FRAC_PI_2 } + if near.abs() < 1e-2 { near } else { 0.0 };
                FixedAngles { about_x: x, about_y, about_z: z }.quaternion()
            }
        ),
    ]
}

/// Distance of two rotations, blind to the sign of their quaternions.
fn distance(a: DQuat, b: DQuat) -> f64 {
    (a - b).length().min((a + b).length())
}

fn largest_entry(matrix: DMat3) -> f64 {
    matrix.to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_rotation_survives_every_round_trip(q in rotation()) {
        prop_assert!(distance(from_matrix(&DMat3::from_quat(q)).unwrap(), q) <= ROUND_TRIP);
        prop_assert!(distance(exp(log(q)), q) <= ROUND_TRIP);
        prop_assert!(distance(AxisAngle::from_quaternion(q).quaternion(), q) <= ROUND_TRIP);
        prop_assert!(distance(FixedAngles::from_quaternion(q).quaternion(), q) <= ROUND_TRIP);
    }

    #[test]
    fn a_matrix_survives_every_round_trip(q in rotation()) {
        let matrix = DMat3::from_quat(q);
        let through = [
            AxisAngle::from_matrix(&matrix).unwrap().matrix(),
            FixedAngles::from_matrix(&matrix).unwrap().matrix(),
            DMat3::from_quat(exp(log(from_matrix(&matrix).unwrap()))),
        ];
        for back in through {
            // Entries change twice as fast as quaternions.
            prop_assert!(largest_entry(back - matrix) <= 2.0 * ROUND_TRIP);
        }
    }

    #[test]
    fn a_rotation_vector_below_half_a_turn_survives(axis in axis(), angle in angle()) {
        let angle = angle % PI;
        let vector = axis * angle;
        let back = log(exp(vector));
        // Relative: no tiny turn is lost.
        prop_assert!((back - vector).length() <= ROUND_TRIP * angle.abs(), "{vector} came back as {back}");
    }

    #[test]
    fn the_shortest_turn_is_at_most_half_a_turn_and_its_axis_a_unit_vector(q in rotation()) {
        let AxisAngle { axis, angle } = AxisAngle::from_quaternion(q);
        prop_assert!((0.0..=PI).contains(&angle));
        prop_assert!((axis.length() - 1.0).abs() <= ROUND_TRIP);
        // The same turn for both signs, unless it is exactly half a turn.
        if q.w != 0.0 {
            prop_assert_eq!(AxisAngle::from_quaternion(-q), AxisAngle { axis, angle });
        }
    }

    #[test]
    fn fixed_angles_are_in_range_and_come_back(x in -3.1..3.1, y in -1.5..1.5, z in -3.1..3.1) {
        let angles = FixedAngles { about_x: x, about_y: y, about_z: z };
        let back = FixedAngles::from_quaternion(angles.quaternion());
        // x and z are determined to rounding over cos y, which is at least 0.07 here.
        let tolerance = ROUND_TRIP / libm::cos(y);
        prop_assert!((back.about_x - x).abs() < tolerance);
        prop_assert!((back.about_y - y).abs() < tolerance);
        prop_assert!((back.about_z - z).abs() < tolerance);
    }

    #[test]
    fn fixed_angles_turn_about_fixed_axes_in_order(x in angle(), y in angle(), z in angle(), point in axis()) {
        // Oracle: three plane rotations, written out.
        let turn = |a: f64, b: f64, angle: f64| {
            let (s, c) = libm::sincos(angle);
            (c * a - s * b, s * a + c * b)
        };
        let (py, pz) = turn(point.y, point.z, x);
        let (pz, px) = turn(pz, point.x, y);
        let (px, py) = turn(px, py, z);
        let turned = FixedAngles { about_x: x, about_y: y, about_z: z }.matrix() * point;
        prop_assert!((turned - DVec3::new(px, py, pz)).length() <= 2.0 * ROUND_TRIP);
    }

    #[test]
    fn a_quaternion_turns_points_as_rodrigues_says(axis in axis(), angle in angle(), point in axis()) {
        let (sine, cosine) = libm::sincos(angle);
        let expected = (1.0 - cosine) * axis.dot(point) * axis + cosine * point + sine * axis.cross(point);
        let turn = AxisAngle { axis, angle };
        prop_assert!((turn.quaternion() * point - expected).length() <= 2.0 * ROUND_TRIP);
        prop_assert!((turn.matrix() * point - expected).length() <= 2.0 * ROUND_TRIP);
        // q x q*, with the point as a pure quaternion.
        let q = turn.quaternion();
        let conjugated = q * DQuat::from_xyzw(point.x, point.y, point.z, 0.0) * q.conjugate();
        prop_assert!((conjugated.xyz() - expected).length() <= 2.0 * ROUND_TRIP);
    }

    #[test]
    fn turns_compose_right_to_left_in_every_form(p in rotation(), q in rotation(), point in axis()) {
        let expected = p * (q * point);
        let tolerance = 4.0 * ROUND_TRIP;
        prop_assert!(((p * q) * point - expected).length() <= tolerance);
        let composed = AxisAngle::from_quaternion(p) * AxisAngle::from_quaternion(q);
        prop_assert!((composed.quaternion() * point - expected).length() <= tolerance);
        prop_assert!((DMat3::from_quat(p) * DMat3::from_quat(q) * point - expected).length() <= tolerance);
    }

    #[test]
    fn a_mean_velocity_leads_from_one_orientation_to_the_other(p in rotation(), q in rotation(), dt in 1e-4..2.0) {
        prop_assert!(distance(advance(p, mean_velocity(p, q, dt), dt), q) <= 2.0 * ROUND_TRIP);
        if let Some(omega) = mean_velocity_cayley(p, q, dt) {
            prop_assert!(distance(advance_cayley(p, omega, dt), q) <= 2.0 * ROUND_TRIP);
        }
    }

    #[test]
    fn a_cayley_step_is_undone_by_its_mean_velocity(q in rotation(), axis in axis(), speed in 0.0..50.0_f64, dt in 1e-3..0.1_f64) {
        let omega = axis * speed;
        let back = mean_velocity_cayley(q, advance_cayley(q, omega, dt), dt).unwrap();
        // tan amplifies rounding by its derivative, 1 + (speed dt / 2)^2.
        let slope = 0.5 * speed * dt;
        prop_assert!((back - omega).length() <= ROUND_TRIP * (1.0 + slope * slope) * 2.0 / dt);
    }

    #[test]
    fn a_cayley_step_is_the_matrix_of_buck(q in rotation(), axis in axis(), speed in 0.0..50.0_f64, dt in 1e-3..0.1_f64) {
        // Buck 1999, (36): [(1 - b^2) 1 + 2 b b^T + 2 [b]_x] / (1 + b^2) with b = dt omega / 2.
        let b = axis * (speed * dt * 0.5);
        let outer = DMat3::from_cols(b * b.x, b * b.y, b * b.z);
        let cayley = (DMat3::IDENTITY * (1.0 - b.length_squared()) + outer * 2.0 + skew(b) * 2.0)
            * (1.0 / (1.0 + b.length_squared()));
        let expected = cayley * DMat3::from_quat(q);
        let stepped = DMat3::from_quat(advance_cayley(q, axis * speed, dt));
        prop_assert!(largest_entry(stepped - expected) <= 2.0 * ROUND_TRIP);
        let turned = 2.0 * libm::atan(0.5 * speed * dt);
        prop_assert!(distance(advance_cayley(q, axis * speed, dt), exp(axis * turned) * q) <= ROUND_TRIP);
    }
}

#[test]
fn tiny_turns_keep_their_relative_precision() {
    for axis in special_axes() {
        for angle in special_angles().into_iter().filter(|angle| *angle > 0.0 && *angle < 1e-3) {
            let q = AxisAngle { axis, angle }.quaternion();
            let by_matrix = AxisAngle::from_matrix(&DMat3::from_quat(q)).unwrap();
            for back in [AxisAngle::from_quaternion(q), by_matrix] {
                assert!((back.angle / angle - 1.0).abs() <= ROUND_TRIP, "{angle:e} about {axis}: {back:?}");
                assert!((back.axis - axis).length() <= ROUND_TRIP, "{angle:e} about {axis}: {back:?}");
            }
        }
    }
}

#[test]
fn half_turns_keep_their_axis() {
    for axis in special_axes() {
        // Scalar part exactly zero: both directions of the axis are right, both signs must work.
        for q in
            [DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0), DQuat::from_xyzw(axis.x, axis.y, axis.z, -0.0)]
        {
            let AxisAngle { axis: back, angle } = AxisAngle::from_quaternion(q);
            assert_eq!(angle, PI);
            assert!((back - axis).length() <= ROUND_TRIP);
            let by_matrix = AxisAngle::from_matrix(&DMat3::from_quat(q)).unwrap();
            assert!((by_matrix.angle - PI).abs() <= ROUND_TRIP);
            assert!((by_matrix.axis - axis).length().min((by_matrix.axis + axis).length()) <= ROUND_TRIP);
        }
    }
}

#[test]
fn no_turn_is_exact_in_every_form() {
    for q in [DQuat::IDENTITY, -DQuat::IDENTITY] {
        assert_eq!(log(q), DVec3::ZERO);
        assert_eq!(AxisAngle::from_quaternion(q).angle, 0.0);
        assert_eq!(FixedAngles::from_quaternion(q), FixedAngles::default());
    }
    assert_eq!(exp(DVec3::ZERO), DQuat::IDENTITY);
    assert_eq!(from_matrix(&DMat3::IDENTITY), Ok(DQuat::IDENTITY));
    assert_eq!(FixedAngles::default().quaternion(), DQuat::IDENTITY);
}

#[test]
fn gimbal_lock_puts_everything_into_the_turn_about_x() {
    for (about_y, sign) in [(FRAC_PI_2, -1.0), (-FRAC_PI_2, 1.0)] {
        let angles = FixedAngles { about_x: 0.7, about_y, about_z: 0.4 };
        let back = FixedAngles::from_quaternion(angles.quaternion());
        assert_eq!(back.about_z, 0.0);
        assert!((back.about_y - about_y).abs() <= ROUND_TRIP);
        assert!((back.about_x - (0.7 + sign * 0.4)).abs() <= ROUND_TRIP);
    }
}

#[test]
fn ninety_degrees_about_z_take_x_to_y() {
    for turned in [
        AxisAngle { axis: DVec3::Z, angle: FRAC_PI_2 }.quaternion() * DVec3::X,
        FixedAngles { about_z: FRAC_PI_2, ..FixedAngles::default() }.matrix() * DVec3::X,
        exp(DVec3::Z * FRAC_PI_2) * DVec3::X,
    ] {
        assert!((turned - DVec3::Y).length() <= ROUND_TRIP);
    }
}

#[test]
fn what_is_no_rotation_is_refused_by_name() {
    let good = DMat3::from_rotation_x(0.3);
    assert!(matches!(
        from_matrix(&(good * 1.001)),
        Err(RotationError::Deformed { deviation }) if (deviation - 2.001e-3).abs() < 1e-9
    ));
    let mirror = good * DMat3::from_diagonal(DVec3::new(1.0, -1.0, 1.0));
    assert!(matches!(from_matrix(&mirror), Err(RotationError::Mirrored { .. })));
    assert_eq!(from_matrix(&(good * f64::NAN)), Err(RotationError::NotFinite));
    assert!(AxisAngle::from_matrix(&mirror).is_err() && FixedAngles::from_matrix(&mirror).is_err());
    assert!(matches!(AxisAngle::new(DVec3::ZERO, 1.0), Err(RotationError::Axis { .. })));
    assert_eq!(AxisAngle::new(DVec3::Z * 5.0, 1.0), Ok(AxisAngle { axis: DVec3::Z, angle: 1.0 }));
    // Rounding of a long product is no deformation.
    let long = (0..10_000).fold(DMat3::IDENTITY, |product, _| good * product);
    assert!(from_matrix(&long).is_ok());
}

#[test]
fn length_does_not_drift_in_a_million_steps() {
    let (dt, omega) = (1e-3, DVec3::new(3.0, -20.0, 7.0));
    let (mut by_exp, mut by_cayley) = (DQuat::IDENTITY, DQuat::IDENTITY);
    for _ in 0..1_000_000 {
        by_exp = advance(by_exp, omega, dt);
        by_cayley = advance_cayley(by_cayley, omega, dt);
    }
    assert!((by_exp.length() - 1.0).abs() < 1e-12 && (by_cayley.length() - 1.0).abs() < 1e-12);
    // And the angle is the right one: a million roundings of 1e-16 that mostly cancel.
    assert!(distance(by_exp, exp(omega * 1000.0)) < 1e-10);
}

#[test]
fn a_steady_turn_closes_after_a_second() {
    for axis in special_axes() {
        for steps in [1_u32, 7, 1000, 100_000] {
            let dt = 1.0 / f64::from(steps);
            let end = (0..steps).fold(DQuat::IDENTITY, |q, _| advance(q, axis * TAU, dt));
            assert!(distance(end, DQuat::IDENTITY) < 1e-9);
        }
    }
}

#[test]
fn the_exponential_is_smooth_through_zero() {
    // The increment (1, omega dt / 2), to first order, and no step at any size.
    for exponent in 4..=320 {
        let vector = DVec3::new(1.0, -2.0, 0.5) * libm::exp10(-f64::from(exponent));
        let q = exp(vector);
        assert!((q.xyz() - 0.5 * vector).length() <= 1e-8 * vector.length() + 5e-324);
        assert!((q.w - 1.0).abs() <= vector.length_squared());
    }
}

#[test]
fn a_small_turn_between_large_ones_is_found_and_none_is_exactly_none() {
    let from = exp(DVec3::new(0.3, -1.2, 0.7));
    for k in 1..=15 {
        let step = DVec3::new(1.0, 2.0, -0.5) * libm::pow(10.0, -f64::from(k));
        // `to` is rounded to units of 1, and a step of either kind is the other up to its cube.
        let to = exp(step) * from;
        for omega in [mean_velocity(from, to, 1.0), mean_velocity_cayley(from, to, 1.0).unwrap()] {
            let cubed = step.length() * step.length_squared();
            assert!((omega - step).length() <= 8.0 * f64::EPSILON + cubed);
        }
    }
    assert_eq!(mean_velocity(from, from, 1e-3), DVec3::ZERO);
    assert_eq!(mean_velocity(from, -from, 1e-3), DVec3::ZERO);
}

#[test]
fn a_cayley_step_never_reaches_half_a_turn() {
    let half = exp(DVec3::X * PI);
    // cos(pi/2) is 6e-17 in floating point: the velocity is huge, but it is one.
    assert!(mean_velocity_cayley(DQuat::IDENTITY, half, 1.0).unwrap().x > 1e16);
    let exactly_half = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    assert_eq!(mean_velocity_cayley(DQuat::IDENTITY, exactly_half, 1.0), None);
    assert!((rotation::mean_velocity(DQuat::IDENTITY, exactly_half, 1.0).x - PI).abs() < ROUND_TRIP);
}
