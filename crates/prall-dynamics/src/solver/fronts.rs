//! Cholesky's factor of a net's matrix by fronts (Duff and Reid 1983).
//!
//! Each [`Part`] of the dissection is a dense matrix, its front: rows of its own joints, then those of its boundary. It takes the matrix's
//! entries of its own columns and what its children have left, eliminates its own rows, and leaves the rest of itself, `-B B^T` added,
//! to the part that comes after it. All work is in dense kernels; the list of parts decides the order of every sum.
//!
//! The matrix itself is kept as a list of numbers beside the factor: from it the factor can be made again with the same bits, and a
//! matrix that has not changed need not be factored again.

use std::collections::BTreeMap;
use std::ops::Range;

use super::dense::{self, LANES};
use super::dissection::{Part, dissect};
use super::gathered::Gathered;
use super::layout::Layout;
use crate::joint::block::Block;

/// Where a part's numbers are.
#[derive(Clone, Debug)]
struct Front {
    /// Its own rows in vectors, and how many there are on its boundary.
    own: Range<usize>,
    height: usize,
    /// Where its columns begin.
    panel: usize,
    /// Its boundary in the list of rows.
    rows: Range<usize>,
    children: Range<usize>,
    /// How its boundary lies in the front that takes over what it leaves.
    runs: Range<usize>,
    /// Entries of the matrix in its columns.
    entries: Range<usize>,
}

impl Front {
    fn width(&self) -> usize {
        padded(self.own.len())
    }

    fn stride(&self) -> usize {
        self.width() + padded(self.height)
    }

    fn numbers(&self) -> usize {
        self.width() * self.stride()
    }

    /// Numbers that it leaves behind.
    fn left(&self) -> usize {
        padded(self.height) * padded(self.height)
    }

    /// Multiplications, counted as for blocks: both halves of the matrix.
    fn work(&self) -> f64 {
        (0..self.own.len()).map(|column| (self.own.len() + self.height - column) as f64).map(|n| n * n).sum()
    }
}

/// Rows that lie one after another in both fronts.
#[derive(Clone, Copy, Debug)]
struct Run {
    from: u32,
    to: u32,
    length: u32,
}

/// The structure: fronts in the order of elimination.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    layout: Layout,
    /// Pairs of joints that share a movable body, or are the same, by positions: column and row, in the order of columns.
    pairs: Vec<[u32; 2]>,
    /// Where the numbers of these pairs go.
    places: Vec<u32>,
    fronts: Vec<Front>,
    children: Vec<u32>,
    rows: Vec<u32>,
    runs: Vec<Run>,
    pub(super) numbers: usize,
    stack: usize,
    most_rows: usize,
    /// Multiplications of a factorisation.
    pub(super) work: f64,
}

/// A factor with the matrix that it is of.
#[derive(Clone, Debug, Default)]
pub(super) struct Fronts {
    pub(super) plan: Plan,
    values: Vec<f64>,
    stack: Vec<f64>,
    vector: Vec<f64>,
    /// Entries of the matrix to be factored, and of the one that was.
    matrix: Vec<f64>,
    factored: Vec<f64>,
}

fn padded(rows: usize) -> usize {
    rows.next_multiple_of(LANES)
}

impl Plan {
    /// For the joints of a group, given as indices of blocks, with the largest number of rows of each.
    pub(super) fn new(
        blocks: &[Block],
        members: &[u32],
        sizes: &[usize],
        movable: impl Fn(u32) -> bool + Copy,
    ) -> Plan {
        let edges: Vec<[u32; 2]> = members.iter().map(|&at| blocks[at as usize].bodies).collect();
        let parts = dissect(&edges, movable);
        let order: Vec<u32> = parts.iter().flat_map(|part| part.own.iter().copied()).collect();
        let mut plan = Plan { layout: Layout::new(&order, members, sizes), ..Plan::default() };
        let mut position = vec![0_u32; members.len()];
        order.iter().zip(0..).for_each(|(&node, at)| position[node as usize] = at);
        let mut part_of = Vec::with_capacity(members.len());
        for part in &parts {
            part_of.extend(std::iter::repeat_n(plan.fronts.len() as u32, part.own.len()));
            plan.add_front(part, &position);
        }
        plan.link(&parts);
        plan.pairs = pairs(&edges, &position, movable);
        plan.place_pairs(&part_of);
        plan
    }

    fn add_front(&mut self, part: &Part, position: &[u32]) {
        let layout = &self.layout;
        let start = self.fronts.last().map_or(0, |front| front.own.end);
        let width: usize = part.own.iter().map(|&node| layout.sizes[position[node as usize] as usize]).sum();
        let first = self.rows.len();
        for &node in &part.boundary {
            let at = position[node as usize] as usize;
            let offset = layout.offsets[at] as u32;
            self.rows.extend(offset..offset + layout.sizes[at] as u32);
        }
        let children = self.children.len();
        self.children.extend(&part.children);
        let front = Front {
            own: start..start + width,
            height: self.rows.len() - first,
            panel: self.numbers,
            rows: first..self.rows.len(),
            children: children..self.children.len(),
            runs: 0..0,
            entries: 0..0,
        };
        self.numbers += front.numbers();
        self.work += front.work();
        self.most_rows = self.most_rows.max(front.stride());
        self.fronts.push(front);
    }

    /// Where what is left behind goes, and how much of it is there at a time.
    fn link(&mut self, parts: &[Part]) {
        let mut used = 0;
        for (at, part) in parts.iter().enumerate() {
            self.stack = self.stack.max(used + self.fronts[at].left());
            for &child in &part.children {
                let runs = self.runs.len();
                let (child, parent) = (child as usize, &self.fronts[at]);
                for (from, &row) in (0..).zip(&self.rows[self.fronts[child].rows.clone()]) {
                    let to = parent.place(row, &self.rows) as u32;
                    match self.runs[runs..].last_mut() {
                        Some(run) if run.to + run.length == to => run.length += 1,
                        _ => self.runs.push(Run { from, to, length: 1 }),
                    }
                }
                used -= self.fronts[child].left();
                self.fronts[child].runs = runs..self.runs.len();
            }
            used += self.fronts[at].left();
        }
    }

    fn place_pairs(&mut self, part_of: &[u32]) {
        let mut current = 0;
        for &[column, row] in &self.pairs {
            while current < part_of[column as usize] as usize {
                self.fronts[current].entries.end = self.places.len();
                current += 1;
                self.fronts[current].entries.start = self.places.len();
            }
            let front = &self.fronts[current];
            let [left, above] = [column, row].map(|at| self.layout.offsets[at as usize]);
            let corner = front.panel
                + (left - front.own.start) * front.stride()
                + front.place(above as u32, &self.rows);
            for (i, j) in self.layout.entries(column, row) {
                self.places.push((corner + j * front.stride() + i) as u32);
            }
        }
        if let Some(front) = self.fronts.last_mut() {
            front.entries.end = self.places.len();
        }
    }
}

/// Pairs of joints that share a movable body, by positions, the earlier one first.
fn pairs(edges: &[[u32; 2]], position: &[u32], movable: impl Fn(u32) -> bool) -> Vec<[u32; 2]> {
    let mut of_body: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (edge, &at) in edges.iter().zip(position) {
        for &body in edge.iter().filter(|body| movable(**body)) {
            of_body.entry(body).or_default().push(at);
        }
    }
    let mut pairs = Vec::new();
    for joints in of_body.values() {
        for &a in joints {
            pairs.extend(joints.iter().filter(|&&b| a <= b).map(|&b| [a, b]));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

impl Front {
    /// Where a row of vectors is in the front; its own rows come first.
    fn place(&self, row: u32, rows: &[u32]) -> usize {
        if self.own.contains(&(row as usize)) {
            row as usize - self.own.start
        } else {
            self.width() + rows[self.rows.clone()].partition_point(|&other| other < row)
        }
    }
}

impl Fronts {
    pub(super) fn new(plan: Plan) -> Fronts {
        Fronts {
            values: vec![0.0; plan.numbers],
            stack: vec![0.0; plan.stack],
            vector: vec![0.0; plan.most_rows],
            matrix: vec![0.0; plan.places.len()],
            factored: vec![f64::NAN; plan.places.len()],
            plan,
        }
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.plan.layout
    }

    /// Brings the joints' blocks into the order of elimination.
    pub(super) fn arrange(&mut self, blocks: &mut [Block], members: &[u32]) {
        self.plan.layout.arrange(blocks, members);
    }

    /// Takes the matrix of the rows that are free; a held row has nothing but a one on the diagonal.
    pub(super) fn assemble(&mut self, rows: &Gathered, blocks: &[Block], free: &[bool], diagonal: f64) {
        let layout = &self.plan.layout;
        let mut matrix = self.matrix.iter_mut();
        for &[column, row] in &self.plan.pairs {
            let (above, left) = (layout.offsets[row as usize], layout.offsets[column as usize]);
            let equalities = [row, column].map(|at| rows.equalities(at as usize));
            let shared = rows.shared(row as usize, column as usize);
            for ((i, j), entry) in layout.entries(column, row).zip(&mut matrix) {
                *entry = match (free[above + i] && free[left + j], above + i == left + j) {
                    (false, same) => f64::from(same),
                    (true, same) if i < equalities[0] && j < equalities[1] => {
                        let response = rows.response([above + i, left + j], &shared);
                        if same { response * diagonal } else { response }
                    }
                    (true, true) => layout.block(blocks, row).own_response(i) * diagonal,
                    (true, false) if row == column => layout.block(blocks, row).response_of(i, j),
                    (true, false) => {
                        let (one, two) = (layout.block(blocks, row), layout.block(blocks, column));
                        one.response_to(i, two, j, &shared)
                    }
                };
            }
        }
    }

    /// True if the factor is of the matrix that was assembled last.
    pub(super) fn is_current(&self) -> bool {
        self.matrix == self.factored
    }

    pub(super) fn factor(&mut self) {
        self.factored.copy_from_slice(&self.matrix);
        let mut top = 0;
        for at in 0..self.plan.fronts.len() {
            top = self.eliminate(at, top);
        }
    }

    /// Eliminates a front whose children's remainders end at `top` of the stack; returns where its own one ends.
    fn eliminate(&mut self, at: usize, top: usize) -> usize {
        let Plan { fronts, children, runs, places, .. } = &self.plan;
        let front = &fronts[at];
        let (stride, width, height) = (front.stride(), front.width(), padded(front.height));
        let entries = front.entries.clone();
        self.values[front.panel..front.panel + front.numbers()].fill(0.0);
        for (&place, entry) in places[entries.clone()].iter().zip(&self.factored[entries]) {
            self.values[place as usize] = *entry;
        }
        let panel = &mut self.values[front.panel..front.panel + front.numbers()];
        (front.own.len()..width).for_each(|pad| panel[pad * stride + pad] = 1.0);
        let (below, rest) = self.stack.split_at_mut(top);
        let rest = &mut rest[..front.left()];
        rest.fill(0.0);
        let mut start = top;
        for &child in children[front.children.clone()].iter().rev() {
            let child = &fronts[child as usize];
            start -= child.left();
            let (runs, stride_below) = (&runs[child.runs.clone()], padded(child.height));
            for (k, run) in runs.iter().enumerate() {
                for j in 0..run.length as usize {
                    let source = &below[start + (run.from as usize + j) * stride_below..];
                    let column = run.to as usize + j;
                    let (target, shift) = if column < width {
                        (&mut panel[column * stride..(column + 1) * stride], 0)
                    } else {
                        (&mut rest[(column - width) * height..(column - width + 1) * height], width)
                    };
                    for (skip, run) in
                        std::iter::once((j, run)).chain(runs[k + 1..].iter().map(|run| (0, run)))
                    {
                        let (from, to) = (run.from as usize + skip, run.to as usize + skip - shift);
                        let length = run.length as usize - skip;
                        let target = target[to..to + length].iter_mut();
                        target.zip(&source[from..from + length]).for_each(|(to, from)| *to += from);
                    }
                }
            }
        }
        dense::factor(panel, stride, width);
        dense::subtract_products(rest, height, 0, panel, stride, width, (height, height));
        self.stack.copy_within(top..top + front.left(), start);
        start + front.left()
    }

    /// Replaces a right side by the solution.
    pub(super) fn substitute(&mut self, vector: &mut [f64]) {
        let Plan { fronts, rows, .. } = &self.plan;
        let panel = |front: &Front| front.panel..front.panel + front.numbers();
        for front in fronts {
            let (stride, width) = (front.stride(), front.width());
            let own = &mut self.vector[..stride];
            own.fill(0.0);
            own[..front.own.len()].copy_from_slice(&vector[front.own.clone()]);
            dense::substitute_forward(&self.values[panel(front)], stride, width, own);
            vector[front.own.clone()].copy_from_slice(&own[..front.own.len()]);
            rows[front.rows.clone()]
                .iter()
                .zip(&own[width..])
                .for_each(|(&row, known)| vector[row as usize] += known);
        }
        for front in fronts.iter().rev() {
            let (stride, width) = (front.stride(), front.width());
            let own = &mut self.vector[..stride];
            own.fill(0.0);
            own[..front.own.len()].copy_from_slice(&vector[front.own.clone()]);
            own[width..]
                .iter_mut()
                .zip(&rows[front.rows.clone()])
                .for_each(|(own, &row)| *own = vector[row as usize]);
            dense::substitute_backward(&self.values[panel(front)], stride, width, own);
            vector[front.own.clone()].copy_from_slice(&own[..front.own.len()]);
        }
    }

    /// The matrix of the factor.
    pub(super) fn save(&self) -> &[f64] {
        &self.factored
    }

    /// Factors a saved matrix; false if it is another net's.
    pub(super) fn restore(&mut self, saved: &[f64]) -> bool {
        let fits = saved.len() == self.matrix.len();
        if fits {
            self.matrix.copy_from_slice(saved);
            self.factor();
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::super::net::net;
    use super::*;

    /// A net with joints of one to five rows.
    fn uneven_net(width: u32, height: u32) -> (Vec<Block>, Vec<usize>) {
        let edges = net(width, height);
        let blocks: Vec<Block> = (0..).zip(&edges).map(|(i, &edge)| Block::new(i, edge, 0, false)).collect();
        let sizes = (0..blocks.len()).map(|i| [3, 5, 3, 1][i % 4]).collect();
        (blocks, sizes)
    }

    /// Gaussian elimination of the full matrix, which knows nothing of fronts.
    fn dense_solution(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        for k in 0..n {
            let pivot = a[k].clone();
            for i in k + 1..n {
                let factor = a[i][k] / pivot[k];
                a[i].iter_mut().zip(&pivot).skip(k).for_each(|(entry, above)| *entry -= factor * above);
                b[i] -= factor * b[k];
            }
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|j| a[i][j] * b[j]).sum();
            b[i] = (b[i] - known) / a[i][i];
        }
        b
    }

    /// A diagonal that outweighs its row keeps the condition below ten, so both agree to some roundings.
    #[test]
    fn fronts_solve_what_elimination_of_the_full_matrix_solves() {
        for (width, height) in [(3, 3), (6, 5), (11, 4)] {
            let (blocks, sizes) = uneven_net(width, height);
            let members: Vec<u32> = (0..blocks.len() as u32).collect();
            let mut fronts = Fronts::new(Plan::new(&blocks, &members, &sizes, |body| body > 0));
            let layout = fronts.layout().clone();
            let mut full = vec![vec![0.0; layout.rows]; layout.rows];
            let mut matrix = Vec::new();
            for &[column, row] in &fronts.plan.pairs {
                for (i, j) in layout.entries(column, row) {
                    let (i, j) = (layout.offsets[row as usize] + i, layout.offsets[column as usize] + j);
                    let entry = if i == j { 40.0 } else { libm::sin((3 * i + 5 * j) as f64) };
                    (full[i][j], full[j][i]) = (entry, entry);
                    matrix.push(entry);
                }
            }
            let coupled =
                |a: &Block, b: &Block| a.bodies.iter().any(|body| *body > 0 && b.bodies.contains(body));
            let expected: usize = blocks
                .iter()
                .flat_map(|a| blocks.iter().map(move |b| (a, b)))
                .filter(|(a, b)| coupled(a, b))
                .map(|(a, b)| sizes[a.joint as usize] * sizes[b.joint as usize])
                .sum();
            assert_eq!(full.iter().flatten().filter(|entry| **entry != 0.0).count(), expected);
            assert!(fronts.restore(&matrix));
            let side: Vec<f64> = (0..layout.rows).map(|i| libm::cos(i as f64)).collect();
            let mut solution = side.clone();
            fronts.substitute(&mut solution);
            let full_solution = dense_solution(full, side);
            for (a, b) in solution.iter().zip(&full_solution) {
                assert!((a - b).abs() < 1e-15, "{a} and {b}");
            }
        }
    }

    /// A net of k by k bodies fills in as k^2 log k, and is factored in k^3.
    #[test]
    fn work_and_fill_grow_as_dissection_promises() {
        let plan = |size: u32| {
            let (blocks, _) = uneven_net(size, size);
            let members: Vec<u32> = (0..blocks.len() as u32).collect();
            Plan::new(&blocks, &members, &vec![3; blocks.len()], |body| body > 0)
        };
        let (small, large) = (plan(20), plan(40));
        assert!(large.work / small.work < 10.0, "{} and {}", small.work, large.work);
        assert!(
            (large.numbers as f64 / small.numbers as f64) < 5.6,
            "{} and {}",
            small.numbers,
            large.numbers
        );
    }
}
