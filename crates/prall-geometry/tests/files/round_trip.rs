//! What is written is read back, as far as the format can hold it.

use crate::common::{ALL_FORMATS, assembly, cuboid, format, read, written};
use glam::{DAffine3, DVec3};
use prall_geometry::PolygonSoup;
use prall_geometry::files::{Model, Node, Part, ReadOptions, UpAxis, WriteFormat, read_model, write_model};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

fn parts(model: &Model) -> Vec<Part<'_>> {
    model.parts().collect::<Result<_, _>>().unwrap()
}

/// Twice the sum of all faces' areas, each with its normal, after the divergence theorem six times the volume.
fn six_volumes(soup: &PolygonSoup) -> f64 {
    let corner = |vertex: u32| soup.positions()[vertex as usize];
    soup.faces()
        .flat_map(|face| face.windows(2).skip(1).map(|pair| [face[0], pair[0], pair[1]]))
        .map(|[a, b, c]| corner(a).dot(corner(b).cross(corner(c))))
        .sum()
}

#[test]
fn obj_keeps_names_polygons_and_every_bit_of_the_parts() {
    let model = assembly();
    let again = read(&written(&model, WriteFormat::Obj), format(WriteFormat::Obj)).unwrap();
    let names = |model: &Model| parts(model).iter().map(|part| part.name.to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&again), names(&model));
    for (before, after) in parts(&model).iter().zip(parts(&again)) {
        assert_eq!(before.soup, after.soup);
    }
}

#[test]
fn text_stl_keeps_names_and_every_bit_of_the_triangles() {
    let model = assembly();
    let again = read(&written(&model, WriteFormat::StlText), format(WriteFormat::StlText)).unwrap();
    assert_eq!(again.nodes().len(), 3);
    for (before, after) in parts(&model).iter().zip(parts(&again)) {
        assert_eq!(before.name, after.name);
        // A quadrilateral is two triangles.
        let triangles: usize = before.soup.faces().map(|face| face.len() - 2).sum();
        assert_eq!(after.soup.face_count(), triangles);
        assert_eq!(six_volumes(&before.soup), six_volumes(&after.soup));
    }
}

#[test]
fn ply_keeps_polygons_and_every_bit() {
    let model = assembly();
    for format in [WriteFormat::PlyBinary, WriteFormat::PlyText] {
        let again = read(&written(&model, format), crate::common::format(format)).unwrap();
        assert_eq!(again.soups()[0], model.flattened().unwrap());
    }
}

#[test]
fn glb_keeps_the_hierarchy_and_what_is_shared() {
    let model = assembly();
    let again = read(&written(&model, WriteFormat::Glb), format(WriteFormat::Glb)).unwrap();
    // Coordinates of the assembly are exact in single precision; only polygons are cut.
    assert_eq!(again.nodes(), model.nodes());
    assert_eq!(again.soups().len(), model.soups().len());
    assert_eq!(again.soups()[0].positions(), model.soups()[0].positions());
    assert_eq!(six_volumes(&again.flattened().unwrap()), six_volumes(&model.flattened().unwrap()));
}

#[test]
fn a_large_mesh_goes_through_glb_with_wide_indices() {
    let mut soup = PolygonSoup::new();
    for vertex in 0..70_000 {
        soup.push_position(DVec3::new(f64::from(vertex), f64::from(vertex % 7), 0.0)).unwrap();
    }
    for first in 0..69_998 {
        soup.push_face(&[first, first + 1, first + 2]).unwrap();
    }
    let model = Model::from_soup("strip", soup);
    assert_eq!(read(&written(&model, WriteFormat::Glb), format(WriteFormat::Glb)).unwrap(), model);
}

#[test]
fn a_polygon_of_many_corners_stays_one() {
    let mut soup = PolygonSoup::new();
    let corners: Vec<u32> = (0..1000_u32)
        .map(|at| {
            let angle = f64::from(at) * 0.006;
            soup.push_position(DVec3::new(libm::cos(angle), libm::sin(angle), 0.0)).unwrap()
        })
        .collect();
    soup.push_face(&corners).unwrap();
    let model = Model::from_soup("", soup);
    for format in [WriteFormat::Obj, WriteFormat::PlyBinary, WriteFormat::PlyText] {
        assert_eq!(read(&written(&model, format), crate::common::format(format)).unwrap(), model);
    }
}

#[test]
fn equal_models_give_equal_bytes() {
    for format in ALL_FORMATS {
        assert_eq!(written(&assembly(), format), written(&assembly(), format), "{format:?}");
    }
}

#[test]
fn single_precision_rounds_each_coordinate_by_at_most_half_a_step() {
    let strategy = proptest::collection::vec(proptest::array::uniform3(-1e6..1e6_f64), 3);
    let config = Config { cases: 500, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    runner
        .run(&strategy, |points| {
            let positions: Vec<DVec3> = points.iter().map(|p| DVec3::from_array(*p)).collect();
            let model = Model::from_soup("", PolygonSoup::from_triangles(positions, &[[0, 1, 2]]).unwrap());
            for format in [WriteFormat::StlBinary, WriteFormat::Glb] {
                let again = read(&written(&model, format), crate::common::format(format)).unwrap();
                for (before, after) in model.soups()[0].positions().iter().zip(again.soups()[0].positions()) {
                    // A single has 24 bits, so rounding to nearest moves a number by at most 2^-24 of itself.
                    let bound = before.abs() / 16_777_216.0;
                    prop_assert!((*before - *after).abs().cmple(bound).all());
                }
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn doubles_go_through_text_unchanged() {
    let strategy = proptest::collection::vec(proptest::array::uniform3(proptest::num::f64::NORMAL), 3);
    let config = Config { cases: 500, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    runner
        .run(&strategy, |points| {
            let positions: Vec<DVec3> = points.iter().map(|p| DVec3::from_array(*p)).collect();
            let model = Model::from_soup("", PolygonSoup::from_triangles(positions, &[[0, 1, 2]]).unwrap());
            for format in
                [WriteFormat::Obj, WriteFormat::StlText, WriteFormat::PlyBinary, WriteFormat::PlyText]
            {
                let again = read(&written(&model, format), crate::common::format(format)).unwrap();
                prop_assert_eq!(&again, &model);
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn transforms_go_through_glb_unchanged() {
    let strategy = proptest::array::uniform12(-1e3..1e3_f64);
    let config = Config { cases: 500, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    runner
        .run(&strategy, |entries| {
            let mut model = Model::new();
            let soup = model.push_soup(cuboid(DVec3::ONE));
            let transform = DAffine3::from_cols_array(&entries);
            model
                .push_node(Node { name: "a".to_owned(), parent: None, transform, soups: vec![soup] })
                .unwrap();
            let again = read(&written(&model, WriteFormat::Glb), format(WriteFormat::Glb)).unwrap();
            prop_assert_eq!(again.nodes(), model.nodes());
            Ok(())
        })
        .unwrap();
}

#[test]
fn units_and_axes_are_applied_alike_in_every_format() {
    let model = assembly();
    let directory = std::env::temp_dir().join(format!("prall-units-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let options = ReadOptions { scale: 0.25, up: UpAxis::Z };
    let plain = model.flattened().unwrap();
    // The first cuboid's volume is 0.125, mirrored instances keep theirs; a quarter of the size is 1/64 of it. All
    // numbers are small dyadic fractions, so the sums are exact.
    let expected = six_volumes(&plain) / 64.0;
    for extension in ["obj", "stl", "ply", "glb"] {
        let path = directory.join(format!("part.{extension}"));
        write_model(&path, &model).unwrap();
        let turned = read_model(&path, &options).unwrap().flattened().unwrap();
        assert_eq!(six_volumes(&turned), expected, "{extension}");
        let highest = |soup: &PolygonSoup, axis: usize| {
            soup.positions().iter().map(|p| p[axis]).fold(f64::MIN, f64::max)
        };
        let lowest = |soup: &PolygonSoup, axis: usize| {
            soup.positions().iter().map(|p| p[axis]).fold(f64::MAX, f64::min)
        };
        assert_eq!(highest(&turned, 0), 0.25 * highest(&plain, 0), "{extension}");
        assert_eq!(highest(&turned, 1), 0.25 * highest(&plain, 2), "{extension}");
        assert_eq!(lowest(&turned, 2), -0.25 * highest(&plain, 1), "{extension}");
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn what_a_format_cannot_hold_is_an_error() {
    let huge =
        PolygonSoup::from_triangles(vec![DVec3::ZERO, DVec3::X, DVec3::Y * 1e39], &[[0, 1, 2]]).unwrap();
    let empty = Model::from_soup("empty", PolygonSoup::new());
    let two_lines = Model::from_soup("two\nlines", cuboid(DVec3::ONE));
    let message = |model: &Model, format| {
        prall_geometry::files::write_model_to_bytes(model, format).unwrap_err().to_string()
    };
    for format in [WriteFormat::StlBinary, WriteFormat::Glb] {
        let huge = Model::from_soup("", huge.clone());
        assert!(message(&huge, format).contains("1e39 is too large for single precision"));
    }
    for format in ALL_FORMATS {
        assert!(message(&empty, format).contains("no faces"));
    }
    for format in [WriteFormat::Obj, WriteFormat::StlText] {
        assert!(message(&two_lines, format).contains("control character"));
    }
    assert!(write_model("part.step", &two_lines).unwrap_err().to_string().contains("written are .obj"));
}
