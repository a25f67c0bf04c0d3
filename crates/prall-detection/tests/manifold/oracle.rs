//! What the tests compare with: bodies as plain lists of points, directions tried one by one.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use prall_detection::{ContactPoint, ManifoldOptions, Manifolds, Touchable, find_manifolds};
use prall_geometry::{ConvexHull, Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh};
use prall_math::Pose;

use crate::random::Random;

pub(crate) fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

pub(crate) fn turned(axis: DVec3, angle: f64, translation: DVec3) -> Pose {
    Pose::new(DQuat::from_axis_angle(axis.normalize(), angle), translation)
}

pub(crate) fn touchable(shape: &Shape) -> Touchable {
    Touchable::new(shape).unwrap()
}

pub(crate) fn contacts(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f64) -> Vec<ContactPoint> {
    touching(&touchable(a), pose_a, &touchable(b), pose_b, margin)
}

pub(crate) fn touching(
    a: &Touchable,
    pose_a: &Pose,
    b: &Touchable,
    pose_b: &Pose,
    margin: f64,
) -> Vec<ContactPoint> {
    let options = ManifoldOptions { margin, ..ManifoldOptions::default() };
    let mut manifolds = Manifolds::new();
    find_manifolds(a, pose_a, b, pose_b, &options, &mut manifolds).unwrap();
    assert_eq!(manifolds.iter().map(<[ContactPoint]>::len).sum::<usize>(), manifolds.points().len());
    check(manifolds.points(), margin);
    manifolds.points().to_vec()
}

/// What holds for every contact: finite, unit normal, points apart by the gap along it, gap within the margin.
pub(crate) fn check(points: &[ContactPoint], margin: f64) {
    for point in points {
        let size = 1.0 + point.on_a.length() + point.gap.abs();
        assert!(point.on_a.is_finite() && point.on_b.is_finite() && point.gap.is_finite(), "{point:?}");
        assert!((point.normal.length() - 1.0).abs() < 1e-12, "{point:?}");
        // Rounding of coordinates, and of the direction of tiny gaps.
        assert!((point.on_a - point.on_b - point.gap * point.normal).length() < 1e-9 * size, "{point:?}");
        assert!(point.gap <= margin + 1e-12 * size, "{point:?}");
    }
}

pub(crate) fn least_gap(points: &[ContactPoint]) -> f64 {
    points.iter().fold(f64::INFINITY, |least, point| least.min(point.gap))
}

pub(crate) fn random_hull(random: &mut Random, corners: usize, size: f64) -> ConvexHull {
    loop {
        let points: Vec<DVec3> =
            (0..corners).map(|_| random.direction() * random.between(0.7, 1.0) * size).collect();
        if let Ok(hull) = ConvexHull::from_points(&points) {
            return hull;
        }
    }
}

/// A sphere-like hull: all points are corners.
pub(crate) fn round_hull(random: &mut Random, corners: usize, size: f64) -> ConvexHull {
    let points: Vec<DVec3> = (0..corners).map(|_| random.direction() * size).collect();
    ConvexHull::from_points(&points).unwrap()
}

pub(crate) fn random_pose(random: &mut Random, reach: f64) -> Pose {
    Pose::new(random.rotation(), random.vector(reach))
}

pub(crate) fn mesh_of(soup: &PolygonSoup) -> Shape {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).unwrap();
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))
}

/// A flat square of triangles about the origin, facing up, as an open surface.
pub(crate) fn floor(half: f64, cells: usize) -> Shape {
    let step = 2.0 * half / cells as f64;
    let place = |i: usize, j: usize| DVec3::new(i as f64 * step - half, 0.0, j as f64 * step - half);
    let positions = (0..=cells).flat_map(|j| (0..=cells).map(move |i| place(i, j))).collect();
    let index = |i: usize, j: usize| (j * (cells + 1) + i) as u32;
    let triangles: Vec<[u32; 3]> = (0..cells)
        .flat_map(|j| (0..cells).map(move |i| (i, j)))
        .flat_map(|(i, j)| {
            let (a, b, c, d) = (index(i, j), index(i + 1, j), index(i, j + 1), index(i + 1, j + 1));
            [[a, c, d], [a, d, b]]
        })
        .collect();
    mesh_of(&PolygonSoup::from_triangles(positions, &triangles).unwrap())
}

/// A polyhedron by its corners, face normals and edge directions, in the world.
pub(crate) struct Polyhedron {
    pub(crate) corners: Vec<DVec3>,
    pub(crate) normals: Vec<DVec3>,
    pub(crate) edges: Vec<DVec3>,
    pub(crate) triangles: Vec<[DVec3; 3]>,
}

impl Polyhedron {
    pub(crate) fn new(hull: &ConvexHull, pose: &Pose) -> Polyhedron {
        let point = |v: u32| pose.transform_point(hull.vertices()[v as usize]);
        let fan = |face: usize| {
            let corners = hull.face(face);
            (2..corners.len())
                .map(|i| [point(corners[0]), point(corners[i - 1]), point(corners[i])])
                .collect::<Vec<_>>()
        };
        Polyhedron {
            corners: (0..hull.vertices().len() as u32).map(point).collect(),
            normals: hull.planes().iter().map(|plane| pose.transform_vector(plane.normal)).collect(),
            edges: hull
                .edges()
                .iter()
                .map(|e| (point(e.vertices[1]) - point(e.vertices[0])).normalize())
                .collect(),
            triangles: (0..hull.face_count()).flat_map(fan).collect(),
        }
    }

    /// How far this one is in front of the other along a direction.
    fn ahead_of(&self, other: &Polyhedron, direction: DVec3) -> f64 {
        let low = self.corners.iter().map(|p| direction.dot(*p)).fold(f64::INFINITY, f64::min);
        let high = other.corners.iter().map(|p| direction.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
        low - high
    }

    /// The largest separation over all face normals and all pairs of edges, both ways: minus the depth if they overlap.
    pub(crate) fn best_separation(&self, other: &Polyhedron) -> f64 {
        let across = self.edges.iter().flat_map(|e| other.edges.iter().map(|f| e.cross(*f)));
        let across = across.filter(|n| n.length() > 1e-6).map(DVec3::normalize);
        let all = self.normals.iter().chain(&other.normals).copied().chain(across);
        all.flat_map(|n| [n, -n]).map(|n| self.ahead_of(other, n)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The least distance of any two triangles; 0 if they overlap.
    pub(crate) fn distance(&self, other: &Polyhedron) -> f64 {
        if self.best_separation(other) <= 0.0 {
            return 0.0;
        }
        let pairs = self.triangles.iter().flat_map(|s| other.triangles.iter().map(move |t| (s, t)));
        pairs.map(|(s, t)| prall_detection::triangle_distance(s, t).distance()).fold(f64::INFINITY, f64::min)
    }
}
