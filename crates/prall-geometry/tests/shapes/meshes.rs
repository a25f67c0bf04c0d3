//! The same solid three ways: primitive, convex hull and triangle mesh; and compounds against their children.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use prall_geometry::{
    Compound, ConvexHull, Heightfield, Mesh, MeshOptions, PolygonSoup, Ray, Shape, ShapeError,
    ShapeMassError, TriangleMesh, generate,
};
use prall_math::Pose;

use crate::common::{Random, cloud, largest};

fn mesh_shape(soup: &PolygonSoup) -> Shape {
    let mesh = Mesh::from_soup(soup, &MeshOptions::default()).unwrap();
    Shape::TriangleMesh(Arc::new(TriangleMesh::new(Arc::new(mesh)).unwrap()))
}

fn hull_shape(points: &[DVec3]) -> Shape {
    Shape::ConvexHull(Arc::new(ConvexHull::from_points(points).unwrap()))
}

/// Asks two shapes for the same solid the same questions.
fn assert_same_solid(one: &Shape, other: &Shape, size: f64, rounding: f64, random: &mut Random) {
    for _ in 0..40 {
        let p = size * random.cube();
        let (s, t) = (one.closest_point(p), other.closest_point(p));
        assert!((s.distance - t.distance).abs() < rounding, "{p} {s:?} {t:?}");
        if s.distance.abs() > rounding {
            assert_eq!(one.contains(p), other.contains(p), "{p} {s:?}");
        }
        let ray = Ray::new(2.0 * size * random.direction(), size * random.cube()).unwrap();
        let (hit, second) = (one.ray_cast(&ray, 10.0 * size), other.ray_cast(&ray, 10.0 * size));
        let depth = |h: &prall_geometry::RayHit| other.closest_point(h.point).distance.abs();
        match (hit, second) {
            (Some(h), Some(k)) => {
                let slope = h.normal.dot(ray.direction()).abs().max(1e-6);
                assert!((h.distance - k.distance).abs() < rounding / slope, "{ray:?} {h:?} {k:?}");
            }
            (None, None) => {}
            // One of them may miss where the ray only grazes.
            (Some(h), None) => assert!(depth(&h) < rounding && h.normal.dot(ray.direction()).abs() < 1e-5),
            (None, Some(k)) => assert!(depth(&k) < rounding && k.normal.dot(ray.direction()).abs() < 1e-5),
        }
    }
}

#[test]
fn a_box_is_a_box_as_primitive_hull_and_mesh() {
    let mut random = Random(60);
    for _ in 0..30 {
        let half = DVec3::new(0.2 + random.unit(), 0.2 + random.unit(), 0.2 + random.unit());
        let cuboid = Shape::cuboid(half).unwrap();
        let soup = generate::cuboid(2.0 * half).unwrap();
        let (hull, mesh) = (hull_shape(soup.positions()), mesh_shape(&soup));
        assert_same_solid(&cuboid, &hull, 2.0, 1e-13, &mut random);
        assert_same_solid(&cuboid, &mesh, 2.0, 1e-13, &mut random);
        for (a, b) in [(&cuboid, &hull), (&cuboid, &mesh)] {
            let (m, n) = (a.mass_properties(700.0).unwrap(), b.mass_properties(700.0).unwrap());
            assert!((m.mass - n.mass).abs() < 1e-12 * m.mass);
            assert!(m.center_of_mass.distance(n.center_of_mass) < 1e-14);
        }
    }
}

#[test]
fn a_hull_answers_like_its_mesh() {
    let mut random = Random(61);
    let mut solids = 0;
    for case in 0..150 {
        let points = cloud(&mut random, 6 + case % 60);
        let Ok(hull) = ConvexHull::from_points(&points) else { continue };
        // The mesh has its own idea of what is degenerate; thin hulls are not to be compared with it.
        if hull.bounds().half_extents().min_element() < 1e-2 * hull.bounds().diameter() {
            continue;
        }
        let centre = hull.interior_point();
        let size = hull.bounds().diameter();
        let centred: Vec<DVec3> = points.iter().map(|p| *p - centre).collect();
        let hull = ConvexHull::from_points(&centred).unwrap();
        let mesh = mesh_shape(&hull.to_soup());
        let rounding = 1e-10 * size + 1e-14 * largest(&points);
        assert_same_solid(&Shape::ConvexHull(Arc::new(hull)), &mesh, size, rounding, &mut random);
        solids += 1;
    }
    assert!(solids > 60, "{solids}");
}

#[test]
fn no_ray_slips_through_the_vertices_or_edges_of_a_closed_mesh() {
    let soup = generate::ico_sphere(1.0, 2).unwrap();
    let mesh = mesh_shape(&soup);
    let mut random = Random(62);
    for face in soup.faces() {
        let at = |i: usize| soup.positions()[face[i % face.len()] as usize];
        for i in 0..face.len() {
            for target in [at(i), 0.5 * (at(i) + at(i + 1)), at(i).lerp(at(i + 1), random.unit())] {
                for origin in
                    [DVec3::ZERO, 0.5 * random.cube(), 3.0 * target, 3.0 * target + 0.1 * random.cube()]
                {
                    let ray = Ray::new(origin, target - origin).unwrap();
                    let hit = mesh.ray_cast(&ray, 10.0).expect("a closed mesh has no gaps");
                    assert!(hit.distance <= origin.distance(target) * (1.0 + 1e-12));
                }
            }
        }
    }
}

#[test]
fn an_open_mesh_has_no_inside_and_no_mass() {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let soup = PolygonSoup::from_triangles(corners, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    let sheet = mesh_shape(&soup);
    let p = DVec3::splat(0.1);
    assert_eq!(sheet.contains(p), None);
    assert!(sheet.closest_point(p).distance > 0.0 && sheet.closest_point(-p).distance > 0.0);
    assert!(matches!(sheet.mass_properties(1.0), Err(ShapeMassError::Mass(_))));
}

#[test]
fn a_cavity_is_outside() {
    let outer = generate::cuboid(DVec3::splat(4.0)).unwrap();
    let inner = generate::cuboid(DVec3::splat(2.0)).unwrap();
    let mut soup = outer;
    let turned = inner.transformed(&glam::DAffine3::from_scale(DVec3::new(1.0, 1.0, 1.0))).unwrap();
    let base = soup.positions().len() as u32;
    for &p in turned.positions() {
        soup.push_position(p).unwrap();
    }
    for face in turned.faces() {
        let reversed: Vec<u32> = face.iter().rev().map(|v| v + base).collect();
        soup.push_face(&reversed).unwrap();
    }
    let hollow = mesh_shape(&soup);
    assert_eq!(hollow.contains(DVec3::ZERO), Some(false));
    assert_eq!(hollow.contains(DVec3::X * 1.5), Some(true));
    assert_eq!(hollow.contains(DVec3::X), Some(true), "the surface belongs to the solid");
    assert!((hollow.closest_point(DVec3::X * 0.75).distance - 0.25).abs() < 1e-15);
    assert!((hollow.closest_point(DVec3::X * 1.25).distance + 0.25).abs() < 1e-15);
}

#[test]
fn a_compound_is_the_union_of_its_children() {
    let mut random = Random(63);
    for _ in 0..60 {
        let children: Vec<(Pose, Shape)> = vec![
            (random.pose(1.0), Shape::sphere(0.5).unwrap()),
            (random.pose(1.0), Shape::cylinder(0.4, 0.3).unwrap()),
            (random.pose(1.0), hull_shape(&(0..20).map(|_| 0.5 * random.cube()).collect::<Vec<_>>())),
        ];
        let compound = Compound::new(children.clone()).unwrap();
        let whole = Shape::Compound(Arc::new(compound));
        let sphere = whole.bounding_sphere().unwrap();
        let oriented = whole.oriented_box().unwrap();
        for _ in 0..60 {
            let p = 2.0 * random.cube();
            let local = |pose: &Pose| pose.inverse_transform_point(p);
            let inside = children.iter().any(|(pose, s)| s.contains(local(pose)) == Some(true));
            assert_eq!(whole.contains(p), Some(inside));
            assert!(!inside || (sphere.contains(p) && oriented.contains(p)));
            let closest = whole.closest_point(p);
            let least = children
                .iter()
                .map(|(pose, s)| s.closest_point(local(pose)).distance)
                .fold(f64::MAX, f64::min);
            assert!((closest.distance - least).abs() < 1e-14 && (closest.distance <= 0.0) == inside);
            let (pose, child) = &children[closest.part.child as usize];
            assert!(child.closest_point(pose.inverse_transform_point(closest.point)).distance.abs() < 1e-14);
            let ray = Ray::new(4.0 * random.direction(), random.cube()).unwrap();
            if let Some(hit) = whole.ray_cast(&ray, 20.0) {
                let (pose, child) = &children[hit.part.child as usize];
                assert!(child.closest_point(pose.inverse_transform_point(hit.point)).distance.abs() < 1e-12);
                let before = whole.closest_point(ray.at(0.999 * hit.distance)).distance;
                assert!(before > 0.0, "something was hit earlier");
            }
        }
        let pose = random.pose(100.0);
        let aabb = whole.aabb(&pose);
        for (place, shape) in &children {
            let inner = shape.aabb(&(pose * *place));
            assert_eq!(aabb.union(&inner), aabb);
        }
    }
}

#[test]
fn two_half_boxes_weigh_and_turn_like_the_whole() {
    let half = Shape::cuboid(DVec3::new(0.5, 0.3, 0.2)).unwrap();
    let place = |x: f64| (Pose::from_translation(DVec3::X * x), half.clone());
    let both = Shape::Compound(Arc::new(Compound::new(vec![place(0.0), place(1.0)]).unwrap()));
    let whole = Shape::cuboid(DVec3::new(1.0, 0.3, 0.2)).unwrap();
    let (m, n) = (both.mass_properties(500.0).unwrap(), whole.mass_properties(500.0).unwrap());
    assert!((m.mass - n.mass).abs() < 1e-12);
    assert!(m.center_of_mass.distance(DVec3::X * 0.5) < 1e-15);
    let difference = m.inertia - n.inertia;
    assert!(difference.to_cols_array().iter().all(|d| d.abs() < 1e-12), "{difference}");
}

#[test]
fn what_has_no_mass_says_so_and_what_to_do() {
    let ground = Shape::HalfSpace(prall_geometry::HalfSpace);
    assert!(matches!(ground.mass_properties(1.0), Err(ShapeMassError::Unbounded)));
    let field = Shape::Heightfield(Arc::new(Heightfield::new(2, 2, 1.0, 1.0, vec![0.0; 4]).unwrap()));
    assert!(matches!(field.mass_properties(1.0), Err(ShapeMassError::Bottomless)));
    let children = vec![(Pose::IDENTITY, Shape::sphere(1.0).unwrap()), (Pose::IDENTITY, ground)];
    let mixed = Shape::Compound(Arc::new(Compound::new(children).unwrap()));
    assert!(matches!(mixed.mass_properties(1.0), Err(ShapeMassError::Child { child: 1, .. })));
    assert!(mixed.bounding_sphere().is_none() && mixed.oriented_box().is_none());
    assert!(Shape::sphere(1.0).unwrap().mass_properties(-1.0).is_err());
}

#[test]
fn compounds_of_nothing_of_compounds_and_in_no_place_are_refused() {
    assert_eq!(Compound::new(vec![]).unwrap_err(), ShapeError::NoChildren);
    let ball = Shape::sphere(1.0).unwrap();
    let inner = Shape::Compound(Arc::new(Compound::new(vec![(Pose::IDENTITY, ball.clone())]).unwrap()));
    let nested = Compound::new(vec![(Pose::IDENTITY, ball.clone()), (Pose::IDENTITY, inner)]);
    assert_eq!(nested.unwrap_err(), ShapeError::NestedCompound { child: 1 });
    let nowhere = Compound::new(vec![(Pose::from_translation(DVec3::NAN), ball)]);
    assert_eq!(nowhere.unwrap_err(), ShapeError::BadPose { child: 0 });
}

#[test]
fn the_surface_to_draw_is_on_the_shape_and_nearly_fills_it() {
    let hull = hull_shape(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]);
    let shapes = [
        Shape::sphere(0.5).unwrap(),
        Shape::cuboid(DVec3::new(0.5, 0.3, 0.2)).unwrap(),
        Shape::capsule(0.5, 0.3).unwrap(),
        Shape::capsule(0.0, 0.3).unwrap(),
        Shape::cylinder(0.5, 0.3).unwrap(),
        Shape::cone(0.5, 0.3).unwrap(),
        hull,
    ];
    let place = |i: usize| Pose::from_translation(DVec3::X * 3.0 * i as f64);
    let children: Vec<(Pose, Shape)> =
        shapes.iter().cloned().enumerate().map(|(i, s)| (place(i), s)).collect();
    let all = Shape::Compound(Arc::new(Compound::new(children).unwrap()));
    for shape in shapes.iter().chain([&all]) {
        let soup = shape.surface_soup(64).unwrap();
        for &p in soup.positions() {
            assert!(shape.closest_point(p).distance.abs() < 1e-14);
        }
        let (drawn, true_mass) =
            (mesh_shape(&soup).mass_properties(1.0).unwrap(), shape.mass_properties(1.0).unwrap());
        // A regular polygon of 64 corners has 0.16 per cent less area than its circle; a sphere loses twice that.
        assert!(drawn.mass <= true_mass.mass * (1.0 + 1e-12) && drawn.mass > 0.995 * true_mass.mass);
        assert!(drawn.center_of_mass.distance(true_mass.center_of_mass) < 1e-2);
    }
    assert_eq!(
        Shape::HalfSpace(prall_geometry::HalfSpace).surface_soup(8),
        Err(prall_geometry::SurfaceError::Unbounded)
    );
}

#[test]
fn the_box_in_the_world_of_a_hull_is_that_of_its_moved_vertices() {
    let mut random = Random(64);
    for case in 0..100 {
        let points: Vec<DVec3> = (0..10 + 3 * case).map(|_| random.direction()).collect();
        let hull = hull_shape(&points);
        let mesh = mesh_shape(&hull.surface_soup(3).unwrap());
        let pose = random.pose(if case % 2 == 0 { 1000.0 } else { 1.0 });
        let moved: Vec<DVec3> = points.iter().map(|&p| pose.transform_point(p)).collect();
        let exact = prall_geometry::Aabb::fit(&moved).unwrap();
        for shape in [&hull, &mesh] {
            let aabb = shape.aabb(&pose);
            assert!(aabb.contains_all(&moved));
            // Sixteen units in the last place of a kilometre.
            assert!(aabb.min.distance(exact.min) < 1e-11 && aabb.max.distance(exact.max) < 1e-11);
            assert!(shape.oriented_box().unwrap().contains_all(&points));
            assert!(shape.bounding_sphere().unwrap().contains_all(&points));
        }
    }
}

/// Meshes of hundreds of vertices have boxes from the corners of their hull: they hold every vertex in every pose, and are no larger than those of all vertices
/// but for rounding. A flat mesh, which has no hull, and one far from the origin too.
#[test]
fn the_box_in_the_world_of_a_mesh_is_that_of_its_moved_vertices() {
    let bumpy = |flat: f64, offset: f64| {
        let field = |k: u32| (libm::sin(f64::from(k) * 0.7) + libm::cos(f64::from(k % 23) * 1.3)) * flat;
        let at = |k: u32| DVec3::new(f64::from(k % 30) * 0.1 + offset, field(k), f64::from(k / 30) * 0.1);
        let positions: Vec<DVec3> = (0..900).map(at).collect();
        let corner = |row: u32, column: u32| 30 * row + column;
        let cells = (0..29_u32).flat_map(|row| (0..29_u32).map(move |column| (row, column)));
        let triangles: Vec<[u32; 3]> = cells
            .flat_map(|(r, c)| {
                let [a, b, d, e] = [corner(r, c), corner(r + 1, c), corner(r, c + 1), corner(r + 1, c + 1)];
                [[a, b, d], [d, b, e]]
            })
            .collect();
        let soup = PolygonSoup::from_triangles(positions, &triangles).unwrap();
        Arc::new(Mesh::from_soup(&soup, &MeshOptions::default()).unwrap())
    };
    for mesh in [bumpy(0.2, 0.0), bumpy(0.0, 0.0), bumpy(0.3, 1e6)] {
        let shape = Shape::TriangleMesh(Arc::new(TriangleMesh::new(mesh.clone()).unwrap()));
        for k in 0..40 {
            let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3 * f64::from(k), 1.1 * f64::from(k), 0.7);
            let pose = Pose::new(turn, DVec3::new(f64::from(k), -2.0, 0.5));
            let bounds = shape.aabb(&pose);
            let moved: Vec<DVec3> = mesh.positions().iter().map(|&p| pose.transform_point(p)).collect();
            let (low, high) = moved.iter().fold((moved[0], moved[0]), |(l, h), p| (l.min(*p), h.max(*p)));
            assert!(bounds.min.cmple(low).all() && bounds.max.cmpge(high).all(), "pose {k}");
            let slack = 1e-9 * (1.0 + high.abs().max_element());
            assert!(
                (low - bounds.min).max_element().max((bounds.max - high).max_element()) < slack,
                "pose {k}"
            );
        }
    }
}
