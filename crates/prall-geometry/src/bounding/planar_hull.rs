//! The convex hull of points in the plane, and the rectangles around it.

use glam::DVec2;

use crate::predicates::turn;

/// Corners of the hull counter-clockwise, without collinear ones (Andrew's monotone chain, exact turns).
///
/// One point for coincident points, two for collinear ones.
pub(super) fn planar_hull(points: &mut [DVec2]) -> Vec<DVec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let mut hull: Vec<DVec2> = Vec::new();
    let mut chain = |points: &mut dyn Iterator<Item = DVec2>| {
        let base = hull.len();
        for p in points {
            while hull.len() >= base + 2 && turn(hull[hull.len() - 2], hull[hull.len() - 1], p) <= 0.0 {
                hull.pop();
            }
            if hull.last() != Some(&p) || hull.len() == base {
                hull.push(p);
            }
        }
        hull.pop();
    };
    chain(&mut points.iter().copied());
    chain(&mut points.iter().rev().copied());
    if hull.is_empty() {
        hull.extend(points.first());
    }
    hull
}

/// A rectangle around a planar hull with one side along one of its edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rectangle {
    /// Unit direction of that side.
    pub(super) along: DVec2,
    pub(super) length: f64,
    pub(super) width: f64,
}

/// The rectangle flush with each edge of the hull, by rotating calipers (Toussaint 1983).
///
/// Among all rectangles that enclose it, those of least `(length + h)(width + h)` are among these for any `h >= 0`:
/// between two flush positions length and width are concave in the angle, so the product has no inner minimum.
/// Area is `h = 0`; the surface of a box of height `h` on it differs from twice the product by `h^2` only.
pub(super) fn flush_rectangles(hull: &[DVec2], mut visit: impl FnMut(Rectangle)) {
    let count = hull.len();
    if count < 2 {
        visit(Rectangle { along: DVec2::X, length: 0.0, width: 0.0 });
        return;
    }
    let at = |i: usize| hull[i % count];
    let (mut right, mut top, mut left) = (1, 1, 1);
    for i in 0..count {
        let Some(along) = (at(i + 1) - at(i)).try_normalize() else { continue };
        let advance = |mut j: usize, direction: DVec2| {
            let limit = j + count;
            while j < limit && direction.dot(at(j + 1) - at(j)) > 0.0 {
                j += 1;
            }
            j
        };
        right = advance(right.max(i + 1), along);
        top = advance(top.max(right), along.perp());
        left = advance(left.max(top), -along);
        visit(Rectangle {
            along,
            length: along.dot(at(right) - at(left)),
            width: along.perp_dot(at(top) - at(i)),
        });
    }
}
