//! Sparse Cholesky factors of matrices of 6x6 blocks, one block row a body.
//!
//! The factor is computed column by column, from the left: column `k` first takes the products of all earlier
//! columns `j` with `L_kj != 0`, then it is divided by its own diagonal block. The structure lists these columns
//! in advance, so the order of operations depends on the structure alone and equal input gives equal bits.

use super::ordering::SymbolicFactor;

/// A 6x6 block, column by column: element (r, c) is `block[c][r]`.
pub(super) type Block = [[f64; 6]; 6];

/// The matrix, and after [`BlockCholesky::factor`] its factor in the same place.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockCholesky {
    /// The lower triangle, in the order of [`SymbolicFactor::rows`].
    pub(super) blocks: Vec<Block>,
    /// Reciprocals of the diagonal of the factor.
    reciprocals: Vec<[f64; 6]>,
    /// Entry of the current column in which a block row lies.
    entry_of_row: Vec<u32>,
}

impl BlockCholesky {
    /// Sets all blocks of a structure to zero.
    pub(super) fn clear(&mut self, structure: &SymbolicFactor) {
        self.blocks.clear();
        self.blocks.resize(structure.rows.len(), [[0.0; 6]; 6]);
        self.reciprocals.resize(structure.len(), [0.0; 6]);
        self.entry_of_row.resize(structure.len(), 0);
    }

    /// Replaces the matrix by its factor. Returns `false` if the matrix is not positive definite or not finite.
    pub(super) fn factor(&mut self, structure: &SymbolicFactor) -> bool {
        for k in 0..structure.len() {
            let column = structure.column(k);
            for entry in column.clone() {
                self.entry_of_row[structure.rows[entry] as usize] = entry as u32;
            }
            let (earlier, rest) = self.blocks.split_at_mut(column.start);
            for &(j, pivot) in structure.earlier_columns(k) {
                let end = structure.column(j as usize).end;
                let pivot = pivot as usize;
                for entry in pivot..end {
                    let target = self.entry_of_row[structure.rows[entry] as usize] as usize - column.start;
                    subtract_product(&mut rest[target], &earlier[entry], &earlier[pivot]);
                }
            }
            let (diagonal, below) = rest[..column.len()].split_at_mut(1);
            let Some(reciprocals) = factor_diagonal(&mut diagonal[0]) else { return false };
            self.reciprocals[k] = reciprocals;
            for block in below {
                divide(block, &diagonal[0], &reciprocals);
            }
        }
        true
    }

    /// Solves for one right side, given and returned in the order of elimination.
    pub(super) fn solve(&self, structure: &SymbolicFactor, x: &mut [[f64; 6]]) {
        for k in 0..structure.len() {
            let mut column = structure.column(k);
            let diagonal = column.next().unwrap_or(0);
            let y = forward(&self.blocks[diagonal], &self.reciprocals[k], x[k]);
            x[k] = y;
            for entry in column {
                let target = &mut x[structure.rows[entry] as usize];
                for (column, factor) in self.blocks[entry].iter().zip(y) {
                    for (value, l) in target.iter_mut().zip(column) {
                        *value -= l * factor;
                    }
                }
            }
        }
        for k in (0..structure.len()).rev() {
            let mut column = structure.column(k);
            let diagonal = column.next().unwrap_or(0);
            let mut y = x[k];
            for entry in column {
                let row = x[structure.rows[entry] as usize];
                for (value, l) in y.iter_mut().zip(&self.blocks[entry]) {
                    *value -= dot(l, &row);
                }
            }
            x[k] = backward(&self.blocks[diagonal], &self.reciprocals[k], y);
        }
    }
}

/// `c -= a b'`.
#[inline]
fn subtract_product(c: &mut Block, a: &Block, b: &Block) {
    for (column, values) in c.iter_mut().enumerate() {
        let mut sum = *values;
        for k in 0..6 {
            let factor = b[k][column];
            for r in 0..6 {
                sum[r] -= a[k][r] * factor;
            }
        }
        *values = sum;
    }
}

/// `L` of `A = L L'` in place, and the reciprocals of its diagonal. `None` if a pivot is not positive.
fn factor_diagonal(block: &mut Block) -> Option<[f64; 6]> {
    let mut reciprocals = [0.0; 6];
    for c in 0..6 {
        let mut column = block[c];
        for earlier in &block[..c] {
            for r in c..6 {
                column[r] -= earlier[r] * earlier[c];
            }
        }
        let pivot = column[c];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        let reciprocal = 1.0 / pivot.sqrt();
        block[c] = column.map(|value| value * reciprocal);
        reciprocals[c] = reciprocal;
    }
    Some(reciprocals)
}

/// `A L^-T` in place.
#[inline]
fn divide(a: &mut Block, diagonal: &Block, reciprocals: &[f64; 6]) {
    for c in 0..6 {
        let mut sum = a[c];
        for k in 0..c {
            let factor = diagonal[k][c];
            for r in 0..6 {
                sum[r] -= a[k][r] * factor;
            }
        }
        for value in &mut sum {
            *value *= reciprocals[c];
        }
        a[c] = sum;
    }
}

/// `L^-1 b`.
#[inline]
fn forward(diagonal: &Block, reciprocals: &[f64; 6], mut b: [f64; 6]) -> [f64; 6] {
    for c in 0..6 {
        b[c] *= reciprocals[c];
        for r in c + 1..6 {
            b[r] -= diagonal[c][r] * b[c];
        }
    }
    b
}

/// `L^-T b`.
#[inline]
fn backward(diagonal: &Block, reciprocals: &[f64; 6], mut b: [f64; 6]) -> [f64; 6] {
    for c in (0..6).rev() {
        for r in c + 1..6 {
            b[c] -= diagonal[c][r] * b[r];
        }
        b[c] *= reciprocals[c];
    }
    b
}

#[inline]
fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5])
}

#[cfg(test)]
mod tests {
    use super::super::ordering::pair_key;
    use super::*;

    /// A ring of bodies with two chords: every order of elimination fills.
    fn structure(count: u32) -> (SymbolicFactor, Vec<(u32, u32)>) {
        let mut pairs: Vec<_> = (0..count).map(|a| (a, (a + 1) % count)).collect();
        pairs.extend([(0, count / 2), (1, count / 2 + 2)]);
        let mut keys: Vec<_> = pairs.iter().map(|&(a, b)| pair_key(a, b)).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut structure = SymbolicFactor::default();
        assert!(structure.update(count as usize, &keys));
        assert!(!structure.update(count as usize, &keys), "the same graph keeps its structure");
        (structure, pairs)
    }

    #[test]
    fn the_factor_solves_the_product_of_its_matrix() {
        let (structure, pairs) = structure(9);
        let mut matrix = BlockCholesky::default();
        matrix.clear(&structure);
        let mut dense = vec![vec![0.0; 54]; 54];
        for body in 0..9 {
            let (entry, place) = (structure.diagonal_entry(body), structure.place[body as usize] as usize);
            for c in 0..6 {
                for r in 0..6 {
                    let value = if r == c { 9.0 + f64::from(body) } else { 0.1 * (r * c) as f64 / 25.0 };
                    matrix.blocks[entry as usize][c][r] = value;
                    dense[6 * place + r][6 * place + c] = value;
                }
            }
        }
        for (number, &(a, b)) in pairs.iter().enumerate() {
            let (entry, rows_are_a) = structure.pair_entry(a, b).expect("the pair was given");
            let (row, column) = if rows_are_a { (a, b) } else { (b, a) };
            let (row, column) = (structure.place[row as usize], structure.place[column as usize]);
            assert!(row > column);
            for c in 0..6 {
                for r in 0..6 {
                    let value = 0.3 - 0.1 * ((number + 2 * r + 3 * c) % 7) as f64;
                    matrix.blocks[entry as usize][c][r] = value;
                    let (i, j) = (6 * row as usize + r, 6 * column as usize + c);
                    (dense[i][j], dense[j][i]) = (value, value);
                }
            }
        }
        let exact: Vec<f64> = (0..54).map(|i| f64::from(i % 11) - 5.0).collect();
        let product = |row: &Vec<f64>| row.iter().zip(&exact).map(|(a, x)| a * x).sum::<f64>();
        let sides: Vec<f64> = dense.iter().map(product).collect();
        let mut x: Vec<[f64; 6]> = sides.as_chunks::<6>().0.to_vec();
        assert!(matrix.factor(&structure));
        matrix.solve(&structure, &mut x);
        for (value, exact) in x.as_flattened().iter().zip(&exact) {
            assert!((value - exact).abs() < 1e-12, "{value} instead of {exact}");
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_has_no_factor() {
        let (structure, _) = structure(9);
        let mut matrix = BlockCholesky::default();
        matrix.clear(&structure);
        assert!(!matrix.factor(&structure));
        matrix.blocks.iter_mut().for_each(|block| block[0][0] = f64::NAN);
        assert!(!matrix.factor(&structure));
    }
}
