//! The static test of Eckstein (1998), after Cyrus and Beck: an edge against a planar convex face.
//!
//! Two faces overlap if and only if an edge of one penetrates the other, so sets of faces are tested edge
//! against face in both directions. The printed test compares with zero exactly and divides by zero for an edge
//! parallel to a side of the face; here rounding has a stated width, and touching counts as a hit.

use glam::DVec3;
use prall_math::Norm;
use thiserror::Error;

/// Half width, as a fraction of the face's size, of the layer around a face that counts as touching.
///
/// A thousand times the rounding of the few products involved, and a nanometre on a face of a kilometre.
const TOUCHING: f64 = 1e-12;

/// How far, as a fraction of the size, a corner may lie off the plane or on the wrong side of a neighbour.
///
/// Files with 32-bit coordinates deliver 1e-7; more than that is not a planar convex polygon.
const SHAPE_TOLERANCE: f64 = 1e-6;

/// A planar convex polygon, its corners counter-clockwise about the normal.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexFace {
    corners: Vec<DVec3>,
    normal: DVec3,
    offset: f64,
    size: f64,
    /// Outward normal of each side in the plane of the face, of unit length; zero for a side without length.
    side_normals: Vec<DVec3>,
}

/// Why a polygon is not a planar convex face.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum FaceError {
    /// Fewer than three corners.
    #[error("a face needs at least 3 corners, this one has {0}")]
    TooFewCorners(usize),
    /// A coordinate is infinite or not a number.
    #[error("corner {0} has a coordinate that is not a finite number")]
    NotFinite(usize),
    /// All corners on a line.
    #[error("the face has no area")]
    NoArea,
    /// A corner off the plane, or a dent.
    #[error("corner {0} lies off the plane of the face or makes it dented; split the face into triangles")]
    NotConvex(usize),
}

impl ConvexFace {
    /// A face from its corners in order.
    pub fn new(corners: &[DVec3]) -> Result<ConvexFace, FaceError> {
        if corners.len() < 3 {
            return Err(FaceError::TooFewCorners(corners.len()));
        }
        if let Some(corner) = corners.iter().position(|c| !c.is_finite()) {
            return Err(FaceError::NotFinite(corner));
        }
        let count = corners.len();
        // Newell: twice the area vector, insensitive to a single short side.
        let first = corners[0];
        let area: DVec3 = (1..count - 1).map(|i| (corners[i] - first).cross(corners[i + 1] - first)).sum();
        let size = corners.iter().map(|c| (*c - first).norm()).fold(0.0, f64::max);
        let has_area = area.norm() > 1e-10 * size * size;
        if !has_area {
            return Err(FaceError::NoArea);
        }
        let normal = area.unit();
        let middle = corners.iter().sum::<DVec3>() / count as f64;
        let side_normals: Vec<DVec3> = (0..count)
            .map(|i| (corners[(i + 1) % count] - corners[i]).cross(normal).unit_or(DVec3::ZERO))
            .collect();
        let face =
            ConvexFace { corners: corners.to_vec(), normal, offset: normal.dot(middle), size, side_normals };
        match corners.iter().position(|&c| !face.contains_within(c, SHAPE_TOLERANCE)) {
            Some(corner) => Err(FaceError::NotConvex(corner)),
            None => Ok(face),
        }
    }

    /// Corners in order.
    pub fn corners(&self) -> &[DVec3] {
        &self.corners
    }

    /// Unit normal.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    fn edges(&self) -> impl Iterator<Item = (DVec3, DVec3)> + '_ {
        let count = self.corners.len();
        (0..count).map(move |i| (self.corners[i], self.corners[(i + 1) % count]))
    }

    fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// Inside the prism over the face.
    fn above(&self, point: DVec3, tolerance: f64) -> bool {
        self.corners
            .iter()
            .zip(&self.side_normals)
            .all(|(&corner, side)| side.dot(point - corner) <= tolerance * self.size)
    }

    fn contains_within(&self, point: DVec3, tolerance: f64) -> bool {
        self.height(point).abs() <= tolerance * self.size && self.above(point, tolerance)
    }
}

/// True if the segment from `start` to `end` meets the face.
pub fn edge_meets_face(start: DVec3, end: DVec3, face: &ConvexFace) -> bool {
    let (height_start, height_end) = (face.height(start), face.height(end));
    let layer = TOUCHING * (face.size + (start - end).norm() + (start - face.corners[0]).norm());
    if height_start.abs() <= layer && height_end.abs() <= layer {
        return coplanar_edge_meets_face(start, end, face);
    }
    let reaches = height_start.min(height_end) <= layer && height_start.max(height_end) >= -layer;
    if !reaches {
        return false;
    }
    let share = (height_start / (height_start - height_end)).clamp(0.0, 1.0);
    face.above(start.lerp(end, share), layer / face.size)
}

/// Clips the edge by all sides of the face (Cyrus and Beck); what is left, if anything, lies inside.
fn coplanar_edge_meets_face(start: DVec3, end: DVec3, face: &ConvexFace) -> bool {
    let direction = end - start;
    let layer = TOUCHING * (face.size + direction.norm() + (start - face.corners[0]).norm());
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for (&corner, side) in face.corners.iter().zip(&face.side_normals) {
        let outside = side.dot(start - corner) - layer;
        let outward = side.dot(direction);
        if outward == 0.0 {
            // Parallel to this side: beyond it along the whole length, or not at all.
            if outside > 0.0 {
                return false;
            }
        } else if outward > 0.0 {
            leaves = leaves.min(-outside / outward);
        } else {
            enters = enters.max(-outside / outward);
        }
    }
    enters <= leaves
}

/// An edge that penetrates a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeFaceHit {
    /// True if the edge belongs to the first set of faces and the face to the second.
    pub edge_is_of_first: bool,
    /// Index of the face that the edge bounds, in its set.
    pub edge_face: usize,
    /// Index of the edge in that face: from corner i to corner i + 1.
    pub edge: usize,
    /// Index of the face that is hit, in the other set.
    pub face: usize,
}

/// All edges of either set that meet a face of the other. Lazy: take the first to know whether there is one.
pub fn faces_meet<'a>(
    first: &'a [ConvexFace],
    second: &'a [ConvexFace],
) -> impl Iterator<Item = EdgeFaceHit> + 'a {
    [(first, second, true), (second, first, false)].into_iter().flat_map(
        |(edges, faces, edge_is_of_first)| {
            edges.iter().enumerate().flat_map(move |(edge_face, bounded)| {
                bounded.edges().enumerate().flat_map(move |(edge, (start, end))| {
                    faces
                        .iter()
                        .enumerate()
                        .filter(move |(_, face)| edge_meets_face(start, end, face))
                        .map(move |(face, _)| EdgeFaceHit { edge_is_of_first, edge_face, edge, face })
                })
            })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::super::triangles_overlap;
    use super::*;
    use crate::random::Random;

    fn square() -> ConvexFace {
        let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
        ConvexFace::new(&corners.map(|[x, y]| DVec3::new(x, y, 0.0))).expect("a square is convex")
    }

    fn meets(start: [f64; 3], end: [f64; 3]) -> bool {
        edge_meets_face(start.into(), end.into(), &square())
    }

    #[test]
    fn an_edge_meets_a_square_in_every_position_that_it_can_have() {
        assert!(meets([1.0, 1.0, -1.0], [1.0, 1.0, 1.0]), "through the middle");
        assert!(meets([1.0, 1.0, 0.0], [1.0, 1.0, 1.0]), "touching with an end");
        assert!(meets([2.0, 2.0, -1.0], [2.0, 2.0, 1.0]), "through a corner");
        assert!(!meets([1.0, 1.0, 0.5], [1.0, 1.0, 1.0]), "ends above");
        assert!(!meets([3.0, 1.0, -1.0], [3.0, 1.0, 1.0]), "passes beside");
        assert!(!meets([0.0, 1.0, 0.5], [2.0, 1.0, 0.5]), "parallel, off the plane");
        assert!(meets([-1.0, 1.0, 0.0], [3.0, 1.0, 0.0]), "coplanar, right across");
        assert!(meets([0.5, 1.0, 0.0], [1.5, 1.0, 0.0]), "coplanar, wholly inside");
        assert!(meets([1.0, 1.0, 0.0], [5.0, 1.0, 0.0]), "coplanar, one end inside");
        assert!(meets([-1.0, 2.0, 0.0], [3.0, 2.0, 0.0]), "coplanar, along a side");
        assert!(!meets([-1.0, 2.5, 0.0], [3.0, 2.5, 0.0]), "coplanar, parallel to a side and beyond it");
        assert!(!meets([3.0, 0.0, 0.0], [5.0, 0.0, 0.0]), "coplanar, in line with a side");
        assert!(!meets([3.5, 0.0, 0.0], [0.0, 5.0, 0.0]), "coplanar, cutting off a corner outside");
    }

    #[test]
    fn bad_polygons_are_refused_with_their_fault() {
        let p = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
        let refused = |corners: &[DVec3]| ConvexFace::new(corners).expect_err("not a face");
        assert_eq!(refused(&[DVec3::X, DVec3::Y]), FaceError::TooFewCorners(2));
        assert_eq!(refused(&[DVec3::X, DVec3::NAN, DVec3::Y]), FaceError::NotFinite(1));
        assert_eq!(refused(&[DVec3::X, DVec3::ZERO, -DVec3::X]), FaceError::NoArea);
        let dented = [p(0.0, 0.0, 0.0), p(4.0, 0.0, 0.0), p(1.0, 1.0, 0.0), p(0.0, 4.0, 0.0)];
        assert!(matches!(refused(&dented), FaceError::NotConvex(_)));
        let twisted = [p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.5), p(1.0, 1.0, 0.0), p(0.0, 1.0, 0.5)];
        assert!(matches!(refused(&twisted), FaceError::NotConvex(_)));
    }

    /// Oracle: the exact predicate on triangles with integer corners.
    #[test]
    fn faces_meet_exactly_when_the_exact_predicate_says_so() {
        let mut random = Random::new(1);
        let mut counts = [0; 2];
        for _ in 0..20_000 {
            let mut corner = || DVec3::from_array([0; 3].map(|_| random.integer(5) as f64));
            let (a, b) = ([corner(), corner(), corner()], [corner(), corner(), corner()]);
            let (Ok(face_a), Ok(face_b)) = (ConvexFace::new(&a), ConvexFace::new(&b)) else { continue };
            let expected = triangles_overlap(&a, &b);
            let hits: Vec<EdgeFaceHit> = faces_meet(&[face_a], &[face_b]).collect();
            assert_eq!(!hits.is_empty(), expected, "{a:?} {b:?}");
            counts[usize::from(expected)] += 1;
        }
        assert!(counts[0] > 1000 && counts[1] > 1000, "both answers occur: {counts:?}");
    }
}
