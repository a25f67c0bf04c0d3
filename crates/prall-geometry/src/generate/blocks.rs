//! Boxes and bricks.

use glam::DVec3;

use super::{GenerateError, length, length_or_zero};
use crate::soup::PolygonSoup;

/// A box around the origin with these edge lengths: 8 vertices, 6 quadrilaterals.
pub fn cuboid(size: DVec3) -> Result<PolygonSoup, GenerateError> {
    brick(size, 0.0)
}

/// A box around the origin whose edges and corners are cut off at 45 degrees; `chamfer` is measured along
/// the faces, and may be zero.
pub fn brick(size: DVec3, chamfer: f64) -> Result<PolygonSoup, GenerateError> {
    let chamfer = length_or_zero("chamfer", chamfer)?;
    for edge in size.to_array() {
        length("edge length", edge, 2.0 * chamfer)?;
    }
    if chamfer == 0.0 { plain(0.5 * size) } else { chamfered(0.5 * size, chamfer) }
}

/// Sign of a corner along an axis: bit `axis` of its number.
fn sign(corner: u32, axis: usize) -> f64 {
    if corner >> axis & 1 == 1 { 1.0 } else { -1.0 }
}

fn signs(corner: u32) -> DVec3 {
    DVec3::new(sign(corner, 0), sign(corner, 1), sign(corner, 2))
}

/// The four corners of a side, in order around it.
fn side(axis: usize, positive: bool) -> [u32; 4] {
    let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
    let base = u32::from(positive) << axis;
    [base, base | u, base | u | v, base | v]
}

fn sides() -> impl Iterator<Item = (usize, [u32; 4])> {
    (0..3).flat_map(|axis| [false, true].map(|positive| (axis, side(axis, positive))))
}

fn plain(half: DVec3) -> Result<PolygonSoup, GenerateError> {
    let mut soup = PolygonSoup::with_capacity(8, 12);
    for corner in 0..8 {
        soup.push_position(half * signs(corner))?;
    }
    for (_, corners) in sides() {
        push_outward(&mut soup, &corners)?;
    }
    Ok(soup)
}

/// Vertex `3 * corner + axis` is where that corner was cut on the side across that axis.
fn chamfered(half: DVec3, chamfer: f64) -> Result<PolygonSoup, GenerateError> {
    let mut soup = PolygonSoup::with_capacity(24, 44);
    for corner in 0..8 {
        for axis in DVec3::AXES {
            let inset = chamfer * (DVec3::ONE - axis);
            soup.push_position((half - inset) * signs(corner))?;
        }
    }
    for (axis, corners) in sides() {
        push_outward(&mut soup, &corners.map(|corner| 3 * corner + axis as u32))?;
        // The cut between this side and the next axis' side, along the third axis.
        let next = (axis + 1) % 3;
        let third = 1u32 << ((axis + 2) % 3);
        let positive = corners[0] >> axis & 1;
        for next_positive in 0..2 {
            let start = positive << axis | next_positive << next;
            let end = start | third;
            let [a, b] = [axis as u32, next as u32];
            push_outward(&mut soup, &[3 * start + a, 3 * end + a, 3 * end + b, 3 * start + b])?;
        }
    }
    for corner in 0..8 {
        push_outward(&mut soup, &[3 * corner, 3 * corner + 1, 3 * corner + 2])?;
    }
    Ok(soup)
}

/// Adds a face of a convex body around the origin, turned so that it faces away from there.
fn push_outward(soup: &mut PolygonSoup, corners: &[u32]) -> Result<(), GenerateError> {
    let [a, b, c] = [0, 1, 2].map(|i| soup.positions()[corners[i] as usize]);
    let mut corners = corners.to_vec();
    if (b - a).cross(c - a).dot(a) < 0.0 {
        corners.reverse();
    }
    Ok(soup.push_face(&corners)?)
}
