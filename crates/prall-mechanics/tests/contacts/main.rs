//! Contacts at work in a small world, against closed forms and conservation laws.

mod friction;
mod impacts;
mod movers;
mod promises;
mod stacks;
mod world;
