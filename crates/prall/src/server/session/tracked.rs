//! A tracked hand takes hold of bodies, leads them, and feels what they meet.

use super::super::track::Content;
use super::{Client, Session};
use glam::DVec3;
use prall_handling::haptics::Constraints;
use prall_math::{Pose, Wrench};

/// The holder of what a tracked hand holds: no connection has this number.
const TRACKED: Client = Client::MAX;

/// What a tracked hand does.
#[derive(Clone, Copy, Default)]
pub(super) struct TrackedHand {
    grasps: bool,
    /// The point that it holds, in its own frame, and how it was turned when it took hold.
    held: Option<(DVec3, Pose)>,
    /// Where the hand is in the frame of the part that it holds.
    in_part: Pose,
}

impl Session {
    fn tracked_holds(&self) -> bool {
        self.hand.is_some_and(|hand| hand.holder == TRACKED)
    }

    /// Before each step. A hand that closes takes what it points at; one that opens, or is lost, lets go.
    pub(super) fn follow_tracked_hand(&mut self) {
        let seen = self.surroundings.devices.hand(&self.name).filter(|packet| packet.grasps);
        let Some(packet) = seen else {
            if self.tracked.grasps && self.tracked_holds() {
                self.let_go();
            }
            self.tracked = TrackedHand::default();
            return;
        };
        let pose = packet.pose;
        if !self.tracked.grasps {
            self.tracked = TrackedHand { grasps: true, ..TrackedHand::default() };
            let (origin, ahead) = (pose.translation.to_array(), (pose.rotation * DVec3::NEG_Z).to_array());
            // Somebody else may hold something, or a recording be shown: then it grasps nothing.
            let _ = self.grab(TRACKED, origin, ahead, 0);
            if let Some(hand) = self.hand.filter(|hand| hand.holder == TRACKED) {
                self.tracked.held = Some((pose.inverse().transform_point(hand.pose.translation), pose));
                self.tracked.in_part = hand.body.inverse() * pose;
            }
        }
        if let (Some((point, start)), Some(hand)) =
            (self.tracked.held, self.hand.as_mut().filter(|hand| hand.holder == TRACKED))
        {
            let turn = (pose.rotation * start.rotation.conjugate()).normalize();
            hand.pose = Pose::new(turn, pose.transform_point(point));
        }
    }

    /// After each step: the contact forces on the part in hand, none while nobody holds one, and what keeps a tracked hand from going on.
    pub(super) fn send_wrench(&self) {
        let Content::Live(live) = &self.tracks[0].content else { return };
        let simulation = live.simulation();
        let Some(handled) = simulation.handled() else { return };
        let wrench = if self.hand.is_some() { handled.wrench } else { Wrench::ZERO };
        self.surroundings.devices.feel(&self.name, simulation.time(), &wrench);
        self.surroundings.devices.constrain(&self.name, || {
            let held = self.tracked_holds() && self.tracked.held.is_some();
            if held {
                handled.constraints.fixed_to_part(&self.tracked.in_part)
            } else {
                Constraints::default()
            }
        });
    }
}
