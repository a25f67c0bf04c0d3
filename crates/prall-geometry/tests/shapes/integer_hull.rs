//! The hull of integer points by trying all planes through three of them, in integers.

use std::collections::BTreeSet;

pub(crate) type Point = [i128; 3];

/// Normal without common divisor, and its product with the points of the plane.
pub(crate) type IntegerPlane = (Point, i128);

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Point, b: Point) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// The plane through three points, unless they are on a line.
pub(crate) fn plane_through(a: Point, b: Point, c: Point) -> Option<IntegerPlane> {
    let n = cross(minus(b, a), minus(c, a));
    let divisor = gcd(n[0], gcd(n[1], n[2]));
    if divisor == 0 {
        return None;
    }
    let normal = n.map(|x| x / divisor);
    Some((normal, dot(normal, a)))
}

/// All planes with points on one side only; outward.
pub(crate) fn supporting_planes(points: &[Point]) -> BTreeSet<IntegerPlane> {
    let mut planes = BTreeSet::new();
    for &a in points {
        for &b in points {
            for &c in points {
                if let Some((normal, offset)) = plane_through(a, b, c)
                    && points.iter().all(|&p| dot(normal, p) <= offset)
                {
                    planes.insert((normal, offset));
                }
            }
        }
    }
    planes
}

/// The points where at least three independent supporting planes meet.
pub(crate) fn extreme_points(points: &[Point], planes: &BTreeSet<IntegerPlane>) -> BTreeSet<Point> {
    let independent =
        |n: &[Point]| n.iter().any(|&a| n.iter().any(|&b| n.iter().any(|&c| dot(a, cross(b, c)) != 0)));
    let through = |p: Point| -> Vec<Point> {
        planes.iter().filter(|(n, d)| dot(*n, p) == *d).map(|(n, _)| *n).collect()
    };
    points.iter().copied().filter(|&p| independent(&through(p))).collect()
}

/// 0 for coincident, 1 for collinear, 2 for coplanar, 3 for points that span a volume.
pub(crate) fn dimension(points: &[Point]) -> usize {
    let a = points[0];
    let Some(&b) = points.iter().find(|&&p| p != a) else { return 0 };
    let Some(&c) = points.iter().find(|&&p| plane_through(a, b, p).is_some()) else { return 1 };
    let Some((normal, offset)) = plane_through(a, b, c) else { return 1 };
    if points.iter().all(|&p| dot(normal, p) == offset) { 2 } else { 3 }
}
