//! Saved and restored states, repeated runs, scaled scenes, long runs.

use glam::DVec3;
use prall_geometry::Shape;
use prall_handling::{Budget, Friction, HandlingError, HandlingOptions, HandlingState, Held};

use crate::corner::{corner, corner_shapes};
use crate::shapes::*;

fn shaken() -> Held {
    let part = cuboid(DVec3::new(0.08, 0.06, 0.07));
    Held::new(&part, at(0.06, 0.06, 0.06), corner(&corner_shapes()), HandlingOptions::default()).unwrap()
}

fn shake(held: &mut Held, hand: &mut Violence, steps: usize) {
    for _ in 0..steps {
        let command = velocity(hand.vector() * 5.0 - DVec3::ONE, hand.vector() * 20.0);
        held.step(Some(&command), DT, &mut Budget::of_work(5_000)).unwrap();
    }
}

#[test]
fn a_restored_state_goes_on_with_equal_bits_and_so_does_a_second_run() {
    let (mut held, mut hand) = (shaken(), Violence::new(4));
    shake(&mut held, &mut hand, 200);
    let bytes = postcard::to_allocvec(held.state()).unwrap();
    let mut second = shaken();
    second.restore(&postcard::from_bytes::<HandlingState>(&bytes).unwrap()).unwrap();
    let mut same_hand = Violence::new(4);
    for _ in 0..200 {
        let _ = (same_hand.vector(), same_hand.vector());
    }
    shake(&mut held, &mut hand, 200);
    shake(&mut second, &mut same_hand, 200);
    assert_eq!(held.state(), second.state());
    let (mut third, mut hand) = (shaken(), Violence::new(4));
    shake(&mut third, &mut hand, 400);
    assert_eq!(held.state(), third.state());
}

#[test]
fn a_state_that_claims_a_gap_that_is_not_there_is_refused() {
    let (mut held, mut hand) = (shaken(), Violence::new(4));
    shake(&mut held, &mut hand, 50);
    let near = held.state().clone();
    held.set_pose(at(0.2, 0.2, 0.2)).unwrap();
    run(&mut held, &velocity(DVec3::X * 1e-3, DVec3::ZERO), 3);
    let far = held.state().clone();
    // The far state's proofs with the near state's pose.
    let mut mixed = bytes_of(&far);
    mixed[..7 * 8].copy_from_slice(&bytes_of(&near)[..7 * 8]);
    let forged = postcard::from_bytes::<HandlingState>(&mixed).unwrap();
    assert!(matches!(held.restore(&forged), Err(HandlingError::State(_))));
    assert_eq!(held.state(), &far);
}

/// The pose comes first: seven numbers of eight bytes.
fn bytes_of(state: &HandlingState) -> Vec<u8> {
    postcard::to_allocvec(state).unwrap()
}

#[test]
fn a_scene_1024_times_as_large_moves_1024_times_as_far() {
    let end = |scale: f64| {
        let options = HandlingOptions { guard: 10e-6 * scale, ..HandlingOptions::default() };
        let part = cuboid(DVec3::new(0.1, 0.06, 0.08) * scale);
        let floor: Shape = cuboid(DVec3::new(1.0, 0.1, 1.0) * scale);
        let floor = obstacle("floor", &floor, at(0.0, -0.05 * scale, 0.0));
        let mut held = Held::new(&part, at(0.0, 0.05 * scale, 0.0), vec![floor], options).unwrap();
        run(&mut held, &velocity(DVec3::new(0.2, -0.3, 0.1) * scale, DVec3::new(0.3, 0.2, -0.5)), 300);
        (held.pose().translation / scale, held.pose().rotation)
    };
    let (small, large) = (end(1.0), end(1024.0));
    // A power of two: lengths round alike, so any difference would be a length that is written in the code.
    assert!((small.0 - large.0).length() < 1e-9, "{small:?} {large:?}");
    assert!(small.1.angle_between(large.1) < 1e-7);
}

#[test]
fn twenty_thousand_steps_do_not_drift() {
    let part = cuboid(DVec3::new(0.1, 0.06, 0.08));
    let options = HandlingOptions { friction: Friction::of(0.3), ..HandlingOptions::default() };
    let mut held = Held::new(&part, at(0.0, 0.031, 0.0), vec![table()], options).unwrap();
    for step in 0..20_000 {
        let along = if step / 500 % 2 == 0 { 0.2 } else { -0.2 };
        run(&mut held, &velocity(DVec3::new(along, -0.1, 0.0), DVec3::ZERO), 1);
    }
    let tilt = held.pose().transform_vector(DVec3::Y).angle_between(DVec3::Y);
    assert!((held.pose().translation.y - 0.03 - 10e-6).abs() < 1e-6, "within a tenth of the guard");
    assert!(tilt < 1e-6 && held.pose().translation.z.abs() < 1e-6, "{:?}", held.pose());
}
