//! The world against closed forms, conservation laws and itself computed another way.

mod account;
mod air;
mod anytime;
mod bad_input;
mod bodies;
mod contacts;
mod energy;
mod exact;
mod impacts;
mod joints;
mod movers;
mod rolling;
mod sleep;
mod solvers;
mod state;
mod statics;
mod support;
mod sweep;
mod trees;
mod whirling;
