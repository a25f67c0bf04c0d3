//! Do two triangles share a point? Decided by signs of determinants, so without any tolerance.
//!
//! Two triangles meet if and only if an edge of one meets the other: where two planes cross, the common part
//! is a segment whose ends lie on edges; in a common plane either edges cross or one triangle lies inside the
//! other, edges and all. Triangles without area are segments or points and are treated as such.

use glam::{DVec2, DVec3};

use super::predicates::{faithful_projection, side, turn};

/// True if the closed triangles share at least one point: touching counts.
///
/// Exact for the coordinates given, zero-area triangles included.
pub fn triangles_overlap(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    match (Flat::of(a), Flat::of(b)) {
        (Flat::Area, Flat::Area) => solid_triangles_overlap(a, b),
        (Flat::Line(p, q), Flat::Area) => segment_meets_triangle(p, q, b),
        (Flat::Area, Flat::Line(p, q)) => segment_meets_triangle(p, q, a),
        (Flat::Line(p, q), Flat::Line(r, s)) => segments_meet(p, q, r, s),
    }
}

/// What is left of a triangle.
enum Flat {
    Area,
    Line(DVec3, DVec3),
}

impl Flat {
    fn of(triangle: &[DVec3; 3]) -> Flat {
        let [a, b, c] = *triangle;
        // The floating-point normal only decides whether the exact question must be asked.
        if super::area_normal(triangle).is_some() || faithful_projection(a, b, c).is_some() {
            return Flat::Area;
        }
        // On a line, order by coordinates is order along the line.
        let key = |p: &DVec3| p.to_array();
        let mut sorted = [a, b, c];
        sorted.sort_by(|p, q| key(p).partial_cmp(&key(q)).unwrap_or(std::cmp::Ordering::Equal));
        Flat::Line(sorted[0], sorted[2])
    }
}

fn solid_triangles_overlap(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    let sides_of_b = b.map(|p| side(a[0], a[1], a[2], p));
    if on_one_side(sides_of_b) {
        return false;
    }
    let sides_of_a = a.map(|p| side(b[0], b[1], b[2], p));
    if on_one_side(sides_of_a) {
        return false;
    }
    (0..3).any(|i| {
        let j = (i + 1) % 3;
        segment_crosses(b[i], b[j], sides_of_b[i], sides_of_b[j], a)
            || segment_crosses(a[i], a[j], sides_of_a[i], sides_of_a[j], b)
    })
}

fn on_one_side(sides: [i8; 3]) -> bool {
    sides == [1; 3] || sides == [-1; 3]
}

/// A segment, or a point if `p == q`, against a triangle with area.
fn segment_meets_triangle(p: DVec3, q: DVec3, triangle: &[DVec3; 3]) -> bool {
    let [a, b, c] = *triangle;
    segment_crosses(p, q, side(a, b, c, p), side(a, b, c, q), triangle)
}

/// As above, with the sides of the triangle's plane on which the ends lie.
fn segment_crosses(p: DVec3, q: DVec3, side_p: i8, side_q: i8, triangle: &[DVec3; 3]) -> bool {
    if side_p * side_q > 0 {
        return false;
    }
    if side_p == 0 && side_q == 0 {
        return segment_meets_coplanar_triangle(p, q, triangle);
    }
    // The line crosses the plane in one point; it lies inside if the line passes all edges on the same side.
    let [a, b, c] = *triangle;
    let turns = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    turns.iter().all(|&s| s >= 0) || turns.iter().all(|&s| s <= 0)
}

fn segment_meets_coplanar_triangle(p: DVec3, q: DVec3, triangle: &[DVec3; 3]) -> bool {
    let [a, b, c] = *triangle;
    // A triangle with area keeps it under one of the projections.
    let Some(project) = faithful_projection(a, b, c) else { return false };
    let (p, q) = (project(p), project(q));
    let corners = triangle.map(project);
    point_in_triangle(p, &corners)
        || (0..3).any(|i| planar_segments_meet(p, q, corners[i], corners[(i + 1) % 3]))
}

fn point_in_triangle(p: DVec2, [a, b, c]: &[DVec2; 3]) -> bool {
    let turns = [turn(*a, *b, p), turn(*b, *c, p), turn(*c, *a, p)];
    turns.iter().all(|&s| s >= 0) || turns.iter().all(|&s| s <= 0)
}

/// Two segments, either of which may be a point.
fn segments_meet(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> bool {
    if side(p, q, r, s) != 0 {
        return false;
    }
    let triples = [(p, q, r), (p, q, s), (r, s, p), (r, s, q)];
    match triples.into_iter().find_map(|(a, b, c)| faithful_projection(a, b, c)) {
        Some(project) => planar_segments_meet(project(p), project(q), project(r), project(s)),
        // All four on one line: they meet where their shadows on every axis do.
        None => (0..3).all(|k| intervals_meet(p[k], q[k], r[k], s[k])),
    }
}

fn planar_segments_meet(p: DVec2, q: DVec2, r: DVec2, s: DVec2) -> bool {
    let (turn_r, turn_s) = (turn(p, q, r), turn(p, q, s));
    let (turn_p, turn_q) = (turn(r, s, p), turn(r, s, q));
    // Necessary in any case; it decides when everything lies on a line, and settles segments without length.
    let shadows = intervals_meet(p.x, q.x, r.x, s.x) && intervals_meet(p.y, q.y, r.y, s.y);
    shadows && turn_r * turn_s <= 0 && turn_p * turn_q <= 0
}

fn intervals_meet(p: f64, q: f64, r: f64, s: f64) -> bool {
    p.min(q) <= r.max(s) && r.min(s) <= p.max(q)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(points: [[i32; 3]; 3]) -> [DVec3; 3] {
        points.map(|[x, y, z]| DVec3::new(f64::from(x), f64::from(y), f64::from(z)))
    }

    #[test]
    fn touching_in_a_vertex_an_edge_or_a_plane_counts_as_overlap() {
        let base = triangle([[0, 0, 0], [4, 0, 0], [0, 4, 0]]);
        let cases = [
            ("vertex on vertex", triangle([[0, 0, 0], [-1, 0, 3], [0, -1, 3]]), true),
            ("vertex on face", triangle([[1, 1, 0], [5, 5, 3], [1, 5, 3]]), true),
            ("edge on edge", triangle([[0, 0, 0], [4, 0, 0], [0, -4, 0]]), true),
            ("edge across edge", triangle([[2, -1, 1], [2, 1, -1], [2, -5, -9]]), true),
            ("inside in the same plane", triangle([[1, 1, 0], [2, 1, 0], [1, 2, 0]]), true),
            ("itself", base, true),
            ("beside in the same plane", triangle([[5, 0, 0], [9, 0, 0], [5, 4, 0]]), false),
            ("beyond the slanted edge", triangle([[3, 3, 0], [9, 3, 0], [3, 9, 0]]), false),
            ("parallel", triangle([[0, 0, 1], [4, 0, 1], [0, 4, 1]]), false),
            ("crossing the plane outside", triangle([[5, 5, -1], [5, 5, 1], [6, 6, 0]]), false),
        ];
        for (name, other, expected) in cases {
            for turned in 0..3 {
                let mut other = other;
                other.rotate_left(turned);
                assert_eq!(triangles_overlap(&base, &other), expected, "{name}");
                assert_eq!(triangles_overlap(&other, &base), expected, "{name}, swapped");
            }
        }
    }

    #[test]
    fn triangles_without_area_are_segments_and_points() {
        let base = triangle([[0, 0, 0], [4, 0, 0], [0, 4, 0]]);
        let needle = triangle([[1, 1, -1], [1, 1, 2], [1, 1, 1]]);
        let point = triangle([[1, 1, 0]; 3]);
        assert!(triangles_overlap(&base, &needle));
        assert!(triangles_overlap(&needle, &base));
        assert!(triangles_overlap(&base, &point));
        assert!(triangles_overlap(&needle, &point));
        assert!(triangles_overlap(&point, &point));
        assert!(!triangles_overlap(&triangle([[1, 1, 1]; 3]), &base));
        assert!(!triangles_overlap(&triangle([[1, 1, 3]; 3]), &needle));
        assert!(triangles_overlap(&needle, &triangle([[0, 1, 1], [2, 1, 1], [3, 1, 1]])));
        assert!(!triangles_overlap(&needle, &triangle([[0, 2, 1], [2, 2, 1], [3, 2, 1]])));
        assert!(triangles_overlap(&needle, &triangle([[1, 1, 2], [1, 1, 5], [1, 1, 9]])));
        assert!(!triangles_overlap(&needle, &triangle([[1, 1, 3], [1, 1, 5], [1, 1, 9]])));
    }
}
