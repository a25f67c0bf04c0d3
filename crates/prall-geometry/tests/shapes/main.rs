//! Hulls, bounding volumes, closest points and shapes against oracles that share no code with them.

mod bounding;
mod closest;
mod common;
mod heightfield;
mod hull;
mod integer_hull;
mod meshes;
mod solids;
