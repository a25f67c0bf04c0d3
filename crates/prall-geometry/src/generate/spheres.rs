//! Spheres of triangles and of rings, and capsules.

use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, PI};

use glam::{DVec2, DVec3};

use super::lathe::{Profile, turned};
use super::{GenerateError, count, length};
use crate::soup::PolygonSoup;

/// More than 20 million triangles are hardly meant.
const MOST_SUBDIVISIONS: u32 = 10;

/// A sphere around the origin made of `20 * 4^subdivisions` triangles of nearly equal size.
pub fn ico_sphere(radius: f64, subdivisions: u32) -> Result<PolygonSoup, GenerateError> {
    let radius = length("radius", radius, 0.0)?;
    if subdivisions > MOST_SUBDIVISIONS {
        let (quantity, value) = ("subdivisions", subdivisions);
        return Err(GenerateError::Count { quantity, value, least: 0, most: MOST_SUBDIVISIONS });
    }
    let (mut directions, mut triangles) = icosahedron();
    for _ in 0..subdivisions {
        triangles = split_in_four(&mut directions, &triangles);
    }
    let positions = directions.into_iter().map(|direction| radius * direction).collect();
    Ok(PolygonSoup::from_triangles(positions, &triangles)?)
}

/// Its vertices are three golden rectangles, one in each coordinate plane.
fn icosahedron() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let rectangle = [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)];
    let vertices = rectangle
        .iter()
        .map(|&(s, l)| DVec3::new(s, l, 0.0))
        .chain(rectangle.iter().map(|&(s, l)| DVec3::new(0.0, s, l)))
        .chain(rectangle.iter().map(|&(s, l)| DVec3::new(l, 0.0, s)))
        .map(DVec3::normalize)
        .collect();
    #[rustfmt::skip]
    let triangles = vec![
        [0, 5, 1], [0, 1, 7], [0, 11, 5], [0, 7, 10], [0, 10, 11],
        [1, 5, 9], [1, 8, 7], [1, 9, 8], [2, 3, 4], [2, 6, 3],
        [2, 4, 11], [2, 10, 6], [2, 11, 10], [3, 9, 4], [3, 6, 8],
        [3, 8, 9], [4, 9, 5], [4, 5, 11], [6, 7, 8], [6, 10, 7],
    ];
    (vertices, triangles)
}

/// Each triangle becomes four, with new vertices at the middles of its sides, pushed out to the sphere.
fn split_in_four(directions: &mut Vec<DVec3>, triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut middles: HashMap<[u32; 2], u32> = HashMap::with_capacity(3 * triangles.len() / 2);
    let mut middle = |a: u32, b: u32| {
        *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            directions.push((directions[a as usize] + directions[b as usize]).normalize());
            directions.len() as u32 - 1
        })
    };
    let mut result = Vec::with_capacity(4 * triangles.len());
    for &[a, b, c] in triangles {
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        result.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    result
}

/// A sphere around the origin made of `rings` belts of quadrilaterals, those at the poles triangles.
pub fn uv_sphere(radius: f64, segments: u32, rings: u32) -> Result<PolygonSoup, GenerateError> {
    let radius = length("radius", radius, 0.0)?;
    let rings = count("rings", rings, 2)?;
    let mut profile = arc(radius, 0.0, -FRAC_PI_2, PI, rings);
    close_at_poles(&mut profile);
    turned(&Profile::Open(&profile), count("segments", segments, 3)?, 0.0)
}

/// A capsule around the origin: a cylinder of this height, and half a sphere of `rings` belts at each end.
pub fn capsule(radius: f64, height: f64, segments: u32, rings: u32) -> Result<PolygonSoup, GenerateError> {
    let radius = length("radius", radius, 0.0)?;
    let top = 0.5 * length("height", height, 0.0)?;
    let rings = count("rings", rings, 1)?;
    let mut profile = arc(radius, -top, -FRAC_PI_2, FRAC_PI_2, rings);
    profile.extend(arc(radius, top, 0.0, FRAC_PI_2, rings));
    close_at_poles(&mut profile);
    turned(&Profile::Open(&profile), count("segments", segments, 3)?, 0.0)
}

/// Points of a circle about (0, height) from the latitude `start` over the angle `span`.
fn arc(radius: f64, height: f64, start: f64, span: f64, steps: u32) -> Vec<DVec2> {
    (0..=steps)
        .map(|i| libm::sincos(start + span * f64::from(i) / f64::from(steps)))
        .map(|(sine, cosine)| DVec2::new(radius * cosine, height + radius * sine))
        .collect()
}

/// Puts the ends exactly on the axis, where the cosine of a rounded right angle does not.
fn close_at_poles(profile: &mut [DVec2]) {
    let last = profile.len() - 1;
    profile[0].x = 0.0;
    profile[last].x = 0.0;
}
