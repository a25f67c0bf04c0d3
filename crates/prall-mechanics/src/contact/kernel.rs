//! Relaxation of one block: its points are iterated inside six rows, the bodies are touched once.
//!
//! Normal percussions: `ln' = max(floor, ln - (vn + bias) / knn)`. Friction: the sticking candidate is
//! `lt - Ktt^-1 vt`. Where it leaves the cone, the step is the scalar one, `lt - vt / lambda_max(Ktt)`, scaled back to the
//! cone: its fixed points are exactly Coulomb's (friction opposite to sliding), which is not so for the candidate scaled back,
//! because `Ktt` is anisotropic.
//!
//! Friction answers only after the normal percussion, so a step of `ln` alone goes wrong where friction acts strongly on the normal: the
//! error is multiplied by `-mu knt / knn` in each pass. Beyond half of that, a point that presses moves along its present ray
//! `l = ln (1, r1, r2)` instead, `ln' = ln - (vn + bias) / k` with `k = knn + r1 kn1 + r2 kn2`, which stays in the cone.

use super::block::{Block, Matrix, Point, Row, Rows};
use super::sweep::Pace;

/// Passes inside a block end when velocities change by less than this part of the sweep's tolerance.
const INNER_TOLERANCE: f64 = 0.02;

/// They also end when they change by less than this part of the first pass. Within sweeps, the next one, which knows what the neighbours did,
/// does more for the rest than another pass...
pub(super) const SWEPT: f64 = 0.1;

/// ...but where a block is to be solved by itself, little must be left.
pub(super) const ALONE: f64 = 1e-3;

/// True if nothing presses and nothing closes: the block can be passed by.
#[inline]
pub(super) fn is_idle(points: &[Point], y: &Rows) -> bool {
    points.iter().all(|p| p.l[0] == 0.0 && p.along_normal(y) + p.bias >= 0.0)
}

/// `y += column factor`, six rows padded to eight.
#[inline]
fn add_column(y: &mut Rows, column: &Rows, factor: f64) {
    for (y, c) in y.iter_mut().zip(column) {
        *y = c.mul_add(factor, *y);
    }
}

/// Relaxes the points of a block as the pace says. Returns the wrench to be applied to A (and its opposite to
/// B), the largest velocity change of the first pass in m/s, and how many passes it took.
pub(super) fn relax(
    block: &mut Block,
    k: &Matrix,
    points: &mut [Point],
    rows: &[Row],
    y: &mut Rows,
    pace: Pace,
) -> (Rows, f64, u32) {
    let before = block.total(points);
    let mut first = 0.0;
    let mut count = 0;
    let resists_turning = block.resists_turning();
    let is_rough = block.static_friction > 0.0 || block.dynamic_friction > 0.0;
    for pass in 0..pace.passes {
        let mut change = 0.0_f64;
        for (point, row) in points.iter_mut().zip(rows) {
            change = change.max(press(point, row, y));
            if is_rough {
                change = change.max(rub(block, point, row, y));
            }
        }
        if resists_turning {
            let load = points.iter().map(|p| p.l[0]).sum();
            change = change.max(resist_turning(block, k, load, y));
        }
        if pass == 0 {
            first = change;
        }
        count = pass + 1;
        if change <= INNER_TOLERANCE * pace.tolerance || change <= pace.decay * first {
            break;
        }
    }
    let after = block.total(points);
    (std::array::from_fn(|i| after[i] - before[i]), first, count)
}

/// Friction acts strongly on the normal where it changes its response by this share.
const STRONG: f64 = 0.9;

/// Least response along a ray, as a share of the normal one. Below it lies Painleve's paradox, for which the ray has no answer.
const LEAST_ALONG_RAY: f64 = 0.05;

/// What a unit of the normal percussion does along the present ray, and the ray, if that differs much from `knn`.
#[inline]
fn ray(p: &Point, row: &Row) -> Option<(f64, f64, f64)> {
    let [ln, l1, l2] = p.l;
    if !(ln > 0.0) || (l1 == 0.0 && l2 == 0.0) {
        return None;
    }
    let (r1, r2) = (l1 / ln, l2 / ln);
    let coupled = r1 * p.along_normal(&row.columns[1]) + r2 * p.along_normal(&row.columns[2]);
    let k = row.normal + coupled;
    (coupled.abs() > STRONG * row.normal && k > LEAST_ALONG_RAY * row.normal).then_some((k, r1, r2))
}

#[inline]
fn press(p: &mut Point, row: &Row, y: &mut Rows) -> f64 {
    if let Some((k, r1, r2)) = ray(p, row)
        && row.floor == 0.0
    {
        let ln = (p.l[0] - (p.along_normal(y) + p.bias) / k).max(0.0);
        let change = ln - p.l[0];
        for (i, share) in [1.0, r1, r2].into_iter().enumerate() {
            p.l[i] += share * change;
            add_column(y, &row.columns[i], share * change);
        }
        return change.abs() * row.normal.max(k);
    }
    let ln = (p.l[0] - (p.along_normal(y) + p.bias) * row.inverse_normal).max(row.floor);
    let change = ln - p.l[0];
    if change == 0.0 {
        return 0.0;
    }
    p.l[0] = ln;
    add_column(y, &row.columns[0], change);
    change.abs() * row.normal
}

#[inline]
fn rub(block: &Block, p: &mut Point, row: &Row, y: &mut Rows) -> f64 {
    let [ln, l1, l2] = p.l;
    let [v1, v2] = p.across(y);
    let mut c1 = l1 - (row.s11 * v1 + row.s12 * v2);
    let mut c2 = l2 - (row.s12 * v1 + row.s22 * v2);
    let limit = block.static_friction * ln;
    if c1 * c1 + c2 * c2 > limit * limit {
        c1 = l1 - v1 * row.inverse_tangential;
        c2 = l2 - v2 * row.inverse_tangential;
        let radius = block.dynamic_friction * ln;
        let length = (c1 * c1 + c2 * c2).sqrt();
        if length > radius {
            let scale = radius / length;
            c1 *= scale;
            c2 *= scale;
        }
    }
    let (f1, f2) = (c1 - l1, c2 - l2);
    if f1 == 0.0 && f2 == 0.0 {
        return 0.0;
    }
    p.l[1] = c1;
    p.l[2] = c2;
    add_column(y, &row.columns[1], f1);
    add_column(y, &row.columns[2], f2);
    f1.abs().max(f2.abs()) * row.tangential
}

/// The same steps for the moments: about the normal an interval, across it a disc, both as large as the load.
fn resist_turning(block: &mut Block, k: &Matrix, load: f64, y: &mut Rows) -> f64 {
    let old = block.moment;
    let mut change = 0.0_f64;
    // Angular velocities count as velocities at a lever of the arm that resists them.
    if k[3][3] > 0.0 {
        let limit = block.spinning_arm * load;
        let moment = (old[0] - y[3] / k[3][3]).clamp(-limit, limit);
        let turned = moment - old[0];
        block.moment[0] = moment;
        add_column(y, &k[3], turned);
        change = change.max(turned.abs() * k[3][3] * block.spinning_arm);
    }
    let half = 0.5 * (k[4][4] - k[5][5]);
    let largest = 0.5 * (k[4][4] + k[5][5]) + (half * half + k[4][5] * k[4][5]).sqrt();
    if largest > 0.0 {
        let (c1, c2) = (old[1] - y[4] / largest, old[2] - y[5] / largest);
        let (radius, length) = (block.rolling_arm * load, (c1 * c1 + c2 * c2).sqrt());
        let scale = if length > radius { radius / length } else { 1.0 };
        let (f1, f2) = (c1 * scale - old[1], c2 * scale - old[2]);
        block.moment[1] = c1 * scale;
        block.moment[2] = c2 * scale;
        add_column(y, &k[4], f1);
        add_column(y, &k[5], f2);
        change = change.max(f1.abs().max(f2.abs()) * largest * block.rolling_arm);
    }
    change
}
