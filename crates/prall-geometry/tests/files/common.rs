//! Small models and files that the tests of the mesh files share.

use glam::{DAffine3, DMat3, DVec3};
use prall_geometry::PolygonSoup;
use prall_geometry::files::{
    Format, Model, Node, ReadOptions, WriteFormat, read_model_from_bytes, write_model_to_bytes,
};

pub(crate) const ALL_FORMATS: [WriteFormat; 6] = [
    WriteFormat::Obj,
    WriteFormat::StlBinary,
    WriteFormat::StlText,
    WriteFormat::PlyBinary,
    WriteFormat::PlyText,
    WriteFormat::Glb,
];

pub(crate) fn format(written: WriteFormat) -> Format {
    match written {
        WriteFormat::Obj => Format::Obj,
        WriteFormat::StlBinary | WriteFormat::StlText => Format::Stl,
        WriteFormat::PlyBinary | WriteFormat::PlyText => Format::Ply,
        WriteFormat::Glb => Format::Gltf,
    }
}

pub(crate) fn read(bytes: &[u8], format: Format) -> Result<Model, String> {
    read_model_from_bytes(bytes, format, &ReadOptions::default()).map_err(|error| error.to_string())
}

pub(crate) fn written(model: &Model, format: WriteFormat) -> Vec<u8> {
    write_model_to_bytes(model, format).unwrap()
}

/// A box of six quadrilaterals, outside out.
pub(crate) fn cuboid(size: DVec3) -> PolygonSoup {
    let mut soup = PolygonSoup::new();
    for corner in 0..8 {
        let bit = |axis: u32| f64::from(corner >> axis & 1);
        soup.push_position(size * DVec3::new(bit(0), bit(1), bit(2))).unwrap();
    }
    for face in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
        soup.push_face(&face).unwrap();
    }
    soup
}

/// A frame with two instances of a box below it, one mirrored, and a lone triangle with names that need care.
pub(crate) fn assembly() -> Model {
    let mut model = Model::new();
    let boxed = model.push_soup(cuboid(DVec3::new(0.5, 0.25, 1.0)));
    let triangle = PolygonSoup::from_triangles(vec![DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]).unwrap();
    let lone = model.push_soup(triangle);
    let mut add = |name: &str, parent, transform, soups| {
        model.push_node(Node { name: name.to_owned(), parent, transform, soups }).unwrap()
    };
    let frame = add("frame", None, DAffine3::from_translation(DVec3::new(1.0, 2.0, -3.0)), vec![]);
    add("left", Some(frame), DAffine3::IDENTITY, vec![boxed]);
    let mirror = DAffine3 {
        matrix3: DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)),
        translation: DVec3::new(0.0, 0.5, 0.0),
    };
    add("right # \"größer\"", Some(frame), mirror, vec![boxed]);
    add("lone {part}", None, DAffine3::IDENTITY, vec![lone]);
    model
}
