//! What planes between blocks prove, against sampled times.

use super::*;
use crate::hierarchy::BuildOptions;
use crate::placement::Placement;
use crate::random::Random;
use crate::relative_motion::RelativeMotion;
use crate::triangle::triangle_distance;
use prall_math::{Motion, Pose, UniformMotion};

/// A bumpy sheet of 2 n^2 triangles across y, or loose triangles, or needles and points among them.
fn piece(random: &mut Random, n: u64) -> Vec<[DVec3; 3]> {
    if random.chance(0.3) {
        return (0..1 + random.integer(MAX_TRIANGLES as u64))
            .map(|_| {
                let p = random.vector(1.0);
                let q = p + random.vector(0.3);
                let thin = if random.chance(0.2) { 1e-9 } else { 1.0 };
                [p, q, p.lerp(q, random.between(-0.5, 1.5)) + random.vector(0.3 * thin)]
            })
            .collect();
    }
    let side = n as usize + 1;
    let bump = random.between(0.0, 0.3);
    let points: Vec<DVec3> = (0..side * side)
        .map(|i| {
            let (x, z) = ((i % side) as f64 / n as f64, (i / side) as f64 / n as f64);
            DVec3::new(2.0 * x - 1.0, random.between(-bump, bump), 2.0 * z - 1.0)
        })
        .collect();
    let quad = |i: usize| {
        let [a, b, c, d] = [i, i + 1, i + side, i + side + 1].map(|k| points[k]);
        [[a, c, b], [b, c, d]]
    };
    (0..side * side).filter(|i| i % side < side - 1 && i / side < side - 1).flat_map(quad).collect()
}

/// A small motion, of a kind whose second derivatives are bounded.
fn motion(random: &mut Random, away: DVec3, above: f64) -> Motion {
    let start = Pose::new(random.rotation(), away);
    let reach = random.between(0.0, 0.4);
    let raised = Pose::new(start.rotation, away + start.rotation * (DVec3::Y * above));
    let uniform = UniformMotion {
        start: raised,
        reference: random.vector(2.0),
        velocity: random.vector(reach),
        axis: random.direction(),
        angle: random.between(0.0, reach),
    };
    let motion = match random.integer(3) {
        0 => Motion::still(raised),
        1 => Motion::slerp(raised, {
            let turn = glam::DQuat::from_axis_angle(random.direction(), random.between(0.0, reach));
            Pose::new(turn * raised.rotation, raised.translation + random.vector(reach))
        }),
        _ => Motion::uniform(uniform),
    };
    motion.expect("a motion")
}

/// Pairs that planes keep apart have a gap at every time that is sampled, and most pairs of facing sheets are kept apart.
#[test]
fn what_planes_between_blocks_prove_is_true_at_sampled_times() {
    let mut random = Random::new(181);
    let (mut proven, mut pairs_in_all, mut delayed) = (0, 0, 0);
    let mut scratch = Scratch::new();
    for case in 0..4000 {
        let away = if case % 10 == 0 { DVec3::new(800.0, -600.0, 0.0) } else { DVec3::ZERO };
        let n = 1 + random.integer(2);
        let [mesh_a, mesh_b] = [piece(&mut random, n), piece(&mut random, n)];
        let build = |mesh: &[[DVec3; 3]]| Hierarchy::build(mesh, &BuildOptions::default()).expect("a body");
        let (a, b) = (build(&mesh_a), build(&mesh_b));
        let (above, motion_b) = (random.between(-0.2, 1.0), motion(&mut random, away, 0.0));
        // A lies beside B and goes its own way.
        let first = motion(&mut random, away, 0.0);
        let motion_a = match first.as_uniform() {
            Some(own) => {
                let start = motion_b.start();
                let start =
                    Pose::new(start.rotation, start.translation + start.rotation * (DVec3::Y * above));
                Motion::uniform(UniformMotion { start, ..*own }).expect("a motion")
            }
            None => first,
        };
        let relative = RelativeMotion::new(&motion_a, a.radius(), &motion_b, b.radius()).expect("bounded");
        let clock = random.between(0.0, 0.9);
        let end = random.between(clock, 1.0);
        let snapshot = relative.snapshot(clock);
        let (Piece::Block(block_a), Piece::Block(block_b)) = (a.piece(0), b.piece(0)) else {
            panic!("small enough")
        };
        let arm = snapshot.in_a.arm(block_a.origin).norm() + f64::from(block_a.reach);
        let bounds = &snapshot.bounds;
        let moment = snapshot.in_b.delta.norm();
        let curvature =
            bounds.curvature + arm * (bounds.curvature_per_arm + moment * bounds.curvature_per_moment);
        let bow = 0.125 * curvature * (end - clock) * (end - clock);
        let [pose_a, pose_b] = relative.poses(end);
        let ends = Ends::new(&snapshot.placement.a_to_b, &Placement::new(&pose_a, &pose_b).a_to_b);
        let kept = if random.chance(0.5) { 0.0 } else { random.between(0.0, 0.1) };
        let separation = kept + relative.rounding + bow;
        let more = if random.chance(0.5) { 0.0 } else { random.between(0.0, 0.1) };
        let open = open_pairs(&block_a, &block_b, &ends, (separation, separation + more), &mut scratch);
        pairs_in_all += block_a.count * block_b.count;
        assert_eq!(open.count, open.of_a.iter().map(|bits| bits.count_ones()).sum::<u32>());
        let changes: Vec<_> = (0..=16)
            .map(|i| relative.snapshot(clock + (end - clock) * f64::from(i) / 16.0).placement.a_to_b)
            .collect();
        for i in 0..block_a.count {
            for j in (0..block_b.count).filter(|j| open.of_a[i] >> j & 1 == 0) {
                proven += 1;
                let s = a.at_slot(block_a.first + i as u32);
                let t = b.at_slot(block_b.first + j as u32);
                for (k, change) in changes.iter().enumerate() {
                    let gap = triangle_distance(&change.triangle(s), t).distance();
                    assert!(gap > kept, "case {case}, pair {i} {j}, sample {k}: {gap} of {kept}");
                }
            }
        }
        // What is open is apart for a share of the interval.
        for i in 0..block_a.count {
            for j in (0..block_b.count).filter(|j| open.of_a[i] >> j & 1 == 1) {
                let share = f64::from(scratch.shares[i][j]);
                assert!((0.0..1.0).contains(&share), "case {case}, pair {i} {j}: {share}");
                delayed += usize::from(share > 0.0);
                let s = a.at_slot(block_a.first + i as u32);
                let t = b.at_slot(block_b.first + j as u32);
                for k in 0..=if share > 0.0 { 8 } else { -1 } {
                    let at = clock + (end - clock) * share * f64::from(k) / 8.0;
                    let change = relative.snapshot(at).placement.a_to_b;
                    let gap = triangle_distance(&change.triangle(s), t).distance();
                    let kept = kept + more;
                    assert!(gap > kept, "case {case}, share {share} of pair {i} {j}: {gap} of {kept}");
                }
            }
        }
    }
    assert!(proven > pairs_in_all / 4 && delayed > 500, "{proven} of {pairs_in_all}, {delayed}");
}

/// Every triangle lies in exactly one block, and the block holds its corners.
#[test]
fn blocks_hold_every_triangle_once() {
    let mut random = Random::new(182);
    for _ in 0..50 {
        let mesh: Vec<[DVec3; 3]> = (0..10).flat_map(|_| piece(&mut random, 3)).collect();
        let body = Hierarchy::build(&mesh, &BuildOptions::default()).expect("a body");
        let mut seen = vec![0; mesh.len()];
        for node in 0..body.nodes.len() as u32 {
            let Piece::Block(block) = body.piece(node) else { continue };
            for i in 0..block.count {
                let slot = block.first + i as u32;
                seen[slot as usize] += 1;
                for (corner, &point) in body.at_slot(slot).iter().enumerate() {
                    let place = block.places[usize::from(block.sides[i][corner])];
                    let held = DVec3::from_array(block.corner(place).map(f64::from)) + block.origin;
                    assert!((held - point).norm() <= 1e-6 * f64::from(block.reach), "{held} {point}");
                    assert!((point - block.origin).norm() <= f64::from(block.reach));
                }
            }
        }
        assert!(seen.iter().all(|times| *times == 1));
    }
}
