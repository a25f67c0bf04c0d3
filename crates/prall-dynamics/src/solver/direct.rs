//! The direct solver: all rows of all joints as one system of linear equations (Bender 2007, there "LGS").
//!
//! `M x = -r` with blocks `M_ij = J_i W J_j^T`, which are zero unless joints i and j share a movable body. `M` is
//! factored as `L L^T`: trees and groups with few loops block by block ([`Columns`]), nets by dense fronts ([`Fronts`]). The structure
//! stands while the joints stand; only numbers are computed anew, once per phase, and again when a bounded row changes between free and held.
//!
//! In nets a factorisation takes many times the work of a substitution, and from step to step the matrix of a net that hangs hardly changes.
//! With the factor `L' L'^T` of an earlier one, a solve leaves `(1 - M (L' L'^T)^-1) r` of the error `r`: little, and what is left is solved
//! again, because the residual is always that of the velocities themselves. So nets keep their factor until a solve leaves too much
//! ([`STALE`]); and what looks too much because joints are not linear is not factored again if the matrix is the factor's own: the poses
//! after a step are those before the next one, so a net that swings is factored once a step.
//!
//! Redundant rows (a loop of hinges) make `M` singular. A regularisation of [`REGULARISATION`] keeps the factor
//! finite; the residual is computed from the velocities themselves, so that repeated solves remove what it left.
//!
//! A linkage that passes a singular pose (a four-bar that lies flat) has a direction which its rows hardly move, and whose sign
//! changes within the step: there the matrix of the step's start leads away from the aim. A look-ahead that was no better than
//! the best one is therefore taken back, and the regularisation raised ([`DAMPINGS`], Levenberg and Marquardt): weak directions
//! are then left alone, strong ones still converge. What is left closes once the pose is passed.

use prall_math::Twist;
use serde::{Deserialize, Serialize};

use super::columns::{Columns, Pattern};
use super::fronts::{Fronts, Plan};
use super::gathered::Gathered;
use super::layout::Layout;
use crate::joint::block::Block;

/// Relative to the diagonal: large against rounding times condition, small against one.
const REGULARISATION: f64 = 1e-7;
/// Regularisations after one, two, .. look-aheads that were no better than the best one.
const DAMPINGS: [f64; 3] = [1e-4, 1e-2, 0.2];
/// Nets: a factorisation takes so many times the multiplications of a substitution. Below, all is so cheap that a factor is made whenever
/// the rows have changed.
const NET_FROM: f64 = 20.0;
/// The same where only fronts are looked at: they have some zeros more, and multiply them faster.
const LARGE_NET_FROM: f64 = 10.0;
/// Joints of a group with loops in which the sparsest order is looked for to tell nets from linkages; in larger ones that takes too long.
const MOST_TRIED: usize = 3_000;
/// A kept factor is made anew when a solve leaves more than this part of the error. Ten solves of a tenth each would cost more than that.
const STALE: f64 = 0.2;
/// Rounds in which bounded rows may change between free and held.
const MOST_ROUNDS: usize = 12;

/// What a group's matrix looks like.
pub(crate) struct Structure {
    form: Form,
    /// Multiplications of a factorisation, and numbers of the factor.
    pub(crate) work: f64,
    pub(crate) numbers: usize,
}

enum Form {
    Sparse(Pattern),
    Net(Plan),
}

impl Structure {
    /// For the joints of a component, given as indices of blocks, with the largest number of rows of each.
    pub(crate) fn new(
        blocks: &[Block],
        members: &[u32],
        sizes: &[usize],
        movable: impl Fn(u32) -> bool + Copy,
        acyclic: bool,
    ) -> Structure {
        let is_net = |work: f64, numbers: usize, from: f64| work >= from * 2.0 * numbers as f64;
        let sparse = |pattern: Pattern| Structure {
            work: pattern.work,
            numbers: pattern.numbers,
            form: Form::Sparse(pattern),
        };
        let small = acyclic || members.len() <= MOST_TRIED;
        if small {
            let pattern = Pattern::new(blocks, members, sizes, movable);
            if acyclic || !is_net(pattern.work, pattern.numbers, NET_FROM) {
                return sparse(pattern);
            }
        }
        let plan = Plan::new(blocks, members, sizes, movable);
        if !small && !is_net(plan.work, plan.numbers, LARGE_NET_FROM) {
            return sparse(Pattern::new(blocks, members, sizes, movable));
        }
        Structure { work: plan.work, numbers: plan.numbers, form: Form::Net(plan) }
    }
}

#[derive(Clone, Debug)]
enum Matrix {
    Sparse(Columns),
    Net(Box<Fronts>, Gathered),
}

impl Matrix {
    fn layout(&self) -> &Layout {
        match self {
            Matrix::Sparse(columns) => columns.layout(),
            Matrix::Net(fronts, _) => fronts.layout(),
        }
    }
}

/// Numbers of a component's matrix.
#[derive(Clone, Debug)]
pub(crate) struct Direct {
    matrix: Matrix,
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

/// The matrix of a factor that is kept, and which rows were free in it. Part of the state: another one leads to other bits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Factor {
    matrix: Vec<f64>,
    free: Vec<bool>,
}

impl Direct {
    pub(crate) fn new(structure: Structure) -> Direct {
        let matrix = match structure.form {
            Form::Sparse(pattern) => Matrix::Sparse(Columns::new(pattern)),
            Form::Net(plan) => Matrix::Net(Box::new(Fronts::new(plan)), Gathered::default()),
        };
        let rows = matrix.layout().rows;
        Direct {
            matrix,
            vector: vec![0.0; rows],
            free: vec![false; rows],
            best: vec![0.0; rows],
            raised: 0,
            outdated: true,
            fresh: false,
            last: f64::INFINITY,
            factorisations: 0,
        }
    }

    /// Brings the blocks of a net, whose places are `members` in rising order, into the order in which they are solved.
    pub(crate) fn arrange(&mut self, blocks: &mut [Block], members: &[u32]) {
        if let Matrix::Net(fronts, _) = &mut self.matrix {
            fronts.arrange(blocks, members);
        }
    }

    /// Begins a phase: the next solve factors anew, unless the group keeps its factor.
    pub(crate) fn begin(&mut self, blocks: &[Block]) {
        self.outdated |= self.raised > 0;
        match &mut self.matrix {
            Matrix::Sparse(_) => self.outdated = true,
            Matrix::Net(fronts, rows) => rows.gather(fronts.layout(), blocks),
        }
        (self.raised, self.fresh, self.last) = (0, false, f64::INFINITY);
    }

    /// What is saved of a factor that is kept.
    pub(crate) fn save(&self) -> Option<Factor> {
        match &self.matrix {
            Matrix::Net(fronts, _) if !self.outdated && self.raised == 0 => {
                Some(Factor { matrix: fronts.save().to_vec(), free: self.free.clone() })
            }
            _ => None,
        }
    }

    /// Takes over a saved factor; false if it is of another matrix.
    pub(crate) fn restore(&mut self, saved: &Factor) -> bool {
        let Matrix::Net(fronts, _) = &mut self.matrix else { return false };
        let fits = saved.free.len() == self.free.len() && fronts.restore(&saved.matrix);
        if fits {
            self.free.clone_from(&saved.free);
            self.outdated = false;
        }
        fits
    }

    /// Keeps the impulses of the best look-ahead so far.
    pub(crate) fn keep(&mut self, blocks: &[Block]) {
        let Layout { order, sizes, offsets, .. } = self.matrix.layout();
        for ((&member, &size), &offset) in order.iter().zip(sizes).zip(offsets) {
            let best = &mut self.best[offset..offset + size];
            best.iter_mut().zip(blocks[member as usize].all_impulses()).for_each(|(best, now)| *best = now);
        }
    }

    /// Goes back to the best impulses, and raises the damping; false if it cannot be raised further.
    pub(crate) fn take_back(&mut self, blocks: &mut [Block]) -> bool {
        let Layout { order, sizes, offsets, .. } = self.matrix.layout();
        for ((&member, &size), &offset) in order.iter().zip(sizes).zip(offsets) {
            blocks[member as usize].set_impulses(&self.best[offset..offset + size]);
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
                self.factor(blocks);
            }
            match &mut self.matrix {
                Matrix::Sparse(columns) => columns.substitute(&mut self.vector),
                Matrix::Net(fronts, _) => fronts.substitute(&mut self.vector),
            }
            if !self.apply(blocks, velocities) {
                break;
            }
        }
        first
    }

    /// Residuals into the vector; which rows are free now.
    fn measure(&mut self, blocks: &[Block], velocities: &[Twist]) -> (f64, bool) {
        let (mut largest, mut changed) = (0.0_f64, false);
        let Direct { matrix, vector, free, .. } = self;
        let mut note = |row: usize, (error, is_free): (f64, bool)| {
            vector[row] = if is_free { error } else { 0.0 };
            largest = largest.max(vector[row].abs());
            changed |= free[row] != is_free;
            free[row] = is_free;
        };
        let Layout { order, sizes, offsets, .. } = matrix.layout();
        for (position, ((&member, &size), &offset)) in order.iter().zip(sizes).zip(offsets).enumerate() {
            let block = &blocks[member as usize];
            match &*matrix {
                Matrix::Sparse(_) => {
                    let v = block.velocities(velocities);
                    (0..size).for_each(|i| note(offset + i, block.error(i, &v)));
                }
                Matrix::Net(_, rows) => {
                    let (v, equalities) = (rows.velocities(position, velocities), rows.equalities(position));
                    (0..equalities)
                        .for_each(|i| note(offset + i, (rows.rate(offset + i, &v) + block.bias[i], true)));
                    (equalities..size).for_each(|i| note(offset + i, block.error(i, &v)));
                }
            }
        }
        (largest, changed)
    }

    /// Factors the matrix as it is now, if it is another one than before.
    fn factor(&mut self, blocks: &[Block]) {
        let diagonal = 1.0 + self.regularisation();
        match &mut self.matrix {
            Matrix::Sparse(columns) => {
                columns.assemble(blocks, &self.free, diagonal);
                columns.factor();
            }
            Matrix::Net(fronts, rows) => {
                fronts.assemble(rows, blocks, &self.free, diagonal);
                if fronts.is_current() {
                    return;
                }
                fronts.factor();
            }
        }
        self.factorisations += 1;
    }

    /// Applies the impulses; true if a bound has stopped one.
    fn apply(&mut self, blocks: &mut [Block], velocities: &mut [Twist]) -> bool {
        let mut stopped = false;
        let Layout { order, sizes, offsets, .. } = self.matrix.layout();
        for (position, ((&member, &size), &offset)) in order.iter().zip(sizes).zip(offsets).enumerate() {
            let block = &mut blocks[member as usize];
            let equalities = match &self.matrix {
                Matrix::Sparse(_) => 0,
                Matrix::Net(_, rows) => rows.equalities(position),
            };
            let mut v = block.velocities(velocities);
            if let Matrix::Net(_, rows) = &self.matrix {
                for i in 0..equalities {
                    let change = -self.vector[offset + i];
                    block.impulses[i] += change;
                    rows.push(position, offset + i, &mut v, change);
                }
            }
            for i in (equalities..size).filter(|&i| self.free[offset + i]) {
                stopped |= block.change(&mut v, i, -self.vector[offset + i]);
            }
            velocities[block.bodies[0] as usize] = v[0];
            velocities[block.bodies[1] as usize] = v[1];
        }
        stopped
    }
}
