//! Area and volume integrals over the triangles of a mesh.
//!
//! The solid is the signed sum of the tetrahedra from a reference point to each triangle `a b c`
//! (coordinates relative to that point). With `s = a + b + c` and `v = a . (b x c)`, six times the signed
//! volume, each gives
//!
//! ```text
//! integral of 1      = v / 6
//! integral of x      = v s / 24
//! integral of x x^T  = v (a a^T + b b^T + c c^T + s s^T) / 120
//! ```
//!
//! exactly. The reference point is the centre of the bounding box: a part that stands a kilometre from the
//! origin would otherwise lose ten digits of its inertia to cancellation.

use glam::{DMat3, DVec3};

use crate::mesh::Mesh;

/// Integrals over the inside of a closed mesh.
#[derive(Clone, Copy)]
pub(crate) struct VolumeIntegrals {
    /// `reference + first / volume` is the centroid.
    pub(crate) reference: DVec3,
    pub(crate) volume: f64,
    /// Integral of x, relative to the reference point.
    pub(crate) first: DVec3,
    /// Integrals of xx, yy, zz, relative to the reference point.
    pub(crate) squares: DVec3,
    /// Integrals of yz, zx, xy, relative to the reference point.
    pub(crate) products: DVec3,
}

/// Triangles are summed in blocks of this many, and the blocks then: rounding errors of a million summands
/// become those of a thousand.
const BLOCK: usize = 1024;

impl VolumeIntegrals {
    pub(crate) fn new(mesh: &Mesh) -> VolumeIntegrals {
        let (low, high) = mesh.bounds();
        let reference = low + 0.5 * (high - low);
        let blocks = mesh.triangles.chunks(BLOCK);
        let sums = blocks.map(|block| Sums::over(block, &mesh.positions, reference));
        let total = sums.fold(Sums::default(), Sums::plus);
        VolumeIntegrals {
            reference,
            volume: total.volume / 6.0,
            first: total.first / 24.0,
            squares: total.squares / 120.0,
            products: total.products / 120.0,
        }
    }

    pub(crate) fn centroid(&self) -> DVec3 {
        self.reference + self.first / self.volume
    }

    /// Inertia about the centroid for density 1: `trace(C) E - C` with `C` the integral of `x x^T`, moved
    /// from the reference point to the centroid `c` by `C - V c c^T`.
    pub(crate) fn inertia(&self) -> DMat3 {
        let c = self.first / self.volume;
        let squares = self.squares - self.volume * c * c;
        let products = self.products - self.volume * DVec3::new(c.y * c.z, c.z * c.x, c.x * c.y);
        let trace = squares.element_sum();
        DMat3::from_cols(
            DVec3::new(trace - squares.x, -products.z, -products.y),
            DVec3::new(-products.z, trace - squares.y, -products.x),
            DVec3::new(-products.y, -products.x, trace - squares.z),
        )
    }
}

/// The sums of the head comment before their division.
#[derive(Clone, Copy, Default)]
struct Sums {
    volume: f64,
    first: DVec3,
    squares: DVec3,
    products: DVec3,
}

impl Sums {
    fn over(triangles: &[[u32; 3]], positions: &[DVec3], reference: DVec3) -> Sums {
        let mut sums = Sums::default();
        for triangle in triangles {
            let [a, b, c] = triangle.map(|corner| positions[corner as usize] - reference);
            let v = a.dot(b.cross(c));
            let s = a + b + c;
            let product = |p: DVec3| DVec3::new(p.y * p.z, p.z * p.x, p.x * p.y);
            sums.volume += v;
            sums.first += v * s;
            sums.squares += v * (a * a + b * b + c * c + s * s);
            sums.products += v * (product(a) + product(b) + product(c) + product(s));
        }
        sums
    }

    fn plus(self, other: Sums) -> Sums {
        Sums {
            volume: self.volume + other.volume,
            first: self.first + other.first,
            squares: self.squares + other.squares,
            products: self.products + other.products,
        }
    }
}

impl Mesh {
    /// Area of all faces, in square metres.
    pub fn area(&self) -> f64 {
        let doubled = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|corner| self.positions[corner as usize]);
            (b - a).cross(c - a).length()
        };
        let blocks = self.triangles.chunks(BLOCK);
        0.5 * blocks.map(|block| block.iter().map(doubled).sum::<f64>()).sum::<f64>()
    }

    /// Volume of a closed mesh, in cubic metres; negative if it is inside out. For an open mesh, the volume
    /// between it and the centre of its bounding box.
    pub fn signed_volume(&self) -> f64 {
        VolumeIntegrals::new(self).volume
    }
}
