//! The motion nearest to a goal with contacts that open, hold and rub: Coulomb's law on the impulses of an interval.
//!
//! ```text
//! y = goal + sum (a_i p_i + T_i f_i)       p_i >= 0,  a_i . y >= b_i,  p_i (a_i . y - b_i) = 0
//! |f_i| <= mu_i p_i,  and where T_i' y, the slip, is not 0, f_i points against it with |f_i| = mu_i p_i
//! ```
//! in coordinates in which the metric is the identity. First way: normals exactly by the active set for a given friction, then friction by
//! projected Gauss-Seidel within the motions that leave the active normals alone; again while contacts come and go. In wedges that cycles. Second
//! way: normals and friction by Gauss-Seidel together from zero, then normals exactly once more. Friction never drives: what moves farther than it was
//! asked to, beyond what opening gaps needs, stands still.

use crate::active_set::{ActiveSet, Ending, HalfSpace, SIX, Vector6, add, dot, norm};

/// Rounds of the first way.
const ROUNDS: usize = 4;
/// Passes over the friction of the active contacts in a round.
const PASSES: usize = 60;
/// Passes of the second way.
const SECOND_PASSES: usize = 150;

/// A contact of the linear problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrictionRow {
    pub(crate) half_space: HalfSpace,
    /// Rows of the slip along two directions across the normal.
    pub(crate) tangents: [Vector6; 2],
    /// What the obstacle itself moves along them, in m: slip counts from there.
    pub(crate) drift: [f64; 2],
    pub(crate) friction: f64,
    /// Impulses, in m of the unit metric: a guess before, the result after.
    pub(crate) normal_impulse: f64,
    pub(crate) friction_impulse: [f64; 2],
}

/// How exact a solution is, in m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exactness {
    /// Gaps may be short by this.
    pub(crate) gap: f64,
    /// A pass that changes motion by less is the last.
    pub(crate) motion: f64,
}

/// An active contact with what friction on it does.
#[derive(Clone, Copy, Debug, Default)]
struct Rubbing {
    row: usize,
    /// Of the tangents what leaves the active normals alone, and what their multipliers must give for it.
    free: [Vector6; 2],
    given: [Vector6; 2],
    /// 1 over the larger eigenvalue of the tangents' block; 0 if friction does nothing here.
    step: f64,
}

/// Solves contact problems in six unknowns.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrictionSolver {
    active: ActiveSet,
    half_spaces: Vec<HalfSpace>,
    touched: Vec<bool>,
    /// Solves that needed the second way.
    pub(crate) second_ways: usize,
    /// Solves whose result would have driven the part.
    pub(crate) driven: usize,
}

impl FrictionSolver {
    /// Finds the motion from the goal in `y`; impulses of the rows are guesses before and results after.
    ///
    /// If it ends otherwise than solved, `y` is not to be used.
    pub(crate) fn solve(
        &mut self,
        y: &mut Vector6,
        rows: &mut [FrictionRow],
        exactness: Exactness,
    ) -> Ending {
        let goal = *y;
        self.half_spaces.clear();
        self.half_spaces.extend(rows.iter().map(|row| row.half_space));
        self.touched.clear();
        self.touched.resize(rows.len(), false);
        if rows.iter().all(|row| row.friction == 0.0) {
            let ending = self.active.nearest(y, &self.half_spaces, exactness.gap);
            self.file_normals(rows);
            rows.iter_mut().for_each(|row| row.friction_impulse = [0.0; 2]);
            return ending;
        }
        for _ in 0..ROUNDS {
            let ending = self.normals(y, &goal, rows, exactness);
            if ending != Ending::Solved {
                return ending;
            }
            if self.rub(y, &goal, rows, exactness) {
                return self.checked(y, &goal, rows, exactness);
            }
        }
        self.second_ways += 1;
        let ending = self.second_way(y, &goal, rows, exactness);
        if ending != Ending::Solved { ending } else { self.checked(y, &goal, rows, exactness) }
    }

    /// The nearest motion without friction, for the same rows: what would happen if nothing rubbed.
    pub(crate) fn without_friction(&mut self, y: &mut Vector6, rows: &[FrictionRow], gap: f64) -> Ending {
        self.half_spaces.clear();
        self.half_spaces.extend(rows.iter().map(|row| row.half_space));
        self.active.nearest(y, &self.half_spaces, gap)
    }

    /// Exact normals for the friction as it stands.
    fn normals(
        &mut self,
        y: &mut Vector6,
        goal: &Vector6,
        rows: &mut [FrictionRow],
        exactness: Exactness,
    ) -> Ending {
        *y = *goal;
        for row in rows.iter() {
            for (tangent, impulse) in row.tangents.iter().zip(row.friction_impulse) {
                add(y, impulse, tangent);
            }
        }
        let ending = self.active.nearest(y, &self.half_spaces, exactness.gap);
        self.file_normals(rows);
        ending
    }

    fn file_normals(&mut self, rows: &mut [FrictionRow]) {
        rows.iter_mut().for_each(|row| row.normal_impulse = 0.0);
        for (&row, &multiplier) in self.active.rows().iter().zip(self.active.multipliers()) {
            rows[row].normal_impulse = multiplier;
            self.touched[row] = true;
        }
    }

    /// Friction of the active contacts; true if it settled without a contact that pulls or a row that fails.
    fn rub(
        &mut self,
        y: &mut Vector6,
        goal: &Vector6,
        rows: &mut [FrictionRow],
        exactness: Exactness,
    ) -> bool {
        let count = self.active.rows().len();
        let factor = *self.active.factor();
        let mut rubbing = [Rubbing::default(); SIX];
        let mut without = *goal;
        let mut gaps = [0.0; SIX];
        for (index, row) in rows.iter_mut().enumerate() {
            if !self.active.rows().contains(&index) {
                // What has left rubs no more.
                row.friction_impulse = [0.0; 2];
            }
            for (tangent, impulse) in row.tangents.iter().zip(row.friction_impulse) {
                add(&mut without, impulse, tangent);
            }
        }
        for (place, &row) in self.active.rows().iter().enumerate() {
            rubbing[place] = Rubbing { row, ..Rubbing::default() };
            for k in 0..2 {
                let (free, along) = factor.split(&rows[row].tangents[k]);
                rubbing[place].free[k] = free;
                rubbing[place].given[k] = factor.solve(&along);
            }
            let [u, v] = &rubbing[place].free;
            let (uu, uv, vv) = (dot(u, u), dot(u, v), dot(v, v));
            let largest = 0.5 * (uu + vv) + (0.25 * (uu - vv) * (uu - vv) + uv * uv).sqrt();
            rubbing[place].step = if largest > 1e-12 { 1.0 / largest } else { 0.0 };
            let HalfSpace { normal, bound, .. } = &rows[row].half_space;
            gaps[place] = bound - dot(normal, &without);
        }
        // p = R^-1 R^-T (b - N' (goal + T f)) and y = goal + T f + N p
        let mut normals = factor.solve(&factor.solve_transposed(&gaps));
        *y = without;
        for (part, impulse) in rubbing[..count].iter().zip(normals) {
            add(y, impulse, &rows[part.row].half_space.normal);
        }
        let mut settled = false;
        for _ in 0..PASSES {
            let mut change = 0.0_f64;
            for place in 0..count {
                let part = &rubbing[place];
                let row = &mut rows[part.row];
                if part.step == 0.0 {
                    continue;
                }
                let slip: [f64; 2] = std::array::from_fn(|k| dot(&row.tangents[k], y) - row.drift[k]);
                let wanted = std::array::from_fn(|k| row.friction_impulse[k] - part.step * slip[k]);
                let new = on_disc(wanted, row.friction * normals[place].max(0.0));
                let mut moved = [0.0; SIX];
                for (k, new) in new.iter().enumerate() {
                    let more = new - row.friction_impulse[k];
                    add(&mut moved, more, &part.free[k]);
                    add(&mut normals, -more, &part.given[k]);
                }
                row.friction_impulse = new;
                add(y, 1.0, &moved);
                change = change.max(norm(&moved));
            }
            if change < exactness.motion {
                settled = true;
                break;
            }
        }
        for (part, impulse) in rubbing[..count].iter().zip(normals) {
            rows[part.row].normal_impulse = impulse;
        }
        let pulls = normals[..count].iter().any(|impulse| *impulse < -exactness.gap);
        let fails = rows
            .iter()
            .any(|row| row.half_space.bound - dot(&row.half_space.normal, y) > 2.0 * exactness.gap);
        settled && !pulls && !fails
    }

    /// Normals and friction by Gauss-Seidel over all contacts that have been touched, from zero.
    fn second_way(
        &mut self,
        y: &mut Vector6,
        goal: &Vector6,
        rows: &mut [FrictionRow],
        exactness: Exactness,
    ) -> Ending {
        *y = *goal;
        for row in rows.iter_mut() {
            (row.normal_impulse, row.friction_impulse) = (0.0, [0.0; 2]);
        }
        for _ in 0..SECOND_PASSES {
            let mut change = 0.0_f64;
            for (row, touched) in rows.iter_mut().zip(&mut self.touched) {
                let HalfSpace { normal, bound, .. } = row.half_space;
                let missing = bound - dot(&normal, y);
                *touched |= missing > exactness.gap;
                if *touched {
                    change = change.max(relax(row, y, missing));
                }
            }
            if change < exactness.motion {
                break;
            }
        }
        self.normals(y, goal, rows, exactness)
    }

    /// Lets friction not drive: stands still if the motion is larger than what was asked and what gaps need.
    fn checked(
        &mut self,
        y: &mut Vector6,
        goal: &Vector6,
        rows: &mut [FrictionRow],
        exactness: Exactness,
    ) -> Ending {
        let (reached, asked) = (norm(y), norm(goal));
        if reached <= asked * (1.0 + 1e-9) + exactness.gap {
            return Ending::Solved;
        }
        let mut needed = [0.0; SIX];
        let ending = self.active.nearest(&mut needed, &self.half_spaces, exactness.gap);
        if ending == Ending::Solved && reached > (asked + norm(&needed)) * (1.0 + 1e-9) + exactness.gap {
            self.driven += 1;
            *y = needed;
            for row in rows.iter_mut() {
                row.friction_impulse = [0.0; 2];
            }
            self.file_normals(rows);
        }
        ending
    }
}

/// One contact of the second way: its normal, then its friction; by how much it moved the part.
fn relax(row: &mut FrictionRow, y: &mut Vector6, missing: f64) -> f64 {
    let normal = row.half_space.normal;
    let squared = dot(&normal, &normal);
    let new = (row.normal_impulse + missing / squared).max(0.0);
    let mut moved = [0.0; SIX];
    add(&mut moved, new - row.normal_impulse, &normal);
    row.normal_impulse = new;
    add(y, 1.0, &moved);
    let [u, v] = &row.tangents;
    let (uu, uv, vv) = (dot(u, u), dot(u, v), dot(v, v));
    let step = 1.0 / (0.5 * (uu + vv) + (0.25 * (uu - vv) * (uu - vv) + uv * uv).sqrt());
    let slip: [f64; 2] = std::array::from_fn(|k| dot(&row.tangents[k], y) - row.drift[k]);
    let wanted = std::array::from_fn(|k| row.friction_impulse[k] - step * slip[k]);
    let new = on_disc(wanted, row.friction * row.normal_impulse);
    for (k, new) in new.iter().enumerate() {
        let more = new - row.friction_impulse[k];
        add(y, more, &row.tangents[k]);
        add(&mut moved, more, &row.tangents[k]);
    }
    row.friction_impulse = new;
    norm(&moved)
}

/// The nearest point of a disc about 0.
fn on_disc([x, y]: [f64; 2], radius: f64) -> [f64; 2] {
    let length = (x * x + y * y).sqrt();
    if length <= radius { [x, y] } else { [x, y].map(|value| value * (radius / length)) }
}
