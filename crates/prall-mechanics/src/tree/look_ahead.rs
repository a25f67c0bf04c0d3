//! The impulses of Bender 2007 by his O(n) method: look ahead, correct at once, move, correct velocities.
//!
//! Bodies move freely by `c + h v + h^2 g/2` and turn by `w + h/2 dw/dt`; where joints would open by `d`, percussions at
//! the present pose change relative velocities by `d/h`. All joints are treated together: the elimination over bodies
//! and joints is the articulated-body factorisation, with `d/h` as the joints' given motion, factored once and solved in
//! every pass. After the move one more solve makes the velocities fit: the projection. A joint with a law of its own opens by
//! the way from the body to the nearest pose of the law: whatever its coordinates can do is no gap.
//!
//! It is unstable where `h` exceeds 2 over the swing frequency of a light link under tension. Percussions of passes that
//! do not converge are never applied: the step is halved instead, which rescues whipping trees, not heavy chains.

use glam::{DQuat, DVec3};
use prall_math::{Norm, Twist, Wrench};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::description::JointKind;
use super::link::{Kind, Link};
use super::state::{LinkState, cayley_quaternion, measure, place};
use super::step::{TreeReport, project};
use super::{Joint, NodeLinks, Tree};

/// How the look-ahead works.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LookAheadOptions {
    /// Largest gap of a joint at the end of the step, in m (or rad). Default 1e-6, as in the source's tables.
    pub position_tolerance: f64,
    /// Passes before the step is halved. Default 15: trees at 1/60 s need 3 on average and 14 at worst.
    pub most_passes: u32,
    /// How often a step may be halved. Default 7.
    pub most_halvings: u32,
}

impl Default for LookAheadOptions {
    fn default() -> LookAheadOptions {
        LookAheadOptions { position_tolerance: 1e-6, most_passes: 15, most_halvings: 7 }
    }
}

/// What look-ahead passes do not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("look-ahead passes know joints alone; this tree has {0}: use the stable step")]
pub struct LookAheadError(&'static str);

impl Tree {
    /// One step by look-ahead passes. Refuses trees with loops, driven joints, springs or dampers.
    pub fn step_look_ahead(
        &mut self,
        h: f64,
        gravity: DVec3,
        options: &LookAheadOptions,
    ) -> Result<TreeReport, LookAheadError> {
        if !self.loops.is_empty() {
            return Err(LookAheadError("loops"));
        }
        if self.links.iter().any(|link| link.kind.is_driven()) {
            return Err(LookAheadError("driven joints"));
        }
        if self.links.iter().any(|link| !link.element.is_idle()) {
            return Err(LookAheadError("springs, dampers or motors"));
        }
        self.ready();
        self.set_link_loads(gravity);
        let mut report = TreeReport::default();
        self.look_ahead(h, options.most_halvings, options, &mut report);
        Ok(report)
    }

    fn look_ahead(&mut self, h: f64, halvings: u32, options: &LookAheadOptions, report: &mut TreeReport) {
        if let Some(error) = self.try_look_ahead(h, options, report) {
            report.substeps += 1;
            report.position_error = report.position_error.max(error);
        } else if halvings > 0 {
            self.look_ahead(0.5 * h, halvings - 1, options, report);
            self.look_ahead(0.5 * h, halvings - 1, options, report);
        } else {
            report.given_up += 1;
            for state in &mut self.states {
                state.velocity *= 0.5;
                state.angular *= 0.5;
                state.rate *= 0.5;
            }
        }
    }

    /// The step, and the gap that it leaves; `None` and nothing changed if the passes do not converge.
    fn try_look_ahead(&mut self, h: f64, options: &LookAheadOptions, report: &mut TreeReport) -> Option<f64> {
        self.work.articulated.set_pose(&self.links, &self.guided, &self.states);
        self.work.articulated.factor(&self.links, |_, _, _| 0.0);
        self.work.corrected.clone_from(&self.states);
        for _ in 0..options.most_passes {
            report.iterations += 1;
            for (index, link) in self.links.iter().enumerate().skip(1) {
                let load = self.work.link_loads[index];
                self.work.next[index] = moved(link, &self.work.corrected[index], load, h);
            }
            let error = self.close_gaps(h);
            if error <= options.position_tolerance {
                self.take_look_ahead();
                return Some(error);
            }
            if !error.is_finite() {
                return None;
            }
            let articulated = &mut self.work.articulated;
            articulated.loads.fill(Wrench::ZERO);
            articulated.motion[0] = Twist::ZERO;
            articulated.solve(&self.links);
            for (index, state) in self.work.corrected.iter_mut().enumerate().skip(1) {
                let jump = articulated.motion[index];
                state.velocity += jump.velocity_at(articulated.frames[index].center);
                state.angular += jump.angular;
            }
        }
        None
    }

    /// Sets the wanted velocity jump of every joint from its gap at the look-ahead; the largest gap.
    fn close_gaps(&mut self, h: f64) -> f64 {
        let mut largest = 0.0;
        self.work.articulated.bias.fill(Twist::ZERO);
        for (node, joint) in self.joints.iter().enumerate() {
            let NodeLinks { first, own } = self.nodes[node];
            let (own, parent) = (own as usize, self.links[first as usize].parent as usize);
            let gap = match joint.kind {
                JointKind::Guided { .. } => {
                    self.guided[self.links[own].guide as usize].gap(&self.links, &mut self.work.next)
                }
                _ => joint_gap(joint, [parent, own], &self.links, &self.work.next),
            };
            let size = gap.linear.norm().max(gap.angular.norm());
            largest = if size <= largest { largest } else { size };
            self.work.articulated.bias[own] = gap * (1.0 / h);
        }
        largest
    }

    /// Takes the look-ahead as the new state, and corrects the velocities there.
    fn take_look_ahead(&mut self) {
        self.work.next[0] = self.states[0];
        std::mem::swap(&mut self.states, &mut self.work.next);
        for position in 0..self.order.len() {
            let NodeLinks { first, own } = self.nodes[self.order[position] as usize];
            let (first, own) = (first as usize, own as usize);
            let (point, rotation) = (self.states[own].point, self.states[own].rotation);
            if self.links[own].kind.is_guided() {
                // Its coordinates were found with its gap; all its links are where the body is.
                for state in &mut self.states[first..own] {
                    (state.point, state.rotation) = (point, rotation);
                }
                continue;
            }
            let pose = self.states[own].pose(&self.links[own]);
            measure(&self.links, &mut self.states, first, own, &pose);
            for index in first..own {
                let parent = self.states[self.links[index].parent as usize];
                place(&self.links[index], &mut self.states[index], &parent);
            }
            self.states[own].point = point;
            self.states[own].rotation = rotation;
        }
        project(&self.links, &self.guided, &mut self.states, &mut self.work.articulated, 0.0);
    }
}

/// Free motion of one body; links without mass stay and are placed later.
fn moved(link: &Link, state: &LinkState, load: Wrench, h: f64) -> LinkState {
    let mut next = *state;
    if link.kind == Kind::Kinematic || link.mass > 0.0 {
        let center = state.point + state.rotation * link.center;
        let (mut acceleration, mut spin_up) = (DVec3::ZERO, DVec3::ZERO);
        if link.mass > 0.0 {
            acceleration = load.force / link.mass;
            let inward = state.rotation.conjugate();
            let (spin, torque) = (inward * state.angular, inward * load.torque);
            let torque = torque - spin.cross(link.inertia * spin);
            spin_up = state.rotation * super::cholesky::Cholesky::new(&link.inertia).solve(torque);
        }
        let turn = (state.angular + spin_up * (0.5 * h)) * (0.5 * h);
        next.rotation = (cayley_quaternion(turn) * state.rotation).unit();
        next.point = center + state.velocity * h + acceleration * (0.5 * h * h) - next.rotation * link.center;
        next.velocity += acceleration * h;
        next.angular += spin_up * h;
    }
    next
}

/// How the child must move against its parent to close the joint: at the child's joint point, in world axes.
fn joint_gap(joint: &Joint, [parent, own]: [usize; 2], links: &[Link], states: &[LinkState]) -> Twist {
    let above = states[parent].pose(&links[parent]) * joint.frame_in_parent;
    let below = states[own].pose(&links[own]) * joint.frame_in_child;
    let way = above.translation - below.translation;
    let axis = above.rotation * DVec3::X;
    let align = (below.rotation * DVec3::X).cross(axis);
    let whole_turn = || {
        let DQuat { x, y, z, w } = above.rotation * below.rotation.conjugate();
        DVec3::new(x, y, z) * 2.0_f64.copysign(w)
    };
    match joint.kind {
        // A law tells its own gap.
        JointKind::Free | JointKind::Kinematic | JointKind::Guided { .. } => Twist::ZERO,
        JointKind::Ball => Twist::new(way, DVec3::ZERO),
        JointKind::Fixed => Twist::new(way, whole_turn()),
        JointKind::Revolute => Twist::new(way, align),
        JointKind::Prismatic => Twist::new(way - axis * axis.dot(way), whole_turn()),
        JointKind::Cylindrical => Twist::new(way - axis * axis.dot(way), align),
        JointKind::Planar => Twist::new(axis * axis.dot(way), align),
        JointKind::Universal => {
            let second = below.rotation * DVec3::Y;
            // Turning the child by t about (second x axis) changes axis.second by t |second x axis|^2.
            Twist::new(way, second.cross(axis) * -axis.dot(second))
        }
    }
}
