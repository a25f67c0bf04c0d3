//! After warm-up, finding contacts allocates nothing.

use std::sync::Arc;

use glam::DVec3;
use prall_detection::{ManifoldCache, ManifoldOptions, Manifolds, find_manifolds, find_manifolds_cached};
use prall_geometry::{ConvexHull, HalfSpace, Shape, generate};
use prall_math::Pose;

use crate::oracle::{floor, mesh_of, round_hull, touchable, turned};
use crate::random::Random;

#[test]
fn a_second_pass_over_all_pairs_allocates_nothing() {
    let mut random = Random::new(51);
    let hull: ConvexHull = round_hull(&mut random, 60, 0.4);
    let bodies: Vec<_> = [
        Shape::sphere(0.3).unwrap(),
        Shape::cuboid(DVec3::splat(0.3)).unwrap(),
        Shape::capsule(0.2, 0.2).unwrap(),
        Shape::cylinder(0.3, 0.3).unwrap(),
        Shape::ConvexHull(Arc::new(hull)),
        Shape::HalfSpace(HalfSpace),
        floor(1.0, 6),
        mesh_of(&generate::torus(0.4, 0.2, 16, 10).unwrap()),
    ]
    .iter()
    .map(touchable)
    .collect();
    let mut manifolds = Manifolds::new();
    let mut pass = || {
        let mut found = 0;
        for a in &bodies {
            for b in &bodies {
                for height in [0.1, 0.45] {
                    let pose = turned(DVec3::X, 0.3, DVec3::new(0.1, height, 0.05));
                    let (options, mut cache) = (ManifoldOptions::default(), ManifoldCache::default());
                    find_manifolds(a, &pose, b, &Pose::IDENTITY, &options, &mut manifolds).unwrap();
                    found += manifolds.points().len();
                    for _ in 0..2 {
                        find_manifolds_cached(
                            a,
                            &pose,
                            b,
                            &Pose::IDENTITY,
                            &options,
                            &mut cache,
                            &mut manifolds,
                        )
                        .unwrap();
                    }
                }
            }
        }
        found
    };
    assert!(pass() > 100);
    let memory = allocation_counter::measure(|| {
        pass();
    });
    assert_eq!(memory.count_total, 0, "{memory:?}");
}
