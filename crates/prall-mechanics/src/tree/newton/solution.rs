//! From the roots to the leaves: the changes, the force estimates and the trial that follow from an elimination.

use glam::DVec3;

use super::super::link::{Kind, Link};
use super::{Block, Change, Memory, Newton, Pivot, Structure};

/// Right-hand side of a link's own rows after elimination.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Residual {
    pub(super) y: DVec3,
    pub(super) force: DVec3,
    pub(super) along: f64,
}

impl Newton {
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
    pub(super) fn residual(&self, index: usize) -> Residual {
        match self.pivots[index] {
            Pivot::Rigid => Residual::default(),
            Pivot::Ball { y, .. } => Residual { y, force: self.blocks[index].force, along: 0.0 },
            Pivot::Axis { residual, .. } => Residual { along: residual, ..Residual::default() },
        }
    }

    /// The change of a link from its parent's, and along its axis.
    #[inline]
    pub(super) fn solve_link(&self, index: usize, link: &Link, residual: Residual) -> (Change, f64) {
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
