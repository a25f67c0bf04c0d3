//! Geometry as it comes: polygon soups, and what can be known about them.

mod files;
mod soup;

pub use files::{
    FileError, Format, Model, ModelError, Node, Part, Place, ReadOptions, UpAxis, WriteFormat, read_model,
    read_model_from_bytes, write_model, write_model_as, write_model_to_bytes,
};
pub use soup::{PolygonSoup, SoupError};
