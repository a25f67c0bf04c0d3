//! Contacts of shapes at an instant.

use std::sync::Arc;

use divan::{Bencher, black_box};
use glam::{DQuat, DVec3};
use prall_detection::{ManifoldOptions, Manifolds, Touchable, find_manifolds, separation};
use prall_geometry::{ConvexHull, Heightfield, Mesh, MeshOptions, Shape, TriangleMesh, generate};
use prall_math::Pose;

fn main() {
    divan::main();
}

/// A sphere-like hull of this many corners, on a spiral from pole to pole in steps of the golden angle.
fn hull(corners: usize) -> Shape {
    let place = |i: usize| {
        let height = 1.0 - (2 * i + 1) as f64 / corners as f64;
        let (sine, cosine) = libm::sincos(2.399963229728653 * i as f64);
        DVec3::new(cosine, 0.0, sine) * (1.0 - height * height).sqrt() + DVec3::Y * height
    };
    let points: Vec<DVec3> = (0..corners).map(|i| place(i) * 0.5).collect();
    Shape::ConvexHull(Arc::new(ConvexHull::from_points(&points).unwrap()))
}

fn mesh(soup: &prall_geometry::PolygonSoup) -> Shape {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).unwrap();
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))
}

fn cube() -> Shape {
    Shape::cuboid(DVec3::splat(0.5)).unwrap()
}

fn above(height: f64) -> Pose {
    Pose::new(DQuat::from_rotation_y(0.3), DVec3::new(0.1, height, 0.05))
}

fn find(bencher: Bencher, a: &Shape, pose_a: Pose, b: &Shape) {
    let (a, b) = (Touchable::new(a).unwrap(), Touchable::new(b).unwrap());
    let (options, mut manifolds) = (ManifoldOptions::default(), Manifolds::new());
    bencher.bench_local(|| {
        find_manifolds(&a, black_box(&pose_a), &b, &Pose::IDENTITY, &options, &mut manifolds);
        manifolds.points().len()
    });
}

#[divan::bench(args = [-0.002, 0.002])]
fn box_on_box(bencher: Bencher, gap: f64) {
    find(bencher, &cube(), above(1.0 + gap), &cube());
}

#[divan::bench]
fn box_far_from_box(bencher: Bencher) {
    find(bencher, &cube(), above(1.5), &cube());
}

#[divan::bench]
fn ball_on_box(bencher: Bencher) {
    find(bencher, &Shape::sphere(0.5).unwrap(), above(0.999), &cube());
}

#[divan::bench]
fn capsule_on_box(bencher: Bencher) {
    find(bencher, &Shape::capsule(0.5, 0.2).unwrap(), above(1.199), &cube());
}

#[divan::bench(args = [20, 200])]
fn hull_distance(bencher: Bencher, corners: usize) {
    let shape = hull(corners);
    let pose = above(1.2);
    bencher.bench_local(|| separation(&shape, black_box(&pose), &shape, &Pose::IDENTITY));
}

#[divan::bench(args = [20, 200])]
fn hull_depth(bencher: Bencher, corners: usize) {
    let shape = hull(corners);
    let pose = above(0.8);
    bencher.bench_local(|| separation(&shape, black_box(&pose), &shape, &Pose::IDENTITY));
}

#[divan::bench(args = [20, 200])]
fn hull_manifold(bencher: Bencher, corners: usize) {
    let shape = hull(corners);
    find(bencher, &shape, above(0.9), &shape);
}

#[divan::bench]
fn box_on_height_field(bencher: Bencher) {
    let field = Heightfield::new(101, 101, 50.0, 50.0, vec![0.0; 101 * 101]).unwrap();
    find(bencher, &cube(), above(0.499), &Shape::Heightfield(Arc::new(field)));
}

#[divan::bench]
fn ball_on_mesh_of_20000_triangles(bencher: Bencher) {
    let ground = mesh(&generate::ico_sphere(5.0, 5).unwrap());
    find(bencher, &Shape::sphere(0.1).unwrap(), above(5.099), &ground);
}

#[divan::bench]
fn box_on_mesh_of_20000_triangles(bencher: Bencher) {
    let ground = mesh(&generate::ico_sphere(5.0, 5).unwrap());
    find(bencher, &cube(), above(5.499), &ground);
}

#[divan::bench]
fn mesh_of_1300_triangles_on_mesh_of_20000(bencher: Bencher) {
    let (ring, ground) = (generate::torus(0.4, 0.1, 32, 20).unwrap(), generate::ico_sphere(5.0, 5).unwrap());
    find(bencher, &mesh(&ring), above(5.09), &mesh(&ground));
}
