//! Cost of queries: the sizes that the detection of a scene stands on.
//!
//! Spheres of 1 m radius, 5 mm apart, with bumps; a bolt in a nut with 0.47 mm play.

#[path = "../tests/detection/meshes.rs"]
mod meshes;

#[global_allocator]
static ALLOCATOR: divan::AllocProfiler = divan::AllocProfiler::system();

use divan::Bencher;
use glam::{DQuat, DVec3};
use prall_detection::*;
use prall_math::{Motion, Pose};

fn main() {
    divan::main();
}

const SIZES: [usize; 3] = [10_000, 50_000, 200_000];

struct Pair {
    a: Hierarchy,
    b: Hierarchy,
    at_a: Pose,
    at_b: Pose,
}

fn hierarchy(triangles: &[[DVec3; 3]]) -> Hierarchy {
    Hierarchy::build(triangles, &BuildOptions::default()).expect("a body")
}

fn spheres(size: usize) -> Pair {
    let body = hierarchy(&meshes::bumpy_sphere(1.0, size));
    let at_b = Pose::new(DQuat::from_rotation_z(0.7), DVec3::new(0.3, -0.2, 0.1));
    let towards = DVec3::new(1.0, 0.4, 0.2).normalize();
    let mut at_a = Pose::new(DQuat::from_rotation_y(1.1), at_b.translation + 2.1 * towards);
    let near = distance(&body, &at_a, &body, &at_b, &DistanceOptions::default(), &mut Workspace::new())
        .expect("sound poses");
    at_a.translation -= towards * (near.expect("no limit").gap - 0.005);
    Pair { a: body.clone(), b: body, at_a, at_b }
}

fn bolt_in_nut(size: usize) -> Pair {
    let (radius, pitch, depth, play) = (0.05, 0.012, 0.006, 0.000_47);
    let bolt = meshes::thread(radius, pitch, depth, 6.0, size);
    // The play is measured across the flanks of the thread.
    let nut = meshes::thread(radius + std::f64::consts::SQRT_2 * play, pitch, depth, 4.0, size);
    let at_a = Pose::from_translation(DVec3::new(0.0, 0.0, -0.012));
    Pair { a: hierarchy(&bolt), b: hierarchy(&nut), at_a, at_b: Pose::IDENTITY }
}

#[divan::bench(args = SIZES)]
fn spheres_overlap(bencher: Bencher, size: usize) {
    let Pair { a, b, at_a, at_b } = spheres(size);
    let mut workspace = Workspace::new();
    bencher.bench_local(|| {
        assert!(overlap(&a, &at_a, &b, &at_b, &mut workspace).expect("sound poses").is_none());
    });
}

#[divan::bench(args = SIZES)]
fn spheres_distance(bencher: Bencher, size: usize) {
    let Pair { a, b, at_a, at_b } = spheres(size);
    let mut workspace = Workspace::new();
    let options = DistanceOptions::default();
    bencher.bench_local(|| distance(&a, &at_a, &b, &at_b, &options, &mut workspace));
}

#[divan::bench(args = SIZES)]
fn spheres_distance_with_last_pair(bencher: Bencher, size: usize) {
    let Pair { a, b, at_a, at_b } = spheres(size);
    let mut workspace = Workspace::new();
    let near = distance(&a, &at_a, &b, &at_b, &DistanceOptions::default(), &mut workspace)
        .expect("sound poses")
        .expect("no limit");
    let last = near.features.on_a.triangle().zip(near.features.on_b.triangle());
    let options = DistanceOptions { last, ..DistanceOptions::default() };
    bencher.bench_local(|| distance(&a, &at_a, &b, &at_b, &options, &mut workspace));
}

/// Moves A by `travel` metres towards B, `aside` metres across, and turns it by `degrees`.
fn motion(pair: &Pair, travel: f64, aside: f64, degrees: f64) -> Motion {
    let towards = (pair.at_b.translation - pair.at_a.translation).normalize();
    let across = towards.any_orthonormal_vector();
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), degrees.to_radians());
    let end = Pose::new(turn * pair.at_a.rotation, pair.at_a.translation + towards * travel + across * aside);
    Motion::slerp(pair.at_a, end).expect("a motion")
}

fn impact(bencher: Bencher, pair: &Pair, motion_a: &Motion, hits: bool) {
    let motion_b = Motion::still(pair.at_b).expect("a pose");
    let mut workspace = Workspace::new();
    let mut run = || {
        let mut budget = Budget::unlimited();
        let options = ImpactOptions::default();
        time_of_impact(&pair.a, motion_a, &pair.b, &motion_b, &options, &mut budget, &mut workspace)
            .expect("an answer")
    };
    let answer = run();
    assert_eq!(answer.contact.is_some(), hits, "{answer:?}");
    bencher.bench_local(run);
}

#[divan::bench(args = SIZES)]
fn spheres_small_motion_free(bencher: Bencher, size: usize) {
    let pair = spheres(size);
    impact(bencher, &pair, &motion(&pair, 0.002, 0.0, 0.1), false);
}

#[divan::bench(args = SIZES)]
fn spheres_small_motion_hit(bencher: Bencher, size: usize) {
    let pair = spheres(size);
    impact(bencher, &pair, &motion(&pair, 0.008, 0.0, 0.5), true);
}

#[divan::bench(args = SIZES)]
fn spheres_large_motion_hit(bencher: Bencher, size: usize) {
    let mut pair = spheres(size);
    pair.at_a.translation += 0.5 * (pair.at_a.translation - pair.at_b.translation).normalize();
    impact(bencher, &pair, &motion(&pair, 0.6, 0.0, 90.0), true);
}

/// Two triangles that are neighbours in the nearest places of the spheres.
fn near_triangles() -> ([DVec3; 3], [DVec3; 3]) {
    let pair = spheres(10_000);
    let options = DistanceOptions::default();
    let near = distance(&pair.a, &pair.at_a, &pair.b, &pair.at_b, &options, &mut Workspace::new())
        .expect("sound poses");
    let features = near.expect("no limit").features;
    let placed = |body: &Hierarchy, pose: &Pose, triangle: Option<u32>| {
        triangle.and_then(|t| body.triangle(t)).expect("it was found").map(|p| pose.transform_point(p))
    };
    (
        placed(&pair.a, &pair.at_a, features.on_a.triangle()),
        placed(&pair.b, &pair.at_b, features.on_b.triangle()),
    )
}

#[divan::bench]
fn elementary_triangle_distance(bencher: Bencher) {
    let (a, b) = near_triangles();
    bencher.bench_local(|| triangle_distance(divan::black_box(&a), divan::black_box(&b)));
}

#[divan::bench]
fn elementary_triangles_overlap(bencher: Bencher) {
    let (a, b) = near_triangles();
    bencher.bench_local(|| triangles_overlap(divan::black_box(&a), divan::black_box(&b)));
}

/// Two boxes of any orientation that overlap: all fifteen axes.
#[divan::bench]
fn elementary_box_box(bencher: Bencher) {
    let oriented = prall_geometry::OrientedBox::new(
        DVec3::new(0.1, 0.2, 0.3),
        glam::DMat3::from_quat(DQuat::from_rotation_x(0.4)),
        DVec3::new(1.0, 0.5, 0.2),
    );
    let (first, second) = (volumes::Volume::Box(oriented), volumes::Volume::Box(oriented));
    let at = Pose::new(DQuat::from_rotation_z(0.9), DVec3::new(0.3, 0.1, -0.2));
    let variant = volumes::IsoBoxAgainstBox::FifteenAxes;
    bencher.bench_local(|| {
        volumes::volumes_overlap(
            divan::black_box(&first),
            &Pose::IDENTITY,
            &second,
            divan::black_box(&at),
            variant,
        )
    });
}

const THREAD_SIZES: [usize; 2] = [10_000, 50_000];

#[divan::bench(args = THREAD_SIZES)]
fn bolt_overlap(bencher: Bencher, size: usize) {
    let Pair { a, b, at_a, at_b } = bolt_in_nut(size);
    let mut workspace = Workspace::new();
    bencher.bench_local(|| {
        assert!(overlap(&a, &at_a, &b, &at_b, &mut workspace).expect("sound poses").is_none());
    });
}

#[divan::bench(args = THREAD_SIZES, sample_count = 20)]
fn bolt_distance(bencher: Bencher, size: usize) {
    let Pair { a, b, at_a, at_b } = bolt_in_nut(size);
    let mut workspace = Workspace::new();
    let options = DistanceOptions::default();
    bencher.bench_local(|| distance(&a, &at_a, &b, &at_b, &options, &mut workspace));
}

#[divan::bench(args = THREAD_SIZES)]
fn bolt_screw_of_one_degree(bencher: Bencher, size: usize) {
    let pair = bolt_in_nut(size);
    let angle = 1_f64.to_radians();
    let advance = 0.012 * angle / std::f64::consts::TAU;
    let motion = Motion::screw_about(pair.at_a, DVec3::ZERO, DVec3::Z, angle, advance).expect("a screw");
    impact(bencher, &pair, &motion, false);
}

#[divan::bench(args = [10_000, 1_000_000], sample_count = 3, sample_size = 1)]
fn build(bencher: Bencher, size: usize) {
    let triangles = meshes::bumpy_sphere(1.0, size);
    bencher.bench_local(|| hierarchy(&triangles));
}
