//! Turning a profile about the y axis.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};

use super::GenerateError;
use crate::soup::PolygonSoup;

/// A profile in the half plane (distance from the axis, height), with the body on its left.
pub(super) enum Profile<'a> {
    /// From axis to axis; the first and last point have distance 0.
    Open(&'a [DVec2]),
    /// Closed in itself, away from the axis.
    Closed(&'a [DVec2]),
}

/// Where the points of a profile went.
enum Ring {
    Axis(u32),
    /// The first of `segments` vertices.
    Around(u32),
    /// The centre of a flat end, which becomes one polygon and needs no vertex.
    Omitted,
}

/// The surface that the profile sweeps, in `segments` steps starting at `phase` (radians from x towards
/// -z). All its quadrilaterals are trapezoids, hence planar.
pub(super) fn turned(profile: &Profile<'_>, segments: u32, phase: f64) -> Result<PolygonSoup, GenerateError> {
    let (points, closed) = match profile {
        Profile::Open(points) => (*points, false),
        Profile::Closed(points) => (*points, true),
    };
    let directions: Vec<DVec2> = (0..segments)
        .map(|i| libm::sincos(phase + TAU * f64::from(i) / f64::from(segments)))
        .map(|(sine, cosine)| DVec2::new(cosine, -sine))
        .collect();
    let mut soup =
        PolygonSoup::with_capacity(points.len() * directions.len(), 2 * points.len() * directions.len());
    let mut rings = Vec::with_capacity(points.len());
    for (i, point) in points.iter().enumerate() {
        let neighbour = if i == 0 { points[1] } else { points[i - 1] };
        rings.push(if point.x > 0.0 {
            let first = soup.positions().len() as u32;
            for direction in &directions {
                soup.push_position(DVec3::new(point.x * direction.x, point.y, point.x * direction.y))?;
            }
            Ring::Around(first)
        } else if point.y == neighbour.y {
            Ring::Omitted
        } else {
            Ring::Axis(soup.push_position(DVec3::new(0.0, point.y, 0.0))?)
        });
    }
    for pair in rings.windows(2) {
        join(&mut soup, &pair[0], &pair[1], segments)?;
    }
    if closed {
        join(&mut soup, &rings[rings.len() - 1], &rings[0], segments)?;
    }
    Ok(soup)
}

/// The faces between two neighbouring points of the profile.
fn join(soup: &mut PolygonSoup, a: &Ring, b: &Ring, segments: u32) -> Result<(), GenerateError> {
    let steps = (0..segments).map(|i| (i, (i + 1) % segments));
    match (a, b) {
        (Ring::Around(a), Ring::Around(b)) => {
            for (i, j) in steps {
                soup.push_face(&[a + i, a + j, b + j, b + i])?;
            }
        }
        (Ring::Axis(a), Ring::Around(b)) => {
            for (i, j) in steps {
                soup.push_face(&[*a, b + j, b + i])?;
            }
        }
        (Ring::Around(a), Ring::Axis(b)) => {
            for (i, j) in steps {
                soup.push_face(&[a + i, a + j, *b])?;
            }
        }
        (Ring::Omitted, Ring::Around(b)) => {
            soup.push_face(&(0..segments).rev().map(|i| b + i).collect::<Vec<_>>())?;
        }
        (Ring::Around(a), Ring::Omitted) => {
            soup.push_face(&(0..segments).map(|i| a + i).collect::<Vec<_>>())?;
        }
        // Two points on the axis enclose nothing.
        (Ring::Axis(_) | Ring::Omitted, Ring::Axis(_) | Ring::Omitted) => {}
    }
    Ok(())
}
