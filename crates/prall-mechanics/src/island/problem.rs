//! What an island is made of: bodies, contact points, equations.

use glam::{DMat3, DVec3};
use prall_math::Twist;

/// One body of an island: six unknowns, the shift of its mass centre (m) and its turn (rotation vector, rad) over
/// the interval, both in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IslandBody {
    /// Mass, in kg. Positive.
    pub mass: f64,
    /// Inertia about the mass centre, in world axes, in kg m^2. Symmetric and positive definite.
    pub inertia: DMat3,
    /// The motion without contacts and equations: shift in m, turn in rad.
    pub goal: Twist,
    /// Unknowns that are given, in world axes: x, y, z of the shift, then of the turn. There `x = goal`, whatever
    /// pushes.
    pub locked: [bool; 6],
    /// `G` of the proximal term `1/2 (t - at)' G (t - at)` of the turn `t`, in kg m^2; symmetric, no negative
    /// eigenvalue. Callers who repeat the solve with rows of the new pose damp the turn with it, so that the
    /// repetition converges; where it has converged, `t = at` and the term is without effect. Zero: none.
    pub curvature: DMat3,
    /// `at` of the proximal term, in rad.
    pub curvature_at: DVec3,
}

impl IslandBody {
    /// A body without locked axes and without curvature.
    pub fn new(mass: f64, inertia: DMat3, goal: Twist) -> IslandBody {
        IslandBody {
            mass,
            inertia,
            goal,
            locked: [false; 6],
            curvature: DMat3::ZERO,
            curvature_at: DVec3::ZERO,
        }
    }
}

/// Bodies whose motions depend on each other without a row: links of one machine.
///
/// With the loads `f` on these bodies (force in kg m, torque in kg m^2 about the body's centre, in their order) the motion is
/// `x = goal + inverse f`. It takes the place of the bodies' own mass and inertia, which only scale tolerances and penalties.
#[derive(Clone, Debug, PartialEq)]
pub struct IslandCoupling {
    /// The bodies, each in one coupling only. They have no locked unknowns.
    pub bodies: Vec<u32>,
    /// `inverse`, column by column, six rows and columns a body: shift, then turn. Symmetric and positive definite: where the machine
    /// cannot move at all, a small yielding stands for it.
    pub inverse: Vec<f64>,
}

/// A contact point between bodies `a` and `b`.
///
/// With `p = d_a + t_a x arms[0] - d_b - t_b x arms[1]`, the way of A's point relative to B's:
/// - the gap at the end, `s = offset + normal . p`, must not be negative;
/// - Coulomb's friction acts against the slip `u = slip + (I - normal normal') p`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IslandContact {
    /// The first body. `None`: its motion is given, and the caller has put it into `offset` and `slip`.
    pub a: Option<u32>,
    /// The second body, or `None` as for `a`.
    pub b: Option<u32>,
    /// Unit vector from B to A.
    pub normal: DVec3,
    /// From the mass centres of A and B to the point, in m, in world axes.
    pub arms: [DVec3; 2],
    /// Gap above its target if neither body moved, in m.
    pub offset: f64,
    /// Slip if neither body moved, in m. Its part along the normal is ignored.
    pub slip: DVec3,
    /// Coefficient of friction. Not negative.
    pub friction: f64,
    /// Force on A along the normal, times the square of the time step: in kg m. A start value (warm start) before the
    /// solve, the result after it. B feels the opposite.
    pub normal_force: f64,
    /// Force on A across the normal, as a world vector, in kg m; start value and result like `normal_force`.
    pub tangential_force: DVec3,
}

/// An equation between two bodies, such as a row of a joint: with
/// `s = offset + linear . (d_a - d_b) + angular[0] . t_a + angular[1] . t_b`,
///
/// ```text
/// s + softness force = 0    where the force lies between its bounds
/// s + softness force >= 0   where it is at the lower bound, <= 0 at the upper one
/// ```
///
/// Without bounds and softness this is `s = 0`, a hinge's row. Bounds from 0 up make a stop, bounds of equal size a motor
/// or dry friction, softness a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IslandEquation {
    /// The first body. `None`: its motion is given, and the caller has put it into `offset`.
    pub a: Option<u32>,
    /// The second body, or `None` as for `a`.
    pub b: Option<u32>,
    /// Coefficients of the shifts: of A's, and with opposite sign of B's.
    pub linear: DVec3,
    /// Coefficients of the turns of A and B, in m: the arms are in them.
    pub angular: [DVec3; 2],
    /// Value if neither body moved, in m.
    pub offset: f64,
    /// The multiplier, in kg m: `linear * force` is the force on A times the square of the time step. A start
    /// value before the solve, the result after it.
    pub force: f64,
    /// Least and largest force, in kg m; infinite where there is no bound.
    pub bounds: [f64; 2],
    /// Value of `s` that a unit of force leaves, in 1/kg; 0 for a hard row.
    pub softness: f64,
}

impl IslandEquation {
    /// Bounds of a row that can pull and push with any force.
    pub const UNBOUNDED: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
}
