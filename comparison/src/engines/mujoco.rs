//! MuJoCo, driven through its Python package.

use super::mjcf::Setting;
use crate::description::Description;
use crate::engine::{BodyState, Contestant, Engine};
use crate::python::Python;
use glam::{DQuat, DVec3};
use prall_dynamics::BodyKind;
use prall_math::{Pose, Twist};
use serde_json::json;
use std::time::Duration;

pub const DEFAULT: Contestant = Contestant {
    name: "mujoco",
    setting: "defaults (Newton solver, Euler, pyramidal cone)",
    open: |scene| MuJoCo::open(scene, Setting::default()),
};

pub const IMPLICIT: Contestant = Contestant {
    name: "mujoco, implicit",
    setting: "integrator = implicitfast, cone = elliptic",
    open: |scene| {
        MuJoCo::open(scene, Setting { option: "integrator=\"implicitfast\" cone=\"elliptic\"", stiff: false })
    },
};

/// Contacts are springs there; with a time constant of two steps (its smallest) they are as stiff as it allows.
pub const STIFF: Contestant = Contestant {
    name: "mujoco, stiff",
    setting: "solref of every contact = two steps, else defaults",
    open: |scene| MuJoCo::open(scene, Setting { option: "", stiff: true }),
};

pub const REFERENCE: Contestant = Contestant {
    name: "mujoco, fourth order",
    setting: "MuJoCo's Runge-Kutta integrator",
    open: |scene| MuJoCo::open(scene, Setting { option: "integrator=\"RK4\"", stiff: false }),
};

struct MuJoCo {
    python: Python,
    bodies: usize,
}

impl MuJoCo {
    fn open(scene: &Description, setting: Setting) -> Result<Box<dyn Engine>, String> {
        let xml = super::mjcf::write(scene, setting)?;
        let twist = |body: &prall_dynamics::BodyDefinition| {
            let (v, w) = (body.velocity.linear, body.velocity.angular);
            [v.x, v.y, v.z, w.x, w.y, w.z]
        };
        let moves = scene.bodies.iter().any(|body| body.kind == BodyKind::Dynamic && twist(body) != [0.0; 6]);
        let velocities: Vec<[f64; 6]> =
            if moves { scene.bodies.iter().map(twist).collect() } else { Vec::new() };
        let forces: Vec<[f64; 3]> = scene.forces.iter().map(|force| force.to_array()).collect();
        let mut python = Python::start()?;
        python.ask(&json!({"do": "mujoco_open", "xml": xml, "velocities": velocities, "forces": forces}))?;
        Ok(Box::new(MuJoCo { python, bodies: scene.bodies.len() }))
    }
}

impl Engine for MuJoCo {
    fn steps(&mut self, count: usize) -> Result<Duration, String> {
        let answer = self.python.ask(&json!({"do": "mujoco_step", "count": count}))?;
        let seconds = answer["seconds"].as_f64().ok_or("no time in the answer")?;
        Ok(Duration::from_secs_f64(seconds))
    }

    fn states(&mut self) -> Result<Vec<BodyState>, String> {
        let answer = self.python.ask(&json!({"do": "mujoco_states"}))?;
        let rows: Vec<[f64; 13]> =
            serde_json::from_value(answer["states"].clone()).map_err(|error| error.to_string())?;
        if rows.len() != self.bodies {
            return Err(format!("{} states for {} bodies", rows.len(), self.bodies));
        }
        // Place, rotation with its scalar first, angular velocity, velocity.
        let state = |row: &[f64; 13]| {
            let rotation = DQuat::from_xyzw(row[4], row[5], row[6], row[3]).normalize();
            let vector = |at: usize| DVec3::new(row[at], row[at + 1], row[at + 2]);
            BodyState { pose: Pose::new(rotation, vector(0)), velocity: Twist::new(vector(10), vector(7)) }
        };
        Ok(rows.iter().map(state).collect())
    }
}
