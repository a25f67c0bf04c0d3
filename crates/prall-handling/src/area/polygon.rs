//! [`SupportPolygon`]: the face that a body stands on.

use glam::DVec2;

use crate::error::{HandlingError, within};
use crate::random::Random;

/// A simple polygon in the plane, convex or not, corners counterclockwise; the body's mass centre is above the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct SupportPolygon {
    corners: Vec<DVec2>,
}

/// Three corners that carry what many points carry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TripleSupport {
    /// Indices of the corners.
    pub corners: [usize; 3],
    /// Shares of the whole load, none negative; their sum is 1.
    pub shares: [f64; 3],
}

impl SupportPolygon {
    /// A polygon by its corners; refused are fewer than three, and those without an area or clockwise.
    pub fn new(corners: Vec<DVec2>) -> Result<SupportPolygon, HandlingError> {
        within("the number of corners", corners.len() as f64, (3.0, 1e6), "3 or more")?;
        let polygon = SupportPolygon { corners };
        within("the area of the support", polygon.area(), (f64::MIN_POSITIVE, 1e12), "above 0 m^2")?;
        Ok(polygon)
    }

    /// A regular polygon about the origin.
    pub fn regular(count: usize, radius: f64) -> Result<SupportPolygon, HandlingError> {
        SupportPolygon::new((0..count).map(|i| corner(i, count) * radius).collect())
    }

    /// A star about the origin whose corners are at random distances between 0 and `radius` (Buck 1999, 8.1.1).
    pub fn star(count: usize, radius: f64, seed: u64) -> Result<SupportPolygon, HandlingError> {
        let mut random = Random::new(seed);
        SupportPolygon::new((0..count).map(|i| corner(i, count) * (radius * random.unit())).collect())
    }

    /// The corners.
    pub fn corners(&self) -> &[DVec2] {
        &self.corners
    }

    fn edges(&self) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
        let next = self.corners.iter().cycle().skip(1);
        self.corners.iter().zip(next).map(|(a, b)| (*a, *b))
    }

    /// In m^2.
    pub fn area(&self) -> f64 {
        0.5 * self.edges().map(|(a, b)| a.perp_dot(b)).sum::<f64>()
    }

    /// True if a point is inside.
    pub fn contains(&self, point: DVec2) -> bool {
        let crossings = self.edges().filter(|(a, b)| {
            (a.y > point.y) != (b.y > point.y) && point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x)
        });
        crossings.count() % 2 == 1
    }

    /// Points anywhere in the polygon, all places alike; the same for equal seeds.
    pub fn points(&self, count: usize, seed: u64) -> Vec<DVec2> {
        let (low, high) = self.bounds();
        let mut random = Random::new(seed);
        let mut points = Vec::with_capacity(count);
        while points.len() < count {
            let share = DVec2::new(random.unit(), random.unit());
            let point = low + (high - low) * share;
            if self.contains(point) {
                points.push(point);
            }
        }
        points
    }

    /// Lowest and highest coordinates.
    pub fn bounds(&self) -> (DVec2, DVec2) {
        let all = self.corners.iter();
        all.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)))
    }

    /// Moment of friction of a body that turns about the origin under even pressure, in m: its value over friction times load. In closed form, by the triangles of
    /// the edges and the origin.
    pub fn turning_moment(&self) -> f64 {
        // Of a triangle at the origin with a height h on its far side: the integral of r over it, by angles.
        let integral = |t: f64| t * (1.0 + t * t).sqrt() + libm::asinh(t);
        let sum: f64 = self
            .edges()
            .filter_map(|(a, b)| {
                let along = (b - a).try_normalize()?;
                let height = a.perp_dot(along);
                (height != 0.0).then(|| {
                    let (from, to) = (a.dot(along) / height, b.dot(along) / height);
                    height.abs() * height * height / 6.0 * (integral(to) - integral(from))
                })
            })
            .sum();
        sum / self.area()
    }

    /// Three corners that carry the same load at the same place as any forces on the polygon do: a load at `place`, which is inside of the convex hull. None if
    /// it is not.
    pub fn triple(&self, place: DVec2) -> Option<TripleSupport> {
        let count = self.corners.len();
        let mut best: Option<TripleSupport> = None;
        for i in 0..count {
            for j in i + 1..count {
                for k in j + 1..count {
                    let [a, b, c] = [i, j, k].map(|index| self.corners[index]);
                    let whole = (b - a).perp_dot(c - a);
                    let parts = [(b, c), (c, a), (a, b)].map(|(p, q)| (p - place).perp_dot(q - place));
                    let shares = parts.map(|part| part / whole);
                    // The triple that is farthest from tipping.
                    let least = |shares: &[f64; 3]| shares.iter().copied().fold(f64::INFINITY, f64::min);
                    let better = best.is_none_or(|best| least(&shares) > least(&best.shares));
                    if whole != 0.0 && least(&shares) >= 0.0 && better {
                        best = Some(TripleSupport { corners: [i, j, k], shares });
                    }
                }
            }
        }
        best
    }
}

fn corner(index: usize, count: usize) -> DVec2 {
    let (sine, cosine) = libm::sincos(std::f64::consts::TAU * index as f64 / count as f64);
    DVec2::new(cosine, sine)
}
