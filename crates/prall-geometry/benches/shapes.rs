//! How long hulls, fits, closest points and rays take.

use std::hint::black_box;
use std::sync::Arc;

use divan::Bencher;
use glam::{DVec3, Vec3Swizzles};
use prall_geometry::{
    BoxMeasure, ConvexHull, Heightfield, Mesh, MeshOptions, OrientedBox, Ray, Shape, SphereFit, TriangleMesh,
    generate,
};

fn main() {
    divan::main();
}

/// Even in [-1, 1) by splitmix64, from a fixed seed.
fn signed(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn ball(count: usize) -> Vec<DVec3> {
    let mut state = 7;
    let mut points = Vec::new();
    while points.len() < count {
        let p = DVec3::new(signed(&mut state), signed(&mut state), signed(&mut state));
        if (1e-3..1.0).contains(&p.length_squared()) {
            points.push(p);
        }
    }
    points
}

fn sphere(count: usize) -> Vec<DVec3> {
    ball(count).into_iter().map(DVec3::normalize).collect()
}

/// 22 x 22 x 22 points of a cube, turned so that its faces are flat only up to rounding.
fn cube_grid() -> Vec<DVec3> {
    let turn = glam::DQuat::from_axis_angle(DVec3::ONE.normalize(), 0.7);
    let index = |i: usize| DVec3::new((i % 22) as f64, (i / 22 % 22) as f64, (i / 484) as f64);
    (0..22 * 22 * 22).map(|i| turn * index(i)).collect()
}

fn straight_grid() -> Vec<DVec3> {
    (0..22 * 22 * 22).map(|i| DVec3::new((i % 22) as f64, (i / 22 % 22) as f64, (i / 484) as f64)).collect()
}

#[divan::bench]
fn hull_of_10000_points_on_a_sphere(bencher: Bencher) {
    let points = sphere(10_000);
    bencher.bench(|| ConvexHull::from_points(black_box(&points)));
}

#[divan::bench]
fn hull_of_10000_points_in_a_ball(bencher: Bencher) {
    let points = ball(10_000);
    bencher.bench(|| ConvexHull::from_points(black_box(&points)));
}

#[divan::bench]
fn hull_of_10648_points_of_a_cube_grid(bencher: Bencher) {
    let points = straight_grid();
    bencher.bench(|| ConvexHull::from_points(black_box(&points)));
}

#[divan::bench]
fn hull_of_10648_points_of_a_turned_cube_grid(bencher: Bencher) {
    let points = cube_grid();
    bencher.bench(|| ConvexHull::from_points(black_box(&points)));
}

#[divan::bench(args = [16, 256, 4096])]
fn support_of_a_hull(bencher: Bencher, vertices: usize) {
    let hull = ConvexHull::from_points(&sphere(vertices)).unwrap();
    let directions = ball(64);
    bencher.counter(64_usize).bench(|| directions.iter().map(|&d| hull.support_vertex(d)).sum::<u32>());
}

#[divan::bench]
fn smallest_sphere_of_10000_points_in_a_ball(bencher: Bencher) {
    let points = ball(10_000);
    bencher.bench(|| SphereFit::smallest(black_box(&points)));
}

#[divan::bench]
fn smallest_sphere_of_10000_points_on_a_sphere(bencher: Bencher) {
    let points = sphere(10_000);
    bencher.bench(|| SphereFit::smallest(black_box(&points)));
}

#[divan::bench]
fn sphere_by_simplex_of_10000_points_in_a_ball(bencher: Bencher) {
    let points = ball(10_000);
    bencher.bench(|| SphereFit::by_simplex(black_box(&points), None));
}

#[divan::bench(args = [20, 200, 10_000])]
fn smallest_box(bencher: Bencher, count: usize) {
    let points = ball(count);
    bencher.bench(|| OrientedBox::smallest(black_box(&points), BoxMeasure::Surface));
}

#[divan::bench(args = [20, 200, 10_000])]
fn box_by_simplex(bencher: Bencher, count: usize) {
    let points = ball(count);
    bencher.bench(|| OrientedBox::by_simplex(black_box(&points), BoxMeasure::Surface));
}

fn shapes() -> Vec<(&'static str, Shape)> {
    let mesh = Mesh::from_soup(&generate::ico_sphere(1.0, 3).unwrap(), &MeshOptions::default()).unwrap();
    let heights = (0..10_000).map(|i| 0.1 * ((i * 7919) % 13) as f64 / 13.0).collect();
    vec![
        ("sphere", Shape::sphere(1.0).unwrap()),
        ("box", Shape::cuboid(DVec3::new(1.0, 0.7, 0.5)).unwrap()),
        ("capsule", Shape::capsule(0.6, 0.4).unwrap()),
        ("cylinder", Shape::cylinder(0.6, 0.4).unwrap()),
        ("cone", Shape::cone(0.6, 0.4).unwrap()),
        ("hull_32", Shape::ConvexHull(Arc::new(ConvexHull::from_points(&sphere(32)).unwrap()))),
        ("mesh_1280", Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))),
        (
            "field_100x100",
            Shape::Heightfield(Arc::new(Heightfield::new(100, 100, 2.0, 2.0, heights).unwrap())),
        ),
    ]
}

const NAMES: [&str; 8] =
    ["sphere", "box", "capsule", "cylinder", "cone", "hull_32", "mesh_1280", "field_100x100"];

fn shape(name: &str) -> Shape {
    shapes().into_iter().find(|(n, _)| *n == name).unwrap().1
}

#[divan::bench(args = NAMES)]
fn closest_point(bencher: Bencher, name: &str) {
    let shape = shape(name);
    let points = ball(64);
    bencher
        .counter(64_usize)
        .bench(|| points.iter().map(|&p| shape.closest_point(2.0 * p).distance).sum::<f64>());
}

#[divan::bench(args = NAMES)]
fn ray_cast(bencher: Bencher, name: &str) {
    let shape = shape(name);
    let rays: Vec<Ray> =
        ball(64).iter().map(|&p| Ray::new(3.0 * p.normalize(), 0.5 * p.zxy() - 3.0 * p).unwrap()).collect();
    bencher.counter(64_usize).bench(|| {
        rays.iter().filter_map(|ray| shape.ray_cast(ray, 10.0)).map(|hit| hit.distance).sum::<f64>()
    });
}
