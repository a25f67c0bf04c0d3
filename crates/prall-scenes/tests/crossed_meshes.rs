//! Meshes that cross, fed to everything that reports overlaps. No solver takes part: who crosses whom is known from how it was built.

use glam::{DQuat, DVec3};
use prall_dynamics::{BodyDefinition, World};
use prall_geometry::{Amount, MassProperties, Mesh, MeshOptions, PolygonSoup, Shape, TriangleMesh, generate};
use prall_math::Pose;
use prall_mechanics::audit::{AuditBody, Auditor};
use prall_scenes::Judge;
use std::sync::Arc;

fn mesh_of(soup: &PolygonSoup) -> Shape {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).unwrap();
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))
}

fn cube(edge: f64) -> Shape {
    mesh_of(&generate::cuboid(DVec3::splat(edge)).unwrap())
}

/// A flat sheet about the origin in `cells` x `cells` squares, spanned by two vectors.
fn sheet(along: DVec3, across: DVec3, cells: u32) -> Shape {
    let share = |i: u32| f64::from(i) / f64::from(cells) - 0.5;
    let positions = (0..=cells).flat_map(|i| (0..=cells).map(move |j| along * share(i) + across * share(j)));
    let corner = |i: u32, j: u32| i * (cells + 1) + j;
    let squares = (0..cells).flat_map(|i| (0..cells).map(move |j| (i, j)));
    let triangles: Vec<[u32; 3]> = squares
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    mesh_of(&PolygonSoup::from_triangles(positions.collect(), &triangles).unwrap())
}

/// A wall of 1 mm around, open at both ends.
fn cup() -> Shape {
    mesh_of(&generate::tube(0.025, 0.024, 0.05, 48).unwrap())
}

/// R 30, tube 1 mm, 288 triangles.
fn ring() -> Shape {
    mesh_of(&generate::torus(0.03, 0.001, 24, 6).unwrap())
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

fn turned(axis: DVec3, angle: f64, translation: DVec3) -> Pose {
    Pose::new(prall_math::rotation::exp(axis * angle), translation)
}

/// The depth that the auditor reports, and whether the judge sees a crossing.
fn reporters(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> (Option<f64>, bool) {
    let mut auditor = Auditor::new();
    let mut world = World::default();
    for (shape, pose) in [(a, pose_a), (b, pose_b)] {
        auditor.add_body(AuditBody { shape: shape.clone(), movable: true, filter: Default::default() });
        let mass = MassProperties::cuboid(Amount::Mass(1.0), DVec3::ONE).unwrap();
        let body = BodyDefinition { mass: Some(mass), ..BodyDefinition::dynamic(shape.clone(), 1.0) };
        world.add_body(&body.in_pose(pose)).unwrap();
    }
    let report = auditor.audit(&[pose_a, pose_b]).unwrap();
    assert_eq!(report.overlaps.first().map_or(0.0, |overlap| overlap.depth), report.penetration_max);
    let depth = report.overlaps.first().map(|overlap| overlap.depth);
    let mut judge = Judge::new(&world).unwrap();
    let poses: Vec<Pose> = judge.bodies().map(|body| world.pose(body).unwrap()).collect();
    (depth, !judge.crossings(&poses, |_| true).is_empty())
}

/// Both see it, whichever body comes first, and the depth is above 0.
#[track_caller]
fn seen(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> f64 {
    let (depth, crossing) = reporters(a, pose_a, b, pose_b);
    let (swapped, crossing_swapped) = reporters(b, pose_b, a, pose_a);
    assert!(crossing && crossing_swapped, "the judge does not see it");
    let depth = depth.expect("the auditor does not see it");
    let swapped = swapped.expect("the auditor does not see it the other way round");
    assert!(depth > 0.0 && (depth - swapped).abs() <= 1e-6 * depth, "{depth} {swapped}");
    depth
}

#[track_caller]
fn apart(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) {
    assert_eq!(reporters(a, pose_a, b, pose_b), (None, false));
}

/// The cube that fell through: turned by 0.05 rad about x, its lower edge a millimetre below the face it stands on.
#[test]
fn a_turned_cube_that_sank_is_as_deep_as_its_edge() {
    let cube = cube(0.05);
    let (sine, cosine) = libm::sincos(0.05);
    let standing = 0.025 + 0.025 * (sine + cosine);
    let sunk_by = |sunk: f64| {
        let pose = turned(DVec3::X, 0.05, DVec3::new(0.003, standing - sunk, 0.001));
        seen(&cube, pose, &cube, Pose::IDENTITY)
    };
    for sunk in [1e-9, 1e-6, 1e-3] {
        assert!((sunk_by(sunk) - sunk).abs() < 1e-12, "{} instead of {sunk}", sunk_by(sunk));
    }
    // Deep inside, what is said is a lower bound: no triangle and no point comes out by less.
    assert!((0.015..=0.02).contains(&sunk_by(0.02)), "{}", sunk_by(0.02));
    apart(&cube, turned(DVec3::X, 0.05, DVec3::Y * (standing + 1e-9)), &cube, Pose::IDENTITY);
}

/// An edge that binary numbers have exactly, so that faces can lie on each other.
const EDGE: f64 = 0.0625;

/// No edge passes strictly through a face here: all corners lie exactly in planes of the other.
#[test]
fn aligned_cubes_pushed_into_each_other_are_seen() {
    let cube = cube(EDGE);
    for (x, y, z) in [(0.5, 0.0, 0.0), (0.0, 0.25, 0.0), (0.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.5, 0.25, 0.0)] {
        let depth = seen(&cube, at(x * EDGE, y * EDGE, z * EDGE), &cube, Pose::IDENTITY);
        let truth = EDGE * (1.0 - f64::max(x, y));
        assert!(depth > 0.2 * truth && depth <= truth, "{depth} of {truth} at {x} {y} {z}");
    }
}

/// Faces that lie exactly on each other touch: the judge says so, the auditor finds no depth.
#[test]
fn cubes_that_only_touch_have_no_depth() {
    let cube = cube(EDGE);
    for (y, z) in [(0.0, 0.0), (0.5, 0.25), (1.0, 1.0)] {
        let beside = at(EDGE, y * EDGE, z * EDGE);
        assert_eq!(reporters(&cube, beside, &cube, Pose::IDENTITY), (None, true), "{y} {z}");
    }
    apart(&cube, at(EDGE + 1e-9, 0.02, 0.01), &cube, Pose::IDENTITY);
}

#[test]
fn sheets_through_each_other_are_seen() {
    for cells in [1, 7] {
        let lying = sheet(DVec3::X * 0.1, DVec3::Z * 0.1, cells);
        let slanted = sheet(DVec3::new(0.07, 0.07, 0.0), DVec3::Z * 0.1, cells);
        for angle in [0.3, 1.0, 1.5] {
            let pose = turned(DVec3::X, angle, DVec3::new(0.01, 0.003, 0.02));
            let depth = seen(&slanted, pose, &lying, Pose::IDENTITY);
            assert!(depth > 1e-4, "{depth} with {cells} cells at {angle}");
        }
        apart(&lying, turned(DVec3::X, 0.1, DVec3::Y * 0.006), &lying, Pose::IDENTITY);
    }
}

/// A strip whose corners lie exactly in the plane of the sheet, and inside one of its triangles.
#[test]
fn a_strip_that_has_corners_in_the_plane_it_passes_is_seen() {
    let sheet_ = sheet(DVec3::X, DVec3::Z, 1);
    let strip = sheet(DVec3::Y * 0.5, DVec3::Z * 0.1, 2);
    // Each of its triangles only touches the plane, so no pair of triangles is deep; but the strip passes, and that is said.
    let (depth, crossing) = reporters(&strip, at(0.25, 0.0, -0.2), &sheet_, Pose::IDENTITY);
    assert!(crossing && depth.is_some_and(|depth| depth > 0.0));
    let resting = sheet(DVec3::Y * 0.5, DVec3::Z * 0.1, 1);
    assert_eq!(reporters(&resting, at(0.25, 0.25, -0.2), &sheet_, Pose::IDENTITY), (None, true));
}

#[test]
fn a_cup_wall_through_a_cup_wall_is_seen() {
    let cup = cup();
    for angle in [0.0, 0.4, 1.3] {
        let depth = seen(&cup, turned(DVec3::X, angle, DVec3::new(0.03, 0.012, 0.001)), &cup, Pose::IDENTITY);
        assert!(depth > 1e-5, "{depth} at {angle}");
    }
    // One stands in the other's way without touching it.
    apart(&cup, at(0.0505, 0.012, 0.0), &cup, Pose::IDENTITY);
}

#[test]
fn rings_are_seen_when_their_tubes_cross_and_not_when_they_interlock() {
    let ring = ring();
    let upright = |x: f64| turned(DVec3::X, 1.5, DVec3::new(x, 0.0, 0.0));
    apart(&ring, upright(0.03), &ring, Pose::IDENTITY);
    let depth = seen(&ring, upright(0.0595), &ring, Pose::IDENTITY);
    assert!(depth > 1e-5 && depth < 2e-3, "{depth}");
}

/// A closed body wholly inside of another crosses no triangle.
#[test]
fn what_lies_inside_is_seen() {
    let (small, large) = (cube(0.01), cube(0.05));
    let depth = seen(&small, at(0.01, 0.0, 0.003), &large, Pose::IDENTITY);
    assert!(depth > 0.005, "{depth}");
    let lying = sheet(DVec3::X * 0.01, DVec3::Z * 0.01, 3);
    assert!(seen(&lying, Pose::new(DQuat::from_rotation_x(0.2), DVec3::ZERO), &large, Pose::IDENTITY) > 0.0);
}

/// The second piece of a mesh counts like the first.
#[test]
fn a_piece_inside_is_seen_wherever_it_stands_in_the_mesh() {
    let part = generate::cuboid(DVec3::splat(0.01)).unwrap();
    let mut both = PolygonSoup::new();
    for shift in [DVec3::X * 0.3, DVec3::ZERO] {
        both.append(&part.transformed(&glam::DAffine3::from_translation(shift)).unwrap()).unwrap();
    }
    assert!(seen(&mesh_of(&both), Pose::IDENTITY, &cube(0.05), Pose::IDENTITY) > 0.01);
}
