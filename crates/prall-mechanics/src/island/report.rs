//! How exactly an island is to be solved, and how well it was.

use thiserror::Error;

/// When a solve is finished, and when it gives up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IslandTolerances {
    /// Largest violation of a gap, largest gap that bears load, and largest slip of a sticking point, in m.
    pub gap: f64,
    /// Largest change of a body's motion from one update of the multipliers to the next, in m: the root of the mean
    /// square over its mass.
    pub motion: f64,
    /// The same as a share of the body's own way. The larger of the two counts.
    pub relative_motion: f64,
    /// Largest error of a friction force, as a share of the largest limit of friction at the point's bodies.
    pub cone: f64,
    /// Largest error of an equation, in m.
    pub equation: f64,
    /// Updates of the multipliers before the solve gives up.
    pub max_outer: usize,
    /// Newton steps between two updates.
    pub max_newton: usize,
}

impl IslandTolerances {
    /// Tolerances for bodies that keep `guard` metres apart: gaps to 5 %, motions to 1 % of it, friction to 1 %,
    /// equations to 0.1 um; 12 updates of at most 12 Newton steps.
    pub fn for_guard(guard: f64) -> IslandTolerances {
        IslandTolerances {
            gap: 0.05 * guard,
            motion: 0.01 * guard,
            relative_motion: 1e-4,
            cone: 0.01,
            equation: 1e-7,
            max_outer: 12,
            max_newton: 12,
        }
    }
}

/// What [`IslandSolver::solve`](super::IslandSolver::solve) did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IslandReport {
    /// All tolerances are met.
    pub converged: bool,
    /// The rows contradict each other: errors stopped falling however hard the rows pushed. Motion and forces are
    /// those from before the forces grew.
    pub infeasible: bool,
    /// Updates of the multipliers.
    pub outer: usize,
    /// Newton steps, of all updates.
    pub newton_steps: usize,
    /// Matrices factored. Newton steps on unchanged rows share one.
    pub factorisations: usize,
    /// Largest violation of a gap or gap that bears load, in m.
    pub gap_error: f64,
    /// Largest slip of a point that sticks, in m.
    pub slip_error: f64,
    /// Largest error of an equation, in m.
    pub equation_error: f64,
    /// Largest change of a body's motion in the last update, in m (root of the mean square over its mass).
    pub motion_error: f64,
    /// Largest error of a friction force, as a share of the largest limit of friction at the point's bodies. Errors
    /// that cannot move a body by the tolerance of motion count as none.
    pub cone_error: f64,
    /// Why nothing was solved: `None` if the problem is sound. With a defect, motion and forces are as given.
    pub defect: Option<IslandDefect>,
}

/// What the forces as given would do; see [`IslandSolver::response`](super::IslandSolver::response).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IslandResponse {
    /// Largest motion of a body, in m: the root of the mean square over its mass.
    pub motion: f64,
    /// Largest violation of a gap or gap that bears load, in m.
    pub gap_error: f64,
    /// Largest slip of a loaded point whose friction force is within its limit, in m.
    pub slip_error: f64,
    /// Largest error of an equation, in m.
    pub equation_error: f64,
    /// Largest excess of a friction force over its limit, in kg m.
    pub cone_excess: f64,
    /// Why nothing was computed, or `None`. With a defect, `x` is as given.
    pub defect: Option<IslandDefect>,
}

/// Input that cannot be solved.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum IslandDefect {
    /// The start motions do not belong to the bodies.
    #[error("{bodies} bodies, but {motions} start motions: give one motion a body")]
    Count {
        /// Count of bodies.
        bodies: usize,
        /// Count of start motions.
        motions: usize,
    },
    /// A body's data.
    #[error("body {body}: {reason}")]
    Body {
        /// Number of the body in the slice.
        body: usize,
        /// What is wrong and what would be right.
        reason: &'static str,
    },
    /// A coupling's data.
    #[error("coupling {coupling}: {reason}")]
    Coupling {
        /// Number of the coupling in the slice.
        coupling: usize,
        /// What is wrong and what would be right.
        reason: &'static str,
    },
    /// A contact's data.
    #[error("contact {contact}: {reason}")]
    Contact {
        /// Number of the contact in the slice.
        contact: usize,
        /// What is wrong and what would be right.
        reason: &'static str,
    },
    /// An equation's data.
    #[error("equation {equation}: {reason}")]
    Equation {
        /// Number of the equation in the slice.
        equation: usize,
        /// What is wrong and what would be right.
        reason: &'static str,
    },
    /// A tolerance that is not a positive number.
    #[error("tolerance `{name}` must be a positive number")]
    Tolerance {
        /// Field of [`IslandTolerances`].
        name: &'static str,
    },
}
