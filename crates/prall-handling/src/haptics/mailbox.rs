//! [`Mailbox`]: the newest constraints of the filter, for a reader that never waits.

use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use glam::DVec3;
use prall_math::Pose;

use crate::Held;
use crate::active_set::SIX;

/// A plane that the part must not cross near the published pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plane {
    /// Of the part, in the world, at the published pose.
    pub point: DVec3,
    /// Unit, from the obstacle to the part.
    pub normal: DVec3,
    /// How far the point may go against the normal, in m: the gap less the guard, at least 0.
    pub room: f64,
}

/// What the filter allowed last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraints {
    /// Counts publications.
    pub number: u64,
    /// Where the filter has the part.
    pub pose: Pose,
    /// Point about which shifts and turns are measured, in the part.
    pub reference: DVec3,
    planes: [Plane; SIX],
    count: usize,
}

impl Default for Constraints {
    fn default() -> Constraints {
        let planes = [Plane::default(); SIX];
        Constraints { number: 0, pose: Pose::IDENTITY, reference: DVec3::ZERO, planes, count: 0 }
    }
}

impl Constraints {
    /// A pose, the reference point in the part, and planes; those beyond the sixth are left out.
    pub fn new(pose: Pose, reference: DVec3, planes: impl IntoIterator<Item = Plane>) -> Constraints {
        let mut constraints = Constraints { pose, reference, ..Constraints::default() };
        for (entry, plane) in constraints.planes.iter_mut().zip(planes) {
            *entry = plane;
            constraints.count += 1;
        }
        constraints
    }

    /// What a held part was allowed in its last step. Of more than six contacts the hardest pressed are taken.
    pub fn of(held: &Held) -> Constraints {
        let mut contacts: Vec<_> = held.report().contacts.iter().collect();
        contacts.sort_by(|a, b| b.impulse.dot(b.normal).total_cmp(&a.impulse.dot(a.normal)));
        let planes = contacts.into_iter().map(|contact| Plane {
            point: contact.point,
            normal: contact.normal,
            room: (contact.gap - held.options().guard).max(0.0),
        });
        Constraints::new(*held.pose(), held.reference(), planes)
    }

    /// The same planes for something that is fixed to the part, as a hand: its pose in the part's frame. Its origin becomes the reference point.
    pub fn fixed_to_part(&self, pose_in_part: &Pose) -> Constraints {
        Constraints { pose: self.pose * *pose_in_part, reference: DVec3::ZERO, ..*self }
    }

    /// The planes.
    pub fn planes(&self) -> &[Plane] {
        &self.planes[..self.count]
    }
}

/// Where the filter puts its newest constraints and the device thread finds them. Clones share the content.
///
/// A publication is a copy of half a kilobyte under a lock. The reader takes the lock if it is free and keeps what it has otherwise, so it never waits, whatever the filter does.
#[derive(Clone, Debug, Default)]
pub struct Mailbox {
    newest: Arc<Mutex<Constraints>>,
}

impl Mailbox {
    /// Replaces what is there.
    pub fn publish(&self, constraints: &Constraints) {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let number = newest.number + 1;
        *newest = Constraints { number, ..*constraints };
    }

    /// Brings a copy up to date, unless the filter is writing just now; true if it is newer than before.
    pub fn refresh(&self, copy: &mut Constraints) -> bool {
        let newest = match self.newest.try_lock() {
            Ok(newest) => newest,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        let newer = newest.number != copy.number;
        *copy = *newest;
        newer
    }
}

#[cfg(test)]
impl Mailbox {
    /// Does something while the lock is taken, as if the filter had been caught in the middle of publishing.
    pub(super) fn while_locked(&self, action: impl FnOnce()) {
        let _newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        action();
    }
}
