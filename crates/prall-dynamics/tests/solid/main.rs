//! Bodies that never overlap.

mod support;
mod rest;
