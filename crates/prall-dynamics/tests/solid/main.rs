//! Bodies that never overlap.

mod rest;
mod support;
