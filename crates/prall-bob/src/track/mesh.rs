//! [`TrackMesh`]: the surface in triangles, one mesh for the eye and for the runners.

use glam::DVec3;
use prall_geometry::PolygonSoup;

use super::{Patch, Side, Track};

/// Into how many pieces the surface is cut.
///
/// The source cuts every part of a section into 5 and every interval between sections into 3 ([`Track::published_mesh`]), which leaves
/// facets of up to 16 degrees on the ellipse. The default spends its triangles where the section bends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tessellation {
    /// Pieces of the ellipse, and of the floor, which is the ellipse's mirror image where the direction changes.
    pub ellipse: u32,
    /// Pieces of each other part; the inner wall has twice as many, as its mirror image is two parts.
    pub other: u32,
    /// Pieces between two sections.
    pub along: u32,
}

impl Default for Tessellation {
    fn default() -> Tessellation {
        Tessellation { ellipse: 24, other: 6, along: 1 }
    }
}

/// A track in triangles. Their normals point to the driving side.
#[derive(Clone, Debug)]
pub struct TrackMesh {
    /// The ice: a grid of rows across and columns along, `columns` vertices a row.
    pub ice: PolygonSoup,
    /// Vertices in each row.
    pub columns: usize,
    /// Station of each row in m.
    pub rows: Vec<f64>,
    /// End stops, walls and barriers.
    pub borders: PolygonSoup,
}

impl TrackMesh {
    /// Ice and borders in one.
    pub fn joined(&self) -> PolygonSoup {
        let mut soup = self.ice.clone();
        soup.append(&self.borders).expect("a track has fewer vertices than can be counted");
        soup
    }
}

impl Track {
    /// The mesh as published: each of the seven parts of a section cut into 5, every interval into 3; 35 strips, 420 triangles a metre.
    ///
    /// Where the direction changes, columns of the two sides do not meet corner to corner: two rows lie on the same section there, which is
    /// the straight's, and no triangle is between them.
    pub fn published_mesh(&self) -> TrackMesh {
        const PIECES: usize = 5;
        const ALONG: usize = 3;
        let across: Vec<f64> = (0..=7 * PIECES).map(|i| i as f64 / PIECES as f64).collect();
        let mut mesh = TrackMesh {
            ice: PolygonSoup::new(),
            columns: across.len(),
            rows: Vec::new(),
            borders: self.borders(),
        };
        for patch in self.patches() {
            let steps = (patch.stations.len() - 1) * ALONG;
            let mut vertices = Vec::with_capacity((steps + 1) * across.len());
            for row in 0..=steps {
                let along = row as f64 / ALONG as f64;
                mesh.rows.push(patch.station(along));
                vertices.extend(across.iter().map(|&v| patch.surface.point(along, v)));
            }
            mesh.ice
                .append(&grid(vertices, across.len()))
                .expect("a track has fewer vertices than can be counted");
        }
        mesh
    }

    /// Cuts the surface into triangles and adds the borders.
    pub fn mesh(&self, tessellation: &Tessellation) -> TrackMesh {
        let cut = Tessellation {
            ellipse: tessellation.ellipse.max(1),
            other: tessellation.other.max(1),
            along: tessellation.along.max(1),
        };
        let mut rows: Vec<f64> = Vec::new();
        let mut vertices: Vec<DVec3> = Vec::new();
        let mut columns = 0;
        for patch in self.patches() {
            let across = parameters_across(&patch, &cut);
            columns = across.len();
            let first_row = if rows.is_empty() { 0 } else { 1 };
            if first_row == 1 {
                meet(&mut vertices, &patch, &across);
            }
            let steps = (patch.stations.len() - 1) * cut.along as usize;
            for row in first_row..=steps {
                let along = row as f64 / f64::from(cut.along);
                rows.push(patch.station(along));
                vertices.extend(across.iter().map(|&v| patch.surface.point(along, v)));
            }
        }
        TrackMesh { ice: grid(vertices, columns), columns, rows, borders: self.borders() }
    }
}

impl Patch {
    /// Station in m of a parameter along, which counts sections.
    fn station(&self, along: f64) -> f64 {
        let section = (along.floor() as usize).min(self.stations.len() - 2);
        let share = along - section as f64;
        self.stations[section] * (1.0 - share) + self.stations[section + 1] * share
    }
}

/// Where two patches meet, both are the straight's section, cut at slightly different places of it; the row they share
/// lies in the middle, so that there is no crack.
fn meet(vertices: &mut [DVec3], patch: &Patch, across: &[f64]) {
    let first = vertices.len() - across.len();
    for (vertex, &v) in vertices[first..].iter_mut().zip(across) {
        *vertex = 0.5 * (*vertex + patch.surface.point(0.0, v));
    }
}

/// Parameters of the columns from left to right. The inner wall is cut where the straight's outer wall has its lip, so that the columns of
/// curves to the left and to the right meet.
fn parameters_across(patch: &Patch, cut: &Tessellation) -> Vec<f64> {
    /// Share of the straight's wall, from its top, that mirrors the lip; columns need not match it exactly.
    const LIP: f64 = 0.07;
    let n = cut.other;
    let even = |count: u32| (0..count).map(move |i| f64::from(i) / f64::from(count));
    // Along an inner wall, from its top down.
    let wall = even(n).map(|x| x * LIP).chain(even(n).map(|x| LIP + x * (1.0 - LIP)));
    let mut across: Vec<f64> = wall.collect();
    for (part, count) in (1..7).zip([n, cut.ellipse, cut.ellipse, n, n, n]) {
        across.extend(even(count).map(|x| f64::from(part) + x));
    }
    across.push(7.0);
    if patch.side == Side::Right {
        across.iter_mut().for_each(|v| *v = 7.0 - *v);
        across.reverse();
    }
    across
}

fn grid(vertices: Vec<DVec3>, columns: usize) -> PolygonSoup {
    let rows = vertices.len() / columns.max(1);
    let mut triangles = Vec::with_capacity(2 * rows.saturating_sub(1) * columns.saturating_sub(1));
    for row in 1..rows {
        for column in 1..columns {
            let at = |r: usize, c: usize| (r * columns + c) as u32;
            let (a, b) = (at(row - 1, column - 1), at(row - 1, column));
            let (c, d) = (at(row, column), at(row, column - 1));
            // Rows run to the right, the next row is ahead: counter-clockwise seen from above.
            triangles.push([a, b, c]);
            triangles.push([a, c, d]);
        }
    }
    PolygonSoup::from_triangles(vertices, &triangles).expect("the grid's corners are its vertices")
}
