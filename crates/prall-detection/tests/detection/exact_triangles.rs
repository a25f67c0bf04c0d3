//! Two triangles against exact rationals, in the families where floating point has its troubles.

use glam::DVec3;
use prall_detection::{triangle_distance, triangles_overlap};

use crate::exact::{Point, point_triangle, triangle_triangle};
use crate::random::Random;

type Triangle = [DVec3; 3];

/// A pair from one of the families, with its size.
pub(crate) fn pair(random: &mut Random, family: u64) -> (Triangle, Triangle, f64) {
    let mut on_grid = |n: u64| DVec3::from_array([0; 3].map(|_| random.integer(n) as f64));
    match family {
        // A tiny grid: everything touches, is parallel, shares corners.
        0 => (std::array::from_fn(|_| on_grid(4)), std::array::from_fn(|_| on_grid(4)), 4.0),
        1 => (std::array::from_fn(|_| on_grid(1000)), std::array::from_fn(|_| on_grid(1000)), 1000.0),
        // In one plane, or in parallel ones.
        2 => {
            let mut flat = |z: f64| {
                let mut p = on_grid(12);
                p.z = z;
                p
            };
            (std::array::from_fn(|_| flat(0.0)), std::array::from_fn(|i| flat(f64::from(i == 7))), 12.0)
        }
        3 => {
            let mut flat = |z: f64| {
                let mut p = on_grid(12);
                p.z = z;
                p
            };
            (std::array::from_fn(|_| flat(0.0)), std::array::from_fn(|_| flat(1.0)), 12.0)
        }
        // Parallel edges.
        4 => {
            let (p, q, along) = (on_grid(20), on_grid(20), on_grid(20));
            ([p, p + along, on_grid(20)], [q, q + 2.0 * along, on_grid(20)], 60.0)
        }
        // Without area.
        5 => {
            let (p, along) = (on_grid(8), on_grid(4));
            ([p, p + along, p + 2.0 * along], std::array::from_fn(|_| on_grid(8)), 16.0)
        }
        // A shared corner or edge.
        6 => {
            let (p, q) = (on_grid(50), on_grid(50));
            ([p, q, on_grid(50)], [q, if on_grid(2).x > 0.0 { p } else { on_grid(50) }, on_grid(50)], 50.0)
        }
        // Long edges that are nearly parallel.
        7 => {
            let (p, along) = (on_grid(4), 1000.0 * on_grid(4));
            let q = p + on_grid(3);
            ([p, p + along, on_grid(4)], [q, q + along + on_grid(2), on_grid(4)], 4000.0)
        }
        // Far from the origin, and not on a grid.
        _ => {
            let away = random.vector(1000.0);
            let mut point = || away + random.vector(1.0);
            ([point(), point(), point()], [point(), point(), point()], 1.0)
        }
    }
}

pub(crate) const FAMILIES: u64 = 9;

#[test]
fn overlap_is_exact_in_every_family() {
    let mut random = Random::new(31);
    let mut both = [0; 2];
    for case in 0..4_500 {
        let (a, b, _) = pair(&mut random, case % FAMILIES);
        let exact = triangle_triangle(&a.map(Point::new), &b.map(Point::new));
        let expected = exact == dashu::rational::RBig::ZERO;
        assert_eq!(triangles_overlap(&a, &b), expected, "{a:?} {b:?}");
        assert_eq!(triangles_overlap(&b, &a), expected, "swapped: {a:?} {b:?}");
        both[usize::from(expected)] += 1;
    }
    assert!(both[0] > 500 && both[1] > 500, "both answers occur: {both:?}");
}

#[test]
fn distance_is_right_to_rounding_in_every_family() {
    let mut random = Random::new(32);
    for case in 0..4_500 {
        let family = case % FAMILIES;
        let (a, b, size) = pair(&mut random, family);
        let exact = triangle_triangle(&a.map(Point::new), &b.map(Point::new)).to_f64().value().sqrt();
        let near = triangle_distance(&a, &b);
        // Nearly parallel edges cancel in the determinant of two equations; everything else is plain rounding.
        let tolerance = if family == 7 { 1e-9 } else { 1e-14 } * size;
        assert!((near.distance() - exact).abs() <= tolerance, "{} {exact} {a:?} {b:?}", near.distance());
        if near.squared > 0.0 {
            // The nearest points lie on the triangles.
            let off_a = point_triangle(&Point::new(near.on_a), &a.map(Point::new)).to_f64().value().sqrt();
            let off_b = point_triangle(&Point::new(near.on_b), &b.map(Point::new)).to_f64().value().sqrt();
            assert!(off_a.max(off_b) <= 1e-14 * (size + a[0].length()), "{off_a} {off_b}");
        }
    }
}
