//! When shapes first touch, held to closed forms, to distances at many instants and to the query for meshes.

mod closed_forms;
mod metamorphic;
mod oracle;
mod sampled;
mod spinners;
mod sticks;

#[path = "../detection/random.rs"]
mod random;
