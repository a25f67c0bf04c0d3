//! Bolts and nuts: a profile that winds around the y axis.
//!
//! The surface is made of rows along helices. Once around, a row has become the row one pitch above, so that no seam crosses the flanks; the ends are
//! winding steps, as of a thread that is cut off along itself.

use std::f64::consts::TAU;

use glam::DVec3;

use super::{GenerateError, count, length, length_or_zero};
use crate::soup::PolygonSoup;

/// Measures of a thread; flanks at 30 degrees to the plane across the axis, an eighth of the pitch flat at the crest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thread {
    /// Radius of the crest, in m.
    pub radius: f64,
    /// Advance in one turn, in m.
    pub pitch: f64,
    /// Turns from end to end.
    pub turns: u32,
    /// Flat pieces in one turn.
    pub segments: u32,
}

/// Rows in one pitch: root, root, crest, crest.
const ROWS: usize = 4;
/// Where they are, in pitches.
const PHASES: [f64; ROWS] = [0.0, 0.25, 0.5625, 0.6875];
/// Axial length of a flank in pitches.
const FLANK: f64 = 0.3125;

impl Thread {
    fn checked(&self) -> Result<(), GenerateError> {
        length("pitch", self.pitch, 0.0)?;
        length("radius", self.radius, self.depth())?;
        count("turns", self.turns, 1)?;
        count("segments", self.segments, 3)?;
        Ok(())
    }

    /// From crest to root, in m: a flank is 0.3125 pitches long, at 30 degrees.
    pub fn depth(&self) -> f64 {
        FLANK * self.pitch * 3.0_f64.sqrt()
    }

    fn row_count(&self) -> usize {
        ROWS * self.turns as usize
    }

    /// Distance from the axis and start height of a row, widened by `play`.
    fn row(&self, row: usize, play: f64) -> (f64, f64) {
        let root = row % ROWS < 2;
        let radius = if root { self.radius - self.depth() } else { self.radius } + play;
        let height = ((row / ROWS) as f64 + PHASES[row % ROWS]) * self.pitch;
        (radius, height - 0.5 * f64::from(self.turns + 1) * self.pitch)
    }

    fn point(&self, radius: f64, height: f64, segment: u32) -> DVec3 {
        let share = f64::from(segment) / f64::from(self.segments);
        let (sine, cosine) = libm::sincos(TAU * share);
        DVec3::new(radius * cosine, height + share * self.pitch, -radius * sine)
    }

    /// All rows with their points but the last of each, which is the first of the row a pitch above; the first row's first is vertex `first`.
    fn push_rows(
        &self,
        soup: &mut PolygonSoup,
        radius: impl Fn(usize) -> (f64, f64),
    ) -> Result<Winding, GenerateError> {
        let first = soup.positions().len() as u32;
        for row in 0..=self.row_count() {
            let (radius, height) = radius(row);
            for segment in 0..self.segments {
                soup.push_position(self.point(radius, height, segment))?;
            }
        }
        // The rows above the last, of which only the first point is there.
        for row in self.row_count() + 1..=self.row_count() + ROWS {
            let (radius, height) = radius(row);
            soup.push_position(self.point(radius, height, 0))?;
        }
        Ok(Winding { first, rows: self.row_count() as u32, segments: self.segments })
    }
}

/// Vertices of rows.
struct Winding {
    first: u32,
    rows: u32,
    segments: u32,
}

impl Winding {
    fn vertex(&self, row: u32, segment: u32) -> u32 {
        if segment == self.segments {
            return self.vertex(row + ROWS as u32, 0);
        }
        if row > self.rows {
            return self.first + (self.rows + 1) * self.segments + row - self.rows - 1;
        }
        self.first + row * self.segments + segment
    }

    /// The surface between the rows, seen from outside if `outward`.
    fn faces(&self, soup: &mut PolygonSoup, outward: bool) -> Result<(), GenerateError> {
        for row in 0..self.rows {
            for segment in 0..self.segments {
                let [a, b] = [self.vertex(row, segment), self.vertex(row, segment + 1)];
                let [c, d] = [self.vertex(row + 1, segment + 1), self.vertex(row + 1, segment)];
                let triangles = if outward { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
                for triangle in triangles {
                    soup.push_face(&triangle)?;
                }
            }
        }
        Ok(())
    }

    /// The edge of an end: around once, and back along the step.
    fn rim(&self, row: u32) -> Vec<u32> {
        let around = (0..=self.segments).map(|segment| self.vertex(row, segment));
        let back = (1..ROWS as u32).rev().map(|step| self.vertex(row + step, 0));
        around.chain(back).collect()
    }
}

/// A bolt: an outer thread around the origin, its axis along y, right-handed.
pub fn bolt(thread: &Thread) -> Result<PolygonSoup, GenerateError> {
    thread.checked()?;
    let mut soup = PolygonSoup::new();
    let winding = thread.push_rows(&mut soup, |row| thread.row(row, 0.0))?;
    winding.faces(&mut soup, true)?;
    for (row, up) in [(0, false), (winding.rows, true)] {
        let height = thread.row(row as usize, 0.0).1 + 0.5 * thread.pitch;
        let middle = soup.push_position(DVec3::new(0.0, height, 0.0))?;
        let rim = winding.rim(row);
        for (i, &a) in rim.iter().enumerate() {
            let b = rim[(i + 1) % rim.len()];
            soup.push_face(&if up { [middle, a, b] } else { [middle, b, a] })?;
        }
    }
    Ok(soup)
}

/// A nut: an inner thread that a bolt of the same measures fits into with `play` metres on every side, in a round piece of `outer_radius`.
pub fn nut(thread: &Thread, play: f64, outer_radius: f64) -> Result<PolygonSoup, GenerateError> {
    thread.checked()?;
    length_or_zero("play", play)?;
    length("outer radius", outer_radius, thread.radius + play)?;
    let mut soup = PolygonSoup::new();
    let inner = thread.push_rows(&mut soup, |row| thread.row(row, play))?;
    let outer = thread.push_rows(&mut soup, |row| (outer_radius, thread.row(row, play).1))?;
    inner.faces(&mut soup, false)?;
    outer.faces(&mut soup, true)?;
    for (row, up) in [(0, false), (inner.rows, true)] {
        let (inside, outside) = (inner.rim(row), outer.rim(row));
        for i in 0..inside.len() {
            let j = (i + 1) % inside.len();
            let [a, b, c, d] = [inside[i], outside[i], outside[j], inside[j]];
            let triangles = if up { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
            for triangle in triangles {
                soup.push_face(&triangle)?;
            }
        }
    }
    Ok(soup)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Amount, HalfEdges, MassProperties, Mesh, MeshOptions};

    const THREAD: Thread = Thread { radius: 8e-3, pitch: 2.5e-3, turns: 4, segments: 64 };

    fn volume(soup: &PolygonSoup) -> f64 {
        let mesh = Mesh::from_soup(soup, &MeshOptions::default()).expect("a mesh");
        let half_edges = HalfEdges::new(&mesh);
        assert!((0..half_edges.len() as u32).all(|h| half_edges.twin(h).is_some()), "closed");
        MassProperties::of_mesh(&mesh, &half_edges, Amount::Density(1.0)).expect("a solid").mass
    }

    /// Area of a slice across the axis: the mean of r^2/2 over the phase, times the angle; the same at every height.
    fn slice(thread: &Thread, play: f64) -> f64 {
        let (low, high) = (thread.radius - thread.depth() + play, thread.radius + play);
        let flank = (low * low + low * high + high * high) / 3.0;
        0.5 * TAU * (0.25 * low * low + 0.125 * high * high + 2.0 * FLANK * flank)
    }

    #[test]
    fn bolt_and_nut_are_closed_and_have_the_volume_of_their_slices() {
        let height = f64::from(THREAD.turns) * THREAD.pitch;
        let found = volume(&bolt(&THREAD).expect("a bolt"));
        let expected = slice(&THREAD, 0.0) * height;
        // Flat pieces lie inside of the round ones by 1 - sin(x)/x, x = 2 pi / 64: 1.6e-3.
        assert!((found / expected - 1.0).abs() < 4e-3, "{found:e} {expected:e}");
        let outer = 12e-3_f64;
        let found = volume(&nut(&THREAD, 1e-4, outer).expect("a nut"));
        let expected = (0.5 * TAU * outer * outer - slice(&THREAD, 1e-4)) * height;
        assert!((found / expected - 1.0).abs() < 6e-3, "{found:e} {expected:e}");
    }

    #[test]
    fn a_thread_deeper_than_its_radius_is_refused() {
        assert!(bolt(&Thread { radius: 1e-3, ..THREAD }).is_err());
        assert!(nut(&THREAD, 1e-4, 7e-3).is_err());
        assert!(bolt(&Thread { turns: 0, ..THREAD }).is_err());
    }
}
