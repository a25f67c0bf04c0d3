//! Solvers: how the blocks of many joints are brought to agree.
//!
//! Every solver sees the same rows and aims at the same state, the joints closed at the end of the step within the
//! stated tolerance; they differ in cost and in what they can stop early. One outer loop serves them all: look ahead
//! with the present velocities, measure the errors, let the solver remove them as if positions were linear in
//! velocities, and look ahead again (a Newton iteration with the rows of the step's start, Bender 2007).

pub(crate) mod choice;
pub(crate) mod colour;
mod columns;
pub(crate) mod conjugate;
mod dense;
pub(crate) mod direct;
mod dissection;
mod fronts;
mod gathered;
mod layout;
#[cfg(test)]
mod net;
pub(crate) mod phases;
pub(crate) mod system;
pub(crate) mod tree;

use serde::{Deserialize, Serialize};

pub use tree::TreeObstacle;

/// How joints are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Solver {
    /// Joint after joint, in sweeps, until all are within tolerance. Any structure; may be stopped at any time and
    /// then has left the smallest error that the time allowed.
    Iterative,
    /// All joints of a group as one sparse system of linear equations, factored once per phase. Exact in one solve but for the
    /// look-ahead; the work is linear for trees and grows with loops. Redundant joints are allowed.
    Direct,
    /// Groups without loops, or with few, by their tree in O(n): joints closed to rounding, energy never rises, and stable where
    /// impulses at the start of a step are not (light links under tension). Where that cannot be, because of a joint, a drive or
    /// a contact that trees do not know ([`TreeObstacle`]), the direct solver.
    Tree,
    /// Tree for groups that allow it; else direct where the structure says that a factorisation costs less than the sweeps (trees, few
    /// loops, nets); iterative elsewhere (lattices, very large nets).
    #[default]
    Auto,
}
