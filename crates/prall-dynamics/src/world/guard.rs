//! The last net of a step, under each of its parts: a set of bodies that gained energy although nothing outside did work is scaled back, and a set that is no longer finite is put
//! back, stands, and is named.
//!
//! A set is what acted on each other in the step: bodies that contacts pushed or whose overlaps were taken apart, and jointed ones. Smaller sets would be
//! worse than none, as a body that was hit has gained. Sets on which something outside did work (loads, hands, bodies of given motion, links, drives)
//! are not judged; the account says what they got.
//!
//! What counts is the rise of a set's energy above its lowest value so far, not that of one step: small gains that come again and again add up, and what a
//! scheme swings about the right energy does not. A set may rise by what the tolerances and the scheme are worth, so that this is a net and not a damper:
//! [`StepReport::energy_clamps`](prall_mechanics::StepReport::energy_clamps) counts its catches.

use glam::{DMat3, DVec3};
use prall_math::{Pose, Twist};
use prall_mechanics::{Contacts, EnergyAccount, ManifoldView, MomentumAccount, Side};
use serde::{Deserialize, Serialize};

use super::{Event, World};
use crate::common_motion::{CommonMotion, Member};
use crate::union::Union;

/// Part of its kinetic energy by which a set may rise: what sweeps leave unsolved in a crowd that falls.
const SLACK: f64 = 1e-3;

/// Part of a set's energies that is no gain: what rounding and the last digits of Newton's method leave.
const ROUNDING: f64 = 1e-9;

/// What a body keeps from step to step: part of the state to save.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Rise {
    /// Its share of the energy in J by which its set stands above its lowest so far.
    above: f64,
    /// Its largest kinetic energy in J, forgotten within some seconds: by what a swing is measured at its turning points.
    peak: f64,
}

/// What the net has to know of a body.
#[derive(Clone, Copy, Debug)]
struct Ward {
    pose: Pose,
    /// Something outside did, or may have done, work on it.
    worked: bool,
    /// It is joined to something that nothing moves, or was pushed by it.
    anchored: bool,
}

/// Sums over a set.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    gain: f64,
    /// Rise above the lowest energy so far, before the step.
    above: f64,
    /// Sum of the members' largest kinetic energies.
    peak: f64,
    mass: f64,
    /// Sum of the sizes of the members' energies.
    size: f64,
    worked: bool,
    anchored: bool,
    diverged: bool,
}

/// Memory of the net.
#[derive(Default)]
pub(super) struct Guard {
    union: Union,
    wards: Vec<Ward>,
    /// By the first body of a set.
    sums: Vec<Sums>,
    /// By body.
    pub(super) rises: Vec<Rise>,
}

impl Guard {
    /// Forgets a body that is taken away.
    pub(super) fn forget(&mut self, at: usize) {
        if let Some(rise) = self.rises.get_mut(at) {
            *rise = Rise::default();
        }
    }
}

impl World {
    /// Notes poses before the step, and who is joined to whom.
    pub(super) fn open_guard(&mut self) {
        let mut guard = std::mem::take(&mut self.guard);
        let count = self.bodies.len();
        guard.union.reset(count);
        guard.wards.clear();
        for at in 0..count {
            let worked = self.bodies.is_movable(at) && self.solid.state.is_solid(at);
            let pose = self.bodies.poses[at];
            guard.wards.push(Ward { pose, worked, anchored: false });
        }
        for joint in self.joint_places.iter().map(|at| &self.joints[at]) {
            let driven = joint
                .drives
                .iter()
                .any(|drive| drive.motor.is_some() || drive.servo.is_some() || drive.spring.is_some());
            let bodies = joint.bodies.map(|body| body as usize);
            self.tie(&mut guard, bodies);
            for at in bodies {
                guard.wards[at].worked |= driven;
            }
        }
        self.guard = guard;
    }

    /// Notes that two bodies acted on each other.
    fn tie(&self, guard: &mut Guard, [a, b]: [usize; 2]) {
        match (self.bodies.is_movable(a), self.bodies.is_movable(b)) {
            (true, true) => {
                guard.union.join(a, b);
            }
            (false, false) => {}
            (first, _) => {
                let (moved, given) = if first { (a, b) } else { (b, a) };
                guard.wards[moved].anchored = true;
                guard.wards[moved].worked |= self.bodies.velocities[given] != Twist::ZERO;
            }
        }
    }

    fn tie_sides(&self, guard: &mut Guard, a: Side, b: Side) {
        match (a, b) {
            (Side::Body(a), Side::Body(b)) => self.tie(guard, [a as usize, b as usize]),
            (Side::Body(body), Side::Link { .. }) | (Side::Link { .. }, Side::Body(body)) => {
                guard.wards[body as usize].worked = true;
            }
            (Side::Link { .. }, Side::Link { .. }) => {}
        }
    }

    /// Notes whom contacts pushed in a part of the step, and whom loads and hands moved. To be called before contacts are found anew.
    pub(super) fn note_pushes_for_guard(&mut self) {
        let mut guard = std::mem::take(&mut self.guard);
        // What stands has gained nothing; most manifolds of a pile are of that kind.
        let stands = |side: Side| match side {
            Side::Body(body) => {
                let at = body as usize;
                self.bodies.velocities[at] == Twist::ZERO && self.before[at] == Twist::ZERO
            }
            Side::Link { .. } => false,
        };
        let moves = |manifold: &ManifoldView<'_>| !(stands(manifold.a) && stands(manifold.b));
        let pushed = self.contacts.manifolds().filter(moves).filter(ManifoldView::is_pushed);
        for manifold in pushed {
            self.tie_sides(&mut guard, manifold.a, manifold.b);
        }
        for (ward, load) in guard.wards.iter_mut().zip(&self.loads) {
            ward.worked |= *load != prall_math::Wrench::ZERO;
        }
        self.guard = guard;
    }

    /// Notes whom the projection may move. To be called before it, as it writes new gaps.
    pub(super) fn note_projection_for_guard(&mut self) {
        let Some(reach) = self.contacts.projection_reach(&self.options.contact) else { return };
        let mut guard = std::mem::take(&mut self.guard);
        for manifold in self.contacts.manifolds().filter(|manifold| manifold.count_within(reach) > 0) {
            self.tie_sides(&mut guard, manifold.a, manifold.b);
        }
        self.guard = guard;
    }

    /// Scales back what gained in a part of `h` seconds, and holds what diverged. True if something diverged: then the account begins and ends here.
    pub(super) fn close_guard(&mut self, h: f64) -> bool {
        self.measure_end();
        let mut guard = std::mem::take(&mut self.guard);
        self.sum_up(&mut guard, h);
        let diverged = guard.sums.iter().any(|sums| sums.diverged);
        if diverged {
            self.hold_diverged(&mut guard);
        }
        let gravity = prall_math::Norm::norm(self.options.gravity);
        for lead in 0..guard.sums.len() {
            let sums = guard.sums[lead];
            let rise = sums.above + sums.gain;
            if sums.worked || sums.diverged || !(sums.gain > 0.0) || !(rise > 0.0) {
                continue;
            }
            let weight = sums.mass * gravity;
            // Overlaps are lifted by the tolerance in a step, and gaps within it are closed.
            let lift = 2.0 * weight * self.options.contact.position_tolerance;
            // A body that contacts speed up goes with its velocity after them for the whole step: up to half of its weight's work on that way.
            let fastest = (2.0 * sums.peak / sums.mass).sqrt();
            let scheme = 0.5 * weight * h * fastest;
            let slack = SLACK * sums.peak + lift + scheme;
            let excess = (rise - slack).min(sums.gain);
            if excess > ROUNDING * (sums.peak + sums.size) {
                let taken = self.scale_back(&mut guard, lead, excess);
                guard.sums[lead].gain -= taken;
            }
        }
        self.remember_rises(&mut guard);
        self.guard = guard;
        if diverged || self.report.energy_clamps > 0 {
            self.measure_end();
        }
        // The next part begins where this one ends.
        self.measured.0.bodies.clone_from(&self.measured.1.bodies);
        diverged
    }

    /// Shares the rise of each set out among its members, by mass.
    fn remember_rises(&self, guard: &mut Guard) {
        for at in (0..self.bodies.len()).filter(|&at| self.bodies.is_movable(at)) {
            let sums = guard.sums[guard.union.lead(at)];
            let rise = if sums.worked || sums.diverged { 0.0 } else { (sums.above + sums.gain).max(0.0) };
            guard.rises[at].above = rise * (self.bodies.mass(at) / sums.mass);
        }
    }

    fn sum_up(&self, guard: &mut Guard, h: f64) {
        guard.sums.clear();
        guard.sums.resize(self.bodies.len(), Sums::default());
        guard.rises.resize(self.bodies.len(), Rise::default());
        let fading = (1.0 - h).max(0.0);
        let (before, after) = (&self.measured.0.bodies, &self.measured.1.bodies);
        for at in (0..self.bodies.len()).filter(|&at| self.bodies.is_movable(at)) {
            let lead = guard.union.lead(at);
            let (ward, sums) = (&guard.wards[at], &mut guard.sums[lead]);
            sums.diverged |= !(after[at].total().is_finite() && self.bodies.poses[at].is_valid());
            sums.gain += after[at].total() - before[at].total();
            sums.size += before[at].kinetic + before[at].potential.abs();
            let rise = &mut guard.rises[at];
            rise.peak = (rise.peak * fading).max(before[at].kinetic);
            sums.above += rise.above;
            sums.peak += rise.peak;
            sums.mass += self.bodies.mass(at);
            sums.worked |= ward.worked;
            sums.anchored |= ward.anchored;
        }
    }

    /// Takes an excess of energy from a set's motion: from all of it if something holds the set, else first from that relative to its rigid motion, which
    /// keeps momentum. Returns what it took.
    fn scale_back(&mut self, guard: &mut Guard, lead: usize, excess: f64) -> f64 {
        let members: Vec<usize> = (0..self.bodies.len())
            .filter(|&at| self.bodies.is_movable(at) && guard.union.lead(at) == lead)
            .collect();
        let mut rigid =
            if guard.sums[lead].anchored { CommonMotion::default() } else { self.common_motion(&members) };
        if members.len() == 1 {
            // A body alone gains by a wrong spin: its way is a parabola.
            rigid.velocity.angular = DVec3::ZERO;
        }
        let (mut relative, mut carried) = (0.0, 0.0);
        for &at in &members {
            let own = self.bodies.velocities[at] - rigid.at(self.bodies.poses[at].translation);
            let spin = self.bodies.poses[at].inverse_transform_vector(own.angular);
            let turning = spin.dot(self.bodies.inertia(at) * spin);
            relative += 0.5 * (self.bodies.mass(at) * own.linear.length_squared() + turning);
            carried += self.bodies.kinetic_energy(at);
        }
        carried -= relative;
        if !(relative + carried > 0.0) {
            return 0.0;
        }
        let factor = (1.0 - excess / relative.max(f64::MIN_POSITIVE)).max(0.0).sqrt();
        // More than that can only have come with momentum from nowhere.
        let slower = (1.0 - (excess - relative).max(0.0) / carried.max(f64::MIN_POSITIVE)).max(0.0).sqrt();
        for &at in &members {
            let before = self.state_of(at);
            let common = rigid.at(self.bodies.poses[at].translation);
            self.bodies.velocities[at] = common * slower + (self.bodies.velocities[at] - common) * factor;
            self.book_clamp(at, before);
        }
        self.report.energy_clamps += 1;
        excess.min(relative + carried)
    }

    fn common_motion(&self, members: &[usize]) -> CommonMotion {
        let bodies = &self.bodies;
        let member = |&at: &usize| {
            let axes = DMat3::from_quat(bodies.poses[at].rotation);
            Member {
                mass: bodies.mass(at),
                centre: bodies.poses[at].translation,
                inertia: axes * bodies.inertia(at) * axes.transpose(),
                velocity: bodies.velocities[at].linear,
                spin: bodies.angular_momentum(at),
            }
        };
        CommonMotion::of(&members.iter().map(member).collect::<Vec<_>>())
    }

    /// Puts sets that are no longer finite back to where they were, at rest, and says who they are. Whatever was remembered of contacts and of their joints is
    /// forgotten.
    fn hold_diverged(&mut self, guard: &mut Guard) {
        for at in 0..self.bodies.len() {
            let lead = guard.union.lead(at);
            if !self.bodies.is_movable(at) || !guard.sums[lead].diverged {
                continue;
            }
            self.bodies.poses[at] = guard.wards[at].pose;
            self.bodies.velocities[at] = Twist::ZERO;
            self.bodies.turn_inertia(at);
            self.report.diverged += 1;
            let event = Event::Diverged(self.handle(at));
            self.touches.events.push(event);
        }
        for joint in &mut self.joints {
            let mut diverged = |body: u32| guard.sums[guard.union.lead(body as usize)].diverged;
            if joint.bodies.into_iter().any(&mut diverged) {
                joint.memory.iter_mut().for_each(|memory| memory.fill(0.0));
                joint.reaction = prall_math::Wrench::ZERO;
            }
        }
        self.contacts = Contacts::new();
        (self.reorder, self.redetect) = (true, true);
        let energy = &self.report.energy;
        self.report.energy = EnergyAccount {
            kinetic_before: energy.kinetic_before,
            potential_before: energy.potential_before,
            ..EnergyAccount::default()
        };
        let before = self.report.momentum.before;
        self.report.momentum = MomentumAccount { before, ..MomentumAccount::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyDefinition, WorldOptions};
    use prall_geometry::Shape;

    /// Two balls far from each other, one of them moving, with velocities that are multiplied in the middle of the step.
    fn tampered(tamper: f64) -> World {
        let options = WorldOptions { gravity: DVec3::ZERO, ..WorldOptions::default() };
        let mut world = World { tamper, ..World::new(options).unwrap() };
        let ball = || BodyDefinition::dynamic(Shape::sphere(0.1).unwrap(), 1000.0);
        world.add_body(&ball().moving(DVec3::X, DVec3::ZERO)).unwrap();
        world.add_body(&ball().at(DVec3::Y * 10.0)).unwrap();
        world.advance();
        world
    }

    #[test]
    fn what_diverges_is_put_back_and_named_and_others_go_on() {
        let world = tampered(1e200);
        let moved = world.body_handles().next().unwrap();
        assert!(world.is_finite());
        assert_eq!(world.pose(moved).unwrap(), Pose::IDENTITY);
        assert_eq!(world.velocity(moved).unwrap(), Twist::ZERO);
        assert_eq!((world.report().diverged, world.report().energy_clamps), (1, 0));
        assert!(world.events().contains(&Event::Diverged(moved)), "{:?}", world.events());
        assert_eq!(world.report().energy.unexplained, 0.0);
    }

    /// A ball on a hinge, with velocities that are multiplied in the middle of every step.
    fn tampered_hinge(tamper: f64) -> World {
        let options = WorldOptions { gravity: DVec3::ZERO, ..WorldOptions::default() };
        let mut world = World { tamper, ..World::new(options).unwrap() };
        let ball = BodyDefinition::dynamic(Shape::sphere(0.1).unwrap(), 1000.0);
        let ball = world.add_body(&ball.at(DVec3::X).moving(DVec3::Y, DVec3::Z)).unwrap();
        world.add_joint(&crate::JointDefinition::hinge(world.ground(), ball, DVec3::ZERO, DVec3::Z)).unwrap();
        world.set_options(WorldOptions { solver: crate::Solver::Direct, ..*world.options() }).unwrap();
        world
    }

    #[test]
    fn a_set_that_gains_is_counted_and_what_it_weighs_is_taken_back() {
        assert_eq!(tampered(1.0).report().energy_clamps, 0);
        let mut world = tampered_hinge(1.1);
        let before = world.energy().total();
        let report = world.advance();
        assert_eq!(report.energy_clamps, 1, "{:?}", report.energy);
        assert!(report.energy.clamped < 0.0);
        assert!(world.energy().total() <= before * (1.0 + SLACK + 1e-9));
    }

    /// A gain of 4 in 100,000 is below what one step may gain; two hundred of them would add 8 in 1,000.
    #[test]
    fn small_gains_do_not_add_up() {
        let mut world = tampered_hinge(1.00002);
        let before = world.energy().total();
        assert_eq!(world.advance().energy_clamps, 0);
        let mut clamps = 0;
        for _ in 0..200 {
            clamps += world.advance().energy_clamps;
        }
        assert!(clamps > 100, "{clamps}");
        // The slack follows the largest kinetic energy, which has itself risen by the slack.
        let most = before * (1.0 + SLACK) * (1.0 + SLACK);
        assert!(world.energy().total() <= most, "{} of {before} J", world.energy().total());
    }
}
