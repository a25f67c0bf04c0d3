//! Prall itself, from the same description as everyone.

use crate::description::Description;
use crate::engine::{BodyState, Contestant, Engine};
use prall_dynamics::{BodyHandle, World, WorldOptions};
use std::time::{Duration, Instant};

/// As it comes.
pub const DEFAULT: Contestant = Contestant {
    name: "prall",
    setting: "defaults",
    open: |scene| Own::open(scene, WorldOptions::default()),
};

/// With the options that the gallery's scene asks for.
pub const TUNED: Contestant = Contestant {
    name: "prall, scene's options",
    setting: "the options of the gallery scene (funnel: one inner pass, 1 mm/s; others as by default)",
    open: |scene| Own::open(scene, scene.options),
};

struct Own {
    world: World,
    handles: Vec<BodyHandle>,
}

impl Own {
    fn open(scene: &Description, options: WorldOptions) -> Result<Box<dyn Engine>, String> {
        let (world, handles) = scene.world(options)?;
        Ok(Box::new(Own { world, handles }))
    }
}

impl Engine for Own {
    fn steps(&mut self, count: usize) -> Result<Duration, String> {
        let start = Instant::now();
        for _ in 0..count {
            self.world.advance();
        }
        Ok(start.elapsed())
    }

    fn states(&mut self) -> Result<Vec<BodyState>, String> {
        let state = |body: &BodyHandle| {
            Ok(BodyState { pose: self.world.pose(*body)?, velocity: self.world.velocity(*body)? })
        };
        let states: Result<_, prall_dynamics::WorldError> = self.handles.iter().map(state).collect();
        states.map_err(|error| error.to_string())
    }
}
