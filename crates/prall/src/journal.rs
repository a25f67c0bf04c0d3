//! [`Entry`]: everything that was done to a simulation, one thing after the other.
//!
//! A simulation gives the same bits for the same calls, so that a saved state and what was done since then are as good as
//! the states themselves. Going back in time and recordings both rest on this.

use glam::DVec3;
use prall_scenes::{Addition, BodyAction, Budget, Input, Ray, Simulation};
use serde::{Deserialize, Serialize};

/// Something done between two steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// A parameter was changed.
    Set {
        /// Which.
        key: String,
        /// To what.
        value: f64,
    },
    /// The solver was changed.
    Solver(String),
    /// Back to the start.
    Reset,
    /// A body was taken hold of.
    Grab {
        /// Where the ray began.
        origin: DVec3,
        /// Where it went.
        direction: DVec3,
    },
    /// It was let go.
    Release,
    /// Something was done to a body.
    Act {
        /// Its index.
        body: usize,
        /// What.
        action: BodyAction,
    },
    /// The state was replaced by a saved one.
    Restore(Vec<u8>),
    /// A body was added.
    Add(Box<Addition>),
    /// A joint of a machine was put somewhere.
    Joint {
        /// Its number among the scene's joint coordinates.
        joint: usize,
        /// In m or degrees.
        position: f64,
    },
}

/// A time step: what it was given, so that it can be taken again without a clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What people did.
    pub input: Input,
    /// Most work units.
    pub limit: u64,
    /// Work units used when the clock or the limit ended the step early.
    pub cut: Option<u64>,
}

/// An event or a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Entry {
    /// Between steps.
    Event(Event),
    /// A step.
    Step(Step),
}

impl Event {
    /// Whether a person wants to be able to undo it.
    pub(crate) fn is_undoable(&self) -> bool {
        matches!(self, Event::Act { .. } | Event::Add(_) | Event::Joint { .. })
    }

    /// Does it. The error is a sentence, and everything is as it was.
    pub fn apply(&self, simulation: &mut dyn Simulation) -> Result<(), String> {
        match self {
            Event::Set { key, value } => simulation.set(key, *value).map_err(|error| error.to_string()),
            Event::Solver(name) => simulation.select_solver(name).map_err(|error| error.to_string()),
            Event::Reset => {
                simulation.reset();
                Ok(())
            }
            Event::Grab { origin, direction } => {
                let ray = Ray::new(*origin, *direction).map_err(|error| error.to_string())?;
                simulation.grab(&ray);
                Ok(())
            }
            Event::Release => {
                simulation.release();
                Ok(())
            }
            Event::Act { body, action } => simulation.act(*body, action).map_err(|error| error.to_string()),
            Event::Restore(state) => simulation.restore(state).map_err(|error| error.to_string()),
            Event::Add(addition) => simulation.add(addition).map(|_| ()).map_err(|error| error.to_string()),
            Event::Joint { joint, position } => {
                simulation.set_joint(*joint, *position).map_err(|error| error.to_string())
            }
        }
    }
}

impl Step {
    /// Takes the step for the first time, with a budget that may have a deadline.
    pub fn first(simulation: &mut dyn Simulation, input: Input, budget: &mut Budget) -> Step {
        let limit = budget.limit();
        simulation.step(&input, budget);
        // A refusal is what tells a cut step: only then may the replay be refused, and at the same unit.
        Step { input, limit, cut: budget.exhausted().then(|| budget.used()) }
    }

    /// Takes it again.
    pub fn again(&self, simulation: &mut dyn Simulation) {
        let mut budget = Budget::of_work(self.limit);
        if let Some(used) = self.cut {
            budget = budget.cut_at(used);
        }
        simulation.step(&self.input, &mut budget);
    }

    /// Estimated bytes in memory.
    pub(crate) const SIZE: usize = size_of::<Entry>();
}

impl Entry {
    /// Does again what was done.
    pub fn replay(&self, simulation: &mut dyn Simulation) -> Result<(), String> {
        match self {
            Entry::Event(event) => event.apply(simulation),
            Entry::Step(step) => {
                step.again(simulation);
                Ok(())
            }
        }
    }

    pub(crate) fn size(&self) -> usize {
        let heap = match self {
            Entry::Event(Event::Restore(state)) => state.len(),
            _ => 0,
        };
        Step::SIZE + heap
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// A deadline that cuts steps in the middle leaves the same bits when the steps are taken again without a clock.
    #[test]
    fn steps_that_the_clock_cut_are_taken_again_with_the_same_bits() {
        for scene in ["tunnelling", "bouncing-ball"] {
            let mut live = prall_scenes::open(scene).unwrap();
            let mut again = prall_scenes::open(scene).unwrap();
            let mut cut = 0;
            for i in 0..200 {
                let deadline = Instant::now() + Duration::from_micros(i % 60);
                let mut budget = Budget::of_work(10_000).until(deadline);
                let step = Step::first(live.as_mut(), Input::default(), &mut budget);
                cut += usize::from(step.cut.is_some());
                step.again(again.as_mut());
                assert_eq!(again.hash(), live.hash(), "{scene}, step {i}");
            }
            assert!(cut > 0, "no step of {scene} was cut");
        }
    }
}
