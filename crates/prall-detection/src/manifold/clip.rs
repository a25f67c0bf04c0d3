//! The common part of two outlines, seen along a direction.
//!
//! Both outlines are projected along the normal `n`; the corners of what they have in common are corners of one inside
//! the other and crossings of their edges. At each of them both outlines have a height along `n`, and the difference is
//! the gap. This treats both sides alike, so swapping the bodies changes nothing but names.

use glam::{DVec2, DVec3};
use prall_math::Norm;

use crate::contact::ShapePart;
use crate::convex::{Corner, Outline};

/// Where two outlines face each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facing {
    pub(super) on_a: DVec3,
    pub(super) on_b: DVec3,
    pub(super) gap: f64,
    pub(super) parts: (ShapePart, ShapePart),
}

/// Memory for projected corners.
#[derive(Debug, Default)]
pub(super) struct Clipper {
    flat: (Vec<Flat>, Vec<Flat>),
    lines: (Vec<Line>, Vec<Line>),
    /// Signed distances of every corner of one outline from every edge of the other, corner by corner.
    sides: (Vec<f64>, Vec<f64>),
    pub(super) facing: Vec<Facing>,
}

/// A corner in the plane across the normal, with its height along it.
#[derive(Clone, Copy, Debug)]
struct Flat {
    at: DVec2,
    height: f64,
}

/// The line of an edge: `normal . x = offset`, the inside of a face having positive distances.
#[derive(Clone, Copy, Debug)]
struct Line {
    normal: DVec2,
    offset: f64,
    length: f64,
}

/// An outline with what is needed to ask it questions.
struct View<'a> {
    corners: &'a [Corner],
    flat: &'a [Flat],
    lines: &'a [Line],
    /// Distances of the other's corners from the lines.
    sides: &'a [f64],
    face: u32,
    slope: DVec2,
    tolerance: f64,
}

impl Clipper {
    /// Finds where the outlines face each other along `normal`, which points from B to A. Places nearer than `tolerance`
    /// (metres) are one.
    pub(super) fn clip(&mut self, a: &Outline, b: &Outline, normal: DVec3, tolerance: f64) {
        self.facing.clear();
        let Some(origin) = a.corners.first().map(|corner| corner.point) else { return };
        let (u, w) = normal.any_orthonormal_pair();
        let project = |corners: &[Corner], flat: &mut Vec<Flat>, lines: &mut Vec<Line>| {
            flat.clear();
            flat.extend(corners.iter().map(|corner| {
                let p = corner.point - origin;
                Flat { at: DVec2::new(u.dot(p), w.dot(p)), height: normal.dot(p) }
            }));
            draw_lines(flat, lines)
        };
        let slope_a = project(&a.corners, &mut self.flat.0, &mut self.lines.0);
        let slope_b = project(&b.corners, &mut self.flat.1, &mut self.lines.1);
        measure_sides(&self.flat.1, &self.lines.0, &mut self.sides.0);
        measure_sides(&self.flat.0, &self.lines.1, &mut self.sides.1);
        let view_a = View {
            corners: &a.corners,
            flat: &self.flat.0,
            lines: &self.lines.0,
            sides: &self.sides.0,
            face: a.face,
            slope: slope_a,
            tolerance,
        };
        let view_b = View {
            corners: &b.corners,
            flat: &self.flat.1,
            lines: &self.lines.1,
            sides: &self.sides.1,
            face: b.face,
            slope: slope_b,
            tolerance,
        };
        corners(&view_a, &view_b, normal, &mut self.facing);
        crossings(&view_a, &view_b, normal, &mut self.facing);
    }
}

/// The lines of an outline's edges, and how the height of a face changes over the plane: from its normal `m` (Newell),
/// `dh = -(m_u, m_w) / m_n`.
fn draw_lines(flat: &[Flat], lines: &mut Vec<Line>) -> DVec2 {
    lines.clear();
    let first = flat[0];
    let mut normal = DVec3::ZERO;
    for pair in flat.windows(2) {
        let p = (pair[0].at - first.at).extend(pair[0].height - first.height);
        let q = (pair[1].at - first.at).extend(pair[1].height - first.height);
        normal += p.cross(q);
    }
    let turn = if normal.z < 0.0 { -1.0 } else { 1.0 };
    let edges = match flat.len() {
        1 => 0,
        2 => 1,
        count => count,
    };
    lines.extend((0..edges).map(|i| {
        let (from, to) = (flat[i].at, flat[if i + 1 == flat.len() { 0 } else { i + 1 }].at);
        let edge = to - from;
        let length = edge.norm();
        let inward = if length > 0.0 { edge.perp() * (turn / length) } else { DVec2::ZERO };
        Line { normal: inward, offset: inward.dot(from), length }
    }));
    if normal.z == 0.0 { DVec2::ZERO } else { -normal.truncate() / normal.z }
}

fn measure_sides(flat: &[Flat], lines: &[Line], sides: &mut Vec<f64>) {
    sides.clear();
    for corner in flat {
        sides.extend(lines.iter().map(|line| line.normal.dot(corner.at) - line.offset));
    }
}

/// Corners of one outline over the other.
fn corners(a: &View, b: &View, normal: DVec3, facing: &mut Vec<Facing>) {
    for (i, (corner, flat)) in a.corners.iter().zip(a.flat).enumerate() {
        if let Some((height, part)) = b.under(i, flat.at) {
            let gap = flat.height - height;
            let parts = (ShapePart::Vertex(corner.number), part);
            facing.push(Facing { on_a: corner.point, on_b: corner.point - normal * gap, gap, parts });
        }
    }
    let found = facing.len();
    for (i, (corner, flat)) in b.corners.iter().zip(b.flat).enumerate() {
        let Some((height, part)) = a.under(i, flat.at) else { continue };
        let same = |f: &Facing| f.on_b.distance_squared(corner.point) <= b.tolerance * b.tolerance;
        if !facing[..found].iter().any(same) {
            let gap = height - flat.height;
            let parts = (part, ShapePart::Vertex(corner.number));
            facing.push(Facing { on_a: corner.point + normal * gap, on_b: corner.point, gap, parts });
        }
    }
}

/// Crossings of edges, except at corners that have been found already.
fn crossings(a: &View, b: &View, normal: DVec3, facing: &mut Vec<Facing>) {
    let tolerance_squared = a.tolerance * a.tolerance;
    let corners = facing.len();
    for i in 0..a.lines.len() {
        for j in 0..b.lines.len() {
            let Some(s) = b.share(j, a.ends(i), a.lines[i].length) else { continue };
            let Some(t) = a.share(i, b.ends(j), b.lines[j].length) else { continue };
            let (on_a, on_b) = (a.along(i, s), b.along(j, t));
            let near = |f: &Facing| {
                f.on_a.distance_squared(on_a) <= tolerance_squared
                    || f.on_b.distance_squared(on_b) <= tolerance_squared
            };
            if facing[..corners].iter().any(near) {
                continue;
            }
            let gap = a.height(i, s) - b.height(j, t);
            // Long edges at a small angle leave the two points beside each other by rounding.
            let on_b = on_a - normal * gap;
            facing.push(Facing { on_a, on_b, gap, parts: (a.edge_part(i), b.edge_part(j)) });
        }
    }
}

/// Sine of the angle (no unit) below which edges are parallel: they cross at their ends, if at all, and those are corners.
const PARALLEL: f64 = 1e-9;

impl View<'_> {
    fn ends(&self, edge: usize) -> (usize, usize) {
        (edge, if edge + 1 == self.flat.len() { 0 } else { edge + 1 })
    }

    /// Where an edge of the other outline, between two of its corners, crosses the line of an edge: as part of its length.
    fn share(&self, line: usize, (from, to): (usize, usize), length: f64) -> Option<f64> {
        let count = self.lines.len();
        let (p, q) = (self.sides[from * count + line], self.sides[to * count + line]);
        let crosses = (p >= 0.0) != (q >= 0.0) || p == 0.0 || q == 0.0;
        (crosses && (p - q).abs() > PARALLEL * length).then(|| p / (p - q))
    }

    fn along(&self, edge: usize, share: f64) -> DVec3 {
        let (i, j) = self.ends(edge);
        self.corners[i].point.lerp(self.corners[j].point, share)
    }

    fn height(&self, edge: usize, share: f64) -> f64 {
        let (i, j) = self.ends(edge);
        self.flat[i].height + share * (self.flat[j].height - self.flat[i].height)
    }

    fn edge_part(&self, edge: usize) -> ShapePart {
        let (i, j) = self.ends(edge);
        let (p, q) = (self.corners[i].number, self.corners[j].number);
        ShapePart::Edge(p.min(q), p.max(q))
    }

    /// The height of the outline at a corner of the other, and which part it is; none beside it.
    fn under(&self, corner: usize, at: DVec2) -> Option<(f64, ShapePart)> {
        match self.flat {
            [] => None,
            [point] => ((point.at - at).norm() <= self.tolerance)
                .then_some((point.height, ShapePart::Vertex(self.corners[0].number))),
            [p, q] => {
                let edge = q.at - p.at;
                let share =
                    (edge.dot(at - p.at) / edge.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
                let foot = p.at + edge * share;
                ((foot - at).norm() <= self.tolerance)
                    .then(|| (p.height + share * (q.height - p.height), self.edge_part(0)))
            }
            [first, ..] => {
                let count = self.lines.len();
                let sides = &self.sides[corner * count..(corner + 1) * count];
                sides
                    .iter()
                    .all(|&side| side >= -self.tolerance)
                    .then(|| (first.height + self.slope.dot(at - first.at), ShapePart::Face(self.face)))
            }
        }
    }
}
