//! Corner, peg in hole, tee, bolt and nut, sheet.

use super::script::{Script, through};
use super::{HandledPart, HandlingDefinition, Scenery, Setting};
use crate::parameter::Values;
use crate::{Camera, Parameter, Scale};
use glam::{DQuat, DVec2, DVec3};
use prall_geometry::generate::{self, GenerateError, Thread};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh};
use prall_handling::{Friction, HandlingOptions, PoseLimits};
use prall_math::Pose;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};
use std::sync::Arc;

pub(super) const PETROL: &str = "#0a6b75";
pub(super) const STEEL: &str = "#9fb4b8";
pub(super) const SAND: &str = "#c9a27c";
pub(super) const MOSS: &str = "#8fa68b";

pub(super) const FRICTION: Parameter = Parameter {
    key: "friction",
    label: "Friction",
    unit: "",
    min: 0.0,
    max: 1.0,
    default: 0.2,
    step: 0.01,
    scale: Scale::Linear,
    text: "Coulomb's coefficient of all contacts",
};

pub(super) const fn length(
    key: &'static str,
    label: &'static str,
    range: (f64, f64, f64),
    step: f64,
    text: &'static str,
) -> Parameter {
    let (min, max, default) = range;
    Parameter { key, label, unit: "mm", min, max, default, step, scale: Scale::Linear, text }
}

pub(super) fn mesh(soup: Result<PolygonSoup, GenerateError>) -> Shape {
    let soup = soup.expect("declared measures make a shape");
    let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).expect("generated shapes are meshes");
    let mesh = TriangleMesh::new(Arc::new(mesh)).expect("generated shapes have triangles");
    Shape::TriangleMesh(Arc::new(mesh))
}

pub(super) fn cuboid(size: DVec3) -> Shape {
    mesh(generate::cuboid(size))
}

pub(super) fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

/// Something to be taken in hand.
pub(super) fn part(name: &str, shape: Shape, start: Pose) -> HandledPart {
    HandledPart { name: name.to_owned(), shape, start, color: PETROL }
}

pub(super) fn options(values: &Values) -> HandlingOptions {
    HandlingOptions {
        guard: 20e-6,
        friction: Friction::of(values.of("friction")),
        ..HandlingOptions::default()
    }
}

pub(super) fn fixed(name: &'static str, shape: Shape, pose: Pose, color: &'static str) -> Scenery {
    Scenery { name: name.to_owned(), shape, pose, color, opacity: 1.0 }
}

pub(crate) static CORNER: HandlingDefinition = HandlingDefinition {
    name: "corner",
    parameters: &[FRICTION],
    set: set_corner,
    script: |_| Script::Way(play_corner),
};

fn set_corner(values: &Values) -> Setting {
    let plate = |n: DVec3| cuboid(DVec3::splat(0.8) - n * 0.75);
    Setting {
        parts: vec![part(
            "block",
            mesh(generate::brick(DVec3::new(0.24, 0.16, 0.2), 0.02)),
            at(0.3, 0.3, 0.3),
        )],
        obstacles: vec![
            fixed("left wall", plate(DVec3::X), at(-0.025, 0.35, 0.35), SAND),
            fixed("floor", plate(DVec3::Y), at(0.35, -0.025, 0.35), STEEL),
            fixed("back wall", plate(DVec3::Z), at(0.35, 0.35, -0.025), MOSS),
        ],
        options: options(values),
        camera: Camera { position: DVec3::new(1.15, 0.95, 1.35), target: DVec3::new(0.22, 0.2, 0.22) },
        ground: Some(-0.05),
    }
}

fn play_corner(time: f64) -> Pose {
    let wave = |frequency: f64, phase: f64| libm::sin(TAU * frequency * time + phase);
    let place = DVec3::new(
        0.13 + 0.14 * wave(0.11, 1.3),
        0.12 + 0.14 * wave(0.083, 1.2),
        0.13 + 0.14 * wave(0.137, 1.1),
    );
    let turn = DVec3::new(wave(0.07, 0.0), wave(0.093, 0.6), wave(0.061, 0.3)) * 0.7;
    Pose::new(DQuat::from_scaled_axis(turn), place)
}

pub(crate) static PEG_IN_HOLE: HandlingDefinition = HandlingDefinition {
    name: "peg-in-hole",
    parameters: &[
        length(
            "clearance",
            "Clearance",
            (0.05, 5.0, 0.5),
            0.05,
            "By how much the hole is wider than the peg of 100 mm, from the next reset on",
        ),
        length("chamfer", "Chamfer", (0.0, 15.0, 6.0), 0.5, "Of the hole's rim, from the next reset on"),
        Parameter { default: 0.1, ..FRICTION },
    ],
    set: set_peg,
    script: |_| Script::Way(play_peg),
};

const PEG_RADIUS: f64 = 0.05;
const PEG_SEGMENTS: u32 = 48;

fn set_peg(values: &Values) -> Setting {
    // The hole's flat sides touch the circle.
    let inner =
        (PEG_RADIUS + 0.5e-3 * values.of("clearance")) / libm::cos(0.5 * TAU / f64::from(PEG_SEGMENTS));
    let chamfer = 1e-3 * values.of("chamfer");
    let mut profile = vec![(0.17, 0.0), (0.17, 0.12), (inner + chamfer, 0.12)];
    if chamfer > 0.0 {
        profile.push((inner, 0.12 - chamfer));
    }
    profile.push((inner, 0.0));
    let profile: Vec<DVec2> = profile.into_iter().map(DVec2::from).collect();
    let block = mesh(generate::revolved(&profile, PEG_SEGMENTS));
    Setting {
        parts: vec![part(
            "peg",
            mesh(generate::cylinder(PEG_RADIUS, 0.3, PEG_SEGMENTS)),
            Pose::new(DQuat::from_rotation_z(0.1), DVec3::new(0.02, 0.36, 0.0)),
        )],
        obstacles: vec![Scenery {
            name: "block".to_owned(),
            shape: block,
            pose: Pose::IDENTITY,
            color: SAND,
            opacity: 0.55,
        }],
        // Contacts rest well within the clearance.
        options: HandlingOptions { guard: (0.125e-3 * values.of("clearance")).min(20e-6), ..options(values) },
        camera: Camera { position: DVec3::new(0.55, 0.62, 0.85), target: DVec3::new(0.0, 0.19, 0.0) },
        ground: Some(-0.06),
    }
}

fn play_peg(time: f64) -> Pose {
    let height =
        through(time, &[(0.0, 0.36), (1.0, 0.32), (5.0, 0.15), (7.0, 0.15), (10.0, 0.36), (11.0, 0.36)]);
    // Tilted and off the axis above the hole, nearly straight within.
    let high = ((height - 0.27) / 0.06).clamp(0.0, 1.0);
    let wobble = 0.01 + 0.11 * high;
    Pose::new(
        DQuat::from_rotation_z(0.06 * high + wobble * libm::sin(TAU * 0.35 * time)),
        DVec3::new(0.012 * high, height, 2e-3 * libm::sin(TAU * 0.5 * time)),
    )
}

pub(crate) static TEE: HandlingDefinition = HandlingDefinition {
    name: "tee",
    parameters: &[FRICTION],
    set: set_tee,
    script: |_| Script::Way(play_tee),
};

/// The tee stands along y, its bar along x.
fn upright() -> DQuat {
    DQuat::from_rotation_x(FRAC_PI_2)
}

fn set_tee(values: &Values) -> Setting {
    let outline = [
        (-0.15, 0.15),
        (-0.15, 0.1),
        (-0.025, 0.1),
        (-0.025, -0.15),
        (0.025, -0.15),
        (0.025, 0.1),
        (0.15, 0.1),
        (0.15, 0.15),
    ];
    let long = cuboid(DVec3::new(0.8, 0.03, 0.3));
    let short = cuboid(DVec3::new(0.275, 0.03, 0.1));
    let height = 0.45;
    let limits = PoseLimits { contact_speed: Some(0.5), ..PoseLimits::default() };
    Setting {
        parts: vec![part(
            "tee",
            mesh(generate::prism(&outline.map(DVec2::from), 0.05)),
            Pose::new(upright(), DVec3::new(0.0, height + 0.3, 0.0)),
        )],
        obstacles: vec![
            fixed("front of the plate", long.clone(), at(0.0, height, 0.2), SAND),
            fixed("back of the plate", long, at(0.0, height, -0.2), SAND),
            fixed("right of the slot", short.clone(), at(0.2625, height, 0.0), SAND),
            fixed("left of the slot", short, at(-0.2625, height, 0.0), SAND),
        ],
        options: HandlingOptions { pose_limits: limits, ..options(values) },
        camera: Camera { position: DVec3::new(0.75, 1.05, 1.25), target: DVec3::new(0.0, 0.46, 0.0) },
        ground: Some(0.0),
    }
}

fn play_tee(time: f64) -> Pose {
    // Straight down it stays on its bar; tilted it goes through, and back.
    let height = through(
        time,
        &[
            (0.0, 0.75),
            (2.0, 0.5),
            (3.5, 0.3),
            (5.0, 0.5),
            (7.0, 0.5),
            (10.0, 0.2),
            (11.0, 0.2),
            (14.0, 0.6),
            (16.0, 0.75),
        ],
    );
    let tilt = through(
        time,
        &[(0.0, 0.0), (5.0, 0.0), (6.5, 1.3), (9.5, 1.3), (10.5, 0.8), (11.5, 1.3), (13.5, 1.3), (16.0, 0.0)],
    );
    Pose::new(DQuat::from_rotation_z(tilt) * upright(), DVec3::new(-0.04 * tilt, height, 0.0))
}

pub(crate) static BOLT_AND_NUT: HandlingDefinition = HandlingDefinition {
    name: "bolt-and-nut",
    parameters: &[
        length(
            "play",
            "Play",
            (0.2, 1.5, 0.5),
            0.05,
            "Between the threads along the radius, from the next reset on",
        ),
        FRICTION,
    ],
    set: set_bolt,
    script: |_| Script::Way(play_bolt),
};

const THREAD: Thread = Thread { radius: 0.08, pitch: 0.025, turns: 10, segments: 48 };
const NUT_TURNS: u32 = 4;
const NUT_HEIGHT: f64 = 0.16;

fn set_bolt(values: &Values) -> Setting {
    let nut = Thread { turns: NUT_TURNS, ..THREAD };
    let nut = mesh(generate::nut(&nut, 1e-3 * values.of("play"), 0.14));
    let limits = PoseLimits { contact_speed: Some(0.2), ..PoseLimits::default() };
    Setting {
        parts: vec![part(
            "bolt",
            mesh(generate::bolt(&THREAD)),
            at(0.0, NUT_HEIGHT + 3.0 * THREAD.pitch, 0.0),
        )],
        obstacles: vec![Scenery {
            name: "nut".to_owned(),
            shape: nut,
            pose: at(0.0, NUT_HEIGHT, 0.0),
            color: SAND,
            opacity: 0.5,
        }],
        options: HandlingOptions { pose_limits: limits, ..options(values) },
        camera: Camera { position: DVec3::new(0.42, 0.5, 0.62), target: DVec3::new(0.0, 0.2, 0.0) },
        ground: Some(0.0),
    }
}

fn play_bolt(time: f64) -> Pose {
    let turns = through(time, &[(0.0, 0.0), (0.5, 0.0), (9.0, 3.0), (9.5, 3.0), (18.0, 0.0)]);
    // A hand that does not hold it quite on the axis.
    let sway = DVec3::new(libm::sin(2.3 * time), 0.0, libm::cos(1.7 * time)) * 2e-3;
    let height = NUT_HEIGHT + (3.0 - turns) * THREAD.pitch;
    Pose::new(DQuat::from_rotation_y(-TAU * turns), DVec3::Y * height + sway)
}

pub(crate) static SHEET: HandlingDefinition = HandlingDefinition {
    name: "sheet",
    parameters: &[FRICTION],
    set: set_sheet,
    script: |_| Script::Way(play_sheet),
};

/// A wave of sheet without thickness.
fn sheet() -> Result<PolygonSoup, GenerateError> {
    const COUNT: u32 = 40;
    let mut soup = PolygonSoup::new();
    for i in 0..=COUNT {
        for j in 0..=COUNT {
            let place = |k: u32| f64::from(k) / f64::from(COUNT) - 0.5;
            let (x, z) = (0.9 * place(i), 0.9 * place(j));
            let y = 0.05 * libm::cos(7.0 * x) * libm::cos(5.0 * z);
            soup.push_position(DVec3::new(x, y, z))?;
        }
    }
    for i in 0..COUNT {
        for j in 0..COUNT {
            let corner = |i: u32, j: u32| i * (COUNT + 1) + j;
            soup.push_face(&[corner(i, j), corner(i, j + 1), corner(i + 1, j + 1)])?;
            soup.push_face(&[corner(i, j), corner(i + 1, j + 1), corner(i + 1, j)])?;
        }
    }
    Ok(soup)
}

fn set_sheet(values: &Values) -> Setting {
    let height = 0.35;
    Setting {
        parts: vec![part("block", cuboid(DVec3::new(0.16, 0.08, 0.12)), at(0.0, height + 0.25, 0.0))],
        obstacles: vec![Scenery {
            name: "sheet".to_owned(),
            shape: mesh(sheet()),
            pose: at(0.0, height, 0.0),
            color: MOSS,
            opacity: 0.8,
        }],
        options: options(values),
        camera: Camera { position: DVec3::new(0.8, 0.85, 1.15), target: DVec3::new(0.0, 0.36, 0.0) },
        ground: Some(0.0),
    }
}

fn play_sheet(time: f64) -> Pose {
    // Around the edge of the sheet from above to below and back, pressing on it from either side.
    let around = through(time, &[(0.0, 0.0), (16.0, TAU)]);
    let (sine, cosine) = libm::sincos(around + FRAC_PI_4);
    let stretched = DVec3::new(0.62 * cosine, 0.35 + 0.30 * sine, 0.2 * libm::sin(1.3 * time));
    let press = through(
        time,
        &[(0.0, 0.0), (2.0, 1.0), (4.0, 0.0), (8.0, 0.0), (10.0, 1.0), (12.0, 0.0), (16.0, 0.0)],
    );
    let place = DVec3::new(stretched.x, stretched.y + (0.35 - stretched.y) * press, stretched.z);
    Pose::new(
        DQuat::from_rotation_y(0.7 * libm::sin(0.9 * time))
            * DQuat::from_rotation_x(0.3 * libm::sin(1.1 * time)),
        place,
    )
}
