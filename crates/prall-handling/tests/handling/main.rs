//! A held part among obstacles: closed forms, exact samples, repeated runs.

mod area;
mod area_cases;
mod askew;
mod basics;
mod buck;
mod buck_friction;
mod buck_shake;
mod buck_thread;
mod buck_times;
mod budgets;
mod corner;
mod feel;
mod plan;
mod scenes;
mod shapes;
mod situations;
mod state;
