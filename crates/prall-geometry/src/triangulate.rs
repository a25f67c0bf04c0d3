//! Cutting a polygon of any outline into triangles by clipping ears.
//!
//! Every decision is an exact orientation predicate (Shewchuk's, from the `robust` crate). That suffices
//! for a proof: the signed areas of the clipped triangles always add up to the polygon as a sum of oriented
//! pieces, so if every triangle is counter-clockwise and the outline does not cross itself, they cover it
//! exactly once. The outline may touch itself, as it does where a hole is joined to the rim by a cut.

use glam::DVec2;
use robust::{Coord, orient2d};

/// The outline crosses itself, so that it has no inside.
#[derive(Debug, PartialEq)]
pub(crate) struct SelfIntersecting;

/// Positive if `a`, `b`, `c` turn left, exactly zero if they lie on a line.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |p: DVec2| Coord { x: p.x, y: p.y };
    orient2d(coord(a), coord(b), coord(c))
}

/// Triangles as corner numbers of the counter-clockwise outline. A triangle without area appears only where
/// the outline leaves no other choice.
///
/// Among several ears the best-shaped one is cut first; an ear whose cut would pass another corner by less
/// than `clearance` comes last, because it leaves a sliver behind. O(n^2) for n corners.
pub(crate) fn triangulate(outline: &[DVec2], clearance: f64) -> Result<Vec<[u32; 3]>, SelfIntersecting> {
    if crosses_itself(outline) {
        return Err(SelfIntersecting);
    }
    let mut ring = Ring::new(outline, clearance);
    let mut triangles = Vec::with_capacity(outline.len() - 2);
    while triangles.len() + 3 < outline.len() {
        let ear = ring.best_ear().or_else(|| ring.flat_corner()).ok_or(SelfIntersecting)?;
        triangles.push(ring.clip(ear));
    }
    let last = ring.triangle(ring.some_corner);
    if ring.turn_at(last) < 0.0 {
        return Err(SelfIntersecting);
    }
    triangles.push(last.map(|c| c as u32));
    Ok(triangles)
}

/// Whether two sides pass through each other at an inner point of both.
fn crosses_itself(outline: &[DVec2]) -> bool {
    let count = outline.len();
    let side = |i: usize| (outline[i], outline[(i + 1) % count]);
    (0..count).any(|i| {
        let (a, b) = side(i);
        let (low, high) = (a.min(b), a.max(b));
        (i + 2..count).any(|j| {
            let (c, d) = side(j);
            let apart = c.max(d).cmplt(low).any() || c.min(d).cmpgt(high).any();
            !apart && opposite(turn(a, b, c), turn(a, b, d)) && opposite(turn(c, d, a), turn(c, d, b))
        })
    })
}

fn opposite(x: f64, y: f64) -> bool {
    (x > 0.0 && y < 0.0) || (x < 0.0 && y > 0.0)
}

/// The part of the outline that is not clipped yet.
struct Ring<'a> {
    outline: &'a [DVec2],
    clearance: f64,
    next: Vec<usize>,
    previous: Vec<usize>,
    /// How good an ear each remaining corner is; zero if it is none.
    rating: Vec<f64>,
    /// A corner that is still there.
    some_corner: usize,
}

/// Factor on the rating of an ear that would leave a sliver: worse than any other ear that a person would
/// draw.
const SLIVER_PENALTY: f64 = 1e-9;

impl<'a> Ring<'a> {
    fn new(outline: &'a [DVec2], clearance: f64) -> Ring<'a> {
        let count = outline.len();
        let mut ring = Ring {
            outline,
            clearance,
            next: (0..count).map(|i| (i + 1) % count).collect(),
            previous: (0..count).map(|i| (i + count - 1) % count).collect(),
            rating: vec![0.0; count],
            some_corner: 0,
        };
        for corner in 0..count {
            ring.rating[corner] = ring.rate(corner);
        }
        ring
    }

    fn triangle(&self, corner: usize) -> [usize; 3] {
        [self.previous[corner], corner, self.next[corner]]
    }

    fn turn_at(&self, [a, b, c]: [usize; 3]) -> f64 {
        turn(self.outline[a], self.outline[b], self.outline[c])
    }

    fn remaining(&self) -> impl Iterator<Item = usize> + '_ {
        let start = self.some_corner;
        let rest = std::iter::successors(Some(self.next[start]), |&c| Some(self.next[c]));
        std::iter::once(start).chain(rest.take_while(move |&c| c != start))
    }

    fn best_ear(&self) -> Option<usize> {
        // `>` keeps the first of equals, so that the choice is always the same.
        let mut best = None;
        let mut best_rating = 0.0;
        for corner in self.remaining() {
            if self.rating[corner] > best_rating {
                (best, best_rating) = (Some(corner), self.rating[corner]);
            }
        }
        best
    }

    /// A corner on the line of its neighbours, to be cut off without area when no true ear is left.
    fn flat_corner(&self) -> Option<usize> {
        self.remaining().find(|&corner| self.turn_at(self.triangle(corner)) == 0.0)
    }

    fn clip(&mut self, ear: usize) -> [u32; 3] {
        let triangle @ [before, _, after] = self.triangle(ear);
        self.next[before] = after;
        self.previous[after] = before;
        self.some_corner = before;
        self.rating[before] = self.rate(before);
        self.rating[after] = self.rate(after);
        triangle.map(|c| c as u32)
    }

    /// Area by squared longest side, or zero if another corner is in the triangle.
    fn rate(&self, corner: usize) -> f64 {
        let triangle = self.triangle(corner);
        let [a, b, c] = triangle.map(|i| self.outline[i]);
        let area = turn(a, b, c);
        if area <= 0.0 {
            return 0.0;
        }
        let cut = c - a;
        let longest = cut.length_squared().max(a.distance_squared(b)).max(b.distance_squared(c));
        let mut rating = area / longest;
        for other in self.remaining() {
            let p = self.outline[other];
            if p == a || p == b || p == c {
                continue;
            }
            let inside = turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
            if inside {
                return 0.0;
            }
            let along = (p - a).dot(cut) / cut.length_squared();
            let aside = (p - a).perp_dot(cut).abs();
            if (0.0..=1.0).contains(&along) && aside <= self.clearance * cut.length() {
                rating = rating.min(SLIVER_PENALTY * area / longest);
            }
        }
        rating
    }
}
