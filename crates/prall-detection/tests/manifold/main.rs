//! Contacts of shapes at an instant, held against closed forms and brute force.

#[path = "../detection/random.rs"]
mod random;

mod closed_forms;
mod convex_pairs;
mod degenerate;
mod mesh_pairs;
mod metamorphic;
mod oracle;
mod remembered;
mod steady_state;
mod surfaces;
