//! A cart that is shaken on its rail, with a double pendulum on it.

use super::MACHINE_SOLVERS;
use super::workshop::{Held, Piece, Workshop};
use crate::Camera;
use crate::parameter::{Parameter, Scale, Values};
use crate::world::contact_scenes::GRAVITY;
use crate::world::stage::{cuboid, cylinder, rough};
use crate::world::{Build, Stage, WorldDefinition};
use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, Filter, WorldOptions};
use prall_math::Pose;
use prall_multibody::{Drive, ForceElement, JointKind};

/// Parametric resonance, beats and Kapitza's upright pendulum, by one driven joint.
pub(crate) static PENDULUM_CART: WorldDefinition = WorldDefinition {
    name: "pendulum-cart",
    parameters: &[
        GRAVITY,
        Parameter {
            key: "amplitude",
            label: "Amplitude of the cart",
            unit: "m",
            min: 0.0,
            max: 0.6,
            default: 0.25,
            step: 0.01,
            scale: Scale::Linear,
            text: "From the next reset on",
        },
        Parameter {
            key: "frequency",
            label: "Frequency of the cart",
            unit: "Hz",
            min: 0.1,
            max: 30.0,
            default: 0.7,
            step: 0.1,
            scale: Scale::Log,
            text: "From the next reset on",
        },
        Parameter {
            key: "slope",
            label: "Slope of the rail",
            unit: "°",
            min: 0.0,
            max: 90.0,
            default: 0.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "90 shakes the cart up and down; from the next reset on",
        },
        Parameter {
            key: "angle",
            label: "Start angle",
            unit: "°",
            min: 0.0,
            max: 180.0,
            default: 20.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "Of the first rod against hanging straight; from the next reset on",
        },
        Parameter {
            key: "damping",
            label: "Damping",
            unit: "N m s",
            min: 0.0,
            max: 0.5,
            default: 0.01,
            step: 0.01,
            scale: Scale::Linear,
            text: "Of both hinges, from the next reset on",
        },
    ],
    solvers: MACHINE_SOLVERS,
    build: Build::Gallery(build),
};

/// Length of a rod in m.
const ROD: f64 = 0.5;

fn build(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(0.9, 1.5, 3.6), target: DVec3::new(0.0, 1.15, 0.0) };
    let options = WorldOptions { time_step: 1.0 / 480.0, ..WorldOptions::default() };
    let mut stage = Stage::new(options, camera);
    stage.ground(rough(0.5));
    stage.show(DVec3::new(-1.1, 0.0, -0.2), DVec3::new(1.1, 1.75, 0.2));
    let (rail, paint) = (stage.metal("#8b949c"), stage.look("#0a6b75"));
    let rods = [stage.look("#c0562f"), stage.look("#d9a441")];
    let brass = stage.metal("#b08d3c");
    let centre = DVec3::Y * 1.5;
    let slope = DQuat::from_rotation_z(values.of("slope").to_radians());
    let along = slope * DVec3::X;
    let bar = cuboid(DVec3::new(0.9, 0.02, 0.02));
    let untouchable = Filter { groups: 1, mask: 0 };
    let fixed = BodyDefinition { filter: untouchable, ..BodyDefinition::fixed(bar) };
    stage.add("rail", &fixed.in_pose(Pose::new(slope, centre - DVec3::Z * 0.09)), rail);

    let mut workshop = Workshop::new(rough(0.5));
    let cart = cuboid(DVec3::new(0.12, 0.06, 0.06));
    workshop.body(
        "cart",
        None,
        centre,
        Held { kind: JointKind::Prismatic, at: centre, axis: along },
        vec![Piece::new(DVec3::NEG_Z * 0.01, cart, 1000.0, paint).turned(slope)],
        prall_multibody::Part::driven,
    );
    let hinge = ForceElement { damping: values.of("damping"), ..ForceElement::default() };
    let across = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    for (number, (name, parent)) in
        [("upper rod", "cart"), ("lower rod", "upper rod")].into_iter().enumerate()
    {
        let depth = 0.075 + 0.04 * number as f64;
        let top = centre + DVec3::new(0.0, -ROD * number as f64, depth);
        let bar = cuboid(DVec3::new(0.02, 0.5 * ROD, 0.015));
        workshop.body(
            name,
            Some(parent),
            top,
            Held { kind: JointKind::Revolute, at: top, axis: DVec3::Z },
            vec![
                Piece::new(DVec3::Y * (-0.5 * ROD), bar, 1500.0, rods[number]),
                Piece::new(DVec3::ZERO, cylinder(0.02, 0.028), 0.0, brass).turned(across).untouched(),
                Piece::new(DVec3::Y * -ROD, cylinder(0.018, 0.045), 2000.0, brass).turned(across),
            ],
            |part| part.with(hinge),
        );
    }
    let mut mechanism = workshop.build();
    let (amplitude, turns) = (values.of("amplitude"), 2.0 * std::f64::consts::PI * values.of("frequency"));
    mechanism.tree_mut().set_coordinate(0, 0, 0.0, amplitude * turns);
    mechanism.tree_mut().set_coordinate(1, 0, values.of("angle").to_radians(), 0.0);
    workshop.deliver(
        &mut stage,
        "pendulum cart",
        mechanism,
        Some(Box::new(move |_, time, h, mechanism| {
            let (sine, cosine) = libm::sincos(turns * (time + h));
            let target = Drive {
                position: amplitude * sine,
                rate: amplitude * turns * cosine,
                acceleration: -amplitude * turns * turns * sine,
            };
            mechanism.drive_within(0, 0, target, h);
        })),
    );
    stage
}
