//! Queries allocate nothing once their workspace has warmed up.

#[path = "detection/meshes.rs"]
mod meshes;

use std::sync::Arc;

use glam::{DQuat, DVec3};
use prall_detection::{
    Assembly, Budget, BuildOptions, Detection, DistanceOptions, Distribution, Filter, GlobalPoses, Hierarchy,
    ImpactOptions, Method, Solid, Solids, StepControl, SweptBox, TestMode, Touchable, Workspace, distance,
    overlap, shape_time_of_impact, time_of_impact,
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
        assert!(overlap(&a, &Pose::IDENTITY, &b, &at_b, &mut workspace).unwrap().is_none());
        let near =
            distance(&a, &Pose::IDENTITY, &b, &at_b, &DistanceOptions::default(), &mut workspace).unwrap();
        assert!(near.is_some());
    };
    run();
    let counted = allocation_counter::measure(run);
    assert_eq!(counted.count_total, 0);
}

/// Meshes swing to and fro among each other, within budgets that suffice and budgets that do not.
#[test]
fn steps_of_many_meshes_allocate_nothing_after_warm_up() {
    let solid = |mesh: &[[DVec3; 3]]| {
        let hierarchy = Hierarchy::build(mesh, &BuildOptions::default()).expect("a body");
        Solid::new(Arc::new(hierarchy)).with_box_errors()
    };
    let kinds = [solid(&meshes::bumpy_sphere(0.5, 500)), solid(&meshes::thread(0.3, 0.2, 0.1, 2.0, 400))];
    for mode in [TestMode::Certified, TestMode::Static] {
        let mut control = StepControl::new(GlobalPoses::new(), Method::Tree, SweptBox::StartAndEnd);
        let mut solids = Solids::new(ImpactOptions::default(), mode).expect("good options");
        let mut objects = Vec::new();
        for i in 0..12 {
            let place = DVec3::new(f64::from(i % 4), f64::from(i / 4), 0.0) * 1.3;
            let kind = &kinds[i as usize % 2];
            let object = control.add(kind.bounds(), Pose::from_translation(place), Filter::EVERYTHING);
            objects.push((object.expect("a place"), place));
            solids.set(objects[i as usize].0, kind.clone());
        }
        let mut detection = Detection::default();
        let mut step = |number: u32| {
            let sign = if number.is_multiple_of(2) { 1.0 } else { -1.0 };
            for (i, &(object, place)) in objects.iter().enumerate().filter(|(i, _)| i % 3 != 1) {
                let turn = DQuat::from_rotation_y(sign * 0.3);
                let to = Pose::new(turn, place + sign * 0.1 * DVec3::new(1.0, f64::from(i as u32 % 2), 0.0));
                let pose = control.assembly().pose(object).expect("it is there");
                let motion = Motion::slerp(pose, to).expect("good poses");
                control.register(object, motion).expect("it starts there");
            }
            let work = [u64::MAX, u64::MAX, 300, 1000][number as usize % 4];
            let mut budget = Budget::of_work(work);
            let distribution = [Distribution::Common, Distribution::Equal][number as usize / 2 % 2];
            control.detect(&mut solids, distribution, &mut budget, &mut detection).expect("all have solids");
            // From the same places in every round.
            control.cancel();
        };
        (0..8).for_each(&mut step);
        let counted = allocation_counter::measure(|| (0..8).for_each(&mut step));
        assert_eq!(counted.count_total, 0, "{mode:?}");
    }
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
