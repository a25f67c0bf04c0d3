//! The mathematics of rigid motion, shared by every crate of Prall.

mod pose;

pub use pose::Pose;
