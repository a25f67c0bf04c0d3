//! Bodies that never overlap.

mod bad_input;
mod driven;
mod drives;
mod guides;
mod held;
mod hold;
mod laws;
mod parity;
mod rest;
mod safety;
mod slide;
mod support;
mod threads;
mod throws;
mod turned;
