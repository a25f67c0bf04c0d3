//! Groups of jointed bodies that are moved by their trees.

use prall_math::Wrench;
use prall_mechanics::{Budget, StepReport};

use super::{World, WorldOptions};
use crate::solver::system::Component;
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

fn load_of<'a>(h: f64, options: &WorldOptions, loads: &'a [Wrench]) -> Load<'a> {
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
            component.carried = false;
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
                details.tree.iterations += report.iterations;
                details.tree.substeps += report.substeps;
                details.tree.loss += report.projection_loss;
                energy.trees -= report.projection_loss;
                details.tree.loop_rows += report.loop_rows;
                details.tree.redundant_rows += report.redundant_rows;
            }
        }
    }

    /// Moves the bodies of trees that have made their step.
    pub(super) fn carry_trees(&mut self, h: f64) {
        let World { system, joints, bodies, rotors, loads, options, report, hand_places, hands, .. } = self;
        let load = load_of(h, options, loads);
        let held = |body: u32| hand_places.iter().any(|hand| hands[hand].body == body);
        for component in system.components.iter_mut().filter(|component| component.carried) {
            if let Ok(tree) = &mut component.tree {
                let before = tree.sums(bodies, options.gravity);
                tree.carry(joints, bodies, rotors, &load);
                let after = tree.sums(bodies, options.gravity);
                book_tree(report, tree, [before, after], &load, held);
            }
        }
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
