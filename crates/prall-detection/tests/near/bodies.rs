//! Small bodies of every kind, and poses in which they are near each other.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use prall_detection::{
    Boundary, BuildOptions, DistanceOptions, Hierarchy, NearAnswer, NearFeature, NearOptions, Workspace,
    distance, near_features,
};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh, Weld, generate};
use prall_math::Pose;

use crate::random::Random;

pub(crate) type Triangles = Vec<[DVec3; 3]>;

/// Triangles with the shape that they are the boundary of.
pub(crate) struct Body {
    pub(crate) triangles: Triangles,
    pub(crate) shape: Shape,
}

pub(crate) fn mesh(triangles: &[[DVec3; 3]]) -> Shape {
    let positions: Vec<DVec3> = triangles.iter().flatten().copied().collect();
    let faces: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let soup = PolygonSoup::from_triangles(positions, &faces).unwrap();
    // Doubled vertices stay as they are: boundaries must name them once all the same.
    let options = MeshOptions { weld: Weld::None, ..MeshOptions::default() };
    let mesh = Mesh::from_soup(&soup, &options).unwrap();
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))
}

pub(crate) fn triangles_of(shape: &Shape) -> Triangles {
    match shape {
        Shape::TriangleMesh(mesh) => {
            let mesh = mesh.mesh();
            (0..mesh.triangles().len()).map(|t| mesh.triangle_points(t)).collect()
        }
        Shape::Box(cuboid) => {
            let soup = generate::cuboid(2.0 * cuboid.half_extents()).unwrap();
            let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
            (0..mesh.triangles().len()).map(|t| mesh.triangle_points(t)).collect()
        }
        _ => panic!("no triangles"),
    }
}

pub(crate) fn quad([p, q, r, s]: [DVec3; 4]) -> [[DVec3; 3]; 2] {
    [[p, q, r], [p, r, s]]
}

/// A cup: a tube of six walls and a bottom, without thickness.
pub(crate) fn cup(radius: f64, height: f64) -> Triangles {
    let rim = |i: usize, y: f64, r: f64| {
        let (sine, cosine) = libm::sincos(std::f64::consts::TAU * (i % 6) as f64 / 6.0);
        DVec3::new(r * cosine, y, r * sine)
    };
    let mut triangles = Vec::new();
    for i in 0..6 {
        let (low, high) = (0.7 * radius, radius);
        triangles.extend(quad([
            rim(i, 0.0, low),
            rim(i + 1, 0.0, low),
            rim(i + 1, height, high),
            rim(i, height, high),
        ]));
        triangles.push([DVec3::ZERO, rim(i, 0.0, low), rim(i + 1, 0.0, low)]);
    }
    triangles
}

/// A grid in the plane y = 0 with heights from a formula.
pub(crate) fn sheet(cells: usize, size: f64, height: impl Fn(f64, f64) -> f64) -> Triangles {
    let point = |i: usize, j: usize| {
        let at = |k: usize| size * (k as f64 / cells as f64 - 0.5);
        DVec3::new(at(i), height(at(i), at(j)), at(j))
    };
    let cell = |i, j| quad([point(i, j), point(i, j + 1), point(i + 1, j + 1), point(i + 1, j)]);
    (0..cells * cells).flat_map(|k| cell(k / cells, k % cells)).collect()
}

pub(crate) fn tetrahedron(corners: [DVec3; 4]) -> Triangles {
    let [a, b, c, d] = corners;
    let outward = |t: [DVec3; 3], inside: DVec3| {
        let normal = (t[1] - t[0]).cross(t[2] - t[0]);
        if normal.dot(inside - t[0]) > 0.0 { [t[0], t[2], t[1]] } else { t }
    };
    vec![outward([a, b, c], d), outward([a, b, d], c), outward([a, c, d], b), outward([b, c, d], a)]
}

/// A random one of: box, cube as a mesh, tetrahedron, sheet, cup, soup.
pub(crate) fn any_body(random: &mut Random) -> Body {
    let kind = random.integer(6);
    if kind == 0 {
        let half = DVec3::splat(0.3) + random.vector(0.2);
        let shape = Shape::cuboid(half).unwrap();
        return Body { triangles: triangles_of(&shape), shape };
    }
    let triangles = match kind {
        1 => triangles_of(&Shape::cuboid(DVec3::splat(0.4)).unwrap()),
        2 => tetrahedron(std::array::from_fn(|_| random.vector(0.7))),
        3 => {
            let phase = random.between(0.0, 6.0);
            sheet(3, 1.2, |x, z| 0.1 * libm::sin(4.0 * x + phase) * libm::cos(3.0 * z))
        }
        4 => cup(0.5, 0.6),
        _ => (0..5).map(|_| std::array::from_fn(|_| random.vector(0.6))).collect(),
    };
    Body { shape: mesh(&triangles), triangles }
}

pub(crate) fn placed(triangles: &[[DVec3; 3]], pose: &Pose) -> Triangles {
    triangles.iter().map(|t| t.map(|p| pose.transform_point(p))).collect()
}

/// Two bodies turned at random, A moved along a line until the distance is about `gap`; none if it never is. Only to place them: what
/// the tests compare with is [`slow_distance`].
pub(crate) fn near_poses(random: &mut Random, a: &Body, b: &Body, gap: f64) -> Option<(Pose, Pose)> {
    let pose_b = Pose::new(random.rotation(), random.vector(2.0));
    let (turn, along, aside) = (random.rotation(), random.direction(), random.vector(0.4));
    let build = |body: &Body| Hierarchy::build(&body.triangles, &BuildOptions::default()).unwrap();
    let ((tree_a, tree_b), mut workspace) = ((build(a), build(b)), Workspace::new());
    let pose = |way: f64| Pose::new(turn, pose_b.translation + along * way + aside);
    let options = DistanceOptions::default();
    let mut distance = |way: f64| {
        let near = distance(&tree_a, &pose(way), &tree_b, &pose_b, &options, &mut workspace);
        near.unwrap().expect("no limit").gap
    };
    let (mut low, mut high) = (0.0, 4.0);
    if distance(low) > gap {
        return None;
    }
    for _ in 0..44 {
        let middle = 0.5 * (low + high);
        if distance(middle) > gap { high = middle } else { low = middle }
    }
    Some((pose(high), pose_b))
}

pub(crate) fn features(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    reach: f64,
) -> (NearAnswer, Vec<NearFeature>) {
    let (a, b) = (Boundary::new(a).unwrap(), Boundary::new(b).unwrap());
    let mut found = Vec::new();
    let options = NearOptions { reach, ..NearOptions::default() };
    let answer = near_features(&a, pose_a, &b, pose_b, &options, &mut Workspace::new(), &mut found).unwrap();
    (answer, found)
}

pub(crate) fn smallest_gap(found: &[NearFeature]) -> f64 {
    found.iter().fold(f64::INFINITY, |least, feature| least.min(feature.gap))
}

pub(crate) fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

/// A pose a little later: turned and moved by small amounts.
pub(crate) fn nudged(random: &mut Random, pose: &Pose, size: f64) -> Pose {
    let turn = DQuat::from_scaled_axis(random.vector(size));
    Pose::new((turn * pose.rotation).normalize(), pose.translation + random.vector(size))
}

/// Distance of two lists of triangles, pair by pair; 0 if some edge pierces a triangle.
pub(crate) fn slow_distance(a: &[[DVec3; 3]], b: &[[DVec3; 3]]) -> f64 {
    let mut least = f64::INFINITY;
    for s in a {
        for t in b {
            least = least.min(triangles(s, t));
        }
    }
    least
}

fn triangles(s: &[DVec3; 3], t: &[DVec3; 3]) -> f64 {
    let mut least = f64::INFINITY;
    for i in 0..3 {
        least = least.min(point_triangle(s[i], t)).min(point_triangle(t[i], s));
        for j in 0..3 {
            least = least.min(segments(s[i], s[(i + 1) % 3], t[j], t[(j + 1) % 3]));
        }
        if pierces(s[i], s[(i + 1) % 3], t) || pierces(t[i], t[(i + 1) % 3], s) {
            return 0.0;
        }
    }
    least
}

fn pierces(p: DVec3, q: DVec3, t: &[DVec3; 3]) -> bool {
    let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a);
    let (from, to) = (volume(t[0], t[1], t[2], p), volume(t[0], t[1], t[2], q));
    let turns = [0, 1, 2].map(|i| volume(p, q, t[i], t[(i + 1) % 3]));
    from * to < 0.0 && (turns.iter().all(|&v| v > 0.0) || turns.iter().all(|&v| v < 0.0))
}

pub(crate) fn point_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let along = b - a;
    let share = (along.dot(p - a) / along.length_squared()).clamp(0.0, 1.0);
    (a + along * share - p).length()
}

fn point_triangle(p: DVec3, t: &[DVec3; 3]) -> f64 {
    let edges = (0..3).map(|i| point_segment(p, t[i], t[(i + 1) % 3])).fold(f64::INFINITY, f64::min);
    let normal = (t[1] - t[0]).cross(t[2] - t[0]).normalize();
    let inside = (0..3).all(|i| normal.cross(t[(i + 1) % 3] - t[i]).dot(p - t[i]) >= 0.0);
    if inside { edges.min(normal.dot(p - t[0]).abs()) } else { edges }
}

/// Distance of two segments: of an end, or of the inner solution if that lies on both.
pub(crate) fn segments(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> f64 {
    let ends = point_segment(p, r, s)
        .min(point_segment(q, r, s))
        .min(point_segment(r, p, q))
        .min(point_segment(s, p, q));
    let (u, v, w) = (q - p, s - r, p - r);
    let (a, b, c, d, e) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let determinant = a * c - b * b;
    let (x, y) = ((b * e - c * d) / determinant, (a * e - b * d) / determinant);
    let inside = |share: f64| (0.0..=1.0).contains(&share);
    if inside(x) && inside(y) { ends.min((w + u * x - v * y).length()) } else { ends }
}
