//! Geometry as it comes: polygon soups, and what can be known about them.
//!
//! From a file ([`files`]) or a generator ([`generate`]) comes a [`PolygonSoup`]; [`Mesh`] puts it in order and
//! [`Diagnosis`] says what is wrong with it. [`HalfEdges`] and [`Edges`] tell how faces hang together and which edges can
//! be touched, [`MassProperties`] what a body weighs. [`Shape`] is what bodies are made of: primitives, [`ConvexHull`]s,
//! meshes, height fields and compounds, with [`Aabb`], [`OrientedBox`] and [`BoundingSphere`] around them.

mod soup;

pub use soup::{PolygonSoup, SoupError};

mod components;
mod diagnosis;
mod edge_helpers;
mod edges;
mod groups;
mod half_edges;
mod integrals;
mod mass;
mod mass_of_solids;
mod mass_of_surfaces;
mod mesh;
mod orientation;
mod pieces;
mod planar_index;
mod polygon;
mod principal_axes;
mod triangulate;
mod weld;
mod winding;

pub use components::Components;
pub use diagnosis::Diagnosis;
pub use edge_helpers::EdgeHelpers;
pub use edges::{EdgeError, EdgeKind, EdgeOptions, Edges, dihedral_angle};
pub use half_edges::HalfEdges;
pub use mass::{Amount, MassError, MassProperties};
pub use mesh::{DegenerateFace, FaceDefect, Mesh, MeshError, MeshOptions, Plane, SelfIntersectingFaces};
pub use orientation::{OrientationError, Oriented};
pub use weld::Weld;

pub mod curves;
pub mod files;
pub mod generate;

mod bounding;
pub mod closest;
mod hull;
mod predicates;
mod ray;
mod shape;

pub use bounding::{Aabb, BoundingSphere, BoxMeasure, FitError, OrientedBox, SphereFit};
pub use hull::{ConvexHull, HullEdge, HullError};
pub use ray::{Part, Ray, RayError, RayHit};
pub use shape::{
    Capsule, Compound, Cone, Cuboid, Cylinder, HalfSpace, Heightfield, Shape, ShapeError, ShapeMassError,
    Sphere, SurfaceError, SurfacePoint, TriangleMesh,
};
