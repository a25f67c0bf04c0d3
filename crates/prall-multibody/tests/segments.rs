//! Segment contacts against meshes.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh};
use prall_math::{Pose, Twist};
use prall_multibody::{
    FrictionSet, Joint, JointKind, Mechanism, Model, Moreau, MoreauOptions, Segment, Segments, Tangent,
};

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// Hills of triangles, and a wall that stands on them.
fn triangles() -> Vec<[DVec3; 3]> {
    let height = |x: f64, z: f64| 0.1 * libm::sin(2.0 * x) + 0.07 * libm::cos(3.0 * z);
    let corner = |i: i32, j: i32| {
        let (x, z) = (0.25 * f64::from(i), 0.25 * f64::from(j));
        DVec3::new(x, height(x, z), z)
    };
    let mut all = Vec::new();
    for (i, j) in (-12..12).flat_map(|i| (-12..12).map(move |j| (i, j))) {
        all.push([corner(i, j), corner(i, j + 1), corner(i + 1, j)]);
        all.push([corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1)]);
    }
    let wall = |x: f64, y: f64| DVec3::new(x, y, -2.0);
    all.push([wall(-3.0, -1.0), wall(3.0, -1.0), wall(-3.0, 2.0)]);
    all.push([wall(3.0, -1.0), wall(3.0, 2.0), wall(-3.0, 2.0)]);
    all
}

fn mesh(triangles: &[[DVec3; 3]]) -> Shape {
    let positions: Vec<DVec3> = triangles.iter().flatten().copied().collect();
    let faces: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let soup = PolygonSoup::from_triangles(positions, &faces).unwrap();
    let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))
}

/// First meeting of a segment with any of the triangles, by solving for the weights one by one.
fn brute_force(triangles: &[[DVec3; 3]], from: DVec3, to: DVec3) -> Option<f64> {
    let meet = |[a, b, c]: &[DVec3; 3]| {
        let matrix = DMat3::from_cols(from - to, *b - *a, *c - *a);
        let [share, u, v] = (matrix.inverse() * (from - *a)).to_array();
        let inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&share);
        (matrix.determinant().abs() > 1e-12 && inside).then_some(share)
    };
    triangles.iter().filter_map(meet).min_by(f64::total_cmp)
}

fn body() -> Mechanism {
    let mut model = Model::default();
    let inertia = DMat3::from_diagonal(DVec3::splat(0.05));
    model.body("body", None, 2.0, inertia, Joint::new(JointKind::Free, Pose::IDENTITY, Pose::IDENTITY));
    model.build().unwrap()
}

fn foot(point: DVec3, inward: DVec3) -> Segment {
    Segment {
        node: 0,
        point,
        inward,
        tangent: Tangent::Any,
        restitution: [0.0; 2],
        friction: FrictionSet::Disc { friction: 0.5 },
    }
}

/// Random poses of a body with six segments: the same contacts as by looking at every triangle.
#[test]
fn segments_meet_a_mesh_as_brute_force_says() {
    let all = triangles();
    let mut segments = Segments::default();
    segments.surround(mesh(&all));
    let directions = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
    directions.iter().for_each(|&d| _ = segments.add(foot(d * 0.4, d * -0.35)));
    let (mut body, mut met) = (body(), 0);
    let mut random = 1_u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    for _ in 0..2000 {
        let turn = DQuat::from_xyzw(next(), next(), next(), next()).normalize();
        let pose = Pose::new(turn, DVec3::new(3.0 * next(), 0.8 * next(), 4.0 * next()));
        body.tree_mut().load(|_| (pose, Twist::ZERO));
        let mut found = Vec::new();
        segments.find(body.tree(), &mut found);
        for (id, &direction) in directions.iter().enumerate() {
            let (tip, inner) =
                (pose.transform_point(direction * 0.4), pose.transform_point(direction * 0.05));
            let expected = brute_force(&all, inner, tip).map(|share| inner + (tip - inner) * share);
            let contact = found.iter().find(|contact| contact.id == id as u64);
            assert_eq!(expected.is_some(), contact.is_some());
            if let (Some(point), Some(contact)) = (expected, contact) {
                // Both are solutions of 3x3 systems with numbers around 1.
                assert!((contact.point - point).length() < 1e-9 && contact.gap <= 0.0);
                assert!(
                    contact.normal.dot(tip - inner) <= 0.0
                        && contact.normal.dot(contact.tangent).abs() < 1e-9
                );
                met += 1;
            }
        }
    }
    assert!(met > 1000, "{met}");
}

/// Ground and wall are one collision geometry: a block that slides towards the wall is stopped by it, with its feet on the ground.
#[test]
fn walls_are_part_of_the_surroundings() {
    let level = |y: f64| [DVec3::new(-9.0, y, 9.0), DVec3::new(9.0, y, 9.0), DVec3::new(0.0, y, -20.0)];
    let wall = [DVec3::new(-9.0, -1.0, -2.0), DVec3::new(9.0, -1.0, -2.0), DVec3::new(0.0, 9.0, -2.0)];
    let mut segments = Segments::default();
    segments.surround(mesh(&[level(0.0)]));
    segments.surround(mesh(&[wall]));
    let smooth =
        |point, inward| Segment { friction: FrictionSet::Disc { friction: 0.02 }, ..foot(point, inward) };
    for (x, z) in [(-0.1, -0.1), (0.1, -0.1), (-0.1, 0.1), (0.1, 0.1)] {
        segments.add(smooth(DVec3::new(x, -0.1, z), DVec3::Y * 0.09));
    }
    for x in [-0.1, 0.1] {
        segments.add(smooth(DVec3::new(x, 0.0, -0.1), DVec3::Z * 0.09));
    }
    assert_eq!(segments.add(smooth(DVec3::ZERO, DVec3::ZERO)), None);
    let mut block = body();
    let start = Pose::from_translation(DVec3::Y * 0.1);
    block.tree_mut().load(|_| (start, Twist::new(DVec3::Z * -3.0, DVec3::ZERO)));
    let (mut moreau, options) = (Moreau::default(), MoreauOptions::default());
    let mut nearest = 0.0_f64;
    for _ in 0..2000 {
        moreau.step(&mut block, 1e-3, GRAVITY, &options, |tree, found| segments.find(tree, found));
        nearest = nearest.min(block.tree().pose(0).translation.z);
    }
    // The wall is at -2 and the block's face 0.1 ahead of its middle; a step of 3 mm may go by before it is noticed.
    assert!((nearest + 1.9).abs() < 4e-3, "{nearest}");
    assert!((block.tree().pose(0).translation.y - 0.1).abs() < 1e-3);
    assert!(block.tree().twist(0).linear.length() < 0.05);
}
