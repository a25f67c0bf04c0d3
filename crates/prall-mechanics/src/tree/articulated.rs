//! Articulated bodies: the tree's mass matrix, factored in place, in O(n).
//!
//! World axes; every link is told about its own joint point `p`, `c` leads from there to the centre of mass and `l`
//! from the parent's joint point to the own one, so shifting by `l` is all that changes between links. With the
//! twist `(v, w)` of the link at `p`, the wrench that a motion needs is
//!
//! ```text
//! F = Ivv v + Irv^T w + F0        Ivv = m E      Irv = m c^       Irr = J - m c^ c^
//! T = Irv v + Irr w + T0
//! ```
//!
//! From leaf to root each joint's own freedoms are eliminated by the demand that it takes no power (Featherstone's
//! articulated-body recursion), and what remains is added to the parent. A ball joint leaves only a 3x3 block:
//!
//! ```text
//! ball  Irr = L L^T   Y = L^-1 Irv   X = L^-T Y   A = Ivv - Y^T Y   F' = F0 - X^T T0      w = -X v - Irr^-1 T0
//! axis  U = I S       d = S.U        I' = I - U U^T / d             F' = F0 - U (S.F0)/d  r = -(S.F0 + U.V)/d
//! ```
//!
//! What `v`, `w` and `F0` are is left open: accelerations and forces, velocities and momenta (projection), or
//! velocity jumps and percussions. A `bias` is a given part of a joint's relative motion: centripetal
//! acceleration, the rate of a drive, or the error that a look-ahead pass shall close.

use glam::{DMat3, DVec3};
use prall_math::{Twist, Wrench, skew};

use super::cholesky::Cholesky;
use super::guided::GuidedJoint;
use super::link::{Kind, Link};
use super::state::LinkState;

/// Levers and axis of a link at a pose, in world axes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frame {
    rotation: DMat3,
    pub(crate) center: DVec3,
    pub(crate) lever: DVec3,
    pub(crate) axis: DVec3,
    pub(crate) inertia: DMat3,
}

impl Frame {
    fn new(link: &Link, state: &LinkState, parent: &DMat3) -> Frame {
        let rotation = DMat3::from_quat(state.rotation);
        let axis = *parent * link.axis;
        let slide = if link.kind.slides() { state.coordinate } else { 0.0 };
        Frame {
            rotation,
            center: rotation * link.center,
            lever: *parent * link.lever + axis * slide,
            axis,
            inertia: rotation * link.inertia * rotation.transpose(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct SpatialInertia {
    rr: DMat3,
    rv: DMat3,
    vv: DMat3,
}

impl SpatialInertia {
    const ZERO: SpatialInertia = SpatialInertia { rr: DMat3::ZERO, rv: DMat3::ZERO, vv: DMat3::ZERO };

    fn rigid(mass: f64, frame: &Frame) -> SpatialInertia {
        let c = frame.center;
        SpatialInertia {
            rr: frame.inertia - mass * skew_skew(c, c),
            rv: mass * skew(c),
            vv: DMat3::from_diagonal(DVec3::splat(mass)),
        }
    }

    fn times(&self, twist: Twist) -> Wrench {
        Wrench::new(
            self.vv * twist.linear + self.rv.transpose() * twist.angular,
            self.rv * twist.linear + self.rr * twist.angular,
        )
    }

    /// Without a freedom whose column is `U`: `I - U U^T / d`.
    #[inline]
    fn reduced(&self, force: DVec3, torque: DVec3, inverse: f64) -> SpatialInertia {
        let scaled = torque * inverse;
        SpatialInertia {
            rr: self.rr - outer(torque, scaled),
            rv: self.rv - outer(scaled, force),
            vv: self.vv - outer(force, force * inverse),
        }
    }

    /// Adds a child's inertia whose reference point is at `l`.
    fn add_shifted(&mut self, child: &SpatialInertia, l: DVec3) {
        let cross = cross_columns(l, &child.vv);
        let rv_l = cross_rows(&child.rv, l);
        self.vv += child.vv;
        self.rv += child.rv + cross;
        self.rr += child.rr - rv_l - rv_l.transpose() - cross_rows(&cross, l);
    }

    fn add_shifted_point(&mut self, a: &DMat3, l: DVec3) {
        let cross = cross_columns(l, a);
        self.vv += *a;
        self.rv += cross;
        self.rr -= cross_rows(&cross, l);
    }
}

/// `a^ b^ = b a^T - (a.b) E`.
#[inline]
pub(crate) fn skew_skew(a: DVec3, b: DVec3) -> DMat3 {
    let dot = a.dot(b);
    let mut outer = DMat3::from_cols(b * a.x, b * a.y, b * a.z);
    outer.x_axis.x -= dot;
    outer.y_axis.y -= dot;
    outer.z_axis.z -= dot;
    outer
}

/// `a^ M`.
#[inline]
pub(crate) fn cross_columns(a: DVec3, m: &DMat3) -> DMat3 {
    DMat3::from_cols(a.cross(m.x_axis), a.cross(m.y_axis), a.cross(m.z_axis))
}

/// `M a^`.
#[inline]
pub(crate) fn cross_rows(m: &DMat3, a: DVec3) -> DMat3 {
    DMat3::from_cols(
        m.y_axis * a.z - m.z_axis * a.y,
        m.z_axis * a.x - m.x_axis * a.z,
        m.x_axis * a.y - m.y_axis * a.x,
    )
}

/// `a b^T`.
#[inline]
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Pivot {
    #[default]
    Rigid,
    Ball {
        factor: Cholesky,
        x: DMat3,
    },
    Free {
        factor: Cholesky,
        x: DMat3,
        linear: Cholesky,
    },
    Turn {
        force: DVec3,
        torque: DVec3,
        inverse: f64,
    },
    Slide {
        force: DVec3,
        torque: DVec3,
        inverse: f64,
    },
    /// Along the link's screw.
    Screw {
        force: DVec3,
        torque: DVec3,
        inverse: f64,
    },
}

/// The factored mass matrix of a tree at one pose.
#[derive(Clone, Debug, Default)]
pub(crate) struct Articulated {
    pub(crate) frames: Vec<Frame>,
    /// Motion of guided links for a unit of their rate, at their joint point; empty if there are none.
    pub(crate) screws: Vec<Twist>,
    inertias: Vec<SpatialInertia>,
    pub(crate) pivots: Vec<Pivot>,
    /// Index of every link's first freedom.
    pub(crate) offsets: Vec<u32>,
    /// `F0` and `T0` of every link, about its joint point; consumed by [`Articulated::solve`].
    pub(crate) loads: Vec<Wrench>,
    /// Given part of the relative motion of every joint.
    pub(crate) bias: Vec<Twist>,
    /// The answer: motion of every link at its joint point.
    pub(crate) motion: Vec<Twist>,
    /// The answer in the coordinates of revolute and prismatic joints.
    pub(crate) rates: Vec<f64>,
}

impl Articulated {
    pub(crate) fn resize(&mut self, links: &[Link]) {
        let count = links.len();
        self.offsets.clear();
        self.offsets.extend(super::equations::offsets(links).iter().map(|&offset| offset as u32));
        self.frames.resize(count, Frame::default());
        if links.iter().any(|link| link.kind.is_guided()) {
            self.screws.resize(count, Twist::ZERO);
        }
        self.inertias.resize(count, SpatialInertia::ZERO);
        self.pivots.resize(count, Pivot::Rigid);
        self.loads.resize(count, Wrench::ZERO);
        self.bias.resize(count, Twist::ZERO);
        self.motion.resize(count, Twist::ZERO);
        self.rates.resize(count, 0.0);
    }

    /// Takes the pose over, and forgets loads and biases.
    pub(crate) fn set_pose(&mut self, links: &[Link], guided: &[GuidedJoint], states: &[LinkState]) {
        for (index, link) in links.iter().enumerate() {
            let parent = self.frames[link.parent as usize].rotation;
            self.frames[index] = Frame::new(link, &states[index], &parent);
        }
        for joint in guided {
            let screws = joint.world_screws(states);
            self.screws[joint.first..=joint.own].copy_from_slice(&screws[..joint.count()]);
            // The other links of the joint are in the same place.
            self.frames[joint.first].lever = states[joint.first].point - states[joint.parent].point;
        }
        self.clear();
    }

    pub(crate) fn clear(&mut self) {
        self.loads.fill(Wrench::ZERO);
        self.bias.fill(Twist::ZERO);
        self.motion[0] = Twist::ZERO;
    }

    /// Factors at the pose that was set. `extra` is added to the pivots of axes: what a joint's own element resists.
    pub(crate) fn factor(&mut self, links: &[Link], extra: impl Fn(usize, &Link, f64) -> f64) {
        for (index, link) in links.iter().enumerate() {
            self.inertias[index] = SpatialInertia::rigid(link.mass, &self.frames[index]);
        }
        for index in (1..links.len()).rev() {
            let link = &links[index];
            let frame = self.frames[index];
            let own = self.inertias[index];
            let (below, above) = self.inertias.split_at_mut(index);
            let parent = &mut below[link.parent as usize];
            self.pivots[index] = match link.kind {
                Kind::Kinematic => Pivot::Rigid,
                Kind::Free | Kind::Ball => {
                    let factor = Cholesky::new(&own.rr);
                    let y = factor.forward_matrix(&own.rv);
                    let a = own.vv - y.transpose() * y;
                    let x = factor.backward_matrix(&y);
                    above[0] = SpatialInertia { vv: a, ..SpatialInertia::ZERO };
                    if link.kind == Kind::Ball {
                        parent.add_shifted_point(&a, frame.lever);
                        Pivot::Ball { factor, x }
                    } else {
                        Pivot::Free { factor, x, linear: Cholesky::new(&a) }
                    }
                }
                Kind::Fixed | Kind::DrivenRevolute | Kind::DrivenPrismatic | Kind::DrivenGuided => {
                    parent.add_shifted(&own, frame.lever);
                    Pivot::Rigid
                }
                Kind::Guided => {
                    let screw = self.screws[index];
                    let Wrench { force, torque } = own.times(screw);
                    let pivot = screw.power(Wrench { force, torque });
                    let inverse = 1.0 / (pivot + extra(index, link, pivot));
                    above[0] = own.reduced(force, torque, inverse);
                    parent.add_shifted(&above[0], frame.lever);
                    Pivot::Screw { force, torque, inverse }
                }
                Kind::Revolute | Kind::Prismatic => {
                    let turns = link.kind == Kind::Revolute;
                    let (force, torque, pivot) = axis_columns(&own, frame.axis, turns);
                    let inverse = 1.0 / (pivot + extra(index, link, pivot));
                    let reduced = own.reduced(force, torque, inverse);
                    above[0] = reduced;
                    parent.add_shifted(&reduced, frame.lever);
                    if turns {
                        Pivot::Turn { force, torque, inverse }
                    } else {
                        Pivot::Slide { force, torque, inverse }
                    }
                }
            };
        }
    }

    /// Composite inertias instead of factors: everything behind a joint as if it were rigid.
    pub(crate) fn compose(&mut self, links: &[Link]) {
        for (index, link) in links.iter().enumerate() {
            self.inertias[index] = SpatialInertia::rigid(link.mass, &self.frames[index]);
        }
        for index in (1..links.len()).rev() {
            let (below, above) = self.inertias.split_at_mut(index);
            if !matches!(links[index].kind, Kind::Free | Kind::Kinematic) {
                below[links[index].parent as usize].add_shifted(&above[0], self.frames[index].lever);
            }
        }
    }

    /// Wrench that a motion of the composite needs.
    pub(crate) fn composite_times(&self, index: usize, twist: Twist) -> Wrench {
        self.inertias[index].times(twist)
    }

    /// From loads and biases to the motion; loads are consumed.
    pub(crate) fn solve(&mut self, links: &[Link]) {
        self.ascend(links);
        self.descend(links);
    }

    fn ascend(&mut self, links: &[Link]) {
        for index in (1..links.len()).rev() {
            let link = &links[index];
            let load = self.loads[index];
            let bias = self.bias[index];
            let l = self.frames[index].lever;
            let axis = self.frames[index].axis;
            let carried = self.inertias[index].times(bias);
            let handed = match self.pivots[index] {
                Pivot::Rigid if link.kind == Kind::Kinematic => continue,
                Pivot::Free { .. } => continue,
                Pivot::Rigid => load + carried,
                Pivot::Ball { x, .. } => {
                    let force = load.force - x.transpose() * load.torque + carried.force;
                    Wrench { force, torque: DVec3::ZERO }
                }
                Pivot::Turn { force, torque, inverse } => {
                    let share = axis.dot(load.torque) * inverse;
                    load - Wrench { force: force * share, torque: torque * share } + carried
                }
                Pivot::Slide { force, torque, inverse } => {
                    let share = axis.dot(load.force) * inverse;
                    load - Wrench { force: force * share, torque: torque * share } + carried
                }
                Pivot::Screw { force, torque, inverse } => {
                    let share = self.screws[index].power(load) * inverse;
                    load - Wrench { force: force * share, torque: torque * share } + carried
                }
            };
            let parent = &mut self.loads[link.parent as usize];
            parent.force += handed.force;
            parent.torque += handed.torque + l.cross(handed.force);
        }
    }

    fn descend(&mut self, links: &[Link]) {
        for (index, link) in links.iter().enumerate().skip(1) {
            let load = self.loads[index];
            let above = self.motion[link.parent as usize];
            let frame = &self.frames[index];
            let mut motion = above.shifted(frame.lever) + self.bias[index];
            let mut rate = 0.0;
            match self.pivots[index] {
                Pivot::Rigid if link.kind == Kind::Kinematic => motion = self.bias[index],
                Pivot::Rigid => {}
                Pivot::Ball { factor, x } => {
                    motion.angular = -(x * motion.linear) - factor.solve(load.torque);
                }
                Pivot::Free { factor, x, linear } => {
                    let v = -linear.solve(load.force - x.transpose() * load.torque);
                    motion = Twist::new(v, -(x * v) - factor.solve(load.torque));
                }
                Pivot::Turn { force, torque, inverse } => {
                    let needed =
                        frame.axis.dot(load.torque) + torque.dot(motion.angular) + force.dot(motion.linear);
                    rate = -needed * inverse;
                    motion.angular += frame.axis * rate;
                }
                Pivot::Slide { force, torque, inverse } => {
                    let needed =
                        frame.axis.dot(load.force) + torque.dot(motion.angular) + force.dot(motion.linear);
                    rate = -needed * inverse;
                    motion.linear += frame.axis * rate;
                }
                Pivot::Screw { force, torque, inverse } => {
                    let screw = self.screws[index];
                    let needed = screw.power(load) + motion.power(Wrench { force, torque });
                    rate = -needed * inverse;
                    motion = motion + screw * rate;
                }
            }
            self.motion[index] = motion;
            self.rates[index] = rate;
        }
    }
}

/// `U = I S` as force and torque, and `S.U`.
fn axis_columns(own: &SpatialInertia, axis: DVec3, turns: bool) -> (DVec3, DVec3, f64) {
    if turns {
        let torque = own.rr * axis;
        (own.rv.transpose() * axis, torque, axis.dot(torque))
    } else {
        let force = own.vv * axis;
        (force, own.rv * axis, axis.dot(force))
    }
}
