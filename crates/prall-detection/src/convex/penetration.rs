//! Penetration depth of two convex bodies by expanding a polytope (van den Bergen 2001).
//!
//! The depth is the distance of the origin from the border of the Minkowski difference `W = A - B`. A polytope inside W grows
//! where it is nearest to the origin. With `n` the normal of that face, `d` its distance and `h = max n . w` over W:
//!
//! ```text
//! d  <=  depth  <=  h
//! ```
//!
//! The right side is constructive: moved by `h` against `n`, A is free of B. The best `h` of all faces looked at is kept, so
//! that however the search ends the answer separates. For polytopes it ends with both sides equal up to rounding.

use glam::DVec3;
use prall_math::Norm;

use super::Convex;
use super::gjk::difference;
use super::simplex::{Difference, Simplex};

/// Bounds of the depth that differ by less than this part of the size (no unit) are one: well above the rounding of
/// normals of small faces, and a millionth of the tolerance of a metre-sized contact.
const AGREEMENT: f64 = 1e-13;

/// A point must lie above a face by this part of the size (no unit) to see it.
const ABOVE: f64 = 1e-15;

/// Less than this part of the size (no unit) off a line or plane counts as on it.
const FLAT: f64 = 1e-11;

/// Most faces looked at for polytopes, and for curved bodies, where each step gains less.
const MOST_STEPS: (usize, usize) = (256, 192);

/// How deep two cores are in each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Penetration {
    pub(crate) on_a: DVec3,
    pub(crate) on_b: DVec3,
    /// Unit vector along which A leaves B.
    pub(crate) normal: DVec3,
    /// Proven: no direction separates with less.
    pub(crate) at_least: f64,
    /// Proven: this much along the normal separates.
    pub(crate) at_most: f64,
}

/// The growing polytope; kept for its memory.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    points: Vec<Difference>,
    faces: Vec<Face>,
    /// Edges of faces that stay, in order around the faces that go.
    horizon: Vec<Side>,
    stack: Vec<Side>,
}

/// A triangle of the polytope; side i runs from corner i to the next.
#[derive(Clone, Copy, Debug)]
struct Face {
    corners: [u32; 3],
    /// The same edges as sides of the neighbours.
    across: [Side; 3],
    normal: DVec3,
    distance: f64,
    /// False once the polytope has grown over it.
    present: bool,
}

/// A side of a face.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Side {
    face: u32,
    side: u8,
}

impl Expansion {
    /// The depth of two cores that touch or overlap, from the simplex with which the search for their distance ended.
    pub(crate) fn depth(&mut self, a: &Convex, b: &Convex, simplex: &Simplex) -> Penetration {
        let size = (a.size() + b.size()).max(f64::MIN_POSITIVE);
        if let Some(flat) = self.start(a, b, simplex, size) {
            return flat;
        }
        let exact = a.core.is_polytope() && b.core.is_polytope();
        let most = if exact { MOST_STEPS.0 } else { MOST_STEPS.1 };
        let mut best: Option<(Face, f64)> = None;
        let mut at_least = 0.0_f64;
        let mut hints = self.points[0].numbers;
        for _ in 0..most {
            let Some(nearest) = self.nearest_face() else { break };
            let face = self.faces[nearest];
            at_least = at_least.max(face.distance);
            let next = difference(a, b, face.normal, hints);
            hints = next.numbers;
            let height = face.normal.dot(next.point);
            if best.is_none_or(|(_, least)| height < least) {
                best = Some((face, height));
            }
            let done = best.is_some_and(|(_, least)| least - at_least <= AGREEMENT * size);
            if done || self.holds(&next) || !self.grow(next, nearest, size) {
                break;
            }
        }
        // The first face is always looked at, so there is a best one.
        best.map_or_else(|| touching(&self.points[0], DVec3::Y), |(face, h)| self.result(&face, at_least, h))
    }

    fn nearest_face(&self) -> Option<usize> {
        let present = (0..self.faces.len()).filter(|&i| self.faces[i].present);
        present.min_by(|&i, &j| self.faces[i].distance.total_cmp(&self.faces[j].distance))
    }

    fn holds(&self, point: &Difference) -> bool {
        self.points.iter().any(|p| p.point == point.point)
    }

    /// Fills up the simplex to a tetrahedron. Some(answer) if the difference is flat: then it touches, and across is out.
    fn start(&mut self, a: &Convex, b: &Convex, simplex: &Simplex, size: f64) -> Option<Penetration> {
        self.points.clear();
        self.faces.clear();
        self.points.extend_from_slice(simplex.points());
        let flat = FLAT * size;
        self.drop_dependent(flat);
        while self.points.len() < 4 {
            let spanned = Spanned::by(&self.points);
            let farthest = spanned
                .directions()
                .into_iter()
                .map(|direction| difference(a, b, direction, (0, 0)))
                .max_by(|p, q| spanned.off(p.point).total_cmp(&spanned.off(q.point)));
            match farthest {
                Some(point) if spanned.off(point.point) > flat => self.points.push(point),
                _ => {
                    let (across, away) = (spanned.across(), a.middle() - b.middle());
                    return Some(touching(
                        &simplex.closest(),
                        if across.dot(away) < 0.0 { -across } else { across },
                    ));
                }
            }
        }
        let [p, q, r, s] = [0, 1, 2, 3].map(|i| self.points[i].point);
        if (q - p).cross(r - p).dot(s - p) > 0.0 {
            self.points.swap(0, 1);
        }
        let side = |face: u32, side: u8| Side { face, side };
        for (corners, across) in [
            ([0, 1, 2], [side(1, 2), side(2, 2), side(3, 2)]),
            ([0, 3, 1], [side(3, 1), side(2, 0), side(0, 0)]),
            ([1, 3, 2], [side(1, 1), side(3, 0), side(0, 1)]),
            ([2, 3, 0], [side(2, 1), side(1, 0), side(0, 2)]),
        ] {
            let face = self.face(corners, across)?;
            self.faces.push(face);
        }
        None
    }

    /// Drops corners of the simplex that add no dimension to those before them.
    fn drop_dependent(&mut self, flat: f64) {
        let mut kept = 1;
        for i in 1..self.points.len() {
            if Spanned::by(&self.points[..kept]).off(self.points[i].point) > flat {
                self.points.swap(kept, i);
                kept += 1;
            }
        }
        self.points.truncate(kept);
    }

    fn face(&self, corners: [u32; 3], across: [Side; 3]) -> Option<Face> {
        let [p, q, r] = corners.map(|i| self.points[i as usize].point);
        let normal = (q - p).cross(r - p).try_unit()?;
        // The corner nearest to the origin carries the least rounding.
        let distance = [p, q, r].map(|c| normal.dot(c)).into_iter().fold(f64::INFINITY, f64::min);
        Some(Face { corners, across, normal, distance, present: true })
    }

    /// Takes a point into the polytope: the faces that see it go, and their rim is joined to it. False if that
    /// would leave a face without area, or no closed surface.
    fn grow(&mut self, point: Difference, seen: usize, size: f64) -> bool {
        self.find_horizon(point.point, seen, size);
        let (apex, first) = (self.points.len() as u32, self.faces.len() as u32);
        self.points.push(point);
        let count = self.horizon.len() as u32;
        for k in 0..count {
            let side = self.horizon[k as usize];
            let beyond = self.faces[side.face as usize].corners;
            let (to, from) = (beyond[side.side as usize], beyond[(side.side as usize + 1) % 3]);
            let around = |k: u32, side: u8| Side { face: first + k % count, side };
            let across = [side, around(k + 1, 2), around(k + count - 1, 1)];
            let Some(face) = self.face([from, to, apex], across) else { return false };
            self.faces.push(face);
            self.faces[side.face as usize].across[side.side as usize] = around(k, 0);
        }
        // The rim must be one closed walk, or faces would not meet at their sides.
        let end = |k: u32| self.faces[(first + k % count) as usize].corners;
        count >= 3 && (0..count).all(|k| end(k)[1] == end(k + 1)[0])
    }

    /// Walks over the faces that see the point, from the one that surely does, and notes the sides at which the walk ends, in
    /// order around (van den Bergen 2001).
    fn find_horizon(&mut self, point: DVec3, seen: usize, size: f64) {
        self.horizon.clear();
        self.stack.clear();
        let first = &mut self.faces[seen];
        first.present = false;
        self.stack.extend([2, 1, 0].map(|side| first.across[side]));
        while let Some(next) = self.stack.pop() {
            let face = &mut self.faces[next.face as usize];
            if !face.present {
                continue;
            }
            let height = face.normal.dot(point - self.points[face.corners[0] as usize].point);
            if height <= ABOVE * size {
                self.horizon.push(next);
                continue;
            }
            face.present = false;
            let side = next.side as usize;
            self.stack.extend([(side + 2) % 3, (side + 1) % 3].map(|side| face.across[side]));
        }
    }

    /// The points of the bodies at the foot of the origin on a face.
    fn result(&self, face: &Face, at_least: f64, at_most: f64) -> Penetration {
        let [p, q, r] = face.corners.map(|i| self.points[i as usize]);
        let foot = face.normal * face.distance;
        let over = |s: DVec3, t: DVec3| face.normal.dot((s - foot).cross(t - foot)).max(0.0);
        let weights = [over(q.point, r.point), over(r.point, p.point), over(p.point, q.point)];
        let sum: f64 = weights.iter().sum();
        let [u, v, w] = if sum > 0.0 { weights.map(|weight| weight / sum) } else { [1.0, 0.0, 0.0] };
        Penetration {
            on_a: p.on_a * u + q.on_a * v + r.on_a * w,
            on_b: p.on_b * u + q.on_b * v + r.on_b * w,
            normal: -face.normal,
            at_least: at_least.min(at_most).max(0.0),
            at_most: at_most.max(0.0),
        }
    }
}

fn touching(at: &Difference, across: DVec3) -> Penetration {
    Penetration { on_a: at.on_a, on_b: at.on_b, normal: across, at_least: 0.0, at_most: 0.0 }
}

/// The point, line or plane that one to three points span.
struct Spanned {
    origin: DVec3,
    count: usize,
    /// Unit direction of the line, or normal of the plane.
    axis: DVec3,
}

impl Spanned {
    fn by(points: &[Difference]) -> Spanned {
        let origin = points[0].point;
        let axis = match points {
            [_, q] => (q.point - origin).unit_or(DVec3::X),
            [_, q, r] => (q.point - origin).cross(r.point - origin).unit_or(DVec3::X),
            _ => DVec3::X,
        };
        Spanned { origin, count: points.len(), axis }
    }

    /// How far a point is off.
    fn off(&self, point: DVec3) -> f64 {
        let offset = point - self.origin;
        match self.count {
            1 => offset.norm(),
            2 => offset.cross(self.axis).norm(),
            _ => offset.dot(self.axis).abs(),
        }
    }

    /// Where to look for points that are off: any convex set that reaches beyond the line or plane does so in one of them.
    fn directions(&self) -> [DVec3; 6] {
        let (u, w) = self.axis.any_orthonormal_pair();
        match self.count {
            1 => [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z],
            2 => [u, -u, w, -w, u + w, u - w],
            _ => [self.axis, -self.axis, self.axis, -self.axis, self.axis, -self.axis],
        }
    }

    /// A direction in which a flat set has no extent.
    fn across(&self) -> DVec3 {
        match self.count {
            1 => DVec3::Y,
            2 => self.axis.any_orthonormal_vector(),
            _ => self.axis,
        }
    }
}
