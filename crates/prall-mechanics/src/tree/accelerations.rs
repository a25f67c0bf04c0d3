//! Accelerations by the articulated-body recursion, and the cheap time step that uses them.

use glam::{DMat3, DVec3};
use prall_math::{Norm, Twist, Wrench};

use super::Tree;
use super::guided::{carry_guided, turned as in_axes};
use super::link::{Kind, Link};
use super::state::{LinkState, cayley_quaternion, place_at};

impl Tree {
    /// Accelerations of the centres of mass and angular accelerations, node by node, in world axes; not for loops.
    ///
    /// The centripetal parts are the biases: `w_p x (w_p x l)` for every joint, `w_p x axis rate` for a turning axis,
    /// `2 w_p x axis rate` for a sliding one. `F0 = m w x (w x c) - m g`, `T0 = w x (Irr w) - c x m g`.
    pub fn accelerations(&mut self, gravity: DVec3, mut node: impl FnMut(usize, Twist)) {
        self.ready();
        self.set_link_loads(gravity);
        self.solve_accelerations(0.0);
        for (index, links) in self.nodes.iter().enumerate() {
            let own = links.own as usize;
            let state = &self.states[own];
            let motion = self.work.articulated.motion[own];
            let center = self.work.articulated.frames[own].center;
            let inward = state.angular.cross(state.angular.cross(center));
            node(index, Twist::new(motion.velocity_at(center) + inward, motion.angular));
        }
    }

    /// With `h` above 0 springs and dampers act as they will at the end of a step of that length, linearised: the axis' pivot grows by
    /// `h d + h^2 k`, so that no spring, however stiff, makes the cheap step diverge.
    pub(super) fn solve_accelerations(&mut self, h: f64) {
        self.work.articulated.set_pose(&self.links, &self.guided, &self.states);
        for (index, link) in self.links.iter().enumerate().skip(1) {
            let bias = self.acceleration_bias(index);
            let state = &self.states[index];
            let articulated = &mut self.work.articulated;
            let frame = articulated.frames[index];
            let external = self.work.link_loads[index];
            let w = state.angular;
            let force = w.cross(w.cross(frame.center)) * link.mass - external.force;
            let spin = w.cross(frame.inertia * w) - external.torque;
            let mut load = Wrench::new(force, spin + frame.center.cross(force));
            let element = &link.element;
            let resistance = element.damping + h * element.spring.stiffness(state.coordinate);
            let push = element.spring.force(state.coordinate) - resistance * state.rate + element.motor;
            let reaction = frame.axis * push;
            let parent = &mut articulated.loads[link.parent as usize];
            if link.kind == Kind::Revolute {
                load.torque -= reaction;
                parent.torque += reaction;
            } else if link.kind == Kind::Prismatic {
                load.force -= reaction;
                *parent = *parent + Wrench::from_force_at(reaction, frame.lever);
            } else if link.kind == Kind::Guided && push != 0.0 {
                // Any pair of wrenches whose power along the screw is that of the push.
                let screw = articulated.screws[index];
                let scale = push / (screw.linear.length_squared() + screw.angular.length_squared());
                let reaction = Wrench::new(screw.linear * scale, screw.angular * scale);
                *parent = *parent + reaction.shifted(-frame.lever);
                load = load - reaction;
            }
            let own = &mut articulated.loads[index];
            *own = *own + load;
            articulated.bias[index] = bias;
        }
        let states = &self.states;
        self.work.articulated.factor(&self.links, |index, link, _| {
            let element = &link.element;
            if element.is_idle() {
                return 0.0;
            }
            h * (element.damping + h * element.spring.stiffness(states[index].coordinate))
        });
        self.work.articulated.solve(&self.links);
    }

    /// The part of a joint's relative acceleration that does not depend on its own.
    pub(super) fn acceleration_bias(&self, index: usize) -> Twist {
        let link = &self.links[index];
        let frame = &self.work.articulated.frames[index];
        let w_p = self.states[link.parent as usize].angular;
        let along = frame.axis * self.states[index].rate;
        let driven = frame.axis * self.drives[index].acceleration;
        let inward = w_p.cross(w_p.cross(frame.lever));
        match link.kind {
            Kind::Free | Kind::Kinematic => Twist::ZERO,
            Kind::Fixed | Kind::Ball => Twist::new(inward, DVec3::ZERO),
            Kind::Revolute => Twist::new(inward, w_p.cross(along)),
            Kind::DrivenRevolute => Twist::new(inward, w_p.cross(along) + driven),
            Kind::Prismatic => Twist::new(inward + 2.0 * w_p.cross(along), DVec3::ZERO),
            Kind::DrivenPrismatic => Twist::new(inward + 2.0 * w_p.cross(along) + driven, DVec3::ZERO),
            Kind::Guided => self.guided_bias(index),
            Kind::DrivenGuided => {
                let screw = self.work.articulated.screws[index];
                self.guided_bias(index) + screw * self.drives[index].acceleration
            }
        }
    }

    /// What a joint's law and the turning of its parent accelerate, all of it at the joint's first link: with `(v, w) = S r`,
    /// `w_p x (w_p x l) + 2 w_p x v` and `w_p x w`, and what the law says.
    fn guided_bias(&self, index: usize) -> Twist {
        let joint = &self.guided[self.links[index].guide as usize];
        if index != joint.first {
            return Twist::ZERO;
        }
        let (articulated, states) = (&self.work.articulated, &self.states);
        let rates = joint.rates(states);
        let screws = &articulated.screws[joint.first..=joint.own];
        let relative = screws.iter().zip(rates).fold(Twist::ZERO, |sum, (&screw, rate)| sum + screw * rate);
        let parent = &states[joint.parent];
        let (w_p, lever) = (parent.angular, articulated.frames[index].lever);
        let own = in_axes(parent.rotation, joint.bias(&joint.coordinates(states), &rates));
        let linear = w_p.cross(w_p.cross(lever) + relative.linear * 2.0);
        own + Twist::new(linear, w_p.cross(relative.angular))
    }

    /// One step by semi-implicit Euler: velocities from the accelerations at the start, then poses.
    ///
    /// Cheap, first order, and unstable where light links are under tension: `h` must stay below 2 over their swing
    /// frequency. Loops are not held.
    pub fn step_explicit(&mut self, h: f64, gravity: DVec3) {
        self.predict(h, gravity);
        self.advance(h, 1.0);
    }

    /// Velocities `h` seconds later by the present accelerations; the pose stays, and so does its factorisation, which
    /// percussions then use. Driven joints take the rates of their drives.
    pub fn predict(&mut self, h: f64, gravity: DVec3) {
        self.ready();
        self.set_link_loads(gravity);
        self.solve_accelerations(h);
        let articulated = &self.work.articulated;
        for (index, link) in self.links.iter().enumerate().skip(1) {
            let (below, own) = self.states.split_at_mut(index);
            let (parent, state) = (&below[link.parent as usize], &mut own[0]);
            let motion = articulated.motion[index];
            match link.kind {
                Kind::Free => {
                    state.velocity += motion.linear * h;
                    state.angular += motion.angular * h;
                }
                Kind::Ball => state.angular += motion.angular * h,
                Kind::Revolute | Kind::Prismatic | Kind::Guided => {
                    state.rate += articulated.rates[index] * h;
                }
                Kind::DrivenRevolute | Kind::DrivenPrismatic | Kind::DrivenGuided => {
                    state.rate = self.drives[index].rate;
                }
                Kind::Fixed | Kind::Kinematic => {}
            }
            if link.kind.is_guided() {
                carry_guided(&self.guided, &self.links, index, &mut self.states);
                continue;
            }
            let (frame, base) = (&articulated.frames[index], &articulated.frames[link.parent as usize]);
            carry(link, state, parent, [base.center, frame.lever, frame.axis, frame.center]);
        }
    }

    /// Poses `h` seconds later by the present velocities; joints hold to rounding. Driven joints go `driven` of the way
    /// to where they shall be, and their rates as well.
    pub fn advance(&mut self, h: f64, driven: f64) {
        self.ready();
        let turned = &mut self.work.turned;
        for (index, link) in self.links.iter().enumerate().skip(1) {
            let (below, own) = self.states.split_at_mut(index);
            let (parent, state) = (&below[link.parent as usize], &mut own[0]);
            match link.kind {
                Kind::Free | Kind::Kinematic => state.point += state.velocity * h,
                Kind::Revolute | Kind::Prismatic | Kind::Guided => state.coordinate += state.rate * h,
                Kind::DrivenRevolute | Kind::DrivenPrismatic | Kind::DrivenGuided => {
                    state.coordinate += (self.drives[index].position - state.coordinate) * driven;
                    state.rate += (self.drives[index].rate - state.rate) * driven;
                }
                Kind::Fixed | Kind::Ball => {}
            }
            if matches!(link.kind, Kind::Free | Kind::Kinematic | Kind::Ball) {
                let turn = cayley_quaternion(state.angular * (0.5 * h));
                state.rotation = (turn * state.rotation).unit();
            }
            if link.kind.is_guided() {
                let joint = &self.guided[link.guide as usize];
                if index == joint.own {
                    joint.place(&mut self.states);
                    joint.carry(&self.links, &mut self.states);
                    turned[index] = Turned::new(link, &self.states[index]);
                }
                continue;
            }
            let base = turned[link.parent as usize];
            let (axis, lever) = (base.rotation * link.axis, base.rotation * link.lever);
            place_at(link, state, parent, axis, lever);
            let own = Turned::new(link, state);
            turned[index] = own;
            carry(link, state, parent, [base.center, state.point - parent.point, axis, own.center]);
        }
    }

    /// Velocities of all links from the joints' own: balls' angular velocities and axes' rates.
    pub(super) fn derive_velocities(&mut self) {
        for (index, link) in self.links.iter().enumerate().skip(1) {
            if link.kind.is_guided() {
                carry_guided(&self.guided, &self.links, index, &mut self.states);
                continue;
            }
            let (below, own) = self.states.split_at_mut(index);
            let (parent, state) = (&below[link.parent as usize], &mut own[0]);
            let base = parent.rotation * self.links[link.parent as usize].center;
            let (axis, center) = (parent.rotation * link.axis, state.rotation * link.center);
            carry(link, state, parent, [base, state.point - parent.point, axis, center]);
        }
    }
}

/// How a link stands, as a matrix, and its centre of mass from its joint point, in world axes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turned {
    rotation: DMat3,
    center: DVec3,
}

impl Turned {
    fn new(link: &Link, state: &LinkState) -> Turned {
        let rotation = DMat3::from_quat(state.rotation);
        Turned { rotation, center: rotation * link.center }
    }
}

/// Velocities of a link from its parent's and its joint's own. In world axes: the parent's centre of mass from its joint point, the
/// joint point from the parent's, the joint's axis, and the centre of mass from the joint point.
#[inline]
fn carry(link: &Link, state: &mut LinkState, parent: &LinkState, [base, lever, axis, center]: [DVec3; 4]) {
    let moved = parent.velocity + parent.angular.cross(lever - base);
    let (linear, angular) = match link.kind {
        Kind::Free | Kind::Kinematic | Kind::Guided | Kind::DrivenGuided => return,
        Kind::Fixed => (moved, parent.angular),
        Kind::Ball => (moved, state.angular),
        Kind::Revolute | Kind::DrivenRevolute => (moved, parent.angular + axis * state.rate),
        Kind::Prismatic | Kind::DrivenPrismatic => (moved + axis * state.rate, parent.angular),
    };
    state.angular = angular;
    state.velocity = linear + angular.cross(center);
}
