//! The stable time step: energy-momentum midpoint, projection of velocities, and a net of halved steps.
//!
//! Levers and axes are averages of start and end, so joint forces do no work and the unprojected step keeps energy to
//! rounding for any step size. Its velocities leave the joints' tangent space, though; the projection takes the
//! nearest velocities in the metric of the masses that satisfy the joints at the end pose, which can only remove
//! energy. Both act by joint impulses alone, so momentum is kept. The step has order 2.

use glam::{DMat3, DVec3};
use prall_math::{Norm, Twist, Wrench};
use serde::{Deserialize, Serialize};

use super::Tree;
use super::guided::{GuidedJoint, place_guided};
use super::link::{Kind, Link};
use super::newton::{Memory, Outlook, Progress, Structure};
use super::state::{Drive, LinkState, cayley_quaternion, place};

/// How the stable step works.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeOptions {
    /// Newton's method ends when no mean velocity changes by more, in rad/s or m/s. Default 1e-6: as convergence is
    /// quadratic, what remains is far below; at 1e-3 long runs of whipping trees were lost.
    pub velocity_tolerance: f64,
    /// It also ends when the next change is foreseen to be below this, in rad/s or m/s, from how the last ones fell. Default 1e-12; at
    /// 5e-6 a tree of 255 links in full swing takes three iterations instead of four, and its energy stays within 1e-4 J of 2e5 J.
    pub remainder: f64,
    /// Newton iterations before the step is halved; three times as many as long as changes fall. Default 12; whipping trees at 1/30 s need 4 to 6.
    pub most_iterations: u32,
    /// How often a step may be halved, at most. Default 8: 256 substeps. Below, velocities are halved instead.
    pub most_halvings: u32,
    /// Gives back the kinetic energy that the projection takes, by scaling the motion inside the tree; total momentum
    /// stays. It buys a right energy, not a right trajectory. Ignored while a joint is driven, damped or closes a loop.
    /// Default false.
    pub keep_energy: bool,
    /// Halves the step when the projection takes more than this share of the kinetic energy. Default infinity: never.
    /// 1e-4 costs whipping trees five times the work and saves nine tenths of the loss.
    pub max_loss: f64,
}

impl Default for TreeOptions {
    fn default() -> TreeOptions {
        TreeOptions {
            velocity_tolerance: 1e-6,
            remainder: 1e-12,
            most_iterations: 12,
            most_halvings: 8,
            keep_energy: false,
            max_loss: f64::INFINITY,
        }
    }
}

/// What a step of a tree did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TreeReport {
    /// Newton iterations, or look-ahead passes, over all substeps.
    pub iterations: u32,
    /// Substeps that were accepted; 1 if nothing had to be halved.
    pub substeps: u32,
    /// Substeps at the bottom of the net: pose kept, velocities halved.
    pub given_up: u32,
    /// Kinetic energy that the projection took, in J.
    pub projection_loss: f64,
    /// Largest distance between joint points or loop ends at the end, in m.
    pub position_error: f64,
    /// Rows of the conditions that close loops, and how many of them are redundant at the end pose: they follow from the others, so that
    /// their share of the reactions cannot be known.
    pub loop_rows: u32,
    /// See `loop_rows`.
    pub redundant_rows: u32,
}

/// Most that `keep_energy` scales velocities in one step: beyond, an impact or a bad step is not its business.
const LARGEST_SCALING: f64 = 1.05;

impl Tree {
    /// One step of length `h` in s under gravity in m/s^2 and the loads that were set.
    ///
    /// Energy never rises, joints hold to rounding, for every `h` up to 1/30 s that was tried and mass ratios up to
    /// 1:10,000.
    pub fn step(&mut self, h: f64, gravity: DVec3, options: &TreeOptions) -> TreeReport {
        self.ready();
        let mut report = TreeReport::default();
        self.loop_reactions.fill(Wrench::ZERO);
        self.set_link_loads(gravity);
        self.work.drive_start.clear();
        let drives =
            self.states.iter().map(|s| Drive { position: s.coordinate, rate: s.rate, acceleration: 0.0 });
        self.work.drive_start.extend(drives);
        self.step_part(h, (0.0, 1.0), options.most_halvings, options, &mut report);
        report.position_error = self.loop_gap();
        report
    }

    /// The part of the step between two fractions of it; halves where it must.
    fn step_part(
        &mut self,
        h: f64,
        (from, to): (f64, f64),
        halvings: u32,
        options: &TreeOptions,
        report: &mut TreeReport,
    ) {
        if self.attempt(h, (from, to), halvings, options, report) {
            report.substeps += 1;
            return;
        }
        self.forget();
        if halvings == 0 {
            for state in &mut self.states {
                state.velocity *= 0.5;
                state.angular *= 0.5;
                state.rate *= 0.5;
            }
            report.given_up += 1;
            return;
        }
        let middle = 0.5 * (from + to);
        self.step_part(h, (from, middle), halvings - 1, options, report);
        self.step_part(h, (middle, to), halvings - 1, options, report);
    }

    /// Tries a part of the step and takes it over if it is good.
    fn attempt(
        &mut self,
        h: f64,
        (from, to): (f64, f64),
        halvings: u32,
        options: &TreeOptions,
        report: &mut TreeReport,
    ) -> bool {
        let part = h * (to - from);
        let (targets, starts) = (&self.drives, &self.work.drive_start);
        let driven = |index: usize| interpolate(&starts[index], &targets[index], h, to);
        let structure = Structure { links: &self.links, guided: &self.guided };
        let (newton, loads) = (&mut self.work.newton, &self.work.link_loads);
        newton.begin(structure, &self.states, &self.memory, loads, part, |index| driven(index).0);
        if !self.converge(options, report) {
            return false;
        }
        self.finish(part, |start, target| interpolate(start, target, h, to));
        let Some(loss) = self.project_next(part, options, report) else { return false };
        if loss.taken > options.max_loss * loss.energy && halvings > 0 {
            return false;
        }
        report.projection_loss += loss.taken;
        self.add_loop_reactions();
        self.remember(part);
        std::mem::swap(&mut self.states, &mut self.work.next);
        true
    }

    fn converge(&mut self, options: &TreeOptions, report: &mut TreeReport) -> bool {
        if !self.loops.is_empty() {
            return self.converge_with_loops(options, report);
        }
        let structure = Structure { links: &self.links, guided: &self.guided };
        let mut progress = Progress::default();
        loop {
            report.iterations += 1;
            self.work.newton.ascend(structure, &self.memory);
            let change = self.work.newton.descend(structure, &mut self.memory);
            match progress.judge(change, self.work.newton.h, options) {
                Outlook::Converged => return true,
                Outlook::Hopeless => return false,
                Outlook::Open => {}
            }
        }
    }

    /// Poses and velocities at the end, before the projection.
    fn finish(&mut self, h: f64, driven: impl Fn(&Drive, &Drive) -> (f64, f64)) {
        let newton = &self.work.newton;
        for (index, link) in self.links.iter().enumerate().skip(1) {
            let (start, trial) = (&newton.start[index], &newton.trial[index]);
            let (below, own) = self.work.next.split_at_mut(index);
            let (before, next) = (&self.states[index], &mut own[0]);
            *next = *before;
            let mean = trial.velocity + (trial.center - start.center) / h;
            next.velocity = mean * 2.0 - start.velocity;
            next.angular = trial.cayley * (trial.half_turn * (4.0 / h) - start.angular);
            match link.kind {
                Kind::Free | Kind::Kinematic => next.point = before.point + trial.velocity * h,
                Kind::Revolute => next.coordinate += 2.0 * libm::atan(trial.moved),
                Kind::Prismatic | Kind::Guided => next.coordinate += trial.moved,
                Kind::DrivenRevolute | Kind::DrivenPrismatic | Kind::DrivenGuided => {
                    (next.coordinate, next.rate) = driven(&self.work.drive_start[index], &self.drives[index]);
                }
                Kind::Fixed | Kind::Ball => {}
            }
            if matches!(link.kind, Kind::Free | Kind::Kinematic | Kind::Ball) {
                next.rotation = (cayley_quaternion(trial.half_turn) * before.rotation).unit();
            }
            if link.kind == Kind::Kinematic {
                next.velocity = before.velocity;
                next.angular = before.angular;
            }
            place(link, next, &below[link.parent as usize]);
            if link.kind.is_guided() {
                place_guided(&self.guided, link, index, &mut self.work.next);
            }
        }
    }

    /// Projects the velocities of the coming state; `None` if something is not finite.
    fn project_next(&mut self, h: f64, options: &TreeOptions, report: &mut TreeReport) -> Option<Loss> {
        let before = kinetic_energy(&self.links, &self.work.next);
        project(&self.links, &self.guided, &mut self.work.next, &mut self.work.articulated, h);
        if !self.loops.is_empty() {
            report.redundant_rows = self.close_loop_velocities();
            report.loop_rows = self.work.loops.row_count() as u32;
        }
        let after = kinetic_energy(&self.links, &self.work.next);
        if !after.is_finite() {
            return None;
        }
        let mut loss = Loss { taken: before - after, energy: before };
        if options.keep_energy && self.may_scale() && loss.taken > 0.0 {
            loss.taken -= scale_inner_motion(&self.links, &mut self.work.next, after, loss.taken);
        }
        Some(loss)
    }

    fn may_scale(&self) -> bool {
        self.loops.is_empty()
            && self.links.iter().skip(1).all(|link| {
                !link.kind.is_driven() && link.kind != Kind::Kinematic && link.element.damping == 0.0
            })
    }

    fn remember(&mut self, h: f64) {
        for ((memory, next), before) in self.memory.iter_mut().zip(&self.work.next).zip(&self.states) {
            memory.angular_acceleration = (next.angular - before.angular) / h;
            memory.rate_acceleration = (next.rate - before.rate) / h;
        }
    }

    /// Forgets force estimates and accelerations: needed after an impact, an edit, or a jump of any other kind.
    pub fn forget(&mut self) {
        self.memory.fill(Memory::default());
        for percussion in &mut self.loop_forces {
            *percussion = [0.0; 5];
        }
    }
}

struct Loss {
    taken: f64,
    energy: f64,
}

/// Coordinate and rate at a fraction of the step, by the cubic between both ends.
fn interpolate(start: &Drive, end: &Drive, h: f64, f: f64) -> (f64, f64) {
    let (way, u) = (end.position - start.position, 1.0 - f);
    let position =
        start.position + way * f * f * (3.0 - 2.0 * f) + h * f * u * (start.rate * u - end.rate * f);
    let rate = way / h * 6.0 * f * u + start.rate * u * (1.0 - 3.0 * f) + end.rate * f * (3.0 * f - 2.0);
    (position, rate)
}

/// The nearest velocities, in the metric of the masses, that the joints allow at the state's own pose.
///
/// A stiff damper `d` on an axis with inertia `I` also resists here, by `h d x^2/(1 + x^2)` with `x = h d/(2 I)`: the
/// midpoint alone would flip its rate in every step. For soft dampers that is of third order in `h`.
pub(crate) fn project(
    links: &[Link],
    guided: &[GuidedJoint],
    states: &mut [LinkState],
    articulated: &mut super::articulated::Articulated,
    h: f64,
) {
    articulated.set_pose(links, guided, states);
    for (index, link) in links.iter().enumerate().skip(1) {
        let (state, frame) = (&states[index], &articulated.frames[index]);
        let momentum = state.velocity * link.mass;
        let spin = frame.inertia * state.angular + frame.center.cross(momentum);
        articulated.loads[index] = Wrench::new(-momentum, -spin);
        articulated.bias[index] = match link.kind {
            Kind::Kinematic => state.twist(),
            Kind::DrivenRevolute => Twist::new(DVec3::ZERO, frame.axis * state.rate),
            Kind::DrivenPrismatic => Twist::new(frame.axis * state.rate, DVec3::ZERO),
            Kind::DrivenGuided => articulated.screws[index] * state.rate,
            _ => Twist::ZERO,
        };
    }
    articulated.factor(links, |_, link, pivot| {
        let damping = h * link.element.damping;
        let x = 0.5 * damping / pivot;
        damping * x * x / (1.0 + x * x)
    });
    articulated.solve(links);
    take_velocities(links, states, articulated);
}

/// Velocities of the states from the motion of the joint points.
pub(crate) fn take_velocities(
    links: &[Link],
    states: &mut [LinkState],
    articulated: &super::articulated::Articulated,
) {
    for (index, link) in links.iter().enumerate().skip(1) {
        let motion = articulated.motion[index];
        states[index].velocity = motion.velocity_at(articulated.frames[index].center);
        states[index].angular = motion.angular;
        if link.kind.is_free_axis() {
            states[index].rate = articulated.rates[index];
        }
    }
}

/// Kinetic energy of all links, in J.
pub(crate) fn kinetic_energy(links: &[Link], states: &[LinkState]) -> f64 {
    links.iter().zip(states).map(|(link, state)| energy_of_motion(link, state)).sum()
}

/// Kinetic energy of a link, in J.
pub(crate) fn energy_of_motion(link: &Link, state: &LinkState) -> f64 {
    let spin = state.rotation.conjugate() * state.angular;
    0.5 * (link.mass * state.velocity.length_squared() + spin.dot(link.inertia * spin))
}

/// Scales the motion so that the kinetic energy, which is `energy` now, grows by `missing`; what was given, in J.
///
/// A tree that hangs on the world is scaled as a whole. In a floating one the motion that it would have as one rigid
/// body with the same momenta is kept apart: the rest is orthogonal to it in the metric of the masses and carries
/// neither momentum nor angular momentum.
fn scale_inner_motion(links: &[Link], states: &mut [LinkState], energy: f64, missing: f64) -> f64 {
    let floating = links.iter().skip(1).all(|link| link.parent != 0 || link.kind == Kind::Free);
    if !floating {
        if !(energy > 0.0) {
            return 0.0;
        }
        let factor = (1.0 + missing / energy).sqrt().min(LARGEST_SCALING);
        for state in states {
            state.velocity *= factor;
            state.angular *= factor;
            state.rate *= factor;
        }
        return energy * (factor * factor - 1.0);
    }
    let (center, rigid) = rigid_motion(links, states);
    let part = |link: &Link, state: &LinkState| {
        let offset = state.point + state.rotation * link.center - center;
        rigid.shifted(offset)
    };
    let mut inner = 0.0;
    for (link, state) in links.iter().zip(&*states) {
        let own = part(link, state);
        let spin = state.rotation.conjugate() * (state.angular - own.angular);
        inner += 0.5
            * (link.mass * (state.velocity - own.linear).length_squared() + spin.dot(link.inertia * spin));
    }
    if !(inner > 0.0) {
        return 0.0;
    }
    let factor = (1.0 + missing / inner).sqrt().min(LARGEST_SCALING);
    for (link, state) in links.iter().zip(states) {
        let own = part(link, state);
        state.velocity = own.linear + (state.velocity - own.linear) * factor;
        state.angular = own.angular + (state.angular - own.angular) * factor;
        state.rate *= factor;
    }
    inner * (factor * factor - 1.0)
}

/// Mass centre of all links, and the twist about it that one rigid body with their momenta would have.
fn rigid_motion(links: &[Link], states: &[LinkState]) -> (DVec3, Twist) {
    let positions = |link: &Link, state: &LinkState| state.point + state.rotation * link.center;
    let (mut mass, mut moment, mut momentum) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for (link, state) in links.iter().zip(states) {
        mass += link.mass;
        moment += positions(link, state) * link.mass;
        momentum += state.velocity * link.mass;
    }
    let center = moment / mass;
    let (mut inertia, mut spin) = (DMat3::ZERO, DVec3::ZERO);
    for (link, state) in links.iter().zip(states) {
        let arm = positions(link, state) - center;
        let rotation = DMat3::from_quat(state.rotation);
        let own = rotation * link.inertia * rotation.transpose();
        inertia += own - super::articulated::skew_skew(arm, arm) * link.mass;
        spin += own * state.angular + arm.cross(state.velocity * link.mass);
    }
    let angular = super::cholesky::Cholesky::new(&inertia).solve(spin);
    (center, Twist::new(momentum / mass, angular))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Guide, Joint, JointKind, Node, TreeDescription};
    use glam::DQuat;
    use prall_math::Pose;
    use std::sync::Arc;

    /// Shifts and turns that depend on each other.
    #[derive(Debug)]
    struct Twisted(usize);

    impl Guide for Twisted {
        fn coordinates(&self) -> usize {
            self.0
        }

        fn pose(&self, q: &[f64]) -> Pose {
            let (first, last) = (q[0], q[self.0 - 1]);
            let turn = DVec3::new(0.5 * first, 0.3 * first * first, 0.7 * last);
            let shift = DVec3::new(libm::sin(first), libm::cos(first + last), 0.4 * last * last);
            Pose::new(DQuat::from_scaled_axis(turn), shift)
        }
    }

    const BENT: JointKind = JointKind::Guided { guide: 0, coordinates: 1 };
    const TWISTED: JointKind = JointKind::Guided { guide: 1, coordinates: 2 };

    fn one_of_each(kinds: &[JointKind]) -> Tree {
        let inertia = DMat3::from_diagonal(DVec3::new(0.1, 0.15, 0.2));
        let frame =
            |x: f64| Pose::new(DQuat::from_scaled_axis(DVec3::new(0.3, -0.2, x)), DVec3::new(0.2, -0.3, x));
        let node = |(index, &kind): (usize, &JointKind)| Node {
            parent: (index as u32).checked_sub(1),
            mass: 1.0 + index as f64,
            inertia,
            joint: Joint::new(kind, frame(0.4), frame(-0.2)),
        };
        let nodes = kinds.iter().enumerate().map(node).collect();
        let guides: [Arc<dyn Guide>; 2] = [Arc::new(Twisted(1)), Arc::new(Twisted(2))];
        let mut tree = Tree::with_guides(&TreeDescription { nodes, loops: Vec::new() }, &guides).unwrap();
        let poses: Vec<Pose> = (0..tree.len()).map(|node| tree.pose(node)).collect();
        tree.load(|node| (poses[node], Twist::new(DVec3::X, DVec3::new(1.0, -2.0, node as f64))));
        tree.project_velocities();
        tree
    }

    /// Largest changes of successive Newton iterations of the second step.
    fn changes(tree: &mut Tree, h: f64) -> Vec<f64> {
        tree.step(h, DVec3::NEG_Y * 9.81, &TreeOptions::default());
        tree.set_link_loads(DVec3::NEG_Y * 9.81);
        // A guess without the last accelerations, so that there is something to converge.
        let mut guess = tree.memory.clone();
        guess.iter_mut().for_each(|memory| memory.angular_acceleration = DVec3::ZERO);
        let structure = Structure { links: &tree.links, guided: &tree.guided };
        tree.work.newton.begin(structure, &tree.states, &guess, &tree.work.link_loads, h, |_| 0.0);
        let iterate = |_| {
            tree.work.newton.ascend(structure, &tree.memory);
            tree.work.newton.descend(structure, &mut tree.memory)
        };
        (0..6).map(iterate).collect()
    }

    /// A wrong sign anywhere in the matrix still converges, but only linearly: this pins all of them.
    #[test]
    fn newton_converges_quadratically_over_every_joint() {
        use JointKind::*;
        for kinds in [
            &[Free, Revolute, Ball][..],
            &[Ball, Ball, Ball],
            &[Revolute, Prismatic, Ball],
            &[Prismatic, Revolute, Revolute],
            &[Free, Universal, Cylindrical],
            &[Ball, Prismatic, Prismatic],
            &[Ball, Planar, Fixed, Revolute],
            &[BENT, Ball],
            &[TWISTED, Revolute],
            &[Ball, BENT, Ball],
            &[Free, TWISTED, BENT],
        ] {
            let changes = changes(&mut one_of_each(kinds), 1.0 / 30.0);
            // 3 times the square in this scene; below 1e-13 rounding ends the fall.
            // Of laws the change of what makes the mean subspace exact is left out: a ten-thousandth of the change itself.
            let left = if kinds.iter().any(|kind| matches!(kind, Guided { .. })) { 1e-4 } else { 0.0 };
            let falls = |pair: &[f64]| pair[1] < (3.0 * pair[0] + left) * pair[0] + 1e-13;
            assert!(changes[0] > 1e-3 && changes.windows(2).all(falls), "{kinds:?}: {changes:?}");
        }
    }
}
