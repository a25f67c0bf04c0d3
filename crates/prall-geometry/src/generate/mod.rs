//! Meshes made by code: boxes, round things, prisms, terrain, funnels.
//!
//! Every generator returns a [`PolygonSoup`] that is watertight and oriented outward, with shared vertices
//! (no welding needed) and planar polygons kept whole. Sizes are in metres, y is up, and the axis of round
//! things is y. A parameter that makes no sense is an error.
//!
//! ```
//! use prall_geometry::{Amount, HalfEdges, MassProperties, Mesh, MeshOptions, generate};
//!
//! let soup = generate::cylinder(0.1, 0.5, 64)?;
//! let mesh = Mesh::from_soup(&soup, &MeshOptions::default())?;
//! let steel = MassProperties::of_mesh(&mesh, &HalfEdges::new(&mesh), Amount::Density(7800.0))?;
//! assert!((steel.mass - 122.3).abs() < 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A tessellated round thing has its vertices on the true surface, so it lies within it where that is
//! convex.

mod blocks;
mod funnel;
mod lathe;
mod prism;
mod revolved;
mod round;
mod spheres;
mod terrain;
mod thread;

pub use blocks::{brick, cuboid};
pub use funnel::{Funnel, funnel};
pub use prism::prism;
pub use revolved::revolved;
pub use round::{cone, cylinder, torus, tube};
pub use spheres::{capsule, ico_sphere, uv_sphere};
pub use terrain::{fractal_noise, terrain};
pub use thread::{Thread, bolt, nut};

use thiserror::Error;

#[cfg(doc)]
use crate::soup::PolygonSoup;
use crate::soup::SoupError;

/// Why a shape cannot be generated.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum GenerateError {
    /// A length that is out of range.
    #[error("{quantity} is {value} m; it must be more than {above} m and finite")]
    Length {
        /// Which length.
        quantity: &'static str,
        /// The value given.
        value: f64,
        /// What it must exceed.
        above: f64,
    },
    /// A number of segments, rings or the like that is out of range.
    #[error("number of {quantity} is {value}; it must be from {least} to {most}")]
    Count {
        /// Of what.
        quantity: &'static str,
        /// The value given.
        value: u32,
        /// The least that makes a solid.
        least: u32,
        /// The most that is generated.
        most: u32,
    },
    /// An outline that is no simple polygon.
    #[error(
        "the outline {problem}; it must be a polygon of 3 or more corners with an area that does not cross itself"
    )]
    Outline {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The result has too many vertices or corners.
    #[error(transparent)]
    Soup(#[from] SoupError),
}

/// Passes on a length that is finite and more than `above`.
fn length(quantity: &'static str, value: f64, above: f64) -> Result<f64, GenerateError> {
    if value.is_finite() && value > above {
        Ok(value)
    } else {
        Err(GenerateError::Length { quantity, value, above })
    }
}

/// Passes on a length that is finite and not negative.
fn length_or_zero(quantity: &'static str, value: f64) -> Result<f64, GenerateError> {
    if value == 0.0 { Ok(value) } else { length(quantity, value, 0.0) }
}

/// The most segments around an axis, or along a side: beyond this a vertex moves by less than rounding of a
/// viewer's coordinates.
const MOST_SEGMENTS: u32 = 65536;

/// Passes on a count from `least` to [`MOST_SEGMENTS`].
fn count(quantity: &'static str, value: u32, least: u32) -> Result<u32, GenerateError> {
    let most = MOST_SEGMENTS;
    if (least..=most).contains(&value) {
        Ok(value)
    } else {
        Err(GenerateError::Count { quantity, value, least, most })
    }
}
