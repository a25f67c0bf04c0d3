//! Links of machines among solid bodies.
//!
//! A machine is a [`Mover`] with coordinates of its own: a tree of joints, with motors, springs and whatever else moves it. Its links take part
//! as bodies do, with two differences:
//! - In an island their masses are coupled. What loads on links do to the motion of all of them is asked of the mover
//!   ([`Mover::response`]), so that joints hold in the linear problem whatever their kind is.
//! - Where links really go under the forces of an island, the mover itself says: it goes back to the start of the part, takes the
//!   impulses and moves. Rows are linearised about these poses, and these ways are proven. So joints hold to what the mover promises, and a
//!   solve that is not exact costs motion and never an overlap, as with bodies.
//!
//! A mover takes the impulse of its loads at the start of a part, where bodies take one half there and the other at its end. Bodies in an island with
//! links do as movers: such islands are of first order in time. A machine is stopped as a whole, and stays where it was at the start of the part.

use glam::{DMat3, DVec3};
use prall_math::{Pose, Twist, Wrench, rotation};
use prall_mechanics::island::IslandCoupling;
use prall_mechanics::{Mover, TwistResponse};

use super::advance::{Advance, Scene};
use super::solve::Island;

/// How much links yield where their joints do not let them go, as a share of what a free body of their mass would: small against what a
/// solve tolerates, and large enough that the matrix of an island keeps its digits.
const YIELD: f64 = 1e-6;

/// Which link of which mover of the world a body of the step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkName {
    pub(crate) mover: usize,
    pub(crate) link: u32,
}

/// A machine of which links may meet something.
#[derive(Clone, Debug)]
pub(crate) struct SolidMachine {
    /// Number of the mover in the world.
    pub(crate) mover: usize,
    /// Its links with shapes, and their bodies in the step.
    pub(crate) links: Vec<(u32, usize)>,
    /// The mover's state at the start of the step, then of each part.
    pub(crate) state: Vec<u8>,
    /// Some condition of the present part is on one of its links.
    pushed: bool,
    /// Kinetic energy in J that it may have after the part if nothing pushes it.
    kinetic: f64,
}

impl SolidMachine {
    pub(crate) fn new(mover: usize, links: Vec<(u32, usize)>, state: Vec<u8>) -> SolidMachine {
        SolidMachine { mover, links, state, pushed: false, kinetic: 0.0 }
    }

    /// No condition of the part is known yet.
    pub(super) fn let_go(&mut self) {
        self.pushed = false;
    }

    fn link_of(&self, body: usize) -> Option<u32> {
        self.links.iter().find(|(_, at)| *at == body).map(|(link, _)| *link)
    }
}

/// Mass and inertia by which a link answers pushes at a point, in the mean over all directions; 0 where nothing moves it.
pub(crate) fn apparent_mass(mover: &dyn Mover, link: u32, point: DVec3) -> (f64, f64) {
    let response = mover.response((link, point), (link, point));
    let mean = |block: &DMat3| {
        let trace = block.x_axis.x + block.y_axis.y + block.z_axis.z;
        if trace > 0.0 && trace.is_finite() { 3.0 / trace } else { 0.0 }
    };
    (mean(&response[0][0]), mean(&response[1][1]))
}

/// The shift and turn from one pose to another.
fn way(from: &Pose, to: &Pose) -> Twist {
    Twist::new(to.translation - from.translation, rotation::log(to.rotation * from.rotation.conjugate()))
}

impl Advance<'_> {
    /// Puts machines where the step begins: they may have made it before, in a smaller group.
    pub(super) fn begin_machines(&mut self) {
        for machine in &self.scene.machines {
            // Its own state, which it has written.
            let _ = self.movers[machine.mover].restore(&machine.state);
        }
    }

    /// Where links want to go in a part of `dt` seconds.
    pub(super) fn aim_machines(&mut self, dt: f64) {
        let Advance { scene, movers, goal, .. } = self;
        let Scene { machines, bodies, gravity, .. } = scene;
        for machine in machines {
            let mover = &mut movers[machine.mover];
            let _ = mover.restore(&machine.state);
            machine.kinetic = mover.energy(*gravity).0;
            mover.predict(dt, *gravity);
            machine.kinetic = machine.kinetic.max(mover.energy(*gravity).0);
            machine.let_go();
            mover.commit(dt, 1.0);
            for &(link, at) in &machine.links {
                goal[at] = way(&bodies[at].pose, &mover.pose(link));
            }
        }
    }

    /// Machines of which an island has links.
    pub(super) fn machines_of(&self, island: &Island) -> Vec<usize> {
        let takes_part = |number: &usize| {
            let links = &self.scene.machines[*number].links;
            links.iter().any(|(_, at)| island.bodies.binary_search(at).is_ok())
        };
        (0..self.scene.machines.len()).filter(takes_part).collect()
    }

    /// The way of a body without contacts in its island: among links with the whole impulse of its loads before the move.
    pub(super) fn wanted(&self, at: usize) -> Twist {
        let (body, goal) = (&self.scene.bodies[at], self.goal[at]);
        if !self.coupled[at] || !body.is_free() || self.repairing {
            return goal;
        }
        let half = 0.5 * self.dt * self.dt;
        let free = |axis: usize| if body.locked[axis] { 0.0 } else { 1.0 };
        let shift = body.force * (half / body.mass) * DVec3::new(free(0), free(1), free(2));
        goal + Twist::new(shift, body.angular_velocity(&body.pose, body.torque * half))
    }

    /// Sets the ways of a machine's links to those that the forces of the rows make.
    pub(super) fn follow_forces(&mut self, number: usize) {
        let Advance { scene, movers, rows, x, dt, repairing, .. } = self;
        let Scene { machines, bodies, gravity, .. } = scene;
        let machine = &mut machines[number];
        let mover = &mut movers[machine.mover];
        let _ = mover.restore(&machine.state);
        machine.pushed = true;
        let mut loads = Vec::new();
        for row in rows.iter().filter(|row| row.normal_force > 0.0) {
            for (at, sign) in [(row.bodies[0], 1.0), (row.bodies[1], -1.0)] {
                if let Some(link) = machine.link_of(at) {
                    loads.push((link, row.point, Wrench::new(row.force() * (sign / *dt), DVec3::ZERO)));
                }
            }
        }
        if *repairing {
            mover.displace(&loads);
        } else {
            mover.predict(*dt, *gravity);
            if let Some(&(link, at)) = machine.links.first() {
                // A push of nothing says that a contact is near.
                mover.apply(link, bodies[at].pose.translation, Wrench::ZERO);
            }
            loads.into_iter().for_each(|(link, point, impulse)| mover.apply(link, point, impulse));
            mover.commit(*dt, 1.0);
        }
        for &(link, at) in &machine.links {
            x[at] = way(&bodies[at].pose, &mover.pose(link));
        }
    }

    /// The coupled masses of an island's links: those of the start of the part, or after the move those of its end.
    pub(super) fn couplings(&mut self, island: &Island, before_move: bool) -> Vec<IslandCoupling> {
        let numbers = self.machines_of(island);
        let Advance { scene, movers, dt, repairing, .. } = self;
        let of = |number: usize| {
            let machine = &scene.machines[number];
            let mover = &mut movers[machine.mover];
            if before_move {
                let _ = mover.restore(&machine.state);
                if *repairing {
                    mover.refresh_responses();
                } else {
                    mover.predict(*dt, scene.gravity);
                }
            }
            let place = |at: usize| island.bodies.binary_search(&at).ok();
            let links: Vec<(u32, usize, usize)> =
                machine.links.iter().filter_map(|&(link, at)| Some((link, at, place(at)?))).collect();
            let size = 6 * links.len();
            let mut inverse = vec![0.0; size * size];
            for (i, &(link, at, _)) in links.iter().enumerate() {
                let body = &scene.bodies[at];
                let here = (link, body.pose.translation);
                for (j, &(other, other_at, _)) in links.iter().enumerate().skip(i) {
                    let there = (other, scene.bodies[other_at].pose.translation);
                    put(&mut inverse, size, (i, j), &mover.response(here, there));
                }
                let turning = body.rotor.inertia.x_axis.x;
                for axis in 0..6 {
                    let free = if axis < 3 { 1.0 / body.mass } else { 1.0 / turning };
                    inverse[(6 * i + axis) * (size + 1)] += YIELD * free;
                }
            }
            IslandCoupling { bodies: links.iter().map(|(_, _, place)| *place as u32).collect(), inverse }
        };
        numbers.into_iter().map(of).collect()
    }

    /// Carries out the ways of machines. Those that were stopped stay, with the velocities of the start of the part.
    pub(super) fn commit_machines(&mut self, dt: f64) {
        for number in 0..self.scene.machines.len() {
            let machine = &self.scene.machines[number];
            let stopped = machine.links.iter().any(|&(_, at)| self.was_stopped[at]);
            if !stopped && machine.pushed {
                self.follow_forces(number);
                continue;
            }
            let mover = &mut self.movers[machine.mover];
            let _ = mover.restore(&machine.state);
            if stopped {
                mover.commit(dt, 0.0);
            } else {
                mover.predict(dt, self.scene.gravity);
                mover.commit(dt, 1.0);
            }
        }
    }

    /// Leaves machines where a repair has put them: that is where the part begins.
    pub(super) fn keep_displaced(&mut self) {
        for number in 0..self.scene.machines.len() {
            let machine = &self.scene.machines[number];
            let stopped = machine.links.iter().any(|&(_, at)| self.ends[at] < 1.0);
            if machine.pushed && !stopped {
                self.follow_forces(number);
                let machine = &mut self.scene.machines[number];
                self.movers[machine.mover].save_into(&mut machine.state);
            }
        }
    }

    /// Reads the velocities of links at the new poses, where pushes shall act next.
    pub(super) fn read_machines(&mut self) {
        let Advance { scene, movers, .. } = self;
        let Scene { machines, bodies, .. } = scene;
        for machine in machines {
            let mover = &mut movers[machine.mover];
            mover.refresh_responses();
            for &(link, at) in &machine.links {
                let body = &mut bodies[at];
                body.velocity = mover.twist_at(link, body.pose.translation);
                body.spin = body.inertia(&body.pose) * body.velocity.angular;
            }
        }
    }

    /// The velocities of the part are known: the next part begins here.
    pub(super) fn close_machines(&mut self) {
        self.read_machines();
        for machine in &mut self.scene.machines {
            self.movers[machine.mover].save_into(&mut machine.state);
        }
    }

    /// Gives links their impulses (N s, and N m s about the body's centre) at the end of a part.
    pub(super) fn push_link(&mut self, at: usize, impulse: Wrench) {
        let body = &self.scene.bodies[at];
        if let Some(LinkName { mover, link }) = body.link
            && impulse != Wrench::ZERO
        {
            self.movers[mover].apply(link, body.pose.translation, impulse);
        }
    }

    /// Kinetic energy in J that the machines of an island may have after the part if nothing pushes them.
    pub(super) fn kinetic_limit_of_machines(&self, island: &Island) -> f64 {
        let machines = self.machines_of(island).into_iter();
        machines.map(|number| self.scene.machines[number].kinetic).sum()
    }

    /// Kinetic energy in J that the machines of an island have.
    pub(super) fn kinetic_of_machines(&self, island: &Island) -> f64 {
        let machines = self.machines_of(island).into_iter();
        machines
            .map(|number| self.movers[self.scene.machines[number].mover].energy(self.scene.gravity).0)
            .sum()
    }
}

/// Puts the response of one link to another into the symmetric matrix of all, column by column.
fn put(matrix: &mut [f64], size: usize, (i, j): (usize, usize), response: &TwistResponse) {
    for (p, blocks) in response.iter().enumerate() {
        for (q, block) in blocks.iter().enumerate() {
            for (c, column) in block.to_cols_array_2d().iter().enumerate() {
                for (r, value) in column.iter().enumerate() {
                    let (row, column) = (6 * i + 3 * p + r, 6 * j + 3 * q + c);
                    // Of a link to itself both triangles come, which differ by rounding.
                    if i != j || row <= column {
                        matrix[column * size + row] = *value;
                        matrix[row * size + column] = *value;
                    }
                }
            }
        }
    }
}
