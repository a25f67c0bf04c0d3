//! What can be wrong with a request.

use prall_math::Pose;
use thiserror::Error;

use crate::assembly::ObjectId;

/// Why a hierarchy could not be built or loaded.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum HierarchyError {
    /// No triangles.
    #[error("there are no triangles; a body needs at least one")]
    Empty,
    /// More triangles than a hierarchy can count.
    #[error("{count} triangles are more than the {most} that one hierarchy can hold; split the body")]
    TooManyTriangles {
        /// How many were given.
        count: usize,
        /// How many are possible.
        most: usize,
    },
    /// A coordinate is not finite or too large.
    #[error("triangle {triangle} has a coordinate that is not a number of at most {largest} m")]
    Coordinate {
        /// Index of the triangle.
        triangle: usize,
        /// Largest absolute value, in metres.
        largest: f64,
    },
    /// An impossible leaf size.
    #[error("a leaf holds 1 to {largest} triangles, not {leaf_size}")]
    LeafSize {
        /// What was asked for.
        leaf_size: usize,
        /// What is possible.
        largest: usize,
    },
    /// A box does not contain what it should.
    #[error("the box of node {node} does not contain its triangles; build the hierarchy again")]
    BoxMissesContent {
        /// Index of the node.
        node: usize,
    },
    /// A stored hierarchy is of another version.
    #[error("the stored hierarchy has format {found}, this program reads format {expected}; build it again")]
    Version {
        /// In the file.
        found: u32,
        /// What can be read.
        expected: u32,
    },
    /// A stored hierarchy belongs to other triangles.
    #[error("the stored hierarchy was built for other triangles; build it again")]
    OtherTriangles,
    /// A stored hierarchy is damaged.
    #[error("the stored hierarchy is damaged ({what}); build it again")]
    Damaged {
        /// What was found to be wrong.
        what: &'static str,
    },
}

/// Why a query could not be answered at all.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum QueryError {
    /// An option has a value that makes no sense.
    #[error("{option} is {value}; it must be {wanted}")]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Its value.
        value: f64,
        /// What would be right.
        wanted: &'static str,
    },
    /// A body whose place is none.
    #[error(
        "the pose {pose:?} of body {body} is no rigid placement: its numbers must be finite, its position within 1e15 m of the \
         origin and its quaternion of unit length to 1e-9"
    )]
    Pose {
        /// "A" or "B".
        body: &'static str,
        /// As it was given.
        pose: Pose,
    },
    /// A motion law gives no finite bound on its speed.
    #[error("the motion of body {body} has no finite bound on its speed between t = {t0} and {t1}")]
    UnboundedMotion {
        /// "A" or "B".
        body: &'static str,
        /// Start of the interval.
        t0: f64,
        /// End of the interval.
        t1: f64,
    },
    /// An object that nobody has given a solid.
    #[error("{0:?} has no solid; give it one before it is tested")]
    NoSolid(ObjectId),
}
