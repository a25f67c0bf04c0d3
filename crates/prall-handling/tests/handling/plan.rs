//! Planned ways: every piece is free in exact samples, equal seeds give equal ways, and `unfinished` is an answer.

use glam::{DQuat, DVec3};
use prall_detection::{BuildOptions, Hierarchy, ImpactOptions, Interpolation, Path, PathQuery};
use prall_detection::{Waypoint, Workspace, overlap};
use prall_geometry::Shape;
use prall_handling::{Budget, HandlingError, HandlingOptions, Held, Obstacle, PlanGoal, Planner};
use prall_math::{Motion, Pose};

use crate::shapes::*;

type Placed = Vec<(Shape, Pose)>;

fn planner(part: &Shape, obstacles: &Placed, start: Pose, goal: PlanGoal, seed: u64) -> Planner {
    let obstacles: Vec<Obstacle> =
        obstacles.iter().map(|(shape, pose)| obstacle("obstacle", shape, *pose)).collect();
    let held = Held::new(part, start, obstacles, HandlingOptions::default()).expect("free at the start");
    Planner::new(held, goal, seed).expect("a good goal")
}

fn tree(shape: &Shape, pose: &Pose) -> Hierarchy {
    let Shape::TriangleMesh(mesh) = shape else { panic!("the judge knows meshes") };
    let mesh = mesh.mesh();
    let triangles: Vec<[DVec3; 3]> = (0..mesh.triangles().len())
        .map(|t| mesh.triangle_points(t).map(|point| pose.transform_point(point)))
        .collect();
    Hierarchy::build(&triangles, &BuildOptions::default()).expect("has triangles")
}

/// Asks for overlaps at samples not farther apart than 0.2 mm or 0.01 rad, and for the proof of `prall check`.
fn judge(part: &Shape, obstacles: &Placed, path: &[Pose]) -> usize {
    let part = tree(part, &Pose::IDENTITY);
    let trees: Vec<Hierarchy> = obstacles.iter().map(|(shape, pose)| tree(shape, pose)).collect();
    let mut workspace = Workspace::new();
    let mut samples = 0;
    for ends in path.windows(2) {
        let motion = Motion::slerp(ends[0], ends[1]).expect("rigid poses");
        let way = (ends[1].translation - ends[0].translation).length() / 2e-4;
        let turn = ends[1].rotation.angle_between(ends[0].rotation) / 0.01;
        let count = way.max(turn).ceil().max(1.0) as usize;
        for i in 0..=count {
            let pose = motion.pose(i as f64 / count as f64);
            for obstacle in &trees {
                samples += 1;
                let hit = overlap(&part, &pose, obstacle, &Pose::IDENTITY, &mut workspace);
                assert!(hit.expect("rigid poses").is_none(), "overlap at {pose:?}");
            }
        }
    }
    let waypoints: Vec<Waypoint> =
        path.iter().enumerate().map(|(i, pose)| Waypoint { time: i as f64, pose: *pose }).collect();
    let path = Path::new(&waypoints, Interpolation::Slerp).expect("a path");
    let obstacles: Vec<&Hierarchy> = trees.iter().collect();
    let query = PathQuery { part: &part, path: &path, obstacles: &obstacles };
    let options = ImpactOptions { guard: 0.0, relax_at_start: false, ..ImpactOptions::default() };
    let answer = query.check(&options, &mut Budget::unlimited(), &mut workspace, |_| ()).expect("rigid");
    assert!(answer.is_free(), "{answer:?}");
    samples
}

const RIGHT: f64 = std::f64::consts::FRAC_PI_2;

#[test]
fn a_tee_is_led_through_its_slot_and_an_elbow_through_a_window() {
    let (tee, _) = tee_and_plate();
    // Too large to go round.
    let plate = plate_with_window((0.05, 0.02), 2.0);
    let upright = DQuat::from_rotation_x(RIGHT);
    let at_height = |y: f64| Pose::new(upright, DVec3::Y * y);
    let (elbow, wall) = elbow_and_window();
    let beyond = Pose::new(DQuat::from_rotation_x(-RIGHT), DVec3::Y * -0.08);
    let above = Pose::new(DQuat::from_rotation_x(RIGHT), DVec3::Y * 0.08);
    let cases = [(tee, plate, at_height(0.06), at_height(-0.06), 1..=3), (elbow, wall, above, beyond, 1..=1)];
    for (part, obstacles, start, goal, seeds) in cases {
        for seed in seeds {
            let mut planner = planner(&part, &obstacles, start, PlanGoal::Pose(goal), seed);
            assert!(planner.search(|progress| progress.steps < 100_000).unwrap());
            let path = planner.path().unwrap().unwrap();
            assert_eq!((path[0], *path.last().unwrap()), (start, goal));
            // Through, not round.
            assert!(path.iter().all(|pose| pose.translation.length() < 0.5));
            let samples = judge(&part, &obstacles, &path);
            assert!(samples > 1_000, "{samples}");
        }
    }
}

#[test]
fn a_peg_is_led_out_of_its_hole_and_equal_seeds_give_equal_ways() {
    // The mesh lies far from its origin, as in files of assemblies: the way is proven for a straight way of that origin.
    let off = DVec3::new(0.3, -0.2, 0.5);
    let (peg, ring) = (peg(), hole(1e-4, 1.5e-3));
    let shifted = |shape: &Shape| {
        let Shape::TriangleMesh(mesh) = shape else { panic!("a mesh") };
        let positions = mesh.mesh().positions().iter().map(|p| *p + off).collect();
        mesh_of(positions, mesh.mesh().triangles())
    };
    let part = shifted(&peg);
    let tilt = turned(DVec3::Z, 0.3, DVec3::ZERO);
    let start = Pose::new(tilt.rotation, -(tilt.rotation * off));
    let obstacles = vec![(ring, tilt)];
    let path = |seed: u64| {
        let mut planner = planner(&part, &obstacles, start, PlanGoal::Out, seed);
        assert!(planner.search(|progress| progress.steps < 100_000).unwrap());
        planner.path().unwrap().unwrap()
    };
    let (one, again) = (path(5), path(5));
    assert_eq!(one, again);
    judge(&part, &obstacles, &one);
    let end = one.last().unwrap().transform_point(off);
    assert!(end.length() > 0.04 + 0.03, "{end} is not out");
}

#[test]
fn a_bulb_is_led_out_of_its_housing() {
    let (bulb, housing) = bulb_and_housing();
    let mut planner = planner(&bulb, &housing, Pose::IDENTITY, PlanGoal::Out, 2);
    assert!(planner.search(|progress| progress.steps < 100_000).unwrap());
    let path = planner.path().unwrap().unwrap();
    judge(&bulb, &housing, &path);
    // Beyond the housing, whose ball has a radius of 87 mm about its middle.
    let end = path.last().unwrap().translation;
    assert!((end - DVec3::Y * 0.02).length() > 0.087, "{end}");
}

#[test]
fn without_a_way_the_search_stays_unfinished_and_bad_goals_are_refused() {
    // A cube in a closed box.
    let part = cuboid(DVec3::splat(0.02));
    let walls: Placed = [DVec3::X, DVec3::Y, DVec3::Z]
        .into_iter()
        .flat_map(|n| [n, -n])
        .map(|n| (cuboid(DVec3::splat(0.14) - n.abs() * 0.12), Pose::from_translation(n * 0.06)))
        .collect();
    let mut planner = planner(&part, &walls, Pose::IDENTITY, PlanGoal::Out, 1);
    let mut told = 0;
    let found = planner
        .search(|progress| {
            told += 1;
            progress.steps < 300
        })
        .unwrap();
    assert!(!found && planner.path().unwrap().is_none() && told > 10);
    assert!(planner.progress().steps >= 300 && planner.progress().nearest > 0.02);
    // It may go on.
    assert!(!planner.search(|progress| progress.steps < 400).unwrap());
    let table = || vec![table()];
    let held = |at| Held::new(&part, at, table(), HandlingOptions::default()).unwrap();
    let above = at(0.0, 0.1, 0.0);
    let inside = PlanGoal::Pose(at(0.0, -0.001, 0.0));
    let refused = Planner::new(held(above), inside, 1).err().unwrap();
    assert!(matches!(&refused, HandlingError::GoalOverlap { names } if names == "table"), "{refused}");
    let ground = Shape::HalfSpace(prall_geometry::HalfSpace);
    let ground = Obstacle::new("ground", &ground, Pose::IDENTITY).unwrap();
    let held = Held::new(&part, above, vec![ground], HandlingOptions::default()).unwrap();
    let refused = Planner::new(held, PlanGoal::Out, 1).err().unwrap();
    assert!(refused.to_string().contains("'ground' has no bounds"), "{refused}");
}
