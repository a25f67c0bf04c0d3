//! [`LocalPoses`]: each object knows where it is on what it is attached to.

use prall_math::Pose;

use super::arena::{Arena, ObjectId};
use super::{Assembly, AssemblyError, checked};

#[derive(Clone, Debug)]
struct Object {
    /// Relative to the parent; without one, in the world.
    local: Pose,
    parent: Option<ObjectId>,
    children: Vec<ObjectId>,
}

/// Poses relative to the parent: moving an object writes one pose, reading one multiplies the chain to the root,
/// `T = L_root ... L_parent L` (Eckstein 1998, appendix B). Parts of a mechanism keep their places on each other
/// bit by bit.
#[derive(Clone, Debug, Default)]
pub struct LocalPoses {
    objects: Arena<Object>,
}

impl LocalPoses {
    /// No objects.
    pub fn new() -> LocalPoses {
        LocalPoses::default()
    }

    /// Pose of the parent in the world.
    fn frame(&self, object: ObjectId) -> Result<Pose, AssemblyError> {
        self.objects.get(object)?.parent.map_or(Ok(Pose::IDENTITY), |parent| self.pose(parent))
    }

    /// Changes what an object is attached to; it stays where it is.
    fn hang(&mut self, object: ObjectId, to: Option<ObjectId>) -> Result<(), AssemblyError> {
        let world = self.pose(object)?;
        let frame = to.map_or(Ok(Pose::IDENTITY), |to| self.pose(to))?;
        let before = self.objects.get(object)?.parent;
        if let Some(before) = before {
            self.objects.get_mut(before)?.children.retain(|&child| child != object);
        }
        if let Some(to) = to {
            self.objects.get_mut(to)?.children.push(object);
        }
        let this = self.objects.get_mut(object)?;
        this.parent = to;
        this.local = (frame.inverse() * world).normalized();
        Ok(())
    }
}

impl Assembly for LocalPoses {
    fn add(&mut self, pose: Pose) -> Result<ObjectId, AssemblyError> {
        let local = checked(pose)?;
        Ok(self.objects.add(Object { local, parent: None, children: Vec::new() }))
    }

    fn remove(&mut self, object: ObjectId) -> Result<(), AssemblyError> {
        while let Some(&child) = self.objects.get(object)?.children.last() {
            self.hang(child, None)?;
        }
        self.hang(object, None)?;
        self.objects.remove(object).map(|_| ())
    }

    fn pose(&self, object: ObjectId) -> Result<Pose, AssemblyError> {
        let mut this = self.objects.get(object)?;
        let mut pose = this.local;
        while let Some(parent) = this.parent {
            this = self.objects.get(parent)?;
            pose = this.local * pose;
        }
        Ok(pose.normalized())
    }

    fn parent(&self, object: ObjectId) -> Result<Option<ObjectId>, AssemblyError> {
        Ok(self.objects.get(object)?.parent)
    }

    fn attach(&mut self, child: ObjectId, to: ObjectId) -> Result<(), AssemblyError> {
        self.objects.get(child)?;
        let mut above = Some(to);
        while let Some(object) = above {
            if object == child {
                return Err(AssemblyError::Cycle { child, to });
            }
            above = self.objects.get(object)?.parent;
        }
        self.hang(child, Some(to))
    }

    fn detach(&mut self, object: ObjectId) -> Result<(), AssemblyError> {
        self.hang(object, None)
    }

    /// With the parent's pose P: `L = P^-1 by P L`.
    fn move_by(&mut self, object: ObjectId, by: Pose) -> Result<(), AssemblyError> {
        let by = checked(by)?;
        let frame = self.frame(object)?;
        let this = self.objects.get_mut(object)?;
        this.local = (frame.inverse() * by * frame * this.local).normalized();
        Ok(())
    }

    /// With the parent's pose P: `L = P^-1 to`.
    fn move_to(&mut self, object: ObjectId, to: Pose) -> Result<(), AssemblyError> {
        let to = checked(to)?;
        let frame = self.frame(object)?;
        self.objects.get_mut(object)?.local = (frame.inverse() * to).normalized();
        Ok(())
    }

    fn moves(&self, object: ObjectId, found: &mut Vec<ObjectId>) -> Result<(), AssemblyError> {
        found.clear();
        self.objects.get(object)?;
        found.push(object);
        let mut next = 0;
        while let Some(&above) = found.get(next) {
            found.extend_from_slice(&self.objects.get(above)?.children);
            next += 1;
        }
        found.sort_unstable();
        Ok(())
    }

    fn moved_by(&self, object: ObjectId, found: &mut Vec<ObjectId>) -> Result<(), AssemblyError> {
        found.clear();
        let mut this = self.objects.get(object)?;
        while let Some(parent) = this.parent {
            found.push(parent);
            this = self.objects.get(parent)?;
        }
        found.sort_unstable();
        Ok(())
    }
}
