//! Distance of two triangles with nearest points and the features that they lie on.
//!
//! The least distance of two triangles that do not overlap is attained by two edges or by a corner and a face.
//! Of the nine edge pairs one may be recognised as final at once: if the remaining corner of each triangle lies
//! beyond the plane through the near point across the connecting line, nothing of either is nearer (the way of
//! Larsen et al. 1999). Corner-face pairs follow only if no edge pair was final. If nothing has shown a
//! separating plane, the exact predicate decides whether the distance is zero.
//!
//! Rounding: the distance may exceed the true one by some 1e-10 of the size for nearly parallel edges; nothing
//! may be concluded from it without a plane that proves it. The nearest points always lie on the triangles.

use glam::DVec3;

use super::{area_normal, triangles_overlap};
use crate::norm::unit;

/// The part of a triangle on which a nearest point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Corner 0, 1 or 2.
    Corner(u8),
    /// Edge i, from corner i to corner i + 1.
    Edge(u8),
    /// The inside.
    Inside,
}

/// Nearest points of two triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleDistance {
    /// Nearest point of the first triangle.
    pub on_a: DVec3,
    /// Nearest point of the second triangle.
    pub on_b: DVec3,
    /// Where on the first triangle.
    pub part_a: Part,
    /// Where on the second triangle.
    pub part_b: Part,
    /// From the point on the second to the point on the first, more exact than their difference.
    pub connection: DVec3,
    /// Square of the distance; 0 if they overlap.
    pub squared: f64,
}

impl TriangleDistance {
    /// The distance.
    pub fn distance(&self) -> f64 {
        self.squared.sqrt()
    }
}

/// Nearest points of two triangles, of any shape: needles, points, coplanar or overlapping ones.
pub fn triangle_distance(a: &[DVec3; 3], b: &[DVec3; 3]) -> TriangleDistance {
    // Seen from a corner of the first, so that rounding scales with the triangles and not with their place.
    let origin = a[0];
    let (mut near, separated) = local_distance(&a.map(|p| p - origin), &b.map(|p| p - origin));
    near.on_a += origin;
    near.on_b += origin;
    if !separated && triangles_overlap(a, b) {
        near.squared = 0.0;
    }
    near
}

/// As above but for overlaps; true if the two have been shown to be apart.
fn local_distance(a: &[DVec3; 3], b: &[DVec3; 3]) -> (TriangleDistance, bool) {
    let edges_a = [a[1] - a[0], a[2] - a[1], a[0] - a[2]];
    let edges_b = [b[1] - b[0], b[2] - b[1], b[0] - b[2]];
    let mut best = TriangleDistance {
        on_a: a[0],
        on_b: b[0],
        part_a: Part::Corner(0),
        part_b: Part::Corner(0),
        connection: a[0] - b[0],
        squared: f64::INFINITY,
    };
    let mut separated = false;
    for i in 0..3 {
        for j in 0..3 {
            let near = segment_distance(a[i], edges_a[i], b[j], edges_b[j]);
            let connection = near.on_a - near.on_b;
            let squared = connection.length_squared();
            if squared > best.squared {
                continue;
            }
            best = TriangleDistance {
                on_a: near.on_a,
                on_b: near.on_b,
                part_a: near.end_a.part(i),
                part_b: near.end_b.part(j),
                connection,
                squared,
            };
            // How far the remaining corners reach over the planes through the near points.
            let over_a = (near.on_a - a[(i + 2) % 3]).dot(connection);
            let over_b = (b[(j + 2) % 3] - near.on_b).dot(connection);
            if over_a <= 0.0 && over_b <= 0.0 {
                return (best, squared > 0.0);
            }
            separated |= squared - over_a.max(0.0) - over_b.max(0.0) > 0.0;
        }
    }
    separated |= corner_face_pairs(a, b, &edges_b, &mut best, false);
    separated |= corner_face_pairs(b, a, &edges_a, &mut best, true);
    (best, separated)
}

/// Corners of `points` over the face of `face`; true if the plane of the face separates the two.
fn corner_face_pairs(
    points: &[DVec3; 3],
    face: &[DVec3; 3],
    edges: &[DVec3; 3],
    best: &mut TriangleDistance,
    swapped: bool,
) -> bool {
    let Some(normal) = area_normal(face) else { return false };
    let heights = points.map(|p| normal.dot(p - face[0]));
    let side = if heights.iter().all(|&h| h > 0.0) {
        1.0
    } else if heights.iter().all(|&h| h < 0.0) {
        -1.0
    } else {
        return false;
    };
    let area_squared = normal.length_squared();
    let nearest = (1..3).fold(0, |n, i| if side * heights[i] < side * heights[n] { i } else { n });
    let squared = heights[nearest] * heights[nearest] / area_squared;
    let corner = points[nearest];
    let above = (0..3).all(|i| normal.cross(edges[i]).dot(corner - face[i]) >= 0.0);
    if above && squared < best.squared {
        let height = normal * (heights[nearest] / area_squared);
        let foot = corner - height;
        let part = Part::Corner(nearest as u8);
        *best = if swapped {
            let connection = -height;
            TriangleDistance {
                on_a: foot,
                on_b: corner,
                part_a: Part::Inside,
                part_b: part,
                connection,
                squared,
            }
        } else {
            let connection = height;
            TriangleDistance {
                on_a: corner,
                on_b: foot,
                part_a: part,
                part_b: Part::Inside,
                connection,
                squared,
            }
        };
    }
    true
}

impl TriangleDistance {
    /// The direction from the second triangle to the first that separates them best; none for gaps without a
    /// direction.
    ///
    /// The connection of near points is uncertain by rounding over gap, which long triangles magnify; the
    /// features know better: across both edges, or across the edge, whatever the gap.
    pub(crate) fn separating_direction(&self, a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<DVec3> {
        let edge = |triangle: &[DVec3; 3], part: Part| match part {
            Part::Edge(i) => unit(triangle[(i as usize + 1) % 3] - triangle[i as usize]),
            Part::Corner(_) | Part::Inside => None,
        };
        let connection = unit(self.connection)?;
        let across = |edge: DVec3| unit(connection - edge * edge.dot(connection));
        match (edge(a, self.part_a), edge(b, self.part_b)) {
            (Some(u), Some(v)) => {
                let both = u.cross(v);
                // Below this angle the cross product is no better than the connection.
                if both.length_squared() > 1e-12 {
                    unit(if both.dot(connection) < 0.0 { -both } else { both })
                } else {
                    across(u)
                }
            }
            (Some(edge), None) | (None, Some(edge)) => across(edge),
            (None, None) => Some(connection),
        }
    }
}

/// Where on a segment.
#[derive(Clone, Copy)]
enum End {
    Start,
    Between,
    Finish,
}

impl End {
    fn of(share: f64) -> End {
        if share <= 0.0 {
            End::Start
        } else if share >= 1.0 {
            End::Finish
        } else {
            End::Between
        }
    }

    fn part(self, edge: usize) -> Part {
        match self {
            End::Start => Part::Corner(edge as u8),
            End::Between => Part::Edge(edge as u8),
            End::Finish => Part::Corner(((edge + 1) % 3) as u8),
        }
    }
}

struct SegmentDistance {
    on_a: DVec3,
    on_b: DVec3,
    end_a: End,
    end_b: End,
}

/// Nearest points of the segments `p + s u` and `q + t v`, s and t in [0, 1].
///
/// With r = q - p the unclamped optimum solves  s u.u - t u.v = u.r,  s u.v - t v.v = v.r. Fix s by the
/// first guess, take the best t for it, clamp, and take the best s for that t.
fn segment_distance(p: DVec3, u: DVec3, q: DVec3, v: DVec3) -> SegmentDistance {
    let r = q - p;
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let (ur, vr) = (u.dot(r), v.dot(r));
    let determinant = uu * vv - uv * uv;
    let guess = if determinant > 0.0 { ((ur * vv - vr * uv) / determinant).clamp(0.0, 1.0) } else { 0.0 };
    let t = if vv > 0.0 { ((guess * uv - vr) / vv).clamp(0.0, 1.0) } else { 0.0 };
    let s = if uu > 0.0 { ((t * uv + ur) / uu).clamp(0.0, 1.0) } else { 0.0 };
    let at = |start: DVec3, along: DVec3, share: f64| {
        if share >= 1.0 { start + along } else { start + along * share }
    };
    SegmentDistance { on_a: at(p, u, s), on_b: at(q, v, t), end_a: End::of(s), end_b: End::of(t) }
}
