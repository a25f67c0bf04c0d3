//! PLY: all parts as one, polygons kept, in double precision: a model goes through it without losing a bit.

use std::io::Write;

use glam::DVec3;

use super::error::FileError;
use super::model::Model;
use super::text::push_number;
use crate::soup::PolygonSoup;

pub(super) fn binary(model: &Model) -> Result<Vec<u8>, FileError> {
    let soup = model.flattened()?;
    let short_lists = has_short_lists(&soup);
    let mut bytes = header(&soup, "binary_little_endian");
    for coordinate in soup.positions().iter().flat_map(DVec3::to_array) {
        bytes.extend(coordinate.to_le_bytes());
    }
    for face in soup.faces() {
        // A face has fewer corners than 2³²: the soup counts them all in 32 bits.
        if short_lists {
            bytes.push(face.len() as u8);
        } else {
            bytes.extend((face.len() as u32).to_le_bytes());
        }
        for corner in face {
            bytes.extend(corner.to_le_bytes());
        }
    }
    Ok(bytes)
}

pub(super) fn text(model: &Model) -> Result<Vec<u8>, FileError> {
    let soup = model.flattened()?;
    let mut text = header(&soup, "ascii");
    for position in soup.positions() {
        for (axis, coordinate) in position.to_array().into_iter().enumerate() {
            if axis > 0 {
                text.push(b' ');
            }
            push_number(&mut text, coordinate);
        }
        text.push(b'\n');
    }
    for face in soup.faces() {
        let mut written = write!(text, "{}", face.len());
        for corner in face {
            written = written.and_then(|()| write!(text, " {corner}"));
        }
        debug_assert!(written.is_ok(), "writing to memory cannot fail");
        text.push(b'\n');
    }
    Ok(text)
}

fn has_short_lists(soup: &PolygonSoup) -> bool {
    soup.faces().all(|face| face.len() <= usize::from(u8::MAX))
}

/// Lists have the types that every reader knows, uchar and int, as long as the numbers fit.
fn header(soup: &PolygonSoup, storage: &str) -> Vec<u8> {
    let length = if has_short_lists(soup) { "uchar" } else { "uint" };
    let corner = if i32::try_from(soup.positions().len()).is_ok() { "int" } else { "uint" };
    format!(
        "ply\nformat {storage} 1.0\ncomment written by Prall, units: metres, y up\nelement vertex {}\nproperty double \
         x\nproperty double y\nproperty double z\nelement face {}\nproperty list {length} {corner} \
         vertex_indices\nend_header\n",
        soup.positions().len(),
        soup.face_count()
    )
    .into_bytes()
}
