//! Height fields against the mesh of their own triangles.

use std::sync::Arc;

use glam::DVec3;
use prall_geometry::{Heightfield, Mesh, MeshOptions, Ray, Shape, ShapeError, TriangleMesh};
use prall_math::Pose;

use crate::common::Random;

fn field(random: &mut Random) -> Heightfield {
    let (columns, rows) = (2 + random.bits() as usize % 12, 2 + random.bits() as usize % 12);
    let roughness = [0.0, 0.2, 3.0][random.bits() as usize % 3];
    let heights = (0..columns * rows).map(|_| roughness * random.signed()).collect();
    Heightfield::new(columns, rows, 2.0 + 3.0 * random.unit(), 2.0 + 3.0 * random.unit(), heights).unwrap()
}

fn as_mesh(field: &Heightfield) -> TriangleMesh {
    let mesh = Mesh::from_soup(&field.to_soup().unwrap(), &MeshOptions::default()).unwrap();
    TriangleMesh::new(Arc::new(mesh)).unwrap()
}

#[test]
fn rays_hit_the_field_where_they_hit_its_mesh() {
    let mut random = Random(70);
    let mut hits = 0;
    for _ in 0..150 {
        let field = field(&mut random);
        let mesh = as_mesh(&field);
        for i in 0..60 {
            let samples = field.positions();
            let target = match i % 3 {
                // Exactly at a sample, along a grid line, or anywhere.
                0 => samples[random.bits() as usize % samples.len()],
                1 => samples[random.bits() as usize % samples.len()] + DVec3::X * random.signed(),
                _ => 2.0 * random.cube(),
            };
            let origin = match i % 5 {
                0 => target + 6.0 * DVec3::Y,
                1 => target + 8.0 * DVec3::Z * random.signed() + 1e-3 * random.cube(),
                2 => target + 4.0 * DVec3::new(1.0, 0.3 * random.signed(), 0.0),
                _ => 6.0 * random.direction(),
            };
            let ray = Ray::new(origin, target - origin).unwrap();
            let (walked, scanned) = (field.ray_cast(&ray, 20.0), mesh.ray_cast(&ray, 20.0));
            assert_eq!(
                walked.map(|h| h.distance),
                scanned.map(|h| h.distance),
                "{ray:?} {walked:?} {scanned:?}"
            );
            hits += usize::from(walked.is_some());
        }
    }
    assert!(hits > 4000, "{hits}");
}

#[test]
fn the_closest_point_of_the_ground_is_that_of_its_mesh() {
    let mut random = Random(71);
    for _ in 0..150 {
        let field = field(&mut random);
        let mesh = as_mesh(&field);
        for _ in 0..40 {
            let p = 4.0 * random.cube();
            let (found, scanned) = (field.closest_point(p), mesh.closest_point(p));
            assert_eq!(found.distance.abs().to_bits(), scanned.distance.to_bits(), "{p}");
            assert_eq!(found.distance < 0.0, field.contains(p) && scanned.distance > 0.0);
            let way = found.point + found.normal * found.distance;
            assert!(way.distance(p) < 1e-14);
        }
    }
}

#[test]
fn the_height_at_a_place_is_where_a_vertical_ray_hits() {
    let mut random = Random(72);
    for _ in 0..150 {
        let field = field(&mut random);
        for _ in 0..40 {
            let p = DVec3::new(3.0 * random.signed(), 5.0, 3.0 * random.signed());
            let hit = field.ray_cast(&Ray::new(p, DVec3::NEG_Y).unwrap(), 20.0);
            match (field.height_at(p.x, p.z), hit) {
                (Some(height), Some(hit)) => {
                    // Heights change by up to 6 over cells of 0.2: slopes of 30 on positions rounded to 1e-16.
                    assert!((height - hit.point.y).abs() < 1e-13, "{height} {hit:?}");
                    assert!(hit.normal.y > 0.0 && field.contains(DVec3::new(p.x, height - 1e-9, p.z)));
                }
                (None, None) => {}
                (height, hit) => panic!("{p} {height:?} {hit:?}"),
            }
        }
    }
}

#[test]
fn samples_are_where_they_were_put() {
    let field = Heightfield::new(3, 2, 4.0, 2.0, vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    assert_eq!(field.sample(0, 0), DVec3::new(-2.0, 0.0, -1.0));
    assert_eq!(field.sample(2, 1), DVec3::new(2.0, 5.0, 1.0));
    assert_eq!((field.columns(), field.rows(), field.triangle_count()), (3, 2, 4));
    for t in 0..4 {
        let [a, b, c] = field.triangle_points(t);
        assert!((b - a).cross(c - a).y > 0.0, "triangle {t} faces down");
    }
    let shape = Shape::Heightfield(Arc::new(field));
    let pose = Pose::from_translation(DVec3::new(1.0, 10.0, 0.0));
    let aabb = shape.aabb(&pose);
    assert!(aabb.min.distance(DVec3::new(-1.0, 10.0, -1.0)) < 1e-13);
    assert!(aabb.max.distance(DVec3::new(3.0, 15.0, 1.0)) < 1e-13);
    assert!(shape.bounding_sphere().is_some() && shape.oriented_box().is_some());
}

#[test]
fn fields_that_are_none_are_refused() {
    assert_eq!(
        Heightfield::new(1, 5, 1.0, 1.0, vec![0.0; 5]).unwrap_err(),
        ShapeError::TooFewSamples { columns: 1, rows: 5 }
    );
    assert_eq!(
        Heightfield::new(2, 3, 1.0, 1.0, vec![0.0; 5]).unwrap_err(),
        ShapeError::WrongHeightCount { columns: 2, rows: 3, heights: 5 }
    );
    let holed = vec![0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0];
    assert_eq!(
        Heightfield::new(2, 3, 1.0, 1.0, holed).unwrap_err(),
        ShapeError::BadHeight { index: 3, column: 1, row: 1 }
    );
    assert!(Heightfield::new(2, 2, 0.0, 1.0, vec![0.0; 4]).is_err());
}
