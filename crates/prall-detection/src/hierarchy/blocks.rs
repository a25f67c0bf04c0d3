//! Blocks: pieces of a few triangles, side by side in single precision, and planes between two of them.
//!
//! Boxes tell interlocked bodies apart only triangle by triangle. The planes of the triangles themselves do better: one plane of
//! B's block is asked about all corners of A's block at once, eight planes side by side, at the beginning and at the end of an
//! interval. With K a bound of the second derivative of a height over a plane that is fixed in B's frame,
//! ```text
//! f(t) >= min(f(0), f(T)) - K T^2 / 8        for t in [0, T]
//! ```
//! since f stays within K t (T - t) / 2 of its chord. No speed and no root is needed, and a plane need not be trusted: the
//! heights of both triangles over it are the proof. Coordinates are relative to an origin that each block has in double
//! precision, so that rounding scales with the blocks and their distance. Numbers that are not finite prove nothing.

use glam::{DMat3, DVec3};
use prall_math::Norm;
use wide::f32x8;

use super::lanes::{GAP_ROUNDING, Lanes3, dot, sum_of, upward};
use super::{Content, Hierarchy, NodeBox};
use crate::norm::unit;
use crate::placement::FrameChange;
use crate::triangle::area_normal;

/// Most triangles of a block.
pub(crate) const MAX_TRIANGLES: usize = 16;

/// Most corners of a block that are not the same.
const MAX_CORNERS: usize = 3 * MAX_TRIANGLES;

/// Numbers stored for each triangle: its unit normal and its corners.
const ROWS: usize = 12;

/// No block: the node is larger than one,
const LARGER: u32 = u32::MAX;

/// or a part of one.
const PART: u32 = u32::MAX - 1;

/// All blocks of a hierarchy; every triangle is in one.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    of_node: Vec<u32>,
    blocks: Vec<Block>,
    /// For each block [`ROWS`] rows, as long as it has triangles, with padding at the very end.
    rows: Vec<f32>,
    /// For each triangle its corners by number among those of the block that differ.
    sides: Vec<[u8; 3]>,
    /// Where these corners are: corner and triangle.
    places: Vec<[u8; 2]>,
}

#[derive(Clone, Debug)]
struct Block {
    origin: DVec3,
    /// Of the node's box.
    axes: [[f32; 3]; 3],
    /// Largest distance of a corner from the origin, in m, outward.
    reach: f32,
    /// Slot of the first triangle.
    first: u32,
    count: u32,
    first_place: u32,
    places: u32,
}

impl Blocks {
    /// The largest nodes of a hierarchy that are small enough, each a block.
    pub(super) fn new(hierarchy: &Hierarchy) -> Blocks {
        let mut blocks = Blocks { of_node: vec![PART; hierarchy.nodes.len()], ..Blocks::default() };
        blocks.sides.resize(hierarchy.triangles.len(), [0; 3]);
        let mut stack = vec![0_u32];
        while let Some(number) = stack.pop() {
            let node = &hierarchy.nodes[number as usize];
            let range = hierarchy.triangles_below(node);
            if range.len() <= MAX_TRIANGLES {
                blocks.of_node[number as usize] = blocks.blocks.len() as u32;
                blocks.add(node, range.start as u32, &hierarchy.triangles[range]);
            } else if let Content::Group(group) = node.link.content() {
                blocks.of_node[number as usize] = LARGER;
                let group = &hierarchy.groups[group];
                stack.extend((group.first..group.first + group.count).rev());
            }
        }
        // Lanes may reach beyond the last row.
        blocks.rows.extend([0.0; 8]);
        blocks.rows.shrink_to_fit();
        blocks.places.shrink_to_fit();
        blocks.blocks.shrink_to_fit();
        blocks
    }

    fn add(&mut self, node: &NodeBox, first: u32, triangles: &[[DVec3; 3]]) {
        let origin = node.centre;
        let count = triangles.len();
        let start = self.rows.len();
        self.rows.resize(start + ROWS * count, 0.0);
        let rows = &mut self.rows[start..];
        let first_place = self.places.len();
        let mut reach = 0.0_f64;
        for (i, triangle) in triangles.iter().enumerate() {
            // A triangle without area has no plane: zero proves nothing.
            let normal = area_normal(triangle).and_then(unit).unwrap_or(DVec3::ZERO);
            for k in 0..3 {
                rows[k * count + i] = normal[k] as f32;
            }
            for (corner, &point) in triangle.iter().enumerate() {
                let local = point - origin;
                reach = reach.max(local.norm());
                for k in 0..3 {
                    rows[(3 + 3 * corner + k) * count + i] = local[k] as f32;
                }
                let places = &self.places[first_place..];
                let same = |place: &[u8; 2]| triangles[usize::from(place[1])][usize::from(place[0])] == point;
                let number = places.iter().position(same).unwrap_or_else(|| {
                    self.places.push([corner as u8, i as u8]);
                    self.places.len() - 1 - first_place
                });
                self.sides[first as usize + i][corner] = number as u8;
            }
        }
        self.blocks.push(Block {
            origin,
            axes: node.axes,
            reach: upward(reach),
            first,
            count: count as u32,
            first_place: first_place as u32,
            places: (self.places.len() - first_place) as u32,
        });
    }

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        use std::mem::size_of_val;
        size_of_val(&self.of_node[..])
            + size_of_val(&self.blocks[..])
            + size_of_val(&self.rows[..])
            + size_of_val(&self.sides[..])
            + size_of_val(&self.places[..])
    }

    /// What a node is.
    #[inline(always)]
    pub(super) fn of_node(&self, node: u32) -> Piece<'_> {
        match self.of_node[node as usize] {
            LARGER => Piece::Larger,
            PART => Piece::Part,
            number => Piece::Block(self.view(number as usize)),
        }
    }

    #[inline(always)]
    fn view(&self, number: usize) -> BlockView<'_> {
        let block = &self.blocks[number];
        let (first, count) = (block.first as usize, block.count as usize);
        let place = block.first_place as usize;
        BlockView {
            origin: block.origin,
            axes: &block.axes,
            reach: block.reach,
            first: block.first,
            count,
            rows: &self.rows[ROWS * first..ROWS * (first + count) + 8],
            sides: &self.sides[first..first + count],
            places: &self.places[place..place + block.places as usize],
        }
    }
}

/// What a node is, seen by its size.
pub(crate) enum Piece<'a> {
    Larger,
    Block(BlockView<'a>),
    Part,
}

/// A block, ready to be asked.
#[derive(Clone, Copy)]
pub(crate) struct BlockView<'a> {
    pub(crate) origin: DVec3,
    axes: &'a [[f32; 3]; 3],
    pub(crate) reach: f32,
    /// Slot of the first triangle.
    pub(crate) first: u32,
    pub(crate) count: usize,
    rows: &'a [f32],
    sides: &'a [[u8; 3]],
    places: &'a [[u8; 2]],
}

impl BlockView<'_> {
    /// Eight triangles from the given one on; lanes beyond the last hold anything finite.
    #[inline(always)]
    fn lanes(&self, row: usize, from: usize) -> f32x8 {
        let at = row * self.count + from;
        let mut lanes = [0.0; 8];
        lanes.copy_from_slice(&self.rows[at..at + 8]);
        f32x8::new(lanes)
    }

    #[inline(always)]
    fn vectors(&self, row: usize, from: usize) -> Lanes3 {
        [self.lanes(row, from), self.lanes(row + 1, from), self.lanes(row + 2, from)]
    }

    #[inline(always)]
    fn normals(&self, from: usize) -> Lanes3 {
        self.vectors(0, from)
    }

    #[inline(always)]
    fn corners(&self, from: usize) -> [Lanes3; 3] {
        [self.vectors(3, from), self.vectors(6, from), self.vectors(9, from)]
    }

    #[inline(always)]
    fn corner(&self, place: [u8; 2]) -> [f32; 3] {
        let (row, triangle) = (3 + 3 * usize::from(place[0]), usize::from(place[1]));
        let at = |k: usize| self.rows[(row + k) * self.count + triangle];
        [at(0), at(1), at(2)]
    }

    /// Bits of the lanes from the given triangle on that hold a triangle.
    #[inline(always)]
    fn filled(&self, from: usize) -> u32 {
        (1 << (self.count - from).min(8)) - 1
    }

    /// Bits of the corners that the given triangles have.
    #[inline(always)]
    fn corners_of(&self, wanted: impl Fn(usize) -> bool) -> u64 {
        let mut bits = 0;
        for (i, side) in self.sides.iter().enumerate() {
            if wanted(i) {
                bits |= 1_u64 << side[0] | 1 << side[1] | 1 << side[2];
            }
        }
        bits
    }
}

type Columns = [[f32; 3]; 3];

/// How A stands to B at the beginning and at the end of an interval, or at an instant.
pub(crate) struct Ends {
    /// Columns of the rotation from A's frame to B's.
    turns: [Columns; 2],
    /// The mean of both.
    middle: Columns,
    changes: [(DMat3, DVec3); 2],
    /// They are not the same.
    moves: bool,
}

impl Ends {
    pub(crate) fn new(start: &FrameChange, end: &FrameChange) -> Ends {
        let (p, q) = (start.rotation.to_cols_array_2d(), end.rotation.to_cols_array_2d());
        let middle = [0, 1, 2].map(|j| [0, 1, 2].map(|k| (0.5 * (p[j][k] + q[j][k])) as f32));
        Ends {
            turns: [start.rotation32, end.rotation32],
            middle,
            changes: [(start.rotation, start.translation), (end.rotation, end.translation)],
            moves: true,
        }
    }

    /// Nothing moves.
    pub(crate) fn at_an_instant(change: &FrameChange) -> Ends {
        Ends { moves: false, ..Ends::new(change, change) }
    }
}

/// Pairs of triangles of two blocks that no plane was found for.
pub(crate) struct OpenPairs {
    /// For each triangle of A bits of those of B.
    pub(crate) of_a: [u32; MAX_TRIANGLES],
    pub(crate) count: u32,
}

#[inline(always)]
fn dot3(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The product of a matrix, given by its columns, and a vector.
#[inline(always)]
fn turned(columns: &Columns, v: &Lanes3) -> Lanes3 {
    let all = f32x8::splat;
    let row = |k: usize| all(columns[0][k]) * v[0] + all(columns[1][k]) * v[1] + all(columns[2][k]) * v[2];
    [row(0), row(1), row(2)]
}

/// The product of the transposed matrix and a vector.
#[inline(always)]
fn turned_back(columns: &Columns, v: &Lanes3) -> Lanes3 {
    [dot(&splat3(columns[0]), v), dot(&splat3(columns[1]), v), dot(&splat3(columns[2]), v)]
}

#[inline(always)]
fn splat3(v: [f32; 3]) -> Lanes3 {
    [f32x8::splat(v[0]), f32x8::splat(v[1]), f32x8::splat(v[2])]
}

#[inline(always)]
fn least(v: &[f32x8; 3]) -> f32x8 {
    v[0].fast_min(v[1]).fast_min(v[2])
}

#[inline(always)]
fn most(v: &[f32x8; 3]) -> f32x8 {
    v[0].fast_max(v[1]).fast_max(v[2])
}

/// The components of three vectors along one direction.
#[inline(always)]
fn along(n: &Lanes3, corners: &[Lanes3; 3]) -> [f32x8; 3] {
    [dot(n, &corners[0]), dot(n, &corners[1]), dot(n, &corners[2])]
}

/// Two heights of each corner over eight planes: the least and the largest, or those at both ends of an interval.
type Heights = [(f32x8, f32x8); MAX_CORNERS];

/// Memory for looking at two blocks.
pub(crate) struct Scratch {
    heights: Heights,
    /// Of the pairs that were left open the last time, triangles of A first: shares of the interval.
    pub(crate) shares: [[f32; MAX_TRIANGLES]; MAX_TRIANGLES],
}

impl Scratch {
    pub(crate) fn new() -> Scratch {
        let heights = [(f32x8::ZERO, f32x8::ZERO); MAX_CORNERS];
        Scratch { heights, shares: [[0.0; MAX_TRIANGLES]; MAX_TRIANGLES] }
    }
}

/// Shares of an interval are shortened by this: rounding of a quotient.
const SHARE_ROUNDING: f32 = 1.0 - 1e-5;

/// The share of an interval in which a gap stays positive that is at least on the chord between these.
#[inline(always)]
fn share_of(at_start: f32x8, at_end: f32x8) -> f32x8 {
    let falls = at_start / (at_start - at_end) * f32x8::splat(SHARE_ROUNDING);
    let share = at_end.simd_gt(f32x8::ZERO).select(f32x8::ONE, falls);
    at_start.simd_gt(f32x8::ZERO).select(share, f32x8::ZERO)
}

/// Two blocks in an interval.
struct Blocked<'a> {
    a: &'a BlockView<'a>,
    b: &'a BlockView<'a>,
    ends: &'a Ends,
    /// A's origin from B's, in B's frame, at the beginning and at the end.
    shifts: [[f32; 3]; 2],
    /// To be exceeded by all gaps: what is asked for, and rounding.
    separation: f32x8,
    roomy: f32x8,
}

/// Pairs of triangles of two blocks that planes do not keep more than `separation` apart for a whole interval: planes across the axes
/// of B's box, and if something moves those of the faces of B and of A. At an instant who asks has the planes of the faces at hand.
///
/// `separation` includes what heights may fall below their chord, and the rounding of poses and points.
///
/// For how long those that are left are kept more than `roomy` apart, which is at least as much, is in `scratch`.
pub(crate) fn open_pairs(
    a: &BlockView<'_>,
    b: &BlockView<'_>,
    ends: &Ends,
    (separation, roomy): (f64, f64),
    scratch: &mut Scratch,
) -> OpenPairs {
    let shift = |side: usize| {
        let (rotation, translation) = &ends.changes[side];
        let shift = *rotation * a.origin + *translation - b.origin;
        [shift.x as f32, shift.y as f32, shift.z as f32]
    };
    let shifts = [shift(0), shift(1)];
    let distance = sum_of(shifts[0]).max(sum_of(shifts[1]));
    let rounding = GAP_ROUNDING * (distance + a.reach + b.reach);
    let splat = |gap: f64| f32x8::splat(upward(gap) + rounding);
    let blocked = Blocked { a, b, ends, shifts, separation: splat(separation), roomy: splat(roomy) };
    let mut open = [0; MAX_TRIANGLES];
    blocked.boxes(&mut open);
    if ends.moves && open.iter().fold(0, |all, bits| all | bits) != 0 {
        blocked.planes(&mut scratch.heights, &mut open);
    }
    let count = open.iter().map(|bits| bits.count_ones()).sum();
    if ends.moves && count > 0 {
        blocked.shares(scratch, &open);
    }
    OpenPairs { count, of_a: open }
}

impl Blocked<'_> {
    /// Sets the bits of pairs whose boxes along the axes of B's box meet.
    #[inline(always)]
    fn boxes(&self, open: &mut [u32; MAX_TRIANGLES]) {
        let axes = &self.b.axes;
        // Of A's triangles, with all that they go through: least and largest component along each axis.
        let mut lows = [[0.0_f32; MAX_TRIANGLES]; 3];
        let mut highs = [[0.0_f32; MAX_TRIANGLES]; 3];
        for from in (0..self.a.count).step_by(8) {
            let corners = self.a.corners(from);
            for k in 0..3 {
                let axis = |side: usize| {
                    let turn = &self.ends.turns[side];
                    let turned = [dot3(turn[0], axes[k]), dot3(turn[1], axes[k]), dot3(turn[2], axes[k])];
                    (splat3(turned), f32x8::splat(dot3(axes[k], self.shifts[side])))
                };
                let extent = |side: usize| {
                    let (axis, shift) = axis(side);
                    let components = along(&axis, &corners);
                    (least(&components) + shift, most(&components) + shift)
                };
                let (mut low, mut high) = extent(0);
                if self.ends.moves {
                    let end = extent(1);
                    (low, high) = (low.fast_min(end.0), high.fast_max(end.1));
                }
                lows[k][from..from + 8].copy_from_slice(&low.to_array());
                highs[k][from..from + 8].copy_from_slice(&high.to_array());
            }
        }
        for from in (0..self.b.count).step_by(8) {
            let corners = self.b.corners(from);
            let filled = self.b.filled(from);
            let side = |k: usize| {
                let components = along(&splat3(axes[k]), &corners);
                (least(&components) - self.separation, most(&components) + self.separation)
            };
            let sides = [side(0), side(1), side(2)];
            for (i, bits) in open[..self.a.count].iter_mut().enumerate() {
                let apart = |k: usize| {
                    f32x8::splat(lows[k][i]).simd_gt(sides[k].1)
                        | sides[k].0.simd_gt(f32x8::splat(highs[k][i]))
                };
                let apart = apart(0) | apart(1) | apart(2);
                *bits |= (!apart.to_bitmask() & filled) << from;
            }
        }
    }

    /// Clears the bits of pairs that planes of faces keep apart.
    #[inline(never)]
    fn planes(&self, heights: &mut Heights, open: &mut [u32; MAX_TRIANGLES]) {
        for from in (0..self.b.count).step_by(8) {
            self.planes_of_b(from, heights, open);
        }
        for from in (0..self.a.count).step_by(8) {
            self.planes_of_a(from, heights, open);
        }
        for from in (0..self.b.count).step_by(8) {
            self.across(&self.b.normals(from), self.b.filled(from), heights, open);
        }
        for from in (0..self.a.count).step_by(8) {
            let n = turned(&self.ends.middle, &self.a.normals(from));
            self.across(&n, self.a.filled(from), heights, open);
        }
    }

    /// Clears the bits of pairs that a plane across one of eight directions in B's frame keeps apart, as faces beside them have.
    #[inline(always)]
    fn across(&self, n: &Lanes3, lanes: u32, heights: &mut Heights, open: &mut [u32; MAX_TRIANGLES]) {
        let mut some = open.iter().fold(0, |all, bits| all | bits);
        if some == 0 {
            return;
        }
        self.over(n, self.a.corners_of(|i| open[i] != 0), heights);
        while some != 0 {
            let j = some.trailing_zeros() as usize;
            some &= some - 1;
            let at = |k: usize| dot(n, &splat3(self.b.corner([k as u8, j as u8])));
            let own = [at(0), at(1), at(2)];
            let (above, below) = (most(&own) + self.separation, least(&own) - self.separation);
            for (bits, side) in open.iter_mut().zip(self.a.sides) {
                if *bits >> j & 1 == 1 && self.apart(heights, *side, above, below) & lanes != 0 {
                    *bits &= !(1 << j);
                }
            }
        }
    }

    /// The shares of the interval for which planes of faces keep open pairs apart, each by the better of its two.
    #[inline(never)]
    fn shares(&self, scratch: &mut Scratch, open: &[u32; MAX_TRIANGLES]) {
        let Scratch { heights, shares } = scratch;
        for from in (0..self.b.count).step_by(8) {
            let n = self.b.normals(from);
            let own = along(&n, &self.b.corners(from));
            let (above, below) = (most(&own) + self.roomy, least(&own) - self.roomy);
            self.over_ends(&n, self.a.corners_of(|i| open[i] != 0), heights);
            for (i, side) in self.a.sides.iter().enumerate().filter(|(i, _)| open[*i] != 0) {
                let at = |k: usize| &heights[usize::from(side[k]) % MAX_CORNERS];
                let (p, q, r) = (at(0), at(1), at(2));
                let (start, end) = ([p.0, q.0, r.0], [p.1, q.1, r.1]);
                let over = share_of(least(&start) - above, least(&end) - above);
                let under = share_of(below - most(&start), below - most(&end));
                shares[i][from..from + 8].copy_from_slice(&over.fast_max(under).to_array());
            }
        }
        for from in (0..self.a.count).step_by(8) {
            let n = turned(&self.ends.middle, &self.a.normals(from));
            let corners = self.a.corners(from);
            let own = |side: usize| {
                let heights = along(&turned_back(&self.ends.turns[side], &n), &corners);
                let shift = dot(&n, &splat3(self.shifts[side]));
                (least(&heights) + shift - self.roomy, most(&heights) + shift + self.roomy)
            };
            let (start, end) = (own(0), own(1));
            let last = (from + 8).min(self.a.count);
            for j in 0..self.b.count {
                if open[from..last].iter().all(|bits| bits >> j & 1 == 0) {
                    continue;
                }
                let at = |k: usize| dot(&n, &splat3(self.b.corner([k as u8, j as u8])));
                let corners = [at(0), at(1), at(2)];
                let (high, low) = (most(&corners), least(&corners));
                let over = share_of(start.0 - high, end.0 - high);
                let under = share_of(low - start.1, low - end.1);
                let found = over.fast_max(under).to_array();
                for (lane, shares) in shares[from..last].iter_mut().enumerate() {
                    shares[j] = shares[j].max(found[lane]);
                }
            }
        }
    }

    /// The heights of corners of A along eight directions in B's frame, at the start and at the end.
    #[inline(always)]
    fn over_ends(&self, n: &Lanes3, mut wanted: u64, heights: &mut Heights) {
        let frame =
            |side: usize| (turned_back(&self.ends.turns[side], n), dot(n, &splat3(self.shifts[side])));
        let (start, end) = (frame(0), frame(1));
        while wanted != 0 {
            let number = wanted.trailing_zeros() as usize;
            wanted &= wanted - 1;
            let corner = splat3(self.a.corner(self.a.places[number]));
            heights[number] = (dot(&start.0, &corner) + start.1, dot(&end.0, &corner) + end.1);
        }
    }

    /// The heights of corners of A along eight directions in B's frame: the least and the largest that they have.
    #[inline(always)]
    fn over(&self, n: &Lanes3, mut wanted: u64, heights: &mut Heights) {
        let frame =
            |side: usize| (turned_back(&self.ends.turns[side], n), dot(n, &splat3(self.shifts[side])));
        let (start, end) = (frame(0), frame(1));
        while wanted != 0 {
            let number = wanted.trailing_zeros() as usize;
            wanted &= wanted - 1;
            let corner = splat3(self.a.corner(self.a.places[number]));
            let (at_start, at_end) = (dot(&start.0, &corner) + start.1, dot(&end.0, &corner) + end.1);
            heights[number] = (at_start.fast_min(at_end), at_start.fast_max(at_end));
        }
    }

    /// Bits of the directions along which a triangle of A stays above the one height, or below the other.
    #[inline(always)]
    fn apart(&self, heights: &Heights, side: [u8; 3], above: f32x8, below: f32x8) -> u32 {
        let at = |k: usize| &heights[usize::from(side[k]) % MAX_CORNERS];
        let (p, q, r) = (at(0), at(1), at(2));
        let apart = least(&[p.0, q.0, r.0]).simd_gt(above) | below.simd_gt(most(&[p.1, q.1, r.1]));
        apart.to_bitmask()
    }

    /// Clears the bits of pairs that the planes of eight triangles of B keep apart.
    #[inline(always)]
    fn planes_of_b(&self, from: usize, heights: &mut Heights, open: &mut [u32; MAX_TRIANGLES]) {
        let lanes = self.b.filled(from) << from;
        let wanted = self.a.corners_of(|i| open[i] & lanes != 0);
        if wanted == 0 {
            return;
        }
        let n = self.b.normals(from);
        self.over(&n, wanted, heights);
        let own = along(&n, &self.b.corners(from));
        // What A must be above, or below.
        let (above, below) = (most(&own) + self.separation, least(&own) - self.separation);
        for (bits, side) in open.iter_mut().zip(self.a.sides) {
            if *bits & lanes != 0 {
                *bits &= !(self.apart(heights, *side, above, below) << from);
            }
        }
    }

    /// Clears the bits of pairs that the planes of eight triangles of A keep apart, fixed in B's frame as they are half-way.
    #[inline(always)]
    fn planes_of_a(&self, from: usize, heights: &mut Heights, open: &mut [u32; MAX_TRIANGLES]) {
        let last = (from + 8).min(self.a.count);
        let open = &mut open[from..last];
        let some = open.iter().fold(0, |all, bits| all | bits);
        let mut wanted = self.b.corners_of(|j| some >> j & 1 == 1);
        if wanted == 0 {
            return;
        }
        // Not longer than a unit vector, so that heights are not larger than distances.
        let n = turned(&self.ends.middle, &self.a.normals(from));
        let corners = self.a.corners(from);
        let own = |side: usize| {
            let heights = along(&turned_back(&self.ends.turns[side], &n), &corners);
            let shift = dot(&n, &splat3(self.shifts[side]));
            (least(&heights) + shift, most(&heights) + shift)
        };
        let (start, end) = (own(0), own(1));
        // What B must be below, or above.
        let below = start.0.fast_min(end.0) - self.separation;
        let above = start.1.fast_max(end.1) + self.separation;
        while wanted != 0 {
            let number = wanted.trailing_zeros() as usize;
            wanted &= wanted - 1;
            heights[number].0 = dot(&n, &splat3(self.b.corner(self.b.places[number])));
        }
        for (j, side) in self.b.sides.iter().enumerate() {
            if some >> j & 1 == 0 {
                continue;
            }
            let at = |k: usize| heights[usize::from(side[k]) % MAX_CORNERS].0;
            let corners = [at(0), at(1), at(2)];
            let apart = below.simd_gt(most(&corners)) | least(&corners).simd_gt(above);
            let apart = apart.to_bitmask();
            for (lane, bits) in open.iter_mut().enumerate() {
                *bits &= !((apart >> lane & 1) << j);
            }
        }
    }
}

#[cfg(test)]
mod tests;
