//! Hands: a spring with a damper between a point of a body and a target that somebody moves, and one that turns it.

use glam::{DMat3, DQuat, DVec3};
use prall_math::{Norm, Wrench, skew};
use serde::{Deserialize, Serialize};

use std::f64::consts::{PI, TAU};

use super::World;
use crate::error::{finite, positive};
use crate::{BodyHandle, BodyKind, WorldError};

/// A hand in a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HandHandle {
    index: u32,
    generation: u32,
}

/// How a hand holds a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Where it holds, in the body's frame.
    pub point: DVec3,
    /// How fast the point follows, in 1/s: it comes to `1/e` of its distance in about two of these times. Default 10;
    /// larger is stiffer.
    pub rate: f64,
    /// Largest force in units of the body's weight on earth. Default 20, or the force that is given.
    pub strength: f64,
}

impl Default for Grip {
    fn default() -> Grip {
        Grip { point: DVec3::ZERO, rate: 10.0, strength: 20.0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Hand {
    pub(super) body: u32,
    /// From the centre of mass, in body axes.
    point: DVec3,
    target: DVec3,
    rate: f64,
    /// In N.
    strength: f64,
    /// How the body stood when it was taken.
    taken: DQuat,
    /// How it shall be turned since; without it the body swings freely about the held point.
    turn: Option<DQuat>,
}

/// What a hand does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandMark {
    /// The held point in the world.
    pub held: DVec3,
    /// Where the hand is.
    pub target: DVec3,
    /// Its pull in N.
    pub force: DVec3,
    /// Its torque about the body's centre of mass in N m: that of the pull, and that of the turn.
    pub torque: DVec3,
}

impl World {
    /// Takes hold of a body. The hand's target is where the body is held now.
    pub fn grab(&mut self, body: BodyHandle, grip: &Grip) -> Result<HandHandle, WorldError> {
        let at = self.changeable(body)?;
        let record = &self.records[at];
        let (BodyKind::Dynamic, Some(mass)) = (record.kind, &record.mass) else {
            return Err(WorldError::WrongKind(body, "dynamic: nobody can move it"));
        };
        let point = finite("the held point", grip.point)? - record.centre;
        let strength = positive("the hand's strength", grip.strength)? * mass.mass() * 9.81;
        let rate = positive("the hand's rate", grip.rate)?;
        let target = self.bodies.poses[at].transform_point(point);
        let taken = self.bodies.poses[at].rotation;
        let hand = Hand { body: body.index, point, target, rate, strength, taken, turn: None };
        self.wake_all();
        let (index, generation) = self.hand_places.take();
        if index as usize == self.hands.len() {
            self.hands.push(hand);
        } else {
            self.hands[index as usize] = hand;
        }
        Ok(HandHandle { index, generation })
    }

    /// Moves a hand's target, in the world. False if the hand has let go, or its body is gone.
    pub fn pull(&mut self, hand: HandHandle, target: DVec3) -> bool {
        let held = self.hand_places.holds(hand.index, hand.generation) && target.is_finite();
        if held {
            self.hands[hand.index as usize].target = target;
        }
        held
    }

    /// Turns the held body by `turn`, in world axes, against how it stood when it was taken. False if the hand has let go
    /// or `turn` is no rotation.
    pub fn turn(&mut self, hand: HandHandle, turn: DQuat) -> bool {
        let held = self.hand_places.holds(hand.index, hand.generation) && turn.is_normalized();
        if held {
            self.hands[hand.index as usize].turn = Some(turn);
        }
        held
    }

    /// Lets go; the body keeps its velocity, so it can be thrown.
    pub fn release(&mut self, hand: HandHandle) {
        if self.hand_places.holds(hand.index, hand.generation) {
            self.hand_places.release(hand.index);
        }
    }

    /// The body that a hand holds, its rate, and how the body stood when it was taken.
    pub(super) fn held_by(&self, hand: HandHandle) -> Option<(usize, f64, DQuat)> {
        let held = self.hand_places.holds(hand.index, hand.generation);
        let hand = self.hands.get(hand.index as usize).filter(|_| held)?;
        Some((hand.body as usize, hand.rate, hand.taken))
    }

    pub(super) fn wrench_of(&self, hand: HandHandle) -> Option<Wrench> {
        let held = self.hand_places.holds(hand.index, hand.generation);
        let hand = self.hands.get(hand.index as usize).filter(|_| held)?;
        Some(self.hand_load(hand, self.options.time_step))
    }

    /// What the hands do now.
    pub fn hands(&self) -> impl Iterator<Item = HandMark> + '_ {
        self.hand_places.iter().map(|at| {
            let hand = &self.hands[at];
            let held = self.bodies.poses[hand.body as usize].transform_point(hand.point);
            let Wrench { force, torque } = self.hand_load(hand, self.options.time_step);
            HandMark { held, target: hand.target, force, torque }
        })
    }

    /// Loads of a substep: lasting ones, and those of hands.
    pub(super) fn gather_loads(&mut self, h: f64) {
        self.loads.clear();
        self.loads.extend(self.records.iter().map(|record| record.load));
        for hand in self.hand_places.iter() {
            let hand = self.hands[hand];
            let wrench = self.hand_load(&hand, h);
            let load = &mut self.loads[hand.body as usize];
            *load = *load + wrench;
        }
    }

    /// A critically damped spring, implicit in the velocity: with the response `K` of the point,
    ///
    /// ```text
    /// p = (K + c E)^-1 (b d - u),  c = 1 / (m h (h w^2 + 2 w)),  b = w / (h w + 2)
    /// ```
    /// where `d` is the way to the target, `u` the point's velocity, `w` the rate and `m` the mass. Stable for every
    /// rate and step; no longer than the hand is strong. The turn is held by the same law with the moment of inertia in
    /// place of the mass.
    fn hand_load(&self, hand: &Hand, h: f64) -> Wrench {
        let at = hand.body as usize;
        if !self.bodies.is_movable(at) {
            return Wrench::ZERO;
        }
        let arm = self.bodies.poses[at].transform_vector(hand.point);
        let point = self.bodies.poses[at].translation + arm;
        let response = &self.bodies.responses[at];
        let cross = skew(arm);
        let k = DMat3::from_diagonal(DVec3::splat(response.inverse_mass))
            + cross.transpose() * response.inverse_inertia * cross;
        let w = hand.rate;
        let soft = response.inverse_mass / (h * (h * w * w + 2.0 * w));
        let wanted = (hand.target - point) * (w / (h * w + 2.0)) - self.bodies.velocity_at(at, point);
        let impulse = (k + DMat3::from_diagonal(DVec3::splat(soft))).inverse() * wanted;
        // The hand carries the weight as well.
        let force = impulse / h - self.options.gravity * self.bodies.mass(at);
        let mut load = Wrench::from_force_at(force.clamp_length_max(hand.strength), arm);
        if let Some(turn) = hand.turn {
            let left = (turn * hand.taken * self.bodies.poses[at].rotation.inverse()).to_scaled_axis();
            // The short way round.
            let left = if left.norm() > PI { left - left.unit() * TAU } else { left };
            let wanted = left * (w / (h * w + 2.0)) - self.bodies.velocities[at].angular;
            let share = 1.0 / (1.0 + 1.0 / (h * (h * w * w + 2.0 * w)));
            let inertia = response.inverse_inertia.inverse();
            let torque = inertia * wanted * (share / h);
            // As strong as its force at the largest radius of gyration.
            let axes = [inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z];
            let reach = (axes.into_iter().fold(0.0, f64::max) * response.inverse_mass).sqrt();
            load.torque += torque.clamp_length_max(hand.strength * reach);
        }
        load
    }
}
