//! Where things touch, and when first, within a stated amount of work.
//!
//! No false negative, ever: an answer is proven, rounding included, or says that it is not finished.

mod budget;
mod certificate;
mod contact;
mod distance;
mod error;
mod hierarchy;
mod overlap;
mod placement;
mod relative_motion;
mod time_of_impact;
mod time_queue;
mod triangle;
mod workspace;

#[cfg(test)]
#[path = "../tests/detection/random.rs"]
mod random;

pub use budget::Budget;
pub use contact::{ContactPoint, Feature, FeaturePair};
pub use distance::{DistanceOptions, distance};
pub use error::{HierarchyError, QueryError};
pub use hierarchy::{BuildOptions, FORMAT_VERSION, Hierarchy, LARGEST_COORDINATE};
pub use overlap::{all_overlaps, overlap};
pub use time_of_impact::{ImpactOptions, TimeOfImpact, time_of_impact};
pub use triangle::{
    ConvexFace, EdgeFaceHit, FaceError, Part, TriangleDistance, edge_meets_face, faces_meet,
    triangle_distance, triangles_overlap,
};
pub use workspace::Workspace;

// Shapes at an instant.
mod convex;
mod manifold;

pub use contact::ShapePart;
pub use convex::{Separation, separation};
pub use manifold::{ManifoldOptions, Manifolds, Touchable, TouchableError, find_manifolds};
