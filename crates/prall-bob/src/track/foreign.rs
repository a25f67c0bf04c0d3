//! [`MeshIce`]: a driving surface given as triangles, of whatever origin: a scan, another program, or [`Track::mesh`](super::Track::mesh)
//! with its end stops, walls and barriers.
//!
//! The nearest triangle is found in a tree of boxes. No smoothness is asked for: a sled feels every facet.

use glam::DVec3;
use prall_geometry::{PolygonSoup, closest};
use prall_math::Norm;
use serde::Serialize;

use super::{Ice, Place, TrackError};

/// Triangles in a leaf of the tree.
const LEAF: usize = 4;
/// Farther than this nothing is looked for, in m; also the depth from which on a point behind the mesh is lost. At 50 m/s a point moves
/// 1 cm in a step.
const REACH: f64 = 0.5;
/// Squared distances that differ by less are the same edge, seen from two triangles, in m^2.
const SAME: f64 = 1e-16;

#[derive(Clone, Copy, Debug)]
struct Node {
    low: DVec3,
    high: DVec3,
    /// A leaf has triangles from `begin` to `end`; an inner node has its left child behind it and the right one at `end`, and `begin` is `INNER`.
    begin: u32,
    end: u32,
}

const INNER: u32 = u32::MAX;

/// How a mesh lies on the exact ice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Fit {
    /// Largest distance between them in m, of all places within half a metre of the mesh.
    pub largest: f64,
    /// Station of that place in m.
    pub at: f64,
    /// Mean distance in m.
    pub mean: f64,
    /// Share of the ice that the mesh covers: has a triangle within half a metre.
    pub covered: f64,
}

/// Places a metre along the track, and in every part of a section, in which a mesh is compared with the ice: not in the rhythm of sections half a
/// metre apart, nor of the cuts of a section, or only corners would be compared.
const FIT_PLACES: [u32; 2] = [3, 11];

/// A mesh to slide on.
#[derive(Clone, Debug)]
pub struct MeshIce {
    triangles: Vec<[DVec3; 3]>,
    normals: Vec<DVec3>,
    nodes: Vec<Node>,
}

impl MeshIce {
    /// Of a mesh in m, y up, whose triangles run counterclockwise seen from the driving side. Triangles without area are left out.
    pub fn new(soup: &PolygonSoup) -> Result<MeshIce, TrackError> {
        let mut triangles = Vec::new();
        for face in soup.faces() {
            for k in 1..face.len().saturating_sub(1) {
                triangles
                    .push([face[0], face[k], face[k + 1]].map(|vertex| soup.positions()[vertex as usize]));
            }
        }
        if let Some(i) = triangles.iter().position(|corners| !corners.iter().all(|corner| corner.is_finite()))
        {
            return Err(TrackError::new(format!(
                "triangle {i} of the track's mesh has a corner that is no place"
            )));
        }
        let cross = |[a, b, c]: &[DVec3; 3]| (*b - *a).cross(*c - *a);
        triangles.retain(|corners| cross(corners).norm() > 1e-12);
        if triangles.is_empty() {
            return Err(TrackError::new("the track's mesh has no triangles with an area"));
        }
        let upwards: f64 = triangles.iter().map(|corners| cross(corners).y).sum();
        if !(upwards > 0.0) {
            return Err(TrackError::new(
                "the triangles of the track's mesh face down: they must run counterclockwise seen from the driving side",
            ));
        }
        let mut nodes = Vec::new();
        let count = triangles.len();
        build(&mut triangles, 0, count, &mut nodes);
        let normals = triangles.iter().map(|corners| cross(corners).unit()).collect();
        Ok(MeshIce { triangles, normals, nodes })
    }

    /// How many triangles it has.
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// Compares it with the exact ice of a track. A mesh that the course does not lie on is refused: a sled would fall past it.
    pub fn fit(&self, ice: &Ice) -> Result<Fit, TrackError> {
        let (begin, end) = ice.range();
        let [along, across] = FIT_PLACES;
        let (mut fit, mut found, mut all) = (Fit::default(), 0_u64, 0_u64);
        for row in 0..=((end - begin) * f64::from(along)) as u32 {
            let s = begin + f64::from(row) / f64::from(along);
            if self.nearest(ice.course_point(s)).distance.abs() >= REACH {
                return Err(TrackError::new(format!(
                    "the mesh has no triangle within {REACH} m of the course at s = {s:.0} m: it must be in metres, y up, and lie where the track lies"
                )));
            }
            for column in 0..=7 * across {
                let distance =
                    self.nearest(ice.point(s, f64::from(column) / f64::from(across))).distance.abs();
                all += 1;
                if distance >= REACH {
                    continue;
                }
                found += 1;
                fit.mean += distance;
                if distance > fit.largest {
                    (fit.largest, fit.at) = (distance, s);
                }
            }
        }
        fit.mean /= found.max(1) as f64;
        fit.covered = found as f64 / all as f64;
        Ok(fit)
    }

    /// The nearest place; what is farther than half a metre is not looked for, and is as far as that.
    pub fn nearest(&self, point: DVec3) -> Place {
        let mut best = (REACH * REACH, 0.0_f64, None);
        let mut stack = [0_u32; 64];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let at = stack[height] as usize;
            let node = &self.nodes[at];
            let outside = point - point.clamp(node.low, node.high);
            if outside.length_squared() > best.0 + SAME {
                continue;
            }
            if node.begin == INNER {
                stack[height] = node.end;
                stack[height + 1] = at as u32 + 1;
                height += 2;
                continue;
            }
            for i in node.begin as usize..node.end as usize {
                let away = point - closest::on_triangle(point, self.triangles[i]);
                let squared = away.length_squared();
                // Of two triangles with a common edge the one that the point is more above or below tells the side.
                let above = away.dot(self.normals[i]);
                if squared < best.0 - SAME || (squared <= best.0 + SAME && above.abs() > best.1.abs()) {
                    best = (squared.min(best.0), above, Some(i));
                }
            }
        }
        match best {
            (squared, above, Some(i)) => {
                Place { normal: self.normals[i], distance: squared.sqrt().copysign(above), net: false }
            }
            _ => Place { normal: DVec3::Y, distance: REACH, net: false },
        }
    }
}

/// Halves at the median of the longest side, down to a few triangles.
fn build(triangles: &mut [[DVec3; 3]], begin: usize, end: usize, nodes: &mut Vec<Node>) {
    let own = &mut triangles[begin..end];
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for corner in own.iter().flatten() {
        (low, high) = (low.min(*corner), high.max(*corner));
    }
    let at = nodes.len();
    nodes.push(Node { low, high, begin: begin as u32, end: end as u32 });
    if end - begin <= LEAF {
        return;
    }
    let side = (high - low).to_array();
    let axis = if side[0] >= side[1] && side[0] >= side[2] {
        0
    } else if side[1] >= side[2] {
        1
    } else {
        2
    };
    let middle = (end - begin) / 2;
    let key = |corners: &[DVec3; 3]| corners[0][axis] + corners[1][axis] + corners[2][axis];
    own.select_nth_unstable_by(middle, |p, q| key(p).total_cmp(&key(q)));
    build(triangles, begin, begin + middle, nodes);
    let right = nodes.len() as u32;
    build(triangles, begin + middle, end, nodes);
    (nodes[at].begin, nodes[at].end) = (INNER, right);
}
