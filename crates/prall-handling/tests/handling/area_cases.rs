//! Runs of bodies that are pushed over a plane, for the tests and the table of friction of areas.

use glam::DVec2;
use prall_handling::area::{Pressure, Slide, SlideState, SupportPolygon};

use crate::shapes::Violence;

/// A rectangle of 200 mm by 120 mm, its longer side along the push.
pub(crate) fn rectangle() -> SupportPolygon {
    let corners = [(0.1, -0.06), (0.1, 0.06), (-0.1, 0.06), (-0.1, -0.06)];
    SupportPolygon::new(corners.map(DVec2::from).into()).expect("a rectangle")
}

/// A body of 1 kg on points of a polygon.
pub(crate) fn body(polygon: &SupportPolygon, points: Vec<DVec2>, power: f64) -> Slide {
    let (low, high) = polygon.bounds();
    let size = high - low;
    Slide {
        pressure: Pressure { power },
        gyration: (size.length_squared() / 12.0).sqrt(),
        height: 0.005,
        ..Slide::new(points)
    }
}

/// Two corners of the front and the middle of the back: as far out as three points with the mass centre among them can be.
pub(crate) fn corner_triple() -> Vec<DVec2> {
    [(0.1, -0.06), (0.1, 0.06), (-0.1, 0.0)].map(DVec2::from).into()
}

/// Random points of a polygon whose mean is the mass centre, so that an even pressure holds the body upright.
pub(crate) fn area_points(polygon: &SupportPolygon, count: usize, seed: u64) -> Vec<DVec2> {
    let points = polygon.points(count, seed);
    let mean = points.iter().sum::<DVec2>() / count as f64;
    points.into_iter().map(|point| point - mean).collect()
}

/// Three random points of a polygon with the mass centre well among them.
pub(crate) fn random_triple(polygon: &SupportPolygon, seed: u64) -> Vec<DVec2> {
    for attempt in 0.. {
        let points = polygon.points(3, seed * 1_000_003 + attempt);
        let [a, b, c] = [points[0], points[1], points[2]];
        let whole = (b - a).perp_dot(c - a);
        let shares = [(b, c), (c, a), (a, b)].map(|(p, q)| p.perp_dot(q) / whole);
        if shares.iter().all(|share| *share > 0.1) {
            return points;
        }
    }
    unreachable!("some triple contains the middle")
}

/// Where a body is after intervals of 10 ms under a push of `size` times its resistance along x, at a point behind the mass centre and aside by a share of the half
/// width; and the largest angle that it had on the way.
pub(crate) fn pushed(
    slide: &Slide,
    half: DVec2,
    size: f64,
    aside: f64,
    intervals: usize,
) -> (SlideState, f64) {
    try_pushed(slide, half, size, aside, intervals).expect("it stays upright")
}

/// As [`pushed`]; none if the body tips under its law of pressure.
pub(crate) fn try_pushed(
    slide: &Slide,
    half: DVec2,
    size: f64,
    aside: f64,
    intervals: usize,
) -> Option<(SlideState, f64)> {
    let push = DVec2::X * (size * slide.resistance());
    let at = DVec2::new(-half.x, aside * half.y);
    let (mut state, mut most) = (SlideState::default(), 0.0_f64);
    for _ in 0..intervals {
        slide.step(&mut state, push, at, 0.01).ok()?;
        most = most.max(state.angle.abs());
    }
    Some((state, most))
}

/// A number between 0 and 1.
pub(crate) fn share(random: &mut Violence) -> f64 {
    0.5 + 0.5 * random.number()
}
