//! From the leaves to the roots: what links and joints add to Newton's matrix, and how their freedoms leave it.

use glam::DVec3;
use prall_math::{Wrench, skew};

use super::super::articulated::{cross_columns, cross_rows, outer, skew_skew};
use super::super::link::{Kind, Link};
use super::{Levers, Memory, Newton, Pivot, Start, Structure, Trial};

impl Newton {
    /// Adds the link's own part to its block, at its trial.
    #[inline]
    fn evaluate(&mut self, index: usize, link: &Link, memory: &Memory) {
        if link.mass == 0.0 {
            return;
        }
        let (start, trial) = (&self.start[index], &mut self.trial[index]);
        let block = &mut self.blocks[index];
        let h = self.h;
        let stiff = 2.0 * link.mass / h;
        let mean_center = (start.center + trial.center) * 0.5;
        let mean_velocity = trial.velocity + (trial.center - start.center) / h;
        let force = stiff * (mean_velocity - start.velocity) - start.load.force;
        trial.own_force = force;

        let a = trial.half_turn;
        let spin = a * (4.0 / h) - start.angular;
        let end_momentum = trial.cayley * (start.inertia * spin);
        let inertia_a = start.inertia * a;
        let turned = (start.inertia - cross_rows(&start.inertia, a) + outer(inertia_a, a)) * (2.0 / h);
        let lever_terms = skew_skew(memory.own_force * (0.5 * h) - mean_center * stiff, trial.center);
        block.vv.x_axis.x += stiff;
        block.vv.y_axis.y += stiff;
        block.vv.z_axis.z += stiff;
        block.vr += skew(trial.center * -stiff);
        block.rv += skew(mean_center * stiff);
        block.rr += trial.cayley * turned - skew(end_momentum) + lever_terms;
        block.force += force;
        block.torque +=
            (end_momentum - start.inertia * start.angular) / h + mean_center.cross(force) - start.load.torque;
    }

    /// Evaluates the blocks at the trial and eliminates from the leaves to the roots.
    pub(crate) fn ascend(&mut self, structure: Structure, memory: &[Memory]) {
        for index in (1..structure.links.len()).rev() {
            let link = &structure.links[index];
            self.evaluate(index, link, &memory[index]);
            match link.kind {
                Kind::Kinematic => {}
                Kind::Free => self.eliminate_ball(index),
                Kind::Ball => {
                    self.eliminate_ball(index);
                    if link.parent != 0 {
                        self.hand_point_to_parent(index, link, &memory[index]);
                    }
                }
                Kind::Revolute | Kind::Prismatic => {
                    self.eliminate_axis(index, link, &memory[index]);
                    let levers = self.levers(index, link);
                    self.hand_to_parent(index, link.parent as usize, &levers, &memory[index]);
                }
                Kind::Fixed | Kind::DrivenRevolute | Kind::DrivenPrismatic => {
                    let levers = self.levers(index, link);
                    self.hand_to_parent(index, link.parent as usize, &levers, &memory[index]);
                }
                Kind::Guided | Kind::DrivenGuided => {
                    if let Some(joint) = structure.joint_of(index) {
                        self.eliminate_guided(joint, structure.links, &memory[index]);
                    }
                }
            }
        }
    }

    /// `phi = -(y + X dv)`; leaves `A = Kvv - Kvr X` and `b = F - Kvr y`.
    #[inline]
    fn eliminate_ball(&mut self, index: usize) {
        let block = &mut self.blocks[index];
        let inverse = block.rr.inverse();
        let x = inverse * block.rv;
        let y = inverse * block.torque;
        block.vv -= block.vr * x;
        block.force -= block.vr * y;
        self.pivots[index] = Pivot::Ball { inverse, x, y };
    }

    #[inline]
    fn hand_point_to_parent(&mut self, index: usize, link: &Link, memory: &Memory) {
        let lever = self.trial[index].lever;
        let mean = (self.start[index].lever + lever) * 0.5;
        let (below, own) = self.blocks.split_at_mut(index);
        let (parent, own) = (&mut below[link.parent as usize], &own[0]);
        let a_l = cross_rows(&own.vv, lever);
        parent.vv += own.vv;
        parent.vr -= a_l;
        parent.rv += cross_columns(mean, &own.vv);
        parent.rr += skew_skew(memory.joint.force * (0.5 * self.h), lever) - cross_columns(mean, &a_l);
        parent.force += own.force;
        parent.torque += mean.cross(own.force);
    }

    /// Row `S_b.(F, T) = tau` with the averaged axis, column along the axis at the end.
    fn eliminate_axis(&mut self, index: usize, link: &Link, memory: &Memory) {
        let (start, trial) = (&self.start[index], &self.trial[index]);
        let parent_half_turn = self.trial[link.parent as usize].half_turn;
        let mean = (start.axis + trial.axis) * 0.5;
        let (tau, slope) = element_force(link, start, trial, parent_half_turn, self.h);
        let half = 0.5 * self.h;
        let block = &mut self.blocks[index];
        let (mut column, row, residual, pivot) = if link.kind == Kind::Revolute {
            let column = Wrench::new(block.vr * trial.axis, block.rr * trial.axis);
            let row_turn = block.rr.transpose() * mean + trial.axis.cross(memory.joint.torque) * half;
            let row = Wrench::new(block.rv.transpose() * mean, row_turn);
            (column, row, mean.dot(block.torque) - tau, mean.dot(column.torque))
        } else {
            let column = Wrench::new(block.vv * trial.axis, block.rv * trial.axis);
            let row_turn = block.vr.transpose() * mean + trial.axis.cross(memory.joint.force) * half;
            let row = Wrench::new(block.vv.transpose() * mean, row_turn);
            (column, row, mean.dot(block.force) - tau, mean.dot(column.force))
        };
        let inverse = 1.0 / (pivot + slope);
        if link.kind == Kind::Prismatic {
            // The lever of the force at the parent grows with the way.
            column.torque += mean.cross(memory.joint.force) * half;
        }
        block.vv -= outer(column.force, row.force * inverse);
        block.vr -= outer(column.force, row.torque * inverse);
        block.rv -= outer(column.torque, row.force * inverse);
        block.rr -= outer(column.torque, row.torque * inverse);
        block.force -= column.force * (residual * inverse);
        block.torque -= column.torque * (residual * inverse);
        self.pivots[index] = Pivot::Axis { column, row, residual, inverse };
    }

    pub(super) fn hand_to_parent(&mut self, index: usize, parent: usize, levers: &Levers, memory: &Memory) {
        if parent == 0 {
            return;
        }
        let (below, own) = self.blocks.split_at_mut(index);
        let (parent, own) = (&mut below[parent], &own[0]);
        let turning = own.vr - cross_rows(&own.vv, levers.end);
        parent.vv += own.vv;
        parent.vr += turning;
        parent.rv += own.rv + cross_columns(levers.mean, &own.vv);
        parent.rr += own.rr - cross_rows(&own.rv, levers.end)
            + cross_columns(levers.mean, &turning)
            + skew_skew(memory.joint.force * (0.5 * self.h), levers.mean_at_end);
        parent.force += own.force;
        parent.torque += own.torque + levers.mean.cross(own.force);
    }

    pub(super) fn levers(&self, index: usize, link: &Link) -> Levers {
        let (start, trial) = (&self.start[index], &self.trial[index]);
        let mut levers =
            Levers { end: trial.lever, mean: (start.lever + trial.lever) * 0.5, mean_at_end: trial.lever };
        if link.kind.slides() {
            let middle = start.coordinate + 0.5 * trial.moved;
            levers.end += trial.axis * (start.coordinate + trial.moved);
            levers.mean += (start.axis + trial.axis) * (0.5 * middle);
            levers.mean_at_end += trial.axis * middle;
        }
        levers
    }
}

/// Force of a joint's element over the step, and how fast it falls with the change along the axis.
///
/// The power of a torque `tau` is `tau s` with the mean rate `s` of `wb = wb_p + ab s`; dividing the energy given
/// out by `h s` makes the spring's work exact for any step.
fn element_force(link: &Link, start: &Start, trial: &Trial, parent_half_turn: DVec3, h: f64) -> (f64, f64) {
    let element = &link.element;
    if element.is_idle() {
        return (0.0, 0.0);
    }
    let x0 = start.coordinate;
    let (way, mean_rate, share) = if link.kind == Kind::Revolute {
        let (a, t) = (parent_half_turn, trial.moved);
        let scale = (1.0 + a.length_squared()) / (1.0 - t * a.dot(start.axis));
        let turned = libm::atan(t);
        let share = if t == 0.0 { 1.0 } else { turned / t };
        (2.0 * turned, 2.0 * t * scale / h, share / scale)
    } else {
        (trial.moved, trial.moved / h, 1.0)
    };
    let force =
        (element.spring.mean_force(x0, x0 + way) + element.motor) * share - element.damping * mean_rate;
    (force, h * element.spring.mean_stiffness(x0, x0 + way) + element.damping)
}
