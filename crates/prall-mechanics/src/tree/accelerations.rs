//! Accelerations by the articulated-body recursion, and the cheap time step that uses them.

use glam::DVec3;
use prall_math::{Twist, Wrench};

use super::Tree;
use super::link::Kind;
use super::state::{cayley_quaternion, place};

impl Tree {
    /// Accelerations of the centres of mass and angular accelerations, node by node, in world axes; not for loops.
    ///
    /// The centripetal parts are the biases: `w_p x (w_p x l)` for every joint, `w_p x axis rate` for a turning axis,
    /// `2 w_p x axis rate` for a sliding one. `F0 = m w x (w x c) - m g`, `T0 = w x (Irr w) - c x m g`.
    pub fn accelerations(&mut self, gravity: DVec3, mut node: impl FnMut(usize, Twist)) {
        self.ready();
        self.set_link_loads(gravity);
        self.solve_accelerations();
        for (index, links) in self.nodes.iter().enumerate() {
            let own = links.own as usize;
            let state = &self.states[own];
            let motion = self.work.articulated.motion[own];
            let center = self.work.articulated.frames[own].center;
            let inward = state.angular.cross(state.angular.cross(center));
            node(index, Twist::new(motion.velocity_at(center) + inward, motion.angular));
        }
    }

    pub(super) fn solve_accelerations(&mut self) {
        let articulated = &mut self.work.articulated;
        articulated.set_pose(&self.links, &self.states);
        for (index, link) in self.links.iter().enumerate().skip(1) {
            let (state, parent) = (&self.states[index], &self.states[link.parent as usize]);
            let frame = &articulated.frames[index];
            let external = self.work.link_loads[index];
            let w = state.angular;
            let (spun, inward) = (frame.inertia * w, w.cross(w.cross(frame.center)));
            let force = inward * link.mass - external.force;
            let mut load = Wrench::new(force, w.cross(spun) + frame.center.cross(force) - external.torque);
            let (w_p, along) = (parent.angular, frame.axis * state.rate);
            let mut bias = Twist::new(w_p.cross(w_p.cross(frame.lever)), DVec3::ZERO);
            let element = &link.element;
            let push =
                element.spring.force(state.coordinate) - element.damping * state.rate + element.motor;
            match link.kind {
                Kind::Free | Kind::Kinematic => bias = Twist::ZERO,
                Kind::Fixed | Kind::Ball => {}
                Kind::Revolute | Kind::DrivenRevolute => bias.angular = w_p.cross(along),
                Kind::Prismatic | Kind::DrivenPrismatic => bias.linear += 2.0 * w_p.cross(along),
            }
            match link.kind {
                Kind::Revolute => {
                    load.torque -= frame.axis * push;
                    let parent = &mut articulated.loads[link.parent as usize];
                    parent.torque += frame.axis * push;
                }
                Kind::Prismatic => {
                    let lever = frame.lever;
                    let reaction = frame.axis * push;
                    load.force -= reaction;
                    let parent = &mut articulated.loads[link.parent as usize];
                    parent.force += reaction;
                    parent.torque += lever.cross(reaction);
                }
                Kind::DrivenRevolute => bias.angular += frame.axis * self.drives[index].acceleration,
                Kind::DrivenPrismatic => bias.linear += frame.axis * self.drives[index].acceleration,
                _ => {}
            }
            let own = &mut articulated.loads[index];
            *own = *own + load;
            articulated.bias[index] = bias;
        }
        articulated.factor(&self.links, |_, _| 0.0);
        articulated.solve(&self.links);
    }

    /// One step by semi-implicit Euler: velocities from the accelerations at the start, then poses.
    ///
    /// Cheap, first order, and unstable where light links are under tension: `h` must stay below 2 over their swing
    /// frequency. Driven joints move with their rate; loops are not held.
    pub fn step_explicit(&mut self, h: f64, gravity: DVec3) {
        self.ready();
        self.set_link_loads(gravity);
        self.solve_accelerations();
        let articulated = &self.work.articulated;
        for (index, link) in self.links.iter().enumerate().skip(1) {
            let (below, own) = self.states.split_at_mut(index);
            let (parent, state) = (&below[link.parent as usize], &mut own[0]);
            let motion = articulated.motion[index];
            state.angular += motion.angular * h;
            match link.kind {
                Kind::Free => {
                    state.velocity += motion.linear * h;
                    state.point += state.velocity * h;
                }
                Kind::Kinematic => state.point += state.velocity * h,
                Kind::Revolute | Kind::Prismatic => {
                    state.rate += articulated.rates[index] * h;
                    state.coordinate += state.rate * h;
                }
                Kind::DrivenRevolute | Kind::DrivenPrismatic => {
                    let target = &self.drives[index];
                    state.coordinate = target.position;
                    state.rate = target.rate;
                }
                Kind::Fixed | Kind::Ball => {}
            }
            if matches!(link.kind, Kind::Free | Kind::Kinematic | Kind::Ball) {
                let turn = cayley_quaternion(state.angular * (0.5 * h));
                state.rotation = (turn * state.rotation).normalize();
            }
            place(link, state, parent);
        }
        self.derive_velocities();
    }

    /// Velocities of all links from the joints' own: balls' angular velocities and axes' rates.
    fn derive_velocities(&mut self) {
        for (index, link) in self.links.iter().enumerate().skip(1) {
            if matches!(link.kind, Kind::Free | Kind::Kinematic) {
                continue;
            }
            let (below, own) = self.states.split_at_mut(index);
            let (parent, state) = (&below[link.parent as usize], &mut own[0]);
            let mut motion = parent.joint_twist(&self.links[link.parent as usize]).shifted(state.point - parent.point);
            let axis = parent.rotation * link.axis;
            match link.kind {
                Kind::Ball => motion.angular = state.angular,
                Kind::Revolute | Kind::DrivenRevolute => motion.angular += axis * state.rate,
                Kind::Prismatic | Kind::DrivenPrismatic => motion.linear += axis * state.rate,
                _ => {}
            }
            state.angular = motion.angular;
            state.velocity = motion.velocity_at(state.rotation * link.center);
        }
    }
}
