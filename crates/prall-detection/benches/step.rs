//! Cost of many objects: steps of groups of meshes within budgets, and batches of queries on several threads.

#[path = "../tests/detection/meshes.rs"]
mod meshes;

use std::sync::Arc;

use divan::Bencher;
use glam::{DQuat, DVec3};
use prall_detection::*;
use prall_math::{Motion, Pose};

fn main() {
    divan::main();
}

fn hierarchy(mesh: &[[DVec3; 3]]) -> Arc<Hierarchy> {
    Arc::new(Hierarchy::build(mesh, &BuildOptions::default()).expect("a body"))
}

/// Where body i of a hundred is, its neighbours 20 mm away.
fn place(i: u32) -> DVec3 {
    DVec3::new(f64::from(i % 10), f64::from(i / 10), 0.0) * 1.03
}

/// A hundred balls and screws of 2,000 triangles, each of them moving by 10 mm and 3 degrees, towards some neighbours and away
/// from others; up to so many units of work.
#[divan::bench(args = [0, 1_000, 10_000, u64::MAX])]
fn step_of_a_hundred_meshes(bencher: Bencher, work: u64) {
    let ball = Solid::new(hierarchy(&meshes::bumpy_sphere(0.5, 2000)));
    let screw = Solid::new(hierarchy(&meshes::thread(0.45, 0.1, 0.05, 3.0, 2000)));
    let mut control = StepControl::new(GlobalPoses::new(), Method::Tree, SweptBox::StartAndEnd);
    let mut solids = Solids::new(ImpactOptions::default(), TestMode::Certified).expect("good options");
    let add = |i: u32| {
        let solid = if i.is_multiple_of(2) { &ball } else { &screw };
        let object = control.add(solid.bounds(), Pose::from_translation(place(i)), Filter::EVERYTHING);
        solids.set(object.expect("a place"), solid.clone());
        object.expect("a place")
    };
    let objects: Vec<ObjectId> = (0..100).map(add).collect();
    let mut detection = Detection::default();
    bencher.bench_local(|| {
        for (i, &object) in (0..).zip(&objects) {
            let aside = if i % 3 == 0 { DVec3::X } else { DVec3::Y };
            let to = Pose::new(DQuat::from_rotation_z(0.05), place(i) + 0.01 * aside);
            let motion = Motion::slerp(Pose::from_translation(place(i)), to).expect("good poses");
            control.register(object, motion).expect("it starts there");
        }
        let mut budget = Budget::of_work(work);
        control.detect(&mut solids, Distribution::Common, &mut budget, &mut detection).expect("all solid");
        control.cancel();
        budget.used()
    });
}

/// 200 certified motions of bodies of 10,000 triangles on that many threads.
#[divan::bench(args = [1, 2])]
fn batch_of_impacts(bencher: Bencher, threads: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let batch = Batch::new(&pool);
    let body = hierarchy(&meshes::bumpy_sphere(0.5, 10_000));
    let rest = Motion::still(Pose::IDENTITY).expect("a pose");
    let motions: Vec<Motion> = (0..200)
        .map(|i| {
            let from = Pose::from_translation(DVec3::new(1.3, 0.002 * f64::from(i), 0.0));
            let to = Pose::new(DQuat::from_rotation_y(0.5), DVec3::new(0.9, 0.0, 0.0));
            Motion::slerp(from, to).expect("good poses")
        })
        .collect();
    let queries: Vec<_> = motions
        .iter()
        .map(|motion_a| MovingBodies { a: &body, motion_a, b: &body, motion_b: &rest, work: u64::MAX })
        .collect();
    let options = ImpactOptions::default();
    bencher.bench_local(|| batch.time_of_impact(&queries, &options));
}
