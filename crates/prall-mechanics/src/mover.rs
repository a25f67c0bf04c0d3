//! [`Mover`]: anything that percussions move and that is not a free body in the arrays.

use std::any::Any;

use glam::{DMat3, DVec3};
use prall_math::{Motion, Pose, Twist, Wrench};
use thiserror::Error;

use crate::{Bodies, StateHash};

/// How the twist at one place changes by a percussion at another: `blocks[i][j]` takes the part `j` of the wrench
/// (0 force, 1 torque) to the part `i` of the twist (0 linear, 1 angular).
pub type TwistResponse = [[DMat3; 2]; 2];

/// Why a saved state was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("this is not a saved state of this mover: {0}")]
pub struct MoverStateError(pub String);

/// A mechanism of one or more links: a tree of bodies, a held part, a piece of cloth.
///
/// Contacts see it only through velocities and responses at points of its links, all in world axes. Between
/// [`Mover::predict`] and [`Mover::commit`] its pose stays, so responses stay too; only velocities change. A `&mut dyn Mover`
/// is a `&mut dyn Any` as well, for those who know what it is and want to drive it.
pub trait Mover: Send + Any {
    /// How many links it has.
    fn links(&self) -> usize;

    /// Frame of a link.
    fn pose(&self, link: u32) -> Pose;

    /// The motion of a link over the next `h` seconds if its velocities stay: what detection sweeps.
    fn motion(&self, link: u32, h: f64) -> Motion;

    /// Advances the velocities by `h` seconds of all forces but contacts.
    fn predict(&mut self, h: f64, gravity: DVec3);

    /// Velocity of the link's material at a world point, and the link's angular velocity.
    fn twist_at(&self, link: u32, point: DVec3) -> Twist;

    /// Change of the twist at `at` (link, world point) by a unit wrench at `due_to`.
    ///
    /// Symmetric: the response with both places exchanged is the transpose.
    fn response(&self, at: (u32, DVec3), due_to: (u32, DVec3)) -> TwistResponse;

    /// Makes [`Mover::response`] and [`Mover::apply`] those of the present pose, where a [`Mover::commit`] has led, without a prediction.
    /// Poses and velocities stay. To do nothing is right for movers whose responses do not depend on the pose.
    fn refresh_responses(&mut self) {}

    /// Moves at once, without time and without a velocity, by the nearest way to that of loads on links at rest: each is a link, a world point, and a force in
    /// kg m and torque in kg m^2 that shift and turn as impulses do in a second. Returns false, and stays, if it cannot move so.
    ///
    /// Small gaps are opened so; velocities are then those of before, as far as the joints allow them at the new pose.
    fn displace(&mut self, _loads: &[(u32, DVec3, Wrench)]) -> bool {
        false
    }

    /// Applies a percussion (N s) and a moment over time (N m s) at a world point of a link.
    fn apply(&mut self, link: u32, point: DVec3, percussion: Wrench);

    /// Moves by `fraction` (0 to 1) of a step of `h` seconds; 0 stays, which is always admissible.
    fn commit(&mut self, h: f64, fraction: f64);

    /// Kinetic and potential energy in J.
    fn energy(&self, gravity: DVec3) -> (f64, f64);

    /// True if every number of its state is finite.
    fn is_finite(&self) -> bool;

    /// Adds the bits of its state.
    fn hash(&self, hash: &mut StateHash);

    /// Its whole state as bytes; [`Mover::restore`] goes on from there bit by bit.
    fn save(&self) -> Vec<u8>;

    /// The same into memory that is there already: a step that may have to be taken back begins with it.
    fn save_into(&self, state: &mut Vec<u8>) {
        *state = self.save();
    }

    /// Takes over a saved state.
    fn restore(&mut self, state: &[u8]) -> Result<(), MoverStateError>;
}

/// Everything that percussions move.
pub struct Movers<'a> {
    /// The free bodies.
    pub bodies: &'a mut Bodies,
    /// All other movers.
    pub others: &'a mut [Box<dyn Mover>],
}
