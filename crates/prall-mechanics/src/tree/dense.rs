//! Dense systems of a few rows, in place: elimination with partial pivoting.

/// Solves `matrix x = right_side`, matrix row by row; both are overwritten, `right_side` by `x`.
///
/// A singular matrix gives values that are not finite.
pub(crate) fn solve_dense(matrix: &mut [f64], right_side: &mut [f64]) {
    let n = right_side.len();
    for column in 0..n {
        let size = |row: usize| matrix[row * n + column].abs();
        let pivot_row = (column..n).max_by(|&a, &b| size(a).total_cmp(&size(b))).unwrap_or(column);
        if pivot_row != column {
            for k in 0..n {
                matrix.swap(pivot_row * n + k, column * n + k);
            }
            right_side.swap(pivot_row, column);
        }
        let inverse = 1.0 / matrix[column * n + column];
        for row in column + 1..n {
            let factor = matrix[row * n + column] * inverse;
            if factor != 0.0 {
                for k in column..n {
                    matrix[row * n + k] -= factor * matrix[column * n + k];
                }
                right_side[row] -= factor * right_side[column];
            }
        }
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|k| matrix[row * n + k] * right_side[k]).sum();
        right_side[row] = (right_side[row] - known) / matrix[row * n + row];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_that_needs_pivoting_is_solved() {
        let mut matrix = [0.0, 2.0, 1.0, 1.0, 1e-20, 3.0, 4.0, -1.0, 0.5];
        let x = [1.0, -2.0, 0.5];
        let mut right: Vec<f64> =
            matrix.chunks(3).map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect();
        solve_dense(&mut matrix, &mut right);
        assert!(right.iter().zip(x).all(|(a, b)| (a - b).abs() < 1e-14));
    }
}
