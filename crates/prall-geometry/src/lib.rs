//! Geometry as it comes: polygon soups, and what can be known about them.

mod soup;

mod groups;
mod mesh;
mod polygon;
mod triangulate;
mod weld;

pub use soup::{PolygonSoup, SoupError};

pub use mesh::{DegenerateFace, FaceDefect, Mesh, MeshError, MeshOptions, Plane, SelfIntersectingFaces};
pub use weld::Weld;
