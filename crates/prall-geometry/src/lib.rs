//! Geometry as it comes: polygon soups, and what can be known about them.

mod files;
mod soup;

mod components;
mod diagnosis;
mod edge_helpers;
mod edges;
pub mod generate;
mod groups;
mod half_edges;
mod integrals;
mod mass;
mod mass_of_solids;
mod mesh;
mod orientation;
mod pieces;
mod polygon;
mod principal_axes;
mod triangulate;
mod weld;
mod winding;

pub use files::{
    FileError, Format, Model, ModelError, ModelPart, Node, Place, ReadOptions, UpAxis, WriteFormat, read_model,
    read_model_from_bytes, write_model, write_model_as, write_model_to_bytes,
};
pub use soup::{PolygonSoup, SoupError};

pub use components::Components;
pub use diagnosis::Diagnosis;
pub use edge_helpers::EdgeHelpers;
pub use edges::{EdgeError, EdgeKind, EdgeOptions, Edges, dihedral_angle};
pub use half_edges::HalfEdges;
pub use mass::{Amount, MassError, MassProperties};
pub use mesh::{DegenerateFace, FaceDefect, Mesh, MeshError, MeshOptions, Plane, SelfIntersectingFaces};
pub use orientation::{OrientationError, Oriented};
pub use weld::Weld;

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
    Sphere, SurfacePoint, TriangleMesh,
};
