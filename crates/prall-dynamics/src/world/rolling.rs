//! Bodies that turn on a point of what stands: tops on their tips, discs on their rims.
//!
//! With the lever `r` from the mass centre to the point, a tip goes round with the body and a rim passes the point on, so `r` changes during a
//! substep. Velocities and poses leapfrog: the impulse acts at the lever of the start, and the velocity `(v, w)` after it carries the body to
//! the end in free flight, in which `w` changes as well. The point stays where it is if it does not slide in the middle of the flight,
//!
//! ```text
//! v + w(h/2) x r(h/2) = 0,   that is   (v + w x r) + (w(h/2) x r(h/2) - w x r) = 0
//! ```
//!
//! With the lever of the start alone, without the second part, a tip wanders by `w^2 r h / 2` a second: first order.
//!
//! The second part is [`RollingContact::velocity`]. After the impulse `v + w x r` is its opposite; before it, from the step before, it is the second
//! part itself, so the impulse does no work. A point that has less than that (it has only just met) is asked for no more than it has, and so gets no energy.

use glam::{DMat3, DQuat, DVec3};
use prall_math::{Norm, Twist, skew};
use prall_mechanics::{ContactLaw, RollingContact, Side};

use super::World;
use crate::body::BodyShape;

/// Angle in rad below which a turn in a substep moves no point on.
const LEAST_TURN: f64 = 1e-3;
/// Share of the lever within which the point must be the outermost of the body: else the other one is not flat there.
const NEAR: f64 = 1e-2;
/// Least and largest change of the lever in half a substep, as shares of it; how evenly it must change. A corner that takes over from another one is an
/// impact.
const LEAST_CHANGE: f64 = 1e-9;
const LARGEST_CHANGE: f64 = 0.5;
const EVENLY: f64 = 0.7;
/// A point that still approaches faster than this many times `g h` has yet to meet.
const FALLING: f64 = 2.0;
/// Rounds in which lever and angular velocity of the middle are found from each other: each gains an order.
const ROUNDS: usize = 3;

impl World {
    /// Finds contacts that move on along a body that turns on them in a substep of `h` seconds.
    pub(super) fn find_rolling(&mut self, h: f64) {
        self.rolling.clear();
        self.rolls.clear();
        self.rolls.resize(self.bodies.len(), false);
        for (number, manifold) in (0..).zip(self.contacts.manifolds()) {
            let (at, sign) = match (manifold.a, manifold.b) {
                (Side::Body(a), Side::Body(b)) if self.turns_on(a, b, h) => (a as usize, 1.0),
                (Side::Body(a), Side::Body(b)) if self.turns_on(b, a, h) => (b as usize, -1.0),
                _ => continue,
            };
            let normal = manifold.normal * sign;
            let Some(point) = manifold.points().min_by(|p, q| p.gap.total_cmp(&q.gap)) else { continue };
            let lever = point.point - self.bodies.poses[at].translation;
            let near = manifold.points().filter(|point| point.gap <= NEAR * lever.norm()).count();
            if near != 1 || point.gap > self.options.contact.shell {
                continue;
            }
            let Some(velocity) = self.moved_on(at, lever, normal, &manifold.law, h) else { continue };
            let approach = normal.dot(velocity - self.before[at].velocity_at(lever));
            if approach <= FALLING * self.options.gravity.norm() * h + self.options.velocity_tolerance {
                self.rolling.push(RollingContact { manifold: number, velocity: velocity * sign });
                self.rolls[at] = true;
            }
        }
    }

    /// True if the first body turns fast, without joints, and the second one stands.
    fn turns_on(&self, body: u32, other: u32, h: f64) -> bool {
        let (at, other) = (body as usize, other as usize);
        !self.bodies.is_movable(other)
            && self.bodies.velocities[other] == Twist::ZERO
            && self.bodies.is_movable(at)
            && self.bodies.velocities[at].angular.norm() * h > LEAST_TURN
            && self.system.component_of(at).is_none()
    }

    /// What the lever of the middle of a substep adds to the velocity of a body's contact point, with the angular velocity that the contact will
    /// give it, as far as the point has that velocity before; `None` if it is not the outermost point of the body, or jumps.
    fn moved_on(&self, at: usize, lever: DVec3, normal: DVec3, law: &ContactLaw, h: f64) -> Option<DVec3> {
        let [shape] = self.records[at].shapes.as_slice() else { return None };
        let (response, Twist { linear, angular }) = (&self.bodies.responses[at], self.bodies.velocities[at]);
        let arm = skew(lever);
        let yielding =
            DMat3::from_diagonal(DVec3::splat(response.inverse_mass)) - arm * response.inverse_inertia * arm;
        let (mut spin, mut added) = (angular, DVec3::ZERO);
        for _ in 0..ROUNDS {
            let change = self.change_of_lever(at, shape, lever, -normal, spin, h)?;
            added = self.spin_in_the_middle(at, spin, h).cross(lever + change) - spin.cross(lever);
            let impulse = stopping(&yielding, linear + angular.cross(lever) + added, normal, law);
            spin = angular + response.inverse_inertia * lever.cross(impulse);
        }
        Some(as_far_as(added, self.before[at].velocity_at(lever), normal, &yielding))
    }

    /// The angular velocity of free flight after half a substep.
    fn spin_in_the_middle(&self, at: usize, spin: DVec3, h: f64) -> DVec3 {
        let (rotor, rotation) = (&self.rotors[at], self.bodies.poses[at].rotation);
        rotor.velocity(rotor.turned(rotation, spin, 0.5 * h), rotor.momentum(rotation, spin))
    }

    /// How the lever to a body's outermost point changes until the middle of a substep; `None` if that is another point than the contact's, or if it jumps.
    fn change_of_lever(
        &self,
        at: usize,
        shape: &BodyShape,
        lever: DVec3,
        outward: DVec3,
        spin: DVec3,
        h: f64,
    ) -> Option<DVec3> {
        let rotation = self.bodies.poses[at].rotation;
        let outermost = |rotation: DQuat| {
            let turned = rotation * shape.pose.rotation;
            let support = shape.shape.support(turned.inverse() * outward)?;
            Some(rotation * shape.pose.transform_point(support))
        };
        let turned = |h: f64| outermost(self.rotors[at].turned(rotation, spin, h));
        let [start, middle, end] = [outermost(rotation)?, turned(0.5 * h)?, turned(h)?];
        let (first, second) = (middle - start, end - middle);
        let is_the_point = (start - lever).norm() <= NEAR * lever.norm();
        let is_even = (second - first).norm() <= EVENLY * first.norm();
        // A ball that turns about its middle is always met below it.
        let is_moderate = (LEAST_CHANGE..=LARGEST_CHANGE).contains(&(first.norm() / lever.norm()));
        (is_the_point && is_even && is_moderate).then_some(first)
    }
}

/// The part of a velocity that another one has: along the normal, across it, and of its energy in the metric of the contact's yielding.
fn as_far_as(wanted: DVec3, had: DVec3, normal: DVec3, yielding: &DMat3) -> DVec3 {
    let split = |velocity: DVec3| (normal.dot(velocity), velocity - normal * normal.dot(velocity));
    let ((along, across), (had_along, had_across)) = (split(wanted), split(had));
    let along = along.clamp(had_along.min(0.0), had_along.max(0.0));
    let length = across.length_squared();
    let share = if length > 0.0 { (had_across.dot(across) / length).clamp(0.0, 1.0) } else { 0.0 };
    let part = normal * along + across * share;
    let metric = yielding.inverse();
    let (energy, had) = (part.dot(metric * part), had.dot(metric * had));
    if energy > had { part * (had / energy).sqrt() } else { part }
}

/// The impulse after which a point with this velocity neither closes nor, within its friction, slides.
fn stopping(yielding: &DMat3, velocity: DVec3, normal: DVec3, law: &ContactLaw) -> DVec3 {
    let whole = yielding.inverse() * -velocity;
    let pressed = normal.dot(whole);
    let across = whole - normal * pressed;
    if pressed > 0.0 && across.norm() <= law.static_friction() * pressed {
        return whole;
    }
    let slip = velocity - normal * normal.dot(velocity);
    let direction = normal - slip.try_unit().unwrap_or(DVec3::ZERO) * law.dynamic_friction();
    let yields = normal.dot(*yielding * direction);
    let approach = -normal.dot(velocity);
    if approach > 0.0 && yields > 0.0 { direction * (approach / yields) } else { DVec3::ZERO }
}
