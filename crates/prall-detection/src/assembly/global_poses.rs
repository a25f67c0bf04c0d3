//! [`GlobalPoses`]: each object knows where it is in the world, and all that it moves or is moved by.

use std::collections::BTreeSet;

use prall_math::Pose;

use super::arena::{Arena, ObjectId};
use super::{Assembly, AssemblyError, checked};

#[derive(Clone, Debug)]
struct Object {
    pose: Pose,
    /// Transitive, without itself.
    moves: BTreeSet<ObjectId>,
    /// Transitive, without itself.
    moved_by: BTreeSet<ObjectId>,
}

/// World poses and transitive sets of dependants: reading a pose is free, moving an object writes the poses of all
/// that it moves, attaching writes their sets (Eckstein 1998, appendix B).
///
/// The attach rule is the corrected one: the printed one leaves the new parent out of the sets of what is
/// attached.
#[derive(Clone, Debug, Default)]
pub struct GlobalPoses {
    objects: Arena<Object>,
}

impl GlobalPoses {
    /// No objects.
    pub fn new() -> GlobalPoses {
        GlobalPoses::default()
    }

    /// An object and all that it moves.
    fn family(&self, object: ObjectId) -> Result<BTreeSet<ObjectId>, AssemblyError> {
        let mut family = self.objects.get(object)?.moves.clone();
        family.insert(object);
        Ok(family)
    }

    fn displace(&mut self, object: ObjectId, by: Pose) -> Result<(), AssemblyError> {
        let this = self.objects.get_mut(object)?;
        this.pose = (by * this.pose).normalized();
        Ok(())
    }

    /// Displaces what an object moves, not itself.
    fn displace_dependants(&mut self, object: ObjectId, by: Pose) -> Result<(), AssemblyError> {
        // The set is lent out while its members are written; an object does not move itself.
        let moved = std::mem::take(&mut self.objects.get_mut(object)?.moves);
        let displaced = moved.iter().try_for_each(|&member| self.displace(member, by));
        self.objects.get_mut(object)?.moves = moved;
        displaced
    }
}

impl Assembly for GlobalPoses {
    fn add(&mut self, pose: Pose) -> Result<ObjectId, AssemblyError> {
        let pose = checked(pose)?;
        Ok(self.objects.add(Object { pose, moves: BTreeSet::new(), moved_by: BTreeSet::new() }))
    }

    fn remove(&mut self, object: ObjectId) -> Result<(), AssemblyError> {
        for dependant in self.objects.get(object)?.moves.clone() {
            if self.parent(dependant)? == Some(object) {
                self.detach(dependant)?;
            }
        }
        self.detach(object)?;
        self.objects.remove(object).map(|_| ())
    }

    fn pose(&self, object: ObjectId) -> Result<Pose, AssemblyError> {
        Ok(self.objects.get(object)?.pose)
    }

    /// Of all that move the object, the one that is itself moved by the most.
    fn parent(&self, object: ObjectId) -> Result<Option<ObjectId>, AssemblyError> {
        let mut parent = None;
        for &above in &self.objects.get(object)?.moved_by {
            let depth = self.objects.get(above)?.moved_by.len();
            if parent.is_none_or(|(deepest, _)| depth > deepest) {
                parent = Some((depth, above));
            }
        }
        Ok(parent.map(|(_, above)| above))
    }

    fn attach(&mut self, child: ObjectId, to: ObjectId) -> Result<(), AssemblyError> {
        let family = self.family(child)?;
        self.objects.get(to)?;
        if family.contains(&to) {
            return Err(AssemblyError::Cycle { child, to });
        }
        self.detach(child)?;
        let mut above = self.objects.get(to)?.moved_by.clone();
        above.insert(to);
        for &member in &family {
            self.objects.get_mut(member)?.moved_by.extend(&above);
        }
        for &mover in &above {
            self.objects.get_mut(mover)?.moves.extend(&family);
        }
        Ok(())
    }

    fn detach(&mut self, object: ObjectId) -> Result<(), AssemblyError> {
        let family = self.family(object)?;
        let above = self.objects.get(object)?.moved_by.clone();
        for &mover in &above {
            self.objects.get_mut(mover)?.moves.retain(|moved| !family.contains(moved));
        }
        for &member in &family {
            self.objects.get_mut(member)?.moved_by.retain(|mover| !above.contains(mover));
        }
        Ok(())
    }

    fn move_by(&mut self, object: ObjectId, by: Pose) -> Result<(), AssemblyError> {
        let by = checked(by)?;
        self.displace(object, by)?;
        self.displace_dependants(object, by)
    }

    /// `by = to * pose^-1` for the dependants; the object itself gets the pose bit by bit.
    fn move_to(&mut self, object: ObjectId, to: Pose) -> Result<(), AssemblyError> {
        let to = checked(to)?;
        let this = self.objects.get_mut(object)?;
        let by = (to * this.pose.inverse()).normalized();
        this.pose = to;
        self.displace_dependants(object, by)
    }

    fn moves(&self, object: ObjectId, found: &mut Vec<ObjectId>) -> Result<(), AssemblyError> {
        found.clear();
        found.extend(&self.objects.get(object)?.moves);
        found.push(object);
        found.sort_unstable();
        Ok(())
    }

    fn moved_by(&self, object: ObjectId, found: &mut Vec<ObjectId>) -> Result<(), AssemblyError> {
        found.clear();
        found.extend(&self.objects.get(object)?.moved_by);
        Ok(())
    }
}
