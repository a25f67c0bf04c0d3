//! Exact geometry with rational numbers: slow, and right.

use dashu::integer::IBig;
use dashu::rational::RBig;
use glam::DVec3;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point(pub(crate) [RBig; 3]);

pub(crate) fn rational(value: f64) -> RBig {
    // A finite number is mantissa * 2^exponent.
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let mantissa = if exponent == 0 { fraction << 1 } else { fraction | 1 << 52 };
    let mantissa = IBig::from(mantissa) * if value < 0.0 { -1 } else { 1 };
    let exponent = exponent - 1075;
    if exponent >= 0 {
        RBig::from(mantissa << exponent as usize)
    } else {
        RBig::from(mantissa) / RBig::from(IBig::from(1) << (-exponent) as usize)
    }
}

impl Point {
    pub(crate) fn new(p: DVec3) -> Point {
        Point(p.to_array().map(rational))
    }

    pub(crate) fn minus(&self, other: &Point) -> Point {
        Point([0, 1, 2].map(|k| &self.0[k] - &other.0[k]))
    }

    /// `self + direction * share`.
    pub(crate) fn along(&self, direction: &Point, share: &RBig) -> Point {
        Point([0, 1, 2].map(|k| &self.0[k] + &direction.0[k] * share))
    }

    pub(crate) fn dot(&self, other: &Point) -> RBig {
        (0..3).map(|k| &self.0[k] * &other.0[k]).fold(RBig::ZERO, |sum, x| sum + x)
    }

    pub(crate) fn cross(&self, other: &Point) -> Point {
        let (a, b) = (&self.0, &other.0);
        Point([&a[1] * &b[2] - &a[2] * &b[1], &a[2] * &b[0] - &a[0] * &b[2], &a[0] * &b[1] - &a[1] * &b[0]])
    }

    pub(crate) fn squared(&self) -> RBig {
        self.dot(self)
    }
}

fn clamped(x: RBig) -> RBig {
    x.max(RBig::ZERO).min(RBig::ONE)
}

pub(crate) fn point_segment(p: &Point, a: &Point, b: &Point) -> RBig {
    let (edge, arm) = (b.minus(a), p.minus(a));
    let length = edge.squared();
    let share = if length == RBig::ZERO { RBig::ZERO } else { clamped(arm.dot(&edge) / length) };
    a.along(&edge, &share).minus(p).squared()
}

/// Squared distance of two segments: the inner solution if there is one, otherwise an end point.
pub(crate) fn segment_segment(p: &Point, q: &Point, r: &Point, s: &Point) -> RBig {
    let mut least = point_segment(p, r, s)
        .min(point_segment(q, r, s))
        .min(point_segment(r, p, q))
        .min(point_segment(s, p, q));
    let (u, v, w) = (q.minus(p), s.minus(r), p.minus(r));
    let (a, b, c, d, e) = (u.squared(), u.dot(&v), v.squared(), u.dot(&w), v.dot(&w));
    let determinant = &a * &c - &b * &b;
    if determinant > RBig::ZERO {
        let along_u = (&b * &e - &c * &d) / &determinant;
        let along_v = (&a * &e - &b * &d) / &determinant;
        let inside = |x: &RBig| *x >= RBig::ZERO && *x <= RBig::ONE;
        if inside(&along_u) && inside(&along_v) {
            least = least.min(p.along(&u, &along_u).minus(&r.along(&v, &along_v)).squared());
        }
    }
    least
}

/// Squared distance of a point from a triangle of any shape.
pub(crate) fn point_triangle(p: &Point, [a, b, c]: &[Point; 3]) -> RBig {
    let edges = point_segment(p, a, b).min(point_segment(p, b, c)).min(point_segment(p, c, a));
    let normal = b.minus(a).cross(&c.minus(a));
    let size = normal.squared();
    if size == RBig::ZERO {
        return edges;
    }
    let inside = [(a, b), (b, c), (c, a)]
        .iter()
        .all(|(from, to)| to.minus(from).cross(&p.minus(from)).dot(&normal) >= RBig::ZERO);
    let height = p.minus(a).dot(&normal);
    if inside { edges.min(&height * &height / size) } else { edges }
}

/// True if the segment passes through the plane of the triangle inside it.
fn segment_pierces(p: &Point, q: &Point, triangle: &[Point; 3]) -> bool {
    let [a, b, c] = triangle;
    let normal = b.minus(a).cross(&c.minus(a));
    let (from, to) = (normal.dot(&p.minus(a)), normal.dot(&q.minus(a)));
    if from == to || (from > RBig::ZERO) == (to > RBig::ZERO) && from != RBig::ZERO && to != RBig::ZERO {
        return false;
    }
    let share = &from / (&from - &to);
    let crossing = p.along(&q.minus(p), &share);
    point_triangle(&crossing, triangle) == RBig::ZERO
}

/// Squared distance of two triangles, exactly.
pub(crate) fn triangle_triangle(a: &[Point; 3], b: &[Point; 3]) -> RBig {
    let edges = [(0, 1), (1, 2), (2, 0)];
    let pierced =
        edges.iter().any(|&(i, j)| segment_pierces(&a[i], &a[j], b) || segment_pierces(&b[i], &b[j], a));
    if pierced {
        return RBig::ZERO;
    }
    let mut least = point_triangle(&a[0], b);
    for corner in 0..3 {
        least = least.min(point_triangle(&a[corner], b)).min(point_triangle(&b[corner], a));
    }
    for &(i, j) in &edges {
        for &(k, l) in &edges {
            least = least.min(segment_segment(&a[i], &a[j], &b[k], &b[l]));
        }
    }
    least
}
