//! Terrain: a landscape given by its height.

use glam::{DVec2, DVec3};

use super::{GenerateError, count, length};
use crate::soup::PolygonSoup;

/// A block of ground around the origin, `size` wide along x and z, whose top is `height(x, z)` sampled at
/// the corners of `cells` cells along x and z, and whose flat bottom is at the height `base`.
///
/// Cells are two triangles each, cut along the diagonal that is the shorter one in space; the bottom is a
/// fan of triangles around its middle.
pub fn terrain(
    size: DVec2,
    cells: [u32; 2],
    base: f64,
    height: impl Fn(f64, f64) -> f64,
) -> Result<PolygonSoup, GenerateError> {
    length("size along x", size.x, 0.0)?;
    length("size along z", size.y, 0.0)?;
    length("base", base, f64::NEG_INFINITY)?;
    let grid =
        Grid { columns: count("cells along x", cells[0], 1)?, rows: count("cells along z", cells[1], 1)? };
    let mut soup = PolygonSoup::new();
    for row in 0..=grid.rows {
        for column in 0..=grid.columns {
            let x = size.x * (f64::from(column) / f64::from(grid.columns) - 0.5);
            let z = size.y * (f64::from(row) / f64::from(grid.rows) - 0.5);
            soup.push_position(DVec3::new(x, length("height of the ground", height(x, z), base)?, z))?;
        }
    }
    grid.add_top(&mut soup)?;
    grid.add_sides_and_bottom(&mut soup, base)?;
    Ok(soup)
}

struct Grid {
    columns: u32,
    rows: u32,
}

impl Grid {
    fn vertex(&self, column: u32, row: u32) -> u32 {
        row * (self.columns + 1) + column
    }

    fn add_top(&self, soup: &mut PolygonSoup) -> Result<(), GenerateError> {
        for row in 0..self.rows {
            for column in 0..self.columns {
                let a = self.vertex(column, row);
                let b = self.vertex(column, row + 1);
                let c = self.vertex(column + 1, row + 1);
                let d = self.vertex(column + 1, row);
                let at = |vertex: u32| soup.positions()[vertex as usize];
                let cut_ac = at(a).distance_squared(at(c)) <= at(b).distance_squared(at(d));
                let halves = if cut_ac { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                for half in halves {
                    soup.push_face(&half)?;
                }
            }
        }
        Ok(())
    }

    /// The vertices of the rim, counter-clockwise as seen from above.
    fn rim(&self) -> Vec<u32> {
        let down = (0..self.rows).map(|row| self.vertex(0, row));
        let right = (0..self.columns).map(|column| self.vertex(column, self.rows));
        let up = (1..=self.rows).rev().map(|row| self.vertex(self.columns, row));
        let left = (1..=self.columns).rev().map(|column| self.vertex(column, 0));
        down.chain(right).chain(up).chain(left).collect()
    }

    fn add_sides_and_bottom(&self, soup: &mut PolygonSoup, base: f64) -> Result<(), GenerateError> {
        let rim = self.rim();
        let middle = soup.push_position(DVec3::new(0.0, base, 0.0))?;
        for &vertex in &rim {
            let position = soup.positions()[vertex as usize];
            soup.push_position(DVec3::new(position.x, base, position.z))?;
        }
        for (i, &vertex) in rim.iter().enumerate() {
            let j = (i + 1) % rim.len();
            let (below, next_below) = (middle + 1 + i as u32, middle + 1 + j as u32);
            soup.push_face(&[vertex, below, next_below, rim[j]])?;
            soup.push_face(&[middle, next_below, below])?;
        }
        Ok(())
    }
}

/// Smooth random hills between -1 and 1: `octaves` layers of noise, each twice as fine and half as high as
/// the one before. The first layer changes over one unit of length; the same seed gives the same hills.
pub fn fractal_noise(seed: u64, octaves: u32) -> impl Fn(f64, f64) -> f64 {
    move |x, z| {
        let (mut sum, mut weight, mut total, mut scale) = (0.0, 1.0, 0.0, 1.0);
        for octave in 0..octaves.max(1) {
            sum += weight * lattice_noise(seed.wrapping_add(u64::from(octave)), x * scale, z * scale);
            total += weight;
            weight *= 0.5;
            scale *= 2.0;
        }
        sum / total
    }
}

/// Random values at integer points, blended smoothly in between.
fn lattice_noise(seed: u64, x: f64, z: f64) -> f64 {
    let (cell_x, cell_z) = (x.floor(), z.floor());
    let smooth = |t: f64| t * t * t * (t * (6.0 * t - 15.0) + 10.0);
    let (u, v) = (smooth(x - cell_x), smooth(z - cell_z));
    let value = |dx: i64, dz: i64| random(seed, cell_x as i64 + dx, cell_z as i64 + dz);
    let near = value(0, 0) + u * (value(1, 0) - value(0, 0));
    let far = value(0, 1) + u * (value(1, 1) - value(0, 1));
    near + v * (far - near)
}

/// A number from -1 to 1 that depends on nothing but its arguments (SplitMix64).
fn random(seed: u64, x: i64, z: i64) -> f64 {
    let mut bits = seed
        .wrapping_add((x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .wrapping_add((z as u64).wrapping_mul(0xd1b5_4a32_d192_ed03));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
