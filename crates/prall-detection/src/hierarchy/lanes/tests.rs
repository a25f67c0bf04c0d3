//! What lanes and planes prove, against sampled times.

use super::*;
use crate::certificate::safe_time;
use crate::hierarchy::{BuildOptions, Hierarchy};
use crate::random::Random;
use crate::relative_motion::{RelativeMotion, Snapshot};
use crate::triangle::{area_normal, triangle_distance};
use glam::DQuat;
use prall_math::{Motion, Norm, Pose};

fn soup(random: &mut Random, size: f64) -> Vec<[DVec3; 3]> {
    let thin = if random.chance(0.3) { 1e-9 } else { 1.0 };
    (0..2 + random.integer(7))
        .map(|_| {
            let p = random.vector(size);
            let q = p + random.vector(0.3 * size);
            [p, q, p.lerp(q, random.between(-0.5, 1.5)) + random.vector(0.2 * size * thin)]
        })
        .collect()
}

fn motion(random: &mut Random, away: DVec3) -> Motion {
    let start = Pose::new(random.rotation(), away + random.vector(1.0));
    let angle = random.between(0.0, 20.0);
    let uniform = prall_math::UniformMotion {
        start,
        reference: random.vector(1.0),
        velocity: random.vector(2.0),
        axis: random.direction(),
        angle: if random.chance(0.3) { 0.0 } else { angle },
    };
    let turn = DQuat::from_axis_angle(random.direction(), 1.0);
    let motion = match random.integer(4) {
        0 => Motion::nlerp(start, Pose::new(turn * start.rotation, away + random.vector(1.0))),
        1 => Motion::screw_about(start, away + random.vector(2.0), random.direction(), angle, 0.5),
        _ => Motion::uniform(uniform),
    };
    motion.expect("a motion")
}

/// Distance of two sets of triangles at a time of the query's clock.
fn gap(a: &[[DVec3; 3]], b: &[[DVec3; 3]], motion: &RelativeMotion, clock: f64) -> f64 {
    let change = motion.snapshot(clock).placement.a_to_b;
    let mut least = f64::INFINITY;
    for s in a {
        for t in b {
            least = least.min(triangle_distance(&change.triangle(s), t).distance());
        }
    }
    least
}

/// What the lanes prove about a single box and eight others must hold at every time that is sampled.
#[test]
fn what_the_lanes_prove_is_true_at_sampled_times() {
    let mut random = Random::new(61);
    let (mut dropped, mut delayed) = (0, 0);
    for case in 0..3000 {
        let away = if case % 10 == 0 { DVec3::new(800.0, -600.0, 0.0) } else { DVec3::ZERO };
        let (mesh_a, mesh_b) = (soup(&mut random, 0.5), soup(&mut random, 0.5));
        let build = |mesh: &[[DVec3; 3]]| Hierarchy::build(mesh, &BuildOptions::default()).expect("a body");
        let (a, b) = (build(&mesh_a), build(&mesh_b));
        let (motion_a, motion_b) = (motion(&mut random, away), motion(&mut random, away));
        let relative = RelativeMotion::new(&motion_a, a.radius(), &motion_b, b.radius()).expect("bounded");
        let clock = random.between(0.0, 0.9);
        let snapshot = relative.snapshot(clock);
        let eight_move = random.chance(0.5);
        let separation = relative.rounding;
        let constants =
            [snapshot.in_a, snapshot.in_b].map(|frame| LaneConstants::new(&frame, &snapshot.bounds));
        // A leaf of one body against the only group of the other.
        let (group, advance) = if eight_move {
            let (group, node) = (&a.groups[0], &b.nodes[b.groups[0].first as usize]);
            let change = &snapshot.placement.b_to_a;
            let single = Single::new(node, change, change.point(node.centre), group.origin);
            let moving = Moving::Eight { origin: group.origin, extent: group.reach };
            let reach = whole_reach(&snapshot, group.reach, group.origin) * (1.0 - clock);
            let motion = LaneMotion::new(&snapshot.in_a, &constants[0], &moving, separation, reach);
            (group, advance(group, &single, &motion))
        } else {
            let (group, node) = (&b.groups[0], &a.nodes[a.groups[0].first as usize]);
            let change = &snapshot.placement.a_to_b;
            let centre = change.point(node.centre);
            let single = Single::new(node, change, centre, group.origin);
            let moving = Moving::Single { centre, extent: node.radius };
            let reach = whole_reach(&snapshot, node.radius, node.centre) * (1.0 - clock);
            let motion = LaneMotion::new(&snapshot.in_b, &constants[1], &moving, separation, reach);
            (group, advance(group, &single, &motion))
        };
        for lane in 0..group.count {
            let free = if advance.open >> lane & 1 == 0 {
                dropped += 1;
                1.0 - clock
            } else {
                f64::from(advance.safe[lane as usize]).min(1.0 - clock)
            };
            if free == 0.0 {
                continue;
            }
            delayed += 1;
            let (tri_a, tri_b) =
                if eight_move { (leaf(&a, lane), leaf(&b, 0)) } else { (leaf(&a, 0), leaf(&b, lane)) };
            for i in 0..=20 {
                let at = clock + free * f64::from(i) / 20.0;
                assert!(gap(&[tri_a], &[tri_b], &relative, at) > 0.0, "case {case}, lane {lane}, {at}");
            }
        }
    }
    assert!(dropped > 1000 && delayed > 5000, "proofs occur: {dropped} {delayed}");
}

fn whole_reach(snapshot: &Snapshot, extent: f32, place: DVec3) -> f64 {
    let arm = snapshot.in_a.arm(place).norm() + f64::from(extent);
    snapshot.bounds.rate + snapshot.bounds.rate_per_arm * arm
}

fn leaf(body: &Hierarchy, lane: u32) -> [DVec3; 3] {
    match body.nodes[(body.groups[0].first + lane) as usize].link.content() {
        crate::hierarchy::Content::Triangles(range) => *body.at_slot(range.start),
        crate::hierarchy::Content::Group(_) => panic!("eight triangles at most"),
    }
}

/// The same for the certificate in double precision, with whatever plane.
#[test]
fn what_a_plane_proves_is_true_at_sampled_times() {
    let mut random = Random::new(62);
    let mut proofs = 0;
    for case in 0..6000 {
        let away = if case % 10 == 0 { DVec3::new(800.0, -600.0, 0.0) } else { DVec3::ZERO };
        let mut triangle = || [random.vector(0.5), random.vector(0.5), random.vector(0.5)];
        let (a, b) = (triangle(), triangle());
        let (motion_a, motion_b) = (motion(&mut random, away), motion(&mut random, away));
        let relative = RelativeMotion::new(&motion_a, 1.0, &motion_b, 1.0).expect("bounded");
        let clock = random.between(0.0, 0.9);
        let snapshot = relative.snapshot(clock);
        let placed = snapshot.placement.a_to_b.triangle(&a);
        let near = triangle_distance(&placed, &b);
        let normals = [near.separating_direction(&placed, &b), area_normal(&b).map(DVec3::normalize)];
        for normal in normals.into_iter().flatten() {
            let safe = safe_time(normal, &placed, &b, &snapshot, relative.rounding).min(1.0 - clock);
            if safe == 0.0 {
                continue;
            }
            proofs += 1;
            for i in 0..=30 {
                let at = clock + safe * f64::from(i) / 30.0;
                assert!(gap(&[a], &[b], &relative, at) > 0.0, "case {case} at {at}");
            }
        }
    }
    assert!(proofs > 3000, "proofs occur: {proofs}");
}

#[test]
fn a_box_that_is_not_a_number_is_never_dropped() {
    let mesh = [[DVec3::ZERO, DVec3::X, DVec3::Y], [DVec3::Z, DVec3::X, DVec3::Y]];
    let body = Hierarchy::build(&mesh, &BuildOptions::default()).expect("a body");
    let far = Pose::from_translation(DVec3::splat(100.0));
    let still = |pose: Pose| Motion::still(pose).expect("a pose");
    let (motion_a, motion_b) = (still(far), still(Pose::IDENTITY));
    let relative = RelativeMotion::new(&motion_a, 2.0, &motion_b, 2.0).expect("bounded");
    let snapshot = relative.snapshot(0.0);
    let change = &snapshot.placement.a_to_b;
    let sound = body.nodes[1];
    let nan_centre = NodeBox { centre: DVec3::NAN, ..sound };
    let nan_size = NodeBox { half: [f32::NAN; 3], ..sound };
    let nan_axes = NodeBox { axes: [[f32::NAN; 3]; 3], ..sound };
    for bad in [nan_centre, nan_size, nan_axes] {
        let single = Single::new(&sound, change, change.point(sound.centre), DVec3::ZERO);
        let group = Group8::new(DVec3::ZERO, 0, &[sound, bad]);
        assert_eq!(near(&group, &single, 0.0), 0b10);
        let moving = Moving::Single { centre: change.point(sound.centre), extent: sound.radius };
        let constants = LaneConstants::new(&snapshot.in_b, &snapshot.bounds);
        let motion = LaneMotion::new(&snapshot.in_b, &constants, &moving, 0.0, 1.0);
        let advance = advance(&group, &single, &motion);
        assert_eq!((advance.open, advance.safe[1]), (0b10, 0.0));
    }
}
