//! Prall's trees in minimal coordinates, as one who builds machines would use them: no world around, no contacts.

use crate::description::Description;
use crate::engine::{BodyState, Contestant, Engine};
use crate::hanging::Hanging;
use glam::DVec3;
use prall_dynamics::{BodyKind, WorldOptions};
use prall_math::{Pose, Twist};
use prall_multibody::{JointKind, Mechanism, Model, Part, TreeOptions};
use std::time::{Duration, Instant};

pub const STABLE: Contestant = Contestant {
    name: "prall, minimal coordinates",
    setting: "prall-multibody, the energy-momentum step, the options of a world's trees (remainder 5e-6)",
    open: |scene| Machine::open(scene, Scheme::Stable(WorldOptions::default().tree)),
};

pub const EXPLICIT: Contestant = Contestant {
    name: "prall, minimal coordinates, explicit",
    setting: "prall-multibody, the explicit step (cheap, of small steps only)",
    open: |scene| Machine::open(scene, Scheme::Explicit),
};

#[derive(Clone, Copy)]
enum Scheme {
    Stable(TreeOptions),
    Explicit,
}

struct Machine {
    mechanism: Mechanism,
    scheme: Scheme,
    step: f64,
    gravity: DVec3,
    /// By body: its node, or the pose of what never moves.
    places: Vec<Result<usize, Pose>>,
}

impl Machine {
    fn open(scene: &Description, scheme: Scheme) -> Result<Box<dyn Engine>, String> {
        let hanging = Hanging::new(scene);
        if !hanging.loops.is_empty() {
            return Err("a loop: the engine takes it by its impulses".to_owned());
        }
        let mut model = Model::default();
        for &body in &hanging.order {
            let definition = &scene.bodies[body];
            if definition.kind != BodyKind::Dynamic {
                continue;
            }
            let mass = definition.mass_properties().map_err(|error| error.to_string())?;
            let mass = mass.ok_or("a body without mass")?;
            let mut part = Part::free(definition.pose, mass);
            part.velocity = definition.velocity;
            if let Some(number) = hanging.joints[body] {
                let joint = &scene.joints[number];
                let frame = definition.pose * joint.frames[usize::from(joint.bodies[0] != Some(body))];
                part.kind = kind(joint.kind)?;
                (part.at, part.axis) = (frame.translation, frame.transform_vector(DVec3::X));
            }
            let moves = |body: &usize| scene.bodies[*body].kind == BodyKind::Dynamic;
            let parent = hanging.parent(body).filter(moves).map(|parent| parent.to_string());
            model.part(&body.to_string(), parent.as_deref(), &part);
        }
        let mechanism = model.build().map_err(|error| error.to_string())?;
        let places = scene
            .bodies
            .iter()
            .enumerate()
            .map(|(body, definition)| mechanism.find(&body.to_string()).ok_or(definition.pose));
        let places = places.collect();
        Ok(Box::new(Machine { mechanism, scheme, step: scene.step, gravity: scene.gravity, places }))
    }
}

fn kind(kind: prall_dynamics::JointKind) -> Result<JointKind, String> {
    Ok(match kind {
        prall_dynamics::JointKind::BALL => JointKind::Ball,
        prall_dynamics::JointKind::HINGE => JointKind::Revolute,
        prall_dynamics::JointKind::SLIDER => JointKind::Prismatic,
        prall_dynamics::JointKind::FIXED => JointKind::Fixed,
        other => return Err(format!("no such joint: {other:?}")),
    })
}

impl Engine for Machine {
    fn steps(&mut self, count: usize) -> Result<Duration, String> {
        let tree = self.mechanism.tree_mut();
        let start = Instant::now();
        for _ in 0..count {
            match &self.scheme {
                Scheme::Stable(options) => {
                    tree.step(self.step, self.gravity, options);
                }
                Scheme::Explicit => tree.step_explicit(self.step, self.gravity),
            }
        }
        Ok(start.elapsed())
    }

    fn states(&mut self) -> Result<Vec<BodyState>, String> {
        let tree = self.mechanism.tree();
        let state = |place: &Result<usize, Pose>| match *place {
            Ok(node) => BodyState {
                pose: tree.pose(node) * self.mechanism.declared_frame(node),
                velocity: tree.twist(node),
            },
            Err(still) => BodyState { pose: still, velocity: Twist::ZERO },
        };
        Ok(self.places.iter().map(state).collect())
    }
}
