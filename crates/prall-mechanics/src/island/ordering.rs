//! The order in which bodies are eliminated, and the structure of the factor that follows from it.
//!
//! Minimum degree: the body with the fewest neighbours goes first, its neighbours become neighbours of each other,
//! and so on (Tinney and Walker 1967). Neighbours are kept as bits, so an elimination is a few words a body. The
//! order depends on the graph alone, never on what was solved before.

use std::ops::Range;

/// Order and structure of a factor; kept as long as the graph of bodies stays the same.
#[derive(Clone, Debug, Default)]
pub(super) struct SymbolicFactor {
    /// Body pairs that share a row, as `low << 32 | high`; sorted, each once. With the count it is the key.
    pairs: Vec<u64>,
    count: usize,
    /// Place of each body in the order of elimination.
    pub(super) place: Vec<u32>,
    /// Bodies in the order of elimination.
    pub(super) order: Vec<u32>,
    /// Start of each column in `rows`, and the end of the last.
    starts: Vec<u32>,
    /// Block rows of the columns, ascending; the first of each column is its diagonal.
    pub(super) rows: Vec<u32>,
    /// Start of each block row in `row_entries`, and the end of the last.
    row_starts: Vec<u32>,
    /// The blocks left of the diagonal, row by row: column and entry.
    row_entries: Vec<(u32, u32)>,
    /// Entry of the block of each pair.
    pair_entries: Vec<u32>,
    scratch: Scratch,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    /// Neighbours of each body, as bits.
    bits: Vec<u64>,
    pivot: Vec<u64>,
    degree: Vec<u32>,
    /// Bodies of the columns in the order of elimination; later their places.
    fill: Vec<u32>,
}

impl SymbolicFactor {
    /// Count of block rows.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Entries of a column; the first is the diagonal.
    #[inline]
    pub(super) fn column(&self, k: usize) -> Range<usize> {
        self.starts[k] as usize..self.starts[k + 1] as usize
    }

    /// Columns before `k` that have a block in row `k`, with the entry of that block.
    #[inline]
    pub(super) fn earlier_columns(&self, k: usize) -> &[(u32, u32)] {
        &self.row_entries[self.row_starts[k] as usize..self.row_starts[k + 1] as usize]
    }

    /// Entry of the diagonal block of a body.
    #[inline]
    pub(super) fn diagonal_entry(&self, body: u32) -> u32 {
        self.starts[self.place[body as usize] as usize]
    }

    /// Entry of the block of two bodies, and whether its rows are those of `a`. `None` if no row joined them.
    pub(super) fn pair_entry(&self, a: u32, b: u32) -> Option<(u32, bool)> {
        let found = self.pairs.binary_search(&pair_key(a, b)).ok()?;
        Some((self.pair_entries[found], self.place[a as usize] > self.place[b as usize]))
    }

    /// Makes this the structure of `count` bodies joined by `pairs` ([`pair_key`], sorted, each once, bodies below
    /// `count`). Returns `false` if it was already.
    pub(super) fn update(&mut self, count: usize, pairs: &[u64]) -> bool {
        if self.count == count && self.pairs == pairs && self.place.len() == count {
            return false;
        }
        self.count = count;
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        self.eliminate();
        self.list_rows();
        self.pair_entries.clear();
        for &pair in &self.pairs {
            let (a, b) = (self.place[(pair >> 32) as usize], self.place[(pair & 0xffff_ffff) as usize]);
            let (column, row) = (a.min(b) as usize, a.max(b));
            let start = self.starts[column] as usize;
            let end = self.starts[column + 1] as usize;
            let offset = self.rows[start..end].partition_point(|&r| r < row);
            self.pair_entries.push((start + offset) as u32);
        }
        true
    }

    /// Order, `starts` and `rows`.
    fn eliminate(&mut self) {
        let count = self.count;
        let words = count.div_ceil(64);
        let Scratch { bits, pivot, degree, fill } = &mut self.scratch;
        bits.clear();
        bits.resize(words * count, 0);
        for &pair in &self.pairs {
            let (a, b) = ((pair >> 32) as usize, (pair & 0xffff_ffff) as usize);
            bits[a * words + b / 64] |= 1 << (b % 64);
            bits[b * words + a / 64] |= 1 << (a % 64);
        }
        let ones = |row: &[u64]| row.iter().map(|word| word.count_ones()).sum::<u32>();
        degree.clear();
        degree.extend((0..count).map(|body| ones(&bits[body * words..(body + 1) * words])));
        self.place.clear();
        self.place.resize(count, 0);
        self.order.clear();
        self.starts.clear();
        fill.clear();
        for step in 0..count {
            let body = (0..count).min_by_key(|&body| degree[body]).unwrap_or(0);
            degree[body] = u32::MAX;
            self.place[body] = step as u32;
            self.order.push(body as u32);
            self.starts.push(fill.len() as u32);
            fill.push(body as u32);
            pivot.clear();
            pivot.extend_from_slice(&bits[body * words..(body + 1) * words]);
            for neighbour in ones_of(pivot) {
                fill.push(neighbour as u32);
                let row = &mut bits[neighbour * words..(neighbour + 1) * words];
                for (word, joined) in row.iter_mut().zip(pivot.iter()) {
                    *word |= joined;
                }
                row[neighbour / 64] &= !(1 << (neighbour % 64));
                row[body / 64] &= !(1 << (body % 64));
                degree[neighbour] = ones(row);
            }
        }
        self.starts.push(fill.len() as u32);
        self.rows.clear();
        self.rows.extend(fill.iter().map(|&body| self.place[body as usize]));
        for k in 0..count {
            let column = self.starts[k] as usize..self.starts[k + 1] as usize;
            self.rows[column].sort_unstable();
        }
    }

    /// `row_starts` and `row_entries` from the columns.
    fn list_rows(&mut self) {
        self.row_starts.clear();
        self.row_starts.resize(self.count + 1, 0);
        for k in 0..self.count {
            for entry in self.column(k).skip(1) {
                self.row_starts[self.rows[entry] as usize + 1] += 1;
            }
        }
        for k in 0..self.count {
            self.row_starts[k + 1] += self.row_starts[k];
        }
        let mut next = std::mem::take(&mut self.scratch.degree);
        next.clear();
        next.extend_from_slice(&self.row_starts);
        self.row_entries.clear();
        self.row_entries.resize(self.row_starts[self.count] as usize, (0, 0));
        for k in 0..self.count {
            for entry in self.column(k).skip(1) {
                let slot = &mut next[self.rows[entry] as usize];
                self.row_entries[*slot as usize] = (k as u32, entry as u32);
                *slot += 1;
            }
        }
        self.scratch.degree = next;
    }
}

/// The pair of two bodies as one number, the lower first.
#[inline]
pub(super) fn pair_key(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

/// Numbers of the bits that are set, ascending.
fn ones_of(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            Some(index * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks_of(count: usize, pairs: impl Iterator<Item = (u32, u32)>) -> usize {
        let mut keys: Vec<_> = pairs.map(|(a, b)| pair_key(a, b)).collect();
        keys.sort_unstable();
        let mut structure = SymbolicFactor::default();
        structure.update(count, &keys);
        structure.rows.len()
    }

    #[test]
    fn chains_and_stars_do_not_fill() {
        assert_eq!(blocks_of(100, (1..100).map(|a| (a - 1, a))), 199);
        assert_eq!(blocks_of(100, (1..100).map(|a| (0, a))), 199);
    }

    #[test]
    fn a_square_grid_fills_less_than_row_by_row() {
        let side = 32u32;
        let along = (0..side * side).filter(|a| a % side + 1 < side).map(|a| (a, a + 1));
        let across = (0..side * (side - 1)).map(|a| (a, a + side));
        let row_by_row = (side * side * (side + 1)) as usize;
        let blocks = blocks_of((side * side) as usize, along.chain(across));
        assert!(blocks < row_by_row / 2, "{blocks} of {row_by_row}");
    }
}
