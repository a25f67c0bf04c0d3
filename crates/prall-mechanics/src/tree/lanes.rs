//! [`Lanes`]: vectors beside each other, component by component, so that one instruction does the same to all of them.

use glam::{DMat3, DVec3};

use super::cholesky::Cholesky;

/// `N` vectors: `self.0[0]` are their x.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes<const N: usize>([[f64; N]; 3]);

#[inline]
fn each<const N: usize>(value: impl Fn(usize) -> f64) -> [f64; N] {
    std::array::from_fn(value)
}

impl<const N: usize> Lanes<N> {
    #[inline]
    pub(super) fn new(vector: impl Fn(usize) -> DVec3) -> Lanes<N> {
        Lanes([each(|k| vector(k).x), each(|k| vector(k).y), each(|k| vector(k).z)])
    }

    /// The components x, y, z of all.
    #[inline]
    pub(super) fn components(&self) -> &[[f64; N]; 3] {
        &self.0
    }

    /// `a.v`
    #[inline]
    pub(super) fn dot(&self, a: DVec3) -> [f64; N] {
        let [x, y, z] = &self.0;
        each(|k| a.x * x[k] + a.y * y[k] + a.z * z[k])
    }

    /// `v + a x w`
    #[inline]
    pub(super) fn plus_cross(&self, a: DVec3, other: &Lanes<N>) -> Lanes<N> {
        let ([p, q, r], [x, y, z]) = (&self.0, &other.0);
        Lanes([
            each(|k| p[k] + (a.y * z[k] - a.z * y[k])),
            each(|k| q[k] + (a.z * x[k] - a.x * z[k])),
            each(|k| r[k] + (a.x * y[k] - a.y * x[k])),
        ])
    }

    /// `v - a share`
    #[inline]
    pub(super) fn minus(&self, a: DVec3, share: &[f64; N]) -> Lanes<N> {
        let [x, y, z] = &self.0;
        Lanes([
            each(|k| x[k] - a.x * share[k]),
            each(|k| y[k] - a.y * share[k]),
            each(|k| z[k] - a.z * share[k]),
        ])
    }

    /// `v - M^T w`
    #[inline]
    pub(super) fn minus_transposed(&self, m: &DMat3, other: &Lanes<N>) -> Lanes<N> {
        let [p, q, r] = &self.0;
        let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis].map(|column| other.dot(column));
        Lanes([each(|k| p[k] - x[k]), each(|k| q[k] - y[k]), each(|k| r[k] - z[k])])
    }

    /// `L^-1 v`
    #[inline]
    pub(super) fn forward(&self, factor: &Cholesky) -> Lanes<N> {
        let ([x, y, z], (i, l)) = (&self.0, factor.parts());
        let x: [f64; N] = each(|k| x[k] * i.x);
        let y: [f64; N] = each(|k| (y[k] - l.x * x[k]) * i.y);
        let z: [f64; N] = each(|k| (z[k] - l.y * x[k] - l.z * y[k]) * i.z);
        Lanes([x, y, z])
    }
}
