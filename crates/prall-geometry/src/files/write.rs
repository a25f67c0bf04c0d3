//! Writing a model, to a file or to bytes. Equal models give equal bytes.

use std::fs;
use std::path::Path;

use super::error::{FileError, one_line, shown};
use super::format::Format;
use super::model::Model;
use super::triangulate::{self, CrossesItself};
use super::{glb_write, obj_write, ply_write, stl_write};
use crate::soup::PolygonSoup;

/// What a model is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteFormat {
    /// OBJ: polygons, an object per part, double precision; no hierarchy.
    Obj,
    /// Binary STL: triangles, single precision; no parts.
    StlBinary,
    /// Text STL: triangles, a solid per part, double precision.
    StlText,
    /// Binary little-endian PLY: polygons, double precision; no parts.
    PlyBinary,
    /// Text PLY: polygons, double precision; no parts.
    PlyText,
    /// GLB: triangles, single precision within each node, with all names, the hierarchy and shared soups.
    Glb,
}

impl WriteFormat {
    /// The format that a file's name says: `.obj`, `.stl` (binary), `.ply` (binary) or `.glb`.
    pub fn from_path(path: &Path) -> Result<WriteFormat, FileError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        match extension.as_str() {
            "obj" => Ok(WriteFormat::Obj),
            "stl" => Ok(WriteFormat::StlBinary),
            "ply" => Ok(WriteFormat::PlyBinary),
            "glb" => Ok(WriteFormat::Glb),
            _ => {
                let problem =
                    format!("\".{extension}\" is not written; written are .obj, .stl, .ply and .glb");
                Err(FileError::Format { file: shown(path), problem: one_line(&problem, 160) })
            }
        }
    }

    pub(super) fn format(self) -> Format {
        match self {
            WriteFormat::Obj => Format::Obj,
            WriteFormat::StlBinary | WriteFormat::StlText => Format::Stl,
            WriteFormat::PlyBinary | WriteFormat::PlyText => Format::Ply,
            WriteFormat::Glb => Format::Gltf,
        }
    }
}

/// Writes a model to a file; the extension of its name tells the format.
pub fn write_model(path: impl AsRef<Path>, model: &Model) -> Result<(), FileError> {
    let format = WriteFormat::from_path(path.as_ref())?;
    write_model_as(path, model, format)
}

/// Writes a model to a file of any name in the given format.
pub fn write_model_as(path: impl AsRef<Path>, model: &Model, format: WriteFormat) -> Result<(), FileError> {
    let path = path.as_ref();
    let bytes = write_model_to_bytes(model, format)?;
    fs::write(path, bytes).map_err(|source| FileError::Io { file: shown(path), source })
}

/// A model as the content of a file.
pub fn write_model_to_bytes(model: &Model, format: WriteFormat) -> Result<Vec<u8>, FileError> {
    let has_faces =
        model.nodes().iter().any(|node| node.soups.iter().any(|&soup| model.soups()[soup].face_count() > 0));
    if !has_faces {
        return Err(not_writable(format, "the model has no faces"));
    }
    match format {
        WriteFormat::Obj => obj_write::write(model),
        WriteFormat::StlBinary => stl_write::binary(model),
        WriteFormat::StlText => stl_write::text(model),
        WriteFormat::PlyBinary => ply_write::binary(model),
        WriteFormat::PlyText => ply_write::text(model),
        WriteFormat::Glb => glb_write::write(model),
    }
}

pub(super) fn not_writable(format: WriteFormat, problem: impl Into<String>) -> FileError {
    FileError::NotWritable { format: format.format(), problem: problem.into() }
}

/// A soup's faces as triangles.
pub(super) fn triangles(soup: &PolygonSoup, format: WriteFormat) -> Result<Vec<[u32; 3]>, FileError> {
    triangulate::triangles(soup).map_err(|CrossesItself(face)| {
        not_writable(
            format,
            format!("face {face} crosses itself, so it cannot be cut into the triangles needed there"),
        )
    })
}

/// A coordinate in single precision.
pub(super) fn single(value: f64, format: WriteFormat) -> Result<f32, FileError> {
    let rounded = value as f32;
    if rounded.is_finite() {
        return Ok(rounded);
    }
    Err(not_writable(format, format!("the coordinate {value:e} is too large for single precision")))
}

/// A name that takes one line of a text file.
pub(super) fn line_name(name: &str, format: WriteFormat) -> Result<&str, FileError> {
    if name.contains(char::is_control) {
        let shown = one_line(name, 40);
        return Err(not_writable(
            format,
            format!("the name \"{shown}\" has a control character, such as a line end"),
        ));
    }
    Ok(name)
}
