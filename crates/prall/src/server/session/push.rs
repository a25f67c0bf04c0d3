//! A hand that moves by a velocity: a joystick, a SpaceMouse.

use super::super::track::Content;
use super::{Client, Session};
use glam::DVec3;
use prall_math::{Pose, rotation};
use std::time::{Duration, Instant};

/// A device that is not heard of for so long pushes no more: its page may hang.
const SILENT: Duration = Duration::from_millis(500);

/// How a hand moves.
#[derive(Clone, Copy)]
pub(super) struct Push {
    /// In m/s and rad/s, about the point that it holds.
    velocity: DVec3,
    spin: DVec3,
    heard: Instant,
}

impl Session {
    pub(super) fn push(&mut self, client: Client, velocity: [f64; 3], spin: [f64; 3]) -> Result<(), String> {
        let (velocity, spin) = (DVec3::from_array(velocity), DVec3::from_array(spin));
        if !(velocity.is_finite() && spin.is_finite()) {
            return Err("velocity and spin must be three finite numbers each".to_owned());
        }
        if let Some(hand) = self.hand.as_mut().filter(|hand| hand.holder == client) {
            hand.push = Some(Push { velocity, spin, heard: Instant::now() });
            self.beat.hurry();
        }
        Ok(())
    }

    /// Before each step. Behind a contact filter the hand goes on from where the part is, so that nothing adds up while the part stands, and a hand that rests leaves it where it is;
    /// elsewhere it goes on from where it was itself: what falls needs a hand that holds.
    pub(super) fn push_hand(&mut self) {
        let dt = self.tracks[0].time_step();
        let Some(hand) = self.hand.as_mut() else { return };
        let Some(Push { velocity, spin, heard }) = hand.push else { return };
        let Content::Live(live) = &self.tracks[0].content else { return };
        let silent = heard.elapsed() > SILENT;
        let (velocity, spin) = if silent { (DVec3::ZERO, DVec3::ZERO) } else { (velocity, spin) };
        let from = match live.simulation().held_pose() {
            Some(part) => {
                let turned = (part.rotation * hand.body.rotation.conjugate()).normalize();
                Pose::new(turned, part.transform_point(hand.body.inverse().transform_point(hand.point)))
            }
            None => hand.pose,
        };
        let rotation = (rotation::exp(spin * dt) * from.rotation).normalize();
        hand.pose = Pose::new(rotation, from.translation + velocity * dt);
    }
}
