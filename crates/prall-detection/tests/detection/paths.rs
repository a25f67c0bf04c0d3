//! Paths among obstacles: what geometry says, what sampling sees, and the same on any number of threads.

use glam::{DQuat, DVec3};
use prall_detection::{
    Batch, Budget, BuildOptions, DistanceOptions, Hierarchy, ImpactOptions, Interpolation, Path, PathAnswer,
    PathError, PathQuery, Waypoint, Workspace, distance,
};
use prall_geometry::{Mesh, MeshOptions, generate};
use prall_math::Pose;

use crate::bodies::hierarchy;
use crate::meshes;
use crate::random::Random;

fn cuboid(size: DVec3, at: DVec3) -> Hierarchy {
    let soup = generate::cuboid(size).unwrap();
    let soup = soup.transformed(&glam::DAffine3::from_translation(at)).unwrap();
    let mesh = Mesh::from_soup(&soup, &MeshOptions::default()).unwrap();
    Hierarchy::of_mesh(&mesh, &BuildOptions::default()).unwrap()
}

fn path(points: &[[f64; 3]]) -> Path {
    let waypoints: Vec<Waypoint> = points
        .iter()
        .enumerate()
        .map(|(i, p)| Waypoint { time: 2.0 * i as f64, pose: Pose::from_translation(DVec3::from_array(*p)) })
        .collect();
    Path::new(&waypoints, Interpolation::Slerp).unwrap()
}

fn check(query: &PathQuery, clearance: f64, budget: &mut Budget) -> PathAnswer {
    let options = ImpactOptions { guard: clearance, ..ImpactOptions::default() };
    query.check(&options, budget, &mut Workspace::new(), |_| ()).unwrap()
}

/// A cube of 0.2 m goes past a wall whose face is at x = 1, at a distance that is known at every time.
#[test]
fn a_contact_is_found_at_the_time_that_geometry_says() {
    let (part, wall) = (cuboid(DVec3::splat(0.2), DVec3::ZERO), cuboid(DVec3::ONE, DVec3::X * 1.5));
    let path = path(&[[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.1, 0.0, 0.0]]);
    let query = PathQuery { part: &part, path: &path, obstacles: &[&wall] };
    let answer = check(&query, 0.0, &mut Budget::unlimited());
    // The gap is 0.9 - x: zero at x = 0.9, two thirds through the second piece.
    let (time, obstacle, contact) = answer.contact.unwrap();
    assert!((time - (2.0 + 2.0 * 2.0 / 3.0)).abs() < 1e-5, "{time}");
    assert_eq!(obstacle, 0);
    assert!(contact.gap <= 1e-6 && (contact.normal - DVec3::NEG_X).length() < 1e-9);
    assert_eq!(answer.free_until, time);
    // With a clearance of 0.1 m at x = 0.8, in the middle of the second piece.
    let early = check(&query, 0.1, &mut Budget::unlimited());
    assert!((early.contact.unwrap().0 - 3.0).abs() < 1e-4, "{early:?}");
}

#[test]
fn a_wall_thinner_than_the_step_is_not_jumped_over() {
    let part = cuboid(DVec3::splat(0.1), DVec3::ZERO);
    let sheet = cuboid(DVec3::new(0.001, 4.0, 4.0), DVec3::X * 50.0);
    let path = path(&[[0.0, 0.0, 0.0], [100.0, 0.0, 0.0]]);
    let query = PathQuery { part: &part, path: &path, obstacles: &[&sheet] };
    let time = check(&query, 0.0, &mut Budget::unlimited()).contact.unwrap().0;
    assert!((time - 2.0 * (50.0 - 0.0005 - 0.05) / 100.0).abs() < 1e-6, "{time}");
}

#[test]
fn the_earliest_of_several_obstacles_is_named() {
    let part = cuboid(DVec3::splat(0.2), DVec3::ZERO);
    let (far, near) = (cuboid(DVec3::ONE, DVec3::X * 3.0), cuboid(DVec3::ONE, DVec3::X * 2.0));
    let path = path(&[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]]);
    for (obstacles, expected) in [([&far, &near], 1), ([&near, &far], 0)] {
        let query = PathQuery { part: &part, path: &path, obstacles: &obstacles };
        assert_eq!(check(&query, 0.0, &mut Budget::unlimited()).contact.unwrap().1, expected);
    }
}

#[test]
fn a_spent_budget_is_undecided_and_what_it_proved_holds() {
    let (part, wall) = (cuboid(DVec3::splat(0.2), DVec3::ZERO), cuboid(DVec3::ONE, DVec3::X * 1.5));
    let path = path(&[[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.1, 0.0, 0.0]]);
    let query = PathQuery { part: &part, path: &path, obstacles: &[&wall] };
    let full = check(&query, 0.0, &mut Budget::unlimited());
    let mut before = 0.0;
    for work in 0..200 {
        let answer = check(&query, 0.0, &mut Budget::of_work(work));
        assert!(answer.free_until >= before && answer.free_until <= full.free_until + 1e-12);
        assert_eq!(answer.finished, answer.contact.is_some());
        before = answer.free_until;
    }
    assert_eq!(before, full.free_until);
}

/// The tightest place is in the middle of a piece: a cube turns beside a wall, its edge nearest at 45 degrees.
#[test]
fn the_smallest_clearance_is_enclosed() {
    let (part, wall) = (cuboid(DVec3::ONE, DVec3::ZERO), cuboid(DVec3::new(1.0, 3.0, 3.0), DVec3::X * 1.5));
    let turned = |angle: f64| Pose::from_rotation(DQuat::from_rotation_z(angle));
    let waypoints = [(0.0, 0.1), (1.0, 1.2)].map(|(time, angle)| Waypoint { time, pose: turned(angle) });
    for interpolation in [Interpolation::Slerp, Interpolation::Screw] {
        let path = Path::new(&waypoints, interpolation).unwrap();
        let query = PathQuery { part: &part, path: &path, obstacles: &[&wall] };
        let found = query
            .smallest_clearance(1.0, 0.01, &mut Budget::unlimited(), &mut Workspace::new())
            .unwrap()
            .unwrap();
        let exact = 1.0 - 0.5_f64.sqrt();
        assert!(found.at_least <= exact && exact <= found.gap + 1e-9, "{found:?}, exact {exact}");
        assert!(found.gap - found.at_least <= 0.01 * found.gap + 1e-9);
        let time = (std::f64::consts::FRAC_PI_4 - 0.1) / 1.1;
        assert!((found.time - time).abs() < 0.1, "{found:?}, exact {time}");
        let cut = query
            .smallest_clearance(1.0, 0.01, &mut Budget::of_work(3), &mut Workspace::new())
            .unwrap()
            .unwrap();
        assert!(cut.at_least <= exact && exact <= cut.gap + 1e-9);
    }
}

#[test]
fn the_end_of_the_path_may_be_its_tightest_place() {
    let (part, wall) = (cuboid(DVec3::splat(0.2), DVec3::ZERO), cuboid(DVec3::ONE, DVec3::X * 1.5));
    let path = path(&[[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.85, 0.0, 0.0]]);
    let query = PathQuery { part: &part, path: &path, obstacles: &[&wall] };
    let clearance = |until| {
        query
            .smallest_clearance(until, 0.01, &mut Budget::unlimited(), &mut Workspace::new())
            .unwrap()
            .unwrap()
    };
    assert!((clearance(4.0).gap - 0.05).abs() < 1e-12);
    assert!((clearance(1.0).gap - 0.65).abs() < 1e-12);
}

#[test]
fn poses_between_waypoints_are_found_by_time() {
    let path = path(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]);
    let at = |time: f64| path.pose(time).translation;
    assert_eq!(at(-1.0), DVec3::ZERO);
    assert!((at(1.0) - DVec3::X * 0.5).length() < 1e-15);
    assert!((at(2.0) - DVec3::X).length() < 1e-15);
    assert!((at(3.0) - DVec3::new(1.0, 0.5, 0.0)).length() < 1e-15);
    assert!((at(9.0) - DVec3::new(1.0, 1.0, 0.0)).length() < 1e-15);
}

#[test]
fn waypoints_that_make_no_path_are_refused_by_number() {
    let at = |time: f64| Waypoint { time, pose: Pose::IDENTITY };
    let refused = |times: &[f64]| {
        let waypoints: Vec<Waypoint> = times.iter().map(|time| at(*time)).collect();
        Path::new(&waypoints, Interpolation::Slerp).unwrap_err()
    };
    assert_eq!(refused(&[0.0]), PathError::TooShort(1));
    assert!(matches!(refused(&[0.0, 1.0, 1.0]), PathError::Time { waypoint: 3, .. }));
    assert!(matches!(refused(&[0.0, f64::NAN]), PathError::Time { waypoint: 2, .. }));
    let bad = Pose::new(DQuat::from_xyzw(1.0, 1.0, 0.0, 0.0), DVec3::ZERO);
    let waypoints = [at(0.0), Waypoint { time: 1.0, pose: bad }];
    let error = Path::new(&waypoints, Interpolation::Slerp).unwrap_err();
    assert!(matches!(error, PathError::Motion { waypoint: 1, .. }));
}

/// Six bumpy bodies around a winding way of a seventh.
fn winding(random: &mut Random) -> (Vec<Hierarchy>, Path) {
    let bodies = (0..7)
        .map(|i| {
            let at = if i == 0 { DVec3::ZERO } else { 1.1 * random.direction() };
            let mesh = meshes::bumpy_sphere(0.25, 300);
            hierarchy(&mesh.iter().map(|t| t.map(|p| p + at)).collect::<Vec<_>>())
        })
        .collect();
    let waypoints: Vec<Waypoint> = (0..9)
        .map(|i| Waypoint { time: f64::from(i), pose: Pose::new(random.rotation(), random.vector(0.6)) })
        .collect();
    (bodies, Path::new(&waypoints, Interpolation::Screw).unwrap())
}

#[test]
fn a_path_is_answered_with_the_same_bits_on_any_number_of_threads() {
    let mut random = Random::new(81);
    let (mut free, mut stopped) = (0, 0);
    for _ in 0..12 {
        let (bodies, path) = winding(&mut random);
        let obstacles: Vec<&Hierarchy> = bodies[1..].iter().collect();
        let query = PathQuery { part: &bodies[0], path: &path, obstacles: &obstacles };
        let options = ImpactOptions { guard: 0.0, relax_at_start: false, ..ImpactOptions::default() };
        let alone = query.check(&options, &mut Budget::unlimited(), &mut Workspace::new(), |_| ()).unwrap();
        let until = alone.free_until;
        let clearance =
            query.smallest_clearance(until, 0.01, &mut Budget::unlimited(), &mut Workspace::new()).unwrap();
        if alone.is_free() {
            free += 1
        } else {
            stopped += 1
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let batch = Batch::new(&pool);
            assert_eq!(query.check_in(&batch, &options, None, |_| ()).unwrap(), alone);
            let together =
                query.smallest_clearance_in(&batch, until, 0.01, &mut Budget::unlimited()).unwrap();
            assert_eq!(together, clearance);
        }
    }
    assert!(free > 0 && stopped > 0, "{free} {stopped}");
}

#[test]
fn a_deadline_that_is_over_leaves_everything_undecided() {
    let (bodies, path) = winding(&mut Random::new(82));
    let query = PathQuery { part: &bodies[0], path: &path, obstacles: &[&bodies[1]] };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let now = Some(std::time::Instant::now());
    let answer = query.check_in(&Batch::new(&pool), &ImpactOptions::default(), now, |_| ()).unwrap();
    assert_eq!(answer, PathAnswer { free_until: 0.0, contact: None, finished: false });
}

/// No sample of the way may be tighter than what is proven, and some sample nearly as tight as what was found.
#[test]
fn the_smallest_clearance_holds_against_a_thousand_samples() {
    let mut random = Random::new(83);
    let mut workspace = Workspace::new();
    for _ in 0..6 {
        let (bodies, path) = winding(&mut random);
        let obstacles: Vec<&Hierarchy> = bodies[1..].iter().collect();
        let query = PathQuery { part: &bodies[0], path: &path, obstacles: &obstacles };
        for work in [30, 100_000] {
            let found = query.smallest_clearance(8.0, 0.01, &mut Budget::of_work(work), &mut workspace);
            let found = found.unwrap().expect("there are obstacles");
            let mut least = f64::INFINITY;
            for sample in 0..=1000 {
                let pose = path.pose(8.0 * f64::from(sample) / 1000.0);
                for obstacle in &obstacles {
                    let options = DistanceOptions { within: least, ..DistanceOptions::default() };
                    let near =
                        distance(&bodies[0], &pose, obstacle, &Pose::IDENTITY, &options, &mut workspace);
                    least = near.unwrap().map_or(least, |contact| contact.gap.min(least));
                }
            }
            // Rounding of distances.
            assert!(found.at_least <= least + 1e-9, "{found:?}, sampled {least}");
            assert!(found.at_least <= found.gap);
            if work > 30 {
                assert!(found.gap <= least + 1e-9 + 0.01 * least.max(1e-4), "{found:?}, sampled {least}");
            }
        }
    }
}
