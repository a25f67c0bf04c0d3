//! Guided joints in Newton's method for the energy-momentum midpoint step.
//!
//! In the parent's axes the law goes from `(lambda0, Q0)` to `(lambda1, Q1)` while its coordinates go by `dq`; `b` is the Cayley vector of
//! `Q1 Q0^T`, `b' = R_p0 b`, `Rb = (R_p0 + R_p1)/2` and `a` the half turn of the parent. Then, exactly,
//!
//! ```text
//! l1 - l0   = h wb_p x (Rb (lambda0 + lambda1)/2) + Rb (lambda1 - lambda0)
//! wb - wb_p = (2 kappa/h) Rb b,    kappa = (1 + a.a)/(1 - a.b')
//! ```
//!
//! so the joint's forces do no work if they have none along `Jb`, where `Jb dq = (lambda1 - lambda0, 2 kappa b)`. Of the matrices that satisfy
//! this the one next to the subspace in the middle is taken (Gonzalez 1996): `Jb = S + (X - S dq) dq^T/(dq.dq)` with `X = (lambda1 - lambda0, 2 b)`.
//! Rows are `Rb Jb . (F, T) = tau`, columns the subspace at the end. `Jb` changes with the end's coordinates by half the derivative of the
//! subspace, whose symmetric part is the bias, polarised, and whose antisymmetric part, for turning, is half a cross product:
//!
//! ```text
//! dS_k/dq_j = (bias(e_j + e_k) - bias(e_j) - bias(e_k))/2 + (0, S_j x S_k)/2
//! ```

use glam::{DMat3, DQuat, DVec3};
use prall_math::{Norm, Twist, Wrench};

use super::super::articulated::outer;
use super::super::guide::{MOST_COORDINATES, half_turn};
use super::super::guided::{Guided, GuidedJoint, Small, inverted, times};
use super::super::link::{Kind, Link};
use super::super::state::LinkState;
use super::{Block, Change, Levers, Memory, Newton, cayley_matrix};

type Screws = [Twist; MOST_COORDINATES];
type Numbers = [f64; MOST_COORDINATES];
type Wrenches = [Wrench; MOST_COORDINATES];

/// Rounding of a pose, as a share of 1 + its size: what is below in `X - S dq` is noise, and is not divided by `dq`.
const ROUNDING: f64 = 1e-14;

/// What Newton's method keeps of a guided joint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GuideWork {
    /// Orientation of the parent at the start.
    base: DQuat,
    start: Guided,
    end: Guided,
    /// `b`.
    turned: DVec3,
    pub(crate) levers: Levers,
    /// Subspace at the end, in world axes.
    ends: Screws,
    /// `Rb Jb`, in world axes.
    means: Screws,
    /// How the wrench that reaches the parent changes with each coordinate.
    columns: Wrenches,
    /// How each row changes with the motion that the parent gives.
    rows: Wrenches,
    inverse: Small,
    pub(crate) residual: Numbers,
}

impl GuideWork {
    /// Parts of a wrench along the coordinates.
    pub(crate) fn along(&self, load: Wrench) -> Numbers {
        self.means.map(|mean| mean.power(load))
    }

    /// What of a wrench reaches the parent.
    pub(crate) fn reduced(&self, load: Wrench) -> Wrench {
        let shares = times(&self.inverse, &self.along(load));
        self.columns.iter().zip(shares).fold(load, |load, (&column, share)| load - column * share)
    }

    pub(crate) fn add_residual(&mut self, load: Wrench) {
        let more = self.along(load);
        self.residual = std::array::from_fn(|axis| self.residual[axis] + more[axis]);
    }
}

impl Block {
    fn times(&self, motion: Twist) -> Wrench {
        Wrench::new(
            self.vv * motion.linear + self.vr * motion.angular,
            self.rv * motion.linear + self.rr * motion.angular,
        )
    }

    fn transposed_times(&self, motion: Twist) -> Wrench {
        Wrench::new(
            self.vv.transpose() * motion.linear + self.rv.transpose() * motion.angular,
            self.vr.transpose() * motion.linear + self.rr.transpose() * motion.angular,
        )
    }

    /// `K -= column row^T`.
    fn subtract(&mut self, column: Wrench, row: Wrench) {
        self.vv -= outer(column.force, row.force);
        self.vr -= outer(column.force, row.torque);
        self.rv -= outer(column.torque, row.force);
        self.rr -= outer(column.torque, row.torque);
    }
}

fn along(matrix: &DMat3, screw: Twist) -> Twist {
    Twist::new(*matrix * screw.linear, *matrix * screw.angular)
}

impl Newton {
    /// Sets a step of a guided joint up, and its trial.
    pub(crate) fn begin_guided(&mut self, joint: &GuidedJoint, guide: u32, states: &[LinkState]) {
        let work = &mut self.guides[guide as usize];
        *work = GuideWork {
            base: states[joint.parent].rotation,
            start: joint.at(&joint.coordinates(states)),
            ..GuideWork::default()
        };
        self.start[joint.own].lever = work.base * work.start.lever;
        self.place_guided(joint, guide);
    }

    /// Coordinates at a fraction of the step.
    fn coordinates(&self, joint: &GuidedJoint, fraction: f64) -> Numbers {
        std::array::from_fn(|axis| {
            if axis >= joint.count() {
                return 0.0;
            }
            let link = joint.first + axis;
            self.start[link].coordinate + fraction * self.trial[link].moved
        })
    }

    /// From the joint's coordinates and the parent to everything else of the body's trial.
    fn place_guided(&mut self, joint: &GuidedJoint, guide: u32) {
        let parent = self.trial[joint.parent];
        let end = joint.at(&self.coordinates(joint, 1.0));
        let work = &mut self.guides[guide as usize];
        work.end = end;
        work.turned = half_turn(end.rotation * work.start.rotation.conjugate());
        let (a, b) = (parent.half_turn, work.base * work.turned);
        let mean = (work.start.lever + end.lever) * 0.5;
        let (start, at_end) = (work.base * mean, parent.cayley * (work.base * mean));
        let lever = parent.cayley * (work.base * end.lever);
        work.levers = Levers { end: lever, mean: (start + at_end) * 0.5, mean_at_end: at_end };
        let (own, start) = (&mut self.trial[joint.own], &self.start[joint.own]);
        own.half_turn = (a + b + a.cross(b)) / (1.0 - a.dot(b));
        own.cayley = cayley_matrix(own.half_turn);
        own.center = own.cayley * start.center;
        own.lever = lever;
        own.velocity = parent.velocity + (lever - start.lever) / self.h;
    }

    /// `Jb` in the parent's axes without `kappa`, and the subspace in the middle.
    fn mean_screws(&self, joint: &GuidedJoint, guide: u32) -> (Screws, Screws) {
        let work = &self.guides[guide as usize];
        let middle = joint.screws(&self.coordinates(joint, 0.5));
        let moved: Numbers = std::array::from_fn(|axis| {
            if axis < joint.count() { self.trial[joint.first + axis].moved } else { 0.0 }
        });
        let way = Twist::new(work.end.lever - work.start.lever, work.turned * 2.0);
        let rest = middle.iter().zip(moved).fold(way, |rest, (&screw, moved)| rest - screw * moved);
        let noise = ROUNDING * (1.0 + work.end.lever.norm());
        let square: f64 = moved.iter().map(|moved| moved * moved).sum();
        if rest.linear.norm() + rest.angular.norm() <= noise {
            return (middle, middle);
        }
        let corrected = std::array::from_fn(|axis| middle[axis] + rest * (moved[axis] / square));
        (corrected, middle)
    }

    /// Eliminates a joint's coordinates from its body's block and hands the rest to the parent.
    pub(crate) fn eliminate_guided(&mut self, joint: &GuidedJoint, links: &[Link], memory: &Memory) {
        let guide = links[joint.own].guide;
        if links[joint.own].kind == Kind::Guided {
            self.eliminate_coordinates(joint, links, guide, memory);
        }
        let levers = self.guides[guide as usize].levers;
        self.hand_to_parent(joint.own, joint.parent, &levers, memory);
    }

    fn eliminate_coordinates(&mut self, joint: &GuidedJoint, links: &[Link], guide: u32, memory: &Memory) {
        let (count, half) = (joint.count(), 0.5 * self.h);
        let (jacobian, middle) = self.mean_screws(joint, guide);
        let parent = self.trial[joint.parent];
        let work = &self.guides[guide as usize];
        let at_start = DMat3::from_quat(work.base);
        let at_end = parent.cayley * at_start;
        let mean = (at_start + at_end) * 0.5;
        let (a, b) = (parent.half_turn, at_start * work.turned);
        let (square, nearness) = (1.0 + a.length_squared(), 1.0 - a.dot(b));
        let kappa = square / nearness;
        let weigh = |screw: Twist| Twist::new(screw.linear, screw.angular * kappa);
        let ends = joint.screws(&self.coordinates(joint, 1.0)).map(|screw| along(&at_end, screw));
        let means = jacobian.map(|screw| along(&mean, weigh(screw)));

        // How kappa grows with the parent's turn, and with the coordinates.
        let slope = a * (2.0 / square) + b / nearness;
        let slope = (slope + a.cross(slope) + a * a.dot(slope)) * half;
        let force = memory.joint;
        let derivatives = derivatives(joint, &self.coordinates(joint, 0.5), &middle);
        let block = &self.blocks[joint.own];
        let (mut rows, mut columns) = (Wrenches::default(), Wrenches::default());
        let (mut pivot, mut residual) = (Small::default(), Numbers::default());
        for axis in 0..count {
            columns[axis] = block.times(ends[axis]);
        }
        for k in 0..count {
            let (tau, stiffness) = self.push(joint, links, k);
            let at_end = along(&at_end, weigh(jacobian[k]));
            let turning = at_end.linear.cross(force.force) + at_end.angular.cross(force.torque);
            let torque = means[k].angular.dot(force.torque);
            rows[k] = block.transposed_times(means[k]);
            rows[k].torque += turning * half + slope * torque;
            residual[k] = means[k].power(Wrench::new(block.force, block.torque)) - tau;
            for j in 0..count {
                let bend = along(&mean, weigh(derivatives[k][j])).power(force);
                let growth = torque * a.dot(at_start * middle[j].angular) / nearness;
                pivot[k][j] = means[k].power(columns[j]) + half * (bend + growth);
            }
            pivot[k][k] += stiffness;
        }
        let inverse = inverted(&pivot, count);
        for axis in 0..count {
            // The lever of the force at the parent changes with the coordinate.
            let lever = mean * joint_axes(&at_end, ends[axis].linear);
            columns[axis].torque += lever.cross(force.force) * half;
        }
        let block = &mut self.blocks[joint.own];
        let shares = times(&inverse, &residual);
        for j in 0..count {
            let row = (0..count).fold(Wrench::ZERO, |sum, k| sum + rows[k] * inverse[j][k]);
            block.subtract(columns[j], row);
            block.force -= columns[j].force * shares[j];
            block.torque -= columns[j].torque * shares[j];
        }
        let work = &mut self.guides[guide as usize];
        *work = GuideWork { ends, means, columns, rows, inverse, residual, ..*work };
    }

    /// Force of a coordinate's element over the step, and how fast it falls with the coordinate's rate.
    fn push(&self, joint: &GuidedJoint, links: &[Link], axis: usize) -> (f64, f64) {
        let link = joint.first + axis;
        let (element, x0, way) = (&links[link].element, self.start[link].coordinate, self.trial[link].moved);
        if element.is_idle() {
            return (0.0, 0.0);
        }
        let force = element.spring.mean_force(x0, x0 + way) + element.motor - element.damping * way / self.h;
        (force, self.h * element.spring.mean_stiffness(x0, x0 + way) + element.damping)
    }

    /// What the parent gives a guided body, then its change, and those of its coordinates.
    pub(crate) fn solve_guided(
        &self,
        joint: &GuidedJoint,
        guide: u32,
        residual: &Numbers,
    ) -> (Change, Numbers, Change) {
        let work = &self.guides[guide as usize];
        let above = self.changes[joint.parent];
        let linear = above.linear + above.angular.cross(work.levers.end);
        let given = Twist::new(linear, above.angular);
        let needed: Numbers = std::array::from_fn(|axis| -(residual[axis] + given.power(work.rows[axis])));
        let rates = times(&work.inverse, &needed);
        let change = work.ends.iter().zip(rates).fold(given, |sum, (&end, rate)| sum + end * rate);
        let change = Change { linear: change.linear, angular: change.angular };
        (change, rates, Change { linear, angular: above.angular })
    }

    /// One joint's part of [`Newton::descend`]; the square of the largest change of a rate.
    pub(crate) fn descend_guided(&mut self, joint: &GuidedJoint, link: &Link, memory: &mut Memory) -> f64 {
        let residual = self.guides[link.guide as usize].residual;
        let (change, rates, given) = self.solve_guided(joint, link.guide, &residual);
        self.changes[joint.own] = change;
        let (trial, block) = (&self.trial[joint.own], &self.blocks[joint.own]);
        let stiff = 2.0 * link.mass / self.h;
        memory.own_force = trial.own_force + stiff * (change.linear + change.angular.cross(trial.center));
        let through = block.times(Twist::new(given.linear, given.angular));
        memory.joint = Wrench::new(block.force, block.torque) + through;
        let mut largest = 0.0;
        for (axis, rate) in rates.iter().enumerate().take(joint.count()) {
            self.trial[joint.first + axis].moved += self.h * rate;
            let size = rate * rate;
            largest = if size <= largest { largest } else { size };
        }
        self.place_guided(joint, link.guide);
        largest
    }
}

/// From world axes to those of the parent.
fn joint_axes(rotation: &DMat3, vector: DVec3) -> DVec3 {
    rotation.transpose() * vector
}

/// `dS_k/dq_j` as `[k][j]`, in the parent's axes.
fn derivatives(joint: &GuidedJoint, q: &Numbers, screws: &Screws) -> [Screws; MOST_COORDINATES] {
    let count = joint.count();
    let unit = |axis: usize| -> Numbers { std::array::from_fn(|other| f64::from(other == axis)) };
    let mut derivatives = [[Twist::ZERO; MOST_COORDINATES]; MOST_COORDINATES];
    for (axis, row) in derivatives.iter_mut().enumerate().take(count) {
        row[axis] = joint.bias(q, &unit(axis));
    }
    for k in 0..count {
        for j in 0..k {
            let both: Numbers = std::array::from_fn(|axis| f64::from(axis == j || axis == k));
            let symmetric = (joint.bias(q, &both) - derivatives[j][j] - derivatives[k][k]) * 0.5;
            let cross = Twist::new(DVec3::ZERO, screws[j].angular.cross(screws[k].angular) * 0.5);
            derivatives[k][j] = symmetric + cross;
            derivatives[j][k] = symmetric - cross;
        }
    }
    derivatives
}
