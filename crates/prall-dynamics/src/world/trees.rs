//! Groups of jointed bodies that are moved by their trees.

use prall_math::Wrench;
use prall_mechanics::tree::TreeReport;
use prall_mechanics::{Budget, StepReport};

use super::sweep::{Sweep, SweepReport};
use super::{World, WorldOptions};
use crate::solver::system::{Component, Launch};
use crate::solver::tree::{Load, TreeSolver, TreeSums};
use crate::{JointHandle, Solver, TreeObstacle, WorldError};

/// What the tree solver did in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TreeDetails {
    /// Groups of jointed bodies that their trees moved in the last part of the step.
    pub groups: usize,
    /// Groups that have a tree and were moved by another solver in the last part of the step; why, says
    /// [`World::tree_obstacle`].
    pub refused: usize,
    /// Newton iterations, over all groups and parts of the step.
    pub iterations: u32,
    /// Parts that trees cut the step into by themselves, over all groups and parts of the step.
    pub substeps: u32,
    /// Kinetic energy in J that the projection of velocities took.
    pub loss: f64,
    /// Conditions that close loops, over all groups of the last part of the step.
    pub loop_rows: u32,
    /// How many of these follow from the others: such a mechanism is overconstrained, and moves only because its dimensions fit. Its
    /// reactions are those of least size.
    pub redundant_rows: u32,
}

pub(super) fn load_of<'a>(h: f64, options: &WorldOptions, loads: &'a [Wrench]) -> Load<'a> {
    let tolerance = options.position_tolerance;
    Load { h, gravity: options.gravity, loads, tolerance, options: options.tree }
}

/// Books the step of a tree. Work of loads goes by the ways of the bodies; what the springs in its joints and the roots with a given motion did is
/// what is left of a tree that has such, as its step does not tell. The impulse of the ground is what is left of the momentum.
fn book_tree(
    report: &mut StepReport,
    tree: &TreeSolver,
    [before, after]: [TreeSums; 2],
    load: &Load<'_>,
    held: impl Fn(u32) -> bool,
) {
    let (energy, momentum) = (&mut report.energy, &mut report.momentum);
    let mut work = 0.0;
    let mut impulse = Wrench::ZERO;
    tree.visit_ways(load, |body, done, given| {
        work += done;
        impulse = impulse + given;
        *(if held(body) { &mut energy.hands } else { &mut energy.loads }) += done;
    });
    momentum.loads = momentum.loads + impulse;
    if tree.is_grounded() {
        momentum.outside = momentum.outside + (after.momentum - before.momentum - impulse);
    }
    let left = after.energy - before.energy - work + tree.last_loss();
    if tree.has_springs() {
        energy.drives += left;
    } else if tree.is_moved() {
        energy.given_motions += left;
    }
}

impl TreeDetails {
    /// Adds the step of one tree.
    pub(super) fn add(&mut self, report: &TreeReport) {
        self.iterations += report.iterations;
        self.substeps += report.substeps;
        self.loss += report.projection_loss;
        self.loop_rows += report.loop_rows;
        self.redundant_rows += report.redundant_rows;
    }
}

impl World {
    /// Tries the step of every tree that flies; what succeeds is taken over when bodies are moved.
    pub(super) fn attempt_trees(&mut self, h: f64, budget: &mut Budget) {
        let World { system, joints, bodies, loads, options, details, report, .. } = self;
        let energy = &mut report.energy;
        let load = load_of(h, options, loads);
        (details.tree.groups, details.tree.refused) = (0, 0);
        (details.tree.loop_rows, details.tree.redundant_rows) = (0, 0);
        for component in &mut system.components {
            let touching = component.touching;
            (component.carried, component.launch, component.flown) = (false, Launch::Free, 1.0);
            let Ok(tree) = &mut component.tree else { continue };
            if component.solid {
                continue;
            }
            if touching {
                details.tree.refused += 1;
                continue;
            }
            let answer = if budget.take_units(tree.len() as u64) {
                tree.attempt(joints, bodies, &load)
            } else {
                Err(TreeObstacle::Budget)
            };
            tree.refused = answer.err();
            component.carried = answer.is_ok();
            details.tree.groups += usize::from(answer.is_ok());
            details.tree.refused += usize::from(answer.is_err());
            if let Ok(report) = answer {
                details.tree.add(&report);
                energy.trees -= report.projection_loss;
            }
        }
    }

    /// Moves the bodies of trees that have made their step.
    pub(super) fn carry_trees(&mut self, h: f64) {
        let World { system, joints, bodies, rotors, loads, options, report, hand_places, hands, .. } = self;
        if !system.components.iter().any(|component| component.carried) {
            return;
        }
        system.launched.clone_from(&bodies.velocities);
        let held = |body: u32| hand_places.iter().any(|hand| hands[hand].body == body);
        for component in system.components.iter_mut().filter(|component| component.carried) {
            let load = component.load(load_of(h, options, loads), &system.no_loads);
            if let Ok(tree) = &mut component.tree {
                // Where the loads have acted already, motion is all that its energy is.
                let before = tree.sums(bodies, load.gravity);
                tree.carry(joints, bodies, rotors, &load);
                let after = tree.sums(bodies, load.gravity);
                book_tree(report, tree, [before, after], &load, held);
            }
        }
        self.book_ways_after_kicks(h);
    }

    /// Books the ways of groups whose loads gave their impulse before contacts.
    fn book_ways_after_kicks(&mut self, h: f64) {
        for number in 0..self.system.components.len() {
            let component = &self.system.components[number];
            if component.carried && component.launch == Launch::Pressed {
                for i in 0..component.bodies().len() {
                    let at = self.system.components[number].bodies()[i] as usize;
                    if let Some(start) = self.sweep.start_of(at) {
                        self.book_way_after_kick(at, h, &start);
                    }
                }
            }
        }
    }

    /// Lets trees whose bodies would run into something fly for a shorter time instead, so that their joints are closed where they stop; the `last` time
    /// they stay where they were. True if there are such.
    pub(super) fn fly_shorter(
        &mut self,
        sweep: &Sweep,
        h: f64,
        last: bool,
        report: &mut SweepReport,
    ) -> bool {
        /// Part of the time that was free on the straight way.
        const SHORTER: f64 = 0.9;
        /// Parts of the step that are not worth a flight.
        const SHORT: f64 = 1e-3;
        let mut any = false;
        for number in 0..self.system.components.len() {
            let component = &self.system.components[number];
            let stop =
                component.bodies().iter().map(|&body| sweep.stop_of(body as usize)).fold(1.0, f64::min);
            let Ok(tree) = &component.tree else { continue };
            if !component.carried || stop >= 1.0 || tree.is_moved() {
                continue;
            }
            let flown = SHORTER * stop * component.flown;
            let flown = if last || flown < SHORT { 0.0 } else { flown };
            report.stopped += if component.flown == 1.0 { component.bodies().len() } else { 0 };
            report.lost_time = report.lost_time.max((1.0 - flown) * h);
            self.fly_anew(sweep, number, h, flown);
            any = true;
        }
        any
    }

    /// Takes a tree back to where it was at the start, and lets it fly for a part of the time.
    fn fly_anew(&mut self, sweep: &Sweep, number: usize, h: f64, flown: f64) {
        let before = self.state_of_group(number);
        let World { system, bodies, .. } = self;
        for at in system.components[number].bodies().iter().map(|&body| body as usize) {
            bodies.poses[at] = sweep.start_of(at).unwrap_or(bodies.poses[at]);
            bodies.velocities[at] = system.launched[at];
            bodies.turn_inertia(at);
        }
        self.fall_shorter(number, (1.0 - flown) * h, h);
        let World { system, bodies, joints, loads, options, .. } = self;
        let component = &mut system.components[number];
        component.flown = flown;
        let load = component.load(load_of(flown * h, options, loads), &system.no_loads);
        if let (Ok(tree), true) = (&mut component.tree, flown > 0.0) {
            match tree.attempt(joints, bodies, &load) {
                Ok(_) => tree.place(bodies),
                Err(_) => component.flown = 0.0,
            }
        }
        self.book_stopped_group(number, before);
    }

    /// What moved the joint's bodies in the last part of the last step.
    pub fn solved_by(&self, joint: JointHandle) -> Result<Solver, WorldError> {
        Ok(self.component_of_joint(joint)?.map_or(Solver::Iterative, Component::solver))
    }

    /// Why the tree solver did not move the joint's bodies in the last part of the last step; `None` if it did.
    pub fn tree_obstacle(&self, joint: JointHandle) -> Result<Option<TreeObstacle>, WorldError> {
        let component = self.component_of_joint(joint)?;
        Ok(component.map_or(Some(TreeObstacle::NotChosen), Component::obstacle))
    }
}
