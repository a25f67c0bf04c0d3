//! Where things touch, and when first, within a stated amount of work.
//!
//! No false negative, ever: an answer is proven, rounding included, or says that it is not finished.

mod batch;
mod budget;
mod certificate;
mod clash;
mod contact;
mod distance;
mod error;
mod hierarchy;
mod near;
mod node_pair;
mod norm;
mod overlap;
mod path;
mod placement;
mod relative_motion;
mod shape_impact;
mod time_of_impact;
mod time_queue;
mod triangle;
pub mod volumes;
mod workspace;

#[cfg(test)]
#[path = "../tests/detection/random.rs"]
mod random;

pub use batch::{Batch, MovingBodies, PlacedBodies};
pub use budget::Budget;
pub use clash::{AssemblyPart, Clash, ClashKind, all_triangles, clash, triangles_cross_by};
pub use contact::{ContactPoint, Feature, FeaturePair};
pub use distance::{DistanceOptions, distance};
pub use error::{HierarchyError, QueryError};
pub use hierarchy::{BuildOptions, FORMAT_VERSION, Hierarchy, LARGEST_COORDINATE, Preparation};
pub use near::{
    Boundary, NearAnswer, NearFeature, NearKind, NearOptions, NearState, all_near, distance_bound,
    near_features,
};
pub use overlap::{all_overlaps, overlap};
pub use path::{Clearance, Interpolation, Path, PathAnswer, PathError, PathQuery, Waypoint};
pub use shape_impact::shape_time_of_impact;
pub use time_of_impact::{ImpactOptions, TimeOfImpact, time_of_impact};
pub use triangle::{
    ConvexFace, EdgeFaceHit, FaceError, Part, TriangleDistance, edge_meets_face, faces_meet,
    triangle_distance, triangles_overlap,
};
pub use workspace::Workspace;

// Many objects.
mod assembly;
mod box_errors;
mod carried;
mod index;
mod overlap_search;
mod solid;
mod solids;
mod step_control;
mod swept_box;

pub use assembly::{Assembly, AssemblyError, GlobalPoses, LocalPoses, ObjectId};
pub use index::{Filter, IndexError, Method, Pair, PairIndex, Pairs, ProxyId, box_distance};
pub use solid::{Solid, SolidError};
pub use solids::{SolidSearch, Solids, TestMode};
pub use step_control::{
    Detection, Distribution, Encounter, Estimate, GroupOutcome, MovingPair, PairOutcome, PairTest,
    StepControl, StepError,
};
pub use swept_box::{SweptBox, swept_box};

// Shapes at an instant.
mod convex;
mod manifold;

pub use contact::ShapePart;
pub use convex::{Separation, separation};
pub use manifold::{
    ManifoldCache, ManifoldOptions, Manifolds, Touchable, TouchableError, find_manifolds,
    find_manifolds_cached,
};
