//! Mesh files: OBJ, STL, PLY, glTF 2.0 and COLLADA in, OBJ, STL, PLY and GLB out.
//!
//! What every reader promises, for any bytes whatsoever:
//! - bad content is an `Err` that names the place in the file (line, byte, or item of the JSON) and what would be
//!   right; there is no panic and no silent repair;
//! - memory stays within a fixed multiple of the file's size: a count in a header is believed only after the bytes
//!   for it have been seen to be there (`tests/files/memory.rs` holds the readers to that);
//! - polygons stay polygons, doubles stay doubles, vertices keep their order.
//!
//! The readers are written by hand. The crates at hand for these formats were looked at and fall short of those
//! promises: `tobj` 4 names no line in its errors, `stl_io` 0.11 keeps single precision and merges vertices through a hash
//! map, `ply-rs-bw` 4 builds a map of strings for every vertex unless one writes the element types by hand, and `gltf` 1
//! computes the range of an accessor without a check for overflow and joins external file names to the directory as
//! they come. JSON itself is read by `serde_json`, base64 by `base64`.

mod collada;
mod error;
mod format;
mod gather;
mod glb_write;
mod gltf;
mod model;
mod obj_read;
mod obj_write;
mod options;
mod ply_header;
mod ply_read;
mod ply_write;
mod read;
mod stl_read;
mod stl_write;
mod text;
mod triangulate;
mod write;
mod xml_depth;

pub use error::{FileError, Place};
pub use format::Format;
pub use model::{Model, ModelError, Node, Part};
pub use options::{ReadOptions, UpAxis};
pub use read::{read_model, read_model_from_bytes};
pub use write::{WriteFormat, write_model, write_model_as, write_model_to_bytes};
pub use xml_depth::{MAX_XML_DEPTH, xml_too_deep};
