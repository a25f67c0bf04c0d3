//! Many queries at once: the bits of one after the other.

use std::sync::Arc;

use glam::{DAffine3, DVec3};
use prall_detection::{
    AssemblyPart, Batch, Budget, DistanceOptions, ImpactOptions, MovingBodies, PlacedBodies, Workspace,
    clash, distance, overlap, time_of_impact,
};
use prall_geometry::{Mesh, MeshOptions, generate};
use prall_math::Motion;

use crate::bodies::{body, hierarchy, motion, pose};
use crate::random::Random;

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool")
}

#[test]
fn any_number_of_threads_gives_the_answers_of_one_query_after_the_other() {
    let mut random = Random::new(91);
    let bodies: Vec<_> = (0..12).map(|_| hierarchy(&body(&mut random))).collect();
    let placed: Vec<_> = (0..200)
        .map(|i| PlacedBodies {
            a: &bodies[i % 12],
            pose_a: pose(&mut random, 0.8),
            b: &bodies[i * 5 % 12],
            pose_b: pose(&mut random, 0.8),
        })
        .collect();
    let motions: Vec<(Motion, Motion)> = placed
        .iter()
        .map(|query| (motion(&mut random, query.pose_a), motion(&mut random, query.pose_b)))
        .collect();
    let moving: Vec<_> = placed
        .iter()
        .zip(&motions)
        .map(|(query, (motion_a, motion_b))| {
            let work = if random.chance(0.3) { random.integer(100) } else { u64::MAX };
            MovingBodies { a: query.a, motion_a, b: query.b, motion_b, work }
        })
        .collect();
    let (near, options) = (DistanceOptions::default(), ImpactOptions::default());
    let mut workspace = Workspace::new();
    let overlaps: Vec<_> =
        placed.iter().map(|q| overlap(q.a, &q.pose_a, q.b, &q.pose_b, &mut workspace)).collect();
    let distances: Vec<_> =
        placed.iter().map(|q| distance(q.a, &q.pose_a, q.b, &q.pose_b, &near, &mut workspace)).collect();
    let impacts: Vec<_> = moving
        .iter()
        .map(|q| {
            let mut budget = Budget::of_work(q.work);
            let answer =
                time_of_impact(q.a, q.motion_a, q.b, q.motion_b, &options, &mut budget, &mut workspace);
            answer.map(|answer| (answer, budget.used()))
        })
        .collect();
    assert!(overlaps.iter().flatten().any(Option::is_some) && overlaps.iter().flatten().any(Option::is_none));
    for threads in [1, 2, 4] {
        let pool = pool(threads);
        let batch = Batch::new(&pool);
        for _ in 0..2 {
            assert_eq!(batch.overlap(&placed), overlaps);
            assert_eq!(batch.distance(&placed, &near), distances);
            assert_eq!(batch.time_of_impact(&moving, &options), impacts);
        }
    }
}

#[test]
fn clashes_of_an_assembly_are_the_same_on_any_number_of_threads() {
    let part = |i: u32| {
        let soup = generate::uv_sphere(0.5, 24, 12).expect("a sphere");
        let place = DVec3::new(f64::from(i % 3), f64::from(i / 3), 0.0) * 0.97;
        let soup = soup.transformed(&DAffine3::from_translation(place)).expect("finite");
        let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).expect("a mesh");
        AssemblyPart::new(Arc::new(mesh)).expect("a part")
    };
    let parts: Vec<AssemblyPart> = (0..9).map(part).collect();
    let pairs: Vec<_> = (0..9).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    let pairs: Vec<_> = pairs.into_iter().map(|(i, j)| (&parts[i], &parts[j])).collect();
    let mut workspace = Workspace::new();
    let alone: Vec<_> = pairs.iter().map(|(a, b)| clash(a, b, 0.01, 1e-6, &mut workspace)).collect();
    assert!(alone.iter().flatten().count() >= 12, "neighbours overlap");
    for threads in [1, 2, 4] {
        let pool = pool(threads);
        assert_eq!(Batch::new(&pool).clash(&pairs, 0.01, 1e-6), alone);
    }
}
