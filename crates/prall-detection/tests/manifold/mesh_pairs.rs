//! Mesh against mesh: all features within the margin, by brute force.

use glam::DVec3;
use prall_detection::{
    ContactPoint, Feature, ManifoldOptions, Manifolds, ShapePart, find_manifolds, triangle_distance,
};
use prall_geometry::{Shape, generate};
use prall_math::Pose;

use crate::oracle::{at, contacts, floor, least_gap, mesh_of, random_pose, touchable, touching, turned};
use crate::random::Random;

fn triangles(shape: &Shape, pose: &Pose) -> Vec<[DVec3; 3]> {
    let Shape::TriangleMesh(mesh) = shape else { panic!("no mesh") };
    let mesh = mesh.mesh();
    (0..mesh.triangles().len()).map(|t| mesh.triangle_points(t).map(|p| pose.transform_point(p))).collect()
}

#[test]
fn the_smallest_gap_of_two_meshes_is_that_of_their_nearest_triangles() {
    let mut random = Random::new(21);
    let meshes = [
        mesh_of(&generate::torus(0.5, 0.2, 12, 8).unwrap()),
        mesh_of(&generate::cuboid(DVec3::new(1.0, 0.6, 0.8)).unwrap()),
        mesh_of(&generate::cone(0.4, 0.8, 9).unwrap()),
        floor(0.5, 4),
    ];
    let bodies: Vec<_> = meshes.iter().map(touchable).collect();
    let mut near = 0;
    for round in 0..300 {
        let (i, j) = (round % 4, random.integer(4) as usize);
        let (a, b) = (&meshes[i], &meshes[j]);
        let (p, q) = (random_pose(&mut random, 0.7), random_pose(&mut random, 0.7));
        let (s, t) = (triangles(a, &p), triangles(b, &q));
        let all = s.iter().flat_map(|x| t.iter().map(move |y| triangle_distance(x, y).distance()));
        let truth = all.fold(f64::INFINITY, f64::min);
        let points = touching(&bodies[i], &p, &bodies[j], &q, 0.1);
        if truth > 0.1 {
            assert!(points.is_empty());
        } else if truth > 0.0 {
            near += 1;
            assert!(
                (least_gap(&points) - truth).abs() < 1e-9,
                "{round}: {} instead of {truth}",
                least_gap(&points)
            );
        }
    }
    assert!(near > 20, "{near}");
}

#[test]
fn a_block_of_triangles_stands_on_a_floor_of_triangles_with_its_corners() {
    let block = mesh_of(&generate::cuboid(DVec3::new(0.6, 0.2, 0.4)).unwrap());
    let mut random = Random::new(22);
    for ground in [floor(2.0, 10), mesh_of(&generate::cuboid(DVec3::new(4.0, 2.0, 4.0)).unwrap())] {
        let top = if least_gap(&contacts(&block, &at(0.0, 1.1, 0.0), &ground, &Pose::IDENTITY, 0.01)) < 1.0 {
            1.0
        } else {
            0.0
        };
        let solid = touchable(&ground);
        for _ in 0..100 {
            let place = DVec3::new(random.between(-1.0, 1.0), top + 0.105, random.between(-1.0, 1.0));
            let pose = turned(DVec3::Y, random.between(0.0, 3.0), place);
            let points = touching(&touchable(&block), &pose, &solid, &Pose::IDENTITY, 0.01);
            assert_eq!(points.len(), 4, "{pose:?} {points:?}");
            assert!(
                points.iter().all(|p| (p.normal - DVec3::Y).length() < 1e-9 && (p.gap - 0.005).abs() < 1e-9)
            );
        }
    }
}

#[test]
fn a_block_that_sank_into_a_solid_is_pushed_out_of_the_face() {
    let (block, ground) = (
        mesh_of(&generate::cuboid(DVec3::new(0.6, 0.2, 0.4)).unwrap()),
        mesh_of(&generate::cuboid(DVec3::new(4.0, 2.0, 4.0)).unwrap()),
    );
    let points = contacts(&block, &at(0.3, 1.098, -0.2), &ground, &Pose::IDENTITY, 0.01);
    assert_eq!(points.len(), 4, "{points:?}");
    assert!(points.iter().all(|p| (p.normal - DVec3::Y).length() < 1e-9 && (p.gap + 0.002).abs() < 1e-9));
}

/// Ten times as deep as the margin, and deeper than the nearest of its triangles tells: the corners still know the way.
#[test]
fn a_block_deeper_than_the_margin_is_pushed_out_all_the_same() {
    let (block, ground) = (
        mesh_of(&generate::cuboid(DVec3::new(0.6, 0.2, 0.4)).unwrap()),
        mesh_of(&generate::cuboid(DVec3::new(4.0, 2.0, 4.0)).unwrap()),
    );
    for depth in [0.02, 0.1, 0.15] {
        let points = contacts(&block, &at(0.3, 1.1 - depth, -0.2), &ground, &Pose::IDENTITY, 0.01);
        assert_eq!(points.len(), 4, "{depth}: {points:?}");
        let right = |p: &ContactPoint| (p.normal - DVec3::Y).length() < 1e-9 && (p.gap + depth).abs() < 1e-9;
        assert!(points.iter().all(right), "{depth}: {points:?}");
    }
    // Wholly inside, and nothing of its surface within the margin of the other's: not seen.
    assert!(contacts(&block, &at(0.3, 0.5, -0.2), &ground, &Pose::IDENTITY, 0.01).is_empty());
}

/// The depth of every vertex that is told is its distance from the surface that it is under.
#[test]
fn depths_beyond_the_margin_are_distances_from_the_surface() {
    let mut random = Random::new(24);
    let torus = mesh_of(&generate::torus(0.5, 0.2, 24, 16).unwrap());
    let block = mesh_of(&generate::cuboid(DVec3::new(1.0, 0.5, 0.3)).unwrap());
    let mut deep = 0;
    for _ in 0..60 {
        let pose = random_pose(&mut random, 0.4);
        let surface = triangles(&block, &Pose::IDENTITY);
        for point in contacts(&torus, &pose, &block, &Pose::IDENTITY, 0.01) {
            if let Feature::Shape { part: ShapePart::Vertex(_), .. } = point.features.on_a
                && point.gap < -0.01
            {
                deep += 1;
                let at = [point.on_a; 3];
                let nearest = surface
                    .iter()
                    .map(|t| triangle_distance(&at, t).distance())
                    .fold(f64::INFINITY, f64::min);
                assert!((nearest + point.gap).abs() < 1e-9, "{nearest} {point:?}");
            }
        }
    }
    assert!(deep > 50, "{deep}");
}

#[test]
fn crossed_ridges_of_two_meshes_touch_across_both() {
    let cube = mesh_of(&generate::cuboid(DVec3::ONE).unwrap());
    let quarter = std::f64::consts::FRAC_PI_4;
    for gap in [0.005, 1e-7, -0.003] {
        let lower = turned(DVec3::X, quarter, DVec3::ZERO);
        let upper = turned(DVec3::Z, quarter, DVec3::new(0.05, 2.0 * 0.5_f64.sqrt() + gap, 0.07));
        let points = contacts(&cube, &upper, &cube, &lower, 0.01);
        assert_eq!(points.len(), 1, "{points:?}");
        assert!((points[0].normal - DVec3::Y).length() < 1e-6 && (points[0].gap - gap).abs() < 1e-9);
    }
}

#[test]
fn no_pair_of_features_is_reported_twice() {
    let torus = mesh_of(&generate::torus(0.5, 0.2, 24, 16).unwrap());
    let body = touchable(&torus);
    let mut manifolds = Manifolds::new();
    let options = ManifoldOptions { margin: 0.15, ..ManifoldOptions::default() };
    // Two links of a chain.
    let link = turned(DVec3::X, 1.4, DVec3::new(0.5, 0.03, 0.0));
    find_manifolds(&body, &link, &body, &Pose::IDENTITY, &options, &mut manifolds).unwrap();
    assert!(!manifolds.points().is_empty());
    let mut names: Vec<(Feature, Feature)> =
        manifolds.points().iter().map(|p| (p.features.on_a, p.features.on_b)).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}
