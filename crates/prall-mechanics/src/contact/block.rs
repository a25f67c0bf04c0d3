//! One manifold as a problem of six rows.
//!
//! A manifold has a frame: its normal `n` (from B to A), tangents `t1`, `t2` with `t1 x t2 = n`, and its centre `p0`,
//! the mean of its points. In that frame the relative twist of A against B at `p0` is
//! `y = (v_n, v_1, v_2, w_n, w_1, w_2)`. A point at `p0 + d1 t1 + d2 t2` then has
//!
//! ```text
//! velocity     vn = y0 + d2 y4 - d1 y5,   vt = (y1 - d2 y3,  y2 + d1 y3)
//! wrench       W = (ln, l1, l2,  d1 l2 - d2 l1,  d2 ln,  -d1 ln)   of the percussion (ln, l1, l2) on A
//! response     y += K W,   K = sum over both bodies of [ 1/m - [r] J [r],  -[r] J ;  J [r],  J ]
//! ```
//!
//! with `r = p0 - centre` and `J` the inverse inertia, both in the frame. Both bodies feel the wrench at the same point
//! `p0`, with opposite signs: linear and angular momentum are kept to rounding, also over a gap.

use glam::{DMat3, DVec3};
use prall_math::{Twist, Wrench, skew};

use crate::{ContactLaw, Response};

/// Six rows, padded to two lanes of four.
pub(super) type Rows = [f64; 8];

/// `K` by columns.
pub(super) type Matrix = [Rows; 6];

/// Set in the index of a side that is a link: the rest is an index into the links of the island.
pub(super) const LINK: u32 = 1 << 31;

/// Of a block that has not been visited.
pub(super) const UNSEEN: f64 = f64::NEG_INFINITY;

/// Frame, arms and law of one manifold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub n: DVec3,
    pub t1: DVec3,
    pub t2: DVec3,
    /// `p0` as seen from the centres of the bodies.
    pub arm_a: DVec3,
    pub arm_b: DVec3,
    /// Where the sides are: in the arrays of the island, or [`LINK`].
    pub a: u32,
    pub b: u32,
    /// First of its points, in the arrays of the island.
    pub first: u32,
    pub count: u32,
    /// Which manifold it is.
    pub source: u32,
    /// The body that rests on the other, or that is the higher one, with `supports` saying which.
    pub upper: u32,
    pub supports: bool,
    /// It supports from below. What is fixed also supports from the side and from above.
    pub below: bool,
    pub static_friction: f64,
    pub dynamic_friction: f64,
    pub rolling_arm: f64,
    pub spinning_arm: f64,
    pub restitution: f64,
    /// Moments over time about `n`, `t1`, `t2` that resist turning and rolling.
    pub moment: [f64; 3],
    /// Moments to go back to.
    pub saved_moment: [f64; 3],
    /// How stirred its sides were together after its last visit, in m/s; negative before the first.
    pub seen: f64,
    /// When it meets next, in s from the step's start; infinite if it does not. Only for impacts in sequence.
    pub meets: f64,
    /// The block that meets first among this one and those below it in the tree of [`super::meetings`].
    pub earliest: u32,
    /// By side: the next block of the same body.
    pub next: [u32; 2],
    /// What the lever of the middle of the step adds to the velocity of A against B, in m/s.
    pub rolling: DVec3,
}

/// One point of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Point {
    pub d1: f64,
    pub d2: f64,
    /// In m.
    pub gap: f64,
    /// `vn >= -bias` is wanted, in m/s.
    pub bias: f64,
    /// The percussion `(ln, l1, l2)` on A.
    pub l: [f64; 3],
    /// A percussion on trial.
    pub trial: [f64; 3],
    /// It rebounds: its percussion says nothing about the next step.
    pub rebounds: bool,
    /// When it rebounds, from the start of the step, in s.
    pub met: f64,
}

/// What a point needs to be relaxed: parts of `K` seen at the point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    /// What a unit of `ln`, `l1` and `l2` changes in `y`: `K` times the wrench of each.
    pub columns: [Rows; 3],
    /// `vn` per `ln`, and its inverse.
    pub normal: f64,
    pub inverse_normal: f64,
    /// Inverse of the 2 x 2 tangential part.
    pub s11: f64,
    pub s12: f64,
    pub s22: f64,
    /// Its largest eigenvalue, and the inverse.
    pub tangential: f64,
    pub inverse_tangential: f64,
    /// Least normal percussion: 0, more in a rebound after Poisson.
    pub floor: f64,
    /// Percussion of impacts that were over before the lasting contact.
    pub impact: [f64; 3],
}

impl Point {
    /// `vn` of the rows of a twist.
    #[inline]
    pub(super) fn along_normal(&self, y: &Rows) -> f64 {
        y[0] + self.d2 * y[4] - self.d1 * y[5]
    }

    /// `vt` of the rows of a twist.
    #[inline]
    pub(super) fn across(&self, y: &Rows) -> [f64; 2] {
        [y[1] - self.d2 * y[3], y[2] + self.d1 * y[3]]
    }
}

impl Block {
    /// The frame of a normal.
    pub(super) fn new(normal: DVec3, law: &ContactLaw) -> Block {
        let (t1, t2) = normal.any_orthonormal_pair();
        Block {
            n: normal,
            t1,
            t2,
            arm_a: DVec3::ZERO,
            arm_b: DVec3::ZERO,
            a: 0,
            b: 0,
            first: 0,
            count: 0,
            source: 0,
            upper: 0,
            supports: false,
            below: false,
            static_friction: law.static_friction(),
            dynamic_friction: law.dynamic_friction(),
            rolling_arm: law.rolling_arm(),
            spinning_arm: law.spinning_arm(),
            restitution: law.restitution(),
            moment: [0.0; 3],
            saved_moment: [0.0; 3],
            seen: UNSEEN,
            meets: f64::INFINITY,
            earliest: 0,
            next: [0; 2],
            rolling: DVec3::ZERO,
        }
    }

    /// Its points among those of the island.
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// True if moments resist rolling or turning.
    pub(super) fn resists_turning(&self) -> bool {
        self.rolling_arm > 0.0 || self.spinning_arm > 0.0
    }

    /// A vector of the world in the frame.
    pub(super) fn in_frame(&self, v: DVec3) -> [f64; 3] {
        [self.n.dot(v), self.t1.dot(v), self.t2.dot(v)]
    }

    /// A vector of the frame in the world.
    pub(super) fn in_world(&self, v: [f64; 3]) -> DVec3 {
        self.n * v[0] + self.t1 * v[1] + self.t2 * v[2]
    }

    /// The rows `y` of a twist at `p0`.
    pub(super) fn rows(&self, twist: Twist) -> Rows {
        let [v0, v1, v2] = self.in_frame(twist.linear);
        let [w0, w1, w2] = self.in_frame(twist.angular);
        [v0, v1, v2, w0, w1, w2, 0.0, 0.0]
    }

    /// The relative twist that the law of contact is asked of: at `p0`, with the lever of the middle of the step.
    pub(super) fn ruled(&self, a: &Twist, b: &Twist) -> Rows {
        let mut y = self.relative(a, b);
        let [v0, v1, v2] = self.in_frame(self.rolling);
        (y[0], y[1], y[2]) = (y[0] + v0, y[1] + v1, y[2] + v2);
        y
    }

    /// The relative twist at `p0` of two bodies with these velocities of their centres.
    pub(super) fn relative(&self, a: &Twist, b: &Twist) -> Rows {
        let linear = a.linear - b.linear + a.angular.cross(self.arm_a) - b.angular.cross(self.arm_b);
        self.rows(Twist { linear, angular: a.angular - b.angular })
    }

    /// The wrench of rows, in the world, about `p0`.
    pub(super) fn wrench(&self, w: &Rows) -> Wrench {
        Wrench { force: self.in_world([w[0], w[1], w[2]]), torque: self.in_world([w[3], w[4], w[5]]) }
    }

    /// All percussions of its points, and its moments, as rows.
    pub(super) fn total(&self, points: &[Point]) -> Rows {
        let w = [0.0, 0.0, 0.0, self.moment[0], self.moment[1], self.moment[2], 0.0, 0.0];
        sum(w, points.iter().map(|p| (p, p.l)))
    }

    /// Percussions at points as rows.
    pub(super) fn total_of<'a>(&self, percussions: impl Iterator<Item = (&'a Point, [f64; 3])>) -> Rows {
        sum([0.0; 8], percussions)
    }

    /// All percussions on trial as rows.
    pub(super) fn trial_total(&self, points: &[Point]) -> Rows {
        self.total_of(points.iter().map(|p| (p, p.trial)))
    }

    /// The part of `K` that comes from a body with its centre at `-arm`.
    pub(super) fn add_response(&self, k: &mut Matrix, response: &Response, arm: DVec3) {
        if response.inverse_mass == 0.0 && response.inverse_inertia == DMat3::ZERO {
            return;
        }
        let frame = DMat3::from_cols(self.n, self.t1, self.t2);
        let j = frame.transpose() * response.inverse_inertia * frame;
        let [x, y, z] = self.in_frame(arm);
        let r = skew(DVec3::new(x, y, z));
        let turned = j * r;
        let moved = DMat3::from_diagonal(DVec3::splat(response.inverse_mass)) - r * turned;
        add_blocks(k, [[moved, turned.transpose()], [turned, j]]);
    }

    /// The part of `K` that comes from a mover: its response at `p0` in world axes.
    pub(super) fn add_world_response(&self, k: &mut Matrix, world: &crate::TwistResponse, sign: f64) {
        let frame = DMat3::from_cols(self.n, self.t1, self.t2);
        let turn = |block: DMat3| frame.transpose() * block * frame * sign;
        add_blocks(k, world.map(|row| row.map(turn)));
    }
}

/// Adds the rows of percussions at points.
fn sum<'a>(mut w: Rows, percussions: impl Iterator<Item = (&'a Point, [f64; 3])>) -> Rows {
    for (p, [ln, l1, l2]) in percussions {
        w[0] += ln;
        w[1] += l1;
        w[2] += l2;
        w[3] += p.d1 * l2 - p.d2 * l1;
        w[4] += p.d2 * ln;
        w[5] -= p.d1 * ln;
    }
    w
}

fn add_blocks(k: &mut Matrix, blocks: [[DMat3; 2]; 2]) {
    for (c, column) in k.iter_mut().enumerate() {
        let top = blocks[0][c / 3].col(c % 3);
        let bottom = blocks[1][c / 3].col(c % 3);
        for (row, value) in column.iter_mut().zip([top.x, top.y, top.z, bottom.x, bottom.y, bottom.z]) {
            *row += value;
        }
    }
}

/// Share of a response below which it is rounding: products of a few levers and inertias lose some digits.
const ROUNDING: f64 = 1e-12;

impl Row {
    /// What the point sees of `K`.
    pub(super) fn new(point: &Point, k: &Matrix) -> Row {
        let (d1, d2) = (point.d1, point.d2);
        let of_normal = std::array::from_fn(|i| k[0][i] + d2 * k[4][i] - d1 * k[5][i]);
        let of_first = std::array::from_fn(|i| k[1][i] - d2 * k[3][i]);
        let of_second: Rows = std::array::from_fn(|i| k[2][i] + d1 * k[3][i]);
        let columns: [Rows; 3] = [of_normal, of_first, of_second];
        let normal = point.along_normal(&of_normal);
        let [k11, k12] = point.across(&of_first);
        let k22 = point.across(&of_second)[1];
        let half = 0.5 * (k11 - k22);
        let tangential = 0.5 * (k11 + k22) + (half * half + k12 * k12).sqrt();
        let determinant = k11 * k22 - k12 * k12;
        // Links may have directions that nothing moves, but for rounding; then no percussion there is of any use.
        let least = ROUNDING * (k[0][0] + k[1][1] + k[2][2]);
        let above = |x: f64, least: f64| if x > least.max(f64::MIN_POSITIVE) { 1.0 / x } else { 0.0 };
        let inverse = |x: f64| above(x, least);
        let per = above(determinant, least * least);
        Row {
            columns,
            normal,
            inverse_normal: inverse(normal),
            s11: k22 * per,
            s12: -k12 * per,
            s22: k11 * per,
            tangential,
            inverse_tangential: inverse(tangential),
            floor: 0.0,
            impact: [0.0; 3],
        }
    }
}
