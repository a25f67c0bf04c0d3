//! Where things touch, and when first, within a stated amount of work.

mod budget;

pub use budget::Budget;
