//! A link on a bent wire with cross bars: it passes a bar only if its slot is turned along it.

use super::definitions::{FRICTION, STEEL, cuboid, fixed, mesh, options, part};
use super::meshes::{curve, frames, pipe};
use super::script::{Script, Stop};
use super::{HandlingDefinition, Setting};
use crate::parameter::Values;
use crate::{Camera, Parameter};
use glam::{DMat3, DQuat, DVec3};
use prall_geometry::generate::GenerateError;
use prall_geometry::{PolygonSoup, SoupError};
use prall_math::Pose;
use std::f64::consts::PI;

pub(crate) static PUZZLE: HandlingDefinition = HandlingDefinition {
    name: "puzzle",
    parameters: &[Parameter { default: 0.1, ..FRICTION }],
    set: set_puzzle,
    script: |_| Script::Run(solution()),
};

/// Points that the wire goes through, in mm.
const WIRE: [[f64; 3]; 11] = [
    [0.0, 0.0, 0.0],
    [0.0, 60.0, 0.0],
    [0.0, 110.0, 0.0],
    [40.0, 155.0, 0.0],
    [100.0, 165.0, 0.0],
    [155.0, 165.0, 40.0],
    [160.0, 195.0, 90.0],
    [130.0, 250.0, 100.0],
    [70.0, 272.0, 100.0],
    [0.0, 278.0, 100.0],
    [-60.0, 280.0, 100.0],
];
const PIECES: u32 = 12;
const WIRE_RADIUS: f64 = 5e-3;
/// Cross bars: place along the wire, in pieces, and angle about it in degrees.
const BARS: [(usize, f64); 4] = [(21, 0.0), (50, 90.0), (79, 35.0), (105, 120.0)];
const BAR_HALF: f64 = 17e-3;
const BAR_RADIUS: f64 = 3e-3;
/// Half length and half width of the middle line of the link, and the radius of its rod.
const LINK: (f64, f64, f64) = (27e-3, 11.5e-3, 4e-3);
/// Where the link begins, in pieces along the wire, and how far beyond the end it goes, in m.
const FIRST: usize = 8;
const BEYOND: f64 = 0.07;

/// How far beside the wire the scripted hand goes, in m.
const SWAY: f64 = 4e-3;

fn wire_curve() -> Vec<DVec3> {
    curve(&WIRE.map(|point| DVec3::from(point) * 1e-3), PIECES, false)
}

/// Across the wire at an angle about it.
fn across(frame: &DMat3, degrees: f64) -> DVec3 {
    let (sine, cosine) = libm::sincos(degrees.to_radians());
    frame.x_axis * cosine + frame.y_axis * sine
}

fn wire() -> Result<PolygonSoup, SoupError> {
    let curve = wire_curve();
    let frames = frames(&curve, false);
    let mut soup = PolygonSoup::new();
    pipe(&mut soup, &curve, false, WIRE_RADIUS, 20)?;
    for (piece, degrees) in BARS {
        let arm = across(&frames[piece], degrees) * BAR_HALF;
        pipe(&mut soup, &[curve[piece] - arm, curve[piece], curve[piece] + arm], false, BAR_RADIUS, 14)?;
    }
    Ok(soup)
}

/// A rod bent to a ring with two straight sides, in the plane z = 0, long along x.
fn link() -> Result<PolygonSoup, SoupError> {
    let (half, width, radius) = LINK;
    let straight = half - width;
    let mut line = Vec::new();
    for (side, start) in [(1.0, -0.5 * PI), (-1.0, 0.5 * PI)] {
        for k in 0..=16 {
            let (sine, cosine) = libm::sincos(start + PI * f64::from(k) / 16.0);
            line.push(DVec3::new(side * straight + width * cosine, width * sine, 0.0));
        }
    }
    let mut soup = PolygonSoup::new();
    pipe(&mut soup, &line, true, radius, 16)?;
    Ok(soup)
}

/// The link on the wire, its slot at an angle about it.
fn on_wire(place: DVec3, frame: &DMat3, degrees: f64) -> Pose {
    let long = across(frame, degrees);
    let along = frame.z_axis;
    let rotation = DQuat::from_mat3(&DMat3::from_cols(long, along.cross(long), along)).normalize();
    Pose::new(rotation, place)
}

/// Beside the wire's first bar the slot lies across it: no pull helps.
pub(super) fn start() -> Pose {
    let curve = wire_curve();
    on_wire(curve[FIRST], &frames(&curve, false)[FIRST], 90.0)
}

/// Beyond the wire's free end.
pub(super) fn free() -> Pose {
    let curve = wire_curve();
    let last = curve.len() - 1;
    let frame = frames(&curve, false)[last];
    on_wire(curve[last] + frame.z_axis * BEYOND, &frame, BARS[3].1)
}

/// Angle of the slot at a place along the wire, in degrees: along each bar a little before and after it.
fn slot_angle(piece: usize) -> f64 {
    const NEAR: f64 = 5.0;
    let mut known = vec![(FIRST as f64, 90.0)];
    for (bar, degrees) in BARS {
        known.extend([(bar as f64 - NEAR, degrees), (bar as f64 + NEAR, degrees)]);
    }
    let at = piece as f64;
    for pair in known.windows(2) {
        if at <= pair[1].0 {
            let share = ((at - pair[0].0) / (pair[1].0 - pair[0].0)).clamp(0.0, 1.0);
            return pair[0].1 + (pair[1].1 - pair[0].1) * share;
        }
    }
    BARS[3].1
}

/// Off the wire and on it again.
fn solution() -> Vec<Stop> {
    let curve = wire_curve();
    let frames = frames(&curve, false);
    let mut stops: Vec<Stop> = (FIRST..curve.len())
        .map(|piece| {
            // A hand that does not hold it quite on the wire.
            let sway = frames[piece].y_axis * (SWAY * libm::sin(0.4 * (piece - FIRST) as f64));
            let pose = on_wire(curve[piece] + sway, &frames[piece], slot_angle(piece));
            Stop { part: 0, after: 0.11, pose }
        })
        .collect();
    stops.push(Stop { part: 0, after: 1.5, pose: free() });
    stops.push(Stop { part: 0, after: 1.0, pose: free() });
    let back: Vec<Stop> = stops.iter().rev().skip(1).map(|stop| Stop { after: 0.11, ..*stop }).collect();
    stops.extend(back);
    stops[0].after = 0.5;
    stops
}

fn set_puzzle(values: &Values) -> Setting {
    let soup = |soup: Result<PolygonSoup, SoupError>| mesh(soup.map_err(GenerateError::from));
    Setting {
        parts: vec![part("link", soup(link()), start())],
        obstacles: vec![
            fixed("wire", soup(wire()), Pose::IDENTITY, STEEL),
            fixed(
                "base",
                cuboid(DVec3::new(0.16, 0.02, 0.16)),
                Pose::from_translation(DVec3::NEG_Y * 0.01),
                "#7c6a58",
            ),
        ],
        options: options(values),
        camera: Camera { position: DVec3::new(0.25, 0.34, 0.62), target: DVec3::new(0.05, 0.145, 0.05) },
        ground: Some(-0.02),
    }
}
