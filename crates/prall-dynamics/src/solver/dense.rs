//! Dense kernels of the fronts: Cholesky's factor of a panel, what it leaves behind, and substitution.
//!
//! A panel is stored column by column, all of `stride` rows. Its first `width` rows are its own columns' (the triangle `L`), the others are
//! `B`; on the diagonal of a factor stand the inverses of its pivots. All of these numbers are multiples of [`LANES`], so that loops have no rest; what is added to them is a unit matrix, which nothing
//! is coupled to. Sums are formed in one order, whatever the processor: bits do not depend on it.

/// Numbers that one instruction takes.
pub(super) const LANES: usize = 4;

/// `L L^T = A`, and `B L^-T` for the rows below, by blocks of columns that take all that is left of them at once.
pub(super) fn factor(panel: &mut [f64], stride: usize, width: usize) {
    for first in (0..width).step_by(LANES) {
        let (before, rest) = panel.split_at_mut(first * stride);
        let columns = &mut rest[..LANES * stride];
        subtract_products(columns, stride, first, before, stride, first, (stride - first, LANES));
        factor_columns(columns, stride, first);
    }
}

/// The same for [`LANES`] columns whose triangle begins in row `first`.
fn factor_columns(columns: &mut [f64], stride: usize, first: usize) {
    let mut inverse = [0.0; LANES];
    for j in 0..LANES {
        for i in j..LANES {
            let row = |m: usize| m * stride + first;
            let known: f64 = (0..j).map(|m| columns[row(m) + i] * columns[row(m) + j]).sum();
            let rest = columns[row(j) + i] - known;
            if i == j {
                inverse[j] = 1.0 / rest.max(f64::MIN_POSITIVE).sqrt();
                columns[row(j) + i] = inverse[j];
            } else {
                columns[row(j) + i] = rest * inverse[j];
            }
        }
    }
    let l = |i: usize, j: usize| columns[j * stride + first + i];
    let (l10, l20, l30, l21, l31, l32) = (l(1, 0), l(2, 0), l(3, 0), l(2, 1), l(3, 1), l(3, 2));
    let from = first + LANES;
    let (c0, rest) = columns.split_at_mut(stride);
    let (c1, rest) = rest.split_at_mut(stride);
    let (c2, c3) = rest.split_at_mut(stride);
    let rows = c0[from..].iter_mut().zip(&mut c1[from..]).zip(c2[from..].iter_mut().zip(&mut c3[from..]));
    for ((x0, x1), (x2, x3)) in rows {
        *x0 *= inverse[0];
        *x1 = (*x1 - *x0 * l10) * inverse[1];
        *x2 = (*x2 - *x0 * l20 - *x1 * l21) * inverse[2];
        *x3 = (*x3 - *x0 * l30 - *x1 * l31 - *x2 * l32) * inverse[3];
    }
}

/// `target -= S S^T` on and below the diagonal, for `size` rows and columns. `S` are the rows of all columns of `source` from `first` on;
/// the target begins in row `row`.
pub(super) fn subtract_products(
    target: &mut [f64],
    target_stride: usize,
    row: usize,
    source: &[f64],
    source_stride: usize,
    first: usize,
    size: (usize, usize),
) {
    if source.is_empty() {
        return;
    }
    for j in (0..size.1).step_by(LANES) {
        let target = &mut target[j * target_stride..];
        let mut i = j;
        while i + 2 * LANES <= size.0 {
            let tile = products::<{ 2 * LANES }>(source, source_stride, first + i, first + j);
            subtract(target, target_stride, row + i, &tile);
            i += 2 * LANES;
        }
        if i < size.0 {
            let tile = products::<LANES>(source, source_stride, first + i, first + j);
            subtract(target, target_stride, row + i, &tile);
        }
    }
}

/// Products of `ROWS` rows from `i` on with [`LANES`] rows from `j` on, summed over all columns.
#[inline]
fn products<const ROWS: usize>(source: &[f64], stride: usize, i: usize, j: usize) -> [[f64; ROWS]; LANES] {
    let mut sums = [[0.0; ROWS]; LANES];
    for column in source.chunks_exact(stride) {
        let (Some(left), Some(right)) =
            (column[i..].first_chunk::<ROWS>(), column[j..].first_chunk::<LANES>())
        else {
            break;
        };
        for (sums, right) in sums.iter_mut().zip(right) {
            for (sum, left) in sums.iter_mut().zip(left) {
                *sum = left.mul_add(*right, *sum);
            }
        }
    }
    sums
}

#[inline]
fn subtract<const ROWS: usize>(target: &mut [f64], stride: usize, row: usize, tile: &[[f64; ROWS]; LANES]) {
    for (j, tile) in tile.iter().enumerate() {
        let place = j * stride + row;
        target[place..place + ROWS].iter_mut().zip(tile).for_each(|(entry, product)| *entry -= product);
    }
}

/// `L x = b` for the first rows of the vector; from the others `B x` is taken.
pub(super) fn substitute_forward(panel: &[f64], stride: usize, width: usize, vector: &mut [f64]) {
    for (block, first) in panel.chunks_exact(LANES * stride).zip((0..width).step_by(LANES)) {
        let (own, below) = vector[first..stride].split_at_mut(LANES);
        for j in 0..LANES {
            let known: f64 = (0..j).map(|m| block[m * stride + first + j] * own[m]).sum();
            own[j] = (own[j] - known) * block[j * stride + first + j];
        }
        let column = |j: usize| &block[j * stride + first + LANES..(j + 1) * stride];
        let left = column(0).iter().zip(column(1));
        let right = column(2).iter().zip(column(3));
        for (entry, ((c0, c1), (c2, c3))) in below.iter_mut().zip(left.zip(right)) {
            let known = c0.mul_add(own[0], c1.mul_add(own[1], c2.mul_add(own[2], c3 * own[3])));
            *entry -= known;
        }
    }
}

/// `L^T x = b - B^T y`, with `y` in the vector's last rows.
pub(super) fn substitute_backward(panel: &[f64], stride: usize, width: usize, vector: &mut [f64]) {
    for first in (0..width).step_by(LANES).rev() {
        let block = &panel[first * stride..(first + LANES) * stride];
        let (own, below) = vector[first..stride].split_at_mut(LANES);
        let known = column_products(block, stride, first + LANES, below);
        for j in (0..LANES).rev() {
            let column = &block[j * stride + first..(j + 1) * stride];
            let inside: f64 = (j + 1..LANES).map(|m| column[m] * own[m]).sum();
            own[j] = (own[j] - inside - known[j]) * column[j];
        }
    }
}

/// Products of [`LANES`] columns, from row `first` on, with a vector.
fn column_products(columns: &[f64], stride: usize, first: usize, vector: &[f64]) -> [f64; LANES] {
    let column = |j: usize| columns[j * stride + first..(j + 1) * stride].as_chunks::<LANES>().0;
    let left = column(0).iter().zip(column(1));
    let right = column(2).iter().zip(column(3));
    let mut sums = [[0.0; LANES]; LANES];
    for (y, ((c0, c1), (c2, c3))) in vector.as_chunks::<LANES>().0.iter().zip(left.zip(right)) {
        for lane in 0..LANES {
            sums[0][lane] = c0[lane].mul_add(y[lane], sums[0][lane]);
            sums[1][lane] = c1[lane].mul_add(y[lane], sums[1][lane]);
            sums[2][lane] = c2[lane].mul_add(y[lane], sums[2][lane]);
            sums[3][lane] = c3[lane].mul_add(y[lane], sums[3][lane]);
        }
    }
    sums.map(|sums| (sums[0] + sums[1]) + (sums[2] + sums[3]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By definition: the factor times its transpose is the matrix, also in the rows below and in what is left behind; and substitution
    /// undoes the triangle. To rounding in sums of 12 products of numbers about one.
    #[test]
    fn a_panel_times_its_transpose_is_the_matrix() {
        let (width, size) = (12, 20);
        let entry = |i: usize, j: usize| {
            let (i, j) = (i.max(j), i.min(j));
            if i == j { 3.0 + 0.1 * i as f64 } else { libm::sin((7 * i + 3 * j) as f64) / (1 + i - j) as f64 }
        };
        let mut panel: Vec<f64> = (0..width * size)
            .map(|at| if at % size >= at / size { entry(at % size, at / size) } else { 0.0 })
            .collect();
        factor(&mut panel, size, width);
        let l = |i: usize, j: usize| match i.cmp(&j) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 1.0 / panel[j * size + i],
            std::cmp::Ordering::Greater => panel[j * size + i],
        };
        let product = |i: usize, j: usize| (0..width).map(|m| l(i, m) * l(j, m)).sum::<f64>();
        for j in 0..width {
            for i in j..size {
                assert!((product(i, j) - entry(i, j)).abs() < 1e-13, "{i} {j}");
            }
        }
        let below = size - width;
        let mut left = vec![0.0; below * below];
        subtract_products(&mut left, below, 0, &panel, size, width, (below, below));
        for j in 0..below {
            for i in j..below {
                assert!((left[j * below + i] + product(width + i, width + j)).abs() < 1e-13, "{i} {j}");
            }
        }
        let start: Vec<f64> = (0..size).map(|i| libm::cos(i as f64)).collect();
        let mut vector = start.clone();
        substitute_forward(&panel, size, width, &mut vector);
        for i in 0..size {
            let known: f64 = (0..width).map(|j| l(i, j) * vector[j]).sum();
            let rest = if i < width { 0.0 } else { vector[i] };
            assert!((known + rest - start[i]).abs() < 1e-13, "{i}");
        }
        let mut vector = start.clone();
        substitute_backward(&panel, size, width, &mut vector);
        for (j, wanted) in start.iter().enumerate().take(width) {
            let known: f64 = (0..size).map(|i| l(i, j) * vector[i]).sum();
            assert!((known - wanted).abs() < 1e-13, "{j}");
        }
    }
}
