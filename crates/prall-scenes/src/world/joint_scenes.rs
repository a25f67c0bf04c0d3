//! Trees, chains, linkages and a zoo of joints.

use super::contact_scenes::GRAVITY;
use super::stage::{Palette, cuboid, cylinder, sphere};
use super::{Build, JOINT_SOLVERS, Stage, WorldDefinition};
use crate::Camera;
use crate::parameter::{Parameter, Scale, Values};
use glam::{DQuat, DVec3};
use prall_dynamics::{
    BodyDefinition, BodyHandle, Filter, JointDefinition, Servo, ShapeDefinition, SpringDamper, WorldOptions,
};
use prall_geometry::Shape;
use prall_math::Pose;

/// Touches nothing: scenes of joints alone.
const UNTOUCHABLE: Filter = Filter { groups: 1, mask: 0 };

const TREE_TILT: Parameter = Parameter {
    key: "tilt",
    label: "Tilt",
    unit: "°",
    min: 0.0,
    max: 90.0,
    default: 60.0,
    step: 1.0,
    scale: Scale::Linear,
    text: "The whole tree is turned by it at the start, from the next reset on",
};

const TREE_RATE: Parameter = Parameter {
    key: "rate",
    label: "Steps per second",
    unit: "1/s",
    min: 30.0,
    max: 480.0,
    default: 60.0,
    step: 30.0,
    scale: Scale::Linear,
    text: "From the next reset on; the publication took 30",
};

const TREE_PARAMETERS: &[Parameter] = &[GRAVITY, TREE_TILT, TREE_RATE];

/// A binary tree of any size on ball joints (Bender 2007).
pub(crate) static TREE: WorldDefinition = WorldDefinition {
    name: "tree",
    parameters: &[
        GRAVITY,
        Parameter {
            key: "levels",
            label: "Levels",
            unit: "",
            min: 1.0,
            max: 9.0,
            default: 7.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "5 to 8 give the publication's trees of 31, 63, 127 and 255 bodies; from the next reset on",
        },
        TREE_TILT,
        TREE_RATE,
    ],
    solvers: JOINT_SOLVERS,
    build: Build::Gallery(|values| tree(values, values.of("levels") as u32)),
};

macro_rules! tree {
    ($name:ident, $text:literal, $levels:literal) => {
        #[doc = concat!("A binary tree of ", $text, " on ball joints (Bender 2007).")]
        pub(crate) static $name: WorldDefinition = WorldDefinition {
            name: $text,
            parameters: TREE_PARAMETERS,
            solvers: JOINT_SOLVERS,
            build: Build::Gallery(|values| tree(values, $levels)),
        };
    };
}

tree!(TREE_31, "tree-31", 5);
tree!(TREE_63, "tree-63", 6);
tree!(TREE_127, "tree-127", 7);
tree!(TREE_255, "tree-255", 8);

/// A mobile: every body is a bar on a stem that hangs by a ball joint from an end of the bar above, 1 kg each.
fn tree(values: &Values, levels: u32) -> Stage {
    const STEM: f64 = 0.3;
    let camera = Camera { position: DVec3::new(1.8, -0.4, 8.2), target: DVec3::new(0.0, -1.3, 0.0) };
    let options = WorldOptions {
        time_step: 1.0 / values.of("rate"),
        position_tolerance: 1e-6,
        velocity_tolerance: 1e-6,
        ..WorldOptions::default()
    };
    let mut stage = Stage::new(options, camera);
    // It swings over to the other side, and its leaves a little further.
    let reach = 1.2 + 0.35 * f64::from(levels);
    stage.show(DVec3::new(-reach, -reach, -0.3), DVec3::new(reach, 1.6, 0.3));
    let palette = Palette::new(&mut stage, &["#0a6b75", "#c0562f", "#d9a441", "#4f7f87", "#7c5a8a"]);
    let turn = Pose::new(DQuat::from_rotation_z(values.of("tilt").to_radians()), DVec3::ZERO);
    let ground = stage.world.ground();
    let mut above: Vec<(BodyHandle, DVec3)> = vec![(ground, DVec3::ZERO)];
    let mut number = 0;
    for level in 0..levels {
        let arm = 1.3 / f64::from(1 << level);
        let mut below = Vec::new();
        for (parent, joint) in above {
            number += 1;
            let bar = ShapeDefinition {
                pose: Pose::from_translation(DVec3::Y * (-0.5 * STEM)),
                shape: cuboid(DVec3::new(arm + 0.015, 0.015, 0.015)),
                density: 1.0,
            };
            let stem = ShapeDefinition {
                pose: Pose::IDENTITY,
                shape: cuboid(DVec3::new(0.012, 0.5 * STEM, 0.012)),
                density: 1.0,
            };
            let mut body =
                BodyDefinition { shapes: vec![bar, stem], filter: UNTOUCHABLE, ..BodyDefinition::default() }
                    .in_pose(turn * Pose::from_translation(joint - DVec3::Y * (0.5 * STEM)));
            // One kilogramme, whatever its size.
            let volume: f64 = body.shapes.iter().map(|part| volume_of_box(&part.shape)).sum();
            body.shapes.iter_mut().for_each(|part| part.density = 1.0 / volume);
            let body = stage.add(format!("bar {number}"), &body, palette.pick(level as usize));
            stage.joint(&JointDefinition::ball(parent, body, turn.transform_point(joint)));
            for side in [-1.0, 1.0] {
                below.push((body, joint + DVec3::new(side * arm, -STEM, 0.0)));
            }
        }
        above = below;
    }
    stage
}

fn volume_of_box(shape: &Shape) -> f64 {
    match shape {
        Shape::Box(cuboid) => 8.0 * cuboid.half_extents().element_product(),
        _ => 0.0,
    }
}

/// Ten light links with a heavy end.
pub(crate) static MASS_RATIO: WorldDefinition = WorldDefinition {
    name: "mass-ratio",
    parameters: &[
        GRAVITY,
        Parameter {
            key: "ratio",
            label: "End mass",
            unit: "kg",
            min: 1.0,
            max: 10_000.0,
            default: 1000.0,
            step: 1.0,
            scale: Scale::Log,
            text: "The links have 1 kg each; from the next reset on",
        },
        Parameter {
            key: "tilt",
            label: "Tilt",
            unit: "°",
            min: 0.0,
            max: 60.0,
            default: 20.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "Angle of the chain at the start: at rest every method holds it. From the next reset on",
        },
    ],
    solvers: JOINT_SOLVERS,
    build: Build::Gallery(mass_ratio),
};

fn mass_ratio(values: &Values) -> Stage {
    const LINK: f64 = 0.2;
    let camera = Camera { position: DVec3::new(2.2, -0.6, 5.0), target: DVec3::new(0.3, -1.4, 0.0) };
    let mut stage = Stage::new(WorldOptions::default(), camera);
    stage.show(DVec3::new(-1.05, -2.55, -0.25), DVec3::new(1.05, 0.05, 0.25));
    let (light, heavy) = (stage.look("#d9a441"), stage.metal("#5b6670"));
    let turn = Pose::new(DQuat::from_rotation_z(values.of("tilt").to_radians()), DVec3::ZERO);
    let hang = |y: f64| turn * Pose::from_translation(DVec3::Y * y);
    let mut parent = stage.world.ground();
    for i in 0..10 {
        let half = DVec3::new(0.02, 0.5 * LINK, 0.02);
        let density = 1.0 / (8.0 * half.element_product());
        let link = BodyDefinition { filter: UNTOUCHABLE, ..BodyDefinition::dynamic(cuboid(half), density) }
            .in_pose(hang(-(i as f64 + 0.5) * LINK));
        let link = stage.add(format!("link {}", i + 1), &link, light);
        stage.joint(&JointDefinition::ball(parent, link, hang(-(i as f64) * LINK).translation));
        parent = link;
    }
    let radius = 0.25;
    let volume = 4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius;
    let end = BodyDefinition {
        filter: UNTOUCHABLE,
        ..BodyDefinition::dynamic(sphere(radius), values.of("ratio") / volume)
    }
    .in_pose(hang(-10.0 * LINK - radius));
    let end = stage.add("end", &end, heavy);
    stage.joint(&JointDefinition::ball(parent, end, hang(-10.0 * LINK).translation));
    stage
}

/// Parallelograms side by side, through the pose where all links lie flat.
pub(crate) static FOUR_BAR: WorldDefinition = WorldDefinition {
    name: "four-bar",
    parameters: &[
        GRAVITY,
        Parameter {
            key: "loops",
            label: "Loops",
            unit: "",
            min: 1.0,
            max: 40.0,
            default: 2.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "Number of closed loops, from the next reset on",
        },
    ],
    solvers: JOINT_SOLVERS,
    build: Build::Gallery(four_bar),
};

fn four_bar(values: &Values) -> Stage {
    let loops = values.of("loops") as usize;
    let span = loops as f64;
    let camera = Camera {
        position: DVec3::new(0.5 * span, 0.4, 2.6 + span),
        target: DVec3::new(0.5 * span, 0.0, 0.0),
    };
    let options =
        WorldOptions { time_step: 1.0 / 240.0, position_tolerance: 1e-7, ..WorldOptions::default() };
    let mut stage = Stage::new(options, camera);
    stage.show(DVec3::new(-1.0, -1.05, -0.1), DVec3::new(span + 1.0, 1.05, 0.1));
    let (upright, coupler) = (stage.look("#0a6b75"), stage.look("#c0562f"));
    let rod = |half: DVec3| BodyDefinition {
        filter: UNTOUCHABLE,
        ..BodyDefinition::dynamic(cuboid(half), 1.0 / (8.0 * half.element_product()))
    };
    let ground = stage.world.ground();
    let mut tops = Vec::new();
    for i in 0..=loops {
        let foot = DVec3::X * i as f64;
        // 1 m/s at the tip: all tips move to the right.
        let link =
            rod(DVec3::new(0.02, 0.5, 0.02)).at(foot + DVec3::Y * 0.5).moving(DVec3::X * 0.5, DVec3::NEG_Z);
        let link = stage.add(format!("crank {}", i + 1), &link, upright);
        stage.joint(&JointDefinition::hinge(ground, link, foot, DVec3::Z));
        tops.push(link);
    }
    for i in 0..loops {
        let left = DVec3::new(i as f64, 1.0, 0.0);
        let link = rod(DVec3::new(0.5, 0.02, 0.02))
            .at(left + DVec3::new(0.5, 0.0, 0.05))
            .moving(DVec3::X, DVec3::ZERO);
        let link = stage.add(format!("coupler {}", i + 1), &link, coupler);
        stage.joint(&JointDefinition::hinge(tops[i], link, left, DVec3::Z));
        stage.joint(&JointDefinition::hinge(tops[i + 1], link, left + DVec3::X, DVec3::Z));
    }
    stage
}

/// A net of balls (the joint grid of Box3D's benchmark).
pub(crate) static JOINT_GRID: WorldDefinition = WorldDefinition {
    name: "joint-grid",
    parameters: &[
        GRAVITY,
        Parameter {
            key: "size",
            label: "Balls along an edge",
            unit: "",
            min: 2.0,
            max: 100.0,
            default: 30.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "100 are the 19,800 joints by which engines are compared; from the next reset on",
        },
        Parameter {
            key: "tilt",
            label: "Tilt",
            unit: "°",
            min: 0.0,
            max: 60.0,
            default: 25.0,
            step: 1.0,
            scale: Scale::Linear,
            text: "The net is lifted by it and swings; at 0 it hangs at rest. From the next reset on",
        },
    ],
    solvers: JOINT_SOLVERS,
    build: Build::Gallery(joint_grid),
};

fn joint_grid(values: &Values) -> Stage {
    let size = values.of("size") as usize;
    let width = size as f64;
    let camera =
        Camera { position: DVec3::new(1.6, -0.2, 1.7) * width, target: DVec3::new(0.5, -0.5, 0.0) * width };
    let options =
        WorldOptions { position_tolerance: 1e-3, velocity_tolerance: 1e-2, ..WorldOptions::default() };
    let mut stage = Stage::new(options, camera);
    let swing = 0.55 * width;
    stage.show(DVec3::new(-0.4, 0.6 - width, -swing), DVec3::new(width - 0.6, 0.4, swing));
    let palette = Palette::new(&mut stage, &["#4f7f87", "#5d8f8a", "#6d9aa3"]);
    let turn = Pose::new(DQuat::from_rotation_x(-values.of("tilt").to_radians()), DVec3::ZERO);
    let at = |place: DVec3| turn.transform_point(place);
    let ball = BodyDefinition { filter: UNTOUCHABLE, ..BodyDefinition::dynamic(sphere(0.4), 1.0) };
    let fixed = BodyDefinition { filter: UNTOUCHABLE, ..BodyDefinition::fixed(sphere(0.4)) };
    let mut grid: Vec<BodyHandle> = Vec::new();
    for column in 0..size {
        for row in 0..size {
            let place = DVec3::new(column as f64, -(row as f64), 0.0);
            let kind = if row == 0 { &fixed } else { &ball };
            let number = grid.len();
            let body = stage.add(
                format!("ball {}", number + 1),
                &kind.clone().in_pose(turn * Pose::from_translation(place)),
                palette.pick(number),
            );
            if row > 0 {
                stage.joint(&JointDefinition::ball(grid[number - 1], body, at(place + DVec3::Y * 0.5)));
                stage.thread([grid[number - 1], body], [at(place + DVec3::Y), at(place)]);
            }
            if column > 0 && row > 0 {
                stage.joint(&JointDefinition::ball(grid[number - size], body, at(place - DVec3::X * 0.5)));
                stage.thread([grid[number - size], body], [at(place - DVec3::X), at(place)]);
            }
            grid.push(body);
        }
    }
    stage
}

/// Every joint by name, each with something that moves it (Bender 2007).
pub(crate) static JOINTS: WorldDefinition = WorldDefinition {
    name: "joints",
    parameters: &[GRAVITY],
    solvers: JOINT_SOLVERS,
    build: Build::Gallery(joints),
};

/// Where the next exhibit stands.
struct Zoo {
    stage: Stage,
    count: usize,
    looks: [usize; 3],
}

impl Zoo {
    /// A place for the next exhibit, with its name on it.
    fn place(&mut self, name: &str) -> DVec3 {
        let (column, row) = (self.count % 6, self.count / 6);
        self.count += 1;
        let at = DVec3::new((column as f64 - 2.5) * 1.5, 3.6 - 1.5 * row as f64, 0.0);
        self.stage.label(at + DVec3::new(0.0, 0.55, 0.0), name);
        at
    }

    fn body(&mut self, name: &str, shape: Shape, at: DVec3, look: usize) -> BodyHandle {
        let definition = BodyDefinition { filter: UNTOUCHABLE, ..BodyDefinition::dynamic(shape, 1000.0) };
        self.stage.add(name, &definition.at(at), self.looks[look])
    }

    fn base(&mut self, shape: Shape, at: DVec3) {
        let definition = BodyDefinition { filter: UNTOUCHABLE, ..BodyDefinition::fixed(shape) };
        self.stage.add("base", &definition.at(at), self.looks[2]);
    }

    fn rod(&mut self, name: &str, at: DVec3, half: DVec3) -> BodyHandle {
        self.body(name, cuboid(half), at, 0)
    }
}

fn joints(_values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(1.2, 2.4, 12.5), target: DVec3::new(0.0, 1.9, 0.0) };
    let options = WorldOptions { time_step: 1.0 / 240.0, ..WorldOptions::default() };
    let mut stage = Stage::new(options, camera);
    stage.show(DVec3::new(-4.3, -1.3, -0.3), DVec3::new(4.3, 4.3, 0.3));
    let looks = [stage.look("#0a6b75"), stage.look("#c0562f"), stage.metal("#7b8792")];
    let mut zoo = Zoo { stage, count: 0, looks };
    turning_joints(&mut zoo);
    sliding_joints(&mut zoo);
    coupling_joints(&mut zoo);
    zoo.stage
}

fn turning_joints(zoo: &mut Zoo) {
    let ground = zoo.stage.world.ground();
    let pin = || cuboid(DVec3::splat(0.05));
    let arm = DVec3::new(0.25, 0.03, 0.03);

    let at = zoo.place("ball");
    zoo.base(sphere(0.05), at);
    let body = zoo.rod("ball joint", at + DVec3::X * 0.25, arm);
    zoo.stage.joint(&JointDefinition::ball(ground, body, at));

    let at = zoo.place("hinge with motor");
    zoo.base(pin(), at);
    let body = zoo.rod("hinge", at + DVec3::X * 0.25, arm);
    zoo.stage.joint(&JointDefinition::hinge(ground, body, at, DVec3::Z).driven(0, 2.0, 100.0));

    let at = zoo.place("hinge with limits");
    zoo.base(pin(), at);
    let body = zoo.rod("limited hinge", at + DVec3::X * 0.25, arm);
    zoo.stage.joint(&JointDefinition::hinge(ground, body, at, DVec3::Z).limits(0, -0.6, 0.6));

    let at = zoo.place("hinge with servo");
    zoo.base(pin(), at);
    let body = zoo.rod("servo", at + DVec3::X * 0.25, arm);
    let servo = Servo { target: 0.8, speed: 1.0, strength: 200.0 };
    zoo.stage.joint(&JointDefinition::hinge(ground, body, at, DVec3::Z).served(0, servo));

    let at = zoo.place("hinge with spring");
    zoo.base(pin(), at);
    let body = zoo.rod("sprung hinge", at + DVec3::X * 0.25, arm);
    let spring = SpringDamper { stiffness: 8.0, damping: 0.02, rest: 0.0 };
    zoo.stage.joint(&JointDefinition::hinge(ground, body, at, DVec3::Z).sprung(0, spring));

    let at = zoo.place("universal");
    zoo.base(pin(), at);
    let body = zoo.rod("universal joint", at - DVec3::Y * 0.25, DVec3::new(0.03, 0.25, 0.06));
    zoo.stage.joint(&JointDefinition::universal(ground, body, at, DVec3::X, DVec3::Z));
    let _ = zoo.stage.world.set_velocity(
        body,
        prall_math::Twist { linear: DVec3::new(0.5, 0.0, 0.4), angular: DVec3::new(-1.6, 0.0, 2.0) },
    );

    let at = zoo.place("fixed");
    zoo.base(pin(), at);
    let body = zoo.rod("fixed", at + DVec3::X * 0.25, arm);
    zoo.stage.joint(&JointDefinition::fixed(ground, body, at));
}

fn sliding_joints(zoo: &mut Zoo) {
    let ground = zoo.stage.world.ground();
    let rail = || cuboid(DVec3::new(0.5, 0.015, 0.015));
    let block = DVec3::splat(0.1);

    let at = zoo.place("slider with spring");
    zoo.base(rail(), at);
    let body = zoo.rod("slider", at + DVec3::X * 0.3, block);
    let spring = SpringDamper { stiffness: 300.0, damping: 0.5, rest: -0.3 };
    zoo.stage.joint(&JointDefinition::slider(ground, body, at + DVec3::X * 0.3, DVec3::X).sprung(0, spring));

    let at = zoo.place("cylinder");
    zoo.base(cuboid(DVec3::new(0.015, 0.5, 0.015)), at);
    let body = zoo.rod("sleeve", at + DVec3::Y * 0.3, DVec3::new(0.15, 0.08, 0.08));
    let lift = SpringDamper { stiffness: 200.0, damping: 1.0, rest: 0.0 };
    zoo.stage.joint(
        &JointDefinition::cylinder(ground, body, at + DVec3::Y * 0.3, DVec3::Y)
            .sprung(0, lift)
            .driven(1, 3.0, 5.0),
    );

    let at = zoo.place("planar");
    zoo.base(cuboid(DVec3::new(0.5, 0.5, 0.01)), at - DVec3::Z * 0.06);
    let body = zoo.rod("planar", at + DVec3::Y * 0.3, DVec3::new(0.12, 0.12, 0.03));
    let planar = JointDefinition::planar(ground, body, at + DVec3::Y * 0.3, DVec3::Z);
    let hold = SpringDamper { stiffness: 300.0, damping: 2.0, rest: 0.0 };
    zoo.stage.joint(&planar.sprung(0, hold).sprung(1, hold).driven(2, 2.0, 5.0));

    let at = zoo.place("point on line");
    zoo.base(rail(), at);
    let body = zoo.rod("bead", at - DVec3::Y * 0.2, DVec3::new(0.03, 0.2, 0.03));
    zoo.stage.joint(&JointDefinition::point_on_line(ground, body, at, DVec3::X).limits(0, -0.45, 0.45));
    let _ = zoo.stage.world.set_velocity(body, prall_math::Twist { linear: DVec3::X, angular: DVec3::ZERO });

    let at = zoo.place("point in plane");
    zoo.base(cuboid(DVec3::new(0.5, 0.01, 0.3)), at);
    let body = zoo.rod("float", at - DVec3::Y * 0.2, DVec3::new(0.03, 0.2, 0.03));
    let hold = SpringDamper { stiffness: 20.0, damping: 0.1, rest: 0.0 };
    zoo.stage
        .joint(&JointDefinition::point_in_plane(ground, body, at, DVec3::Y).sprung(0, hold).sprung(1, hold));
    let _ = zoo
        .stage
        .world
        .set_velocity(body, prall_math::Twist { linear: DVec3::new(0.6, 0.0, 0.4), angular: DVec3::ZERO });
}

fn coupling_joints(zoo: &mut Zoo) {
    let ground = zoo.stage.world.ground();

    let at = zoo.place("distance");
    zoo.base(sphere(0.04), at + DVec3::Y * 0.3);
    let body = zoo.body("bob on a rod", sphere(0.1), at + DVec3::new(0.4, 0.0, 0.0), 1);
    zoo.stage.joint(&JointDefinition::distance(ground, at + DVec3::Y * 0.3, body, DVec3::ZERO, 0.5));

    let at = zoo.place("rope");
    zoo.base(sphere(0.04), at + DVec3::Y * 0.3);
    let body = zoo.body("bob on a rope", sphere(0.1), at + DVec3::new(0.2, 0.2, 0.0), 1);
    zoo.stage.joint(&JointDefinition::rope(ground, at + DVec3::Y * 0.3, body, DVec3::ZERO, 0.6));

    let at = zoo.place("spring");
    zoo.base(sphere(0.04), at + DVec3::Y * 0.3);
    let body = zoo.body("bob on a spring", sphere(0.1), at - DVec3::Y * 0.2, 1);
    let spring = SpringDamper { stiffness: 300.0, damping: 0.0, rest: 0.4 };
    zoo.stage.joint(&JointDefinition::spring(ground, at + DVec3::Y * 0.3, body, DVec3::ZERO, spring));

    let at = zoo.place("screw");
    zoo.base(cuboid(DVec3::new(0.02, 0.5, 0.02)), at);
    let body = zoo.rod("nut", at + DVec3::Y * 0.3, DVec3::new(0.15, 0.05, 0.06));
    zoo.stage.joint(
        &JointDefinition::screw(ground, body, at + DVec3::Y * 0.3, DVec3::Y, 0.2).limits(0, -18.0, 0.5),
    );

    let at = zoo.place("gear");
    let wheel = |radius: f64| cylinder(0.03, radius);
    let flat = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let wheel_at = |zoo: &mut Zoo, name: &str, radius: f64, at: DVec3, look: usize| {
        let definition =
            BodyDefinition { filter: UNTOUCHABLE, ..BodyDefinition::dynamic(wheel(radius), 1000.0) };
        zoo.stage.add(name, &definition.in_pose(Pose::new(flat, at)), zoo.looks[look])
    };
    let small = wheel_at(zoo, "small wheel", 0.12, at - DVec3::X * 0.2, 1);
    let large = wheel_at(zoo, "large wheel", 0.24, at + DVec3::X * 0.16, 0);
    zoo.stage
        .joint(&JointDefinition::hinge(ground, small, at - DVec3::X * 0.2, DVec3::Z).driven(0, 4.0, 20.0));
    zoo.stage.joint(&JointDefinition::hinge(ground, large, at + DVec3::X * 0.16, DVec3::Z));
    // The wheels' axles are their own y.
    let axle = Pose::new(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2), DVec3::ZERO);
    zoo.stage.joint(&JointDefinition::gear(small, large, [axle; 2], 2.0));

    let at = zoo.place("rack and pinion");
    let pinion = wheel_at(zoo, "pinion", 0.15, at + DVec3::Y * 0.15, 1);
    let rack = zoo.rod("rack", at - DVec3::Y * 0.03, DVec3::new(0.4, 0.03, 0.03));
    let hinge = JointDefinition::hinge(ground, pinion, at + DVec3::Y * 0.15, DVec3::Z);
    let swing = SpringDamper { stiffness: 6.0, damping: 0.0, rest: 1.2 };
    zoo.stage.joint(&hinge.sprung(0, swing));
    zoo.stage.joint(&JointDefinition::slider(ground, rack, at - DVec3::Y * 0.03, DVec3::X));
    zoo.stage.joint(&JointDefinition::rack_and_pinion(
        rack,
        pinion,
        at + DVec3::Y * 0.15,
        DVec3::X,
        DVec3::Z,
        0.15,
    ));

    let at = zoo.place("wheel suspension");
    zoo.base(cuboid(DVec3::new(0.3, 0.04, 0.1)), at + DVec3::Y * 0.3);
    let axle_along_y = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let tyre = BodyDefinition { filter: UNTOUCHABLE, ..BodyDefinition::dynamic(cylinder(0.05, 0.2), 400.0) };
    let tyre =
        zoo.stage.add("wheel", &tyre.in_pose(Pose::new(axle_along_y, at - DVec3::Y * 0.1)), zoo.looks[1]);
    let spring = SpringDamper { stiffness: 800.0, damping: 4.0, rest: 0.0 };
    let suspension = JointDefinition::wheel(ground, tyre, at - DVec3::Y * 0.1, DVec3::Y, DVec3::Z);
    zoo.stage.joint(&suspension.sprung(0, spring).limits(1, 0.0, 0.0).driven(2, 6.0, 10.0));
}
