//! Friction of areas: what three contacts say of a body that slides on a face, beside what the face says (Buck 1999, chapter 8).
//!
//! A body held by contacts rests on at most three points of a plane. Forces and ways are exact then, and so is friction while it moves without turning; while it turns,
//! points at the rim brake more than the area does. [`Slide`] has any number of points under a pressure that is linear or a power of the
//! coordinates, and with three it is what the filter has: the reference against which the error is measured.

mod polygon;
mod pressure;
mod slide;

pub use polygon::{SupportPolygon, TripleSupport};
pub use pressure::Pressure;
pub use slide::{Slide, SlideState};
