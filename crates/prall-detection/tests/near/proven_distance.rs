//! Bounds of the distance against exact rationals: the poses as they are given, nothing rounded.

use dashu::rational::RBig;
use glam::{DQuat, DVec3};
use prall_detection::{Boundary, Workspace, distance_bound};
use prall_math::Pose;

use crate::bodies::{Body, features, mesh, near_poses, tetrahedron};
use crate::exact::{Point, rational, triangle_triangle};
use crate::random::Random;

/// A point in its exact place: turned by the quaternion as it is, divided by its square.
fn exactly(pose: &Pose, point: DVec3) -> Point {
    let DQuat { x, y, z, w } = pose.rotation;
    let (axis, w) = (Point::new(DVec3::new(x, y, z)), rational(w));
    let p = Point::new(point);
    let squared = axis.squared() + &w * &w;
    // p + 2 w (v x p) + 2 v x (v x p), with the factor 2 over |q|^2.
    let once = axis.cross(&p);
    let twice = axis.cross(&once);
    let factor = RBig::from(2) / squared;
    let turned = p.along(&once, &(&factor * &w)).along(&twice, &factor);
    turned.along(&Point::new(pose.translation), &RBig::ONE)
}

fn exact_square(a: &Body, pose_a: &Pose, b: &Body, pose_b: &Pose) -> RBig {
    let place = |body: &Body, pose: &Pose| {
        body.triangles.iter().map(|t| t.map(|p| exactly(pose, p))).collect::<Vec<_>>()
    };
    let (a, b) = (place(a, pose_a), place(b, pose_b));
    let squares = a.iter().flat_map(|s| b.iter().map(|t| triangle_triangle(s, t)));
    squares.min().expect("triangles")
}

fn body(random: &mut Random) -> Body {
    let stretch = if random.chance(0.3) { DVec3::new(10.0, 0.01, 1.0) } else { DVec3::ONE };
    let triangles = tetrahedron(std::array::from_fn(|_| random.vector(0.7) * stretch));
    Body { shape: mesh(&triangles), triangles }
}

#[test]
fn bounds_are_never_larger_than_the_exact_distance() {
    let mut random = Random::new(101);
    let mut workspace = Workspace::new();
    let mut cases = 0;
    for case in 0..120 {
        let (a, b) = (body(&mut random), body(&mut random));
        let gap = [1e-2, 1e-5, 1e-8, 1e-11, 1e-13][case % 5];
        let Some((pose_a, pose_b)) = near_poses(&mut random, &a, &b, gap) else { continue };
        // Some far from the origin of the world.
        let away = if case % 3 == 0 { random.vector(1e4) } else { DVec3::ZERO };
        let far = |pose: Pose| Pose::new(pose.rotation, pose.translation + away);
        let (pose_a, pose_b) = (far(pose_a), far(pose_b));
        let square = exact_square(&a, &pose_a, &b, &pose_b);
        let (answer, _) = features(&a.shape, &pose_a, &b.shape, &pose_b, 0.1);
        let (p, q) = (Boundary::new(&a.shape).unwrap(), Boundary::new(&b.shape).unwrap());
        let bound = distance_bound(&p, &pose_a, &q, &pose_b, 0.1, &mut workspace).unwrap();
        for proven in [answer.distance, bound] {
            let proven_square = rational(proven) * rational(proven);
            assert!(proven_square <= square, "case {case}: {proven} {}", square.to_f64().value().sqrt());
            let exact = square.to_f64().value().sqrt();
            assert!(proven >= exact - 1e-9, "case {case}: {proven} {exact}");
        }
        cases += 1;
    }
    assert!(cases > 50, "{cases}");
}
