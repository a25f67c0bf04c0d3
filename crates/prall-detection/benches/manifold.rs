//! Contacts of shapes at an instant.

use std::sync::Arc;

use divan::{Bencher, black_box};
use glam::{DQuat, DVec3};
use prall_detection::{
    ManifoldCache, ManifoldOptions, Manifolds, Touchable, find_manifolds, find_manifolds_cached, separation,
};
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
        find_manifolds(&a, black_box(&pose_a), &b, &Pose::IDENTITY, &options, &mut manifolds)
            .expect("sound poses");
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

/// The same pair, remembered from step to step: standing, or in steps too large to be carried over.
#[divan::bench(args = [0.0, 0.01])]
fn remembered_box_on_box(bencher: Bencher, step: f64) {
    let (a, b) = (Touchable::new(&cube()).unwrap(), Touchable::new(&cube()).unwrap());
    let (options, mut manifolds) = (ManifoldOptions::default(), Manifolds::new());
    let (mut cache, mut pose) = (ManifoldCache::default(), above(0.998));
    let mut there = false;
    bencher.bench_local(|| {
        there = !there;
        pose.translation.x = if there { step } else { 0.0 };
        let b_pose = &Pose::IDENTITY;
        find_manifolds_cached(&a, black_box(&pose), &b, b_pose, &options, &mut cache, &mut manifolds)
            .expect("sound poses");
        manifolds.points().len()
    });
}

/// All pairs of a pyramid of 5,050 cubes in 100 rows, as many as stand on and beside each other, remembered
/// or in steps too large to be carried over.
#[divan::bench(args = [0.0, 0.01], sample_count = 20)]
fn large_pyramid(bencher: Bencher, step: f64) {
    let rows = 100_usize;
    let cube = Touchable::new(&cube()).unwrap();
    let mut poses: Vec<Pose> = Vec::new();
    let mut pairs: Vec<(usize, usize, ManifoldCache)> = Vec::new();
    for row in 0..rows {
        for place in 0..rows - row {
            let x = 0.5 * row as f64 + place as f64;
            let this = poses.len();
            poses.push(Pose::from_translation(DVec3::new(x, 0.5 + row as f64, 0.0)));
            if place > 0 {
                pairs.push((this - 1, this, ManifoldCache::default()));
            }
            if row > 0 {
                let below = this - (rows - row + 1);
                pairs.push((below, this, ManifoldCache::default()));
                pairs.push((below + 1, this, ManifoldCache::default()));
            }
        }
    }
    let (options, mut manifolds) = (ManifoldOptions::default(), Manifolds::new());
    let mut there = false;
    bencher.bench_local(|| {
        there = !there;
        let shift = DVec3::Z * if there { step } else { 0.0 };
        let mut points = 0;
        for (i, j, cache) in &mut pairs {
            let pose = Pose::new(poses[*j].rotation, poses[*j].translation + shift);
            find_manifolds_cached(&cube, &poses[*i], &cube, &pose, &options, cache, &mut manifolds)
                .expect("sound poses");
            points += manifolds.points().len();
        }
        points
    });
}

#[divan::bench]
fn box_on_half_space(bencher: Bencher) {
    find(bencher, &cube(), above(0.499), &Shape::HalfSpace(prall_geometry::HalfSpace));
}

#[divan::bench]
fn box_edge_on_box(bencher: Bencher) {
    let tilt = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4) * DQuat::from_rotation_y(0.3);
    let (shape, height) = (cube(), 0.5 + 0.5_f64.sqrt() + 1e-3);
    let (a, b) = (Touchable::new(&shape).unwrap(), Touchable::new(&shape).unwrap());
    let pose = Pose::new(tilt, DVec3::new(0.3, height, 0.4));
    let (options, mut manifolds) = (ManifoldOptions::default(), Manifolds::new());
    bencher.bench_local(|| {
        find_manifolds(&a, black_box(&pose), &b, &Pose::IDENTITY, &options, &mut manifolds)
            .expect("sound poses");
        manifolds.points().len()
    });
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
