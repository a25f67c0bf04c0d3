//! The common part of two outlines, seen along a direction.
//!
//! Both outlines are projected along the normal `n`; the corners of what they have in common are corners of one inside
//! the other and crossings of their edges. At each of them both outlines have a height along `n`, and the difference is
//! the gap. This treats both sides alike, so swapping the bodies changes nothing but names.

use glam::{DVec2, DVec3};

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
    pub(super) facing: Vec<Facing>,
}

/// A corner in the plane across the normal, with its height along it.
#[derive(Clone, Copy, Debug)]
struct Flat {
    at: DVec2,
    height: f64,
}

/// An outline with what is needed to ask it questions.
struct View<'a> {
    corners: &'a [Corner],
    flat: &'a [Flat],
    face: u32,
    /// 1 if the corners run counter-clockwise in the projection, -1 if clockwise.
    turn: f64,
    tolerance: f64,
}

impl Clipper {
    /// Finds where the outlines face each other along `normal`, which points from B to A. Places nearer than `tolerance`
    /// (metres) are one.
    pub(super) fn clip(&mut self, a: &Outline, b: &Outline, normal: DVec3, tolerance: f64) {
        let (u, w) = normal.any_orthonormal_pair();
        let Some(origin) = a.corners.first().map(|corner| corner.point) else { return };
        let project = |corners: &[Corner], flat: &mut Vec<Flat>| {
            flat.clear();
            flat.extend(corners.iter().map(|corner| {
                let p = corner.point - origin;
                Flat { at: DVec2::new(u.dot(p), w.dot(p)), height: normal.dot(p) }
            }));
        };
        project(&a.corners, &mut self.flat.0);
        project(&b.corners, &mut self.flat.1);
        let view_a = View::new(a, &self.flat.0, tolerance);
        let view_b = View::new(b, &self.flat.1, tolerance);
        self.facing.clear();
        let facing = &mut self.facing;
        for (corner, flat) in view_a.corners.iter().zip(view_a.flat) {
            if let Some((height, part)) = view_b.under(flat.at) {
                let gap = flat.height - height;
                let parts = (ShapePart::Vertex(corner.number), part);
                facing.push(Facing { on_a: corner.point, on_b: corner.point - normal * gap, gap, parts });
            }
        }
        for (corner, flat) in view_b.corners.iter().zip(view_b.flat) {
            if let Some((height, part)) = view_a.under(flat.at)
                && !facing.iter().any(|f| f.on_b.distance_squared(corner.point) <= tolerance * tolerance)
            {
                let gap = height - flat.height;
                let parts = (part, ShapePart::Vertex(corner.number));
                facing.push(Facing { on_a: corner.point + normal * gap, on_b: corner.point, gap, parts });
            }
        }
        crossings(&view_a, &view_b, normal, facing);
    }
}

/// Crossings of edges, except at corners that have been found already.
fn crossings(a: &View, b: &View, normal: DVec3, facing: &mut Vec<Facing>) {
    let tolerance_squared = a.tolerance * a.tolerance;
    let corners = facing.len();
    for i in 0..a.edge_count() {
        for j in 0..b.edge_count() {
            let Some((s, t)) = crossing(a.edge(i), b.edge(j)) else { continue };
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

/// Where two segments of the plane cross, as parts of their lengths.
fn crossing([p, q]: [DVec2; 2], [r, s]: [DVec2; 2]) -> Option<(f64, f64)> {
    let (u, v, w) = (q - p, s - r, r - p);
    let across = u.perp_dot(v);
    // Nearly parallel edges cross at their ends, if at all, and those are corners.
    if across.abs() <= 1e-9 * u.length() * v.length() {
        return None;
    }
    let (along_first, along_second) = (w.perp_dot(v) / across, w.perp_dot(u) / across);
    let inside = |share: f64| (0.0..=1.0).contains(&share);
    (inside(along_first) && inside(along_second)).then_some((along_first, along_second))
}

impl<'a> View<'a> {
    fn new(outline: &'a Outline, flat: &'a [Flat], tolerance: f64) -> View<'a> {
        let first = flat.first().map_or(DVec2::ZERO, |f| f.at);
        let area: f64 = flat.windows(2).map(|w| (w[0].at - first).perp_dot(w[1].at - first)).sum();
        View { corners: &outline.corners, flat, face: outline.face, turn: area.signum(), tolerance }
    }

    fn edge_count(&self) -> usize {
        match self.flat.len() {
            0 | 1 => 0,
            2 => 1,
            count => count,
        }
    }

    fn ends(&self, edge: usize) -> (usize, usize) {
        (edge, if edge + 1 == self.flat.len() { 0 } else { edge + 1 })
    }

    fn edge(&self, edge: usize) -> [DVec2; 2] {
        let (i, j) = self.ends(edge);
        [self.flat[i].at, self.flat[j].at]
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

    /// The height of the outline at a place of the plane, and which part it is; none beside it.
    fn under(&self, at: DVec2) -> Option<(f64, ShapePart)> {
        match self.flat {
            [] => None,
            [point] => (point.at.distance(at) <= self.tolerance)
                .then_some((point.height, ShapePart::Vertex(self.corners[0].number))),
            [p, q] => {
                let edge = q.at - p.at;
                let share =
                    (edge.dot(at - p.at) / edge.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
                let foot = p.at + edge * share;
                (foot.distance(at) <= self.tolerance)
                    .then(|| (p.height + share * (q.height - p.height), self.edge_part(0)))
            }
            corners => self.holds(at).then(|| {
                let first = corners[0];
                let slope = self.slope();
                (first.height + slope.dot(at - first.at), ShapePart::Face(self.face))
            }),
        }
    }

    fn holds(&self, at: DVec2) -> bool {
        (0..self.edge_count()).all(|i| {
            let [p, q] = self.edge(i);
            let edge = q - p;
            self.turn * edge.perp_dot(at - p) >= -self.tolerance * edge.length()
        })
    }

    /// How the height of a face changes over the plane: from the normal of the face (Newell), `dh = -(m_u, m_w) / m_n`.
    fn slope(&self) -> DVec2 {
        let first = self.flat[0];
        let mut normal = DVec3::ZERO;
        for pair in self.flat.windows(2) {
            let p = (pair[0].at - first.at).extend(pair[0].height - first.height);
            let q = (pair[1].at - first.at).extend(pair[1].height - first.height);
            normal += p.cross(q);
        }
        if normal.z == 0.0 { DVec2::ZERO } else { -normal.truncate() / normal.z }
    }
}
