//! The plates of the scene against the reference of friction of areas, and against closed forms.

use super::*;
use prall_handling::area::{Slide, SlideState};

fn run(scene: &mut PushPlate, steps: u64) {
    for _ in 0..steps {
        scene.step(&Input::default(), &mut Budget::unlimited());
    }
}

/// The reference takes friction against the velocities at the beginning of its intervals and knows no rest: another scheme, which both of them
/// approach as intervals shrink.
fn reference(points: Vec<DVec2>, aside: f64, seconds: f64) -> SlideState {
    const DT: f64 = 2e-4;
    let gyration = (HALF.length_squared() / 3.0).sqrt();
    let slide = Slide { gyration, ..Slide::new(points) };
    let (push, mut state) = (DVec2::X * (1.05 * slide.resistance()), SlideState::default());
    for _ in 0..(seconds / DT).round() as usize {
        slide.step(&mut state, push, DVec2::new(-HALF.x, aside), DT).expect("it stays upright");
    }
    state
}

#[test]
fn a_push_beside_the_mass_centre_turns_both_plates_as_the_reference_says() {
    let mut scene = PushPlate::new();
    scene.state.mover = Mover::Script { aside: true, steps: 0 };
    let (mut rate, mut speed) = (0.0_f64, 0.0_f64);
    for _ in 0..90 {
        run(&mut scene, 1);
        for plate in scene.state.plates {
            (rate, speed) = (rate.max(plate.rate.abs()), speed.max(plate.velocity.length()));
        }
    }
    let [few, area] = scene.state.plates;
    let points = |index: usize| scene.supports[index].points().to_vec();
    for (plate, points) in [(few, points(0)), (area, points(1))] {
        let expected = reference(points, 0.03, 1.5);
        // Both schemes are of first order: early or late by an interval.
        let interval = TIME_STEP / INTERVALS as f64;
        let (turn, way) = ((plate.angle - expected.angle).abs(), plate.place.distance(expected.place));
        assert!(turn < rate * interval, "{} rad, not {}", plate.angle, expected.angle);
        assert!(way < speed * interval, "{} m, not {}", plate.place, expected.place);
    }
    assert!(few.place.distance(area.place) > 0.1, "points at the rim brake more: {few:?} {area:?}");
}

#[test]
fn a_push_through_the_mass_centre_turns_neither_and_the_points_do_not_matter() {
    for choice in 0..=3 {
        let mut scene = PushPlate::new();
        scene.set("choice", f64::from(choice)).unwrap();
        scene.reset();
        run(&mut scene, 120);
        let way = 0.5 * 0.05 * 0.3 * plate::GRAVITY * 4.0;
        for plate in scene.state.plates {
            assert!(plate.angle.abs() < 1e-3, "{} rad", plate.angle);
            // Velocities of an interval are those at its end.
            assert!((plate.place.x - way).abs() < 2e-3, "{} m, not {way}", plate.place.x);
        }
    }
}

#[test]
fn a_push_below_friction_moves_nothing_and_a_plate_that_is_let_go_comes_to_rest() {
    let mut scene = PushPlate::new();
    scene.set("push", 0.9).unwrap();
    run(&mut scene, 60);
    let [few, area] = scene.state.plates;
    // Sweeps end at a nanometre a second.
    assert!(few.place.length() < 1e-8 && area.place.length() < 1e-8, "{few:?} {area:?}");
    scene.set("push", 1.5).unwrap();
    run(&mut scene, 60);
    assert!(scene.state.plates[0].velocity.x > 1.0);
    let above = in_world(scene.state.plates[0].place, 1.0);
    let ray = Ray::new(above, DVec3::NEG_Y).expect("a direction");
    scene.grab(&ray).expect("a plate is below");
    scene.release();
    let (begin, speed) = (scene.state.plates[0].place, scene.state.plates[0].velocity.x);
    run(&mut scene, 90);
    let plate = scene.state.plates[0];
    assert!(plate.velocity.length() < 1e-8 && plate.rate.abs() < 1e-7, "{plate:?}");
    let way = speed * speed / (2.0 * 0.3 * plate::GRAVITY);
    assert!((plate.place.x - begin.x - way).abs() < 5e-3, "{} m, not {way}", plate.place.x - begin.x);
}

#[test]
fn a_hand_takes_both_plates_along_and_a_restored_scene_goes_on_with_the_same_bits() {
    let mut scene = PushPlate::new();
    let ray = Ray::new(DVec3::new(0.06, 1.0, 0.03), DVec3::NEG_Y).expect("a direction");
    let grip = scene.grab(&ray).expect("the plates are there");
    assert_eq!(grip.body, 0);
    let input = Input { hand: Some(Pose::from_translation(DVec3::new(0.3, 0.5, 0.2))), ..Input::default() };
    for _ in 0..60 {
        scene.step(&input, &mut Budget::unlimited());
    }
    let mut other = PushPlate::new();
    other.restore(&scene.save()).unwrap();
    for scene in [&mut scene, &mut other] {
        for _ in 0..120 {
            scene.step(&input, &mut Budget::unlimited());
        }
    }
    assert_eq!(scene.hash(), other.hash());
    for plate in scene.state.plates {
        // The hand's spring stands where friction holds what is left of its pull.
        let left = plate.point(DVec2::new(0.06, -0.03)).distance(DVec2::new(0.3, -0.2));
        assert!(left <= 0.3 * MASS * plate::GRAVITY / HAND.0, "{left} m");
    }
    assert!(scene.report.velocity_error <= TOLERANCE);
}
