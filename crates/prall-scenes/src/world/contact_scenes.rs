//! Piles, walls and other things that stand or fall by their contacts.

use super::stage::{Palette, cuboid, cylinder, rough, sphere};
use super::{Build, CONTACT_SOLVERS, Stage, WorldDefinition};
use crate::Camera;
use crate::parameter::{Parameter, Scale, Values};
use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, JointDefinition, ShapeDefinition, WorldOptions};
use prall_math::Pose;

const BRICKS: [&str; 5] = ["#b5653f", "#a4583a", "#c07a52", "#9c5a45", "#b8704a"];
const COOL: [&str; 5] = ["#4f7f87", "#5d8f8a", "#6d9aa3", "#46707e", "#7aa5a0"];

pub(crate) const GRAVITY: Parameter = Parameter {
    key: "gravity",
    label: "Gravity",
    unit: "m/s²",
    min: 0.0,
    max: 30.0,
    default: 9.81,
    step: 0.01,
    scale: Scale::Linear,
    text: "Acceleration of free fall",
};

const FRICTION: Parameter = Parameter {
    key: "friction",
    label: "Friction",
    unit: "",
    min: 0.0,
    max: 1.5,
    default: 0.5,
    step: 0.01,
    scale: Scale::Linear,
    text: "Coulomb's coefficient of all surfaces, from the next reset on",
};

fn options(time_step: f64) -> WorldOptions {
    WorldOptions { time_step, ..WorldOptions::default() }
}

/// 252 bricks in 24 rows and a car that can be driven into them (Bender 2007).
pub(crate) static WALL: WorldDefinition = WorldDefinition {
    name: "wall",
    parameters: &[
        GRAVITY,
        FRICTION,
        Parameter {
            key: "speed",
            label: "Speed of the car",
            unit: "m/s",
            min: 0.0,
            max: 25.0,
            default: 0.0,
            step: 0.5,
            scale: Scale::Linear,
            text: "Of its four driven wheels; at 0 it waits 10 m away. 10 m/s goes through the wall",
        },
    ],
    solvers: CONTACT_SOLVERS,
    build: Build::Gallery(wall),
};

/// Half the sides of a brick in m: 40 by 20 by 20 cm.
const BRICK: DVec3 = DVec3::new(0.2, 0.1, 0.1);
const ROWS: usize = 24;

fn wall(values: &Values) -> Stage {
    // Oblique: a brick that is dragged across the screen comes out of the wall, and the car is seen.
    let camera = Camera { position: DVec3::new(6.4, 5.2, 11.6), target: DVec3::new(0.0, 1.9, 0.6) };
    let mut stage = Stage::new(options(1.0 / 60.0), camera);
    let material = rough(values.of("friction"));
    stage.ground(material);
    let palette = Palette::new(&mut stage, &BRICKS);
    let whole = BodyDefinition::dynamic(cuboid(BRICK), 1800.0).made_of(material);
    let half = BodyDefinition::dynamic(cuboid(BRICK * DVec3::new(0.5, 1.0, 1.0)), 1800.0).made_of(material);
    for row in 0..ROWS {
        let y = (2 * row + 1) as f64 * BRICK.y;
        let lay = |stage: &mut Stage, column: usize, x: f64, brick: &BodyDefinition| {
            let name = format!("brick {}-{}", row + 1, column + 1);
            let look = palette.pick(row * 16 + column);
            stage.add(name, &brick.clone().at(DVec3::new(x, y, 0.0)), look);
        };
        if row % 2 == 0 {
            for column in 0..10 {
                lay(&mut stage, column, (column as f64 - 4.5) * 2.0 * BRICK.x, &whole);
            }
        } else {
            lay(&mut stage, 0, -9.5 * BRICK.x, &half);
            for column in 1..10 {
                lay(&mut stage, column, (column as f64 - 5.0) * 2.0 * BRICK.x, &whole);
            }
            lay(&mut stage, 10, 9.5 * BRICK.x, &half);
        }
    }
    car(&mut stage, DVec3::new(0.3, 0.0, 10.0));
    stage
}

/// A car of 900 kg on four driven wheels that hang on hinges, heading for -z.
fn car(stage: &mut Stage, place: DVec3) {
    const RADIUS: f64 = 0.32;
    let (paint, cabin, tyre) = (stage.metal("#0a6b75"), stage.glass("#9fc4c9"), stage.look("#22272c"));
    let up = |y: f64| Pose::from_translation(DVec3::Y * y);
    let hull = BodyDefinition {
        shapes: vec![ShapeDefinition {
            pose: up(0.0),
            shape: cuboid(DVec3::new(0.75, 0.25, 1.7)),
            density: 280.0,
        }],
        ..BodyDefinition::default()
    };
    let chassis = stage.add("car", &hull.at(place + DVec3::Y * 0.6), paint);
    let roof = BodyDefinition::dynamic(cuboid(DVec3::new(0.6, 0.22, 0.75)), 60.0)
        .at(place + DVec3::new(0.0, 1.07, 0.2));
    let roof = stage.add("cabin", &roof, cabin);
    stage.joint(&JointDefinition::fixed(chassis, roof, place + DVec3::Y * 0.85));
    let on_its_side = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    for (name, x, z) in [
        ("left front wheel", -0.8, -1.1),
        ("right front wheel", 0.8, -1.1),
        ("left rear wheel", -0.8, 1.1),
        ("right rear wheel", 0.8, 1.1),
    ] {
        let centre = place + DVec3::new(x, RADIUS, z);
        let wheel = BodyDefinition::dynamic(cylinder(0.1, RADIUS), 350.0)
            .in_pose(Pose::new(on_its_side, centre))
            .made_of(rough(0.9));
        let wheel = stage.add(name, &wheel, tyre);
        let hinge = JointDefinition::hinge(chassis, wheel, centre, DVec3::NEG_X);
        let hinge = stage.joint(&hinge.driven(0, 0.0, 900.0));
        stage.drive_by("speed", hinge, 1.0 / RADIUS);
    }
}

/// 1000 cubes through a funnel (Bender 2007).
pub(crate) static FUNNEL: WorldDefinition = WorldDefinition {
    name: "funnel",
    parameters: &[
        GRAVITY,
        Parameter { default: 0.3, ..FRICTION },
        Parameter {
            key: "cubes",
            label: "Cubes along an edge",
            unit: "",
            min: 2.0,
            max: 12.0,
            default: 10.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "10 gives 1000 cubes of 10 cm, from the next reset on",
        },
        Parameter {
            key: "opening",
            label: "Opening",
            unit: "m",
            min: 0.3,
            max: 2.0,
            default: 1.1,
            step: 0.05,
            scale: Scale::Linear,
            text: "Clear width of the outlet; below about 0.9 m cubes of 10 cm jam. From the next reset on",
        },
        Parameter {
            key: "step",
            label: "Time step",
            unit: "s",
            min: 0.001,
            max: 0.017,
            default: 1.0 / 240.0,
            step: 0.001,
            scale: Scale::Log,
            text: "Length of a step, from the next reset on; the publication used 1 ms",
        },
    ],
    solvers: CONTACT_SOLVERS,
    build: Build::Gallery(funnel),
};

fn funnel(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(5.8, 4.3, 7.8), target: DVec3::new(0.0, 1.9, 0.0) };
    let mut world = options(values.of("step"));
    // A chaotic pile: cheap passes, as many of them as the step can use.
    world.contact.inner = 1;
    // A tolerance of 1 mm/s: 4 um a step, less than what the projection of overlaps leaves anyway.
    world.contact.velocity_tolerance = 1e-3;
    world.most_substeps = 1;
    let mut stage = Stage::new(world, camera);
    stage.show(DVec3::new(-2.2, 0.0, -2.0), DVec3::new(2.2, 4.8, 2.0));
    let material = rough(values.of("friction"));
    stage.ground(material);
    let glass = stage.glass("#8fb3bd");
    let (outlet, top) = (0.5 * values.of("opening"), 0.5 * values.of("opening") + 1.05);
    let (low, high) = (1.5, 2.7);
    let along = DVec3::new(top - outlet, high - low, 0.0);
    let inwards = DVec3::new(-along.y, along.x, 0.0).normalize();
    let plate = Pose::new(
        DQuat::from_rotation_z(libm::atan2(along.y, along.x)),
        DVec3::new(0.5 * (outlet + top), 0.5 * (low + high), 0.0) - inwards * 0.05,
    );
    let rim = Pose::from_translation(DVec3::new(top + 0.05, high + 1.0, 0.0));
    for side in 0..4 {
        let turn =
            Pose::new(DQuat::from_rotation_y(f64::from(side) * std::f64::consts::FRAC_PI_2), DVec3::ZERO);
        let slope = cuboid(DVec3::new(0.5 * along.length(), 0.05, top + 0.1));
        stage.add("funnel", &BodyDefinition::fixed(slope).in_pose(turn * plate).made_of(material), glass);
        let wall = cuboid(DVec3::new(0.05, 1.05, top + 0.1));
        stage.add("rim", &BodyDefinition::fixed(wall).in_pose(turn * rim).made_of(material), glass);
    }
    let palette = Palette::new(&mut stage, &COOL);
    let count = values.of("cubes") as usize;
    let cube = BodyDefinition::dynamic(cuboid(DVec3::splat(0.05)), 500.0).made_of(material);
    for i in 0..count * count * count {
        let (x, y, z) = (i % count, i / (count * count), i / count % count);
        // Slightly turned and shifted, layer by layer, so that no two fall alike; none overlaps at the start.
        let turn = DQuat::from_rotation_y(0.3 * y as f64);
        let middle = 0.5 * (count as f64 - 1.0);
        let at =
            DVec3::new((x as f64 - middle) * 0.16, high + 0.2 + y as f64 * 0.16, (z as f64 - middle) * 0.16);
        let shift = |k: usize| 0.004 * ((i * k) % 11) as f64 - 0.02;
        let shift = DVec3::new(shift(7), 0.0, shift(5));
        let pose = Pose::new(turn, turn * at + shift);
        stage.add(format!("cube {}", i + 1), &cube.clone().in_pose(pose), palette.pick(i));
    }
    stage
}

/// 15 layers of boxes with gaps (the pyramid of Jolt's performance test).
pub(crate) static PYRAMID: WorldDefinition = WorldDefinition {
    name: "pyramid",
    parameters: &[
        GRAVITY,
        FRICTION,
        Parameter {
            key: "layers",
            label: "Layers",
            unit: "",
            min: 2.0,
            max: 15.0,
            default: 10.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "10 layers are 385 boxes, 15 are 1240; from the next reset on",
        },
        Parameter {
            key: "gap",
            label: "Gap",
            unit: "m",
            min: 0.0,
            max: 0.5,
            default: 0.0,
            step: 0.01,
            scale: Scale::Linear,
            text: "Height that each layer falls at the start, from the next reset on",
        },
    ],
    solvers: CONTACT_SOLVERS,
    build: Build::Gallery(pyramid),
};

fn pyramid(values: &Values) -> Stage {
    let layers = values.of("layers") as usize;
    let size = layers as f64;
    let camera =
        Camera { position: DVec3::new(2.8, 2.1, 3.3) * size, target: DVec3::new(0.0, 0.75, 0.0) * size };
    let mut stage = Stage::new(options(1.0 / 60.0), camera);
    let material = rough(values.of("friction"));
    stage.ground(material);
    let palette = Palette::new(&mut stage, &COOL);
    let block = BodyDefinition::dynamic(cuboid(DVec3::ONE), 1000.0).made_of(material);
    let mut number = 0;
    for layer in 0..layers {
        let count = layers - layer;
        let y = 1.0 + layer as f64 * 2.0 + (layer + 1) as f64 * values.of("gap");
        for i in 0..count * count {
            let middle = 0.5 * (count as f64 - 1.0);
            let (x, z) = ((i % count) as f64 - middle, (i / count) as f64 - middle);
            number += 1;
            let at = block.clone().at(DVec3::new(2.0 * x, y, 2.0 * z));
            stage.add(format!("box {number}"), &at, palette.pick(number));
        }
    }
    stage
}

/// 5,050 boxes in one upright triangle (the large pyramid of Box3D's benchmark).
pub(crate) static LARGE_PYRAMID: WorldDefinition = WorldDefinition {
    name: "large-pyramid",
    parameters: &[
        GRAVITY,
        Parameter { default: 0.6, ..FRICTION },
        Parameter {
            key: "base",
            label: "Boxes in the lowest row",
            unit: "",
            min: 2.0,
            max: 100.0,
            default: 100.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "100 give 5,050 boxes, from the next reset on",
        },
    ],
    solvers: CONTACT_SOLVERS,
    build: Build::Gallery(large_pyramid),
};

fn large_pyramid(values: &Values) -> Stage {
    let base = values.of("base") as usize;
    let size = base as f64;
    let camera =
        Camera { position: DVec3::new(0.4, 0.6, 1.75) * size, target: DVec3::new(0.0, 0.46, 0.0) * size };
    let mut stage = Stage::new(options(1.0 / 60.0), camera);
    let material = rough(values.of("friction"));
    stage.ground(material);
    let palette = Palette::new(&mut stage, &COOL);
    let half = 0.5;
    let block = BodyDefinition::dynamic(cuboid(DVec3::splat(half)), 100.0).made_of(material);
    for row in 0..base {
        let y = (2 * row + 1) as f64 * half;
        for column in row..base {
            let x = (row + 1) as f64 * half + 2.0 * (column - row) as f64 * half - size * half;
            let look = palette.pick(row * 128 + column);
            stage.add(
                format!("box {}-{}", row + 1, column - row + 1),
                &block.clone().at(DVec3::new(x, y, 0.0)),
                look,
            );
        }
    }
    stage
}

/// A row of dominoes along a spiral.
pub(crate) static DOMINOES: WorldDefinition = WorldDefinition {
    name: "dominoes",
    parameters: &[
        GRAVITY,
        Parameter { default: 0.4, ..FRICTION },
        Parameter {
            key: "stones",
            label: "Stones",
            unit: "",
            min: 5.0,
            max: 300.0,
            default: 120.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "How many, from the next reset on",
        },
    ],
    solvers: CONTACT_SOLVERS,
    build: Build::Gallery(dominoes),
};

fn dominoes(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(0.9, 1.15, 1.5), target: DVec3::new(0.0, 0.05, 0.0) };
    let mut stage = Stage::new(options(1.0 / 240.0), camera);
    let material = rough(values.of("friction"));
    stage.ground(material);
    let palette = Palette::new(&mut stage, &["#e9e4d8", "#ded7c6", "#f1ede4"]);
    // 48 by 24 by 7.5 mm, twice the size of a stone that one holds in the hand.
    let half = DVec3::new(0.024, 0.048, 0.0075);
    let stone = BodyDefinition::dynamic(cuboid(half), 1200.0).made_of(material);
    let spacing = 0.05;
    let mut angle = 0.0;
    for i in 0..values.of("stones") as usize {
        // A spiral whose arms are 15 cm apart, walked in equal steps.
        let radius = 0.25 + 0.15 / std::f64::consts::TAU * angle;
        let (sine, cosine) = libm::sincos(angle);
        let at = DVec3::new(radius * cosine, half.y, radius * sine);
        // Its flat sides face along the spiral.
        let turn = DQuat::from_rotation_y(-angle);
        let mut definition = stone.clone().in_pose(Pose::new(turn, at));
        if i == 0 {
            definition = definition.moving(turn * DVec3::Z * 0.5, turn * DVec3::X * 10.0);
        }
        stage.add(format!("stone {}", i + 1), &definition, palette.pick(i));
        angle += spacing / radius;
    }
    stage
}

/// 216 balls without friction (SimBenchmark's 666).
pub(crate) static SIX_CUBED: WorldDefinition = WorldDefinition {
    name: "666",
    parameters: &[
        GRAVITY,
        Parameter {
            key: "shift",
            label: "Shift of a layer",
            unit: "m",
            min: 0.0,
            max: 0.05,
            default: 0.01,
            step: 0.001,
            scale: Scale::Linear,
            text: "Of every second layer, along the diagonal; at 0 the balls stand on each other for ever. From the next reset on",
        },
    ],
    solvers: CONTACT_SOLVERS,
    build: Build::Gallery(|values| {
        let camera = Camera { position: DVec3::new(2.0, 1.6, 2.8), target: DVec3::new(0.0, 0.4, 0.0) };
        let mut stage = Stage::new(options(1.0 / 240.0), camera);
        stage.ground(rough(0.0));
        stage.show(DVec3::new(-2.1, 0.0, -2.1), DVec3::new(2.1, 1.45, 2.1));
        let look = stage.metal("#8fa3ad");
        let shift = DVec3::new(1.0, 0.0, 1.0) * (0.5 * values.of("shift"));
        let ball = BodyDefinition::dynamic(sphere(0.1), 1000.0).made_of(rough(0.0));
        for i in 0..216 {
            let place = DVec3::new((i % 6) as f64 - 2.5, (i / 36) as f64, (i / 6 % 6) as f64 - 2.5) * 0.21;
            let side = if i / 36 % 2 == 0 { shift } else { -shift };
            stage.add(format!("ball {}", i + 1), &ball.clone().at(place + side + DVec3::Y * 0.3), look);
        }
        stage
    }),
};
