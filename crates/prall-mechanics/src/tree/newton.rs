//! Newton's method for the energy-momentum midpoint step, in O(n).
//!
//! Unknown are the mean velocities of a step of length `h`: `vb` of every joint point and `wb` of every link.
//! Superscript 0 is the start, 1 the end, `b` the average of both; `a = h wb / 2`.
//!
//! ```text
//! rotation  R1 = C R0,  C = (E - a^)^-1 (E + a^)  (Cayley)   so  d1 - d0 = h wb x db  exactly, for every fixed lever d
//! joint     vb = vb_p + (l1 - l0)/h;   revolute  wb = wb_p + ab s;   prismatic  l = R_p (lever + axis x)
//! balance   f = (2m/h)(vb + (c1 - c0)/h - vS0) - m g             F = f + sum of F_child
//!           T = (C J0 (2 wb - w0) - J0 w0)/h + cb x f + sum of (T_child + lb x F_child)
//! rows      ball T = 0;  revolute ab.T = tau;  prismatic ab.F = tau;  free F = 0 and T = 0
//! ```
//!
//! The Newton unknowns are `dv`, the change of `vb`, and `phi`, the turn of the end pose over `h`. In them the
//! columns are plain kinematics at the end pose (`dv_c = dv_p + phi_p x l1`), while the rows use averages:
//!
//! ```text
//! dw = (E - a^ + a a^T) phi
//! Kvv = 2m/h    Kvr = -(2m/h) c1^    Krv = (2m/h) cb^
//! Krr = -pi1^ - (2m/h) cb^ c1^ + (h/2) f~^ c1^ + (2/h) C J0 (E - a^ + a a^T),     pi1 = C J0 (2 wb - w0)
//! into the parent: Kvv += K, Kvr -= K l1^, Krv += lb^ K, Krr += -lb^ K l1^ + (h/2) F~^ l1^
//! ```
//!
//! Forces with a tilde are estimates from the last linear solve, kept from step to step, not the forces evaluated at
//! the iterate: those are off by (mass/h) times the kinematic error and spoil the matrix.

mod elimination;
mod guided;
mod progress;
mod right_sides;
mod solution;

use glam::{DMat3, DVec3};
use prall_math::{Norm, Wrench, skew};
use serde::{Deserialize, Serialize};

use super::articulated::skew_skew;
use super::guided::GuidedJoint;
use super::link::{Kind, Link};
use super::state::LinkState;
use guided::GuideWork;
pub(crate) use progress::{Outlook, Progress};

/// What does not change while a tree moves.
#[derive(Clone, Copy)]
pub(crate) struct Structure<'a> {
    pub(crate) links: &'a [Link],
    pub(crate) guided: &'a [GuidedJoint],
}

impl<'a> Structure<'a> {
    /// The guided joint that ends with a link.
    fn joint_of(self, index: usize) -> Option<&'a GuidedJoint> {
        let link = &self.links[index];
        link.kind.is_guided().then(|| &self.guided[link.guide as usize]).filter(|joint| joint.own == index)
    }
}

/// What a link remembers from solve to solve: the force estimates and the last accelerations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// Estimate of the link's own inertia force less its weight, `f~`.
    pub(crate) own_force: DVec3,
    /// Estimates of what the joint transmits, `F~` and `T~`.
    pub(crate) joint: Wrench,
    /// Mean angular acceleration of the last step.
    pub(crate) angular_acceleration: DVec3,
    /// Mean acceleration of the joint's coordinate in the last step.
    pub(crate) rate_acceleration: f64,
}

/// What holds for a whole step, in world axes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Start {
    pub(crate) center: DVec3,
    pub(crate) lever: DVec3,
    pub(crate) axis: DVec3,
    inertia: DMat3,
    pub(crate) velocity: DVec3,
    pub(crate) angular: DVec3,
    pub(crate) coordinate: f64,
    /// External force, weight included, and torque about the centre of mass.
    load: Wrench,
}

/// The present guess of the mean velocities, and what follows from it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trial {
    /// `h wb / 2`.
    pub(crate) half_turn: DVec3,
    /// `R1 R0^T`.
    pub(crate) cayley: DMat3,
    /// `vb`.
    pub(crate) velocity: DVec3,
    pub(crate) center: DVec3,
    pub(crate) lever: DVec3,
    pub(crate) axis: DVec3,
    /// Revolute: tangent of half the angle turned in the step. Prismatic and guided: the way.
    pub(crate) moved: f64,
    pub(crate) own_force: DVec3,
}

/// The 6x6 block of a link: how its force and torque change with `(dv, phi)`, and their present values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) vv: DMat3,
    pub(crate) vr: DMat3,
    pub(crate) rv: DMat3,
    pub(crate) rr: DMat3,
    pub(crate) force: DVec3,
    pub(crate) torque: DVec3,
}

impl Block {
    /// Of a link without mass. (The default of a matrix is the identity.)
    const ZERO: Block = Block {
        vv: DMat3::ZERO,
        vr: DMat3::ZERO,
        rv: DMat3::ZERO,
        rr: DMat3::ZERO,
        force: DVec3::ZERO,
        torque: DVec3::ZERO,
    };
}

/// What the elimination keeps of a link to solve for its freedoms.
#[derive(Clone, Copy, Debug, Default)]
enum Pivot {
    #[default]
    Rigid,
    Ball {
        inverse: DMat3,
        x: DMat3,
        y: DVec3,
    },
    Axis {
        column: Wrench,
        row: Wrench,
        residual: f64,
        inverse: f64,
    },
}

/// From the parent's joint point to the own one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Levers {
    pub(crate) end: DVec3,
    /// Of start and end, `R_p` and what lies in its axes each.
    pub(crate) mean: DVec3,
    /// What lies in the parent's axes averaged, in the axes of the end.
    pub(crate) mean_at_end: DVec3,
}

/// Changes of a Newton step: `dv` and `phi`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    pub(crate) linear: DVec3,
    pub(crate) angular: DVec3,
}

/// The Newton solver's arrays, one entry per link.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    pub(crate) h: f64,
    pub(crate) start: Vec<Start>,
    pub(crate) trial: Vec<Trial>,
    pub(crate) blocks: Vec<Block>,
    pivots: Vec<Pivot>,
    pub(crate) changes: Vec<Change>,
    pub(crate) right_sides: Vec<Wrench>,
    /// One for each guided joint.
    pub(crate) guides: Vec<GuideWork>,
}

/// `C = E + 2 (a^ + a^ a^)/(1 + a.a)`.
#[inline]
pub(crate) fn cayley_matrix(a: DVec3) -> DMat3 {
    let factor = 2.0 / (1.0 + a.length_squared());
    let mut c = (skew(a) + skew_skew(a, a)) * factor;
    c.x_axis.x += 1.0;
    c.y_axis.y += 1.0;
    c.z_axis.z += 1.0;
    c
}

/// The `a` whose Cayley transform turns by `h w` exactly, as a body does that nothing but its own velocity moves.
fn exact_half_turn(w: DVec3, h: f64) -> DVec3 {
    // Short of half a turn, where the tangent has its pole; nothing that turns faster can be followed.
    let half = (0.5 * h * w.norm()).min(1.5);
    let scale = if half > 1e-4 { libm::tan(half) / half } else { 1.0 + half * half / 3.0 };
    w * (0.5 * h * scale)
}

impl Newton {
    pub(crate) fn resize(&mut self, count: usize, guides: usize) {
        self.guides.resize(guides, GuideWork::default());
        self.start.resize(count, Start::default());
        self.trial.resize(count, Trial { cayley: DMat3::IDENTITY, ..Trial::default() });
        self.blocks.resize(count, Block::ZERO);
        self.pivots.resize(count, Pivot::Rigid);
        self.changes.resize(count, Change::default());
        self.right_sides.resize(count, Wrench::ZERO);
    }

    /// Sets a step up: levers at the start, and the first guess from the last accelerations.
    ///
    /// `driven` gives the coordinate that a driven joint has at the end.
    pub(crate) fn begin(
        &mut self,
        structure: Structure,
        states: &[LinkState],
        memory: &[Memory],
        loads: &[Wrench],
        h: f64,
        driven: impl Fn(usize) -> f64,
    ) {
        self.h = h;
        self.trial[0].cayley = DMat3::IDENTITY;
        for (index, link) in structure.links.iter().enumerate().skip(1) {
            let (state, parent) = (&states[index], &states[link.parent as usize]);
            let rotation = DMat3::from_quat(state.rotation);
            self.start[index] = Start {
                center: rotation * link.center,
                lever: parent.rotation * link.lever,
                axis: parent.rotation * link.axis,
                inertia: rotation * link.inertia * rotation.transpose(),
                velocity: state.velocity,
                angular: state.angular,
                coordinate: state.coordinate,
                load: loads[index],
            };
            let rate = state.rate + 0.5 * h * memory[index].rate_acceleration;
            let trial = &mut self.trial[index];
            trial.half_turn = (state.angular + 0.5 * h * memory[index].angular_acceleration) * (0.5 * h);
            trial.velocity = state.velocity;
            trial.moved = match link.kind {
                Kind::Revolute => 0.5 * h * rate,
                Kind::Prismatic | Kind::Guided => h * rate,
                Kind::DrivenRevolute => libm::tan(0.5 * (driven(index) - state.coordinate)),
                Kind::DrivenPrismatic | Kind::DrivenGuided => driven(index) - state.coordinate,
                Kind::Kinematic => {
                    trial.half_turn = exact_half_turn(state.angular, h);
                    0.0
                }
                Kind::Free | Kind::Fixed | Kind::Ball => 0.0,
            };
            if let Some(joint) = structure.joint_of(index) {
                self.begin_guided(joint, link.guide, states);
            } else {
                self.place(index, link);
            }
            self.blocks[index] = Block::ZERO;
        }
    }

    /// From the joint's unknown and the parent to everything else of the link's trial.
    #[inline]
    fn place(&mut self, index: usize, link: &Link) {
        let start = &self.start[index];
        let parent = self.trial[link.parent as usize];
        let trial = &mut self.trial[index];
        match link.kind {
            Kind::Free | Kind::Kinematic => {
                trial.cayley = cayley_matrix(trial.half_turn);
                trial.center = trial.cayley * start.center;
                return;
            }
            // Placed as a whole with the last link of the joint.
            Kind::Guided | Kind::DrivenGuided => return,
            Kind::Ball => trial.cayley = cayley_matrix(trial.half_turn),
            Kind::Revolute | Kind::DrivenRevolute => {
                trial.axis = parent.cayley * start.axis;
                // Relative quaternion of the two Cayley turns: (1 + a_p.a_p + sigma a_p.axis0, sigma axis0).
                let (a, t) = (parent.half_turn, trial.moved);
                let sigma = t * (1.0 + a.length_squared()) / (1.0 - t * a.dot(start.axis));
                trial.half_turn = a + (start.axis + trial.axis) * (0.5 * sigma);
                trial.cayley = cayley_matrix(trial.half_turn);
            }
            Kind::Fixed | Kind::Prismatic | Kind::DrivenPrismatic => {
                trial.axis = parent.cayley * start.axis;
                trial.half_turn = parent.half_turn;
                trial.cayley = parent.cayley;
            }
        }
        trial.center = trial.cayley * start.center;
        trial.lever = parent.cayley * start.lever;
        let mut way = trial.lever - start.lever;
        if link.kind.slides() {
            way += trial.axis * (start.coordinate + trial.moved) - start.axis * start.coordinate;
        }
        trial.velocity = parent.velocity + way / self.h;
    }
}
