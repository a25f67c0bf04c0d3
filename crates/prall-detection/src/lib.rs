//! Where things touch, and when first, within a stated amount of work.

mod budget;

pub use budget::Budget;

// Many objects.
mod assembly;
mod index;
mod swept_box;

pub use assembly::{Assembly, AssemblyError, GlobalPoses, LocalPoses, ObjectId};
pub use index::{Filter, IndexError, Method, Pair, PairIndex, Pairs, ProxyId, box_distance};
pub use swept_box::{SweptBox, swept_box};
