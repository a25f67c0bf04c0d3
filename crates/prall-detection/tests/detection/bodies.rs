//! Random bodies and motions, and the slow truth about them.

use glam::{DQuat, DVec3};
use prall_detection::{
    Budget, BuildOptions, Hierarchy, ImpactOptions, TimeOfImpact, Workspace, time_of_impact,
    triangle_distance, triangles_overlap,
};
use prall_math::{Motion, Pose};

use crate::meshes::{self, Triangles};
use crate::parts;
use crate::random::Random;

pub(crate) fn hierarchy(triangles: &[[DVec3; 3]]) -> Hierarchy {
    Hierarchy::build(triangles, &BuildOptions::default()).expect("a body")
}

/// A small body of one of several kinds, about half a metre in size.
pub(crate) fn body(random: &mut Random) -> Triangles {
    match random.integer(6) {
        0 => meshes::bumpy_sphere(0.5, 40 + random.integer(200) as usize),
        1 => parts::block(DVec3::new(0.5, 0.05, 0.02) * random.between(0.5, 2.0)),
        2 => meshes::thread(0.3, 0.2, 0.1, 2.0, 300),
        3 => loose_triangles(random, 1.0),
        // Needles, with rounding noise for a normal.
        4 => loose_triangles(random, 1e-9),
        _ => with_degenerate_triangles(random),
    }
}

fn loose_triangles(random: &mut Random, thickness: f64) -> Triangles {
    (0..3 + random.integer(20))
        .map(|_| {
            let p = random.vector(0.5);
            let q = p + random.vector(0.4);
            let r = p.lerp(q, random.between(-0.5, 1.5)) + random.vector(0.3 * thickness);
            [p, q, r]
        })
        .collect()
}

/// Doubled triangles, segments and points among ordinary ones.
fn with_degenerate_triangles(random: &mut Random) -> Triangles {
    let mut triangles = loose_triangles(random, 1.0);
    for _ in 0..4 {
        let [p, q, _] = triangles[random.integer(triangles.len() as u64) as usize];
        triangles.push([p, q, p.lerp(q, 0.5)]);
        triangles.push([p, p, q]);
        triangles.push([q, q, q]);
        triangles.push(triangles[0]);
    }
    triangles
}

pub(crate) fn pose(random: &mut Random, size: f64) -> Pose {
    Pose::new(random.rotation(), random.vector(size))
}

/// Slerp, slerp about another point, screw of many turns, nlerp or rest.
pub(crate) fn motion(random: &mut Random, start: Pose) -> Motion {
    let size = if random.chance(0.5) { 0.3 } else { 3.0 };
    let most = if random.chance(0.3) { 12.0 } else { 1.0 };
    let angle = random.between(0.0, most);
    let axis = random.direction();
    let short = DQuat::from_axis_angle(axis, angle.min(3.0)) * start.rotation;
    let end = Pose::new(short, start.translation + random.vector(size));
    let motion = match random.integer(6) {
        0 | 1 => Motion::slerp(start, end),
        2 => Motion::slerp_about(start, end, random.vector(0.5)),
        3 => Motion::screw_about(start, random.vector(1.0), axis, angle, random.between(-size, size)),
        4 => Motion::nlerp(start, end),
        _ => Motion::still(start),
    };
    motion.expect("a motion")
}

pub(crate) fn impact(
    (a, motion_a): (&Hierarchy, &Motion),
    (b, motion_b): (&Hierarchy, &Motion),
    options: &ImpactOptions,
) -> TimeOfImpact {
    let mut budget = Budget::unlimited();
    time_of_impact(a, motion_a, b, motion_b, options, &mut budget, &mut Workspace::new())
        .expect("good options and motions")
}

pub(crate) fn placed(triangles: &[[DVec3; 3]], pose: &Pose) -> Triangles {
    triangles.iter().map(|t| t.map(|p| pose.transform_point(p))).collect()
}

/// Distance of two lists of triangles in the world, pair by pair.
pub(crate) fn slow_distance(a: &[[DVec3; 3]], b: &[[DVec3; 3]]) -> f64 {
    let mut least = f64::INFINITY;
    for s in a {
        for t in b {
            least = least.min(triangle_distance(s, t).squared);
        }
    }
    least.sqrt()
}

/// Overlapping pairs of two lists of triangles in the world.
pub(crate) fn slow_overlaps(a: &[[DVec3; 3]], b: &[[DVec3; 3]]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for (i, s) in a.iter().enumerate() {
        for (j, t) in b.iter().enumerate() {
            if triangles_overlap(s, t) {
                found.push((i as u32, j as u32));
            }
        }
    }
    found
}
