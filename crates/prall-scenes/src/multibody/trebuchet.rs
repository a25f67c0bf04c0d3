//! A trebuchet throws a stone at a wall.

use super::MACHINE_SOLVERS;
use super::workshop::{Held, Piece, Workshop};
use crate::Camera;
use crate::parameter::{Parameter, Scale, Values};
use crate::world::contact_scenes::GRAVITY;
use crate::world::stage::{Palette, cuboid, cylinder, rough, sphere};
use crate::world::{Build, Stage, WorldDefinition};
use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, Filter, WorldOptions};
use prall_math::Pose;
use prall_multibody::{ForceElement, JointKind, Spring};
use std::f64::consts::FRAC_PI_2;

/// A falling weight, a long arm, a sling that lets go.
pub(crate) static TREBUCHET: WorldDefinition = WorldDefinition {
    name: "trebuchet",
    parameters: &[
        GRAVITY,
        Parameter {
            key: "counterweight",
            label: "Counterweight",
            unit: "kg",
            min: 100.0,
            max: 6000.0,
            default: 2000.0,
            step: 50.0,
            scale: Scale::Linear,
            text: "From the next reset on",
        },
        Parameter {
            key: "stone",
            label: "Stone",
            unit: "kg",
            min: 2.0,
            max: 80.0,
            default: 20.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "From the next reset on",
        },
        Parameter {
            key: "release",
            label: "Sling stops at",
            unit: "°",
            min: 90.0,
            max: 220.0,
            default: 150.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "Angle that the sling has turned against the arm when it is stopped and the stone flies on; from the next reset on",
        },
        Parameter {
            key: "distance",
            label: "Distance of the wall",
            unit: "m",
            min: 15.0,
            max: 90.0,
            default: 40.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "From the next reset on",
        },
    ],
    solvers: MACHINE_SOLVERS,
    build: Build::Gallery(build),
};

/// Height of the axle, and lengths of the two arms and of the sling, in m.
const AXLE: f64 = 2.6;
const SHORT: f64 = 1.1;
const LONG: f64 = 3.9;
const SLING: f64 = 2.6;
/// How far the long arm points below the horizon at the start: its end is 35 cm above the ground.
const DROOP: f64 = 0.614;
/// Density of oak in kg/m^3.
const OAK: f64 = 700.0;

fn build(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(5.0, 5.5, 22.0), target: DVec3::new(4.5, 3.6, 0.0) };
    let options = WorldOptions { time_step: 1.0 / 480.0, ..WorldOptions::default() };
    let mut stage = Stage::new(options, camera);
    stage.ground(rough(0.6));
    stage.show(DVec3::new(-4.6, 0.0, -3.3), DVec3::new(values.of("distance") + 0.6, 9.6, 3.3));
    frame(&mut stage);
    wall(&mut stage, values.of("distance"));
    machine(&mut stage, values);
    stage
}

/// Two A-frames; nothing touches them.
fn frame(stage: &mut Stage) {
    let oak = stage.look("#7a5c3e");
    let untouchable = Filter { groups: 1, mask: 0 };
    for side in [-1.0, 1.0] {
        for lean in [-1.0, 1.0] {
            let foot = DVec3::new(0.9 * lean, 0.0, 0.55 * side);
            let top = DVec3::new(0.0, AXLE + 0.1, 0.4 * side);
            let turn = DQuat::from_rotation_arc(DVec3::Y, (top - foot).normalize());
            let post = cuboid(DVec3::new(0.07, 0.5 * foot.distance(top), 0.05));
            let post = BodyDefinition { filter: untouchable, ..BodyDefinition::fixed(post) };
            stage.add("frame", &post.in_pose(Pose::new(turn, 0.5 * (foot + top))), oak);
        }
        let sill = cuboid(DVec3::new(1.3, 0.06, 0.07));
        let sill = BodyDefinition { filter: untouchable, ..BodyDefinition::fixed(sill) };
        stage.add("frame", &sill.at(DVec3::new(0.0, 0.06, 0.55 * side)), oak);
    }
}

/// Seven rows of bricks across the line of fire.
fn wall(stage: &mut Stage, distance: f64) {
    let palette = Palette::new(stage, &["#b5653f", "#a4583a", "#c07a52", "#9c5a45"]);
    let half = DVec3::new(0.25, 0.25, 0.5);
    let brick = BodyDefinition::dynamic(cuboid(half), 1800.0).made_of(rough(0.6));
    for row in 0..7_u32 {
        let shift = if row % 2 == 0 { 0.0 } else { half.z };
        for column in 0..6_u32 {
            let z = (f64::from(column) - 2.5) * 2.0 * half.z + shift - 0.5 * half.z;
            let place = DVec3::new(distance, (2.0 * f64::from(row) + 1.0) * half.y, z);
            stage.add(
                format!("brick {}-{}", row + 1, column + 1),
                &brick.clone().at(place),
                palette.pick((row * 7 + column) as usize),
            );
        }
    }
}

fn machine(stage: &mut Stage, values: &Values) {
    let (oak, iron, rope) = (stage.look("#8a6a45"), stage.metal("#4a4f55"), stage.look("#c9b48a"));
    let lead = stage.look("#5b6470");
    let stone_look = stage.ball_look("#9a9488");
    let axle = DVec3::Y * AXLE;
    // The long arm points backwards and down, the stone is thrown towards +x.
    let tilt = DQuat::from_rotation_z(DROOP);
    let along = tilt * DVec3::NEG_X;
    let across = DQuat::from_rotation_x(FRAC_PI_2);
    let arm = cuboid(DVec3::new(0.5 * (SHORT + LONG), 0.09, 0.07));
    let middle = along * (0.5 * (LONG - SHORT));
    let mut workshop = Workshop::new(rough(0.5));
    let hinge = |at: DVec3| Held { kind: JointKind::Revolute, at, axis: DVec3::NEG_Z };
    workshop.body(
        "arm",
        None,
        axle,
        hinge(axle),
        vec![
            Piece::new(middle, arm, OAK, oak).turned(tilt).untouched(),
            Piece::new(DVec3::ZERO, cylinder(0.5, 0.06), 0.0, iron).turned(across).untouched(),
        ],
        |part| part,
    );
    let end = axle - along * SHORT;
    let side = 0.36;
    let weight = cuboid(DVec3::new(side, side, 0.3));
    let density = values.of("counterweight") / (8.0 * side * side * 0.3);
    let slack = ForceElement { damping: 40.0, ..ForceElement::default() };
    workshop.body(
        "counterweight",
        Some("arm"),
        end,
        hinge(end),
        vec![
            Piece::new(DVec3::Y * -0.85, weight, density, lead),
            Piece::new(DVec3::Y * -0.25, cuboid(DVec3::new(0.03, 0.25, 0.2)), 0.0, iron).untouched(),
        ],
        |part| part.with(slack),
    );
    sling(stage, &mut workshop, values, axle + along * LONG, (rope, oak, stone_look));
    let mechanism = workshop.build();
    workshop.deliver(stage, "trebuchet", mechanism, None);
}

/// The sling lies on the ground, forwards under the arm, with a shoe at its end in which the stone lies loose.
fn sling(
    stage: &mut Stage,
    workshop: &mut Workshop,
    values: &Values,
    tip: DVec3,
    looks: (usize, usize, usize),
) {
    let (rope, leather, stone_look) = looks;
    const RADIUS: f64 = 0.16;
    let shoe = DVec3::new(tip.x + SLING, 0.06, 0.0);
    let to_shoe = shoe + DVec3::Y * RADIUS - tip;
    let turn = DQuat::from_rotation_arc(DVec3::X, to_shoe.normalize());
    let length = to_shoe.length();
    let rod = cuboid(DVec3::new(0.5 * (length - RADIUS), 0.012, 0.012));
    let stop = Spring::EndStops { low: -0.2, high: values.of("release").to_radians(), stiffness: 2e5 };
    let element = ForceElement { spring: stop, damping: 2.0, motor: 0.0 };
    let at = |x: f64, y: f64, z: f64| turn * DVec3::new(length + x, y, z);
    let plate = |center: DVec3, half: DVec3| Piece::new(center, cuboid(half), 300.0, leather).turned(turn);
    let inner = RADIUS + 0.012;
    workshop.body(
        "sling",
        Some("arm"),
        tip,
        Held { kind: JointKind::Revolute, at: tip, axis: DVec3::Z },
        vec![
            Piece::new(turn * DVec3::X * (0.5 * (length - RADIUS)), rod, OAK, rope).turned(turn).untouched(),
            plate(at(inner, 0.0, 0.0), DVec3::new(0.01, inner, inner)),
            plate(at(0.0, -inner, 0.0), DVec3::new(inner, 0.01, inner)),
            plate(at(0.0, -0.4 * inner, inner), DVec3::new(inner, 0.6 * inner, 0.01)),
            plate(at(0.0, -0.4 * inner, -inner), DVec3::new(inner, 0.6 * inner, 0.01)),
        ],
        |part| part.with(element),
    );
    let volume = 4.0 / 3.0 * std::f64::consts::PI * RADIUS * RADIUS * RADIUS;
    let stone = BodyDefinition::dynamic(sphere(RADIUS), values.of("stone") / volume).made_of(rough(0.4));
    stage.add("stone", &stone.at(tip + to_shoe + turn * DVec3::Y * -0.011), stone_look);
}
