//! Principal axes of a symmetric 3 x 3 matrix by Jacobi's rotations.
//!
//! Jacobi's method is slower than closed formulas and does not mind equal or nearly equal eigenvalues: the
//! axes come out perpendicular to rounding in any case, and a diagonal matrix is left as it is.

use glam::{DMat3, DQuat, DVec3};

/// Rotations until off-diagonals vanish: three per sweep, quadratic convergence; six sweeps are more than
/// any 3 x 3 matrix of floating-point numbers needs, twelve are a bound.
const SWEEPS: usize = 12;

/// Eigenvalues in ascending order, and the rotation whose matrix has the eigenvectors as columns
/// (right-handed).
pub(crate) fn principal_axes(matrix: DMat3) -> (DVec3, DQuat) {
    let mut a = matrix.to_cols_array_2d();
    let mut v = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..SWEEPS {
        if a[0][1] == 0.0 && a[0][2] == 0.0 && a[1][2] == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut v, p, q);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
    let moments = DVec3::from_array(order.map(|i| a[i][i]));
    let [x, y, _] = order.map(|i| v[i]);
    // The third axis could also be minus the third eigenvector; the cross product chooses the right-handed
    // one.
    (moments, DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize())
}

/// Makes `a[p][q]` zero by a rotation in that plane: `a <- J^T a J`, and `v <- v J`, where `v[i]` is column
/// `i`.
///
/// `theta = (a_qq - a_pp) / 2 a_pq`, `t = sign(theta) / (|theta| + sqrt(theta^2 + 1))` is the tangent of
/// the smaller angle.
fn rotate(a: &mut [[f64; 3]; 3], v: &mut [DVec3; 3], p: usize, q: usize) {
    let off_diagonal = a[p][q];
    // Below the rounding of the diagonal it changes nothing any more.
    if off_diagonal.abs() <= f64::EPSILON * 0.125 * (a[p][p] * a[q][q]).abs().sqrt() {
        (a[p][q], a[q][p]) = (0.0, 0.0);
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * off_diagonal);
    let t = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    a[p][p] -= t * off_diagonal;
    a[q][q] += t * off_diagonal;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    let r = 3 - p - q;
    let (rp, rq) = (a[r][p], a[r][q]);
    a[r][p] = c * rp - s * rq;
    a[r][q] = s * rp + c * rq;
    (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    (v[p], v[q]) = (c * v[p] - s * v[q], s * v[p] + c * v[q]);
}
