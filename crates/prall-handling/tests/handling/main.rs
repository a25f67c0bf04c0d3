//! A held part among obstacles: closed forms, exact samples, repeated runs.

mod area;
mod area_cases;
mod basics;
mod budgets;
mod corner;
mod plan;
mod scenes;
mod shapes;
mod state;
