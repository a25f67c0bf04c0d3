//! Reading a model, from a file or from bytes.

use std::fs;
use std::io;
use std::path::Path;

use super::error::{FileError, shown};
use super::format::Format;
use super::gltf::{self, Neighbours};
use super::model::{Model, Node};
use super::options::{Conversion, ReadOptions};
use super::{collada, obj_read, ply_read, stl_read};

/// Reads a mesh file; the extension of its name tells the format.
///
/// The model is in metres with y up, whatever the file has: `options` say what that is. A glTF file may keep its
/// numbers in other files, which must lie in the same directory or below it.
pub fn read_model(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Model, FileError> {
    let path = path.as_ref();
    let format = Format::from_path(path)?;
    let bytes = read_regular(path).map_err(|source| FileError::Io { file: shown(path), source })?;
    // A bare file name has the empty path for its parent, which means the working directory.
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    read(&bytes, format, options, &shown(path), Neighbours::In(directory))
}

/// What a file holds. Devices and pipes, whose ends nobody knows, are refused.
pub(in crate::files) fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_file() {
        fs::read(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"))
    }
}

/// Reads a mesh file that is in memory. A glTF file must then hold its numbers itself.
pub fn read_model_from_bytes(
    bytes: &[u8],
    format: Format,
    options: &ReadOptions,
) -> Result<Model, FileError> {
    read(bytes, format, options, "bytes", Neighbours::None)
}

fn read(
    bytes: &[u8],
    format: Format,
    options: &ReadOptions,
    file: &str,
    neighbours: Neighbours<'_>,
) -> Result<Model, FileError> {
    let conversion = Conversion::new(options)?;
    format.check_content(bytes, file)?;
    let model = match format {
        Format::Obj => obj_read::read(bytes, &conversion),
        Format::Stl => stl_read::read(bytes, &conversion),
        Format::Ply => ply_read::read(bytes, &conversion),
        Format::Gltf => gltf::read(bytes, &conversion, neighbours),
        Format::Collada => collada::read(bytes, &conversion),
    };
    let mut model = model.map_err(|malformed| malformed.in_file(file, format))?;
    let has_faces =
        model.nodes().iter().any(|node| node.soups.iter().any(|&soup| model.soups()[soup].face_count() > 0));
    if !has_faces {
        return Err(FileError::Format {
            file: file.to_owned(),
            problem: "the file holds no faces".to_owned(),
        });
    }
    let faces_of =
        |node: &Node| node.soups.iter().map(|&soup| model.soups()[soup].face_count()).sum::<usize>();
    let empty = model.nodes().iter().filter(|node| !node.soups.is_empty() && faces_of(node) == 0);
    let empty: Vec<String> = empty.map(|node| format!("part '{}' is empty", node.name)).collect();
    empty.into_iter().for_each(|flaw| model.push_flaw(flaw));
    Ok(model)
}
