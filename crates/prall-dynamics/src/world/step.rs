//! One step of the world.
//!
//! ```text
//! half of the loads' impulses                              bodies that fly, alone or jointed
//!   joints before the move; move; the other half; joints after the move: the RATTLE scheme, exact parabolas
//! trees of joints that fly take their own stable step
//! trees that whirl near contacts fly, too, after contacts have changed their velocities
//! all of the loads' impulses                               bodies that touch or may touch something in this step
//!   joints and contacts in one loop; move; rates of joints
//! contacts at the new poses, as far as the next motion reaches; overlaps taken apart; events; report
//! ```

use std::time::Instant;

use prall_math::{Norm, Twist, Wrench};
use prall_mechanics::{
    Budget, ContactReport, ContactStep, Coupling, Movers, ProjectionReport, Side, StepReport,
};

use super::account::RowWork;
use super::trees::TreeDetails;
use super::whirling::SOLVES;
use super::{Event, World};
use crate::SolidReport;
use crate::flight::{Rotor, drifted};
use crate::joint::Joint;
use crate::joint::frames::Frames;
use crate::joint::rows::Spell;
use crate::solver::phases::{Aim, Means};
use crate::solver::system::JointSystem;

/// What a step did, beyond the [`StepReport`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepDetails {
    /// Parts that the step was cut into.
    pub substeps: u32,
    /// Sweeps over flying joints before the move, and after it.
    pub joint_sweeps: (usize, usize),
    /// Largest error of a joint at the end of the step, in m or rad.
    pub joint_error: f64,
    /// Largest rate of a joint that should have none, in m/s or rad/s.
    pub joint_rate: f64,
    /// How often the direct solver has factored since joints were last added or removed.
    pub factorisations: usize,
    /// Pairs whose ways were checked for impacts, because they moved far against each other.
    pub swept_pairs: usize,
    /// Bodies that the check stopped before the end of their way; [`StepReport::lost_time`] says for how long.
    pub stopped: usize,
    /// Pairs of which the check could prove nothing: they have not moved in their part of the step.
    pub unproven: usize,
    /// Pairs in which a kinematic body, which nothing stops, ran into another.
    pub crushed: usize,
    /// What the tree solver did, over all parts of the step.
    pub tree: TreeDetails,
    /// What solid contacts did.
    pub solid: SolidReport,
    /// What the contact solver reported, over all parts of the step.
    pub contact: ContactReport,
    /// What the projection of overlaps reported in the last part; its energy is that of all parts.
    pub projection: ProjectionReport,
}

impl StepDetails {
    /// Sums what happened, keeps the largest errors, and counts contacts as the last part of the step found them.
    fn add_contacts(&mut self, report: &ContactReport) {
        let before = self.contact;
        self.contact = ContactReport {
            sweeps: before.sweeps.max(report.sweeps),
            residual: before.residual.max(report.residual),
            momentum_defect: before.momentum_defect + report.momentum_defect,
            collisions: before.collisions + report.collisions,
            work: before.work + report.work,
            cut: before.cut || report.cut,
            energy: before.energy.plus(&report.energy),
            outside: before.outside + report.outside,
            shock_impulse: before.shock_impulse + report.shock_impulse,
            ..*report
        };
    }
}

/// Joints of components that touch something, inside the loop of contacts.
struct CoupledJoints<'a> {
    system: &'a mut JointSystem,
    joints: &'a [Joint],
    rotors: &'a [Rotor],
    spell: Spell,
    /// In m and rad.
    tolerance: f64,
    pool: Option<&'a rayon::ThreadPool>,
}

impl Coupling for CoupledJoints<'_> {
    fn joined(&self, visit: &mut dyn FnMut(Side, Side)) {
        for block in self.system.blocks.iter().filter(|block| block.active) {
            let [a, b] = block.bodies;
            visit(Side::Body(a), Side::Body(b));
        }
    }

    fn sweep(&mut self, movers: &mut Movers<'_>, _h: f64) -> f64 {
        self.system.sweep(&mut movers.bodies.velocities, self.pool)
    }

    fn send_on_detour(&mut self, body: u32, detour: Twist) {
        self.system.add_detour(body as usize, detour);
    }

    fn aim_anew(&mut self, movers: &mut Movers<'_>) -> f64 {
        self.system.look_ahead(self.joints, movers.bodies, self.rotors, &self.spell);
        let active = self.system.components.iter().filter(|component| component.active);
        let miss = active.fold(0.0_f64, |miss, component| miss.max(component.error));
        if miss > self.tolerance { miss } else { 0.0 }
    }
}

impl World {
    /// Advances by one step without a limit on its work.
    pub fn advance(&mut self) -> &StepReport {
        self.step(&mut Budget::unlimited())
    }

    /// Advances by one step.
    ///
    /// A budget that ends early leaves larger errors, which the report tells and later steps repair; the state is as good as the
    /// work allowed.
    pub fn step(&mut self, budget: &mut Budget) -> &StepReport {
        let used = budget.used();
        self.report = StepReport::default();
        self.details = StepDetails::default();
        self.touches.begin_step();
        if self.reorder {
            self.reorder();
        }
        if self.redetect {
            self.wake_all();
            self.solid.last_part = true;
            self.detect(self.options.time_step);
        }
        self.begin_solid();
        self.open_account();
        self.find_touched(self.options.time_step);
        let parts = self.substeps();
        self.details.substeps = parts;
        let h = self.options.time_step / f64::from(parts);
        for joint in &mut self.joints {
            joint.reaction = Wrench::ZERO;
        }
        let mut diverged = false;
        for part in 0..parts {
            self.solid.last_part = part + 1 == parts;
            if parts > 1 {
                self.find_touched(h);
            }
            self.open_guard();
            if budget.is_unlimited() {
                self.substep(h, budget);
            } else {
                // Every part of the step has its share.
                let mut share = budget.lend(budget.remaining() / u64::from(parts - part));
                self.substep(h, &mut share);
                budget.take_back(share);
            }
            // What goes wrong in one part would grow in the others.
            diverged |= self.close_guard(h);
        }
        self.time += self.options.time_step;
        self.finish_joints();
        self.note_loaded_gaps();
        self.note_touches();
        self.note_solid_impacts();
        self.fall_asleep();
        self.close_account(diverged);
        self.report.work = budget.used() - used;
        self.report.budget_cut |= budget.exhausted();
        &self.report
    }

    pub(super) fn reorder(&mut self) {
        let World { system, joints, joint_places, bodies, rotors, options, .. } = self;
        system.rebuild(joint_places, joints, bodies, rotors, options.solver);
        self.reorder = false;
    }

    fn substep(&mut self, h: f64, budget: &mut Budget) {
        let start = Instant::now();
        self.wake_touched();
        self.gather_loads(h);
        self.before.clear();
        self.before.extend_from_slice(&self.bodies.velocities);
        self.find_whirling(h);
        self.attempt_trees(h, budget);
        self.kick(h);
        self.find_detours(h);
        self.solve_flying(h, budget);
        self.solve_touching(h, budget);
        self.note_collisions(h);
        self.note_pushes_for_guard();
        self.report.phases.solve += start.elapsed();
        #[cfg(test)]
        self.bodies.velocities.iter_mut().for_each(|velocity| *velocity = *velocity * self.tamper);
        let start = Instant::now();
        self.begin_sweep();
        self.move_bodies(h);
        let swept = self.sweep_bodies(h);
        self.details.swept_pairs += swept.swept;
        self.details.stopped += swept.stopped;
        self.details.unproven += swept.unproven;
        self.details.crushed += swept.crushed;
        self.report.lost_time += swept.lost_time;
        budget.take_units(swept.work);
        budget.take_units(self.commit_movers(h));
        self.report.phases.commit += start.elapsed();
        let start = Instant::now();
        self.settle_joints(h, budget);
        if self.solid.last_part {
            self.advance_solid(self.options.time_step, budget);
        }
        let detecting = self.details.solid.phases.collect + self.details.solid.phases.sweep;
        self.report.phases.detect += detecting;
        self.report.phases.solve += start.elapsed().saturating_sub(detecting);
        let start = Instant::now();
        self.detect(h);
        self.report.phases.detect += start.elapsed();
        let start = Instant::now();
        self.project(budget);
        self.close_whirling(h, budget);
        self.report.phases.contacts += start.elapsed();
    }

    /// Impulses of loads and gravity before the move: half of them for bodies that fly.
    fn kick(&mut self, h: f64) {
        for at in 0..self.bodies.len() {
            let carried = self.system.is_carried(at) || self.sleepers.sleeps(at);
            if self.bodies.is_movable(at) && !carried && !self.solid.state.is_solid(at) {
                let span = if self.touched[at] { h } else { 0.5 * h };
                self.push(at, span);
            }
        }
        let gravity = self.options.gravity;
        for (number, mover) in self.movers.iter_mut().enumerate() {
            if !self.solid.state.is_solid_mover(number) {
                mover.predict(h, gravity);
            }
        }
    }

    fn push(&mut self, at: usize, span: f64) {
        let (load, response) = (&self.loads[at], &self.bodies.responses[at]);
        let velocity = &mut self.bodies.velocities[at];
        velocity.linear += (self.options.gravity + load.force * response.inverse_mass) * span;
        velocity.angular += response.inverse_inertia * load.torque * span;
    }

    fn aim(&self) -> Aim {
        Aim {
            position: self.options.position_tolerance,
            velocity: self.options.velocity_tolerance,
            most_sweeps: self.options.most_sweeps,
        }
    }

    fn spell(&self, before: bool, h: f64, span: f64) -> Spell {
        Spell { before, step: h, span, closing: self.options.assembly_speed * h }
    }

    fn solve_flying(&mut self, h: f64, budget: &mut Budget) {
        if self.system.blocks.is_empty() {
            return;
        }
        let (spell, aim) = (self.spell(true, h, 0.5 * h), self.aim());
        self.system.choose(|component| !component.touching && !component.carried && !component.solid);
        let World { system, joints, bodies, rotors, pool, .. } = self;
        // The other half is for after the move.
        let mut half = budget.lend(budget.remaining() / 2);
        let mut means = Means { budget: &mut half, pool: pool.as_deref() };
        let report = system.position_phase(joints, bodies, rotors, &spell, &aim, &mut means);
        budget.take_back(half);
        system.add_reactions(joints, bodies, |_| true);
        self.book_joints(false);
        self.details.joint_sweeps.0 += report.sweeps;
        self.report.budget_cut |= report.budget_cut;
    }

    fn solve_touching(&mut self, h: f64, budget: &mut Budget) {
        self.system.launched.clone_from(&self.bodies.velocities);
        self.find_rolling(h);
        let mut report = self.solve_contacts(h, budget);
        for _ in 1..SOLVES {
            if !self.goes_back(h) {
                break;
            }
            report = self.solve_contacts(h, budget);
        }
        self.fly_whirling(h);
        let spell = self.spell(true, h, h);
        self.system.remember(&mut self.joints, &spell);
        self.system.add_reactions(&mut self.joints, &self.bodies, |_| true);
        self.book_joints(false);
        self.book_contacts(&report);
        self.details.add_contacts(&report);
        self.report.budget_cut |= report.cut;
        self.report.sweeps = self.report.sweeps.max(report.sweeps);
        self.report.collisions += report.collisions;
        self.report.velocity_error = self.report.velocity_error.max(report.residual);
    }

    fn solve_contacts(&mut self, h: f64, budget: &mut Budget) -> ContactReport {
        self.system.choose(|component| component.touching && !component.solid);
        let spell = self.spell(true, h, h);
        let tolerance = self.options.position_tolerance;
        let World { system, joints, bodies, rotors, pool, contacts, movers, .. } = self;
        let pool = pool.as_deref();
        system.prepare(joints, bodies, &spell);
        system.warm_start(&mut bodies.velocities);
        system.look_ahead(joints, bodies, rotors, &spell);
        system.begin_direct();
        let step =
            ContactStep { h, gravity: self.options.gravity, before: &self.before, rolling: &self.rolling };
        let mut everything = Movers { bodies, others: movers };
        let mut coupled = CoupledJoints { system, joints, rotors, spell, tolerance, pool };
        contacts.solve(&mut everything, &mut coupled, &step, &self.options.contact, budget, pool)
    }

    /// Moves everything to the end of the substep.
    fn move_bodies(&mut self, h: f64) {
        self.find_pushed(h);
        self.carry_trees(h);
        for at in 0..self.bodies.len() {
            let velocity = self.bodies.velocities[at];
            let still = velocity == Twist::ZERO && !self.bodies.is_movable(at);
            if still
                || self.system.is_carried(at)
                || self.sleepers.sleeps(at)
                || self.solid.state.is_solid(at)
            {
                continue;
            }
            // What stands, stays; its weight and what held it are in the account of its contacts.
            if self.touched[at] && velocity == Twist::ZERO && self.before[at] == Twist::ZERO {
                self.book_standing(at, h);
                continue;
            }
            let mean = self.mean_velocity(at, h);
            let pose = self.bodies.poses[at];
            let momentum = self.rotors[at].momentum(pose.rotation, velocity.angular);
            let moved = drifted(&pose, &self.rotors[at], mean.linear, mean.angular, h);
            self.bodies.poses[at] = moved;
            if self.bodies.is_movable(at) {
                let rotor = &self.rotors[at];
                let mut turned = rotor.velocity(moved.rotation, momentum);
                if mean.angular != velocity.angular && !rotor.is_round() {
                    // No flight leads to where a detour turned it. With the momentum kept a slender body would have another energy there, so
                    // it keeps the spin of its flight as seen from the body.
                    let flown = rotor.turned(pose.rotation, velocity.angular, h);
                    turned = moved.rotation * (flown.conjugate() * rotor.velocity(flown, momentum));
                    let given = rotor.momentum(moved.rotation, turned) - momentum;
                    self.report.momentum.methods.torque += given;
                }
                self.bodies.velocities[at].angular = turned;
                self.bodies.turn_inertia(at);
                if !self.touched[at] {
                    self.push(at, 0.5 * h);
                }
                self.book_way(at, h, &pose, Twist { linear: velocity.linear, angular: turned }, velocity);
            }
        }
    }

    /// Rates of joints after the move.
    fn settle_joints(&mut self, h: f64, budget: &mut Budget) {
        if self.system.blocks.is_empty() {
            return;
        }
        self.system.read(&mut self.joints, &self.bodies);
        self.second_half_of_springs();
        self.unsettled.clone_from(&self.bodies.velocities);
        let aim = self.aim();
        for touching in [false, true] {
            let spell = self.spell(false, h, if touching { 0.0 } else { 0.5 * h });
            self.system
                .choose(|component| component.touching == touching && !component.carried && !component.solid);
            let World { system, joints, bodies, pool, .. } = self;
            let mut means = Means { budget: &mut *budget, pool: pool.as_deref() };
            let report = system.velocity_phase(joints, bodies, &spell, &aim, &mut means);
            // Joints of groups that contacts press have given all of their impulses before the move, others half of them.
            system.add_reactions(joints, bodies, |component| !component.loaded);
            self.book_joints(true);
            self.details.joint_sweeps.1 += report.sweeps;
            self.details.joint_rate = report.error.max(if touching { self.details.joint_rate } else { 0.0 });
            self.report.budget_cut |= report.budget_cut;
        }
    }

    fn second_half_of_springs(&mut self) {
        for block in self.system.blocks.iter().filter(|block| !block.immovable) {
            let component = &self.system.components[block.component as usize];
            if component.touching || component.carried || component.solid {
                continue;
            }
            let joint = &mut self.joints[block.joint as usize];
            if joint.drives.iter().all(|drive| drive.spring.is_none()) {
                continue;
            }
            let [a, b] = block.bodies.map(|body| body as usize);
            let frames = Frames::new([&self.bodies.poses[a], &self.bodies.poses[b]], &joint.frames);
            let bodies = &mut self.bodies;
            let arm = frames.origins[1] - frames.centres[1];
            let mut reaction = Wrench::ZERO;
            let (energy, momentum) = (&mut self.report.energy, &mut self.report.momentum);
            joint.spring_kicks(&frames, |row, impulse| {
                let before = [bodies.velocities[a], bodies.velocities[b]];
                let force = row.linear * impulse;
                let centre = bodies.poses[a].translation;
                bodies.apply(a, centre, -force, row.angular[0] * impulse);
                let centre = bodies.poses[b].translation;
                bodies.apply(b, centre, force, row.angular[1] * impulse);
                reaction = reaction + Wrench::new(force, row.angular[1] * impulse - arm.cross(force));
                let work = RowWork::of(&row, impulse, &before, bodies, [a, b]);
                energy.drives += work.relative;
                work.book(energy, momentum);
            });
            joint.reaction = joint.reaction + reaction;
        }
    }

    fn project(&mut self, budget: &mut Budget) {
        self.note_projection_for_guard();
        let World { contacts, bodies, movers, options, .. } = self;
        let mut everything = Movers { bodies, others: movers };
        let report = contacts.project(&mut everything, options.gravity, &options.contact, budget);
        if report.moved > 0 {
            (0..self.bodies.len()).for_each(|at| self.bodies.turn_inertia(at));
        }
        let energy = self.details.projection.energy + report.energy;
        self.report.energy.projection += report.energy;
        self.report.momentum.methods = self.report.momentum.methods + report.impulse;
        self.details.projection = ProjectionReport { energy, ..report };
        self.report.position_error = self.report.position_error.max(report.deepest_after);
    }

    /// A gap that bears load at the end of the step is as wrong as an overlap, once it is wider than what sweeps leave: they close gaps to
    /// the tolerance, and stop within it on either side.
    fn note_loaded_gaps(&mut self) {
        let gap = self.contacts.loaded_gap();
        if gap > 2.0 * self.options.contact.position_tolerance {
            self.report.position_error = self.report.position_error.max(gap);
        }
    }

    /// Reactions as forces, errors, broken joints.
    fn finish_joints(&mut self) {
        let h = self.options.time_step;
        self.details.factorisations = self.system.factorisations();
        if self.details.projection.moved > 0 {
            self.system.read(&mut self.joints, &self.bodies);
        }
        let mut broken = false;
        for at in 0..self.joints.len() {
            if !self.joint_places.is_taken(at) {
                continue;
            }
            let joint = &mut self.joints[at];
            joint.reaction = joint.reaction * (1.0 / h);
            self.details.joint_error = self.details.joint_error.max(joint.error());
            let Wrench { force, torque } = joint.reaction;
            if force.norm() > joint.break_force || torque.norm() > joint.break_torque {
                self.touches.events.push(Event::JointBroken(self.joint_handle(at)));
                self.drop_joint(at as u32);
                broken = true;
            }
        }
        if broken {
            self.reorder();
        }
        self.report.position_error = self.report.position_error.max(self.details.joint_error);
        self.report.velocity_error = self.report.velocity_error.max(self.details.joint_rate);
        self.report.sweeps =
            self.report.sweeps.max(self.details.joint_sweeps.0).max(self.details.joint_sweeps.1);
    }

    /// What the last step reported.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// More about the last step.
    pub fn details(&self) -> &StepDetails {
        &self.details
    }
}
