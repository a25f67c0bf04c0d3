//! Prisms over any outline.

use glam::{DVec2, DVec3};

use super::{GenerateError, length};
use crate::soup::PolygonSoup;
use crate::triangulate::triangulate;

/// A prism around the origin's height over an outline in the plane, convex or not, given in either
/// direction. The outline is drawn as seen from above with -z up the page: its point (u, v) lies at (u, y,
/// -v).
pub fn prism(outline: &[DVec2], height: f64) -> Result<PolygonSoup, GenerateError> {
    let top = 0.5 * length("height", height, 0.0)?;
    let outline = counter_clockwise(outline)?;
    let count = outline.len() as u32;
    let mut soup = PolygonSoup::with_capacity(2 * outline.len(), 4 * outline.len());
    for y in [-top, top] {
        for point in &outline {
            soup.push_position(DVec3::new(point.x, y, -point.y))?;
        }
    }
    for i in 0..count {
        let j = (i + 1) % count;
        soup.push_face(&[i, j, count + j, count + i])?;
    }
    soup.push_face(&(0..count).rev().collect::<Vec<_>>())?;
    soup.push_face(&(count..2 * count).collect::<Vec<_>>())?;
    Ok(soup)
}

fn counter_clockwise(outline: &[DVec2]) -> Result<Vec<DVec2>, GenerateError> {
    let refuse = |problem| Err(GenerateError::Outline { problem });
    if outline.len() < 3 {
        return refuse("has fewer than 3 corners");
    }
    if !outline.iter().all(|point| point.is_finite()) {
        return refuse("has a coordinate that is not a finite number");
    }
    let origin = outline[0];
    let doubled_area: f64 =
        outline.windows(2).map(|side| (side[0] - origin).perp_dot(side[1] - origin)).sum();
    if doubled_area == 0.0 {
        return refuse("has no area");
    }
    let mut outline = outline.to_vec();
    if doubled_area < 0.0 {
        outline.reverse();
    }
    if triangulate(&outline, 0.0).is_err() {
        return refuse("crosses itself");
    }
    Ok(outline)
}
