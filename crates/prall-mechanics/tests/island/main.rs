//! The island solver against closed forms, enumeration and the conditions of the solution.

mod closed_forms;
mod couplings;
mod equations;
mod optimality;
mod promises;
mod scenes;
