//! Cholesky factors of 3x3 matrices: `A = L L^T`.
//!
//! Articulated inertias of light links under heavy ones have conditions of 1e5 and more. Their inverses by cofactors
//! made the projection of velocities raise energy; with `Y = L^-1 B` the complement `C - Y^T Y` stays consistent.

use glam::{DMat3, DVec3};

/// `L`, with the reciprocals of its diagonal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cholesky {
    inverse_diagonal: DVec3,
    /// Below the diagonal: (2,1), (3,1), (3,2).
    lower: DVec3,
}

impl Cholesky {
    /// Factors a symmetric positive definite matrix; reads its lower triangle. Not definite gives NaN.
    #[inline]
    pub(crate) fn new(a: &DMat3) -> Cholesky {
        let i1 = 1.0 / a.x_axis.x.sqrt();
        let l21 = a.x_axis.y * i1;
        let l31 = a.x_axis.z * i1;
        let i2 = 1.0 / (a.y_axis.y - l21 * l21).sqrt();
        let l32 = (a.y_axis.z - l31 * l21) * i2;
        let i3 = 1.0 / (a.z_axis.z - l31 * l31 - l32 * l32).sqrt();
        Cholesky { inverse_diagonal: DVec3::new(i1, i2, i3), lower: DVec3::new(l21, l31, l32) }
    }

    /// Reciprocals of the diagonal, and what is below it: (2,1), (3,1), (3,2).
    #[inline]
    pub(crate) fn parts(&self) -> (DVec3, DVec3) {
        (self.inverse_diagonal, self.lower)
    }

    /// `L^-1 b`.
    #[inline]
    pub(crate) fn forward(&self, b: DVec3) -> DVec3 {
        let (i, l) = (self.inverse_diagonal, self.lower);
        let x = b.x * i.x;
        let y = (b.y - l.x * x) * i.y;
        let z = (b.z - l.y * x - l.z * y) * i.z;
        DVec3::new(x, y, z)
    }

    /// `L^-T b`.
    #[inline]
    pub(crate) fn backward(&self, b: DVec3) -> DVec3 {
        let (i, l) = (self.inverse_diagonal, self.lower);
        let z = b.z * i.z;
        let y = (b.y - l.z * z) * i.y;
        let x = (b.x - l.x * y - l.y * z) * i.x;
        DVec3::new(x, y, z)
    }

    /// `A^-1 b`.
    #[inline]
    pub(crate) fn solve(&self, b: DVec3) -> DVec3 {
        self.backward(self.forward(b))
    }

    /// `L^-1 B`.
    #[inline]
    pub(crate) fn forward_matrix(&self, b: &DMat3) -> DMat3 {
        DMat3::from_cols(self.forward(b.x_axis), self.forward(b.y_axis), self.forward(b.z_axis))
    }

    /// `L^-T B`.
    #[inline]
    pub(crate) fn backward_matrix(&self, b: &DMat3) -> DMat3 {
        DMat3::from_cols(self.backward(b.x_axis), self.backward(b.y_axis), self.backward(b.z_axis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factored_matrix_solves_its_own_columns() {
        let root = DMat3::from_cols_array(&[2.0, 0.3, -0.1, 0.4, 1.5, 0.2, 0.1, -0.7, 0.9]);
        let a = root * root.transpose();
        let factor = Cholesky::new(&a);
        let identity = factor.backward_matrix(&factor.forward_matrix(&a));
        assert!((identity - DMat3::IDENTITY).abs_diff_eq(DMat3::ZERO, 1e-13));
        let b = DVec3::new(1.0, -2.0, 3.0);
        assert!((a * factor.solve(b) - b).length() < 1e-13);
    }
}
