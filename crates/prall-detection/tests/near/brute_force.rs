//! All pairs of features of two small bodies, judged one by one.

use std::collections::BTreeSet;

use glam::DVec3;
use prall_detection::{
    Boundary, NearFeature, NearKind, NearOptions, Workspace, distance_bound, near_features,
};
use prall_math::Pose;

use crate::bodies::{Triangles, any_body, features, near_poses, nudged, placed, slow_distance, smallest_gap};
use crate::random::Random;

const SLACK: f64 = 0.05;

/// Vertices and edges of triangles in the world, found by comparing places.
struct Features {
    triangles: Triangles,
    vertices: Vec<DVec3>,
    /// Ends, and directions across into the triangles.
    edges: Vec<(DVec3, DVec3, Vec<DVec3>)>,
}

impl Features {
    fn new(local: &[[DVec3; 3]], pose: &Pose) -> Features {
        let mut vertices: Vec<DVec3> = Vec::new();
        let mut ends: Vec<(DVec3, DVec3)> = Vec::new();
        for t in local {
            for i in 0..3 {
                let (p, q) = (t[i], t[(i + 1) % 3]);
                if !vertices.contains(&p) {
                    vertices.push(p);
                }
                if !ends.contains(&(p, q)) && !ends.contains(&(q, p)) {
                    ends.push((p, q));
                }
            }
        }
        let wings = |p: DVec3, q: DVec3| {
            let with_both = local.iter().filter(|t| t.contains(&p) && t.contains(&q));
            let across = |t: &[DVec3; 3]| {
                let apex = t.iter().find(|&&corner| corner != p && corner != q).copied().unwrap();
                let along = (q - p).normalize();
                pose.transform_vector((apex - p - along * along.dot(apex - p)).normalize())
            };
            with_both.map(across).collect::<Vec<DVec3>>()
        };
        Features {
            triangles: placed(local, pose),
            vertices: vertices.iter().map(|&p| pose.transform_point(p)).collect(),
            edges: ends
                .iter()
                .map(|&(p, q)| (pose.transform_point(p), pose.transform_point(q), wings(p, q)))
                .collect(),
        }
    }

    fn is_flat(wings: &[DVec3]) -> bool {
        matches!(wings, [v, w] if (*v + *w).length() < 1e-4)
    }

    fn sharp_edges(&self) -> impl Iterator<Item = &(DVec3, DVec3, Vec<DVec3>)> {
        self.edges.iter().filter(|edge| !Features::is_flat(&edge.2))
    }

    fn sharp_vertices(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.vertices.iter().copied().filter(|&v| self.sharp_edges().any(|edge| edge.0 == v || edge.1 == v))
    }

    /// How far the directions of all edges at a vertex rise along n, at least.
    fn rise(&self, vertex: DVec3, n: DVec3) -> f64 {
        let leaving = self.edges.iter().filter_map(|(p, q, _)| match vertex {
            v if v == *p => Some((*q - *p).normalize()),
            v if v == *q => Some((*p - *q).normalize()),
            _ => None,
        });
        leaving.map(|d| d.dot(n)).fold(f64::INFINITY, f64::min)
    }
}

fn inside(p: DVec3, t: &[DVec3; 3], normal: DVec3) -> f64 {
    let part = |i: usize| {
        let side = t[(i + 1) % 3] - t[i];
        normal.cross(side).dot(p - t[i]) / side.length_squared()
    };
    part(0).min(part(1)).min(part(2))
}

/// What must be found: acting points, normal from B to A. `margin` makes every condition stricter (or looser, if negative).
fn vertex_faces(a: &Features, b: &Features, reach: f64, margin: f64) -> Vec<(DVec3, DVec3)> {
    let mut expected = Vec::new();
    for t in &b.triangles {
        let normal = (t[1] - t[0]).cross(t[2] - t[0]).normalize();
        for v in a.sharp_vertices() {
            let height = normal.dot(v - t[0]);
            let n = normal * height.signum();
            let near = height.abs() <= reach - 1e-3 * margin * reach;
            if near && inside(v, t, normal) >= margin && a.rise(v, n) >= margin - SLACK {
                expected.push((v, n));
            }
        }
    }
    expected
}

fn edge_edges(a: &Features, b: &Features, reach: f64, margin: f64) -> Vec<(DVec3, DVec3)> {
    let mut expected = Vec::new();
    for (p, p_end, wings_a) in a.sharp_edges() {
        for (q, q_end, wings_b) in b.sharp_edges() {
            let (u, v, r) = (*p_end - *p, *q_end - *q, *p - *q);
            let c = u.cross(v);
            if c.length() < (0.05 + margin) * u.length() * v.length() {
                continue;
            }
            let n = c.normalize() * c.dot(r).signum();
            let (s, t) = (-r.cross(v).dot(c) / c.length_squared(), -r.cross(u).dot(c) / c.length_squared());
            let on = |x: f64| x >= margin && x <= 1.0 - margin;
            let rises = wings_a.iter().all(|w| w.dot(n) >= margin - SLACK);
            let falls = wings_b.iter().all(|w| w.dot(n) <= SLACK - margin);
            if n.dot(r) <= reach - 1e-3 * margin * reach && on(s) && on(t) && rises && falls {
                expected.push((*p + u * s, n));
            }
        }
    }
    expected
}

fn of_kind(found: &[NearFeature], kind: NearKind, poses: &(Pose, Pose)) -> Vec<(DVec3, DVec3)> {
    let state = |feature: &NearFeature| feature.at(&poses.0, &poses.1);
    let swap = kind == NearKind::FaceVertex;
    let point = |feature: &NearFeature| {
        let state = state(feature);
        if swap { (state.on_b, -state.normal) } else { (state.on_a, state.normal) }
    };
    found.iter().filter(|feature| feature.kind == kind).map(point).collect()
}

fn has(list: &[(DVec3, DVec3)], (point, normal): (DVec3, DVec3)) -> bool {
    list.iter().any(|(p, n)| (*p - point).length() < 1e-9 && (*n - normal).length() < 1e-7)
}

#[test]
fn features_are_those_of_brute_force() {
    let mut random = Random::new(71);
    let mut counts = [0; 3];
    for case in 0..1_000 {
        let (a, b) = (any_body(&mut random), any_body(&mut random));
        let reach = 0.2 / f64::from(1 << random.integer(8));
        let gap = reach * random.between(0.01, 0.9);
        let Some(poses) = near_poses(&mut random, &a, &b, gap) else { continue };
        let (answer, found) = features(&a.shape, &poses.0, &b.shape, &poses.1, reach);
        assert!(answer.complete);
        let (of_a, of_b) = (Features::new(&a.triangles, &poses.0), Features::new(&b.triangles, &poses.1));
        let expected = |margin: f64| {
            [
                vertex_faces(&of_a, &of_b, reach, margin),
                vertex_faces(&of_b, &of_a, reach, margin),
                edge_edges(&of_a, &of_b, reach, margin),
            ]
        };
        let kinds = [NearKind::VertexFace, NearKind::FaceVertex, NearKind::EdgeEdge];
        let (strict, loose) = (expected(1e-4), expected(-1e-4));
        for k in 0..3 {
            let listed = of_kind(&found, kinds[k], &poses);
            for &must in &strict[k] {
                assert!(has(&listed, must), "case {case}: {:?} {must:?} is missing", kinds[k]);
                counts[k] += 1;
            }
            for &is in &listed {
                assert!(has(&loose[k], is), "case {case}: {:?} {is:?} is none", kinds[k]);
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 200), "all kinds occur: {counts:?}");
}

#[test]
fn the_smallest_gap_is_the_distance_and_the_bound_is_below_it() {
    let mut random = Random::new(72);
    let mut cases = 0;
    let mut workspace = Workspace::new();
    for case in 0..1_200 {
        let (a, b) = (any_body(&mut random), any_body(&mut random));
        let reach = 0.1 / f64::from(1 << random.integer(12));
        let gap = reach * random.between(0.01, 0.99);
        let Some((pose_a, pose_b)) = near_poses(&mut random, &a, &b, gap) else { continue };
        let exact = slow_distance(&placed(&a.triangles, &pose_a), &placed(&b.triangles, &pose_b));
        let (answer, found) = features(&a.shape, &pose_a, &b.shape, &pose_b, reach);
        let least = smallest_gap(&found);
        assert!((least - exact).abs() <= 1e-9 * exact + 1e-13, "case {case}: {least} {exact} {found:?}");
        assert!(answer.distance <= exact + 1e-15, "case {case}: {} {exact}", answer.distance);
        assert!(answer.distance >= exact - 1e-9, "case {case}: {} {exact}", answer.distance);
        let (a, b) = (Boundary::new(&a.shape).unwrap(), Boundary::new(&b.shape).unwrap());
        let bound = distance_bound(&a, &pose_a, &b, &pose_b, 1.0, &mut workspace).unwrap();
        assert!(bound <= exact + 1e-15 && bound >= exact - 1e-9, "case {case}: {bound} {exact}");
        cases += 1;
    }
    assert!(cases > 500, "{cases}");
}

#[test]
fn gaps_at_the_poses_of_the_search_are_those_that_were_found() {
    let mut random = Random::new(73);
    for _ in 0..300 {
        let (a, b) = (any_body(&mut random), any_body(&mut random));
        let Some((pose_a, pose_b)) = near_poses(&mut random, &a, &b, 1e-3) else { continue };
        for feature in features(&a.shape, &pose_a, &b.shape, &pose_b, 2e-3).1 {
            let state = feature.at(&pose_a, &pose_b);
            assert!((state.gap - feature.gap).abs() < 1e-13 && state.on_features, "{feature:?} {state:?}");
            assert!((state.on_a - state.on_b - state.normal * state.gap).length() < 1e-13);
            assert!((state.normal.length() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn names_are_unique_and_last_through_small_motion() {
    let mut random = Random::new(74);
    let (mut kept, mut all) = (0, 0);
    for _ in 0..500 {
        let (a, b) = (any_body(&mut random), any_body(&mut random));
        let reach = 1e-2;
        let Some((pose_a, pose_b)) = near_poses(&mut random, &a, &b, 2e-3) else { continue };
        let names = |pose: &Pose| {
            let found = features(&a.shape, pose, &b.shape, &pose_b, reach).1;
            let names: BTreeSet<u64> = found.iter().map(|feature| feature.name).collect();
            assert_eq!(names.len(), found.len(), "{found:?}");
            names
        };
        let (before, after) = (names(&pose_a), names(&nudged(&mut random, &pose_a, 1e-6)));
        all += before.len();
        kept += before.intersection(&after).count();
    }
    assert!(kept as f64 > 0.99 * all as f64, "{kept} of {all}");
}

#[test]
fn swapped_bodies_have_the_same_features_the_other_way_round() {
    let mut random = Random::new(75);
    for case in 0..500 {
        let (a, b) = (any_body(&mut random), any_body(&mut random));
        let Some((pose_a, pose_b)) = near_poses(&mut random, &a, &b, 2e-3) else { continue };
        let one = features(&a.shape, &pose_a, &b.shape, &pose_b, 1e-2).1;
        let other = features(&b.shape, &pose_b, &a.shape, &pose_a, 1e-2).1;
        assert_eq!(one.len(), other.len(), "case {case}");
        for feature in &one {
            let state = feature.at(&pose_a, &pose_b);
            let same = |mirrored: &NearFeature| {
                let mirror = mirrored.at(&pose_b, &pose_a);
                (mirror.on_a - state.on_b).length() < 1e-9 && (mirror.normal + state.normal).length() < 1e-6
            };
            assert!(other.iter().any(same), "case {case}: {feature:?}");
        }
    }
}

#[test]
fn a_search_that_ends_early_says_so_and_its_distance_is_proven() {
    let mut random = Random::new(76);
    for _ in 0..200 {
        let (a, b) = (any_body(&mut random), any_body(&mut random));
        let Some((pose_a, pose_b)) = near_poses(&mut random, &a, &b, 1e-3) else { continue };
        let exact = slow_distance(&placed(&a.triangles, &pose_a), &placed(&b.triangles, &pose_b));
        let (a, b) = (Boundary::new(&a.shape).unwrap(), Boundary::new(&b.shape).unwrap());
        let options = NearOptions { reach: 0.5, max_triangle_pairs: 2, ..NearOptions::default() };
        let mut found = Vec::new();
        let answer =
            near_features(&a, &pose_a, &b, &pose_b, &options, &mut Workspace::new(), &mut found).unwrap();
        assert!(answer.distance <= exact + 1e-15);
        assert!(!answer.complete || answer.triangle_pairs <= 2);
        assert!(answer.triangle_pairs <= 2);
    }
}
