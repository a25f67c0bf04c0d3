//! By what scenes of the dynamics can be computed.

use crate::simulation::Solver;
use prall_dynamics::WorldOptions;

/// A solver as a change of the world's options.
pub(crate) struct WorldSolver(fn(&mut WorldOptions));

impl WorldSolver {
    pub(super) fn apply(&self, options: &mut WorldOptions) {
        (self.0)(options);
    }
}

/// Scenes that are about contacts: the default, and what it would be without proofs of rest.
pub(crate) const CONTACT_SOLVERS: (&[WorldSolver], &[Solver]) = (
    &[
        WorldSolver(|options| {
            options.contact.rest_certificate = true;
            options.contact.shock = true;
        }),
        WorldSolver(|options| {
            options.contact.rest_certificate = false;
            options.contact.shock = false;
        }),
    ],
    &[
        Solver {
            name: "blocks",
            title: "Blocks with proof of rest",
            promise: "What stands is proven to stand and does not move; the rest is swept block by block",
            source: "Bender 2007, and own",
        },
        Solver {
            name: "sweeps",
            title: "Sweeps only",
            promise: "Contact after contact in sweeps, as the publication does it; high stacks sag",
            source: "Bender 2007",
        },
    ],
);

/// Scenes that are about joints.
pub(crate) const JOINT_SOLVERS: (&[WorldSolver], &[Solver]) = (
    &[
        WorldSolver(|options| options.solver = prall_dynamics::Solver::Auto),
        WorldSolver(|options| options.solver = prall_dynamics::Solver::Iterative),
        WorldSolver(|options| options.solver = prall_dynamics::Solver::Direct),
        WorldSolver(|options| options.solver = prall_dynamics::Solver::Tree),
    ],
    &[
        Solver {
            name: "auto",
            title: "By structure",
            promise: "Trees in O(n), direct where that cannot be, iterative where many loops meet",
            source: "Bender 2007, and own",
        },
        Solver {
            name: "iterative",
            title: "Iterative impulses",
            promise: "Joint after joint until all are within tolerance; may stop at any time",
            source: "Bender 2007",
        },
        Solver {
            name: "direct",
            title: "System of equations",
            promise: "All joints at once by one sparse factorisation; exact but for the look-ahead",
            source: "Bender 2007",
        },
        Solver {
            name: "tree",
            title: "Tree in O(n)",
            promise: "Joints to rounding, energy never rises, stable at any step; contacts and drives go to the system of equations",
            source: "Bender 2007, and own",
        },
    ],
);
