//! Trees of bodies, held to conservation laws, closed forms and other ways to compute the same.

mod equations;
mod guided;
mod light_frames;
mod look_ahead;
mod percussions;
mod scenes;
mod stable_step;
