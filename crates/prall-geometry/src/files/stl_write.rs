//! STL: triangles in model coordinates. Polygons are cut; the normals written are those of the triangles.

use glam::DVec3;

use super::error::FileError;
use super::model::Model;
use super::text::push_number;
use super::write::{WriteFormat, line_name, not_writable, single, triangles};
use crate::soup::PolygonSoup;

/// Must not begin with "solid", by which some readers know a text file.
const HEADER: &[u8; 80] = b"binary STL written by Prall, units: metres, y up                                ";

pub(super) fn binary(model: &Model) -> Result<Vec<u8>, FileError> {
    let soup = model.flattened()?;
    let triangles = triangles(&soup, WriteFormat::StlBinary)?;
    let count = u32::try_from(triangles.len())
        .map_err(|_| not_writable(WriteFormat::StlBinary, "more triangles than the format can count"))?;
    let mut bytes = Vec::with_capacity(84 + 50 * triangles.len());
    bytes.extend(HEADER);
    bytes.extend(count.to_le_bytes());
    for triangle in &triangles {
        let corners = corners(&soup, triangle);
        for value in [normal(corners)].iter().chain(&corners).flat_map(DVec3::to_array) {
            bytes.extend(single(value, WriteFormat::StlBinary)?.to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    Ok(bytes)
}

pub(super) fn text(model: &Model) -> Result<Vec<u8>, FileError> {
    let mut text = Vec::new();
    for part in model.parts() {
        let part = part?;
        let name = line_name(part.name, WriteFormat::StlText)?;
        text.extend_from_slice(format!("solid {name}\n").as_bytes());
        for triangle in &triangles(&part.soup, WriteFormat::StlText)? {
            let corners = corners(&part.soup, triangle);
            push_vector(&mut text, "facet normal", normal(corners));
            text.extend_from_slice(b"outer loop\n");
            for corner in corners {
                push_vector(&mut text, "vertex", corner);
            }
            text.extend_from_slice(b"endloop\nendfacet\n");
        }
        text.extend_from_slice(format!("endsolid {name}\n").as_bytes());
    }
    Ok(text)
}

fn corners(soup: &PolygonSoup, triangle: &[u32; 3]) -> [DVec3; 3] {
    triangle.map(|corner| soup.positions()[corner as usize])
}

/// Of unit length, or zero for a triangle without area.
fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize_or_zero()
}

fn push_vector(text: &mut Vec<u8>, keyword: &str, vector: DVec3) {
    text.extend_from_slice(keyword.as_bytes());
    for coordinate in vector.to_array() {
        text.push(b' ');
        push_number(text, coordinate);
    }
    text.push(b'\n');
}
