//! Coupled bodies: a dense mass matrix in the place of the masses of several bodies.
//!
//! The solver treats every body by its own mass; a coupling adds `C = M - diag(own masses)` to the kinetic energy
//! `1/2 (x - goal)' (own + C) (x - goal)`, so that all that is written for single bodies stays as it is.

use glam::DVec3;
use prall_math::Twist;

use super::assembly::to_array;
use super::block_cholesky::Block;
use super::body::Mass;
use super::ordering::SymbolicFactor;
use super::{IslandCoupling, IslandDefect};

/// What the solver keeps of a coupling.
#[derive(Clone, Debug)]
pub(super) struct Coupled {
    bodies: Vec<u32>,
    /// `C`, column by column.
    added: Vec<f64>,
    /// `M^-1`, column by column.
    inverse: Vec<f64>,
}

impl Coupled {
    /// Checks a coupling; `taken` are the bodies of those before it.
    pub(super) fn new(
        number: usize,
        coupling: &IslandCoupling,
        masses: &[Mass],
        taken: &mut Vec<u32>,
    ) -> Result<Coupled, IslandDefect> {
        let defect = |reason| Err(IslandDefect::Coupling { coupling: number, reason });
        let size = 6 * coupling.bodies.len();
        if coupling.inverse.len() != size * size {
            return defect("the matrix must have six rows and six columns for each body");
        }
        for &body in &coupling.bodies {
            let Some(mass) = masses.get(body as usize) else {
                return defect("there is no body of that number");
            };
            if mass.any_locked {
                return defect("a coupled body must not have locked unknowns");
            }
            if taken.contains(&body) {
                return defect("a body must not be in two couplings");
            }
            taken.push(body);
        }
        let Some(mut added) = inverse_of(&coupling.inverse, size) else {
            return defect("the matrix must be finite and positive definite");
        };
        for (place, &body) in coupling.bodies.iter().enumerate() {
            let mass = &masses[body as usize];
            let inertia = mass.inertia.to_cols_array_2d();
            for (axis, column) in inertia.iter().enumerate() {
                let (shift, turn) = (6 * place + axis, 6 * place + 3 + axis);
                added[shift * size + shift] -= mass.mass;
                for (row, value) in column.iter().enumerate() {
                    added[turn * size + 6 * place + 3 + row] -= value;
                }
            }
        }
        Ok(Coupled { bodies: coupling.bodies.clone(), added, inverse: coupling.inverse.clone() })
    }

    pub(super) fn contains(&self, body: u32) -> bool {
        self.bodies.contains(&body)
    }

    /// Pairs of coupled bodies, which share a block of the matrix.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let later = |place: usize| self.bodies[place + 1..].iter().copied();
        self.bodies.iter().enumerate().flat_map(move |(place, &a)| later(place).map(move |b| (a, b)))
    }

    /// `C v`, body by body, for the motions `v` of all bodies.
    pub(super) fn added_momentum(&self, motion: impl Fn(u32) -> Twist) -> impl Iterator<Item = (u32, Twist)> {
        let motions = self.bodies.iter().map(|&body| motion(body)).collect::<Vec<_>>();
        let products = product(&self.added, &motions);
        self.bodies.iter().copied().zip(products).collect::<Vec<_>>().into_iter()
    }

    /// `M^-1 f`, body by body, for the loads `f` of all bodies.
    pub(super) fn response(&self, loads: &[Twist]) -> impl Iterator<Item = (u32, Twist)> {
        let own = self.bodies.iter().map(|&body| loads[body as usize]).collect::<Vec<_>>();
        let products = product(&self.inverse, &own);
        self.bodies.iter().copied().zip(products).collect::<Vec<_>>().into_iter()
    }

    /// Adds `C` to the blocks of the Newton matrix.
    pub(super) fn add_to_matrix(&self, blocks: &mut [Block], structure: &SymbolicFactor) {
        let size = 6 * self.bodies.len();
        let mut add = |entry: u32, rows: usize, columns: usize| {
            for (c, column) in blocks[entry as usize].iter_mut().enumerate() {
                let from = (6 * columns + c) * size + 6 * rows;
                for (value, added) in column.iter_mut().zip(&self.added[from..from + 6]) {
                    *value += added;
                }
            }
        };
        for (i, &a) in self.bodies.iter().enumerate() {
            add(structure.diagonal_entry(a), i, i);
            for (j, &b) in self.bodies.iter().enumerate().skip(i + 1) {
                if let Some((entry, rows_are_a)) = structure.pair_entry(a, b) {
                    let (rows, columns) = if rows_are_a { (i, j) } else { (j, i) };
                    add(entry, rows, columns);
                }
            }
        }
    }
}

/// Product of a matrix, column by column, with motions or loads.
fn product(matrix: &[f64], factors: &[Twist]) -> Vec<Twist> {
    let size = 6 * factors.len();
    let mut sums = vec![0.0; size];
    let values = factors.iter().flat_map(to_array);
    for (column, value) in matrix.chunks_exact(size).zip(values) {
        for (sum, entry) in sums.iter_mut().zip(column) {
            *sum += entry * value;
        }
    }
    sums.chunks_exact(6)
        .map(|v| Twist::new(DVec3::new(v[0], v[1], v[2]), DVec3::new(v[3], v[4], v[5])))
        .collect()
}

/// Inverse of a symmetric positive definite matrix of `size` rows; `None` if it is not that.
///
/// By Cholesky's factor `L L'`: the inverse is the product of `L^-1` with its transpose.
fn inverse_of(matrix: &[f64], size: usize) -> Option<Vec<f64>> {
    let mut factor = vec![0.0; size * size];
    for c in 0..size {
        for r in c..size {
            let known: f64 = (0..c).map(|k| factor[k * size + r] * factor[k * size + c]).sum();
            let rest = matrix[c * size + r] - known;
            if r == c {
                if !(rest > 0.0 && rest.is_finite()) {
                    return None;
                }
                factor[c * size + c] = rest.sqrt();
            } else {
                factor[c * size + r] = rest / factor[c * size + c];
            }
        }
    }
    // Columns of L^-1, lower triangle.
    let mut lower = vec![0.0; size * size];
    for c in 0..size {
        for r in c..size {
            let known: f64 = (c..r).map(|k| factor[k * size + r] * lower[c * size + k]).sum();
            let unit = if r == c { 1.0 } else { 0.0 };
            lower[c * size + r] = (unit - known) / factor[r * size + r];
        }
    }
    let mut inverse = vec![0.0; size * size];
    for c in 0..size {
        for r in c..size {
            let value: f64 = (r..size).map(|k| lower[r * size + k] * lower[c * size + k]).sum();
            inverse[c * size + r] = value;
            inverse[r * size + c] = value;
        }
    }
    inverse.iter().all(|value| value.is_finite()).then_some(inverse)
}
