//! A held part among obstacles: closed forms, exact samples, repeated runs.

mod basics;
mod corner;
mod scenes;
mod shapes;
