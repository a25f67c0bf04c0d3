//! Machines: trees of bodies in minimal coordinates, driven and on hard contacts.

pub(crate) mod coaster;
pub(crate) mod gripper;
pub(crate) mod pendulum_cart;
pub(crate) mod robot_arm;
pub(crate) mod skate;
#[cfg(test)]
mod tests;
pub(crate) mod trebuchet;
pub(crate) mod vehicle;
mod workshop;

use crate::Solver;
use crate::world::WorldSolver;

/// The mechanism decides how it moves: the stable step where nothing is near, Moreau's percussions where something is.
const MACHINE_SOLVERS: (&[WorldSolver], &[Solver]) = (
    &[WorldSolver::standard()],
    &[Solver {
        name: "tree",
        title: "Minimal coordinates",
        promise: "Joints hold to rounding; without contacts energy never grows, at any step",
        source: "Rempfler 2015, and own",
    }],
);
