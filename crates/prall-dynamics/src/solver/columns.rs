//! Cholesky's factor of a sparse matrix block by block: for trees and for groups with few loops.
//!
//! The order of elimination takes the joint with the fewest neighbours first; for trees nothing fills in, so the work is linear. Order and
//! places of blocks ([`Pattern`]) stand while the joints stand; only numbers are computed anew.

use std::collections::BTreeSet;

use super::layout::Layout;
use crate::joint::block::Block;

/// What a group's matrix looks like.
#[derive(Clone, Debug, Default)]
pub(super) struct Pattern {
    layout: Layout,
    /// For each column: its later neighbours (positions in the order) with the place of their numbers.
    columns: Vec<Vec<(u32, usize)>>,
    diagonals: Vec<usize>,
    /// Where a column's products go, pair by pair of its later neighbours, column after column. Found when the first factor is to be made:
    /// a body with a thousand joints has so many of them that structures which are only weighed do without.
    targets: Vec<u32>,
    pub(super) numbers: usize,
    /// Multiplications of a factorisation.
    pub(super) work: f64,
}

/// Numbers of a group's matrix, and then of its factor.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pattern: Pattern,
    values: Vec<f64>,
}

impl Pattern {
    /// For the joints of a component, given as indices of blocks, with the largest number of rows of each.
    pub(super) fn new(
        blocks: &[Block],
        members: &[u32],
        sizes: &[usize],
        movable: impl Fn(u32) -> bool,
    ) -> Pattern {
        let mut neighbours = adjacency(blocks, members, movable);
        let order = least_degree_order(&mut neighbours);
        let mut position = vec![0_u32; members.len()];
        for (at, &node) in order.iter().enumerate() {
            position[node as usize] = at as u32;
        }
        let mut pattern = Pattern { layout: Layout::new(&order, members, sizes), ..Pattern::default() };
        for (at, &node) in order.iter().enumerate() {
            let mut later: Vec<u32> = neighbours[node as usize]
                .iter()
                .map(|&n| position[n as usize])
                .filter(|&p| p > at as u32)
                .collect();
            later.sort_unstable();
            let own = pattern.layout.sizes[at];
            pattern.diagonals.push(pattern.numbers);
            pattern.numbers += own * own;
            let mut column = Vec::with_capacity(later.len());
            let mut height = 0;
            for row in later {
                column.push((row, pattern.numbers));
                pattern.numbers += pattern.layout.sizes[row as usize] * own;
                height += pattern.layout.sizes[row as usize];
            }
            pattern.work += (own * (own + height) * (own + height)) as f64;
            pattern.columns.push(column);
        }
        pattern
    }

    fn find_targets(&mut self) {
        let mut targets = Vec::new();
        for entries in &self.columns {
            for (at, &(row, _)) in entries.iter().enumerate() {
                let place = |&(other, _): &(u32, usize)| self.place(row as usize, other as usize) as u32;
                targets.extend(entries[..=at].iter().map(place));
            }
        }
        self.targets = targets;
    }

    fn place(&self, row: usize, column: usize) -> usize {
        if row == column {
            return self.diagonals[row];
        }
        let entries = &self.columns[column];
        let at = entries.partition_point(|&(other, _)| (other as usize) < row);
        entries[at].1
    }
}

/// Which joints share a movable body.
fn adjacency(blocks: &[Block], members: &[u32], movable: impl Fn(u32) -> bool) -> Vec<BTreeSet<u32>> {
    let mut of_body: std::collections::BTreeMap<u32, Vec<u32>> = std::collections::BTreeMap::new();
    for (node, &member) in members.iter().enumerate() {
        for body in blocks[member as usize].bodies.into_iter().filter(|&body| movable(body)) {
            of_body.entry(body).or_default().push(node as u32);
        }
    }
    let mut neighbours = vec![BTreeSet::new(); members.len()];
    for joints in of_body.values() {
        for &a in joints {
            neighbours[a as usize].extend(joints.iter().filter(|&&b| b != a));
        }
    }
    neighbours
}

/// Takes the node with the fewest neighbours left, joins those to each other, and so on. `neighbours` keeps the fill.
fn least_degree_order(neighbours: &mut [BTreeSet<u32>]) -> Vec<u32> {
    let mut queue: BTreeSet<(usize, u32)> =
        neighbours.iter().enumerate().map(|(node, near)| (near.len(), node as u32)).collect();
    let mut gone = vec![false; neighbours.len()];
    let mut order = Vec::with_capacity(neighbours.len());
    let mut degrees: Vec<usize> = neighbours.iter().map(BTreeSet::len).collect();
    while let Some((degree, node)) = queue.pop_first() {
        if degree == queue.len() {
            // Even the one with the fewest neighbours has all that are left: all are neighbours of each other, and nothing fills in.
            order.push(node);
            order.extend(queue.iter().map(|(_, node)| node));
            break;
        }
        gone[node as usize] = true;
        order.push(node);
        let left: Vec<u32> =
            neighbours[node as usize].iter().copied().filter(|&n| !gone[n as usize]).collect();
        for &a in &left {
            neighbours[a as usize].extend(left.iter().filter(|&&b| b != a));
            let degree = neighbours[a as usize].iter().filter(|&&n| !gone[n as usize]).count();
            queue.remove(&(degrees[a as usize], a));
            queue.insert((degree, a));
            degrees[a as usize] = degree;
        }
    }
    order
}

impl Columns {
    pub(super) fn new(mut pattern: Pattern) -> Columns {
        pattern.find_targets();
        Columns { values: vec![0.0; pattern.numbers], pattern }
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.pattern.layout
    }

    /// Takes the matrix of the rows that are free; a held row has nothing but a one on the diagonal.
    pub(super) fn assemble(&mut self, blocks: &[Block], free: &[bool], diagonal: f64) {
        self.values.fill(0.0);
        let Columns { pattern, values } = self;
        let layout = &pattern.layout;
        for column in 0..layout.order.len() {
            let block = &blocks[layout.order[column] as usize];
            let (n, place, offset) =
                (layout.sizes[column], pattern.diagonals[column], layout.offsets[column]);
            for i in 0..n {
                for j in 0..n {
                    values[place + i * n + j] = match (free[offset + i] && free[offset + j], i == j) {
                        (true, false) => block.response_of(i, j),
                        (true, true) => block.own_response(i) * diagonal,
                        (false, true) => 1.0,
                        (false, false) => 0.0,
                    };
                }
            }
            for &(row, place) in &pattern.columns[column] {
                let other = &blocks[layout.order[row as usize] as usize];
                let shared = other.shared_bodies(block);
                let (height, above) = (layout.sizes[row as usize], layout.offsets[row as usize]);
                for i in (0..height).filter(|&i| free[above + i]) {
                    for j in (0..n).filter(|&j| free[offset + j]) {
                        values[place + i * n + j] = other.response_to(i, block, j, &shared);
                    }
                }
            }
        }
    }

    /// `L L^T`, column by column; blocks are stored by rows, columns one after another.
    pub(super) fn factor(&mut self) {
        let Columns { pattern, values } = self;
        let sizes = &pattern.layout.sizes;
        let mut targets = pattern.targets.iter();
        for column in 0..sizes.len() {
            let n = sizes[column];
            let start = pattern.diagonals[column];
            let end = pattern.diagonals.get(column + 1).copied().unwrap_or(pattern.numbers);
            let (own, later) = values[start..].split_at_mut(end - start);
            let (diagonal, below) = own.split_at_mut(n * n);
            cholesky(diagonal, n);
            match n {
                3 => solve_rows::<3>(diagonal, below),
                5 => solve_rows::<5>(diagonal, below),
                _ => solve_any_rows(diagonal, below, n),
            }
            let block = |place: usize, rows: usize| {
                let from = place - start - n * n;
                &below[from..from + rows * n]
            };
            let entries = &pattern.columns[column];
            for (at, &(row, place)) in entries.iter().enumerate() {
                let height = sizes[row as usize];
                let left = block(place, height);
                for (&(other, source), &target) in entries[..=at].iter().zip(&mut targets) {
                    let width = sizes[other as usize];
                    let from = target as usize - end;
                    let target = &mut later[from..from + height * width];
                    let right = block(source, width);
                    match (n, height, width) {
                        (3, 3, 3) => subtract_product::<3>(target, left, right),
                        (5, 5, 5) => subtract_product::<5>(target, left, right),
                        _ => subtract_any_product(target, left, right, n, width),
                    }
                }
            }
        }
    }

    /// Replaces a right side by the solution.
    pub(super) fn substitute(&self, vector: &mut [f64]) {
        let Columns { pattern, values } = self;
        let Layout { sizes, offsets, .. } = &pattern.layout;
        for column in 0..sizes.len() {
            let (n, diagonal, offset) = (sizes[column], pattern.diagonals[column], offsets[column]);
            for i in 0..n {
                let mut sum = vector[offset + i];
                (0..i).for_each(|m| sum -= values[diagonal + i * n + m] * vector[offset + m]);
                vector[offset + i] = sum / values[diagonal + i * n + i];
            }
            for &(row, place) in &pattern.columns[column] {
                let above = offsets[row as usize];
                for i in 0..sizes[row as usize] {
                    let product: f64 = (0..n).map(|m| values[place + i * n + m] * vector[offset + m]).sum();
                    vector[above + i] -= product;
                }
            }
        }
        for column in (0..sizes.len()).rev() {
            let (n, diagonal, offset) = (sizes[column], pattern.diagonals[column], offsets[column]);
            for &(row, place) in &pattern.columns[column] {
                let above = offsets[row as usize];
                for i in 0..sizes[row as usize] {
                    (0..n).for_each(|m| vector[offset + m] -= values[place + i * n + m] * vector[above + i]);
                }
            }
            for i in (0..n).rev() {
                let mut sum = vector[offset + i];
                (i + 1..n).for_each(|m| sum -= values[diagonal + m * n + i] * vector[offset + m]);
                vector[offset + i] = sum / values[diagonal + i * n + i];
            }
        }
    }
}

/// `x L^T = a` for every row of `N` numbers, from left to right.
fn solve_rows<const N: usize>(diagonal: &[f64], rows: &mut [f64]) {
    let mut l = [[0.0; N]; N];
    for (i, row) in l.iter_mut().enumerate() {
        row.copy_from_slice(&diagonal[i * N..(i + 1) * N]);
    }
    let inverse: [f64; N] = std::array::from_fn(|i| 1.0 / l[i][i]);
    for row in rows.as_chunks_mut::<N>().0 {
        for j in 0..N {
            let mut sum = row[j];
            for m in 0..j {
                sum -= row[m] * l[j][m];
            }
            row[j] = sum * inverse[j];
        }
    }
}

fn solve_any_rows(diagonal: &[f64], rows: &mut [f64], n: usize) {
    for row in rows.chunks_exact_mut(n.max(1)) {
        for j in 0..n {
            let known: f64 = (0..j).map(|m| row[m] * diagonal[j * n + m]).sum();
            row[j] = (row[j] - known) / diagonal[j * n + j];
        }
    }
}

/// `target -= left right^T`, all of them `N` by `N`.
fn subtract_product<const N: usize>(target: &mut [f64], left: &[f64], right: &[f64]) {
    let (left, right) = (left.as_chunks::<N>().0, right.as_chunks::<N>().0);
    for (target, left) in target.as_chunks_mut::<N>().0.iter_mut().zip(left) {
        for (entry, right) in target.iter_mut().zip(right) {
            let mut product = 0.0;
            for m in 0..N {
                product += left[m] * right[m];
            }
            *entry -= product;
        }
    }
}

fn subtract_any_product(target: &mut [f64], left: &[f64], right: &[f64], n: usize, width: usize) {
    for (target, left) in target.chunks_exact_mut(width.max(1)).zip(left.chunks_exact(n.max(1))) {
        for (entry, right) in target.iter_mut().zip(right.chunks_exact(n.max(1))) {
            *entry -= left.iter().zip(right).map(|(a, b)| a * b).sum::<f64>();
        }
    }
}

fn cholesky(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            let rest = a[i * n + j] - (0..j).map(|m| a[i * n + m] * a[j * n + m]).sum::<f64>();
            a[i * n + j] = if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / a[j * n + j] };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(count: u32) -> Vec<Block> {
        (0..count).map(|i| Block::new(i, [i, i + 1], 0, false)).collect()
    }

    /// A chain and a binary tree have no fill: as many blocks below the diagonal as there are shared bodies.
    #[test]
    fn trees_do_not_fill_in() {
        let blocks = chain(50);
        let members: Vec<u32> = (0..50).collect();
        let pattern = Pattern::new(&blocks, &members, &[3; 50], |body| body > 0);
        let below: usize = pattern.columns.iter().map(Vec::len).sum();
        assert_eq!(below, 49);
        assert_eq!(pattern.layout.rows, 150);
    }

    #[test]
    fn a_ring_fills_in_once_per_joint() {
        let mut blocks = chain(20);
        blocks.push(Block::new(20, [20, 0], 0, false));
        let members: Vec<u32> = (0..21).collect();
        let pattern = Pattern::new(&blocks, &members, &[5; 21], |_| true);
        let below: usize = pattern.columns.iter().map(Vec::len).sum();
        // 21 shared bodies, and one new edge for every joint taken out until three are left.
        assert_eq!(below, 21 + 18);
    }

    /// A thousand and more joints on one body are all neighbours of each other: full below the diagonal, in the order in which they
    /// came, and found without looking at every triple of them.
    #[test]
    fn joints_that_share_one_body_are_ordered_at_once() {
        const COUNT: usize = 2000;
        let blocks: Vec<Block> = (0..COUNT as u32).map(|i| Block::new(i, [0, i + 1], 0, false)).collect();
        let members: Vec<u32> = (0..COUNT as u32).collect();
        let begin = std::time::Instant::now();
        let pattern = Pattern::new(&blocks, &members, &[5; COUNT], |_| true);
        assert_eq!(pattern.layout.order, members);
        assert!(pattern.columns.iter().enumerate().all(|(at, column)| column.len() == COUNT - 1 - at));
        // Triples took minutes; pairs take about a second.
        assert!(begin.elapsed().as_secs() < 15, "{:?}", begin.elapsed());
    }
}
