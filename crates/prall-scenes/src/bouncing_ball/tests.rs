use super::*;
use proptest::prelude::*;

fn scene(settings: &[(&str, f64)]) -> BouncingBall {
    let mut scene = BouncingBall::new();
    for (key, value) in settings {
        scene.set(key, *value).unwrap();
    }
    scene.reset();
    scene
}

fn run(scene: &mut BouncingBall, seconds: f64) {
    for _ in 0..(seconds / TIME_STEP).round() as usize {
        scene.step(&Input::default(), &mut Budget::unlimited());
    }
}

fn at_rest(scene: &BouncingBall) -> bool {
    let ball = &scene.state.ball;
    ball.gap() == 0.0 && ball.body.velocity.linear.y == 0.0
}

/// Infinitely many bounces end at t = sqrt(2h/g) (1+e)/(1-e): the ball moves in the step before and rests after it.
#[test]
fn the_ball_comes_to_rest_at_the_exact_time() {
    for restitution in [0.0, 0.3, 0.75, 0.9, 0.99] {
        let mut scene = scene(&[("restitution", restitution), ("height", 0.8)]);
        let end = (2.0_f64 * 0.8 / 9.81).sqrt() * (1.0 + restitution) / (1.0 - restitution);
        let step = (end / TIME_STEP) as usize;
        for _ in 0..step {
            scene.step(&Input::default(), &mut Budget::unlimited());
        }
        assert!(!at_rest(&scene), "e = {restitution}: at rest before {end} s");
        scene.step(&Input::default(), &mut Budget::unlimited());
        assert!(at_rest(&scene), "e = {restitution}: still moving after {end} s");
    }
}

/// Each apex is e^2 times the one before, seen by the highest point between two impacts.
#[test]
fn apexes_shrink_with_the_square_of_restitution() {
    let mut scene = scene(&[("restitution", 0.8), ("height", 1.0)]);
    let mut apexes = vec![];
    let mut highest: f64 = 0.0;
    while apexes.len() < 4 {
        let report = scene.step(&Input::default(), &mut Budget::unlimited());
        if report.collisions > 0 {
            apexes.push(highest);
            highest = 0.0;
        }
        highest = highest.max(scene.state.ball.gap());
    }
    for pair in apexes[1..].windows(2) {
        // Sampled apexes are low by at most g h^2 / 8 = 21 um.
        assert!((pair[1] / pair[0] - 0.64).abs() < 2e-4, "{apexes:?}");
    }
}

#[test]
fn without_loss_the_energy_stays() {
    let mut scene = scene(&[("restitution", 1.0), ("friction", 0.0), ("height", 1.0)]);
    let start = scene.energy().total();
    run(&mut scene, 60.0);
    // Some 130 impacts and 14,400 parabolas, a few roundings each.
    assert!((scene.energy().total() / start - 1.0).abs() < 1e-11);
}

#[test]
fn the_event_driven_ball_is_never_in_the_ground() {
    let mut scene = scene(&[("restitution", 0.5), ("spin", 80.0), ("speed", 2.0)]);
    for _ in 0..2400 {
        let report = scene.step(&Input::default(), &mut Budget::unlimited());
        assert_eq!(report.position_error, 0.0);
    }
}

/// A ball put down with speed v0 slides, then rolls at 5/7 v0 from t = 2 v0 / (7 mu g) on.
#[test]
fn sliding_turns_into_rolling_at_five_sevenths_of_the_speed() {
    let (speed, friction) = (3.0, 0.3);
    let mut scene = scene(&[
        ("height", 0.0),
        ("speed", speed),
        ("friction", friction),
        ("rolling", 0.0),
        ("restitution", 0.0),
    ]);
    let end = 2.0 * speed / (7.0 * friction * 9.81);
    let rolls = |scene: &BouncingBall| {
        let velocity = scene.state.ball.body.velocity;
        (velocity.linear.x + velocity.angular.z * RADIUS).abs() < 1e-11
    };
    let step = (end / TIME_STEP) as usize;
    for _ in 0..step {
        scene.step(&Input::default(), &mut Budget::unlimited());
    }
    assert!(!rolls(&scene));
    run(&mut scene, 2.0 * TIME_STEP);
    assert!(rolls(&scene));
    assert!((scene.state.ball.body.velocity.linear.x - 5.0 / 7.0 * speed).abs() < 1e-11);
    run(&mut scene, 10.0);
    assert!((scene.state.ball.body.velocity.linear.x - 5.0 / 7.0 * speed).abs() < 1e-11);
}

/// A rolling ball is slowed by a = arm g / (7/5 r) and then lies still.
#[test]
fn rolling_resistance_stops_the_ball_in_finite_time() {
    let speed = 0.5;
    let mut scene = scene(&[("height", 0.0), ("speed", speed), ("spin", speed / RADIUS), ("rolling", 0.01)]);
    let slowing = 0.01 * 9.81 / (1.4 * RADIUS);
    let half = (0.5 * speed / slowing / TIME_STEP).round() * TIME_STEP;
    run(&mut scene, half);
    assert!((scene.state.ball.body.velocity.linear.x - (speed - slowing * half)).abs() < 1e-12);
    run(&mut scene, 1.1 * half);
    assert!(scene.state.ball.body.velocity.linear.length() < 1e-11);
}

/// A ball that lands with backspin kicks back: friction at the impact sees the spin.
#[test]
fn spin_kicks_the_ball_sideways_at_the_impact() {
    for spin in [-50.0, 50.0] {
        let mut scene = scene(&[("spin", spin), ("height", 0.5)]);
        run(&mut scene, 0.5);
        assert!(scene.state.ball.body.velocity.linear.x * spin > 0.1);
    }
}

/// Time stepping converges to the event-driven motion: errors of the order of a step.
#[test]
fn both_solvers_agree_to_the_order_of_the_step() {
    let mut event = scene(&[("restitution", 0.6)]);
    let mut moreau = scene(&[("restitution", 0.6)]);
    moreau.select_solver("moreau").unwrap();
    let mut overlap: f64 = 0.0;
    for _ in 0..480 {
        event.step(&Input::default(), &mut Budget::unlimited());
        overlap = overlap.max(moreau.step(&Input::default(), &mut Budget::unlimited()).position_error);
        let difference = event.state.ball.gap() - moreau.state.ball.gap();
        // The fall ends with 4.4 m/s: 18 mm a step, and the lateness of three impacts adds up.
        assert!(difference.abs() < 0.08, "{difference} m apart at {} s", event.time());
    }
    assert!(overlap > 1e-4, "time stepping is expected to overlap, and to say so");
}

#[test]
fn a_pulled_ball_follows_the_hand_and_falls_when_let_go() {
    let mut scene = BouncingBall::new();
    let eye = DVec3::new(0.0, 1.12, 3.0);
    let grip = scene.grab(&Ray::new(eye, DVec3::NEG_Z).unwrap()).unwrap();
    assert!((grip.point - DVec3::Z * RADIUS).length() < 1e-15);
    let hand = DVec3::new(1.0, 2.0, 0.5);
    let input = Input { hand: Some(Pose::from_translation(hand)), ..Input::default() };
    for _ in 0..1200 {
        scene.step(&input, &mut Budget::unlimited());
    }
    let held = scene.state.ball.body.pose.transform_point(grip.point);
    let pace = std::f64::consts::TAU * HAND_FREQUENCY;
    let stretch = 9.81 / (pace * pace);
    // The spring stretches by g / (2 pi f)^2 = 62 mm under the weight.
    assert!((held - hand - DVec3::NEG_Y * stretch).length() < 2e-3);
    let mut frame = Frame::default();
    scene.frame(&mut frame);
    assert!(frame.overlays.iter().any(|item| item.kind == OverlayKind::Grip && item.value > 5.0));
    scene.release();
    run(&mut scene, 10.0);
    assert!(at_rest(&scene));
}

#[test]
fn a_ray_beside_or_behind_grabs_nothing() {
    let mut scene = BouncingBall::new();
    let eye = DVec3::new(0.0, 1.12, 3.0);
    assert!(scene.grab(&Ray::new(eye, DVec3::Z).unwrap()).is_none());
    assert!(scene.grab(&Ray::new(eye + DVec3::X * 0.121, DVec3::NEG_Z).unwrap()).is_none());
}

#[test]
fn a_restored_run_goes_on_with_the_same_bits() {
    for solver in ["event", "moreau"] {
        let mut original = scene(&[("spin", 30.0), ("speed", 1.0)]);
        original.select_solver(solver).unwrap();
        run(&mut original, 1.0);
        let mut restored = BouncingBall::new();
        restored.restore(&original.save()).unwrap();
        assert_eq!(restored.hash(), original.hash());
        run(&mut original, 2.0);
        run(&mut restored, 2.0);
        assert_eq!(restored.hash(), original.hash());
        assert_eq!(restored.time(), original.time());
    }
}

/// Sensitive to every rounding of the path: changes of the algorithm change this number, platforms do not.
#[test]
fn the_state_after_three_seconds_has_the_recorded_hash() {
    let mut scene = scene(&[("spin", 30.0), ("speed", 1.0)]);
    run(&mut scene, 3.0);
    assert_eq!(format!("{:016x}", scene.hash()), "64f5616f58d3a706");
}

#[test]
fn a_spent_budget_loses_time_and_says_so_but_never_lets_the_ball_through() {
    let mut scene = scene(&[("restitution", 0.5), ("height", 0.1)]);
    let mut lost = 0.0;
    for _ in 0..480 {
        let report = scene.step(&Input::default(), &mut Budget::of_work(1));
        lost += report.lost_time;
        assert!(report.work <= 1);
        assert_eq!(report.position_error, 0.0);
        assert_eq!(report.budget_cut, report.lost_time > 0.0);
    }
    assert!(lost > 0.0);
}

#[test]
fn refused_settings_leave_the_scene_as_it_was() {
    let mut scene = BouncingBall::new();
    let before = scene.save();
    assert!(matches!(scene.set("restitution", 1.5), Err(ParameterError::OutOfRange { .. })));
    assert!(matches!(scene.set("restitution", f64::NAN), Err(ParameterError::OutOfRange { .. })));
    assert!(matches!(scene.set("colour", 1.0), Err(ParameterError::Unknown { .. })));
    assert!(scene.select_solver("magic").is_err());
    assert_eq!(scene.save(), before);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(3),
        ..ProptestConfig::default()
    })]

    /// Bytes from anywhere: either refused with the scene unchanged, or a state that runs on with finite numbers.
    #[test]
    fn foreign_bytes_never_break_the_scene(mut cut in 0..400_usize, flip in 0..400_usize, bit in 0..8_u8) {
        let mut scene = BouncingBall::new();
        let mut bytes = scene.save();
        cut = cut.min(bytes.len());
        let flip = flip % bytes.len();
        bytes[flip] ^= 1 << bit;
        bytes.truncate(cut.max(1));
        let before = scene.save();
        match scene.restore(&bytes) {
            Err(_) => prop_assert_eq!(scene.save(), before),
            Ok(()) => {
                run(&mut scene, 0.1);
                prop_assert!(scene.is_finite());
            }
        }
    }
}
