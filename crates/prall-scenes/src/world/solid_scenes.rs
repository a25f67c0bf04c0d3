//! Parts that hold each other by their shape alone.

use super::contact_scenes::GRAVITY;
use super::stage::rough;
use super::{Build, Stage, WorldDefinition, WorldSolver};
use crate::Camera;
use crate::parameter::{Parameter, Scale, Values};
use crate::simulation::Solver;
use glam::{BVec3, DQuat, DVec2, DVec3};
use prall_dynamics::{BodyDefinition, Locked, Material, ShapeDefinition, WorldOptions};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh, generate};
use prall_math::{Pose, Twist, Wrench};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

/// Interlocked rings, gears and a padlock, pulled and not to be taken apart.
pub(crate) static SOLID: WorldDefinition = WorldDefinition {
    name: "solid",
    parameters: &[
        GRAVITY,
        Parameter {
            key: "pull",
            label: "Pull",
            unit: "N",
            min: 0.0,
            max: 10_000.0,
            default: 500.0,
            step: 50.0,
            scale: Scale::Linear,
            text: "Force down on the lowest ring and on the padlock, from the next reset on",
        },
        Parameter {
            key: "speed",
            label: "Speed of the gear",
            unit: "rad/s",
            min: -6.0,
            max: 6.0,
            default: 1.0,
            step: 0.1,
            scale: Scale::Linear,
            text: "Of the small gear, which turns whatever happens, from the next reset on",
        },
        Parameter {
            key: "friction",
            label: "Friction",
            unit: "",
            min: 0.0,
            max: 1.0,
            default: 0.2,
            step: 0.01,
            scale: Scale::Linear,
            text: "Coulomb's coefficient of all surfaces, from the next reset on",
        },
    ],
    solvers: (
        &[WorldSolver::standard()],
        &[Solver {
            name: "solid",
            title: "Solid contacts",
            promise: "No two parts ever overlap, proven for every motion of every step",
            source: "Ferguson et al. 2021, and own",
        }],
    ),
    build: Build::Gallery(solid),
};

/// Brake of the large gear in N m.
const BRAKE: f64 = 20.0;
/// In kg/m^3. The parts are light, so that the pull is what counts.
const DENSITY: f64 = 1200.0;

fn solid(values: &Values) -> Stage {
    let camera = Camera { position: DVec3::new(0.5, 1.6, 4.2), target: DVec3::new(0.05, 1.15, 0.0) };
    let mut stage = Stage::new(WorldOptions::default(), camera);
    let material = rough(values.of("friction"));
    stage.ground(material);
    let pull = Wrench { force: DVec3::NEG_Y * values.of("pull"), torque: DVec3::ZERO };
    rings(&mut stage, DVec3::new(-1.1, 1.9, 0.0), material, pull);
    gears(&mut stage, DVec3::new(-0.25, 1.2, 0.0), material, values.of("speed"));
    padlock(&mut stage, DVec3::new(1.2, 1.45, 0.0), material, pull);
    stage
}

/// Four rings, each through the next; the highest is fixed.
fn rings(stage: &mut Stage, top: DVec3, material: Material, pull: Wrench) {
    const RADIUS: f64 = 0.2;
    const TUBE: f64 = 0.035;
    let shape = part(generate::torus(RADIUS, TUBE, 24, 10));
    let (frame, steel) = (stage.metal("#5b646b"), stage.metal("#c9a27c"));
    for k in 0..4_u32 {
        let turn = DQuat::from_rotation_y(FRAC_PI_2 * f64::from(k % 2)) * DQuat::from_rotation_x(FRAC_PI_2);
        // A millimetre of play in each link.
        let place = top + DVec3::NEG_Y * (2.0 * f64::from(k) * (RADIUS - TUBE - 5e-4));
        let ring = if k == 0 {
            BodyDefinition::fixed(shape.clone())
        } else {
            BodyDefinition::dynamic(shape.clone(), DENSITY)
        };
        let ring = ring.in_pose(Pose::new(turn, place)).made_of(material);
        let body = stage.add(format!("ring {}", k + 1), &ring, if k == 0 { frame } else { steel });
        if k == 3 {
            stage.world.set_load(body, pull).expect("the ring is there");
        }
    }
}

/// A driven gear of 20 teeth and one of 30 that follows it against a brake; only their teeth connect them.
fn gears(stage: &mut Stage, place: DVec3, material: Material, speed: f64) {
    const MODULE: f64 = 0.02;
    let (small, large) = (stage.metal("#0a6b75"), stage.metal("#b5653f"));
    // Prisms stand on the ground; gears turn about z.
    let upright = DQuat::from_rotation_x(FRAC_PI_2);
    let mut driver = BodyDefinition::kinematic(part(generate::prism(&gear_outline(20, MODULE), 0.08)))
        .in_pose(Pose::new(upright, place))
        .made_of(material);
    driver.velocity = Twist { linear: DVec3::ZERO, angular: DVec3::Z * speed };
    stage.add("driving gear", &driver, small);
    // A gap of the large gear faces a tooth of the small one.
    let half_a_pitch = DQuat::from_rotation_z(PI / 30.0);
    let wheel = part(generate::prism(&gear_outline(30, MODULE), 0.08));
    let follower = BodyDefinition::dynamic(wheel, DENSITY)
        .in_pose(Pose::new(half_a_pitch * upright, place + DVec3::X * (25.0 * MODULE)))
        .with_locked(Locked { translation: BVec3::TRUE, rotation: BVec3::new(true, true, false) })
        .made_of(material);
    let body = stage.add("driven gear", &follower, large);
    let brake = DVec3::Z * (BRAKE * speed.signum());
    let brake = Wrench { force: DVec3::ZERO, torque: if speed == 0.0 { DVec3::ZERO } else { brake } };
    stage.world.set_load(body, brake).expect("the gear is there");
}

/// Outline of a spur gear with involute flanks: pressure angle 20 degrees, addendum 1 and dedendum 1.25 modules, 2 % of a module of backlash
/// in its share.
///
/// With the base radius b = r cos(20), the flank at radius s has turned by inv(a) = tan(a) - a, cos(a) = b/s, from where it leaves the base
/// circle; a tooth is a quarter of a pitch thick to each side of its middle at the pitch radius.
fn gear_outline(teeth: u32, module: f64) -> Vec<DVec2> {
    let pitch_radius = 0.5 * module * f64::from(teeth);
    let pressure = 20.0_f64.to_radians();
    let base = pitch_radius * libm::cos(pressure);
    let involute = |s: f64| {
        let angle = libm::acos((base / s).min(1.0));
        libm::tan(angle) - angle
    };
    let half = 0.5 * PI / f64::from(teeth) - 0.01 * module / pitch_radius + involute(pitch_radius);
    let (root, tip) = (pitch_radius - 1.25 * module, pitch_radius + module);
    let flank: Vec<(f64, f64)> = std::iter::once((root, half))
        .chain((0..4).map(|k| base + (tip - base) * f64::from(k) / 3.0).map(|s| (s, half - involute(s))))
        .collect();
    let mut outline = Vec::new();
    for tooth in 0..teeth {
        let middle = TAU * f64::from(tooth) / f64::from(teeth);
        let point = |s: f64, angle: f64| DVec2::new(s * libm::cos(angle), s * libm::sin(angle));
        outline.extend(flank.iter().map(|&(s, angle)| point(s, middle - angle)));
        outline.extend(flank.iter().rev().map(|&(s, angle)| point(s, middle + angle)));
    }
    outline
}

/// A padlock on a fixed bar: the feet of its shackle stand behind lips in its body.
fn padlock(stage: &mut Stage, place: DVec3, material: Material, pull: Wrench) {
    const THICK: f64 = 0.06;
    let (frame, steel, brass) = (stage.metal("#5b646b"), stage.metal("#9fb4b8"), stage.glass("#d9b36c"));
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z));
    let upright = DQuat::from_rotation_x(FRAC_PI_2);
    let bar = BodyDefinition::fixed(part(generate::cylinder(0.04, 0.5, 16)));
    // A millimetre under the arch of the shackle.
    let bar = bar.in_pose(Pose::new(upright, place + DVec3::Y * 0.2075));
    stage.add("bar", &bar.made_of(material), frame);
    let shackle = BodyDefinition::dynamic(part(generate::prism(&shackle_outline(), THICK)), DENSITY);
    stage.add("shackle", &shackle.in_pose(Pose::new(upright, place)).made_of(material), steel);
    let block = |size: [f64; 3], pose: Pose| ShapeDefinition {
        pose,
        shape: part(generate::cuboid(DVec3::from_array(size))),
        density: DENSITY,
    };
    // A front, a back, and between them everything but the pocket, a millimetre from the shackle all round.
    let mut shapes = vec![
        block([0.5, 0.26, 0.03], at(0.0, -0.13, 0.5 * THICK + 0.016)),
        block([0.5, 0.26, 0.03], at(0.0, -0.13, -0.5 * THICK - 0.016)),
        block([0.196, 0.22, THICK], at(0.0, -0.11, 0.0)),
        block([0.5, 0.04, THICK], at(0.0, -0.24, 0.0)),
    ];
    for side in [-1.0, 1.0] {
        shapes.push(block([0.109, 0.099, THICK], at(side * 0.1955, -0.0495, 0.0)));
        shapes.push(block([0.069, 0.121, THICK], at(side * 0.2155, -0.1595, 0.0)));
    }
    let body = BodyDefinition { shapes, ..BodyDefinition::default() };
    let body = stage.add("padlock", &body.at(place).made_of(material), brass);
    stage.world.set_load(body, pull).expect("the padlock is there");
}

/// A U with feet that stand out by 30 mm: legs 100 to 140 mm from the middle, the arch about the height 150 mm.
fn shackle_outline() -> Vec<DVec2> {
    const SEGMENTS: u32 = 10;
    let arc = |radius: f64, k: u32| {
        let angle = PI * f64::from(k) / f64::from(SEGMENTS);
        DVec2::new(radius * libm::cos(angle), 0.15 + radius * libm::sin(angle))
    };
    let foot = [[0.14, -0.1005], [0.18, -0.1005], [0.18, -0.16], [0.1, -0.16]].map(DVec2::from_array);
    let mirrored = foot.map(|point| DVec2::new(-point.x, point.y));
    let outer = (0..=SEGMENTS).map(|k| arc(0.14, k));
    let inner = (0..=SEGMENTS).rev().map(|k| arc(0.1, k));
    foot.into_iter().rev().chain(outer).chain(mirrored).chain(inner).collect()
}

/// A mesh as a shape.
fn part(soup: Result<PolygonSoup, prall_geometry::generate::GenerateError>) -> Shape {
    let soup = soup.expect("a scene's parts have a size");
    let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).expect("a scene's parts are meshes");
    let mesh = TriangleMesh::new(Arc::new(mesh)).expect("a scene's parts are shapes");
    Shape::TriangleMesh(Arc::new(mesh))
}
