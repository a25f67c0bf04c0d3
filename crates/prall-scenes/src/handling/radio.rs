//! A car radio and a slot that is hardly wider.

use super::definitions::{FRICTION, SAND, STEEL, at, fixed, length, mesh, options, part};
use super::script::{Script, Stop};
use super::{HandlingDefinition, Scenery, Setting};
use crate::parameter::Values;
use crate::{Camera, Parameter};
use glam::{DAffine3, DQuat, DVec2, DVec3};
use prall_geometry::generate::{self, GenerateError};
use prall_geometry::{PolygonSoup, Shape};
use prall_handling::{HandlingOptions, PoseLimits};
use prall_math::Pose;

pub(crate) static CAR_RADIO: HandlingDefinition = HandlingDefinition {
    name: "car-radio",
    parameters: &[
        length(
            "clearance",
            "Clearance",
            (0.1, 3.0, 0.3),
            0.1,
            "By how much the slot is wider and higher than the radio, from the next reset on",
        ),
        Parameter { default: 0.15, ..FRICTION },
    ],
    set: set_radio,
    script: |_| Script::Run(insertion()),
};

/// The radio behind its front plate, in m.
const BODY: DVec3 = DVec3::new(0.178, 0.05, 0.16);
const FRONT: DVec3 = DVec3::new(0.19, 0.062, 0.008);
/// How much wider the slot is at its mouth on each side, and how deep that reaches, in m.
const LEAD: (f64, f64) = (6e-3, 18e-3);
/// Of the slot's edges above and below.
const CHAMFER: f64 = 2.5e-3;
/// Height of the slot's middle.
const HEIGHT: f64 = 0.25;
/// Where the radio's middle is when its front plate touches the console.
pub(super) const HOME: f64 = -0.5 * BODY.z;

/// Body with chamfered edges, front plate, two knobs and a display. It goes in along -z.
fn radio() -> Result<PolygonSoup, GenerateError> {
    let mut soup = generate::brick(BODY, 1e-3)?;
    let mut add = |piece: PolygonSoup, place: DAffine3| -> Result<(), GenerateError> {
        soup.append(&piece.transformed(&place)?)?;
        Ok(())
    };
    let front = 0.5 * BODY.z + 0.5 * FRONT.z;
    add(generate::brick(FRONT, 2e-3)?, DAffine3::from_translation(DVec3::Z * front))?;
    for x in [-0.075, 0.075] {
        let knob = generate::cylinder(0.012, 0.016, 24)?;
        let place = DVec3::new(x, -0.006, front + 0.5 * FRONT.z + 0.007);
        let turn = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        add(knob, DAffine3::from_rotation_translation(turn, place))?;
    }
    let display = DVec3::new(0.0, 0.01, front + 0.5 * FRONT.z + 1e-3);
    add(generate::cuboid(DVec3::new(0.1, 0.022, 0.003))?, DAffine3::from_translation(display))?;
    Ok(soup)
}

fn wall(name: &'static str, low: DVec3, high: DVec3, color: &'static str, opacity: f64) -> Scenery {
    let shape: Shape = mesh(generate::brick(high - low, CHAMFER));
    Scenery { opacity, ..fixed(name, shape, Pose::from_translation(0.5 * (low + high)), color) }
}

/// A side wall of the slot from `x` outward, wider at the mouth.
fn side_wall(name: &'static str, x: f64, wide: f64, high: f64, back: f64) -> Scenery {
    let mouth = x + LEAD.0 * x.signum();
    let corners = [(wide, back), (x, back), (x, -LEAD.1), (mouth, 0.0), (wide, 0.0)];
    // A prism's outline lies in the plane of x and -z.
    let outline = corners.map(|(x, z)| DVec2::new(x, -z));
    let shape = mesh(generate::prism(&outline, 2.0 * high));
    Scenery { opacity: 0.45, ..fixed(name, shape, at(0.0, HEIGHT, 0.0), SAND) }
}

fn set_radio(values: &Values) -> Setting {
    let play = 0.5e-3 * values.of("clearance");
    let (x, y) = (0.5 * BODY.x + play, 0.5 * BODY.y + play);
    let (wide, high) = (0.16, 0.1);
    let back = -0.2;
    // The console's front face is the plane z = 0; the slot's walls are what is left of the console around it.
    let corner = |x: f64, y: f64, z: f64| DVec3::new(x, HEIGHT + y, z);
    Setting {
        parts: vec![part("radio", mesh(radio()), far())],
        obstacles: vec![
            side_wall("left wall of the slot", -x, -wide, high, back),
            side_wall("right wall of the slot", x, wide, high, back),
            wall("ceiling of the slot", corner(-x, y, back), corner(x, high, 0.0), SAND, 0.45),
            wall("floor of the slot", corner(-x, -high, back), corner(x, -y, 0.0), SAND, 0.45),
            wall(
                "back of the console",
                corner(-wide, -high, back - 0.01),
                corner(wide, high, back),
                STEEL,
                1.0,
            ),
            wall("shelf", corner(-wide, -high - 0.02, -0.2), corner(wide, -high - 0.001, 0.12), STEEL, 1.0),
            fixed("gear lever", mesh(generate::capsule(0.014, 0.13, 24, 6)), at(0.2, 0.12, 0.16), "#3c4649"),
        ],
        options: HandlingOptions {
            pose_limits: PoseLimits { contact_speed: Some(0.25), ..PoseLimits::default() },
            ..options(values)
        },
        camera: Camera { position: DVec3::new(0.4, 0.52, 0.62), target: DVec3::new(0.0, HEIGHT, 0.03) },
        ground: Some(0.0),
    }
}

fn far() -> Pose {
    Pose::new(DQuat::from_rotation_y(0.2), DVec3::new(-0.03, HEIGHT + 0.07, 0.3))
}

fn straight(z: f64) -> Pose {
    at(0.0, HEIGHT, z)
}

/// The radio askew before the slot: going on, its rear edge hits a wall.
pub(super) fn askew(degrees: f64) -> Pose {
    Pose::new(DQuat::from_rotation_y(degrees.to_radians()), DVec3::new(0.0, HEIGHT, 0.1))
}

/// In with an askew first try, and out again.
fn insertion() -> Vec<Stop> {
    let stop = |after: f64, pose: Pose| Stop { part: 0, after, pose };
    let pushed = |degrees: f64, z: f64| Pose {
        translation: DVec3 { z, ..askew(degrees).translation },
        ..askew(degrees)
    };
    vec![
        stop(0.0, far()),
        stop(1.5, askew(5.0)),
        stop(1.0, pushed(5.0, 0.05)),
        stop(1.5, pushed(5.0, 0.03)),
        stop(1.5, pushed(5.0, 0.03)),
        stop(1.0, straight(0.1)),
        stop(0.8, straight(0.07)),
        stop(3.0, straight(HOME)),
        stop(1.5, straight(HOME)),
        stop(2.5, straight(0.12)),
        stop(1.5, far()),
        stop(0.5, far()),
    ]
}
