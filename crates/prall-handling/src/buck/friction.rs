//! Friction as in Buck 1999, chapter 7: tilted forces while a pair slides, auxiliary planes while it sticks, and the changes between them.
//!
//! All contacts of a pair slide or stick together. It begins to stick when each contact that bears load turns back in the interval or is slower than the slowest slide, and to
//! slide when the forces along its planes, summed over its contacts, exceed sticking friction times the sum of their normal forces.

use glam::DVec3;
use prall_detection::NearState;
use prall_math::Norm;

use super::BuckHeld;
use super::contact::{AuxiliaryPlane, BuckContact, Condition, Partner};
use crate::options::Friction;

/// Pushes up to this many guards are none: the solver is as exact as that.
pub(super) const NO_FORCE: f64 = 1e-4;

impl BuckHeld {
    pub(super) fn friction(&self, partner: Partner) -> Friction {
        let own = match partner {
            Partner::Obstacle(index) => self.obstacles[index].friction,
            Partner::Part(_) => None,
        };
        own.unwrap_or(self.options.friction)
    }

    /// Velocity of the part against its partner where they touch, across the normal, in m/s.
    pub(super) fn slip(&self, contact: &BuckContact, state: &NearState) -> DVec3 {
        let own = self.bodies[contact.part].velocity_at(state.on_a);
        let theirs = match contact.partner {
            Partner::Obstacle(_) => DVec3::ZERO,
            Partner::Part(index) => self.bodies[index].velocity_at(state.on_b),
        };
        let apart = own - theirs;
        apart - state.normal * state.normal.dot(apart)
    }

    /// The direction of the force that a push of 1 is: the normal, tilted against the slip (7.1, with the slip across the normal).
    pub(super) fn force_direction(&self, contact: &BuckContact, state: &NearState) -> DVec3 {
        let friction = self.friction(contact.partner).sliding;
        if contact.is_auxiliary() || contact.is_sticking() || friction == 0.0 {
            return state.normal;
        }
        let known = contact.slides_along - state.normal * state.normal.dot(contact.slides_along);
        let along = if known == DVec3::ZERO { contact.slip } else { known };
        along.try_unit().map_or(state.normal, |along| state.normal - along * friction)
    }

    /// Pairs of the contacts whose friction counts, and whether they stick.
    fn rubbing_pairs(&self, members: &[usize]) -> Vec<((usize, Partner), bool)> {
        let mut pairs: Vec<((usize, Partner), bool)> = Vec::new();
        for contact in members.iter().map(|index| &self.contacts[*index]) {
            if contact.is_auxiliary() || self.friction(contact.partner).sticking == 0.0 {
                continue;
            }
            match pairs.iter_mut().find(|(pair, _)| *pair == contact.pair()) {
                Some((_, sticking)) => *sticking |= contact.is_sticking(),
                None => pairs.push((contact.pair(), contact.is_sticking())),
            }
        }
        pairs
    }

    /// True if any of these contacts slides with friction.
    pub(super) fn slides(&self, members: &[usize]) -> bool {
        self.rubbing_pairs(members).iter().any(|(_, sticking)| !sticking)
    }

    /// Lets pairs that stick begin to slide.
    pub(super) fn change_friction(&mut self) {
        let all: Vec<usize> = (0..self.contacts.len()).collect();
        for (pair, _) in self.rubbing_pairs(&all).into_iter().filter(|(_, sticking)| *sticking) {
            if self.exceeds_sticking_friction(pair) {
                self.begin_to_slide(pair);
                self.report.slid += 1;
            } else {
                // What came to a pair that sticks, sticks.
                self.begin_to_stick(pair);
            }
        }
    }

    /// Pairs that slide, and whose loaded contacts all turn back or are slow with the velocities that were found.
    pub(super) fn pairs_at_rest(&self, members: &[usize]) -> Vec<(usize, Partner)> {
        let pairs = self.rubbing_pairs(members).into_iter().filter(|(_, sticking)| !sticking);
        pairs.map(|(pair, _)| pair).filter(|pair| self.comes_to_rest(*pair)).collect()
    }

    fn comes_to_rest(&self, pair: (usize, Partner)) -> bool {
        let slowest = self.options.slowest_slide;
        let loaded =
            |contact: &&BuckContact| contact.pair() == pair && contact.push > NO_FORCE * self.options.guard;
        let rests = |contact: &BuckContact| {
            let now = self.slip(contact, &self.state(contact));
            // What rests has no direction that it could turn back from.
            let turns_back = now.dot(contact.slip) < 0.0 && contact.slip.norm() >= slowest;
            turns_back || now.norm() < slowest
        };
        let mut contacts = self.contacts.iter().filter(loaded).peekable();
        contacts.peek().is_some() && contacts.all(rests)
    }

    /// Force in N on the part along the planes of a contact that sticks.
    pub(super) fn sticking_force(&self, id: u64) -> DVec3 {
        let planes = self.contacts.iter().filter(|contact| contact.sticks == Some(id));
        planes.map(|contact| self.state(contact).normal * contact.force).sum()
    }

    fn exceeds_sticking_friction(&self, pair: (usize, Partner)) -> bool {
        let friction = self.friction(pair.1).sticking;
        let (mut along, mut across) = (0.0, 0.0);
        for contact in self.contacts.iter().filter(|known| known.pair() == pair && !known.is_auxiliary()) {
            along += self.sticking_force(contact.id).norm();
            across += contact.force.max(0.0);
        }
        along > friction * across && along > 0.0
    }

    pub(super) fn begin_to_stick(&mut self, pair: (usize, Partner)) {
        let play = self.options.play;
        let other = self.pose_of(pair.1);
        let part = self.bodies[pair.0].pose;
        for contact in self.contacts.iter_mut().filter(|contact| contact.pair() == pair) {
            if let (Condition::Feature(feature), None) = (&contact.condition, &contact.planes) {
                contact.planes = Some(AuxiliaryPlane::around(feature, &part, &other, play));
            }
        }
    }

    fn begin_to_slide(&mut self, pair: (usize, Partner)) {
        let surfaces = self.contacts.iter().filter(|known| known.pair() == pair && !known.is_auxiliary());
        let forces: Vec<(u64, DVec3)> =
            surfaces.map(|contact| (contact.id, self.sticking_force(contact.id))).collect();
        let total: DVec3 = forces.iter().map(|(_, force)| *force).sum();
        for (id, force) in forces {
            let contact = self.contacts.iter_mut().find(|contact| contact.id == id);
            if let Some(contact) = contact {
                // Against the force that held it; a contact that needed none goes with the others.
                contact.slides_along = if force == DVec3::ZERO { -total } else { -force };
                (contact.planes, contact.slip) = (None, DVec3::ZERO);
            }
        }
        self.contacts.retain(|contact| !(contact.pair() == pair && contact.is_auxiliary()));
    }
}
