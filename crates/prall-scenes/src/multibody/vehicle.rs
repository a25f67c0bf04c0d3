//! The car of `scenes/buggy.toml` on hills.

use super::MACHINE_SOLVERS;
use crate::Camera;
use crate::file::SceneDescription;
use crate::parameter::{Parameter, Scale, Values};
use crate::world::contact_scenes::GRAVITY;
use crate::world::stage::{cuboid, cylinder, rough};
use crate::world::{Build, Described, Stage, WorldDefinition};
use glam::DVec3;
use prall_dynamics::{BodyDefinition, WorldOptions};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh};
use std::sync::{Arc, LazyLock};

/// A car in minimal coordinates on a mesh of hills.
pub(crate) static VEHICLE: WorldDefinition = WorldDefinition {
    name: "vehicle",
    parameters: PARAMETERS,
    solvers: MACHINE_SOLVERS,
    build: Build::Gallery(build),
};

/// Keys of the controls as the file has them.
const PARAMETERS: &[Parameter] = &[
    Parameter {
        key: "throttle",
        label: "Throttle",
        unit: "N m",
        min: -300.0,
        max: 500.0,
        default: 220.0,
        step: 10.0,
        scale: Scale::Linear,
        text: "Torque on each rear wheel; below zero it drives backwards",
    },
    Parameter {
        key: "steering",
        label: "Steering",
        unit: "°",
        min: -30.0,
        max: 30.0,
        default: 12.0,
        step: 1.0,
        scale: Scale::Linear,
        text: "To the left above zero",
    },
    Parameter {
        key: "brake",
        label: "Brake",
        unit: "N m s",
        min: 0.0,
        max: 200.0,
        default: 0.0,
        step: 5.0,
        scale: Scale::Linear,
        text: "Damping of all four axles",
    },
    Parameter {
        key: "hills",
        label: "Height of the hills",
        unit: "m",
        min: 0.0,
        max: 3.0,
        default: 1.0,
        step: 0.1,
        scale: Scale::Linear,
        text: "From the next reset on",
    },
    GRAVITY,
];

/// The car, read once.
static BUGGY: LazyLock<Described> = LazyLock::new(|| {
    let text = include_str!("../../../../scenes/buggy.toml");
    let file = SceneDescription::from_toml(text, "buggy.toml").expect("a test reads the repository's files");
    Described::new(file, PARAMETERS)
});

/// Half the side of the ground, and the distance of its corners, in m.
const HALF: f64 = 60.0;
const CELLS: u32 = 80;

fn build(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(9.0, 6.5, 11.0), target: DVec3::new(-4.0, 0.4, -4.0) };
    let options = WorldOptions { time_step: 1.0 / 240.0, ..WorldOptions::default() };
    let mut stage = Stage::new(options, camera);
    let grass = stage.look("#7d8f63");
    let ground = BodyDefinition::fixed(terrain(values.of("hills"))).made_of(rough(0.9));
    stage.add("ground", &ground, grass);
    obstacles(&mut stage, values.of("hills"));
    let (paint, dark, tyre) = (stage.metal("#c0562f"), stage.look("#3c444c"), stage.look("#22272c"));
    let look = |name: &str| {
        if name.ends_with("wheel") {
            tyre
        } else if name == "chassis" {
            paint
        } else {
            dark
        }
    };
    let looks: Vec<usize> = BUGGY.scene().bodies.iter().map(|body| look(body.name.get_ref())).collect();
    for mechanism in &BUGGY.scene().mechanisms {
        BUGGY.machine(&mut stage, mechanism, &looks).expect("a test builds the repository's files");
    }
    BUGGY.give_controls(&mut stage);
    stage
}

/// Hills of a few wave lengths, level around the start, with a bank at the border.
fn height(hills: f64, x: f64, z: f64) -> f64 {
    let away = (x * x + z * z).sqrt();
    let level = ((away - 6.0) / 8.0).clamp(0.0, 1.0);
    let waves = libm::sin(0.31 * x + 0.4) * libm::cos(0.27 * z) + 0.45 * libm::sin(0.71 * z - 0.2 * x);
    let bank = ((x.abs().max(z.abs()) - 0.85 * HALF) / (0.15 * HALF)).max(0.0);
    hills * 0.6 * level * level * (3.0 - 2.0 * level) * waves + 4.0 * bank * bank
}

fn terrain(hills: f64) -> Shape {
    let place = |index: u32| HALF * (2.0 * f64::from(index) / f64::from(CELLS) - 1.0);
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for row in 0..=CELLS {
        for column in 0..=CELLS {
            let (x, z) = (place(column), place(row));
            positions.push(DVec3::new(x, height(hills, x, z), z));
        }
    }
    for (row, column) in (0..CELLS).flat_map(|row| (0..CELLS).map(move |column| (row, column))) {
        let corner = row * (CELLS + 1) + column;
        let (right, below) = (corner + 1, corner + CELLS + 1);
        triangles.push([corner, below, right]);
        triangles.push([right, below, below + 1]);
    }
    let soup = PolygonSoup::from_triangles(positions, &triangles).expect("a grid is a soup");
    let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).expect("a grid is a mesh");
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).expect("a grid has triangles")))
}

/// Barrels and crates to drive into.
fn obstacles(stage: &mut Stage, hills: f64) {
    let (barrel_look, crate_look) = (stage.metal("#0a6b75"), stage.look("#b08d57"));
    for (number, (x, z)) in [(-9.0, -9.5), (-9.9, -9.0), (-9.5, -10.2)].into_iter().enumerate() {
        let barrel = BodyDefinition::dynamic(cylinder(0.45, 0.3), 150.0).made_of(rough(0.6));
        let y = height(hills, x, z) + 0.6;
        stage.add(format!("barrel {}", number + 1), &barrel.at(DVec3::new(x, y, z)), barrel_look);
    }
    for (number, (x, y, z)) in
        [(3.4, 0.31, -7.5), (4.1, 0.31, -7.5), (3.75, 0.92, -7.5)].into_iter().enumerate()
    {
        let chest = BodyDefinition::dynamic(cuboid(DVec3::splat(0.3)), 180.0).made_of(rough(0.6));
        let y = y + height(hills, x, z);
        stage.add(format!("crate {}", number + 1), &chest.at(DVec3::new(x, y, z)), crate_look);
    }
}
