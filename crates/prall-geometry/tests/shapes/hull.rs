//! Convex hulls: exact against integers, sound against every kind of cloud.

use std::collections::BTreeSet;

use glam::{DQuat, DVec3};
use prall_geometry::{Amount, ConvexHull, HalfEdges, HullError, MassProperties, Mesh, MeshOptions};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::{Random, cloud, for_all, largest};
use crate::integer_hull::{Point, dimension, extreme_points, plane_through, supporting_planes};

fn to_real(points: &[Point]) -> Vec<DVec3> {
    points.iter().map(|p| DVec3::from_array(p.map(|x| x as f64))).collect()
}

fn to_integers(point: DVec3) -> Point {
    point.to_array().map(|x| x as i128)
}

fn small_integer_points(count: std::ops::Range<usize>, reach: i64) -> impl Strategy<Value = Vec<Point>> {
    vec(prop::array::uniform3(-reach..=reach), count)
        .prop_map(|v| v.into_iter().map(|p| p.map(i128::from)).collect())
}

fn mass_of(hull: &ConvexHull) -> MassProperties {
    let mesh = Mesh::from_soup(&hull.to_soup(), &MeshOptions::default()).unwrap();
    MassProperties::of_mesh(&mesh, &HalfEdges::new(&mesh), Amount::Density(1.0)).unwrap()
}

/// A grid of points in a cube of edge 2, turned and moved.
fn cube_grid(per_edge: usize, turn: DQuat, offset: DVec3) -> Vec<DVec3> {
    let along = |i: usize| 2.0 * i as f64 / (per_edge - 1) as f64 - 1.0;
    let mut points = Vec::new();
    for i in 0..per_edge {
        for j in 0..per_edge {
            for k in 0..per_edge {
                points.push(turn * DVec3::new(along(i), along(j), along(k)) + offset);
            }
        }
    }
    points
}

#[test]
fn faces_and_vertices_are_those_that_brute_force_finds_in_integers() {
    let strategy = prop_oneof![
        small_integer_points(1..16, 2),
        small_integer_points(4..12, 1),
        small_integer_points(4..14, 1000),
    ];
    for_all(800, &strategy, |points| {
        let planes = supporting_planes(&points);
        match (ConvexHull::from_points(&to_real(&points)), dimension(&points)) {
            (Err(HullError::TooFewPoints { .. }), _) => assert!(points.len() < 4),
            (Err(HullError::Coincident { .. }), 0) => {}
            (Err(HullError::Collinear { .. }), 1) => {}
            (Err(HullError::Coplanar { .. }), 2) => {}
            (Ok(hull), 3) => {
                let corner = |f: usize, i: usize| to_integers(hull.vertices()[hull.face(f)[i] as usize]);
                let found: Vec<_> = (0..hull.face_count())
                    .map(|f| plane_through(corner(f, 0), corner(f, 1), corner(f, 2)).unwrap())
                    .collect();
                assert_eq!(found.len(), planes.len());
                assert_eq!(BTreeSet::from_iter(found), planes);
                let vertices: Vec<_> = hull.vertices().iter().map(|&v| to_integers(v)).collect();
                assert_eq!(vertices.len(), extreme_points(&points, &planes).len());
                assert_eq!(BTreeSet::from_iter(vertices), extreme_points(&points, &planes));
            }
            (outcome, dimension) => panic!("{outcome:?} for points of dimension {dimension}"),
        }
    });
}

#[test]
fn the_whole_integer_cube_has_six_faces_and_eight_vertices() {
    let points = cube_grid(9, DQuat::IDENTITY, DVec3::ZERO);
    let hull = ConvexHull::from_points(&points).unwrap();
    assert_eq!((hull.face_count(), hull.edges().len(), hull.vertices().len()), (6, 12, 8));
    assert_eq!(hull.edge_directions().len(), 3);
}

#[test]
fn a_turned_cube_grid_is_a_cube_here_a_kilometre_away_and_in_millimetres() {
    let mut random = Random(1);
    for _ in 0..20 {
        let turn = random.rotation();
        for (offset, scale) in [(DVec3::ZERO, 1.0), (1000.0 * random.direction(), 1.0), (DVec3::ZERO, 1e-3)] {
            let points: Vec<DVec3> = cube_grid(6, turn, offset).iter().map(|p| *p * scale).collect();
            let hull = ConvexHull::from_points(&points).unwrap();
            assert_eq!((hull.face_count(), hull.edges().len(), hull.vertices().len()), (6, 12, 8));
            assert_eq!(hull.edge_directions().len(), 3);
            // Coordinates of a kilometre are rounded by 1e-13 m, a volume of 8 m^3 then by some 1e-12.
            let volume = mass_of(&hull).mass;
            assert!((volume / (8.0 * scale * scale * scale) - 1.0).abs() < 1e-11, "{volume}");
        }
    }
}

#[test]
fn every_point_is_inside_every_hull() {
    let mut random = Random(2);
    let mut solid = 0;
    for case in 0..600 {
        let points = cloud(&mut random, 4 + case % 120);
        let Ok(hull) = ConvexHull::from_points(&points) else { continue };
        solid += 1;
        assert!(points.iter().all(|&p| hull.contains(p)));
        // The promise of the documentation: three tolerances, plus the rounding of measuring it.
        let worst = points.iter().map(|&p| hull.closest_point(p).distance).fold(f64::MIN, f64::max);
        assert!(worst <= 3.0 * hull.tolerance() + 1e-15 * largest(&points), "{worst:e}");
    }
    assert!(solid > 400, "only {solid} of 600 clouds had a volume");
}

#[test]
fn a_hull_is_a_closed_convex_polyhedron() {
    let mut random = Random(3);
    for case in 0..400 {
        let points = cloud(&mut random, 4 + case % 120);
        let Ok(hull) = ConvexHull::from_points(&points) else { continue };
        let (v, e, f) = (hull.vertices().len(), hull.edges().len(), hull.face_count());
        assert_eq!(v + f, e + 2, "Euler");
        assert_eq!((0..f).map(|f| hull.face(f).len()).sum::<usize>(), 2 * e);
        for edge in hull.edges() {
            for (side, &face) in edge.faces.iter().enumerate() {
                let corners = hull.face(face as usize);
                let from = corners.iter().position(|&c| c == edge.vertices[side]).unwrap();
                assert_eq!(corners[(from + 1) % corners.len()], edge.vertices[1 - side]);
                assert_eq!(hull.adjacent_faces(face as usize)[from], edge.faces[1 - side]);
            }
        }
        let middle = hull.interior_point();
        for plane in hull.planes() {
            // Unit to the rounding of a normalisation.
            assert!((plane.normal.length() - 1.0).abs() < 1e-15 * 4.0);
            assert!(plane.signed_distance(middle) < 0.0);
        }
    }
}

#[test]
fn the_hull_of_a_hull_is_that_hull() {
    let mut random = Random(4);
    for case in 0..200 {
        let points = cloud(&mut random, 4 + case % 120);
        let Ok(hull) = ConvexHull::from_points(&points) else { continue };
        let again = ConvexHull::from_points(hull.vertices()).unwrap();
        assert_eq!(hull.vertices(), again.vertices());
        assert_eq!(hull.face_count(), again.face_count());
    }
}

#[test]
fn permuting_the_points_changes_nothing_but_the_order() {
    let mut random = Random(5);
    for case in 0..200 {
        let mut points = cloud(&mut random, 10 + case % 60);
        let sorted = |hull: &ConvexHull| {
            let mut vertices: Vec<[u64; 3]> =
                hull.vertices().iter().map(|v| v.to_array().map(f64::to_bits)).collect();
            vertices.sort_unstable();
            vertices
        };
        let Ok(hull) = ConvexHull::from_points(&points) else { continue };
        for i in (1..points.len()).rev() {
            points.swap(i, random.bits() as usize % (i + 1));
        }
        let permuted = ConvexHull::from_points(&points).unwrap();
        assert_eq!(sorted(&hull).len(), sorted(&permuted).len());
        // Where points coincide up to rounding, which of them becomes the vertex may depend on the order.
        let volume = (mass_of(&hull).mass, mass_of(&permuted).mass);
        assert!((volume.0 - volume.1).abs() <= 1e-9 * volume.0, "{volume:?}");
    }
}

#[test]
fn the_support_vertex_is_the_one_that_a_scan_finds() {
    let mut random = Random(6);
    for case in 0..200 {
        let points = cloud(&mut random, 4 + 7 * (case % 120));
        let Ok(hull) = ConvexHull::from_points(&points) else { continue };
        let mut hint = 0;
        for _ in 0..50 {
            let direction = random.direction();
            hint = hull.support_vertex_from(direction, hint);
            let found = direction.dot(hull.vertices()[hint as usize]);
            let best = hull.vertices().iter().map(|v| direction.dot(*v)).fold(f64::MIN, f64::max);
            // Climbing stops where rounding makes neighbours equal.
            assert!(found >= best - 1e-14 * largest(&points), "{:e}", best - found);
            let farthest = points.iter().map(|v| direction.dot(*v)).fold(f64::MIN, f64::max);
            assert!(found >= farthest - 3.0 * hull.tolerance());
        }
    }
}

#[test]
fn the_hull_of_a_sphere_tends_to_its_volume_from_below() {
    let mut random = Random(7);
    let sphere = 4.0 / 3.0 * std::f64::consts::PI;
    let mut last = 0.0;
    for count in [50, 500, 5000] {
        let points: Vec<DVec3> = (0..count).map(|_| random.direction()).collect();
        let hull = ConvexHull::from_points(&points).unwrap();
        assert_eq!(hull.vertices().len(), count, "every point of a sphere is a vertex");
        let volume = mass_of(&hull).mass;
        assert!(volume > last && volume < sphere);
        last = volume;
    }
    // The missing part shrinks like 1 / count; at 5000 it is below a third of a per cent.
    assert!(last > 0.996 * sphere);
}

#[test]
fn a_large_merge_tolerance_makes_a_cube_of_a_noisy_one() {
    let mut random = Random(8);
    let noisy: Vec<DVec3> =
        cube_grid(5, random.rotation(), DVec3::ZERO).iter().map(|p| p.as_vec3().as_dvec3()).collect();
    assert!(ConvexHull::from_points(&noisy).unwrap().face_count() > 6);
    let hull = ConvexHull::with_merge_tolerance(&noisy, 1e-6).unwrap();
    assert_eq!(hull.face_count(), 6);
    assert!(noisy.iter().all(|&p| hull.contains(p)));
}

#[test]
fn what_has_no_volume_is_refused_by_name() {
    let refused = |points: &[DVec3]| ConvexHull::from_points(points).unwrap_err();
    assert!(matches!(refused(&[DVec3::X; 3]), HullError::TooFewPoints { points: 3 }));
    assert!(matches!(refused(&[]), HullError::TooFewPoints { points: 0 }));
    assert!(matches!(refused(&[DVec3::X; 9]), HullError::Coincident { points: 9, .. }));
    let mut random = Random(9);
    let (turn, far) = (random.rotation(), 1000.0 * random.direction());
    let placed = |p: DVec3| turn * p + far;
    let line: Vec<DVec3> = (0..50).map(|_| placed(DVec3::X * random.signed())).collect();
    assert!(matches!(refused(&line), HullError::Collinear { .. }));
    let plane: Vec<DVec3> = (0..50).map(|_| placed(random.cube() * DVec3::new(1.0, 0.0, 1.0))).collect();
    assert!(matches!(refused(&plane), HullError::Coplanar { .. }));
    let mut broken = plane;
    broken[17].y = f64::NAN;
    assert!(matches!(refused(&broken), HullError::NotFinite { point: 17 }));
    assert!(matches!(ConvexHull::with_merge_tolerance(&line, -1.0), Err(HullError::BadTolerance { .. })));
}
