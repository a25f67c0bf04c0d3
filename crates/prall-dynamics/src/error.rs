//! [`WorldError`]: what a world refuses. Whatever is refused leaves the world as it was.

use prall_detection::{IndexError, TouchableError};
use prall_geometry::{MassError, ShapeMassError};
use prall_math::Pose;
use prall_mechanics::{BodyError, ContactLawError};
use thiserror::Error;

use crate::{BodyHandle, JointHandle, MoverHandle};

/// Why a world refused something.
#[derive(Clone, Debug, Error)]
pub enum WorldError {
    /// A body that is not there, or no longer.
    #[error("there is no body {0:?} in this world; it may have been removed")]
    NoSuchBody(BodyHandle),
    /// A joint that is not there, or no longer.
    #[error("there is no joint {0:?} in this world; it may have been removed or broken")]
    NoSuchJoint(JointHandle),
    /// A mover that is not there, or no longer.
    #[error("there is no mover {0:?} in this world; it may have been removed")]
    NoSuchMover(MoverHandle),
    /// A number that is none, or out of range.
    #[error("{what} is {value}; it must be {wanted}")]
    Number {
        /// Whose number.
        what: &'static str,
        /// As it was given.
        value: f64,
        /// What would be right.
        wanted: &'static str,
    },
    /// A vector with a component that is not finite.
    #[error("{what} is {value}; all components must be finite")]
    Vector {
        /// Whose vector.
        what: &'static str,
        /// As it was given.
        value: glam::DVec3,
    },
    /// A pose that is no rigid placement.
    #[error(
        "the pose of {what} has a number that is not finite or a quaternion that is not of unit length: {pose:?}"
    )]
    Pose {
        /// Whose pose.
        what: &'static str,
        /// As it was given.
        pose: Pose,
    },
    /// A dynamic body without mass.
    #[error("a dynamic body needs a mass: give it shapes with a density, or mass properties")]
    NoMass,
    /// Mass properties that no body has.
    #[error("mass properties of the body: {0}")]
    Mass(#[from] MassError),
    /// A shape without mass.
    #[error("shape {shape} of the body: {source}")]
    ShapeMass {
        /// Index of the shape.
        shape: usize,
        /// What is wrong.
        source: ShapeMassError,
    },
    /// Mass or inertia out of range.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// A shape that cannot be touched.
    #[error("shape {shape} of the body: {source}")]
    Touchable {
        /// Index of the shape.
        shape: usize,
        /// What is wrong.
        source: TouchableError,
    },
    /// Material out of range.
    #[error("material of the body: {0}")]
    Material(#[from] ContactLawError),
    /// The pair index refused a box or a query.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The ground cannot be removed or changed.
    #[error("the ground belongs to the world; it can neither be removed nor changed")]
    Ground,
    /// A joint needs two bodies.
    #[error("a joint cannot join {0:?} to itself; it needs two bodies")]
    JointToItself(BodyHandle),
    /// A joint's parameter is impossible.
    #[error("the joint's {0}")]
    Joint(String),
    /// A coordinate that a joint does not have.
    #[error("joint {joint:?} has {count} coordinates; there is no number {coordinate}")]
    NoSuchCoordinate {
        /// Which joint.
        joint: JointHandle,
        /// Asked for.
        coordinate: usize,
        /// How many there are.
        count: usize,
    },
    /// The body is not of the kind that this is for.
    #[error("body {0:?} is not {1}")]
    WrongKind(BodyHandle, &'static str),
    /// Shapes for links that a mover does not have.
    #[error("the mover has {links} links, but shapes were given for link {link}")]
    NoSuchLink {
        /// Asked for.
        link: u32,
        /// How many there are.
        links: usize,
    },
    /// A saved state that cannot be taken back.
    #[error("this saved state cannot be restored: {0}")]
    State(String),
}

pub(crate) fn finite(what: &'static str, value: glam::DVec3) -> Result<glam::DVec3, WorldError> {
    if value.is_finite() { Ok(value) } else { Err(WorldError::Vector { what, value }) }
}

pub(crate) fn valid_pose(what: &'static str, pose: Pose) -> Result<Pose, WorldError> {
    if pose.is_valid() { Ok(pose.normalized()) } else { Err(WorldError::Pose { what, pose }) }
}

pub(crate) fn positive(what: &'static str, value: f64) -> Result<f64, WorldError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(WorldError::Number { what, value, wanted: "a finite number above 0" })
    }
}
