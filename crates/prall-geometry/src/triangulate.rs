//! Cutting a polygon of any outline into triangles by clipping ears.
//!
//! Every decision is an exact orientation predicate (Shewchuk's, from the `robust` crate). That suffices
//! for a proof: the signed areas of the clipped triangles always add up to the polygon as a sum of oriented
//! pieces, so if every triangle is counter-clockwise and the outline does not cross itself, they cover it
//! exactly once. The outline may touch itself, as it does where a hole is joined to the rim by a cut.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec2;
use robust::{Coord, orient2d};

use crate::planar_index::{PlanarBox, PlanarIndex};

/// Up to so many corners the next ear is looked for among all of them; beyond, a queue keeps the ears in order.
const FEW_CORNERS: usize = 64;

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
/// than `clearance` comes last, because it leaves a sliver behind. About O(n log n) for n corners; O(n^2) only for outlines most of whose
/// sides lie in each other's bounding boxes.
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
    let bounds = |(a, b): (DVec2, DVec2)| (a.min(b), a.max(b));
    let index = PlanarIndex::new((0..count).map(|i| bounds(side(i))).collect());
    (0..count).any(|i| {
        let (a, b) = side(i);
        index.any(bounds((a, b)), |j| {
            let (c, d) = side(j);
            j >= i + 2 && opposite(turn(a, b, c), turn(a, b, d)) && opposite(turn(c, d, a), turn(c, d, b))
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
    /// The corners that are still there, by place.
    index: PlanarIndex,
    /// Ears by rating, those of former ratings included; none for few corners.
    queue: Option<BinaryHeap<Ear>>,
}

/// A rating's bits, which order as positive numbers do, and the corner; of equals the first corner comes first.
type Ear = (u64, Reverse<usize>);

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
            index: PlanarIndex::new(outline.iter().map(|&point| (point, point)).collect()),
            queue: (count > FEW_CORNERS).then(BinaryHeap::new),
        };
        (0..count).for_each(|corner| ring.rate_again(corner));
        ring
    }

    /// Keeps a corner's present rating.
    fn rate_again(&mut self, corner: usize) {
        let rating = self.rate(corner);
        self.rating[corner] = rating;
        if let Some(queue) = &mut self.queue
            && rating > 0.0
        {
            queue.push((rating.to_bits(), Reverse(corner)));
        }
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

    fn best_ear(&mut self) -> Option<usize> {
        if let Some(queue) = &mut self.queue {
            // What was rated again, or clipped, stands in the queue with a rating that no longer holds.
            let rating = &self.rating;
            let holds = |&(bits, Reverse(corner)): &Ear| rating[corner].to_bits() == bits;
            return std::iter::from_fn(|| queue.pop()).find(holds).map(|(_, Reverse(corner))| corner);
        }
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
        self.rating[ear] = 0.0;
        self.index.remove(ear);
        self.rate_again(before);
        self.rate_again(after);
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
        let hidden = self.index.any(self.reach([a, b, c]), |other| {
            let p = self.outline[other];
            if p == a || p == b || p == c {
                return false;
            }
            let inside = turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
            let along = (p - a).dot(cut) / cut.length_squared();
            let aside = (p - a).perp_dot(cut).abs();
            if (0.0..=1.0).contains(&along) && aside <= self.clearance * cut.length() {
                rating = rating.min(SLIVER_PENALTY * area / longest);
            }
            inside
        });
        if hidden { 0.0 } else { rating }
    }

    /// Where corners matter to an ear: in its box, or within the clearance of its cut, which rounding must not miss.
    fn reach(&self, [a, b, c]: [DVec2; 3]) -> PlanarBox {
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let rounding = 1e-12 * (high - low).max_element();
        let margin = DVec2::splat(self.clearance * (1.0 + 1e-9) + rounding);
        (low - margin, high + margin)
    }
}
