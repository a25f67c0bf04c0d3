//! The direct solver: all rows of all joints as one system of linear equations (Bender 2007, there "LGS").
//!
//! `M x = -r` with blocks `M_ij = J_i W J_j^T`, which are zero unless joints i and j share a movable body. `M` is
//! factored as `L L^T` block by block. The order of elimination takes the joint with the fewest neighbours first; for
//! trees nothing fills in, so the work is linear. Order and places of blocks ([`Pattern`]) stand while the joints stand; only
//! numbers are computed anew, once per phase, and again when a bounded row changes between free and held.
//!
//! Redundant rows (a loop of hinges) make `M` singular. A regularisation of [`REGULARISATION`] keeps the factor
//! finite; the residual is computed from the velocities themselves, so that repeated solves remove what it left.

use std::collections::BTreeSet;

use prall_math::Twist;

use crate::joint::block::Block;

/// Relative to the diagonal: large against rounding times condition, small against one.
const REGULARISATION: f64 = 1e-7;
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
    /// How often the matrix was factored since it was made.
    pub(crate) factorisations: usize,
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
        pattern
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
            pattern,
            factorisations: 0,
        }
    }

    /// Forgets which rows were free: the next solve factors anew.
    pub(crate) fn begin(&mut self) {
        self.free.fill(false);
    }

    /// Solves all rows at once, bounded ones included; returns the largest error before, in m/s or rad/s.
    pub(crate) fn solve(&mut self, blocks: &mut [Block], velocities: &mut [Twist]) -> f64 {
        let mut first = 0.0;
        for round in 0..MOST_ROUNDS {
            let (largest, changed) = self.measure(blocks, velocities);
            if round == 0 {
                first = largest;
            } else if !changed {
                break;
            }
            if changed {
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
        let Direct { pattern, values, free, .. } = self;
        for column in 0..pattern.order.len() {
            let block = &blocks[pattern.order[column] as usize];
            let (n, place, offset) =
                (pattern.sizes[column], pattern.diagonals[column], pattern.offsets[column]);
            for i in 0..n {
                for j in 0..n {
                    values[place + i * n + j] = match (free[offset + i] && free[offset + j], i == j) {
                        (true, false) => block.response_of(i, j),
                        (true, true) => block.own_response(i) * (1.0 + REGULARISATION),
                        (false, true) => 1.0,
                        (false, false) => 0.0,
                    };
                }
            }
            for &(row, place) in &pattern.columns[column] {
                let other = &blocks[pattern.order[row as usize] as usize];
                let (height, above) = (pattern.sizes[row as usize], pattern.offsets[row as usize]);
                for i in (0..height).filter(|&i| free[above + i]) {
                    for j in (0..n).filter(|&j| free[offset + j]) {
                        values[place + i * n + j] = other.response_to(i, block, j);
                    }
                }
            }
        }
    }

    /// `L L^T`, column by column; blocks are stored by rows.
    fn factor(&mut self) {
        self.factorisations += 1;
        let Direct { pattern, values, .. } = self;
        for column in 0..pattern.order.len() {
            let n = pattern.sizes[column];
            let diagonal = pattern.diagonals[column];
            cholesky(&mut values[diagonal..diagonal + n * n], n);
            let entries = &pattern.columns[column];
            for &(row, place) in entries {
                for i in 0..pattern.sizes[row as usize] {
                    // x L^T = a, from left to right.
                    for j in 0..n {
                        let mut sum = values[place + i * n + j];
                        for m in 0..j {
                            sum -= values[place + i * n + m] * values[diagonal + j * n + m];
                        }
                        values[place + i * n + j] = sum / values[diagonal + j * n + j];
                    }
                }
            }
            for (at, &(row, place)) in entries.iter().enumerate() {
                for &(other, source) in &entries[..=at] {
                    let target = pattern.place(row as usize, other as usize);
                    let (height, width) = (pattern.sizes[row as usize], pattern.sizes[other as usize]);
                    for i in 0..height {
                        for j in 0..width {
                            let product: f64 =
                                (0..n).map(|m| values[place + i * n + m] * values[source + j * n + m]).sum();
                            values[target + i * width + j] -= product;
                        }
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
