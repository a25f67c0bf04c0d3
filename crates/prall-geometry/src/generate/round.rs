//! Cylinder, cone, torus and tube.

use std::f64::consts::TAU;

use glam::DVec2;

use super::lathe::{Profile, turned};
use super::{GenerateError, count, length};
use crate::soup::PolygonSoup;

/// A solid cylinder around the origin; its ends are single polygons. With few segments it is a regular
/// prism with that many sides and `radius` its circumscribed circle.
pub fn cylinder(radius: f64, height: f64, segments: u32) -> Result<PolygonSoup, GenerateError> {
    let radius = length("radius", radius, 0.0)?;
    let top = 0.5 * length("height", height, 0.0)?;
    let profile = [(0.0, -top), (radius, -top), (radius, top), (0.0, top)].map(DVec2::from);
    turned(&Profile::Open(&profile), count("segments", segments, 3)?, 0.0)
}

/// A solid cone with its tip at `height / 2` and its base at `-height / 2`. With few segments it is a
/// pyramid.
pub fn cone(radius: f64, height: f64, segments: u32) -> Result<PolygonSoup, GenerateError> {
    let radius = length("radius", radius, 0.0)?;
    let top = 0.5 * length("height", height, 0.0)?;
    let profile = [(0.0, -top), (radius, -top), (0.0, top)].map(DVec2::from);
    turned(&Profile::Open(&profile), count("segments", segments, 3)?, 0.0)
}

/// A ring around the y axis: `ring_radius` from the axis to the middle of the ring, `tube_radius` from
/// there to its surface.
pub fn torus(
    ring_radius: f64,
    tube_radius: f64,
    segments: u32,
    sides: u32,
) -> Result<PolygonSoup, GenerateError> {
    let tube_radius = length("tube radius", tube_radius, 0.0)?;
    let ring_radius = length("ring radius", ring_radius, tube_radius)?;
    let sides = count("sides", sides, 3)?;
    let profile: Vec<DVec2> = (0..sides)
        .map(|i| libm::sincos(TAU * f64::from(i) / f64::from(sides)))
        .map(|(sine, cosine)| DVec2::new(ring_radius + tube_radius * cosine, tube_radius * sine))
        .collect();
    turned(&Profile::Closed(&profile), count("segments", segments, 3)?, 0.0)
}

/// A hollow cylinder, open at both ends, around the origin.
pub fn tube(
    outer_radius: f64,
    inner_radius: f64,
    height: f64,
    segments: u32,
) -> Result<PolygonSoup, GenerateError> {
    let inner = length("inner radius", inner_radius, 0.0)?;
    let outer = length("outer radius", outer_radius, inner)?;
    let top = 0.5 * length("height", height, 0.0)?;
    let profile = [(outer, -top), (outer, top), (inner, top), (inner, -top)].map(DVec2::from);
    turned(&Profile::Closed(&profile), count("segments", segments, 3)?, 0.0)
}
