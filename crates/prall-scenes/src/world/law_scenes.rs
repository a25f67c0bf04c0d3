//! Scenes whose motion is known in closed form.

use super::contact_scenes::GRAVITY;
use super::stage::{cuboid, cylinder, rough, sphere};
use super::{Build, CONTACT_SOLVERS, JOINT_SOLVERS, Stage, WorldDefinition};
use crate::Camera;
use crate::parameter::{Parameter, Scale, Values};
use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, Filter, JointDefinition, Material, WorldOptions};
use prall_math::{Pose, Wrench};

/// A pushed slab with 25 balls on it (SimBenchmark's rolling test).
pub(crate) static ROLLING: WorldDefinition = WorldDefinition {
    name: "rolling",
    parameters: &[
        GRAVITY,
        Parameter {
            key: "force",
            label: "Force",
            unit: "N",
            min: 0.0,
            max: 400.0,
            default: 150.0,
            step: 5.0,
            scale: Scale::Linear,
            text: "Push along the diagonal; below 137 N nothing moves. From the next reset on",
        },
    ],
    solvers: CONTACT_SOLVERS,
    build: Build::Gallery(rolling),
};

fn rolling(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(2.6, 2.2, 4.2), target: DVec3::new(0.8, 0.1, 0.8) };
    let mut world = WorldOptions { time_step: 0.001, ..WorldOptions::default() };
    world.contact.velocity_tolerance = 1e-6;
    world.contact.most_sweeps = 60;
    let mut stage = Stage::new(world, camera);
    stage.show(DVec3::new(-1.0, 0.0, -1.0), DVec3::new(3.6, 0.6, 3.6));
    // Roots of products: 0.4 between slab and ground, 0.8 between balls and slab.
    stage.ground(rough(0.4));
    let half = DVec3::new(1.0, 0.1, 1.0);
    let slab =
        BodyDefinition::dynamic(cuboid(half), 10.0 / (8.0 * half.element_product())).made_of(rough(0.4));
    let look = stage.look("#b8a98f");
    let slab = stage.add("slab", &slab.at(DVec3::Y * half.y), look);
    let push = DVec3::new(1.0, 0.0, 1.0).normalize() * values.of("force");
    stage.world.set_load(slab, Wrench { force: push, torque: DVec3::ZERO }).expect("the slab is there");
    let radius = 0.1;
    let density = 1.0 / (4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius);
    let ball = BodyDefinition::dynamic(sphere(radius), density).made_of(rough(1.6));
    let look = stage.ball_look("#0a6b75");
    for i in 0..25 {
        let at = DVec3::new(f64::from(i % 5 - 2) * 0.36, 2.0 * half.y + radius, f64::from(i / 5 - 2) * 0.36);
        stage.add(format!("ball {}", i + 1), &ball.clone().at(at), look);
    }
    stage
}

/// 49 balls that bounce without loss (SimBenchmark's bouncing test).
pub(crate) static BOUNCING: WorldDefinition = WorldDefinition {
    name: "bouncing",
    parameters: &[
        GRAVITY,
        Parameter {
            key: "restitution",
            label: "Restitution",
            unit: "",
            min: 0.0,
            max: 1.0,
            default: 1.0,
            step: 0.01,
            scale: Scale::Linear,
            text: "Speed after over speed before an impact, from the next reset on",
        },
    ],
    solvers: CONTACT_SOLVERS,
    build: Build::Gallery(|values| {
        let camera = Camera { position: DVec3::new(4.0, 3.0, 7.5), target: DVec3::new(0.0, 2.3, 0.0) };
        let mut stage =
            Stage::new(WorldOptions { time_step: 1.0 / 240.0, ..WorldOptions::default() }, camera);
        // Roots of products: the pair has the restitution that is asked for.
        let material = Material { restitution: values.of("restitution"), ..rough(0.0) };
        stage.ground(material);
        let look = stage.ball_look("#c0562f");
        let radius: f64 = 0.1;
        let density = 10.0 / (4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius);
        let ball = BodyDefinition::dynamic(sphere(radius), density).made_of(material);
        for i in 0..49 {
            let at = DVec3::new(f64::from(i % 7 - 3), 5.0 + radius, f64::from(i / 7 - 3))
                * DVec3::new(0.5, 1.0, 0.5);
            stage.add(format!("ball {}", i + 1), &ball.clone().at(at), look);
        }
        stage
    }),
};

/// Five steel balls on threads.
pub(crate) static NEWTONS_CRADLE: WorldDefinition = WorldDefinition {
    name: "newtons-cradle",
    parameters: &[
        GRAVITY,
        Parameter {
            key: "lifted",
            label: "Balls lifted",
            unit: "",
            min: 1.0,
            max: 4.0,
            default: 1.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "As many come out on the other side; from the next reset on",
        },
        Parameter {
            key: "restitution",
            label: "Restitution",
            unit: "",
            min: 0.5,
            max: 1.0,
            default: 1.0,
            step: 0.01,
            scale: Scale::Linear,
            text: "Speed after over speed before an impact, from the next reset on",
        },
    ],
    solvers: JOINT_SOLVERS,
    build: Build::Gallery(newtons_cradle),
};

fn newtons_cradle(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(0.5, 0.55, 1.5), target: DVec3::new(0.0, 0.35, 0.0) };
    let world = WorldOptions { time_step: 1.0 / 480.0, ..WorldOptions::default() };
    let mut stage = Stage::new(world, camera);
    stage.assets.ground = Some(0.0);
    stage.show(DVec3::new(-0.62, 0.0, -0.12), DVec3::new(0.62, 0.75, 0.12));
    let (steel, wood) = (stage.metal("#c3ccd3"), stage.look("#8a6a4a"));
    let (radius, height, thread) = (0.05, 0.7, 0.5);
    let beam = BodyDefinition {
        filter: Filter { groups: 2, mask: 0 },
        ..BodyDefinition::fixed(cuboid(DVec3::new(0.4, 0.015, 0.03)))
    };
    stage.add("beam", &beam.at(DVec3::Y * (height + 0.015)), wood);
    let material = Material { restitution: values.of("restitution"), ..rough(0.0) };
    let ball = BodyDefinition::dynamic(sphere(radius), 7800.0).made_of(material);
    let ground = stage.world.ground();
    for i in 0..5 {
        let pivot = DVec3::new(2.0 * radius * f64::from(i - 2), height, 0.0);
        let lifted = i < values.of("lifted") as i32;
        let swing = DQuat::from_rotation_z(if lifted { -0.7 } else { 0.0 });
        let at = pivot + swing * (DVec3::NEG_Y * thread);
        let body = stage.add(format!("ball {}", i + 1), &ball.clone().in_pose(Pose::new(swing, at)), steel);
        stage.joint(&JointDefinition::hinge(ground, body, pivot, DVec3::Z));
        stage.thread([ground, body], [pivot, at]);
    }
    stage
}

/// A wheel on one end of its axle.
pub(crate) static GYROSCOPE: WorldDefinition = WorldDefinition {
    name: "gyroscope",
    parameters: &[
        GRAVITY,
        Parameter {
            key: "spin",
            label: "Spin",
            unit: "rad/s",
            min: 0.0,
            max: 300.0,
            default: 120.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "About its own axle at the start, from the next reset on",
        },
    ],
    solvers: JOINT_SOLVERS,
    build: Build::Gallery(gyroscope),
};

fn gyroscope(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(0.7, 0.75, 1.1), target: DVec3::new(0.0, 0.45, 0.0) };
    let options = WorldOptions { time_step: 1.0 / 480.0, ..WorldOptions::default() };
    let mut stage = Stage::new(options, camera);
    stage.assets.ground = Some(0.0);
    stage.show(DVec3::new(-0.24, 0.0, -0.24), DVec3::new(0.24, 0.62, 0.24));
    let (brass, steel) = (stage.ball_look("#c9a24a"), stage.metal("#8b97a1"));
    let alone = Filter { groups: 1, mask: 0 };
    let stand = BodyDefinition { filter: alone, ..BodyDefinition::fixed(cylinder(0.25, 0.012)) };
    stage.add("stand", &stand.at(DVec3::Y * 0.25), steel);
    // The disc lies across x, 12 cm from the tip of the stand.
    let (radius, lever) = (0.1, 0.12);
    let turn = DQuat::from_rotation_z(-std::f64::consts::FRAC_PI_2);
    let tip = DVec3::Y * 0.5;
    let (spin, density, half) = (values.of("spin"), 7800.0, 0.01);
    // Steady precession: the moment of the weight turns the angular momentum, Omega = g l / (r^2/2 omega).
    let gravity = values.of("gravity");
    let precession = if spin > 0.0 { gravity * lever / (0.5 * radius * radius * spin) } else { 0.0 };
    let disc = BodyDefinition { filter: alone, ..BodyDefinition::dynamic(cylinder(half, radius), density) };
    let centre = tip + DVec3::X * lever;
    let turning = DVec3::new(spin, precession, 0.0);
    let disc = disc.in_pose(Pose::new(turn, centre)).moving(turning.cross(DVec3::X * lever), turning);
    let disc = stage.add("wheel", &disc, brass);
    let ground = stage.world.ground();
    stage.joint(&JointDefinition::ball(ground, disc, tip));
    stage
}
