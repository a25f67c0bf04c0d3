//! The point of six-space nearest to a goal within half-spaces, by the dual active-set method (Goldfarb, Idnani 1983).
//!
//! ```text
//! min 1/2 |y - goal|^2   subject to   a_i . y >= b_i
//! ```
//! It begins at the goal and takes in one violated row after another, the worst first, those that were active before others. With N the normals of the active rows,
//! `N = Q R`, and a new normal a: `z = a - Q Q' a` is the way that opens the new row and keeps the active ones, `r = R^-1 Q' a` the rate at
//! which their multipliers fall. A multiplier that reaches 0 leaves. The active normals are linearly independent at every moment, so there are at
//! most six, however many rows say the same. If z vanishes and no multiplier falls, the rows contradict each other.

/// A vector of the six unknowns.
pub(crate) type Vector6 = [f64; 6];

/// Unknowns.
pub(crate) const SIX: usize = 6;

/// A new normal of which less than this share is independent of the active ones counts as dependent on them.
const DEPENDENT: f64 = 1e-6;

pub(crate) fn dot(a: &Vector6, b: &Vector6) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// `a += factor b`
pub(crate) fn add(a: &mut Vector6, factor: f64, b: &Vector6) {
    a.iter_mut().zip(b).for_each(|(x, y)| *x += factor * y);
}

pub(crate) fn norm(a: &Vector6) -> f64 {
    dot(a, a).sqrt()
}

/// A condition `normal . y >= bound`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfSpace {
    pub(crate) normal: Vector6,
    pub(crate) bound: f64,
    /// It was active before: among rows that say the same, those stay.
    pub(crate) preferred: bool,
}

/// How a search for the nearest point ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every row holds within the tolerance, every multiplier is positive.
    Solved,
    /// The rows contradict each other.
    Infeasible,
    /// Too many exchanges; the point is not to be used.
    Unfinished,
}

/// Normals of active rows as `N = Q R`, Q with orthonormal columns, R upper triangular.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Factor {
    count: usize,
    q: [Vector6; SIX],
    /// Column j holds the coefficients of normal j.
    r: [Vector6; SIX],
}

impl Factor {
    /// What of a vector is independent of the normals, and its coefficients in Q.
    pub(crate) fn split(&self, a: &Vector6) -> (Vector6, Vector6) {
        let (mut rest, mut coefficients) = (*a, [0.0; SIX]);
        // The second pass takes what rounding left of the first.
        for _ in 0..2 {
            for (q, coefficient) in self.q[..self.count].iter().zip(&mut coefficients) {
                let along = dot(q, &rest);
                *coefficient += along;
                add(&mut rest, -along, q);
            }
        }
        (rest, coefficients)
    }

    /// Takes in another normal; false if it depends on those that are there.
    pub(crate) fn push(&mut self, a: &Vector6) -> bool {
        let (rest, coefficients) = self.split(a);
        let length = norm(&rest);
        if self.count == SIX || length <= DEPENDENT * norm(a) {
            return false;
        }
        self.q[self.count] = rest.map(|x| x / length);
        self.r[self.count] = coefficients;
        self.r[self.count][self.count] = length;
        self.count += 1;
        true
    }

    /// `R^-1 c`
    pub(crate) fn solve(&self, c: &Vector6) -> Vector6 {
        let mut x = *c;
        for j in (0..self.count).rev() {
            x[j] /= self.r[j][j];
            for i in 0..j {
                x[i] -= self.r[j][i] * x[j];
            }
        }
        x
    }

    /// `R^-T c`
    pub(crate) fn solve_transposed(&self, c: &Vector6) -> Vector6 {
        let mut x = *c;
        for j in 0..self.count {
            for i in 0..j {
                x[j] -= self.r[j][i] * x[i];
            }
            x[j] /= self.r[j][j];
        }
        x
    }
}

/// The rows that bear load at the nearest point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ActiveSet {
    count: usize,
    rows: [usize; SIX],
    multipliers: Vector6,
    factor: Factor,
}

impl ActiveSet {
    /// Indices of the active rows, in the order in which they came.
    pub(crate) fn rows(&self) -> &[usize] {
        &self.rows[..self.count]
    }

    /// Their multipliers, all positive.
    pub(crate) fn multipliers(&self) -> &[f64] {
        &self.multipliers[..self.count]
    }

    pub(crate) fn factor(&self) -> &Factor {
        &self.factor
    }

    /// Finds the point nearest to `y` within all half-spaces and leaves it in `y`; rows may be short of their bounds by `tolerance`.
    pub(crate) fn nearest(&mut self, y: &mut Vector6, rows: &[HalfSpace], tolerance: f64) -> Ending {
        self.count = 0;
        self.factor = Factor::default();
        let mut exchanges = 20 * (rows.len() + SIX);
        while let Some(new) = self.worst(y, rows, tolerance) {
            let mut multiplier = 0.0;
            loop {
                if exchanges == 0 {
                    return Ending::Unfinished;
                }
                exchanges -= 1;
                let HalfSpace { normal, bound, .. } = &rows[new];
                let (z, coefficients) = self.factor.split(normal);
                let falling = self.factor.solve(&coefficients);
                let (leaving, short) = self.first_to_leave(&falling);
                let squared = dot(&z, &z);
                let independent = self.count < SIX && squared > DEPENDENT * DEPENDENT * dot(normal, normal);
                let full = if independent { (bound - dot(normal, y)) / squared } else { f64::INFINITY };
                let step = full.min(short);
                if step == f64::INFINITY {
                    return Ending::Infeasible;
                }
                for (multiplier, rate) in self.multipliers[..self.count].iter_mut().zip(&falling) {
                    *multiplier = (*multiplier - step * rate).max(0.0);
                }
                multiplier += step;
                if independent {
                    add(y, step, &z);
                }
                if full <= short {
                    if !self.factor.push(normal) {
                        return Ending::Unfinished;
                    }
                    self.rows[self.count] = new;
                    self.multipliers[self.count] = multiplier;
                    self.count += 1;
                    break;
                }
                self.remove(leaving, rows);
            }
        }
        Ending::Solved
    }

    /// The row that is violated most, of those that were active before if there is one.
    fn worst(&self, y: &Vector6, rows: &[HalfSpace], tolerance: f64) -> Option<usize> {
        let mut worst = (false, tolerance, None);
        for (index, row) in rows.iter().enumerate() {
            let missing = row.bound - dot(&row.normal, y);
            let worse = if row.preferred == worst.0 { missing > worst.1 } else { row.preferred };
            if missing > tolerance && worse && !self.rows().contains(&index) {
                worst = (row.preferred, missing, Some(index));
            }
        }
        worst.2
    }

    /// The active row whose multiplier reaches 0 first, and after which step.
    fn first_to_leave(&self, falling: &Vector6) -> (usize, f64) {
        let mut first = (0, f64::INFINITY);
        for (place, (multiplier, &rate)) in self.multipliers().iter().zip(falling).enumerate() {
            // Slower than this is rounding.
            if rate > 1e-12 && multiplier / rate < first.1 {
                first = (place, multiplier / rate);
            }
        }
        first
    }

    fn remove(&mut self, place: usize, rows: &[HalfSpace]) {
        self.rows.copy_within(place + 1..self.count, place);
        self.multipliers.copy_within(place + 1..self.count, place);
        self.count -= 1;
        self.factor = Factor::default();
        for &row in &self.rows[..self.count] {
            self.factor.push(&rows[row].normal);
        }
    }
}

#[cfg(test)]
#[path = "active_set_tests.rs"]
mod tests;
