//! OBJ: an object per part, in model coordinates and with all digits.

use std::io::Write;

use super::error::FileError;
use super::model::Model;
use super::text::push_number;
use super::write::{WriteFormat, line_name};

pub(super) fn write(model: &Model) -> Result<Vec<u8>, FileError> {
    let mut text = Vec::new();
    // OBJ counts vertices from 1, through all objects.
    let mut first_vertex = 1_u64;
    for (index, part) in model.parts().enumerate() {
        let part = part?;
        // A first part without a name is what a file without objects has.
        if index > 0 || !part.name.is_empty() {
            text.extend_from_slice(format!("o {}\n", line_name(part.name, WriteFormat::Obj)?).as_bytes());
        }
        for position in part.soup.positions() {
            text.push(b'v');
            for coordinate in position.to_array() {
                text.push(b' ');
                push_number(&mut text, coordinate);
            }
            text.push(b'\n');
        }
        for face in part.soup.faces() {
            text.push(b'f');
            for &corner in face {
                let written = write!(text, " {}", first_vertex + u64::from(corner));
                debug_assert!(written.is_ok(), "writing to memory cannot fail");
            }
            text.push(b'\n');
        }
        first_vertex += part.soup.positions().len() as u64;
    }
    Ok(text)
}
