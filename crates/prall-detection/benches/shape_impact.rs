//! The certified time of impact of shapes, in the situations of a step of rigid bodies.

use std::sync::Arc;

use divan::{Bencher, black_box};
use glam::{DQuat, DVec3};
use prall_detection::{Budget, ImpactOptions, Touchable, Workspace, shape_time_of_impact};
use prall_geometry::{Mesh, MeshOptions, Shape, TriangleMesh, generate};
use prall_math::{Motion, Pose, Twist};

fn main() {
    divan::main();
}

fn cube() -> Shape {
    Shape::cuboid(DVec3::splat(0.5)).unwrap()
}

fn small(height: f64, way: DVec3) -> Motion {
    let start = Pose::new(DQuat::from_rotation_y(0.3), DVec3::new(0.1, height, 0.05));
    let twist = Twist { linear: way, angular: DVec3::new(0.01, 0.02, -0.01) };
    Motion::from_twist(start, DVec3::ZERO, twist, 1.0).unwrap()
}

fn ask(bencher: Bencher, a: &Shape, motion_a: &Motion, b: &Shape) {
    let (a, b) = (Touchable::new(a).unwrap(), Touchable::new(b).unwrap());
    let (still, options) = (Motion::still(Pose::IDENTITY).unwrap(), ImpactOptions::default());
    let mut workspace = Workspace::new();
    bencher.bench_local(|| {
        let mut budget = Budget::unlimited();
        shape_time_of_impact(&a, black_box(motion_a), &b, &still, &options, &mut budget, &mut workspace)
    });
}

#[divan::bench]
fn boxes_far_apart(bencher: Bencher) {
    ask(bencher, &cube(), &small(2.5, DVec3::NEG_Y * 0.1), &cube());
}

#[divan::bench]
fn boxes_near_free(bencher: Bencher) {
    ask(bencher, &cube(), &small(1.05, DVec3::new(0.02, -0.02, 0.0)), &cube());
}

#[divan::bench]
fn boxes_hit(bencher: Bencher) {
    ask(bencher, &cube(), &small(1.05, DVec3::NEG_Y * 0.1), &cube());
}

#[divan::bench]
fn balls_hit(bencher: Bencher) {
    let ball = Shape::sphere(0.5).unwrap();
    ask(bencher, &ball, &small(1.05, DVec3::NEG_Y * 0.1), &ball);
}

#[divan::bench]
fn cylinder_hits_box(bencher: Bencher) {
    ask(bencher, &Shape::cylinder(0.5, 0.2).unwrap(), &small(1.05, DVec3::NEG_Y * 0.1), &cube());
}

#[divan::bench(args = [3, 5])]
fn box_hits_mesh(bencher: Bencher, subdivisions: u32) {
    let soup = generate::ico_sphere(0.5, subdivisions).unwrap();
    let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
    let mesh = Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()));
    ask(bencher, &cube(), &small(1.05, DVec3::NEG_Y * 0.1), &mesh);
}
