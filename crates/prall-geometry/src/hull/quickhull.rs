//! Quickhull (Barber, Dobkin, Huhdanpaa 1996) with exact orientation tests: a triangulated convex hull.
//!
//! Why exact signs make it right without any tolerance. A point is *outside* a face if it lies strictly
//! above the face's plane. The faces strictly visible from a point outside the hull form a disk: moving the
//! point a little towards the inside leaves every strict sign as it is and makes the coplanar faces
//! invisible, so this is the view from general position. A point collinear with a horizon edge would lie in
//! the plane of the visible face next to it, so no new triangle is degenerate. And a point above a removed
//! face `f` that is still outside is above a *new* face: the segment from it to a point of `f` leaves the
//! new hull strictly above the plane of `f`, where the old hull has no points.

use glam::DVec3;

use crate::predicates::side_of_plane;

const NONE: u32 = u32::MAX;

/// A closed surface of triangles, each counter-clockwise seen from outside.
pub(super) struct Triangulation {
    /// Corners as indices into the points given.
    pub(super) corners: Vec<[u32; 3]>,
    /// `neighbours[t][i]` is the triangle across the edge from corner `i` to corner `i + 1`.
    pub(super) neighbours: Vec<[u32; 3]>,
}

#[derive(Clone)]
struct Face {
    corners: [u32; 3],
    neighbours: [u32; 3],
    origin: DVec3,
    /// `(b - a) x (c - a)`, not normalised.
    normal: DVec3,
    /// `normal . (p - origin)` has a sure sign if it is larger than this in size.
    doubt: f64,
    /// First point of the list of points outside this face.
    outside: u32,
    farthest: u32,
    farthest_height: f64,
    /// The insertion in which this face was last seen from the new point; `REMOVED` for dead faces.
    seen: u32,
}

const REMOVED: u32 = u32::MAX;

struct Builder<'a> {
    points: &'a [DVec3],
    size: f64,
    faces: Vec<Face>,
    free: Vec<u32>,
    /// Lists of outside points, linked by index.
    next_outside: Vec<u32>,
    /// For a vertex on the horizon: the new face whose horizon edge starts there.
    face_from: Vec<u32>,
    pending: Vec<u32>,
    insertion: u32,
}

/// The hull of `points`, given a tetrahedron of four of them that is not flat.
pub(super) fn triangulate(points: &[DVec3], tetrahedron: [u32; 4], size: f64) -> Triangulation {
    let mut builder = Builder {
        points,
        size,
        faces: Vec::new(),
        free: Vec::new(),
        next_outside: vec![NONE; points.len()],
        face_from: vec![NONE; points.len()],
        pending: Vec::new(),
        insertion: 0,
    };
    builder.start(tetrahedron);
    let mut visible = Vec::new();
    let mut horizon = Vec::new();
    while let Some(face) = builder.pending.pop() {
        if builder.faces[face as usize].seen != REMOVED && builder.faces[face as usize].outside != NONE {
            builder.insert_farthest(face, &mut visible, &mut horizon);
        }
    }
    builder.finish()
}

impl Builder<'_> {
    fn start(&mut self, [a, b, c, d]: [u32; 4]) {
        let at = |i: u32| self.points[i as usize];
        let (b, c) = if side_of_plane(at(a), at(b), at(c), at(d)) > 0.0 { (c, b) } else { (b, c) };
        // Now d is below (a, b, c).
        let first = [[a, b, c], [b, a, d], [c, b, d], [a, c, d]];
        let neighbours = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
        for (corners, neighbours) in first.into_iter().zip(neighbours) {
            self.add_face(corners, neighbours);
        }
        let faces = [0, 1, 2, 3];
        for point in 0..self.points.len() as u32 {
            self.assign(point, &faces);
        }
        self.pending.extend(faces);
    }

    fn add_face(&mut self, corners: [u32; 3], neighbours: [u32; 3]) -> u32 {
        let [a, b, c] = corners.map(|v| self.points[v as usize]);
        let (u, v) = (b - a, c - a);
        let face = Face {
            corners,
            neighbours,
            origin: a,
            normal: u.cross(v),
            // Shewchuk's bound for the plain determinant is 7.1 * 2^-53 times its permanent, and the
            // permanent is at most 6 |u| |v| |p - a| in the maximum norm: 43 * 2^-53, rounded up to 64.
            doubt: 32.0 * f64::EPSILON * u.abs().max_element() * v.abs().max_element() * self.size,
            outside: NONE,
            farthest: NONE,
            farthest_height: 0.0,
            seen: 0,
        };
        match self.free.pop() {
            Some(slot) => {
                self.faces[slot as usize] = face;
                slot
            }
            None => {
                self.faces.push(face);
                self.faces.len() as u32 - 1
            }
        }
    }

    /// Positive exactly if the point is strictly above the face; within one face proportional to the height.
    fn height(&self, face: u32, point: u32) -> f64 {
        let face = &self.faces[face as usize];
        let p = self.points[point as usize];
        let height = face.normal.dot(p - face.origin);
        if height.abs() > face.doubt {
            return height;
        }
        let [a, b, c] = face.corners.map(|v| self.points[v as usize]);
        side_of_plane(a, b, c, p)
    }

    /// Hands a point to the first of the faces that it is above; a point above none is inside for good.
    fn assign(&mut self, point: u32, faces: &[u32]) {
        for &face in faces {
            let height = self.height(face, point);
            if height > 0.0 {
                let face = &mut self.faces[face as usize];
                self.next_outside[point as usize] = face.outside;
                face.outside = point;
                if height > face.farthest_height || face.farthest == NONE {
                    face.farthest_height = height;
                    face.farthest = point;
                }
                return;
            }
        }
    }

    fn insert_farthest(&mut self, face: u32, visible: &mut Vec<u32>, horizon: &mut Vec<u32>) {
        let apex = self.faces[face as usize].farthest;
        self.insertion += 1;
        self.collect_visible(face, apex, visible);
        self.build_cone(apex, visible, horizon);

        for &old in visible.iter() {
            self.faces[old as usize].seen = REMOVED;
            let mut point = self.faces[old as usize].outside;
            while point != NONE {
                let next = self.next_outside[point as usize];
                if point != apex {
                    self.assign(point, horizon);
                }
                point = next;
            }
        }
        self.free.extend_from_slice(visible);
        self.pending.extend_from_slice(horizon);
    }

    fn collect_visible(&mut self, start: u32, apex: u32, visible: &mut Vec<u32>) {
        visible.clear();
        visible.push(start);
        self.faces[start as usize].seen = self.insertion;
        let mut done = 0;
        while done < visible.len() {
            for neighbour in self.faces[visible[done] as usize].neighbours {
                if self.faces[neighbour as usize].seen != self.insertion && self.height(neighbour, apex) > 0.0
                {
                    self.faces[neighbour as usize].seen = self.insertion;
                    visible.push(neighbour);
                }
            }
            done += 1;
        }
    }

    /// Adds a triangle from every edge between visible and invisible to the apex; `horizon` lists them.
    fn build_cone(&mut self, apex: u32, visible: &[u32], horizon: &mut Vec<u32>) {
        horizon.clear();
        for &inner in visible {
            for edge in 0..3 {
                let Face { corners, neighbours, .. } = self.faces[inner as usize];
                let outer = neighbours[edge];
                if self.faces[outer as usize].seen == self.insertion {
                    continue;
                }
                let (from, to) = (corners[edge], corners[(edge + 1) % 3]);
                let new = self.add_face([from, to, apex], [outer, NONE, NONE]);
                self.face_from[from as usize] = new;
                horizon.push(new);
                // The edge runs the other way in its neighbour, so `to` is one of its corners.
                let back = self.faces[outer as usize].corners.iter().position(|&v| v == to).unwrap_or(0);
                self.faces[outer as usize].neighbours[back] = new;
            }
        }
        for &new in horizon.iter() {
            let [_, to, _] = self.faces[new as usize].corners;
            let next = self.face_from[to as usize];
            self.faces[new as usize].neighbours[1] = next;
            self.faces[next as usize].neighbours[2] = new;
        }
    }

    fn finish(self) -> Triangulation {
        let mut index = vec![NONE; self.faces.len()];
        let mut count = 0;
        for (face, slot) in self.faces.iter().zip(&mut index) {
            if face.seen != REMOVED {
                *slot = count;
                count += 1;
            }
        }
        let alive = || self.faces.iter().filter(|f| f.seen != REMOVED);
        Triangulation {
            corners: alive().map(|f| f.corners).collect(),
            neighbours: alive().map(|f| f.neighbours.map(|n| index[n as usize])).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(b - a) x (c - a) . (p - a)` in integers.
    fn exact_side(corners: [[i128; 3]; 3], p: [i128; 3]) -> i128 {
        let [a, b, c] = corners;
        let minus = |p: [i128; 3]| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
        let (u, v, w) = (minus(b), minus(c), minus(p));
        (u[1] * v[2] - u[2] * v[1]) * w[0]
            + (u[2] * v[0] - u[0] * v[2]) * w[1]
            + (u[0] * v[1] - u[1] * v[0]) * w[2]
    }

    /// Whole coordinates up to 2^40 on a nearly flat dome: far too close to call for 53 bits.
    fn dome(seed: i128, count: i128) -> Vec<[i128; 3]> {
        let scramble = |i: i128| (i * 6_364_136_223_846_793_005 + seed * 1_442_695_040_888_963_407) >> 20;
        let coordinate = |i: i128| scramble(i).rem_euclid(1 << 40) - (1 << 39);
        let mut points: Vec<[i128; 3]> = (0..count)
            .map(|i| {
                let (x, z) = (coordinate(2 * i), coordinate(2 * i + 1));
                // Height 2^20 over a width of 2^40, cut down to whole numbers.
                [x, (1 << 20) - ((x * x + z * z) >> 58), z]
            })
            .collect();
        points.push([0, -5, 0]);
        points
    }

    #[test]
    fn every_point_is_on_or_below_every_triangle_exactly() {
        for seed in 1..40 {
            let whole = dome(seed, 60);
            let points: Vec<DVec3> = whole.iter().map(|p| DVec3::from_array(p.map(|x| x as f64))).collect();
            let spans = |t: [usize; 4]| exact_side([whole[t[0]], whole[t[1]], whole[t[2]]], whole[t[3]]) != 0;
            let tetrahedron = (3..61).map(|i| [0, 1, 2, i]).find(|&t| spans(t)).unwrap();
            let hull = triangulate(&points, tetrahedron.map(|i| i as u32), (1_u64 << 41) as f64);
            for (t, corners) in hull.corners.iter().enumerate() {
                let at = corners.map(|c| whole[c as usize]);
                assert!(whole.iter().all(|&p| exact_side(at, p) <= 0));
                for edge in 0..3 {
                    let other = hull.neighbours[t][edge] as usize;
                    let back =
                        hull.corners[other].iter().position(|&c| c == corners[(edge + 1) % 3]).unwrap();
                    assert_eq!(hull.corners[other][(back + 1) % 3], corners[edge]);
                    assert_eq!(hull.neighbours[other][back] as usize, t);
                }
            }
            // Closed and in one piece: F = 2 V - 4.
            let mut used: Vec<u32> = hull.corners.iter().flatten().copied().collect();
            used.sort_unstable();
            used.dedup();
            assert_eq!(hull.corners.len(), 2 * used.len() - 4);
        }
    }
}
