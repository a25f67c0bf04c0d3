//! A model aeroplane is landed on a runway.

use super::definitions::{FRICTION, fixed, mesh, options, part};
use super::meshes::{cells_box, lathe, pipe};
use super::script::{Script, Stop};
use super::{HandlingDefinition, Setting};
use crate::Camera;
use crate::parameter::Values;
use glam::{DQuat, DVec3, EulerRot};
use prall_geometry::generate::GenerateError;
use prall_geometry::{PolygonSoup, SoupError};
use prall_handling::{HandlingOptions, PoseLimits};
use prall_math::Pose;

pub(crate) static AEROPLANE: HandlingDefinition = HandlingDefinition {
    name: "aeroplane",
    parameters: &[FRICTION],
    set: set_aeroplane,
    script: |_| Script::Run(landing()),
};

/// Middle and radius of the wheels, and half their width, in m.
const WHEELS: [[f64; 3]; 3] = [[-0.075, -0.06, 0.04], [0.075, -0.06, 0.04], [0.0, -0.06, -0.17]];
const WHEEL: (f64, f64) = (0.018, 0.006);
/// Height of the aeroplane's origin when it stands on its wheels.
#[cfg(test)]
pub(super) const STANDING: f64 = 0.06 + WHEEL.0;

/// It flies along -z.
fn aeroplane() -> Result<PolygonSoup, SoupError> {
    let mut soup = PolygonSoup::new();
    let fuselage = [
        (0.0, -0.28),
        (0.018, -0.265),
        (0.034, -0.2),
        (0.038, -0.1),
        (0.036, 0.02),
        (0.022, 0.18),
        (0.01, 0.28),
        (0.0, 0.285),
    ];
    lathe(&mut soup, DVec3::ZERO, &fuselage, 28)?;
    let mut block = |low: [f64; 3], high: [f64; 3], cell: f64| {
        cells_box(&mut soup, DVec3::from(low), DVec3::from(high), cell)
    };
    block([-0.3, -0.012, -0.07], [0.3, -0.004, 0.03], 0.06)?;
    block([-0.1, 0.004, 0.22], [0.1, 0.01, 0.27], 0.05)?;
    block([-0.003, 0.0, 0.2], [0.003, 0.1, 0.27], 0.05)?;
    for [x, y, z] in WHEELS {
        block([x - 0.003, y, z - 0.003], [x + 0.003, -0.008, z + 0.003], 0.05)?;
    }
    for middle in WHEELS {
        let (middle, half) = (DVec3::from(middle), DVec3::X * WHEEL.1);
        pipe(&mut soup, &[middle - half, middle, middle + half], false, WHEEL.0, 32)?;
    }
    Ok(soup)
}

fn runway() -> Result<PolygonSoup, SoupError> {
    let mut soup = PolygonSoup::new();
    cells_box(&mut soup, DVec3::new(-0.4, -0.03, -0.9), DVec3::new(0.4, 0.0, 0.7), 0.2)?;
    Ok(soup)
}

fn set_aeroplane(values: &Values) -> Setting {
    let soup = |soup: Result<PolygonSoup, SoupError>| mesh(soup.map_err(GenerateError::from));
    Setting {
        parts: vec![part("aeroplane", soup(aeroplane()), landing()[0].pose)],
        obstacles: vec![fixed("runway", soup(runway()), Pose::IDENTITY, "#5b646b")],
        options: HandlingOptions {
            pose_limits: PoseLimits { contact_speed: Some(0.6), ..PoseLimits::default() },
            ..options(values)
        },
        camera: Camera { position: DVec3::new(0.95, 0.55, 1.25), target: DVec3::new(0.0, 0.1, -0.05) },
        ground: Some(-0.03),
    }
}

/// Pitch (nose up), yaw and roll in degrees.
fn flying(place: [f64; 3], pitch: f64, yaw: f64, roll: f64) -> Pose {
    let [pitch, yaw, roll] = [pitch, yaw, roll].map(f64::to_radians);
    Pose::new(DQuat::from_euler(EulerRot::YXZ, yaw, pitch, roll), DVec3::from(place))
}

/// Down with one wing low, on one wheel, then on all, along the runway, and off again. The hand presses it below the ground.
fn landing() -> Vec<Stop> {
    let stop = |after: f64, pose: Pose| Stop { part: 0, after, pose };
    vec![
        stop(0.0, flying([0.14, 0.4, 0.55], 6.0, 8.0, 12.0)),
        stop(2.0, flying([0.03, 0.1, 0.35], 4.0, 3.0, 8.0)),
        stop(1.2, flying([0.0, 0.06, 0.15], 2.0, 0.0, 5.0)),
        stop(1.0, flying([0.0, 0.06, -0.1], 0.0, 0.0, 0.0)),
        stop(1.6, flying([0.0, 0.06, -0.4], 0.0, 0.0, 0.0)),
        stop(1.0, flying([0.0, 0.06, -0.4], 0.0, 0.0, 0.0)),
        stop(1.5, flying([0.0, 0.4, -0.5], 12.0, 0.0, 0.0)),
        stop(2.0, flying([0.14, 0.4, 0.55], 6.0, 8.0, 12.0)),
    ]
}
