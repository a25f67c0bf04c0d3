//! Detection against oracles that share no code with it.

mod at_an_instant;
mod bad_input;
mod batch;
mod bodies;
mod exact;
mod exact_motions;
mod exact_triangles;
mod interlocked;
mod interval;
mod meshes;
mod motions;
mod parts;
mod paths;
mod random;
mod screws;
mod soak;
mod solids;
mod stored;
mod volumes;
