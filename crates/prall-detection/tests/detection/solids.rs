//! Many moving meshes and shapes within a budget, against each pair by itself, all pairs of triangles and closed forms.

use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use glam::{DQuat, DVec3};
use prall_detection::{
    Assembly, Budget, ContactPoint, Detection, Distribution, Estimate, Filter, GlobalPoses, GroupOutcome,
    ImpactOptions, Method, ObjectId, QueryError, Solid, SolidError, Solids, StepControl, StepError, SweptBox,
    TestMode, Workspace, time_of_impact,
};
use prall_geometry::{Capsule, Compound, Cone, Cuboid, Cylinder, HalfSpace, Shape, Sphere};
use prall_math::{Motion, Pose};

use crate::bodies::{body, hierarchy, motion, placed, pose, slow_distance, slow_overlaps};
use crate::meshes::{self, Triangles};
use crate::parts;
use crate::random::Random;

const DISTRIBUTIONS: [Distribution; 3] =
    [Distribution::Equal, Distribution::Viewer { eye: DVec3::ZERO, reach: 1.0 }, Distribution::Common];

struct World {
    control: StepControl<GlobalPoses>,
    solids: Solids,
    objects: Vec<ObjectId>,
    meshes: Vec<Triangles>,
    detection: Detection<Solids>,
}

impl World {
    fn new(mode: TestMode) -> World {
        World {
            control: StepControl::new(GlobalPoses::new(), Method::Tree, SweptBox::StartAndEnd),
            solids: Solids::new(ImpactOptions::default(), mode).unwrap(),
            objects: Vec::new(),
            meshes: Vec::new(),
            detection: Detection::default(),
        }
    }

    fn add_solid(&mut self, solid: Solid, pose: Pose) -> ObjectId {
        let object = self.control.add(solid.bounds(), pose, Filter::EVERYTHING).unwrap();
        self.solids.set(object, solid);
        self.objects.push(object);
        object
    }

    fn add(&mut self, mesh: Triangles, pose: Pose) -> ObjectId {
        let solid = Solid::new(Arc::new(hierarchy(&mesh))).with_box_errors();
        self.meshes.push(mesh);
        self.add_solid(solid, pose)
    }

    fn block(&mut self, half: DVec3, place: DVec3) -> ObjectId {
        self.add(parts::block(half), Pose::from_translation(place))
    }

    fn shape(&mut self, shape: Shape, place: DVec3) -> ObjectId {
        self.add_solid(Solid::of_shape(&shape, 1e-4).unwrap(), Pose::from_translation(place))
    }

    fn wish(&mut self, object: ObjectId, by: DVec3) {
        self.control.register_displacement(object, Pose::from_translation(by)).unwrap();
    }

    fn detect(&mut self, budget: &mut Budget) -> &[GroupOutcome<ContactPoint>] {
        self.detect_with(Distribution::Common, budget)
    }

    fn detect_with(
        &mut self,
        distribution: Distribution,
        budget: &mut Budget,
    ) -> &[GroupOutcome<ContactPoint>] {
        self.control.detect(&mut self.solids, distribution, budget, &mut self.detection).unwrap();
        self.detection.groups()
    }

    fn pose(&self, object: ObjectId) -> Pose {
        self.control.assembly().pose(object).unwrap()
    }

    fn mesh_at(&self, object: ObjectId, pose: &Pose) -> Triangles {
        placed(&self.meshes[self.objects.iter().position(|&o| o == object).unwrap()], pose)
    }
}

/// Movers among obstacles, all of random kind, so far apart that movers do not meet each other.
fn stalls(random: &mut Random, stalls: usize) -> (World, Vec<(ObjectId, Motion)>) {
    let mut world = World::new(TestMode::Certified);
    let mut motions = Vec::new();
    for i in 0..stalls {
        let centre = DVec3::X * 40.0 * i as f64;
        let at = |pose: Pose| Pose::new(pose.rotation, pose.translation + centre);
        let start = at(pose(random, 1.0));
        let mover = world.add(body(random), start);
        for _ in 0..2 {
            let place = at(pose(random, 1.5));
            world.add(body(random), place);
        }
        let motion = motion(random, start);
        world.control.register(mover, motion.clone()).unwrap();
        motions.push((mover, motion));
    }
    (world, motions)
}

/// Each pair by itself, without index, queue or portions.
fn alone(world: &World, a: ObjectId, motion_a: &Motion, b: ObjectId) -> f64 {
    let bodies = [a, b].map(|object| world.solids.get(object).unwrap().hierarchy());
    let rest = Motion::still(world.pose(b)).unwrap();
    let (mut budget, mut workspace) = (Budget::unlimited(), Workspace::new());
    let options = ImpactOptions::default();
    let answer = time_of_impact(bodies[0], motion_a, bodies[1], &rest, &options, &mut budget, &mut workspace);
    answer.unwrap().free_until
}

#[test]
fn every_group_stops_at_the_earliest_contact_of_any_pair_taken_by_itself() {
    let mut random = Random::new(71);
    let mut stopped = 0;
    for _ in 0..6 {
        let (mut world, motions) = stalls(&mut random, 8);
        for distribution in DISTRIBUTIONS {
            world.detect_with(distribution, &mut Budget::unlimited());
            for ((mover, motion), outcome) in motions.iter().zip(world.detection.groups()) {
                let others = world.objects.iter().filter(|&other| motions.iter().all(|m| m.0 != *other));
                let first = others.map(|&other| alone(&world, *mover, motion, other)).fold(1.0, f64::min);
                let found = outcome.free_until;
                let mover_at = |t: f64| world.mesh_at(*mover, &motion.pose(t));
                if let Some(pair) = &outcome.stopped_by {
                    let other = pair.objects[usize::from(pair.objects[0] == *mover)];
                    let gap = slow_distance(&mover_at(found), &world.mesh_at(other, &world.pose(other)));
                    assert!(gap <= 21.1e-6, "stopped at {found} with a gap of {gap}");
                    if pair.objects[0] == *mover {
                        // A member's motion about its own origin rounds otherwise than the registered one.
                        assert!((found - first).abs() < 1e-9, "{found} {first}");
                    }
                    stopped += 1;
                } else {
                    assert_eq!(first, 1.0);
                }
                // All pairs of triangles agree that the way is free.
                for other in world.objects.iter().filter(|&other| other != mover && found > 0.0) {
                    let there = world.mesh_at(*other, &world.pose(*other));
                    for i in 0..=12 {
                        let t = found * f64::from(i) / 12.0;
                        if (mover_at(t)[0][0] - there[0][0]).length() < 8.0 {
                            assert!(slow_overlaps(&mover_at(t), &there).is_empty());
                        }
                    }
                }
            }
        }
    }
    assert!(stopped > 30, "{stopped}");
}

#[test]
fn budgets_of_every_size_prove_no_more_than_the_truth_and_never_less_than_smaller_ones() {
    let mut random = Random::new(72);
    let (mut world, _) = stalls(&mut random, 5);
    let mut spent = Budget::unlimited();
    let full: Vec<f64> = world.detect(&mut spent).iter().map(|outcome| outcome.free_until).collect();
    let enough = spent.used();
    assert!(full.iter().any(|&t| t > 0.0 && t < 1.0) && enough > 200, "{full:?} {enough}");
    for distribution in DISTRIBUTIONS {
        let mut before = vec![0.0; full.len()];
        let most = if distribution == Distribution::Common { enough } else { 100 * enough };
        let mut units = 0;
        loop {
            let mut budget = Budget::of_work(units);
            let now: Vec<f64> =
                world.detect_with(distribution, &mut budget).iter().map(|o| o.free_until).collect();
            assert!(budget.used() <= units);
            assert!(now.iter().zip(&before).all(|(now, before)| now >= before), "{distribution:?} {units}");
            assert!(now.iter().zip(&full).all(|(now, full)| now <= full), "{distribution:?} {units}");
            let unfinished: Vec<_> = world.detection.unfinished().collect();
            // Shares that some pairs leave unused do not exhaust a budget.
            let spent = distribution != Distribution::Common || budget.exhausted();
            assert!(spent || unfinished.is_empty(), "{distribution:?} {units}");
            for pair in &unfinished {
                let group =
                    world.detection.groups().iter().find(|group| pair.objects.contains(&group.object));
                assert!(group.unwrap().free_until <= pair.free_until);
            }
            before = now;
            if units >= most {
                break;
            }
            // Every size at first, and around the size that is just enough.
            units = if units < 300 || enough.abs_diff(units) < 20 { units + 1 } else { units + units / 50 };
            units = units.min(most);
        }
        assert_eq!(before, full, "{distribution:?}");
        assert_eq!(world.detection.unfinished().count(), 0);
    }
}

/// One pair: any portions give the bits of the whole, and no unit is paid twice.
#[test]
fn what_is_proven_does_not_depend_on_how_the_work_was_portioned() {
    use prall_detection::{MovingPair, PairTest};
    let mut random = Random::new(73);
    for number in 0..60 {
        let mut world = World::new(TestMode::Certified);
        let leaf_size = 1 + random.integer(3) as usize;
        let mut add = |mesh: Triangles| {
            let options = prall_detection::BuildOptions { leaf_size };
            let tree = prall_detection::Hierarchy::build(&mesh, &options).unwrap();
            world.add_solid(Solid::new(Arc::new(tree)), Pose::IDENTITY)
        };
        let objects = [add(body(&mut random)), add(body(&mut random))];
        let starts = [pose(&mut random, 1.2), pose(&mut random, 1.2)];
        let motions = starts.map(|start| motion(&mut random, start));
        let from = if number % 3 == 0 { random.between(0.0, 0.9) } else { 0.0 };
        let pair = MovingPair { objects, motions: [&motions[0], &motions[1]], from };
        let mut run = |portion: &mut dyn FnMut() -> u64| {
            let mut search = world.solids.begin(&pair).unwrap();
            let (mut used, mut proven) = (0, from);
            loop {
                let mut budget = Budget::of_work(portion());
                let found = world.solids.advance(&pair, &mut search, &mut budget);
                used += budget.used();
                assert!(found.free_until >= proven - 1e-15);
                proven = found.free_until;
                if found.finished {
                    world.solids.end(search);
                    return (found, used);
                }
                assert!(budget.used() == budget.limit(), "portions are used up");
            }
        };
        let whole = run(&mut || u64::MAX);
        assert_eq!(run(&mut || 1), whole);
        assert_eq!(run(&mut || 64), whole);
        assert_eq!(run(&mut || 1 + random.integer(9)), whole);
    }
}

/// A passes before B arrives, unless a wall stops A in B's way: then B must be tested again, against A at rest.
#[test]
fn who_stops_early_is_met_where_it_stands_by_meshes_that_turn() {
    let mut world = World::new(TestMode::Certified);
    let a = world.add(meshes::bumpy_sphere(1.0, 400), Pose::from_translation(DVec3::Z * -4.0));
    let b = world.block(DVec3::splat(0.8), DVec3::X * -12.0);
    let wall = world.block(DVec3::new(3.0, 3.0, 0.1), DVec3::Z * 3.0);
    let route = |world: &mut World| {
        let turned = |at: DVec3| Pose::new(DQuat::from_rotation_y(FRAC_PI_2), at);
        let along = Motion::slerp(world.pose(a), turned(DVec3::Z * 36.0)).unwrap();
        world.control.register(a, along).unwrap();
        let across = Motion::slerp(world.pose(b), turned(DVec3::X * 12.0)).unwrap();
        world.control.register(b, across).unwrap();
    };
    world.control.exclude(a, wall).unwrap();
    route(&mut world);
    let outcomes = world.detect(&mut Budget::unlimited());
    assert!(
        outcomes.iter().all(|outcome| outcome.free_until == 1.0),
        "without the wall they pass each other"
    );
    world.control.cancel();
    world.control.include(a, wall).unwrap();
    route(&mut world);
    let outcomes = world.detect(&mut Budget::unlimited()).to_vec();
    assert!(outcomes[0].free_until < 0.2 && outcomes[0].stopped_by.is_some());
    let stop = outcomes[1].stopped_by.as_ref().unwrap();
    assert_eq!((stop.objects, stop.from), ([a, b], outcomes[0].free_until));
    assert!(world.detection.retests() > 0);
    world.control.commit().unwrap();
    let (at_a, at_b) = (world.mesh_at(a, &world.pose(a)), world.mesh_at(b, &world.pose(b)));
    let gap = slow_distance(&at_a, &at_b);
    assert!(gap > 0.0 && gap < 22e-6, "{gap}");
}

#[test]
fn the_earliest_contact_of_any_member_stops_its_group_of_meshes() {
    let mut world = World::new(TestMode::Certified);
    let (a, b) = (world.block(DVec3::ONE, DVec3::ZERO), world.block(DVec3::ONE, DVec3::Y * 1.5));
    world.control.attach(b, a).unwrap();
    let low = world.block(DVec3::splat(0.4), DVec3::new(9.0, -0.5, 0.0));
    let high = world.block(DVec3::splat(0.4), DVec3::new(7.0, 2.0, 0.0));
    world.wish(a, DVec3::X * 10.0);
    let outcome = world.detect(&mut Budget::unlimited())[0].clone();
    assert_eq!(outcome.stopped_by.as_ref().unwrap().objects, [b, high]);
    assert!((outcome.free_until - 0.56).abs() < 1e-5, "{outcome:?}");
    let tested: Vec<_> = world.detection.pairs().map(|pair| pair.objects).collect();
    assert!(tested.contains(&[a, low]) && !tested.contains(&[a, b]), "overlapping members are not tested");
}

/// Random traffic with every kind of budget, step after step: nothing ever overlaps.
#[test]
fn meshes_in_traffic_never_touch_whatever_the_budget() {
    let mut random = Random::new(74);
    let mut world = World::new(TestMode::Certified);
    for i in 0..16 {
        let place = DVec3::new(f64::from(i % 4), f64::from(i / 4), 0.0) * 1.9;
        world.add(body(&mut random), Pose::new(random.rotation(), place));
    }
    let apart = |world: &World| {
        let meshes: Vec<_> = world.objects.iter().map(|&o| world.mesh_at(o, &world.pose(o))).collect();
        (0..16).all(|i| (0..i).all(|j| slow_overlaps(&meshes[i], &meshes[j]).is_empty()))
    };
    assert!(apart(&world));
    let mut moved = 0.0;
    for step in 0..12 {
        let before: Vec<Pose> = world.objects.iter().map(|&o| world.pose(o)).collect();
        for &object in &world.objects.clone() {
            let at = world.pose(object);
            let turned = DQuat::from_axis_angle(random.direction(), random.between(0.0, 1.0));
            let to = Pose::new(turned * at.rotation, at.translation + random.vector(0.8)).normalized();
            let motion = if random.chance(0.5) { Motion::slerp(at, to) } else { Motion::nlerp(at, to) };
            world.control.register(object, motion.unwrap()).unwrap();
        }
        let units = [0, 40, 500, u64::MAX][step % 4];
        world.detect_with(DISTRIBUTIONS[step % 3], &mut Budget::of_work(units));
        world.control.commit().unwrap();
        assert!(apart(&world), "step {step}");
        moved += world
            .objects
            .iter()
            .zip(before)
            .map(|(&o, p)| (world.pose(o).translation - p.translation).length())
            .sum::<f64>();
    }
    assert!(moved > 10.0, "{moved}");
}

#[test]
fn static_tests_give_time_0_to_every_collision_and_do_not_see_the_way() {
    let mut world = World::new(TestMode::Static);
    let through = world.block(DVec3::splat(0.2), DVec3::X * -2.0);
    let into = world.block(DVec3::splat(0.2), DVec3::new(-2.0, 5.0, 0.0));
    let away = world.block(DVec3::splat(0.2), DVec3::new(2.0, 5.0, 0.0));
    world.block(DVec3::new(0.01, 20.0, 20.0), DVec3::ZERO);
    world.wish(through, DVec3::X * 4.0);
    world.wish(into, DVec3::X * 2.1);
    world.wish(away, DVec3::X * -1.0);
    let outcomes = world.detect(&mut Budget::unlimited()).to_vec();
    let times: Vec<f64> = outcomes.iter().map(|outcome| outcome.free_until).collect();
    assert_eq!(times, [1.0, 0.0, 1.0], "the first has jumped through the wall");
    assert!(outcomes[1].stopped_by.as_ref().unwrap().contact.is_some());
    // Exactly all pairs of triangles at the target, for random bodies.
    let mut random = Random::new(75);
    let mut counts = [0; 2];
    for _ in 0..150 {
        let mut world = World::new(TestMode::Static);
        let (start, place) = (pose(&mut random, 1.0), pose(&mut random, 0.8));
        let mover = world.add(body(&mut random), start);
        let other = world.add(body(&mut random), place);
        let motion = Motion::slerp(start, pose(&mut random, 0.5)).unwrap();
        world.control.register(mover, motion.clone()).unwrap();
        let found = world.detect(&mut Budget::unlimited())[0].free_until;
        let meet =
            !slow_overlaps(&world.mesh_at(mover, &motion.end()), &world.mesh_at(other, &place)).is_empty();
        assert_eq!(found, if meet { 0.0 } else { 1.0 });
        counts[usize::from(meet)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 15), "{counts:?}");
}

/// Estimates of tests cut short after any number of units, with the distance at the time that they speak of.
fn estimates(mode: TestMode, seed: u64) -> Vec<(f64, Estimate, f64, f64)> {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    for _ in 0..25 {
        let mut world = World::new(mode);
        let start = Pose::new(random.rotation(), random.direction() * 2.5);
        let mover = world.add(body(&mut random), start);
        let other = world.add(body(&mut random), pose(&mut random, 0.1));
        let end = Pose::new(random.rotation(), random.vector(0.8));
        let motion = Motion::slerp(start, end).unwrap();
        world.control.register(mover, motion.clone()).unwrap();
        let mut spent = Budget::unlimited();
        let full = world.detect(&mut spent)[0].free_until;
        for share in [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99] {
            let units = (share * spent.used() as f64) as u64;
            world.detect(&mut Budget::of_work(units));
            let Some(pair) = world.detection.unfinished().next() else { continue };
            assert!(pair.contact.is_none() && pair.free_until <= full);
            if let Some(estimate) = pair.estimate {
                assert!(mode == TestMode::Static || estimate.time >= pair.free_until);
                let there = world.mesh_at(other, &world.pose(other));
                let gap = slow_distance(&world.mesh_at(mover, &motion.pose(estimate.time)), &there);
                // Poses and points of a size of some metres round by less than 1e-14.
                assert!(gap <= estimate.gap_at_most + 1e-14, "{gap} at {share}: {estimate:?}");
                all.push((share, estimate, gap, full));
            }
        }
    }
    all
}

#[test]
fn a_static_test_cut_short_knows_how_far_apart_the_bodies_are_at_most() {
    let all = estimates(TestMode::Static, 76);
    assert!(all.len() > 60, "{}", all.len());
    // The bound says something: on average it shrinks as the test goes on.
    let mean = |from: f64, to: f64| {
        let some: Vec<f64> =
            all.iter().filter(|e| e.0 >= from && e.0 <= to).map(|e| e.1.gap_at_most).collect();
        some.iter().sum::<f64>() / some.len() as f64
    };
    assert!(mean(0.5, 1.0) < 0.7 * mean(0.0, 0.15), "{} {}", mean(0.5, 1.0), mean(0.0, 0.15));
}

#[test]
fn the_indicator_pair_expects_contact_near_where_it_will_be() {
    let all = estimates(TestMode::Certified, 77);
    assert!(all.len() > 60, "{}", all.len());
    let hits: Vec<_> = all.iter().filter(|e| e.3 > 0.0 && e.3 < 1.0).collect();
    let error = |late: bool| {
        let some: Vec<f64> =
            hits.iter().filter(|e| (e.0 > 0.6) == late).map(|e| (e.1.time - e.3).abs()).collect();
        some.iter().sum::<f64>() / some.len() as f64
    };
    assert!(error(true) < 0.1 && error(true) < error(false), "{} {}", error(true), error(false));
}

#[test]
fn round_shapes_meet_where_the_closed_form_says() {
    // Balls: (10 - 16 t)^2 + 1 = 2^2.
    let mut world = World::new(TestMode::Certified);
    let ball = || Shape::Sphere(Sphere::new(1.0).unwrap());
    let (a, b) = (world.shape(ball(), DVec3::ZERO), world.shape(ball(), DVec3::new(10.0, 1.0, 0.0)));
    world.wish(a, DVec3::X * 8.0);
    world.wish(b, DVec3::X * -8.0);
    let meet = (10.0 - 3.0_f64.sqrt()) / 16.0;
    for outcome in world.detect(&mut Budget::unlimited()) {
        // Guard and tolerance, 21 um, at a closing speed of 16 sqrt(3)/2.
        assert!((0.0..2e-6).contains(&(meet - outcome.free_until)), "{outcome:?}");
        let contact = outcome.stopped_by.as_ref().unwrap().contact.unwrap();
        assert!(contact.gap > 0.0 && contact.gap <= 21.1e-6);
        assert!((contact.on_a - contact.on_b).distance(contact.normal * contact.gap) < 1e-12);
    }
    // A shape falls on a box whose top is at y = 0: the lowest point is `low` below its origin.
    let tip = DQuat::from_rotation_z(FRAC_PI_2);
    let upright = DQuat::IDENTITY;
    let cases = [
        (Shape::Capsule(Capsule::new(0.5, 0.2).unwrap()), upright, 0.7, 0.0),
        (Shape::Capsule(Capsule::new(0.5, 0.2).unwrap()), tip, 0.2, 0.0),
        (Shape::Cylinder(Cylinder::new(0.5, 0.3).unwrap()), upright, 0.5, 0.0),
        (Shape::Cylinder(Cylinder::new(0.5, 0.3).unwrap()), tip, 0.3, 1e-4),
        (Shape::Cone(Cone::new(0.5, 0.3).unwrap()), upright, 0.5, 0.0),
        (Shape::Cone(Cone::new(0.5, 0.3).unwrap()), DQuat::from_rotation_x(2.0 * FRAC_PI_2), 0.5, 0.0),
        (Shape::Cone(Cone::new(0.5, 0.3).unwrap()), tip, 0.3, 1e-4),
        (Shape::Box(Cuboid::new(DVec3::new(0.1, 0.2, 0.3)).unwrap()), tip, 0.1, 0.0),
    ];
    for (shape, rotation, low, early) in cases {
        let mut world = World::new(TestMode::Certified);
        let floor = Shape::Box(Cuboid::new(DVec3::new(5.0, 1.0, 5.0)).unwrap());
        world.shape(floor, DVec3::NEG_Y);
        let solid = Solid::of_shape(&shape, 1e-4).unwrap();
        let object = world.add_solid(solid, Pose::new(rotation, DVec3::Y * 2.0));
        world.wish(object, DVec3::Y * -2.0);
        let found = world.detect(&mut Budget::unlimited())[0].free_until;
        let height = 2.0 - 2.0 * found - low;
        assert!(
            (20e-6 - 1e-9..=21.1e-6 + early).contains(&height),
            "{shape:?} stops {height} above the floor"
        );
    }
}

#[test]
fn what_is_no_solid_is_refused_with_what_to_do() {
    let ball = Shape::Sphere(Sphere::new(1.0).unwrap());
    let bar = Shape::Cylinder(Cylinder::new(1.0, 1.0).unwrap());
    let mixed = Compound::new(vec![(Pose::IDENTITY, ball), (Pose::from_translation(DVec3::X), bar.clone())]);
    let refused = |shape: &Shape| Solid::of_shape(shape, 1e-3).unwrap_err();
    assert!(matches!(
        refused(&Shape::Compound(Arc::new(mixed.unwrap()))),
        SolidError::Thickness { child: 1, .. }
    ));
    assert_eq!(refused(&Shape::HalfSpace(HalfSpace)), SolidError::Unbounded);
    for deviation in [0.0, -1.0, 1e-12, f64::NAN] {
        assert!(matches!(Solid::of_shape(&bar, deviation), Err(SolidError::Deviation { .. })));
    }
    let bad = ImpactOptions { guard: f64::NAN, ..ImpactOptions::default() };
    assert!(matches!(Solids::new(bad, TestMode::Certified), Err(QueryError::Option { .. })));
    let mut world = World::new(TestMode::Certified);
    let (a, b) = (world.block(DVec3::ONE, DVec3::ZERO), world.block(DVec3::ONE, DVec3::X * 3.0));
    assert!(world.solids.remove(b).is_some() && world.solids.remove(b).is_none());
    world.wish(a, DVec3::X * 5.0);
    let error = world.control.detect(
        &mut world.solids,
        Distribution::Common,
        &mut Budget::unlimited(),
        &mut world.detection,
    );
    let expected = StepError::Pair { objects: [a, b], source: QueryError::NoSolid(b) };
    assert_eq!(error, Err(expected));
    world.control.commit().unwrap();
    assert_eq!(world.pose(a), Pose::IDENTITY, "what was not tested does not move");
}
