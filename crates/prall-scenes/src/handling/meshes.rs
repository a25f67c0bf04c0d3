//! Meshes of bent and turned things for handling scenes: pipes, lathed parts and sheets from grids.

use glam::{DMat3, DVec3};
use prall_geometry::{PolygonSoup, SoupError};
use std::f64::consts::TAU;

/// A surface over a grid: `nu` by `nv` quads, each cut into two triangles. Seams of closed surfaces have their corners twice, as CAD exports do.
pub(super) fn grid(
    soup: &mut PolygonSoup,
    (nu, nv): (u32, u32),
    place: impl Fn(f64, f64) -> DVec3,
) -> Result<(), SoupError> {
    let first = soup.positions().len() as u32;
    for i in 0..=nu {
        for j in 0..=nv {
            soup.push_position(place(f64::from(i) / f64::from(nu), f64::from(j) / f64::from(nv)))?;
        }
    }
    let corner = |i: u32, j: u32| first + i * (nv + 1) + j;
    for i in 0..nu {
        for j in 0..nv {
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            soup.push_face(&[a, b, c])?;
            soup.push_face(&[a, c, d])?;
        }
    }
    Ok(())
}

/// Six sheets around a box, with cells of about this size in m.
pub(super) fn cells_box(soup: &mut PolygonSoup, low: DVec3, high: DVec3, cell: f64) -> Result<(), SoupError> {
    let size = high - low;
    let count = |axis: usize| (size[axis] / cell).ceil().max(1.0) as u32;
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for far in [false, true] {
            grid(soup, (count(u), count(v)), |s, t| {
                // The first two go round against each other, so that both sides point outward.
                let (s, t) = if far { (s, t) } else { (t, s) };
                let mut place = low;
                place[axis] = if far { high[axis] } else { low[axis] };
                place[u] += s * size[u];
                place[v] += t * size[v];
                place
            })?;
        }
    }
    Ok(())
}

/// What a profile of radii and heights sweeps about the z axis through a point.
pub(super) fn lathe(
    soup: &mut PolygonSoup,
    centre: DVec3,
    profile: &[(f64, f64)],
    segments: u32,
) -> Result<(), SoupError> {
    let ring = |soup: &mut PolygonSoup, (radius, height): (f64, f64)| -> Result<Vec<u32>, SoupError> {
        let count = if radius == 0.0 { 1 } else { segments };
        (0..count)
            .map(|k| {
                let (sine, cosine) = libm::sincos(TAU * f64::from(k) / f64::from(segments));
                soup.push_position(centre + DVec3::new(radius * cosine, radius * sine, height))
            })
            .collect()
    };
    let mut rings = Vec::new();
    for point in profile {
        rings.push(ring(soup, *point)?);
    }
    for pair in rings.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        for k in 0..segments as usize {
            let next = (k + 1) % segments as usize;
            match (a.len() > 1, b.len() > 1) {
                (true, true) => {
                    soup.push_face(&[a[k], a[next], b[next]])?;
                    soup.push_face(&[a[k], b[next], b[k]])?;
                }
                (true, false) => soup.push_face(&[a[k], a[next], b[0]])?,
                (false, true) => soup.push_face(&[a[0], b[next], b[k]])?,
                (false, false) => {}
            }
        }
    }
    Ok(())
}

/// A smooth curve through points: Catmull and Rom's, with `pieces` pieces between two points.
pub(super) fn curve(points: &[DVec3], pieces: u32, closed: bool) -> Vec<DVec3> {
    let count = points.len() as i64;
    let at = |k: i64| {
        let index = if closed { k.rem_euclid(count) } else { k.clamp(0, count - 1) };
        points[index as usize]
    };
    let spans = if closed { count } else { count - 1 };
    let mut all = Vec::new();
    for span in 0..spans {
        let [p, q, r, s] = [at(span - 1), at(span), at(span + 1), at(span + 2)];
        for piece in 0..pieces {
            let t = f64::from(piece) / f64::from(pieces);
            let linear = (r - p) * t;
            let square = (p * 2.0 - q * 5.0 + r * 4.0 - s) * (t * t);
            let cubic = (q * 3.0 - p - r * 3.0 + s) * (t * t * t);
            all.push(q + (linear + square + cubic) * 0.5);
        }
    }
    if !closed {
        all.push(at(count - 1));
    }
    all
}

/// Frames along a curve that do not twist about it: columns are two sides and the tangent.
pub(super) fn frames(curve: &[DVec3], closed: bool) -> Vec<DMat3> {
    let count = curve.len();
    let tangent = |k: usize| {
        let (before, after) = if closed {
            (curve[(k + count - 1) % count], curve[(k + 1) % count])
        } else {
            (curve[k.saturating_sub(1)], curve[(k + 1).min(count - 1)])
        };
        (after - before).normalize()
    };
    let mut side = tangent(0).any_orthonormal_vector();
    (0..count)
        .map(|k| {
            let along = tangent(k);
            side = (side - along * along.dot(side)).normalize();
            DMat3::from_cols(side, along.cross(side), along)
        })
        .collect()
}

/// A pipe around a curve, open curves with flat ends.
pub(super) fn pipe(
    soup: &mut PolygonSoup,
    curve: &[DVec3],
    closed: bool,
    radius: f64,
    sides: u32,
) -> Result<(), SoupError> {
    let frames = frames(curve, closed);
    let mut rings: Vec<Vec<u32>> = Vec::new();
    for (place, frame) in curve.iter().zip(&frames) {
        let ring = (0..sides).map(|k| {
            let (sine, cosine) = libm::sincos(TAU * f64::from(k) / f64::from(sides));
            soup.push_position(*place + frame.x_axis * (radius * cosine) + frame.y_axis * (radius * sine))
        });
        rings.push(ring.collect::<Result<_, _>>()?);
    }
    let spans = if closed { rings.len() } else { rings.len() - 1 };
    for span in 0..spans {
        let (a, b) = (&rings[span], &rings[(span + 1) % rings.len()]);
        // A ring of a closed curve may come back turned: it is joined to the nearest corners.
        let shift = if closed && span + 1 == rings.len() { nearest(soup, a[0], b) } else { 0 };
        for k in 0..sides as usize {
            let next = (k + 1) % sides as usize;
            let other = |k: usize| b[(k + shift) % sides as usize];
            soup.push_face(&[a[k], a[next], other(next)])?;
            soup.push_face(&[a[k], other(next), other(k)])?;
        }
    }
    if !closed {
        let last = rings.len() - 1;
        for (ring, turned) in [(0, true), (last, false)] {
            let centre = soup.push_position(curve[ring])?;
            for k in 0..sides as usize {
                let (a, b) = (rings[ring][k], rings[ring][(k + 1) % sides as usize]);
                soup.push_face(&if turned { [b, a, centre] } else { [a, b, centre] })?;
            }
        }
    }
    Ok(())
}

fn nearest(soup: &PolygonSoup, corner: u32, ring: &[u32]) -> usize {
    let place = soup.positions()[corner as usize];
    let distance = |k: &usize| soup.positions()[ring[*k] as usize].distance_squared(place);
    (0..ring.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
}
