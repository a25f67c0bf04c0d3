//! Cylinders and cones beside meshes, boxes, balls and half-spaces, against a search that shares nothing with ours.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};
use prall_detection::{Boundary, NearKind, Workspace, distance_bound, separation};
use prall_geometry::{HalfSpace, Shape};
use prall_math::Pose;

use crate::bodies::{Triangles, any_body, at, features, smallest_gap};
use crate::gap_functions::assert_rate;
use crate::random::Random;

/// Half height and radius; a cone has its tip up.
#[derive(Clone, Copy)]
struct Turned {
    half: f64,
    radius: f64,
    cone: bool,
}

impl Turned {
    fn any(random: &mut Random) -> Turned {
        let (half, radius) = (random.between(0.05, 0.6), random.between(0.05, 0.5));
        Turned { half, radius, cone: random.chance(0.5) }
    }

    fn shape(&self) -> Shape {
        if self.cone { Shape::cone(self.half, self.radius) } else { Shape::cylinder(self.half, self.radius) }
            .unwrap()
    }

    /// Distance of a point in the body's frame, by the polygon of its half profile.
    fn distance(&self, point: DVec3) -> f64 {
        let (rho, y) = (libm::hypot(point.x, point.z), point.y);
        let top = if self.cone { 0.0 } else { self.radius };
        let profile = [(0.0, -self.half), (self.radius, -self.half), (top, self.half), (0.0, self.half)];
        let inside = y.abs() <= self.half
            && rho <= self.radius + (top - self.radius) * (y + self.half) / (2.0 * self.half);
        if inside {
            return 0.0;
        }
        let segment = |(a, b): ((f64, f64), (f64, f64))| {
            let (dx, dy) = (b.0 - a.0, b.1 - a.1);
            let squared = dx * dx + dy * dy;
            let share = if squared > 0.0 { ((rho - a.0) * dx + (y - a.1) * dy) / squared } else { 0.0 };
            let share = share.clamp(0.0, 1.0);
            libm::hypot(rho - a.0 - share * dx, y - a.1 - share * dy)
        };
        profile.windows(2).map(|w| segment((w[0], w[1]))).fold(f64::INFINITY, f64::min)
    }

    /// Distance from triangles: that of a point is convex, so nested golden sections find the least.
    fn beside_triangles(&self, pose: &Pose, triangles: &Triangles) -> f64 {
        let local = |p: DVec3| pose.inverse_transform_point(p);
        let mut least = f64::INFINITY;
        for t in triangles {
            let [p, q, r] = t.map(local);
            let centre = (p + q + r) / 3.0;
            let size = [p, q, r].iter().map(|c| (*c - centre).length()).fold(0.0, f64::max);
            if self.distance(centre) - size > least {
                continue;
            }
            let along = |u: f64| {
                let (from, to) = (p + (q - p) * u, p + (r - p) * u);
                minimum(|v| self.distance(from + (to - from) * v))
            };
            least = least.min(minimum(along));
        }
        least
    }
}

/// Least value of a convex function on [0, 1].
fn minimum(f: impl Fn(f64) -> f64) -> f64 {
    let golden = 0.618_033_988_749_895;
    let (mut low, mut high) = (0.0, 1.0);
    let (mut x, mut y) = (high - golden * (high - low), low + golden * (high - low));
    let (mut fx, mut fy) = (f(x), f(y));
    for _ in 0..44 {
        if fx < fy {
            (high, y, fy) = (y, x, fx);
            x = high - golden * (high - low);
            fx = f(x);
        } else {
            (low, x, fx) = (x, y, fy);
            y = low + golden * (high - low);
            fy = f(y);
        }
    }
    fx.min(fy).min(f(0.0)).min(f(1.0))
}

/// A cylinder or cone moved along a direction until it is about `gap` from the triangles.
fn near(random: &mut Random, turned: &Turned, triangles: &Triangles, gap: f64) -> Option<(Pose, f64)> {
    let mut pose = Pose::new(random.rotation(), random.vector(1.0));
    let corner = triangles[random.integer(triangles.len() as u64) as usize][0];
    for _ in 0..40 {
        let distance = turned.beside_triangles(&pose, triangles);
        if distance == 0.0 {
            pose.translation -= (corner - pose.translation).normalize() * 0.3;
        } else if distance > 1.5 * gap {
            pose.translation += (corner - pose.translation).normalize_or_zero() * (distance - gap);
        } else {
            return (distance > 0.2 * gap).then_some((pose, distance));
        }
    }
    None
}

#[test]
fn the_smallest_gap_beside_a_mesh_is_the_distance_and_rates_are_exact() {
    let mut random = Random::new(311);
    let (mut cases, mut kinds) = (0, BTreeMap::new());
    for _ in 0..400 {
        let (turned, body) = (Turned::any(&mut random), any_body(&mut random));
        let Some((pose, distance)) = near(&mut random, &turned, &body.triangles, 0.01) else { continue };
        cases += 1;
        for swap in [false, true] {
            let (shape, still) = (turned.shape(), Pose::IDENTITY);
            let ((answer, found), poses) = if swap {
                (features(&body.shape, &still, &shape, &pose, 0.03), (still, pose))
            } else {
                (features(&shape, &pose, &body.shape, &still, 0.03), (pose, still))
            };
            let least = smallest_gap(&found);
            assert!((least - distance).abs() < 1e-6, "{least} {distance} {swap} {found:?}");
            assert!(answer.distance <= distance + 1e-12 && answer.distance > distance - 1e-6, "{answer:?}");
            let mut names: Vec<u64> = found.iter().map(|feature| feature.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), found.len(), "{found:?}");
            for feature in &found {
                *kinds.entry(feature.kind).or_insert(0) += 1;
                let state = feature.at(&poses.0, &poses.1);
                assert!((state.gap - feature.gap).abs() < 1e-12, "{state:?} {feature:?}");
                assert!((state.on_a - state.on_b - state.normal * state.gap).length() < 1e-12, "{feature:?}");
                assert_rate(&mut random, feature, &poses);
            }
            let (a, b) = (Boundary::new(&shape).unwrap(), Boundary::new(&body.shape).unwrap());
            let bound = distance_bound(&a, &pose, &b, &still, 1.0, &mut Workspace::new()).unwrap();
            assert!(bound <= distance + 1e-12 && bound > distance - 1e-6, "{bound} {distance}");
        }
    }
    assert!(cases > 200, "{cases}");
    let all = [
        NearKind::RimFace,
        NearKind::FaceRim,
        NearKind::SidePoint,
        NearKind::PointSide,
        NearKind::SideEdge,
        NearKind::EdgeSide,
        NearKind::RimEdge,
        NearKind::EdgeRim,
    ];
    assert!(all.iter().all(|kind| kinds.contains_key(kind)), "{kinds:?}");
}

#[test]
fn beside_balls_capsules_and_half_spaces_gaps_are_those_of_closed_forms() {
    let mut random = Random::new(312);
    let mut kinds = BTreeMap::new();
    for case in 0..900 {
        let turned = Turned::any(&mut random);
        let pose = Pose::new(random.rotation(), random.vector(0.5));
        let radius = random.between(0.1, 0.3);
        let half = if random.chance(0.5) { 0.0 } else { 0.4 };
        let round = if half == 0.0 { Shape::sphere(radius) } else { Shape::capsule(half, radius) }.unwrap();
        let other = Pose::new(random.rotation(), random.vector(1.0));
        let end = |side: f64| pose.inverse_transform_point(other.transform_point(DVec3::Y * side * half));
        let core = minimum(|u| turned.distance(end(-1.0) + (end(1.0) - end(-1.0)) * u));
        if core > 0.05 {
            let (answer, found) = features(&turned.shape(), &pose, &round, &other, 3.0);
            let least = smallest_gap(&found);
            assert!((least - (core - radius)).abs() < 1e-6, "case {case}: {least} {core} {radius} {found:?}");
            assert!(answer.distance <= (core - radius).max(0.0) + 1e-12);
            for feature in &found {
                *kinds.entry(feature.kind).or_insert(0) += 1;
                assert_rate(&mut random, feature, &(pose, other));
            }
        }
        let ground = Pose::new(random.rotation(), random.vector(0.2));
        let normal = ground.transform_vector(DVec3::Y);
        let rim = |y: f64, radius: f64| {
            (0..20_000).map(move |k| {
                let (sin, cos) = libm::sincos(f64::from(k) * std::f64::consts::TAU / 20_000.0);
                DVec3::new(radius * cos, y, radius * sin)
            })
        };
        let top = if turned.cone { 0.0 } else { turned.radius };
        let points = rim(-turned.half, turned.radius).chain(rim(turned.half, top));
        let exact = points
            .map(|p| normal.dot(pose.transform_point(p) - ground.translation))
            .fold(f64::INFINITY, f64::min);
        let plane = Shape::HalfSpace(HalfSpace);
        let (_, found) = features(&turned.shape(), &pose, &plane, &ground, 3.0);
        assert!((smallest_gap(&found) - exact).abs() < 1e-7, "case {case}: {exact} {found:?}");
    }
    assert!(kinds.contains_key(&NearKind::RimPoint) && kinds.contains_key(&NearKind::SideEdge), "{kinds:?}");
}

#[test]
fn a_lying_cylinder_rolls_and_a_standing_one_stands_on_its_rim() {
    let floor = Shape::cuboid(DVec3::new(2.0, 0.1, 2.0)).unwrap();
    let below = at(0.0, -0.1, 0.0);
    let cylinder = Shape::cylinder(0.3, 0.2).unwrap();
    let lying = |roll: f64| {
        let turn = DQuat::from_rotation_z(-roll) * DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        Pose::new(turn, DVec3::new(0.2 * roll, 0.201, 0.0))
    };
    let (_, found) = features(&cylinder, &lying(0.0), &floor, &below, 2e-3);
    assert_eq!(found.iter().filter(|feature| feature.kind == NearKind::RimFace).count(), 2, "{found:?}");
    for roll in [0.01, 0.5, 3.0] {
        for feature in found.iter().filter(|feature| feature.kind == NearKind::RimFace) {
            let state = feature.at(&lying(roll), &below);
            assert!((state.gap - 1e-3).abs() < 1e-12 && state.on_features, "{state:?}");
        }
    }
    let (answer, found) = features(&cylinder, &at(0.0, 0.301, 0.0), &floor, &below, 2e-3);
    assert!(found.len() >= 16 && answer.distance > 1e-3 - 1e-9, "{found:?}");
    assert!(found.iter().all(|feature| (feature.gap - 1e-3).abs() < 1e-12), "{found:?}");
}

/// Normals must be good to a millionth here, or planes across them prove nothing.
#[test]
fn small_gaps_beside_large_triangles_are_proven() {
    let mut random = Random::new(313);
    let square = [[-4.0, -4.0], [4.0, -4.0], [4.0, 4.0], [-4.0, 4.0]].map(|[x, z]| DVec3::new(x, 0.0, z));
    let ridge = [DVec3::new(-4.0, -1.0, 0.0), DVec3::new(4.0, -1.0, 0.0), DVec3::new(0.0, -1.0, 5.0)];
    let top = DVec3::new(0.0, 0.0, -0.3);
    let flat = vec![[square[0], square[2], square[1]], [square[0], square[3], square[2]]];
    let peak = vec![[ridge[0], ridge[1], top], [ridge[1], ridge[2], top], [ridge[2], ridge[0], top]];
    let mut cases = 0;
    for case in 0..300 {
        let turned = Turned { half: 0.005, radius: 0.003, cone: case % 2 == 0 };
        let triangles = if case % 3 == 0 { &peak } else { &flat };
        let from = if case % 3 == 0 { top } else { random.vector(1.0) * DVec3::new(1.0, 0.0, 1.0) };
        // On the border of the sheet, too.
        let from = if case % 3 == 1 { DVec3::new(4.0, 0.0, from.z) } else { from };
        let (rotation, away) = (random.rotation(), random.direction());
        let pose = |way: f64| Pose::new(rotation, from + away * way);
        let distance = |way: f64| turned.beside_triangles(&pose(way), triangles);
        let (mut low, mut high) = (0.0, 0.02);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if distance(middle) > 3e-6 { high = middle } else { low = middle }
        }
        let exact = distance(high);
        if !(exact > 2e-6 && exact < 4e-6) {
            continue;
        }
        cases += 1;
        let shape = crate::bodies::mesh(triangles);
        let (answer, found) = features(&turned.shape(), &pose(high), &shape, &Pose::IDENTITY, 2e-5);
        assert!(answer.distance <= exact + 1e-8, "case {case}: {answer:?} {exact}");
        assert!(answer.distance > 0.9 * exact, "case {case}: {answer:?} {exact} {found:?}");
        assert!((smallest_gap(&found) - exact).abs() < 1e-7, "case {case}: {exact} {found:?}");
        let (a, b) = (Boundary::new(&turned.shape()).unwrap(), Boundary::new(&shape).unwrap());
        let bound = distance_bound(&a, &pose(high), &b, &Pose::IDENTITY, 1.0, &mut Workspace::new()).unwrap();
        assert!(bound <= exact + 1e-8 && bound > 0.9 * exact, "case {case}: {bound} {exact}");
    }
    assert!(cases > 150, "{cases}");
}

/// Two cylinders or cones: rates are those of acting points, crossed sides have the exact distance after any small move, and no turn of a cylinder about its own
/// axis changes a gap of its side.
#[test]
fn cylinders_and_cones_beside_each_other_have_gaps_that_follow_their_sides() {
    let mut random = Random::new(317);
    let mut kinds = BTreeMap::new();
    for case in 0..900 {
        let [p, q] = [Turned::any(&mut random), Turned::any(&mut random)];
        let (a, b) = (p.shape(), q.shape());
        let pose_b = Pose::new(random.rotation(), random.vector(1.0));
        // Every third pair lies side by side, or upright on each other.
        let rotation = if case % 3 == 0 { pose_b.rotation } else { random.rotation() };
        let away = random.direction();
        let pose = |way: f64| Pose::new(rotation, pose_b.translation + away * way);
        let apart = |way: f64| separation(&a, &pose(way), &b, &pose_b).unwrap().unwrap().gap;
        let (mut low, mut high) = (0.0, 4.0);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if apart(middle) > 1e-3 { high = middle } else { low = middle }
        }
        let pose_a = pose(high);
        let (_, found) = features(&a, &pose_a, &b, &pose_b, 2e-3);
        assert!((smallest_gap(&found) - 1e-3).abs() < 1e-5, "case {case}: {found:?}");
        for feature in &found {
            *kinds.entry(feature.kind).or_insert(0) += 1;
            // Rates of sides beside points are asked for beside meshes; at the tip of a cone the difference quotient has no digits left.
            if !matches!(feature.kind, NearKind::SidePoint | NearKind::PointSide) {
                assert_rate(&mut random, feature, &(pose_a, pose_b));
            }
            let is_side = matches!(
                feature.kind,
                NearKind::EdgeEdge | NearKind::PointEdge | NearKind::EdgePoint | NearKind::SidePoint
            );
            let spun = pose_a * Pose::new(DQuat::from_rotation_y(random.between(0.0, 6.0)), DVec3::ZERO);
            if is_side {
                let change = feature.at(&spun, &pose_b).gap - feature.at(&pose_a, &pose_b).gap;
                assert!(change.abs() < 1e-12, "case {case}: {change} {feature:?}");
            }
            let moved = crate::bodies::nudged(&mut random, &pose_a, 1e-3);
            let state = feature.at(&moved, &pose_b);
            if feature.kind == NearKind::EdgeEdge && state.on_features && state.gap > 0.0 {
                let exact = separation(&a, &moved, &b, &pose_b).unwrap().unwrap().gap;
                // Nearest points of curved bodies are known to 1e-8 of their size.
                assert!((state.gap - exact).abs() < 3e-8, "case {case}: {} {exact} {feature:?}", state.gap);
            }
        }
    }
    let few = [
        NearKind::EdgeEdge,
        NearKind::PointEdge,
        NearKind::EdgePoint,
        NearKind::SidePoint,
        NearKind::PointSide,
        NearKind::RimFace,
        NearKind::FaceRim,
    ]
    .map(|kind| kinds.get(&kind).copied().unwrap_or(0));
    assert!(few.iter().all(|count| *count > 3), "{kinds:?}");
}
