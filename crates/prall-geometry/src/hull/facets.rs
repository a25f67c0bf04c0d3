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

/// Polygons over the points of a triangulation, counter-clockwise seen from outside.
pub(super) struct Facets {
    pub(super) loops: Vec<Vec<u32>>,
    /// Twice the vector area of each polygon: the sum over its triangles.
    pub(super) normals: Vec<DVec3>,
}

struct Region {
    triangles: Vec<u32>,
    corners: Vec<u32>,
}

/// Joins coplanar triangles; see the head of this file.
pub(super) fn join(points: &[DVec3], hull: &Triangulation, tolerance: f64) -> Facets {
    let normals: Vec<DVec3> = hull.corners.iter().map(|c| doubled_area(points, *c)).collect();
    let regions = grow_regions(points, hull, &normals, tolerance);
    let summed = regions.iter().map(|r| r.triangles.iter().map(|&t| normals[t as usize]).sum()).collect();
    let straight = straighten(points, hull, &regions, tolerance);
    let full = || regions.iter().map(|r| r.corners.clone()).collect();
    // Straightening a hull that is hardly thicker than the tolerance can glue two edges into one.
    let loops = if edges_are_unique(&straight) { straight } else { full() };
    Facets { loops, normals: summed }
}

fn doubled_area(points: &[DVec3], corners: [u32; 3]) -> DVec3 {
    let [a, b, c] = corners.map(|v| points[v as usize]);
    (b - a).cross(c - a)
}

fn grow_regions(points: &[DVec3], hull: &Triangulation, normals: &[DVec3], tolerance: f64) -> Vec<Region> {
    let count = hull.corners.len();
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by(|&s, &t| {
        let area = |i: u32| normals[i as usize].length_squared();
        area(t).total_cmp(&area(s)).then(s.cmp(&t))
    });
    let mut region_of = vec![NONE; count];
    let mut next_corner = vec![NONE; points.len()];
    let mut regions = Vec::new();
    for seed in order {
        if region_of[seed as usize] != NONE {
            continue;
        }
        let id = regions.len() as u32;
        let triangles = flood(points, hull, normals, tolerance, seed, id, &mut region_of);
        let region = match outline(hull, &triangles, &region_of, id, &mut next_corner) {
            Some(corners) => Region { triangles, corners },
            None => {
                for &t in &triangles[1..] {
                    region_of[t as usize] = NONE;
                }
                Region { triangles: vec![seed], corners: hull.corners[seed as usize].to_vec() }
            }
        };
        regions.push(region);
    }
    regions
}

fn flood(
    points: &[DVec3],
    hull: &Triangulation,
    normals: &[DVec3],
    tolerance: f64,
    seed: u32,
    id: u32,
    region_of: &mut [u32],
) -> Vec<u32> {
    let normal = normals[seed as usize].normalize_or_zero();
    let origin = points[hull.corners[seed as usize][0] as usize];
    let near = |v: u32| normal.dot(points[v as usize] - origin).abs() <= tolerance;
    let belongs = |t: u32| {
        let corners = hull.corners[t as usize];
        let same_way = normals[t as usize].dot(normal) > 0.0 || is_sliver(points, corners, tolerance);
        same_way && corners.into_iter().all(near)
    };
    region_of[seed as usize] = id;
    let mut triangles = vec![seed];
    let mut done = 0;
    while done < triangles.len() {
        for neighbour in hull.neighbours[triangles[done] as usize] {
            if region_of[neighbour as usize] == NONE && belongs(neighbour) {
                region_of[neighbour as usize] = id;
                triangles.push(neighbour);
            }
        }
        done += 1;
    }
    triangles
}

/// True if the triangle is lower than the tolerance, so that its normal may be noise.
fn is_sliver(points: &[DVec3], corners: [u32; 3], tolerance: f64) -> bool {
    let [a, b, c] = corners.map(|v| points[v as usize]);
    let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    (b - a).cross(c - a).length_squared() <= tolerance * tolerance * longest
}

/// The corners around a set of triangles, or `None` if its border is not one simple loop.
fn outline(
    hull: &Triangulation,
    triangles: &[u32],
    region_of: &[u32],
    id: u32,
    next_corner: &mut [u32],
) -> Option<Vec<u32>> {
    if let [only] = triangles {
        return Some(hull.corners[*only as usize].to_vec());
    }
    let mut starts = Vec::new();
    let mut simple = true;
    for &t in triangles {
        for edge in 0..3 {
            if region_of[hull.neighbours[t as usize][edge] as usize] != id {
                let corners = hull.corners[t as usize];
                let from = corners[edge];
                simple &= next_corner[from as usize] == NONE;
                next_corner[from as usize] = corners[(edge + 1) % 3];
                starts.push(from);
            }
        }
    }
    let mut corners = Vec::with_capacity(starts.len());
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
    for &from in &starts {
        next_corner[from as usize] = NONE;
    }
    (simple && corners.len() == starts.len()).then_some(corners)
}

/// The loops without the corners that only bend an edge between two polygons by less than the tolerance.
fn straighten(points: &[DVec3], hull: &Triangulation, regions: &[Region], tolerance: f64) -> Vec<Vec<u32>> {
    let mut meeting = vec![0_u32; points.len()];
    for &corner in regions.iter().flat_map(|r| &r.corners) {
        meeting[corner as usize] += 1;
    }
    let mut keep: Vec<bool> = meeting.iter().map(|&m| m != 2).collect();
    let mut chain = Vec::new();
    for region in regions {
        let corners = &region.corners;
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
    for region in regions {
        if region.corners.iter().filter(|&&c| keep[c as usize]).count() < 3 {
            region.corners.iter().for_each(|&c| keep[c as usize] = true);
        }
    }
    debug_assert_eq!(regions.iter().map(|r| r.triangles.len()).sum::<usize>(), hull.corners.len());
    regions.iter().map(|r| r.corners.iter().copied().filter(|&c| keep[c as usize]).collect()).collect()
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
fn edges_are_unique(loops: &[Vec<u32>]) -> bool {
    let mut edges: Vec<(u32, u32)> = loops
        .iter()
        .flat_map(|l| l.iter().zip(l.iter().cycle().skip(1)))
        .map(|(&from, &to)| (from, to))
        .collect();
    edges.sort_unstable();
    edges.windows(2).all(|pair| pair[0] != pair[1])
        && edges.iter().all(|&(from, to)| edges.binary_search(&(to, from)).is_ok())
}
