//! [`Heightfield`]: ground given by heights over a grid.

use std::ops::RangeInclusive;

use glam::DVec3;

use super::{ShapeError, SurfacePoint, positive};
use crate::bounding::Aabb;
use crate::closest::on_triangle;
use crate::ray::{Part, Ray, RayHit, TriangleCaster};
use crate::soup::{PolygonSoup, SoupError};

/// Heights (y) over a regular grid in x and z, centred on the origin; the ground is solid below and has no bottom.
///
/// The sample in column `i` and row `j` is at `x = -size_x / 2 + i size_x / (columns - 1)`,
/// `z = -size_z / 2 + j size_z / (rows - 1)`. A cell between the samples
/// a = (i, j), b = (i + 1, j), c = (i, j + 1), d = (i + 1, j + 1) is cut along a-d into the triangles
/// (a, c, d) and (a, d, b), both facing up; they have the numbers `2 (j (columns - 1) + i)` and one more.
/// Outside of the grid there is nothing; the cut sides are not part of the surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightfield {
    columns: usize,
    rows: usize,
    size_x: f64,
    size_z: f64,
    heights: Vec<f64>,
    lowest: f64,
    highest: f64,
}

/// Part of a cell by which ranges of cells are widened (no unit), so that rounding of a position loses none.
const WIDENING: f64 = 1e-9;

impl Heightfield {
    /// A field from its samples, row by row (index `row * columns + column`), and its size in metres.
    pub fn new(
        columns: usize,
        rows: usize,
        size_x: f64,
        size_z: f64,
        heights: Vec<f64>,
    ) -> Result<Heightfield, ShapeError> {
        positive("height field", "size_x", size_x)?;
        positive("height field", "size_z", size_z)?;
        if columns < 2 || rows < 2 {
            return Err(ShapeError::TooFewSamples { columns, rows });
        }
        if columns.checked_mul(rows) != Some(heights.len()) {
            return Err(ShapeError::WrongHeightCount { columns, rows, heights: heights.len() });
        }
        if let Some(index) = heights.iter().position(|h| !h.is_finite()) {
            return Err(ShapeError::BadHeight { index, column: index % columns, row: index / columns });
        }
        let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(Heightfield { columns, rows, size_x, size_z, heights, lowest, highest })
    }

    /// Samples along x.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Samples along z.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The place of a sample.
    pub fn sample(&self, column: usize, row: usize) -> DVec3 {
        let along = |i: usize, count: usize, size: f64| size * (i as f64 / (count - 1) as f64 - 0.5);
        let height = self.heights[row * self.columns + column];
        DVec3::new(along(column, self.columns, self.size_x), height, along(row, self.rows, self.size_z))
    }

    /// All samples, row by row.
    pub fn positions(&self) -> Vec<DVec3> {
        (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| self.sample(column, row))).collect()
    }

    /// How many triangles there are.
    pub fn triangle_count(&self) -> usize {
        2 * (self.columns - 1) * (self.rows - 1)
    }

    /// The corners of a triangle.
    pub fn triangle_points(&self, triangle: usize) -> [DVec3; 3] {
        let (column, row) = (triangle / 2 % (self.columns - 1), triangle / 2 / (self.columns - 1));
        let (a, d) = (self.sample(column, row), self.sample(column + 1, row + 1));
        if triangle.is_multiple_of(2) {
            [a, self.sample(column, row + 1), d]
        } else {
            [a, d, self.sample(column + 1, row)]
        }
    }

    /// The triangles as a soup.
    pub fn to_soup(&self) -> Result<PolygonSoup, SoupError> {
        let index = |column: usize, row: usize| (row * self.columns + column) as u32;
        let cells = (0..self.rows - 1).flat_map(|row| (0..self.columns - 1).map(move |column| (column, row)));
        let triangles: Vec<[u32; 3]> = cells
            .flat_map(|(i, j)| {
                let (a, b, c, d) = (index(i, j), index(i + 1, j), index(i, j + 1), index(i + 1, j + 1));
                [[a, c, d], [a, d, b]]
            })
            .collect();
        PolygonSoup::from_triangles(self.positions(), &triangles)
    }

    /// The height of the ground at a place, `None` outside of the grid.
    pub fn height_at(&self, x: f64, z: f64) -> Option<f64> {
        let (u, v) = self.grid_position(x, z);
        let (last_u, last_v) = ((self.columns - 1) as f64, (self.rows - 1) as f64);
        if !((0.0..=last_u).contains(&u) && (0.0..=last_v).contains(&v)) {
            return None;
        }
        let (column, row) = ((u as usize).min(self.columns - 2), (v as usize).min(self.rows - 2));
        let (s, t) = (u - column as f64, v - row as f64);
        let height = |i: usize, j: usize| self.heights[(row + j) * self.columns + column + i];
        let (a, d) = (height(0, 0), height(1, 1));
        // On a-c-d (t >= s) the height is a + t (c - a) + s (d - c), on a-d-b it is a + s (b - a) + t (d - b).
        Some(if t >= s {
            let c = height(0, 1);
            a + t * (c - a) + s * (d - c)
        } else {
            let b = height(1, 0);
            a + s * (b - a) + t * (d - b)
        })
    }

    /// Position in units of cells.
    fn grid_position(&self, x: f64, z: f64) -> (f64, f64) {
        let along = |value: f64, count: usize, size: f64| (value / size + 0.5) * (count - 1) as f64;
        (along(x, self.columns, self.size_x), along(z, self.rows, self.size_z))
    }

    /// True if the point is over the grid's area and not above the ground.
    pub fn contains(&self, point: DVec3) -> bool {
        self.height_at(point.x, point.z).is_some_and(|height| point.y <= height)
    }

    /// The closest point of the ground, exactly; the distance is negative below the ground.
    ///
    /// Cells are searched in square rings around the point until the next ring is farther away than what was found.
    pub fn closest_point(&self, point: DVec3) -> SurfacePoint {
        let (u, v) = self.grid_position(point.x, point.z);
        let (cells_u, cells_v) = (self.columns - 1, self.rows - 1);
        let middle = |position: f64, cells: usize| (position.max(0.0) as usize).min(cells - 1) as isize;
        let (column, row) = (middle(u, cells_u), middle(v, cells_v));
        let cell = (self.size_x / cells_u as f64).min(self.size_z / cells_v as f64);
        let above_all = (point.y - self.highest).max(self.lowest - point.y).max(0.0);
        let mut best = (0, DVec3::ZERO, f64::INFINITY);
        for ring in 0..cells_u.max(cells_v) as isize {
            // Cells of this ring are at least ring - 1 whole cells away from the middle one's point.
            let away = ((ring - 1) as f64 - WIDENING) * cell;
            if ring > 1 && away * away + above_all * above_all > best.2 {
                break;
            }
            for j in row - ring..=row + ring {
                let step = if j == row - ring || j == row + ring || ring == 0 { 1 } else { 2 * ring };
                for i in (column - ring..=column + ring).step_by(step as usize) {
                    if (0..cells_u as isize).contains(&i) && (0..cells_v as isize).contains(&j) {
                        self.search_cell(point, i as usize, j as usize, &mut best);
                    }
                }
            }
        }
        self.surface_point(point, best)
    }

    fn search_cell(&self, point: DVec3, column: usize, row: usize, best: &mut (usize, DVec3, f64)) {
        let corner = row * self.columns + column;
        let heights =
            [corner, corner + 1, corner + self.columns, corner + self.columns + 1].map(|i| self.heights[i]);
        let (low, high) = (self.sample(column, row), self.sample(column + 1, row + 1));
        let cell = Aabb {
            min: DVec3::new(low.x, heights.into_iter().fold(f64::INFINITY, f64::min), low.z),
            max: DVec3::new(high.x, heights.into_iter().fold(f64::NEG_INFINITY, f64::max), high.z),
        };
        // The computed distance of a box that holds the triangles is below theirs up to rounding.
        if cell.closest_point(point).distance_squared(point) > best.2 * (1.0 + WIDENING) {
            return;
        }
        let first = 2 * (row * (self.columns - 1) + column);
        for triangle in [first, first + 1] {
            let foot = on_triangle(point, self.triangle_points(triangle));
            let squared = foot.distance_squared(point);
            if squared < best.2 {
                *best = (triangle, foot, squared);
            }
        }
    }

    fn surface_point(&self, point: DVec3, (triangle, foot, squared): (usize, DVec3, f64)) -> SurfacePoint {
        let sign = if squared > 0.0 && self.contains(point) { -1.0 } else { 1.0 };
        let up = || {
            let [a, b, c] = self.triangle_points(triangle);
            (b - a).cross(c - a).normalize()
        };
        SurfacePoint {
            point: foot,
            normal: (sign * (point - foot)).try_normalize().unwrap_or_else(up),
            distance: sign * squared.sqrt(),
            part: Part::face(triangle),
        }
    }

    /// Where a ray first meets the ground, from above or below.
    ///
    /// A walk over the strips of cells that the ray crosses along the axis on which it moves fastest; in each strip
    /// all cells that it can touch are tested, a little more rather than less, so that none is missed.
    pub fn ray_cast(&self, ray: &Ray, max: f64) -> Option<RayHit> {
        let (from, to) = self.clip(ray, max)?;
        let caster = TriangleCaster::new(ray);
        let grid = |t: f64| {
            let p = ray.at(t);
            let (u, v) = self.grid_position(p.x, p.z);
            [u, v]
        };
        let (start, end) = (grid(from), grid(to));
        let fast = usize::from((end[1] - start[1]).abs() > (end[0] - start[0]).abs());
        let counts = [self.columns - 1, self.rows - 1];
        let across = end[fast] - start[fast];
        let slope = if across == 0.0 { 0.0 } else { (end[1 - fast] - start[1 - fast]) / across };
        let strips = cells_between(start[fast], end[fast], counts[fast]);
        let forward = across >= 0.0;
        let mut best: Option<RayHit> = None;
        for k in 0..strips.clone().count() {
            let strip = if forward { strips.start() + k } else { strips.end() - k };
            // Where the ray is on the other axis while it crosses this strip.
            let bounds = [strip as f64, strip as f64 + 1.0].map(|edge| {
                let inside = if forward {
                    edge.clamp(start[fast], end[fast])
                } else {
                    edge.clamp(end[fast], start[fast])
                };
                start[1 - fast] + slope * (inside - start[fast])
            });
            for other in cells_between(bounds[0], bounds[1], counts[1 - fast]) {
                let (column, row) = if fast == 0 { (strip, other) } else { (other, strip) };
                let first = 2 * (row * counts[0] + column);
                for triangle in [first, first + 1] {
                    best = RayHit::nearer(best, caster.cast(self.triangle_points(triangle), max, triangle));
                }
            }
            // Cells tested so far reach at least to the far edge of the strip: a hit before it is the first.
            if best.is_some_and(|hit| {
                let reached = grid(hit.distance)[fast];
                let (low, high) = (strip as f64 + WIDENING, strip as f64 + 1.0 - WIDENING);
                if forward { reached < high } else { reached > low }
            }) {
                break;
            }
        }
        best
    }

    /// The part of the ray inside the field's box, slightly widened.
    fn clip(&self, ray: &Ray, max: f64) -> Option<(f64, f64)> {
        let half = DVec3::new(0.5 * self.size_x, 0.0, 0.5 * self.size_z);
        let slack = WIDENING * (half.length() + self.highest - self.lowest);
        let low = DVec3::new(-half.x, self.lowest, -half.z) - DVec3::splat(slack);
        let high = DVec3::new(half.x, self.highest, half.z) + DVec3::splat(slack);
        let (mut from, mut to) = (0.0_f64, max);
        for axis in 0..3 {
            let (o, d) = (ray.origin()[axis], ray.direction()[axis]);
            if d == 0.0 {
                if o < low[axis] || o > high[axis] {
                    return None;
                }
                continue;
            }
            let (s, t) = ((low[axis] - o) / d, (high[axis] - o) / d);
            (from, to) = (from.max(s.min(t)), to.min(s.max(t)));
        }
        (from <= to).then_some((from, to))
    }
}

/// The cells that a range of grid positions touches, slightly widened.
fn cells_between(a: f64, b: f64, cells: usize) -> RangeInclusive<usize> {
    let cell = |position: f64| (position.max(0.0) as usize).min(cells - 1);
    cell(a.min(b) - WIDENING)..=cell(a.max(b) + WIDENING)
}
