//! The last net of a step: a set of bodies that gained energy although nothing outside did work is scaled back, and a set that is no longer finite is put
//! back, stands, and is named.
//!
//! A set is what acted on each other in the step: bodies that contacts pushed or whose overlaps were taken apart, and jointed ones. Smaller sets would be
//! worse than none, as a body that was hit has gained. Sets on which something outside did work (loads, hands, bodies of given motion, links, drives)
//! are not judged; the account says what they got. What sets may gain is what the tolerances and the scheme are worth, so that this is a net and not a damper:
//! [`StepReport::energy_clamps`](prall_mechanics::StepReport::energy_clamps) counts its catches.

use glam::{DMat3, DVec3};
use prall_math::{Pose, Twist};
use prall_mechanics::{Contacts, EnergyAccount, ManifoldView, MomentumAccount, Side};

use super::{Event, World};
use crate::union::Union;

/// Part of its kinetic energy that a set may gain in a step: what sweeps leave unsolved in a crowd that falls.
const SLACK: f64 = 1e-3;

/// The same for jointed sets: their energy swings about the right one as the scheme's does, and is not to be cut at each rise.
const JOINTED_SLACK: f64 = 2e-2;

/// What the net has to know of a body.
#[derive(Clone, Copy, Debug)]
struct Ward {
    pose: Pose,
    /// Something outside did, or may have done, work on it.
    worked: bool,
    /// It is joined to something that nothing moves, or was pushed by it.
    anchored: bool,
    jointed: bool,
}

/// Sums over a set.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    gain: f64,
    kinetic_before: f64,
    kinetic_after: f64,
    mass: f64,
    worked: bool,
    anchored: bool,
    jointed: bool,
    diverged: bool,
}

/// Memory of the net.
#[derive(Default)]
pub(super) struct Guard {
    union: Union,
    wards: Vec<Ward>,
    /// By the first body of a set.
    sums: Vec<Sums>,
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
            guard.wards.push(Ward { pose, worked, anchored: false, jointed: false });
        }
        for joint in self.joint_places.iter().map(|at| &self.joints[at]) {
            let driven = joint
                .drives
                .iter()
                .any(|drive| drive.motor.is_some() || drive.servo.is_some() || drive.spring.is_some());
            let bodies = joint.bodies.map(|body| body as usize);
            self.tie(&mut guard, bodies);
            for at in bodies {
                guard.wards[at].jointed = true;
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

    /// Scales back what gained, and holds what diverged. True if something diverged: then the account begins and ends here.
    pub(super) fn close_guard(&mut self) -> bool {
        self.measure_end();
        let mut guard = std::mem::take(&mut self.guard);
        self.sum_up(&mut guard);
        let diverged = guard.sums.iter().any(|sums| sums.diverged);
        if diverged {
            self.hold_diverged(&mut guard);
        }
        for lead in 0..guard.sums.len() {
            let sums = guard.sums[lead];
            let weight = sums.mass * prall_math::Norm::norm(self.options.gravity);
            let share = if sums.jointed { JOINTED_SLACK } else { SLACK };
            // Overlaps are lifted by the tolerance in a step, and gaps within it are closed.
            let lift = 2.0 * weight * self.options.contact.position_tolerance;
            // A body that contacts speed up goes with its velocity after them for the whole step: up to half of its weight's work on that way.
            let fastest = (2.0 * sums.kinetic_after / sums.mass).sqrt();
            let scheme = 0.5 * weight * self.options.time_step * fastest;
            let slack = share * sums.kinetic_before + lift + scheme;
            if sums.gain > slack && !sums.worked && !sums.diverged {
                self.scale_back(&mut guard, lead, sums.gain - slack);
            }
        }
        self.guard = guard;
        diverged
    }

    fn sum_up(&self, guard: &mut Guard) {
        guard.sums.clear();
        guard.sums.resize(self.bodies.len(), Sums::default());
        let (before, after) = (&self.measured.0.bodies, &self.measured.1.bodies);
        for at in (0..self.bodies.len()).filter(|&at| self.bodies.is_movable(at)) {
            let lead = guard.union.lead(at);
            let (ward, sums) = (&guard.wards[at], &mut guard.sums[lead]);
            sums.diverged |= !(after[at].total().is_finite() && self.bodies.poses[at].is_valid());
            sums.gain += after[at].total() - before[at].total();
            sums.kinetic_before += before[at].kinetic;
            sums.kinetic_after += after[at].kinetic;
            sums.mass += self.bodies.mass(at);
            sums.worked |= ward.worked;
            sums.anchored |= ward.anchored;
            sums.jointed |= ward.jointed;
        }
    }

    /// Takes an excess of energy from a set's motion: from all of it if something holds the set, else from that relative to its rigid motion, which keeps
    /// momentum.
    fn scale_back(&mut self, guard: &mut Guard, lead: usize, excess: f64) {
        let members: Vec<usize> = (0..self.bodies.len())
            .filter(|&at| self.bodies.is_movable(at) && guard.union.lead(at) == lead)
            .collect();
        let rigid =
            if guard.sums[lead].anchored { Rigid::default() } else { Rigid::of(&self.bodies, &members) };
        let mut relative = 0.0;
        for &at in &members {
            let own = self.bodies.velocities[at] - rigid.at(self.bodies.poses[at].translation);
            let spin = self.bodies.poses[at].inverse_transform_vector(own.angular);
            let turning = spin.dot(self.bodies.inertia(at) * spin);
            relative += 0.5 * (self.bodies.mass(at) * own.linear.length_squared() + turning);
        }
        // A body alone has no motion but the one that its momentum asks for.
        if members.len() == 1 && !guard.sums[lead].anchored || !(relative > 0.0) {
            return;
        }
        let factor = (1.0 - excess / relative).max(0.0).sqrt();
        for &at in &members {
            let before = self.state_of(at);
            let carried = rigid.at(self.bodies.poses[at].translation);
            self.bodies.velocities[at] = carried + (self.bodies.velocities[at] - carried) * factor;
            self.book_clamp(at, before);
        }
        self.report.energy_clamps += 1;
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

/// The motion of a set as if it were one rigid body with its momentum.
#[derive(Clone, Copy, Debug, Default)]
struct Rigid {
    centre: DVec3,
    velocity: Twist,
}

impl Rigid {
    fn of(bodies: &prall_mechanics::Bodies, members: &[usize]) -> Rigid {
        let mass: f64 = members.iter().map(|&at| bodies.mass(at)).sum();
        let sum = |value: &dyn Fn(usize) -> DVec3| members.iter().map(|&at| value(at)).sum::<DVec3>();
        let centre = sum(&|at| bodies.poses[at].translation * bodies.mass(at)) / mass;
        let linear = sum(&|at| bodies.velocities[at].linear * bodies.mass(at)) / mass;
        let (mut inertia, mut momentum) = (DMat3::ZERO, DVec3::ZERO);
        for &at in members {
            let (own, pose) = (bodies.mass(at), &bodies.poses[at]);
            let arm = pose.translation - centre;
            let axes = DMat3::from_quat(pose.rotation);
            let away = DMat3::from_diagonal(DVec3::splat(arm.length_squared()))
                - DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
            inertia += axes * bodies.inertia(at) * axes.transpose() + away * own;
            momentum += bodies.angular_momentum(at) + arm.cross(bodies.velocities[at].linear * own);
        }
        let turns = inertia.determinant() > 0.0;
        let angular = if turns { inertia.inverse() * momentum } else { DVec3::ZERO };
        Rigid { centre, velocity: Twist { linear, angular } }
    }

    fn at(&self, place: DVec3) -> Twist {
        self.velocity.shifted(place - self.centre)
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

    /// A ball that flies alone has no motion but that of its own momentum, which stays; together with an anchor it would be slowed down.
    #[test]
    fn a_set_that_gains_is_counted_and_what_it_weighs_is_taken_back() {
        assert_eq!(tampered(1.0).report().energy_clamps, 0);
        let options = WorldOptions { gravity: DVec3::ZERO, ..WorldOptions::default() };
        let mut world = World { tamper: 1.1, ..World::new(options).unwrap() };
        let ball = BodyDefinition::dynamic(Shape::sphere(0.1).unwrap(), 1000.0);
        let ball = world.add_body(&ball.at(DVec3::X).moving(DVec3::Y, DVec3::Z)).unwrap();
        world.add_joint(&crate::JointDefinition::hinge(world.ground(), ball, DVec3::ZERO, DVec3::Z)).unwrap();
        world.set_options(WorldOptions { solver: crate::Solver::Direct, ..*world.options() }).unwrap();
        let before = world.energy().total();
        let report = world.advance();
        assert_eq!(report.energy_clamps, 1, "{:?}", report.energy);
        assert!(report.energy.clamped < 0.0);
        assert!(world.energy().total() <= before * (1.0 + JOINTED_SLACK + 1e-9));
    }
}
