//! Geometry as it comes: polygon soups, and what can be known about them.

mod soup;

pub use soup::{PolygonSoup, SoupError};
