//! What a recording says of a part that was handled: its path, whether that is proven free, and documents that an engineer can send.
//!
//! A recording holds what was done. The path is computed again from it, bit by bit, and then judged by the certified time of impact, which knows
//! triangles and poses only and nothing of the filter.

mod animation;
mod certificate;
mod document;
mod path;

pub use animation::animation;
pub use certificate::{Certificate, Place, certify};
pub use document::document;
pub use path::{HandledPath, PartPath, Sample, handled_path};
