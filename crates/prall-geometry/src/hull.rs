//! [`ConvexHull`]: the smallest convex polyhedron around points, with the adjacency that contact finding needs.

mod facets;
mod queries;
mod quickhull;

use std::sync::OnceLock;

use glam::DVec3;
use thiserror::Error;

use crate::bounding::Aabb;
use crate::mesh::Plane;
use crate::soup::PolygonSoup;
use facets::{Facets, Loops};
use quickhull::Triangulation;

/// Triangles count as coplanar within this part of the hull's size (no unit).
///
/// The rounding of coordinates that were turned and moved is some 1e-16 of their size; what a person means
/// by "not flat" is far above 1e-12. It is the bottom rung of Prall's ladder of tolerances.
const RELATIVE_TOLERANCE: f64 = 1e-12;

/// Multiples of the last bit of the largest coordinate that are never taken for shape (no unit): two
/// roundings in each of three products and sums, doubled.
const ROUNDINGS: f64 = 16.0;

/// Coordinates and sizes between this and its inverse keep the exact predicates exact.
const LARGEST_COORDINATE: f64 = 1e60;

/// Up to this many vertices a plain scan for the support point beats climbing: 64 vertices took 54 ns against 68 ns, 96 took
/// 81 ns against 77 ns.
const SCAN_LIMIT: usize = 80;

/// Two edge directions count as parallel if their unit vectors agree within this (no unit); a thousand
/// roundings of a difference of coordinates a metre apart and a kilometre away.
const PARALLEL: f64 = 1e-9;

/// A convex polyhedron: vertices, polygonal faces with their planes, edges and who is next to whom.
///
/// **Promise.** The hull is found with exact orientation tests: every point it was built from is inside or on
/// the polyhedron, exactly, before coplanar triangles are joined. After joining, every such point satisfies
/// `normal . p <= distance` for all faces up to the rounding of evaluating it, and lies within
/// three times [`tolerance`](Self::tolerance) of the convex hull of [`vertices`](Self::vertices).
/// Vertices are points of the input, bit for bit.
#[derive(Clone, Debug)]
pub struct ConvexHull {
    vertices: Vec<DVec3>,
    planes: Vec<Plane>,
    /// Half-edge `h` starts at vertex `corners[h]`; face `f` owns the half-edges `starts[f]..starts[f + 1]`.
    corners: Vec<u32>,
    starts: Vec<u32>,
    /// The face on the other side of each half-edge.
    across: Vec<u32>,
    edges: Vec<HullEdge>,
    neighbours: Adjacency,
    edge_directions: OnceLock<Vec<DVec3>>,
    bounds: Aabb,
    tolerance: f64,
}

/// An edge of a hull with what lies on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HullEdge {
    /// The ends; counter-clockwise around the first face.
    pub vertices: [u32; 2],
    /// The face in which the edge runs from the first to the second vertex, and the face on the other side.
    pub faces: [u32; 2],
}

/// Why points have no solid convex hull.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum HullError {
    /// Fewer than four points.
    #[error("a solid convex hull needs at least 4 points, but there are {points}")]
    TooFewPoints {
        /// How many there were.
        points: usize,
    },
    /// A coordinate is infinite, not a number, or beyond 1e60 metres.
    #[error("point {point} has a coordinate that is not a number between -1e60 and 1e60")]
    NotFinite {
        /// Index of the point.
        point: usize,
    },
    /// All points are at one place.
    #[error("all {points} points lie within {extent:e} m: they span no volume")]
    Coincident {
        /// How many points there were.
        points: usize,
        /// Diagonal of their box.
        extent: f64,
    },
    /// All points are on a line.
    #[error("all points lie within {width:e} m of a line: they span no volume")]
    Collinear {
        /// Largest distance from the line.
        width: f64,
    },
    /// All points are in a plane.
    #[error(
        "all points lie within {thickness:e} m of a plane: they span no volume; give the plate a thickness"
    )]
    Coplanar {
        /// Largest distance from the plane.
        thickness: f64,
    },
    /// The tolerance for joining faces is negative or not a number.
    #[error("a merge tolerance of {tolerance} m is not a number from 0 on")]
    BadTolerance {
        /// The tolerance given.
        tolerance: f64,
    },
}

/// Neighbours of each vertex, one list after the other.
#[derive(Clone, Debug, PartialEq)]
struct Adjacency {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Adjacency {
    /// Neighbours along the edges of a triangulation, which is exactly convex.
    fn of(triangulation: &Triangulation, vertices: usize) -> Adjacency {
        let mut starts = vec![0_u32; vertices + 1];
        for &corner in triangulation.corners.iter().flatten() {
            starts[corner as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut cursor = starts.clone();
        let mut neighbours = vec![0; 3 * triangulation.corners.len()];
        for corners in &triangulation.corners {
            for edge in 0..3 {
                let slot = &mut cursor[corners[edge] as usize];
                neighbours[*slot as usize] = corners[(edge + 1) % 3];
                *slot += 1;
            }
        }
        Adjacency { starts, neighbours }
    }

    fn at(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.neighbours[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// From a vertex uphill to one that no neighbour exceeds.
    fn climb(&self, points: &[DVec3], direction: DVec3, start: u32) -> u32 {
        let mut best = start;
        let mut height = direction.dot(points[best as usize]);
        loop {
            let from = best;
            for &candidate in self.at(from) {
                let candidate_height = direction.dot(points[candidate as usize]);
                if candidate_height > height {
                    height = candidate_height;
                    best = candidate;
                }
            }
            if best == from {
                return best;
            }
        }
    }
}

impl ConvexHull {
    /// The hull of points; faces that are coplanar up to rounding are joined.
    ///
    /// Points that span no volume within that rounding are refused; the error says what they are instead.
    pub fn from_points(points: &[DVec3]) -> Result<ConvexHull, HullError> {
        ConvexHull::with_merge_tolerance(points, 0.0)
    }

    /// As [`from_points`](Self::from_points), but joins all faces that are coplanar within `tolerance` metres.
    ///
    /// For points with few digits, such as those of 32-bit mesh files. Larger tolerances give fewer and larger faces,
    /// better for contact; thin hulls are refused if they are thinner. Never less than the rounding of the coordinates.
    pub fn with_merge_tolerance(points: &[DVec3], tolerance: f64) -> Result<ConvexHull, HullError> {
        if !(tolerance >= 0.0 && tolerance.is_finite()) {
            return Err(HullError::BadTolerance { tolerance });
        }
        let frame = Frame::of(points, tolerance)?;
        let tetrahedron = frame.tetrahedron(points)?;
        let mut triangulation = quickhull::triangulate(points, tetrahedron, frame.size);
        let hull_points = compact(points, &mut triangulation);
        let around = Adjacency::of(&triangulation, hull_points.len());
        let facets = facets::join(&hull_points, &triangulation, frame.tolerance);
        let planes = planes(&hull_points, &around, &facets);
        assemble(hull_points, around, facets.loops, planes, &frame)
    }

    /// The corners of the hull, in metres; a subset of the points it was built from.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// How many faces there are.
    pub fn face_count(&self) -> usize {
        self.planes.len()
    }

    /// The planes of the faces, in order; normals point outward.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// The corners of a face as indices of vertices, counter-clockwise seen from outside.
    pub fn face(&self, face: usize) -> &[u32] {
        &self.corners[self.starts[face] as usize..self.starts[face + 1] as usize]
    }

    /// The corners of a face as points.
    pub fn face_points(&self, face: usize) -> impl ExactSizeIterator<Item = DVec3> + Clone + '_ {
        self.face(face).iter().map(|&v| self.vertices[v as usize])
    }

    /// The faces around a face: the one across the edge from corner `i` of [`face`](Self::face) to the next, for all `i`.
    pub fn adjacent_faces(&self, face: usize) -> &[u32] {
        &self.across[self.starts[face] as usize..self.starts[face + 1] as usize]
    }

    /// All edges, each once, with the faces on both sides.
    pub fn edges(&self) -> &[HullEdge] {
        &self.edges
    }

    /// Unit directions of the edges, parallel ones only once: the edge axes of a separating-axis test.
    pub fn edge_directions(&self) -> &[DVec3] {
        self.edge_directions.get_or_init(|| unique_directions(&self.vertices, &self.edges))
    }

    /// The vertices next to a vertex in an exactly convex triangulation of the hull.
    ///
    /// These are the ends of its edges, and of the diagonals by which faces are triangulated; empty for a vertex that
    /// only tolerance made one.
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        self.neighbours.at(vertex)
    }

    /// The box around the hull in its own frame.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The distance within which faces were joined, in metres.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// The mean of the vertices: a point strictly inside.
    pub fn interior_point(&self) -> DVec3 {
        let origin = self.vertices[0];
        origin + self.vertices.iter().map(|&v| v - origin).sum::<DVec3>() / self.vertices.len() as f64
    }

    /// The vertex farthest in a direction (of any length).
    pub fn support_vertex(&self, direction: DVec3) -> u32 {
        self.support_vertex_from(direction, 0)
    }

    /// As [`support_vertex`](Self::support_vertex), starting the search at a vertex that was the answer
    /// for a similar direction; on large hulls that makes it independent of their size.
    pub fn support_vertex_from(&self, direction: DVec3, hint: u32) -> u32 {
        if self.vertices.len() > SCAN_LIMIT {
            let valid = (hint as usize) < self.vertices.len() && !self.neighbours.at(hint).is_empty();
            let start = if valid { hint } else { self.neighbours.neighbours[0] };
            return self.neighbours.climb(&self.vertices, direction, start);
        }
        let mut best = (0, f64::NEG_INFINITY);
        for (vertex, point) in self.vertices.iter().enumerate() {
            let height = direction.dot(*point);
            if height > best.1 {
                best = (vertex as u32, height);
            }
        }
        best.0
    }

    /// The point farthest in a direction (of any length).
    pub fn support(&self, direction: DVec3) -> DVec3 {
        self.vertices[self.support_vertex(direction) as usize]
    }

    /// The faces as a soup of polygons.
    pub fn to_soup(&self) -> PolygonSoup {
        let mut soup = PolygonSoup::with_capacity(self.vertices.len(), self.corners.len());
        for &vertex in &self.vertices {
            // Vertices were checked to be finite and faces have at least three corners that exist.
            let pushed = soup.push_position(vertex);
            debug_assert!(pushed.is_ok());
        }
        for face in 0..self.face_count() {
            let pushed = soup.push_face(self.face(face));
            debug_assert!(pushed.is_ok());
        }
        soup
    }
}

/// Size of the input and what follows from it.
struct Frame {
    bounds: Aabb,
    size: f64,
    tolerance: f64,
}

impl Frame {
    fn of(points: &[DVec3], tolerance: f64) -> Result<Frame, HullError> {
        let in_range = |p: &DVec3| p.abs().max_element() <= LARGEST_COORDINATE && !p.is_nan();
        if let Some(point) = points.iter().position(|p| !in_range(p)) {
            return Err(HullError::NotFinite { point });
        }
        let bounds = Aabb::around(points);
        if points.len() < 4 {
            return Err(HullError::TooFewPoints { points: points.len() });
        }
        let size = bounds.diameter();
        let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
        let tolerance = tolerance.max(RELATIVE_TOLERANCE * size + ROUNDINGS * f64::EPSILON * largest);
        if size <= tolerance.max(1.0 / LARGEST_COORDINATE) {
            return Err(HullError::Coincident { points: points.len(), extent: size });
        }
        Ok(Frame { bounds, size, tolerance })
    }

    /// Four points that span as much as is easily found: two extremes, the point farthest from their line,
    /// the point farthest from the plane of the three.
    fn tetrahedron(&self, points: &[DVec3]) -> Result<[u32; 4], HullError> {
        let farthest = |measure: &dyn Fn(DVec3) -> f64| {
            let mut best = (0, f64::NEG_INFINITY);
            for (i, &p) in points.iter().enumerate() {
                let value = measure(p);
                if value > best.1 {
                    best = (i, value);
                }
            }
            best
        };
        let axis = self.bounds.half_extents().max_position();
        let (a, _) = farthest(&|p| -p[axis]);
        let (b, _) = farthest(&|p| p.distance_squared(points[a]));
        let along = (points[b] - points[a]).normalize();
        let (c, width) = farthest(&|p| (p - points[a]).cross(along).length());
        if width <= self.tolerance {
            return Err(HullError::Collinear { width });
        }
        let across = along.cross((points[c] - points[a]).normalize()).normalize();
        let (d, thickness) = farthest(&|p| across.dot(p - points[a]).abs());
        let flat = crate::predicates::side_of_plane(points[a], points[b], points[c], points[d]) == 0.0;
        if thickness <= self.tolerance || flat {
            return Err(HullError::Coplanar { thickness });
        }
        Ok([a, b, c, d].map(|i| i as u32))
    }
}

/// Keeps only the points that the triangulation uses, and renumbers it.
fn compact(points: &[DVec3], triangulation: &mut Triangulation) -> Vec<DVec3> {
    let mut used = vec![false; points.len()];
    triangulation.corners.iter().flatten().for_each(|&c| used[c as usize] = true);
    let (kept, index) = renumber(points, &used);
    triangulation.corners.iter_mut().flatten().for_each(|c| *c = index[*c as usize]);
    kept
}

/// The points that are used, and the new index of each.
fn renumber(points: &[DVec3], used: &[bool]) -> (Vec<DVec3>, Vec<u32>) {
    let mut kept = Vec::new();
    let mut index = vec![u32::MAX; points.len()];
    for (i, &point) in points.iter().enumerate() {
        if used[i] {
            index[i] = kept.len() as u32;
            kept.push(point);
        }
    }
    (kept, index)
}

/// A plane for each facet that no point of the triangulated hull sticks out of.
fn planes(points: &[DVec3], around: &Adjacency, facets: &Facets) -> Vec<Plane> {
    let mean: DVec3 = points.iter().sum::<DVec3>() / points.len() as f64;
    let plane = |corners: &[u32], area: &DVec3| {
        let start = corners[0];
        // A face whose area vanishes in f64 may point anywhere: any direction bounds the hull.
        let outward = points[start as usize] - mean;
        let normal = area.try_normalize().or(outward.try_normalize()).unwrap_or(DVec3::Y);
        let highest = around.climb(points, normal, start);
        Plane { normal, distance: normal.dot(points[highest as usize]) }
    };
    facets.loops.iter().zip(&facets.normals).map(|(corners, area)| plane(corners, area)).collect()
}

fn assemble(
    points: Vec<DVec3>,
    around: Adjacency,
    loops: Loops,
    planes: Vec<Plane>,
    frame: &Frame,
) -> Result<ConvexHull, HullError> {
    let mut used = vec![false; points.len()];
    loops.corners.iter().for_each(|&c| used[c as usize] = true);
    let (vertices, index) = renumber(&points, &used);
    let corners: Vec<u32> = loops.corners.iter().map(|&c| index[c as usize]).collect();
    let neighbours = if vertices.len() == points.len() {
        around
    } else {
        let kept = Frame { bounds: Aabb::around(&vertices), size: frame.size, tolerance: 0.0 };
        let tetrahedron = kept.tetrahedron(&vertices)?;
        Adjacency::of(&quickhull::triangulate(&vertices, tetrahedron, kept.size), vertices.len())
    };
    let (across, edges) = pair_half_edges(&corners, &loops.starts, vertices.len());
    Ok(ConvexHull {
        bounds: Aabb::around(&vertices),
        across,
        edges,
        vertices,
        planes,
        corners,
        starts: loops.starts,
        neighbours,
        edge_directions: OnceLock::new(),
        tolerance: frame.tolerance,
    })
}

/// The face across every half-edge, and the edges, each once.
fn pair_half_edges(corners: &[u32], starts: &[u32], vertices: usize) -> (Vec<u32>, Vec<HullEdge>) {
    let directed = || {
        starts.windows(2).enumerate().flat_map(|(face, range)| {
            let corners = &corners[range[0] as usize..range[1] as usize];
            let ends = corners[1..].iter().chain(&corners[..1]);
            corners.iter().zip(ends).map(move |(&from, &to)| (face as u32, from, to))
        })
    };
    // Half-edges sorted by the vertex that they leave.
    let mut first = vec![0_u32; vertices + 1];
    corners.iter().for_each(|&from| first[from as usize + 1] += 1);
    for i in 1..first.len() {
        first[i] += first[i - 1];
    }
    let mut cursor = first.clone();
    let mut leaving = vec![(0, 0); corners.len()];
    for (face, from, to) in directed() {
        let slot = &mut cursor[from as usize];
        leaving[*slot as usize] = (to, face);
        *slot += 1;
    }
    let twin = |from: u32, to: u32| {
        let range = first[to as usize] as usize..first[to as usize + 1] as usize;
        leaving[range].iter().find(|(end, _)| *end == from).map(|(_, face)| *face)
    };
    // Every half-edge has an opposite: the facets are disks that tile a closed surface, each edge of which is unique.
    let across: Vec<u32> = directed().map(|(face, from, to)| twin(from, to).unwrap_or(face)).collect();
    let edges = directed()
        .zip(&across)
        .filter(|((_, from, to), _)| from < to)
        .map(|((face, from, to), &other)| HullEdge { vertices: [from, to], faces: [face, other] })
        .collect();
    (across, edges)
}

fn unique_directions(vertices: &[DVec3], edges: &[HullEdge]) -> Vec<DVec3> {
    let mut directions: Vec<DVec3> = edges
        .iter()
        .filter_map(|e| (vertices[e.vertices[1] as usize] - vertices[e.vertices[0] as usize]).try_normalize())
        .map(|d| if d[d.abs().max_position()] < 0.0 { -d } else { d })
        .collect();
    let key = |d: &DVec3| (*d / PARALLEL).round().to_array().map(|x| x as i64);
    directions.sort_by_key(key);
    directions.dedup_by(|a, b| a.abs_diff_eq(*b, PARALLEL));
    directions
}
