//! Mesh files from the outside: what goes through them, and what hostile bytes can do.

mod collada;
mod common;
mod gltf;
mod memory;
mod mutation;
mod robustness;
mod round_trip;
