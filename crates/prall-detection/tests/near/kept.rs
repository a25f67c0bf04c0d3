//! The gap that a sweep says it has kept, against distances on the way.

use glam::DVec3;
use prall_detection::{
    Budget, BuildOptions, Hierarchy, ImpactOptions, Touchable, Workspace, separation, shape_time_of_impact,
    time_of_impact,
};
use prall_geometry::Shape;
use prall_math::{Motion, Pose};

use crate::bodies::{any_body, near_poses, nudged, placed, slow_distance};
use crate::random::Random;

fn options(random: &mut Random) -> ImpactOptions {
    let guard = [0.0, 2e-6, 1e-4, 1e-2][random.integer(4) as usize];
    ImpactOptions { guard, tolerance: 1e-7, relax_at_start: random.chance(0.7) }
}

#[test]
fn no_distance_on_the_way_is_smaller_than_what_was_kept() {
    let mut random = Random::new(111);
    let mut proven = 0;
    for case in 0..400 {
        let (a, b) = (any_body(&mut random), any_body(&mut random));
        let start = [1e-2, 1e-4, 1e-6][case % 3];
        let Some((pose_a, pose_b)) = near_poses(&mut random, &a, &b, start) else { continue };
        let options = options(&mut random);
        let motion_a = Motion::slerp(pose_a, nudged(&mut random, &pose_a, 0.02)).unwrap();
        let motion_b = Motion::still(pose_b).unwrap();
        let build = |t: &[[DVec3; 3]]| Hierarchy::build(t, &BuildOptions::default()).unwrap();
        let (p, q) = (build(&a.triangles), build(&b.triangles));
        let mut budget = if random.chance(0.2) { Budget::of_work(20) } else { Budget::unlimited() };
        let answer =
            time_of_impact(&p, &motion_a, &q, &motion_b, &options, &mut budget, &mut Workspace::new())
                .unwrap();
        assert!(answer.kept <= options.guard);
        if answer.finished && answer.free_until == 1.0 && !options.relax_at_start {
            assert_eq!(answer.kept, options.guard);
        }
        proven += u32::from(answer.kept > 0.0);
        for i in 0..=20 {
            let t = answer.free_until * f64::from(i) / 20.0;
            let distance = slow_distance(
                &placed(&a.triangles, &motion_a.pose(t)),
                &placed(&b.triangles, &motion_b.pose(t)),
            );
            assert!(distance >= answer.kept * (1.0 - 1e-9), "case {case}: {distance} {answer:?}");
        }
    }
    assert!(proven > 50, "{proven}");
}

#[test]
fn shapes_keep_what_they_say() {
    let mut random = Random::new(112);
    let shapes = [
        Shape::sphere(0.4).unwrap(),
        Shape::cuboid(DVec3::new(0.3, 0.4, 0.2)).unwrap(),
        Shape::capsule(0.4, 0.2).unwrap(),
        Shape::cylinder(0.4, 0.2).unwrap(),
    ];
    let mut proven = 0;
    for case in 0..600 {
        let any = |random: &mut Random| shapes[random.integer(4) as usize].clone();
        let (a, b) = (any(&mut random), any(&mut random));
        let (pose_a, pose_b) = (
            Pose::new(random.rotation(), random.vector(0.8)),
            Pose::new(random.rotation(), random.vector(0.8)),
        );
        let options = options(&mut random);
        let motion_a = Motion::slerp(pose_a, nudged(&mut random, &pose_a, 0.3)).unwrap();
        let motion_b = Motion::slerp(pose_b, nudged(&mut random, &pose_b, 0.3)).unwrap();
        let (p, q) = (Touchable::new(&a).unwrap(), Touchable::new(&b).unwrap());
        let mut budget = if random.chance(0.2) { Budget::of_work(5) } else { Budget::unlimited() };
        let answer =
            shape_time_of_impact(&p, &motion_a, &q, &motion_b, &options, &mut budget, &mut Workspace::new())
                .unwrap();
        proven += u32::from(answer.kept > 0.0);
        if answer.kept == 0.0 {
            continue;
        }
        for i in 0..=20 {
            let t = answer.free_until * f64::from(i) / 20.0;
            let apart =
                separation(&a, &motion_a.pose(t), &b, &motion_b.pose(t)).unwrap().expect("convex shapes");
            assert!(apart.gap >= answer.kept - 1e-9, "case {case}: {} {answer:?}", apart.gap);
        }
    }
    assert!(proven > 100, "{proven}");
}
