//! [`Power`]: where the energy of a tree comes from and goes to.

use glam::DVec3;
use prall_math::Wrench;
use serde::{Deserialize, Serialize};

use super::Tree;
use super::link::Kind;

/// Powers in W, positive into the bodies. Their sum is the rate of the kinetic energy; joints themselves take none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Power {
    /// Of weight.
    pub gravity: f64,
    /// Of the loads that were set.
    pub loads: f64,
    /// Of springs and end stops.
    pub springs: f64,
    /// Of dampers; never positive.
    pub dampers: f64,
    /// Of motors.
    pub motors: f64,
    /// Of driven axes: what it takes to move them as they move.
    pub drives: f64,
}

impl Power {
    /// The sum: the rate of the kinetic energy.
    pub fn total(&self) -> f64 {
        self.gravity + self.loads + self.springs + self.dampers + self.motors + self.drives
    }
}

impl Tree {
    /// Powers at the present state, with the accelerations that the drives ask for; not for loops.
    ///
    /// What a drive does follows backwards from the accelerations: everything behind its joint needs the wrench
    /// `sum (m a, J alpha + w x J w)` less what acts on it from outside, and the axis gives its part along itself.
    pub fn power(&mut self, gravity: DVec3) -> Power {
        self.ready();
        self.set_link_loads(gravity);
        self.solve_accelerations(0.0);
        let mut power = Power::default();
        let mut needed = vec![Wrench::ZERO; self.links.len()];
        for (index, link) in self.links.iter().enumerate().skip(1) {
            let (state, frame) = (&self.states[index], &self.work.articulated.frames[index]);
            let motion = self.work.articulated.motion[index];
            let w = state.angular;
            power.gravity += link.mass * gravity.dot(state.velocity);
            let outside = self.work.link_loads[index];
            power.loads += state.twist().power(outside) - link.mass * gravity.dot(state.velocity);
            if link.kind.is_free_axis() {
                power.springs += link.element.spring.force(state.coordinate) * state.rate;
                power.dampers -= link.element.damping * state.rate * state.rate;
                power.motors += link.element.motor * state.rate;
            }
            let acceleration = motion.velocity_at(frame.center) + w.cross(w.cross(frame.center));
            let force = acceleration * link.mass - outside.force;
            let torque = frame.inertia * motion.angular + w.cross(frame.inertia * w) - outside.torque;
            needed[index] = Wrench::new(force, torque + frame.center.cross(force));
        }
        for (index, link) in self.links.iter().enumerate().skip(1).rev() {
            let frame = &self.work.articulated.frames[index];
            let along = match link.kind {
                Kind::DrivenRevolute => frame.axis.dot(needed[index].torque),
                Kind::DrivenPrismatic => frame.axis.dot(needed[index].force),
                Kind::DrivenGuided => self.work.articulated.screws[index].power(needed[index]),
                _ => 0.0,
            };
            power.drives += along * self.states[index].rate;
            let handed = Wrench::new(
                needed[index].force,
                needed[index].torque + frame.lever.cross(needed[index].force),
            );
            let parent = &mut needed[link.parent as usize];
            *parent = *parent + handed;
        }
        power
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::models::rod;
    use crate::tree::{Drive, ForceElement, JointKind, Spring, TreeDescription};

    const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

    /// A driven hinge, a slider with spring, damper and motor on it, a ball behind, all moving: the powers add up to what the kinetic
    /// energy does in a very short step, though none of them is computed from it.
    #[test]
    fn powers_add_up_to_the_rate_of_the_kinetic_energy() {
        let element =
            ForceElement { spring: Spring::Linear { stiffness: 80.0, rest: 0.1 }, damping: 3.0, motor: 7.0 };
        let mut nodes = vec![rod(None, DVec3::ZERO, 0.5, 2.0, JointKind::Revolute)];
        nodes[0].joint.driven = true;
        nodes.push(rod(Some(0), DVec3::new(0.1, -0.25, 0.0), 0.4, 1.5, JointKind::Prismatic));
        nodes[1].joint.elements[0] = element;
        nodes.push(rod(Some(1), DVec3::new(0.0, -0.2, 0.05), 0.3, 1.0, JointKind::Ball));
        let mut tree = Tree::new(&TreeDescription { nodes, loops: Vec::new() }).unwrap();
        tree.set_coordinate(0, 0, 0.4, 1.3);
        tree.set_coordinate(1, 0, 0.05, -0.6);
        let moving: Vec<_> = (0..3).map(|node| (tree.pose(node), tree.twist(node))).collect();
        tree.load(|node| {
            let (pose, mut twist) = moving[node];
            twist.angular += if node == 2 { DVec3::new(2.0, -1.0, 0.5) } else { DVec3::ZERO };
            (pose, twist)
        });
        tree.project_velocities();
        tree.set_load(2, Wrench::new(DVec3::new(3.0, 1.0, -2.0), DVec3::new(0.2, 0.1, -0.3)));
        let h = 1e-6;
        let drive = Drive { position: 0.4 + 1.3 * h, rate: 1.3 + 5.0 * h, acceleration: 5.0 };
        tree.drive(0, 0, drive);
        let power = tree.power(GRAVITY);
        let before = tree.kinetic_energy();
        tree.step_explicit(h, GRAVITY);
        let rate = (tree.kinetic_energy() - before) / h;
        assert!(power.drives.abs() > 1.0 && power.dampers < 0.0 && power.motors != 0.0 && power.loads != 0.0);
        // First order in h: 1e-6 s times the second derivative, some 1e3 W/s; rounding of 10 J over 1e-6 s is 1e-9.
        assert!((power.total() - rate).abs() < 1e-2, "{power:?} {rate}");
    }
}
