//! Bodies with much surface near each other, as a bolt in its nut has: random walks, cut budgets, and what a step costs.

use std::f64::consts::TAU;

use glam::DVec3;
use prall_detection::{
    Budget, BuildOptions, DistanceOptions, Hierarchy, ImpactOptions, TimeOfImpact, Workspace, all_near,
    distance, overlap, time_of_impact, triangle_distance,
};
use prall_geometry::generate::{self, Thread};
use prall_geometry::{Mesh, MeshOptions, PolygonSoup};
use prall_math::{Motion, Pose, UniformMotion};

use crate::bodies::hierarchy;
use crate::meshes::Triangles;
use crate::random::Random;

fn of_soup(soup: &PolygonSoup) -> Hierarchy {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).expect("generated");
    Hierarchy::of_mesh(&mesh, &BuildOptions::default()).expect("a body")
}

fn bolt_and_nut(turns: u32, segments: u32) -> [Hierarchy; 2] {
    let thread = Thread { radius: 8e-3, pitch: 2.5e-3, turns: 2 * turns, segments };
    let nut = generate::nut(&Thread { turns, ..thread }, 1e-4, 0.014).expect("a nut");
    [of_soup(&generate::bolt(&thread).expect("a bolt")), of_soup(&nut)]
}

/// Loose triangles in a cube of half a metre.
fn soup(random: &mut Random, count: usize, size: f64) -> Triangles {
    let corner = |random: &mut Random| random.vector(0.25);
    (0..count)
        .map(|_| {
            let p = corner(random);
            [p, p + random.vector(size), p + random.vector(size)]
        })
        .collect()
}

struct Walk<'a> {
    bodies: &'a [Hierarchy; 2],
    poses: [Pose; 2],
    workspace: Workspace,
    free: usize,
    hits: usize,
    cut: usize,
}

impl Walk<'_> {
    fn gap(&mut self, motions: &[Motion; 2], t: f64) -> f64 {
        let [a, b] = self.bodies;
        let options = DistanceOptions::default();
        let poses = [0, 1].map(|side| motions[side].pose(t));
        let found = distance(a, &poses[0], b, &poses[1], &options, &mut self.workspace);
        found.expect("sound poses").expect("no limit").gap
    }

    fn impact(
        &mut self,
        motions: &[Motion; 2],
        options: &ImpactOptions,
        budget: &mut Budget,
    ) -> TimeOfImpact {
        let [a, b] = self.bodies;
        time_of_impact(a, &motions[0], b, &motions[1], options, budget, &mut self.workspace)
            .expect("good options")
    }

    /// Goes as far as is proven, and looks exactly at many places of the way.
    fn step(&mut self, random: &mut Random, twists: [(DVec3, DVec3, f64); 2], samples: u32) {
        let motions = [0, 1].map(|side| {
            let (velocity, axis, angle) = twists[side];
            let start = self.poses[side];
            let motion = UniformMotion { start, reference: DVec3::ZERO, velocity, axis, angle };
            Motion::uniform(motion).expect("a motion")
        });
        let options = ImpactOptions { guard: 2e-6, tolerance: 5e-7, relax_at_start: true };
        let mut full = Budget::unlimited();
        let answer = self.impact(&motions, &options, &mut full);
        // With less work less is proven, and what is proven is true all the same.
        let mut small = Budget::of_work(random.integer(full.used() + 1));
        let cut = self.impact(&motions, &options, &mut small);
        assert!(cut.free_until <= answer.free_until, "{cut:?} {answer:?}");
        assert!(cut.finished || !answer.finished || cut.free_until < 1.0 || small.exhausted());
        self.cut += usize::from(!cut.finished);
        // Equal questions have equal answers.
        assert_eq!(self.impact(&motions, &options, &mut Budget::unlimited()), answer);
        let [a, b] = self.bodies;
        for i in 0..=samples {
            let t = answer.free_until * f64::from(i) / f64::from(samples);
            let poses = [0, 1].map(|side| motions[side].pose(t));
            let meet = overlap(a, &poses[0], b, &poses[1], &mut self.workspace).expect("sound poses");
            let touched = answer.free_until == 0.0 && answer.contact.is_some();
            assert!(meet.is_none() || touched, "overlap at {t} of {answer:?}");
        }
        for t in [0.5, 1.0] {
            let gap = self.gap(&motions, t * answer.free_until);
            assert!(gap >= answer.kept * (1.0 - 1e-9), "{gap} at {t} of {answer:?}");
        }
        match answer.contact {
            None => {
                assert!(answer.finished && answer.free_until == 1.0, "{answer:?}");
                self.free += 1;
            }
            Some((t, _)) => {
                let gap = self.gap(&motions, t);
                assert!(gap <= answer.kept + options.tolerance + 1e-12, "{gap} at {answer:?}");
                self.hits += 1;
            }
        }
        // A little back, so that the walk does not creep up to the contact.
        let share = if answer.contact.is_some() { 0.5 * answer.free_until } else { answer.free_until };
        self.poses = [0, 1].map(|side| motions[side].pose(share).normalized());
    }
}

/// A bolt that turns, slides and wobbles in its nut, which moves as well, never overlaps it up to `free_until`, with any budget.
#[test]
fn a_bolt_that_walks_in_its_nut_is_free_up_to_free_until() {
    let bodies = bolt_and_nut(2, 24);
    let mut random = Random::new(191);
    let mut walk = Walk {
        bodies: &bodies,
        poses: [Pose::IDENTITY; 2],
        workspace: Workspace::new(),
        free: 0,
        hits: 0,
        cut: 0,
    };
    for step in 0..250 {
        let angle = random.between(-0.05, 0.05);
        let along = DVec3::NEG_Y * (angle / TAU * 2.5e-3);
        let axis = (DVec3::NEG_Y + random.vector(2e-3)).normalize();
        let own = (along + random.vector(2e-5), axis, angle.abs());
        let own = if angle < 0.0 { (own.0, -axis, own.2) } else { own };
        // Every third step both go together as well.
        let nut = if step % 3 == 0 { random.vector(1e-5) } else { DVec3::ZERO };
        let turn = if step % 3 == 0 { random.between(0.0, 1e-3) } else { 0.0 };
        walk.step(&mut random, [own, (nut, DVec3::NEG_Y, turn)], 12);
    }
    assert!(walk.free > 25 && walk.hits > 25 && walk.cut > 25, "{} {} {}", walk.free, walk.hits, walk.cut);
}

/// The same with loose triangles, whose planes say little about each other.
#[test]
fn soups_that_walk_past_each_other_are_free_up_to_free_until() {
    let mut random = Random::new(192);
    let (mut free, mut hits) = (0, 0);
    for _ in 0..12 {
        let bodies = [soup(&mut random, 60, 0.05), soup(&mut random, 120, 0.05)].map(|mesh| hierarchy(&mesh));
        let mut walk = Walk {
            bodies: &bodies,
            poses: [Pose::from_translation(random.direction() * 0.8), Pose::IDENTITY],
            workspace: Workspace::new(),
            free: 0,
            hits: 0,
            cut: 0,
        };
        for step in 0..40 {
            let size = [0.005, 0.05][step % 2];
            let towards =
                (walk.poses[1].translation - walk.poses[0].translation) * (size * random.between(-2.0, 6.0));
            let own = (towards + random.vector(size), random.direction(), random.between(0.0, size));
            let turn = if step % 2 == 0 { 0.0 } else { random.between(0.0, size) };
            let other = (DVec3::ZERO, random.direction(), turn);
            walk.step(&mut random, [own, other], 30);
        }
        free += walk.free;
        hits += walk.hits;
    }
    assert!(free > 50 && hits > 50, "{free} {hits}");
}

/// What a turning bolt costs is what is near it: planes of faces prove eight threads in a few units for each piece of them. With boxes
/// down to single triangles it was 15,000.
#[test]
fn a_turning_bolt_is_proven_free_with_little_work() {
    let [bolt, nut] = bolt_and_nut(4, 64);
    let angle = 0.002 * TAU;
    let motion = UniformMotion {
        start: Pose::from_translation(DVec3::NEG_Y * 4e-5),
        reference: DVec3::ZERO,
        velocity: DVec3::NEG_Y * (angle / TAU * 2.5e-3),
        axis: DVec3::NEG_Y,
        angle,
    };
    let (motion, still) =
        (Motion::uniform(motion).expect("a motion"), Motion::still(Pose::IDENTITY).expect("a pose"));
    let options = ImpactOptions { guard: 2e-6, tolerance: 5e-7, relax_at_start: true };
    let run = |budget: &mut Budget| {
        let mut workspace = Workspace::new();
        time_of_impact(&bolt, &motion, &nut, &still, &options, budget, &mut workspace).expect("good options")
    };
    let mut budget = Budget::unlimited();
    let answer = run(&mut budget);
    assert!(answer.finished && answer.free_until == 1.0, "{answer:?}");
    assert!(budget.used() < 7_500, "{} units", budget.used());
    // What is left of a budget that ends early is true, and more proves no less.
    let mut proven = 0.0;
    for share in 1..=20 {
        let cut = run(&mut Budget::of_work(budget.used() * share / 20));
        assert!(cut.free_until >= proven);
        proven = cut.free_until;
    }
    assert_eq!(proven, 1.0);
}

/// No pair within reach is left out, whichever pieces the bodies are looked at in.
#[test]
fn all_pairs_of_threads_within_reach_are_found() {
    let [bolt, nut] = bolt_and_nut(1, 24);
    let mut random = Random::new(193);
    let mut workspace = Workspace::new();
    for reach in [2e-5, 1.5e-4, 1e-3] {
        let turned = glam::DQuat::from_rotation_y(random.between(0.0, 0.02));
        let pose = Pose::new(turned, random.vector(3e-5));
        let mut found = std::collections::BTreeSet::new();
        let seen = |i: u32, j: u32| found.insert((i, j));
        all_near(&bolt, &pose, &nut, &Pose::IDENTITY, reach, &mut workspace, seen).expect("sound poses");
        let mut near = 0;
        for i in 0..bolt.triangle_count() as u32 {
            let s = bolt.triangle(i).expect("in range").map(|p| pose.transform_point(p));
            for j in 0..nut.triangle_count() as u32 {
                if triangle_distance(&s, nut.triangle(j).expect("in range")).distance() <= reach {
                    near += 1;
                    assert!(found.contains(&(i, j)), "{i} {j} within {reach}");
                }
            }
        }
        assert!(near > 50, "{near}");
    }
}
