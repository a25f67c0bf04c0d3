//! [`Norm`]: lengths and unit vectors by the processor's own square root.
//!
//! glam with its `libm` feature, which the same bits on every platform need, takes libm's root, and on x86 that is an SSE instruction in the
//! middle of AVX code: a Zen 3 processor waits there (a loop of normalisations took 280 ns a turn instead of 62). A square root is rounded correctly either way, so these
//! functions give the bits of glam's. They are for inner loops.

use glam::{DQuat, DVec2, DVec3};

/// What glam calls `length`, `normalize`, `try_normalize` and `normalize_or`.
pub trait Norm: Sized {
    /// Its length.
    fn norm(self) -> f64;
    /// The same direction with length 1; not finite for a vector without a length.
    fn unit(self) -> Self;
    /// The same, or none for a vector without a length.
    fn try_unit(self) -> Option<Self>;
    /// The same, or something else for a vector without a length.
    fn unit_or(self, other: Self) -> Self {
        self.try_unit().unwrap_or(other)
    }
}

macro_rules! norm {
    ($($type:ty),*) => {$(
        impl Norm for $type {
            #[inline]
            fn norm(self) -> f64 {
                self.length_squared().sqrt()
            }

            #[inline]
            fn unit(self) -> Self {
                self * (1.0 / self.norm())
            }

            #[inline]
            fn try_unit(self) -> Option<Self> {
                let inverse = 1.0 / self.norm();
                (inverse.is_finite() && inverse > 0.0).then(|| self * inverse)
            }
        }
    )*};
}
norm!(DVec2, DVec3, DQuat);

#[cfg(test)]
mod tests {
    use super::Norm;
    use glam::{DQuat, DVec2, DVec3};

    #[test]
    fn lengths_and_unit_vectors_have_the_bits_of_glam() {
        let mut x = 0.37_f64;
        let mut next = || {
            x = (x * 3.99 * (1.0 - x)).clamp(1e-3, 1.0);
            2.0 * x - 1.0
        };
        for _ in 0..1000 {
            let (p, q) = (DVec3::new(next(), next(), next()), DVec2::new(next(), next()));
            let r = DQuat::from_xyzw(next(), next(), next(), next());
            assert_eq!((p.norm(), p.unit(), p.try_unit()), (p.length(), p.normalize(), p.try_normalize()));
            assert_eq!((q.norm(), q.unit(), q.try_unit()), (q.length(), q.normalize(), q.try_normalize()));
            assert_eq!((r.norm(), r.unit()), (r.length(), r.normalize()));
        }
        assert_eq!((DVec3::ZERO.try_unit(), DVec2::splat(f64::NAN).try_unit()), (None, None));
    }
}
