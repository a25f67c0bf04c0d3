//! Triangle lists for tests and benchmarks, all made by formula.

use glam::DVec3;

pub(crate) type Triangles = Vec<[DVec3; 3]>;

/// A grid of quadrilaterals over [0, columns] x [0, rows], each cut in two.
pub(crate) fn grid(columns: usize, rows: usize, point: impl Fn(usize, usize) -> DVec3) -> Triangles {
    let mut triangles = Vec::with_capacity(2 * columns * rows);
    for i in 0..columns {
        for j in 0..rows {
            let [p, q, r, s] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
            triangles.push([p, q, r]);
            triangles.push([p, r, s]);
        }
    }
    triangles
}

/// A sphere of this radius with bumps of a hundredth of it, of about that many triangles.
pub(crate) fn bumpy_sphere(radius: f64, triangles: usize) -> Triangles {
    let rows = ((triangles as f64 / 4.0).sqrt() as usize).max(3);
    let columns = 2 * rows;
    grid(columns, rows, |i, j| {
        let longitude = std::f64::consts::TAU * (i % columns) as f64 / columns as f64;
        let latitude = std::f64::consts::PI * j as f64 / rows as f64;
        let (sine, cosine) = libm::sincos(longitude);
        let (ring, height) = libm::sincos(latitude);
        let bump = 1.0 + 0.01 * libm::sin(9.0 * longitude) * libm::sin(7.0 * latitude) * ring;
        DVec3::new(ring * cosine, height, ring * sine) * (radius * bump)
    })
}

/// A helical surface about the z axis: a triangular thread of this pitch and depth on a cylinder.
///
/// `radius` is the middle one. A bolt and a nut with the same pitch and depth and radii that differ by the play
/// fit into each other.
pub(crate) fn thread(radius: f64, pitch: f64, depth: f64, turns: f64, triangles: usize) -> Triangles {
    let per_turn = 8;
    let rows = (turns * per_turn as f64) as usize;
    let columns = (triangles / (2 * rows)).max(8);
    grid(columns, rows, |i, j| {
        let share = (i % columns) as f64 / columns as f64;
        let (sine, cosine) = libm::sincos(std::f64::consts::TAU * share);
        // Profile along the axis, moved by the angle: constant along the helix.
        let along = j as f64 / per_turn as f64;
        let place = (along - along.floor() - 0.5).abs();
        let r = radius + depth * (2.0 * place - 0.5);
        let seam = if i == columns { 1.0 } else { share };
        DVec3::new(r * cosine, r * sine, pitch * (along + seam))
    })
}
