//! The account of a step: every phase writes down what it did to energy and momentum, from its own impulses.
//!
//! With `v` before and `v'` after all impulses of a phase, the work of each is its impulse times `(v + v') / 2`. Where a phase moves bodies without an impulse
//! (stopping, taking overlaps apart) it is the energy of those bodies before and after it.

use glam::DVec3;
use prall_math::{Norm, Pose, Twist, Wrench};
use prall_mechanics::{Bodies, ContactReport, EnergyAccount, MomentumAccount, about_origin};

use super::World;
use crate::joint::frames::Row;
use crate::solid::{SolidBody, SolidReport};

/// What an impulse along a row of a joint did.
pub(super) struct RowWork {
    /// Seen by both bodies from each other: impulse times mean rate.
    pub(super) relative: f64,
    /// By a body with a given motion.
    given: f64,
    /// Impulse on the bodies that can be moved, about the origin.
    impulse: Wrench,
    /// One of the bodies cannot be moved.
    outside: bool,
}

impl RowWork {
    /// `before` are the velocities before the impulses of the phase; `bodies` has those after them.
    pub(super) fn of(
        row: &Row,
        impulse: f64,
        before: &[Twist; 2],
        bodies: &Bodies,
        at: [usize; 2],
    ) -> RowWork {
        let movable = at.map(|at| bodies.is_movable(at));
        let mean = [0, 1].map(|side| (before[side] + bodies.velocities[at[side]]) * 0.5);
        let own = [0, 1].map(|side| if movable[side] { mean[side] } else { Twist::ZERO });
        let relative = impulse * row.rate(&mean);
        let mut all = Wrench::ZERO;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if movable[side] {
                let centre = bodies.poses[at[side]].translation;
                let force = row.linear * (sign * impulse);
                all = all + about_origin(centre, force, row.angular[side] * impulse);
            }
        }
        RowWork {
            relative,
            given: impulse * row.rate(&own) - relative,
            impulse: all,
            outside: movable != [true, true],
        }
    }

    /// Books what bodies with a given motion did, and the momentum. Rows of an open joint act at two points and give some of it.
    pub(super) fn book(&self, energy: &mut EnergyAccount, momentum: &mut MomentumAccount) {
        energy.given_motions += self.given;
        let sum = if self.outside { &mut momentum.outside } else { &mut momentum.methods };
        *sum = *sum + self.impulse;
    }
}

/// Energy of a body in J and its momentum about the origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyState {
    energy: f64,
    momentum: Wrench,
}

/// Energy of a body in J.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BodyEnergy {
    pub(super) kinetic: f64,
    pub(super) potential: f64,
}

impl BodyEnergy {
    pub(super) fn total(self) -> f64 {
        self.kinetic + self.potential
    }
}

/// Energies of all bodies at one instant, zero for those that nothing moves, and their sums with the momentum about the origin.
#[derive(Default)]
pub(super) struct Measured {
    pub(super) bodies: Vec<BodyEnergy>,
    kinetic: f64,
    potential: f64,
    momentum: Wrench,
}

impl World {
    pub(super) fn state_of(&self, at: usize) -> BodyState {
        let (mass, centre) = (self.bodies.mass(at), self.bodies.poses[at].translation);
        let linear = self.bodies.velocities[at].linear * mass;
        BodyState {
            energy: self.bodies.kinetic_energy(at) - mass * self.options.gravity.dot(centre),
            momentum: about_origin(centre, linear, self.bodies.angular_momentum(at)),
        }
    }

    /// Measures all bodies as they are now.
    fn measure(&self, measured: &mut Measured) {
        let gravity = self.options.gravity;
        measured.bodies.clear();
        (measured.kinetic, measured.potential, measured.momentum) = (0.0, 0.0, Wrench::ZERO);
        for at in 0..self.bodies.len() {
            let mut own = BodyEnergy::default();
            if self.bodies.is_movable(at) {
                let (mass, centre) = (self.bodies.mass(at), self.bodies.poses[at].translation);
                own.potential = -mass * gravity.dot(centre);
                if self.bodies.velocities[at] != Twist::ZERO {
                    let Twist { linear, angular } = self.bodies.velocities[at];
                    let spin = self.bodies.angular_momentum(at);
                    own.kinetic = 0.5 * (mass * linear.length_squared() + angular.dot(spin));
                    measured.momentum = measured.momentum + about_origin(centre, linear * mass, spin);
                }
            }
            measured.kinetic += own.kinetic;
            measured.potential += own.potential;
            measured.bodies.push(own);
        }
    }

    pub(super) fn open_account(&mut self) {
        let mut before = std::mem::take(&mut self.measured.0);
        self.measure(&mut before);
        let energy = &mut self.report.energy;
        (energy.kinetic_before, energy.potential_before) = (before.kinetic, before.potential);
        self.report.momentum.before = before.momentum;
        let mass: f64 = (0..self.bodies.len()).map(|at| self.bodies.mass(at)).sum();
        let options = &self.options;
        let velocity = options.velocity_tolerance.max(options.contact.velocity_tolerance);
        let position = options.position_tolerance.max(options.contact.position_tolerance);
        // By Cauchy and Schwarz no distribution of the kinetic energy has more momentum than this.
        let fastest = (2.0 * before.kinetic * mass).sqrt();
        self.report.energy.tolerance = velocity * fastest + position * mass * options.gravity.norm();
        self.measured.0 = before;
    }

    /// Measures all bodies at the end of the step.
    pub(super) fn measure_end(&mut self) {
        let mut after = std::mem::take(&mut self.measured.1);
        self.measure(&mut after);
        self.measured.1 = after;
    }

    /// Closes the account. If something diverged no term is worth anything, and putting it back explains all.
    pub(super) fn close_account(&mut self, diverged: bool) {
        // Nothing else has changed velocities since the end of the last part was measured.
        if self.report.energy.sleeping != 0.0 {
            self.measure_end();
        }
        let after = &self.measured.1;
        let (energy, momentum) = (&mut self.report.energy, &mut self.report.momentum);
        (energy.kinetic_after, energy.potential_after) = (after.kinetic, after.potential);
        momentum.after = after.momentum;
        if diverged {
            energy.clamped = energy.change();
            momentum.methods = momentum.after - momentum.before;
        }
        energy.close();
        momentum.close();
    }

    /// Books the joints of the present phase, from the velocities of before the substep or of before rates were settled.
    pub(super) fn book_joints(&mut self, settling: bool) {
        let World { system, bodies, before, unsettled, report, .. } = self;
        let before = if settling { &*unsettled } else { &*before };
        let (energy, momentum) = (&mut report.energy, &mut report.momentum);
        for block in system.taking_part() {
            let at = block.bodies.map(|body| body as usize);
            let start = at.map(|at| before[at]);
            for (row, &impulse) in block.rows.iter().zip(&block.impulses).take(block.equalities) {
                let work = RowWork::of(row, impulse, &start, bodies, at);
                energy.joints += work.relative;
                work.book(energy, momentum);
            }
            for bounded in &block.bounded {
                let work = RowWork::of(&bounded.row, bounded.impulse, &start, bodies, at);
                *(if bounded.is_drive() { &mut energy.drives } else { &mut energy.joint_friction }) +=
                    work.relative;
                work.book(energy, momentum);
            }
        }
    }

    pub(super) fn book_contacts(&mut self, report: &ContactReport) {
        let (energy, momentum) = (&mut self.report.energy, &mut self.report.momentum);
        energy.impacts += report.energy.normal;
        energy.friction += report.energy.friction;
        energy.given_motions += report.energy.given_motions;
        energy.shock += report.energy.shock;
        momentum.outside = momentum.outside + report.outside;
        momentum.methods = momentum.methods + report.shock_impulse;
    }

    /// Force on a body's centre that gravity and loads make, in N.
    fn force_on(&self, at: usize) -> DVec3 {
        self.options.gravity * self.bodies.mass(at) + self.loads[at].force
    }

    /// Books the weight and loads of a body that stands.
    pub(super) fn book_standing(&mut self, at: usize, h: f64) {
        if self.bodies.is_movable(at) {
            let (centre, force) = (self.bodies.poses[at].translation, self.force_on(at) * h);
            let given = about_origin(centre, force, self.loads[at].torque * h);
            self.report.momentum.loads = self.report.momentum.loads + given;
        }
    }

    /// Books weight and loads of a body that went from a pose to where it is now. `moving` is its velocity while it moved, `turned` the same with
    /// the spin that it had at the end of its way, before the second half of the loads of a body that flies.
    pub(super) fn book_way(&mut self, at: usize, h: f64, from: &Pose, turned: Twist, moving: Twist) {
        let (before, after) = (self.before[at], self.bodies.velocities[at]);
        let (mass, gravity, load) = (self.bodies.mass(at), self.options.gravity, self.loads[at]);
        let (force, end) = (self.force_on(at), self.bodies.poses[at].translation);
        let first = (before + moving) * 0.5;
        // Way and turn at the mean velocity of each impulse.
        let (mean, given) = if self.touched[at] {
            (first * h, about_origin(from.translation, force * h, load.torque * h))
        } else {
            let second = (turned + after) * 0.5;
            let half = 0.5 * h;
            let middle = (from.translation + end) * 0.5;
            ((first + second) * half, about_origin(middle, force * h, load.torque * h))
        };
        let way = end - from.translation;
        let energy = &mut self.report.energy;
        energy.integration += mass * gravity.dot(mean.linear - way);
        if load != Wrench::ZERO {
            let own = self.records[at].load;
            let work = |load: Wrench| load.force.dot(mean.linear) + load.torque.dot(mean.angular);
            energy.loads += work(own);
            energy.hands += work(load - own);
        }
        let momentum = &mut self.report.momentum;
        momentum.loads = momentum.loads + given;
        momentum.methods.torque += way.cross(moving.linear * mass);
    }

    /// The impulse, about its centre, that changes a body's velocity by so much.
    pub(super) fn impulse_for(&self, at: usize, change: &Twist) -> Twist {
        let turning = self.rotors[at].momentum(self.bodies.poses[at].rotation, change.angular);
        Twist { linear: change.linear * self.bodies.mass(at), angular: turning }
    }

    /// Books the impulse that loads gave a group before contacts, and `part` seconds of it that were taken back before its tree took off. Its flight is without loads.
    /// Velocities are those with which it takes off.
    pub(super) fn book_kick(&mut self, number: usize, h: f64, part: f64) {
        for i in 0..self.system.components[number].bodies().len() {
            let at = self.system.components[number].bodies()[i] as usize;
            let (a, launched, before) =
                (self.change_by_loads(at), self.bodies.velocities[at], self.before[at]);
            let (impulse, after) = (self.impulse_for(at, &a), launched + a * part);
            let power = |mean: Twist| mean.linear.dot(impulse.linear) + mean.angular.dot(impulse.angular);
            self.report.energy.integration +=
                0.5 * (h * power(before + after) - part * power(after + launched));
            let centre = self.bodies.poses[at].translation;
            let given = about_origin(centre, impulse.linear * h, impulse.angular * h);
            let momentum = &mut self.report.momentum;
            momentum.loads = momentum.loads + given;
            momentum.methods = momentum.methods - given * (part / h);
        }
    }

    /// Books the way from a pose of a body that flew after its loads gave their impulse: their work there is what the scheme has given before.
    pub(super) fn book_way_after_kick(&mut self, at: usize, h: f64, from: &Pose) {
        let load = self.loads[at];
        let way = self.bodies.poses[at].translation - from.translation;
        let turn = (self.before[at].angular + self.system.launched[at].angular) * (0.5 * h);
        let energy = &mut self.report.energy;
        let weight = self.options.gravity * self.bodies.mass(at);
        energy.integration -= (weight + load.force).dot(way) + load.torque.dot(turn);
        if load != Wrench::ZERO {
            let own = self.records[at].load;
            let work = |load: Wrench| load.force.dot(way) + load.torque.dot(turn);
            energy.loads += work(own);
            energy.hands += work(load - own);
        }
    }

    /// Energy and momentum of a group of jointed bodies.
    pub(super) fn state_of_group(&self, number: usize) -> BodyState {
        let states = self.system.components[number].bodies().iter().map(|&at| self.state_of(at as usize));
        states.fold(BodyState { energy: 0.0, momentum: Wrench::ZERO }, |sum, own| BodyState {
            energy: sum.energy + own.energy,
            momentum: sum.momentum + own.momentum,
        })
    }

    /// Books that a group of jointed bodies was stopped.
    pub(super) fn book_stopped_group(&mut self, number: usize, before: BodyState) {
        let after = self.state_of_group(number);
        self.report.energy.stopping += after.energy - before.energy;
        let momentum = &mut self.report.momentum;
        momentum.methods = momentum.methods + (after.momentum - before.momentum);
    }

    /// Books the closing of joints on positions.
    pub(super) fn book_closing(&mut self, at: usize, before: BodyState) {
        let after = self.state_of(at);
        self.report.energy.projection += after.energy - before.energy;
        let momentum = &mut self.report.momentum;
        momentum.methods = momentum.methods + (after.momentum - before.momentum);
    }

    pub(super) fn book_stop(&mut self, at: usize, before: BodyState) {
        let after = self.state_of(at);
        self.report.energy.stopping += after.energy - before.energy;
        let momentum = &mut self.report.momentum;
        momentum.methods = momentum.methods + (after.momentum - before.momentum);
    }

    pub(super) fn book_clamp(&mut self, at: usize, before: BodyState) {
        let after = self.state_of(at);
        self.report.energy.clamped += after.energy - before.energy;
        let momentum = &mut self.report.momentum;
        momentum.methods = momentum.methods + (after.momentum - before.momentum);
    }

    pub(super) fn book_sleep(&mut self, at: usize) {
        let state = self.state_of(at);
        self.report.energy.sleeping -= self.bodies.kinetic_energy(at);
        self.report.momentum.methods = self.report.momentum.methods - state.momentum;
    }

    /// Books what solid bodies did in the step; `starts` are the poses before it.
    pub(super) fn book_solid(&mut self, bodies: &[SolidBody], starts: &[Pose], solid: &SolidReport) {
        for body in bodies.iter().filter(|body| body.is_movable()) {
            let load = self.loads.get(body.index).copied().unwrap_or(Wrench::ZERO);
            if load != Wrench::ZERO {
                let own = self.records[body.index].load;
                let way = body.pose.translation - starts[body.index].translation;
                self.report.energy.loads += own.force.dot(way);
                self.report.energy.hands += (load - own).force.dot(way);
            }
        }
        let (energy, own) = (&mut self.report.energy, &solid.energy);
        energy.loads += own.torques;
        energy.impacts += own.normal;
        energy.friction += own.friction;
        energy.given_motions += own.given_motions;
        energy.integration += own.integration;
        energy.stopping += own.stopping;
        energy.projection += own.projection;
        energy.clamped += own.clamped;
        let momentum = &mut self.report.momentum;
        momentum.loads = momentum.loads + own.loads_impulse;
        momentum.outside = momentum.outside + own.outside_impulse;
        momentum.methods = momentum.methods + own.methods_impulse;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BodyDefinition;
    use prall_geometry::{HalfSpace, Shape};

    /// A cube that slides: as it is, everything is explained; with velocities that somebody multiplies by 1.001 after the solve, energy and momentum
    /// are left over, and as much as that gave.
    #[test]
    fn what_nobody_did_is_left_over() {
        let slide = |tamper: f64| {
            let mut world = World { tamper, ..World::default() };
            world.add_body(&BodyDefinition::fixed(Shape::HalfSpace(HalfSpace))).unwrap();
            let cube = BodyDefinition::dynamic(Shape::cuboid(DVec3::splat(0.5)).unwrap(), 1.0);
            let cube = cube.at(DVec3::Y * 0.5).moving(DVec3::X * 4.0, DVec3::ZERO);
            world.add_body(&cube).unwrap();
            let report = world.advance();
            (report.energy, report.momentum)
        };
        let (energy, momentum) = slide(1.0);
        assert!(energy.friction < -0.1 && energy.unexplained.abs() < 1e-12, "{energy:?}");
        assert!(momentum.unexplained.force.length() < 1e-12, "{momentum:?}");
        let (energy, momentum) = slide(1.001);
        // Half a kilogram metre squared per second squared times 2 in a thousand, at 4 m/s less what friction took.
        let given = 0.5 * 15.3 * 0.002;
        assert!((energy.unexplained / given - 1.0).abs() < 0.05, "{energy:?}");
        assert!((momentum.unexplained.force.x / 0.00392 - 1.0).abs() < 0.05, "{momentum:?}");
    }
}
