//! How independent the contacts of a set are.

use super::BuckHeld;
use super::contact::Partner;
use crate::active_set::Vector6;

/// A row counts as independent of others if more than this share of it is.
const INDEPENDENT: f64 = 1e-6;

impl BuckHeld {
    /// Rows of all contacts in coordinates in which the mass matrix is the identity, of unit length.
    fn rows(&self) -> Vec<Vec<f64>> {
        let row = |contact: &super::BuckContact| {
            let state = self.state(contact);
            let mut row = vec![0.0; 6 * self.bodies.len()];
            let mut put = |body: usize, point: glam::DVec3, direction: glam::DVec3| {
                let body_of = &self.bodies[body];
                let own: Vector6 = body_of.frame().row(direction, point - body_of.mass_centre());
                let scale = (self.bodies[0].mass / body_of.mass).sqrt();
                row[6 * body..6 * body + 6].iter_mut().zip(own).for_each(|(x, own)| *x = own * scale);
            };
            put(contact.part, state.on_a, state.normal);
            if let Partner::Part(other) = contact.partner {
                put(other, state.on_b, -state.normal);
            }
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter_mut().for_each(|x| *x /= length);
            row
        };
        self.contacts.iter().map(row).collect()
    }

    /// Directions in which the parts can still go while they keep all contacts: six for each less the rank of the contacts' rows.
    pub fn free_directions(&self) -> usize {
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for mut row in self.rows() {
            for known in &basis {
                let along: f64 = row.iter().zip(known).map(|(x, k)| x * k).sum();
                row.iter_mut().zip(known).for_each(|(x, k)| *x -= along * k);
            }
            let rest = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            if rest > INDEPENDENT {
                basis.push(row.iter().map(|x| x / rest).collect());
            }
        }
        6 * self.bodies.len() - basis.len()
    }

    /// The smallest eigenvalue of the scaled `C' M^-1 C` over the largest: 1 if contacts know nothing of each other, near 0 if forces are hardly unique. 1 without contacts.
    pub fn condition(&self) -> f64 {
        self.condition_without(None)
    }

    /// The same, perhaps with one of the contacts left out.
    pub(super) fn condition_without(&self, without: Option<usize>) -> f64 {
        let mut rows = self.rows();
        if let Some(index) = without {
            rows.remove(index);
        }
        let count = rows.len();
        let product = |p: &[f64], q: &[f64]| -> f64 { p.iter().zip(q).map(|(x, y)| x * y).sum() };
        let mut matrix: Vec<f64> =
            rows.iter().flat_map(|p| rows.iter().map(|q| product(p, q)).collect::<Vec<_>>()).collect();
        jacobi(&mut matrix, count);
        let values = || (0..count).map(|i| matrix[i * count + i]);
        let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        if count == 0 { 1.0 } else { least.max(0.0) / most }
    }
}

/// Turns a symmetric matrix into its eigenvalues on the diagonal, by Jacobi's rotations.
fn jacobi(matrix: &mut [f64], count: usize) {
    for _ in 0..30 {
        let mut rest = 0.0;
        for p in 0..count {
            for q in p + 1..count {
                let across = matrix[p * count + q];
                rest += across * across;
                if across == 0.0 {
                    continue;
                }
                let ratio = (matrix[q * count + q] - matrix[p * count + p]) / (2.0 * across);
                let tangent = 1.0_f64.copysign(ratio) / (ratio.abs() + libm::hypot(ratio, 1.0));
                let cosine = 1.0 / libm::hypot(tangent, 1.0);
                let sine = tangent * cosine;
                for k in 0..count {
                    let (x, y) = (matrix[k * count + p], matrix[k * count + q]);
                    (matrix[k * count + p], matrix[k * count + q]) =
                        (cosine * x - sine * y, sine * x + cosine * y);
                }
                for k in 0..count {
                    let (x, y) = (matrix[p * count + k], matrix[q * count + k]);
                    (matrix[p * count + k], matrix[q * count + k]) =
                        (cosine * x - sine * y, sine * x + cosine * y);
                }
            }
        }
        if rest < 1e-28 {
            return;
        }
    }
}
