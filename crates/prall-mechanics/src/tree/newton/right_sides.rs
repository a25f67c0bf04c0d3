//! More right-hand sides on the same factors: what percussions of loops do, in O(n) each.

use glam::DVec3;
use prall_math::Wrench;

use super::super::link::{Kind, Link};
use super::solution::Residual;
use super::{Newton, Pivot, Structure};

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
