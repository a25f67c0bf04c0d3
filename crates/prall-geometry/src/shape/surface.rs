//! Surfaces of shapes as polygons, for drawing.

use glam::DAffine3;
use thiserror::Error;

use super::Shape;
use crate::generate::{self, GenerateError};
use crate::soup::{PolygonSoup, SoupError};

/// Why a shape has no surface to draw.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SurfaceError {
    /// The surface goes on for ever.
    #[error("a half-space has no end; draw a large box or a grid in its place")]
    Unbounded,
    /// The primitive was not generated.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The soup could not be put together.
    #[error(transparent)]
    Soup(#[from] SoupError),
}

impl Shape {
    /// The surface as polygons in the shape's own frame; round shapes get this many segments around (at least 3). Corners are on the
    /// true surface.
    pub fn surface_soup(&self, segments: u32) -> Result<PolygonSoup, SurfaceError> {
        let rings = (segments / 4).max(2);
        Ok(match self {
            Shape::Sphere(s) => generate::uv_sphere(s.radius(), segments, 2 * rings)?,
            Shape::Box(s) => generate::cuboid(2.0 * s.half_extents())?,
            Shape::Capsule(s) if s.half_height() == 0.0 => {
                generate::uv_sphere(s.radius(), segments, 2 * rings)?
            }
            Shape::Capsule(s) => generate::capsule(s.radius(), 2.0 * s.half_height(), segments, rings)?,
            Shape::Cylinder(s) => generate::cylinder(s.radius(), 2.0 * s.half_height(), segments)?,
            Shape::Cone(s) => generate::cone(s.radius(), 2.0 * s.half_height(), segments)?,
            Shape::HalfSpace(_) => return Err(SurfaceError::Unbounded),
            Shape::ConvexHull(s) => s.to_soup(),
            Shape::TriangleMesh(s) => s.mesh().to_soup(),
            Shape::Heightfield(s) => s.to_soup()?,
            Shape::Compound(s) => {
                let mut whole = PolygonSoup::new();
                for (pose, child) in s.children() {
                    let map = DAffine3::from_rotation_translation(pose.rotation, pose.translation);
                    whole.append(&child.surface_soup(segments)?.transformed(&map)?)?;
                }
                whole
            }
        })
    }
}
