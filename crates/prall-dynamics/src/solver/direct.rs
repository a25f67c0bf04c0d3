//! The direct solver: all rows of all joints as one system of linear equations (Bender 2007, there "LGS").
//!
//! `M x = -r` with blocks `M_ij = J_i W J_j^T`, which are zero unless joints i and j share a movable body. `M` is
//! factored as `L L^T` block by block. The order of elimination takes the joint with the fewest neighbours first; for
//! trees nothing fills in, so the work is linear. Order and places of blocks ([`Pattern`]) stand while the joints stand; only
//! numbers are computed anew, once per phase, and again when a bounded row changes between free and held.
//!
//! In nets a factorisation takes many times the work of a substitution, and from step to step the matrix hardly changes. With the factor
//! `L' L'^T` of an earlier one, a solve leaves `(1 - M (L' L'^T)^-1) r` of the error `r`: little, and what is left is solved again, because
//! the residual is always that of the velocities themselves. So large groups keep their factor until a solve leaves too much ([`STALE`]).
//!
//! Redundant rows (a loop of hinges) make `M` singular. A regularisation of [`REGULARISATION`] keeps the factor
//! finite; the residual is computed from the velocities themselves, so that repeated solves remove what it left.
//!
//! A linkage that passes a singular pose (a four-bar that lies flat) has a direction which its rows hardly move, and whose sign
//! changes within the step: there the matrix of the step's start leads away from the aim. A look-ahead that was no better than
//! the best one is therefore taken back, and the regularisation raised ([`DAMPINGS`], Levenberg and Marquardt): weak directions
//! are then left alone, strong ones still converge. What is left closes once the pose is passed.

use std::collections::BTreeSet;

use prall_math::Twist;
use serde::{Deserialize, Serialize};

use crate::joint::block::Block;

/// Relative to the diagonal: large against rounding times condition, small against one.
const REGULARISATION: f64 = 1e-7;
/// Regularisations after one, two, .. look-aheads that were no better than the best one.
const DAMPINGS: [f64; 3] = [1e-4, 1e-2, 0.2];
/// Groups keep their factor if a factorisation takes so many times the multiplications of a substitution. Below, all is so cheap that the
/// exact answer is worth it.
const KEPT_FROM: f64 = 20.0;
/// A kept factor is made anew when a solve leaves more than this part of the error. Ten solves of a tenth each would cost more than that.
const STALE: f64 = 0.2;
/// Rounds in which bounded rows may change between free and held.
const MOST_ROUNDS: usize = 12;

/// What a component's matrix looks like.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    /// Blocks of the system, in the order of elimination.
    order: Vec<u32>,
    /// Rows of each, at most; unused rows are held.
    sizes: Vec<usize>,
    /// For each column: its later neighbours (positions in `order`) with the place of their numbers.
    columns: Vec<Vec<(u32, usize)>>,
    diagonals: Vec<usize>,
    /// Where a column's products go, pair by pair of its later neighbours, column after column.
    targets: Vec<u32>,
    numbers: usize,
    /// Place of each position's part in vectors.
    offsets: Vec<usize>,
    rows: usize,
    /// Multiplications of a factorisation.
    pub(crate) work: f64,
}

/// Numbers of a component's matrix.
#[derive(Clone, Debug, Default)]
pub(crate) struct Direct {
    pattern: Pattern,
    values: Vec<f64>,
    vector: Vec<f64>,
    free: Vec<bool>,
    /// How many of the [`DAMPINGS`] have been tried in this phase.
    raised: usize,
    /// True if the factor is not to be used: it belongs to another damping, or leaves too much.
    outdated: bool,
    /// True if the factor is of this phase.
    fresh: bool,
    /// Largest error that the last solve of this phase found, in m/s or rad/s; infinite before the first.
    last: f64,
    /// Impulses of the best look-ahead.
    best: Vec<f64>,
    /// How often the matrix was factored since it was made.
    pub(crate) factorisations: usize,
}

/// A factor that is kept, and which rows were free in it. Part of the state: another one leads to other bits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Factor {
    values: Vec<f64>,
    free: Vec<bool>,
}

impl Pattern {
    /// For the joints of a component, given as indices of blocks, with the largest number of rows of each.
    pub(crate) fn new(
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
        let mut pattern =
            Pattern { order: order.iter().map(|&n| members[n as usize]).collect(), ..Pattern::default() };
        pattern.sizes = order.iter().map(|&n| sizes[n as usize]).collect();
        for (at, &node) in order.iter().enumerate() {
            let mut later: Vec<u32> = neighbours[node as usize]
                .iter()
                .map(|&n| position[n as usize])
                .filter(|&p| p > at as u32)
                .collect();
            later.sort_unstable();
            let own = pattern.sizes[at];
            pattern.diagonals.push(pattern.numbers);
            pattern.numbers += own * own;
            pattern.offsets.push(pattern.rows);
            pattern.rows += own;
            let mut column = Vec::with_capacity(later.len());
            let mut height = 0;
            for row in later {
                column.push((row, pattern.numbers));
                pattern.numbers += pattern.sizes[row as usize] * own;
                height += pattern.sizes[row as usize];
            }
            pattern.work += (own * (own + height) * (own + height)) as f64;
            pattern.columns.push(column);
        }
        pattern.find_targets();
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
    while let Some((_, node)) = queue.pop_first() {
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

impl Direct {
    pub(crate) fn new(pattern: Pattern) -> Direct {
        Direct {
            values: vec![0.0; pattern.numbers],
            vector: vec![0.0; pattern.rows],
            free: vec![false; pattern.rows],
            best: vec![0.0; pattern.rows],
            raised: 0,
            outdated: true,
            fresh: false,
            last: f64::INFINITY,
            pattern,
            factorisations: 0,
        }
    }

    /// Begins a phase: the next solve factors anew, unless the group keeps its factor.
    pub(crate) fn begin(&mut self) {
        self.outdated |= !self.keeps_factor() || self.raised > 0;
        (self.raised, self.fresh, self.last) = (0, false, f64::INFINITY);
    }

    fn keeps_factor(&self) -> bool {
        self.pattern.work >= KEPT_FROM * 2.0 * self.pattern.numbers as f64
    }

    /// What is saved of a factor that is kept.
    pub(crate) fn save(&self) -> Option<Factor> {
        let good = self.keeps_factor() && !self.outdated && self.raised == 0;
        good.then(|| Factor { values: self.values.clone(), free: self.free.clone() })
    }

    /// Takes over a saved factor; false if it is of another matrix.
    pub(crate) fn restore(&mut self, saved: &Factor) -> bool {
        let fits = saved.values.len() == self.values.len() && saved.free.len() == self.free.len();
        if fits {
            self.values.clone_from(&saved.values);
            self.free.clone_from(&saved.free);
            self.outdated = false;
        }
        fits
    }

    /// Keeps the impulses of the best look-ahead so far.
    pub(crate) fn keep(&mut self, blocks: &[Block]) {
        for (position, &member) in self.pattern.order.iter().enumerate() {
            let offset = self.pattern.offsets[position];
            let best = &mut self.best[offset..offset + self.pattern.sizes[position]];
            best.iter_mut().zip(blocks[member as usize].all_impulses()).for_each(|(best, now)| *best = now);
        }
    }

    /// Goes back to the best impulses, and raises the damping; false if it cannot be raised further.
    pub(crate) fn take_back(&mut self, blocks: &mut [Block]) -> bool {
        for (position, &member) in self.pattern.order.iter().enumerate() {
            let offset = self.pattern.offsets[position];
            blocks[member as usize].set_impulses(&self.best[offset..offset + self.pattern.sizes[position]]);
        }
        // Before it is damped, a matrix of another pose is replaced by that of this one.
        self.raised += usize::from(self.fresh);
        self.outdated = true;
        self.raised <= DAMPINGS.len()
    }

    fn regularisation(&self) -> f64 {
        if self.raised == 0 { REGULARISATION } else { DAMPINGS[self.raised.min(DAMPINGS.len()) - 1] }
    }

    /// Solves all rows at once, bounded ones included; returns the largest error before, in m/s or rad/s.
    pub(crate) fn solve(&mut self, blocks: &mut [Block], velocities: &mut [Twist]) -> f64 {
        let mut first = 0.0;
        for round in 0..MOST_ROUNDS {
            let (largest, changed) = self.measure(blocks, velocities);
            if round == 0 {
                first = largest;
                self.outdated |= !self.fresh && largest > STALE * self.last;
                self.last = largest;
            } else if !changed {
                break;
            }
            if changed || self.outdated {
                (self.outdated, self.fresh) = (false, true);
                self.assemble(blocks);
                self.factor();
            }
            self.substitute();
            if !self.apply(blocks, velocities) {
                break;
            }
        }
        first
    }

    /// Residuals into the vector; which rows are free now.
    fn measure(&mut self, blocks: &[Block], velocities: &[Twist]) -> (f64, bool) {
        let (mut largest, mut changed) = (0.0_f64, false);
        for (position, &member) in self.pattern.order.iter().enumerate() {
            let block = &blocks[member as usize];
            let v = block.velocities(velocities);
            let offset = self.pattern.offsets[position];
            for i in 0..self.pattern.sizes[position] {
                let (error, free) = block.error(i, &v);
                self.vector[offset + i] = if free { error } else { 0.0 };
                largest = largest.max(self.vector[offset + i].abs());
                changed |= self.free[offset + i] != free;
                self.free[offset + i] = free;
            }
        }
        (largest, changed)
    }

    fn assemble(&mut self, blocks: &[Block]) {
        self.values.fill(0.0);
        let diagonal = 1.0 + self.regularisation();
        let Direct { pattern, values, free, .. } = self;
        for column in 0..pattern.order.len() {
            let block = &blocks[pattern.order[column] as usize];
            let (n, place, offset) =
                (pattern.sizes[column], pattern.diagonals[column], pattern.offsets[column]);
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
                let other = &blocks[pattern.order[row as usize] as usize];
                let shared = other.shared_bodies(block);
                let (height, above) = (pattern.sizes[row as usize], pattern.offsets[row as usize]);
                for i in (0..height).filter(|&i| free[above + i]) {
                    for j in (0..n).filter(|&j| free[offset + j]) {
                        values[place + i * n + j] = other.response_to(i, block, j, &shared);
                    }
                }
            }
        }
    }

    /// `L L^T`, column by column; blocks are stored by rows, columns one after another.
    fn factor(&mut self) {
        self.factorisations += 1;
        let Direct { pattern, values, .. } = self;
        let mut targets = pattern.targets.iter();
        for column in 0..pattern.order.len() {
            let n = pattern.sizes[column];
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
                let height = pattern.sizes[row as usize];
                let left = block(place, height);
                for (&(other, source), &target) in entries[..=at].iter().zip(&mut targets) {
                    let width = pattern.sizes[other as usize];
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

    /// Replaces the residuals by the impulses that remove them.
    fn substitute(&mut self) {
        let Direct { pattern, values, vector, .. } = self;
        for column in 0..pattern.order.len() {
            let (n, diagonal, offset) =
                (pattern.sizes[column], pattern.diagonals[column], pattern.offsets[column]);
            for i in 0..n {
                let mut sum = vector[offset + i];
                (0..i).for_each(|m| sum -= values[diagonal + i * n + m] * vector[offset + m]);
                vector[offset + i] = sum / values[diagonal + i * n + i];
            }
            for &(row, place) in &pattern.columns[column] {
                let above = pattern.offsets[row as usize];
                for i in 0..pattern.sizes[row as usize] {
                    let product: f64 = (0..n).map(|m| values[place + i * n + m] * vector[offset + m]).sum();
                    vector[above + i] -= product;
                }
            }
        }
        for column in (0..pattern.order.len()).rev() {
            let (n, diagonal, offset) =
                (pattern.sizes[column], pattern.diagonals[column], pattern.offsets[column]);
            for &(row, place) in &pattern.columns[column] {
                let above = pattern.offsets[row as usize];
                for i in 0..pattern.sizes[row as usize] {
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

    /// Applies the impulses; true if a bound has stopped one.
    fn apply(&mut self, blocks: &mut [Block], velocities: &mut [Twist]) -> bool {
        let mut stopped = false;
        for (position, &member) in self.pattern.order.iter().enumerate() {
            let block = &mut blocks[member as usize];
            let mut v = block.velocities(velocities);
            let offset = self.pattern.offsets[position];
            for i in (0..self.pattern.sizes[position]).filter(|&i| self.free[offset + i]) {
                stopped |= block.change(&mut v, i, -self.vector[offset + i]);
            }
            velocities[block.bodies[0] as usize] = v[0];
            velocities[block.bodies[1] as usize] = v[1];
        }
        stopped
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
        assert_eq!(pattern.rows, 150);
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
}
