//! Newton's method for the energy-momentum midpoint step, in O(n).
//!
//! Unknown are the mean velocities of a step of length `h`: `vb` of every joint point and `wb` of every link.
//! Superscript 0 is the start, 1 the end, `b` the average of both; `a = h wb / 2`.
//!
//! ```text
//! rotation  R1 = C R0,  C = (E - a^)^-1 (E + a^)  (Cayley)   so  d1 - d0 = h wb x db  exactly, for every fixed lever d
//! joint     vb = vb_p + (l1 - l0)/h;   revolute  wb = wb_p + ab s;   prismatic  l = R_p (lever + axis x)
//! balance   f = (2m/h)(vb + (c1 - c0)/h - vS0) - m g             F = f + sum of F_child
//!           T = (C J0 (2 wb - w0) - J0 w0)/h + cb x f + sum of (T_child + lb x F_child)
//! rows      ball T = 0;  revolute ab.T = tau;  prismatic ab.F = tau;  free F = 0 and T = 0
//! ```
//!
//! The Newton unknowns are `dv`, the change of `vb`, and `phi`, the turn of the end pose over `h`. In them the
//! columns are plain kinematics at the end pose (`dv_c = dv_p + phi_p x l1`), while the rows use averages:
//!
//! ```text
//! dw = (E - a^ + a a^T) phi
//! Kvv = 2m/h    Kvr = -(2m/h) c1^    Krv = (2m/h) cb^
//! Krr = -pi1^ - (2m/h) cb^ c1^ + (h/2) f~^ c1^ + (2/h) C J0 (E - a^ + a a^T),     pi1 = C J0 (2 wb - w0)
//! into the parent: Kvv += K, Kvr -= K l1^, Krv += lb^ K, Krr += -lb^ K l1^ + (h/2) F~^ l1^
//! ```
//!
//! Forces with a tilde are estimates from the last linear solve, kept from step to step, not the forces evaluated at
//! the iterate: those are off by (mass/h) times the kinematic error and spoil the matrix.

use glam::{DMat3, DVec3};
use prall_math::{Norm, Wrench, skew};
use serde::{Deserialize, Serialize};

use super::articulated::{cross_columns, cross_rows, outer, skew_skew};
use super::guided::GuidedJoint;
use super::link::{Kind, Link};
use super::newton_guided::GuideWork;
use super::state::LinkState;

/// What does not change while a tree moves.
#[derive(Clone, Copy)]
pub(crate) struct Structure<'a> {
    pub(crate) links: &'a [Link],
    pub(crate) guided: &'a [GuidedJoint],
}

impl<'a> Structure<'a> {
    /// The guided joint that ends with a link.
    fn joint_of(self, index: usize) -> Option<&'a GuidedJoint> {
        let link = &self.links[index];
        link.kind.is_guided().then(|| &self.guided[link.guide as usize]).filter(|joint| joint.own == index)
    }
}

/// What a link remembers from solve to solve: the force estimates and the last accelerations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// Estimate of the link's own inertia force less its weight, `f~`.
    pub(crate) own_force: DVec3,
    /// Estimates of what the joint transmits, `F~` and `T~`.
    pub(crate) joint: Wrench,
    /// Mean angular acceleration of the last step.
    pub(crate) angular_acceleration: DVec3,
    /// Mean acceleration of the joint's coordinate in the last step.
    pub(crate) rate_acceleration: f64,
}

/// What holds for a whole step, in world axes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Start {
    pub(crate) center: DVec3,
    pub(crate) lever: DVec3,
    pub(crate) axis: DVec3,
    inertia: DMat3,
    pub(crate) velocity: DVec3,
    pub(crate) angular: DVec3,
    pub(crate) coordinate: f64,
    /// External force, weight included, and torque about the centre of mass.
    load: Wrench,
}

/// The present guess of the mean velocities, and what follows from it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trial {
    /// `h wb / 2`.
    pub(crate) half_turn: DVec3,
    /// `R1 R0^T`.
    pub(crate) cayley: DMat3,
    /// `vb`.
    pub(crate) velocity: DVec3,
    pub(crate) center: DVec3,
    pub(crate) lever: DVec3,
    pub(crate) axis: DVec3,
    /// Revolute: tangent of half the angle turned in the step. Prismatic and guided: the way.
    pub(crate) moved: f64,
    pub(crate) own_force: DVec3,
}

/// The 6x6 block of a link: how its force and torque change with `(dv, phi)`, and their present values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) vv: DMat3,
    pub(crate) vr: DMat3,
    pub(crate) rv: DMat3,
    pub(crate) rr: DMat3,
    pub(crate) force: DVec3,
    pub(crate) torque: DVec3,
}

impl Block {
    /// Of a link without mass. (The default of a matrix is the identity.)
    const ZERO: Block = Block {
        vv: DMat3::ZERO,
        vr: DMat3::ZERO,
        rv: DMat3::ZERO,
        rr: DMat3::ZERO,
        force: DVec3::ZERO,
        torque: DVec3::ZERO,
    };
}

#[derive(Clone, Copy, Debug, Default)]
enum Pivot {
    #[default]
    Rigid,
    Ball {
        inverse: DMat3,
        x: DMat3,
        y: DVec3,
    },
    Axis {
        column: Wrench,
        row: Wrench,
        residual: f64,
        inverse: f64,
    },
}

/// Changes of a Newton step: `dv` and `phi`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    pub(crate) linear: DVec3,
    pub(crate) angular: DVec3,
}

/// The Newton solver's arrays, one entry per link.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    pub(crate) h: f64,
    pub(crate) start: Vec<Start>,
    pub(crate) trial: Vec<Trial>,
    pub(crate) blocks: Vec<Block>,
    pivots: Vec<Pivot>,
    pub(crate) changes: Vec<Change>,
    pub(crate) right_sides: Vec<Wrench>,
    /// One for each guided joint.
    pub(crate) guides: Vec<GuideWork>,
}

/// `C = E + 2 (a^ + a^ a^)/(1 + a.a)`.
#[inline]
pub(crate) fn cayley_matrix(a: DVec3) -> DMat3 {
    let factor = 2.0 / (1.0 + a.length_squared());
    let mut c = (skew(a) + skew_skew(a, a)) * factor;
    c.x_axis.x += 1.0;
    c.y_axis.y += 1.0;
    c.z_axis.z += 1.0;
    c
}

/// The `a` whose Cayley transform turns by `h w` exactly, as a body does that nothing but its own velocity moves.
fn exact_half_turn(w: DVec3, h: f64) -> DVec3 {
    // Short of half a turn, where the tangent has its pole; nothing that turns faster can be followed.
    let half = (0.5 * h * w.norm()).min(1.5);
    let scale = if half > 1e-4 { libm::tan(half) / half } else { 1.0 + half * half / 3.0 };
    w * (0.5 * h * scale)
}

impl Newton {
    pub(crate) fn resize(&mut self, count: usize, guides: usize) {
        self.guides.resize(guides, GuideWork::default());
        self.start.resize(count, Start::default());
        self.trial.resize(count, Trial { cayley: DMat3::IDENTITY, ..Trial::default() });
        self.blocks.resize(count, Block::ZERO);
        self.pivots.resize(count, Pivot::Rigid);
        self.changes.resize(count, Change::default());
        self.right_sides.resize(count, Wrench::ZERO);
    }

    /// Sets a step up: levers at the start, and the first guess from the last accelerations.
    ///
    /// `driven` gives the coordinate that a driven joint has at the end.
    pub(crate) fn begin(
        &mut self,
        structure: Structure,
        states: &[LinkState],
        memory: &[Memory],
        loads: &[Wrench],
        h: f64,
        driven: impl Fn(usize) -> f64,
    ) {
        self.h = h;
        self.trial[0].cayley = DMat3::IDENTITY;
        for (index, link) in structure.links.iter().enumerate().skip(1) {
            let (state, parent) = (&states[index], &states[link.parent as usize]);
            let rotation = DMat3::from_quat(state.rotation);
            self.start[index] = Start {
                center: rotation * link.center,
                lever: parent.rotation * link.lever,
                axis: parent.rotation * link.axis,
                inertia: rotation * link.inertia * rotation.transpose(),
                velocity: state.velocity,
                angular: state.angular,
                coordinate: state.coordinate,
                load: loads[index],
            };
            let rate = state.rate + 0.5 * h * memory[index].rate_acceleration;
            let trial = &mut self.trial[index];
            trial.half_turn = (state.angular + 0.5 * h * memory[index].angular_acceleration) * (0.5 * h);
            trial.velocity = state.velocity;
            trial.moved = match link.kind {
                Kind::Revolute => 0.5 * h * rate,
                Kind::Prismatic | Kind::Guided => h * rate,
                Kind::DrivenRevolute => libm::tan(0.5 * (driven(index) - state.coordinate)),
                Kind::DrivenPrismatic | Kind::DrivenGuided => driven(index) - state.coordinate,
                Kind::Kinematic => {
                    trial.half_turn = exact_half_turn(state.angular, h);
                    0.0
                }
                Kind::Free | Kind::Fixed | Kind::Ball => 0.0,
            };
            if let Some(joint) = structure.joint_of(index) {
                self.begin_guided(joint, link.guide, states);
            } else {
                self.place(index, link);
            }
            self.blocks[index] = Block::ZERO;
        }
    }

    /// From the joint's unknown and the parent to everything else of the link's trial.
    #[inline]
    fn place(&mut self, index: usize, link: &Link) {
        let start = &self.start[index];
        let parent = self.trial[link.parent as usize];
        let trial = &mut self.trial[index];
        match link.kind {
            Kind::Free | Kind::Kinematic => {
                trial.cayley = cayley_matrix(trial.half_turn);
                trial.center = trial.cayley * start.center;
                return;
            }
            // Placed as a whole with the last link of the joint.
            Kind::Guided | Kind::DrivenGuided => return,
            Kind::Ball => trial.cayley = cayley_matrix(trial.half_turn),
            Kind::Revolute | Kind::DrivenRevolute => {
                trial.axis = parent.cayley * start.axis;
                // Relative quaternion of the two Cayley turns: (1 + a_p.a_p + sigma a_p.axis0, sigma axis0).
                let (a, t) = (parent.half_turn, trial.moved);
                let sigma = t * (1.0 + a.length_squared()) / (1.0 - t * a.dot(start.axis));
                trial.half_turn = a + (start.axis + trial.axis) * (0.5 * sigma);
                trial.cayley = cayley_matrix(trial.half_turn);
            }
            Kind::Fixed | Kind::Prismatic | Kind::DrivenPrismatic => {
                trial.axis = parent.cayley * start.axis;
                trial.half_turn = parent.half_turn;
                trial.cayley = parent.cayley;
            }
        }
        trial.center = trial.cayley * start.center;
        trial.lever = parent.cayley * start.lever;
        let mut way = trial.lever - start.lever;
        if link.kind.slides() {
            way += trial.axis * (start.coordinate + trial.moved) - start.axis * start.coordinate;
        }
        trial.velocity = parent.velocity + way / self.h;
    }

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

    pub(crate) fn hand_to_parent(&mut self, index: usize, parent: usize, levers: &Levers, memory: &Memory) {
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

    fn levers(&self, index: usize, link: &Link) -> Levers {
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

    /// Solves from the roots to the leaves, renews estimates and trial, and clears the blocks for the next ascent.
    ///
    /// Returns the largest change of a mean velocity, in rad/s or m/s; NaN if anything is.
    pub(crate) fn descend(&mut self, structure: Structure, memory: &mut [Memory]) -> f64 {
        let mut largest = 0.0_f64;
        for (index, link) in structure.links.iter().enumerate().skip(1) {
            let memory = &mut memory[index];
            let size = if link.kind.is_guided() {
                structure.joint_of(index).map_or(0.0, |joint| self.descend_guided(joint, link, memory))
            } else {
                let (change, along) = self.solve_link(index, link, self.residual(index));
                self.changes[index] = change;
                self.renew_estimates(index, link, change, memory);
                let size = self.apply(index, link, change, along);
                self.place(index, link);
                size
            };
            // `max` would swallow a NaN.
            largest = if size <= largest { largest } else { size };
            self.blocks[index] = Block::ZERO;
        }
        largest.sqrt()
    }

    /// What the elimination left on the right-hand side.
    #[inline]
    fn residual(&self, index: usize) -> Residual {
        match self.pivots[index] {
            Pivot::Rigid => Residual::default(),
            Pivot::Ball { y, .. } => Residual { y, force: self.blocks[index].force, along: 0.0 },
            Pivot::Axis { residual, .. } => Residual { along: residual, ..Residual::default() },
        }
    }

    /// The change of a link from its parent's, and along its axis.
    #[inline]
    fn solve_link(&self, index: usize, link: &Link, residual: Residual) -> (Change, f64) {
        let above = self.changes[link.parent as usize];
        let mut lever = self.trial[index].lever;
        if link.kind.slides() {
            lever += self.trial[index].axis * (self.start[index].coordinate + self.trial[index].moved);
        }
        let mut change = Change { linear: above.linear + above.angular.cross(lever), angular: above.angular };
        let mut along = 0.0;
        match self.pivots[index] {
            Pivot::Rigid if link.kind == Kind::Kinematic => change = Change::default(),
            Pivot::Rigid => {}
            Pivot::Ball { x, .. } => {
                if link.kind == Kind::Free {
                    change.linear = -(self.blocks[index].vv.inverse() * residual.force);
                }
                change.angular = -(residual.y + x * change.linear);
            }
            Pivot::Axis { row, inverse, .. } => {
                let needed = residual.along + row.force.dot(change.linear) + row.torque.dot(change.angular);
                along = -needed * inverse;
                let axis = self.trial[index].axis;
                if link.kind == Kind::Revolute {
                    change.angular += axis * along;
                } else {
                    change.linear += axis * along;
                }
            }
        }
        (change, along)
    }

    /// `F~ = F' + K' (dv, phi_p)` and so on, with the blocks as they are after elimination.
    #[inline]
    fn renew_estimates(&mut self, index: usize, link: &Link, change: Change, memory: &mut Memory) {
        let stiff = 2.0 * link.mass / self.h;
        let trial = &self.trial[index];
        memory.own_force = trial.own_force + stiff * (change.linear + change.angular.cross(trial.center));
        let block = &self.blocks[index];
        match link.kind {
            Kind::Free | Kind::Kinematic => {}
            Kind::Ball => memory.joint.force = block.force + block.vv * change.linear,
            _ => {
                let above = self.changes[link.parent as usize].angular;
                let mut linear = change.linear;
                if link.kind == Kind::Prismatic {
                    // The reduced block is told in the motion before the joint's own.
                    let lever = self.levers(index, link).end;
                    linear = self.changes[link.parent as usize].linear + above.cross(lever);
                }
                memory.joint.force = block.force + block.vv * linear + block.vr * above;
                memory.joint.torque = block.torque + block.rv * linear + block.rr * above;
            }
        }
    }

    /// Adds the change to the link's unknowns; the square of the largest change of a mean velocity.
    #[inline]
    fn apply(&mut self, index: usize, link: &Link, change: Change, along: f64) -> f64 {
        let half = 0.5 * self.h;
        let trial = &mut self.trial[index];
        match link.kind {
            Kind::Free | Kind::Ball => {
                let (a, phi) = (trial.half_turn, change.angular);
                let spin = phi - a.cross(phi) + a * a.dot(phi);
                trial.half_turn += spin * half;
                if link.kind == Kind::Free {
                    trial.velocity += change.linear;
                    return spin.length_squared().max(change.linear.length_squared());
                }
                spin.length_squared()
            }
            Kind::Revolute => {
                // Tangents of half angles add like Cayley turns.
                let tau = half * along;
                trial.moved = (trial.moved + tau) / (1.0 - trial.moved * tau);
                along * along
            }
            Kind::Prismatic => {
                trial.moved += self.h * along;
                along * along
            }
            _ => 0.0,
        }
    }
}

/// More right-hand sides on the same factors.
impl Newton {
    /// The changes that the present residual asks for, without making them.
    pub(crate) fn solve_changes(&mut self, structure: Structure) {
        for (index, link) in structure.links.iter().enumerate().skip(1) {
            self.changes[index] = match structure.joint_of(index) {
                Some(joint) => {
                    self.solve_guided(joint, link.guide, &self.guides[link.guide as usize].residual).0
                }
                None => self.solve_link(index, link, self.residual(index)).0,
            };
        }
    }

    pub(crate) fn clear_right_sides(&mut self) {
        self.right_sides.fill(Wrench::ZERO);
    }

    pub(crate) fn add_right_side(&mut self, index: usize, load: Wrench) {
        self.right_sides[index] = self.right_sides[index] + load;
    }

    /// The changes due to the right-hand sides alone.
    pub(crate) fn respond(&mut self, structure: Structure) {
        self.ascend_right_sides(structure);
        for (index, link) in structure.links.iter().enumerate().skip(1) {
            let load = self.right_sides[index];
            self.changes[index] = match structure.joint_of(index) {
                Some(joint) => {
                    self.solve_guided(joint, link.guide, &self.guides[link.guide as usize].along(load)).0
                }
                None => self.solve_link(index, link, self.residual_of(index, link, load)).0,
            };
        }
    }

    /// Adds the right-hand sides to the present residual.
    pub(crate) fn fold_right_sides(&mut self, structure: Structure) {
        self.ascend_right_sides(structure);
        for (index, link) in structure.links.iter().enumerate().skip(1) {
            let load = self.right_sides[index];
            let more = self.residual_of(index, link, load);
            let handed = self.reduced(index, link, load);
            self.blocks[index].force += handed.force;
            self.blocks[index].torque += handed.torque;
            if structure.joint_of(index).is_some() {
                self.guides[link.guide as usize].add_residual(load);
            }
            match &mut self.pivots[index] {
                Pivot::Rigid => {}
                Pivot::Ball { y, .. } => *y += more.y,
                Pivot::Axis { residual, .. } => *residual += more.along,
            }
        }
    }

    fn ascend_right_sides(&mut self, structure: Structure) {
        for index in (1..structure.links.len()).rev() {
            let link = &structure.links[index];
            let joint = structure.joint_of(index);
            let parent = joint.map_or(link.parent as usize, |joint| joint.parent);
            if parent == 0 {
                continue;
            }
            let handed = self.reduced(index, link, self.right_sides[index]);
            let mean = match joint {
                Some(_) => self.guides[link.guide as usize].levers.mean,
                None => self.levers(index, link).mean,
            };
            let parent = &mut self.right_sides[parent];
            parent.force += handed.force;
            parent.torque += handed.torque + mean.cross(handed.force);
        }
    }

    fn residual_of(&self, index: usize, link: &Link, load: Wrench) -> Residual {
        match self.pivots[index] {
            Pivot::Rigid => Residual::default(),
            Pivot::Ball { inverse, .. } => {
                let y = inverse * load.torque;
                Residual { y, force: load.force - self.blocks[index].vr * y, along: 0.0 }
            }
            Pivot::Axis { .. } => {
                let mean = (self.start[index].axis + self.trial[index].axis) * 0.5;
                let along =
                    if link.kind == Kind::Revolute { mean.dot(load.torque) } else { mean.dot(load.force) };
                Residual { along, ..Residual::default() }
            }
        }
    }

    /// What of a right-hand side reaches the parent.
    fn reduced(&self, index: usize, link: &Link, load: Wrench) -> Wrench {
        if link.kind.is_guided() {
            return self.guides[link.guide as usize].reduced(load);
        }
        let residual = self.residual_of(index, link, load);
        match self.pivots[index] {
            Pivot::Rigid => load,
            Pivot::Ball { .. } => Wrench::new(residual.force, DVec3::ZERO),
            Pivot::Axis { column, inverse, .. } => load - column * (residual.along * inverse),
        }
    }
}

/// Right-hand side of a link's own rows after elimination.
#[derive(Clone, Copy, Debug, Default)]
struct Residual {
    y: DVec3,
    force: DVec3,
    along: f64,
}

/// From the parent's joint point to the own one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Levers {
    pub(crate) end: DVec3,
    /// Of start and end, `R_p` and what lies in its axes each.
    pub(crate) mean: DVec3,
    /// What lies in the parent's axes averaged, in the axes of the end.
    pub(crate) mean_at_end: DVec3,
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
    (force, 0.5 * h * element.spring.stiffness(x0 + way) + element.damping)
}
