//! Where things touch, and when first, within a stated amount of work.

mod budget;

pub use budget::Budget;

// Many objects.
mod index;

pub use index::{Filter, IndexError, Method, Pair, PairIndex, Pairs, ProxyId, box_distance};
