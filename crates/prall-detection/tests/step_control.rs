//! Many moving bodies made of spheres: nothing ever touches, whatever the motions and the budgets.

mod spheres;

use std::time::{Duration, Instant};

use glam::{DQuat, DVec3};
use prall_detection::{
    Assembly, Budget, Detection, Distribution, Filter, GlobalPoses, GroupOutcome, LocalPoses, Method,
    ObjectId, StepControl, StepError, SweptBox,
};
use prall_geometry::Aabb;
use prall_math::{Motion, Pose};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use spheres::{Spheres, TOLERANCE};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    }
}

/// A control and what its objects are: a sphere each.
struct World<A> {
    control: StepControl<A>,
    spheres: Spheres,
    objects: Vec<ObjectId>,
    detection: Detection<Spheres>,
}

impl<A: Assembly> World<A> {
    fn new(assembly: A, method: Method, swept: SweptBox) -> World<A> {
        let control = StepControl::new(assembly, method, swept);
        World { control, spheres: Spheres::default(), objects: Vec::new(), detection: Detection::default() }
    }

    fn add(&mut self, pose: Pose, center: DVec3, radius: f64) -> ObjectId {
        self.add_in(Aabb::from_center(center, DVec3::splat(radius)), pose, center, radius)
    }

    fn add_in(&mut self, local: Aabb, pose: Pose, center: DVec3, radius: f64) -> ObjectId {
        let object = self.control.add(local, pose, Filter::EVERYTHING).unwrap();
        self.spheres.set(object, center, radius);
        self.objects.push(object);
        object
    }

    fn ball(&mut self, place: DVec3, radius: f64) -> ObjectId {
        self.add(Pose::from_translation(place), DVec3::ZERO, radius)
    }

    fn wish(&mut self, object: ObjectId, by: DVec3) {
        self.control.register_displacement(object, Pose::from_translation(by)).unwrap();
    }

    fn detect(&mut self, distribution: Distribution, budget: &mut Budget) -> &[GroupOutcome<f64>] {
        self.control.detect(&mut self.spheres, distribution, budget, &mut self.detection).unwrap();
        self.detection.groups()
    }

    fn pose(&self, object: ObjectId) -> Pose {
        self.control.assembly().pose(object).unwrap()
    }

    /// Objects that hang together have the same root.
    fn root(&self, object: ObjectId) -> ObjectId {
        let parent = self.control.assembly().parent(object).unwrap();
        parent.map_or(object, |parent| self.root(parent))
    }

    /// The least gap between spheres that do not hang together, with the two.
    fn least_gap(&self, pose: impl Fn(ObjectId) -> Pose) -> f64 {
        let mut least = f64::INFINITY;
        for (n, &a) in self.objects.iter().enumerate() {
            for &b in self.objects[..n].iter().filter(|&&b| self.root(a) != self.root(b)) {
                least = least.min(self.spheres.gap([a, b], [pose(a), pose(b)]));
            }
        }
        least
    }
}

fn vector(reach: f64) -> impl Strategy<Value = DVec3> {
    [-reach..reach, -reach..reach, -reach..reach].prop_map(DVec3::from)
}

/// What a random body wants in each step.
#[derive(Clone, Debug)]
struct Wish {
    by: DVec3,
    turn: DVec3,
    reference: DVec3,
    nlerp: bool,
}

fn wish() -> impl Strategy<Value = Wish> {
    (vector(3.0), vector(2.0), vector(1.0), any::<bool>()).prop_map(|(by, turn, reference, nlerp)| Wish {
        by,
        turn,
        reference,
        nlerp,
    })
}

#[derive(Clone, Debug)]
struct Scene {
    bodies: Vec<(DVec3, DVec3, f64)>,
    /// How many spheres hang on each body that moves.
    links: Vec<bool>,
    steps: Vec<(Vec<Wish>, u64, usize)>,
}

fn scene() -> impl Strategy<Value = Scene> {
    let bodies = prop::collection::vec((vector(4.0), vector(0.3), 0.1..0.6), 24);
    let steps =
        (prop::collection::vec(wish(), 24), prop_oneof![Just(0), 1_u64..400, Just(u64::MAX)], 0_usize..3);
    (bodies, prop::collection::vec(prop::bool::weighted(0.3), 24), prop::collection::vec(steps, 1..4))
        .prop_map(|(bodies, links, steps)| Scene { bodies, links, steps })
}

const DISTRIBUTIONS: [Distribution; 3] =
    [Distribution::Equal, Distribution::Viewer { eye: DVec3::ZERO, reach: 1.0 }, Distribution::Common];

/// Builds the scene without touching bodies; some are linked to their predecessor.
fn build<A: Assembly>(mut world: World<A>, scene: &Scene) -> World<A> {
    for (i, &(place, center, radius)) in scene.bodies.iter().enumerate() {
        let pose = Pose::new(DQuat::from_scaled_axis(center * 3.0), place);
        let object = world.add(pose, center, radius);
        if world.least_gap(|o| world.pose(o)) < 0.05 {
            world.objects.pop();
            world.control.remove(object).unwrap();
        } else if scene.links[i] && world.objects.len() > 1 {
            let before = world.objects[world.objects.len() - 2];
            world.control.attach(object, before).unwrap();
        }
    }
    world
}

/// Registers a motion for every second body that hangs on nothing.
fn register<A: Assembly>(world: &mut World<A>, wishes: &[Wish]) -> Vec<(ObjectId, Motion)> {
    let mut motions = Vec::new();
    for (i, object) in world.objects.clone().into_iter().enumerate().filter(|(i, _)| i % 4 != 3) {
        if world.root(object) != object {
            continue;
        }
        let (start, wish) = (world.pose(object), &wishes[i]);
        let end = Pose::new(
            (DQuat::from_scaled_axis(wish.turn) * start.rotation).normalize(),
            start.translation + wish.by,
        );
        let motion = match wish.nlerp {
            true => Motion::nlerp(start, end),
            false => Motion::slerp_about(start, end, wish.reference),
        };
        let motion = motion.unwrap();
        world.control.register(object, motion.clone()).unwrap();
        motions.push((object, motion));
    }
    motions
}

/// Where an object is at time t, its group having stopped when the control said: told without the control's help.
fn on_the_way<A: Assembly>(
    world: &World<A>,
    motions: &[(ObjectId, Motion)],
    object: ObjectId,
    t: f64,
) -> Pose {
    let root = world.root(object);
    match motions.iter().position(|(moving, _)| *moving == root) {
        Some(i) => {
            let (motion, outcome) = (&motions[i].1, &world.detection.groups()[i]);
            motion.pose(t.min(outcome.free_until)) * motion.start().inverse() * world.pose(object)
        }
        None => world.pose(object),
    }
}

fn nothing_touches<A: Assembly>(mut world: World<A>, scene: &Scene) -> Result<(), TestCaseError> {
    for (wishes, units, distribution) in &scene.steps {
        let motions = register(&mut world, wishes);
        let mut budget = Budget::of_work(*units);
        world.detect(DISTRIBUTIONS[*distribution], &mut budget);
        prop_assert!(budget.used() <= *units);
        for i in 0..=60 {
            let t = f64::from(i) / 60.0;
            let gap = world.least_gap(|object| on_the_way(&world, &motions, object, t));
            prop_assert!(gap > 0.0, "gap {} at {}", gap, t);
        }
        if *units == u64::MAX {
            prop_assert_eq!(world.detection.unfinished().count(), 0);
            for outcome in world.detection.groups().iter().filter(|outcome| outcome.free_until < 1.0) {
                let pair = outcome.stopped_by.as_ref().unwrap();
                let poses = pair.objects.map(|o| on_the_way(&world, &motions, o, outcome.free_until));
                // Nobody stops without a neighbour; 1e-9 is what rounding of poses may add.
                prop_assert!(world.spheres.gap(pair.objects, poses) <= TOLERANCE + 1e-9);
            }
        }
        world.control.commit().unwrap();
        prop_assert!(world.least_gap(|object| world.pose(object)) > 0.0);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn nothing_touches_on_the_way_nor_after_it_whatever_the_budget(scene in scene()) {
        nothing_touches(
            build(World::new(GlobalPoses::new(), Method::Tree, SweptBox::StartAndEnd), &scene), &scene)?;
        nothing_touches(
            build(World::new(LocalPoses::new(), Method::SweepAndPrune, SweptBox::MotionLength), &scene), &scene)?;
    }

    /// Boxes without bounds pair everything with everything: then the index cannot lose a pair.
    #[test]
    fn the_index_loses_no_pair_that_matters(scene in scene()) {
        let mut stops = Vec::new();
        for (method, everything) in [(Method::Tree, false), (Method::SweepAndPrune, false), (Method::Tree, true)] {
            let mut world = build(World::new(GlobalPoses::new(), method, SweptBox::StartAndEnd), &scene);
            if everything {
                world = unbounded(&world);
            }
            register(&mut world, &scene.steps[0].0);
            let outcomes = world.detect(Distribution::Common, &mut Budget::unlimited());
            stops.push(outcomes.iter().map(|outcome| outcome.free_until).collect::<Vec<_>>());
        }
        prop_assert_eq!(&stops[0], &stops[1]);
        prop_assert_eq!(&stops[0], &stops[2]);
    }
}

/// The same world with boxes that say nothing.
fn unbounded(world: &World<GlobalPoses>) -> World<GlobalPoses> {
    let mut copy = World::new(GlobalPoses::new(), Method::Tree, SweptBox::StartAndEnd);
    for &object in &world.objects {
        let (center, radius) = world.spheres.get(object);
        copy.add_in(Aabb::EVERYTHING, world.pose(object), center, radius);
    }
    for (i, &object) in world.objects.iter().enumerate() {
        if let Some(parent) = world.control.assembly().parent(object).unwrap() {
            let parent = world.objects.iter().position(|&o| o == parent).unwrap();
            copy.control.attach(copy.objects[i], copy.objects[parent]).unwrap();
        }
    }
    copy
}

fn world() -> World<GlobalPoses> {
    World::new(GlobalPoses::new(), Method::Tree, SweptBox::StartAndEnd)
}

#[test]
fn two_balls_stop_when_they_meet_and_the_closed_form_says_when() {
    let mut world = world();
    let (a, b) = (world.ball(DVec3::ZERO, 1.0), world.ball(DVec3::new(10.0, 1.0, 0.0), 1.0));
    world.wish(a, DVec3::X * 8.0);
    world.wish(b, DVec3::X * -8.0);
    // (10 - 16 t)^2 + 1 = 2^2
    let meet = (10.0 - 3.0_f64.sqrt()) / 16.0;
    for outcome in world.detect(Distribution::Common, &mut Budget::unlimited()) {
        // Gap and time are related by the closing speed of at least 10.
        assert!((meet - TOLERANCE..meet).contains(&outcome.free_until));
        assert_eq!(outcome.stopped_by.as_ref().unwrap().objects, [a, b]);
    }
    world.control.commit().unwrap();
    assert!((world.pose(a).translation.x - 8.0 * meet).abs() < 1e-5);
}

/// A passes before B arrives, unless a wall stops A in B's way: then B, which met A nowhere while both moved, must
/// be tested again. Without that, B would end inside A.
#[test]
fn who_stops_early_is_not_run_over_by_who_counted_on_its_leaving() {
    let mut world = world();
    let a = world.ball(DVec3::new(0.0, 0.0, -4.0), 1.0);
    let b = world.ball(DVec3::new(-12.0, 0.0, 0.0), 1.0);
    let wall = world.ball(DVec3::new(0.0, 0.0, 3.0), 1.0);
    let route = |world: &mut World<GlobalPoses>| {
        world.wish(a, DVec3::Z * 40.0);
        world.wish(b, DVec3::X * 24.0);
    };
    world.control.exclude(a, wall).unwrap();
    route(&mut world);
    let outcomes = world.detect(Distribution::Common, &mut Budget::unlimited());
    assert!(
        outcomes.iter().all(|outcome| outcome.free_until == 1.0),
        "without the wall they pass each other"
    );
    assert_eq!(world.detection.retests(), 0);
    world.control.cancel();

    world.control.include(a, wall).unwrap();
    route(&mut world);
    let outcomes = world.detect(Distribution::Common, &mut Budget::unlimited());
    assert!((outcomes[0].free_until - 5.0 / 40.0).abs() < TOLERANCE);
    // A rests at z = 1, B's centre at a distance of 2 from it: x = -sqrt(3).
    assert!((outcomes[1].free_until - (12.0 - 3.0_f64.sqrt()) / 24.0).abs() < TOLERANCE);
    assert_eq!(outcomes[1].stopped_by.as_ref().unwrap().objects, [a, b]);
    assert_eq!(world.detection.retests(), 1);
    world.control.commit().unwrap();
    assert!(world.least_gap(|object| world.pose(object)) > 0.0);
}

/// The other way round: B would hit A late, but A has been stopped far away from where they would meet.
#[test]
fn who_would_have_met_somebody_that_stopped_before_goes_on() {
    let mut world = world();
    let a = world.ball(DVec3::new(0.0, 0.0, -9.0), 1.0);
    let b = world.ball(DVec3::new(-9.0, 0.0, 0.0), 1.0);
    world.ball(DVec3::new(0.0, 0.0, -6.0), 1.0);
    world.wish(a, DVec3::Z * 18.0);
    world.wish(b, DVec3::X * 18.0);
    let outcomes = world.detect(Distribution::Common, &mut Budget::unlimited());
    assert!(outcomes[0].free_until < 0.1);
    assert_eq!((outcomes[1].free_until, &outcomes[1].stopped_by), (1.0, &None));
}

#[test]
fn the_earliest_contact_of_any_member_stops_the_whole_group_and_members_do_not_meet_each_other() {
    let mut world = world();
    let (a, b) = (world.ball(DVec3::ZERO, 1.0), world.ball(DVec3::new(0.0, 1.0, 0.0), 1.0));
    world.control.attach(b, a).unwrap();
    let (low, high) =
        (world.ball(DVec3::new(9.0, -0.5, 0.0), 0.5), world.ball(DVec3::new(7.0, 1.5, 0.0), 0.5));
    world.wish(a, DVec3::X * 10.0);
    let outcome = world.detect(Distribution::Common, &mut Budget::unlimited())[0].clone();
    assert_eq!(outcome.stopped_by.unwrap().objects, [b, high]);
    let tested: Vec<_> = world.detection.pairs().map(|pair| pair.objects).collect();
    assert!(tested.contains(&[a, low]) && !tested.contains(&[a, b]), "{tested:?}");
    let before = world.pose(a).inverse() * world.pose(b);
    world.control.commit().unwrap();
    assert!(world.pose(a).translation.x > 5.0);
    let after = world.pose(a).inverse() * world.pose(b);
    assert!((after.translation - before.translation).length() < 1e-14);
}

/// A ball beside the lane at a distance, diagonally, so that the boxes overlap up to a distance of 2.8.
fn obstacle(world: &mut World<GlobalPoses>, lane: DVec3, aside: f64) {
    let diagonal = DVec3::new(0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt());
    world.ball(lane + DVec3::X * 20.0 + diagonal * aside, 1.0);
}

/// Thirty balls fly at thirty obstacles: most hit, one in ten grazes, some pass.
fn shooting_range() -> World<GlobalPoses> {
    let mut world = world();
    for i in 0..30 {
        let lane = DVec3::new(0.0, f64::from(i) * 10.0, 0.0);
        let ball = world.ball(lane, 1.0);
        obstacle(&mut world, lane, 1.6 + 0.1 * f64::from(i % 10));
        world.wish(ball, DVec3::X * 40.0);
    }
    world
}

#[test]
fn more_budget_never_lowers_what_is_proven_and_no_unit_is_overspent() {
    for distribution in DISTRIBUTIONS {
        let mut world = shooting_range();
        let mut before = vec![0.0; 30];
        for units in [0, 1, 7, 30, 31, 100, 170, 300, 800, 3000, 20_000, u64::MAX] {
            let mut budget = Budget::of_work(units);
            let outcomes = world.detect(distribution, &mut budget);
            let now: Vec<f64> = outcomes.iter().map(|outcome| outcome.free_until).collect();
            assert!(budget.used() <= units);
            assert!(
                before.iter().zip(&now).all(|(before, now)| before <= now),
                "{distribution:?} with {units}"
            );
            before = now;
            let work: u64 = world.detection.pairs().map(|pair| pair.work).sum();
            assert_eq!(work, budget.used());
            // Whoever is unfinished is named with what is uncertain, and stops where that begins.
            for pair in world.detection.unfinished() {
                let group =
                    world.detection.groups().iter().find(|group| pair.objects.contains(&group.object));
                assert_eq!(group.unwrap().free_until, pair.free_until);
            }
        }
        assert_eq!(world.detection.unfinished().count(), 0);
        assert!(before.iter().any(|&t| t < 1.0) && before.contains(&1.0));
    }
}

#[test]
fn without_a_budget_everything_that_might_meet_stays_and_everything_else_goes() {
    let mut world = shooting_range();
    let free = world.ball(DVec3::new(0.0, -50.0, 0.0), 1.0);
    world.wish(free, DVec3::X);
    let poses: Vec<Pose> = world.objects.iter().map(|&object| world.pose(object)).collect();
    let mut budget = Budget::of_work(0);
    world.detect(Distribution::Common, &mut budget);
    assert!(budget.exhausted());
    assert_eq!(world.detection.unfinished().count(), 30);
    world.control.commit().unwrap();
    for (&object, pose) in world.objects.iter().zip(&poses) {
        let expected =
            if object == free { Pose::from_translation(DVec3::new(1.0, -50.0, 0.0)) } else { *pose };
        assert_eq!(world.pose(object), expected);
    }
}

/// Grazing takes many steps of advancement. Equal shares abort it while nine others leave most of theirs.
#[test]
fn a_common_queue_gives_hard_pairs_what_easy_ones_leave() {
    let mut world = world();
    for i in 0..10 {
        let lane = DVec3::new(0.0, f64::from(i) * 10.0, 0.0);
        let ball = world.ball(lane, 1.0);
        let aside = if i == 4 { 2.0 + 2.0 * TOLERANCE } else { 2.5 };
        obstacle(&mut world, lane, aside);
        world.wish(ball, DVec3::X * 40.0);
    }
    world.detect(Distribution::Common, &mut Budget::unlimited());
    let work: Vec<u64> = world.detection.pairs().map(|pair| pair.work).collect();
    let (hardest, total) = (*work.iter().max().unwrap(), work.iter().sum::<u64>());
    assert!(hardest * 10 > total, "one pair is harder than the mean");
    world.detect(Distribution::Common, &mut Budget::of_work(total));
    assert_eq!(world.detection.unfinished().count(), 0);
    world.detect(Distribution::Equal, &mut Budget::of_work(total));
    assert_eq!(world.detection.unfinished().count(), 1);
}

#[test]
fn a_pair_before_the_viewer_gets_further_than_its_twin_far_away() {
    let mut world = shooting_range();
    let viewer = Distribution::Viewer { eye: DVec3::ZERO, reach: 5.0 };
    world.detect(viewer, &mut Budget::of_work(600));
    let work: Vec<u64> = world.detection.pairs().map(|pair| pair.work).collect();
    // Lanes 1, 11 and 21 hold the same pair.
    assert!(work[1] > work[11] && work[11] > work[21], "{work:?}");
}

/// Where the clock cut is up to the machine; that its replay by work alone gives the same bits is not.
#[test]
fn a_step_that_the_clock_cut_is_replayed_by_the_work_it_used() {
    for distribution in DISTRIBUTIONS {
        for micros in [0, 20, 60, 100_000] {
            let mut world = shooting_range();
            let mut budget = Budget::of_work(2000).until(Instant::now() + Duration::from_micros(micros));
            let live = world.detect(distribution, &mut budget).to_vec();
            let mut replay = Budget::of_work(2000).cut_at(budget.used());
            assert_eq!(live, world.detect(distribution, &mut replay));
            assert_eq!(replay.used(), budget.used());
        }
    }
}

#[test]
fn an_external_pose_replaces_the_registered_motion_and_the_index_knows_it() {
    let mut world = world();
    let (a, b) = (world.ball(DVec3::ZERO, 1.0), world.ball(DVec3::new(0.0, 50.0, 0.0), 1.0));
    let child = world.ball(DVec3::new(0.0, 0.0, 3.0), 1.0);
    world.control.attach(child, a).unwrap();
    world.wish(a, DVec3::X * 5.0);
    world.wish(b, DVec3::Y * -20.0);
    world.detect(Distribution::Common, &mut Budget::unlimited());
    world.control.place(a, Pose::from_translation(DVec3::new(0.0, 20.0, 0.0))).unwrap();
    world.control.commit().unwrap();
    assert_eq!(world.pose(child).translation, DVec3::new(0.0, 20.0, 3.0));
    assert_eq!(world.pose(b).translation, DVec3::new(0.0, 30.0, 0.0));
    world.wish(b, DVec3::Y * -20.0);
    let outcome = &world.detect(Distribution::Common, &mut Budget::unlimited())[0];
    assert!((outcome.free_until - 0.4).abs() < TOLERANCE, "the way to the new place of a is 8 of 20");
}

#[test]
fn what_moves_already_or_starts_elsewhere_is_refused_and_nothing_has_changed() {
    let mut world = world();
    let (a, b) = (world.ball(DVec3::ZERO, 1.0), world.ball(DVec3::Z * 5.0, 1.0));
    world.control.attach(b, a).unwrap();
    let elsewhere = Motion::slerp(Pose::from_translation(DVec3::X), Pose::IDENTITY).unwrap();
    assert!(matches!(world.control.register(a, elsewhere), Err(StepError::Elsewhere { .. })));
    world.wish(b, DVec3::X);
    let moving = Err(StepError::Moving { object: b, group: b });
    assert_eq!(world.control.register_displacement(a, Pose::IDENTITY), moving);
    assert_eq!(world.control.detach(b), moving);
    assert_eq!(world.control.remove(b), moving);
    assert_eq!(world.control.place(a, Pose::IDENTITY), moving);
    assert_eq!(world.detect(Distribution::Common, &mut Budget::unlimited()).len(), 1);
    world.control.cancel();
    world.wish(a, DVec3::X);
    world.control.commit().unwrap();
    assert_eq!(world.pose(a), Pose::IDENTITY, "what was not tested does not move");
}
