//! Where things touch, and when first, within a stated amount of work.

mod budget;

pub use budget::Budget;

// Many objects.
mod assembly;
mod carried;
mod index;
mod step_control;
mod swept_box;

pub use assembly::{Assembly, AssemblyError, GlobalPoses, LocalPoses, ObjectId};
pub use index::{Filter, IndexError, Method, Pair, PairIndex, Pairs, ProxyId, box_distance};
pub use step_control::{
    Detection, Distribution, Encounter, GroupOutcome, MovingPair, PairOutcome, PairTest, StepControl,
    StepError,
};
pub use swept_box::{SweptBox, swept_box};
