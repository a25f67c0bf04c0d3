//! Near features of two bodies at an instant.

#[path = "../tests/detection/meshes.rs"]
#[allow(dead_code, reason = "shared with the tests, which need more of it")]
mod meshes;

use std::sync::Arc;

use divan::{Bencher, black_box};
use glam::{DQuat, DVec3};
use prall_detection::{Boundary, NearOptions, Workspace, distance_bound, near_features};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh, generate};
use prall_math::Pose;

fn main() {
    divan::main();
}

fn mesh(soup: &PolygonSoup) -> Boundary {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).unwrap();
    Boundary::new(&Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))).unwrap()
}

fn soup(triangles: &[[DVec3; 3]]) -> PolygonSoup {
    let positions: Vec<DVec3> = triangles.iter().flatten().copied().collect();
    let faces: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    PolygonSoup::from_triangles(positions, &faces).unwrap()
}

fn find(bencher: Bencher, a: &Boundary, pose_a: Pose, b: &Boundary, reach: f64) {
    let options = NearOptions { reach, ..NearOptions::default() };
    let (mut workspace, mut found) = (Workspace::new(), Vec::new());
    bencher.bench_local(|| {
        found.clear();
        near_features(a, black_box(&pose_a), b, &Pose::IDENTITY, &options, &mut workspace, &mut found)
            .expect("sound poses");
        found.len()
    });
}

#[divan::bench]
fn box_flush_on_box(bencher: Bencher) {
    let cube = Boundary::new(&Shape::cuboid(DVec3::splat(0.5)).unwrap()).unwrap();
    let pose = Pose::new(DQuat::from_rotation_y(0.3), DVec3::new(0.1, 1.0 + 10e-6, 0.05));
    find(bencher, &cube, pose, &cube, 20e-6);
}

/// All gap functions of that pair once.
#[divan::bench]
fn gaps_of_box_flush_on_box(bencher: Bencher) {
    let cube = Boundary::new(&Shape::cuboid(DVec3::splat(0.5)).unwrap()).unwrap();
    let pose = Pose::new(DQuat::from_rotation_y(0.3), DVec3::new(0.1, 1.0 + 10e-6, 0.05));
    let (options, mut found) = (NearOptions::default(), Vec::new());
    near_features(&cube, &pose, &cube, &Pose::IDENTITY, &options, &mut Workspace::new(), &mut found)
        .expect("sound poses");
    bencher.bench_local(|| {
        found.iter().map(|feature| feature.at(black_box(&pose), &Pose::IDENTITY).gap).sum::<f64>()
    });
}

#[divan::bench]
fn box_on_half_space(bencher: Bencher) {
    let cube = Boundary::new(&Shape::cuboid(DVec3::splat(0.5)).unwrap()).unwrap();
    let ground = Boundary::new(&Shape::HalfSpace(prall_geometry::HalfSpace)).unwrap();
    find(bencher, &cube, Pose::from_translation(DVec3::Y * (0.5 + 10e-6)), &ground, 20e-6);
}

#[divan::bench]
fn ball_on_box(bencher: Bencher) {
    let ball = Boundary::new(&Shape::sphere(0.5).unwrap()).unwrap();
    let cube = Boundary::new(&Shape::cuboid(DVec3::splat(0.5)).unwrap()).unwrap();
    find(bencher, &ball, Pose::from_translation(DVec3::Y * (1.0 + 10e-6)), &cube, 20e-6);
}

/// Links of a chain: each ring of 768 triangles through the other, touching at one place.
#[divan::bench]
fn interlocked_rings(bencher: Bencher) {
    let ring = mesh(&generate::torus(0.02, 0.005, 24, 16).unwrap());
    let pose = hanging();
    find(bencher, &ring, pose, &ring, 100e-6);
}

#[divan::bench]
fn distance_of_interlocked_rings(bencher: Bencher) {
    let ring = mesh(&generate::torus(0.02, 0.005, 24, 16).unwrap());
    let (pose, mut workspace) = (hanging(), Workspace::new());
    bencher.bench_local(|| {
        distance_bound(&ring, black_box(&pose), &ring, &Pose::IDENTITY, 100e-6, &mut workspace)
            .expect("sound poses")
    });
}

fn hanging() -> Pose {
    let turn = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2) * DQuat::from_rotation_y(0.07);
    Pose::new(turn, DVec3::X * (0.03 - 200e-6))
}

/// A bolt of 2,560 triangles in a nut of the same, threads 0.1 mm apart.
#[divan::bench(args = [20e-6, 100e-6])]
fn bolt_in_nut(bencher: Bencher, reach: f64) {
    let bolt = mesh(&soup(&meshes::thread(0.01, 0.0025, 0.0015, 5.0, 2560)));
    let nut = mesh(&soup(&meshes::thread(0.0101, 0.0025, 0.0015, 5.0, 2560)));
    find(bencher, &bolt, Pose::from_translation(DVec3::new(60e-6, 0.0, 0.0)), &nut, reach);
}
