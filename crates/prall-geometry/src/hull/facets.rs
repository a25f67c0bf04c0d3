//! Joins the triangles of a hull that lie in one plane, within a tolerance, into polygons.
//!
//! The rule. Seeds are taken by falling area. A seed's polygon grows over its edges to every free triangle
//! that faces the same way and whose corners all lie within the tolerance of the *seed's* plane, so errors
//! do not add up over long walks. If what has grown is not a disk, the seed stays a triangle. Then corners
//! at which only two polygons meet are dropped where they lie within the tolerance of the edge that replaces
//! them (measured against the final edge, as Douglas and Peucker do, so again nothing adds up).
//!
//! So a vertex that is dropped lies within three tolerances of the polygons that are left: one from the
//! plane, one for the corners of that plane, one for a straightened edge.

use glam::DVec3;

use super::quickhull::Triangulation;

const NONE: u32 = u32::MAX;

/// Lists of corners, one polygon after the other.
#[derive(Clone, Default)]
pub(super) struct Loops {
    pub(super) corners: Vec<u32>,
    /// Polygon `i` has the corners `starts[i]..starts[i + 1]`.
    pub(super) starts: Vec<u32>,
}

impl Loops {
    fn new() -> Loops {
        Loops { corners: Vec::new(), starts: vec![0] }
    }

    fn push(&mut self, corners: impl IntoIterator<Item = u32>) {
        self.corners.extend(corners);
        self.starts.push(self.corners.len() as u32);
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.starts.windows(2).map(|w| &self.corners[w[0] as usize..w[1] as usize])
    }
}

/// Polygons over the points of a triangulation, counter-clockwise seen from outside.
pub(super) struct Facets {
    pub(super) loops: Loops,
    /// Twice the vector area of each polygon: the sum over its triangles.
    pub(super) normals: Vec<DVec3>,
}

/// Joins coplanar triangles; see the head of this file.
pub(super) fn join(points: &[DVec3], hull: &Triangulation, tolerance: f64) -> Facets {
    let triangles = Triangles {
        points,
        hull,
        normals: hull.corners.iter().map(|c| doubled_area(points, *c)).collect(),
        tolerance,
    };
    let mut facets = triangles.grow_regions();
    if facets.normals.len() < hull.corners.len() {
        let straight = straighten(points, &facets.loops, tolerance);
        // Straightening a hull that is hardly thicker than the tolerance can glue two edges into one.
        if edges_are_unique(&straight) {
            facets.loops = straight;
        }
    }
    facets
}

fn doubled_area(points: &[DVec3], corners: [u32; 3]) -> DVec3 {
    let [a, b, c] = corners.map(|v| points[v as usize]);
    (b - a).cross(c - a)
}

struct Triangles<'a> {
    points: &'a [DVec3],
    hull: &'a Triangulation,
    /// Twice the vector area of each triangle.
    normals: Vec<DVec3>,
    tolerance: f64,
}

impl Triangles<'_> {
    fn grow_regions(&self) -> Facets {
        let count = self.hull.corners.len();
        let mut facets = Facets { loops: Loops::new(), normals: Vec::new() };
        let mut region_of = vec![NONE; count];
        let mut next_corner = vec![NONE; self.points.len()];
        let (mut region, mut corners) = (Vec::new(), Vec::new());
        for seed in self.seeds() {
            if region_of[seed as usize] != NONE {
                continue;
            }
            let id = facets.normals.len() as u32;
            self.flood(seed, id, &mut region_of, &mut region);
            if !self.outline(&region, &region_of, id, &mut next_corner, &mut corners) {
                region[1..].iter().for_each(|&t| region_of[t as usize] = NONE);
                region.truncate(1);
                corners.clear();
                corners.extend(self.hull.corners[seed as usize]);
            }
            facets.normals.push(region.iter().map(|&t| self.normals[t as usize]).sum());
            facets.loops.push(corners.iter().copied());
        }
        for (triangle, corners) in self.hull.corners.iter().enumerate() {
            if region_of[triangle] == NONE {
                facets.normals.push(self.normals[triangle]);
                facets.loops.push(*corners);
            }
        }
        facets
    }

    /// The triangles that can grow at all, the largest first.
    fn seeds(&self) -> Vec<u32> {
        let can_grow = |t: &u32| {
            let plane = self.plane(*t);
            self.hull.neighbours[*t as usize].into_iter().any(|n| self.belongs(n, plane))
        };
        let keyed = |t: u32| (self.normals[t as usize].length_squared(), t);
        let mut order: Vec<(f64, u32)> =
            (0..self.hull.corners.len() as u32).filter(can_grow).map(keyed).collect();
        order.sort_unstable_by(|s, t| t.0.total_cmp(&s.0).then(s.1.cmp(&t.1)));
        order.into_iter().map(|(_, t)| t).collect()
    }

    /// Unit normal and a point of the plane of a triangle.
    fn plane(&self, triangle: u32) -> (DVec3, DVec3) {
        let corner = self.hull.corners[triangle as usize][0];
        (self.normals[triangle as usize].normalize_or_zero(), self.points[corner as usize])
    }

    /// True if a triangle is in the plane, within the tolerance, and faces the same way.
    fn belongs(&self, triangle: u32, (normal, origin): (DVec3, DVec3)) -> bool {
        let corners = self.hull.corners[triangle as usize];
        let near = |v: u32| normal.dot(self.points[v as usize] - origin).abs() <= self.tolerance;
        let same_way = || {
            self.normals[triangle as usize].dot(normal) > 0.0
                || is_sliver(self.points, corners, self.tolerance)
        };
        corners.into_iter().all(near) && same_way()
    }

    fn flood(&self, seed: u32, id: u32, region_of: &mut [u32], region: &mut Vec<u32>) {
        let plane = self.plane(seed);
        region_of[seed as usize] = id;
        region.clear();
        region.push(seed);
        let mut done = 0;
        while done < region.len() {
            for neighbour in self.hull.neighbours[region[done] as usize] {
                if region_of[neighbour as usize] == NONE && self.belongs(neighbour, plane) {
                    region_of[neighbour as usize] = id;
                    region.push(neighbour);
                }
            }
            done += 1;
        }
    }

    /// Finds the corners around a set of triangles; false if its border is not one simple loop.
    fn outline(
        &self,
        region: &[u32],
        region_of: &[u32],
        id: u32,
        next_corner: &mut [u32],
        corners: &mut Vec<u32>,
    ) -> bool {
        corners.clear();
        let mut starts = Vec::new();
        let mut simple = true;
        for &t in region {
            for edge in 0..3 {
                if region_of[self.hull.neighbours[t as usize][edge] as usize] != id {
                    let ends = self.hull.corners[t as usize];
                    let from = ends[edge];
                    simple &= next_corner[from as usize] == NONE;
                    next_corner[from as usize] = ends[(edge + 1) % 3];
                    starts.push(from);
                }
            }
        }
        if let (Some(&first), true) = (starts.first(), simple) {
            let mut corner = first;
            loop {
                corners.push(corner);
                corner = next_corner[corner as usize];
                if corner == first || corners.len() > starts.len() {
                    break;
                }
            }
        }
        starts.iter().for_each(|&from| next_corner[from as usize] = NONE);
        simple && corners.len() == starts.len()
    }
}

/// True if the triangle is lower than the tolerance, so that its normal may be noise.
fn is_sliver(points: &[DVec3], corners: [u32; 3], tolerance: f64) -> bool {
    let [a, b, c] = corners.map(|v| points[v as usize]);
    let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    (b - a).cross(c - a).length_squared() <= tolerance * tolerance * longest
}

/// The loops without the corners that only bend an edge between two polygons by less than the tolerance.
fn straighten(points: &[DVec3], loops: &Loops, tolerance: f64) -> Loops {
    let mut meeting = vec![0_u32; points.len()];
    loops.corners.iter().for_each(|&corner| meeting[corner as usize] += 1);
    let mut keep: Vec<bool> = meeting.iter().map(|&m| m != 2).collect();
    let mut chain = Vec::new();
    for corners in loops.iter() {
        let Some(start) = corners.iter().position(|&c| meeting[c as usize] > 2) else {
            corners.iter().for_each(|&c| keep[c as usize] = true);
            continue;
        };
        chain.clear();
        for step in 0..=corners.len() {
            let corner = corners[(start + step) % corners.len()];
            chain.push(corner);
            if meeting[corner as usize] > 2 {
                keep_bends(points, &chain, tolerance, &mut keep);
                chain.clear();
                chain.push(corner);
            }
        }
    }
    for corners in loops.iter() {
        if corners.iter().filter(|&&c| keep[c as usize]).count() < 3 {
            corners.iter().for_each(|&c| keep[c as usize] = true);
        }
    }
    let mut straight = Loops::new();
    for corners in loops.iter() {
        straight.push(corners.iter().copied().filter(|&c| keep[c as usize]));
    }
    straight
}

/// Douglas and Peucker: keeps the inner corner farthest from the chord if that is beyond the tolerance.
fn keep_bends(points: &[DVec3], chain: &[u32], tolerance: f64, keep: &mut [bool]) {
    let [first, .., last] = chain else { return };
    let (a, b) = (points[*first as usize], points[*last as usize]);
    let off_chord =
        |c: u32| crate::closest::on_segment(points[c as usize], a, b).distance(points[c as usize]);
    let inner = 1..chain.len() - 1;
    let Some(bend) = inner.max_by(|&i, &j| off_chord(chain[i]).total_cmp(&off_chord(chain[j]))) else {
        return;
    };
    if off_chord(chain[bend]) > tolerance {
        keep[chain[bend] as usize] = true;
        keep_bends(points, &chain[..=bend], tolerance, keep);
        keep_bends(points, &chain[bend..], tolerance, keep);
    }
}

/// True if every directed edge occurs once and so does its opposite.
fn edges_are_unique(loops: &Loops) -> bool {
    let ends = |l: &'_ [u32]| -> Vec<(u32, u32)> {
        l.iter().zip(l.iter().cycle().skip(1)).map(|(&from, &to)| (from, to)).collect()
    };
    let mut edges: Vec<(u32, u32)> = loops.iter().flat_map(ends).collect();
    edges.sort_unstable();
    edges.windows(2).all(|pair| pair[0] != pair[1])
        && edges.iter().all(|&(from, to)| edges.binary_search(&(to, from)).is_ok())
}
