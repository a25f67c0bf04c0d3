//! The point of a simplex closest to the origin.

use glam::DVec3;
use prall_math::Norm;

/// A support point of the Minkowski difference `A - B`, with the points of the bodies that make it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Difference {
    /// `on_a - on_b`.
    pub(crate) point: DVec3,
    pub(crate) on_a: DVec3,
    pub(crate) on_b: DVec3,
    pub(crate) numbers: (u32, u32),
}

/// One to four support points with the weights of the point closest to the origin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Simplex {
    points: [Difference; 4],
    weights: [f64; 4],
    count: usize,
}

/// A triangle whose doubled area is below this part of the product of two edges (no unit) has no inside to speak of.
const NEEDLE: f64 = 1e-12;

/// A tetrahedron lower than this part of its base (no unit) has no inside either: on which side the origin is would be
/// rounding.
const FLAT: f64 = 1e-11;

impl Simplex {
    pub(crate) fn of(point: Difference) -> Simplex {
        let mut simplex = Simplex { count: 1, ..Simplex::default() };
        (simplex.points[0], simplex.weights[0]) = (point, 1.0);
        simplex
    }

    pub(crate) fn points(&self) -> &[Difference] {
        &self.points[..self.count]
    }

    pub(crate) fn holds(&self, point: &Difference) -> bool {
        self.points().iter().any(|p| p.point == point.point)
    }

    /// The closest point itself, and the points of the bodies that make it.
    pub(crate) fn closest(&self) -> Difference {
        let mix = |part: fn(&Difference) -> DVec3| {
            self.points().iter().zip(self.weights).map(|(p, w)| part(p) * w).sum::<DVec3>()
        };
        Difference {
            point: mix(|p| p.point),
            on_a: mix(|p| p.on_a),
            on_b: mix(|p| p.on_b),
            numbers: self.points[0].numbers,
        }
    }

    /// Adds a point and keeps only the corners that the closest point needs. True if the origin is inside.
    ///
    /// `count` is at most 3 before: a simplex with four needed corners contains the origin, and the search is over.
    pub(crate) fn add(&mut self, point: Difference) -> bool {
        self.points[self.count.min(3)] = point;
        self.count = (self.count + 1).min(4);
        match self.count {
            2 => self.keep(&[0, 1], self.on_edge([0, 1])),
            3 => {
                let weights = self.on_face([0, 1, 2]);
                self.keep(&[0, 1, 2], weights);
            }
            _ => return self.reduce_tetrahedron(),
        }
        false
    }

    fn reduce_tetrahedron(&mut self) -> bool {
        const FACES: [([usize; 3], usize); 4] =
            [([0, 1, 2], 3), ([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)];
        let mut best: Option<([usize; 3], [f64; 4], f64)> = None;
        for (corners, opposite) in FACES {
            let [a, b, c] = corners.map(|i| self.points[i].point);
            let normal = (b - a).cross(c - a);
            let (origin, apex) = (-normal.dot(a), normal.dot(self.points[opposite].point - a));
            let size = (b - a).abs().max((c - a).abs()).max_element();
            let solid = apex.abs() > FLAT * normal.norm() * size;
            if solid && origin * apex > 0.0 {
                continue;
            }
            let weights = self.on_face(corners);
            let point: DVec3 = corners.iter().zip(weights).map(|(&i, w)| self.points[i].point * w).sum();
            let squared = point.length_squared();
            if best.is_none_or(|(_, _, least)| squared < least) {
                best = Some((corners, weights, squared));
            }
        }
        match best {
            Some((corners, weights, _)) => {
                self.keep(&corners, weights);
                false
            }
            None => {
                self.weights = [0.25; 4];
                true
            }
        }
    }

    /// Drops all corners but those of `corners` that have weight.
    fn keep(&mut self, corners: &[usize], weights: [f64; 4]) {
        let old = self.points;
        self.count = 0;
        for (&corner, weight) in corners.iter().zip(weights) {
            if weight > 0.0 {
                self.points[self.count] = old[corner];
                self.weights[self.count] = weight;
                self.count += 1;
            }
        }
    }

    fn on_edge(&self, corners: [usize; 2]) -> [f64; 4] {
        let [a, b] = corners.map(|i| self.points[i].point);
        let edge = b - a;
        let (along, length_squared) = (-a.dot(edge), edge.length_squared());
        if along <= 0.0 || length_squared == 0.0 {
            [1.0, 0.0, 0.0, 0.0]
        } else if along >= length_squared {
            [0.0, 1.0, 0.0, 0.0]
        } else {
            let share = along / length_squared;
            [1.0 - share, share, 0.0, 0.0]
        }
    }

    /// Weights of the corners for the point of the triangle closest to the origin.
    fn on_face(&self, corners: [usize; 3]) -> [f64; 4] {
        let [a, b, c] = corners.map(|i| self.points[i].point);
        let (ab, ac) = (b - a, c - a);
        let normal = ab.cross(ac);
        let area_squared = normal.length_squared();
        if area_squared > NEEDLE * NEEDLE * ab.length_squared() * ac.length_squared() {
            // Areas of the three parts around the foot of the origin, with respect to the whole.
            let over = |p: DVec3, q: DVec3| normal.dot(p.cross(q));
            let areas = [over(b, c), over(c, a), over(a, b)];
            if areas.iter().all(|&area| area > 0.0) {
                let sum: f64 = areas.iter().sum();
                return [areas[0] / sum, areas[1] / sum, areas[2] / sum, 0.0];
            }
        }
        let edges = [[0, 1], [1, 2], [0, 2]].map(|[i, j]| {
            let on_edge = self.on_edge([corners[i], corners[j]]);
            let mut weights = [0.0; 4];
            (weights[i], weights[j]) = (on_edge[0], on_edge[1]);
            let point =
                self.points[corners[i]].point * on_edge[0] + self.points[corners[j]].point * on_edge[1];
            (point.length_squared(), weights)
        });
        let [first, second, third] = edges;
        let closer = |s: (f64, [f64; 4]), t: (f64, [f64; 4])| if t.0 < s.0 { t } else { s };
        closer(closer(first, second), third).1
    }
}
