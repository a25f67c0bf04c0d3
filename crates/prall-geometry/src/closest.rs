//! Closest points on segments, triangles and convex polygons.
//!
//! All of them answer for degenerate input too: a segment of length zero is a point, a triangle without area
//! is its longest edge. Where the printed rule for the edges of a face (Eckstein 1998, section 3.8.2) can return a
//! far edge, the minimum over all clamped projections is taken instead.

use glam::DVec3;

/// A triangle whose doubled area is below this part of the product of two edges (no unit) is treated as its
/// edges: its normal is then mostly rounding.
const NEEDLE: f64 = 1e-10;

/// The point of the segment `a b` closest to `p`.
pub fn on_segment(p: DVec3, a: DVec3, b: DVec3) -> DVec3 {
    let edge = b - a;
    let length_squared = edge.length_squared();
    let along = edge.dot(p - a);
    if along <= 0.0 || length_squared == 0.0 {
        a
    } else if along >= length_squared {
        b
    } else {
        a + edge * (along / length_squared)
    }
}

/// The point of the triangle closest to `p`.
///
/// Voronoi regions of the corners, edges and the inside, told apart as in Ericson 2005, section 5.1.5.
pub fn on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> DVec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let normal = ab.cross(ac);
    if normal.length_squared() <= NEEDLE * NEEDLE * ab.length_squared() * ac.length_squared() {
        return nearest(p, [on_segment(p, a, b), on_segment(p, b, c), on_segment(p, c, a)]);
    }
    let (ab_ap, ac_ap) = (ab.dot(ap), ac.dot(ap));
    if ab_ap <= 0.0 && ac_ap <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (ab_bp, ac_bp) = (ab.dot(bp), ac.dot(bp));
    if ab_bp >= 0.0 && ac_bp <= ab_bp {
        return b;
    }
    let cp = p - c;
    let (ab_cp, ac_cp) = (ab.dot(cp), ac.dot(cp));
    if ac_cp >= 0.0 && ab_cp <= ac_cp {
        return c;
    }
    // Areas of (p', b, c), (p', c, a), (p', a, b), all times the area of the triangle.
    let over_c = ab_ap * ac_bp - ab_bp * ac_ap;
    let over_b = ab_cp * ac_ap - ab_ap * ac_cp;
    let over_a = ab_bp * ac_cp - ab_cp * ac_bp;
    if over_a > 0.0 && over_b > 0.0 && over_c > 0.0 {
        let sum = over_a + over_b + over_c;
        return a + ab * (over_b / sum) + ac * (over_c / sum);
    }
    nearest(p, [on_segment(p, a, b), on_segment(p, b, c), on_segment(p, c, a)])
}

/// The point of a convex polygon closest to `p`, or `None` for a polygon without corners.
///
/// `normal` is the unit normal about which the corners run counter-clockwise.
pub fn on_convex_polygon(
    p: DVec3,
    normal: DVec3,
    corners: impl ExactSizeIterator<Item = DVec3> + Clone,
) -> Option<DVec3> {
    let first = corners.clone().next()?;
    let ends = corners.clone().skip(1).chain([first]);
    let edges = corners.zip(ends);
    let inside = edges.clone().all(|(a, b)| (b - a).cross(p - a).dot(normal) >= 0.0);
    if inside && normal != DVec3::ZERO {
        return Some(p - normal * normal.dot(p - first));
    }
    edges
        .map(|(a, b)| on_segment(p, a, b))
        .min_by(|s, t| s.distance_squared(p).total_cmp(&t.distance_squared(p)))
}

/// The closest points of the segments `p0 p1` and `q0 q1`, in this order.
///
/// Minimises `|p0 + s u - q0 - t v|^2` over the unit square. It is convex, so the minimum is the free one if that lies
/// inside, and on the border otherwise: an end of one segment against the other. All five are compared by the
/// distance that they really have, so noise in the free minimum of nearly parallel segments does no harm.
pub fn between_segments(p0: DVec3, p1: DVec3, q0: DVec3, q1: DVec3) -> (DVec3, DVec3) {
    let (u, v, w) = (p1 - p0, q1 - q0, p0 - q0);
    let mut best = (p0, on_segment(p0, q0, q1));
    let mut consider = |pair: (DVec3, DVec3)| {
        if pair.0.distance_squared(pair.1) < best.0.distance_squared(best.1) {
            best = pair;
        }
    };
    consider((p1, on_segment(p1, q0, q1)));
    consider((on_segment(q0, p0, p1), q0));
    consider((on_segment(q1, p0, p1), q1));
    // At the free minimum the connection is along n = u x v; both parameters follow from triple products,
    // which keep their digits for small angles where the normal equations do not.
    let n = u.cross(v);
    let (s, t) = (n.dot(v.cross(w)) / n.length_squared(), n.dot(u.cross(w)) / n.length_squared());
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        let on_p = p0 + u * s;
        consider((on_p, on_segment(on_p, q0, q1)));
    }
    best
}

fn nearest(p: DVec3, candidates: [DVec3; 3]) -> DVec3 {
    let [first, second, third] = candidates;
    let closer = |s: DVec3, t: DVec3| if t.distance_squared(p) < s.distance_squared(p) { t } else { s };
    closer(closer(first, second), third)
}
