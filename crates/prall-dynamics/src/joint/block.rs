//! [`Block`]: all rows of one joint, solved together.
//!
//! Conditions that always hold (equalities, at most six) have the response `K = J W J^T`. A bounded row b (limit,
//! motor, servo, friction, spring) is solved as it acts once the equalities have answered: with
//! `g = J_e W J_b^T` and `y = K^-1 g`, its response is `s = J_b W J_b^T + softness - g . y`, and its error is reduced by
//! `y . r_e`. So one visit solves a joint with one bounded row exactly, however far the anchor is from the centres.

use glam::DVec3;
use prall_math::{Pose, Twist};
use prall_mechanics::{Bodies, Response};

use super::frames::{Frames, Row};
use super::rows::{Bounded, Spell};
use super::{Joint, JointKind, MOST_EQUALITIES};

/// Regularisation relative to a row's own response: above the rounding of `K`, far below what one sees. It keeps a joint
/// solvable whose rows depend on each other.
const REGULARISATION: f64 = 1e-14;

#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Index of the joint.
    pub(crate) joint: u32,
    pub(crate) bodies: [u32; 2],
    /// Which group of jointed bodies it belongs to.
    pub(crate) component: u32,
    /// False while the block is left out: nothing to move, or solved already.
    pub(crate) active: bool,
    /// True if neither body can be moved; such a joint is never solved.
    pub(crate) immovable: bool,
    /// For a ball that nothing drives, the place of its point on each body: all that its rows need of the joint.
    pub(crate) points: Option<[DVec3; 2]>,
    /// True if a direct solver works on it, and no sweep ever visits it.
    pub(crate) direct: bool,
    /// True if a direct solver works on it in a group with loops. Equalities then begin without impulses: what redundant rows
    /// hold against each other without effect would act once the rows have turned.
    pub(crate) redundant: bool,
    pub(crate) equalities: usize,
    pub(crate) rows: [Row; MOST_EQUALITIES],
    pub(crate) bias: [f64; MOST_EQUALITIES],
    pub(crate) impulses: [f64; MOST_EQUALITIES],
    pub(crate) bounded: Vec<Bounded>,
    responses: [Response; 2],
    pub(crate) turning: [[DVec3; 2]; MOST_EQUALITIES],
    inverse: [[f64; MOST_EQUALITIES]; MOST_EQUALITIES],
    /// Changes of the equalities' impulses by the last visit; and the way of the visits before it.
    changes: [f64; MOST_EQUALITIES],
    course: [f64; MOST_EQUALITIES],
    /// Impulses of the best look-ahead.
    kept: Vec<f64>,
    /// The last visit's changes times the errors that it found: twice the kinetic energy of what it changed, in J.
    pub(crate) gain: f64,
    /// Velocities after the last visit.
    pub(crate) after: [Twist; 2],
    /// Largest error in m/s or rad/s that the last visit found.
    pub(crate) residual: f64,
    /// The same of its bounded rows.
    pub(crate) bounded_residual: f64,
}

impl Block {
    pub(crate) fn new(joint: u32, bodies: [u32; 2], component: u32, immovable: bool) -> Block {
        Block {
            joint,
            bodies,
            component,
            active: !immovable,
            immovable,
            points: None,
            direct: false,
            redundant: false,
            equalities: 0,
            rows: [Row::default(); MOST_EQUALITIES],
            bias: [0.0; MOST_EQUALITIES],
            impulses: [0.0; MOST_EQUALITIES],
            bounded: Vec::new(),
            responses: [Response::NONE; 2],
            turning: [[DVec3::ZERO; 2]; MOST_EQUALITIES],
            inverse: [[0.0; MOST_EQUALITIES]; MOST_EQUALITIES],
            changes: [0.0; MOST_EQUALITIES],
            course: [0.0; MOST_EQUALITIES],
            kept: Vec::new(),
            gain: 0.0,
            after: [Twist::ZERO; 2],
            residual: 0.0,
            bounded_residual: 0.0,
        }
    }

    /// Rows, responses and impulses to begin with, at the present poses.
    pub(crate) fn prepare(&mut self, joint: &Joint, bodies: &Bodies, spell: &Spell) {
        let [a, b] = self.bodies.map(|index| index as usize);
        self.responses = [bodies.responses[a], bodies.responses[b]];
        let frames = self.frames(joint, [&bodies.poses[a], &bodies.poses[b]]);
        let mut count = 0;
        let (kind, offset) = self.kind(joint);
        kind.equalities(&frames, &joint.coordinates, offset, |_, row| {
            self.rows[count] = row;
            count += 1;
        });
        self.equalities = count;
        self.bias = [0.0; MOST_EQUALITIES];
        for i in 0..count {
            self.turning[i] = self.turned(&self.rows[i]);
            self.impulses[i] = if self.redundant { 0.0 } else { joint.memory[spell.memory()][i] };
        }
        let mut bounded = std::mem::take(&mut self.bounded);
        bounded.clear();
        if self.points.is_none() {
            joint.bounded_rows(&frames, spell, |row| bounded.push(row));
        }
        // Who solves all joints at once needs no answer of one alone.
        if !(self.direct && bounded.is_empty()) {
            self.invert();
        }
        for row in &mut bounded {
            *row = self.coupled(*row);
            row.begin(joint, spell);
        }
        self.bounded = bounded;
    }

    /// As much of the joint's frames as its rows need.
    pub(crate) fn frames(&self, joint: &Joint, poses: [&Pose; 2]) -> Frames {
        match &self.points {
            Some(points) => Frames::of_points(poses, points),
            None => Frames::new(poses, &joint.frames),
        }
    }

    /// The joint's kind and offset. Nets have more joints than fit into a cache, so it is not asked for what is known.
    fn kind(&self, joint: &Joint) -> (JointKind, f64) {
        if self.points.is_some() { (JointKind::BALL, 0.0) } else { (joint.kind, joint.offset) }
    }

    fn turned(&self, row: &Row) -> [DVec3; 2] {
        [0, 1].map(|side| self.responses[side].inverse_inertia * row.angular[side])
    }

    /// `J_1 W J_2^T` with the second row given with its turning response.
    fn response(&self, one: &Row, two: &Row, turning: &[DVec3; 2]) -> f64 {
        let mass = self.responses[0].inverse_mass + self.responses[1].inverse_mass;
        mass * one.linear.dot(two.linear) + one.angular[0].dot(turning[0]) + one.angular[1].dot(turning[1])
    }

    /// Inverse of `K` by Cholesky's factor.
    fn invert(&mut self) {
        let n = self.equalities;
        let mut k = [[0.0; MOST_EQUALITIES]; MOST_EQUALITIES];
        for (i, row) in k.iter_mut().enumerate().take(n) {
            for (j, entry) in row.iter_mut().enumerate().take(i + 1) {
                *entry = self.response(&self.rows[i], &self.rows[j], &self.turning[j]);
            }
            row[i] *= 1.0 + REGULARISATION;
        }
        self.inverse = inverse_of_symmetric(&k, n);
    }

    fn coupled(&self, mut row: Bounded) -> Bounded {
        row.turning = self.turned(&row.row);
        let own = self.response(&row.row, &row.row, &row.turning) + row.softness;
        let n = self.equalities;
        for i in 0..n {
            row.coupling[i] = self.response(&self.rows[i], &row.row, &row.turning);
        }
        for i in 0..n {
            row.answer[i] = (0..n).map(|j| self.inverse[i][j] * row.coupling[j]).sum();
        }
        let taken: f64 = (0..n).map(|i| row.coupling[i] * row.answer[i]).sum();
        // A row that the equalities hold already cannot be moved.
        let left = own - taken;
        row.inverse_response = if left > 1e-10 * own { 1.0 / left } else { 0.0 };
        row
    }

    /// Velocities of both bodies.
    pub(crate) fn velocities(&self, velocities: &[Twist]) -> [Twist; 2] {
        self.bodies.map(|body| velocities[body as usize])
    }

    fn push(&self, v: &mut [Twist; 2], row: &Row, turning: &[DVec3; 2], impulse: f64) {
        v[0].linear -= row.linear * (self.responses[0].inverse_mass * impulse);
        v[1].linear += row.linear * (self.responses[1].inverse_mass * impulse);
        v[0].angular += turning[0] * impulse;
        v[1].angular += turning[1] * impulse;
    }

    /// Velocities with all impulses so far applied once (again).
    pub(crate) fn with_impulses(&self, mut v: [Twist; 2]) -> [Twist; 2] {
        for i in 0..self.equalities {
            self.push(&mut v, &self.rows[i], &self.turning[i], self.impulses[i]);
        }
        for row in &self.bounded {
            self.push(&mut v, &row.row, &row.turning, row.impulse);
        }
        v
    }

    /// Changes the impulse of row `i` (equalities first, then bounded rows) within its bounds, and the velocities with it; true if
    /// a bound has stopped it.
    pub(crate) fn change(&mut self, v: &mut [Twist; 2], i: usize, wanted: f64) -> bool {
        let change = if i < self.equalities {
            self.impulses[i] += wanted;
            wanted
        } else {
            let row = &mut self.bounded[i - self.equalities];
            let after = (row.impulse + wanted).clamp(row.low, row.high);
            let change = after - row.impulse;
            row.impulse = after;
            change
        };
        let (row, turning) = self.row(i);
        self.push(v, row, turning, change);
        change != wanted
    }

    /// Error of row `i` in m/s or rad/s, and whether its impulse may change to remove it. Rows that are not there are held.
    pub(crate) fn error(&self, i: usize, v: &[Twist; 2]) -> (f64, bool) {
        if i < self.equalities {
            return (self.rows[i].rate(v) + self.bias[i], true);
        }
        let Some(row) = self.bounded.get(i - self.equalities) else { return (0.0, false) };
        let error = row.row.rate(v) + row.bias + row.softness * row.impulse;
        let held = (row.impulse <= row.low && error > 0.0) || (row.impulse >= row.high && error < 0.0);
        (error, !held && row.low < row.high)
    }

    /// Solves the joint at these velocities: impulses, velocities after it, and the error before.
    pub(crate) fn relax(&mut self, mut v: [Twist; 2]) {
        let n = self.equalities;
        let mut residuals = [0.0; MOST_EQUALITIES];
        let mut largest = 0.0_f64;
        for (residual, (row, bias)) in residuals.iter_mut().zip(self.rows.iter().zip(&self.bias)).take(n) {
            *residual = row.rate(&v) + bias;
            largest = largest.max(residual.abs());
        }
        let mut largest_bounded = 0.0_f64;
        // Two bounded rows or more act on each other; a second round leaves little.
        let rounds = if self.bounded.len() > 1 { 2 } else { 1 };
        let mut bounded = std::mem::take(&mut self.bounded);
        for round in 0..rounds {
            for row in &mut bounded {
                let held: f64 = (0..n).map(|i| row.answer[i] * residuals[i]).sum();
                let error = row.row.rate(&v) + row.bias + row.softness * row.impulse - held;
                let wanted = row.impulse - error * row.inverse_response;
                let change = wanted.clamp(row.low, row.high) - row.impulse;
                if change != 0.0 {
                    row.impulse += change;
                    self.push(&mut v, &row.row, &row.turning, change);
                    (0..n).for_each(|i| residuals[i] += row.coupling[i] * change);
                    if round == 0 {
                        largest_bounded = largest_bounded.max(change.abs() / row.inverse_response);
                    }
                }
            }
        }
        self.bounded = bounded;
        self.gain = 0.0;
        for i in 0..n {
            let change: f64 = -(0..n).map(|j| self.inverse[i][j] * residuals[j]).sum::<f64>();
            self.impulses[i] += change;
            self.changes[i] = change;
            self.gain -= change * residuals[i];
            self.push(&mut v, &self.rows[i], &self.turning[i], change);
        }
        self.after = v;
        self.residual = largest.max(largest_bounded);
        self.bounded_residual = largest_bounded;
    }

    /// Goes on along the last course by this part of it; the velocities then.
    pub(crate) fn follow(&mut self, part: f64, mut v: [Twist; 2]) -> [Twist; 2] {
        for i in 0..self.equalities {
            let change = part * self.course[i];
            self.impulses[i] += change;
            self.push(&mut v, &self.rows[i], &self.turning[i], change);
        }
        v
    }

    /// Makes the last visit's changes the course, with this part of the one before.
    pub(crate) fn turn_course(&mut self, part: f64) {
        for i in 0..self.equalities {
            self.course[i] = self.changes[i] + part * self.course[i];
        }
    }

    /// Sets what the equalities aim at from errors predicted with the velocities `v`, and says the largest one in
    /// m or rad.
    pub(crate) fn aim(&mut self, joint: &Joint, poses: [&Pose; 2], v: &[Twist; 2], spell: &Spell) -> f64 {
        let frames = self.frames(joint, poses);
        let mut largest = 0.0_f64;
        let mut i = 0;
        let (kind, offset) = self.kind(joint);
        kind.equalities(&frames, &joint.coordinates, offset, |error, _| {
            let miss = error - spell.left_open(joint.errors[i]);
            largest = largest.max(miss.abs());
            self.bias[i] = miss / spell.step - self.rows[i].rate(v);
            i += 1;
        });
        for row in &mut self.bounded {
            largest = largest.max(row.aim(joint, &frames, v, spell));
        }
        largest
    }

    /// Aims at equalities without a rate.
    pub(crate) fn aim_at_rest(&mut self) {
        self.bias = [0.0; MOST_EQUALITIES];
    }

    fn row(&self, i: usize) -> (&Row, &[DVec3; 2]) {
        if i < self.equalities {
            (&self.rows[i], &self.turning[i])
        } else {
            let row = &self.bounded[i - self.equalities];
            (&row.row, &row.turning)
        }
    }

    /// Response of row `i` to an impulse of row `j`.
    pub(crate) fn response_of(&self, i: usize, j: usize) -> f64 {
        let (one, (two, turning)) = (self.row(i).0, self.row(j));
        self.response(one, two, turning)
    }

    /// Response of row `i` to its own impulse, its softness included.
    pub(crate) fn own_response(&self, i: usize) -> f64 {
        let soft = if i < self.equalities { 0.0 } else { self.bounded[i - self.equalities].softness };
        self.response_of(i, i) + soft
    }

    /// Inverse masses of both bodies, in 1/kg.
    pub(crate) fn inverse_masses(&self) -> [f64; 2] {
        [self.responses[0].inverse_mass, self.responses[1].inverse_mass]
    }

    /// Bodies that both blocks act on: sides of this one and of the other, and their inverse mass with its sign.
    pub(crate) fn shared_bodies(&self, other: &Block) -> [Option<(usize, usize, f64)>; 2] {
        [0, 1].map(|side| {
            let other_side = other.bodies.iter().position(|&body| body == self.bodies[side])?;
            let sign = if side == other_side { 1.0 } else { -1.0 };
            Some((side, other_side, sign * self.responses[side].inverse_mass))
        })
    }

    /// Response of row `i` to an impulse of row `j` of another block, through the bodies that both share.
    pub(crate) fn response_to(
        &self,
        i: usize,
        other: &Block,
        j: usize,
        shared: &[Option<(usize, usize, f64)>; 2],
    ) -> f64 {
        let (one, (two, turning)) = (self.row(i).0, other.row(j));
        let through = |&(side, other_side, inverse_mass): &(usize, usize, f64)| {
            inverse_mass * one.linear.dot(two.linear) + one.angular[side].dot(turning[other_side])
        };
        shared.iter().flatten().map(through).sum()
    }

    /// Impulses of all rows, equalities first.
    pub(crate) fn all_impulses(&self) -> impl Iterator<Item = f64> + '_ {
        let equalities = self.impulses[..self.equalities].iter().copied();
        equalities.chain(self.bounded.iter().map(|row| row.impulse))
    }

    /// Keeps the impulses as they are now.
    pub(crate) fn keep(&mut self) {
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        kept.extend(self.all_impulses());
        self.kept = kept;
    }

    /// Goes back to the impulses that were kept.
    pub(crate) fn go_back(&mut self) {
        let kept = std::mem::take(&mut self.kept);
        self.set_impulses(&kept);
        self.kept = kept;
    }

    /// Sets the impulses of all rows, not the velocities.
    pub(crate) fn set_impulses(&mut self, impulses: &[f64]) {
        let (equalities, bounded) = impulses.split_at(self.equalities);
        self.impulses[..self.equalities].copy_from_slice(equalities);
        self.bounded.iter_mut().zip(bounded).for_each(|(row, impulse)| row.impulse = *impulse);
    }
}

/// Inverse of the symmetric positive definite matrix whose lower triangle is `k`, of dimension `n`.
fn inverse_of_symmetric(
    k: &[[f64; MOST_EQUALITIES]; MOST_EQUALITIES],
    n: usize,
) -> [[f64; MOST_EQUALITIES]; MOST_EQUALITIES] {
    // k = l l^T, then the columns of l^-1, then l^-T l^-1.
    let mut l = [[0.0; MOST_EQUALITIES]; MOST_EQUALITIES];
    for i in 0..n {
        for j in 0..=i {
            let rest = k[i][j] - (0..j).map(|m| l[i][m] * l[j][m]).sum::<f64>();
            l[i][j] = if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / l[j][j] };
        }
    }
    let mut m = [[0.0; MOST_EQUALITIES]; MOST_EQUALITIES];
    for j in 0..n {
        m[j][j] = 1.0 / l[j][j];
        for i in j + 1..n {
            m[i][j] = -(j..i).map(|p| l[i][p] * m[p][j]).sum::<f64>() / l[i][i];
        }
    }
    let mut inverse = [[0.0; MOST_EQUALITIES]; MOST_EQUALITIES];
    for i in 0..n {
        for j in 0..n {
            inverse[i][j] = (i.max(j)..n).map(|p| m[p][i] * m[p][j]).sum();
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JointDefinition, JointKind, JointPlace, World};
    use glam::DMat3;
    use prall_geometry::MassProperties;

    /// The matrix K of a joint against its meaning: column j is what an impulse of one on row j changes in all rates.
    #[test]
    fn a_response_is_the_change_of_a_rate_by_a_unit_impulse() {
        let mut world = World::default();
        let body = |mass: f64, at: DVec3| {
            let inertia = DMat3::from_diagonal(DVec3::new(0.1, 0.2, 0.25) * mass);
            let properties = MassProperties { mass, center_of_mass: DVec3::ZERO, inertia };
            let turn = glam::DQuat::from_scaled_axis(at);
            crate::BodyDefinition::massive(properties).in_pose(Pose::new(turn, at))
        };
        let one = world.add_body(&body(2.0, DVec3::new(0.3, -0.4, 0.1))).unwrap();
        let two = world.add_body(&body(0.7, DVec3::new(-0.2, 0.5, 0.9))).unwrap();
        let frame = JointPlace::World(Pose::from_translation(DVec3::new(0.1, 0.7, -0.3)));
        world.add_joint(&JointDefinition::new(JointKind::FIXED, one, two, frame)).unwrap();
        world.add_joint(&JointDefinition::new(JointKind::BALL, world.ground(), one, frame)).unwrap();
        let (bodies, joints) = world.parts_for_tests();
        let spell = Spell { before: true, step: 0.01, span: 0.005, closing: 1.0 };
        let prepared = |joint: u32| {
            let mut block = Block::new(joint, joints[joint as usize].bodies, 0, false);
            block.prepare(&joints[joint as usize], bodies, &spell);
            block
        };
        let (block, other) = (prepared(0), prepared(1));
        for j in 0..block.equalities {
            let mut moved = vec![Twist::ZERO; bodies.len()];
            let after = {
                let mut pushed = block.clone();
                let mut v = [Twist::ZERO; 2];
                pushed.change(&mut v, j, 1.0);
                v
            };
            (moved[block.bodies[0] as usize], moved[block.bodies[1] as usize]) = (after[0], after[1]);
            for i in 0..block.equalities {
                let rate = block.rows[i].rate(&block.velocities(&moved));
                assert!((rate - block.response_of(i, j)).abs() < 1e-13, "{i} {j}");
                assert!((block.response_of(i, j) - block.response_of(j, i)).abs() < 1e-13);
            }
            for i in 0..other.equalities {
                let rate = other.rows[i].rate(&other.velocities(&moved));
                let response = other.response_to(i, &block, j, &other.shared_bodies(&block));
                assert!((rate - response).abs() < 1e-13, "joint 2 row {i}, joint 1 row {j}");
            }
            // Positive definite: its inverse was taken by Cholesky's factor, and gives the identity.
            for i in 0..block.equalities {
                let product: f64 =
                    (0..block.equalities).map(|m| block.response_of(i, m) * block.inverse[m][j]).sum();
                assert!((product - if i == j { 1.0 } else { 0.0 }).abs() < 1e-10);
            }
        }
        // The ground answers nothing.
        let ground = Response::NONE;
        assert_eq!((ground.inverse_mass, ground.inverse_inertia), (0.0, DMat3::ZERO));
    }

    /// Against the definition: the product with the matrix is the identity, to the rounding of its condition number.
    #[test]
    fn the_inverse_undoes_the_matrix() {
        let mut k = [[0.0; MOST_EQUALITIES]; MOST_EQUALITIES];
        for (i, row) in k.iter_mut().enumerate().take(5) {
            for (j, entry) in row.iter_mut().enumerate().take(5) {
                *entry = 1.0 / (1.0 + (i as f64 - j as f64).abs()) + if i == j { 1.0 } else { 0.0 };
            }
        }
        let inverse = inverse_of_symmetric(&k, 5);
        for (i, row) in k.iter().enumerate().take(5) {
            for j in 0..5 {
                let product: f64 = row.iter().zip(&inverse).map(|(a, column)| a * column[j]).sum();
                assert!((product - if i == j { 1.0 } else { 0.0 }).abs() < 1e-14);
            }
        }
    }
}
