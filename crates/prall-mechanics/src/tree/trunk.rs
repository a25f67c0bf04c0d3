//! [`Trunks`]: the parts of the ways to the root that many percussions have in common.
//!
//! Where percussions act and where their ways meet cut a tree into stretches of links in a row. Whatever passes a stretch enters it as a
//! wrench of six numbers, so of all its freedoms percussions can only ever excite six directions. Their orthonormal basis `Q` in the
//! whitened freedoms comes from the rows of the six unit wrenches, `R = Q K`; what leaves the stretch is `T w` for every `w` that enters:
//!
//! ```text
//! row of a percussion on the stretch   K w      six numbers instead of one for each freedom
//! at the start of the next stretch     w = T w
//! whitened changes of its freedoms     Q y      for changes y in that basis
//! ```
//!
//! With *c* percussions on a tree of *n* links the work falls from `n c` to `n + c d`, where *d* is the number of stretches on a way.

use std::ops::Range;

use glam::DVec3;
use prall_math::Wrench;

use super::Tree;
use super::equations::freedoms;
use super::percussion::RowPart;

/// Directions that a wrench can excite.
const DIRECTIONS: usize = 6;
/// Freedoms of a stretch below which it is not worth the basis.
const LEAST_FREEDOMS: usize = 48;
/// Percussions below which it is not worth the basis.
const LEAST_PERCUSSIONS: u32 = 4;
/// Share of a direction that the others must leave of it to count.
const LEAST_SHARE: f64 = 1e-12;

/// The ways of percussions to the root of a tree, and bases of what they can excite where many of them go far together.
#[derive(Clone, Debug, Default)]
pub struct Trunks {
    stretches: Vec<Stretch>,
    /// Which stretch begins at a link, plus one; 0 where none does.
    starts: Vec<u32>,
    /// Percussions at a link or behind it.
    counts: Vec<u32>,
    /// `Q` of all stretches, a row for each freedom on the way, freedoms falling.
    basis: Vec<RowPart<DIRECTIONS>>,
}

/// Links in a row, from where percussions act or ways meet to the link `end` where the next such place is; the root is 0.
#[derive(Clone, Debug)]
struct Stretch {
    start: usize,
    end: usize,
    basis: Range<usize>,
    /// Of the basis; 0 if it has none.
    rank: usize,
    /// `K`.
    mix: [[f64; DIRECTIONS]; DIRECTIONS],
    /// `T`: what each unit wrench leaves.
    passed: [Wrench; DIRECTIONS],
}

impl Trunks {
    /// Finds where percussions on these nodes have long ways in common, after [`Tree::predict`].
    pub fn find(&mut self, tree: &Tree, nodes: impl Iterator<Item = usize>) {
        self.stretches.clear();
        self.basis.clear();
        self.counts.clear();
        self.counts.resize(tree.links.len(), 0);
        let mut percussions = 0;
        for node in nodes {
            self.counts[tree.own(node)] += 1;
            percussions += 1;
        }
        if percussions < LEAST_PERCUSSIONS || tree.degrees_of_freedom() < LEAST_FREEDOMS {
            return;
        }
        for index in (1..tree.links.len()).rev() {
            self.counts[tree.links[index].parent as usize] += self.counts[index];
        }
        self.starts.clear();
        self.starts.resize(tree.links.len(), 0);
        // Parents have smaller numbers, so a stretch is entered by its start.
        let mut shared = false;
        for index in (1..tree.links.len()).rev() {
            if self.counts[index] > 0 && self.starts[index] == 0 {
                shared |= self.add_stretch(tree, index);
            }
        }
        if !shared {
            self.stretches.clear();
        }
    }

    /// Adds the stretch that begins at a link; true if it got a basis.
    fn add_stretch(&mut self, tree: &Tree, start: usize) -> bool {
        let count = self.counts[start];
        self.stretches.push(Stretch::from(start));
        let number = self.stretches.len() as u32;
        let (mut at, mut own) = (start, 0);
        loop {
            self.starts[at] = number;
            own += freedoms(tree.links[at].kind);
            at = tree.links[at].parent as usize;
            if at == 0 || self.counts[at] != count {
                break;
            }
        }
        let stretch = &mut self.stretches[number as usize - 1];
        stretch.end = at;
        if count < LEAST_PERCUSSIONS || own < LEAST_FREEDOMS {
            return false;
        }
        let first = self.basis.len();
        stretch.passed = tree.climb_to(at, (start, tree.states[start].point), &UNITS, &mut self.basis);
        stretch.basis = first..self.basis.len();
        stretch.orthonormalise(&mut self.basis[first..]);
        stretch.rank > 0
    }

    /// Rows as [`Tree::climb`] gives them for a percussion on one of the nodes that were told, but for what lies on shared stretches: that is
    /// told in their bases, in the places of as many of their freedoms.
    pub fn climb<const N: usize>(
        &self,
        tree: &Tree,
        (node, point): (usize, DVec3),
        wrenches: &[Wrench; N],
        rows: &mut Vec<RowPart<N>>,
    ) {
        if self.stretches.is_empty() {
            return tree.climb(node, point, wrenches, rows);
        }
        let (mut at, mut point, mut wrenches) = (tree.own(node), point, *wrenches);
        while let Some(stretch) = self.stretches.get((self.starts[at] as usize).wrapping_sub(1)) {
            debug_assert_eq!(stretch.start, at, "percussions act on nodes that were told");
            if stretch.rank == 0 {
                wrenches = tree.climb_to(stretch.end, (at, point), &wrenches, rows);
            } else {
                let arm = point - tree.states[at].point;
                let entered = wrenches.map(|wrench| parts(&wrench, arm));
                for unit in 0..stretch.rank {
                    let mix = &stretch.mix[unit];
                    let share = |parts: &[f64; DIRECTIONS]| parts.iter().zip(mix).map(|(w, k)| w * k).sum();
                    let freedom = self.basis[stretch.basis.start + unit].freedom;
                    rows.push(RowPart { freedom, values: entered.each_ref().map(share) });
                }
                wrenches = entered.map(|parts| {
                    let passed = parts.iter().zip(&stretch.passed);
                    passed.fold(Wrench::ZERO, |sum, (&part, &unit)| sum + unit * part)
                });
            }
            at = stretch.end;
            point = tree.states[at].point;
        }
    }

    /// From changes in the bases of stretches to whitened changes of their freedoms.
    pub fn unfold(&self, whitened: &mut [f64]) {
        for stretch in self.stretches.iter().filter(|stretch| stretch.rank > 0) {
            let basis = &self.basis[stretch.basis.clone()];
            let mut changes = [0.0; DIRECTIONS];
            for (change, part) in changes.iter_mut().zip(basis).take(stretch.rank) {
                *change = whitened[part.freedom as usize];
            }
            for part in basis {
                whitened[part.freedom as usize] = part.values.iter().zip(&changes).map(|(q, y)| q * y).sum();
            }
        }
    }
}

impl Stretch {
    fn from(start: usize) -> Stretch {
        Stretch {
            start,
            end: 0,
            basis: 0..0,
            rank: 0,
            mix: [[0.0; DIRECTIONS]; DIRECTIONS],
            passed: [Wrench::ZERO; DIRECTIONS],
        }
    }

    /// `R = Q K`, column by column, twice, so that `Q` is orthonormal to rounding.
    fn orthonormalise(&mut self, basis: &mut [RowPart<DIRECTIONS>]) {
        let dot = |basis: &[RowPart<DIRECTIONS>], a: usize, b: usize| -> f64 {
            basis.iter().map(|part| part.values[a] * part.values[b]).sum()
        };
        for column in 0..DIRECTIONS {
            let before = dot(basis, column, column).sqrt();
            for _ in 0..2 {
                for unit in 0..self.rank {
                    let share = dot(basis, unit, column);
                    self.mix[unit][column] += share;
                    for part in &mut *basis {
                        part.values[column] -= share * part.values[unit];
                    }
                }
            }
            let left = dot(basis, column, column).sqrt();
            let counts = left > LEAST_SHARE * before;
            let (unit, scale) = (self.rank, if counts { 1.0 / left } else { 0.0 });
            for part in &mut *basis {
                let value = part.values[column] * scale;
                part.values[column] = 0.0;
                if counts {
                    part.values[unit] = value;
                }
            }
            if counts {
                self.mix[unit][column] = left;
                self.rank += 1;
            }
        }
    }
}

const UNITS: [Wrench; DIRECTIONS] = [
    Wrench::new(DVec3::X, DVec3::ZERO),
    Wrench::new(DVec3::Y, DVec3::ZERO),
    Wrench::new(DVec3::Z, DVec3::ZERO),
    Wrench::new(DVec3::ZERO, DVec3::X),
    Wrench::new(DVec3::ZERO, DVec3::Y),
    Wrench::new(DVec3::ZERO, DVec3::Z),
];

/// A wrench at the end of an arm in parts of [`UNITS`] at its start.
fn parts(wrench: &Wrench, arm: DVec3) -> [f64; DIRECTIONS] {
    let (force, torque) = (wrench.force, wrench.torque + arm.cross(wrench.force));
    [force.x, force.y, force.z, torque.x, torque.y, torque.z]
}
