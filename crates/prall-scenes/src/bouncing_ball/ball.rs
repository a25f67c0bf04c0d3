//! A ball and the ground: free flight, impacts, sliding and rolling.

use glam::DVec3;
use prall_math::Pose;
use prall_mechanics::{Body, Budget, ContactLaw};
use serde::{Deserialize, Serialize};

/// Most sweeps of the friction iteration. Its error falls by 5/7 a sweep for a solid ball, so 120 sweeps reach rounding.
const SWEEPS: usize = 120;

/// Change of velocity in m/s at which the friction iteration ends: some hundred roundings of a usual speed.
const FRICTION_TOLERANCE: f64 = 1e-13;

/// Impacts followed one by one in one step. A ball that loses no speed may bounce without end in a corner between
/// hand and ground; beyond this many the rest of the step is given up and reported as lost time.
const IMPACTS: usize = 1000;

/// A ball over the half-space y < 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Ball {
    pub(super) body: Body,
    pub(super) radius: f64,
    pub(super) law: ContactLaw,
}

/// Force and moment about the centre of mass, constant over a step; gravity included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) force: DVec3,
    pub(super) moment: DVec3,
}

/// What happened to the ball in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passage {
    pub(super) collisions: usize,
    pub(super) sweeps: usize,
    /// Change of friction in the last sweep, as a velocity in m/s.
    pub(super) residual: f64,
    /// Sum of all percussions that the ground gave, in N s.
    pub(super) percussion: DVec3,
    pub(super) lost_time: f64,
}

impl Ball {
    /// Distance of the lowest point from the ground.
    pub(super) fn gap(&self) -> f64 {
        self.body.pose.translation.y - self.radius
    }

    fn lowest_point(&self) -> DVec3 {
        self.body.pose.translation - self.radius * DVec3::Y
    }

    /// Puts the ball on the ground if it is in it.
    pub(super) fn lift_out(&mut self) {
        if self.gap() < 0.0 {
            self.body.pose.translation.y = self.radius;
        }
    }

    /// Follows the motion from impact to impact.
    ///
    /// Between impacts the centre moves on an exact parabola. With restitution e < 1 and downward acceleration a the
    /// bounces after an impact that leaves the speed v last 2v/a (1 + e + e^2 + ...) = 2v / (a (1 - e)) in all; once
    /// that fits into the step they are taken together, and the ball is at rest from then on.
    pub(super) fn advance_by_events(&mut self, step: f64, load: &Load, budget: &mut Budget) -> Passage {
        let mut passage = Passage::default();
        let mut left = step;
        loop {
            if passage.collisions >= IMPACTS || !budget.take() {
                passage.lost_time = left;
                return passage;
            }
            if self.rests_under(load) {
                self.roll(left, load, &mut passage);
                return passage;
            }
            match self.time_to_impact(load).filter(|time| *time <= left) {
                None => {
                    self.fly(left, load);
                    return passage;
                }
                Some(time) => {
                    self.fly(time, load);
                    left -= time;
                    self.body.pose.translation.y = self.radius;
                    self.impact(&mut passage);
                    if let Some(tail) = self.remaining_bounces(load).filter(|tail| *tail <= left) {
                        self.body.velocity.linear.y = 0.0;
                        self.roll(tail, load, &mut passage);
                        left -= tail;
                    }
                }
            }
        }
    }

    /// Moreau's midpoint rule: move half a step; if the ball touches there, ask the impact law of the whole step's
    /// velocities; move the other half. No event is looked for.
    pub(super) fn advance_by_time_stepping(&mut self, step: f64, load: &Load) -> Passage {
        let mut passage = Passage::default();
        let before = self.body.velocity.linear.y;
        self.drift(0.5 * step);
        self.push(step, load);
        if self.gap() <= 0.0 {
            let after = self.body.velocity.linear.y;
            let normal = -self.body.mass() * (after + self.law.restitution() * before);
            if normal > 0.0 {
                passage.collisions = usize::from(before < 0.0 && self.law.restitution() > 0.0);
                self.exchange(normal, &mut passage);
            }
        }
        self.drift(0.5 * step);
        passage
    }

    fn acceleration(&self, load: &Load) -> DVec3 {
        load.force / self.body.mass()
    }

    fn rests_under(&self, load: &Load) -> bool {
        self.gap() <= 0.0 && self.body.velocity.linear.y == 0.0 && load.force.y <= 0.0
    }

    /// First t > 0 with `gap + v t + a t^2 / 2 = 0`, in forms that subtract nothing alike.
    fn time_to_impact(&self, load: &Load) -> Option<f64> {
        let gap = self.gap().max(0.0);
        let v = self.body.velocity.linear.y;
        let a = self.acceleration(load).y;
        let discriminant = v * v - 2.0 * a * gap;
        if discriminant < 0.0 {
            None
        } else if v < 0.0 {
            Some(2.0 * gap / (discriminant.sqrt() - v))
        } else if a < 0.0 {
            Some((v + discriminant.sqrt()) / -a)
        } else {
            None
        }
    }

    /// How long the bounces after this moment, on the ground and moving up, will last in all.
    fn remaining_bounces(&self, load: &Load) -> Option<f64> {
        let restitution = self.law.restitution();
        let a = self.acceleration(load).y;
        (a < 0.0 && restitution < 1.0)
            .then(|| 2.0 * self.body.velocity.linear.y.max(0.0) / (-a * (1.0 - restitution)))
    }

    /// Free flight under a constant load: the parabola is exact; the turn is exact for a constant axis.
    fn fly(&mut self, time: f64, load: &Load) {
        let before = self.body.velocity;
        self.push(time, load);
        self.drift_between(before.linear, before.angular, time);
    }

    fn push(&mut self, time: f64, load: &Load) {
        self.body.velocity.linear += load.force * (time / self.body.mass());
        self.body.apply_angular_percussion(load.moment * time);
    }

    fn drift(&mut self, time: f64) {
        let velocity = self.body.velocity;
        self.drift_between(velocity.linear, velocity.angular, time);
    }

    /// Moves with the mean of an earlier and the present velocity.
    fn drift_between(&mut self, linear: DVec3, angular: DVec3, time: f64) {
        let Pose { rotation, translation } = self.body.pose;
        let turn = 0.5 * time * (angular + self.body.velocity.angular);
        let shift = 0.5 * time * (linear + self.body.velocity.linear);
        self.body.pose =
            Pose::new((glam::DQuat::from_scaled_axis(turn) * rotation).normalize(), translation + shift);
    }

    /// Newton's law for the normal, Coulomb's beside it.
    fn impact(&mut self, passage: &mut Passage) {
        let approach = self.body.velocity.linear.y;
        let rebound = -self.law.restitution() * approach;
        self.exchange(self.body.mass() * (rebound - approach), passage);
        self.body.velocity.linear.y = rebound;
        passage.collisions += 1;
    }

    /// Lasting contact: the ground bears the load, friction and rolling resistance do what they may.
    fn roll(&mut self, time: f64, load: &Load, passage: &mut Passage) {
        let before = self.body.velocity;
        self.push(time, load);
        self.exchange(-load.force.y * time, passage);
        self.body.velocity.linear.y = 0.0;
        self.drift_between(before.linear, before.angular, time);
        self.body.pose.translation.y = self.radius;
    }

    /// Gives the ball a normal percussion and the friction and rolling resistance that belong to it.
    ///
    /// Friction P and rolling moment M are fixed points of two projections, swept in turn:
    /// `P = project(P - u / k)` with the slip u at the lowest point, `M = project(M - I w)` with the rolling
    /// velocity w: either the motion stops or the bound of the law is reached.
    fn exchange(&mut self, normal: f64, passage: &mut Passage) {
        let point = self.lowest_point();
        let across = |v: DVec3| DVec3::new(v.x, 0.0, v.z);
        let slip_response = self.body.response_at(point).x_axis.x;
        let roll_response = self.body.world_inverse_inertia().x_axis.x;
        self.body.apply_percussion(point, normal * DVec3::Y);
        let (mut friction, mut resistance) = (DVec3::ZERO, DVec3::ZERO);
        for _ in 0..SWEEPS {
            passage.sweeps += 1;
            let slip = across(self.body.velocity_at(point));
            let wanted = self.law.project_friction(friction - slip / slip_response, normal);
            let friction_change = wanted - friction;
            self.body.apply_percussion(point, friction_change);
            friction = wanted;

            let rolling = across(self.body.velocity.angular);
            let wanted = self.law.project_rolling(resistance - rolling / roll_response, normal);
            let resistance_change = wanted - resistance;
            self.body.apply_angular_percussion(resistance_change);
            resistance = wanted;

            passage.residual = friction_change.length() * slip_response
                + resistance_change.length() * roll_response * self.radius;
            if passage.residual <= FRICTION_TOLERANCE {
                break;
            }
        }
        passage.percussion += normal * DVec3::Y + friction;
    }
}
