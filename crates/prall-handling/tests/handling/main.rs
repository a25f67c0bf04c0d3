//! A held part among obstacles: closed forms, exact samples, repeated runs.

mod basics;
mod budgets;
mod corner;
mod scenes;
mod shapes;
mod state;
