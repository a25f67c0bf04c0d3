//! Friction of areas beside that of three points: closed forms, brute force, and what Buck 1999 reports.

use glam::DVec2;
use prall_handling::HandlingError;
use prall_handling::area::{Slide, SlideState, SupportPolygon};

use crate::area_cases::*;
use crate::shapes::Violence;

const HALF: DVec2 = DVec2::new(0.1, 0.06);

/// The area's moments are those of the thesis' table; its corners have 1 whatever their number.
#[test]
fn the_moment_of_friction_of_regular_areas_is_that_of_the_table() {
    for (count, expected) in [(3, 0.460), (4, 0.541), (6, 0.608), (1_000, 0.667)] {
        let polygon = SupportPolygon::regular(count, 1.0).unwrap();
        assert!((polygon.turning_moment() - expected).abs() < 6e-4, "{count}");
        let corners = Slide::new(polygon.corners().to_vec()).turning_moment().unwrap();
        assert!((corners - 1.0).abs() < 1e-12, "{corners}");
        // Brute force: the mean distance of the points of a fine grid.
        let (mut sum, mut inside) = (0.0, 0.0);
        for i in 0..400 {
            for j in 0..400 {
                let point = (DVec2::new(f64::from(i), f64::from(j)) + 0.5) / 200.0 - 1.0;
                if polygon.contains(point) {
                    (sum, inside) = (sum + point.length(), inside + 1.0);
                }
            }
        }
        assert!((sum / inside - polygon.turning_moment()).abs() < 2e-3, "{count}");
    }
    // Any polygon, also where the origin is outside of it.
    let notch = [(0.2, 0.1), (1.0, 0.0), (0.9, 1.0), (0.5, 0.3)].map(DVec2::from);
    let notch = SupportPolygon::new(notch.into()).unwrap();
    let points = notch.points(200_000, 3);
    let mean = points.iter().map(|point| point.length()).sum::<f64>() / points.len() as f64;
    assert!((notch.turning_moment() - mean).abs() < 2e-3, "{mean}");
}

/// Buck 1999, 8.2: whatever forces act on a support, three of its corners can carry them.
#[test]
fn three_corners_carry_what_any_forces_on_a_polygon_carry() {
    let mut random = Violence::new(11);
    for seed in 0..500 {
        let count = 3 + seed as usize % 9;
        let Ok(polygon) = SupportPolygon::star(count, 1.0, seed) else { continue };
        let points = polygon.points(40, seed);
        let forces: Vec<f64> = points.iter().map(|_| share(&mut random)).collect();
        let load: f64 = forces.iter().sum();
        let moment: DVec2 = points.iter().zip(&forces).map(|(point, force)| *point * *force).sum();
        let triple = polygon.triple(moment / load).expect("inside of the hull");
        let carried = triple.shares.map(|share| share * load);
        let at = triple.corners.map(|corner| polygon.corners()[corner]);
        assert!(carried.iter().all(|force| *force >= 0.0));
        assert!((carried.iter().sum::<f64>() - load).abs() < 1e-12 * load);
        let sum: DVec2 = at.iter().zip(carried).map(|(point, force)| *point * force).sum();
        assert!((sum - moment).length() < 1e-12 * load, "{seed}: {sum} {moment}");
    }
    // Outside of the hull none do.
    assert!(SupportPolygon::regular(5, 1.0).unwrap().triple(DVec2::new(1.1, 0.0)).is_none());
}

/// Without an offset nothing turns, on any three points, for more than 500 intervals, although a push 20 mm behind the mass centre makes any deviation grow; the way
/// is that of a sum of even steps.
#[test]
fn a_central_push_goes_straight_on_any_three_points() {
    let polygon = rectangle();
    let supports = (1..=20)
        .map(|seed| random_triple(&polygon, seed))
        .chain([corner_triple(), area_points(&polygon, 100, 1)]);
    for points in supports {
        let slide = body(&polygon, points, 0.0);
        let (state, most) = pushed(&slide, DVec2::new(0.02, 0.06), 1.05, 0.0, 550);
        let acceleration = 0.05 * slide.resistance() / slide.mass;
        let expected = acceleration * 1e-4 * (550.0 * 551.0 / 2.0);
        assert!(most < 1e-6, "{most}");
        assert!((state.place.x - expected).abs() < 1e-6 * expected, "{} {expected}", state.place.x);
        assert!(state.place.y.abs() < 1e-6);
    }
}

/// More points than 100 change nothing that counts, and the law of pressure little.
#[test]
fn a_hundred_points_are_an_area_under_any_law_of_pressure() {
    let polygon = rectangle();
    let angle = |count: usize, seed: u64, power: f64| {
        let slide = body(&polygon, area_points(&polygon, count, seed), power);
        pushed(&slide, HALF, 1.05, 0.5, 300).0.angle
    };
    let reference = angle(3_000, 1, 0.0);
    let off = |count: usize| -> f64 {
        (1..=8).map(|seed| (angle(count, seed, 0.0) / reference - 1.0).abs()).sum::<f64>() / 8.0
    };
    let errors = [10, 30, 100, 300, 1_000].map(off);
    // A hundred points are within a hundredth of three thousand; ten are not.
    assert!(errors[0] > 0.02 && errors[2..].iter().all(|error| *error < 0.01), "{errors:?}");
    let laws = [-0.5, 0.0, 1.0, 2.0, 4.0].map(|power| angle(100, 1, power));
    assert!(laws.iter().all(|law| (law / laws[1] - 1.0).abs() < 2e-3), "{laws:?}");
    // Random bases too: the laws differ less than the bases by far.
    let mut spread = 0.0_f64;
    let mut angles = Vec::new();
    for seed in 0..20 {
        let Ok(star) = SupportPolygon::star(12, 0.15, seed) else { continue };
        let angle = |power: f64| {
            let slide = body(&star, area_points(&star, 100, seed), power);
            Some(try_pushed(&slide, HALF, 1.05, 0.5, 200)?.0.angle)
        };
        // Steep laws would have to pull at some points of lopsided bases.
        let laws: Option<Vec<f64>> = [-0.5, 0.0, 1.0, 2.0, 4.0].into_iter().map(angle).collect();
        let Some(laws) = laws else { continue };
        spread = laws.iter().fold(spread, |most, law| most.max((law / laws[1] - 1.0).abs()));
        angles.push(laws[1].abs());
    }
    let between = angles.iter().fold(0.0_f64, |most, angle| most.max(*angle))
        / angles.iter().fold(f64::INFINITY, |least, angle| least.min(*angle));
    assert!(angles.len() >= 15, "{}", angles.len());
    assert!(spread < 0.02 && between > 1.2, "{spread} {between}");
}

/// Buck 1999, 8.3.2: the body swings into the angle at which the push has no moment; corners give the smallest swing at every offset, the area lies among random
/// triples, and smaller offsets turn it farther.
#[test]
fn an_off_centre_push_turns_the_expected_way_and_corners_brake_most() {
    let polygon = rectangle();
    let mut last = f64::INFINITY;
    for step in 1..=10 {
        let aside = 0.1 * f64::from(step);
        // What brakes less swings longer.
        let swing = |points: Vec<DVec2>, within: f64| {
            let (state, most) = pushed(&body(&polygon, points, 0.0), HALF, 1.05, aside, 2_000);
            let without_moment = libm::atan2(aside * HALF.y, HALF.x) - std::f64::consts::PI;
            assert!((state.angle - without_moment).abs() < within, "{}", state.angle);
            // It goes along the push by then.
            assert!((state.velocity.y / state.velocity.x).abs() < within, "{}", state.velocity);
            most
        };
        let (corner, area) = (swing(corner_triple(), 0.01), swing(area_points(&polygon, 100, 1), 0.01));
        let random: Vec<f64> = (1..=10).map(|seed| swing(random_triple(&polygon, seed), 1.0)).collect();
        let low = random.iter().copied().fold(f64::INFINITY, f64::min);
        let high = random.iter().copied().fold(0.0, f64::max);
        assert!(corner < low && low < area && area < high, "{aside}: {corner} {area} {low} {high}");
        assert!(area < last, "{aside}");
        last = area;
    }
}

#[test]
fn a_body_that_would_tip_is_refused() {
    let points = [(0.1, 0.1), (0.3, 0.0), (0.2, -0.1)].map(DVec2::from).to_vec();
    let refused = Slide::new(points).step(&mut SlideState::default(), DVec2::X, DVec2::ZERO, 0.01);
    assert_eq!(refused, Err(HandlingError::Tips));
    assert!(SupportPolygon::new(vec![DVec2::X, DVec2::ZERO, DVec2::Y]).is_err(), "clockwise");
}
