//! [`MeshIce`]: a driving surface given as triangles, of whatever origin: a scan, another program, or [`Track::mesh`](super::Track::mesh)
//! with its end stops, walls and barriers.
//!
//! The nearest triangle is found in a tree of boxes. No smoothness is asked for: a sled feels every facet.
//!
//! **Promise.** Where a mesh has no triangle within half a metre, the exact ice of its course carries and holds ([`MeshOnIce`]): whoever falls
//! through a hole, or over an edge, is caught by the ice and its net, as on the ice itself.

#[cfg(test)]
mod tests;

use glam::DVec3;
use prall_geometry::{PolygonSoup, closest};
use prall_math::Norm;
use prall_multibody::meet_triangle;
use serde::Serialize;

use super::{Foot, Ground, Ice, Place, TrackError};

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
    /// Share of the ice that the mesh covers: has a triangle within half a metre. The rest is driven on the exact ice.
    pub covered: f64,
    /// Station in m of the first place that it does not cover.
    pub hole: Option<f64>,
}

/// A mesh whose mean distance from the ice is more, in m, is that of another track, or moved: stations and the pilot's plan would be wrong. Scans of
/// ice are good to some centimetres.
const MOST_MEAN: f64 = 0.1;

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

    /// Compares it with the exact ice of a track. Refused is a mesh that the course does not lie on, that lies beside the ice in the mean, or
    /// that faces away from the driver anywhere between the lips: a sled would fall past it or be pulled through it.
    pub fn fit(&self, ice: &Ice) -> Result<Fit, TrackError> {
        let (begin, end) = ice.range();
        let [along, across] = FIT_PLACES;
        let (mut fit, mut found, mut all) = (Fit::default(), 0_u64, 0_u64);
        let mut away = None;
        for row in 0..=((end - begin) * f64::from(along)) as u32 {
            let s = begin + f64::from(row) / f64::from(along);
            if self.find(ice.course_point(s)).is_none() {
                return Err(TrackError::new(format!(
                    "the mesh has no triangle within {REACH} m of the course at s = {s:.0} m: it must be in metres, y up, and lie where the track lies"
                )));
            }
            let mut foot = Foot::near(s);
            for column in 0..=7 * across {
                let on = ice.point(s, f64::from(column) / f64::from(across));
                all += 1;
                let Some((place, _)) = self.find(on) else {
                    fit.hole.get_or_insert(s);
                    continue;
                };
                let distance = place.distance.abs();
                let between_lips = (across..=6 * across).contains(&column);
                if between_lips && place.normal.dot(ice.nearest(on, &mut foot).normal) < 0.0 {
                    away.get_or_insert(s);
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
        if fit.mean > MOST_MEAN {
            return Err(TrackError::new(format!(
                "the mesh lies {:.2} m from the ice in the mean, {:.2} m at s = {:.0} m; at most {MOST_MEAN} m in the mean is the same track: is it moved, mirrored or too coarse?",
                fit.mean, fit.largest, fit.at
            )));
        }
        if let Some(s) = away {
            return Err(TrackError::new(format!(
                "triangles of the mesh face away from the driver at s = {s:.0} m: they must run counterclockwise seen from the driving side"
            )));
        }
        Ok(fit)
    }

    /// The nearest place; what is farther than half a metre is not looked for, and is as far as that.
    pub fn nearest(&self, point: DVec3) -> Place {
        self.find(point)
            .map_or(Place { normal: DVec3::Y, distance: REACH, ground: Ground::Ice }, |found| found.0)
    }

    /// The nearest place, if one is within half a metre, and how far the point is beside it, along the triangle: beyond its edge.
    fn find(&self, point: DVec3) -> Option<(Place, f64)> {
        let mut best = (REACH * REACH, 0.0_f64, None);
        let is_near = |best: &(f64, f64, Option<usize>), node: &Node| {
            let outside = point - point.clamp(node.low, node.high);
            outside.length_squared() <= best.0 + SAME
        };
        self.walk(&mut best, is_near, |best, i| {
            let away = point - closest::on_triangle(point, self.triangles[i]);
            let squared = away.length_squared();
            // Of two triangles with a common edge the one that the point is more above or below tells the side.
            let above = away.dot(self.normals[i]);
            if squared < best.0 - SAME || (squared <= best.0 + SAME && above.abs() > best.1.abs()) {
                *best = (squared.min(best.0), above, Some(i));
            }
        });
        let (squared, above, Some(i)) = best else { return None };
        // Behind the mesh it is the depth along the normal: beside the rim of a hole it begins with zero, where the way to the rim would jump.
        let distance = if above < 0.0 { above } else { squared.sqrt() };
        let beside = (squared - above * above).max(0.0).sqrt();
        Some((Place { normal: self.normals[i], distance, ground: Ground::Ice }, beside))
    }
}

impl MeshIce {
    /// Visits the triangles of every leaf whose boxes are wanted, all the way down, for what was found so far.
    fn walk<S>(
        &self,
        found: &mut S,
        wanted: impl Fn(&S, &Node) -> bool,
        mut visit: impl FnMut(&mut S, usize),
    ) {
        let mut stack = [0_u32; 64];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let at = stack[height] as usize;
            let node = &self.nodes[at];
            if !wanted(found, node) {
                continue;
            }
            if node.begin == INNER {
                stack[height] = node.end;
                stack[height + 1] = at as u32 + 1;
                height += 2;
                continue;
            }
            for i in node.begin as usize..node.end as usize {
                visit(found, i);
            }
        }
    }

    /// Where a way of `length` m along a unit direction first meets a triangle: the distance, and the triangle's normal towards where the way
    /// comes from.
    fn first_on_way(&self, origin: DVec3, direction: DVec3, length: f64) -> Option<(f64, DVec3)> {
        let mut best: Option<(f64, DVec3)> = None;
        let end = origin + direction * length;
        let (low, high) = (origin.min(end), origin.max(end));
        // A segment is a few decimetres long, as triangles are: boxes against boxes find few that it misses.
        let is_near = |_: &Option<(f64, DVec3)>, node: &Node| {
            !(node.high.cmplt(low).any() || node.low.cmpgt(high).any())
        };
        self.walk(&mut best, is_near, |best, i| {
            let nearest = best.map_or(length, |(distance, _)| distance);
            if let Some(hit) = meet_triangle(&self.triangles[i], origin, direction)
                && hit.0 <= nearest
            {
                *best = Some(hit);
            }
        });
        best.map(|(distance, normal)| (distance, if normal.dot(direction) > 0.0 { -normal } else { normal }))
    }
}

/// A mesh that is met by segments, as the source did (Rempfler 2015, 2.1.4): a tip touches where the segment from inside its body to the tip goes
/// through a triangle, whose normal is the contact's. Beyond the mesh there is nothing.
#[derive(Clone, Copy, Debug)]
pub struct SegmentedMesh<'m>(pub &'m MeshIce);

impl SegmentedMesh<'_> {
    /// The place that a tip meets. Where its segment meets nothing, the distance is the least number above zero: open, and looked at again.
    pub fn met_by(&self, tip: DVec3, inward: DVec3) -> Place {
        let length = inward.norm();
        let open = Place { normal: DVec3::Y, distance: f64::MIN_POSITIVE, ground: Ground::Ice };
        let outward = -inward / length;
        let Some((distance, normal)) = self.0.first_on_way(tip + inward, outward, length) else {
            return open;
        };
        let depth = normal.dot(outward * (length - distance));
        Place { normal, distance: depth.min(0.0), ground: Ground::Ice }
    }
}

/// A mesh to slide on, with the exact ice where it has nothing.
#[derive(Clone, Copy, Debug)]
pub struct MeshOnIce<'m> {
    /// The mesh.
    pub mesh: &'m MeshIce,
    /// The ice of its course.
    pub ice: &'m Ice,
    /// About where on the course the sled is, in m.
    pub station: f64,
}

/// A foot that was left this far behind while the mesh carried is set anew, in m.
const LEFT_BEHIND: f64 = 4.0;
/// Farther beside the nearest triangle than this, in m, the mesh has ended or has a hole. Within a mesh a tip that lies a few millimetres behind an
/// edge is beside both triangles by a tenth of that.
const RIM: f64 = 0.03;

impl MeshOnIce<'_> {
    /// The nearest place: that of the mesh, and beyond its rims that of the ice, unless the rim itself is nearer and before the point.
    pub fn nearest(&self, point: DVec3, foot: &mut Foot) -> Place {
        let found = self.mesh.find(point);
        if let Some((place, beside)) = found
            && beside <= RIM
        {
            return place;
        }
        if (foot.s - self.station).abs() > LEFT_BEHIND {
            *foot = Foot::near(self.station);
        }
        let on_ice = self.ice.nearest(point, foot);
        match found {
            Some((rim, _)) if (0.0..on_ice.distance).contains(&rim.distance) => rim,
            _ => on_ice,
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
