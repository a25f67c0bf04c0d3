//! Convex shapes on meshes and height fields.

use std::sync::Arc;

use glam::DVec3;
use prall_geometry::{Heightfield, Shape, generate};
use prall_math::Pose;

use crate::oracle::{at, check, contacts, floor, least_gap, mesh_of, touchable, touching, turned};
use crate::random::Random;

fn flat_field() -> Shape {
    Shape::Heightfield(Arc::new(Heightfield::new(11, 11, 4.0, 4.0, vec![0.0; 121]).unwrap()))
}

/// Everything that can slide, at a height at which it just sinks in by `depth`.
fn sliders(depth: f64) -> Vec<(Shape, f64)> {
    let hull = Shape::ConvexHull(Arc::new(
        prall_geometry::ConvexHull::from_points(
            &prall_geometry::Aabb::from_center(DVec3::ZERO, DVec3::new(0.3, 0.1, 0.2)).corners(),
        )
        .unwrap(),
    ));
    vec![
        (Shape::sphere(0.2).unwrap(), 0.2 - depth),
        (Shape::cuboid(DVec3::new(0.3, 0.1, 0.2)).unwrap(), 0.1 - depth),
        (Shape::capsule(0.2, 0.1).unwrap(), 0.3 - depth),
        (Shape::cylinder(0.2, 0.15).unwrap(), 0.2 - depth),
        (hull, 0.1 - depth),
    ]
}

#[test]
fn nothing_catches_at_inner_edges_of_a_flat_floor() {
    let mut random = Random::new(11);
    for ground in [touchable(&floor(2.0, 10)), touchable(&flat_field())] {
        for depth in [1e-3, 1e-9, 0.0, -1e-3] {
            for (shape, height) in sliders(depth) {
                let body = touchable(&shape);
                for step in 0..60 {
                    // Along a grid line, along a diagonal, and anywhere.
                    let x = -1.0 + 2.0 * f64::from(step) / 59.0;
                    let z = if step % 3 == 0 {
                        0.0
                    } else if step % 3 == 1 {
                        x
                    } else {
                        random.between(-1.0, 1.0)
                    };
                    let turn = if random.chance(0.3) { 0.0 } else { random.between(0.0, 3.0) };
                    let pose = turned(DVec3::Y, turn, DVec3::new(x, height, z));
                    let points = touching(&body, &pose, &ground, &Pose::IDENTITY, 0.02);
                    assert!(!points.is_empty(), "{shape:?} lost at {pose:?}");
                    for point in &points {
                        assert!(
                            (point.normal - DVec3::Y).length() < 1e-9,
                            "{shape:?} at {pose:?}: {point:?}"
                        );
                        assert!((point.gap + depth).abs() < 1e-9, "{shape:?} at {pose:?}: {point:?}");
                    }
                    if matches!(shape, Shape::Box(_) | Shape::ConvexHull(_)) {
                        assert_eq!(points.len(), 4, "{pose:?} {points:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_tilted_box_on_a_floor_of_triangles_has_the_gaps_of_a_box_on_a_plane() {
    let cube = touchable(&Shape::cuboid(DVec3::new(0.3, 0.1, 0.2)).unwrap());
    let plane = touchable(&Shape::HalfSpace(prall_geometry::HalfSpace));
    let ground = touchable(&floor(2.0, 10));
    let mut random = Random::new(12);
    for _ in 0..300 {
        let axis = DVec3::new(random.between(-1.0, 1.0), 0.0, random.between(-1.0, 1.0));
        let angle = random.between(0.0, 0.1);
        let pose =
            turned(axis, angle, DVec3::new(random.between(-1.0, 1.0), 0.11, random.between(-1.0, 1.0)));
        let (expected, found) = (
            touching(&cube, &pose, &plane, &Pose::IDENTITY, 0.02),
            touching(&cube, &pose, &ground, &Pose::IDENTITY, 0.02),
        );
        let gaps = (least_gap(&expected), least_gap(&found));
        assert!((gaps.0 - gaps.1).abs() < 1e-9 || expected.is_empty(), "{gaps:?} at {pose:?}: {found:?}");
        assert!(found.iter().all(|p| (p.normal - DVec3::Y).length() < 1e-9), "{found:?}");
    }
}

/// A ball against a solid mesh: the signed distance of its centre by brute force, less the radius, is the smallest gap.
#[test]
fn a_ball_has_the_signed_distance_of_its_centre_from_a_mesh() {
    let mut random = Random::new(13);
    let meshes = [
        mesh_of(&generate::torus(0.5, 0.2, 24, 16).unwrap()),
        mesh_of(&generate::cuboid(DVec3::new(1.0, 0.6, 0.8)).unwrap()),
        mesh_of(&generate::ico_sphere(0.6, 2).unwrap()),
    ];
    let ball = touchable(&Shape::sphere(0.1).unwrap());
    let mut near = 0;
    for mesh in &meshes {
        let body = touchable(mesh);
        for _ in 0..400 {
            let centre = random.vector(0.8);
            let truth = mesh.closest_point(centre).distance - 0.1;
            let points = touching(&ball, &Pose::from_translation(centre), &body, &Pose::IDENTITY, 0.05);
            if !(-0.24..=0.05).contains(&truth) {
                continue;
            }
            near += 1;
            assert!((least_gap(&points) - truth).abs() < 1e-9, "{centre}: {truth} {points:?}");
        }
    }
    assert!(near > 200, "{near}");
}

/// Of convex meshes the truth is known: the mesh of a box and the box have the same least gap.
#[test]
fn a_box_on_a_mesh_of_a_box_is_as_far_as_from_the_box() {
    let size = DVec3::new(1.0, 0.6, 0.8);
    let (mesh, solid) = (mesh_of(&generate::cuboid(size).unwrap()), Shape::cuboid(0.5 * size).unwrap());
    let mut random = Random::new(14);
    let mut near = 0;
    for _ in 0..600 {
        let shape = match random.integer(3) {
            0 => Shape::cuboid(random.vector(0.1).abs() + DVec3::splat(0.1)).unwrap(),
            1 => Shape::capsule(0.2, 0.1).unwrap(),
            _ => Shape::cylinder(0.1, 0.1).unwrap(),
        };
        let pose = Pose::new(random.rotation(), random.vector(0.9));
        let truth = contacts(&shape, &pose, &solid, &Pose::IDENTITY, 0.05);
        let found = contacts(&shape, &pose, &mesh, &Pose::IDENTITY, 0.05);
        let gap = least_gap(&truth);
        if gap > 0.0 && gap < 0.05 {
            near += 1;
            assert!((least_gap(&found) - gap).abs() < 1e-9, "{shape:?} {pose:?} {gap} {found:?}");
        }
    }
    assert!(near > 30, "{near}");
}

#[test]
fn a_shape_that_sank_into_a_mesh_of_a_box_is_pushed_out_of_it() {
    let size = DVec3::new(1.0, 0.6, 0.8);
    let (mesh, solid) = (
        touchable(&mesh_of(&generate::cuboid(size).unwrap())),
        touchable(&Shape::cuboid(0.5 * size).unwrap()),
    );
    let mut random = Random::new(16);
    let mut deep = 0;
    for _ in 0..4000 {
        let shape = touchable(&match random.integer(3) {
            0 => Shape::cuboid(random.vector(0.1).abs() + DVec3::splat(0.1)).unwrap(),
            1 => Shape::capsule(0.2, 0.1).unwrap(),
            _ => Shape::cylinder(0.1, 0.1).unwrap(),
        });
        let pose = Pose::new(random.rotation(), random.vector(0.9));
        let truth = touching(&shape, &pose, &solid, &Pose::IDENTITY, 0.05);
        let found = touching(&shape, &pose, &mesh, &Pose::IDENTITY, 0.05);
        let gap = least_gap(&truth);
        if gap < 0.0 && gap > -0.03 {
            deep += 1;
            let least = least_gap(&found);
            // Faces are preferred if they are worse by up to 2 % of the depth, on either side; 1e-6: rims.
            assert!((least - gap).abs() <= 0.04 * gap.abs() + 1e-6, "{least} instead of {gap} at {pose:?}");
        }
    }
    assert!(deep > 100, "{deep}");
}

/// Radius of curvature 5 km: all edges turn by less than the angle up to which they count as flat, and yet its top is its top.
#[test]
fn a_box_on_a_dome_too_flat_for_edges_touches_its_top() {
    let heights = (0..441).map(|i| {
        let (x, z) = (0.1 * f64::from(i % 21 - 10), 0.1 * f64::from(i / 21 - 10));
        -(x * x + z * z) / 10_000.0
    });
    let dome = Shape::Heightfield(Arc::new(Heightfield::new(21, 21, 2.0, 2.0, heights.collect()).unwrap()));
    let plate = Shape::cuboid(DVec3::new(0.45, 0.05, 0.45)).unwrap();
    let points = contacts(&plate, &at(0.0, 0.051, 0.0), &dome, &Pose::IDENTITY, 0.01);
    assert!((least_gap(&points) - 0.001).abs() < 1e-6, "{points:?}");
}

#[test]
fn a_box_on_a_step_touches_the_edge_with_a_normal_between_the_faces() {
    // The corner of a block under the middle of a plank that tilts over it.
    let block = mesh_of(&generate::cuboid(DVec3::new(1.0, 1.0, 1.0)).unwrap());
    let plank = Shape::cuboid(DVec3::new(0.8, 0.05, 0.2)).unwrap();
    for tilt in [0.2_f64, 0.5, 1.0, 1.3] {
        let normal = DVec3::new(libm::sin(tilt), libm::cos(tilt), 0.0);
        let pose = turned(DVec3::Z, -tilt, DVec3::new(0.5, 0.5, 0.0) + normal * 0.055);
        let points = contacts(&plank, &pose, &block, &Pose::IDENTITY, 0.01);
        assert!(points.len() >= 2, "tilt {tilt}: {points:?}");
        assert!(
            points.iter().all(|p| (p.normal - normal).length() < 1e-9 && (p.gap - 0.005).abs() < 1e-9),
            "{points:?}"
        );
    }
}

#[test]
fn an_open_mesh_is_touched_from_both_sides() {
    let sheet = floor(1.0, 3);
    for shape in [Shape::sphere(0.1).unwrap(), Shape::cuboid(DVec3::splat(0.1)).unwrap()] {
        for side in [1.0, -1.0] {
            let points = contacts(&shape, &at(0.1, side * 0.105, 0.2), &sheet, &Pose::IDENTITY, 0.01);
            assert!(!points.is_empty());
            assert!(
                points
                    .iter()
                    .all(|p| (p.normal - DVec3::Y * side).length() < 1e-12 && (p.gap - 0.005).abs() < 1e-12),
                "{points:?}"
            );
        }
    }
}

#[test]
fn rough_ground_holds_a_box_without_nonsense() {
    let noise = generate::fractal_noise(5, 3);
    let heights = (0..441).map(|i| 0.2 * noise(f64::from(i % 21) * 0.3, f64::from(i / 21) * 0.3)).collect();
    let field = Heightfield::new(21, 21, 6.0, 6.0, heights).unwrap();
    let ground = touchable(&Shape::Heightfield(Arc::new(field.clone())));
    let cube = touchable(&Shape::cuboid(DVec3::new(0.4, 0.2, 0.3)).unwrap());
    let mut random = Random::new(15);
    for _ in 0..200 {
        let (x, z) = (random.between(-2.0, 2.0), random.between(-2.0, 2.0));
        let pose = turned(
            DVec3::Y,
            random.between(0.0, 3.0),
            DVec3::new(x, field.height_at(x, z).unwrap() + 0.25, z),
        );
        let points = touching(&cube, &pose, &ground, &Pose::IDENTITY, 0.05);
        check(&points, 0.05);
        for point in &points {
            assert!(point.normal.y > 0.0, "{point:?}");
            assert!(point.gap > -0.2, "{point:?}");
            // On the ground, up to what clipping with a rim and rounding leave.
            let height = field.height_at(point.on_b.x, point.on_b.z).unwrap();
            assert!((point.on_b.y - height).abs() < 1e-9, "{point:?} but the ground is at {height}");
        }
    }
}

#[test]
fn a_mesh_meets_a_half_space_with_its_lowest_corners() {
    let block = mesh_of(&generate::cuboid(DVec3::new(1.0, 0.6, 0.8)).unwrap());
    let plane = Shape::HalfSpace(prall_geometry::HalfSpace);
    let points = contacts(&block, &at(0.0, 0.299, 0.0), &plane, &Pose::IDENTITY, 0.01);
    assert_eq!(points.len(), 4);
    assert!(points.iter().all(|p| (p.gap + 0.001).abs() < 1e-12 && p.normal == DVec3::Y));
    let torus = mesh_of(&generate::torus(0.5, 0.2, 24, 16).unwrap());
    let points = contacts(&torus, &at(0.0, 0.2, 0.0), &plane, &Pose::IDENTITY, 0.01);
    assert_eq!(points.len(), 4);
}
