//! glTF 2.0, as JSON with its buffers beside or inside it, and as GLB.
//!
//! Kept are the hierarchy of nodes with names and transforms, and the triangles (lists, strips and fans). The
//! triangles of one mesh are one soup, whatever its materials; meshes with equal content share one. The scene that the
//! file names is read, else the first, else all nodes. Points and lines are passed over; skins and morph targets are
//! not applied, so the part has the shape in which it was modelled. Compressed geometry is an error that names the
//! extension, and so is any required extension that could change the geometry.
//!
//! Accessors may overlap and need no bytes at all, so a small file could describe a huge mesh: the number of indices
//! read is therefore limited to the number of bytes of the file with its buffers. No sound file comes near that, since
//! every index takes a byte of its own and meshes that share their accessors are read once.

mod accessor;
mod buffers;
mod container;
mod hierarchy;
mod schema;
mod surface;

pub(super) use buffers::Neighbours;

use super::error::{Malformed, Place, one_line, quote};
use super::model::Model;
use super::options::Conversion;
use buffers::Buffers;
use schema::{Document, VersionOne};

/// Extensions by which geometry may be compressed.
const COMPRESSIONS: [&str; 3] =
    ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

/// How a compressed file becomes one that is read.
const DECOMPRESS: &str =
    "export it without compression, or unpack it: npx @gltf-transform/cli copy IN.glb OUT.glb";

/// How a file of version 1 becomes one of version 2.
const UPGRADE: &str = "convert it: npx gltf-pipeline@2 -i IN.gltf -o OUT.glb";

/// Beginnings of the names of extensions that leave geometry alone, or that are understood.
const HARMLESS: [&str; 9] = [
    "KHR_materials_",
    "EXT_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_xmp",
    "KHR_mesh_quantization",
];

/// Longer than any message of the JSON parser that is not quoting the file.
const JSON_MESSAGE_CHARACTERS: usize = 160;

pub(super) fn read(
    bytes: &[u8],
    conversion: &Conversion,
    neighbours: Neighbours<'_>,
) -> Result<Model, Malformed> {
    let parts = container::split(bytes)?;
    let document: Document =
        serde_json::from_slice(parts.json).map_err(|error| {
            match serde_json::from_slice::<VersionOne>(parts.json) {
                Ok(_) => wrong_version("\"1.0\""),
                Err(_) => json_error(&error),
            }
        })?;
    if !(document.asset.version == "2.0" || document.asset.version.starts_with("2.")) {
        return Err(wrong_version(&quote(document.asset.version.as_bytes())));
    }
    for name in &document.extensions_required {
        check_extension(name)?;
    }
    let buffers = Buffers::load(&document.buffers, parts.binary, neighbours)?;
    let index_limit = bytes.len() + buffers.outside_bytes();
    let surfaces = surface::Surfaces::new(&document, &buffers, index_limit, conversion);
    hierarchy::build(&document, surfaces, conversion)
}

fn compressed(place: impl Into<String>, extension: &str) -> Malformed {
    let what = format!("the geometry is compressed ({extension}), which is not read; {DECOMPRESS}");
    Malformed::item(place, what)
}

fn wrong_version(version: &str) -> Malformed {
    Malformed::item("asset.version", format!("glTF version {version} is not read, only 2; {UPGRADE}"))
}

fn check_extension(name: &str) -> Result<(), Malformed> {
    let problem = if COMPRESSIONS.contains(&name) {
        return Err(compressed("extensionsRequired", name));
    } else if HARMLESS.iter().any(|harmless| name.starts_with(harmless)) {
        return Ok(());
    } else {
        format!("the extension {} is required to read this file and not known here", quote(name.as_bytes()))
    };
    Err(Malformed::item("extensionsRequired", problem))
}

fn json_error(error: &serde_json::Error) -> Malformed {
    let text = error.to_string();
    // The place is told apart from the message, so it is taken off its end.
    let message = text.rfind(" at line ").map_or(text.as_str(), |end| &text[..end]);
    Malformed {
        place: Place::Json { line: error.line(), column: error.column() },
        problem: one_line(message, JSON_MESSAGE_CHARACTERS),
    }
}

/// An item of one of the document's lists, or an error that says who asked for it.
fn item<'list, T>(list: &'list [T], index: u32, name: &str, place: &str) -> Result<&'list T, Malformed> {
    list.get(index as usize).ok_or_else(|| {
        Malformed::item(place, format!("names {name}[{index}], but there are only {}", list.len()))
    })
}
