//! Near features of two bodies, held against brute force over all pairs of features, closed forms and exact rationals.

#[path = "../detection/exact.rs"]
#[allow(dead_code, reason = "shared with the tests of detection, which need more of it")]
mod exact;
#[path = "../detection/random.rs"]
#[allow(dead_code, reason = "shared with the tests of detection, which need more of it")]
mod random;

mod bodies;
mod brute_force;
mod gap_functions;
mod kept;
mod parallel_edges;
mod proven_distance;
mod queries;
mod round_shapes;
mod sheets;
mod touching;
mod turned_shapes;
