//! The account of a step: where its energy and momentum came from and where they went.
//!
//! Work of an impulse `p` at a point whose velocity goes from `v` to `v'` is `p (v + v') / 2`, exactly, also if others act at the same time: the
//! kinetic energy changes by `M (v' - v) . (v + v') / 2`, and `M (v' - v)` is the sum of all impulses. So every term follows from its own impulses, and
//! what nobody explains is left over, [`EnergyAccount::unexplained`].

use glam::DVec3;
use prall_math::Wrench;

/// Energy in J that bodies had before and after a step, and all that changed it. Terms are positive if bodies gained.
///
/// Of movers (trees in minimal coordinates) only what they do to bodies is counted, as work of given motions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyAccount {
    /// Kinetic energy before the step.
    pub kinetic_before: f64,
    /// Potential energy of weight before the step.
    pub potential_before: f64,
    /// Kinetic energy after the step.
    pub kinetic_after: f64,
    /// Potential energy of weight after the step.
    pub potential_after: f64,
    /// Work of the forces and torques that were set.
    pub loads: f64,
    /// Work of hands.
    pub hands: f64,
    /// Work of kinematic bodies, and of links of movers.
    pub given_motions: f64,
    /// Work of motors, servos and springs in joints, with the springs' dampers.
    pub drives: f64,
    /// Work of contacts along their normals: impacts, and gaps that a step closes.
    pub impacts: f64,
    /// Work of friction, and of moments that resist rolling and turning.
    pub friction: f64,
    /// Work of friction and limits in joints.
    pub joint_friction: f64,
    /// Work of the conditions of joints: what solvers and the projection of rates take.
    pub joints: f64,
    /// What trees of joints took when they projected their velocities.
    pub trees: f64,
    /// What the shock pass took.
    pub shock: f64,
    /// What stopping bodies before an impact took.
    pub stopping: f64,
    /// What taking overlaps apart put in.
    pub projection: f64,
    /// What bodies lost that fell asleep.
    pub sleeping: f64,
    /// Work of weight and loads over the mean velocity less that along the way: what the scheme of integration gives or takes.
    pub integration: f64,
    /// What was taken back because nothing had paid for it.
    pub clamped: f64,
    /// What no term explains.
    pub unexplained: f64,
    /// What the solvers' tolerances on velocities and positions are worth: so much may be gained in a step.
    pub tolerance: f64,
}

impl EnergyAccount {
    /// What bodies gained in the step.
    pub fn change(&self) -> f64 {
        (self.kinetic_after - self.kinetic_before) + (self.potential_after - self.potential_before)
    }

    /// Work from outside: loads, hands, given motions and drives.
    pub fn work(&self) -> f64 {
        self.loads + self.hands + self.given_motions + self.drives
    }

    /// What bodies gained without work from outside: nothing, or less, in a right step.
    pub fn gained(&self) -> f64 {
        self.change() - self.work()
    }

    /// All terms but the last one.
    pub fn terms(&self) -> [f64; 15] {
        [
            self.loads,
            self.hands,
            self.given_motions,
            self.drives,
            self.impacts,
            self.friction,
            self.joint_friction,
            self.joints,
            self.trees,
            self.shock,
            self.stopping,
            self.projection,
            self.sleeping,
            self.integration,
            self.clamped,
        ]
    }

    /// Writes down what is left.
    pub fn close(&mut self) {
        self.unexplained = self.change() - self.terms().iter().sum::<f64>();
    }
}

/// Momentum of all bodies before and after a step, and what changed it: linear in N s, angular about the origin in N m s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MomentumAccount {
    /// Momentum before the step.
    pub before: Wrench,
    /// Momentum after the step.
    pub after: Wrench,
    /// Impulses of weight, loads and hands.
    pub loads: Wrench,
    /// Impulses of what nothing moves: fixed and kinematic bodies, links of movers.
    pub outside: Wrench,
    /// What the shock pass, stopping, taking overlaps apart, falling asleep and the way of a step changed: methods that do not keep momentum.
    pub methods: Wrench,
    /// What no term explains.
    pub unexplained: Wrench,
}

impl MomentumAccount {
    /// Writes down what is left.
    pub fn close(&mut self) {
        self.unexplained = self.after - self.before - self.loads - self.outside - self.methods;
    }
}

/// An impulse that acts at a point of the world, as a wrench about the origin.
pub fn about_origin(point: DVec3, impulse: DVec3, moment: DVec3) -> Wrench {
    Wrench { force: impulse, torque: point.cross(impulse) + moment }
}
