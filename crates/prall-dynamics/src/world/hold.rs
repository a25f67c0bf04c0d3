//! Held bodies: a hand that wants a body somewhere, and feels what it meets.
//!
//! A held body stays a mover like any other: its wanted motion is the free motion under the hand's pull, and contacts, joints and whatever yields are solved with it in its
//! island, so that it pushes covers, loose parts and machines, and they push back. The coupling is the hand of [`super::hand`] at the centre of mass,
//! critically damped, with its rate chosen so that the pull at rest is the stiffness times the way that is left:
//!
//! ```text
//! m w^2 / (1 + h w)^2 = k,   w = s / (1 - h s),   s = sqrt(k / m)
//! ```

use prall_math::{Pose, Twist, Wrench};

use super::{Grip, HandHandle, World};
use crate::error::{positive, valid_pose};
use crate::{BodyHandle, WorldError};

/// How stiffly a hand is coupled to the body that it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// Pull at rest in N per metre of way that is left; turns are held with this times the squared radii of gyration. Default 1000. At most what moves the
    /// body by half of its way in a step: `m / (4 h^2)`.
    pub stiffness: f64,
    /// Largest pull in N, the body's weight included. Default 200.
    pub strength: f64,
}

impl Default for Coupling {
    fn default() -> Coupling {
        Coupling { stiffness: 1000.0, strength: 200.0 }
    }
}

/// What a hand wants of the body that it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HoldCommand {
    /// Velocity of the centre of mass and angular velocity, in world axes. To be given again in every step: without, the body stops a little ahead.
    Velocity(Twist),
    /// Where the body's frame shall be.
    Pose(Pose),
}

impl World {
    /// Takes a body firmly in hand, place and orientation. Several hands may hold one body.
    ///
    /// The body must be solid, so that it never overlaps anything: made of a mesh, or asked to be ([`BodyDefinition::solid`](crate::BodyDefinition)).
    pub fn hold(&mut self, body: BodyHandle, coupling: &Coupling) -> Result<HandHandle, WorldError> {
        let at = self.changeable(body)?;
        let record = &self.records[at];
        if !(record.has_surface || record.is_asked_to_be_solid()) {
            return Err(WorldError::WrongKind(body, "solid: give it a mesh, or define it as solid"));
        }
        let Some(mass) = record.mass.as_ref().map(prall_mechanics::Body::mass) else {
            return Err(WorldError::WrongKind(body, "dynamic: nobody can move it"));
        };
        let stiffness = positive("the hand's stiffness", coupling.stiffness)?;
        let strength = positive("the hand's strength", coupling.strength)?;
        let share = (stiffness / mass).sqrt() * self.options.time_step;
        if share > 0.5 {
            let wanted = "at most m / (4 h^2): take a smaller step or a softer hand";
            return Err(WorldError::Number { what: "the hand's stiffness", value: stiffness, wanted });
        }
        let rate = share / (1.0 - share) / self.options.time_step;
        let grip = Grip { point: record.centre, rate, strength: strength / (mass * 9.81) };
        let hand = self.grab(body, &grip)?;
        self.turn(hand, glam::DQuat::IDENTITY);
        Ok(hand)
    }

    /// Gives a hand that holds a body a command. Refused are commands without finite numbers, and hands that have let go: the last command stays.
    pub fn command(&mut self, hand: HandHandle, command: &HoldCommand) -> Result<(), WorldError> {
        let Some((at, rate, taken)) = self.held_by(hand) else {
            return Err(WorldError::State("the hand has let go".to_owned()));
        };
        let pose = self.bodies.poses[at];
        let (centre, rotation) = match command {
            HoldCommand::Pose(goal) => {
                let goal = valid_pose("the hand", *goal)?;
                (goal.transform_point(self.records[at].centre), goal.rotation)
            }
            HoldCommand::Velocity(twist) => {
                // A hand this far ahead pulls the body along at just that velocity.
                let ahead = *twist * (self.options.time_step + 2.0 / rate);
                let linear = crate::error::finite("the hand's velocity", ahead.linear)?;
                let angular = crate::error::finite("the hand's turn", ahead.angular)?;
                (pose.translation + linear, prall_math::rotation::exp(angular) * pose.rotation)
            }
        };
        self.pull(hand, centre);
        self.turn(hand, (rotation * taken.conjugate()).normalize());
        Ok(())
    }

    /// What a hand pulls and turns with, in N and N m about the centre of mass; none if it has let go. Without motion it balances
    /// weight and contacts.
    pub fn hand_wrench(&self, hand: HandHandle) -> Option<Wrench> {
        self.wrench_of(hand)
    }
}
