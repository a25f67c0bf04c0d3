//! The contact problem of one island, with rows linear in the motion: augmented Lagrangian outside, Newton's method
//! inside.
//!
//! # What is solved
//! The unknown `x` is the motion of the bodies over an interval: shifts and turns. Wanted is the motion nearest to the
//! goal, in the metric of the masses, that the rows admit:
//!
//! ```text
//! min 1/2 (x - goal)' M (x - goal)    s >= 0 for contacts,  s = 0 for equations,  Coulomb's law for the slips
//! x = goal + M^-1 J' F
//! ```
//!
//! # What `converged` promises
//! - No gap is below its target and no gap that bears load is off it by more than [`IslandTolerances::gap`].
//! - Equations hold to [`IslandTolerances::equation`].
//! - Friction is within its limit, and on it where a point slides, to [`IslandTolerances::cone`]. Sticking points
//!   slip by less than `gap`.
//! - The last update of the multipliers moved no body by more than [`IslandTolerances::motion`] or
//!   [`IslandTolerances::relative_motion`] of its way.
//! - Motion and forces belong to each other, `x = goal + M^-1 J' F`, to 1 % of that. Without convergence, too, unless
//!   Newton's method ran out of steps.
//!
//! # How
//! Each row pushes back with a penalty `k` around its multiplier (`rows.rs`). At fixed multipliers the motion is the
//! minimum of a convex function, whose gradient is piecewise linear but for sliding points. Newton's method with an
//! exact line search finds it in a few steps; then the forces become the multipliers, and so on (Hestenes 1969,
//! Powell 1969; for contact Alart and Curnier 1991). A disc of friction has the radius of the updates before, so
//! each minimum stays one of a convex function (Tresca's friction; as an iteration Panagiotopoulos 1975).
//!
//! The matrix contains the masses, so it is positive definite whatever the rows are: redundant, nearly parallel, or of
//! bodies that differ ten thousandfold in mass. `k` is 30 times the heaviest mass and grows where updates leave much
//! of the error. Rows that contradict each other show in an error that stops falling while the forces added cancel; then
//! the solve ends early, before the forces grow.
//!
//! # Links of machines
//! Links of a tree with coordinates of its own move only as their joints let them. What a load on one does to all is a dense
//! block of the inverse mass matrix ([`IslandCoupling`]); its inverse takes the place of the masses of these bodies (`coupling.rs`).

mod assembly;
mod block_cholesky;
mod body;
mod coupling;
mod line_search;
mod ordering;
mod problem;
mod report;
mod rows;
mod solver;

pub use problem::{IslandBody, IslandContact, IslandCoupling, IslandEquation};
pub use report::{IslandDefect, IslandReport, IslandResponse, IslandTolerances};
pub use solver::IslandSolver;
