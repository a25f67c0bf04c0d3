//! The arm of `scenes/robot-arm.urdf` touches a brick wall.

use super::MACHINE_SOLVERS;
use crate::Camera;
use crate::file::{
    ActDescription, ActQuantity, ControlDescription, MechanismDescription, RotationDescription,
    SceneDescription, SpringDescription,
};
use crate::parameter::{Parameter, Scale, Values};
use crate::world::contact_scenes::GRAVITY;
use crate::world::stage::{Palette, cuboid, rough};
use crate::world::{Build, Described, Stage, WorldDefinition};
use glam::DVec3;
use prall_dynamics::{BodyDefinition, WorldOptions};
use toml::Spanned;

/// A robot by its usual description, with servos, among bricks.
pub(crate) static ROBOT_ARM: WorldDefinition = WorldDefinition {
    name: "robot-arm",
    parameters: PARAMETERS,
    solvers: MACHINE_SOLVERS,
    build: Build::Gallery(build),
};

const fn angle(key: &'static str, label: &'static str, min: f64, max: f64, default: f64) -> Parameter {
    Parameter {
        key,
        label,
        unit: "°",
        min,
        max,
        default,
        step: 1.0,
        scale: Scale::Linear,
        text: "Where the servo of this joint pulls to",
    }
}

/// Keys are the names of the robot's joints.
const PARAMETERS: &[Parameter] = &[
    angle("turn", "Turn", -150.0, 150.0, 0.0),
    angle("shoulder", "Shoulder", -60.0, 120.0, 55.0),
    angle("elbow", "Elbow", -20.0, 145.0, 40.0),
    angle("roll", "Roll", -170.0, 170.0, 0.0),
    angle("nod", "Nod", -110.0, 110.0, 0.0),
    Parameter {
        key: "sweep",
        label: "Sweep",
        unit: "°",
        min: 0.0,
        max: 120.0,
        default: 50.0,
        step: 1.0,
        scale: Scale::Linear,
        text: "The arm turns to and fro by so much, once in six seconds; 0 leaves it to you",
    },
    GRAVITY,
];

/// Servos of the joints in N m/rad, from the turret to the hand.
const SERVOS: [f64; 5] = [6000.0, 6000.0, 3000.0, 300.0, 300.0];

/// Of the sweep, in s.
const PERIOD: f64 = 6.0;

fn build(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(2.2, 1.5, 2.3), target: DVec3::new(0.55, 0.45, 0.0) };
    let options = WorldOptions { time_step: 1.0 / 240.0, ..WorldOptions::default() };
    let mut stage = Stage::new(options, camera);
    stage.ground(rough(0.6));
    stage.show(DVec3::new(-0.3, 0.0, -1.2), DVec3::new(1.5, 1.1, 1.2));
    wall(&mut stage);
    let text = include_str!("../../../../scenes/robot-arm.urdf");
    let mut scene =
        SceneDescription::from_urdf(text, "robot-arm.urdf").expect("a test reads the repository's files");
    let mechanism = robot(&mut scene, values);
    let arm = Described::new(scene, PARAMETERS);
    let tones =
        ["#3c444c", "#d9a441", "#d9a441", "#d9a441", "#3c444c", "#c0562f"].map(|tone| stage.look(tone));
    arm.machine(&mut stage, &mechanism, &tones).expect("a test builds the repository's files");
    let start = [-values.of("sweep") + values.of("turn"), values.of("shoulder"), values.of("elbow")];
    stage.with_machine(0, |mechanism| {
        for (link, degrees) in ["turret", "upper_arm", "forearm"].into_iter().zip(start) {
            if let Some(node) = mechanism.find(link) {
                mechanism.tree_mut().set_coordinate(node, 0, degrees.to_radians(), 0.0);
            }
        }
    });
    stage.on_every_step(|values, time, h, mechanism| {
        let swing = -values.of("sweep") * libm::cos(2.0 * std::f64::consts::PI / PERIOD * (time + h));
        let Some(turret) = mechanism.find("turret") else { return };
        let tree = mechanism.tree_mut();
        if let Some(mut element) = tree.element(turret, 0).copied()
            && let prall_multibody::Spring::Linear { rest, .. } = &mut element.spring
        {
            *rest += swing.to_radians();
            // A finite rest is always a spring.
            let _ = tree.set_element(turret, 0, element);
        }
    });
    stage
}

/// All links as one mechanism, with a servo in every joint.
fn robot(scene: &mut SceneDescription, values: &Values) -> MechanismDescription {
    let spanned = |text: &str| Spanned::new(0..0, text.to_owned());
    let mut controls = Vec::new();
    let movable =
        scene.joints.iter_mut().filter(|joint| PARAMETERS.iter().any(|known| known.key == joint.name));
    for (joint, stiffness) in movable.zip(SERVOS) {
        let rest = values.get(&joint.name).unwrap_or_default();
        joint.drive.limits = None;
        joint.drive.spring = Some(SpringDescription { stiffness, rest, outer: None, knee: 0.0 });
        let act = ActDescription { joint: spanned(&joint.name), quantity: ActQuantity::Target, factor: 1.0 };
        controls.push(ControlDescription {
            key: spanned(&joint.name),
            label: String::new(),
            unit: String::new(),
            min: -180.0,
            max: 180.0,
            default: 0.0,
            text: String::new(),
            acts: vec![act],
            driven_by: None,
        });
    }
    let bodies = scene.bodies.iter().map(|body| spanned(body.name.get_ref())).collect();
    MechanismDescription {
        name: spanned("robot arm"),
        bodies,
        urdf: None,
        prefix: String::new(),
        position: DVec3::ZERO,
        rotation: RotationDescription::default(),
        floating: false,
        controls,
    }
}

/// Two leaves of bricks of 24 by 11.5 by 7.1 cm, in front of the arm.
fn wall(stage: &mut Stage) {
    let palette = Palette::new(stage, &["#b5653f", "#a4583a", "#c07a52", "#9c5a45", "#b8704a"]);
    let half = DVec3::new(0.0575, 0.0355, 0.12);
    let brick = BodyDefinition::dynamic(cuboid(half), 1800.0).made_of(rough(0.6));
    for row in 0..9_u32 {
        let shift = if row % 2 == 0 { 0.0 } else { half.z };
        for column in 0..6_u32 {
            let z = (f64::from(column) - 2.5) * 2.0 * half.z + shift - 0.5 * half.z;
            let place = DVec3::new(1.15, (2.0 * f64::from(row) + 1.0) * half.y, z);
            let name = format!("brick {}-{}", row + 1, column + 1);
            stage.add(name, &brick.clone().at(place), palette.pick((row * 7 + column) as usize));
        }
    }
}
