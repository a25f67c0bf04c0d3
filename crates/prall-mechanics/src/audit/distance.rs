//! How far a point or a segment is from a polytope outside of it: every feature against every other.

use glam::DVec3;
use prall_math::Norm;

use super::element::Polytope;

/// A distance with the unit vector along it, from the second towards the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apart {
    pub(super) distance: f64,
    pub(super) normal: DVec3,
}

/// Two polytopes that do not overlap, at least one of them a point or a segment.
pub(super) fn between(a: &Polytope, b: &Polytope) -> Apart {
    let mut least = DVec3::splat(f64::INFINITY);
    let mut consider = |difference: DVec3| {
        if difference.length_squared() < least.length_squared() || least.x.is_infinite() {
            least = difference;
        }
    };
    for &p in &a.points {
        b.points.iter().for_each(|&q| consider(p - q));
        b.sides.iter().for_each(|&side| consider(p - on_segment(p, b.corners(side))));
        b.triangles
            .iter()
            .for_each(|&t| consider(foot_on_triangle(p, b.corners(t)).map_or(p - b.points[0], |q| p - q)));
    }
    for &q in &b.points {
        a.sides.iter().for_each(|&side| consider(on_segment(q, a.corners(side)) - q));
        a.triangles
            .iter()
            .for_each(|&t| consider(foot_on_triangle(q, a.corners(t)).map_or(a.points[0] - q, |p| p - q)));
    }
    for &s in &a.sides {
        for &t in &b.sides {
            if let Some(difference) = across(a.corners(s), b.corners(t)) {
                consider(difference);
            }
        }
    }
    Apart { distance: least.norm(), normal: least.try_unit().unwrap_or(DVec3::Y) }
}

fn on_segment(point: DVec3, [from, to]: [DVec3; 2]) -> DVec3 {
    let edge = to - from;
    let length_squared = edge.length_squared();
    let share =
        if length_squared > 0.0 { (edge.dot(point - from) / length_squared).clamp(0.0, 1.0) } else { 0.0 };
    from + edge * share
}

/// The foot of the perpendicular, if it lies within the triangle.
pub(super) fn foot_on_triangle(point: DVec3, [a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    let normal = (b - a).cross(c - a).try_unit()?;
    let inside = |p: DVec3, q: DVec3| normal.dot((q - p).cross(point - p)) >= 0.0;
    (inside(a, b) && inside(b, c) && inside(c, a)).then(|| point - normal * normal.dot(point - a))
}

/// The shortest connection of two segments, from the second to the first, if both of its ends are between theirs.
fn across([p0, p1]: [DVec3; 2], [q0, q1]: [DVec3; 2]) -> Option<DVec3> {
    let (u, v, w) = (p1 - p0, q1 - q0, p0 - q0);
    let (a, b, c, d, e) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let determinant = a * c - b * b;
    if determinant <= 1e-18 * a * c {
        return None;
    }
    let (s, t) = ((b * e - c * d) / determinant, (a * e - b * d) / determinant);
    let within = |x: f64| (0.0..=1.0).contains(&x);
    (within(s) && within(t)).then(|| w + u * s - v * t)
}

/// Distance of a point from a triangle.
pub(super) fn to_triangle(point: DVec3, triangle: [DVec3; 3]) -> f64 {
    if let Some(foot) = foot_on_triangle(point, triangle) {
        return point.distance(foot);
    }
    let [a, b, c] = triangle;
    [[a, b], [b, c], [c, a]]
        .iter()
        .map(|&side| point.distance(on_segment(point, side)))
        .fold(f64::INFINITY, f64::min)
}
