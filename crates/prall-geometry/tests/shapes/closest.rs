//! Closest points against the condition that makes a point of a convex set the closest one:
//! no corner of the set lies beyond the plane through it across the connection.

use glam::DVec3;
use prall_geometry::closest::{between_segments, on_convex_polygon, on_segment, on_triangle};

use crate::common::Random;

/// How far a corner lies beyond the plane through `q` across `p - q`, times the connection's length: zero at most
/// for the closest point.
fn violation(p: DVec3, q: DVec3, corners: &[DVec3]) -> f64 {
    corners.iter().map(|&c| (p - q).dot(c - q)).fold(f64::MIN, f64::max)
}

/// Triangles of all shapes: round, needles, and those without any area.
fn triangle(random: &mut Random) -> [DVec3; 3] {
    let [a, b, c] = std::array::from_fn(|_| random.cube());
    match random.bits() % 6 {
        0 => [a, b, a + (b - a) * random.signed() + 1e-9 * random.cube()],
        1 => [a, b, a.lerp(b, random.unit())],
        2 => [a, a, b],
        3 => [a, a, a],
        4 => [a, b, a + 1e-7 * c],
        _ => [a, b, c],
    }
}

#[test]
fn the_closest_point_of_a_triangle_is_the_closest() {
    let mut random = Random(20);
    for _ in 0..100_000 {
        let corners = triangle(&mut random);
        let p = 2.0 * random.cube();
        let q = on_triangle(p, corners);
        // Products of lengths up to 5 are rounded by 1e-15; needles of width 1e-9 lose their normal and with it 1e-9.
        assert!(violation(p, q, &corners) < 2e-9, "{corners:?} {p} {q}");
        // And it is in the triangle: closer to its plane and its edges than to anything else.
        let hull_distance = brute_force_distance(q, corners);
        assert!(hull_distance < 1e-9, "{corners:?} {q} {hull_distance:e}");
    }
}

#[test]
fn well_shaped_triangles_are_answered_to_the_last_digits() {
    let mut random = Random(21);
    for _ in 0..50_000 {
        let corners: [DVec3; 3] = std::array::from_fn(|_| random.cube());
        let [a, b, c] = corners;
        if (b - a).cross(c - a).length() < 0.05 {
            continue;
        }
        let p = 2.0 * random.cube();
        // Condition 1 / 0.05 times lengths up to 5, times the last bit.
        assert!(violation(p, on_triangle(p, corners), &corners) < 1e-13);
    }
}

/// Distance of a point from a triangle: that from the strip `a + x (b - a) + y (c - a)` is convex in `x`, so thirds of the
/// range are thrown away until nothing is left.
fn brute_force_distance(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let strip = |x: f64| {
        let from = a + (b - a) * x;
        let way = (c - a) * (1.0 - x);
        let y = (way.dot(p - from) / way.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (from + way * y).distance(p)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..120 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if strip(left) < strip(right) { high = right } else { low = left }
    }
    strip(0.0).min(strip(1.0)).min(strip(low))
}

#[test]
fn a_point_beyond_a_corner_gets_the_corner_and_not_a_far_edge() {
    // The printed rule for the edges answers 8.485 here (Eckstein 1998, section 3.8.2).
    let corners = [DVec3::ZERO, DVec3::new(10.0, 0.0, 0.0), DVec3::new(0.0, 10.0, 0.0)];
    let p = DVec3::new(-1.0, -1.0, 0.0);
    assert_eq!(on_triangle(p, corners), DVec3::ZERO);
    let polygon = on_convex_polygon(p, DVec3::Z, corners.into_iter()).unwrap();
    assert!((polygon.distance(p) - std::f64::consts::SQRT_2).abs() < 1e-15);
}

/// A convex polygon in a random plane, counter-clockwise about its normal.
fn convex_polygon(random: &mut Random, corners: usize) -> (DVec3, Vec<DVec3>) {
    let (turn, offset) = (random.rotation(), random.cube());
    let (a, b) = (0.2 + random.unit(), 0.2 + random.unit());
    let mut angles: Vec<f64> = (0..corners).map(|_| std::f64::consts::TAU * random.unit()).collect();
    angles.sort_by(f64::total_cmp);
    let corner = |t: f64| turn * DVec3::new(a * libm::cos(t), b * libm::sin(t), 0.0) + offset;
    (turn * DVec3::Z, angles.into_iter().map(corner).collect())
}

#[test]
fn the_distance_from_a_convex_face_is_that_of_brute_force() {
    let mut random = Random(22);
    for case in 0..3000 {
        let (normal, corners) = convex_polygon(&mut random, 3 + case % 8);
        let p = 2.0 * random.cube();
        let q = on_convex_polygon(p, normal, corners.iter().copied()).unwrap();
        assert!(violation(p, q, &corners) < 1e-13);
        let fan = (1..corners.len() - 1).map(|i| [corners[0], corners[i], corners[i + 1]]);
        let brute = fan.map(|t| brute_force_distance(p, t)).fold(f64::INFINITY, f64::min);
        // Near its minimum the distance is flat: its digits end at half those of the place, squared again.
        assert!((q.distance(p) - brute).abs() < 1e-13, "{} {brute}", q.distance(p));
    }
}

/// Segment pairs of all kinds: general, nearly parallel, collinear, crossing, of length zero.
fn segments(random: &mut Random) -> [DVec3; 4] {
    let [a, b, c, d] = std::array::from_fn(|_| random.cube());
    match random.bits() % 7 {
        0 => [a, b, c, c + (b - a) * random.signed()],
        1 => [a, b, a.lerp(b, 3.0 * random.signed()), a.lerp(b, 3.0 * random.signed())],
        2 => [a, a, c, d],
        3 => [a, a, c, c],
        4 => [a, b, c, c + (b - a) + 1e-9 * d],
        5 => [a, b, a.lerp(b, random.unit()) + c, a.lerp(b, random.unit()) - c],
        _ => [a, b, c, d],
    }
}

#[test]
fn the_connection_of_two_segments_is_the_shortest() {
    let mut random = Random(23);
    for _ in 0..200_000 {
        let [p0, p1, q0, q1] = segments(&mut random);
        let (p, q) = between_segments(p0, p1, q0, q1);
        // For nearly parallel segments (1e-9) positions are uncertain by 1e-16 / 1e-9 along, and the product by that times
        // the angle; the rest is rounding of products up to 10.
        let worst = violation(q, p, &[p0, p1]).max(violation(p, q, &[q0, q1]));
        assert!(worst < 1e-13, "{worst:e} {p0} {p1} {q0} {q1}");
        assert!(on_segment(p, p0, p1).distance(p) < 1e-15 * 4.0);
        assert!(on_segment(q, q0, q1).distance(q) < 1e-15 * 4.0);
    }
}

#[test]
fn swapping_segments_swaps_the_answer() {
    let mut random = Random(24);
    for _ in 0..20_000 {
        let [p0, p1, q0, q1] = segments(&mut random);
        let (p, q) = between_segments(p0, p1, q0, q1);
        let (r, s) = between_segments(q1, q0, p0, p1);
        assert!((p.distance(q) - r.distance(s)).abs() < 1e-14);
    }
}

#[test]
fn a_polygon_without_corners_has_no_closest_point() {
    assert_eq!(on_convex_polygon(DVec3::ZERO, DVec3::Y, [].into_iter()), None);
}
