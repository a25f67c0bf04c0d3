//! Motions: paths, parts, and bounds that are never exceeded and never useless.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use glam::{DQuat, DVec3};
use prall_math::{Motion, MotionError, MotionLaw, Pose, PrecessionMotion, Twist, UniformMotion};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Roundings of a pose, counted generously, in units of the largest length involved.
const FEW_ULPS: f64 = 16.0 * f64::EPSILON;

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 400,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed),
        ..ProptestConfig::default()
    }
}

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    [-size..size, -size..size, -size..size].prop_map(DVec3::from_array)
}

/// Sizes from far below rounding to far above a metre.
fn any_size() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(1.0),
        Just(1000.0),
        (-18.0..3.0).prop_map(|exponent: f64| libm::exp10(exponent))
    ]
}

fn scaled_vector() -> impl Strategy<Value = DVec3> {
    (vector(1.0), any_size()).prop_map(|(v, size)| v * size)
}

fn direction() -> impl Strategy<Value = DVec3> {
    prop_oneof![
        vector(1.0).prop_filter("has a direction", |v| v.length() > 1e-3).prop_map(|v| v.normalize()),
        prop::sample::select(vec![DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Z]),
    ]
}

fn angle() -> impl Strategy<Value = f64> {
    prop_oneof![
        0.0..PI,
        prop::sample::select(vec![0.0, 1e-300, 1e-15, 1e-8, 1e-6, 2e-6, 1e-3, PI / 2.0, PI - 1e-9, PI]),
        Just(PI + 1e-9),
        PI..TAU,
    ]
}

fn pose() -> impl Strategy<Value = Pose> {
    (direction(), angle(), scaled_vector())
        .prop_map(|(axis, angle, t)| Pose::new(DQuat::from_axis_angle(axis, angle), t))
}

fn pose_pair() -> impl Strategy<Value = (Pose, Pose)> {
    (pose(), direction(), angle(), scaled_vector(), any::<bool>()).prop_map(
        |(start, axis, angle, by, flip)| {
            let turned = DQuat::from_axis_angle(axis, angle) * start.rotation;
            let end = Pose::new(if flip { -turned } else { turned }, start.translation + by);
            (start, end)
        },
    )
}

/// A body that swings on a pendulum with a bob of its own: a law with bounds from calculus.
struct Pendulum {
    amplitude: f64,
    length: f64,
}

impl MotionLaw for Pendulum {
    fn pose(&self, t: f64) -> Pose {
        let swing = self.amplitude * libm::sin(TAU * t);
        let (sine, cosine) = libm::sincos(swing);
        Pose::new(DQuat::from_rotation_z(swing), self.length * DVec3::new(sine, -cosine, 0.0))
    }

    fn speed_bound(&self, t0: f64, t1: f64) -> f64 {
        self.length * self.angular_speed_bound(t0, t1)
    }

    fn angular_speed_bound(&self, t0: f64, t1: f64) -> f64 {
        // |cos| is largest at a multiple of a half, or at an end of the interval.
        let peak = if (2.0 * t0).floor() != (2.0 * t1).floor() || 2.0 * t0 == (2.0 * t0).floor() {
            1.0
        } else {
            libm::cos(TAU * t0).abs().max(libm::cos(TAU * t1).abs())
        };
        self.amplitude * TAU * peak * (1.0 + 4.0 * f64::EPSILON)
    }
}

fn motion() -> impl Strategy<Value = Motion> {
    prop_oneof![
        pose_pair().prop_map(|(start, end)| Motion::slerp(start, end).unwrap()),
        (pose_pair(), scaled_vector())
            .prop_map(|((start, end), reference)| Motion::slerp_about(start, end, reference).unwrap()),
        pose_pair().prop_map(|(start, end)| Motion::nlerp(start, end).unwrap()),
        pose_pair().prop_map(|(start, end)| Motion::screw(start, end).unwrap()),
        (pose(), scaled_vector(), direction(), -100.0..100.0, any_size()).prop_map(
            |(start, point, axis, angle, advance)| {
                Motion::screw_about(start, point, axis, angle, advance).unwrap()
            }
        ),
        (pose(), scaled_vector(), scaled_vector(), vector(50.0), vector(50.0)).prop_map(
            |(start, reference, velocity, turn, spin)| {
                let precession = PrecessionMotion { start, reference, velocity, turn, spin };
                Motion::precession(precession).unwrap()
            }
        ),
        (0.0..3.0, any_size()).prop_map(|(amplitude, length)| {
            Motion::law(Arc::new(Pendulum { amplitude, length })).unwrap()
        }),
    ]
}

fn any_motion() -> impl Strategy<Value = Motion> {
    (motion(), any::<bool>(), 0.0..=1.0, 0.0..=1.0, any::<bool>()).prop_map(|(motion, back, a, b, cut)| {
        let motion = if back { motion.reversed() } else { motion };
        let (t0, t1) = if a < b { (a, b) } else { (b, a) };
        if cut { motion.part(t0, t1).unwrap() } else { motion }
    })
}

/// Directions that cover the sphere about evenly (golden-angle spiral).
fn sphere(count: usize) -> Vec<DVec3> {
    (0..count)
        .map(|i| {
            let z = 1.0 - (2 * i + 1) as f64 / count as f64;
            let (sine, cosine) = libm::sincos(2.399963229728653 * i as f64);
            let across = (1.0 - z * z).sqrt();
            DVec3::new(across * cosine, across * sine, z)
        })
        .collect()
}

fn distance(a: Pose, b: Pose) -> f64 {
    let rotation = (a.rotation - b.rotation).length().min((a.rotation + b.rotation).length());
    rotation.max((a.translation - b.translation).length())
}

/// A size against which rounding of a pose is measured: all lengths of the motion, and one for the rotation.
fn size(motion: &Motion) -> f64 {
    motion.rounding(1.0) / (32.0 * f64::EPSILON)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_motion_between_poses_starts_and_ends_there((start, end) in pose_pair()) {
        for motion in [
            Motion::slerp(start, end).unwrap(),
            Motion::slerp_about(start, end, DVec3::new(0.3, -2.0, 1.0)).unwrap(),
            Motion::nlerp(start, end).unwrap(),
            Motion::screw(start, end).unwrap(),
        ] {
            let scale = 3.0 + start.translation.length() + end.translation.length();
            prop_assert!(distance(motion.start(), start) <= FEW_ULPS * scale);
            prop_assert!(distance(motion.end(), end) <= FEW_ULPS * scale, "{:e}", distance(motion.end(), end) / scale);
            if motion.as_uniform().is_some() {
                prop_assert_eq!(motion.start(), start.normalized());
            }
        }
    }

    #[test]
    fn every_pose_on_the_way_is_rigid(motion in any_motion(), t in -0.5..1.5) {
        let pose = motion.pose(t);
        prop_assert!(pose.translation.is_finite());
        prop_assert!((pose.rotation.length() - 1.0).abs() <= FEW_ULPS);
    }

    #[test]
    fn a_motion_cut_in_two_is_the_same_motion(motion in any_motion(), a in 0.0..=1.0, b in 0.0..=1.0, s in 0.0..=1.0) {
        let (t0, t1): (f64, f64) = if a < b { (a, b) } else { (b, a) };
        let part = motion.part(t0, t1).unwrap();
        prop_assert_eq!(part.as_uniform().is_some(), motion.as_uniform().is_some());
        let whole = motion.pose(t0 + s * (t1 - t0));
        // t itself is rounded: speed times half an ulp on top of the rounding of poses.
        let tolerance = FEW_ULPS * size(&motion) + f64::EPSILON * motion.speed_bound(1.0, 0.0, 1.0);
        prop_assert!(distance(part.pose(s), whole) <= tolerance);
    }

    #[test]
    fn a_reversed_motion_runs_the_same_path_backwards(motion in any_motion(), t in 0.0..=1.0) {
        let tolerance = FEW_ULPS * size(&motion) + f64::EPSILON * motion.speed_bound(1.0, 0.0, 1.0);
        prop_assert!(distance(motion.reversed().pose(1.0 - t), motion.pose(t)) <= tolerance);
    }

    #[test]
    fn no_point_leaves_its_displacement_bound(motion in any_motion(), radius in any_size(), a in 0.0..=1.0, b in 0.0..=1.0) {
        let bound = motion.displacement_bound(radius, a, b);
        let from = motion.pose(a);
        for point in sphere(40) {
            let point = point * radius;
            for step in 0..=20 {
                let t = a + (b - a) * step as f64 / 20.0;
                let moved = (motion.pose(t).transform_point(point) - from.transform_point(point)).length();
                prop_assert!(moved <= bound, "moved {moved:e}, bound {bound:e} at {t}");
            }
        }
    }

    #[test]
    fn no_point_exceeds_its_speed_bound(motion in any_motion(), radius in 0.1..10.0, a in 0.0..=1.0, b in 0.0..=1.0) {
        let bound = motion.speed_bound(radius, a, b);
        for point in sphere(20) {
            let path: Vec<DVec3> = (0..=50)
                .map(|step| motion.pose(a + (b - a) * step as f64 / 50.0).transform_point(point * radius))
                .collect();
            for pair in path.windows(2) {
                // A chord is shorter than its arc: mean speed over a step is at most the largest speed.
                let moved = (pair[1] - pair[0]).length();
                prop_assert!(moved <= bound * (b - a).abs() / 50.0 + motion.rounding(radius));
            }
        }
    }

    /// Slerp and nlerp about the body's origin, and screws: some point attains the bound. The grid of points and times
    /// misses the best one by about 1 - cos(0.05); hence 0.99.
    #[test]
    fn the_displacement_bound_is_attained_between_poses((start, end) in pose_pair(), a in 0.0..0.5, b in 0.5..=1.0) {
        for motion in [Motion::slerp(start, end).unwrap(), Motion::nlerp(start, end).unwrap(), Motion::screw(start, end).unwrap()] {
            let radius = 0.7;
            let bound = motion.displacement_bound(radius, a, b);
            let largest = sphere(2000)
                .into_iter()
                .map(|direction| {
                    let point = direction * radius;
                    (motion.pose(b).transform_point(point) - motion.pose(a).transform_point(point)).length()
                })
                .fold(0.0, f64::max);
            prop_assert!(largest >= 0.99 * bound - 2.0 * motion.rounding(radius), "largest {largest:e}, bound {bound:e}");
        }
    }

    #[test]
    fn the_speed_bound_is_attained_between_poses((start, end) in pose_pair(), a in 0.0..0.99) {
        let radius = 0.7;
        let dt = 1e-3;
        for motion in [Motion::slerp(start, end).unwrap(), Motion::nlerp(start, end).unwrap(), Motion::screw(start, end).unwrap()] {
            let bound = motion.speed_bound(radius, a, a + dt) * dt;
            let largest = sphere(2000)
                .into_iter()
                .map(|direction| {
                    let point = direction * radius;
                    (motion.pose(a + dt).transform_point(point) - motion.pose(a).transform_point(point)).length()
                })
                .fold(0.0, f64::max);
            prop_assert!(largest >= 0.99 * bound - 2.0 * motion.rounding(radius));
        }
    }

    #[test]
    fn nlerp_is_the_normalised_blend((start, end) in pose_pair(), t in 0.0..=1.0_f64) {
        let sign: f64 = if start.rotation.dot(end.rotation) < 0.0 { -1.0 } else { 1.0 };
        let blend = (start.rotation * (1.0 - t) + end.rotation * (sign * t)).normalize();
        let pose = Motion::nlerp(start, end).unwrap().pose(t);
        // At half a turn the sign of the pair is decided by rounding; both ways are short ones.
        prop_assume!(start.rotation.dot(end.rotation).abs() > 1e-12);
        prop_assert!((pose.rotation - blend).length().min((pose.rotation + blend).length()) <= FEW_ULPS);
    }

    #[test]
    fn slerp_turns_by_equal_shares((start, end) in pose_pair(), t in 0.0..=1.0) {
        prop_assume!(start.rotation.dot(end.rotation).abs() > 1e-12);
        let pose = Motion::slerp(start, end).unwrap().pose(t);
        let whole = start.rotation.dot(end.rotation).abs().min(1.0);
        let part = start.rotation.dot(pose.rotation).abs().min(1.0);
        let rest = end.rotation.dot(pose.rotation).abs().min(1.0);
        // acos near 1 turns a rounding of 1e-16 into an angle of 1.5e-8: this oracle sees no more.
        let tolerance = 1e-7;
        prop_assert!((libm::acos(part) - t * libm::acos(whole)).abs() < tolerance);
        prop_assert!((libm::acos(rest) - (1.0 - t) * libm::acos(whole)).abs() < tolerance);
    }

    #[test]
    fn equal_parts_of_a_screw_are_the_same_displacement((start, end) in pose_pair()) {
        // A screw is a one-parameter group: n equal parts, each the displacement D of the first, make D^n.
        let motion = Motion::screw(start, end).unwrap();
        prop_assume!(motion.as_uniform().unwrap().angle >= 1e-6);
        let n = 8;
        let first = motion.pose(1.0 / n as f64) * motion.start().inverse();
        let repeated = (0..n).fold(motion.start(), |pose, _| first * pose);
        // Rounding of D at the distance of the body, n times over.
        let scale = 1.0 + start.translation.length() + end.translation.length();
        prop_assert!(distance(repeated, motion.end()) <= 64.0 * n as f64 * f64::EPSILON * scale);
    }

    #[test]
    fn a_screw_keeps_the_distance_from_its_axis(start in pose(), point in vector(2.0), axis in direction(), angle in -50.0..50.0, advance in -3.0..3.0, t in 0.0..=1.0) {
        let motion = Motion::screw_about(start, point, axis * 3.0, angle, advance).unwrap();
        let body_point = DVec3::new(0.2, -0.1, 0.5);
        let cylinder = |pose: Pose| {
            let arm = pose.transform_point(body_point) - point;
            (axis.cross(arm).length(), axis.dot(arm))
        };
        let (distance_0, height_0) = cylinder(start);
        let (distance_t, height_t) = cylinder(motion.pose(t));
        let tolerance = 64.0 * f64::EPSILON * (10.0 + start.translation.length());
        prop_assert!((distance_t - distance_0).abs() < tolerance);
        prop_assert!((height_t - height_0 - advance * t).abs() < tolerance);
    }
}

/// Its angular velocity is that of its poses, by central differences: their error is `dt^2 omega^3 / 6`.
#[test]
fn a_top_turns_with_the_angular_velocity_that_it_tells() {
    let motion = PrecessionMotion {
        start: Pose::new(DQuat::from_rotation_x(0.4), DVec3::ONE),
        reference: DVec3::new(0.1, -0.2, 0.3),
        velocity: DVec3::Y,
        turn: DVec3::new(3.0, -2.0, 7.0),
        spin: DVec3::new(0.0, 20.0, 0.0),
    };
    let dt = 1e-5;
    for t in [0.1, 0.37, 0.9] {
        let turned = motion.pose(t + dt).rotation * motion.pose(t - dt).rotation.conjugate();
        let measured = prall_math::rotation::log(turned) / (2.0 * dt);
        assert!(measured.distance(motion.angular_velocity(t)) < 1e-6, "{measured}");
        let whole = Motion::precession(motion).unwrap();
        // The reference point goes straight.
        let at = whole.pose(t).transform_point(motion.reference);
        let straight = whole.start().transform_point(motion.reference) + motion.velocity * t;
        assert!(at.distance(straight) < 1e-14);
    }
}

#[test]
fn a_screw_may_turn_many_times() {
    let turns = 12.25;
    let motion =
        Motion::screw_about(Pose::from_translation(DVec3::X), DVec3::ZERO, DVec3::Z, turns * TAU, 6.125)
            .unwrap();
    let uniform = motion.as_uniform().unwrap();
    assert_eq!(uniform.angle, turns * TAU);
    // A quarter turn beyond twelve whole ones takes x to y; 77 radians carry a rounding of 77 half ulps.
    assert!((motion.end().translation - DVec3::new(0.0, 1.0, 6.125)).length() < 100.0 * f64::EPSILON);
    // On the way it is on the other side, which the end poses alone would not tell.
    let sideways = motion.pose(0.5 / turns).translation;
    assert!((sideways - DVec3::new(-1.0, 0.0, 0.25)).length() < 100.0 * f64::EPSILON);
    // Half a turn or more: the diameter, and the advance at right angles to it.
    let expected = (4.0_f64 + 6.125 * 6.125).sqrt();
    assert!((motion.displacement_bound(0.0, 0.0, 1.0) / expected - 1.0).abs() < 1e-12);
}

#[test]
fn a_negative_angle_turns_a_screw_the_other_way() {
    let start = Pose::from_translation(DVec3::X);
    for (angle, end) in [(PI / 2.0, DVec3::Y), (-PI / 2.0, DVec3::NEG_Y)] {
        let motion = Motion::screw_about(start, DVec3::ZERO, DVec3::Z, angle, 0.5).unwrap();
        assert!((motion.end().translation - (end + DVec3::Z * 0.5)).length() < FEW_ULPS);
    }
}

#[test]
fn the_straight_fallback_of_a_screw_stays_within_its_promise() {
    for (angle, straight) in [(1.01e-6, false), (0.99e-6, true), (1e-9, true)] {
        let end = Pose::new(DQuat::from_rotation_z(angle), DVec3::X);
        let motion = Motion::screw(Pose::IDENTITY, end).unwrap();
        assert_eq!(motion.as_uniform().unwrap().reference == DVec3::ZERO, straight);
        let middle = motion.pose(0.5).translation;
        assert!((middle - 0.5 * DVec3::X).length() < 1.3e-7);
    }
}

#[test]
fn both_signs_of_a_quaternion_give_the_short_way() {
    let end = Pose::from_rotation(DQuat::from_rotation_y(0.4));
    let flipped = Pose::from_rotation(-end.rotation);
    for make in [Motion::slerp, Motion::nlerp, Motion::screw] {
        let (a, b) = (make(Pose::IDENTITY, end).unwrap(), make(Pose::IDENTITY, flipped).unwrap());
        assert!(distance(a.pose(0.5), b.pose(0.5)) < FEW_ULPS);
        assert!(distance(a.pose(0.5), Pose::from_rotation(DQuat::from_rotation_y(0.2))) < FEW_ULPS);
    }
}

#[test]
fn the_same_rotation_with_opposite_quaternions_does_not_turn() {
    let start = Pose::from_rotation(DQuat::from_rotation_x(1.0));
    let motion = Motion::slerp(start, Pose::from_rotation(-start.rotation)).unwrap();
    assert!(motion.is_still());
    assert_eq!(motion.pose(0.5), start);
}

#[test]
fn nlerp_is_fastest_in_the_middle_by_the_known_factor() {
    // Eckstein 1998, 5.3: a turn of 60 degrees, 1 / cos(15 degrees)^2 = 1.0718.
    let end = Pose::from_rotation(DQuat::from_rotation_z(PI / 3.0));
    let motion = Motion::nlerp(Pose::IDENTITY, end).unwrap();
    let ratio = motion.speed_bound(1.0, 0.5, 0.5) / motion.speed_bound(1.0, 0.0, 0.0);
    assert!((ratio - 1.0 / (libm::cos(PI / 12.0) * libm::cos(PI / 12.0))).abs() < 1e-12);
    assert_eq!(motion.speed_bound(1.0, 0.2, 0.9), motion.speed_bound(1.0, 0.5, 0.5));
}

#[test]
fn a_body_at_rest_has_bound_zero_wherever_it_is() {
    let far = Pose::new(DQuat::from_rotation_x(0.3), DVec3::new(1e6, -1e7, 3.0));
    for motion in [
        Motion::still(far).unwrap(),
        Motion::slerp(far, far).unwrap(),
        Motion::nlerp(far, far).unwrap(),
        Motion::screw(far, far).unwrap(),
        Motion::slerp(far, Pose::new(-far.rotation, far.translation)).unwrap(),
        Motion::slerp(Pose::IDENTITY, Pose::new(DQuat::from_rotation_x(2.0), DVec3::X))
            .unwrap()
            .part(0.3, 0.3)
            .unwrap(),
    ] {
        assert!(motion.is_still());
        assert_eq!(motion.displacement_bound(1.0, 0.0, 1.0), 0.0);
        assert_eq!(motion.pose(0.0), motion.pose(0.7));
    }
}

#[test]
fn constant_velocities_for_a_time_are_a_motion() {
    let start = Pose::new(DQuat::from_rotation_x(0.5), DVec3::new(1.0, 2.0, 3.0));
    let centre = DVec3::new(0.1, 0.0, -0.2);
    let twist = Twist::new(DVec3::new(3.0, 0.0, -1.0), DVec3::new(0.0, 40.0, 0.0));
    let motion = Motion::from_twist(start, centre, twist, 0.5).unwrap();
    let moved = motion.end().transform_point(centre) - start.transform_point(centre);
    assert!((moved - 0.5 * twist.linear).length() < FEW_ULPS * 10.0);
    let expected = DQuat::from_rotation_y(20.0) * start.rotation;
    assert!((motion.end().rotation - expected).length() < FEW_ULPS * 4.0);
}

#[test]
fn bounds_of_what_is_not_a_number_are_infinite() {
    let end = Pose::new(DQuat::from_rotation_z(1.0), DVec3::X);
    let motion = Motion::slerp(Pose::IDENTITY, end).unwrap();
    assert_eq!(motion.displacement_bound(f64::NAN, 0.0, 1.0), f64::INFINITY);
    assert_eq!(motion.displacement_bound(1.0, f64::NAN, 1.0), f64::INFINITY);
    assert_eq!(motion.speed_bound(f64::NAN, 0.0, 1.0), f64::INFINITY);
}

#[test]
fn bad_motions_are_refused_by_name() {
    let good = Pose::IDENTITY;
    let stretched = Pose::from_rotation(DQuat::from_xyzw(0.0, 0.0, 0.0, 1.1));
    let lost = Pose::from_translation(DVec3::new(0.0, f64::NAN, 0.0));
    let huge = Pose::from_translation(DVec3::splat(1e200));
    for bad in [stretched, lost, huge] {
        for make in [Motion::slerp, Motion::nlerp, Motion::screw] {
            assert!(matches!(make(bad, good), Err(MotionError::Pose { role: "start", .. })));
            assert!(matches!(make(good, bad), Err(MotionError::Pose { role: "end", .. })));
        }
        assert!(Motion::still(bad).is_err());
    }
    let screw = |axis, angle, advance| Motion::screw_about(good, DVec3::ZERO, axis, angle, advance);
    assert!(matches!(screw(DVec3::ZERO, 1.0, 0.0), Err(MotionError::Axis { .. })));
    assert!(matches!(screw(DVec3::X, f64::INFINITY, 0.0), Err(MotionError::Number { role: "angle", .. })));
    assert!(matches!(screw(DVec3::X, 1.0, f64::NAN), Err(MotionError::Number { role: "advance", .. })));
    let motion = Motion::still(good).unwrap();
    for (t0, t1) in [(0.5, 0.4), (-0.1, 0.5), (0.5, 1.1), (f64::NAN, 1.0)] {
        assert!(matches!(motion.part(t0, t1), Err(MotionError::Interval { .. })));
    }
    let uniform = UniformMotion {
        start: good,
        reference: DVec3::ZERO,
        velocity: DVec3::X,
        axis: DVec3::new(0.0, 0.0, 2.0),
        angle: 1.0,
    };
    assert!(matches!(Motion::uniform(uniform), Err(MotionError::Axis { .. })));
    let backward = UniformMotion { axis: DVec3::Z, angle: -1.0, ..uniform };
    assert!(matches!(Motion::uniform(backward), Err(MotionError::Number { role: "angle", .. })));
    let boundless = Pendulum { amplitude: f64::NAN, length: 1.0 };
    assert!(Motion::law(Arc::new(boundless)).is_err());
    assert!(Motion::uniform(UniformMotion { axis: DVec3::Z, ..uniform }).is_ok());
}

#[test]
fn errors_say_what_would_be_right() {
    let text =
        Motion::still(Pose::from_rotation(DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0))).unwrap_err().to_string();
    assert!(
        text.contains("start") && text.contains("unit length") && text.contains("length here 2"),
        "{text}"
    );
}
