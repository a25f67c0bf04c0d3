//! One polygon in space: its normal, and whether it is flat and convex.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};

/// Rounding of a coordinate and of the few operations behind it, relative to the largest coordinate: 16
/// units in the last place. A face that is thinner than this has a normal made of noise.
pub(crate) const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Twice the area vector by Newell's sum, taken about the first corner so that a polygon far from the
/// origin loses nothing. For a planar polygon: normal direction times twice the area.
pub(crate) fn doubled_area_vector(points: &[DVec3]) -> DVec3 {
    let origin = points[0];
    points[1..].windows(2).map(|edge| (edge[0] - origin).cross(edge[1] - origin)).sum()
}

/// The arithmetic mean of the corners.
pub(crate) fn mean(points: &[DVec3]) -> DVec3 {
    let origin = points[0];
    origin + points.iter().map(|&p| p - origin).sum::<DVec3>() / points.len() as f64
}

/// The largest distance of a corner from the first, which is between half the diameter and the diameter.
pub(crate) fn extent(points: &[DVec3]) -> f64 {
    points.iter().map(|p| p.distance_squared(points[0])).fold(0.0, f64::max).sqrt()
}

/// The largest absolute coordinate.
pub(crate) fn largest_coordinate(points: &[DVec3]) -> f64 {
    points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max)
}

/// What [`examine`] found out.
pub(crate) struct Examination {
    /// Unit normal, in Newell's sense where the polygon is not planar.
    pub(crate) normal: DVec3,
    /// Every corner is within the tolerance of the plane through the mean.
    pub(crate) planar: bool,
    /// No corner turns inward by more than the tolerance, and the polygon goes round once.
    pub(crate) convex: bool,
    /// Convex, and no corner lies on the line between its neighbours.
    pub(crate) strictly_convex: bool,
    /// The tolerance that was applied, in metres.
    pub(crate) tolerance: f64,
}

/// Unit normal of a triangle; `None` if it has no area beyond rounding.
pub(crate) fn triangle_normal([a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    let (ab, ac) = (b - a, c - a);
    let extent = ab.length_squared().max(ac.length_squared()).sqrt();
    let largest_coordinate = a.abs().max(b.abs()).max(c.abs()).max_element();
    unit_normal(ab.cross(ac), extent, ROUNDING * largest_coordinate)
}

/// The direction of an area vector, if the polygon is thicker than rounding.
fn unit_normal(doubled_area: DVec3, extent: f64, rounding: f64) -> Option<DVec3> {
    let length = doubled_area.length();
    // Written so that an area that overflowed to infinity minus infinity counts as degenerate too.
    (length > rounding * extent).then(|| doubled_area / length)
}

/// Normal, flatness and convexity; `None` if the polygon has no area beyond rounding.
pub(crate) fn examine(points: &[DVec3], planarity: f64) -> Option<Examination> {
    let extent = extent(points);
    let rounding = ROUNDING * largest_coordinate(points);
    let normal = unit_normal(doubled_area_vector(points), extent, rounding)?;
    let tolerance = planarity * extent + rounding;
    let centre = mean(points);
    let planar = points.iter().all(|&p| (p - centre).dot(normal).abs() <= tolerance);
    let (convex, strictly_convex) = convexity(points, normal, tolerance, rounding);
    Some(Examination { normal, planar, convex, strictly_convex, tolerance })
}

/// Whether the polygon, seen along its normal, is convex to the tolerance, and whether strictly beyond
/// rounding.
fn convexity(points: &[DVec3], normal: DVec3, tolerance: f64, rounding: f64) -> (bool, bool) {
    let count = points.len();
    let mut strictly = true;
    let mut turned = 0.0;
    for i in 0..count {
        let (before, here, after) = (points[(i + count - 1) % count], points[i], points[(i + 1) % count]);
        let (arriving, leaving) = (here - before, after - here);
        let turn = arriving.cross(leaving).dot(normal);
        // turn / chord is the distance of the corner from the line through its neighbours.
        let chord = before.distance(after);
        let slack = tolerance * chord;
        let reversing = arriving.dot(leaving) < 0.0 && turn <= slack;
        if turn < -slack || reversing {
            return (false, false);
        }
        strictly &= turn > rounding * chord;
        if count > 4 {
            turned += libm::atan2(turn, arriving.dot(leaving));
        }
    }
    // Left turns alone do not make a pentagram convex: it goes round twice. Four corners cannot.
    let once = count <= 4 || (turned - 2.0 * PI).abs() < 1.0;
    (once, once && strictly)
}

/// The polygon as seen against its normal, counter-clockwise.
///
/// A planar polygon is seen along a coordinate axis: that leaves coordinates as they are, and the exact
/// predicates exact. One that is not planar has to be seen along its own normal.
pub(crate) fn flattened(points: &[DVec3], normal: DVec3, planar: bool) -> Vec<DVec2> {
    if !planar {
        let (x, y) = normal.any_orthonormal_pair();
        return points.iter().map(|&p| p - points[0]).map(|p| DVec2::new(p.dot(x), p.dot(y))).collect();
    }
    let size = normal.abs();
    let (kept, sign) = if size.x >= size.y && size.x >= size.z {
        ([1, 2], normal.x)
    } else if size.y >= size.z {
        ([2, 0], normal.y)
    } else {
        ([0, 1], normal.z)
    };
    let [u, v] = if sign > 0.0 { kept } else { [kept[1], kept[0]] };
    points.iter().map(|p| DVec2::new(p[u], p[v])).collect()
}

/// How far the corners reach from the line through the two that are (about) furthest apart.
pub(crate) fn thickness(points: &[DVec3]) -> f64 {
    let far = |from: DVec3| {
        points
            .iter()
            .fold(from, |f, &p| if p.distance_squared(from) > f.distance_squared(from) { p } else { f })
    };
    let start = far(points[0]);
    let end = far(start);
    let Some(direction) = (end - start).try_normalize() else {
        return 0.0;
    };
    points.iter().map(|&p| direction.cross(p - start).length()).fold(0.0, f64::max)
}
