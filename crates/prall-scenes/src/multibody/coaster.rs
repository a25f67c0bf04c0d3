//! A roller coaster: a train of cars on a track by `Path` joints.

mod cars;
mod track;

use super::MACHINE_SOLVERS;
use super::workshop::Workshop;
use crate::Camera;
use crate::parameter::{Parameter, Scale, Values};
use crate::world::contact_scenes::GRAVITY;
use crate::world::stage::rough;
use crate::world::{Build, Stage, WorldDefinition};
use cars::{Couplers, SPACING};
use glam::DVec3;
use prall_dynamics::WorldOptions;
use prall_math::Norm;
use prall_multibody::{ForceElement, Guide, Mechanism, Path};
use std::sync::Arc;
use track::Track;

/// A train that is pulled up, and then left to itself.
pub(crate) static COASTER: WorldDefinition = WorldDefinition {
    name: "coaster",
    parameters: &[
        Parameter {
            key: "cars",
            label: "Cars",
            unit: "",
            min: 1.0,
            max: 8.0,
            default: 5.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "Of the train; from the next reset on",
        },
        Parameter {
            key: "lift",
            label: "Speed of the chain",
            unit: "m/s",
            min: 0.0,
            max: 8.0,
            default: 3.5,
            step: 0.1,
            scale: Scale::Linear,
            text: "Of the lift and of the tyres in the station; they push what is slower, and hold nothing back",
        },
        Parameter {
            key: "drag",
            label: "Air drag",
            unit: "m²",
            min: 0.0,
            max: 10.0,
            default: 0.6,
            step: 0.1,
            scale: Scale::Linear,
            text: "Area of a car times its drag coefficient",
        },
        Parameter {
            key: "rolling",
            label: "Rolling resistance",
            unit: "",
            min: 0.0,
            max: 0.1,
            default: 0.012,
            step: 0.001,
            scale: Scale::Linear,
            text: "Share of the force on the wheels, which is several times the weight in a loop",
        },
        Parameter {
            key: "brake",
            label: "Magnetic brakes",
            unit: "N s/m",
            min: 0.0,
            max: 2000.0,
            default: 700.0,
            step: 50.0,
            scale: Scale::Linear,
            text: "On each car before the station, in proportion to its speed",
        },
        GRAVITY,
    ],
    solvers: MACHINE_SOLVERS,
    build: Build::Gallery(build),
};

/// Of air, in kg/m^3.
const AIR: f64 = 1.2;
/// How firmly chain and tyres push a car that is slower, in N s/m.
const PUSH: f64 = 6000.0;
/// Speed below which rolling resistance gives way, in m/s.
const CREEP: f64 = 0.02;
/// How far beyond the edge of the drop the first car starts, in m.
const OVER_THE_EDGE: f64 = 2.0;

fn build(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(44.0, 29.0, 26.0), target: DVec3::new(28.0, 20.0, 0.0) };
    let options = WorldOptions { time_step: 1.0 / 240.0, ..WorldOptions::default() };
    let mut stage = Stage::new(options, camera);
    stage.ground(rough(0.6));
    let track = Track::new();
    track.show(&mut stage);
    let mut workshop = Workshop::new(rough(0.5));
    let kind = workshop.guide(Arc::clone(&track.path) as Arc<dyn Guide>);
    let first = track.edge + OVER_THE_EDGE;
    let count = values.of("cars") as usize;
    for number in 0..count {
        let start = first - number as f64 * SPACING;
        let pose = track.path.pose(&[start]);
        cars::add(&mut stage, &mut workshop, (number, count), kind, (start, pose));
    }
    let mut mechanism = workshop.build();
    mechanism.add_force(Arc::new(Couplers::between(count)));
    for number in 0..count {
        let start = first - number as f64 * SPACING;
        mechanism.tree_mut().set_coordinate(number, 0, start, values.of("lift"));
    }
    workshop.deliver(
        &mut stage,
        "train",
        mechanism,
        Some(Box::new(move |values, _, _, mechanism| track.act(values, mechanism))),
    );
    stage.show(DVec3::new(19.0, 15.0, -6.0), DVec3::new(36.0, 24.0, 6.0));
    stage.ride(if count == 1 { "car" } else { "car 1" });
    stage
}

impl Track {
    /// What chain, tyres, air, wheels and brakes do to every car, as a damper and a motor along the track.
    fn act(&self, values: &Values, mechanism: &mut Mechanism) {
        let gravity = DVec3::NEG_Y * values.of("gravity");
        let tree = mechanism.tree_mut();
        for node in 0..tree.len() {
            let Some((place, speed)) = tree.coordinate(node, 0) else { continue };
            let within = place.rem_euclid(self.path.length());
            let fast = speed.abs();
            let load = tree.mass(node) * pressed(&self.path, place, speed, gravity);
            let mut element = ForceElement {
                damping: 0.5 * AIR * values.of("drag") * fast + values.of("rolling") * load / (fast + CREEP),
                ..ForceElement::default()
            };
            if self.brakes.contains(&within) {
                element.damping += values.of("brake");
            }
            let chain = values.of("lift");
            if self.lift.contains(&within) && speed < chain {
                element.damping += PUSH;
                element.motor = PUSH * chain;
            }
            // A damper of finite numbers above 0 is never refused.
            let _ = tree.set_element(node, 0, element);
        }
    }
}

/// What presses a car onto the track per kg, in m/s^2: its acceleration less that of free fall, across the track.
fn pressed(path: &Path, place: f64, speed: f64, gravity: DVec3) -> f64 {
    let felt = path.bias(&[place], &[speed]).linear - gravity;
    let along = path.subspace(&[place])[0].linear;
    (felt - along * felt.dot(along) / along.length_squared()).norm()
}
