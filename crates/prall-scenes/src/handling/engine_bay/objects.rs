//! The objects of the engine bay.

use super::super::definitions::mesh;
use super::super::meshes::{cells_box, curve, grid, lathe, pipe};
use super::place;
use glam::DVec3;
use prall_geometry::generate::GenerateError;
use prall_geometry::{PolygonSoup, Shape, SoupError};
use std::f64::consts::{FRAC_PI_4, TAU};

/// An object that stands.
pub(super) struct Object {
    pub(super) name: &'static str,
    pub(super) color: &'static str,
    pub(super) opacity: f64,
    pub(super) soup: Result<PolygonSoup, SoupError>,
}

pub(super) fn shape(soup: Result<PolygonSoup, SoupError>) -> Shape {
    mesh(soup.map_err(GenerateError::from))
}

/// Radius of the lamp's openings, and the collars that covers sit on, in mm.
const OPENING: f64 = 32.0;
const COLLAR: f64 = 35.0;
const COLLAR_HEIGHT: f64 = 12.0;
const LAMPS: [f64; 2] = [-super::LAMP_X, super::LAMP_X];

/// Radii and heights in m from those in mm.
fn profile(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    points.iter().map(|(radius, height)| (1e-3 * radius, 1e-3 * height)).collect()
}

fn block(soup: &mut PolygonSoup, low: [f64; 3], high: [f64; 3], cell: f64) -> Result<(), SoupError> {
    cells_box(soup, DVec3::from(low) * 1e-3, DVec3::from(high) * 1e-3, 1e-3 * cell)
}

/// A bulb along z: its flange begins at the origin, its tip lies at -50, its plug ends at 18.
pub(super) fn bulb() -> Result<PolygonSoup, SoupError> {
    let mut soup = PolygonSoup::new();
    let glass =
        [(0.0, -50.0), (3.0, -49.4), (5.0, -47.0), (6.5, -40.0), (8.0, -30.0), (9.0, -12.0), (9.0, 0.0)];
    let flange = [(20.0, 0.0), (20.0, 4.0), (10.0, 4.0), (10.0, 8.0), (0.0, 8.0)];
    let whole: Vec<(f64, f64)> = glass.into_iter().chain(flange).collect();
    lathe(&mut soup, DVec3::ZERO, &profile(&whole), 40)?;
    block(&mut soup, [-8.0, -10.0, 6.0], [8.0, 10.0, 18.0], 8.0)?;
    Ok(soup)
}

/// A cover over a collar: a cap with a rim around the collar and a low grip.
pub(super) fn cover() -> Result<PolygonSoup, SoupError> {
    let mut soup = PolygonSoup::new();
    let cap = [(0.0, 13.0), (36.0, 13.0), (36.0, 2.0), (38.5, 2.0), (38.5, 15.0), (37.0, 16.5), (0.0, 16.5)];
    lathe(&mut soup, DVec3::ZERO, &profile(&cap), 56)?;
    block(&mut soup, [-20.0, -3.0, 16.0], [20.0, 3.0, 18.0], 8.0)?;
    Ok(soup)
}

/// A square sheet across z with a round hole in its middle.
fn square_with_hole(
    soup: &mut PolygonSoup,
    middle: [f64; 3],
    half: f64,
    radius: f64,
) -> Result<(), SoupError> {
    grid(soup, (64, 8), |around, outward| {
        let angle = TAU * around + FRAC_PI_4;
        let (sine, cosine) = libm::sincos(angle);
        let edge = half / sine.abs().max(cosine.abs());
        let distance = radius + (edge - radius) * outward;
        place(middle[0] + distance * cosine, middle[1] + distance * sine, middle[2])
    })
}

/// A flat sheet between two corners of a box with no thickness along one axis.
fn sheet(soup: &mut PolygonSoup, low: [f64; 3], high: [f64; 3], cells: (u32, u32)) -> Result<(), SoupError> {
    let flat = (0..3).find(|&axis| low[axis] == high[axis]).unwrap_or(2);
    let (u, v) = ((flat + 1) % 3, (flat + 2) % 3);
    grid(soup, cells, |s, t| {
        let mut point = low;
        point[u] += s * (high[u] - low[u]);
        point[v] += t * (high[v] - low[v]);
        DVec3::from(point) * 1e-3
    })
}

/// Back wall with two openings, collars, ribs and side walls.
fn housing() -> Result<PolygonSoup, SoupError> {
    let mut soup = PolygonSoup::new();
    for x in LAMPS {
        square_with_hole(&mut soup, [x, 0.0, 0.0], 50.0, OPENING)?;
        let collar = [
            (OPENING, -1.0),
            (COLLAR, -1.0),
            (COLLAR, 0.5 * COLLAR_HEIGHT),
            (COLLAR, COLLAR_HEIGHT),
            (OPENING, COLLAR_HEIGHT),
            (OPENING, 0.5 * COLLAR_HEIGHT),
            (OPENING, -1.0),
        ];
        lathe(&mut soup, place(x, 0.0, 0.0), &profile(&collar), 64)?;
    }
    for (low, high) in [(-130.0, -105.0), (-5.0, 5.0), (105.0, 130.0)] {
        sheet(&mut soup, [low, -50.0, 0.0], [high, 50.0, 0.0], (6, 20))?;
    }
    for (low, high) in [(-60.0, -50.0), (50.0, 60.0)] {
        sheet(&mut soup, [-130.0, low, 0.0], [130.0, high, 0.0], (52, 3))?;
        block(
            &mut soup,
            [-128.0, low + 0.5 * (high - low) - 1.5, 0.0],
            [128.0, low + 0.5 * (high - low) + 1.5, 9.0],
            6.0,
        )?;
    }
    for x in [-118.0, 0.0, 118.0] {
        block(&mut soup, [x - 1.5, -50.0, 0.0], [x + 1.5, 50.0, 10.0], 6.0)?;
    }
    for x in [-130.0, 130.0] {
        sheet(&mut soup, [x, -60.0, -100.0], [x, 60.0, 0.0], (14, 14))?;
    }
    for y in [-60.0, 60.0] {
        sheet(&mut soup, [-130.0, y, -100.0], [130.0, y, 0.0], (14, 30))?;
    }
    Ok(soup)
}

/// Sockets with their walls, and the bowls that throw the light.
fn reflectors() -> Result<PolygonSoup, SoupError> {
    let mut soup = PolygonSoup::new();
    for x in LAMPS {
        let socket: Vec<(f64, f64)> = (0..=6).map(|k| (11.0 + 22.0 * f64::from(k) / 6.0, -8.0)).collect();
        lathe(&mut soup, place(x, 0.0, 0.0), &profile(&socket), 52)?;
        lathe(&mut soup, place(x, 0.0, 0.0), &profile(&[(33.0, -8.0), (33.0, -4.0), (33.0, 0.0)]), 52)?;
        let bowl: Vec<(f64, f64)> = (0..=22)
            .map(|k| f64::from(k) / 22.0)
            .map(|share| (12.0 + 39.0 * share.sqrt(), -9.0 - 82.0 * share))
            .collect();
        lathe(&mut soup, place(x, 0.0, 0.0), &profile(&bowl), 52)?;
    }
    Ok(soup)
}

fn glass() -> Result<PolygonSoup, SoupError> {
    let mut soup = PolygonSoup::new();
    grid(&mut soup, (44, 26), |s, t| {
        let (u, v) = (2.0 * s - 1.0, 2.0 * t - 1.0);
        place(132.0 * u, 62.0 * v, -128.0 + 22.0 * u * u + 8.0 * v * v)
    })?;
    Ok(soup)
}

/// The beam above the lamp, with ribs.
fn radiator_support() -> Result<PolygonSoup, SoupError> {
    let mut soup = PolygonSoup::new();
    block(&mut soup, [-210.0, 100.0, -70.0], [210.0, 124.0, -12.0], 9.0)?;
    for k in 0..9 {
        let x = -180.0 + 45.0 * f64::from(k);
        block(&mut soup, [x - 2.0, 70.0, -68.0], [x + 2.0, 100.0, -14.0], 7.0)?;
    }
    Ok(soup)
}

fn tubes(lines: &[(&[[f64; 3]], f64)], sides: u32, pieces: u32) -> Result<PolygonSoup, SoupError> {
    let mut soup = PolygonSoup::new();
    for (points, radius) in lines {
        let points: Vec<DVec3> = points.iter().map(|point| DVec3::from(*point) * 1e-3).collect();
        pipe(&mut soup, &curve(&points, pieces, false), false, 1e-3 * radius, sides)?;
    }
    Ok(soup)
}

/// The hose in a bow between lamp and battery, and its clamps.
fn hose() -> Result<PolygonSoup, SoupError> {
    let bow: [[f64; 3]; 9] = [
        [-78.0, 92.0, 260.0],
        [-78.0, 88.0, 180.0],
        [-76.0, 86.0, 110.0],
        [-58.0, 88.0, 56.0],
        [0.0, 90.0, 43.0],
        [58.0, 88.0, 56.0],
        [76.0, 86.0, 110.0],
        [78.0, 88.0, 180.0],
        [78.0, 92.0, 260.0],
    ];
    let mut soup = tubes(&[(&bow, 11.0)], 24, 12)?;
    for x in [-78.0, 78.0] {
        lathe(
            &mut soup,
            place(x, 88.0, 180.0),
            &profile(&[(12.0, -5.0), (13.0, -5.0), (13.0, 5.0), (12.0, 5.0)]),
            48,
        )?;
    }
    Ok(soup)
}

fn coolant_hose() -> Result<PolygonSoup, SoupError> {
    let line: [[f64; 3]; 6] = [
        [-200.0, -95.0, 30.0],
        [-120.0, -100.0, 30.0],
        [-30.0, -92.0, 38.0],
        [60.0, -100.0, 32.0],
        [140.0, -96.0, 40.0],
        [205.0, -60.0, 60.0],
    ];
    tubes(&[(&line, 16.0)], 32, 14)
}

/// Four cables side by side, with a plug for each lamp.
fn cables() -> Result<PolygonSoup, SoupError> {
    let lines: Vec<Vec<[f64; 3]>> = (0..4)
        .map(|k| {
            let y = -64.0 - 5.0 * f64::from(k % 2);
            let z = 26.0 + 5.0 * f64::from(k / 2);
            vec![
                [-190.0, y + 8.0, z],
                [-90.0, y, z],
                [0.0, y - 4.0, z + 2.0],
                [90.0, y, z],
                [190.0, y + 10.0, z],
            ]
        })
        .collect();
    let lines: Vec<(&[[f64; 3]], f64)> = lines.iter().map(|line| (line.as_slice(), 2.2)).collect();
    let mut soup = tubes(&lines, 10, 18)?;
    for x in LAMPS {
        block(&mut soup, [x - 9.0, -62.0, 20.0], [x + 9.0, -54.0, 36.0], 4.0)?;
    }
    Ok(soup)
}

fn battery() -> Result<PolygonSoup, SoupError> {
    let mut soup = PolygonSoup::new();
    block(&mut soup, [-105.0, -95.0, 66.0], [105.0, 40.0, 235.0], 9.5)?;
    block(&mut soup, [-104.0, 38.0, 68.0], [104.0, 46.0, 233.0], 9.0)?;
    for (x, radius) in [(-80.0, 8.0), (80.0, 9.0)] {
        // Posts stand along z in a lathe; these are short enough to lie.
        lathe(
            &mut soup,
            place(x, 52.0, 205.0),
            &profile(&[(0.0, -10.0), (radius, -10.0), (radius, 10.0), (0.0, 10.0)]),
            32,
        )?;
    }
    Ok(soup)
}

fn bracket() -> Result<PolygonSoup, SoupError> {
    let mut soup = PolygonSoup::new();
    block(&mut soup, [150.0, -95.0, 12.0], [154.0, 120.0, 110.0], 7.0)?;
    block(&mut soup, [106.0, -95.0, 100.0], [152.0, -91.0, 220.0], 8.0)?;
    block(&mut soup, [138.0, 112.0, 86.0], [152.0, 116.0, 108.0], 5.0)?;
    Ok(soup)
}

/// The sheet of the wheel house, without thickness.
fn fender() -> Result<PolygonSoup, SoupError> {
    let mut soup = PolygonSoup::new();
    grid(&mut soup, (52, 48), |s, t| {
        let (y, z) = (-110.0 + 260.0 * s, -110.0 + 370.0 * t);
        let bulge = 14.0 * libm::sin(3.0 * s) * libm::sin(2.6 * t);
        place(-164.0 + bulge, y, z)
    })?;
    Ok(soup)
}

fn air_box() -> Result<PolygonSoup, SoupError> {
    let mut soup = PolygonSoup::new();
    block(&mut soup, [-150.0, -95.0, 245.0], [20.0, 60.0, 330.0], 8.0)?;
    lathe(
        &mut soup,
        place(-60.0, 0.0, 340.0),
        &profile(&[(30.0, -14.0), (34.0, -14.0), (34.0, 20.0), (30.0, 20.0), (30.0, -14.0)]),
        64,
    )?;
    Ok(soup)
}

fn washer_tank() -> Result<PolygonSoup, SoupError> {
    let mut soup = PolygonSoup::new();
    grid(&mut soup, (64, 30), |around, up| {
        let (sine, cosine) = libm::sincos(TAU * around);
        // A rounded box: the fourth root makes a circle nearly a square.
        let size = libm::pow(libm::pow(sine, 4.0) + libm::pow(cosine, 4.0), -0.25);
        let waist = 1.0 - 0.08 * libm::sin(9.0 * up);
        place(205.0 + 34.0 * size * waist * cosine, -95.0 + 170.0 * up, 90.0 + 60.0 * size * waist * sine)
    })?;
    lathe(
        &mut soup,
        place(205.0, 82.0, 90.0),
        &profile(&[(0.0, -12.0), (14.0, -12.0), (14.0, 12.0), (0.0, 12.0)]),
        36,
    )?;
    Ok(soup)
}

/// Everything that stands, in the order in which it is drawn.
pub(super) fn surroundings() -> Vec<Object> {
    let object = |name, color, opacity, soup| Object { name, color, opacity, soup };
    vec![
        object("lamp housing", "#9fb4b8", 0.55, housing()),
        object("reflectors", "#d8dee0", 0.7, reflectors()),
        object("lamp glass", "#bcd3d8", 0.35, glass()),
        object("radiator support", "#7d8b91", 1.0, radiator_support()),
        object("hose", "#3c4649", 0.6, hose()),
        object("coolant hose", "#4a4f3f", 1.0, coolant_hose()),
        object("cable harness", "#b5653f", 1.0, cables()),
        object("battery", "#8c97b3", 0.5, battery()),
        object("bracket", "#c9a27c", 1.0, bracket()),
        object("fender", "#8fa68b", 0.6, fender()),
        object("air box", "#5b646b", 1.0, air_box()),
        object("washer tank", "#dfe8ea", 0.8, washer_tank()),
    ]
}
