//! [`Assembly`]: objects, where they are, and which of them go along when one is moved.
//!
//! Dependencies form a forest: a cup hangs on the table it stands on, a hand on the forearm. Eckstein 1998 (appendix
//! B) gives two ways to store them; both are here, and tell the same.

mod arena;
mod global_poses;
mod local_poses;

use prall_math::Pose;
use thiserror::Error;

pub use arena::ObjectId;
pub use global_poses::GlobalPoses;
pub use local_poses::LocalPoses;

/// What an assembly refuses; nothing has changed then.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum AssemblyError {
    /// An object that is not there, or no longer.
    #[error("there is no object {0:?} in this assembly; it may have been removed")]
    NoSuchObject(ObjectId),
    /// Nothing can hang on itself, directly or indirectly.
    #[error("{child:?} cannot be attached to {to:?}, which it moves; detach {to:?} first")]
    Cycle {
        /// What was to be attached.
        child: ObjectId,
        /// To what.
        to: ObjectId,
    },
    /// Not a rigid placement.
    #[error(
        "the pose {0:?} is no rigid placement: its numbers must be finite and its quaternion of unit length to 1e-9"
    )]
    BadPose(Pose),
}

/// Objects with poses in the world, attached to each other.
///
/// Poses are world poses throughout. Attaching and detaching moves nothing.
pub trait Assembly {
    /// A new object, attached to nothing.
    fn add(&mut self, pose: Pose) -> Result<ObjectId, AssemblyError>;

    /// Takes an object out. What was attached to it stays where it is, attached to nothing.
    fn remove(&mut self, object: ObjectId) -> Result<(), AssemblyError>;

    /// Where an object is.
    fn pose(&self, object: ObjectId) -> Result<Pose, AssemblyError>;

    /// What an object is attached to.
    fn parent(&self, object: ObjectId) -> Result<Option<ObjectId>, AssemblyError>;

    /// From now on `child` and what it moves go along with `to`, instead of what `child` was attached to before.
    fn attach(&mut self, child: ObjectId, to: ObjectId) -> Result<(), AssemblyError>;

    /// Attached to nothing any more.
    fn detach(&mut self, object: ObjectId) -> Result<(), AssemblyError>;

    /// Moves an object and what it moves by a displacement in the world: `pose = by * pose` for each.
    fn move_by(&mut self, object: ObjectId, by: Pose) -> Result<(), AssemblyError>;

    /// Moves an object to a pose, and what it moves along.
    fn move_to(&mut self, object: ObjectId, to: Pose) -> Result<(), AssemblyError>;

    /// All that moves if the object is moved, itself included, in the order of ids; `found` is emptied first.
    fn moves(&self, object: ObjectId, found: &mut Vec<ObjectId>) -> Result<(), AssemblyError>;

    /// All that moves the object if it is moved, without itself, in the order of ids; `found` is emptied first.
    fn moved_by(&self, object: ObjectId, found: &mut Vec<ObjectId>) -> Result<(), AssemblyError>;
}

fn checked(pose: Pose) -> Result<Pose, AssemblyError> {
    if pose.is_valid() { Ok(pose.normalized()) } else { Err(AssemblyError::BadPose(pose)) }
}
