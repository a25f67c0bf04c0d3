//! Queries allocate nothing once their workspace has warmed up.

#[path = "detection/meshes.rs"]
mod meshes;

use glam::{DQuat, DVec3};
use prall_detection::{
    Budget, BuildOptions, DistanceOptions, Hierarchy, ImpactOptions, Touchable, Workspace, distance, overlap,
    shape_time_of_impact, time_of_impact,
};
use prall_geometry::{Mesh, MeshOptions, Shape, TriangleMesh, generate};
use prall_math::{Motion, Pose};

#[test]
fn queries_allocate_nothing_after_the_first() {
    let build = |mesh: &[[DVec3; 3]]| Hierarchy::build(mesh, &BuildOptions::default()).expect("a body");
    let a = build(&meshes::bumpy_sphere(1.0, 2000));
    let b = build(&meshes::thread(0.5, 0.2, 0.1, 3.0, 2000));
    let at_b = Pose::from_translation(DVec3::new(0.0, 1.8, 0.0));
    let end = Pose::new(DQuat::from_rotation_x(0.5), DVec3::new(0.1, 0.5, 0.0));
    let motions = [
        (Motion::slerp(Pose::IDENTITY, end), Motion::still(at_b)),
        (Motion::nlerp(Pose::IDENTITY, end), Motion::slerp(at_b, Pose::IDENTITY)),
    ]
    .map(|(a, b)| (a.expect("a motion"), b.expect("a motion")));
    let mut workspace = Workspace::new();
    let mut run = || {
        for (motion_a, motion_b) in &motions {
            let options = ImpactOptions::default();
            let mut budget = Budget::unlimited();
            let answer = time_of_impact(&a, motion_a, &b, motion_b, &options, &mut budget, &mut workspace);
            assert!(answer.expect("good options").contact.is_some());
        }
        assert!(overlap(&a, &Pose::IDENTITY, &b, &at_b, &mut workspace).is_none());
        let near = distance(&a, &Pose::IDENTITY, &b, &at_b, &DistanceOptions::default(), &mut workspace);
        assert!(near.is_some());
    };
    run();
    let counted = allocation_counter::measure(run);
    assert_eq!(counted.count_total, 0);
}

#[test]
fn the_time_of_impact_of_shapes_allocates_nothing_after_the_first() {
    let mesh = Mesh::from_soup(&generate::ico_sphere(0.4, 3).unwrap(), &MeshOptions::default()).unwrap();
    let shapes = [
        Shape::cuboid(DVec3::splat(0.3)).unwrap(),
        Shape::cylinder(0.3, 0.2).unwrap(),
        Shape::TriangleMesh(std::sync::Arc::new(TriangleMesh::new(std::sync::Arc::new(mesh)).unwrap())),
    ];
    let bodies = shapes.map(|shape| Touchable::new(&shape).expect("a body"));
    let start = Pose::from_translation(DVec3::X * 2.0);
    let moving = Motion::slerp(start, Pose::new(DQuat::from_rotation_x(2.0), DVec3::new(-2.0, 0.1, 0.0)));
    let (moving, still) = (moving.expect("a motion"), Motion::still(Pose::IDENTITY).expect("a motion"));
    let mut workspace = Workspace::new();
    let mut run = || {
        for a in &bodies {
            for b in &bodies {
                let (options, mut budget) = (ImpactOptions::default(), Budget::unlimited());
                let answer =
                    shape_time_of_impact(a, &moving, b, &still, &options, &mut budget, &mut workspace);
                assert!(answer.expect("good options").contact.is_some());
            }
        }
    };
    run();
    let counted = allocation_counter::measure(run);
    assert_eq!(counted.count_total, 0);
}
