//! Violence in a concave corner: nothing passes, gaps do not fade.

use glam::DVec3;
use prall_geometry::Shape;
use prall_handling::{Budget, Friction, HandlingOptions, Held};

use crate::shapes::*;

/// Three plates that meet in a corner at the origin.
pub(crate) fn corner_shapes() -> Vec<Shape> {
    [DVec3::X, DVec3::Y, DVec3::Z].map(|n| cuboid(DVec3::splat(0.6) - n * 0.55)).into_iter().collect()
}

pub(crate) fn corner(shapes: &[Shape]) -> Vec<prall_handling::Obstacle> {
    let places = [DVec3::new(-0.025, 0.2, 0.2), DVec3::new(0.2, -0.025, 0.2), DVec3::new(0.2, 0.2, -0.025)];
    let names = ["left", "floor", "back"];
    names
        .iter()
        .zip(shapes)
        .zip(places)
        .map(|((name, shape), place)| obstacle(name, shape, prall_math::Pose::from_translation(place)))
        .collect()
}

/// Shakes a box in the corner; smallest gap and share of the interval that was worked off.
fn shake(seed: u64, friction: f64, steps: usize, samples: usize) -> (f64, f64, usize) {
    let part = cuboid(DVec3::new(0.08, 0.06, 0.07));
    let shapes = corner_shapes();
    let options = HandlingOptions { friction: Friction::of(friction), ..HandlingOptions::default() };
    let mut held = Held::new(&part, at(0.1, 0.1, 0.1), corner(&shapes), options).unwrap();
    let mut judge = Judge::new(&part, &shapes.iter().collect::<Vec<_>>());
    let mut hand = Violence::new(seed);
    let mut command = velocity(DVec3::ZERO, DVec3::ZERO);
    let (mut gap, mut done) = (f64::INFINITY, 0.0);
    for step in 0..steps {
        if step % 7 == 0 {
            // Into the corner on the whole.
            let push = hand.vector() * 10.0 - DVec3::splat(3.0);
            command = velocity(push, hand.vector() * 50.0);
        }
        let report = held.step(Some(&command), DT, &mut Budget::unlimited()).unwrap();
        gap = gap.min(report.smallest_gap);
        done += report.done;
        judge.look(&held, samples);
    }
    (gap, done / steps as f64, judge.samples)
}

#[test]
fn violent_commands_in_a_corner_never_overlap_and_gaps_do_not_fade() {
    for (seed, friction) in [(1, 0.3), (2, 0.6)] {
        let (gap, done, samples) = shake(seed, friction, 1500, 20);
        assert!(samples > 400_000);
        assert!(gap > 1e-6, "seed {seed}: the smallest gap is {gap:e} m");
        assert!(done > 0.98, "seed {seed}: {done} of the interval");
    }
}

#[test]
#[ignore = "soak: ten minutes of the hand"]
fn violent_commands_for_ten_minutes() {
    let (gap, done, samples) = shake(3, 0.3, 300_000, 20);
    println!("gap {gap:e}, done {done:.4}, {samples} samples");
    assert!(gap > 1e-6 && done > 0.98);
}
