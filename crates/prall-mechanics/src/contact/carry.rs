//! How the supports of one body share a load.
//!
//! Wanted: the least change of the percussions `l_i` of the body's support points, within their cones, that gives it the wrench `w`:
//!
//! ```text
//! min 1/2 sum |l_i - l0_i|^2   with   l_i in C_i,   sum G_i l_i = w
//! ```
//!
//! Without cones this is linear: `l_i = l0_i + G_i' y` with `(sum G_i G_i') y = w - sum G_i l0_i`. With cones it has a dual in six
//! unknowns, `l_i = P(z_i)`, `z_i = l0_i + G_i' y`, where `y` is the least point of the convex `phi(y) = sum 1/2 |P(z_i)|^2 - w.y`
//! (its gradient is what is missing of `w`); semismooth Newton with a line search finds it. Torques count per radius of gyration, so
//! that all six rows are of one size.
//!
//! Where fixed walls face each other the problem has too many solutions: the walls could squeeze as hard as friction needs, though nothing
//! presses them. So what supports from below is asked first; then all, if no two of them are opposed; and else only those that push
//! along the force that is wanted, which the others do not squeeze.

use glam::DVec3;
use prall_math::Wrench;

use super::block::{Block, Point};

type Six = [f64; 6];

/// Newton steps before a load counts as one that the supports cannot carry. A feasible one takes 3 to 10.
const MOST_STEPS: usize = 25;

/// What may be missing of the wrench, relative to the load: a hundred roundings of a stack of hundreds.
const MISSING: f64 = 1e-11;

/// Regularisation of the 6 x 6 matrices relative to their trace: supports on a line or a point leave directions without stiffness.
const SOFT: f64 = 1e-12;

/// Supports are opposed if the cosine between their normals is below this: three walls round a prism are, a wall and a floor are not.
const OPPOSED: f64 = -0.3;

/// A support pushes along a force if their cosine is above this: rounding of normals is far below it.
const ALONG: f64 = 1e-6;

/// Which supports are asked to carry.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Share {
    All,
    /// Those below the body.
    Below,
    /// Those that push along a direction.
    Along(DVec3),
}

/// The support points of one body: blocks, all points of the island, and which of them touch.
pub(super) struct Supports<'a> {
    pub body: u32,
    pub blocks: &'a [Block],
    pub points: &'a mut [Point],
    /// Largest gap that counts as closed, in m.
    pub shell: f64,
    /// Radius of gyration in m.
    pub size: f64,
    share: Share,
}

impl<'a> Supports<'a> {
    pub(super) fn new(
        body: u32,
        blocks: &'a [Block],
        points: &'a mut [Point],
        shell: f64,
        size: f64,
    ) -> Supports<'a> {
        Supports { body, blocks, points, shell, size, share: Share::All }
    }

    /// The direction in which a block pushes the body.
    fn push(&self, block: &Block) -> DVec3 {
        if block.a == self.body { block.n } else { -block.n }
    }

    fn takes_part(&self, block: &Block) -> bool {
        block.supports
            && block.upper == self.body
            && match self.share {
                Share::All => true,
                Share::Below => block.below,
                Share::Along(direction) => self.push(block).dot(direction) > ALONG,
            }
    }

    /// The blocks that take part and touch.
    fn touching(&self) -> impl Iterator<Item = &'a Block> {
        let blocks = self.blocks;
        blocks.iter().filter(|block| {
            self.takes_part(block) && self.points[block.range()].iter().any(|p| p.gap < self.shell)
        })
    }

    /// Calls `visit` with each touching point, its static friction and the columns of its `G`.
    fn each(&mut self, mut visit: impl FnMut(&mut Point, f64, &[Six; 3])) {
        let lever = 1.0 / self.size;
        let blocks = self.blocks;
        for block in blocks {
            if !self.takes_part(block) {
                continue;
            }
            let (sign, arm) = if block.a == self.body { (1.0, block.arm_a) } else { (-1.0, block.arm_b) };
            let (across_n, across_1, across_2) =
                (arm.cross(block.n), arm.cross(block.t1), arm.cross(block.t2));
            for point in &mut self.points[block.range()] {
                if point.gap >= self.shell {
                    continue;
                }
                let column = |f: DVec3, t: DVec3| {
                    let (f, t) = (f * sign, t * (sign * lever));
                    [f.x, f.y, f.z, t.x, t.y, t.z]
                };
                let g = [
                    column(block.n, across_n - block.t2 * point.d1 + block.t1 * point.d2),
                    column(block.t1, across_1 - block.n * point.d2),
                    column(block.t2, across_2 + block.n * point.d1),
                ];
                visit(point, block.static_friction, &g);
            }
        }
    }

    /// Changes the trial percussions so that they give the body `missing` more; false, and nothing changed, if the cones do not
    /// allow it. `load` in N s says what counts as small.
    pub(super) fn add(&mut self, missing: Wrench, load: f64) -> bool {
        let (f, t) = (missing.force, missing.torque / self.size);
        let mut wanted = [f.x, f.y, f.z, t.x, t.y, t.z];
        self.share = Share::All;
        if self.touching().all(|block| block.below) {
            return self.share(&wanted, load);
        }
        self.share = Share::Below;
        if self.share(&wanted, load) {
            return true;
        }
        self.share = Share::All;
        if self.are_opposed() {
            self.release(&mut wanted);
            let Some(direction) = DVec3::new(wanted[0], wanted[1], wanted[2]).try_normalize() else {
                return false;
            };
            self.share = Share::Along(direction);
        }
        self.share(&wanted, load)
    }

    fn share(&mut self, wanted: &Six, load: f64) -> bool {
        self.spread(wanted, load) || self.carry(wanted, load)
    }

    /// True if two of the supports face each other.
    fn are_opposed(&self) -> bool {
        self.touching().any(|one| self.touching().any(|other| self.push(one).dot(self.push(other)) < OPPOSED))
    }

    /// Takes back all trial percussions; what they gave is wanted too.
    fn release(&mut self, wanted: &mut Six) {
        self.each(|point, _, g| {
            for (column, l) in g.iter().zip(point.trial) {
                wanted.iter_mut().zip(column).for_each(|(w, c)| *w += c * l);
            }
            point.trial = [0.0; 3];
        });
    }

    /// The linear way.
    fn spread(&mut self, wanted: &Six, load: f64) -> bool {
        let mut matrix = [[0.0; 6]; 6];
        self.each(|_, _, g| {
            for column in g {
                add_square(&mut matrix, column, column, 1.0);
            }
        });
        let Some(factor) = Cholesky::new(&mut matrix) else { return false };
        let mut y = factor.solve(wanted);
        // Once more with what regularisation left.
        let rest = self.rest_of(wanted, &y);
        let more = factor.solve(&rest);
        y = std::array::from_fn(|i| y[i] + more[i]);
        if !(norm(&self.rest_of(wanted, &y)) <= MISSING * load) {
            return false;
        }
        let mut allowed = true;
        self.each(|p, friction, g| {
            let l: [f64; 3] = std::array::from_fn(|i| p.trial[i] + dot(&g[i], &y));
            allowed &= l[0] >= 0.0 && l[1] * l[1] + l[2] * l[2] <= friction * friction * l[0] * l[0];
        });
        if allowed {
            self.each(|p, _, g| p.trial = std::array::from_fn(|i| p.trial[i] + dot(&g[i], &y)));
        }
        allowed
    }

    fn rest_of(&mut self, wanted: &Six, y: &Six) -> Six {
        let mut rest = *wanted;
        self.each(|_, _, g| {
            for column in g {
                let share = dot(column, y);
                rest.iter_mut().zip(column).for_each(|(r, c)| *r -= c * share);
            }
        });
        rest
    }

    /// `phi`, what is missing, and the derivative, at `y`.
    fn dual(&mut self, whole: &Six, y: &Six) -> (f64, Six, [Six; 6]) {
        let mut phi = -dot(whole, y);
        let mut missing = *whole;
        let mut matrix = [[0.0; 6]; 6];
        self.each(|p, friction, g| {
            let z: [f64; 3] = std::array::from_fn(|i| p.trial[i] + dot(&g[i], y));
            let (l, derivative) = project(z, friction);
            phi += 0.5 * (l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
            for (i, column) in g.iter().enumerate() {
                missing.iter_mut().zip(column).for_each(|(m, c)| *m -= c * l[i]);
                for (j, other) in g.iter().enumerate() {
                    if derivative[i][j] != 0.0 {
                        add_square(&mut matrix, column, other, derivative[i][j]);
                    }
                }
            }
        });
        (phi, missing, matrix)
    }

    /// The way with cones.
    fn carry(&mut self, wanted: &Six, load: f64) -> bool {
        // The whole wrench of these points: what the trial gives, plus what is wanted.
        let mut whole = *wanted;
        self.each(|p, _, g| {
            for (column, l) in g.iter().zip(p.trial) {
                whole.iter_mut().zip(column).for_each(|(w, c)| *w += c * l);
            }
        });
        let mut y = [0.0; 6];
        let (mut phi, mut missing, mut matrix) = self.dual(&whole, &y);
        for _ in 0..MOST_STEPS {
            if norm(&missing) <= MISSING * load {
                self.each(|p, friction, g| {
                    let z: [f64; 3] = std::array::from_fn(|i| p.trial[i] + dot(&g[i], &y));
                    p.trial = project(z, friction).0;
                });
                return true;
            }
            let Some(factor) = Cholesky::new(&mut matrix) else { return false };
            let direction = factor.solve(&missing);
            let slope = -dot(&missing, &direction);
            let mut step = 1.0;
            loop {
                let next: Six = std::array::from_fn(|i| y[i] + step * direction[i]);
                let (value, left, derivative) = self.dual(&whole, &next);
                // Near the solution phi cannot be told apart any more; there what is missing decides.
                if value <= phi + 1e-4 * step * slope || norm(&left) < 0.5 * norm(&missing) {
                    (y, phi, missing, matrix) = (next, value, left, derivative);
                    break;
                }
                step *= 0.5;
                if step < 1e-6 {
                    return false;
                }
            }
        }
        false
    }
}

/// Projection on the cone `|(l1, l2)| <= friction * ln`, and its derivative.
fn project(z: [f64; 3], friction: f64) -> ([f64; 3], [[f64; 3]; 3]) {
    let [a, b1, b2] = z;
    let r = (b1 * b1 + b2 * b2).sqrt();
    if friction == 0.0 {
        let open = f64::from(a > 0.0);
        return ([a.max(0.0), 0.0, 0.0], [[open, 0.0, 0.0], [0.0; 3], [0.0; 3]]);
    }
    if r <= friction * a {
        return (z, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    }
    if friction * r <= -a {
        return ([0.0; 3], [[0.0; 3]; 3]);
    }
    let share = 1.0 / (1.0 + friction * friction);
    let ln = (a + friction * r) * share;
    let (u1, u2) = (b1 / r, b2 / r);
    let radius = friction * ln;
    let (across, along) = (radius / r, friction * friction * share);
    let mixed = friction * share;
    let derivative = [
        [share, mixed * u1, mixed * u2],
        [mixed * u1, along * u1 * u1 + across * u2 * u2, (along - across) * u1 * u2],
        [mixed * u2, (along - across) * u1 * u2, along * u2 * u2 + across * u1 * u1],
    ];
    ([ln, radius * u1, radius * u2], derivative)
}

fn dot(a: &Six, b: &Six) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &Six) -> f64 {
    dot(a, a).sqrt()
}

/// `matrix += factor a b'`, the lower triangle.
fn add_square(matrix: &mut [Six; 6], a: &Six, b: &Six, factor: f64) {
    for i in 0..6 {
        for j in 0..=i {
            matrix[i][j] += factor * a[i] * b[j];
        }
    }
}

/// `L L' = matrix`, from the lower triangle.
struct Cholesky {
    lower: [Six; 6],
}

impl Cholesky {
    fn new(matrix: &mut [Six; 6]) -> Option<Cholesky> {
        let trace: f64 = (0..6).map(|i| matrix[i][i]).sum();
        if !(trace > 0.0) {
            return None;
        }
        let mut lower = *matrix;
        for i in 0..6 {
            for j in 0..=i {
                let soft = if i == j { SOFT * trace } else { 0.0 };
                let product: f64 = lower[i][..j].iter().zip(&lower[j][..j]).map(|(a, b)| a * b).sum();
                let sum = matrix[i][j] + soft - product;
                if i == j {
                    if !(sum > 0.0) {
                        return None;
                    }
                    lower[i][i] = sum.sqrt();
                } else {
                    lower[i][j] = sum / lower[j][j];
                }
            }
        }
        Some(Cholesky { lower })
    }

    fn solve(&self, right: &Six) -> Six {
        let l = &self.lower;
        let mut x = *right;
        for i in 0..6 {
            for k in 0..i {
                x[i] -= l[i][k] * x[k];
            }
            x[i] /= l[i][i];
        }
        for i in (0..6).rev() {
            for k in i + 1..6 {
                x[i] -= l[k][i] * x[k];
            }
            x[i] /= l[i][i];
        }
        x
    }
}
