//! A bulb is changed in a narrow engine bay.
//!
//! Sixteen objects of some 65,000 triangles, after Buck 1999, 10.4, and Eckstein 1998. Numbers are in mm: x across the car, y up, the lamp looks along -z.
//! The battery stands so near behind the lamp that a bulb cannot be pulled out of its socket straight: with its tip still in the opening it has to be
//! tilted, led past the hose to its side, and lifted out there.

mod export;
mod objects;

use super::definitions::{FRICTION, options};
use super::script::{Script, Stop};
use super::{HandledPart, HandlingDefinition, Scenery, Setting};
use crate::parameter::Values;
use crate::{Camera, Parameter};
use glam::{DQuat, DVec3};
use prall_handling::HandlingOptions;
use prall_math::Pose;

pub(crate) static BULB_REMOVAL: HandlingDefinition = HandlingDefinition {
    name: "bulb-removal",
    parameters: &[Parameter { default: 0.15, ..FRICTION }],
    set: set_bay,
    script: |_| Script::Run(change_both()),
};

/// Names of the parts in the order of their numbers.
pub(super) const PARTS: [&str; 4] = ["left cover", "left bulb", "right cover", "right bulb"];
/// Middle of the lamp's openings, to either side.
const LAMP_X: f64 = 55.0;
/// Where a bulb's flange is when it is in its socket.
const SEAT: f64 = -7.5;

fn place(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z) * 1e-3
}

/// The side of a part: -1 for the left ones.
fn side(part: usize) -> f64 {
    if part < 2 { -1.0 } else { 1.0 }
}

/// Where a part belongs.
pub(super) fn seated(part: usize) -> Pose {
    let depth = if part.is_multiple_of(2) { 0.0 } else { SEAT };
    Pose::from_translation(place(side(part) * LAMP_X, 0.0, depth))
}

fn set_bay(values: &Values) -> Setting {
    let colors = ["#3c4649", "#0a6b75", "#3c4649", "#a85708"];
    let shapes = [objects::cover(), objects::bulb()].map(objects::shape);
    let parts = (0..PARTS.len()).map(|part| HandledPart {
        name: PARTS[part].to_owned(),
        shape: shapes[part % 2].clone(),
        start: seated(part),
        color: colors[part],
    });
    let obstacles = objects::surroundings().into_iter().enumerate().map(|(index, object)| Scenery {
        name: object.name.to_owned(),
        shape: objects::shape(object.soup.map(|soup| export::as_exported(&soup, index as u64))),
        pose: Pose::IDENTITY,
        color: object.color,
        opacity: object.opacity,
    });
    Setting {
        parts: parts.collect(),
        obstacles: obstacles.collect(),
        options: HandlingOptions { guard: 15e-6, ..options(values) },
        camera: Camera { position: place(150.0, 470.0, 400.0), target: place(10.0, 10.0, 20.0) },
        ground: None,
    }
}

/// From its seat to where a cover is out: off its collar, then up between lamp and hose.
fn cover_out(part: usize) -> Vec<(f64, Pose)> {
    let x = side(part) * LAMP_X;
    let at = |y: f64, z: f64| Pose::from_translation(place(x, y, z));
    vec![
        (0.3, seated(part)),
        // A little too high: the collar guides the rim.
        (1.0, at(2.5, 11.6)),
        (1.6, at(120.0, 11.6)),
        (0.8, Pose::from_translation(place(1.35 * x, 190.0, 20.0))),
        (0.8, aside(part)),
    ]
}

/// From its seat to where a bulb is out: back, tilted with its tip in the opening, out of it, past the end of the battery, up.
fn bulb_out(part: usize) -> Vec<(f64, Pose)> {
    let sign = side(part);
    // The origin is on the flange; the tip lies 50 mm before it.
    let tilted = |degrees: f64, x: f64, tip_y: f64, tip_z: f64| {
        let (sine, cosine) = libm::sincos(f64::to_radians(degrees));
        let rotation = DQuat::from_rotation_x(-degrees.to_radians());
        Pose::new(rotation, place(sign * x, tip_y + 50.0 * sine, tip_z + 50.0 * cosine))
    };
    vec![
        (0.3, seated(part)),
        (1.2, tilted(0.0, LAMP_X, 3.0, -6.0)),
        (1.0, tilted(25.0, LAMP_X, -9.0, -2.0)),
        (1.0, tilted(55.0, LAMP_X, -14.0, 8.0)),
        (1.0, tilted(85.0, LAMP_X, -6.0, 30.0)),
        (1.0, tilted(88.0, 124.0, -6.0, 34.0)),
        (1.2, tilted(88.0, 124.0, 130.0, 34.0)),
        (0.8, aside(part)),
    ]
}

/// Where a part waits while another is worked on.
pub(super) fn aside(part: usize) -> Pose {
    let (x, z) = if part.is_multiple_of(2) { (100.0, 90.0) } else { (150.0, 15.0) };
    let turn =
        if part.is_multiple_of(2) { DQuat::IDENTITY } else { DQuat::from_rotation_x(-88.0_f64.to_radians()) };
    Pose::new(turn, place(side(part) * x, 205.0, z))
}

fn stops(part: usize, way: &[(f64, Pose)]) -> impl Iterator<Item = Stop> + '_ {
    way.iter().map(move |(after, pose)| Stop { part, after: *after, pose: *pose })
}

/// The same way backwards.
fn reversed(way: &[(f64, Pose)]) -> Vec<(f64, Pose)> {
    let times = way.iter().rev().map(|(after, _)| *after);
    let times = std::iter::once(0.3).chain(times);
    times.zip(way.iter().rev().map(|(_, pose)| *pose)).collect()
}

/// Cover and bulb out and in again, on the left and then on the right.
fn change_both() -> Vec<Stop> {
    let mut all = Vec::new();
    for (cover, bulb) in [(0, 1), (2, 3)] {
        let (cover_way, bulb_way) = (cover_out(cover), bulb_out(bulb));
        all.extend(stops(cover, &cover_way));
        all.extend(stops(bulb, &bulb_way));
        all.extend(stops(bulb, &reversed(&bulb_way)));
        all.extend(stops(cover, &reversed(&cover_way)));
    }
    all
}
