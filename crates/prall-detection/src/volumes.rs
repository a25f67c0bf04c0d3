//! The bounding volumes of Eckstein (1998) and how pairs of their trees are walked: for comparison.
//!
//! Spheres, boxes along the body's axes ("iso-boxes") and boxes of any orientation; a test for every pair of
//! kinds; volumes that enclose a whole motion; trees of any degree with any mixture of volumes; one-sided,
//! simultaneous and hybrid expansion, with every test counted. [`Hierarchy`](crate::Hierarchy) is what to use;
//! this is what to measure it against.

mod counters;
mod pair_test;
mod swept;
mod swept_tree;
mod traversal;
mod tree;
mod volume;

pub use counters::{MeanCosts, TestCounts};
pub use pair_test::{IsoBoxAgainstBox, volumes_overlap};
pub use swept::{swept_by_length, swept_from_ends};
pub use swept_tree::{Sweep, SweptTree, swept_candidates};
pub use traversal::{Expansion, tree_overlaps};
pub use tree::{TreeError, TreeNode, VolumeTree};
pub use volume::{Volume, VolumeKind};
