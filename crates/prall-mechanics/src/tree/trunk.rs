//! [`Trunk`]: the part of the way to the root that many percussions have in common.
//!
//! Whatever acts behind a link arrives there as a wrench of six numbers, so of all freedoms on the way from that link to the root percussions
//! can only ever excite six directions. Their orthonormal basis `Q` in the whitened freedoms comes from the rows of the six unit wrenches,
//! `R = Q K`; with it the rest of a row that arrives as `w` is `K w`, six numbers instead of one for each freedom, and what belongs to whitened
//! changes `y` in that basis is `Q y`. With *c* percussions on a long chain the work falls from `n c` to `n + c`.

use glam::DVec3;
use prall_math::Wrench;

use super::Tree;
use super::percussion::RowPart;

/// Directions that a wrench can excite.
const DIRECTIONS: usize = 6;
/// Freedoms on the common way below which it is not worth the basis.
const LEAST_FREEDOMS: usize = 64;
/// Percussions below which it is not worth the basis.
const LEAST_PERCUSSIONS: usize = 4;
/// Share of a direction that the others must leave of it to count.
const LEAST_SHARE: f64 = 1e-12;

/// The common way of percussions on a long branch, with the basis of what they can excite there.
#[derive(Clone, Debug, Default)]
pub struct Trunk {
    /// Where it begins; 0 is no trunk at all.
    link: usize,
    /// `Q`, a row for each freedom on the way, freedoms falling.
    basis: Vec<RowPart<DIRECTIONS>>,
    /// `K`.
    mix: [[f64; DIRECTIONS]; DIRECTIONS],
    rank: usize,
}

impl Trunk {
    /// Finds the common way of percussions on these nodes to the root of a tree, after [`Tree::predict`]; none if that saves nothing.
    pub fn find(&mut self, tree: &Tree, nodes: impl Iterator<Item = usize>) {
        (self.link, self.rank) = (0, 0);
        self.basis.clear();
        let Some((link, count)) = tree.common_link(nodes) else { return };
        if count < LEAST_PERCUSSIONS || (tree.first_freedom(link) as usize) < LEAST_FREEDOMS {
            return;
        }
        let units: [Wrench; DIRECTIONS] = std::array::from_fn(|index| {
            let axis = DVec3::AXES[index % 3];
            if index < 3 { Wrench::new(axis, DVec3::ZERO) } else { Wrench::new(DVec3::ZERO, axis) }
        });
        tree.climb_to(0, (link, tree.states[link].point), &units, &mut self.basis);
        if self.basis.len() >= LEAST_FREEDOMS {
            self.link = link;
            self.orthonormalise();
        }
    }

    /// `R = Q K`, column by column, twice, so that `Q` is orthonormal to rounding.
    fn orthonormalise(&mut self) {
        self.mix = [[0.0; DIRECTIONS]; DIRECTIONS];
        for column in 0..DIRECTIONS {
            let before = self.dot(column, column).sqrt();
            for _ in 0..2 {
                for unit in 0..self.rank {
                    let share = self.dot(unit, column);
                    self.mix[unit][column] += share;
                    for part in &mut self.basis {
                        part.values[column] -= share * part.values[unit];
                    }
                }
            }
            let left = self.dot(column, column).sqrt();
            let counts = left > LEAST_SHARE * before;
            let (unit, scale) = (self.rank, if counts { 1.0 / left } else { 0.0 });
            for part in &mut self.basis {
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

    fn dot(&self, a: usize, b: usize) -> f64 {
        self.basis.iter().map(|part| part.values[a] * part.values[b]).sum()
    }

    /// Rows as [`Tree::climb`] gives them, but for what lies on the trunk: that is told in the trunk's basis, in the places of as many of its
    /// freedoms.
    pub fn climb<const N: usize>(
        &self,
        tree: &Tree,
        (node, point): (usize, DVec3),
        wrenches: &[Wrench; N],
        rows: &mut Vec<RowPart<N>>,
    ) {
        let arrived = tree.climb_to(self.link, (tree.own(node), point), wrenches, rows);
        for unit in 0..self.rank {
            let mix = &self.mix[unit];
            let values = arrived.map(|wrench| {
                let parts = wrench.force.to_array().into_iter().chain(wrench.torque.to_array());
                parts.zip(mix).map(|(part, mix)| part * mix).sum()
            });
            rows.push(RowPart { freedom: self.basis[unit].freedom, values });
        }
    }

    /// From changes in the trunk's basis to whitened changes of its freedoms.
    pub fn unfold(&self, whitened: &mut [f64]) {
        let mut changes = [0.0; DIRECTIONS];
        for (change, part) in changes.iter_mut().zip(&self.basis).take(self.rank) {
            *change = whitened[part.freedom as usize];
        }
        for part in &self.basis {
            whitened[part.freedom as usize] = part.values.iter().zip(&changes).map(|(q, y)| q * y).sum();
        }
    }
}

impl Tree {
    /// The last link that is on the way of all these nodes to the root, and how many they are.
    fn common_link(&self, nodes: impl Iterator<Item = usize>) -> Option<(usize, usize)> {
        let mut found: Option<(usize, usize)> = None;
        for node in nodes {
            let mut own = self.own(node);
            let (mut common, count) = found.unwrap_or((own, 0));
            // Parents have smaller numbers.
            while common != own {
                let farther = if common > own { &mut common } else { &mut own };
                *farther = self.links[*farther].parent as usize;
            }
            found = Some((common, count + 1));
        }
        found.filter(|(link, _)| *link != 0)
    }

    /// Number of freedoms before a link's own.
    fn first_freedom(&self, link: usize) -> u32 {
        self.work.articulated.offsets[link]
    }
}
